"""Opening a database: SQLite or PostgreSQL, its limits of time, its locks between processes, and its migrations."""

import contextlib
import ctypes
import functools
import math
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs
import structlog
from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import SQLAlchemyError

from backroom.engine.options import BadOption
from backroom.engine.registry import renamed
from backroom.server.storage.schema import SCHEMA, ratings, tables

log = structlog.get_logger()

MOST_PAGES = 20_000
"""Pages in the write-ahead log from which the writer itself makes a checkpoint."""
PATIENCE = 3.0
"""Seconds to wait for a server that is stopping to release the lock of its file."""
PRIVATE = 0o600
"""The mode of new files with a database: it has the secret that signs sessions, and the seeds of games."""
TIME_LIMITS = {
    "connect_timeout": "3",
    "options": "-cstatement_timeout=10s",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
"""How long a server waits for PostgreSQL to accept a connection and to execute a statement, and for a silent host: in
seconds, the last in milliseconds."""
WRITES = "backroom_writes"
"""The execution option of connections whose transactions write."""

_stat: Any = getattr(ctypes.PyDLL(None), "stat", None) if sys.platform == "linux" else None


def default_url() -> str:
    """The database in the user's data folder."""
    folder = Path(platformdirs.user_data_dir("backroom"))
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'tables.db'}"


def whole_url(url: str) -> str:
    """The full URL, with its driver, for a database given as a file or a URL."""
    if url.startswith(("postgresql://", "postgres://")):
        return "postgresql+psycopg://" + url.split("://", 1)[1]
    if "://" not in url:
        return f"sqlite:///{Path(url).expanduser().absolute()}"
    return url


def with_time_limits(url: str) -> str:
    """The URL of a PostgreSQL database with `TIME_LIMITS`, unless it says others; any other as it is."""
    if not url.startswith("postgresql"):
        return url
    found = make_url(url)
    return found.set(query={**TIME_LIMITS, **found.query}).render_as_string(hide_password=False)


def can_be_shared(url: str) -> bool:
    """Whether several processes can use the database with this full URL, which may be in one process's memory."""
    file = url.removeprefix("sqlite:///")
    return url.startswith("postgresql") or (file != url and file not in ("", ":memory:") and "?" not in file)


def first_line(error: Exception) -> str:
    """A database's error message without the statement and its values."""
    return str(getattr(error, "orig", None) or error).splitlines()[0]


def engine_of(url: str) -> Engine:
    """The engine for a database, set up so that committed transactions are on disk."""
    if url.startswith("postgresql"):
        try:
            return create_engine(url, pool_size=8, max_overflow=8, pool_pre_ping=True)
        except ImportError:
            raise BadOption("PostgreSQL needs psycopg: pip install 'backroom[postgres]'") from None
    if not url.startswith("sqlite:///"):
        raise BadOption(f"a database is a file or postgresql://…, not {url.split('://')[0]}://…")
    for file in files_of(url)[:1]:
        with contextlib.suppress(OSError):  # it is there, or cannot be made, which is reported when it is opened
            os.close(os.open(file, os.O_CREAT | os.O_EXCL, PRIVATE))
    engine = create_engine(url, pool_size=8, max_overflow=8, connect_args={"timeout": 30})

    @event.listens_for(engine, "connect")
    def careful(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        connection.text_factory = functools.partial(str, encoding="utf-8", errors="replace")  # one damaged row is one
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = full")
        connection.execute(f"pragma wal_autocheckpoint = {MOST_PAGES}")

    @event.listens_for(engine, "begin")
    def begin(conn: Connection) -> None:
        """Begin a writing transaction with the write lock, so that it waits for other writers.

        One that reads first could not wait later: SQLite would refuse the write.
        """
        conn.exec_driver_sql("begin immediate" if conn.get_execution_options().get(WRITES) else "begin")

    return engine


class WriteLock:
    """A lock between processes that write to one SQLite file, held during each transaction.

    SQLite itself has a writer wait by sleeping, which takes longer the more there is to write. A free lock is taken,
    and any is given back, without letting go of the interpreter's lock, which the event loop would take in between.
    If the system cannot lock the file, writers wait as SQLite has them wait.
    """

    def __init__(self, path: Path) -> None:
        import fcntl  # there is none on Windows

        self._file = path.open("ab")
        self._number = self._file.fileno()
        self._flock = ctypes.PyDLL(None).flock
        self._wait = functools.partial(fcntl.flock, self._file, fcntl.LOCK_EX)
        self._try, self._free = fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_UN
        self._has_failed = False
        self._waits_since = math.inf
        """When it began to wait for another process (`time.monotonic`); inf if it does not."""

    def seconds_waited(self) -> float:
        """For how long it has waited for another process; negative if it does not."""
        return time.monotonic() - self._waits_since

    def __enter__(self) -> None:
        if self._flock(self._number, self._try) == 0:
            return
        self._waits_since = time.monotonic()
        try:
            self._wait()
        except OSError as error:
            if not self._has_failed:  # once is enough: it may be so at every write
                log.error("the lock between processes fails; SQLite's own is used", why=str(error))
            self._has_failed = True
        finally:
            self._waits_since = math.inf

    def __exit__(self, *error: object) -> None:
        self._flock(self._number, self._free)

    def close(self) -> None:
        self._file.close()


def sole_user(url: str) -> FileLock | None:
    """The lock that lets only one server use a SQLite file; it is released when the process ends, however it ends."""
    if not url.startswith("sqlite:///"):
        return None
    path = url.removeprefix("sqlite:///")
    if not Path(path).parent.is_dir():
        raise BadOption(f"nothing can be kept in {path} (there is no such folder); say where with --db")
    lock = FileLock(path + ".lock", timeout=PATIENCE, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise BadOption(f"another server has its tables in {path}; say another place with --db") from None
    except (OSError, NotImplementedError) as error:
        raise BadOption(f"nothing can be kept in {path} ({error}); say where with --db") from None
    return lock


def files_of(url: str) -> list[Path]:
    """The file of a SQLite database and its write-ahead log."""
    if url.startswith("postgresql") or not can_be_shared(url):
        return []
    file = url.removeprefix("sqlite:///")
    return [Path(file), Path(f"{file}-wal")]


def identity_of(file: bytes) -> bytes | None:
    """What tells a file from another one at the same path, its device and number; None if there is none.

    On Linux it does not let go of the interpreter's lock (as in `WriteLock`): `struct stat` begins with the two.
    """
    if _stat is not None:
        found = ctypes.create_string_buffer(512)
        return None if _stat(file, found) else found.raw[:16]
    try:
        known = os.stat(file)
    except OSError:
        return None
    return b"%d %d" % (known.st_dev, known.st_ino)


def prepare(url: str) -> None:
    """Bring a database up to date, without time limits; BadOption if it cannot be opened."""
    engine = engine_of(url)
    try:
        migrate(engine)
        rename_games(engine, renamed())
    except SQLAlchemyError as error:
        raise BadOption(f"the database cannot be opened: {first_line(error)}") from None
    finally:
        engine.dispose()


def rename_games(engine: Engine, present: Mapping[str, str]) -> None:
    """Give tables and ratings of renamed games the present name."""
    with engine.begin() as conn:
        for former, now in present.items():
            for kept in (tables, ratings):
                conn.execute(kept.update().where(kept.c.game == former).values(game=now))


def migrate(engine: Engine) -> None:
    """Upgrade the database to the newest schema; the check whether it has it is cheap."""
    with engine.connect() as conn:
        if inspect(conn).has_table("alembic_version"):
            found = conn.scalar(text("select version_num from alembic_version"))
            if found == SCHEMA:
                return
            if str(found) > SCHEMA:
                raise BadOption(
                    f"the database was written by a newer version of this program (schema {found}, this one knows "
                    f"{SCHEMA}); use that version, or restore a backup made before"
                )
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with engine.connect() as conn:
        if engine.dialect.name == "postgresql":  # of several processes that start at once, one migrates
            conn.execute(text("select pg_advisory_lock(724417)"))
            conn.commit()
        config.attributes["connection"] = conn
        try:
            command.upgrade(config, "head")
            conn.commit()
        finally:
            if engine.dialect.name == "postgresql":
                conn.execute(text("select pg_advisory_unlock(724417)"))
                conn.commit()

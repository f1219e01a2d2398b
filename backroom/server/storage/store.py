"""The database: people, tables and their journals, in SQLite or PostgreSQL. Acknowledged writes are on disk."""

import asyncio
import contextlib
import ctypes
import functools
import itertools
import json
import math
import os
import queue
import sqlite3
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
import structlog
from filelock import FileLock, Timeout
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    RowMapping,
    String,
    Table,
    Text,
    create_engine,
    event,
    func,
    inspect,
    literal,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError, SQLAlchemyError

from backroom.engine.options import BadOption
from backroom.engine.registry import renamed
from backroom.server import tracing
from backroom.server.clock import now_ms
from backroom.server.errors import Conflict, Unkept
from backroom.server.storage.journal import Entry

log = structlog.get_logger()

SCHEMA = "0004"
"""The newest migration, as the database names it."""
CHANNEL = "backroom"
"""The NOTIFY channel on which processes that share one PostgreSQL announce new entries."""
TIDY, TIDY_BYTES = 0.5, 2_000_000
"""Seconds between checks of SQLite's write-ahead log, and its size in bytes from which it is checkpointed."""
MOST_PAGES = 20_000
"""Pages in the write-ahead log from which the writer itself makes a checkpoint."""
PATIENCE = 3.0
"""Seconds to wait for a server that is stopping to release the lock of its file."""
READERS = 8
"""Threads for reading."""
SOMEBODY = "somebody"
"""Replaces a deleted person's name and id."""
USUAL_RATING = 25.0
"""OpenSkill's rating of a new player."""
FRESH = 1.0
"""Seconds for which a successful write proves that the database can be written."""
PROBE = "probe"
"""The fact that is written to test whether the database can be written."""
UNDONE = "40"
"""The class of PostgreSQL's error codes for deadlocks and the like."""
CANCELED = "57014"
"""PostgreSQL's error code for a statement that was given up."""
OVERTIME = "it took the database too long"
LOCKED_OUT = "another process does not let go of the database"
LOST = "the database's file was moved or deleted"
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
MOST_AT_ONCE = 512
"""Most writes in one transaction."""
LONGEST_WAIT = 3.0
"""Seconds for which writes wait for another process that writes, before they are refused."""
CHECK = 0.5
"""Seconds between two checks whether they do."""
MOST_ROWS = 64
"""Most entries in one statement."""
MANY_ROWS = 500
"""Most entries that a long journal has written or changed in one transaction, and from which no other job shares it."""
WRITES = "backroom_writes"
"""The execution option of connections whose transactions write."""

_stat: Any = getattr(ctypes.PyDLL(None), "stat", None) if sys.platform == "linux" else None

metadata = MetaData()
people = Table(
    "people",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(40), nullable=False),
    Column("kept", String(80), unique=True),  # the case-folded name, once a password protects it
    Column("password", String(200)),
    Column("made", BigInteger, nullable=False),
    Column("look", String(160)),  # the appearance of a protected name, the same for lookalikes in any alphabet
    Index("people_by_look", "look"),
)
ended_sessions = Table(
    "ended_sessions",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("at", BigInteger, nullable=False),
)
tokens = Table(
    "tokens",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("person", String(32), nullable=False, index=True),
    Column("made", BigInteger, nullable=False),
)
tables = Table(
    "tables",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("game", String(40), nullable=False),
    Column("version", Integer, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("options", Text, nullable=False),
    Column("start", Text),
    Column("seed", Text),
    Column("seed_hash", String(64)),
    Column("terms", Text, nullable=False),
    Column("maker", String(32)),
    Column("is_public", Boolean, nullable=False),
    Column("stage", String(10), nullable=False),
    Column("company", Text, nullable=False),  # who sits where, for the lobby
    Column("made", BigInteger, nullable=False),
    Index("tables_in_the_lobby", "is_public", "stage", "made"),
)
entries = Table(
    "entries",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("seat", Integer),
    Column("text", Text, nullable=False),
    Column("who", String(32)),
    Column("key", String(80)),
    sqlite_with_rowid=False,
)
sittings = Table(
    "sittings",
    metadata,
    Column("person", String(32), primary_key=True),
    Column("table_id", String(32), primary_key=True),
)
visits = Table(
    "visits",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("person", String(32), primary_key=True),
    Column("lines", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
)
ratings = Table(
    "ratings",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("who", String(40), primary_key=True),
    Column("name", String(40), nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("at", BigInteger),  # when it last changed
)
results = Table(
    "results",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("who", String(40)),
    Column("name", String(40), nullable=False),
    Column("score", Float, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("mu_before", Float),  # the rating before the game, if it was rated
    Column("mu", Float),  # the rating after the game
    Column("sigma", Float),
    Index("results_by_who", "who", "at"),
)
analyses = Table(
    "analyses",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("found", Text, nullable=False),  # JSON, compressed, in base 64
    Column("at", BigInteger, nullable=False),
)
facts = Table("facts", metadata, Column("name", String(40), primary_key=True), Column("value", Text, nullable=False))


Row = tuple[str, int, int, str, int | None, str, str | None, str | None]
"""A row of `entries`."""


@dataclass(slots=True)
class _Job:
    """One write, and the future of the task that waits for it."""

    work: Callable[[Connection], Any]
    rows: list[Row]
    """Rows of the journal, inserted together with those of other jobs."""
    done: asyncio.Future[Any]
    table: str = ""

    @property
    def is_entries(self) -> bool:
        """Whether it only inserts a few entries, as most moves do."""
        return self.work is _nothing and 0 < len(self.rows) <= MOST_ROWS


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


class Store:
    """The database, with one writer thread that combines many small writes in one transaction."""

    def __init__(self, url: str, write_lock: Path | None = None) -> None:
        """With `write_lock`, other processes use the same SQLite file, and whoever writes holds a lock on that file."""
        self.url = whole_url(url)
        self.is_postgres = self.url.startswith("postgresql")
        self.is_shared = self.is_postgres or write_lock is not None
        """Whether other processes may use the same database."""
        self._lock = None if self.is_shared else sole_user(self.url)
        path = None if self.is_postgres else write_lock
        self._write_lock, self._probe_lock = [None if path is None else WriteLock(path) for _ in ("writer", "prober")]
        self.name = f"{time.time_ns():x}"
        """Identifies this process among others on the same database."""
        prepare(self.url)
        limited = with_time_limits(self.url)
        self.engine = engine_of(limited)
        self.writing = engine_of(limited).execution_options(**{WRITES: True})
        """An engine for transactions that write, with connections of its own, which readers cannot exhaust."""
        self.readers = ThreadPoolExecutor(READERS, "reader")
        self._prober = ThreadPoolExecutor(1, "prober")
        self._probing: asyncio.Future[None] | None = None
        """The probe that is running, shared by all who ask, or the last one."""
        self._writing: Connection | None = None
        self._written = -math.inf
        """When the last write succeeded (`time.monotonic`); -inf after a failure."""
        self._waiting: deque[_Job] = deque()
        """Jobs that the writer has not taken yet."""
        self._slow: list[_Job] = []
        """Jobs that the writer has put aside, because moves come first."""
        self._taking = threading.Lock()
        """Held while jobs are taken from `_waiting` and `_slow`, by the writer or to be refused."""
        self._check: asyncio.TimerHandle | None = None
        self._were_moves = False
        """Whether the last transaction had moves."""
        self._working: _Job | None = None
        """The job whose own work the writer does now."""
        self._is_writing = False
        """Whether the writer was called, or is about to be, and has not reported yet."""
        self._calls: queue.SimpleQueue[bool] = queue.SimpleQueue()
        """Calls for the writer: True to write what waits in one transaction, False to write everything and stop."""
        self._writer = threading.Thread(target=self._write_on, name="writer", daemon=True)
        self._writer.start()
        self.read_now(lambda conn: conn.scalar(select(facts.c.name).limit(1)))  # makes the write-ahead log
        self._files = [os.fsencode(file) for file in _files_of(self.url)]
        self._own = [_identity(file) for file in self._files]
        self._is_lost = False
        """Whether a file was moved or deleted: what is written to it now would be lost when the server stops."""
        self._is_closed = threading.Event()
        self._tidier = threading.Thread(target=self._tidy_on, name="tidier", daemon=True)
        if not self.is_postgres:
            self._tidier.start()

    def close(self) -> None:
        """Write the waiting jobs, and stop."""
        self._calls.put(False)
        self._writer.join()
        if self._writing is not None:
            self._writing.close()
        self.readers.shutdown()
        self._prober.shutdown()
        self._is_closed.set()
        if self._tidier.is_alive():
            self._tidier.join()
        self.engine.dispose()
        self.writing.dispose()
        if self._lock is not None:
            self._lock.release()
        for lock in (self._write_lock, self._probe_lock):
            if lock is not None:
                lock.close()

    # writing

    async def write(self, work: Callable[[Connection], Any]) -> Any:
        """Run `work` in a transaction; returns its result once it is on disk."""
        return await self._have_done(work, [])

    async def append(self, table: str, new: Sequence[Entry], also: Callable[[Connection], Any] | None = None) -> Any:
        """Write numbered entries, all or none, with `also` in the same transaction.

        Returns the result of `also` once everything is on disk. Conflict if another process has written first.
        """
        rows = [
            (table, entry.number, entry.at, entry.kind, entry.seat, entry.text, entry.who, entry.key) for entry in new
        ]
        return await self._have_done(also or _nothing, rows, table)

    async def append_first(self, table: str, new: Sequence[Entry], work: Callable[[Connection], Any]) -> None:
        """Write the first entries of a new table, and `work` at the end, which makes the table known.

        A long journal is written in parts, between which others write. What an interruption leaves of it stays unknown.
        """
        known, last = new[:-MANY_ROWS], new[-MANY_ROWS:]
        for start in range(0, len(known), MANY_ROWS):
            await self.append(table, known[start : start + MANY_ROWS])
        await self.append(table, last, work)

    def waiting(self) -> int:
        """The number of jobs waiting for the writer."""
        return len(self._waiting) + len(self._slow)

    def connections(self) -> int:
        """The number of database connections in use."""
        return sum(engine.pool.checkedout() for engine in (self.engine, self.writing))  # type: ignore[attr-defined]

    async def _have_done(self, work: Callable[[Connection], Any], rows: list[Row], table: str = "") -> Any:
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        self._waiting.append(_Job(work, rows, done, table))
        if not self._is_writing:
            self._is_writing = True
            loop.call_soon(self._calls.put, True)  # after the tasks that are ready now, which may write too
            if self._check is None and self._write_lock is not None:
                self._check = loop.call_later(CHECK, self._check_lock, loop)
        return await done

    def is_locked_out(self) -> bool:
        """Whether another process has held the write lock for so long that it is probably hung."""
        return self._write_lock is not None and self._write_lock.seconds_waited() > LONGEST_WAIT

    def _check_lock(self, loop: asyncio.AbstractEventLoop) -> None:
        """Refuse what waits if this process is locked out. The writer takes jobs only when it has the lock."""
        if self.is_locked_out():
            with self._taking:
                jobs = [*self._slow, *self._waiting]
                self._slow = []
                self._waiting.clear()
            self._done(jobs, [Unkept(LOCKED_OUT)] * len(jobs))
        self._check = loop.call_later(CHECK, self._check_lock, loop) if self._is_writing else None

    def _write_on(self) -> None:
        """The writer thread: at each call, write what waits in one transaction and report it to the event loop.

        A transaction costs the same for one entry as for twenty. So jobs are taken as late as possible: when it is this
        process's turn to write.
        """
        is_called = True
        while is_called or self._waiting or self._slow:
            is_called = is_called and self._calls.get()
            with self._write_lock or contextlib.nullcontext():
                jobs = self._taken()
                found = self._write(jobs) if jobs else []
            if jobs:
                self._report(jobs, found)

    def _taken(self) -> list[_Job]:
        """The jobs of the next transaction: moves, and whatever takes more than one statement in the next one.

        Before each statement this thread waits for the interpreter's lock, and moves should not wait with it.
        """
        with self._taking:
            slow = self._slow
            moves: list[_Job] = []
            while self._waiting and len(moves) < MOST_AT_ONCE:
                job = self._waiting.popleft()
                (moves if job.is_entries else slow).append(job)
            if self._were_moves and slow:
                self._waiting.extendleft(reversed(moves))
                moves = []
            self._were_moves = bool(moves)
            if not moves:
                rows = itertools.accumulate([len(job.rows) for job in slow[: MOST_AT_ONCE - 1]])
                count = 1 + sum(total < MANY_ROWS for total in rows)
                moves, self._slow = slow[:count], slow[count:]
        return sorted(moves, key=lambda job: job.table)  # a fixed order prevents deadlocks

    def _report(self, jobs: list[_Job], found: list[Any]) -> None:
        loop = jobs[0].done.get_loop()
        if loop.is_closed():
            self._is_writing = False
        else:
            loop.call_soon_threadsafe(self._done, jobs, found)

    def _done(self, jobs: list[_Job], found: list[Any]) -> None:
        """Resolve the futures of the jobs of a transaction, and call the writer again if more are waiting."""
        for job, result in zip(jobs, found, strict=True):
            if job.done.cancelled():
                continue
            if isinstance(result, BaseException):
                job.done.set_exception(result)
            else:
                job.done.set_result(result)
        self._is_writing = bool(self._waiting or self._slow)
        if self._is_writing:
            self._calls.put(True)

    def _tidy_on(self) -> None:
        """Watch the SQLite file, and checkpoint its write-ahead log now and then; the writer need not wait for that."""
        was_lost = False
        ahead = self._files[-1]
        while not self._is_closed.wait(TIDY):
            self._is_lost = self._are_files_lost()
            if self._is_lost and not was_lost:
                log.error(LOST, file=os.fsdecode(self._files[0]))
            was_lost = self._is_lost
            try:
                if os.path.exists(ahead) and os.path.getsize(ahead) > TIDY_BYTES:
                    with self.engine.connect() as conn:
                        conn.exec_driver_sql("pragma wal_checkpoint(passive)")
            except (OSError, SQLAlchemyError) as error:
                log.error("the write-ahead log was not checkpointed", why=first_line(error))

    def _are_files_lost(self) -> bool:
        """Whether a file of the database is gone, or another one is in its place."""
        return [_identity(file) for file in self._files] != self._own

    def _write(self, jobs: list[_Job], is_again: bool = False) -> list[Any]:
        """Write a batch and return the result or the error of each job.

        If a batch of several jobs fails, each is tried by itself, unless the database does not work for any of them. A
        batch whose connection was lost is tried again, because that may have happened long before; and one of which a
        job took too long, without that.
        """
        if self._is_lost or self._are_files_lost():
            self._is_lost = True
            return [Unkept(LOST)] * len(jobs)
        try:
            self._working = None
            found = self._write_rows(jobs) if self._are_rows_alone(jobs) else self._write_all(jobs)
        except BaseException as error:
            self._written = -math.inf
            if isinstance(error, DBAPIError) and error.connection_invalidated and not is_again:
                return self._write(jobs, is_again=True)
            slow = self._working
            if len(jobs) > 1 and slow is not None and _is_too_slow(error) and not is_again:
                others = iter(self._write([job for job in jobs if job is not slow], is_again=True))
                return [Unkept(OVERTIME) if job is slow else next(others) for job in jobs]
            if len(jobs) > 1 and not _is_outage(error):
                return [result for job in jobs for result in self._write([job])]
            if isinstance(error, (IntegrityError, sqlite3.IntegrityError)):
                return [Conflict()]
            if isinstance(error, (SQLAlchemyError, sqlite3.Error)) and not isinstance(error, DataError):
                return [Unkept(first_line(error))] * len(jobs)
            return [error]
        self._written = time.monotonic()
        return found

    def _are_rows_alone(self, jobs: list[_Job]) -> bool:
        """Whether one statement can write these jobs, which either all insert entries alone or all do more."""
        return jobs[0].is_entries and sum([len(job.rows) for job in jobs]) <= MOST_ROWS

    def _write_rows(self, jobs: list[_Job]) -> list[Any]:
        """Write a batch with a single statement, which is a transaction by itself.

        Fewer calls are better: after each, this thread waits for the interpreter's lock, which the event loop holds.
        """
        rows = [row for job in jobs for row in job.rows]
        if self.is_postgres:
            told = sorted({f"{self.name} {job.table}" for job in jobs})
            columns = map(list, zip(*rows, strict=True))
            with self._connection().begin():
                self._connection().exec_driver_sql(_TELLING_INSERTION, (*columns, CHANNEL, told))
        else:
            connection: Any = self._connection().connection.driver_connection
            # `execute` would call SQLite once more, for the last row's id.
            connection.executemany(_insertion(len(rows), "?"), [[value for row in rows for value in row]])
        return [None] * len(jobs)

    def _write_all(self, jobs: list[_Job]) -> list[Any]:
        """Write a batch of arbitrary jobs in one transaction."""
        with self._transaction() as conn:
            rows = [row for job in jobs for row in job.rows]
            for start in range(0, len(rows), MOST_ROWS):
                _insert(conn, rows[start : start + MOST_ROWS])
            found = []
            for job in jobs:
                self._working = job
                found.append(job.work(conn))
            self._working = None
            if self.is_postgres and rows:
                told = sorted({job.table for job in jobs if job.rows})
                conn.execute(
                    text("select pg_notify(:channel, :word)"),
                    [{"channel": CHANNEL, "word": f"{self.name} {table}"} for table in told],
                )
        return found

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """A transaction of the writer. With SQLite one connection serves all of them."""
        if self.is_postgres:
            with self.writing.begin() as conn:
                yield conn
            return
        with self._connection().begin():
            yield self._connection()

    def _connection(self) -> Connection:
        """The writer's own connection: to SQLite, or in autocommit mode to PostgreSQL."""
        if self._writing is None:
            self._writing = self.writing.connect()
            if self.is_postgres:
                self._writing.execution_options(isolation_level="AUTOCOMMIT")
        return self._writing

    # reading

    async def read(self, work: Callable[[Connection], Any]) -> Any:
        """Run `work` with a connection in one of the reader threads."""
        with tracing.span("read"):
            return await asyncio.get_running_loop().run_in_executor(self.readers, self.read_now, work)

    def read_now(self, work: Callable[[Connection], Any]) -> Any:
        with self.engine.connect() as conn:
            return work(conn)

    def journal(self, conn: Connection, table: str, since: int = 0) -> list[Entry]:
        """The entries of a table after number `since`."""
        rows = conn.execute(
            select(entries).where(entries.c.table_id == table, entries.c.number > since).order_by(entries.c.number)
        )
        return [Entry(row.kind, row.seat, row.text, row.who, row.key, row.number, row.at) for row in rows]

    async def probe(self) -> None:
        """Test that the database can be written, in a thread and connection of its own; raises if it cannot.

        A recent successful write makes the test unnecessary, and all who ask at the same time share one.
        """
        if self._is_lost:
            raise Unkept(LOST)
        if time.monotonic() - self._written < FRESH:
            return
        if self.is_locked_out():
            raise Unkept(LOCKED_OUT)
        if self._probing is None or self._probing.done():
            self._probing = asyncio.get_running_loop().run_in_executor(self._prober, self._probe)
        await asyncio.shield(self._probing)

    def _probe(self) -> None:
        with self._probe_lock or contextlib.nullcontext(), self.writing.begin() as conn:
            done = conn.execute(update(facts).where(facts.c.name == PROBE).values(value=str(now_ms())))
            if done.rowcount == 0:
                conn.execute(facts.insert().values(name=PROBE, value=str(now_ms())))
        self._written = time.monotonic()

    def fact(self, name: str, make: Callable[[], str]) -> str:
        """A stored fact about the server, made once and then the same for all processes."""
        for _ in range(2):
            found = self.read_now(lambda conn: conn.scalar(select(facts.c.value).where(facts.c.name == name)))
            if found is not None:
                return str(found)
            try:
                with self.writing.begin() as conn:
                    conn.execute(facts.insert().values(name=name, value=make()))
            except IntegrityError:
                continue
        return str(self.read_now(lambda conn: conn.scalar(select(facts.c.value).where(facts.c.name == name))))


COLUMNS = [column.name for column in entries.columns]


@functools.lru_cache(MOST_ROWS)
def _insertion(rows: int, mark: str) -> str:
    """The statement that inserts this number of rows.

    Written by hand because it is the most frequent; a single statement because other threads run between two.
    """
    row = f"({', '.join([mark] * len(COLUMNS))})"
    return f"insert into entries ({', '.join(COLUMNS)}) values {', '.join([row] * rows)}"


_TELLING_INSERTION = f"""
with new as (
    insert into entries ({", ".join(COLUMNS)})
    select * from unnest(%s::text[], %s::int[], %s::bigint[], %s::text[], %s::int[], %s::text[], %s::text[], %s::text[])
)
select pg_notify(%s, word) from unnest(%s::text[]) as word
"""
"""Inserts rows into PostgreSQL, given column by column, and notifies other processes."""


def _insert(conn: Connection, rows: Sequence[Row]) -> None:
    mark = "%s" if conn.dialect.name == "postgresql" else "?"
    conn.exec_driver_sql(_insertion(len(rows), mark), tuple(value for row in rows for value in row))


def append_now(conn: Connection, table: str, entry: Entry) -> None:
    """Insert one more entry within a transaction."""
    _insert(conn, [(table, entry.number, entry.at, entry.kind, entry.seat, entry.text, entry.who, entry.key)])


def _nothing(conn: Connection) -> None:
    """The work of a job that only inserts entries."""


def first_line(error: Exception) -> str:
    """A database's error message without the statement and its values."""
    return str(getattr(error, "orig", None) or error).splitlines()[0]


def _is_outage(error: BaseException) -> bool:
    """Whether a database does not work at all, or not in time, and did not only undo a transaction for another one."""
    is_general = isinstance(error, (OperationalError, sqlite3.OperationalError))
    return is_general and not _code_of(error).startswith(UNDONE)


def _is_too_slow(error: BaseException) -> bool:
    """Whether PostgreSQL has given up a statement after the time that `TIME_LIMITS` allow."""
    return _code_of(error) == CANCELED


def _code_of(error: BaseException) -> str:
    """PostgreSQL's code for an error; empty for any other."""
    return str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")


def engine_of(url: str) -> Engine:
    """The engine for a database, set up so that committed transactions are on disk."""
    if url.startswith("postgresql"):
        try:
            return create_engine(url, pool_size=8, max_overflow=8, pool_pre_ping=True)
        except ImportError:
            raise BadOption("PostgreSQL needs psycopg: pip install 'backroom[postgres]'") from None
    if not url.startswith("sqlite:///"):
        raise BadOption(f"a database is a file or postgresql://…, not {url.split('://')[0]}://…")
    for file in _files_of(url)[:1]:
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


def _files_of(url: str) -> list[Path]:
    """The file of a SQLite database and its write-ahead log."""
    if url.startswith("postgresql") or not can_be_shared(url):
        return []
    file = url.removeprefix("sqlite:///")
    return [Path(file), Path(f"{file}-wal")]


def _identity(file: bytes) -> bytes | None:
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


def lobby(conn: Connection, game: str | None, most: int = 100) -> Sequence[RowMapping]:
    """The public tables that can be joined or watched, newest first."""
    found = select(tables).where(tables.c.is_public, tables.c.stage.in_(("open", "playing")))
    if game:
        found = found.where(tables.c.game == game)
    return conn.execute(found.order_by(tables.c.made.desc()).limit(most)).mappings().all()


def tables_of(conn: Connection, person: str, most: int = 50) -> Sequence[RowMapping]:
    """The tables at which a person has sat: unfinished ones first, each group from the newest."""
    mine = select(sittings.c.table_id).where(sittings.c.person == person)
    found = select(tables).where(tables.c.id.in_(mine) | (tables.c.maker == person))
    return conn.execute(found.order_by(tables.c.stage == "over", tables.c.made.desc()).limit(most)).mappings().all()


def people_at(conn: Connection, ids: Collection[str]) -> set[str]:
    """The people who have sat at any of these tables."""
    return set(conn.scalars(select(sittings.c.person).where(sittings.c.table_id.in_(ids))))


def tried(conn: Connection, person: str, game: str) -> Sequence[RowMapping]:
    """The tables of a game at which a person has sat, oldest first, each with the person's score if there is one."""
    mine = (results.c.table_id == tables.c.id) & (results.c.who == person)
    found = (
        select(tables.c.id, tables.c.options, tables.c.terms, tables.c.stage, results.c.score, results.c.at)
        .join(sittings, (sittings.c.table_id == tables.c.id) & (sittings.c.person == person))
        .outerjoin(results, mine)
        .where(tables.c.game == game)
    )
    return conn.execute(found.order_by(tables.c.made)).mappings().all()


def solvers(conn: Connection, game: str, value: str) -> int:
    """The number of people who have solved a game's task that was requested by this name."""
    asked = tables.c.terms.contains(f'"{value}"', autoescape=True)
    found = (
        select(func.count(results.c.who.distinct()))
        .join(tables, tables.c.id == results.c.table_id)
        .where(tables.c.game == game, asked, results.c.score > 0)
    )
    return conn.scalar(found) or 0


def visit(conn: Connection, table: str, person: str, lines: int, at: int) -> int | None:
    """Record the number of lines of a log that a person has seen; returns the number recorded before."""
    mine = (visits.c.table_id == table) & (visits.c.person == person)
    before: int | None = conn.scalar(select(visits.c.lines).where(mine))
    if before is None:
        conn.execute(visits.insert().values(table_id=table, person=person, lines=lines, at=at))
    elif before != lines:
        conn.execute(visits.update().where(mine).values(lines=lines, at=at))
    return before


def ladder(conn: Connection, game: str, most: int = 100) -> Sequence[RowMapping]:
    """The ratings in a game, by conservative estimate (mu - 3 sigma), best first."""
    worth = ratings.c.mu - 3 * ratings.c.sigma
    return (
        conn.execute(select(ratings).where(ratings.c.game == game).order_by(worth.desc()).limit(most)).mappings().all()
    )


def results_of(conn: Connection, person: str) -> list[dict[str, Any]]:
    """A person's results, oldest first: the game, whether nobody did better, and who else played."""
    mine = conn.execute(
        select(results, tables.c.game, tables.c.seats)
        .join(tables, tables.c.id == results.c.table_id)
        .where(results.c.who == person)
        .order_by(results.c.at)
    ).mappings()
    found = [dict(row) for row in mine]
    of_tables: dict[str, list[Any]] = {}
    ids = [row["table_id"] for row in found]
    for start in range(0, len(ids), MOST_AT_ONCE):
        some = select(results).where(results.c.table_id.in_(ids[start : start + MOST_AT_ONCE]))
        for other in conn.execute(some.order_by(results.c.seat)):
            of_tables.setdefault(other.table_id, []).append(other)
    for row in found:
        all_seats = of_tables[row["table_id"]]
        best = max(other.score for other in all_seats)
        row["is_best"] = row["score"] >= best and (row["seats"] > 1 or row["score"] > 0)
        row["others"] = [(other.name, other.who) for other in all_seats if other.seat != row["seat"]]
    return found


def has_finished(conn: Connection, person: str, game: str) -> bool:
    """Whether a person has a result in this game."""
    mine = (results.c.who == person) & (tables.c.game == game)
    query = select(results.c.table_id).join(tables, tables.c.id == results.c.table_id).where(mine).limit(1)
    return conn.scalar(query) is not None


def ratings_of(conn: Connection, person: str) -> Sequence[RowMapping]:
    """A person's ratings in all games."""
    return conn.execute(select(ratings).where(ratings.c.who == person)).mappings().all()


def rating_of(conn: Connection, game: str, person: str) -> float | None:
    """A person's rating in a game; None if there is none yet."""
    mine = (ratings.c.game == game) & (ratings.c.who == person)
    found: float | None = conn.scalar(select(ratings.c.mu).where(mine))
    return found


def waiting_tables(conn: Connection, game: str, seats: int, since: int) -> list[dict[str, Any]]:
    """The public tables of a game that wait for players, each with the people there and their mean rating."""
    is_open = tables.c.is_public & (tables.c.stage == "open") & (tables.c.game == game) & (tables.c.seats == seats)
    rows = conn.execute(select(tables).where(is_open, tables.c.made >= since).order_by(tables.c.made).limit(100))
    found = [dict(row) for row in rows.mappings()]
    for row in found:
        row["people"] = list(conn.scalars(select(sittings.c.person).where(sittings.c.table_id == row["id"])))
        known = (ratings.c.game == game) & ratings.c.who.in_(row["people"])
        row["rating"] = conn.scalar(select(func.avg(ratings.c.mu)).where(known)) or USUAL_RATING
    return found


async def forget(store: Store, person: str) -> list[str]:
    """Delete a person; returns the ids of the tables at which the person has sat or said something.

    Games without other people are deleted entirely. Of the others the moves stay, without the name and the chat. It is
    done in parts, between which others write; if it is interrupted it can be done again, for the person goes last.
    """
    joined: list[str] = await store.write(functools.partial(_joined, person=person))
    spoken: list[str] = await store.read(functools.partial(_spoken, person=person))
    ids = list(dict.fromkeys(joined + spoken))
    for table in ids:
        forget_entries, last = await store.write(functools.partial(_forget_at, table=table, person=person))
        for start in range(0, last, MANY_ROWS):
            these = (entries.c.table_id == table) & entries.c.number.between(start + 1, start + MANY_ROWS)
            await store.write(functools.partial(forget_entries, these=these, person=person))
    await store.write(functools.partial(_forget_person, person=person))
    return ids


def _joined(conn: Connection, person: str) -> list[str]:
    """The ids of a person's tables. Those that the person only made count as joined from now on."""
    joined = select(sittings.c.table_id).where(sittings.c.person == person)
    made = select(tables.c.id, literal(person)).where(tables.c.maker == person, tables.c.id.not_in(joined))
    conn.execute(sittings.insert().from_select(["table_id", "person"], made))
    return list(conn.scalars(joined))


def _spoken(conn: Connection, person: str) -> list[str]:
    """The ids of the tables where a person has said something; whoever does is noted as a visitor."""
    here = visits.c.table_id == entries.c.table_id
    found = select(entries.c.table_id).join(visits, here).where(visits.c.person == person, entries.c.who == person)
    return list(conn.scalars(found.distinct()))


def _forget_at(conn: Connection, table: str, person: str) -> tuple[Callable[..., None], int]:
    """Delete a table at which nobody else has sat, or remove a person's name from it; its entries remain.

    Returns how they are to be treated, and the number of the last.
    """
    last = conn.scalar(select(func.max(entries.c.number)).where(entries.c.table_id == table)) or 0
    conn.execute(analyses.delete().where(analyses.c.table_id == table))  # it has names
    if people_at(conn, [table]) == {person}:
        for kept in (results, visits):
            conn.execute(kept.delete().where(kept.c.table_id == table))
        conn.execute(tables.delete().where(tables.c.id == table))
        return _delete_entries, last
    sat = (entries.c.table_id == table) & (entries.c.who == person) & (entries.c.kind == "sit")
    names, mine = set(conn.scalars(select(entries.c.text).where(sat))), tables.c.id == table
    company = json.loads(conn.scalar(select(tables.c.company).where(mine)) or "[]")
    company = [SOMEBODY if name in names else name for name in company]
    conn.execute(tables.update().where(mine).values(company=json.dumps(company)))
    conn.execute(tables.update().where(mine, tables.c.maker == person).values(maker=None))
    return _anonymize_entries, last


def _delete_entries(conn: Connection, these: ColumnElement[bool], person: str) -> None:
    conn.execute(entries.delete().where(these))


def _anonymize_entries(conn: Connection, these: ColumnElement[bool], person: str) -> None:
    """Remove a person's name and chat from entries; everything else stays."""
    theirs = these & (entries.c.who == person)
    conn.execute(entries.update().where(theirs, entries.c.kind == "sit").values(text=SOMEBODY))
    conn.execute(entries.update().where(theirs, entries.c.kind == "say").values(text=f"{SOMEBODY}\n…"))
    conn.execute(entries.update().where(theirs).values(who=SOMEBODY))


def _forget_person(conn: Connection, person: str) -> None:
    """Delete everything about a person but tables."""
    for kept, column in ((sittings, sittings.c.person), (visits, visits.c.person), (tokens, tokens.c.person)):
        conn.execute(kept.delete().where(column == person))
    conn.execute(ratings.delete().where(ratings.c.who == person))
    conn.execute(results.update().where(results.c.who == person).values(who=None, name=SOMEBODY))
    conn.execute(people.delete().where(people.c.id == person))


def analysis_of(conn: Connection, table: str) -> str | None:
    """The stored analysis of a game, packed."""
    found: str | None = conn.scalar(select(analyses.c.found).where(analyses.c.table_id == table))
    return found


def keep_analysis(conn: Connection, table: str, found: str, at: int) -> None:
    """Store the analysis of a game, unless there is one already."""
    if analysis_of(conn, table) is None:
        conn.execute(analyses.insert().values(table_id=table, found=found, at=at))

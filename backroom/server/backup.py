"""Backups: a server's whole database as one file, made while it runs; restored into an empty database and verified."""

import gzip
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, Select, Table, func, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError

from backroom import __version__
from backroom.engine.options import BadOption
from backroom.server.clock import now_ms
from backroom.server.storage.database import PRIVATE, engine_of, first_line, migrate, sole_user, whole_url
from backroom.server.storage.journal import Entry
from backroom.server.storage.schema import SCHEMA, entries, facts, metadata, tables
from backroom.server.tables.config import from_columns
from backroom.server.tables.state import TableState

FORMAT = "backroom backup 1"
AT_ONCE = 1000
"""Rows read or written in one batch."""


class Head(msgspec.Struct, forbid_unknown_fields=True):
    """The first line of a backup."""

    format: str
    program: str
    schema: str
    made: int
    rows: dict[str, int]


@dataclass
class Verification:
    """The result of playing all stored games through."""

    tables: int = 0
    lines: int = 0
    wrong: dict[str, str] = field(default_factory=dict)
    """Tables that this program cannot open, and why."""
    old: dict[str, str] = field(default_factory=dict)
    """Tables that can only be read because they were made with other rules, and which rules."""


def backup(db: str, path: Path) -> Head:
    """Write a consistent snapshot of a database to a new file; servers may keep running."""
    url = whole_url(db)
    if not there(url):
        raise BadOption(f"there is no database at {db}")
    if path.exists():
        raise BadOption(f"{path} is there already")
    engine = engine_of(url)
    draft = path.with_name(path.name + ".part")
    try:
        with engine.connect() as conn:
            if engine.dialect.name == "postgresql":
                conn.execute(text("set transaction isolation level repeatable read, read only"))
            if not inspect(conn).has_table("tables"):
                raise BadOption("there are no tables of this program in that database")
            found = str(conn.scalar(text("select version_num from alembic_version")))
            if found != SCHEMA:
                raise BadOption(
                    f"the database has schema {found}, and this program {SCHEMA}; start the server once first"
                )
            rows = {
                str(table.name): conn.scalar(select(func.count()).select_from(rows_of(table).subquery())) or 0
                for table in kept()
            }
            head = Head(FORMAT, __version__, SCHEMA, now_ms(), rows)
            new = os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE), "wb")
            with new, gzip.open(new, "wb", compresslevel=6) as file:
                file.write(msgspec.json.encode(head) + b"\n")
                for table in kept():
                    name, columns = str(table.name), [str(column.name) for column in table.columns]
                    with conn.execution_options(yield_per=AT_ONCE).execute(rows_of(table)) as found_rows:
                        for row in found_rows:
                            file.write(msgspec.json.encode([name, dict(zip(columns, row, strict=True))]) + b"\n")
        draft.rename(path)
        return head
    except FileExistsError:
        raise BadOption(f"{draft} is there already: another backup runs, or did not end") from None
    except (SQLAlchemyError, OSError) as error:
        draft.unlink(missing_ok=True)
        raise BadOption(f"no backup could be made: {first_line(error)}") from None
    finally:
        engine.dispose()


def there(url: str) -> bool:
    """Whether the database exists; opening a SQLite file would create it."""
    return not url.startswith("sqlite:///") or Path(url.removeprefix("sqlite:///")).is_file()


def kept() -> list[Table]:
    """All tables of the database, in a fixed order."""
    return metadata.sorted_tables


def rows_of(table: Table) -> Select[Any]:
    """The rows of a database's table, without entries of which the import was interrupted."""
    found = select(table)
    return found.where(entries.c.table_id.in_(select(tables.c.id))) if table is entries else found


def leftovers(conn: Connection) -> int:
    """The number of entries of interrupted imports, or of imports in progress; they belong to no table."""
    unknown = entries.c.table_id.not_in(select(tables.c.id))
    return conn.scalar(select(func.count()).select_from(entries).where(unknown)) or 0


def read(path: Path) -> Iterator[Any]:
    """The head of a backup, then its rows; BadOption if it is not a backup or is incomplete."""
    try:
        with gzip.open(path, "rb") as file:
            head = msgspec.json.decode(file.readline(), type=Head)
            if head.format != FORMAT:
                raise BadOption(f"{path} is a backup of another kind: {head.format!r}")
            yield head
            counts: Counter[str] = Counter()
            for line in file:
                name, row = msgspec.json.decode(line, type=tuple[str, dict[str, Any]])
                counts[name] += 1
                yield name, row
            if dict(counts) != {name: count for name, count in head.rows.items() if count}:
                raise BadOption(f"{path} is not whole: rows are missing")
    except (msgspec.DecodeError, zlib.error, gzip.BadGzipFile, EOFError, UnicodeDecodeError) as error:
        raise BadOption(f"{path} is no backup, or not whole: {error}") from None
    except OSError as error:
        raise BadOption(f"{path}: {error.strerror or error}") from None


def restore(path: Path, db: str) -> Verification:
    """Restore a backup into an empty database, and verify it by replaying every table."""
    url = whole_url(db)
    parts = read(path)
    head = next(parts)  # before anything is opened, which would create a SQLite file
    if head.schema != SCHEMA:
        raise BadOption(
            f"the backup has schema {head.schema}, and this program {SCHEMA}: restore it with {head.program}"
        )
    lock = sole_user(url)
    engine = engine_of(url)
    try:
        with engine.connect() as conn:
            if inspect(conn).has_table("tables") and conn.scalar(select(tables.c.id).limit(1)) is not None:
                raise BadOption("that database is not empty; restore into a new one")
        migrate(engine)
        with engine.begin() as conn:
            conn.execute(facts.delete())
            _write(conn, parts)
        return verify(engine)
    except SQLAlchemyError as error:
        raise BadOption(f"the backup could not be read back: {first_line(error)}") from None
    finally:
        engine.dispose()
        if lock is not None:
            lock.release()


def _write(conn: Connection, parts: Iterator[Any]) -> None:
    waiting: dict[str, list[dict[str, Any]]] = {}
    for name, row in parts:
        if name not in metadata.tables:
            raise BadOption(f"the backup has a table {name!r}, which this program does not know")
        rows = waiting.setdefault(name, [])
        rows.append(row)
        if len(rows) >= AT_ONCE:
            conn.execute(metadata.tables[name].insert(), waiting.pop(name))
    for name, rows in waiting.items():
        conn.execute(metadata.tables[name].insert(), rows)


def verify(engine: Engine) -> Verification:
    """Replay every table, as a server does that opens it."""
    found = Verification()
    with engine.connect() as conn:
        for row in conn.execute(select(tables).order_by(tables.c.made)).mappings().all():
            found.tables += 1
            try:
                config, journal = from_columns(row), _journal(conn, row["id"])
                if config.is_playable:
                    state = TableState(config)
                    state.apply(journal)
                    found.lines += state.lines
                else:
                    found.old[row["id"]] = f"version {config.version} of {config.game}"
            except Exception as error:  # report a damaged table and go on with the others
                found.wrong[row["id"]] = str(error) or repr(error)
    return found


def _journal(conn: Connection, table: str) -> list[Entry]:
    rows = conn.execute(select(entries).where(entries.c.table_id == table).order_by(entries.c.number)).all()
    for number, row in enumerate(rows, 1):
        if row.number != number:
            raise ValueError(f"entry {number} is missing from its journal")
    return [Entry(row.kind, row.seat, row.text, row.who, row.key, row.number, row.at) for row in rows]

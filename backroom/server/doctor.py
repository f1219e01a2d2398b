"""Diagnosis of a server's database and machine."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, func, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError

from backroom.engine.kernel import mark
from backroom.server.backup import leftovers, there, verify
from backroom.server.clock import now_ms
from backroom.server.storage.database import engine_of, first_line, whole_url
from backroom.server.storage.schema import SCHEMA, entries

LEAST_BYTES = 200_000_000
"""The least free space on the disk of the database, in bytes."""
MOST_MS = 60_000
"""The largest difference between clocks, in milliseconds."""
LEAST_FILES = 4096
"""The least limit of open files; each stream is one."""


class Check(NamedTuple):
    """The result of one check."""

    what: str
    is_well: bool
    says: str


def examine(db: str) -> Iterator[Check]:
    """Run all checks in turn; checks that depend on a failed one are skipped."""
    url = whole_url(db)
    if not there(url):
        yield Check("database", False, f"there is none at {db}")
        return
    engine = engine_of(url)
    try:
        with engine.connect() as conn:
            if not inspect(conn).has_table("alembic_version"):
                yield Check("database", False, "there are no tables of this program in it")
                return
            schema = str(conn.scalar(text("select version_num from alembic_version")))
        yield Check("database", True, engine.dialect.name)
        yield Check("schema", schema == SCHEMA, f"{schema}; this program has {SCHEMA}")
        yield _clock(engine)
        if schema == SCHEMA:
            found = verify(engine)
            yield Check("journals", not found.wrong, f"{found.tables} tables, {found.lines} lines played through")
            if found.old:
                yield Check("older rules", True, f"{len(found.old)} tables can only be read")
            with engine.connect() as conn:
                if count := leftovers(conn):
                    said = f"{count:,} {'entry' if count == 1 else 'entries'} of interrupted imports"
                    yield Check("leftovers", True, said)
            yield from (Check("table", False, f"{table}: {why}") for table, why in found.wrong.items())
    except SQLAlchemyError as error:
        yield Check("database", False, first_line(error))
    finally:
        engine.dispose()
    if url.startswith("sqlite:///"):
        free = shutil.disk_usage(Path(url.removeprefix("sqlite:///")).parent).free
        yield Check("disk", free >= LEAST_BYTES, f"{free // 1_000_000:,} MB free")
    yield from _machine()


def _clock(engine: Engine) -> Check:
    """Check the system clock, by which players' clocks run.

    It must be neither behind the times in the journals nor different from the database's clock.
    """
    with engine.connect() as conn:
        last = conn.scalar(select(func.max(entries.c.at))) or 0
        if engine.dialect.name == "postgresql":
            theirs = conn.scalar(text("select cast(extract(epoch from clock_timestamp()) * 1000 as bigint)")) or 0
        else:
            theirs = now_ms()
    apart = max(last - now_ms(), abs(theirs - now_ms()))
    return Check("clock", apart <= MOST_MS, "goes right" if apart <= MOST_MS else f"{apart / 1000:.0f} seconds apart")


def _machine() -> Iterator[Check]:
    try:
        import resource
    except ImportError:  # Windows
        pass
    else:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        is_enough = most == resource.RLIM_INFINITY or most >= LEAST_FILES
        yield Check("files", is_enough, f"{most} may be open at once")
    compiled = mark("warm")
    is_warm = compiled is not None and compiled.exists()
    yield Check(
        "kernels", True, "compiled" if is_warm else "compiled when the server starts; `backroom warm` does it now"
    )

"""Reading the database in threads, and writing it in one that combines writes. What is acknowledged is on disk."""

import asyncio
import contextlib
import functools
import itertools
import math
import os
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import Connection, select, text, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError, SQLAlchemyError

from backroom.server import tracing
from backroom.server.clock import now_ms
from backroom.server.errors import Conflict, Unkept
from backroom.server.storage.database import (
    WRITES,
    WriteLock,
    engine_of,
    files_of,
    first_line,
    identity_of,
    prepare,
    sole_user,
    whole_url,
    with_time_limits,
)
from backroom.server.storage.journal import Entry
from backroom.server.storage.schema import entries, facts

log = structlog.get_logger()

CHANNEL = "backroom"
"""The NOTIFY channel on which processes that share one PostgreSQL announce new entries."""
TIDY, TIDY_BYTES = 0.5, 2_000_000
"""Seconds between checks of SQLite's write-ahead log, and its size in bytes from which it is checkpointed."""
READERS = 8
"""Threads for reading."""
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
        self._files = [os.fsencode(file) for file in files_of(self.url)]
        self._own = [identity_of(file) for file in self._files]
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
        return [identity_of(file) for file in self._files] != self._own

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

"""Storage: the schema, journals without gaps or duplicates, one server for one file."""

import asyncio
import errno
import fcntl
import functools
import math
import os
import subprocess
import sys
import threading
import time

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from databases import DATABASES, database
from msgspec.structs import replace
from serving import run
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from backroom.engine.options import BadOption
from backroom.engine.registry import renamed
from backroom.server.errors import Conflict, Unkept
from backroom.server.storage import database as database_module
from backroom.server.storage import store as store_module
from backroom.server.storage.database import WriteLock, rename_games, whole_url
from backroom.server.storage.journal import SAY, Entry
from backroom.server.storage.queries import forget
from backroom.server.storage.schema import SCHEMA, facts, metadata, sittings, tables
from backroom.server.storage.store import MANY_ROWS, Store


@pytest.fixture(params=DATABASES)
def store(request, tmp_path):
    with database(request.param, tmp_path) as url:
        found = Store(url)
        yield found
        found.close()


def entry(number, key=None):
    return Entry(SAY, None, f"Ann\n{number}", "ann", key, number, 5)


def test_migrations_lead_to_the_schema_that_the_program_uses(store):
    with store.engine.connect() as conn:
        assert compare_metadata(MigrationContext.configure(conn), metadata) == []
        assert conn.exec_driver_sql("select version_num from alembic_version").scalar() == SCHEMA


def test_a_journal_has_no_number_twice(store):
    async def write():
        await store.append("t", [entry(1, "a"), entry(2)])
        with pytest.raises(Conflict):
            await store.append("t", [entry(2), entry(3)])
        await store.append("u", [entry(1, "a")])
        return store.read_now(lambda conn: store.journal(conn, "t"))

    assert [(e.number, e.key) for e in run(write())] == [(1, "a"), (2, None)]


def test_what_comes_while_another_process_writes_is_one_transaction(tmp_path):
    written = []

    async def write(found, other):
        jobs = []
        with other:
            for n in range(5):
                jobs.append(asyncio.create_task(found.append(f"t{n}", [entry(1)])))
                await asyncio.sleep(0.02)
            assert not any(job.done() for job in jobs)
        await asyncio.gather(*jobs)

    found, other = Store(str(tmp_path / "t.db"), write_lock=tmp_path / "lock"), WriteLock(tmp_path / "lock")
    first = found._write
    found._write = lambda jobs, *more: (written.append(len(jobs)), first(jobs, *more))[1]
    run(write(found, other))
    found.close()
    other.close()
    assert written == [5]


def test_writers_that_always_want_the_lock_get_it_alternately(tmp_path):
    """A writer that has the lock reports what it has written before it wants the lock again."""
    took, start = [], threading.Barrier(2)

    def write(number):
        lock = WriteLock(tmp_path / "lock")
        start.wait()
        for _ in range(60):
            with lock:
                took.append(number)
                time.sleep(0.002)
            time.sleep(0.002)
        lock.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 20 <= sum(took[:60]) <= 40


def test_writes_wait_a_while_for_a_process_that_hangs_with_the_lock_and_are_then_refused(tmp_path, monkeypatch):
    """What was refused is not stored later, and the health check says that nothing can be written."""
    monkeypatch.setattr(store_module, "LONGEST_WAIT", 0.3)
    monkeypatch.setattr(store_module, "CHECK", 0.05)
    found, other = Store(str(tmp_path / "t.db"), write_lock=tmp_path / "lock"), WriteLock(tmp_path / "lock")

    async def write():
        await found.append("t", [entry(1)])
        with other:
            found._written = -math.inf
            health = asyncio.create_task(found.probe())
            for _ in range(2):
                jobs = [found.append("t", [entry(2)]), found.write(lambda conn: conn.execute(facts.delete()))]
                refused = await asyncio.wait_for(asyncio.gather(*jobs, return_exceptions=True), 5)
                assert [type(each) for each in refused] == [Unkept, Unkept]
                with pytest.raises(Unkept):
                    await found.probe()
            assert not health.done()
        await health
        await found.append("t", [entry(2, "kept")])
        return found.read_now(lambda conn: found.journal(conn, "t"))

    assert [each.key for each in run(write())] == [None, "kept"]
    found.close()
    other.close()


def test_without_locks_between_processes_writers_wait_as_sqlite_has_them_wait(tmp_path, monkeypatch, capsys):
    """The file system may have no locks, or the system no more of them: that is logged once, and nothing hangs."""

    def no_lock(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", no_lock)
    stores = [Store(str(tmp_path / "t.db"), write_lock=tmp_path / "lock") for _ in range(2)]
    for found in stores:
        monkeypatch.setattr(found._write_lock, "_flock", lambda *_: -1)

    async def write():
        for n in range(1, 21):
            jobs = [found.append(f"t{place}", [entry(n)]) for place, found in enumerate(stores)]
            await asyncio.wait_for(asyncio.gather(*jobs), 10)
        return stores[0].read_now(lambda conn: [len(stores[0].journal(conn, table)) for table in ("t0", "t1")])

    assert run(write()) == [20, 20]
    for found in stores:
        found.close()
    assert capsys.readouterr().out.count("No locks available") == 2  # once by each


def test_moves_do_not_wait_for_what_takes_many_statements_nor_that_for_ever(store, monkeypatch):
    """Moves first, then the others, even if more moves have come meanwhile. What waits is counted."""
    done, waiting, first = [], [], store._write
    monkeypatch.setattr(store, "_write", lambda jobs: (waiting.append(store.waiting()), first(jobs))[1])

    async def move(n):
        for number in range(1, 6):
            await store.append(f"t{n}", [entry(number)])
            done.append("move")

    async def slow():
        await store.write(lambda conn: conn.execute(select(facts)).all())
        done.append("slow")

    async def write():
        await asyncio.gather(slow(), *(move(n) for n in range(3)))

    run(write())
    assert done[:3] == ["move"] * 3
    assert "slow" in done[3:7]
    assert waiting[0] == 1


def test_moves_come_between_games_that_are_imported_at_once(store):
    done = []

    async def imported(n):
        await store.append(f"i{n}", [entry(number) for number in range(1, 3001)], lambda conn: None)
        done.append("import")

    async def moves():
        for number in range(1, 6):
            await store.append("t", [entry(number)])
            done.append("move")

    async def write():
        await asyncio.gather(*(imported(n) for n in range(6)), moves())

    run(write())
    assert "move" in done[done.index("import") :][:3]  # two of them may share a transaction
    assert done.count("import") == 6


def table_row(name, **values):
    row = {"game": "x", "version": 1, "seats": 1, "options": "{}", "terms": "{}", "is_public": True, "stage": "over"}
    return tables.insert().values(id=name, made=1, **{"company": "[]", **row, **values})


class Transactions:
    """Counts the rows of each transaction, and the writes of other tables between those of one."""

    def __init__(self, store, monkeypatch):
        self.of, self.write = [], store._write
        monkeypatch.setattr(store, "_write", self)

    def __call__(self, jobs, *more):
        self.of.append({job.table: len(job.rows) for job in jobs})
        return self.write(jobs, *more)


def test_a_long_journal_is_written_in_parts_and_its_table_known_at_the_end(store, monkeypatch):
    found, stages = Transactions(store, monkeypatch), []

    def known():
        return store.read_now(lambda conn: conn.scalar(select(tables.c.id)))

    async def moves():
        for number in range(1, 11):
            await store.append("t", [entry(number)])
            stages.append(known())

    async def write():
        first = [entry(number) for number in range(1, 20 * MANY_ROWS + 1)]
        await asyncio.gather(store.append_first("long", first, lambda conn: conn.execute(table_row("long"))), moves())
        return store.read_now(lambda conn: store.journal(conn, "long"))

    assert len(run(write())) == 20 * MANY_ROWS
    assert sum(each.get("long", 0) for each in found.of) == 20 * MANY_ROWS
    assert max(sum(each.values()) for each in found.of) <= MANY_ROWS + 1
    assert stages == [None] * 10
    assert known() == "long"


def test_a_person_is_forgotten_in_parts_and_can_be_again_after_an_interruption(store, monkeypatch):
    first = [replace(entry(number), kind="sit" if number == 1 else "say") for number in range(1, 3 * MANY_ROWS)]

    def people_of(names):
        rows = [{"person": who, "table_id": table} for table, who in names]
        return lambda conn: conn.execute(sittings.insert(), rows)

    async def begin():
        for name in ("alone", "made", "shared"):
            await store.append_first(name, first, lambda conn, name=name: conn.execute(table_row(name, maker="ann")))
        await store.write(people_of([("alone", "ann"), ("shared", "ann"), ("shared", "ben")]))

    def left():
        with store.engine.connect() as conn:
            journals = {name: store.journal(conn, name) for name in ("alone", "made", "shared")}
            return {name: {each.who for each in journal} for name, journal in journals.items() if journal}

    run(begin())
    write, counts = store._write, []

    def interrupted(jobs, *more):
        counts.append(len(jobs))
        return [Unkept("gone")] * len(jobs) if len(counts) == 4 else write(jobs, *more)

    monkeypatch.setattr(store, "_write", interrupted)
    with pytest.raises(Unkept):
        run(forget(store, "ann"))
    assert len(left()) == 3
    assert sorted(run(forget(store, "ann"))) == ["alone", "made", "shared"]
    assert left() == {"shared": {"somebody"}}
    assert store.read_now(lambda conn: conn.scalars(select(sittings.c.person)).all()) == ["ben"]
    assert len(counts) > 10


def test_many_writes_at_once_are_one_transaction_and_a_bad_one_spoils_no_other(store):
    async def write():
        jobs = [store.append(f"t{n}", [entry(1), entry(2)]) for n in range(40)]
        jobs.append(store.append("t0", [entry(2)]))
        found = await asyncio.gather(*jobs, return_exceptions=True)
        return found, store.read_now(lambda conn: [len(store.journal(conn, f"t{n}")) for n in range(40)])

    found, lengths = run(write())
    assert [type(each) for each in found if each is not None] == [Conflict]
    assert lengths == [2] * 40


@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_a_writer_that_has_lost_its_connection_opens_another(store):
    others = "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> %s"

    async def write():
        await store.append("t", [entry(1)])
        with store.engine.connect() as conn:
            mine = conn.connection.driver_connection.info.backend_pid
            conn.exec_driver_sql(others, (mine,))
        await store.append("t", [entry(2)])
        return store.read_now(lambda conn: store.journal(conn, "t"))

    assert [e.number for e in run(write())] == [1, 2]


@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_a_statement_that_hangs_is_refused_in_time(store, monkeypatch):
    """Somebody else may hold a lock for ever, in this test on all entries."""
    monkeypatch.setitem(database_module.TIME_LIMITS, "options", "-cstatement_timeout=300")
    quick = Store(store.url)
    start = time.monotonic()

    async def write():
        found = await asyncio.gather(*(quick.append(f"t{n}", [entry(1)]) for n in range(40)), return_exceptions=True)
        assert {type(each) for each in found} == {Unkept}
        assert time.monotonic() - start < 40 * 0.3 / 2  # they do not wait one after the other
        with pytest.raises(OperationalError):
            await quick.read(lambda conn: conn.exec_driver_sql("select pg_sleep(60)"))

    with store.engine.begin() as conn:
        conn.exec_driver_sql("lock table entries in exclusive mode")
        run(write())
    run(quick.append("t", [entry(1)]))
    quick.close()


@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
@pytest.mark.parametrize("is_only_one", [True, False])
def test_a_slow_statement_is_refused_alone_unless_all_are_slow(store, monkeypatch, is_only_one):
    monkeypatch.setitem(database_module.TIME_LIMITS, "options", "-cstatement_timeout=300")
    quick = Store(store.url)
    start = time.monotonic()

    def work(number, conn):
        conn.exec_driver_sql("select pg_sleep(%s)", (60 if number == 5 or not is_only_one else 0,))

    async def write():
        jobs = [quick.append(f"t{n}", [entry(1)], functools.partial(work, n)) for n in range(40)]
        return await asyncio.gather(*jobs, return_exceptions=True)

    found = run(write())
    slow = [5] if is_only_one else list(range(40))
    assert [n for n, each in enumerate(found) if isinstance(each, Unkept)] == slow
    with store.engine.connect() as conn:
        kept = {f"t{n}" for n in range(40) if store.journal(conn, f"t{n}")}
    assert kept == {f"t{n}" for n in range(40) if n not in slow}
    assert time.monotonic() - start < 40 * 0.3 / 2 or is_only_one  # they do not wait one after the other
    quick.close()


def test_a_new_file_is_for_its_owner_alone(tmp_path):
    before = os.umask(0o022)
    try:
        store = Store(str(tmp_path / "t.db"))
        run(store.append("t", [entry(1)]))
        modes = [(tmp_path / f"t.db{ending}").stat().st_mode & 0o777 for ending in ("", "-wal", "-shm")]
        assert modes == [0o600] * 3
        store.close()
    finally:
        os.umask(before)


def test_what_a_full_disk_refuses_is_not_acknowledged_and_not_kept(tmp_path):
    store = Store(str(tmp_path / "full.db"))

    async def write():
        limit = "pragma max_page_count"
        pages = await store.write(lambda conn: conn.exec_driver_sql("pragma page_count").scalar())
        await store.write(lambda conn: conn.exec_driver_sql(f"{limit} = {pages}").scalar())
        long = Entry(SAY, None, "x" * 100_000, "ann", None, 1, 5)
        with pytest.raises(Unkept):
            await store.append("t", [long])
        await store.write(lambda conn: conn.exec_driver_sql(f"{limit} = {pages + 100}").scalar())
        await store.append("t", [entry(1)])
        return store.read_now(lambda conn: store.journal(conn, "t"))

    assert [e.text for e in run(write())] == ["Ann\n1"]
    store.close()


def test_a_write_that_reads_first_is_kept_beside_a_probe(store):
    """SQLite refuses at once to write in a transaction that has read what another has changed since."""

    def work(conn):
        found = conn.scalar(select(facts.c.value).where(facts.c.name == "secret"))
        probing.start()
        probing.join(0.2)
        conn.execute(facts.insert().values(name="written", value="x"))
        return found

    probing = threading.Thread(target=store._probe)
    run(store.probe())
    run(store.write(work))
    probing.join()
    assert store.fact("written", lambda: "y") == "x"


def test_facts_are_made_once(store):
    assert store.fact("x", lambda: "first") == store.fact("x", lambda: "second") == "first"


def test_databases_as_people_write_them(tmp_path):
    assert whole_url("postgresql://a@b/c") == "postgresql+psycopg://a@b/c"
    assert whole_url(str(tmp_path / "x.db")) == f"sqlite:///{tmp_path / 'x.db'}"
    with pytest.raises(BadOption, match="nothing can be kept"):
        Store(str(tmp_path / "no" / "where.db"))


def test_one_file_has_one_server(tmp_path):
    first = Store(str(tmp_path / "t.db"))
    words = [sys.executable, "-m", "backroom", "serve", "--port", "0", "--db", str(tmp_path / "t.db")]
    second = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    first.close()
    assert second.returncode == 2
    assert "another server has its tables in" in second.stderr
    assert "Traceback" not in second.stderr


def test_tables_of_a_renamed_game_get_its_present_name(store):
    former, now = next(iter(renamed().items()))
    with store.engine.begin() as conn:
        conn.execute(table_row("old", game=former))
        conn.execute(table_row("other", game="something"))
    rename_games(store.engine, renamed())
    with store.engine.connect() as conn:
        found = {row.id: row.game for row in conn.execute(select(tables.c.id, tables.c.game))}
    assert found == {"old": now, "other": "something"}

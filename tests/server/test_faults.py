"""Duplicates, bad rows, lost databases, ended sessions: each fault affects only what it happened to."""

import asyncio
import contextlib
import gc
import math
import random
import re
import socket
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from msgspec.structs import replace
from serving import TOY, Clock, Guest, news, person_of, served, toy_game, until, with_toy
from sqlalchemy import delete, select, text, update
from sqlalchemy.exc import OperationalError

import backroom
from backroom.engine.options import BadOption
from backroom.server.errors import Conflict, Unkept
from backroom.server.http import solo
from backroom.server.http.app import PROBE_SECONDS
from backroom.server.people.names import clean, folded, skeleton
from backroom.server.storage.schema import entries, tables
from backroom.server.storage.store import FRESH, READERS, Store
from backroom.server.tables import live as live_module
from backroom.server.tables import state as state_module
from backroom.server.tables.config import Terms, config
from backroom.server.tables.live import TRIES
from backroom.server.tables.state import TableState


def do_to(server, statement):
    """Change the database behind the server's back."""
    server.do(server.services.store.write(lambda conn: conn.execute(statement)))


def forget(server):
    """No table is in memory any more."""

    async def sweep():
        server.services.tables.sweep(0)

    server.do(sweep())


def alone(server, name="Ann"):
    ann = Guest.program(server.url, name)
    made = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "rated": False})
    ben = Guest.program(server.url, "Ben")
    table = made.json()["table"]
    assert ben.web.post(f"/api/tables/{table}/seats", json={}).status_code == 200
    return table, ann, ben


# doubles


def test_the_same_move_at_once_without_a_key_is_played_once(server):
    """The number of a question prevents duplicates: it changes with every answer, even if the moves stay the same."""
    table, *guests = alone(server)
    for _ in range(12):
        guest = next((each for each in guests if each.decision(table)["asked"]), None)
        if guest is None:
            break
        now = guest.decision(table)
        name, lines = now["moves"][0]["name"], server.live(table).state.lines
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda _, g=guest, n=now, m=name: g.move(table, m, n["ask"]).status_code, range(6)))
        mine = [line for line in server.live(table).state.table.lines[lines:] if line.seat == now["seat"]]
        assert found.count(200) == len(mine) == 1, found


def test_a_number_is_new_after_every_answer():
    """In every game, even if the same moves are open after an answer as before it, as with doubles."""
    are_alike = 0
    for name in backroom.names():
        rng, seats = random.Random(1), min(backroom.game(name).seats)
        made = config(name, seats, {}, Terms(), is_public=False, maker="p", made=0)
        state = TableState(made)
        state.apply(replace(entry, number=n) for n, entry in enumerate(state.begun(), 1))
        for _ in range(60):
            seat = next(iter(state.asked), None)
            if seat is None:
                break
            before, ask = state.moves(seat), state.asks[seat]
            drafts = state.move_entries(seat, rng.choice(state.table.moves(seat)))
            state.apply(replace(entry, number=state.number + n) for n, entry in enumerate(drafts, 1))
            assert state.asks[seat] != ask, name
            are_alike += seat in state.asked and state.moves(seat) == before
    assert are_alike, "nothing was tested"


def test_a_claim_out_of_turn_needs_a_key(server):
    table, ann, ben = alone(server)
    for guest in (ann, ben):
        answer = guest.move(table, "anything")
        assert answer.status_code == 422
        assert "key" in answer.json()["why"]


def test_an_old_key_is_answered(server):
    table, ann, ben = alone(server)
    guest = next(each for each in (ann, ben) if each.decision(table)["asked"])
    now = guest.decision(table)
    assert guest.move(table, now["moves"][0]["name"], now["ask"], "old").status_code == 200
    lines = server.live(table).state.lines
    for is_reloaded in (False, True):
        if is_reloaded:
            server.live(table).state = None
        answer = guest.move(table, now["moves"][0]["name"], now["ask"], "old")
        assert (answer.status_code, server.live(table).state.lines) == (200, lines)


def test_an_old_key_for_another_question_is_refused(server):
    """It was answered as if the move had been played, to a program that takes the same key for every move."""
    table, ann, ben = alone(server)
    for _ in range(6):
        guest = next((each for each in (ann, ben) if each.decision(table)["asked"]), None)
        assert guest is not None
        now, lines = guest.decision(table), server.live(table).state.lines
        answer = guest.move(table, now["moves"][0]["name"], now["ask"], "1")
        if answer.status_code == 409:
            break
        assert server.live(table).state.lines > lines
    assert answer.json()["code"] == "used-key"
    assert server.live(table).state.lines == lines
    assert guest.move(table, now["moves"][0]["name"], now["ask"], "2").status_code == 200


def test_a_key_that_only_looks_like_another_is_played(server, monkeypatch):
    """The table keeps a digest of each key; the journal decides."""
    monkeypatch.setattr(state_module, "digest_of_key", lambda key: b"12345678")
    table, ann, ben = alone(server)
    lines = server.live(table).state.lines
    for key in ("one", "two"):
        guest = next(each for each in (ann, ben) if each.decision(table)["asked"])
        now = guest.decision(table)
        assert guest.move(table, now["moves"][0]["name"], now["ask"], key).status_code == 200
    assert server.live(table).state.lines >= lines + 2


def test_a_rematch_is_made_once(server):
    ann, ben = server.guest("Ann"), server.guest("Ben")
    table = ann.make(TOY, seats=2, **{"seat-1": "random"})
    assert ann.do(table, "resign").json()["ok"]
    before = all_tables(server)
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda guest: guest.do(table, "rematch").json()["table"], [ann, ben] * 3))
    assert all_tables(server) - before == set(found)
    assert len(set(found)) == 1


def all_tables(server):
    """The ids of all tables in the database."""
    return set(server.services.store.read_now(lambda conn: conn.scalars(select(tables.c.id)).all()))


# bad rows and journals

NO_TEXT = text("cast(x'ff' as text)")
"""Bytes that are no text, in a column for text."""


def test_a_bad_row_is_left_out_of_the_lobby(server):
    ann = server.guest("Ann")
    bad, good = ann.make(TOY, seats=2, public="yes"), ann.make(TOY, seats=2, public="yes")
    ann_herself = server.do(person_of(server, ann))
    for values in (
        {"company": "{"},
        {"seats": "x"},
        {"seats": 10**11},
        {"company": NO_TEXT},
        {"options": "[]"},
        {"terms": "?"},
        {"made": "x"},
    ):
        do_to(server, update(tables).where(tables.c.id == bad).values(**values))
        before = counted(ann)
        for guest in (ann.web, server.guest("Ben").web):
            answer = guest.get("/")
            assert answer.status_code == 200
            assert good in answer.text
            assert guest.post(f"/find/{TOY}").status_code == 303
        listed = ann.web.get("/api/tables")
        assert good in listed.text
        assert counted(ann) >= before + 3
    assert [row["id"] for row in server.do(solo.rows_of(server.services, ann_herself, toy_game()))] != []
    assert bad not in [row["id"] for row in server.do(solo.rows_of(server.services, ann_herself, toy_game()))]
    forget(server)
    answer = ann.web.get(f"/tables/{bad}")
    assert answer.status_code == 410
    assert "cannot be opened" in answer.json()["why"]


def counted(guest):
    """How often a table could not be read, by the metrics."""
    return float(re.search(r"(?m)^backroom_bad_tables_total (\S+)", guest.web.get("/metrics").text)[1])


def entry_of(table, number):
    return (entries.c.table_id == table) & (entries.c.number == number)


@pytest.mark.parametrize(("harm", "why"), [
    (lambda table: delete(entries).where(entry_of(table, 2)), "entry 2 is missing"),
    (lambda table: update(entries).where(entry_of(table, 4)).values(text="x"), "x"),
    (lambda table: update(entries).where(entry_of(table, 1)).values(kind="?"), "damaged"),
    (lambda table: update(entries).where(entry_of(table, 1)).values(seat=99), "damaged"),
    (lambda table: update(entries).where(entry_of(table, 4)).values(text=NO_TEXT), "\ufffd"),
], ids=range(5))  # fmt: skip
def test_a_table_that_cannot_be_loaded_says_why(server, harm, why):
    ann = server.guest("Ann")
    table = ann.make(TOY, seats=2, **{"seat-1": "random"})
    server.rested(table)
    do_to(server, harm(table))
    forget(server)
    for path in ("", "/log", "/replay", "/scene"):
        answer = ann.web.get(f"/tables/{table}{path}")
        assert answer.status_code == 410, path
        assert why in answer.json()["why"] or "cannot play" in answer.json()["why"], answer.json()
    assert ann.move(table, "x", 1).status_code == 410
    assert ann.web.get("/").status_code == 200


# the database


def test_a_lost_database_is_503_at_every_door(server, monkeypatch):
    ann = server.guest("Lost Ann")
    program = Guest.program(server.url, "Lost Ben")
    table = ann.make(TOY, seats=2)
    program.decision(table)

    def lost(work):
        raise OperationalError("select", {}, Exception("gone"))

    monkeypatch.setattr(server.services.store, "read_now", lost)
    for answer in (
        ann.web.get("/"),
        ann.web.get("/tables/other"),
        program.web.get("/api/tables"),
        program.move("other", "x", 1),
        ann.web.get("/", headers={"accept": "text/html"}),
    ):
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"


def test_nothing_is_acknowledged_while_the_database_s_file_is_gone(tmp_path):
    """The server has it open still, but whatever it writes there is lost when it stops."""
    with with_toy(), served(tmp_path / "t.db") as server:
        ann = server.guest("Ann")
        table = ann.make(TOY, **{"seat-1": "random"})
        for _ in range(2):
            assert ann.web.get("/healthz").status_code == 200
            (tmp_path / "t.db").rename(tmp_path / "away.db")
            answer = ann.do(table, "say", text="Hello")
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            assert ann.web.get("/healthz").status_code == 503
            (tmp_path / "away.db").rename(tmp_path / "t.db")
            until(lambda: ann.web.get("/healthz").status_code == 200)
            assert ann.do(table, "say", text="Hello").status_code == 200
            (tmp_path / "t.db").rename(tmp_path / "away.db")  # and another in its place
            (tmp_path / "t.db").write_bytes((tmp_path / "away.db").read_bytes())
            assert ann.do(table, "say", text="Hello").status_code == 503
            (tmp_path / "away.db").replace(tmp_path / "t.db")
            until(lambda: ann.web.get("/healthz").status_code == 200)
        (tmp_path / "t.db-wal").unlink()
        assert ann.do(table, "say", text="Hello").status_code == 503
        assert ann.web.get("/healthz").status_code == 503


class Failing:
    """A database that only takes new tables, until it is repaired."""

    def __init__(self, store, monkeypatch, why=None):
        self.why, self.write = why or Unkept("gone"), store._write
        self.refused, self.is_broken = 0, True
        monkeypatch.setattr(store, "_write", self)
        monkeypatch.setattr(live_module, "AGAIN", 0.05)

    def __call__(self, jobs, *more):
        if not self.is_broken or not any(job.rows and job.rows[0][1] > 1 for job in jobs):
            return self.write(jobs, *more)
        self.refused += len(jobs)
        return [self.why] * len(jobs)


@pytest.mark.parametrize("why", [Unkept("gone"), Conflict()], ids=["failed", "busy"])
def test_bots_go_on_once_the_database_works_again(server, monkeypatch, why):
    """Nobody needs to ask for their table; `Conflict` stands for other processes that are always faster."""
    ann = Guest.program(server.url, "Ann")
    failing = Failing(server.services.store, monkeypatch, why)
    made = {"game": TOY, "seats": 2, "sit": None, "bots": {0: "random", 1: "random"}}
    live = server.services.tables.live[ann.web.post("/api/tables", json=made).json()["table"]]
    until(lambda: failing.refused > 2 * TRIES)
    failing.is_broken = False
    until(lambda: live.state is not None and live.state.stage == "over")


def test_clocks_go_on_once_the_database_works_again(toy, tmp_path, monkeypatch):
    clock = Clock()
    with served(tmp_path / "t.db", now=clock) as server:
        ann, ben = server.guest("Ann"), server.guest("Ben")
        table = ann.make(TOY, seats=2, clock="bank", minutes=1, out="bot")
        assert ben.do(table, "sit").json()["ok"]
        live = server.live(table)
        failing = Failing(server.services.store, monkeypatch)
        lines = live.state.lines
        clock.go(100)
        server.do(live.tick())
        until(lambda: failing.refused > 2)
        failing.is_broken = False
        until(lambda: live.state is not None and live.state.lines > lines)


def test_streams_are_closed_when_a_write_fails(server, monkeypatch):
    """Their readers would hear nothing more; so they reconnect."""
    table, ann, ben = alone(server)
    with ann.listening(table, api=True) as messages:
        news(messages)
        live, failing = server.live(table), Failing(server.services.store, monkeypatch)
        guest = next(each for each in (ann, ben) if each.decision(table)["asked"])
        now = guest.decision(table)
        assert guest.move(table, now["moves"][0]["name"], now["ask"], "once").status_code == 503
        assert not live.audiences
        failing.is_broken = False
    with ann.listening(table, api=True) as messages:
        news(messages)
        assert guest.move(table, now["moves"][0]["name"], now["ask"], "once").status_code == 200
        assert news(messages)["lines"]


def test_streams_are_closed_when_what_others_have_written_cannot_be_read(server, monkeypatch):
    table, ann, _ = alone(server)
    with ann.listening(table, api=True) as messages:
        news(messages)
        live, store = server.live(table), server.services.store
        monkeypatch.setattr(live_module, "AGAIN", 0.05)

        def lost(*_):
            raise OperationalError("select", {}, Exception("gone"))

        monkeypatch.setattr(store, "journal", lost)
        server.do(live.follow())
        assert not live.audiences
        monkeypatch.undo()
        until(lambda: live.state is not None)


def test_health_is_a_write_by_a_thread_of_its_own(server, monkeypatch):
    store = server.services.store
    monkeypatch.setattr(store, "_written", -math.inf)  # nothing was written lately
    assert httpx.get(f"{server.url}/healthz").text == "well\n"
    assert httpx.get(f"{server.url}/readyz").status_code == 200
    monkeypatch.setattr(server.services, "is_draining", True)
    assert httpx.get(f"{server.url}/readyz").status_code == 503
    assert httpx.get(f"{server.url}/healthz").status_code == 200

    def lost():
        raise OperationalError("update", {}, Exception("disk full"))

    monkeypatch.setattr(store, "_probe", lost)
    monkeypatch.setattr(store, "_written", -math.inf)
    assert httpx.get(f"{server.url}/healthz").status_code == 503
    server.guest("Ann")  # what was written just now shows that something can be
    assert httpx.get(f"{server.url}/healthz").status_code == 200
    monkeypatch.setattr(store, "_written", store._written - 2 * FRESH)
    assert httpx.get(f"{server.url}/healthz").status_code == 503


def test_health_does_not_wait_for_readers(server, monkeypatch):
    store, are_free = server.services.store, threading.Event()
    busy = [store.readers.submit(are_free.wait, 60) for _ in range(2 * READERS)]
    try:
        monkeypatch.setattr(store, "_written", -math.inf)
        assert httpx.get(f"{server.url}/healthz", timeout=PROBE_SECONDS - 1).status_code == 200
    finally:
        are_free.set()
    assert all(each.result() for each in busy)


def test_health_needs_no_connection_that_readers_take(server, monkeypatch):
    store = server.services.store
    pool = store.engine.pool
    with contextlib.ExitStack() as stack:
        for _ in range(pool.size() + pool._max_overflow - pool.checkedout()):
            stack.enter_context(store.engine.connect())
        monkeypatch.setattr(store, "_written", -math.inf)
        assert httpx.get(f"{server.url}/healthz", timeout=PROBE_SECONDS - 1).status_code == 200


def test_one_probe_answers_all_who_ask(server, monkeypatch):
    """Otherwise a few hundred requests a second for it would keep the others waiting."""
    store, probes = server.services.store, []
    probe = store._probe

    def slow():
        probes.append(time.sleep(0.1))
        probe()

    async def ask():
        store._written = -math.inf
        await asyncio.gather(*(store.probe() for _ in range(50)))
        await store.probe()

    monkeypatch.setattr(store, "_probe", slow)
    server.do(ask())
    assert len(probes) == 1


def test_a_newer_database_is_refused_in_a_sentence(tmp_path):
    store = Store(str(tmp_path / "t.db"))
    with store.engine.begin() as conn:
        conn.exec_driver_sql("update alembic_version set version_num = '9999'")
    store.close()
    with pytest.raises(BadOption, match="written by a newer version"):
        Store(str(tmp_path / "t.db"))


# people


def test_log_out_ends_the_session_on_the_server(server):
    ann = server.guest("Ann Out")
    copied = httpx.Client(base_url=server.url, cookies=dict(ann.web.cookies))
    assert "Ann Out" in copied.get("/me").text
    ann.web.post("/me", data={"what": "log out"})
    assert "Come in</h1>" in copied.get("/me").text
    copied.close()


def test_other_sessions_go_on(server):
    ann = server.guest("Ann Two")
    ann.web.post("/me", data={"what": "keep", "password": "long enough"})
    other = httpx.Client(base_url=server.url)
    other.post("/me", data={"what": "log in", "name": "Ann Two", "password": "long enough"})
    ann.web.post("/me", data={"what": "log out"})
    assert "Ann Two" in other.get("/me").text
    other.close()


def test_tokens_can_be_listed_and_revoked(server):
    ann = server.guest("Ann Tokens")
    tokens = [
        re.search(r"<code>([\w-]{20,})</code>", ann.web.post("/me", data={"what": "token"}).text)[1] for _ in "ab"
    ]
    listed = re.findall(r'name="token" value="(\w+)"', ann.web.get("/me").text)
    assert len(listed) == 2

    def codes():
        return [
            httpx.get(f"{server.url}/api/tables/x/decision", headers={"authorization": f"Bearer {token}"}).status_code
            for token in tokens
        ]

    assert codes() == [404, 404]
    server.guest("Not Ann").web.post("/me", data={"what": "revoke", "token": listed[0]})
    assert codes() == [404, 404]
    for wrong in ("", "%", listed[0][:3]):
        ann.web.post("/me", data={"what": "revoke", "token": wrong})
    assert codes() == [404, 404]
    ann.web.post("/me", data={"what": "revoke", "token": listed[0]})
    assert sorted(codes()) == [401, 404]


def test_a_new_password_needs_the_old_one(server):
    ann = server.guest("Ann Again")
    assert ann.web.post("/me", data={"what": "keep", "password": "first word"}).status_code == 303
    assert ann.web.post("/me", data={"what": "keep", "password": "second word"}).status_code == 422
    changed = {"what": "keep", "password": "second word", "old": "first word"}
    assert ann.web.post("/me", data=changed).status_code == 303
    assert (
        ann.web.post("/me", data={"what": "log in", "name": "Ann Again", "password": "second word"}).status_code == 303
    )


def test_a_new_password_ends_all_other_sessions(server):
    ann, copied, elsewhere = (httpx.Client(base_url=server.url, timeout=30) for _ in range(3))
    with ann, copied, elsewhere:

        def who_is_in():
            return ["Ann Anew" in browser.get("/me").text for browser in (ann, copied, elsewhere)]

        ann.post("/me", data={"what": "guest", "guest": "Ann Anew"})
        copied.cookies.update(ann.cookies)
        assert who_is_in() == [True, True, False]
        assert ann.post("/me", data={"what": "keep", "password": "first word"}).status_code == 303
        assert who_is_in() == [True, False, False]
        elsewhere.post("/me", data={"what": "log in", "name": "Ann Anew", "password": "first word"})
        assert who_is_in() == [True, False, True]
        assert ann.post("/me", data={"what": "keep", "password": "second one", "old": "first word"}).status_code == 303
        assert who_is_in() == [True, False, False]


def test_a_cookie_of_an_earlier_version_is_valid_until_the_next_new_password(server):
    ann = server.guest("Ann Early")
    who = server.do(person_of(server, ann)).id
    early = [server.services.people.signer.dumps(said) for said in (who, [who, "x"])]

    def are_in():
        return [server.do(server.services.people.by_cookie(cookie)) is not None for cookie in early]

    assert are_in() == [True, True]
    for old, new in (("", "first word"), ("first word", "second one")):
        ann.web.post("/me", data={"what": "keep", "password": new, "old": old})
        assert are_in() == [False, False]


def test_names_that_look_like_kept_ones_are_refused(server):
    ann = server.guest("Modern Al")
    ann.web.post("/me", data={"what": "keep", "password": "long enough"})
    for name in ("Mоdern Al", "Modern A1", "Modern AI", "Modem Al", "МODERN AL"):
        assert folded(name) != folded("Modern Al") or name == "МODERN AL"
        answer = httpx.post(f"{server.url}/me", data={"what": "guest", "guest": name})
        assert "kept by somebody" in answer.text, name
    assert httpx.post(f"{server.url}/me", data={"what": "guest", "guest": "Modern Bo"}).status_code == 303


def test_look_alikes():
    assert skeleton("Аnn") == skeleton("Ann") == skeleton("ann")  # the first is Cyrillic
    assert skeleton("pаypаl") == skeleton("paypal")
    assert skeleton("Ann") != skeleton("Anna")
    assert clean("Анна") == "Анна"  # a name of one alphabet is nobody's look-alike


def test_an_older_database_is_brought_up_to_date(tmp_path):
    """A database with the first schema: people's names get their look-alike keys."""
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import create_engine

    path = tmp_path / "t.db"
    config = Config()
    folder = Store.__module__.rsplit(".", 1)[0].replace(".", "/")
    config.set_main_option("script_location", f"{folder}/migrations")
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as conn:
        config.attributes["connection"] = conn
        command.upgrade(config, "0001")
        conn.exec_driver_sql("insert into people values ('a', 'Modern Al', 'modern al', 'x', 1)")
        conn.commit()
    engine.dispose()
    with served(path) as server:
        answer = httpx.post(f"{server.url}/me", data={"what": "guest", "guest": "Modern A1"})
        assert "kept by somebody" in answer.text


def test_who_was_at_a_table_elsewhere_is_forgotten_with_it(server):
    ann, tables = server.guest("Ann"), server.services.tables

    async def hear(table, forget):
        tables.hear(f"other {table} someone")
        assert tables.elsewhere(table) == {"someone"}
        tables.live[table].bots.task = None
        forget(table)
        assert table not in tables._away

    for forget in (lambda table: tables.sweep(0), tables.reread):
        table = ann.make(TOY, seats=2)
        server.rested(table)
        server.do(hear(table, forget))


def test_a_table_that_leaves_memory_during_a_request_is_not_kept_twice(server):
    """A request that comes in slowly may find that its table has left memory and come back in another's hands."""
    ann = server.guest()
    table = ann.make(TOY)
    host, port = server.url.removeprefix("http://").split(":")
    body = b'{"text": "slowly"}'
    head = f"POST /tables/{table}/say HTTP/1.1\r\nhost: {host}:{port}\r\n"
    head += f"cookie: backroom={ann.web.cookies['backroom']}\r\n"
    head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    with contextlib.closing(socket.create_connection((host, int(port)), 20)) as slow:
        slow.sendall(head.encode() + body[:3])
        first = server.live(table)
        until(lambda: server.services.limits.buckets.get(("say", first.state.chairs[0].owner)))
        forget(server)
        with ann.listening(table) as messages:
            news(messages)
            slow.sendall(body[3:])
            status = int(slow.recv(65536).split()[1])
            if status == 200:
                assert news(messages)["notes"][0]["text"] == "slowly"
            else:
                assert status == 503
    assert server.live(table) is not first


def test_a_table_that_leaves_memory_leaves_nothing_behind(server):
    """A table is freed without the garbage collector, although it and its bots refer to each other."""
    ann = server.guest("Ann")
    table = ann.make(TOY, seats=2)
    with ann.listening(table) as messages:
        news(messages)
    live = server.live(table)
    held = [weakref.ref(audience) for audience in live.audiences.values()] + [weakref.ref(live.state)]
    del live

    async def sweep():
        while table in server.services.tables.live:  # until the stream is closed
            await asyncio.sleep(0.01)
            server.services.tables.sweep(0)

    gc.disable()
    try:
        server.do(sweep())
        assert held
        assert not [each for each in held if each() is not None]
    finally:
        gc.enable()

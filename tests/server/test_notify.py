"""Two servers on one database: either can serve a table, and nothing is played twice or lost."""

import random
import threading
import time

import psycopg
import pytest
from databases import DATABASES, database
from serving import TOY, Guest, Nursery, news, served, until, with_toy
from sqlalchemy import select

from backroom.server.storage.database import engine_of, whole_url
from backroom.server.storage.schema import entries

PLACED = """
os.environ["BACKROOM_PLACE"] = "{} 2 {}"
from backroom.server.http.handover import Handover
Handover.gives_away = lambda *words: False
"""
"""Gives a server its place on a SQLite file, and has it serve every table itself."""


@pytest.fixture(scope="module", params=DATABASES)
def two(request, tmp_path_factory):
    """Two servers, side by side."""
    folder = tmp_path_factory.mktemp("two")
    with database(request.param, folder) as url:
        nursery = Nursery()
        is_local = request.param == "sqlite"
        servers = [nursery.serve(url, fault=PLACED.format(place, folder) if is_local else "") for place in (0, 1)]
        yield servers, url
        for server in servers:
            server.close()
        nursery.close()


def at_table(servers, **more):
    """Ann uses one process and Ben the other, with tokens that both know."""
    ann, ben = Guest.program(servers[0].url, "Ann"), Guest.program(servers[1].url, "Ben")
    new = {"game": TOY, "seats": 2, "rated": False, **more}
    table = ann.web.post("/api/tables", json=new).json()["table"]
    assert ben.web.post(f"/api/tables/{table}/seats", json={}).status_code == 200
    return table, ann, ben


def when_asked(guest, table):
    """The decision, as soon as this server has heard of the question from the other."""
    for _ in range(200):
        if (now := guest.decision(table))["asked"]:
            return now
        time.sleep(0.01)
    raise AssertionError("never asked")


def journal(url, table):
    engine, mine = engine_of(whole_url(url)), entries.c.table_id == table
    with engine.connect() as conn:
        wanted = select(entries.c.number, entries.c.kind, entries.c.seat, entries.c.text).where(mine)
        found = conn.execute(wanted.order_by(entries.c.number)).all()
    engine.dispose()
    assert [row[0] for row in found] == list(range(1, len(found) + 1))
    return found


def test_a_game_across_two_processes(two):
    servers, _ = two
    table, ann, ben = at_table(servers)
    rng = random.Random(1)
    with ann.listening(table, api=True) as at_ann, ben.listening(table, api=True) as at_ben:
        for _ in range(400):
            for guest in (ann, ben):
                now = guest.decision(table)
                if now["asked"]:
                    name = rng.choice(now["moves"])["name"]
                    answer = guest.web.post(f"/api/tables/{table}/moves", json={"name": name, "ask": now["ask"]})
                    assert answer.status_code in (200, 409), answer.text
            if now["stage"] == "over":
                break
        assert now["stage"] == "over"
        while ann.decision(table)["stage"] != "over":  # the process that did not make the last move hears of it
            time.sleep(0.01)
        last = [ann.decision(table)["n"], ben.decision(table)["n"]]
        for messages, end in ((at_ann, last[0]), (at_ben, last[1])):
            while news(messages)["n"] < end:  # every event reaches who listens at either process
                pass
    assert ann.decision(table)["score"] == ben.decision(table)["score"]


def test_a_lobby_hears_of_tables_of_the_other_process(two):
    """All viewers hear of public tables; a player also of their own."""
    servers, _ = two
    ann = Guest(servers[0].url, "Ann")
    also_ann = Guest(servers[1].url, "Anne")
    also_ann.web.cookies.clear()
    also_ann.web.cookies["backroom"] = ann.web.cookies["backroom"]

    def until(messages, part, table):
        while True:
            said = messages.get(timeout=10)
            if said["event"] == "list" and said["part"] == part and f'"/tables/{table}"' in said["html"]:
                return

    with also_ann.stream("/lobby/events") as told:
        table = Guest(servers[0].url, "Ben").make(TOY, public="yes")
        until(told, "others", table)
        assert ann.do(table, "sit", seat=1).status_code == 200
        until(told, "mine", table)


def test_at_once_from_both_sides(two):
    """Both answer at the same time, again and again: each answer is there once, in one order for all."""
    servers, url = two
    for number in range(15):
        table, ann, ben = at_table(servers)
        codes = {}

        def answer(guest, table=table, codes=codes, number=number):
            now = when_asked(guest, table)
            sent = {"name": now["moves"][0]["name"], "ask": now["ask"], "key": f"k{number}"}
            codes[guest.name] = [guest.web.post(f"/api/tables/{table}/moves", json=sent).status_code for _ in range(2)]

        threads = [threading.Thread(target=answer, args=(guest,)) for guest in (ann, ben)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert codes == {"Ann": [200, 200], "Ben": [200, 200]}
        bids = [(seat, text) for _, kind, seat, text in journal(url, table) if text.startswith("bid")]
        assert sorted(seat for seat, _ in bids) == [0, 1]


def test_who_sits_down_in_one_page_has_the_others_load_again(two):
    """They show what spectators see, and are not told of the moves that are open now."""
    servers, _ = two
    pages = [Guest(server.url, "Ann") for server in servers]
    pages[1].web.cookies = pages[0].web.cookies
    made = Guest.program(servers[0].url, "Ben").web.post("/api/tables", json={"game": TOY, "seats": 2})
    table = made.json()["table"]
    with pages[0].listening(table) as here, pages[1].listening(table) as there:
        assert "asked" not in news(here) | news(there)
        assert pages[0].do(table, "sit").json()["seat"] == 1
        for messages in (here, there):
            assert until_named("stale", messages)["version"]
    with pages[1].listening(table) as there:
        assert "asked" in news(there)


def until_named(name, messages):
    """The next message of this name."""
    while (found := messages.get(timeout=10))["event"] != name:
        pass
    return found


def test_one_person_at_two_processes_plays_once(two):
    servers, url = two
    table, ann, _ = at_table(servers)
    twin = Guest(servers[1].url, "Ann", ann.web.headers["authorization"].split()[1])
    now = when_asked(ann, table)
    sent = {"name": now["moves"][0]["name"], "ask": now["ask"], "key": "once"}
    threads = [
        threading.Thread(target=guest.web.post, args=(f"/api/tables/{table}/moves",), kwargs={"json": sent})
        for guest in (ann, twin)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len([row for row in journal(url, table) if row[2] == 0 and row[1] == "move"]) == 1


def test_bots_move_once(two):
    servers, url = two
    ann = Guest.program(servers[0].url, "Ann")
    table = ann.web.post("/api/tables", json={"game": TOY, "seats": 2, "sit": None, "bots": {0: "random", 1: "random"}})
    table = table.json()["table"]
    twin = Guest(servers[1].url, "Ann", ann.web.headers["authorization"].split()[1])
    for _ in range(400):
        if ann.decision(table)["stage"] == twin.decision(table)["stage"] == "over":
            break
    assert ann.decision(table)["stage"] == "over"
    journal(url, table)


def test_who_is_here_is_known_at_both(two):
    servers, _ = two
    table, ann, ben = at_table(servers)
    with ann.listening(table, api=True) as messages, ben.listening(table, api=True):
        for _ in range(50):
            found = messages.get(timeout=10)
            if all(chair["here"] for chair in found["table"]["seats"]):
                return
    raise AssertionError("Ben is not seen")


def soon(is_so):
    """Whether something is so well before the caches of people expire."""
    for _ in range(300):
        if is_so():
            return True
        time.sleep(0.01)
    return False


def test_a_new_name_and_a_logged_out_session_are_known_at_both(two):
    servers, _ = two
    ann, also_ann = Guest(servers[0].url, "Ann"), Guest(servers[1].url, "Anne")
    cookie = ann.web.cookies["backroom"]
    also_ann.web.cookies.clear()
    also_ann.web.cookies["backroom"] = cookie
    assert ">Ann<" in also_ann.web.get("/me").text
    assert ann.web.post("/me", data={"what": "rename", "guest": "Zoe"}).status_code == 303
    assert soon(lambda: ">Zoe<" in also_ann.web.get("/me").text)
    assert ann.web.post("/me", data={"what": "log out"}).status_code == 303
    assert soon(lambda: ">Zoe<" not in also_ann.web.get("/me").text)


def test_who_deletes_an_account_is_forgotten_at_both(two):
    servers, _ = two
    table, ann, ben = at_table(servers)
    page = Guest(servers[1].url, "Cid")
    with ben.listening(table, api=True) as messages:
        assert news(messages)["table"]["seats"][0]["name"] == "Ann"
    made = ann.web.post("/me", data={"what": "delete", "sure": "yes"})
    assert made.status_code == 303, made.text
    assert soon(lambda: "<b>somebody</b>" in page.web.get(f"/tables/{table}").text)


def connections(conn, words):
    """The process ids of the connections whose last statement began with these words."""
    wanted = "select pid from pg_stat_activity where query ilike %s and pid <> pg_backend_pid()"
    return [pid for (pid,) in conn.execute(wanted, [f"{words}%"])]


async def say(server, word):
    server.services.tables.speak(word)


def test_one_bad_journal_deafens_nobody(tmp_path):
    """A bad entry, and a lost database, leave every other table as it was."""
    with database("postgresql", tmp_path) as url, with_toy(), served(url) as server:
        ann = Guest.program(server.url, "Ann")
        bad, good = (ann.web.post("/api/tables", json={"game": TOY, "seats": 2}).json()["table"] for _ in "ab")
        with (
            psycopg.connect(url, autocommit=True) as other,
            ann.listening(good, api=True) as messages,
            ann.listening(bad, api=True) as unreadable,
        ):
            news(messages)
            news(unreadable)

            def write(table, kind, text):
                other.execute(
                    "insert into entries (table_id, number, at, kind, text) select %s, max(number) + 1, 1, %s, %s "
                    "from entries where table_id = %s",
                    [table, kind, text, table],
                )
                other.execute("select pg_notify('backroom', %s)", [f"other {table}"])

            write(bad, "nonsense", "")
            until(lambda: not server.live(bad).audiences)  # its listeners come again, and are told why
            write(good, "say", "Ben\none")
            assert news(messages)["notes"][0]["text"] == "one"
            other.execute("select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%'")
            write(good, "say", "Ben\ntwo")
            assert news(messages, 30)["notes"][0]["text"] == "two"
            write(good, "say", "Ben\nthree")
            assert news(messages, 30)["notes"][0]["text"] == "three"
            server.do(say(server, "someone x"))
            until(lambda: connections(other, "select pg_notify"))
            for pid in connections(other, "select pg_notify"):
                other.execute("select pg_terminate_backend(%s)", [pid])
            before = connections(other, "listen")
            server.do(say(server, "someone x"))  # finds that its connection has gone
            until(lambda: connections(other, "listen") not in ([], before))
            write(good, "say", "Ben\nfour")
            assert news(messages, 30)["notes"][0]["text"] == "four"
        answer = ann.web.get(f"/tables/{bad}")
        assert answer.status_code == 410

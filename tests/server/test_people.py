"""A person's data: results and ratings, logs as one file, deleting everything; and finding an opponent."""

import asyncio
import io
import random
import time
import zipfile

import httpx
import pytest
from serving import TOY, Guest, person_of, play_out, run, served
from sqlalchemy import func, insert, select

from backroom.engine.table import hash_of, replay
from backroom.server.errors import BadName
from backroom.server.people import accounts
from backroom.server.storage.schema import entries, people, ratings
from backroom.server.storage.store import Store


def test_processes_on_one_sqlite_file_do_not_read_tokens_again_and_again(tmp_path, monkeypatch):
    """They tell each other of every change. Reading all tokens every 15 seconds made moves wait behind each other."""

    async def work():
        found = accounts.People(store)
        ann = await found.welcome("Ann")
        token = await found.new_token(ann)
        assert await found.by_token(token) == ann
        now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: now + 3600)
        monkeypatch.setattr(store, "read", None)
        assert await found.by_token(token) == ann
        found.reread(ann.id)
        with pytest.raises(TypeError):
            await found.by_token(token)

    store = Store(str(tmp_path / "t.db"), write_lock=tmp_path / "lock")
    run(work())
    store.close()


@pytest.fixture
def accounts_of(tmp_path):
    store = Store(str(tmp_path / "t.db"))
    yield accounts.People(store)
    store.close()


@pytest.mark.parametrize("is_write_first", [True, False])
def test_a_session_that_ends_while_its_cookie_is_read_is_not_cached(accounts_of, monkeypatch, is_write_first):
    """A request with a copy of the cookie comes during the write; or it has read the database just before that."""
    store = accounts_of.store
    write, read = store.write, store.read

    async def write_during_a_request(work):
        assert await accounts_of.by_cookie(cookie) is not None
        return await write(work)

    async def end_after_reading(work):
        found = await read(work)
        monkeypatch.setattr(store, "read", read)
        await accounts_of.end_session(cookie)
        return found

    async def work():
        nonlocal cookie
        cookie = accounts_of.cookie(await accounts_of.welcome("Ann"))
        if is_write_first:
            monkeypatch.setattr(store, "write", write_during_a_request)
            await accounts_of.end_session(cookie)
        else:
            monkeypatch.setattr(store, "read", end_after_reading)
            await accounts_of.by_cookie(cookie)
        assert await accounts_of.by_cookie(cookie) is None

    cookie = ""
    run(work())


def test_a_session_with_a_password_set_by_another_process_is_known_at_once(accounts_of):
    other = accounts.People(accounts_of.store)

    async def work():
        ann = await accounts_of.welcome("Ann")
        old = accounts_of.cookie(ann)
        assert await other.by_cookie(old)
        new = accounts_of.cookie(await accounts_of.keep(ann, "long enough"))
        assert await other.by_cookie(new)
        assert await other.by_cookie(old) is None

    run(work())
    other.pool.shutdown()


def test_a_token_or_name_that_changes_while_it_is_read_is_not_cached(accounts_of, monkeypatch):
    store = accounts_of.store
    read = store.read

    async def change_after_reading(work):
        found = await read(work)
        monkeypatch.setattr(store, "read", read)
        await accounts_of.revoke(ann, hash_of(token))
        await accounts_of.rename(ann, "Zoe")
        return found

    async def work():
        nonlocal ann, token
        ann = await accounts_of.welcome("Ann")
        token = await accounts_of.new_token(ann)
        monkeypatch.setattr(store, "read", change_after_reading)
        await accounts_of.by_token(token)
        assert await accounts_of.by_token(token) is None
        assert (await accounts_of.by_id(ann.id)).name == "Zoe"

    ann, token = None, ""
    run(work())


def test_of_two_who_protect_a_name_at_once_only_one_sets_its_password(accounts_of):
    async def work():
        ann = await accounts_of.welcome("Ann")
        words = ["first word", "second word"]
        found = await asyncio.gather(*(accounts_of.keep(ann, word) for word in words), return_exceptions=True)
        assert sorted(type(each) for each in found if isinstance(each, Exception)) == [BadName]
        kept = next(word for word, each in zip(words, found, strict=True) if not isinstance(each, Exception))
        assert (await accounts_of.log_in("Ann", kept)).id == ann.id
        with pytest.raises(BadName):
            await accounts_of.rename(ann, "Zoe")

    run(work())


def played(server, ann, ben, **form):
    table = ann.make(TOY, **form)
    ben.do(table, "sit", seat=1)
    play_out(server, table, [ann, ben], random.Random(2))
    return table


def find(guest, here="", **form):
    answer = guest.web.post(f"/find/{TOY}", data={"here": here, **form}, headers={"accept": "application/json"})
    assert answer.status_code == 200, answer.text
    return answer.json()["table"]


def test_a_profile_has_games_results_and_the_course_of_the_rating(server):
    ann, ben = server.guest("Ann"), server.guest("Ben")
    tables = [played(server, ann, ben) for _ in range(2)]
    page = ann.web.get("/me").text
    assert "2 played" in page
    assert '<svg class="rating-curve"' in page
    assert 'aria-label="From 25.0 to ' in page  # the first game too is on it
    assert all(f"/tables/{table}/replay" in page for table in tables)
    ladder = ann.web.get(f"/ladder/{TOY}").text
    assert "today" in ladder
    with zipfile.ZipFile(io.BytesIO(ann.web.get("/me/logs").content)) as file:
        logs = [file.read(name).decode() for name in file.namelist()]
    assert len(logs) == 2
    assert all(replay(text).is_over for text in logs)


def test_everything_is_deleted(server):
    ann, ben = server.guest("Zoe"), server.guest("Ben")
    together = ann.make(TOY)
    ben.do(together, "sit", seat=1)
    ann.do(together, "say", text="a secret of mine")
    play_out(server, together, [ann, ben], random.Random(3))
    alone = ann.make(TOY, **{"seat-1": "random"})
    assert ann.web.post("/me", data={"what": "delete"}).status_code == 422
    cookies = dict(ann.web.cookies)
    assert ann.web.post("/me", data={"what": "delete", "sure": "yes"}).status_code == 303
    again = httpx.Client(base_url=server.url, cookies=cookies)
    assert "Come in" in again.get("/").text  # a copy of the cookie is not valid any more
    again.close()
    assert ben.web.get(f"/tables/{alone}").status_code == 404
    page = ben.web.get(f"/tables/{together}").text + ben.web.get(f"/tables/{together}/log").text
    assert "a secret of mine" not in page
    assert "Zoe" not in page
    assert "somebody" in page
    assert "Zoe" not in ben.web.get(f"/ladder/{TOY}").text


def test_what_was_said_while_watching_and_the_name_in_analyses_are_deleted_too(server):
    ben, cid, zoe = server.guest("Ben"), server.guest("Cid"), server.guest("Zoe")
    watched = ben.make(TOY, **{"seat-1": "random"})  # nobody but Ben has a seat
    zoe.do(watched, "say", text="a secret of mine")
    program = Guest.program(server.url, "Zoe")
    program.do(watched, "say", text="another secret")
    together = zoe.make(TOY)
    cid.do(together, "sit", seat=1)
    play_out(server, together, [zoe, cid], random.Random(3))

    def analysis():
        answer = cid.web.get(f"/tables/{together}/analysis")
        assert answer.status_code == 200
        return answer.text

    assert "Zoe" in analysis()
    for each in (zoe, program):
        assert each.web.post("/me", data={"what": "delete", "sure": "yes"}).status_code == 303
    page = ben.web.get(f"/tables/{watched}").text
    assert "secret" not in page
    assert "Zoe" not in page
    assert "Zoe" not in analysis()
    assert server.live(watched).state.seat_of(server.do(person_of(server, ben)).id) == 0
    kept = server.services.store.read_now(lambda conn: conn.execute(select(entries.c.text, entries.c.who)).all())
    assert not [row for row in kept if "Zoe" in row.text or "secret" in row.text]


def test_who_keeps_a_name_says_the_password_before_everything_is_deleted(server):
    ann = server.guest("Annabel")
    ann.web.post("/me", data={"what": "keep", "password": "long enough"})
    assert ann.web.post("/me", data={"what": "delete", "sure": "yes", "old": "wrong password"}).status_code == 422
    assert ann.web.post("/me", data={"what": "delete", "sure": "yes", "old": "long enough"}).status_code == 303
    assert server.guest("Annabel").web.get("/me").status_code == 200  # the name is free again


def test_two_who_look_for_an_opponent_find_each_other(server):
    ann, ben = server.guest("Ann"), server.guest("Ben")
    here = find(ann)
    assert find(ann, here) == here  # still alone
    assert find(ben) == here
    assert server.live(here).state.stage == "playing"
    assert server.live(here).config.terms.clock_in_words == "10 min and 10 s a turn"
    cid, dora = server.guest("Cid"), server.guest("Dora")
    assert find(cid, pace="days") != find(dora)  # another clock is another table


def test_nobody_becomes_a_guest_by_asking_for_a_table_that_cannot_be(server):
    def known():
        return server.do(server.services.store.read(lambda conn: conn.scalar(select(func.count()).select_from(people))))

    before = known()
    answer = httpx.post(f"{server.url}/find/{TOY}", data={"seats": "77"}, headers={"origin": server.url})
    assert answer.status_code == 422
    assert "seats, not 77" in answer.text
    assert known() == before


def test_an_address_that_only_takes_what_is_sent_says_so(server):
    answer = httpx.get(f"{server.url}/learn/{TOY}", headers={"accept": "text/html"})
    assert answer.status_code == 405
    assert "it is for forms and programs" in answer.text
    assert 'href="/"' in answer.text


@pytest.mark.parametrize("apart", [2.0, 30.0])
def test_who_is_far_away_in_strength_waits_longer(tmp_path, apart):
    with served(tmp_path / "t.db") as server:
        ann, ben = server.guest("Ann"), server.guest("Ben")
        rate(server, "Ben", 25 + apart)
        here = find(ann)
        there = find(ben)
        assert (there == here) == (apart < 4)
        if there == here:
            assert find(ann, here) == here  # where the game goes on
            return
        server.services.tables.now = lambda now=server.services.tables.now: now() + 120_000
        cid = server.guest("Cid")
        assert find(cid) not in (here, there)  # the people who waited there are gone
        with ann.listening(here):
            assert find(ann, here) == here  # the person who came later moves
            assert find(ben, there) == here
            assert server.live(there).state.stage == "over"


def rate(server, name, mu):
    def work(conn):
        who = conn.scalar(select(people.c.id).where(people.c.name == name))
        conn.execute(insert(ratings).values(game=TOY, who=who, name=name, mu=mu, sigma=2.0, games=9))

    server.do(server.services.store.write(work))


def test_on_to_the_next_table_at_which_one_is_asked(server):
    ann = server.guest("Ann")
    tables = [ann.make(TOY, clock="days", days=1, **{"seat-1": "random"}) for _ in range(2)]
    waits = [table for table in tables if 0 in server.rested(table).asked]
    assert waits
    for table in tables:
        where = ann.web.get(f"/next?after={table}").headers["location"]
        others = sorted(each for each in waits if each != table)
        assert where == (f"/tables/{others[0]}" if others else "/")
    assert "Next table" in ann.web.get(f"/tables/{tables[0]}").text
    assert Guest(server.url, "Ben").web.get("/next").headers["location"] == "/"


def names(server):
    """The names of all people who have ever come in."""
    from sqlalchemy import select

    from backroom.server.storage.schema import people

    return server.do(server.services.store.read(lambda conn: list(conn.scalars(select(people.c.name)))))


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/tables", {"game": TOY, "seats": "77"}),
        ("/import", {"log": "no log at all"}),
        (f"/friends/{TOY}", {"seats": "77"}),
    ],
)
def test_nobody_comes_in_by_a_form_that_is_refused(server, path, form):
    before = names(server)
    stranger = httpx.Client(base_url=server.url, timeout=30)
    answer = stranger.post(path, data={"guest": "Nobody Yet", **form})
    assert answer.status_code == 422, answer.text
    assert (names(server), "backroom" in stranger.cookies) == (before, False)
    stranger.close()

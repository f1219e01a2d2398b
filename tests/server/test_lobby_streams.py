"""The lobby's stream and the list of a player's moves: immediate, equal to the page, and never about private tables."""

import gc
import queue
import re
import time

import httpx
import pytest
from serving import TOY, Clock, Guest, served

from backroom.server.http import lobby_streams
from backroom.server.http.table_lists import time_left
from backroom.server.tables.audience import Listener

HOUR = 3600 * 1000


@pytest.fixture(scope="module")
def clock():
    return Clock()


@pytest.fixture(scope="module")
def server(toy, clock, tmp_path_factory):
    with served(tmp_path_factory.mktemp("house") / "tables.db", now=clock) as found:
        yield found


def lists(messages, *parts, wait=10):
    """The next lists of these parts."""
    found = {}
    while set(parts) - set(found):
        said = messages.get(timeout=wait)
        if said["event"] == "list":
            found[said["part"]] = said["html"]
    return found


def tables_in(html):
    return re.findall(r'href="/tables/(\w+)"', html)


def silent(messages):
    """Assert that nothing more comes within some time."""
    with pytest.raises(queue.Empty):
        lists(messages, "mine", "others", wait=4 * lobby_streams.GATHER)
    return True


def streams(server):
    return server.services.tables.lobby


def test_lists_are_whole_at_first_and_then_told_when_they_change(server):
    ann, ben = server.guest("Ann"), server.guest("Ben")
    with ann.stream("/lobby/events") as told, Guest(server.url, "Cid").stream("/lobby/events") as watching:
        lists(told, "mine", "others")
        lists(watching, "mine", "others")
        table = ben.make(TOY, public="yes")
        assert table in tables_in(lists(told, "others")["others"])
        ann.do(table, "sit", seat=1)
        found = lists(told, "mine", "others")
        assert table in tables_in(found["mine"])
        assert table not in tables_in(found["others"])  # it is one's own
        said = lists(watching, "others")["others"]
        while "Games to watch" not in said:
            said = lists(watching, "others")["others"]
        assert table in tables_in(said)
        ann.do(table, "resign")
        said = lists(told, "mine")["mine"]
        while "over" not in said:
            said = lists(told, "mine")["mine"]
        assert said.strip() in ann.web.get("/lobby").text


def test_strangers_and_others_hear_nothing_of_private_tables(server):
    ann, ben = server.guest("Ann"), server.guest("Ben")
    with ben.stream("/lobby/events") as told:
        first = lists(told, "mine", "others")
        table = ann.make(TOY)
        ann.do(table, "fill", bot="random")
        ann.do(table, "say", text="nobody else hears this")
        assert silent(told)
        public = ann.make(TOY, public="yes")
        later = lists(told, "others")["others"]
    assert public in tables_in(later)
    assert table not in first["others"] + later
    stranger = httpx.get(f"{server.url}/lobby").text
    assert public in stranger
    assert table not in stranger


def test_boards_of_public_tables_are_told_of_when_spectators_see_something(server, monkeypatch):
    monkeypatch.setattr(lobby_streams, "PICTURES", 0.05)
    ann = server.guest("Ann")
    with server.guest("Ben").stream("/lobby/events") as told:
        lists(told, "mine", "others")
        private, public = (ann.make(TOY, public=word, **{"seat-1": "random"}) for word in ("no", "yes"))
        for table in (private, public):
            state = server.rested(table)
            assert ann.move(table, state.table.moves(0)[0], state.asks[0]).json()["ok"]
        seen = set()
        while public not in seen:
            said = told.get(timeout=10)
            seen |= set(said["tables"]) if said["event"] == "boards" else set()
        assert private not in seen
    assert server.do(are_boards_told(server, is_seen=True))
    assert not server.do(are_boards_told(server, is_seen=False))  # of what is hidden from spectators, not even when


async def are_boards_told(server, is_seen):
    lobby = lobby_streams.LobbyStreams(server.services)
    lobby.listeners["ann"] = {Listener("ann")}
    lobby.notice("atable", ["nobody"], is_listed=False, is_seen=is_seen)
    lobby._timer.cancel()
    is_told = lobby._pictures is not None
    lobby.close()
    return is_told


def test_nothing_is_kept_of_those_who_have_gone(server):
    found, ann = streams(server), server.guest("Ann")
    before = sum(isinstance(each, Listener) for each in gc.get_objects())
    for _ in range(3):
        with ann.stream("/lobby/events") as told:
            lists(told, "mine", "others")
            ann.make(TOY, public="yes")
            lists(told, "mine", "others")
    end = time.monotonic() + 10
    while found.listeners or found._people or found._own or found._said:
        assert time.monotonic() < end
        time.sleep(0.01)
    gc.collect()
    assert sum(isinstance(each, Listener) for each in gc.get_objects()) <= before


def test_the_number_of_streams_is_limited(server, monkeypatch):
    monkeypatch.setattr(lobby_streams, "MOST_OF_ONE", 1)
    ann, ben = server.guest("Ann"), server.guest("Ben")
    with ann.stream("/lobby/events") as told:
        lists(told, "mine", "others")
        assert ann.web.get("/lobby/events").status_code == 429
        monkeypatch.setattr(lobby_streams, "MOST", 1)
        assert ben.web.get("/lobby/events").status_code == 429
        assert ben.web.get("/lobby").status_code == 200  # a page without a stream polls


def test_who_falls_behind_has_to_come_again(server):
    lobby, slow = lobby_streams.LobbyStreams(server.services), Listener("ann")
    lobby.listeners["ann"] = {slow}
    for n in range(lobby_streams.MOST_BEHIND):
        lobby._say("ann", "mine", b"%d" % n)
    assert len(slow.waiting) == lobby_streams.MOST_BEHIND
    lobby._say("ann", "mine", b"the last")
    assert slow.is_closed
    assert not slow.waiting


def test_what_all_see_is_made_once(server, monkeypatch):
    made = []
    usual = lobby_streams.LobbyStreams._others
    monkeypatch.setattr(lobby_streams.LobbyStreams, "_others", lambda *args: made.append(1) or usual(*args))
    people = [server.guest(name) for name in ("Ann", "Ben", "Cid")]
    with people[0].stream("/lobby/events") as one, people[1].stream("/lobby/events") as other:
        for told in (one, other):
            lists(told, "mine", "others")
        made.clear()
        people[2].make(TOY, public="yes")
        assert lists(one, "others") == lists(other, "others")
        assert len(made) == 1


def test_other_processes_are_heard_of(server):
    """Another process says over PostgreSQL that it wrote to a table."""
    ann = server.guest("Ann")
    table = ann.make(TOY, public="yes")
    with server.guest("Ben").stream("/lobby/events") as told:
        lists(told, "mine", "others")
        lobby = streams(server)
        lobby._said.clear()
        server.loop.call_soon_threadsafe(server.services.tables.hear, f"elsewhere {table}")
        assert table in tables_in(lists(told, "others")["others"])


def test_my_moves_say_what_is_asked_and_how_long_is_left(server, clock):
    ann, ben = server.guest("Ann"), server.guest("Ben")
    long, short, none = (
        ann.make(TOY, **more) for more in ({"clock": "days", "days": 3}, {"clock": "days", "days": 1}, {})
    )
    for table in (long, short, none):
        ben.do(table, "sit", seat=1)
    moves = {table: server.live(table).state.asked for table in (long, short, none)}
    for guest, seat in ((ann, 0), (ben, 1)):
        mine = [table for table in (short, long, none) if seat in moves[table]]
        page = guest.web.get("/me").text
        assert tables_in(guest.web.get("/lobby").text.split('id="mine"')[0])[: len(mine)] == mine
        assert tables_in(page)[: len(mine)] == mine
        for table in mine:
            assert guest.decision(table)["question"] in page.replace("&#39;", "'")
        way, here = [], ""
        for _ in mine:
            here = guest.web.get(f"/next?after={here}").headers["location"].removeprefix("/tables/")
            way.append(here)
        assert way == mine  # the button goes through the list
    clock.go(23 * 3600)
    left = [table for table in (short, long) if 0 in moves[table]]
    words = re.findall(r"data-ends=\"\d+\">([^<]*)<", ann.web.get("/lobby").text)
    assert words == [{short: "1 hour left", long: "2 days left"}[table] for table in left]


def test_games_of_days_are_found_however_many_others_there_are(server):
    ann = server.guest("Ann")
    slow = ann.make(TOY, clock="days", days=1, **{"seat-1": "random"})
    assert 0 in server.rested(slow).asked
    for _ in range(14):
        server.rested(ann.make(TOY, **{"seat-1": "random"}))
    assert slow in tables_in(ann.web.get("/lobby").text.split('id="mine"')[0])


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (72 * HOUR, "3 days"),
        (47 * HOUR, "47 hours"),
        (HOUR, "1 hour"),
        (HOUR - 1, "59 minutes"),
        (60_000, "1 minute"),
        (-1, "less than a minute"),
    ],
)
def test_time_left_in_words(ms, words):
    assert time_left(1000 + ms, 1000) == f"{words} left"

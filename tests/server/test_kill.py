"""kill -9: no acknowledged move is lost, and no move was shown that is not stored."""

import contextlib
import random
import sqlite3
import threading
import time

import httpx
import pytest
from serving import TOY, Guest, Nursery, news

TIMES = 20


@pytest.fixture
def nursery():
    found = Nursery()
    yield found
    found.close()


def stored(db, table):
    """The names of the moves in a journal, as another program reads them."""
    with contextlib.closing(sqlite3.connect(db)) as conn:
        rows = conn.execute("select number, kind, text from entries where table_id = ? order by number", [table])
        found = rows.fetchall()
    assert [number for number, *_ in found] == list(range(1, len(found) + 1))
    return [text for _, kind, text in found if kind == "move"]


class Player:
    """Plays at a table of its own, against itself, and remembers what was acknowledged and what was shown."""

    def __init__(self, url, number):
        self.guests = [Guest.program(url, f"P{number}"), Guest.program(url, f"Q{number}")]
        self.acknowledged = []
        self.shown = []
        self.table = None
        self.rng = random.Random(number)

    def begin(self):
        answer = self.guests[0].web.post("/api/tables", json={"game": TOY, "seats": 2, "rated": False})
        self.table = answer.json()["table"]
        self.guests[1].web.post(f"/api/tables/{self.table}/seats", json={})

    def play(self):
        """Until the server is gone."""
        with contextlib.suppress(httpx.HTTPError), self.guests[0].listening(self.table, api=True) as messages:
            threading.Thread(target=self.watch, args=(messages,), daemon=True).start()
            while True:
                for guest in self.guests:
                    now = guest.web.get(f"/api/tables/{self.table}/decision").json()
                    if now["stage"] == "over":
                        return
                    if now["asked"]:
                        name = self.rng.choice(now["moves"])["name"]
                        answer = guest.web.post(
                            f"/api/tables/{self.table}/moves", json={"name": name, "ask": now["ask"]}
                        )
                        if answer.status_code == 200:
                            self.acknowledged.append(name)

    def watch(self, messages):
        with contextlib.suppress(Exception):
            while True:
                self.shown += [line["move"] for line in news(messages, 30).get("lines", []) if line["move"]]


def wait_until(is_so, seconds=20):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


def in_order(few, all_of_them):
    rest = iter(all_of_them)
    return all(one in rest for one in few)


def test_twenty_kills_under_load(nursery, tmp_path):
    """Each time some tables are played at; the server dies in the middle of it, and comes back with all of it."""
    db = tmp_path / "t.db"
    rng = random.Random(1)
    lost = shown = acknowledged = 0
    server = nursery.serve(db)
    for turn in range(TIMES):
        players = [Player(server.url, turn * 10 + n) for n in range(2)]
        for player in players:
            player.begin()
        threads = [threading.Thread(target=player.play, daemon=True) for player in players]
        for thread in threads:
            thread.start()
        wait_until(lambda players=players: all(len(player.acknowledged) > 1 for player in players))
        time.sleep(rng.uniform(0, 0.1))
        server.kill()
        for thread in threads:
            thread.join(20)
        for player in players:
            kept = stored(db, player.table)
            lost += not in_order(player.acknowledged, kept)
            lost += not in_order(player.shown, kept)
            acknowledged += len(player.acknowledged)
            shown += len(player.shown)
            for guest in player.guests:
                guest.web.close()
        server = nursery.serve(db)
        page = httpx.get(f"{server.url}/tables/{players[0].table}")
        assert page.status_code == 200
    server.close()
    assert lost == 0
    assert acknowledged > 2 * TIMES
    assert shown > 2 * TIMES


DYING = """
first, moves = store._tell, [0]

def tell(jobs, found):
    if any(row[3] == "move" and row[4] != 15 for job in jobs for row in job.rows):
        moves[0] += 1
        if moves[0] == 3:
            os.kill(os.getpid(), 9)
    first(jobs, found)

store._tell = tell
"""


def test_killed_between_append_and_publish(nursery, tmp_path):
    """The third move is stored, and the server dies before anybody is told: it is there afterwards, once."""
    db = tmp_path / "t.db"
    server = nursery.serve(db, fault=DYING)
    player = Player(server.url, 1)
    player.begin()
    player.play()
    server._until_gone()
    kept = stored(db, player.table)
    mine = [name for name in kept if not name.startswith(("deal", "roll"))]
    assert len(player.acknowledged) == 2
    assert len(mine) == 3
    again = nursery.serve(db)
    for guest in player.guests:
        guest.web.base_url = again.url
    assert player.guests[0].decision(player.table)["stage"] == "playing"
    player.play()
    assert stored(db, player.table)[: len(kept)] == kept
    again.close()
    for guest in player.guests:
        guest.web.close()

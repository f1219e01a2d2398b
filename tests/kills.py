"""Kills a server under load with SIGKILL, repeatedly: every move that was acknowledged or shown must be stored."""

import contextlib
import random
import threading
import time
from dataclasses import dataclass

import httpx
from databases import database
from serving import TLS, TOY, Guest, MovesInOnePiece, Nursery, news
from sqlalchemy import select

from backroom.server.place import PLACE
from backroom.server.storage.database import engine_of, whole_url
from backroom.server.storage.schema import entries


def stored(db, table):
    """The names of the moves in a journal, as another program reads them."""
    engine = engine_of(whole_url(str(db)))
    with engine.connect() as conn:
        wanted = select(entries.c.number, entries.c.kind, entries.c.text).where(entries.c.table_id == table)
        found = conn.execute(wanted.order_by(entries.c.number)).all()
    engine.dispose()
    assert [number for number, *_ in found] == list(range(1, len(found) + 1))
    return [text for _, kind, text in found if kind == "move"]


class Player:
    """Plays at a table of its own against itself, and remembers what was acknowledged and what was shown."""

    def __init__(self, url, number):
        self.guests = [Guest.program(url, f"P{number}"), Guest.program(url, f"Q{number}")]
        self.url = url
        self.acknowledged = []
        self.shown = []
        self.table = None
        self.rng = random.Random(number)

    def begin(self):
        answer = self.guests[0].web.post("/api/tables", json={"game": TOY, "seats": 2, "rated": False})
        self.table = answer.json()["table"]
        self.guests[1].web.post(f"/api/tables/{self.table}/seats", json={})

    def play(self):
        """Play until the server is gone."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(httpx.HTTPError, OSError))
            wires = [MovesInOnePiece(self.url, guest.token) for guest in self.guests]
            for wire in wires:
                stack.callback(wire.close)
            messages = stack.enter_context(self.guests[0].listening(self.table, api=True))
            threading.Thread(target=self.watch, args=(messages,), daemon=True).start()
            while True:
                for guest, wire in zip(self.guests, wires, strict=True):
                    now = guest.web.get(f"/api/tables/{self.table}/decision").json()
                    if now["stage"] == "over":
                        return
                    if now["asked"]:
                        name = self.rng.choice(now["moves"])["name"]
                        status, _ = wire.move(self.table, name=name, ask=now["ask"])
                        if status == 200:
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


def missing(few, all_of_them):
    """How many of a few moves are not among all, in their order."""
    at = count = 0
    for one in few:
        if one in all_of_them[at:]:
            at = all_of_them.index(one, at) + 1
        else:
            count += 1
    return count


@dataclass
class Drill:
    """The result of a drill."""

    acknowledged: int = 0
    """Moves that were answered with success."""
    lost: int = 0
    """How many of these are not stored."""
    shown: int = 0
    """Moves that came by a stream."""
    shown_not_stored: int = 0


def drill(kind, folder, times, seed=1):
    """Repeatedly play at some tables, kill the server in the middle, and start it again on the same database."""
    nursery, rng, found = Nursery(), random.Random(seed), Drill()
    with database(kind, folder) as db:
        servers = servers_on(kind, db, folder, nursery)
        try:
            for turn in range(times):
                players = [Player(servers[n % len(servers)].url, turn * 10 + n) for n in range(2)]
                die_under(servers, players, rng)
                servers = servers_on(kind, db, folder, nursery)
                assert httpx.get(f"{servers[0].url}/tables/{players[0].table}", verify=TLS).status_code == 200
                for player in players:
                    kept = stored(db, player.table)
                    found.acknowledged += len(player.acknowledged)
                    found.lost += missing(player.acknowledged, kept)
                    found.shown += len(player.shown)
                    found.shown_not_stored += missing(player.shown, kept)
        finally:
            for server in servers:
                server.close()
            nursery.close()
    return found


def servers_on(kind, db, folder, nursery):
    """One process on PostgreSQL, two on SQLite."""
    if kind == "postgresql":
        return [nursery.serve(db)]
    return [nursery.serve(db, fault=f'os.environ["{PLACE}"] = "{number} 2 {folder}"') for number in (0, 1)]


def die_under(servers, players, rng):
    """Kill the server while these play; of two processes first one, and the other a little later."""
    for player in players:
        player.begin()
    threads = [threading.Thread(target=player.play, daemon=True) for player in players]
    for thread in threads:
        thread.start()
    wait_until(lambda: all(len(player.acknowledged) > 1 for player in players))
    for server in rng.sample(servers, len(servers)):
        time.sleep(rng.uniform(0, 0.1))
        server.kill()
    for thread in threads:
        thread.join(20)
    for player in players:
        for guest in player.guests:
            guest.web.close()

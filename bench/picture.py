"""Pictures of every game: the time to draw a view, and the size of an event for the browser.

    python bench/picture.py [GAME ...] [--games 3] [--json FILE]

Random games with every number of seats; after each line every reader's view is drawn, and the event is made as the
server makes it. The bars at p95 are 2 ms of CPU time for a picture and 8 KB for an event.
"""

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

import backroom
from backroom.server.storage.journal import SIT, Entry
from backroom.server.tables import messages
from backroom.server.tables.audience import Audience
from backroom.server.tables.config import Terms, config
from backroom.server.tables.state import TableState

BARS = {"picture ms p95": 2.0, "event KB p95": 8.0}


def percentile(found: list[float], p: int) -> float:
    return sorted(found)[min(len(found) - 1, len(found) * p // 100)]


def measure(game: backroom.Game, games: int) -> dict[str, float]:
    """One game's pictures and events."""
    pictures: list[float] = []
    events: list[float] = []
    rng = random.Random(1)
    for seats in game.seats:
        for _ in range(games):
            play(game, seats, rng, pictures, events)
    return {
        "picture ms p50": percentile(pictures, 50),
        "picture ms p95": percentile(pictures, 95),
        "event KB p50": percentile(events, 50),
        "event KB p95": percentile(events, 95),
        "pictures": len(pictures),
    }


def play(game: backroom.Game, seats: int, rng: random.Random, pictures: list[float], events: list[float]) -> None:
    state = TableState(config(game.name, seats, {}, Terms(), is_public=True, maker="x", made=0))

    def apply(entries: list[Entry]) -> Any:
        first = state.number + 1
        return state.apply(msgspec.structs.replace(entry, number=n, at=0) for n, entry in enumerate(entries, first))

    apply([Entry(SIT, seat, f"P{seat}", f"p{seat}") for seat in range(seats)])
    apply(state.begun())
    audiences = [Audience(state, reader, False) for reader in range(-1, seats)]
    while state.asked and state.table is not None:
        seat, before = rng.choice(state.asked), list(state.counts)
        change = apply(state.move_entries(seat, rng.choice(state.table.moves(seat))))
        head = msgspec.Raw(messages.encode(messages.heading(state, set(), 0, 0, None)))
        for audience in audiences:
            v = game.view(state.shown, audience.reader)
            start = time.thread_time()
            game.rules.draw(v, audience.reader)
            pictures.append(1000 * (time.thread_time() - start))
            audience.recent.clear()
            audience.publish(state, change, head, before[audience.reader])
            events += [len(message) / 1024 for *_, message in audience.recent]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(backroom.names()), metavar="GAME")
    parser.add_argument("--games", type=int, default=3, dest="rounds")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    found = {name: measure(backroom.game(name), args.rounds) for name in args.games}
    keys = list(next(iter(found.values())))
    table = Table("game", *keys)
    for name, row in found.items():
        cells = [f"{row[key]:,.2f}" + (f" (bar {BARS[key]:g})" if key in BARS else "") for key in keys]
        table.add_row(name, *cells)
    Console().print(table)
    if args.json:
        args.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()

"""Time per move of bots, and simulations per second of searches, compared with OpenSpiel in the same run.

    python bench/bots.py [GAME ...] [--beside openspiel] [--seconds 2] [--rounds 3] [--json FILE]
    python bench/bots.py [GAME ...] --bot NAME [--bot NAME ...] [--seats N]

A simulation descends the tree and plays at random to the end of the game, as OpenSpiel's do; positions are from random
games. The time of a move is the median and the maximum over decisions in such games, in CPU time of one core, so that
other load on the machine does not matter.
"""

import argparse
import importlib.util
import itertools
import json
import random
import statistics
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import backroom
from backroom.bots import bot
from backroom.bots.search import Plan, think_of, workspace_for
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from

SIMULATIONS = 200
"""Simulations of a search for each position."""


@dataclass
class Row:
    game: str
    what: str
    figure: float
    unit: str
    ratio: float | None = None
    bar: float | None = None


def decisions(game: Game, seats: int | None, options: dict[str, str], seed: int) -> Iterator[tuple[Any, int]]:
    """Views from random games in which a seat has a choice."""
    seats, chosen = game.settle(seats, options)
    for number in itertools.count(seed):
        s = game.start(seats, chosen)
        for _ in game.stroll(s, seats, dice_from(number)):
            seat = game.asked(s)[0]
            if seat < seats and len(game.moves(s, seat)) > 1:
                yield game.view(s, seat), seat


def ours(game: Game, seconds: float, seats: int | None, options: dict[str, str]) -> float:
    """Simulations per second on one core."""
    think = think_of(game)
    plan = Plan(playout=game.rules.LONGEST)
    some = itertools.islice(decisions(game, seats, options, 1), 0, 4000, 40)
    views = list(some)
    done, spent = 0, 0.0
    for v, seat in itertools.cycle(views):
        work = workspace_for(game, plan)
        start = time.perf_counter()
        think(v, seat, dice_from(done), work, SIMULATIONS)
        spent += time.perf_counter() - start
        done += SIMULATIONS
        if spent > seconds:
            return done / spent
    raise AssertionError("there are always decisions")


def openspiel(peer: dict[str, Any], way: str) -> Callable[[float], float]:
    """Simulations per second of OpenSpiel's own C++ search, at positions of random games."""
    import pyspiel

    game = pyspiel.load_game(peer["game"])
    rng = random.Random(1)

    def searcher() -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(1, rng.getrandbits(30))
        if way == "mcts":
            return pyspiel.MCTSBot(game, evaluator, 1.4, SIMULATIONS, 1000, False, rng.getrandbits(30), False)
        final = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        return pyspiel.ISMCTSBot(rng.getrandbits(30), evaluator, 1.4, SIMULATIONS, -1, final, False, False)

    def run(seconds: float) -> float:
        done, spent = 0, 0.0
        while spent < seconds:
            state = game.new_initial_state()
            while not state.is_terminal() and spent < seconds:
                if state.is_chance_node():
                    actions, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(actions, odds)[0])
                    continue
                if len(state.legal_actions()) > 1 and rng.random() < 0.1:
                    bot = searcher()
                    start = time.perf_counter()
                    bot.step(state)
                    spent += time.perf_counter() - start
                    done += SIMULATIONS
                state.apply_action(rng.choice(state.legal_actions()))
        return done / spent

    return run


def times(game: Game, name: str, seconds: float, seats: int | None) -> list[float]:
    """The CPU time of each decision, on one core."""
    player, found = bot(name, game), []
    player.answer(*next(decisions(game, seats, {}, 7)), 0)  # compiles
    start = time.thread_time()
    for v, seat in itertools.islice(decisions(game, seats, {}, 7), 0, None, 23):
        before = time.thread_time()
        player.answer(v, seat, len(found))
        found.append(time.thread_time() - before)
        if time.thread_time() - start > seconds:
            break
    return found


def rows_of(game: Game, chosen: argparse.Namespace) -> Iterator[Row]:
    for name in chosen.bot or backroom.bots.bots_of(game):
        found = times(game, name, chosen.seconds, chosen.seats)
        yield Row(game.name, f"{name}: a move, the median", 1000 * statistics.median(found), "ms")
        yield Row(game.name, f"{name}: a move, the slowest of {len(found)}", 1000 * max(found), "ms")
    if chosen.bot:
        return
    file = game.folder / "peer.toml"
    peer = tomllib.loads(file.read_text("utf-8")).get(chosen.beside, {}) if chosen.beside and file.exists() else {}
    ways = {key.removeprefix("simulations_over_"): bar for key, bar in peer.items() if key.startswith("simulations_")}
    theirs = {way: openspiel(peer, way) for way in ways}
    mine, other = [], {way: [] for way in ways}
    for _ in range(chosen.rounds if ways else 1):
        mine.append(ours(game, chosen.seconds, peer.get("seats"), peer.get("options", {})))
        for way, run in theirs.items():
            other[way].append(run(chosen.seconds))
    yield Row(game.name, "search: simulations, random to the end", statistics.median(mine), "a second")
    for way, runs in other.items():
        ratio = statistics.median(my / their for my, their in zip(mine, runs, strict=True))
        title = f"OpenSpiel {peer['game']}, {way.upper()} in C++"
        yield Row(game.name, title, statistics.median(runs), "a second", ratio, ways[way])


def main() -> int:
    parser = argparse.ArgumentParser(description="How fast bots think.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--bot", action="append", metavar="NAME", help="the time of its moves alone")
    parser.add_argument("--seats", type=int, metavar="N", help="seats of a table, for the times of moves")
    parser.add_argument("--beside", choices=["openspiel"])
    parser.add_argument("--seconds", type=float, default=2.0, help="of each run")
    parser.add_argument("--rounds", type=int, default=3, help="in which ours and the peer take turns")
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    if chosen.beside and importlib.util.find_spec("pyspiel") is None:
        parser.error("openspiel is not installed; expected: pip install 'backroom[bench]', or make bench")
    rows = [row for name in chosen.games or backroom.names() for row in rows_of(backroom.game(name), chosen)]
    table = Table("game", "what", "", "", "ours is", "bar")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:,.0f} ×"
        bar = "" if row.bar is None else f"{row.bar} × {'reached' if (row.ratio or 0) >= row.bar else 'MISSED'}"
        table.add_row(row.game, row.what, f"{row.figure:,.2f}", row.unit, ratio, bar)
    Console().print(table)
    text = json.dumps([vars(row) for row in rows])
    if chosen.json:
        chosen.json.write_text(text + "\n", "utf-8")
    else:
        print(text)
    return int(any(row.bar is not None and (row.ratio or 0) < row.bar for row in rows))


if __name__ == "__main__":
    sys.exit(main())

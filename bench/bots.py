"""CPU time per decision of bots, and simulations per second of searches, compared with OpenSpiel in the same run.

    python bench/bots.py [GAME ...] [--beside openspiel] [--seconds 2] [--rounds 3] [--json FILE]
    python bench/bots.py [GAME ...] --bot NAME [--bot NAME ...] [--seats N] [--option NAME=VALUE ...] [--pause 0.6]
                         [--load N]

A decision is a view in which a seat has a choice and no line decided on before, from games that `medium` plays with
itself; of ten of them one is timed. Printed are the median, the 95th percentile and the maximum, in CPU time of one
core, so that other load on the machine does not matter; and what the 95th percentile is beyond the pause that a bot
makes at a server's table before it moves, in which it thinks. With `--load N` beside N processes that only compute,
times are of the clock, and bots have the deadline of a server's table; the 99th percentile is printed too.
A simulation descends the tree and plays at random to the end of the game, as OpenSpiel's do; positions are from random
games.
"""

import argparse
import contextlib
import importlib.util
import itertools
import json
import random
import statistics
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import backroom
from backroom.bots import bot, seated
from backroom.bots.search import Plan, think_of, workspace_for
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from

SIMULATIONS = 200
"""Simulations of a search for each position."""
EVERY = 10
"""Of this number of decisions one is timed."""
MOST = 1000
"""The most decisions of a bot that are timed."""
DEADLINE = 1.0
"""Seconds that a bot has for a move at a server's table."""


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


def decisions_of_medium(game: Game, seats: int | None, options: dict[str, str]) -> Iterator[tuple[Any, int]]:
    """Views from games of `medium` with itself in which a seat has a choice, and has not decided on a line before."""
    player = bot("medium", game)
    for number in itertools.count(7):
        table = game.table(seats, seed=number, **options)
        seated_bots = {seat: seated(player, seat, table) for seat in range(table.seats)}
        while not table.is_over:
            seat = table.asked[0]
            v = table.view(seat)
            move = seated_bots[seat].move(table)
            if len(game.moves(v, seat)) > 1 and seated_bots[seat].memory.made <= 1:
                yield v, seat
            table.play(seat, move)


def times(game: Game, name: str, chosen: argparse.Namespace) -> list[float]:
    """The time of each decision, on one core: CPU time, or wall time under load."""
    options = dict(option.partition("=")[::2] for option in chosen.option)
    player, found = bot(name, game), []
    views = itertools.islice(decisions_of_medium(game, chosen.seats, options), 0, None, EVERY)
    player.answer(*next(views), 0)  # compiles
    clock = time.perf_counter if chosen.load else time.thread_time
    for v, seat in views:
        until = time.monotonic() + DEADLINE * player.patience if chosen.load else None
        before = clock()
        player.answer(v, seat, len(found), until=until)
        found.append(clock() - before)
        if sum(found) > chosen.seconds or len(found) == MOST:
            break
    return found


@contextlib.contextmanager
def load(processes: int) -> Iterator[None]:
    """Processes that only compute."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def rows_of(game: Game, chosen: argparse.Namespace) -> Iterator[Row]:
    for name in chosen.bot or backroom.bots.bots_of(game):
        with load(chosen.load):
            found = [1000 * each for each in times(game, name, chosen)]
        late = float(np.quantile(found, 0.95))
        yield Row(game.name, f"{name}: a decision, the median", statistics.median(found), "ms")
        yield Row(game.name, f"{name}: a decision, the 95th percentile", late, "ms")
        if chosen.load:
            yield Row(game.name, f"{name}: a decision, the 99th percentile", float(np.quantile(found, 0.99)), "ms")
        yield Row(game.name, f"{name}: a decision, the slowest of {len(found)}", max(found), "ms")
        yield Row(game.name, f"{name}: the 95th percentile beyond the pause", max(0, late - 1000 * chosen.pause), "ms")
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
    parser.add_argument("--bot", action="append", metavar="NAME", help="its times alone")
    parser.add_argument("--seats", type=int, metavar="N", help="seats of a table, for the times of decisions")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of these tables")
    parser.add_argument("--pause", type=float, default=0.6, help="seconds between a question and a bot's move")
    parser.add_argument("--load", type=int, default=0, metavar="N", help="number of busy processes beside it")
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

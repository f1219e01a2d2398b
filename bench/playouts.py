"""Random playouts per second of every game, on one core and on all; with --beside, compared with a peer.

    python bench/playouts.py [GAME ...] [--beside openspiel|catanatron] [--seconds 3] [--rounds 5] [--json FILE]

Speeds are compared as ratios within one run: our rounds and the peer's alternate, and each ratio is the median over the
rounds. Our moves are only those of seats; the peer's are all that it applies, including chance, so the ratio of moves
is a lower bound.
"""

import argparse
import importlib.util
import json
import random
import statistics
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import backroom
from backroom.arena.playouts import playouts_on_threads
from backroom.engine.game import Game
from backroom.gym.batch import cores

Speed = tuple[float, float]
"""Games per second, moves per second."""
CORES_BAR = 0.8
"""The least speed-up on all cores, per core (NUMBERS)."""
LEAST_SECONDS = 0.3
"""Least seconds for a batch."""


@dataclass
class Row:
    game: str
    what: str
    games: float
    moves: float
    ratio: float | None = None
    bar: float | None = None


def ours(game: Game, seconds: float, threads: int, seats: int | None = None, **options: object) -> Speed:
    """Play batches until the time is over, each so large that its overhead is negligible."""
    batch, spent = 100 * threads, 0.0
    while spent < LEAST_SECONDS:
        batch, start = 2 * batch, time.perf_counter()
        playouts_on_threads(game, batch, threads, seats=seats, seed=batch, **options)
        spent = time.perf_counter() - start
    games, moves, start = 0, 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        seed = random.getrandbits(40)
        found = playouts_on_threads(game, batch, threads, seats=seats, seed=seed, **options)
        games += batch
        moves += found.choices
    return games / spent, moves / spent


def on_cores(name: str, game: Game, seconds: float, rounds: int) -> list[Row]:
    """One core and all cores, in alternating rounds."""
    many = cores()
    runs = [(ours(game, seconds, 1), ours(game, seconds, many)) for _ in range(rounds)]
    one, every = ([statistics.median(run[k][of] for run in runs) for of in range(2)] for k in range(2))
    ratio = statistics.median(every[1] / one[1] for one, every in runs)
    bar = CORES_BAR * many if many > 1 else None
    return [Row(name, "Backroom, one core", *one), Row(name, f"Backroom, {many} cores", *every, ratio, bar)]


def openspiel_from_python(name: str) -> Callable[[float], Speed]:
    """Random games through OpenSpiel's Python interface, with chance drawn by its odds."""
    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(1)

    def run(seconds: float) -> Speed:
        games, moves, start = 0, 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(actions, odds)[0])
                elif state.is_simultaneous_node():
                    state.apply_actions([rng.choice(state.legal_actions(p)) for p in range(game.num_players())])
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
                moves += 1
            games += 1
        return games / spent, moves / spent

    return run


def openspiel_rollouts(name: str) -> Callable[[float], Speed]:
    """OpenSpiel's own C++ playouts, with which its MCTS evaluates a leaf."""
    import pyspiel

    game = pyspiel.load_game(name)
    rollouts, simulations = 25, 8

    def run(seconds: float) -> Speed:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, random.getrandbits(30))
        bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, False, random.getrandbits(30), False)
        games, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            state = game.new_initial_state()
            while state.is_chance_node():
                state.apply_action(random.choice(state.chance_outcomes())[0])
            bot.step(state)
            games += rollouts * simulations
        return games / spent, float("nan")

    return run


def catanatron() -> Callable[[float], Speed]:
    """Four random players of Catan in catanatron, the nearest road-building game in Python."""
    from catanatron import Color, Game, RandomPlayer

    def run(seconds: float) -> Speed:
        games, moves, start = 0, 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            game = Game([RandomPlayer(colour) for colour in Color])
            game.play()
            games += 1
            moves += len(game.state.actions)
        return games / spent, moves / spent

    return run


PEERS: dict[str, Callable[[dict[str, Any]], dict[str, Callable[[float], Speed]]]] = {
    "openspiel": lambda peer: {
        "python": openspiel_from_python(peer["game"]),
        **({"rollouts": openspiel_rollouts(peer["game"])} if "games_over_rollouts" in peer else {}),
    },
    "catanatron": lambda peer: {"python": catanatron()},
}
"""From a peer's name, as in `peer.toml` and --beside, to the ways of running it."""

MODULES = {"openspiel": "pyspiel", "catanatron": "catanatron"}
WAYS = {"python": "from Python", "rollouts": "C++ rollouts in MCTS"}


def beside(name: str, game: Game, seconds: float, rounds: int) -> list[Row]:
    """Our game and the peer's nearest one, in alternating rounds, with the seats and options given in `peer.toml`."""
    file = game.folder / "peer.toml"
    peer = tomllib.loads(file.read_text("utf-8")).get(name) if file.exists() else None
    if peer is None:
        print(f"{game.name}: its folder names no peer in {name}", file=sys.stderr)
        return []
    ways = PEERS[name](peer)
    seats, options = peer.get("seats"), peer.get("options", {})
    mine: list[Speed] = []
    theirs: dict[str, list[Speed]] = {way: [] for way in ways}
    for _ in range(rounds):
        mine.append(ours(game, seconds, 1, seats, **options))
        for way, run in ways.items():
            theirs[way].append(run(seconds))

    def middle(runs: list[Speed]) -> Speed:
        return statistics.median(run[0] for run in runs), statistics.median(run[1] for run in runs)

    said = ", ".join([f"{seats} seats"] * bool(seats) + [f"{key} {value}" for key, value in options.items()])
    rows = [Row(game.name, f"Backroom, one core, in the same minutes{f' ({said})' * bool(said)}", *middle(mine))]
    for way, runs in theirs.items():
        for of, what in enumerate(("games", "moves")):
            bar = peer.get(f"{what}_over_{way}")
            ratio = statistics.median(my[of] / their[of] for my, their in zip(mine, runs, strict=True))
            if ratio == ratio:
                title = f"{name} {peer.get('game', '')}".strip()
                rows.append(Row(game.name, f"{title}, {WAYS[way]}: {what}", *middle(runs), ratio, bar))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description="Random playouts a second.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--beside", choices=PEERS)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each run")
    parser.add_argument("--rounds", type=int, default=5, help="in which ours and the peer take turns")
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    if chosen.beside and importlib.util.find_spec(MODULES[chosen.beside]) is None:
        parser.error(f"{chosen.beside} is not installed; expected: pip install 'backroom[bench]', or make bench")
    rows = []
    for name in chosen.games or backroom.names():
        game = backroom.game(name)
        playouts_on_threads(game, 2, 2)  # compiles
        print(f"{name}: a state has {game.rules.STATE.itemsize} bytes", file=sys.stderr)
        rows += on_cores(name, game, chosen.seconds, chosen.rounds)
        if chosen.beside:
            rows += beside(chosen.beside, game, chosen.seconds, chosen.rounds)
    table = Table("game", "what", "games/s", "moves/s", "ours is", "bar")
    for row in rows:
        moves = "" if row.moves != row.moves else f"{row.moves:,.0f}"
        ratio = "" if row.ratio is None else f"{row.ratio:,.{1 if row.ratio < 20 else 0}f} ×"
        bar = "" if row.bar is None else f"{row.bar} × {'reached' if (row.ratio or 0) >= row.bar else 'MISSED'}"
        table.add_row(row.game, row.what, f"{row.games:,.0f}", moves, ratio, bar)
    Console().print(table)
    text = json.dumps([vars(row) for row in rows]).replace("NaN", "null")
    if chosen.json:
        chosen.json.write_text(text + "\n", "utf-8")
    else:
        print(text)
    return int(any(row.bar is not None and (row.ratio or 0) < row.bar for row in rows))


if __name__ == "__main__":
    sys.exit(main())

"""All levels of a game on one scale: every player meets every other, and a Bradley–Terry model is fitted.

    python train/scale.py GAME PLAYER PLAYER … [--games 200] [--seats N] [--seed 2029] [--opening N] [--processes N]
                          [--option NAME=VALUE …] [--chain] [--kept FILE.jsonl] [--seconds S] [--list]

A player is a bot's name, or `frozen:LEVEL` for a level of an earlier version (`train/players.py`). Each seed is played
again with the seats swapped. With `--chain` only neighbours in the list meet. The scale is in Elo points, with the
first player at 0: 100 points are a share of 64 %, 200 of 76 %, 400 of 91 %. Intervals are 95 %: those of shares as
in the arena, those of the scale by fitting shares drawn from theirs. Time is CPU time per decision with more than one
move. Results are stored in the file given by `--kept`, and not played again; `--list` plays nothing and prints the
matches for `train/matches.py`, which fills such a file.
"""

import argparse
import itertools
import math
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matches import Match, Progress, play_all, take_up
from players import player

import backroom
from backroom.arena.result import REACH
from backroom.bots import Bot
from backroom.bots.seeds import bots_seed_of, dice_of

DRAWS = 400
"""Sets of shares drawn for the intervals."""
ELO = 400 / math.log(10)
"""Elo points per unit of log-odds."""
RIDGE = 1e-3
"""Regularization, which keeps the rating of a player who never lost finite."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two players by their indices in the list, and the first one's result."""

    first: int
    second: int
    games: int
    share: float
    interval: tuple[float, float]

    @property
    def deviation(self) -> float:
        return (self.interval[1] - self.interval[0]) / (2 * REACH)


def fitted(count: int, pairs: list[Pair], shares: list[float]) -> Any:
    """The maximum-likelihood log-odds of each player for these shares, with the first at 0, by Newton's method."""
    strength = np.zeros(count)
    for _ in range(60):
        slope, curve = -RIDGE * strength, RIDGE * np.eye(count)
        for pair, share in zip(pairs, shares, strict=True):
            i, j = pair.first, pair.second
            expected = 1 / (1 + math.exp(strength[j] - strength[i]))
            off, spread = pair.games * (share - expected), pair.games * expected * (1 - expected)
            slope[i] += off
            slope[j] -= off
            curve[[i, j], [i, j]] += spread
            curve[[i, j], [j, i]] -= spread
        strength += np.clip(np.linalg.solve(curve, slope), -2, 2)
    return strength - strength[0]


def scale(count: int, pairs: list[Pair], seed: int = 0) -> list[tuple[float, float, float]]:
    """Each player's Elo points with the bounds of the 95 % interval."""
    dice = np.random.default_rng(seed)
    middle = fitted(count, pairs, [pair.share for pair in pairs]) * ELO
    drawn = [
        fitted(count, pairs, [float(np.clip(dice.normal(pair.share, pair.deviation), 0, 1)) for pair in pairs])
        for _ in range(DRAWS)
    ]
    low, high = np.quantile(np.array(drawn) * ELO, [0.025, 0.975], axis=0)
    return [(float(m), float(a), float(b)) for m, a, b in zip(middle, low, high, strict=True)]


def times(bots: list[Bot], seats: int, options: dict[str, str], seed: int, decisions: int) -> list[list[float]]:
    """CPU milliseconds of each bot's decisions, in games in which all of them are seated in turn."""
    game = bots[0].game
    found: list[list[float]] = [[] for _ in bots]
    for number in itertools.count(seed):
        table = game.table(seats=seats, seed=number, **options)
        who = [(seat + number) % len(bots) for seat in range(seats)]
        memories = [bots[each].memory() for each in who]
        made = [0] * seats
        while not table.is_over:
            seat = table.asked[0]
            v = table.view(seat)
            is_choice = len(game.moves(v, seat)) > 1
            seed_of = int(dice_of(np.uint64(bots_seed_of(str(number))), seat, made[seat]))
            begin = time.thread_time()
            move = bots[who[seat]].answer(v, seat, seed_of, memories[seat])
            if is_choice:
                found[who[seat]].append((time.thread_time() - begin) * 1000)
            made[seat] += 1
            table.play(seat, game.rules.name(v, move))
        if min(map(len, found)) >= decisions:
            return found
    raise AssertionError("games do not run out")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("players", nargs="+")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--seed", type=int, default=2029)
    parser.add_argument("--opening", type=int, default=0, help="begin with this number of moves by chance")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=Path(os.devnull))
    parser.add_argument("--seconds", type=float, default=math.inf, help="after which no more is begun")
    parser.add_argument("--list", action="store_true", help="print the matches, and play none")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--chain", action="store_true", help="only neighbours in the list meet")
    parser.add_argument("--decisions", type=int, default=100, help="how many are timed of each player; 0: none")
    said = parser.parse_args()
    game = backroom.game(said.game)
    options = dict(option.partition("=")[::2] for option in said.option)
    seats, _ = game.settle(said.seats, options)
    places = [(j, i) for i, j in itertools.combinations(range(len(said.players)), 2) if not said.chain or j == i + 1]
    found = [
        Progress(
            Match(
                game.name,
                said.players[j],
                said.players[i],
                seats,
                said.games,
                said.seed,
                said.opening,
                tuple(sorted(options.items())),
            )
        )
        for j, i in places
    ]
    if said.list:
        print(*(progress.match.told for progress in found), sep="\n")
        return
    take_up(found, said.kept)
    play_all(found, said.kept, said.processes, said.seconds)
    bots, pairs = [player(name, game) for name in said.players], []
    for (j, i), progress in zip(places, found, strict=True):
        pairs.append(Pair(j, i, progress.result.games, progress.result.share, progress.result.interval))
        print(progress.line(), flush=True)
    if len(bots) > 2 or not said.chain:
        for one, (middle, low, high) in zip(bots, scale(len(bots), pairs), strict=True):
            print(f"{one.name:>40} {middle:7.0f}  ({low:.0f} to {high:.0f})", flush=True)
    if said.decisions:
        for one, spent in zip(bots, times(bots, seats, options, said.seed, said.decisions), strict=True):
            mean, late = np.mean(spent), np.quantile(spent, 0.95)
            print(f"{one.name:>40} {mean:8.2f} ms a decision, p95 {late:.2f}, of {len(spent)}", flush=True)


if __name__ == "__main__":
    main()

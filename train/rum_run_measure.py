"""Measure players of Rum Run on every setup and with every number of seats: wins, kinds of endings, and thinking time.

    python train/rum_run_measure.py FIRST [SECOND] [--games 20] [--seed 2029] [--opening 4] [--threads 1]
                                    [--setup NAME …] [--seats N …] [--seconds N] [--each]

A player is a bot's name, optionally with changed parameters (`hard:oppose=0.5,iterations=400`), or `frozen:LEVEL`
(`train/players.py`). Two players alternate in the seats, and play each seed again with the seats changed; a single one
plays against itself. Each game begins with some random moves of each seat. Prints a line for each setup and number of
seats: the first player's share of the wins with its 95 % interval, quiet ends (those by §7.2), games identical to
another, answers per game, each player's turns that ended as an earlier one of its own (the game's `layout`) and its
turns, and the CPU milliseconds of its decisions with more than one move: mean, 95th percentile, maximum. `--each`
prints a line after every seed; after `--seconds` no seed is started.
"""

import argparse
import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from players import player

import backroom
from backroom.arena.result import MatchResult
from backroom.bots import Bot
from backroom.bots.memory import memories
from backroom.bots.seeds import bots_seed_of, dice_of
from backroom.engine.kernel import NATURE, below, dice_from, lowest, pick, without_back
from backroom.games.rum_run.brain import goal_of
from backroom.games.rum_run.rules.objectives import total

GAME = backroom.game("rum-run")
SETUPS = ("first", "standard", "small", "moonless", "badlands", "duel")


@dataclass
class Played:
    """A finished game."""

    won: float
    """The first player's share of the win."""
    ahead: float
    is_quiet: bool
    moves: tuple[int, ...]
    spent: dict[str, list[float]] = field(default_factory=dict)
    """Each player's decisions in seconds."""
    ends: dict[str, list[bool]] = field(default_factory=dict)
    """Of each turn of a player: whether it ended as an earlier one of the seat."""


def play(bots: list[Bot], first: str, numbers: Any, opening: int, seed: int) -> Played:
    """Play a game between bots, given by seat, after some random moves."""
    rules, seats = GAME.rules, len(bots)
    (s, v), out = np.zeros((2, 1), rules.STATE), np.empty(rules.MOST_MOVES, np.int32)
    chance, bots_seed, remembered, made = (
        dice_from(seed),
        np.uint64(bots_seed_of(str(seed))),
        memories(seats),
        [0] * seats,
    )
    spent: dict[str, list[float]] = {each.name: [] for each in bots}
    ends: dict[str, list[bool]] = {each.name: [] for each in bots}
    been: list[set[int]] = [set() for _ in bots]
    moves = []
    rules.setup(s[0], seats, numbers)
    while mask := rules.asked(s[0]):
        seat = lowest(mask)
        if mask == 1 << NATURE:
            place = pick(chance, out, rules.odds(s[0], out))
            rules.moves(s[0], NATURE, out)
            move = int(out[place])
        else:
            v[0] = s[0]
            rules.hide(v[0], seat)
            n = without_back(out, rules.moves(v[0], seat, out), rules.BACK)
            if sum(made) < opening:
                move = int(out[below(chance, n)])
            else:
                bot, dice = bots[seat], dice_from(int(dice_of(bots_seed, seat, made[seat])))
                begin = time.thread_time()
                move = int(bot.choose(v[0], seat, dice, bot.work, remembered[seat]))
                if n > 1:
                    spent[bot.name].append(time.thread_time() - begin)
            made[seat] += 1
        rules.play(s[0], seat, move)
        moves.append(move)
        if seat != NATURE and rules.asked(s[0]) != 1 << seat:
            layout = int(rules.layout(s[0], seat))
            ends[bots[seat].name].append(layout in been[seat])
            been[seat].add(layout)
    mine = [bot.name == first for bot in bots]
    score, winners = GAME.score(s[0], seats), GAME.winners(s[0], seats)
    ahead = sum(score[seat] for seat in range(seats) if mine[seat]) / max(sum(mine), 1)
    ahead -= sum(score[seat] for seat in range(seats) if not mine[seat]) / max(seats - sum(mine), 1)
    is_quiet = max(total(s[0], seat) for seat in range(seats)) < goal_of(s[0])
    return Played(sum(mine[seat] for seat in winners) / len(winners), ahead, is_quiet, tuple(moves), spent, ends)


def of_seed(names: list[str], seats: int, numbers: Any, opening: int, seed: int) -> list[Played]:
    """Two players' games with both seatings, or one player's game against itself."""
    bots = [player(name, GAME) for name in names]
    sat = [[bots[(seat + turned) % len(bots)] for seat in range(seats)] for turned in range(len(bots))]
    return [play(each, names[0], numbers, opening * seats, seed) for each in sat]


def told(names: list[str], setup: str, seats: int, found: list[list[Played]]) -> dict[str, object]:
    """The results as a row to print."""
    games = [game for pair in found for game in pair]
    line: dict[str, object] = {"players": names, "setup": setup, "seats": seats, "games": len(games)}
    if len(names) > 1:
        result = sum((MatchResult.of_seed([(game.won, game.ahead) for game in pair]) for pair in found), MatchResult())
        line |= {"share": round(result.share, 3), "95%": [round(each, 3) for each in result.interval]}
    line |= {"quiet": sum(game.is_quiet for game in games), "alike": len(games) - len({game.moves for game in games})}
    line["answers"] = round(float(np.mean([len(game.moves) for game in games])))
    for name in names:
        line[f"again {name}"] = [
            sum(sum(game.ends[name]) for game in games),
            sum(len(game.ends[name]) for game in games),
        ]
        spent = 1000 * np.concatenate([game.spent[name] for game in games])
        line[f"ms {name}"] = [round(float(each), 1) for each in (spent.mean(), np.quantile(spent, 0.95), spent.max())]
    return line


def measure(said: argparse.Namespace, setup: str, seats: int, until: float) -> None:
    """Play the games of one setup and number of seats, and print the results."""
    colours = {"colours": 2} if setup == "duel" else {}
    _, chosen = GAME.settle(seats, {"setup": setup, **colours})
    numbers, found, names = GAME.encoded(chosen), [], list(dict.fromkeys([said.first, said.second or said.first]))

    def one(seed: int) -> list[Played]:
        return of_seed(names, seats, numbers, said.opening, seed) if time.monotonic() < until else []

    table = GAME.table(seats, seed=0, **chosen)
    for name in names:  # compile before anything is timed
        player(name, GAME).answer(table.view(table.asked[0]), table.asked[0], 0)
    first = said.seed * 1000
    seeds = range(first, first + -(-said.games // len(names)))
    with ThreadPoolExecutor(said.threads) as pool:
        for done in as_completed([pool.submit(one, seed) for seed in seeds]):
            if done.result():
                found.append(done.result())
                if said.each:
                    print(json.dumps(told(names, setup, seats, found)), flush=True)
    if found and not said.each:
        print(json.dumps(told(names, setup, seats, found)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second", nargs="?")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=2029)
    parser.add_argument("--opening", type=int, default=4, help="moves of each seat by chance before the bots begin")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--setup", nargs="+", default=SETUPS)
    parser.add_argument("--seats", nargs="+", type=int, default=(2, 3, 4))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no game later than that")
    parser.add_argument("--each", action="store_true", help="a line after every seed")
    said = parser.parse_args()
    until = time.monotonic() + said.seconds
    for setup, seats in itertools.product(said.setup, said.seats):
        if setup != "duel" or seats == 2:
            measure(said, setup, seats, until)


if __name__ == "__main__":
    main()

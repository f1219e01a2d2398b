"""Measure players of Rum Run on every setup and with every number of seats: wins, kinds of endings, and thinking time.

    python train/rum_run_measure.py FIRST [SECOND] [--games 20] [--seed 2029] [--opening 4] [--processes 1]
                                    [--setup NAME …] [--seats N …] [--option NAME=VALUE …] [--seconds N]
                                    [--kept FILE.jsonl]

A player is a bot's name, optionally with changed parameters (`hard:oppose=0.5,iterations=400`), or `frozen:LEVEL`
(`train/players.py`). Two players alternate in the seats, and play each seed again with the seats swapped; a single one
plays against itself. Each game begins with some random moves of each seat. Prints a line for each setup and number of
seats, for each setup, for each number of seats, and for all: the first player's share of the wins with its 95 %
interval, quiet ends (those by §7.2), games identical to another, answers per game, each player's turns that ended as an
earlier one of its own (the game's `repetition_key`) and its turns, and the CPU milliseconds of its decisions with more
than one move: mean, 95th percentile, maximum. All tables progress evenly. After `--seconds` no seed is started; what
was played is stored in the file given by `--kept`, and a later call goes on from there.
"""

import argparse
import hashlib
import itertools
import json
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from players import player

import backroom
from backroom.arena.result import MatchResult
from backroom.bots import Bot, seat_with_reflex
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
    answers: int
    digest: str
    """A hash of all its moves."""
    spent: dict[str, list[float]]
    """Each player's decisions in CPU milliseconds."""
    turns: dict[str, int]
    again: dict[str, int]
    """Each player's turns that ended as an earlier one of the seat."""


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
    turns, again = ({each.name: 0 for each in bots} for _ in range(2))
    been: list[set[int]] = [set() for _ in bots]
    moves = []
    rules.setup(s[0], seats, numbers)
    while mask := rules.asked(s[0]):
        idle = {seat: bot.name for seat, bot in enumerate(bots) if not mask >> seat & 1}
        can_be_quick = mask != 1 << NATURE and sum(made) >= opening
        quick = seat_with_reflex(GAME, idle, partial(GAME.view, s[0])) if can_be_quick else None
        seat = lowest(mask) if quick is None else quick
        if quick is not None:
            move = int(rules.reflex(GAME.view(s[0], seat), seat))
            made[seat] += 1
        elif mask == 1 << NATURE:
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
                    spent[bot.name].append(round(1000 * (time.thread_time() - begin), 2))
            made[seat] += 1
        rules.play(s[0], seat, move)
        moves.append(move)
        if seat != NATURE and quick is None and rules.asked(s[0]) != 1 << seat:
            key = int(rules.repetition_key(s[0], seat))
            turns[bots[seat].name] += 1
            again[bots[seat].name] += key in been[seat]
            been[seat].add(key)
    mine = [bot.name == first for bot in bots]
    score, winners = GAME.score(s[0], seats), GAME.winners(s[0], seats)
    ahead = sum(score[seat] for seat in range(seats) if mine[seat]) / max(sum(mine), 1)
    ahead -= sum(score[seat] for seat in range(seats) if not mine[seat]) / max(seats - sum(mine), 1)
    is_quiet = max(total(s[0], seat) for seat in range(seats)) < goal_of(s[0])
    won = sum(mine[seat] for seat in winners) / len(winners)
    digest = hashlib.sha256(np.array(moves, np.int32).tobytes()).hexdigest()[:16]
    return Played(won, ahead, is_quiet, len(moves), digest, spent, turns, again)


@dataclass(frozen=True)
class Tables:
    """The games of one setup and number of seats."""

    names: tuple[str, ...]
    setup: str
    seats: int
    opening: int
    """Moves of each seat by chance before the bots begin."""
    seed: int
    """The first seed, in thousands."""
    options: tuple[str, ...] = ()
    """Other options, as NAME=VALUE."""

    @property
    def key(self) -> str:
        more = [self.options] if self.options else []
        return json.dumps([self.names, self.setup, self.seats, self.opening, self.seed, *more])


@cache
def ready(tables: Tables) -> tuple[list[Bot], Any]:
    """The players, compiled, and the options."""
    colours = {"colours": 2} if tables.setup == "duel" else {}
    options = dict(option.split("=", 1) for option in tables.options)
    _, chosen = GAME.settle(tables.seats, {"setup": tables.setup, **colours, **options})
    bots, table = [player(name, GAME) for name in tables.names], GAME.table(tables.seats, seed=0, **chosen)
    for each in bots:
        each.answer(table.view(table.asked[0]), table.asked[0], 0)
    return bots, GAME.encoded(chosen)


def of_seed(tables: Tables, nth: int) -> list[Played]:
    """Two players' games with both seatings, or one player's game against itself."""
    bots, options = ready(tables)
    sat = [[bots[(seat + turned) % len(bots)] for seat in range(tables.seats)] for turned in range(len(bots))]
    opening = tables.opening * tables.seats
    return [play(each, tables.names[0], options, opening, 1000 * tables.seed + nth) for each in sat]


def told(names: Iterable[str], found: list[list[Played]]) -> dict[str, object]:
    """The results of some pairs of games as a row to print."""
    names, games = list(names), [game for pair in found for game in pair]
    line: dict[str, object] = {"games": len(games)}
    if len(names) > 1:
        result = sum((MatchResult.of_seed([(game.won, game.ahead) for game in pair]) for pair in found), MatchResult())
        line |= {"share": round(result.share, 3), "95%": [round(each, 3) for each in result.interval]}
    line |= {"quiet": sum(game.is_quiet for game in games), "alike": len(games) - len({game.digest for game in games})}
    line["answers"] = round(float(np.mean([game.answers for game in games])))
    for name in names:
        line[f"again {name}"] = [sum(game.again[name] for game in games), sum(game.turns[name] for game in games)]
        spent = np.concatenate([game.spent[name] for game in games])
        line[f"ms {name}"] = [round(float(each), 1) for each in (spent.mean(), np.quantile(spent, 0.95), spent.max())]
    return line


Found = dict[Tables, dict[int, list[Played]]]
"""The games of each kind of tables, by the number of their seed."""


def take_up(found: Found, kept: Path | None) -> None:
    """Load the results of earlier calls."""
    by_key = {tables.key: tables for tables in found}
    for line in kept.read_text("utf-8").splitlines() if kept and kept.exists() else ():
        key, nth, games = json.loads(line)
        if key in by_key:
            found[by_key[key]][nth] = [Played(**game) for game in games]


def play_all(found: Found, seeds: int, kept: Path | None, processes: int, seconds: float) -> None:
    """Play what is missing, until all is done or the time is over."""
    begin, running = time.monotonic(), dict[Future[list[Played]], tuple[Tables, int]]()
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        while True:
            while len(running) < processes and time.monotonic() - begin < seconds:
                taken = {tables: {nth for other, nth in running.values() if other == tables} for tables in found}
                tables = min(found, key=lambda each: len(found[each]) + len(taken[each]))
                left = set(range(seeds)) - set(found[tables]) - taken[tables]
                if not left:
                    break
                running[pool.submit(of_seed, tables, min(left))] = tables, min(left)
            if not running:
                break
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                tables, nth = running.pop(done)
                found[tables][nth] = done.result()
                if kept:
                    with kept.open("a", encoding="utf-8") as file:
                        file.write(json.dumps([tables.key, nth, [asdict(game) for game in done.result()]]) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second", nargs="?")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=2029)
    parser.add_argument("--opening", type=int, default=4, help="moves of each seat by chance before the bots begin")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--setup", nargs="+", default=SETUPS)
    parser.add_argument("--seats", nargs="+", type=int, default=(2, 3, 4))
    parser.add_argument("--option", nargs="+", default=(), metavar="NAME=VALUE", help="such as claims=noticed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no seed is begun")
    parser.add_argument("--kept", type=Path, help="a file of what was played, to go on from")
    said = parser.parse_args()
    names = tuple(dict.fromkeys([said.first, said.second or said.first]))
    found: Found = {
        Tables(names, setup, seats, said.opening, said.seed, tuple(said.option)): {}
        for setup, seats in itertools.product(said.setup, said.seats)
        if setup != "duel" or seats == 2
    }
    take_up(found, said.kept)
    play_all(found, -(-said.games // len(names)), said.kept, said.processes, said.seconds)
    groups: dict[tuple[str, str], list[Tables]] = defaultdict(list)
    for tables in found:
        for setup, seats in itertools.product((tables.setup, "all"), (str(tables.seats), "all")):
            groups[setup, seats].append(tables)
    for (setup, seats), several in sorted(groups.items(), key=lambda each: each[0].count("all")):
        pairs = [games for tables in several for games in found[tables].values()]
        if pairs and (len(several) > 1 or "all" not in (setup, seats)):
            print(json.dumps({"players": names, "setup": setup, "seats": seats, **told(names, pairs)}), flush=True)


if __name__ == "__main__":
    main()

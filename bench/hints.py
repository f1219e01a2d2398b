"""The strength of hints: a player who follows a game's judge against one who follows a search, or against a bot.

    python bench/hints.py GAME [--against search] [--games 100] [--seats N] [--seed 2026] [--opening 0] [--processes N]
                          [--seconds S]

Each seed is played twice, with the judge in every other seat and then in the others. `search` has 2,000 iterations over
single steps, the same for every game. With `--opening N` the first N answers are random moves, the same in both games:
where a game has no chance, all games would be the same without it. Times are CPU times of one decision, on one core.
The games do not depend on the number of processes. After `--seconds` no pair of games is begun.
"""

import argparse
import functools
import math
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import backroom
from backroom.arena.result import MatchResult
from backroom.bots import bot, ends_of_turns, judge_of, ranked
from backroom.bots.search import Plan, consider
from backroom.engine.game import Game
from backroom.engine.protocol import Move
from backroom.engine.table import Table

ITERATIONS = 2000
Follow = Callable[[Table, int, int], Move]
"""From a table, a seat that is asked, and a seed to a move."""


def by_judge(game: Game) -> Follow:
    judge = judge_of(game)

    def follow(table: Table, seat: int, seed: int) -> Move:
        return ranked(game, judge, table.view(seat), seat, seed, been=ends_of_turns(table, seat))[0][0]

    return follow


def by_search(game: Game) -> Follow:
    plan = Plan(iterations=ITERATIONS)

    def follow(table: Table, seat: int, seed: int) -> Move:
        return max(consider(game, table.view(seat), seat, seed, plan, threads=1), key=lambda one: one.worth).move

    return follow


def by_bot(game: Game, name: str) -> Follow:
    """A bot that remembers its decisions in each seat, within one game."""
    player = bot(name, game)
    memories: dict[int, Any] = {}

    def follow(table: Table, seat: int, seed: int) -> Move:
        return player.answer(table.view(seat), seat, seed, memories.setdefault(seat, player.memory()))

    return follow


class Pair(NamedTuple):
    """A seed that was played twice, with the seats swapped."""

    result: MatchResult
    times: tuple[list[float], list[float]]
    """CPU time of each decision of the first and of the second player."""


def play(
    game: Game, seats: int | None, seed: str, follows: list[Follow], times: list[list[float]], opening: int
) -> float:
    """Play a game; returns the share won by the first, who has every other seat. Forced moves need no advice."""
    table, drawn = game.table(seats, seed=seed), random.Random(seed)
    for _ in range(opening):
        if not table.is_over:
            table.play(table.asked[0], drawn.choice(table.moves(table.asked[0])))
    number = 0
    while not table.is_over:
        number += 1
        seat = table.asked[0]
        v = table.view(seat)
        found = game.moves(v, seat)
        if len(found) > 1:
            start = time.process_time()
            found = [follows[seat % 2](table, seat, number)]
            times[seat % 2].append(time.process_time() - start)
        table.play(seat, game.rules.name(v, found[0]))
    assert table.score is not None
    best, mine = max(table.score), table.score[::2]
    return mine.count(best) / table.score.count(best)


def play_pair(
    name: str, against: str, seats: int | None, seed: int, opening: int, until: float, pair: int
) -> Pair | None:
    """Play a seed twice, unless time is over."""
    if time.time() > until:
        return None
    game = backroom.game(name)
    follows = [by_judge(game), by_search(game) if against == "search" else by_bot(game, against)]
    times: tuple[list[float], list[float]] = ([], [])
    games = []
    for turned in (False, True):
        order = follows[::-1] if turned else follows
        found = play(game, seats, f"{seed}-{pair}", order, list(times[::-1] if turned else times), opening)
        games.append((1 - found if turned else found, 0.0))
    return Pair(MatchResult.of_seed(games), times)


def main() -> None:
    parser = argparse.ArgumentParser(description="How strong hints are.")
    parser.add_argument("game")
    parser.add_argument("--against", default="search")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--opening", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=math.inf)
    said = parser.parse_args()
    until = time.time() + said.seconds
    play_one = functools.partial(play_pair, said.game, said.against, said.seats, said.seed, said.opening, until)
    total, times, line = MatchResult(), ([], []), ""  # type: tuple[MatchResult, tuple[list[float], list[float]], str]
    with ProcessPoolExecutor(said.processes, mp_context=get_context("spawn")) as pool:
        for pair in filter(None, pool.map(play_one, range(said.games // 2))):
            total += pair.result
            for found, some in zip(times, pair.times, strict=True):
                found.extend(some)
            low, high = total.interval
            medians = [1000 * statistics.median(one) for one in times]
            line = (
                f"{total.games} games: {total.share:.1%} ({low:.1%} to {high:.1%}); "
                f"{medians[0]:.0f} ms a decision against {medians[1]:.0f}, slowest {1000 * max(times[0]):.0f}"
            )
            print(line, file=sys.stderr, flush=True)
    print(line)


if __name__ == "__main__":
    main()

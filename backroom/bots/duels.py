"""Rounds between two seats, solved as matrix games with a payoff for every pair of answers.

Each pair of answers is followed through chance and small choices to the next round between the two, which is solved as
well, by the values of the states after it. For the games of `backroom/bots/rounds.py`.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, kernel, lowest, without_back

LEVELS = 5
"""The most moves, of nature or of one seat, that are followed after a pair of answers."""
FEW = 2
"""The most moves of a seat asked alone that are followed; with more of them the state is evaluated instead."""
TURNS = 1000
"""Iterations of regret matching for the round to decide."""
FEWER_TURNS = 150
"""Iterations of regret matching for the round after it."""
CELLS = 100
"""The most pairs of answers in a round for which the search continues after them."""


class Workspace(NamedTuple):
    """The arrays that the kernels work in, as few as possible: kernels with fewer arguments compile faster."""

    worlds: Any
    """The state after a pair of answers, and the states after it, one for each level."""
    steps: Any
    """What is known of each of `worlds`: see `step_of`."""
    matrices: Any
    """The round to decide, and the one after it: see `matrix_of`."""


def step_of(game: Game) -> np.dtype[Any]:
    """The record of a state on the way to the next round."""
    most, seats = game.rules.MOST_MOVES, max(game.rules.SEATS)
    return np.dtype([
        ("hopes", np.float64, 3 * seats),  # the expected value of every seat, and twice as much scratch space
        ("out", np.int32, most),  # moves
        ("odds", np.int32, most),  # the odds of nature's moves
        ("who", np.int64),  # who moves
        ("count", np.int64),  # the number of moves to follow
        ("place", np.int64),  # the number of moves followed so far
        ("total", np.int64),  # the sum of the odds of these
    ])  # fmt: skip


def matrix_of(game: Game) -> np.dtype[Any]:
    """The record of a round between two seats as a matrix game."""
    most = game.rules.MOST_MOVES + 1
    return np.dtype([
        ("seats", np.int64, 2),  # the two seats
        ("counts", np.int64, 2),  # the number of answers of each
        ("answers", np.int32, (2, most)),  # the answers of each
        ("payoffs", np.float64, (2, most, most)),  # the value of each pair of answers for each seat
        ("regrets", np.float64, (2, most)),  # the cumulative regret of each answer
        ("now", np.float64, (2, most)),  # the current probability of each answer
        ("sums", np.float64, (2, most)),  # the average strategy, later iterations weighted more
    ])  # fmt: skip


def workspace_for(game: Game) -> Workspace:
    return Workspace(
        worlds=np.zeros(LEVELS + 2, game.rules.STATE),
        steps=np.zeros(LEVELS + 2, step_of(game)),
        matrices=np.zeros(2, matrix_of(game)),
    )


@kernel
def learn_from_the_other(matrix, side, n, m, weight):  # type: ignore[no-untyped-def]
    """One iteration of regret matching for one side, which has n answers against m."""
    total, expected = 0.0, 0.0
    for i in range(n):
        gain = 0.0
        for j in range(m):
            gain += matrix.now[1 - side, j] * (matrix.payoffs[0, i, j] if side == 0 else matrix.payoffs[1, j, i])
        matrix.regrets[side, i] += gain
        expected += matrix.now[side, i] * gain
    for i in range(n):
        matrix.regrets[side, i] = max(matrix.regrets[side, i] - expected, 0.0)
        total += matrix.regrets[side, i]
    for i in range(n):
        matrix.now[side, i] = matrix.regrets[side, i] / total if total > 0.0 else 1.0 / n
        matrix.sums[side, i] += weight * matrix.now[side, i]


@kernel
def solve(matrix, n, m, turns):  # type: ignore[no-untyped-def]
    """Fill `sums` with the average strategies of both sides: n answers of the first against m of the second. Updates
    alternate, and later iterations are weighted more (CFR+).
    """
    for side in range(2):
        for i in range(m if side else n):
            matrix.regrets[side, i] = matrix.sums[side, i] = 0.0
            matrix.now[side, i] = 1.0 / (m if side else n)
    for turn in range(turns):
        learn_from_the_other(matrix, 0, n, m, turn + 1.0)
        learn_from_the_other(matrix, 1, m, n, turn + 1.0)
    total = turns * (turns + 1) / 2
    for i in range(n):
        matrix.sums[0, i] /= total
    for j in range(m):
        matrix.sums[1, j] /= total


@kernel
def expected(matrix, side, n, m):  # type: ignore[no-untyped-def]
    """The value of a solved matrix game for one side."""
    found = 0.0
    for i in range(n):
        for j in range(m):
            found += matrix.sums[0, i] * matrix.sums[1, j] * matrix.payoffs[side, i, j]
    return found


@cache
def next_round_of(game: Game) -> Any:
    """The kernel `next_round(work, weights, at)`."""
    rules: Any = game.rules
    asked, moves, play, values, back = rules.asked, rules.moves, rules.play, rules.values, rules.BACK

    @kernel
    def next_round(work, weights, at):  # type: ignore[no-untyped-def]
        """Solve the round in `worlds[at]` and write the values of its two seats to the step's `hopes`. Returns False if
        the round has too many pairs of answers.
        """
        matrix, then = work.matrices[1], work.steps[at + 1]
        who = asked(work.worlds[at])
        for side in range(2):
            seat = lowest(who)
            who &= ~(1 << seat)
            answers = matrix.answers[side]
            matrix.seats[side] = seat
            matrix.counts[side] = without_back(answers, moves(work.worlds[at], seat, answers), back)
        n, m = matrix.counts[0], matrix.counts[1]
        if n * m > CELLS:
            return False
        for pair in range(n * m):
            i, j = pair // m, pair % m
            work.worlds[at + 1] = work.worlds[at]
            for side in range(2):
                play(work.worlds[at + 1], matrix.seats[side], matrix.answers[side, j if side else i])
            values(work.worlds[at + 1], weights, then.hopes)
            for side in range(2):
                matrix.payoffs[side, i, j] = then.hopes[matrix.seats[side]]
        solve(matrix, n, m, FEWER_TURNS)
        for side in range(2):
            work.steps[at].hopes[matrix.seats[side]] = expected(matrix, side, n, m)
        return True

    return next_round


@cache
def follow_of(game: Game) -> Any:
    """The kernel `follow(work, weights, levels)`."""
    rules: Any = game.rules
    asked, moves, odds, play, values, back = rules.asked, rules.moves, rules.odds, rules.play, rules.values, rules.BACK
    next_round, most_seats = next_round_of(game), max(rules.SEATS)

    @kernel
    def begin(work, weights, at, levels):  # type: ignore[no-untyped-def]
        """List the moves of `worlds[at]` to follow, unless it is too deep; if there are none, evaluate the state."""
        who, step = asked(work.worlds[at]), work.steps[at]
        step.place = step.count = step.total = 0
        seat, several = NATURE, 0
        for other in range(most_seats):
            if who >> other & 1:
                seat, several = other, several + 1
        step.who = seat
        if at < levels and several == 2 and next_round(work, weights, at):
            return
        n = 0
        if at < levels and (several == 1 or who == 1 << NATURE):
            n = without_back(step.out, moves(work.worlds[at], seat, step.out), back)
        if n > FEW and seat != NATURE:
            n = 0
        if n == 0:
            values(work.worlds[at], weights, step.hopes)
        elif seat == NATURE:
            odds(work.worlds[at], step.odds)
        step.count = n

    @kernel
    def end(step, then):  # type: ignore[no-untyped-def]
        """Back up the values of the last move followed: chance is averaged, a seat takes its best move."""
        place = step.place - 1
        if step.who == NATURE:
            before, chance = step.total, step.odds[place]
            step.total = before + chance
            for seat in range(most_seats):
                old = step.hopes[seat] if before else 0.0
                step.hopes[seat] = (before * old + chance * then.hopes[seat]) / step.total
        elif place == 0 or then.hopes[step.who] > step.hopes[step.who]:
            for seat in range(most_seats):
                step.hopes[seat] = then.hopes[seat]

    @kernel
    def follow(work, weights, levels):  # type: ignore[no-untyped-def]
        """Write the values of `worlds[0]` to its `hopes`, by a search to the next round between the two, and at most
        `levels` moves deep.
        """
        at, is_new = 0, True
        while is_new or at:
            if is_new:
                begin(work, weights, at, levels)
            else:
                at -= 1
                end(work.steps[at], work.steps[at + 1])
            step = work.steps[at]
            is_new = step.place < step.count
            if is_new:
                work.worlds[at + 1] = work.worlds[at]
                play(work.worlds[at + 1], step.who, step.out[step.place])
                step.place += 1
                at += 1

    return follow

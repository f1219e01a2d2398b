"""Rounds between two: when only two seats answer together, every pair of answers is looked at, and the round is solved.

What lies behind a pair is followed through chance and small choices to the next round between the two, and that round
is solved as well, by the values behind it. For the games of `backroom/bots/rounds.py`.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, kernel, without_back

LEVELS = 5
"""How many answers, of chance or of one seat, are followed behind a pair of answers."""
FEW = 2
"""A seat that is asked alone is followed where it has no more moves than this."""
TURNS = 1000
"""Turns of regret matching by which the round that is asked about is solved."""
FEWER_TURNS = 150
"""Turns of regret matching by which the round after it is solved."""
CELLS = 100
"""A round with more pairs of answers than this is solved by the values behind it alone."""


class Workspace(NamedTuple):
    """What a duel is thought about with. Kernels compile the quicker, the fewer arrays they are handed."""

    worlds: Any
    """The state behind a pair of answers, and those that follow from it, one an answer."""
    steps: Any
    """What is known of each of them: see `step_of`."""
    matrices: Any
    """The round that is asked about, and the one after it: see `matrix_of`."""


def step_of(game: Game) -> np.dtype[Any]:
    """A state on the way to the next round."""
    most, seats = game.rules.MOST_MOVES, max(game.rules.SEATS)
    return np.dtype([
        ("hopes", np.float64, 3 * seats),  # what every seat may expect, and twice as much room to think
        ("out", np.int32, most),  # moves
        ("odds", np.int32, most),  # and their odds
        ("who", np.int64),  # who moves
        ("count", np.int64),  # how many moves are followed
        ("place", np.int64),  # how many of these have been
        ("total", np.int64),  # the sum of their odds
    ])  # fmt: skip


def matrix_of(game: Game) -> np.dtype[Any]:
    """A round between two as a matrix game."""
    most = game.rules.MOST_MOVES + 1
    return np.dtype([
        ("seats", np.int64, 2),  # the two
        ("counts", np.int64, 2),  # how many answers each has
        ("answers", np.int32, (2, most)),  # and which
        ("payoffs", np.float64, (2, most, most)),  # what each may expect behind each pair of answers
        ("regrets", np.float64, (2, most)),  # what each lost by not giving an answer
        ("now", np.float64, (2, most)),  # how likely each answer is at present
        ("sums", np.float64, (2, most)),  # how likely each was so far, later turns counting more
    ])  # fmt: skip


def workspace_for(game: Game) -> Workspace:
    return Workspace(
        worlds=np.zeros(LEVELS + 2, game.rules.STATE),
        steps=np.zeros(LEVELS + 2, step_of(game)),
        matrices=np.zeros(2, matrix_of(game)),
    )


@kernel
def learn_from_the_other(matrix, side, n, m, weight):  # type: ignore[no-untyped-def]
    """One turn of regret matching for one of the two, who has n answers against m."""
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
    """Fill `sums` with what both do: n answers of the first against m of the second. They learn in turn, and late turns
    count more (CFR+).
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
    """What one of the two may expect of a matrix game that is solved."""
    found = 0.0
    for i in range(n):
        for j in range(m):
            found += matrix.sums[0, i] * matrix.sums[1, j] * matrix.payoffs[side, i, j]
    return found


@kernel
def lowest(mask):  # type: ignore[no-untyped-def]
    """The lowest seat of a mask."""
    seat = 0
    while not mask >> seat & 1:
        seat += 1
    return seat


@cache
def next_round_of(game: Game) -> Any:
    """The kernel `next_round(work, weights, at)`."""
    rules: Any = game.rules
    asked, moves, play, values, back = rules.asked, rules.moves, rules.play, rules.values, rules.BACK

    @kernel
    def next_round(work, weights, at):  # type: ignore[no-untyped-def]
        """What the two who are asked in `worlds[at]` may expect, into its hopes; False if that would take too long."""
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
        """List the moves of `worlds[at]` that are to be followed, if this is not too deep; where none are, judge it."""
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
        """Add what was found behind the last move of a step: chance is averaged, a seat takes what is best."""
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
        """What the two may expect of `worlds[0]`, into its hopes: as far as the next round between them, and at most
        this number of answers deep.
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

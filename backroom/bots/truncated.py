"""Truncated rollouts with variance reduction, for games of two seats without secrets: strong and slow.

The endings of a turn that are still close after all plies (`bots/plies.py`) are played on for a few turns by the game's
net at one ply, and the net evaluates the last position. Luck is subtracted: for each of nature's moves, the net's value
after it minus the mean over all moves that she could have made. Luck is 0 on average; what is left of a rollout is the
sum of corrections that two plies make to one ply, turn by turn. All endings share the same dice, so a few dozen
rollouts are enough to find the best; endings that are clearly behind are dropped. A position whose value the net knows
exactly is not played on.
"""

from collections import namedtuple
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from backroom.bots import plans, plies
from backroom.bots.deadlines import is_late
from backroom.bots.hashing import mixed
from backroom.bots.plans import number
from backroom.bots.plies import LEVELS, WIDEST, candidates, corrected, how_many_are_close, suits, swap_in
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, pick, scratch
from backroom.engine.protocol import Seat, State

__all__ = ["Judge", "Plan", "choose_of", "suits", "workspace_for"]

NEEDS = plies.NEEDS
"""The kernels that a game's module has to offer."""
PATIENCE = 5.0
"""Factor by which its time limit is longer than that of other strategies, if there is a deadline."""
FEWEST = 12
"""Rollouts of each ending before any is dropped; fewer are ignored if time is over."""
MOST_GAMES = 10_000
"""The most rollouts of one ending."""
ALIKE = 0.0005
"""An ending that cannot be better by more than this is dropped."""
NO_MARK = -9.0
"""A value below all marks."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """The number of rollouts, their length, and the endings that get them."""

    games: int = number(72, most=MOST_GAMES)
    """The most rollouts of an ending; 0: the best ending after all plies is played."""
    turns: int = number(6, least=1, most=1000)
    """Turns, of both seats, that are played before the net evaluates the position."""
    surely: float = number(2.5, most=100)
    """An ending is dropped if it is behind the best by more than this, in standard errors."""
    trust: float = number(24.0, most=1e6)
    """The weight of the mark after all plies, in rollouts."""
    near: float = number(0.04, most=2)
    """The largest loss after all plies that still gets rollouts, in the unit of `expect`."""
    plies: int = number(3, least=1, most=LEVELS)
    """As in `plies.Plan`, like all fields below. With 1 there is only one ending, and no rollout."""
    width: int = number(8, least=1, most=WIDEST)
    margin: float = number(0.15, most=2)
    finalists: int = number(6, least=1, most=WIDEST)
    close: float = number(0.06, most=2)
    noise: float = number(0.0, most=1)
    blur: float = number(0.0, most=8)


MORE = (
    "dice",  # the dice of one rollout
    "begun",  # the value of each ending at two plies
    "now",  # the position from which a rollout continues
    "results",  # the result of each rollout of each ending
    "dropped",  # whether an ending was dropped
)
"""The fields of the workspace beyond those of `plies.Workspace`."""
_tuple: Any = namedtuple  # typing.NamedTuple cannot take the fields of another tuple
Workspace = _tuple("Workspace", (*plies.Workspace._fields, *MORE))


@kernel
def stratum(odds, n, nth, offset):  # type: ignore[no-untyped-def]
    """The index of nature's move for the nth rollout, by stratified sampling: over as many rollouts as the sum of the
    odds, each move comes up as often as its odds say, and fewer rollouts are spread evenly.
    """
    total = 0
    for i in range(n):
        total += odds[i]
    step = max(1, total * 618 // 1000)
    while greatest_divisor(step, total) > 1:
        step -= 1
    at = (nth * step + offset) % total
    which = 0
    while at >= odds[which]:
        at -= odds[which]
        which += 1
    return which


@kernel
def greatest_divisor(a, b):  # type: ignore[no-untyped-def]
    """The greatest common divisor."""
    while b:
        a, b = b, a % b
    return a


@kernel
def mean_of(results, done):  # type: ignore[no-untyped-def]
    """The mean of the first `done` results."""
    total = 0.0
    for k in range(done):
        total += results[k]
    return total / done


@kernel
def mark_of(work, i, done):  # type: ignore[no-untyped-def]
    """The mean of an ending's rollouts and of its mark after all plies, which has the weight `trust`."""
    trust = work.plan.trust
    return (mean_of(work.results[i], done) * done + work.marks[i] * trust) / (done + trust)


@kernel
def error_of(results, others, done):  # type: ignore[no-untyped-def]
    """The standard error of the mean difference between two endings, paired by their dice."""
    gap, total = mean_of(results, done) - mean_of(others, done), 0.0
    for k in range(done):
        off = results[k] - others[k] - gap
        total += off * off
    return np.sqrt(total / (done * max(done - 1, 1)))


@kernel
def leader(work, n, done):  # type: ignore[no-untyped-def]
    """The best of n endings that are not dropped; the first of equals."""
    best, most = 0, NO_MARK
    for i in range(n):
        if not work.dropped[i]:
            mark = mark_of(work, i, done)
            if mark > most:
                best, most = i, mark
    return best


@kernel
def drop(work, n, done):  # type: ignore[no-untyped-def]
    """Drop endings that are clearly behind the best, or cannot be notably better; returns the number left."""
    best, left = leader(work, n, done), 0
    top = mark_of(work, best, done)
    for i in range(n):
        if i != best and not work.dropped[i]:
            reach = work.plan.surely * error_of(work.results[best], work.results[i], done)
            work.dropped[i] = top - mark_of(work, i, done) + ALIKE > reach * done / (done + work.plan.trust)
        left += not work.dropped[i]
    return left


@cache
def roll_out_of(game: Game) -> Any:
    """The kernel `roll_out(work, seat, n, seed, is_choice)`."""
    rules: Any = game.rules
    asked, is_known = rules.asked, rules.is_known
    open_chances, reply, outlook = plies.open_chances_of(game), plies.reply_of(game), plies.outlook_of(game)

    @kernel
    def is_open(work):  # type: ignore[no-untyped-def]
        """Whether a rollout can continue from `starts[1]`: nature moves, and the net does not know the exact value."""
        return asked(work.starts[1]) == 1 << NATURE and not is_known(work.starts[1], work.weights)

    @kernel
    def correction(work, seat, n, chosen, mark):  # type: ignore[no-untyped-def]
        """Play the chosen one of nature's n moves in `starts[1]` and the turn after it. Returns the difference between
        the mean over all n moves and the one-ply mark, and the mark of the position reached.
        """
        total, weight, then = 0.0, 0.0, 0.0
        for at in range(n):
            found = reply(work, 1, seat, at)
            total += work.odds[1, at] * found
            weight += work.odds[1, at]
            if at == chosen:
                then = found
                work.now[0] = work.kept[WIDEST]
            if is_late(work):
                break
        work.starts[1] = work.now[0]
        return total / weight - mark, then

    @kernel
    def rollout(work, seat, i, nth, seed):  # type: ignore[no-untyped-def]
        """The result of one rollout of an ending without luck; meaningless if time is over."""
        work.starts[1] = work.kept[i]
        found = work.begun[i]
        if not is_open(work):
            return found
        n = open_chances(work, 1)
        mark = reply(work, 1, seat, stratum(work.odds[1], n, nth, np.int64(mixed(seed, 0) >> np.uint64(33))))
        work.starts[1] = work.kept[WIDEST]
        work.dice[0] = mixed(seed, nth + 1)
        for _ in range(work.plan.turns):
            if not is_open(work) or is_late(work):
                break
            n = open_chances(work, 1)
            more, mark = correction(work, seat, n, pick(work.dice, work.odds[1], n), mark)
            found += more
        return found

    @kernel
    def roll_out(work, seat, n, seed, is_choice):  # type: ignore[no-untyped-def]
        """Roll out the first n endings in turn, and write their marks to `looks`. If a choice is to be made, endings
        that cannot win are dropped. Returns the number of rollouts of each ending that was not dropped.
        """
        for i in range(n):
            work.starts[1] = work.kept[i]
            work.begun[i] = outlook(work, seat, 1)
            work.dropped[i] = 0
        done, left = 0, n
        while done < work.plan.games and (left > 1 or not is_choice):
            for i in range(n):
                if not work.dropped[i]:
                    work.results[i, done] = rollout(work, seat, i, done, seed)
            if is_late(work):
                break
            done += 1
            if is_choice and done >= FEWEST:
                left = drop(work, n, done)
        for i in range(n):
            if done and not work.dropped[i]:
                work.looks[i] = mark_of(work, i, done)
        return done

    return roll_out


@cache
def find_best_of(game: Game) -> Any:
    """The kernel `find_best(work, seat, dice)`."""
    find_by_plies, roll_out = plies.find_best_of(game), roll_out_of(game)

    @kernel
    def find_best(work, seat, dice):  # type: ignore[no-untyped-def]
        """Put the best ending of the turn first: by rollouts, or after all plies if there were too few rollouts."""
        n = how_many_are_close(work, find_by_plies(work, seat, dice), work.plan.near)
        if n == 1 or is_late(work):
            return n
        done = roll_out(work, seat, n, np.uint64(below(dice, 1 << 31)), True)
        if done >= min(FEWEST, work.plan.games) and done > 0:
            for place in range(leader(work, n, done) - 1, -1, -1):
                swap_in(work, 0, place)
        return n

    return find_best


def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    return plies.choose_by(game, find_best_of(game))


def workspace_for(game: Game, plan: Plan, weights: Any = None) -> Any:
    """A new workspace for a game, with the game's own weights by default."""
    return Workspace(
        *plies.workspace_for(game, plan, weights),
        dice=scratch(1, np.uint64),
        begun=scratch(WIDEST, np.float64),
        now=scratch(1, game.rules.STATE),
        results=np.zeros((WIDEST, MOST_GAMES)),
        dropped=scratch(WIDEST, np.int64),
    )


class Judge(plies.Judge):
    """Judges steps as `plies.Judge` does, and the best endings by rollouts."""

    def __init__(self, game: Game, plan: Plan) -> None:
        super().__init__(game, plan)
        self.roll_out = roll_out_of(game)

    workspace_for = staticmethod(workspace_for)

    def looked_at_last(
        self, marks: dict[bytes, float], states: dict[bytes, State], seat: Seat, seed: int
    ) -> dict[bytes, float]:
        """The marks with rollouts of all endings that are `near` the best; none is dropped."""
        left = candidates(marks, self.plan.near, self.plan.finalists)
        if len(left) < 2 or not self.plan.games:
            return marks
        for place, key in enumerate(left):
            self.work.kept[place], self.work.marks[place] = states[key], marks[key]
        rolled = np.uint64(below(dice_from(seed), 1 << 31))
        self.roll_out(self.work, seat, len(left), rolled, False)
        return corrected(marks, dict(zip(left, self.work.looks.tolist(), strict=False)))

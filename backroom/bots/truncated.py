"""Truncated rollouts with the luck of nature taken off, for two seats without secrets: for those who can wait.

The endings of a turn that are still close after all plies (`bots/plies.py`) are played on by the game's net at first
sight, a few turns far, and the net judges where they come to. What nature gave is taken off: of each of her moves, what
the net expects with it, less the mean over all that she could have made. That is 0 on average, and leaves of a rollout
the corrections that a second look makes of the first, turn by turn. All endings meet the same dice, so a few dozen
rollouts tell the better one; what is clearly behind is dropped. Where the net knows the truth nothing is played on.
"""

from collections import namedtuple
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from backroom.bots import plans, plies
from backroom.bots.hashing import mixed
from backroom.bots.plans import number
from backroom.bots.plies import LEVELS, WIDEST, candidates, corrected, how_many_are_close, suits, swap_in
from backroom.bots.thinking import is_late
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, pick, scratch
from backroom.engine.protocol import Seat, State

__all__ = ["Judge", "Plan", "choose_of", "suits", "workspace_for"]

NEEDS = plies.NEEDS
"""What a game's module has to offer."""
PATIENCE = 5.0
"""How many times as long as others it may think, where there is a deadline."""
FEWEST = 12
"""Rollouts of each ending before any is dropped, or is believed when time is over."""
MOST_GAMES = 10_000
"""Rollouts of one ending."""
ALIKE = 0.0005
"""An ending that cannot be better by more than this is not played on."""
NO_MARK = -9.0
"""Below all marks."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """How many rollouts, how long they are, and which endings get them."""

    games: int = number(72, most=MOST_GAMES)
    """Rollouts of an ending, at most; 0: the best after all plies is played."""
    turns: int = number(6, least=1, most=1000)
    """Turns of both seats that are played before the net judges."""
    surely: float = number(2.5, most=100)
    """Standard errors by which an ending has to be behind the best to be dropped."""
    trust: float = number(24.0, most=1e6)
    """How many rollouts the mark after all plies is worth."""
    near: float = number(0.04, most=2)
    """The largest loss after all plies that still gets rollouts, in what `expect` says."""
    plies: int = number(3, least=1, most=LEVELS)
    """As in `plies.Plan`, and so are those that follow. With 1 there is one ending to choose from, and no rollout."""
    width: int = number(8, least=1, most=WIDEST)
    margin: float = number(0.15, most=2)
    finalists: int = number(6, least=1, most=WIDEST)
    close: float = number(0.06, most=2)
    noise: float = number(0.0, most=1)
    blur: float = number(0.0, most=8)


MORE = (
    "dice",  # those of one rollout
    "begun",  # what is expected of each ending at two plies
    "now",  # the position that a rollout goes on from
    "results",  # what each rollout of each ending came to
    "dropped",  # whether an ending is played on no more
)
"""What it thinks with, beside all that `plies` has."""
_tuple: Any = namedtuple  # with the fields of another, which its typed sister cannot have
Workspace = _tuple("Workspace", (*plies.Workspace._fields, *MORE))


@kernel
def stratum(odds, n, nth, offset):  # type: ignore[no-untyped-def]
    """One of nature's n moves for the nth rollout: as many rollouts as the odds have in sum meet each move
    as often as its odds say, and fewer of them are spread evenly.
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
    """The greatest number that divides both."""
    while b:
        a, b = b, a % b
    return a


@kernel
def mean_of(results, done):  # type: ignore[no-untyped-def]
    """The mean of the first results."""
    total = 0.0
    for k in range(done):
        total += results[k]
    return total / done


@kernel
def mark_of(work, i, done):  # type: ignore[no-untyped-def]
    """What an ending comes to by its rollouts, and by its mark after all plies as far as that is trusted."""
    trust = work.plan.trust
    return (mean_of(work.results[i], done) * done + work.marks[i] * trust) / (done + trust)


@kernel
def error_of(results, others, done):  # type: ignore[no-untyped-def]
    """The standard error of the mean gap between two endings, which met the same dice."""
    gap, total = mean_of(results, done) - mean_of(others, done), 0.0
    for k in range(done):
        off = results[k] - others[k] - gap
        total += off * off
    return np.sqrt(total / (done * max(done - 1, 1)))


@kernel
def leader(work, n, done):  # type: ignore[no-untyped-def]
    """The best of n endings; the earlier of equals."""
    best, most = 0, NO_MARK
    for i in range(n):
        if not work.dropped[i]:
            mark = mark_of(work, i, done)
            if mark > most:
                best, most = i, mark
    return best


@kernel
def drop(work, n, done):  # type: ignore[no-untyped-def]
    """Drop what is clearly behind the best, or cannot be better by anything to speak of; says how many are left."""
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
    """The kernel `roll_out(work, seat, n, luck, is_choice)`."""
    rules: Any = game.rules
    asked, is_known = rules.asked, rules.is_known
    open_chances, reply, outlook = plies.open_chances_of(game), plies.reply_of(game), plies.outlook_of(game)

    @kernel
    def is_open(work):  # type: ignore[no-untyped-def]
        """Whether there is anything to be played on from `starts[1]`."""
        return asked(work.starts[1]) == 1 << NATURE and not is_known(work.starts[1], work.weights)

    @kernel
    def correction(work, seat, n, chosen, mark):  # type: ignore[no-untyped-def]
        """Play the chosen of nature's n moves in `starts[1]` and the turn after it. Says by how much the mean over all
        of them is more than the mark at first sight, and the mark of what it has come to.
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
    def rollout(work, seat, i, nth, luck):  # type: ignore[no-untyped-def]
        """What one rollout of an ending comes to, the luck taken off. When time is over it says anything."""
        work.starts[1] = work.kept[i]
        found = work.begun[i]
        if not is_open(work):
            return found
        n = open_chances(work, 1)
        mark = reply(work, 1, seat, stratum(work.odds[1], n, nth, np.int64(mixed(luck, 0) >> np.uint64(33))))
        work.starts[1] = work.kept[WIDEST]
        work.dice[0] = mixed(luck, nth + 1)
        for _ in range(work.plan.turns):
            if not is_open(work) or is_late(work):
                break
            n = open_chances(work, 1)
            more, mark = correction(work, seat, n, pick(work.dice, work.odds[1], n), mark)
            found += more
        return found

    @kernel
    def roll_out(work, seat, n, luck, is_choice):  # type: ignore[no-untyped-def]
        """Rollouts of the first n endings, in turn; into `looks` goes what each comes to. Where there is a
        choice to be made, those on which it cannot fall are dropped. Says how many rollouts were made of each other.
        """
        for i in range(n):
            work.starts[1] = work.kept[i]
            work.begun[i] = outlook(work, seat, 1)
            work.dropped[i] = 0
        done, left = 0, n
        while done < work.plan.games and (left > 1 or not is_choice):
            for i in range(n):
                if not work.dropped[i]:
                    work.results[i, done] = rollout(work, seat, i, done, luck)
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
    find_at_sight, roll_out = plies.find_best_of(game), roll_out_of(game)

    @kernel
    def find_best(work, seat, dice):  # type: ignore[no-untyped-def]
        """Put the best ending of the turn first. Too few rollouts say nothing: then it is the best after all plies."""
        n = how_many_are_close(work, find_at_sight(work, seat, dice), work.plan.near)
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
    """What it needs; other weights than the game's own may be given."""
    return Workspace(
        *plies.workspace_for(game, plan, weights),
        dice=scratch(1, np.uint64),
        begun=scratch(WIDEST, np.float64),
        now=scratch(1, game.rules.STATE),
        results=np.zeros((WIDEST, MOST_GAMES)),
        dropped=scratch(WIDEST, np.int64),
    )


class Judge(plies.Judge):
    """What steps are worth: as that of `plies` says, and the best of the endings by rollouts."""

    def __init__(self, game: Game, plan: Plan) -> None:
        super().__init__(game, plan)
        self.roll_out = roll_out_of(game)

    workspace_for = staticmethod(workspace_for)

    def looked_at_last(
        self, marks: dict[bytes, float], states: dict[bytes, State], seat: Seat, seed: int
    ) -> dict[bytes, float]:
        """All that are near are rolled out alike, and none is dropped."""
        left = candidates(marks, self.plan.near, self.plan.finalists)
        if len(left) < 2 or not self.plan.games:
            return marks
        for place, key in enumerate(left):
            self.work.kept[place], self.work.marks[place] = states[key], marks[key]
        luck = np.uint64(below(dice_from(seed), 1 << 31))
        self.roll_out(self.work, seat, len(left), luck, False)
        return corrected(marks, dict(zip(left, self.work.looks.tolist(), strict=False)))

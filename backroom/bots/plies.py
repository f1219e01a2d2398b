"""Looking ahead by whole turns, for two seats without secrets: every way to end the turn, judged by the game's own net.

A game that offers `expect(s, seat, weights)`, `is_known(s, weights)` and `weights()` can be played so. A turn is played
in small steps; here it is taken as one, and orders of the same steps that end alike are one ending. All endings are
judged at first sight; the best few by the other's best answer to each of nature's moves; those that are close then by
one's own answer to that, too.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots.search import hashed_words, mixed
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, kernel, lowest, scratch, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ("expect", "is_known", "weights")
"""What a game's module has to offer."""

LEVELS = 3
"""One's own turn, the answer, and one's own again."""
DEEPEST = 16
"""The small steps of a turn that are looked at."""
WIDEST = 16
"""How many endings can be kept."""
SLOTS = 1 << 13
"""Places for the positions of one turn; a power of two."""

PLIES, WIDTH, MARGIN, FINALISTS, CLOSE, NOISE = range(6)
"""What a plan says, by its place in the array that the kernel is given."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How far to look."""

    plies: int = 3
    """1: endings at first sight. 2: the other's answers. 3: one's own answers to these, where it is close."""
    width: int = 6
    """How many endings get a second look,"""
    margin: float = 0.2
    """if they are not so much worse at first sight,"""
    finalists: int = 2
    """and how many a third,"""
    close: float = 0.01
    """if they are not so much worse at the second."""
    noise: float = 0.0
    """How often any step at all is made, for weaker levels."""

    @property
    def numbers(self) -> Any:
        width = min(self.width, WIDEST)
        return np.array([self.plies, width, self.margin, self.finalists, self.close, self.noise], np.float64)

    def longer(self, times: float) -> "Plan":
        """As far as before, for there is nothing between; in less time only as far as the other's answers."""
        return self if times >= 1 else replace(self, plies=min(self.plies, 2))


class Workspace(NamedTuple):
    """What it thinks with. Most is there once for each level."""

    worlds: Any
    """The states after each step of the turn looked at."""
    words: Any
    """The same, as words to hash."""
    out: Any
    """The moves in each of them,"""
    tried: Any
    """how many were tried,"""
    count: Any
    """of how many."""
    keys: Any
    """The positions that were met, as a hash table; what has another stamp is not there."""
    stamps: Any
    clock: Any
    kept: Any
    """The best endings, best first,"""
    marks: Any
    """what may be expected of them,"""
    lines: Any
    """the steps that lead there,"""
    lengths: Any
    """and how many."""
    starts: Any
    """The state whose chances are looked at,"""
    chances: Any
    """nature's moves there,"""
    odds: Any
    sums: Any
    """what was found so far, and how likely that was."""
    line: Any
    """The rest of the turn that was decided on,"""
    ahead: Any
    """how many steps of it there are and how many were made,"""
    awaited: Any
    """and the position in which it goes on."""
    plan: Any
    weights: Any


@kernel
def fingerprint(words, n):  # type: ignore[no-untyped-def]
    """Of a state as words, never 0."""
    key = np.uint64(n)
    for i in range(n):
        if words[i]:
            key = (key ^ (np.uint64(words[i]) + np.uint64(i << 40))) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
    return mixed(key, n)


@kernel
def is_new(work, level, key):  # type: ignore[no-untyped-def]
    """Whether this position was not met in this turn; now it is. When there is no more space, all are new."""
    base, now = level * SLOTS, work.clock[level]
    at = np.int64(key >> np.uint64(20)) & (SLOTS - 1)
    for _ in range(64):
        if work.stamps[base + at] != now:
            work.stamps[base + at] = now
            work.keys[base + at] = key
            return True
        if work.keys[base + at] == key:
            return False
        at = (at + 1) & (SLOTS - 1)
    return True


@kernel
def swap_in(work, base, place):  # type: ignore[no-untyped-def]
    """Exchange a kept ending with the next."""
    here, there = base + place, base + place + 1
    work.marks[here], work.marks[there] = work.marks[there], work.marks[here]
    work.lengths[here], work.lengths[there] = work.lengths[there], work.lengths[here]
    for i in range(DEEPEST):
        work.lines[here, i], work.lines[there, i] = work.lines[there, i], work.lines[here, i]
    last = len(work.kept) - 1
    work.kept[last] = work.kept[here]
    work.kept[here] = work.kept[there]
    work.kept[there] = work.kept[last]


@kernel
def sort_marks(work, n):  # type: ignore[no-untyped-def]
    """Put the first n endings of one's own turn in order again."""
    for end in range(n - 1, 0, -1):
        for place in range(end):
            if work.marks[place] < work.marks[place + 1]:
                swap_in(work, 0, place)


@kernel
def how_many_are_close(work, n, margin):  # type: ignore[no-untyped-def]
    """Of n endings in order, those that are at most so much worse than the best."""
    close = 1
    while close < n and work.marks[close] >= work.marks[0] - margin:
        close += 1
    return close


@cache
def kernels_of(game: Game) -> tuple[Any, Any, Any]:
    """The kernels `scan(work, level, seat, width)`, `outlook(work, seat, deepest)`, `choose(v, seat, dice, work)`."""
    names = ("asked", "moves", "odds", "play", "imagine", *NEEDS[:2])
    asked, moves, odds, play, imagine, expect, is_known = (getattr(game.rules, name) for name in names)
    back = game.rules.BACK
    _, hashed = hashed_words(game)

    @kernel
    def keep(work, level, found, width, seat, depth):  # type: ignore[no-untyped-def]
        """Judge the ending after the last step, and keep it if it is one of the best; says how many are kept."""
        first = level * DEEPEST
        base = level * WIDEST
        mark = expect(work.worlds[first + depth], seat, work.weights)
        if found == width and mark <= work.marks[base + found - 1]:
            return found
        place = min(found, width - 1)
        work.kept[base + place] = work.worlds[first + depth]
        work.marks[base + place] = mark
        work.lengths[base + place] = depth
        for i in range(depth):
            work.lines[base + place, i] = work.out[first + i, work.tried[first + i] - 1]
        while place and work.marks[base + place - 1] < mark:
            place -= 1
            swap_in(work, base, place)
        return min(found + 1, width)

    @kernel
    def list_moves(work, here, seat):  # type: ignore[no-untyped-def]
        work.tried[here] = 0
        work.count[here] = without_back(work.out[here], moves(work.worlds[here], seat, work.out[here]), back)

    @kernel
    def scan(work, level, seat, width):  # type: ignore[no-untyped-def]
        """Every ending of the turn that the seat has at `worlds[level * DEEPEST]`; keeps the best, says how many."""
        first = level * DEEPEST
        work.clock[level] += 1
        found, depth = 0, 0
        list_moves(work, first, seat)
        while depth >= 0:
            here = first + depth
            if work.tried[here] == work.count[here]:
                depth -= 1
                continue
            move = work.out[here, work.tried[here]]
            work.tried[here] += 1
            work.worlds[here + 1] = work.worlds[here]
            play(work.worlds[here + 1], seat, move)
            if not is_new(work, level, fingerprint(work.words[here + 1], hashed)):
                continue
            if asked(work.worlds[here + 1]) == 1 << seat and depth + 2 < DEEPEST:
                depth += 1
                list_moves(work, here + 1, seat)
            else:
                found = keep(work, level, found, width, seat, depth + 1)
        return found

    @kernel
    def open_chances(work, level):  # type: ignore[no-untyped-def]
        """Begin to go through nature's moves in `starts[level]`."""
        work.count[level * DEEPEST + DEEPEST - 1] = moves(work.starts[level], NATURE, work.chances[level])
        work.tried[level * DEEPEST + DEEPEST - 1] = 0
        odds(work.starts[level], work.odds[level])
        work.sums[level, 0], work.sums[level, 1] = 0.0, 0.0

    @kernel
    def outlook(work, seat, deepest):  # type: ignore[no-untyped-def]
        """What the seat may expect of `starts[1]` if, after each of nature's moves, who is asked ends the turn best.

        Which ending is best is judged at first sight; it is looked at in the same way down to the deepest level.
        """
        if is_known(work.starts[1], work.weights) or asked(work.starts[1]) != 1 << NATURE:
            return expect(work.starts[1], seat, work.weights)
        level = 1
        open_chances(work, 1)
        while True:
            first, last = level * DEEPEST, level * DEEPEST + DEEPEST - 1
            at = work.tried[last]
            if at == work.count[last]:
                mark = work.sums[level, 0] / work.sums[level, 1]
                level -= 1
                if level == 0:
                    return mark
                at = work.tried[level * DEEPEST + DEEPEST - 1] - 1
            else:
                work.tried[last] += 1
                work.worlds[first] = work.starts[level]
                play(work.worlds[first], NATURE, work.chances[level, at])
                mask = asked(work.worlds[first])
                if mask == 0 or mask == 1 << NATURE:
                    work.kept[level * WIDEST] = work.worlds[first]
                    mark = expect(work.worlds[first], seat, work.weights)
                else:
                    mover = lowest(mask)
                    scan(work, level, mover, 1)
                    mark = work.marks[level * WIDEST] if mover == seat else -work.marks[level * WIDEST]
                if level < deepest:
                    work.starts[level + 1] = work.kept[level * WIDEST]
                    if asked(work.starts[level + 1]) == 1 << NATURE and not is_known(
                        work.starts[level + 1], work.weights
                    ):
                        level += 1
                        open_chances(work, level)
                        continue
            work.sums[level, 0] += work.odds[level, at] * mark
            work.sums[level, 1] += work.odds[level, at]

    @kernel
    def choose(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """The next step of the turn decided on, or of a new one."""
        work.worlds[0] = v
        imagine(work.worlds[0], seat, dice)
        if work.ahead[1] >= work.ahead[0] or fingerprint(work.words[0], hashed) != work.awaited[0]:
            list_moves(work, 0, seat)
            if work.count[0] == 1:
                return work.out[0, 0]
            if work.plan[NOISE] > 0.0 and below(dice, 1 << 20) < work.plan[NOISE] * (1 << 20):
                return work.out[0, below(dice, work.count[0])]
            n = scan(work, 0, seat, int(work.plan[WIDTH]) if work.plan[PLIES] > 1 else 1)
            for further in range(2, int(work.plan[PLIES]) + 1):
                n = how_many_are_close(work, n, work.plan[MARGIN] if further == 2 else work.plan[CLOSE])
                if further == 3:
                    n = min(n, int(work.plan[FINALISTS]))
                if n == 1:
                    break
                for i in range(n):
                    work.starts[1] = work.kept[i]
                    work.marks[i] = outlook(work, seat, further - 1)
                sort_marks(work, n)
            work.ahead[0], work.ahead[1] = work.lengths[0], 0
            for i in range(work.lengths[0]):
                work.line[i] = work.lines[0, i]
        move = work.line[work.ahead[1]]
        work.ahead[1] += 1
        play(work.worlds[0], seat, move)
        work.awaited[0] = fingerprint(work.words[0], hashed)
        return move

    return scan, outlook, choose


def suits(game: Game) -> bool:
    """Whether a game can be played so."""
    return not game.rules.SECRETS and tuple(game.rules.SEATS) == (2,) and all(hasattr(game.rules, n) for n in NEEDS)


def workspace_for(game: Game, plan: Plan, weights: Any) -> Workspace:
    """What it needs."""
    most, (word, _) = game.rules.MOST_MOVES, hashed_words(game)
    worlds = np.zeros(LEVELS * DEEPEST, game.rules.STATE)
    return Workspace(
        worlds=worlds,
        words=worlds.view(word).reshape(len(worlds), -1),
        out=np.zeros((LEVELS * DEEPEST, most), np.int32),
        tried=scratch(LEVELS * DEEPEST, np.int64),
        count=scratch(LEVELS * DEEPEST, np.int64),
        keys=np.zeros(LEVELS * SLOTS, np.uint64),
        stamps=np.zeros(LEVELS * SLOTS, np.int64),
        clock=scratch(LEVELS, np.int64),
        kept=np.zeros(LEVELS * WIDEST + 1, game.rules.STATE),
        marks=scratch(LEVELS * WIDEST, np.float64),
        lines=scratch((LEVELS * WIDEST, DEEPEST), np.int32),
        lengths=scratch(LEVELS * WIDEST, np.int64),
        starts=scratch(LEVELS, game.rules.STATE),
        chances=scratch((LEVELS, most), np.int32),
        odds=scratch((LEVELS, most), np.int32),
        sums=scratch((LEVELS, 2), np.float64),
        line=scratch(DEEPEST, np.int32),
        ahead=scratch(2, np.int64),
        awaited=scratch(1, np.uint64),
        plan=plan.numbers,
        weights=weights,
    )


def make(game: Game, plan: Plan | None = None, weights: Any = None) -> tuple[Any, Callable[[], Workspace]]:
    rules: Any = game.rules
    return kernels_of(game)[-1], lambda: workspace_for(
        game, plan or Plan(), rules.weights() if weights is None else weights
    )


class Judge:
    """What steps are worth: as much as the best ending of the turn that begins with them."""

    LONGER = 1
    """It thinks as long as whoever only has to choose."""
    ENDINGS = 3
    """How many ways to go on are looked at again, for each step."""

    def __init__(self, game: Game, plan: Plan) -> None:
        rules: Any = game.rules
        self.game, self.plan = game, plan
        self.expect = rules.expect
        self.scan, self.outlook, _ = kernels_of(game)
        self.work = workspace_for(game, plan, rules.weights())

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        """Endings are looked at as `choose` does. What is left out after a look is taken to be worth as much more or
        less than was thought as the best is, and no more than that.
        """
        ends = {
            move: {self.game.key(end): (mark, end) for mark, end in self.endings(self.game.after(v, seat, move), seat)}
            for move in self.game.moves(v, seat)
            if move != self.game.rules.BACK
        }
        states = {key: end for found in ends.values() for key, (_, end) in found.items()}
        marks = {key: mark for found in ends.values() for key, (mark, _) in found.items()}
        for further in range(2, self.plan.plies + 1):
            best = max(marks, key=lambda key: marks[key])
            close = self.plan.margin if further == 2 else self.plan.close
            most = len(marks) if further == 2 else self.plan.finalists
            left = [key for key in sorted(marks, key=lambda key: -marks[key]) if marks[key] >= marks[best] - close]
            if len(left) > 1:
                looked = {key: self.looked_at(states[key], seat, further - 1) for key in left[:most]}
                shift, top = looked[best] - marks[best], max(looked.values())
                marks = {key: looked.get(key, min(mark + shift, top)) for key, mark in marks.items()}
        return {move: share(max(marks[key] for key in found)) for move, found in ends.items()}

    def view(self, v: State, seat: Seat, seed: int) -> float:
        asked = self.game.asked(v)
        if asked == (NATURE,):
            return share(self.looked_at(v, seat, 1))
        mover = asked[0] if asked else seat
        mark = self.endings(v, mover)[0][0]
        return share(mark if mover == seat else -mark)

    def endings(self, s: State, seat: Seat) -> list[tuple[float, State]]:
        """The best ends of the seat's turn from here on and what they are worth at first sight, the best first."""
        if self.game.asked(s) != (seat,):
            return [(float(self.expect(s, seat, self.work.weights)), s)]
        self.work.worlds[0] = s
        n = int(self.scan(self.work, 0, seat, self.ENDINGS))
        return [(float(self.work.marks[i]), self.game.copy(self.work.kept[i])) for i in range(n)]

    def looked_at(self, end: State, seat: Seat, deepest: int) -> float:
        self.work.starts[1] = end
        return float(self.outlook(self.work, seat, deepest))


def share(mark: float) -> float:
    """From what may be expected, -1 to 1, to the share of the win."""
    return (1.0 + mark) / 2.0

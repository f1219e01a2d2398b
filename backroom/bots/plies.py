"""Looking ahead by whole turns, for two seats without secrets: every way to end the turn, judged by the game's own net.

A game that offers `expect(s, seat, mind)`, `is_known(s, mind)` and `mind()` can be played so. A turn is played in small
steps; here it is taken as one, and orders of the same steps that end alike are one ending. All endings are judged at
first sight; the best few by the other's best answer to each of nature's moves; those that are close then by one's own
answer to that, too.
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

NEEDS = ("expect", "is_known", "mind")
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


class Room(NamedTuple):
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
    mind: Any


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
def is_new(room, level, key):  # type: ignore[no-untyped-def]
    """Whether this position was not met in this turn; now it is. When there is no more room, all are new."""
    base, now = level * SLOTS, room.clock[level]
    at = np.int64(key >> np.uint64(20)) & (SLOTS - 1)
    for _ in range(64):
        if room.stamps[base + at] != now:
            room.stamps[base + at] = now
            room.keys[base + at] = key
            return True
        if room.keys[base + at] == key:
            return False
        at = (at + 1) & (SLOTS - 1)
    return True


@kernel
def swap_in(room, base, place):  # type: ignore[no-untyped-def]
    """Exchange a kept ending with the next."""
    here, there = base + place, base + place + 1
    room.marks[here], room.marks[there] = room.marks[there], room.marks[here]
    room.lengths[here], room.lengths[there] = room.lengths[there], room.lengths[here]
    for i in range(DEEPEST):
        room.lines[here, i], room.lines[there, i] = room.lines[there, i], room.lines[here, i]
    last = len(room.kept) - 1
    room.kept[last] = room.kept[here]
    room.kept[here] = room.kept[there]
    room.kept[there] = room.kept[last]


@kernel
def sort_marks(room, n):  # type: ignore[no-untyped-def]
    """Put the first n endings of one's own turn in order again."""
    for end in range(n - 1, 0, -1):
        for place in range(end):
            if room.marks[place] < room.marks[place + 1]:
                swap_in(room, 0, place)


@kernel
def how_many_are_close(room, n, margin):  # type: ignore[no-untyped-def]
    """Of n endings in order, those that are at most so much worse than the best."""
    close = 1
    while close < n and room.marks[close] >= room.marks[0] - margin:
        close += 1
    return close


@cache
def kernels_of(game: Game) -> tuple[Any, Any, Any]:
    """The kernels `scan(room, level, seat, width)`, `outlook(room, seat, deepest)`, `choose(v, seat, dice, room)`."""
    names = ("asked", "moves", "odds", "play", "imagine", *NEEDS[:2])
    asked, moves, odds, play, imagine, expect, is_known = (getattr(game.rules, name) for name in names)
    back = game.rules.BACK
    _, hashed = hashed_words(game)

    @kernel
    def keep(room, level, found, width, seat, depth):  # type: ignore[no-untyped-def]
        """Judge the ending after the last step, and keep it if it is one of the best; says how many are kept."""
        first = level * DEEPEST
        base = level * WIDEST
        mark = expect(room.worlds[first + depth], seat, room.mind)
        if found == width and mark <= room.marks[base + found - 1]:
            return found
        place = min(found, width - 1)
        room.kept[base + place] = room.worlds[first + depth]
        room.marks[base + place] = mark
        room.lengths[base + place] = depth
        for i in range(depth):
            room.lines[base + place, i] = room.out[first + i, room.tried[first + i] - 1]
        while place and room.marks[base + place - 1] < mark:
            place -= 1
            swap_in(room, base, place)
        return min(found + 1, width)

    @kernel
    def list_moves(room, here, seat):  # type: ignore[no-untyped-def]
        room.tried[here] = 0
        room.count[here] = without_back(room.out[here], moves(room.worlds[here], seat, room.out[here]), back)

    @kernel
    def scan(room, level, seat, width):  # type: ignore[no-untyped-def]
        """Every ending of the turn that the seat has at `worlds[level * DEEPEST]`; keeps the best, says how many."""
        first = level * DEEPEST
        room.clock[level] += 1
        found, depth = 0, 0
        list_moves(room, first, seat)
        while depth >= 0:
            here = first + depth
            if room.tried[here] == room.count[here]:
                depth -= 1
                continue
            move = room.out[here, room.tried[here]]
            room.tried[here] += 1
            room.worlds[here + 1] = room.worlds[here]
            play(room.worlds[here + 1], seat, move)
            if not is_new(room, level, fingerprint(room.words[here + 1], hashed)):
                continue
            if asked(room.worlds[here + 1]) == 1 << seat and depth + 2 < DEEPEST:
                depth += 1
                list_moves(room, here + 1, seat)
            else:
                found = keep(room, level, found, width, seat, depth + 1)
        return found

    @kernel
    def open_chances(room, level):  # type: ignore[no-untyped-def]
        """Begin to go through nature's moves in `starts[level]`."""
        room.count[level * DEEPEST + DEEPEST - 1] = moves(room.starts[level], NATURE, room.chances[level])
        room.tried[level * DEEPEST + DEEPEST - 1] = 0
        odds(room.starts[level], room.odds[level])
        room.sums[level, 0], room.sums[level, 1] = 0.0, 0.0

    @kernel
    def outlook(room, seat, deepest):  # type: ignore[no-untyped-def]
        """What the seat may expect of `starts[1]` if, after each of nature's moves, who is asked ends the turn best.

        Which ending is best is judged at first sight; it is looked at in the same way down to the deepest level.
        """
        if is_known(room.starts[1], room.mind) or asked(room.starts[1]) != 1 << NATURE:
            return expect(room.starts[1], seat, room.mind)
        level = 1
        open_chances(room, 1)
        while True:
            first, last = level * DEEPEST, level * DEEPEST + DEEPEST - 1
            at = room.tried[last]
            if at == room.count[last]:
                mark = room.sums[level, 0] / room.sums[level, 1]
                level -= 1
                if level == 0:
                    return mark
                at = room.tried[level * DEEPEST + DEEPEST - 1] - 1
            else:
                room.tried[last] += 1
                room.worlds[first] = room.starts[level]
                play(room.worlds[first], NATURE, room.chances[level, at])
                mask = asked(room.worlds[first])
                if mask == 0 or mask == 1 << NATURE:
                    room.kept[level * WIDEST] = room.worlds[first]
                    mark = expect(room.worlds[first], seat, room.mind)
                else:
                    mover = lowest(mask)
                    scan(room, level, mover, 1)
                    mark = room.marks[level * WIDEST] if mover == seat else -room.marks[level * WIDEST]
                if level < deepest:
                    room.starts[level + 1] = room.kept[level * WIDEST]
                    if asked(room.starts[level + 1]) == 1 << NATURE and not is_known(room.starts[level + 1], room.mind):
                        level += 1
                        open_chances(room, level)
                        continue
            room.sums[level, 0] += room.odds[level, at] * mark
            room.sums[level, 1] += room.odds[level, at]

    @kernel
    def choose(v, seat, dice, room):  # type: ignore[no-untyped-def]
        """The next step of the turn decided on, or of a new one."""
        room.worlds[0] = v
        imagine(room.worlds[0], seat, dice)
        if room.ahead[1] >= room.ahead[0] or fingerprint(room.words[0], hashed) != room.awaited[0]:
            list_moves(room, 0, seat)
            if room.count[0] == 1:
                return room.out[0, 0]
            if room.plan[NOISE] > 0.0 and below(dice, 1 << 20) < room.plan[NOISE] * (1 << 20):
                return room.out[0, below(dice, room.count[0])]
            n = scan(room, 0, seat, int(room.plan[WIDTH]) if room.plan[PLIES] > 1 else 1)
            for further in range(2, int(room.plan[PLIES]) + 1):
                n = how_many_are_close(room, n, room.plan[MARGIN] if further == 2 else room.plan[CLOSE])
                if further == 3:
                    n = min(n, int(room.plan[FINALISTS]))
                if n == 1:
                    break
                for i in range(n):
                    room.starts[1] = room.kept[i]
                    room.marks[i] = outlook(room, seat, further - 1)
                sort_marks(room, n)
            room.ahead[0], room.ahead[1] = room.lengths[0], 0
            for i in range(room.lengths[0]):
                room.line[i] = room.lines[0, i]
        move = room.line[room.ahead[1]]
        room.ahead[1] += 1
        play(room.worlds[0], seat, move)
        room.awaited[0] = fingerprint(room.words[0], hashed)
        return move

    return scan, outlook, choose


def suits(game: Game) -> bool:
    """Whether a game can be played so."""
    return not game.rules.SECRETS and tuple(game.rules.SEATS) == (2,) and all(hasattr(game.rules, n) for n in NEEDS)


def room_for(game: Game, plan: Plan, mind: Any) -> Room:
    """What it needs."""
    most, (word, _) = game.rules.MOST_MOVES, hashed_words(game)
    worlds = np.zeros(LEVELS * DEEPEST, game.rules.STATE)
    return Room(
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
        mind=mind,
    )


def make(game: Game, plan: Plan | None = None, mind: Any = None) -> tuple[Any, Callable[[], Room]]:
    rules: Any = game.rules
    return kernels_of(game)[-1], lambda: room_for(game, plan or Plan(), rules.mind() if mind is None else mind)


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
        self.room = room_for(game, plan, rules.mind())

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
            return [(float(self.expect(s, seat, self.room.mind)), s)]
        self.room.worlds[0] = s
        n = int(self.scan(self.room, 0, seat, self.ENDINGS))
        return [(float(self.room.marks[i]), self.game.copy(self.room.kept[i])) for i in range(n)]

    def looked_at(self, end: State, seat: Seat, deepest: int) -> float:
        self.room.starts[1] = end
        return float(self.outlook(self.room, seat, deepest))


def share(mark: float) -> float:
    """From what may be expected, -1 to 1, to the share of the win."""
    return (1.0 + mark) / 2.0

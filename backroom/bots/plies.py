"""Expectimax over whole turns with the game's value net, for games of two seats without secrets.

The game has to offer `expect(s, seat, weights)`, `is_known(s, weights)` and `weights()`. A turn consists of small
steps; here it is one ply, and orders of steps that lead to the same position are one ending. All endings are evaluated
by the net (one ply); the best few by the opponent's best reply to each of nature's moves (two plies); and those that
are still close by one's own reply to that (three plies).
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from backroom.bots import plans
from backroom.bots.deadlines import is_late, never
from backroom.bots.hashing import fingerprint, hashed_words, mixed
from backroom.bots.memory import await_there, decide_on, goes_on, next_step
from backroom.bots.noise import slips
from backroom.bots.plans import number
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, kernel, lowest, scratch, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ("expect", "is_known", "weights")
"""The kernels that a game's module has to offer."""

LEVELS = 3
"""The most plies: one's own turn, the opponent's, and one's own again."""
DEEPEST = 16
"""The most steps of a turn."""
WIDEST = 16
"""The most endings that can be kept."""
SLOTS = 1 << 13
"""The size of the table of positions met in a turn; a power of two."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """The depth and the width of the search."""

    plies: int = number(3, least=1, most=LEVELS)
    """1: the net evaluates endings. 2: the opponent's replies are searched. 3: one's own replies to them, too."""
    width: int = number(6, least=1, most=WIDEST)
    """Endings that are searched at two plies."""
    margin: float = number(0.2, most=2)
    """The largest loss at one ply that still gets a second look, in the unit of `expect`."""
    finalists: int = number(2, least=1, most=WIDEST)
    """Endings that are searched at three plies."""
    close: float = number(0.01, most=2)
    """The largest loss at two plies that still gets a third look, in the unit of `expect`."""
    noise: float = number(0.0, most=1)
    """The probability of a random step."""
    blur: float = number(0.0, most=8)
    """Width of the random error in the evaluation of an ending, in the unit of `expect`, for weaker levels. Ends of the
    game are evaluated without error, and all else is only underrated, so that a win at once is never left for it.
    """

    def longer(self, times: float) -> Self:
        """The same plan, since there is no finer step than a ply; at most two plies for less time."""
        return self if times >= 1 else replace(self, plies=min(self.plies, 2))


class Workspace(NamedTuple):
    """The arrays that the kernels work in. Most have a part for each level."""

    worlds: Any
    """The states after each step of the turn that is searched."""
    words: Any
    """The memory of `worlds`, as words to hash."""
    out: Any
    """The moves in each of `worlds`."""
    tried: Any
    """The number of moves tried in each."""
    count: Any
    """The number of moves in each."""
    keys: Any
    """A hash table of the positions met in a turn; entries with an old stamp count as free."""
    stamps: Any
    """The turn of each entry in the table."""
    clock: Any
    """The stamp of the current turn."""
    kept: Any
    """The best endings, best first."""
    marks: Any
    """The expected result of each of `kept`."""
    looks: Any
    """The results of the current ply for each of `kept`."""
    lines: Any
    """The steps that lead to each of `kept`."""
    lengths: Any
    """The number of steps in each of `lines`."""
    starts: Any
    """The chance node of each level."""
    chances: Any
    """Nature's moves in `starts`."""
    odds: Any
    """The odds of `chances`."""
    sums: Any
    """The weighted sum of the results of `chances` so far, and the sum of their odds."""
    blur_seed: Any
    """The seed of this turn's errors (`blur`)."""
    plan: Any
    weights: Any
    stop: Any


@kernel
def is_new(work, level, key):  # type: ignore[no-untyped-def]
    """Whether a position is new in this turn; it is added to the table. If there is no space, all are new."""
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
    """Swap a kept ending with the next."""
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
    """Sort the first n endings of one's own turn by their marks."""
    for end in range(n - 1, 0, -1):
        for place in range(end):
            if work.marks[place] < work.marks[place + 1]:
                swap_in(work, 0, place)


@kernel
def how_many_are_close(work, n, margin):  # type: ignore[no-untyped-def]
    """The number of n sorted endings that are worse than the best by at most `margin`."""
    close = 1
    while close < n and work.marks[close] >= work.marks[0] - margin:
        close += 1
    return close


@cache
def list_moves_of(game: Game) -> Any:
    """The kernel `list_moves(work, here, seat)`."""
    moves, back = game.rules.moves, game.rules.BACK

    @kernel
    def list_moves(work, here, seat):  # type: ignore[no-untyped-def]
        """List the moves of a seat in `worlds[here]`, none of them tried."""
        work.tried[here] = 0
        work.count[here] = without_back(work.out[here], moves(work.worlds[here], seat, work.out[here]), back)

    return list_moves


@cache
def keep_of(game: Game) -> Any:
    """The kernel `keep(work, level, found, width, seat, depth)`."""
    rules: Any = game.rules
    asked, expect, (_, hashed) = rules.asked, rules.expect, hashed_words(game)

    @kernel
    def keep(work, level, found, width, seat, depth):  # type: ignore[no-untyped-def]
        """Evaluate the ending after the last step, and keep it if it is one of the best; returns how many are kept."""
        first = level * DEEPEST
        base = level * WIDEST
        mark = expect(work.worlds[first + depth], seat, work.weights)
        if level == 0 and work.plan.blur > 0.0 and asked(work.worlds[first + depth]):
            key = mixed(fingerprint(work.words[first + depth], hashed, seat), work.blur_seed[0])
            mark -= work.plan.blur * (np.int64(key >> np.uint64(11)) / (1 << 53))
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

    return keep


@cache
def scan_of(game: Game) -> Any:
    """The kernel `scan(work, level, seat, width)`."""
    asked, play, list_moves, keep = game.rules.asked, game.rules.play, list_moves_of(game), keep_of(game)
    _, hashed = hashed_words(game)

    @kernel
    def scan(work, level, seat, width):  # type: ignore[no-untyped-def]
        """Find every ending of the seat's turn from `worlds[level * DEEPEST]`; keeps the best, returns their number."""
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
            if not is_new(work, level, fingerprint(work.words[here + 1], hashed, seat)):
                continue
            if asked(work.worlds[here + 1]) == 1 << seat and depth + 2 < DEEPEST:
                depth += 1
                list_moves(work, here + 1, seat)
            else:
                found = keep(work, level, found, width, seat, depth + 1)
        return found

    return scan


@cache
def reply_of(game: Game) -> Any:
    """The kernel `reply(work, level, seat, at)`."""
    rules: Any = game.rules
    asked, play, expect, scan = rules.asked, rules.play, rules.expect, scan_of(game)

    @kernel
    def reply(work, level, seat, at):  # type: ignore[no-untyped-def]
        """Play `chances[level, at]` in `starts[level]` and then the turn after it, by the net at one ply. Returns the
        value for the seat; `kept[level * WIDEST]` is the position reached.
        """
        first = level * DEEPEST
        work.worlds[first] = work.starts[level]
        play(work.worlds[first], NATURE, work.chances[level, at])
        mask = asked(work.worlds[first])
        if mask == 0 or mask == 1 << NATURE:
            work.kept[level * WIDEST] = work.worlds[first]
            return expect(work.worlds[first], seat, work.weights)
        mover = lowest(mask)
        scan(work, level, mover, 1)
        return work.marks[level * WIDEST] if mover == seat else -work.marks[level * WIDEST]

    return reply


@cache
def open_chances_of(game: Game) -> Any:
    """The kernel `open_chances(work, level)`."""
    moves, odds = game.rules.moves, game.rules.odds

    @kernel
    def open_chances(work, level):  # type: ignore[no-untyped-def]
        """List nature's moves in `starts[level]`, none of them tried; returns their number."""
        last = level * DEEPEST + DEEPEST - 1
        work.count[last] = moves(work.starts[level], NATURE, work.chances[level])
        work.tried[last] = 0
        odds(work.starts[level], work.odds[level])
        work.sums[level, 0], work.sums[level, 1] = 0.0, 0.0
        return work.count[last]

    return open_chances


@cache
def outlook_of(game: Game) -> Any:
    """The kernel `outlook(work, seat, deepest)`."""
    rules: Any = game.rules
    asked, expect, is_known = rules.asked, rules.expect, rules.is_known
    open_chances, reply = open_chances_of(game), reply_of(game)

    @kernel
    def outlook(work, seat, deepest):  # type: ignore[no-untyped-def]
        """The value of `starts[1]` for the seat, averaged over nature's moves, each followed by the mover's best turn.

        The net selects the best turn at one ply; the position after it is searched in the same way down to level
        `deepest`. The result is meaningless if time is over, and must not be used then.
        """
        if is_known(work.starts[1], work.weights) or asked(work.starts[1]) != 1 << NATURE:
            return expect(work.starts[1], seat, work.weights)
        level = 1
        open_chances(work, 1)
        while not is_late(work):
            last = level * DEEPEST + DEEPEST - 1
            at = work.tried[last]
            if at == work.count[last]:
                mark = work.sums[level, 0] / work.sums[level, 1]
                level -= 1
                if level == 0:
                    return mark
                at = work.tried[level * DEEPEST + DEEPEST - 1] - 1
            else:
                work.tried[last] += 1
                mark = reply(work, level, seat, at)
                if level < deepest:
                    then = work.starts[level + 1]
                    work.starts[level + 1] = work.kept[level * WIDEST]
                    if asked(then) == 1 << NATURE and not is_known(then, work.weights):
                        level += 1
                        open_chances(work, level)
                        continue
            work.sums[level, 0] += work.odds[level, at] * mark
            work.sums[level, 1] += work.odds[level, at]
        return 0.0

    return outlook


@cache
def look_further_of(game: Game) -> Any:
    """The kernel `look_further(work, seat, n, deepest)`."""
    outlook = outlook_of(game)

    @kernel
    def look_further(work, seat, n, deepest):  # type: ignore[no-untyped-def]
        """Search the first n endings down to level `deepest`, and sort them by the results. Returns False, and leaves
        them as they are, if there was no time for all of them.
        """
        for i in range(n):
            work.starts[1] = work.kept[i]
            work.looks[i] = outlook(work, seat, deepest)
            if is_late(work):
                return False
        for i in range(n):
            work.marks[i] = work.looks[i]
        sort_marks(work, n)
        return True

    return look_further


@cache
def find_best_of(game: Game) -> Any:
    """The kernel `find_best(work, seat, dice)`."""
    scan, look_further = scan_of(game), look_further_of(game)

    @kernel
    def find_best(work, seat, dice):  # type: ignore[no-untyped-def]
        """Put the best ending of the turn first; returns the number of endings that were candidates at the last ply."""
        n = scan(work, 0, seat, work.plan.width if work.plan.plies > 1 else 1)
        for ply in range(2, work.plan.plies + 1):
            n = how_many_are_close(work, n, work.plan.margin if ply == 2 else work.plan.close)
            if ply == 3:
                n = min(n, work.plan.finalists)
            if n <= 1 or not look_further(work, seat, n, ply - 1):
                break
        return n

    return find_best


def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    return choose_by(game, find_best_of(game))


@cache
def choose_by(game: Game, find_best: Any) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`, with a kernel `find_best(work, seat, dice)`."""
    play, imagine, list_moves = game.rules.play, game.rules.imagine, list_moves_of(game)
    _, hashed = hashed_words(game)

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """The next step of the turn decided on, or of a new one."""
        work.worlds[0] = v
        imagine(work.worlds[0], seat, dice)
        if not goes_on(memory, fingerprint(work.words[0], hashed, seat)):
            list_moves(work, 0, seat)
            if work.count[0] == 1:
                return work.out[0, 0]
            if slips(dice, work.plan.noise):
                return work.out[0, below(dice, work.count[0])]
            if work.plan.blur > 0.0:
                work.blur_seed[0] = np.uint64(below(dice, 1 << 40))
            find_best(work, seat, dice)
            decide_on(memory, work.lines[0], work.lengths[0])
        move = next_step(memory)
        play(work.worlds[0], seat, move)
        await_there(memory, fingerprint(work.words[0], hashed, seat))
        return move

    return choose


def suits(game: Game) -> bool:
    """Whether the strategy can play a game."""
    return not game.rules.SECRETS and tuple(game.rules.SEATS) == (2,) and all(hasattr(game.rules, n) for n in NEEDS)


def workspace_for(game: Game, plan: plans.Plan, weights: Any = None) -> Workspace:
    """A new workspace for a game, with the game's own weights by default."""
    rules: Any = game.rules
    most, (word, _) = rules.MOST_MOVES, hashed_words(game)
    worlds = np.zeros(LEVELS * DEEPEST, rules.STATE)
    return Workspace(
        worlds=worlds,
        words=worlds.view(word).reshape(len(worlds), -1),
        out=np.zeros((LEVELS * DEEPEST, most), np.int32),
        tried=scratch(LEVELS * DEEPEST, np.int64),
        count=scratch(LEVELS * DEEPEST, np.int64),
        keys=np.zeros(LEVELS * SLOTS, np.uint64),
        stamps=np.zeros(LEVELS * SLOTS, np.int64),
        clock=scratch(LEVELS, np.int64),
        kept=np.zeros(LEVELS * WIDEST + 1, rules.STATE),
        marks=scratch(LEVELS * WIDEST, np.float64),
        looks=scratch(WIDEST, np.float64),
        lines=scratch((LEVELS * WIDEST, DEEPEST), np.int32),
        lengths=scratch(LEVELS * WIDEST, np.int64),
        starts=scratch(LEVELS, rules.STATE),
        chances=scratch((LEVELS, most), np.int32),
        odds=scratch((LEVELS, most), np.int32),
        sums=scratch((LEVELS, 2), np.float64),
        blur_seed=np.zeros(1, np.uint64),
        plan=plan.record,
        weights=rules.weights() if weights is None else weights,
        stop=never(),
    )


class Judge:
    """Judges a step by the best ending of the turn that begins with it."""

    LONGER = 1
    """Factor by which it thinks longer than a bot that only has to choose."""
    ENDINGS = 3
    """Endings considered for each first step."""
    workspace_for: Any = staticmethod(workspace_for)

    def __init__(self, game: Game, plan: Any) -> None:
        rules: Any = game.rules
        self.game, self.plan = game, plan
        self.expect = rules.expect
        self.scan, self.outlook = scan_of(game), outlook_of(game)
        self.work: Any = self.workspace_for(game, plan)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        """The value of each step. Endings are searched as in `choose`. Those left out of a ply are corrected by as much
        as the best one was, and are at most as good as the best.
        """
        ends = {
            move: {self.game.key(end): (mark, end) for mark, end in self.endings(self.game.after(v, seat, move), seat)}
            for move in self.game.moves(v, seat)
            if move != self.game.rules.BACK
        }
        states = {key: end for found in ends.values() for key, (_, end) in found.items()}
        marks = {key: mark for found in ends.values() for key, (mark, _) in found.items()}
        for further in range(2, self.plan.plies + 1):
            close = self.plan.margin if further == 2 else self.plan.close
            most = len(marks) if further == 2 else self.plan.finalists
            left = candidates(marks, close, most)
            if len(left) > 1:
                found = [self.looked_at(states[key], seat, further - 1) for key in left]
                marks = corrected(marks, dict(zip(left, found, strict=True)))
        marks = self.looked_at_last(marks, states, seat, seed)
        return {move: share(max(marks[key] for key in found)) for move, found in ends.items()}

    def looked_at_last(
        self, marks: dict[bytes, float], states: dict[bytes, State], seat: Seat, seed: int
    ) -> dict[bytes, float]:
        """The marks of endings after a further evaluation, for strategies that have one after all plies."""
        return marks

    def view(self, v: State, seat: Seat, seed: int) -> float:
        asked = self.game.asked(v)
        if asked == (NATURE,):
            return share(self.looked_at(v, seat, 1))
        mover = asked[0] if asked else seat
        mark = self.endings(v, mover)[0][0]
        return share(mark if mover == seat else -mark)

    def endings(self, s: State, seat: Seat) -> list[tuple[float, State]]:
        """The best endings of the seat's turn from here on, with their one-ply values, the best first."""
        if self.game.asked(s) != (seat,):
            return [(float(self.expect(s, seat, self.work.weights)), s)]
        self.work.worlds[0] = s
        n = int(self.scan(self.work, 0, seat, self.ENDINGS))
        return [(float(self.work.marks[i]), self.game.copy(self.work.kept[i])) for i in range(n)]

    def looked_at(self, end: State, seat: Seat, deepest: int) -> float:
        self.work.starts[1] = end
        return float(self.outlook(self.work, seat, deepest))


def candidates(marks: dict[bytes, float], close: float, most: int) -> list[bytes]:
    """The endings that are worse than the best by at most `close`, the best first, and `most` of them at most."""
    order = sorted(marks, key=lambda key: -marks[key])
    return [key for key in order if marks[key] >= marks[order[0]] - close][:most]


def corrected(marks: dict[bytes, float], looked: dict[bytes, float]) -> dict[bytes, float]:
    """Marks updated with the results `looked` of some endings, the best among them: see `Judge.moves`."""
    best = max(marks, key=lambda key: marks[key])
    shift, top = looked[best] - marks[best], max(looked.values())
    return {key: looked.get(key, min(mark + shift, top)) for key, mark in marks.items()}


def share(mark: float) -> float:
    """The share of the win, 0 to 1, for an expected result from -1 to 1."""
    return (1.0 + mark) / 2.0

"""Looking ahead by whole turns, for two seats without secrets: every way to end the turn, judged by the game's own net.

A game that offers `expect(s, seat, weights)`, `is_known(s, weights)` and `weights()` can be played so. A turn is played
in small steps; here it is taken as one, and orders of the same steps that end alike are one ending. All endings are
judged at first sight; the best few by the other's best answer to each of nature's moves; those that are close then by
one's own answer to that, too.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from backroom.bots import plans
from backroom.bots.hashing import fingerprint, hashed_words, mixed
from backroom.bots.memory import await_there, decide_on, goes_on, next_step
from backroom.bots.plans import number
from backroom.bots.thinking import is_late, never, slips
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


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """How far to look."""

    plies: int = number(3, least=1, most=LEVELS)
    """1: endings at first sight. 2: the other's answers. 3: one's own answers to these, where it is close."""
    width: int = number(6, least=1, most=WIDEST)
    """Endings that are searched at two plies."""
    margin: float = number(0.2, most=2)
    """The largest loss at one ply that still gets a second look, in points."""
    finalists: int = number(2, least=1, most=WIDEST)
    """Endings that are searched at three plies."""
    close: float = number(0.01, most=2)
    """The largest loss at two plies that still gets a third look, in points."""
    noise: float = number(0.0, most=1)
    """How often any step at all is made."""
    blur: float = number(0.0, most=8)
    """How far off a weaker level's judgement of an ending may be, in points; the end of the game is seen as it is."""

    def longer(self, times: float) -> Self:
        """As far as before, for there is nothing between; in less time only as far as the other's answers."""
        return self if times >= 1 else replace(self, plies=min(self.plies, 2))


class Workspace(NamedTuple):
    """What it thinks with. Most is there once for each level."""

    worlds: Any
    """The states after each step of the turn looked at."""
    words: Any
    """The same, as words to hash."""
    out: Any
    """The moves in each of them."""
    tried: Any
    """How many of these were tried."""
    count: Any
    """How many there are."""
    keys: Any
    """The positions that were met, as a hash table; what has another stamp is not there."""
    stamps: Any
    clock: Any
    kept: Any
    """The best endings, best first."""
    marks: Any
    """What may be expected of each of them."""
    looks: Any
    """What was found of them at the ply that is being looked at."""
    lines: Any
    """The steps that lead to each of them."""
    lengths: Any
    """How many steps these are."""
    starts: Any
    """The state whose chances are looked at."""
    chances: Any
    """Nature's moves there."""
    odds: Any
    sums: Any
    """What was found of them so far, and how likely that was."""
    luck: Any
    """What decides how an ending is misjudged in this turn."""
    plan: Any
    weights: Any
    stop: Any


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
def list_moves_of(game: Game) -> Any:
    """The kernel `list_moves(work, here, seat)`."""
    moves, back = game.rules.moves, game.rules.BACK

    @kernel
    def list_moves(work, here, seat):  # type: ignore[no-untyped-def]
        """Begin to go through the moves of a seat in `worlds[here]`."""
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
        """Judge the ending after the last step, and keep it if it is one of the best; says how many are kept."""
        first = level * DEEPEST
        base = level * WIDEST
        mark = expect(work.worlds[first + depth], seat, work.weights)
        if level == 0 and work.plan.blur > 0.0 and asked(work.worlds[first + depth]):
            key = mixed(fingerprint(work.words[first + depth], hashed, seat), work.luck[0])
            mark += work.plan.blur * (np.int64(key >> np.uint64(11)) / (1 << 53) - 0.5)
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
        """Make `chances[level, at]` in `starts[level]`, and end the turn that follows as is best at first sight. Says
        what the seat may expect of that; `kept[level * WIDEST]` is what it comes to.
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
        """Begin to go through nature's moves in `starts[level]`; says how many there are."""
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
        """What the seat may expect of `starts[1]` if, after each of nature's moves, who is asked ends the turn best.

        Which ending is best is judged at first sight; it is looked at in the same way down to the deepest level. When
        time is over it says anything: nobody asks for it then.
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
        """Judge the first n endings anew by what follows, and put them in order. False, and they stay as they are:
        there was no time for all of them.
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
        """Put the best ending of the turn first; says how many of those behind it were looked at as far."""
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
                work.luck[0] = np.uint64(below(dice, 1 << 40))
            find_best(work, seat, dice)
            decide_on(memory, work.lines[0], work.lengths[0])
        move = next_step(memory)
        play(work.worlds[0], seat, move)
        await_there(memory, fingerprint(work.words[0], hashed, seat))
        return move

    return choose


def suits(game: Game) -> bool:
    """Whether a game can be played so."""
    return not game.rules.SECRETS and tuple(game.rules.SEATS) == (2,) and all(hasattr(game.rules, n) for n in NEEDS)


def workspace_for(game: Game, plan: plans.Plan, weights: Any = None) -> Workspace:
    """What it needs; other weights than the game's own may be given."""
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
        luck=np.zeros(1, np.uint64),
        plan=plan.record,
        weights=rules.weights() if weights is None else weights,
        stop=never(),
    )


class Judge:
    """What steps are worth: as much as the best ending of the turn that begins with them."""

    LONGER = 1
    """It thinks as long as whoever only has to choose."""
    ENDINGS = 3
    """How many ways to go on are looked at again, for each step."""
    workspace_for: Any = staticmethod(workspace_for)

    def __init__(self, game: Game, plan: Any) -> None:
        rules: Any = game.rules
        self.game, self.plan = game, plan
        self.expect = rules.expect
        self.scan, self.outlook = scan_of(game), outlook_of(game)
        self.work: Any = self.workspace_for(game, plan)

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
        """The marks of endings, if there is a way to look at them after all plies."""
        return marks

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


def candidates(marks: dict[bytes, float], close: float, most: int) -> list[bytes]:
    """The endings that are at most so much worse than the best, the best first, and no more than so many."""
    order = sorted(marks, key=lambda key: -marks[key])
    return [key for key in order if marks[key] >= marks[order[0]] - close][:most]


def corrected(marks: dict[bytes, float], looked: dict[bytes, float]) -> dict[bytes, float]:
    """Marks after another look at some, the best before it among them: see `Judge.moves`."""
    best = max(marks, key=lambda key: marks[key])
    shift, top = looked[best] - marks[best], max(looked.values())
    return {key: looked.get(key, min(mark + shift, top)) for key, mark in marks.items()}


def share(mark: float) -> float:
    """From what may be expected, -1 to 1, to the share of the win."""
    return (1.0 + mark) / 2.0

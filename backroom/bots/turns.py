"""Search over whole turns, for games in which a turn consists of small steps and hands are hidden.

The game's `candidate_turns(s, seat, out)` lists turns. All get a static evaluation; the best few are played in many
imagined worlds, the same ones for each candidate, and the worse half is dropped twice on the way. There the others
reply with the turn of the best static evaluation, out of a shorter list if the game offers `replies`.
"""

import functools
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots import plans
from backroom.bots.deadlines import is_late, never
from backroom.bots.hashing import fingerprint, hashed_words
from backroom.bots.memory import MOST_STEPS, await_there, decide_on, goes_on, next_step
from backroom.bots.noise import blurred, slips
from backroom.bots.one_move import let_nature_of
from backroom.bots.plans import number
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ("candidate_turns",)
"""The kernels that a game's module has to offer."""
GLANCES = 4
"""Worlds averaged for the static evaluation of a turn."""
LOOKS = 4
"""Factor by which a judge plays more worlds for a view than for a step."""
OF_EACH = 4
"""Turns that a judge plays in worlds for each first step."""
ANY_TURNS = 16
"""Turns that a judge considers after a first step that the game does not list."""
MOST_TURNS = 96
"""The most candidate turns. Each is a row of MOST_STEPS numbers: the number of its steps, then the steps."""

Turns = dict[bytes, tuple[Move, ...]]
"""Whole turns by the key of the state that they lead to, so that different orders of the same steps are one turn."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """The budget and the parameters of a search over whole turns."""

    worlds: int = number(48, most=1_000_000)
    """Worlds in which the best turns are played, in each of three stages."""
    turns: int = number(0, most=1_000)
    """Turns, of any seat, that are played before `value` evaluates the state."""
    width: int = number(12, least=1, most=1_000)
    """Turns that are played in worlds after the static evaluation."""
    noise: float = number(0.0, most=1)
    """The probability of playing a random candidate turn."""
    blur: float = number(0.0, most=100)
    """Width of the random error in the evaluation of a turn, in log-odds, for weaker levels; certain wins and losses
    are evaluated without error.
    """


class Workspace(NamedTuple):
    """The arrays that the kernels work in."""

    worlds: Any
    """An imagined world; a copy that is played on; and one to evaluate replies in."""
    words: Any
    """The memory of `worlds`, as words to hash."""
    out: Any
    """Moves, or odds."""
    rows: Any
    """The candidate turns."""
    marks: Any
    """The sum of values of each candidate."""
    replies: Any
    """The candidate turns of a seat that replies."""
    plan: Any
    stop: Any


@kernel
def put_best_first(work, n, width):  # type: ignore[no-untyped-def]
    """Bring the best `width` of n turns to the front, in order; returns their number."""
    width = min(n, width)
    for place in range(width):
        best = place
        for i in range(place + 1, n):
            if work.marks[i] > work.marks[best]:
                best = i
        work.marks[place], work.marks[best] = work.marks[best], work.marks[place]
        for k in range(MOST_STEPS):
            work.rows[place, k], work.rows[best, k] = work.rows[best, k], work.rows[place, k]
    return width


@cache
def list_turns_of(game: Game) -> Any:
    """The kernel `list_turns(s, seat, rows, out, is_reply)`."""
    rules: Any = game.rules
    moves, back, turns = rules.moves, rules.BACK, rules.candidate_turns
    replies = getattr(rules, "replies", turns)

    @kernel
    def list_turns(s, seat, rows, out, is_reply):  # type: ignore[no-untyped-def]
        """List the candidate turns in `rows`: every single move if the game lists none. Returns their number."""
        n = replies(s, seat, rows) if is_reply else turns(s, seat, rows)
        if n == 0:
            n = without_back(out, moves(s, seat, out), back)
            for i in range(n):
                rows[i, 0], rows[i, 1] = 1, out[i]
        return n

    return list_turns


@cache
def follow_of(game: Game) -> Any:
    """The kernel `follow(s, seat, row)`."""
    play = game.rules.play

    @kernel
    def follow(s, seat, row):  # type: ignore[no-untyped-def]
        """Play a whole turn."""
        for i in range(row[0]):
            play(s, seat, row[i + 1])

    return follow


@cache
def outlook_of(game: Game) -> Any:
    """The kernel `outlook(work, seat, turns, dice)`."""
    asked, value, let_nature = game.rules.asked, game.rules.value, let_nature_of(game)
    list_turns, follow = list_turns_of(game), follow_of(game)

    @kernel
    def reply(work, seat):  # type: ignore[no-untyped-def]
        """Play a seat's turn in `worlds[1]`: the reply with the best static evaluation."""
        best, mark = 0, -1.0
        n = list_turns(work.worlds[1], seat, work.replies, work.out, True)
        for i in range(n if n > 1 else 0):
            work.worlds[2] = work.worlds[1]
            follow(work.worlds[2], seat, work.replies[i])
            here = value(work.worlds[2], seat)
            if here > mark:
                best, mark = i, here
        follow(work.worlds[1], seat, work.replies[best])

    @kernel
    def outlook(work, seat, turns, dice):  # type: ignore[no-untyped-def]
        """The expected value of `worlds[1]` for the seat, after some more turns."""
        mask = asked(work.worlds[1])
        while mask == 1 << NATURE or (mask and turns > 0):
            if mask == 1 << NATURE:
                let_nature(work.worlds[1], dice, work.out, work.out)
            else:
                reply(work, lowest(mask))
                turns -= 1
            mask = asked(work.worlds[1])
        return value(work.worlds[1], seat)

    return outlook


@cache
def look_of(game: Game) -> Any:
    """The kernel `look(v, seat, dice, work, n, worlds, turns)`."""
    imagine, follow, outlook = game.rules.imagine, follow_of(game), outlook_of(game)

    @kernel
    def look(v, seat, dice, work, n, worlds, turns):  # type: ignore[no-untyped-def]
        """Play each of the first n candidates in a number of worlds, all with the same dice, and add up their marks. It
        stops when time is over; a static evaluation (`turns` is 0) still gets GLANCES worlds.
        """
        for done in range(worlds):
            if is_late(work) and (turns or done >= GLANCES):
                break
            work.worlds[0] = v
            imagine(work.worlds[0], seat, dice)
            chance = dice[0]
            for i in range(n):
                dice[0] = chance
                work.worlds[1] = work.worlds[0]
                follow(work.worlds[1], seat, work.rows[i])
                work.marks[i] += outlook(work, seat, turns, dice)

    return look


@cache
def rank_of(game: Game) -> Any:
    """The kernel `rank(v, seat, dice, work)`."""
    list_turns, look = list_turns_of(game), look_of(game)

    @kernel
    def rank(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """Sort the candidate turns, the best first."""
        n = list_turns(v, seat, work.rows, work.out, False)
        if n == 1:
            return
        work.marks[:n] = 0.0
        look(v, seat, dice, work, n, GLANCES, 0)
        for i in range(n):
            work.marks[i] = GLANCES * blurred(dice, work.marks[i] / GLANCES, work.plan.blur)
        left = put_best_first(work, n, work.plan.width)
        if work.plan.turns:
            work.marks[:left] = 0.0
        for stage in range(3):
            if left > 1 and work.plan.worlds:
                look(v, seat, dice, work, left, work.plan.worlds, work.plan.turns)
                put_best_first(work, left, left)
                if stage < 2:
                    left = (left + 1) // 2

    return rank


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    moves, play, back = game.rules.moves, game.rules.play, game.rules.BACK
    list_turns, rank, (_, hashed) = list_turns_of(game), rank_of(game), hashed_words(game)

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """The next step of the turn decided on, or of a new one."""
        n = without_back(work.out, moves(v, seat, work.out), back)
        if n == 1:
            return work.out[0]
        work.worlds[0] = v
        if not goes_on(memory, fingerprint(work.words[0], hashed, seat)):
            best = 0
            if slips(dice, work.plan.noise):
                best = below(dice, list_turns(v, seat, work.rows, work.out, False))
            else:
                rank(v, seat, dice, work)
            decide_on(memory, work.rows[best, 1:], work.rows[best, 0])
        move = next_step(memory)
        work.worlds[0] = v
        play(work.worlds[0], seat, move)
        await_there(memory, fingerprint(work.words[0], hashed, seat))
        return move

    return choose


def suits(game: Game) -> bool:
    """Whether the strategy can play a game."""
    return all(hasattr(game.rules, name) for name in NEEDS)


def workspace_for(game: Game, plan: Plan) -> Workspace:
    """A new workspace for a game."""
    most, (word, _) = game.rules.MOST_MOVES, hashed_words(game)
    rows = max(MOST_TURNS, most)
    worlds = np.zeros(3, game.rules.STATE)
    return Workspace(
        worlds=worlds,
        words=worlds.view(word).reshape(3, -1),
        out=np.zeros(most, np.int32),
        rows=np.zeros((rows, MOST_STEPS), np.int32),
        marks=np.zeros(rows),
        replies=np.zeros((rows, MOST_STEPS), np.int32),
        plan=plan.record,
        stop=never(),
    )


class Judge:
    """Judges a step by the best turn that begins with it, in whatever order the rest is played. It also considers some
    turns that the game does not list, because people play them.
    """

    LONGER = 4
    """Factor by which it plays more worlds than a bot that only has to choose."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.game, self.plan = game, plan
        self.list_turns, self.look = list_turns_of(game), look_of(game)
        self.work = workspace_for(game, plan)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        """The value of each step. The turns of the best static evaluation, overall and for each first step, are played
        in the same worlds.
        """
        s = self.game.imagined(v, seat, dice_from(seed))
        turns = {move: self.turns_after(s, seat, move) for move in self.game.moves(s, seat)}
        turns = {move: found for move, found in turns.items() if move != self.game.rules.BACK}
        every = {key: steps for found in turns.values() for key, steps in found.items()}
        sights = self.judged(v, seat, every, GLANCES, 0, seed)
        order = sorted(every, key=lambda key: -sights[key])
        kept = set(order[: self.plan.width])
        for found in turns.values():
            kept.update([key for key in order if key in found][:OF_EACH])
        left = {key: every[key] for key in order if key in kept}
        worths = self.judged(v, seat, left, self.plan.worlds, self.plan.turns, seed)
        return {move: max(worths[key] for key in found if key in worths) for move, found in turns.items()}

    def view(self, v: State, seat: Seat, seed: int) -> float:
        """The value of a view. It takes more worlds than steps do, which share their dice."""
        return self.judged(v, seat, {b"": ()}, LOOKS * self.plan.worlds, self.plan.turns, seed)[b""]

    def judged(self, v: State, seat: Seat, found: Turns, worlds: int, turns: int, seed: int) -> dict[bytes, float]:
        """The mean value of each of these turns, all with the same dice."""
        worths: dict[bytes, float] = {}
        for first in range(0, len(found), len(self.work.rows)):
            part = list(found)[first : first + len(self.work.rows)]
            for place, key in enumerate(part):
                self.work.rows[place, : len(found[key]) + 1] = len(found[key]), *found[key]
            self.work.marks[:] = 0.0
            self.look(v, seat, dice_from(seed), self.work, len(part), worlds, turns)
            worths |= zip(part, (self.work.marks[: len(part)] / worlds).tolist(), strict=True)
        return worths

    def turns_after(self, s: State, seat: Seat, move: Move) -> Turns:
        """Whole turns that begin with a step."""
        then = self.game.after(s, seat, move)
        if self.game.asked(then) != (seat,):
            return {self.game.key(then): (move,)}
        n = int(self.list_turns(then, seat, self.work.rows, self.work.out, False))
        rows = [row[1 : row[0] + 1] for row in self.work.rows[:n].tolist()]
        found: Turns = {}
        for row in rows:
            if row[0] != self.game.rules.BACK and len(row) < MOST_STEPS - 1:
                end = functools.reduce(lambda here, step: self.game.after(here, seat, step), row, then)
                found[self.game.key(end)] = (move, *row)
        return self.any_turns(then, seat, move, 2 if found else ANY_TURNS) | found

    def any_turns(self, s: State, seat: Seat, move: Move, most: int) -> Turns:
        """Some turns that begin with a step, whether or not the game lists them, in depth-first order."""
        found: Turns = {}
        ways: list[tuple[State, tuple[Move, ...]]] = [(s, (move,))]
        looked = 0
        while ways and len(found) < most and looked < 16 * most:
            here, steps = ways.pop()
            looked += 1
            if self.game.asked(here) != (seat,) or len(steps) == MOST_STEPS - 1:
                found.setdefault(self.game.key(here), steps)
            else:
                onward = [step for step in self.game.moves(here, seat) if step != self.game.rules.BACK]
                ways += [(self.game.after(here, seat, step), (*steps, step)) for step in reversed(onward)]
        return found

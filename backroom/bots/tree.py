"""A tree of whole turns: for games in which a turn is made of small steps and everybody sees nearly all.

In each position of the tree the best whole turns are found by a beam over the steps and judged at first sight; so a
step that can be taken back is never looked at without what completes it. The tree grows where turns are promising, as
in Monte Carlo tree search (PUCT), but nothing is played out: a new position is worth the mean of its own value and that
of the best turn in it, for what a position is worth should not depend on who has just moved. Each seat plays for itself
(max^n). Nature throws her dice anew each time that she is passed.

A game may offer `all_values(s, out)`, the value for all seats at once, and `worth_trying`. Where several are asked at
once, rollouts decide.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots import plans, rollouts
from backroom.bots.hashing import fingerprint, hashed_words
from backroom.bots.memory import AGAIN, MOST_STEPS, await_there, decide_on, goes_on, has_been, next_step, note
from backroom.bots.plans import number
from backroom.bots.rollouts import all_worth_trying
from backroom.bots.thinking import NOBODY, blurred, is_late, lost_by_all, never, share_out
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, dice_from, kernel, lowest, pick, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ("value", "imagine")
"""What a game's module has to offer."""
MOST_WIDTH, MOST_BEAM, MOST_NODES, MOST_DEPTH = 64, 32, 12_288, 64
"""Turns of a position; unfinished turns at a time; positions of a tree; and how many lie behind one another."""
ROOM = MOST_STEPS - 4
"""A turn of more steps is judged where it stands."""
FEWEST = 8
"""How many positions a judge looks at behind a move, however many moves there are."""
NEW, OVER, BY_NATURE = -1, -2, -3
"""Instead of whoever moves in a position: nobody has looked yet; the game is over; nature moves."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """How far and how wide the tree grows."""

    iterations: int = number(400, most=1_000_000)
    """Positions whose turns are looked at; 0: the turn that is best at first sight."""
    width: int = number(12, least=1, most=MOST_WIDTH)
    """How many whole turns are kept in each."""
    first: int = number(32, least=1, most=MOST_WIDTH)
    """The same for the turn that is to be decided."""
    beam: int = number(8, least=1, most=MOST_BEAM)
    """How many unfinished turns are gone on with, after each step."""
    curious: float = number(0.15, most=100)
    """How much a turn that looks good at first sight is preferred while it was looked at less."""
    warmth: float = number(0.04, least=0.001, most=100)
    """By how much less a turn must look worse to be looked at as often, e times as often."""
    mix: float = number(0.5, most=1)
    """How much of a new position's value is that of the best turn in it."""
    oppose: float = number(0.0, most=1)
    """How much of what a seat may expect is what the best of the others may not: at 1 half of it."""
    blur: float = number(0.0, most=100)
    """How far off the judgement of a turn may be, in log-odds."""


class Workspace(NamedTuple):
    """What it thinks with."""

    states: Any
    """The positions of the tree. Of each of them:"""
    mover: Any
    heads: Any
    """Its first child; of nature's children each has the next in `after`."""
    counts: Any
    after: Any
    by: Any
    """Nature's move that led here."""
    visits: Any
    totals: Any
    """What was found behind it, added up by seat."""
    values: Any
    """What it is worth at first sight, by seat."""
    prior: Any
    less: Any
    """How much less it is taken to be worth by whoever decides."""
    parts: Any
    """Unfinished turns, before and after a step: where they led, its value, and the number of steps and these."""
    part_marks: Any
    part_steps: Any
    turns: Any
    """The best whole turns, likewise."""
    turn_words: Any
    marks: Any
    steps: Any
    rows: Any
    """The steps of the turns to decide between."""
    spare: Any
    spare_words: Any
    worth: Any
    """What each seat may expect."""
    results: Any
    out: Any
    path: Any
    size: Any
    """How many positions the tree has."""
    dice: Any
    rolls: Any
    """What rollouts think with."""
    plan: Any
    stop: Any


@cache
def judge_all_of(game: Game) -> Any:
    """The kernel `judge_all(s, work)`: what each seat may expect, into `worth`."""
    rules: Any = game.rules
    asked, score, value, lost, most = rules.asked, rules.score, rules.value, lost_by_all(game), max(rules.SEATS)

    @kernel
    def by_one(s, out):  # type: ignore[no-untyped-def]
        """Seat by seat; a seat that nobody has may be judged too."""
        for seat in range(most):
            out[seat] = value(s, seat)

    values = getattr(rules, "all_values", by_one)

    @kernel
    def judge_all(s, work):  # type: ignore[no-untyped-def]
        work.results[:] = NOBODY
        if asked(s) == 0:
            score(s, work.results)
            share_out(work.results, lost)
            for seat in range(most):
                work.worth[seat] = max(work.results[seat], 0.0)
            return
        work.results[:] = 0.0
        values(s, work.results)
        for seat in range(most):
            best = 0.0
            for other in range(most):
                if other != seat:
                    best = max(best, work.results[other])
            half = 0.5 * work.plan.oppose
            work.worth[seat] = (1.0 - half) * work.results[seat] + half * (1.0 - best)

    return judge_all


@kernel
def place_for(marks, n, room, mark):  # type: ignore[no-untyped-def]
    """Where a mark goes in a list of the best n, which has room for some; -1: nowhere."""
    if n < room:
        return n
    worst = 0
    for i in range(1, n):
        if marks[i] < marks[worst]:
            worst = i
    return worst if mark > marks[worst] else -1


@kernel
def write_down(row, steps, length):  # type: ignore[no-untyped-def]
    """Keep some steps, after their number."""
    row[0] = length
    for k in range(length):
        row[k + 1] = steps[k]


@cache
def list_turns_of(game: Game) -> Any:
    """The kernel `list_turns(work, node, seat, width)`."""
    rules: Any = game.rules
    asked, moves, play, value, back, most = (
        rules.asked, rules.moves, rules.play, rules.value, rules.BACK, rules.MOST_MOVES
    )  # fmt: skip
    worth_trying, (_, hashed) = getattr(rules, "worth_trying", all_worth_trying), hashed_words(game)

    @kernel
    def consider(work, which, seat, steps, length, base, parts, n, width):  # type: ignore[no-untyped-def]
        """Keep `spare[which]`, if it is among the best; says how many unfinished and whole turns there are then."""
        s = work.spare[which]
        mark = value(s, seat)
        if asked(s) == 1 << seat and length < ROOM:
            for i in range(base, base + parts):
                if work.part_marks[i] == mark:  # hardly anything else is worth exactly as much
                    return parts, n
            place = place_for(work.part_marks[base:], parts, work.plan.beam, mark)
            if place >= 0:
                work.part_marks[base + place], work.parts[base + place] = mark, s
                write_down(work.part_steps[base + place], steps, length)
            return max(parts, place + 1), n
        key = np.uint64(0)
        for i in range(n):
            if work.marks[i] == mark:
                if key == 0:
                    key = fingerprint(work.spare_words[which], hashed, seat)
                if fingerprint(work.turn_words[i], hashed, seat) == key:
                    return parts, n
        place = place_for(work.marks, n, width, mark)
        if place >= 0:
            work.marks[place], work.turns[place] = mark, s
            write_down(work.steps[place], steps, length)
        return parts, max(n, place + 1)

    @kernel
    def list_turns(work, node, seat, width):  # type: ignore[no-untyped-def]
        """Into `turns`: where the best whole turns of a seat lead to; says how many they are."""
        work.parts[0] = work.states[node]
        work.part_steps[0, 0] = 0
        base, parts, n = 0, 1, 0
        out, then, steps = work.out[:most], work.out[most : 2 * most], work.out[2 * most :]
        while parts:
            then_base, more = MOST_BEAM - base, 0
            for part in range(base, base + parts):
                length = work.part_steps[part, 0]
                for k in range(length):
                    steps[k] = work.part_steps[part, k + 1]
                count = without_back(out, moves(work.parts[part], seat, out), back)
                for i in range(worth_trying(work.parts[part], seat, out, count)):
                    work.spare[0] = work.parts[part]
                    play(work.spare[0], seat, out[i])
                    steps[length] = out[i]
                    count = moves(work.spare[0], seat, then) if asked(work.spare[0]) == 1 << seat else 0
                    if count < 2 or then[count - 1] != back:
                        more, n = consider(work, 0, seat, steps, length + 1, then_base, more, n, width)
                        continue
                    for j in range(count - 1):
                        work.spare[1] = work.spare[0]
                        play(work.spare[1], seat, then[j])
                        steps[length + 1] = then[j]
                        more, n = consider(work, 1, seat, steps, length + 2, then_base, more, n, width)
            base, parts = then_base, more
        return n

    return list_turns


@cache
def expand_of(game: Game) -> Any:
    """The kernel `expand(work, node, width)`."""
    asked, most = game.rules.asked, max(game.rules.SEATS)
    list_turns, judge_all = list_turns_of(game), judge_all_of(game)

    @kernel
    def expand(work, node, width):  # type: ignore[no-untyped-def]
        """Look at the turns of a position; what it is worth comes into `worth`."""
        seat = lowest(asked(work.states[node]))
        n, base = list_turns(work, node, seat, width), work.size[0]
        work.mover[node], work.heads[node], work.counts[node] = seat, base, n
        best, all_of = base, 0.0
        for i in range(n):
            child = base + i
            work.states[child] = work.turns[i]
            judge_all(work.turns[i], work)
            work.mover[child], work.visits[child], work.less[child] = NEW, 0, 0.0
            for other in range(most):
                work.values[child, other], work.totals[child, other] = work.worth[other], 0.0
            if work.values[child, seat] > work.values[best, seat]:
                best = child
        for child in range(base, base + n):
            work.prior[child] = np.exp((work.values[child, seat] - work.values[best, seat]) / work.plan.warmth)
            all_of += work.prior[child]
        for child in range(base, base + n):
            work.prior[child] /= all_of
        work.size[0] += n
        mix = work.plan.mix
        for other in range(most):
            work.worth[other] = (1.0 - mix) * work.values[node, other] + mix * work.values[best, other]

    return expand


@kernel
def select(work, node):  # type: ignore[no-untyped-def]
    """The child to look at next. One that nobody has looked at is taken to change as the others did on average."""
    seat, base = work.mover[node], work.heads[node]
    changed, seen = 0.0, 0
    for child in range(base, base + work.counts[node]):
        changed += work.totals[child, seat] - work.visits[child] * work.values[child, seat]
        seen += work.visits[child]
    changed /= max(seen, 1)
    best, most_worth, root = base, -1e9, np.sqrt(seen + 1.0)
    for child in range(base, base + work.counts[node]):
        visits = work.visits[child]
        worth = work.totals[child, seat] / visits if visits else work.values[child, seat] + changed
        worth += work.plan.curious * work.prior[child] * root / (1 + visits) - work.less[child]
        if worth > most_worth:
            best, most_worth = child, worth
    return best


@cache
def iterate_of(game: Game) -> Any:
    """The kernel `iterate(work)`."""
    asked, moves, odds, play, most = (
        game.rules.asked, game.rules.moves, game.rules.odds, game.rules.play, max(game.rules.SEATS)
    )  # fmt: skip
    expand, judge_all = expand_of(game), judge_all_of(game)

    @kernel
    def let_nature(work, node):  # type: ignore[no-untyped-def]
        """The child after a move that nature throws now."""
        s = work.states[node]
        place = pick(work.dice, work.out, odds(s, work.out))
        moves(s, NATURE, work.out)
        move, child = work.out[place], work.heads[node]
        while child >= 0 and work.by[child] != move:
            child = work.after[child]
        if child >= 0:
            return child
        child = work.size[0]
        work.size[0] += 1
        work.states[child] = s
        play(work.states[child], NATURE, move)
        judge_all(work.states[child], work)
        work.by[child], work.after[child], work.heads[node] = move, work.heads[node], child
        work.mover[child], work.visits[child], work.less[child] = NEW, 0, 0.0
        for seat in range(most):
            work.values[child, seat], work.totals[child, seat] = work.worth[seat], 0.0
        return child

    @kernel
    def iterate(work):  # type: ignore[no-untyped-def]
        """Go down the tree to a position that nobody has looked at, and tell those above what it is worth."""
        node, length = 0, 0
        while True:
            work.path[length] = node
            length += 1
            if work.mover[node] == NEW:
                mask = asked(work.states[node])
                if mask and mask != 1 << NATURE:
                    expand(work, node, work.plan.width)
                    break
                work.mover[node], work.heads[node] = BY_NATURE if mask else OVER, -1
            if work.mover[node] == OVER or length == MOST_DEPTH:
                for seat in range(most):
                    work.worth[seat] = work.values[node, seat]
                break
            node = let_nature(work, node) if work.mover[node] == BY_NATURE else select(work, node)
        for i in range(length):
            work.visits[work.path[i]] += 1
            for seat in range(most):
                work.totals[work.path[i], seat] += work.worth[seat]

    return iterate


@cache
def grow_of(game: Game) -> Any:
    """The kernel `grow(v, seat, dice, work, memory)`."""
    imagine, most = game.rules.imagine, max(game.rules.SEATS)
    expand, iterate, again = expand_of(game), iterate_of(game), again_of(game)

    @kernel
    def grow(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """A tree from what a seat sees; says how many turns there are to decide between."""
        work.states[0] = v
        imagine(work.states[0], seat, dice)
        work.size[0], work.visits[0] = 1, 0
        for other in range(most):
            work.values[0, other], work.totals[0, other] = 0.5, 0.0
        expand(work, 0, work.plan.first)
        n, base = work.counts[0], work.heads[0]
        for i in range(n):
            write_down(work.rows[i], work.steps[i, 1:], work.steps[i, 0])
            mark = work.values[base + i, seat]
            work.less[base + i] = mark - blurred(dice, mark, work.plan.blur) + again(work.states[base + i], memory)
        work.dice[0] = dice[0]
        done = 0
        while n > 1 and done < work.plan.iterations and not is_late(work):
            if work.size[0] + MOST_WIDTH + MOST_DEPTH > MOST_NODES:
                break
            iterate(work)
            done += 1
        return n

    return grow


@cache
def foresee_of(game: Game) -> Any:
    """The kernel `foresee(s, seat, dice, work)`."""
    iterate, judge_all, most = iterate_of(game), judge_all_of(game), max(game.rules.SEATS)

    @kernel
    def foresee(s, seat, dice, work):  # type: ignore[no-untyped-def]
        """What a seat may expect of a position, whoever moves: the mean of a tree that grows from it."""
        work.states[0] = s
        judge_all(work.states[0], work)
        work.size[0], work.visits[0], work.mover[0] = 1, 0, NEW
        for other in range(most):
            work.values[0, other], work.totals[0, other] = work.worth[other], 0.0
        work.dice[0] = dice[0]
        for _ in range(work.plan.iterations):
            if work.size[0] + MOST_WIDTH + MOST_DEPTH <= MOST_NODES:
                iterate(work)
        return work.totals[0, seat] / work.visits[0]

    return foresee


@cache
def again_of(game: Game) -> Any:
    """The kernel `again(s, memory)`: how much less it is worth that a turn ends where earlier ones have."""
    rules: Any = game.rules
    if not hasattr(rules, "layout"):

        @kernel
        def never_again(s, memory):  # type: ignore[no-untyped-def]
            """For games in which nothing comes back."""
            return 0.0

        return never_again
    layout = rules.layout

    @kernel
    def again(s, memory):  # type: ignore[no-untyped-def]
        return AGAIN * has_been(memory, layout(s))

    return again


@cache
def keep_of(game: Game) -> Any:
    """The kernel `keep(s, seat, memory)`: notes how a turn has ended, if it has."""
    rules: Any = game.rules
    if not hasattr(rules, "layout"):

        @kernel
        def keep_nothing(s, seat, memory):  # type: ignore[no-untyped-def]
            """For games in which nothing comes back."""

        return keep_nothing
    asked, layout = rules.asked, rules.layout

    @kernel
    def keep(s, seat, memory):  # type: ignore[no-untyped-def]
        if asked(s) != 1 << seat:
            note(memory, layout(s))

    return keep


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    asked, moves, play, back = game.rules.asked, game.rules.moves, game.rules.play, game.rules.BACK
    grow, roll, keep, (_, hashed) = grow_of(game), rollouts.choose_of(game), keep_of(game), hashed_words(game)

    @kernel
    def decide(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """Remember the turn that was looked at most; of equals the better one."""
        n = grow(v, seat, dice, work, memory)
        best, most_worth = 0, -1e9
        for i in range(n):
            child = work.heads[0] + i
            visits = work.visits[child]
            worth = work.totals[child, seat] / visits if visits else work.values[child, seat] - 1.0
            if visits + worth - work.less[child] > most_worth:
                best, most_worth = i, visits + worth - work.less[child]
        decide_on(memory, work.rows[best, 1:], work.rows[best, 0])

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """The next step of the turn decided on, or of a new one."""
        if asked(v) != 1 << seat:
            return roll(v, seat, dice, work.rolls, memory)
        n = without_back(work.out, moves(v, seat, work.out), back)
        move = work.out[0]
        work.spare[0] = v
        if n > 1:
            if not goes_on(memory, fingerprint(work.spare_words[0], hashed, seat)):
                decide(v, seat, dice, work, memory)
                work.spare[0] = v
            move = next_step(memory)
        play(work.spare[0], seat, move)
        keep(work.spare[0], seat, memory)
        await_there(memory, fingerprint(work.spare_words[0], hashed, seat))
        return move

    return choose


def suits(game: Game) -> bool:
    """Whether a game can be played so: nothing may be hidden but what nature has yet to decide."""
    return all(hasattr(game.rules, name) for name in NEEDS)


ROLLS = rollouts.Plan(worlds=1, width=16, turns=1, blur=0.02)
"""How it is decided where several are asked at once."""


def workspace_for(game: Game, plan: Plan) -> Workspace:
    """What it needs."""
    most, seats, state, (word, _) = game.rules.MOST_MOVES, max(game.rules.SEATS), game.rules.STATE, hashed_words(game)
    turns, spare = np.zeros(MOST_WIDTH, state), np.zeros(2, state)
    return Workspace(
        states=np.zeros(MOST_NODES, state),
        mover=np.zeros(MOST_NODES, np.int32),
        heads=np.zeros(MOST_NODES, np.int32),
        counts=np.zeros(MOST_NODES, np.int32),
        after=np.zeros(MOST_NODES, np.int32),
        by=np.zeros(MOST_NODES, np.int32),
        visits=np.zeros(MOST_NODES, np.int32),
        totals=np.zeros((MOST_NODES, seats)),
        values=np.zeros((MOST_NODES, seats)),
        prior=np.zeros(MOST_NODES),
        less=np.zeros(MOST_NODES),
        parts=np.zeros(2 * MOST_BEAM, state),
        part_marks=np.zeros(2 * MOST_BEAM),
        part_steps=np.zeros((2 * MOST_BEAM, MOST_STEPS), np.int32),
        turns=turns,
        turn_words=turns.view(word).reshape(MOST_WIDTH, -1),
        marks=np.zeros(MOST_WIDTH),
        steps=np.zeros((MOST_WIDTH, MOST_STEPS), np.int32),
        rows=np.zeros((MOST_WIDTH, MOST_STEPS), np.int32),
        spare=spare,
        spare_words=spare.view(word).reshape(2, -1),
        worth=np.zeros(seats),
        results=np.zeros(NATURE),
        out=np.zeros(3 * most, np.int32),
        path=np.zeros(MOST_DEPTH, np.int32),
        size=np.zeros(1, np.int64),
        dice=np.zeros(1, np.uint64),
        rolls=rollouts.workspace_for(game, ROLLS),
        plan=plan.record,
        stop=never(),
    )


class Judge:
    """What becomes of moves and views: a tree grows behind each."""

    LONGER = 1
    """How many times as many positions it looks at, for all moves together, as whoever only has to choose."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.game, self.plan, self.foresee = game, plan, foresee_of(game)
        self.work, self.rolls = workspace_for(game, plan), rollouts.Judge(game, ROLLS)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        """Moves that a move completes are looked at with as many positions as others."""
        if self.game.asked(v) != (seat,):
            return self.rolls.moves(v, seat, seed)
        open_moves = [move for move in self.game.moves(v, seat) if move != self.game.rules.BACK]
        world, each = self.game.imagined(v, seat, dice_from(seed)), max(FEWEST, self.plan.iterations // len(open_moves))
        return {move: self.worth(self.game.after(world, seat, move), seat, seed, each) for move in open_moves}

    def view(self, v: State, seat: Seat, seed: int) -> float:
        if len(self.game.asked(v)) > 1:
            return self.rolls.view(v, seat, seed)
        return self.worth(self.game.imagined(v, seat, dice_from(seed)), seat, seed, self.plan.iterations)

    def worth(self, s: State, seat: Seat, seed: int, iterations: int) -> float:
        """What a seat may expect of a position."""
        work = self.work._replace(plan=replace(self.plan, iterations=max(1, iterations)).record)
        return float(self.foresee(s, seat, dice_from(seed), work))

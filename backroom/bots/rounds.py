"""Sealed rounds: what seats that are asked together would choose, by regret matching over the values behind the reveal.

For games whose only secrets are the sealed answers, and that offer `values(s, weights, out)`, what every seat may
expect; `gist(s)`, a number that is the same behind a round where that is the same; and `weights()`. Each iteration
draws an answer for everyone from what they regret, and looks at every other answer that each of them could have given
to the same answers of the others. What a seat did on average is its strategy: nobody gains much by leaving it. Many
answers lead to the same, and the same answers are met again and again: what was found is kept. Where only two answer,
every pair of answers can be looked at instead (`backroom/bots/duels.py`). A seat that is asked alone takes the move
after which the value is best, chance averaged.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots import duels, plans
from backroom.bots.duels import CELLS, LEVELS, TURNS, follow_of
from backroom.bots.duels import solve as solve_matrix
from backroom.bots.hashing import mixed
from backroom.bots.plans import number
from backroom.bots.thinking import blurred, is_late, misjudged, never, slips
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ("values", "gist", "weights")
"""What a game's module has to offer."""
SLOTS = 1 << 12
"""How much can be kept of what was found; a power of two."""
LEAST = 10
"""How many iterations run however late it is."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """How long to think about a round."""

    iterations: int = number(400, least=1, most=1_000_000)
    noise: float = number(0.0, most=1)
    """How often any move at all is played."""
    blur: float = number(0.0, most=100)
    """How far off a weaker level's judgement of an answer may be, in log-odds; nothing that is decided is misjudged."""
    rare: float = number(0.05, most=1)
    """An answer that would be given less often than this is not given: it is what learning left behind."""
    duels: int = number(0, most=1)
    """Whether rounds between two are solved, with the round after them."""


class Workspace(NamedTuple):
    """What it thinks with."""

    worlds: Any
    """The state asked about; with one answer; with all; with nature's."""
    out: Any
    """Moves; nature's moves; odds."""
    answers: Any
    """The possible answers of each seat."""
    counts: Any
    """How many answers each seat has."""
    regrets: Any
    """What each seat lost by not giving each of them."""
    strategy: Any
    """How likely each answer is now."""
    sums: Any
    """How likely each answer was so far, later rounds counting more."""
    drawn: Any
    """The place of the answer that each seat has drawn."""
    gains: Any
    """What each answer would have brought."""
    worths: Any
    """The same on average for the seat that thinks, later rounds counting more."""
    offs: Any
    """How far off it is with each of them."""
    keys: Any
    """What was met in this round: all answers together, and what they led to; 0 where nothing stands."""
    known: Any
    """What each seat may expect there, and twice as much room to think; the last row is for what is not kept."""
    is_solved: Any
    """Whether the round was solved: then a rare answer is meant."""
    duel: duels.Workspace
    plan: Any
    weights: Any
    stop: Any


@kernel
def match_regret(work, seat, weight):  # type: ignore[no-untyped-def]
    """Make answers as likely as they are regretted, and count that."""
    n, total = work.counts[seat], 0.0
    for i in range(n):
        total += work.regrets[seat, i]
    for i in range(n):
        work.strategy[seat, i] = work.regrets[seat, i] / total if total > 0.0 else 1.0 / n
        work.sums[seat, i] += weight * work.strategy[seat, i]


@kernel
def slot_of(key):  # type: ignore[no-untyped-def]
    """The one place where something can be kept: what comes later takes it."""
    return np.int64(key >> np.uint64(20)) & (SLOTS - 1)


@kernel
def draw(dice, chances, n):  # type: ignore[no-untyped-def]
    """One of n, by chances that add up to 1."""
    at = below(dice, 1 << 30) / (1 << 30)
    for i in range(n):
        at -= chances[i]
        if at < 0.0:
            return i
    return n - 1


@kernel
def learn(work, seat):  # type: ignore[no-untyped-def]
    """Add to the regret of each answer what it would have brought more than was expected (never below none)."""
    n, expected = work.counts[seat], 0.0
    for i in range(n):
        expected += work.strategy[seat, i] * work.gains[i]
    for i in range(n):
        work.regrets[seat, i] = max(work.regrets[seat, i] + work.gains[i] - expected, 0.0)


@kernel
def settle(work, seat, dice):  # type: ignore[no-untyped-def]
    """An answer of the seat, as likely as it was on average, rare ones left out; and `strategy` says how likely."""
    n, total, kept = work.counts[seat], 0.0, 0.0
    for i in range(n):
        total += work.sums[seat, i]
    most = 0.0
    for i in range(n):
        most = max(most, work.sums[seat, i])
    least = 0.0 if work.is_solved[0] else min(work.plan.rare * total, most)
    for i in range(n):
        if work.sums[seat, i] >= least:
            kept += work.sums[seat, i]
    for i in range(n):
        work.strategy[seat, i] = work.sums[seat, i] / kept if work.sums[seat, i] >= least else 0.0
    return draw(dice, work.strategy[seat], n)


@kernel
def leave_out_what_is_sealed(work, seat, n):  # type: ignore[no-untyped-def]
    """An answer that is none of the n moves in `out` is the one that the seat has given: it can only be changed."""
    for i in range(work.counts[seat]):
        is_open = False
        for k in range(n):
            is_open |= work.out[k] == work.answers[seat, i]
        work.sums[seat, i] = work.sums[seat, i] + 1e-9 if is_open else 0.0


@cache
def outlook_of(game: Game) -> Any:
    """The kernel `outlook(work, seat)`."""
    rules: Any = game.rules
    asked, moves, odds, play, values = rules.asked, rules.moves, rules.odds, rules.play, rules.values
    most = rules.MOST_MOVES

    @kernel
    def outlook(work, seat):  # type: ignore[no-untyped-def]
        """What the seat may expect of `worlds[2]`, averaged over nature's answer if she is asked."""
        found = work.known[SLOTS]
        if asked(work.worlds[2]) != 1 << NATURE:
            values(work.worlds[2], work.weights, found)
            return found[seat]
        weights, chances = work.out[most:], work.out[2 * most :]
        n = moves(work.worlds[2], NATURE, chances)
        odds(work.worlds[2], weights)
        total, sum_of_odds = 0.0, 0
        for i in range(n):
            work.worlds[3] = work.worlds[2]
            play(work.worlds[3], NATURE, chances[i])
            values(work.worlds[3], work.weights, found)
            total += weights[i] * found[seat]
            sum_of_odds += weights[i]
        return total / sum_of_odds

    return outlook


@cache
def list_answers_of(game: Game) -> Any:
    """The kernel `list_answers(work, seat)`."""
    asked, moves, play, back = game.rules.asked, game.rules.moves, game.rules.play, game.rules.BACK

    @kernel
    def list_answers(work, seat):  # type: ignore[no-untyped-def]
        """Every answer that a seat of `worlds[0]` can give. One that is sealed is no move: it is, once changed."""
        n = without_back(work.answers[seat], moves(work.worlds[0], seat, work.answers[seat]), back)
        if n and not asked(work.worlds[0]) >> seat & 1:
            other = work.answers[seat, 0]
            work.worlds[1] = work.worlds[0]
            play(work.worlds[1], seat, other)
            n = without_back(work.answers[seat], moves(work.worlds[1], seat, work.answers[seat]), back)
            work.answers[seat, n] = other
            n += 1
        work.counts[seat] = n
        work.regrets[seat, :n] = 0.0
        work.sums[seat, :n] = 0.0

    return list_answers


@cache
def answer_all_of(game: Game) -> Any:
    """The kernel `answer_all(work, seat, place)`."""
    asked, moves, play, most_seats = game.rules.asked, game.rules.moves, game.rules.play, max(game.rules.SEATS)

    @kernel
    def give(work, world, seat, place):  # type: ignore[no-untyped-def]
        """Play an answer, unless it is the one that is sealed already."""
        move, is_open = work.answers[seat, place], False
        if asked(work.worlds[world]) >> seat & 1:
            is_open = True
        else:
            n = moves(work.worlds[world], seat, work.out)
            for i in range(n):
                is_open |= work.out[i] == move
        if is_open:
            play(work.worlds[world], seat, move)

    @kernel
    def answer_all(work, seat, place):  # type: ignore[no-untyped-def]
        """Into `worlds[2]`: everyone has given the answer drawn, this seat another. Who has sealed one changes it
        first: the reveal comes with the last of those who have not.
        """
        work.worlds[2] = work.worlds[0]
        waiting = asked(work.worlds[0])
        for turn in range(2):
            for other in range(most_seats):
                if work.counts[other] and waiting >> other & 1 == turn:
                    give(work, 2, other, place if other == seat else work.drawn[other])

    return answer_all


@cache
def look_behind_of(game: Game) -> Any:
    """The kernel `look_behind(work, seat, place)`."""
    rules: Any = game.rules
    values, gist, answer_all = rules.values, rules.gist, answer_all_of(game)
    most, most_seats = rules.MOST_MOVES, max(rules.SEATS)

    @kernel
    def look_behind(work, seat, place):  # type: ignore[no-untyped-def]
        """What the seat may expect if it gives this answer to those that the others have drawn."""
        profile = np.uint64(1)
        for other in range(most_seats):
            answer = place if other == seat else work.drawn[other]
            profile = profile * np.uint64(most + 2) + np.uint64(answer if work.counts[other] else most + 1)
        profile = mixed(profile, 0)
        at = slot_of(profile)
        if work.keys[at] == profile:
            return work.known[at, seat]
        answer_all(work, seat, place)
        key = mixed(gist(work.worlds[2]), 1)
        where = slot_of(key)
        if work.keys[where] != key:
            work.keys[where] = key
            values(work.worlds[2], work.weights, work.known[where])
        if at != where:
            work.keys[at] = profile
            for each in range(most_seats):
                work.known[at, each] = work.known[where, each]
        return work.known[where, seat]

    return look_behind


@cache
def solve_duel_of(game: Game) -> Any:
    """The kernel `solve_duel(work, seat)`."""
    rules: Any = game.rules
    gist, answer_all, follow = rules.gist, answer_all_of(game), follow_of(game)
    most_seats = max(rules.SEATS)

    @kernel
    def solve_duel(work, seat):  # type: ignore[no-untyped-def]
        """Fill `sums` and `worths` if just two answer, this seat and another; and whether that is so."""
        one = two = -1
        for other in range(most_seats):
            if work.counts[other]:
                if two >= 0:
                    return False
                one, two = (other, two) if one < 0 else (one, other)
        if two < 0:
            return False
        n, m, matrix = work.counts[one], work.counts[two], work.duel.matrices[0]
        for i in range(n):
            for j in range(m):
                work.drawn[two] = j
                answer_all(work, one, i)
                key = mixed(gist(work.worlds[2]), 1)
                where = slot_of(key)
                if work.keys[where] != key:
                    work.keys[where] = key
                    work.duel.worlds[0] = work.worlds[2]
                    follow(work.duel, work.weights, LEVELS if n * m <= CELLS and not is_late(work) else 0)
                    for other in range(most_seats):
                        work.known[where, other] = work.duel.steps[0].hopes[other]
                matrix.payoffs[0, i, j] = misjudged(work.known[where, one], work.offs[i] if seat == one else 0.0)
                matrix.payoffs[1, i, j] = misjudged(work.known[where, two], work.offs[j] if seat == two else 0.0)
        solve_matrix(matrix, n, m, TURNS)
        weight = work.plan.iterations * (work.plan.iterations + 1) / 2
        for j in range(m):
            work.sums[two, j] = matrix.sums[1, j]
        for i in range(n):
            work.sums[one, i] = matrix.sums[0, i]
            for j in range(m):
                if seat == one:
                    work.worths[i] += weight * matrix.sums[1, j] * matrix.payoffs[0, i, j]
                else:
                    work.worths[j] += weight * matrix.sums[0, i] * matrix.payoffs[1, i, j]
        work.is_solved[0] = 1
        return True

    return solve_duel


@cache
def solve_of(game: Game) -> Any:
    """The kernel `solve(v, seat, dice, work)`."""
    imagine, list_answers, look_behind = game.rules.imagine, list_answers_of(game), look_behind_of(game)
    solve_duel = solve_duel_of(game)
    most_seats = max(game.rules.SEATS)

    @kernel
    def iterate(work, seat, dice, weight):  # type: ignore[no-untyped-def]
        """Everyone draws an answer, and learns what each other one would have brought."""
        for other in range(most_seats):
            if work.counts[other]:
                match_regret(work, other, weight)
                work.drawn[other] = draw(dice, work.strategy[other], work.counts[other])
        for other in range(most_seats):
            if work.counts[other] > 1:
                for i in range(work.counts[other]):
                    work.gains[i] = misjudged(look_behind(work, other, i), work.offs[i] if other == seat else 0.0)
                learn(work, other)
                if other == seat:
                    for i in range(work.counts[other]):
                        work.worths[i] += weight * work.gains[i]

    @kernel
    def solve(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """Fill `sums` for everyone who answers together with this seat."""
        work.worlds[0] = v
        imagine(work.worlds[0], seat, dice)
        work.keys[:] = np.uint64(0)
        for other in range(most_seats):
            list_answers(work, other)
        work.worths[:] = 0.0
        work.is_solved[0] = 0
        for i in range(work.counts[seat]):
            blur = work.plan.blur
            work.offs[i] = blur * (below(dice, 1 << 20) / (1 << 20) - 0.5) if blur > 0.0 else 0.0
        if work.plan.duels and solve_duel(work, seat):
            return
        for done in range(work.plan.iterations):
            if done >= LEAST and is_late(work):
                break
            iterate(work, seat, dice, done + 1.0)

    return solve


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    asked, moves, play, imagine = game.rules.asked, game.rules.moves, game.rules.play, game.rules.imagine
    outlook, solve = outlook_of(game), solve_of(game)
    most, back, most_seats = game.rules.MOST_MOVES, game.rules.BACK, max(game.rules.SEATS)

    @kernel
    def answer_alone(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """That one of the n moves in `out` after which the value is best."""
        work.worlds[0] = v
        imagine(work.worlds[0], seat, dice)
        best, mark = 0, -1.0
        for i in range(n):
            work.worlds[2] = work.worlds[0]
            play(work.worlds[2], seat, work.out[i])
            here = blurred(dice, outlook(work, seat), work.plan.blur)
            if here > mark:
                best, mark = i, here
        return work.out[best]

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        n = without_back(work.out, moves(v, seat, work.out), back)
        if n == 1:
            return work.out[0]
        if slips(dice, work.plan.noise):
            return work.out[below(dice, n)]
        others = 0
        for other in range(most_seats):  # who has sealed an answer is not asked any more, but could change it
            if other != seat:
                others += moves(v, other, work.out[most:])
        if not others:
            return answer_alone(v, seat, dice, work, n)
        solve(v, seat, dice, work)
        if not asked(v) >> seat & 1:
            leave_out_what_is_sealed(work, seat, moves(v, seat, work.out))
        return work.answers[seat, settle(work, seat, dice)]

    return choose


def suits(game: Game) -> bool:
    """Whether a game can be played so."""
    return all(hasattr(game.rules, name) for name in NEEDS)


def workspace_for(game: Game, plan: Plan, weights: Any = None) -> Workspace:
    """What it needs; other weights than the game's own may be given."""
    rules: Any = game.rules
    most, seats = rules.MOST_MOVES, max(rules.SEATS)
    return Workspace(
        worlds=np.zeros(4, rules.STATE),
        out=np.zeros(3 * most, np.int32),
        answers=np.zeros((seats, most + 1), np.int32),
        counts=np.zeros(seats, np.int64),
        regrets=np.zeros((seats, most + 1)),
        strategy=np.zeros((seats, most + 1)),
        sums=np.zeros((seats, most + 1)),
        drawn=np.zeros(seats, np.int64),
        gains=np.zeros(most + 1),
        worths=np.zeros(most + 1),
        offs=np.zeros(most + 1),
        keys=np.zeros(SLOTS, np.uint64),
        known=np.zeros((SLOTS + 1, 3 * seats)),
        is_solved=np.zeros(1, np.int64),
        duel=duels.workspace_for(game),
        plan=plan.record,
        weights=rules.weights() if weights is None else weights,
        stop=never(),
    )


class Judge:
    """What moves are worth: sealed ones against what the others would choose, others by what is behind them."""

    LONGER = 8
    """How many times as long it thinks as one who only has to choose."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.game, self.iterations = game, plan.iterations
        self.outlook, self.solve = outlook_of(game), solve_of(game)
        self.work = workspace_for(game, plan)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        found = [move for move in self.game.moves(v, seat) if move != self.game.rules.BACK]
        others = set(range(max(self.game.rules.SEATS))) - {seat}
        if len(found) == 1 or not any(self.game.moves(v, other) for other in others):
            world = self.game.imagined(v, seat, dice_from(seed))
            return {move: self.rest(self.game.after(world, seat, move), seat) for move in found}
        self.solve(v, seat, dice_from(seed), self.work)
        n, total = int(self.work.counts[seat]), self.iterations * (self.iterations + 1) / 2
        worths = dict(zip(self.work.answers[seat, :n].tolist(), self.work.worths[:n].tolist(), strict=True))
        return {move: worths[move] / total for move in found}

    def view(self, v: State, seat: Seat, seed: int) -> float:
        return self.rest(self.game.imagined(v, seat, dice_from(seed)), seat)

    def rest(self, s: State, seat: Seat) -> float:
        self.work.worlds[2] = s
        return float(self.outlook(self.work, seat))

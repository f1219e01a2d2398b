"""Simultaneous moves in sealed rounds, by regret matching over the values after the reveal.

For games whose only secrets are the sealed answers, and that offer `values(s, weights, out)`, the expected value of
every seat; `gist(s)`, a number that is equal for states with equal values; and `weights()`. Each iteration draws an
answer for every seat by regret matching, and evaluates each alternative answer of each seat against the answers drawn
for the others. The average strategy is an approximate equilibrium: no seat gains much by deviating from it. Values are
cached, since many combinations of answers lead to the same state. A round between two seats can be solved as a matrix
game instead (`backroom/bots/duels.py`). A seat that is asked alone plays the move of the best value, averaged over
chance.

An answer that wins whatever the others answer is given by every level, and so is the best move of a seat that is asked
alone, if it cannot lose with it. An answer that has lost whenever it was evaluated is not given if another has not.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots import duels, plans
from backroom.bots.deadlines import is_late, never
from backroom.bots.duels import CELLS, LEVELS, TURNS, follow_of
from backroom.bots.duels import solve as solve_matrix
from backroom.bots.hashing import mixed
from backroom.bots.noise import blurred, misjudged, slips
from backroom.bots.plans import number
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ("values", "gist", "sure", "weights")
"""The kernels that a game's module has to offer."""
SLOTS = 1 << 12
"""The size of the cache of values; a power of two."""
HOPES = 32
"""Random answers of the others that are tried if all of the seat's own seem lost."""
ERR = 0.01
"""The probability, for a judge, that the others answer at random where all of the seat's own answers seem lost."""
COMBINATIONS = 20_000
"""The most combinations of the others' answers in a round for which an answer that wins against all is searched."""
NEARLY = 0.9
"""The least value of an answer that a weaker level gives as one that wins, if the seat at least shares the win."""
LEAST = 10
"""The number of iterations that run even if time is over."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """The budget and the parameters for a round."""

    iterations: int = number(400, least=1, most=1_000_000)
    noise: float = number(0.0, most=1)
    """The probability of playing a random move."""
    blur: float = number(0.0, most=100)
    """Width of the random error in the evaluation of an answer, in log-odds, for weaker levels; certain wins and losses
    are evaluated without error.
    """
    rare: float = number(0.05, most=1)
    """Answers of a lower probability than this are not given: they are residue of learning."""
    duels: int = number(0, most=1)
    """1: rounds between two seats are solved as matrix games, together with the round after them."""


class Workspace(NamedTuple):
    """The arrays that the kernels work in."""

    worlds: Any
    """The state of the round; after one answer; after all answers; after nature's move."""
    out: Any
    """Moves; the odds of nature's moves; nature's moves."""
    answers: Any
    """The possible answers of each seat."""
    counts: Any
    """The number of answers of each seat."""
    regrets: Any
    """The cumulative regret of each answer of each seat, never negative."""
    strategy: Any
    """The current probability of each answer."""
    sums: Any
    """The sum of each answer's probabilities so far, with later iterations weighted more."""
    drawn: Any
    """The index of the answer drawn for each seat."""
    gains: Any
    """The value of each answer of a seat against the answers drawn for the others."""
    worths: Any
    """The weighted sum of `gains` for the thinking seat, with later iterations weighted more."""
    offs: Any
    """The error of the thinking seat's evaluation of each of its answers, in log-odds."""
    keys: Any
    """The keys of the cache: hashes of combinations of answers, and of the `gist` they lead to; 0 if free."""
    known: Any
    """The cached values of each seat, with twice as much scratch space; the last row is for values not cached."""
    is_solved: Any
    """Whether the round was solved as a matrix game: then rare answers are played too."""
    duel: duels.Workspace
    plan: Any
    weights: Any
    stop: Any


@kernel
def match_regret(work, seat, weight):  # type: ignore[no-untyped-def]
    """Set a seat's strategy in proportion to its regrets, and add it to `sums` with a weight."""
    n, total = work.counts[seat], 0.0
    for i in range(n):
        total += work.regrets[seat, i]
    for i in range(n):
        work.strategy[seat, i] = work.regrets[seat, i] / total if total > 0.0 else 1.0 / n
        work.sums[seat, i] += weight * work.strategy[seat, i]


@kernel
def slot_of(key):  # type: ignore[no-untyped-def]
    """The only slot for a key in the cache; a newer entry replaces an older one."""
    return np.int64(key >> np.uint64(20)) & (SLOTS - 1)


@kernel
def draw(dice, chances, n):  # type: ignore[no-untyped-def]
    """A random index below n, by probabilities that add up to 1."""
    at = below(dice, 1 << 30) / (1 << 30)
    for i in range(n):
        at -= chances[i]
        if at < 0.0:
            return i
    return n - 1


@kernel
def learn(work, seat):  # type: ignore[no-untyped-def]
    """Add to each answer's regret its gain over the strategy's expected value; regrets are never negative (CFR+)."""
    n, expected = work.counts[seat], 0.0
    for i in range(n):
        expected += work.strategy[seat, i] * work.gains[i]
    for i in range(n):
        work.regrets[seat, i] = max(work.regrets[seat, i] + work.gains[i] - expected, 0.0)


@kernel
def settle(work, seat, dice):  # type: ignore[no-untyped-def]
    """Draw an answer of the seat from its average strategy without rare answers, which is left in `strategy`."""
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
def all_lose(work, seat):  # type: ignore[no-untyped-def]
    """Whether every answer of the seat has lost whenever it was evaluated."""
    most = 0.0
    for i in range(work.counts[seat]):
        most = max(most, work.worths[i])
    return most == 0.0


@kernel
def leave_out_what_loses(work, seat):  # type: ignore[no-untyped-def]
    """Exclude the answers that have lost whenever they were evaluated, if another has not."""
    if all_lose(work, seat):
        return
    kept = 0.0
    for i in range(work.counts[seat]):
        if work.worths[i] == 0.0:
            work.sums[seat, i] = 0.0
        kept += work.sums[seat, i]
    for i in range(work.counts[seat] if kept == 0.0 else 0):
        work.sums[seat, i] = work.worths[i]


@kernel
def leave_out_what_is_sealed(work, seat, n):  # type: ignore[no-untyped-def]
    """Exclude the answer that the seat has sealed already, which is not among its n moves in `out`."""
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
        """The value of `worlds[2]` for the seat, averaged over nature's move if she is asked."""
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
        """List every answer of a seat in `worlds[0]`. The one that it has sealed is not a legal move there; it is found
        by playing another answer first.
        """
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
        """Set `worlds[2]` to the state after the reveal, with the answer at `place` for this seat and the drawn answers
        for the others. Seats that have sealed an answer change it first, since the last missing answer reveals all.
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
        """The value of this answer for the seat against the answers drawn for the others, cached."""
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
        """Fill `sums` and `worths` if exactly two seats answer; returns whether that is so."""
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
        """Draw an answer for every seat, and update the regrets of all its alternatives."""
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
    def hope(work, seat, dice):  # type: ignore[no-untyped-def]
        """All answers lose to what the others are expected to do: take those that win if they do anything else."""
        n = work.counts[seat]
        for _ in range(HOPES):
            for other in range(most_seats):
                if work.counts[other]:
                    work.drawn[other] = below(dice, work.counts[other])
            for i in range(n):
                work.gains[i] = look_behind(work, seat, i)
                work.worths[i] += work.gains[i] / HOPES
        for i in range(0 if all_lose(work, seat) else n):
            work.sums[seat, i] = work.worths[i]

    @kernel
    def solve(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """Fill `sums` for all seats of the round, and `worths` for this one; returns whether these are from `hope`."""
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
        left = 0 if work.plan.duels and solve_duel(work, seat) else work.plan.iterations
        for done in range(left):
            if done >= LEAST and is_late(work):
                break
            iterate(work, seat, dice, done + 1.0)
        is_lost = all_lose(work, seat)
        if is_lost:
            hope(work, seat, dice)
        return is_lost

    return solve


@cache
def sure_answer_of(game: Game) -> Any:
    """The kernel `sure_answer(v, seat, dice, work)`."""
    rules: Any = game.rules
    imagine, sure, values, most_seats = rules.imagine, rules.sure, rules.values, max(rules.SEATS)
    list_answers, answer_all = list_answers_of(game), answer_all_of(game)

    @kernel
    def go_on(work, seat):  # type: ignore[no-untyped-def]
        """Set `drawn` to the next combination of the others' answers; returns whether there is one."""
        for other in range(most_seats):
            if other != seat and work.counts[other]:
                work.drawn[other] += 1
                if work.drawn[other] < work.counts[other]:
                    return True
                work.drawn[other] = 0
        return False

    @kernel
    def how_sure(work, seat):  # type: ignore[no-untyped-def]
        """2 if the seat wins alone in `worlds[2]`, 1 if it nearly does and a weaker level thinks; 0 otherwise."""
        least = sure(work.worlds[2], seat)
        if least >= 1.0:
            return 2
        if least == 0.0 or work.plan.blur == 0.0:
            return 0
        values(work.worlds[2], work.weights, work.known[SLOTS])
        return 1 if work.known[SLOTS, seat] >= NEARLY else 0

    @kernel
    def sure_answer(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """The place of the first answer with which the seat wins alone, whatever the others answer; or nearly so, for a
        weaker level; -1 without one.
        """
        work.worlds[0] = v
        imagine(work.worlds[0], seat, dice)
        combinations = 1
        for other in range(most_seats):
            list_answers(work, other)
            if other != seat:
                combinations *= max(work.counts[other], 1)
        best, best_place = 0, -1
        for place in range(work.counts[seat] if combinations <= COMBINATIONS else 0):
            work.drawn[:] = 0
            least, is_new = 2, True
            while is_new and least > best:
                answer_all(work, seat, place)
                least = min(least, how_sure(work, seat))
                is_new = go_on(work, seat)
            if least > best:
                best, best_place = least, place
        return best_place

    return sure_answer


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    rules: Any = game.rules
    asked, moves, play, imagine, sure = rules.asked, rules.moves, rules.play, rules.imagine, rules.sure
    outlook, solve, sure_answer = outlook_of(game), solve_of(game), sure_answer_of(game)
    most, back, most_seats = game.rules.MOST_MOVES, game.rules.BACK, max(game.rules.SEATS)

    @kernel
    def answer_alone(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """The one of the n moves in `out` after which the value is best. Weaker levels misjudge it, but not if it is
        best to take a share of the win that is sure.
        """
        work.worlds[0] = v
        imagine(work.worlds[0], seat, dice)
        best, mark, sure_best, sure_mark, is_sure = 0, -1.0, 0, -1.0, False
        for i in range(n):
            work.worlds[2] = work.worlds[0]
            play(work.worlds[2], seat, work.out[i])
            least, value = sure(work.worlds[2], seat), outlook(work, seat)
            if value > sure_mark:
                sure_best, sure_mark, is_sure = i, value, least > 0.0
            here = blurred(dice, value, work.plan.blur)
            if here > mark:
                best, mark = i, here
        return work.out[sure_best if is_sure else best]

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        n = without_back(work.out, moves(v, seat, work.out), back)
        if n == 1:
            return work.out[0]
        if slips(dice, work.plan.noise):
            return work.out[below(dice, n)]
        others = 0
        for other in range(most_seats):  # also those who have sealed an answer, and could change it
            if other != seat:
                others += moves(v, other, work.out[most:])
        if not others:
            return answer_alone(v, seat, dice, work, n)
        place = sure_answer(v, seat, dice, work) if asked(v) >> seat & 1 else -1
        if place >= 0:
            return work.answers[seat, place]
        solve(v, seat, dice, work)
        leave_out_what_loses(work, seat)
        if not asked(v) >> seat & 1:
            leave_out_what_is_sealed(work, seat, moves(v, seat, work.out))
        return work.answers[seat, settle(work, seat, dice)]

    return choose


def suits(game: Game) -> bool:
    """Whether the strategy can play a game."""
    return all(hasattr(game.rules, name) for name in NEEDS)


def workspace_for(game: Game, plan: Plan, weights: Any = None) -> Workspace:
    """A new workspace for a game, with the game's own weights by default."""
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
    """Judges sealed answers against the strategies of the others, and other moves by the value after them."""

    LONGER = 8
    """Factor by which it thinks longer than a bot that only has to choose."""

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
        is_lost = self.solve(v, seat, dice_from(seed), self.work)
        n, iterations = int(self.work.counts[seat]), self.iterations
        share = ERR if is_lost else 2 / (iterations * (iterations + 1))
        worths = dict(zip(self.work.answers[seat, :n].tolist(), self.work.worths[:n].tolist(), strict=True))
        return {move: share * worths[move] for move in found}

    def view(self, v: State, seat: Seat, seed: int) -> float:
        return self.rest(self.game.imagined(v, seat, dice_from(seed)), seat)

    def rest(self, s: State, seat: Seat) -> float:
        self.work.worlds[2] = s
        return float(self.outlook(self.work, seat))

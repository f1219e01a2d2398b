"""Rollouts: each move is tried in the same imagined worlds, and played on from there by everybody's rollout policy with
the same dice.

Where a game has no kernel `rollout_policy(s, seat, out, n, dice)`, everybody makes the move that is best at first
sight, a step that can be taken back by what completes it best; then a kernel `worth_trying(s, seat, out, n)`, if there
is one, says which moves are looked at. All of them meet the same luck, so few worlds are enough to tell a better one;
the worse half is dropped each time that the worlds have doubled. A kernel `rate_moves` judges a game's moves with more
care than a rollout policy: it is asked about the moves to choose from alone, never in a playout.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots.search import NOBODY, share_out
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, pick, without_back
from backroom.engine.protocol import Move, Seat, State

FEWEST = 8
"""No move is dropped before so many worlds."""
LOOKS = 4
"""How many times as many worlds a judge looks at for a view as for a move."""
SOONER = 1e-9
"""How much of a win is lost by each turn before it: of two ways to win the shorter is taken."""
ALL = 1 << 20

WORLDS, WIDTH, TURNS, NOISE, TRUST = range(5)
"""What a plan says, by its place in the array that the kernel is given."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many futures are looked at."""

    worlds: int = 64
    """Worlds in which the moves are tried; 0: the rollout policy is followed, as it is where all come to the same."""
    width: int = ALL
    """How many moves are tried: those that are best at first sight, where there is no rollout policy."""
    turns: int = ALL
    """How many more turns of its own are played, with the others' between, before `value` judges; else the end does."""
    noise: float = 0.0
    """How often any move at all is played, for weaker levels."""
    trust: float = 0.0
    """How many worlds the game's own `rate_moves` is worth."""

    @property
    def numbers(self) -> Any:
        return np.array([self.worlds, self.width, self.turns, self.noise, self.trust], np.float64)

    def longer(self, times: float) -> "Plan":
        return replace(self, worlds=max(1, round(self.worlds * times)))


class Workspace(NamedTuple):
    """What it thinks with."""

    worlds: Any
    """One imagined, what becomes of it, and two to look ahead from there."""
    out: Any
    """The moves, the better first; then room for those of others, and for what completes them."""
    marks: Any
    """What they have come to so far."""
    counts: Any
    """What a game needs to rate its moves."""
    luck: Any
    """Dice for one future."""
    results: Any
    plan: Any


@kernel
def put_best_first(out, marks, n, left):  # type: ignore[no-untyped-def]
    """Bring the best of n moves to the front, in order; says how many these are."""
    left = min(left, n)
    for i in range(left):
        for j in range(i + 1, n):
            if marks[j] > marks[i]:
                marks[i], marks[j] = marks[j], marks[i]
                out[i], out[j] = out[j], out[i]
    return left


@kernel
def no_rollout_policy(s, seat, out, n, dice):  # type: ignore[no-untyped-def]
    """For games that have none; nobody asks it."""
    return 0


@kernel
def all_worth_trying(s, seat, out, n):  # type: ignore[no-untyped-def]
    """For games that say nothing."""
    return n


@kernel
def no_scales(s, seat, out, n, dice, marks, counts):  # type: ignore[no-untyped-def]
    """For games that have none; nobody asks it."""
    return 0


@cache
def kernels_of(game: Game) -> tuple[Any, Any, Any]:
    """The kernels `try_all`, `foresee` and `choose`, each `(v, seat, dice, work)`."""
    names = ("asked", "moves", "odds", "play", "imagine", "score", "value")
    asked, moves, odds, play, imagine, score, value = (getattr(game.rules, name) for name in names)
    most, back, most_seats = game.rules.MOST_MOVES, game.rules.BACK, max(game.rules.SEATS)
    has_rollout_policy, rollout_policy = (
        hasattr(game.rules, "rollout_policy"),
        getattr(game.rules, "rollout_policy", no_rollout_policy),
    )
    worth_trying = getattr(game.rules, "worth_trying", all_worth_trying)
    has_scales, scales = hasattr(game.rules, "rate_moves"), getattr(game.rules, "rate_moves", no_scales)

    @kernel
    def first_sight(s, seat, move, spare, out):  # type: ignore[no-untyped-def]
        """The game's own value after a move; if that can be taken back, after the best step that completes it."""
        spare[0] = s
        play(spare[0], seat, move)
        n = moves(spare[0], seat, out) if asked(spare[0]) == 1 << seat else 0
        if n < 2 or out[n - 1] != back:
            return value(spare[0], seat)
        most_worth = -1.0
        for i in range(n - 1):
            spare[1] = spare[0]
            play(spare[1], seat, out[i])
            most_worth = max(most_worth, value(spare[1], seat))
        return most_worth

    @kernel
    def follow(s, seat, out, n, dice, spare):  # type: ignore[no-untyped-def]
        """The place of the move that somebody makes."""
        if has_rollout_policy:
            return rollout_policy(s, seat, out, n, dice)
        best, most_worth = 0, -1.0
        for i in range(worth_trying(s, seat, out, n)):
            worth = first_sight(s, seat, out[i], spare, out[most:])
            if worth > most_worth:
                best, most_worth = i, worth
        return best

    @kernel
    def imagine_world(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """A whole state; who has answered beside the seat, unseen, has followed his rollout policy."""
        s = work.worlds[0]
        work.worlds[0] = v
        imagine(s, seat, dice)
        for other in range(most_seats):
            if other != seat and not asked(s) >> other & 1:
                n = without_back(work.out[most:], moves(s, other, work.out[most:]), back)
                if n > 1:
                    place = follow(s, other, work.out[most:], n, dice, work.worlds[2:])
                    play(s, other, work.out[most + place])

    @kernel
    def future(work, seat):  # type: ignore[no-untyped-def]
        """What becomes of `worlds[1]` for the seat."""
        s, out = work.worlds[1], work.out[most:]
        mask = asked(s)
        last, turns = seat, 0
        while mask:
            if mask == 1 << NATURE:
                place = pick(work.luck, out, odds(s, out))
                moves(s, NATURE, out)
                play(s, NATURE, out[place])
            else:
                mover = lowest(mask)
                if mover != seat and turns >= work.plan[TURNS]:
                    return value(s, seat)
                turns += mover == seat and last != seat
                last = mover
                n = without_back(out, moves(s, mover, out), back)
                play(s, mover, out[follow(s, mover, out, n, work.luck, work.worlds[2:]) if n > 1 else 0])
            mask = asked(s)
        work.results[:] = NOBODY
        score(s, work.results)
        share_out(work.results)
        return work.results[seat] * (1.0 - SOONER * turns)

    @kernel
    def try_once(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """Add to the marks of the first n moves what becomes of them in one world, with the same luck. Says whether no
        dice were thrown: then it is so in all worlds.
        """
        thrown = dice[0]
        imagine_world(v, seat, dice, work)
        luck = dice[0]
        is_certain = luck == thrown
        for i in range(n):
            work.worlds[1] = work.worlds[0]
            work.luck[0] = luck
            play(work.worlds[1], seat, work.out[i])
            work.marks[i] += future(work, seat)
            is_certain &= work.luck[0] == luck
        below(dice, 2)
        return is_certain

    @kernel
    def try_all(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """Into `marks`: what each of the moves in `out` comes to on average, all of them tried; says how many."""
        n = without_back(work.out, moves(v, seat, work.out), back)
        work.marks[:n] = 0.0
        tried, is_certain = 0, False
        while tried < work.plan[WORLDS] and not is_certain:
            is_certain = try_once(v, seat, dice, work, n)
            tried += 1
        for i in range(n):
            work.marks[i] /= tried
        return n

    @kernel
    def foresee(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """What a view comes to on average."""
        total = 0.0
        for _ in range(int(work.plan[WORLDS])):
            imagine_world(v, seat, dice, work)
            work.worlds[1] = work.worlds[0]
            work.luck[0] = dice[0]
            total += future(work, seat)
            below(dice, 2)
        return total / work.plan[WORLDS]

    @kernel
    def choose(v, seat, dice, work):  # type: ignore[no-untyped-def]
        n = without_back(work.out, moves(v, seat, work.out), back)
        if n == 1:
            return work.out[0]
        if work.plan[NOISE] > 0.0 and below(dice, 1 << 20) < work.plan[NOISE] * (1 << 20):
            return work.out[below(dice, n)]
        if has_scales:
            work.worlds[0] = v
            scales(work.worlds[0], seat, work.out, n, dice, work.marks, work.counts)
            put_best_first(work.out, work.marks, n, 1)  # it stays first among equals
            for i in range(n):
                work.marks[i] *= work.plan[TRUST]
        elif has_rollout_policy:
            work.worlds[0] = v
            first = rollout_policy(work.worlds[0], seat, work.out, n, dice)
            work.out[0], work.out[first] = work.out[first], work.out[0]
            work.marks[:n] = 0.0
        else:
            imagine_world(v, seat, dice, work)
            n = worth_trying(work.worlds[0], seat, work.out, n)
            for i in range(n):
                work.marks[i] = first_sight(work.worlds[0], seat, work.out[i], work.worlds[2:], work.out[most:])
            n = put_best_first(work.out, work.marks, n, int(work.plan[WIDTH]))
            work.marks[:n] = 0.0
        tried, next_cut = 0, FEWEST
        while n > 1 and tried < work.plan[WORLDS]:
            try_once(v, seat, dice, work, n)
            tried += 1
            if tried == next_cut:
                n = put_best_first(work.out, work.marks, n, max(2, (n + 1) // 2))
                next_cut *= 2
        put_best_first(work.out, work.marks, n, 1)
        return work.out[0]

    return try_all, foresee, choose


def workspace_for(game: Game, plan: Plan) -> Workspace:
    """What it needs."""
    most = game.rules.MOST_MOVES
    return Workspace(
        worlds=np.zeros(4, game.rules.STATE),
        out=np.zeros(3 * most, np.int32),
        marks=np.zeros(most),
        counts=np.zeros(getattr(game.rules, "COUNTS", (1, 1))),
        luck=np.zeros(1, np.uint64),
        results=np.zeros(NATURE),
        plan=plan.numbers,
    )


def make(game: Game, plan: Plan | None = None) -> tuple[Any, Callable[[], Workspace]]:
    return kernels_of(game)[-1], lambda: workspace_for(game, plan or Plan())


class Judge:
    """What becomes of moves and views: every move is tried in every world."""

    LONGER = 8
    """How many times as many worlds it looks at as whoever only has to choose."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.try_all, self.foresee, _ = kernels_of(game)
        self.work = workspace_for(game, plan)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        n = int(self.try_all(v, seat, dice_from(seed), self.work))
        return dict(zip(self.work.out[:n].tolist(), self.work.marks[:n].tolist(), strict=True))

    def view(self, v: State, seat: Seat, seed: int) -> float:
        """The mean of several looks: here nothing has the same luck, as moves have."""
        dice = dice_from(seed)
        return sum(float(self.foresee(v, seat, dice, self.work)) for _ in range(LOOKS)) / LOOKS

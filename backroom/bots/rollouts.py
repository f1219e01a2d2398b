"""Rollouts: each move is tried in the same imagined worlds, and played on from there by everybody's rollout policy with
the same dice.

Where a game has no kernel `rollout_policy(s, seat, out, n, dice)`, everybody makes the move that is best at first
sight, a step that can be taken back by what completes it best; then a kernel `worth_trying(s, seat, out, n)`, if there
is one, says which moves are looked at. With `whim` nobody's first sight is quite true in a rollout, so worlds differ
though nothing is hidden: what is good only against one answer does not look good. All of them meet the same luck, so
few worlds are enough to tell a better one; the worse half is dropped each time that the worlds have doubled. A kernel
`rate_moves` judges a game's moves with more care than a rollout policy: it is asked about the moves to choose from
alone, never in a playout.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from backroom.bots import plans
from backroom.bots.memory import AGAIN, has_been, note
from backroom.bots.plans import number
from backroom.bots.thinking import (
    NOBODY,
    blurred,
    is_late,
    let_nature_of,
    lost_by_all,
    never,
    share_out,
    slips,
    value_after_of,
)
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ()
"""What a game's module has to offer."""
FEWEST = 8
"""Worlds in which all moves are tried before the first are dropped."""
LOOKS = 4
"""How many times as many worlds a judge looks at for a view as for a move."""
SOONER = 1e-9
"""How much of a win is lost by each turn before it: of two ways to win the shorter is taken."""
ALL = 1 << 20


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """How many futures are looked at."""

    worlds: int = number(64, most=1_000_000)
    """Worlds in which the moves are tried; 0: the rollout policy is followed, as it is where all come to the same."""
    width: int = number(ALL, least=1, most=ALL)
    """How many moves are tried: those that are best at first sight, where there is no rollout policy."""
    turns: int = number(ALL, most=ALL)
    """How many more turns of its own are played, with the others' between, before `value` judges; else the end does."""
    noise: float = number(0.0, most=1)
    """How often any move at all is played."""
    trust: float = number(0.0, most=1e6)
    """How many worlds the game's own `rate_moves` is worth."""
    blur: float = number(0.0, most=100)
    """How far off a weaker level's judgement of a move may be, in log-odds; nothing that is decided is misjudged."""
    whim: float = number(0.0, most=100)
    """The same for everybody's first sight in rollouts, where there is no rollout policy."""

    def longer(self, times: float) -> Self:
        """In more worlds; where these differ by whims alone, in no more."""
        return self if self.whim else plans.Plan.longer(self, times)


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
    stop: Any


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
def all_worth_trying(s, seat, out, n):  # type: ignore[no-untyped-def]
    """For games that say nothing."""
    return n


@cache
def first_sight_of(game: Game) -> Any:
    """The kernel `first_sight(s, seat, move, spare, out)`."""
    asked, moves, value = game.rules.asked, game.rules.moves, game.rules.value
    play, value_after, back = game.rules.play, value_after_of(game), game.rules.BACK

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
            most_worth = max(most_worth, value_after(spare[0], seat, out[i], spare[1:]))
        return most_worth

    return first_sight


@cache
def follow_of(game: Game) -> Any:
    """The kernel `follow(s, seat, out, n, dice, spare, whim)`: the place of the move that is made in a rollout."""
    policy = getattr(game.rules, "rollout_policy", None)
    if policy is not None:

        @kernel
        def follow(s, seat, out, n, dice, spare, whim):  # type: ignore[no-untyped-def]
            """The move of the game's rollout policy."""
            return policy(s, seat, out, n, dice)

        return follow
    first_sight, most = first_sight_of(game), game.rules.MOST_MOVES
    worth_trying = getattr(game.rules, "worth_trying", all_worth_trying)

    @kernel
    def follow_first_sight(s, seat, out, n, dice, spare, whim):  # type: ignore[no-untyped-def]
        """The move that is best at first sight, as far as a whim does not decide."""
        best, most_worth = 0, -1.0
        for i in range(worth_trying(s, seat, out, n)):
            worth = blurred(dice, first_sight(s, seat, out[i], spare, out[most:]), whim)
            if worth > most_worth:
                best, most_worth = i, worth
        return best

    return follow_first_sight


@cache
def imagine_world_of(game: Game) -> Any:
    """The kernel `imagine_world(v, seat, dice, work)`."""
    asked, moves, play, imagine = game.rules.asked, game.rules.moves, game.rules.play, game.rules.imagine
    follow, most, back = follow_of(game), game.rules.MOST_MOVES, game.rules.BACK
    most_seats = max(game.rules.SEATS)

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
                    place = follow(s, other, work.out[most:], n, dice, work.worlds[2:], work.plan.whim)
                    play(s, other, work.out[most + place])

    return imagine_world


@cache
def future_of(game: Game) -> Any:
    """The kernel `future(work, seat)`."""
    asked, moves, play = game.rules.asked, game.rules.moves, game.rules.play
    score, value = game.rules.score, game.rules.value
    follow, let_nature = follow_of(game), let_nature_of(game)
    most, back, lost = game.rules.MOST_MOVES, game.rules.BACK, lost_by_all(game)

    @kernel
    def future(work, seat):  # type: ignore[no-untyped-def]
        """What becomes of `worlds[1]` for the seat."""
        s, out = work.worlds[1], work.out[most:]
        mask = asked(s)
        last, turns = seat, 0
        while mask:
            if mask == 1 << NATURE:
                let_nature(s, work.luck, out, out)
            else:
                mover = lowest(mask)
                if mover != seat and turns >= work.plan.turns:
                    return value(s, seat)
                turns += mover == seat and last != seat
                last = mover
                n = without_back(out, moves(s, mover, out), back)
                place = follow(s, mover, out, n, work.luck, work.worlds[2:], work.plan.whim) if n > 1 else 0
                play(s, mover, out[place])
            mask = asked(s)
        work.results[:] = NOBODY
        score(s, work.results)
        share_out(work.results, lost)
        return work.results[seat] * (1.0 - SOONER * turns)

    return future


@cache
def try_once_of(game: Game) -> Any:
    """The kernel `try_once(v, seat, dice, work, n)`."""
    play, imagine_world, future = game.rules.play, imagine_world_of(game), future_of(game)

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

    return try_once


@cache
def try_all_of(game: Game) -> Any:
    """The kernel `try_all(v, seat, dice, work)`."""
    moves, back, try_once = game.rules.moves, game.rules.BACK, try_once_of(game)

    @kernel
    def try_all(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """Into `marks`: what each of the moves in `out` comes to on average, all of them tried; says how many."""
        n = without_back(work.out, moves(v, seat, work.out), back)
        work.marks[:n] = 0.0
        tried, is_certain = 0, False
        while tried < work.plan.worlds and not is_certain:
            is_certain = try_once(v, seat, dice, work, n)
            tried += 1
        for i in range(n):
            work.marks[i] /= tried
        return n

    return try_all


@cache
def foresee_of(game: Game) -> Any:
    """The kernel `foresee(v, seat, dice, work)`."""
    imagine_world, future = imagine_world_of(game), future_of(game)

    @kernel
    def foresee(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """What a view comes to on average."""
        total = 0.0
        for _ in range(work.plan.worlds):
            imagine_world(v, seat, dice, work)
            work.worlds[1] = work.worlds[0]
            work.luck[0] = dice[0]
            total += future(work, seat)
            below(dice, 2)
        return total / work.plan.worlds

    return foresee


@cache
def rank_of(game: Game) -> Any:
    """The kernel `rank(v, seat, dice, work, n)`: puts the move first that is best without a rollout, and says how many
    of the n moves in `out` are worth one; their marks are what they begin with.
    """
    if hasattr(game.rules, "rate_moves"):
        return rank_by_rating_of(game)
    return rank_by_policy_of(game) if hasattr(game.rules, "rollout_policy") else rank_by_first_sight_of(game)


def rank_by_rating_of(game: Game) -> Any:
    rules: Any = game.rules
    rate_moves = rules.rate_moves

    @kernel
    def rank(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """By the game's own rating, which counts as much as some worlds."""
        work.worlds[0] = v
        rate_moves(work.worlds[0], seat, work.out, n, dice, work.marks, work.counts)
        for i in range(n if work.plan.blur > 0.0 else 0):  # a rating says how much more than an even game it is worth
            work.marks[i] = blurred(dice, 0.5 + work.marks[i], work.plan.blur) - 0.5
        put_best_first(work.out, work.marks, n, 1)  # it stays first among equals
        for i in range(n):
            work.marks[i] *= work.plan.trust
        return n

    return rank


def rank_by_policy_of(game: Game) -> Any:
    rules: Any = game.rules
    rollout_policy = rules.rollout_policy

    @kernel
    def rank(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """By the rollout policy, which knows only the best."""
        work.worlds[0] = v
        first = rollout_policy(work.worlds[0], seat, work.out, n, dice)
        work.out[0], work.out[first] = work.out[first], work.out[0]
        work.marks[:n] = 0.0
        return n

    return rank


def rank_by_first_sight_of(game: Game) -> Any:
    imagine_world, first_sight, most = imagine_world_of(game), first_sight_of(game), game.rules.MOST_MOVES
    worth_trying = getattr(game.rules, "worth_trying", all_worth_trying)

    @kernel
    def rank(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """By first sight; the worse are not tried."""
        imagine_world(v, seat, dice, work)
        n = worth_trying(work.worlds[0], seat, work.out, n)
        for i in range(n):
            work.marks[i] = first_sight(work.worlds[0], seat, work.out[i], work.worlds[2:], work.out[most:])
            if work.plan.worlds == 0:
                work.marks[i] = blurred(dice, work.marks[i], work.plan.blur)
        n = put_best_first(work.out, work.marks, n, work.plan.width)
        if work.plan.worlds:
            work.marks[:n] = 0.0
        return n

    return rank


@cache
def avoid_of(game: Game) -> Any:
    """The kernel `avoid(seat, work, memory, n)`, and the kernel `keep(v, seat, work, memory)`."""
    rules: Any = game.rules
    if not hasattr(rules, "layout"):

        @kernel
        def avoid_nothing(seat, work, memory, n):  # type: ignore[no-untyped-def]
            """For games in which nothing comes back."""

        @kernel
        def keep_nothing(v, seat, work, memory):  # type: ignore[no-untyped-def]
            """For games in which nothing comes back."""

        return avoid_nothing, keep_nothing
    asked, play, layout = rules.asked, rules.play, rules.layout

    @kernel
    def avoid(seat, work, memory, n):  # type: ignore[no-untyped-def]
        """Marks are less for a move that ends the turn as an earlier turn of the seat ended, once for each of them."""
        for i in range(n):
            work.worlds[1] = work.worlds[0]
            play(work.worlds[1], seat, work.out[i])
            if asked(work.worlds[1]) != 1 << seat:
                work.marks[i] -= AGAIN * has_been(memory, layout(work.worlds[1]))

    @kernel
    def keep(v, seat, work, memory):  # type: ignore[no-untyped-def]
        """Note how the turn ends, if the first move in `out` ends it."""
        work.worlds[1] = v
        play(work.worlds[1], seat, work.out[0])
        if asked(work.worlds[1]) != 1 << seat:
            note(memory, layout(work.worlds[1]))

    return avoid, keep


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    moves, back, rank, try_once = game.rules.moves, game.rules.BACK, rank_of(game), try_once_of(game)
    avoid, keep = avoid_of(game)

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """The move that has come to most. All that are left were tried in the same worlds, also when time is over."""
        n = without_back(work.out, moves(v, seat, work.out), back)
        if n == 1:
            keep(v, seat, work, memory)
            return work.out[0]
        if slips(dice, work.plan.noise):
            return work.out[below(dice, n)]
        n = rank(v, seat, dice, work, n)
        tried, next_cut = 0, FEWEST
        while n > 1 and tried < work.plan.worlds and not is_late(work):
            try_once(v, seat, dice, work, n)
            tried += 1
            if tried == next_cut:
                n = put_best_first(work.out, work.marks, n, max(2, (n + 1) // 2))
                next_cut *= 2
        for i in range(n if tried else 0):
            work.marks[i] = blurred(dice, work.marks[i] / (tried + work.plan.trust), work.plan.blur)
        avoid(seat, work, memory, n)
        put_best_first(work.out, work.marks, n, 1)
        keep(v, seat, work, memory)
        return work.out[0]

    return choose


def suits(game: Game) -> bool:
    """Whether a game can be played so: any can."""
    return True


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
        plan=plan.record,
        stop=never(),
    )


class Judge:
    """What becomes of moves and views: every move is tried in every world."""

    LONGER = 8
    """How many times as many worlds it looks at as whoever only has to choose."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.try_all, self.foresee = try_all_of(game), foresee_of(game)
        self.work = workspace_for(game, plan)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        n = int(self.try_all(v, seat, dice_from(seed), self.work))
        return dict(zip(self.work.out[:n].tolist(), self.work.marks[:n].tolist(), strict=True))

    def view(self, v: State, seat: Seat, seed: int) -> float:
        """The mean of several looks: here nothing has the same luck, as moves have."""
        dice = dice_from(seed)
        return sum(float(self.foresee(v, seat, dice, self.work)) for _ in range(LOOKS)) / LOOKS

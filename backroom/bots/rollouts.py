"""Rollouts: each move is tried in the same imagined worlds, and all seats play on by the rollout policy, with the same
dice.

All moves share the same random numbers, so a few worlds are enough to tell which is better; the worse half is dropped
each time that the number of worlds has doubled (sequential halving).

If a game has no kernel `rollout_policy(s, seat, out, n, dice)`, everybody plays the move of the best static evaluation;
a step that can be taken back is evaluated after the best step that completes it. A kernel `worth_trying(s, seat, out,
n)`, if there is one, selects the moves to consider. `whim` adds random errors to these evaluations, so that rollouts
differ even if nothing is hidden, and a move that is good only against one reply does not look good. A kernel
`rate_moves` rates the moves to choose from with more care than a rollout policy; it is not used inside rollouts. Where
`may_end(s)` says that the move that is due can end the game, bots also weigh how.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from backroom.bots import plans
from backroom.bots.deadlines import is_late, never
from backroom.bots.memory import AGAIN, has_been, memories, note
from backroom.bots.noise import blurred, slips
from backroom.bots.one_move import let_nature_of, value_after_of
from backroom.bots.plans import number
from backroom.bots.shares import NOBODY, lost_by_all, share_out
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ()
"""The kernels that a game's module has to offer: none beyond the protocol."""
ENDS = 32
"""Worlds in which a move that can end the game is tried before the rollouts."""
HOPES = 512
"""Worlds in which moves are compared that all win, or all lose, in the first ENDS."""
FEWEST = 8
"""Worlds in which all moves are tried before any are dropped."""
LOOKS = 4
"""Factor by which a judge uses more worlds for a view than for a move."""
SOONER = 1e-9
"""Discount of a win for each turn before it, so that the shorter of two ways to win is preferred."""
ALL = 1 << 20


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """The budget and the parameters of rollouts."""

    worlds: int = number(64, most=1_000_000)
    """Worlds in which the moves are tried. With 0 the rollout policy decides, as it does between equal moves."""
    width: int = number(ALL, least=1, most=ALL)
    """The most moves that are tried, those of the best static evaluation; only used without a rollout policy."""
    turns: int = number(ALL, most=ALL)
    """Further turns of its own, and the others' between them, before `value` evaluates a rollout that has not ended."""
    noise: float = number(0.0, most=1)
    """The probability of playing a random move."""
    trust: float = number(0.0, most=1e6)
    """The weight of the game's `rate_moves`, in worlds."""
    recall: float = number(0.0, most=10)
    """How much of what the game's `observe` has learned is believed: the power of its probabilities."""
    blur: float = number(0.0, most=100)
    """Width of the random error in the evaluation of a move, in log-odds, for weaker levels; certain wins and losses
    are evaluated without error.
    """
    whim: float = number(0.0, most=100)
    """Width of the random error of evaluations inside rollouts, in log-odds; only used without a rollout policy."""

    def longer(self, times: float) -> Self:
        """The plan with more worlds, and as much more weight for `rate_moves`; unchanged if `whim` is set."""
        return self if self.whim else replace(plans.Plan.longer(self, times), trust=self.trust * times)


class Workspace(NamedTuple):
    """The arrays that the kernels work in."""

    worlds: Any
    """An imagined world, the state of a rollout from it, and two to look ahead from there."""
    out: Any
    """The moves to choose from, the better first; then moves inside rollouts, the steps that complete them, and those
    of them that always win.
    """
    marks: Any
    """The sum of results of each move."""
    counts: Any
    """Scratch space for the game's `rate_moves`, `observe` and `presume`."""
    dice: Any
    """The dice of one rollout."""
    results: Any
    plan: Any
    stop: Any


@kernel
def put_best_first(out, marks, n, left):  # type: ignore[no-untyped-def]
    """Bring the best `left` of n moves to the front, in order; returns their number."""
    left = min(left, n)
    for i in range(left):
        for j in range(i + 1, n):
            if marks[j] > marks[i]:
                marks[i], marks[j] = marks[j], marks[i]
                out[i], out[j] = out[j], out[i]
    return left


@kernel
def all_worth_trying(s, seat, out, n):  # type: ignore[no-untyped-def]
    """The default for games without a kernel `worth_trying`."""
    return n


@cache
def static_value_of(game: Game) -> Any:
    """The kernel `static_value(s, seat, move, spare, out)`."""
    asked, moves, value = game.rules.asked, game.rules.moves, game.rules.value
    play, value_after, back = game.rules.play, value_after_of(game), game.rules.BACK

    @kernel
    def static_value(s, seat, move, spare, out):  # type: ignore[no-untyped-def]
        """Static evaluation of a move: the game's own value after it, or after the best step that completes it if it
        can be taken back.
        """
        spare[0] = s
        play(spare[0], seat, move)
        n = moves(spare[0], seat, out) if asked(spare[0]) == 1 << seat else 0
        if n < 2 or out[n - 1] != back:
            return value(spare[0], seat)
        most_worth = -1.0
        for i in range(n - 1):
            most_worth = max(most_worth, value_after(spare[0], seat, out[i], spare[1:]))
        return most_worth

    return static_value


@cache
def follow_of(game: Game) -> Any:
    """The kernel `follow(s, seat, out, n, dice, spare, whim)`: the index of the move to play in a rollout."""
    policy = getattr(game.rules, "rollout_policy", None)
    if policy is not None:

        @kernel
        def follow(s, seat, out, n, dice, spare, whim):  # type: ignore[no-untyped-def]
            """The move of the game's rollout policy."""
            return policy(s, seat, out, n, dice)

        return follow
    static_value, most = static_value_of(game), game.rules.MOST_MOVES
    worth_trying = getattr(game.rules, "worth_trying", all_worth_trying)

    @kernel
    def follow_static_value(s, seat, out, n, dice, spare, whim):  # type: ignore[no-untyped-def]
        """The move of the best static evaluation, with the random errors of `whim`."""
        best, most_worth = 0, -1.0
        for i in range(worth_trying(s, seat, out, n)):
            worth = blurred(dice, static_value(s, seat, out[i], spare, out[most:]), whim)
            if worth > most_worth:
                best, most_worth = i, worth
        return best

    return follow_static_value


@cache
def learning_of(game: Game) -> Any:
    """The game's kernels `observe` and `presume`; if it has none, others that do nothing."""
    rules: Any = game.rules
    if hasattr(rules, "observe"):
        return rules.observe, rules.presume

    @kernel
    def observe_nothing(v, seat, learned, recall, spare, counts):  # type: ignore[no-untyped-def]
        """The default for games in which the others' moves tell little."""

    @kernel
    def presume_nothing(s, seat, dice, counts):  # type: ignore[no-untyped-def]
        """The default for games in which the others' moves tell little."""

    return observe_nothing, presume_nothing


@cache
def imagine_world_of(game: Game) -> Any:
    """The kernel `imagine_world(v, seat, dice, work)`."""
    asked, moves, play, imagine = game.rules.asked, game.rules.moves, game.rules.play, game.rules.imagine
    follow, most, back = follow_of(game), game.rules.MOST_MOVES, game.rules.BACK
    most_seats = max(game.rules.SEATS)
    _, presume = learning_of(game)

    @kernel
    def imagine_world(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """Imagine a world in `worlds[0]`; sealed answers of other seats are chosen by the rollout policy."""
        s = work.worlds[0]
        work.worlds[0] = v
        if work.plan.recall > 0.0:
            presume(s, seat, dice, work.counts)
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
        """Roll out `worlds[1]`; returns the seat's share of the win."""
        s, out = work.worlds[1], work.out[most:]
        mask = asked(s)
        last, turns = seat, 0
        while mask:
            if mask == 1 << NATURE:
                let_nature(s, work.dice, out, out)
            else:
                mover = lowest(mask)
                if mover != seat and turns >= work.plan.turns:
                    return value(s, seat)
                turns += mover == seat and last != seat
                last = mover
                n = without_back(out, moves(s, mover, out), back)
                place = follow(s, mover, out, n, work.dice, work.worlds[2:], work.plan.whim) if n > 1 else 0
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
        """Roll out the first n moves in one world with the same dice, and add the results to their marks. Returns
        whether no dice were used: then the results are the same in all worlds.
        """
        thrown = dice[0]
        imagine_world(v, seat, dice, work)
        start = dice[0]
        is_certain = start == thrown
        for i in range(n):
            work.worlds[1] = work.worlds[0]
            work.dice[0] = start
            play(work.worlds[1], seat, work.out[i])
            work.marks[i] += future(work, seat)
            is_certain &= work.dice[0] == start
        below(dice, 2)
        return is_certain

    return try_once


@cache
def try_all_of(game: Game) -> Any:
    """The kernel `try_all(v, seat, dice, work)`."""
    moves, back, try_once = game.rules.moves, game.rules.BACK, try_once_of(game)

    @kernel
    def try_all(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """List the moves in `out`, fill `marks` with the mean result of each, and return their number."""
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
        """The mean result of rollouts from a view."""
        total = 0.0
        for _ in range(work.plan.worlds):
            imagine_world(v, seat, dice, work)
            work.worlds[1] = work.worlds[0]
            work.dice[0] = dice[0]
            total += future(work, seat)
            below(dice, 2)
        return total / work.plan.worlds

    return foresee


@cache
def rank_of(game: Game) -> Any:
    """The kernel `rank(v, seat, dice, work, n)`: puts the move first that is best without rollouts, sets the initial
    marks, and returns how many of the n moves in `out` get rollouts.
    """
    if hasattr(game.rules, "rate_moves"):
        return rank_by_rating_of(game)
    return rank_by_policy_of(game) if hasattr(game.rules, "rollout_policy") else rank_by_static_value_of(game)


@cache
def weigh_ends_of(game: Game) -> Any:
    """The kernel `weigh_ends(v, seat, dice, work, n)`, which uses the game's `may_end`."""
    rules: Any = game.rules
    if not hasattr(rules, "may_end"):

        @kernel
        def weigh_nothing(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
            """The default for games without `may_end`."""

        return weigh_nothing
    asked, moves, play, score = rules.asked, rules.moves, rules.play, rules.score
    value, may_end, most, back = rules.value, rules.may_end, rules.MOST_MOVES, rules.BACK
    imagine_world, let_nature, follow = imagine_world_of(game), let_nature_of(game), follow_of(game)
    lost = lost_by_all(game)

    @kernel
    def share_at_end(world, seat, work):  # type: ignore[no-untyped-def]
        """The share of the win in a world, if the game ends there with what nature does, else -1."""
        s, out = work.worlds[world], work.out[most:]
        while asked(s) == 1 << NATURE:
            let_nature(s, work.dice, out, out)
        if asked(s):
            return -1.0
        work.results[:] = NOBODY
        score(s, work.results)
        share_out(work.results, lost)
        return work.results[seat]

    @kernel
    def share_after(s, seat, step, work):  # type: ignore[no-untyped-def]
        """The share of the win after a step in a state, if that ends the game, else -1."""
        work.worlds[2] = s
        play(work.worlds[2], seat, step)
        return share_at_end(2, seat, work)

    @kernel
    def share_of_next(seat, n, work):  # type: ignore[no-untyped-def]
        """The share of the win after the rollout policy's next step, one of n in `out`, from `worlds[1]` if that ends
        the game, else -1. It is a loss only if every step loses.
        """
        s, out = work.worlds[1], work.out[2 * most :]
        first = out[follow(s, seat, out, n, work.dice, work.worlds[2:], work.plan.whim)]
        share = share_after(s, seat, first, work)
        for i in range(n if share == 0.0 else 0):
            if share_after(s, seat, out[i], work) != 0.0:
                return -1.0
        return share

    @kernel
    def keep_winning(seat, n, steps, kept, work):  # type: ignore[no-untyped-def]
        """Keep those of `steps` that win from `worlds[1]`, where n are legal, in `out`. Returns their number, and the
        share of the win after the first of them.
        """
        s, left, most_won = work.worlds[1], 0, 0.0
        for step in steps[:kept]:
            share = share_after(s, seat, step, work) if step in work.out[2 * most : 2 * most + n] else -1.0
            if share > 0.0:
                steps[left] = step
                left += 1
                most_won = max(most_won, share)
        return left, most_won

    @kernel
    def results_of(v, seat, move, worlds, dice, work):  # type: ignore[no-untyped-def]
        """What a move does in some imagined worlds: in how many it ends the game, in how many it ends it with a win,
        the sum of the shares of the win, and the mean value before the move. If the seat has another step, it makes one
        that wins in every world, or that of the rollout policy.
        """
        ended, wins, shares, going_on = 0, 0, 0.0, 0.0
        kept, certain, steps = 0, 0.0, work.out[3 * most :]
        for world in range(worlds):
            imagine_world(v, seat, dice, work)
            going_on += value(work.worlds[0], seat) / worlds
            work.worlds[1] = work.worlds[0]
            play(work.worlds[1], seat, move)
            if asked(work.worlds[1]) == 1 << seat:
                out = work.out[2 * most : 3 * most]
                n = without_back(out, moves(work.worlds[1], seat, out), back)
                if world == 0:
                    kept = without_back(steps, moves(work.worlds[1], seat, steps), back)
                kept, share = keep_winning(seat, n, steps, kept, work)
                certain += share
                share = share_of_next(seat, n, work)
            else:
                share = share_at_end(1, seat, work)
            if share >= 0.0:
                ended, wins, shares = ended + 1, wins + (share > 0.0), shares + share
        return (worlds, worlds, certain, going_on) if kept else (ended, wins, shares, going_on)

    @kernel
    def weigh_ends(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """Where a move ends the game, its result counts instead of its mark, relative to the value of going on: by how
        many of some imagined worlds it ends in. Certain wins come before everything else, certain losses after it; if
        several win, or all lose, more worlds tell which wins more often.
        """
        if not may_end(v):
            return
        start = dice[0]
        below(dice, 2)
        won, beaten, least = 0, 0, 2.0
        for i in range(n):
            work.dice[0] = start
            ended, wins, shares, going_on = results_of(v, seat, work.out[i], ENDS, work.dice, work)
            part = ended / ENDS
            work.marks[i] = (1.0 - part) * work.marks[i] + shares / ENDS - part * going_on
            if ended == ENDS and wins == ENDS:
                work.marks[i] += 1.0
                won, least = won + 1, min(least, work.marks[i])
            elif ended == ENDS and wins == 0:
                work.marks[i] -= 1.0
                beaten += 1
        for i in range(n):
            if beaten == n or (won > 1 and work.marks[i] >= least):
                work.dice[0] = start
                ended, wins, shares, going_on = results_of(v, seat, work.out[i], HOPES, work.dice, work)
                work.marks[i] += (shares + HOPES - ended) / HOPES

    return weigh_ends


@cache
def rate_of(game: Game) -> Any:
    """The kernel `rate(v, seat, dice, work, n)`."""
    rules: Any = game.rules
    rate_moves, weigh_ends = rules.rate_moves, weigh_ends_of(game)

    @kernel
    def rate(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """Set the marks by the game's `rate_moves`; moves that can end the game are tried."""
        work.worlds[0] = v
        rate_moves(work.worlds[0], seat, work.out, n, dice, work.marks, work.counts)
        for i in range(n if work.plan.blur > 0.0 else 0):  # ratings are relative to an even game
            work.marks[i] = blurred(dice, 0.5 + work.marks[i], work.plan.blur) - 0.5
        weigh_ends(v, seat, dice, work, n)

    return rate


@cache
def rate_all_of(game: Game) -> Any:
    """The kernel `rate_all(v, seat, dice, work, memory)`, for games with `rate_moves`."""
    moves, back, rate, (observe, _) = game.rules.moves, game.rules.BACK, rate_of(game), learning_of(game)

    @kernel
    def rate_all(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """List the moves in `out` and their ratings in `marks`, and return their number."""
        n = without_back(work.out, moves(v, seat, work.out), back)
        observe(v, seat, memory.learned, work.plan.recall, work.worlds, work.counts)
        rate(v, seat, dice, work, n)
        return n

    return rate_all


def rank_by_rating_of(game: Game) -> Any:
    rate = rate_of(game)

    @kernel
    def rank(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """Rank by the game's `rate_moves`, with the weight of `trust` worlds."""
        rate(v, seat, dice, work, n)
        put_best_first(work.out, work.marks, n, 1)  # it wins ties
        for i in range(n):
            work.marks[i] *= work.plan.trust
        return n

    return rank


def rank_by_policy_of(game: Game) -> Any:
    rules: Any = game.rules
    rollout_policy = rules.rollout_policy

    @kernel
    def rank(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """Rank by the rollout policy, which gives only the best move."""
        work.worlds[0] = v
        first = rollout_policy(work.worlds[0], seat, work.out, n, dice)
        work.out[0], work.out[first] = work.out[first], work.out[0]
        work.marks[:n] = 0.0
        return n

    return rank


def rank_by_static_value_of(game: Game) -> Any:
    imagine_world, static_value, most = imagine_world_of(game), static_value_of(game), game.rules.MOST_MOVES
    worth_trying = getattr(game.rules, "worth_trying", all_worth_trying)

    @kernel
    def rank(v, seat, dice, work, n):  # type: ignore[no-untyped-def]
        """Rank by static evaluation, and keep only the best `width` moves."""
        imagine_world(v, seat, dice, work)
        n = worth_trying(work.worlds[0], seat, work.out, n)
        for i in range(n):
            work.marks[i] = static_value(work.worlds[0], seat, work.out[i], work.worlds[2:], work.out[most:])
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
    if not hasattr(rules, "repetition_key"):

        @kernel
        def avoid_nothing(seat, work, memory, n):  # type: ignore[no-untyped-def]
            """The default for games without `repetition_key`, whose positions do not repeat."""

        @kernel
        def keep_nothing(v, seat, work, memory):  # type: ignore[no-untyped-def]
            """The default for games without `repetition_key`."""

        return avoid_nothing, keep_nothing
    asked, play, repetition_key = rules.asked, rules.play, rules.repetition_key

    @kernel
    def avoid(seat, work, memory, n):  # type: ignore[no-untyped-def]
        """Lower the mark of a move that ends the turn in a repeated position, once for each earlier such turn."""
        for i in range(n):
            work.worlds[1] = work.worlds[0]
            play(work.worlds[1], seat, work.out[i])
            if asked(work.worlds[1]) != 1 << seat:
                work.marks[i] -= AGAIN * has_been(memory, repetition_key(work.worlds[1], seat))

    @kernel
    def keep(v, seat, work, memory):  # type: ignore[no-untyped-def]
        """Note in the memory how the turn ends, if the first move in `out` ends it."""
        work.worlds[1] = v
        play(work.worlds[1], seat, work.out[0])
        if asked(work.worlds[1]) != 1 << seat:
            note(memory, repetition_key(work.worlds[1], seat))

    return avoid, keep


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    moves, back, rank, try_once = game.rules.moves, game.rules.BACK, rank_of(game), try_once_of(game)
    avoid, keep = avoid_of(game)
    observe, _ = learning_of(game)

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """The move of the best mean result. The moves left were all tried in the same worlds, even if time is over."""
        n = without_back(work.out, moves(v, seat, work.out), back)
        observe(v, seat, memory.learned, work.plan.recall, work.worlds, work.counts)
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
    """Whether the strategy can play a game: it can play any."""
    return True


def workspace_for(game: Game, plan: Plan) -> Workspace:
    """A new workspace for a game."""
    most = game.rules.MOST_MOVES
    return Workspace(
        worlds=np.zeros(4, game.rules.STATE),
        out=np.zeros(4 * most, np.int32),
        marks=np.zeros(most),
        counts=np.zeros(getattr(game.rules, "COUNTS", (1, 1))),
        dice=np.zeros(1, np.uint64),
        results=np.zeros(NATURE),
        plan=plan.record,
        stop=never(),
    )


class Judge:
    """Judges moves and views by rollouts; every move is tried in every world. In games with `rate_moves`, ratings
    count as they do for the bot.
    """

    LONGER = 8
    """Factor by which it uses more worlds than a bot that only has to choose."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.try_all, self.foresee = try_all_of(game), foresee_of(game)
        self.rate_all = rate_all_of(game) if hasattr(game.rules, "rate_moves") else None
        self.trust = plan.trust / (plan.worlds + plan.trust)
        self.work = workspace_for(game, plan)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        dice = dice_from(seed)
        ratings = {} if self.rate_all is None else self.listed(self.rate_all(v, seat, dice, self.work, memories(1)[0]))
        worths = self.listed(self.try_all(v, seat, dice, self.work))
        return self.weighed(worths, ratings) if ratings else worths

    def view(self, v: State, seat: Seat, seed: int) -> float:
        """The value of a view. It takes more worlds than moves do, which share their dice."""
        dice = dice_from(seed)
        self.work.counts[:] = 0.0
        return sum(float(self.foresee(v, seat, dice, self.work)) for _ in range(LOOKS)) / LOOKS

    def listed(self, n: int) -> dict[Move, float]:
        """The n moves in `out`, and their marks."""
        return dict(zip(self.work.out[:n].tolist(), self.work.marks[:n].tolist(), strict=True))

    def weighed(self, worths: dict[Move, float], ratings: dict[Move, float]) -> dict[Move, float]:
        """Results of rollouts and ratings as one value. Ratings tell only which move is better, so their mean does not
        count.
        """
        level = (sum(worths.values()) - sum(ratings.values())) / len(worths)
        found = {move: worth + self.trust * (level + ratings[move] - worth) for move, worth in worths.items()}
        return {move: min(max(worth, 0.0), 1.0) for move, worth in found.items()}

"""Monte Carlo tree search for any game, with secrets, chance and simultaneous moves.

It is one kernel, specialised by closing over the game's own kernels. Each iteration imagines a world from the view of
the searching seat (a determinization), descends through the positions already in the table, and evaluates the last one
by a short random playout and the game's `value`. Statistics are stored by information set: for the searching seat's
decisions by its view, for those of others by what everyone sees. So the choices of others do not depend on sealed
answers, worlds that differ only in secrets share statistics, and transpositions are found. The table is cleared for
each decision: a move depends on nothing but the view, the plan and the dice.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from os import cpu_count
from typing import Any, NamedTuple, Self

import numpy as np

from backroom.bots import plans
from backroom.bots.deadlines import is_late, never
from backroom.bots.greedy import outlook_of
from backroom.bots.hashing import fingerprint, hashed_words, mixed
from backroom.bots.noise import blurred, slips
from backroom.bots.one_move import let_nature_of, value_after_of
from backroom.bots.plans import number
from backroom.bots.shares import NOBODY, lost_by_all, share_out
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, SPECTATOR, below, dice_from, kernel, lowest, pick, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ()
"""The kernels that a game's module has to offer: none beyond the protocol."""
ENTRIES = 1 << 18
"""The size of the table of moves and positions; a power of two."""
DEEPEST = 256
"""The most decisions in one iteration."""

STRETCH = 32
"""The number of iterations that a thread runs without returning to Python, so that Ctrl-C works."""
LEAST = 16
"""The number of iterations that run even if time is over."""

CURIOUS = 0.2
"""The probability of exploring a uniformly random move under regret matching."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """The budget and the parameters of a search."""

    iterations: int = number(1000, most=10_000_000)
    exploring: float = number(0.5, most=100)
    """The exploration constant of UCT."""
    playout: int = number(0, most=100_000)
    """Random moves that are made before `value` evaluates the state."""
    width: float = number(2.0, most=1e6)
    """Progressive widening: a position with n visits tries about `width` times √n moves, the highest prior first."""
    regret: bool = number(False, most=1)
    """Whether simultaneous moves are chosen by regret matching; otherwise each seat uses its own bounds (UCT)."""
    noise: float = number(0.0, most=1)
    """The probability of playing a random move."""
    blur: float = number(0.0, most=100)
    """Width of the random error in the evaluation of a move, in log-odds, for weaker levels; certain wins and losses
    are evaluated without error.
    """

    def longer(self, times: float) -> Self:
        return replace(self, iterations=max(STRETCH, round(self.iterations * times)))


class Workspace(NamedTuple):
    """The arrays of a search: scratch space, and the table of what it has learned."""

    worlds: Any
    """The state that an iteration plays in, and a copy to derive views and values from."""
    words: Any
    """The memory of `worlds`, as words to hash."""
    out: Any
    """Moves; then, from MOST_MOVES on, the indices of their entries in the table."""
    keys: Any
    """A hash table of positions and moves; 0 marks a free slot."""
    visits: Any
    totals: Any
    """The sum of results; under regret matching each is divided by the probability of the choice."""
    count: Any
    """The number of entries in the table."""
    taken: Any
    """The indices of all entries in the table."""
    path: Any
    """The decisions of an iteration: the index of the move's entry, that of the position's, and the seat."""
    chances: Any
    """The probability of each decision under regret matching, else 0."""
    results: Any
    """The result of an iteration for each seat."""
    tried: Any
    """The visits of each move of the searching seat."""
    worth: Any
    """The mean result of each move of the searching seat."""
    plan: Any
    stop: Any


@kernel
def place_of(keys, key):  # type: ignore[no-untyped-def]
    """The slot of a key, or the free slot where it belongs."""
    at = np.int64(key >> np.uint64(20)) & (len(keys) - 1)
    while keys[at] != 0 and keys[at] != key:
        at = (at + 1) & (len(keys) - 1)
    return at


@kernel
def is_full(work):  # type: ignore[no-untyped-def]
    """Whether more than three quarters of the slots are taken: beyond that, probing gets slow."""
    return 4 * work.count[0] > 3 * len(work.keys)


@kernel
def enter(work, at, key, visits, total):  # type: ignore[no-untyped-def]
    """Write a new entry into a free slot."""
    work.taken[work.count[0]] = at
    work.count[0] += 1
    work.keys[at] = key
    work.visits[at] = visits
    work.totals[at] = total


@kernel
def forget(work):  # type: ignore[no-untyped-def]
    """Clear the table."""
    for i in range(work.count[0]):
        work.keys[work.taken[i]] = np.uint64(0)
    work.count[0] = 0


@kernel
def by_bounds(work, n):  # type: ignore[no-untyped-def]
    """The move with the highest upper bound, of those tried and the best untried one (UCT, progressive widening)."""
    places = work.out[len(work.out) // 2 :]
    tried, total, untried = 0, 0, -1
    for i in range(n):
        at = places[i]
        total += work.visits[at]
        if work.visits[at] > 1:
            tried += 1
        elif untried < 0 or work.totals[at] > work.totals[places[untried]]:
            untried = i
    if tried > 0 and tried > work.plan.width * np.sqrt(total - n):
        untried = -1
    best, bound, log = 0, -1.0, np.log(total + 1.0)
    for i in range(n):
        at = places[i]
        if work.visits[at] > 1 or i == untried:
            mine = work.totals[at] / work.visits[at] + work.plan.exploring * np.sqrt(log / work.visits[at])
            if mine > bound:
                best, bound = i, mine
    return best


@kernel
def by_regret(work, n, node, dice):  # type: ignore[no-untyped-def]
    """A move drawn by regret matching, with some exploration, and its probability."""
    places = work.out[len(work.out) // 2 :]
    positive = 0.0
    for i in range(n):
        positive += max(work.totals[places[i]] - work.totals[node], 0.0)
    at = below(dice, 1 << 30) / (1 << 30)
    chance = 1.0
    for i in range(n):
        regret = max(work.totals[places[i]] - work.totals[node], 0.0)
        plain = regret / positive if positive > 0.0 else 1.0 / n
        chance = CURIOUS / n + (1.0 - CURIOUS) * plain
        at -= chance
        if at < 0.0:
            return i, chance
    return n - 1, chance


@kernel
def learn(work, depth):  # type: ignore[no-untyped-def]
    """Add the results of an iteration to the entries of its decisions (backpropagation)."""
    for i in range(depth):
        move, node = work.path[0, i], work.path[1, i]
        result = work.results[work.path[2, i]]
        work.visits[move] += 1
        work.visits[node] += 1
        if work.chances[i] > 0.0:
            work.totals[move] += result / work.chances[i]
            work.totals[node] += result
        else:
            work.totals[move] += result


@cache
def evaluate_of(game: Game) -> Any:
    """The kernel `evaluate(worlds, movers, dice, out, playout, results)`."""
    asked, moves, play = game.rules.asked, game.rules.moves, game.rules.play
    score, value, let_nature = game.rules.score, game.rules.value, let_nature_of(game)
    most, back, lost = game.rules.MOST_MOVES, game.rules.BACK, lost_by_all(game)

    @kernel
    def evaluate(worlds, movers, dice, out, playout, results):  # type: ignore[no-untyped-def]
        """Fill `results` with the expected share of the win of each seat in the mask `movers`, after a random playout
        from `worlds[0]`.
        """
        mask = asked(worlds[0])
        for _ in range(playout):
            if mask == 0:
                break
            if mask == 1 << NATURE:
                let_nature(worlds[0], dice, out, out[most:])
            else:
                seat = lowest(mask)
                n = without_back(out, moves(worlds[0], seat, out), back)
                play(worlds[0], seat, out[below(dice, n)])
            mask = asked(worlds[0])
        if mask:
            for seat in range(len(results)):
                if movers >> seat & 1:
                    results[seat] = value(worlds[0], seat)
        else:
            results[:] = NOBODY
            score(worlds[0], results)
            share_out(results, lost)

    return evaluate


@cache
def decide_of(game: Game) -> Any:
    """The kernel `decide(mover, seat, n, is_sealed, depth, dice, work)`."""
    play, hide, value_after = game.rules.play, game.rules.hide, value_after_of(game)
    most, (_, hashed) = game.rules.MOST_MOVES, hashed_words(game)

    @kernel
    def learn_moves(work, seat, n, key):  # type: ignore[no-untyped-def]
        """Find the entries of n moves, and add missing ones. Returns False if the table is full."""
        for i in range(n):
            own = mixed(key, work.out[i] + 1)
            at = place_of(work.keys, own)
            if work.keys[at] == 0:
                if is_full(work):
                    return False
                enter(work, at, own, 1, value_after(work.worlds[0], seat, work.out[i], work.worlds[1:]))
            work.out[most + i] = at
        return True

    @kernel
    def decide(mover, seat, n, is_sealed, depth, dice, work):  # type: ignore[no-untyped-def]
        """Choose one of the n moves in `out` for a seat of `worlds[0]`, record the decision and play it.

        Returns False, and plays nothing, if the position is new or the table is full.
        """
        work.worlds[1] = work.worlds[0]
        hide(work.worlds[1], seat if mover == seat else SPECTATOR)
        key = fingerprint(work.words[1], hashed, mover)
        node = place_of(work.keys, key)
        is_new = work.keys[node] == 0
        if is_new:
            if is_full(work):
                return False
            enter(work, node, key, 0, 0.0)
        if not learn_moves(work, mover, n, key) or (is_new and depth):
            return False
        work.chances[depth] = 0.0
        if is_sealed and work.plan.regret:
            chosen, work.chances[depth] = by_regret(work, n, node, dice)
        else:
            chosen = by_bounds(work, n)
        work.path[0, depth], work.path[1, depth], work.path[2, depth] = work.out[most + chosen], node, mover
        play(work.worlds[0], mover, work.out[chosen])
        return True

    return decide


@cache
def walk_of(game: Game) -> Any:
    """The kernel `walk(v, seat, dice, work)`."""
    asked, moves, play, imagine = game.rules.asked, game.rules.moves, game.rules.play, game.rules.imagine
    decide, let_nature = decide_of(game), let_nature_of(game)
    most, back, most_seats = game.rules.MOST_MOVES, game.rules.BACK, max(game.rules.SEATS)

    @kernel
    def walk(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """Descend from an imagined world to a new position or the end of the game; returns the number of decisions."""
        s = work.worlds[0]
        work.worlds[0] = v
        imagine(s, seat, dice)
        depth, sealed = 0, 0
        for other in range(most_seats):  # those who have sealed an answer may have given any
            if other != seat and not asked(s) >> other & 1:
                n = without_back(work.out, moves(s, other, work.out), back)
                if n > 1 and decide(other, seat, n, True, depth, dice, work):
                    depth += 1
        while depth < DEEPEST:
            mask = asked(s)
            if mask == 0:
                break
            if mask == 1 << NATURE:
                let_nature(s, dice, work.out, work.out[most:])
                continue
            if mask & (mask - 1):
                sealed = mask
            mover = seat if mask >> seat & 1 else lowest(mask)  # the searching seat first, as in its view
            n = without_back(work.out, moves(s, mover, work.out), back)
            if n == 1:
                play(s, mover, work.out[0])
            elif decide(mover, seat, n, sealed >> mover & 1, depth, dice, work):
                depth += 1
            else:
                break
            sealed &= ~(1 << mover)
        return depth

    return walk


@cache
def think_of(game: Game) -> Any:
    """The kernel `think(v, seat, dice, work, iterations)`."""
    walk, evaluate = walk_of(game), evaluate_of(game)

    @kernel
    def think(v, seat, dice, work, iterations):  # type: ignore[no-untyped-def]
        """Run a number of iterations from a view, fewer if time is over."""
        for done in range(iterations):
            if done >= LEAST and is_late(work):
                break
            depth = walk(v, seat, dice, work)
            movers = 0
            for i in range(depth):
                movers |= 1 << work.path[2, i]
            evaluate(work.worlds, movers, dice, work.out, work.plan.playout, work.results)
            learn(work, depth)

    return think


@cache
def look_back_of(game: Game) -> Any:
    """The kernel `look_back(v, seat, work)`."""
    moves, hide, back = game.rules.moves, game.rules.hide, game.rules.BACK
    _, hashed = hashed_words(game)

    @kernel
    def look_back(v, seat, work):  # type: ignore[no-untyped-def]
        """List the seat's moves in `out`, fill `tried` and `worth` for them, and return their number."""
        n = without_back(work.out, moves(v, seat, work.out), back)
        work.worlds[1] = v
        hide(work.worlds[1], seat)
        key = fingerprint(work.words[1], hashed, seat)
        for i in range(n):
            at = place_of(work.keys, mixed(key, work.out[i] + 1))
            is_known = work.keys[at] != 0
            work.tried[i] = work.visits[at] - 1 if is_known else 0
            work.worth[i] = work.totals[at] / work.visits[at] if is_known else 0.0
        return n

    return look_back


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    asked, moves, back = game.rules.asked, game.rules.moves, game.rules.BACK
    think, look_back = think_of(game), look_back_of(game)

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """The move with the most visits; for simultaneous moves under regret matching, a move drawn in proportion to
        its visits. With `blur` it is the move of the highest blurred mean.
        """
        n = without_back(work.out, moves(v, seat, work.out), back)
        if n == 1:
            return work.out[0]
        if slips(dice, work.plan.noise):
            return work.out[below(dice, n)]
        forget(work)
        think(v, seat, dice, work, work.plan.iterations)
        look_back(v, seat, work)
        mask, best = asked(v), 0
        for i in range(n if work.plan.blur > 0.0 else 0):
            work.worth[i] = blurred(dice, work.worth[i], work.plan.blur)
            if work.worth[i] > work.worth[best]:
                best = i
        if work.plan.blur > 0.0:
            return work.out[best]
        for i in range(1, n):
            if work.tried[i] > work.tried[best]:
                best = i
        is_sealed = mask & (mask - 1) or not mask >> seat & 1
        if is_sealed and work.plan.regret and work.tried[best] > 0:
            return work.out[pick(dice, work.tried, n)]
        return work.out[best]

    return choose


def suits(game: Game) -> bool:
    """Whether the strategy can play a game: it can play any."""
    return True


def workspace_for(game: Game, plan: Plan) -> Workspace:
    """A new workspace for a game."""
    most, (word, _) = game.rules.MOST_MOVES, hashed_words(game)
    worlds = np.zeros(2, game.rules.STATE)
    return Workspace(
        worlds=worlds,
        words=worlds.view(word).reshape(2, -1),
        out=np.zeros(2 * most, np.int32),
        keys=np.zeros(ENTRIES, np.uint64),
        visits=np.zeros(ENTRIES, np.int32),
        totals=np.zeros(ENTRIES),
        count=np.zeros(1, np.int64),
        taken=np.zeros(ENTRIES, np.int32),
        path=np.zeros((3, DEEPEST), np.int64),
        chances=np.zeros(DEEPEST),
        results=np.zeros(NATURE),
        tried=np.zeros(most, np.int64),
        worth=np.zeros(most),
        plan=plan.record,
        stop=never(),
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a search for one move."""

    move: Move
    tried: int
    """The number of iterations that began with it."""
    worth: float
    """The seat's expected share of the win, 0 to 1."""


def consider(game: Game, v: State, seat: Seat, seed: int, plan: Plan, threads: int | None = None) -> list[Finding]:
    """All moves of the seat, those with the most visits first, after the plan's iterations on all cores.

    Each thread grows a tree of its own; the statistics of their roots are added up (root parallelization).
    """
    think, look_back = think_of(game), look_back_of(game)
    count = threads or cpu_count() or 1

    def search(thread: int) -> Workspace:
        work, dice, done = workspace_for(game, plan), dice_from(seed + (thread << 40)), 0
        share = plan.iterations // count + (thread < plan.iterations % count)
        while done < share:
            think(v, seat, dice, work, STRETCH)
            done += STRETCH
        look_back(v, seat, work)
        return work

    with ThreadPoolExecutor(count) as pool:
        works = list(pool.map(search, range(count)))
    found = []
    for i in range(look_back(v, seat, works[0])):
        tried = sum(int(work.tried[i]) for work in works)
        worth = sum(work.worth[i] * (work.tried[i] + 1) for work in works) / (tried + count)
        found.append(Finding(int(works[0].out[i]), tried, float(worth)))
    return sorted(found, key=lambda one: -one.tried)


class Judge:
    """Judges moves by a search, and views by the game's own value."""

    LONGER = 2
    """Factor by which it searches longer than a bot that only has to choose."""
    WORLDS = 24
    """Imagined worlds averaged for the value of a view, in games with secrets."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.game, self.plan = game, plan
        self.outlook = outlook_of(game)
        self.worlds, self.out = np.zeros(2, game.rules.STATE), np.zeros(2 * game.rules.MOST_MOVES, np.int32)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        """The mean result of each move, at most that of the most visited one, since few visits prove little."""
        best, *others = consider(self.game, v, seat, seed, self.plan)
        return {best.move: best.worth, **{one.move: min(one.worth, best.worth) for one in others}}

    def view(self, v: State, seat: Seat, seed: int) -> float:
        many, total, dice = self.WORLDS if self.game.rules.SECRETS else 1, 0.0, dice_from(seed)
        for _ in range(many):
            self.worlds[0] = self.game.imagined(v, seat, dice)
            total += float(self.outlook(self.worlds, seat, self.out))
        return total / many

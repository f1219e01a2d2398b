"""Tree search for any game, with secrets, chance and simultaneous choices: one kernel, specialised by closing over a
game's own.

Each iteration imagines a whole state from the view of the seat that thinks, walks down what it has learned, and judges
where it ends by a short random playout and the game's `value`. What is learned is kept by *what a seat knows*: of its
own decisions by its view, of the others' by what everyone sees. So answers that are sealed stay unknown to the others'
choices, and worlds that differ only in secrets share what was learned; equal positions are found again, whatever the
order of moves, and from one decision of a game to the next.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from math import gcd
from os import cpu_count
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from backroom.bots.greedy import outlook_of
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, SPECTATOR, below, dice_from, kernel, lowest, pick, without_back
from backroom.engine.protocol import Move, Seat, State

ENTRIES = 1 << 18
"""How many moves and positions a search can remember; a power of two."""
DEEPEST = 256
"""No iteration walks farther down than this."""

STRETCH = 32
"""How many iterations run between two looks at the clock."""
NOBODY = -1e300
"""The score of a seat that is not at the table."""

CURIOUS = 0.2
"""How often, where regret is matched, any move is tried."""

ITERATIONS, EXPLORING, PLAYOUT, WIDTH, REGRET, NOISE = range(6)
"""What a plan says, by its place in the array that the kernel is given."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a search spends its time: a budget, and what was found best for a game."""

    iterations: int = 1000
    exploring: float = 0.5
    """How much a move that was rarely tried is worth trying."""
    playout: int = 0
    """How many random moves are made before `value` judges."""
    width: float = 2.0
    """A position tried n times looks at about this times the root of n of its moves, the best at first sight first."""
    regret: bool = False
    """Whether seats that are asked together are moved by regret matching; otherwise each by its own bounds (UCT)."""
    noise: float = 0.0
    """How often any move at all is played, for weaker levels."""

    @property
    def numbers(self) -> Any:
        return np.array(
            [self.iterations, self.exploring, self.playout, self.width, float(self.regret), self.noise], np.float64
        )

    def longer(self, times: float) -> "Plan":
        return replace(self, iterations=max(STRETCH, round(self.iterations * times)))


class Workspace(NamedTuple):
    """What a search thinks with, and what it remembers."""

    worlds: Any
    """The state walked in, and one to look at."""
    words: Any
    """The same, as words to hash."""
    out: Any
    """Moves; then, from MOST_MOVES on, the places of what is known of them."""
    keys: Any
    """A hash table of positions and moves: 0 where nothing stands."""
    visits: Any
    totals: Any
    """The results of the visits added up; where regret is matched, divided by how likely the choice was."""
    count: Any
    """How many entries there are."""
    path: Any
    """The decisions of an iteration: the move's place, the position's, the seat."""
    chances: Any
    """How likely each was, if regret is matched there, else 0."""
    results: Any
    """What each seat gets."""
    tried: Any
    worth: Any
    """Of each move of the seat that thinks: how often, and how good."""
    plan: Any


@kernel
def mixed(a, b):  # type: ignore[no-untyped-def]
    """Two numbers stirred into one of 64 bits, never 0."""
    z = (np.uint64(a) ^ (np.uint64(b) * np.uint64(0x9E3779B97F4A7C15))) + np.uint64(0xD1B54A32D192ED03)
    z = (z ^ (z >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(29))
    return z | np.uint64(1)


@kernel
def place_of(keys, key):  # type: ignore[no-untyped-def]
    """Where a key stands, or where it would."""
    at = np.int64(key >> np.uint64(20)) & (len(keys) - 1)
    while keys[at] != 0 and keys[at] != key:
        at = (at + 1) & (len(keys) - 1)
    return at


@kernel
def share_out(results):  # type: ignore[no-untyped-def]
    """From scores to what each seat has of the win: 1 alone, a half if all are equal, 0 if not the best. A seat with
    nobody to beat has its score.
    """
    best, seats, winners = NOBODY, 0, 0
    for score in results:
        if score > NOBODY:
            seats += 1
            if score > best:
                best, winners = score, 0
            if score == best:
                winners += 1
    for seat in range(len(results)):
        if results[seat] > NOBODY and seats > 1:
            results[seat] = 1.0 - 0.5 * (winners - 1) / (seats - 1) if results[seat] == best else 0.0


@kernel
def is_full(work):  # type: ignore[no-untyped-def]
    """Whether three quarters are taken: beyond that, finding a place gets slow."""
    return 4 * work.count[0] > 3 * len(work.keys)


@kernel
def make_room(work):  # type: ignore[no-untyped-def]
    """Forget everything when half is taken, so that a new search has something to fill."""
    if 2 * work.count[0] > len(work.keys):
        work.keys[:] = 0
        work.count[0] = 0


@cache
def kernels_of(game: Game) -> tuple[Any, Any, Any]:
    """The kernels `think(v, seat, dice, work, n)`, `look_back(v, seat, work)` and `choose(v, seat, dice, work)`."""
    names = ("asked", "moves", "odds", "play", "hide", "imagine", "score", "value")
    asked, moves, odds, play, hide, imagine, score, value = (getattr(game.rules, name) for name in names)
    most, back = game.rules.MOST_MOVES, game.rules.BACK
    most_seats = max(game.rules.SEATS)
    _, hashed = hashed_words(game)

    @kernel
    def fingerprint(words, seat):  # type: ignore[no-untyped-def]
        """Of a view, as words, and of who has to move in it."""
        key = np.uint64(seat + 1)
        for i in range(hashed):
            if words[i]:
                key = mixed(key ^ np.uint64(i), words[i])
        return mixed(key, seat)

    @kernel
    def let_nature(s, dice, out, weights):  # type: ignore[no-untyped-def]
        place = pick(dice, weights, odds(s, weights))
        moves(s, NATURE, out)
        play(s, NATURE, out[place])

    @kernel
    def judge(worlds, movers, dice, out, playout, results):  # type: ignore[no-untyped-def]
        """What these seats may expect of `worlds[0]`, which is played on for a while. 1: all of the win."""
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
            share_out(results)

    @kernel
    def first_sight(worlds, seat, move):  # type: ignore[no-untyped-def]
        """The game's own value after a move."""
        worlds[1] = worlds[0]
        play(worlds[1], seat, move)
        return value(worlds[1], seat)

    @kernel
    def learn_moves(work, seat, n, key):  # type: ignore[no-untyped-def]
        """Find the entries of n moves, and make those that are missing. False: there is no more space."""
        for i in range(n):
            own = mixed(key, work.out[i] + 1)
            at = place_of(work.keys, own)
            if work.keys[at] == 0:
                if is_full(work):
                    return False
                work.count[0] += 1
                work.keys[at] = own
                work.visits[at] = 1
                work.totals[at] = first_sight(work.worlds, seat, work.out[i])
            work.out[most + i] = at
        return True

    @kernel
    def by_bounds(work, n):  # type: ignore[no-untyped-def]
        """The move with the highest upper bound, of those tried and the best untried one (UCT, widening slowly)."""
        tried, total, untried = 0, 0, -1
        for i in range(n):
            at = work.out[most + i]
            total += work.visits[at]
            if work.visits[at] > 1:
                tried += 1
            elif untried < 0 or work.totals[at] > work.totals[work.out[most + untried]]:
                untried = i
        if tried > 0 and tried > work.plan[WIDTH] * np.sqrt(total - n):
            untried = -1
        best, bound, log = 0, -1.0, np.log(total + 1.0)
        for i in range(n):
            at = work.out[most + i]
            if work.visits[at] > 1 or i == untried:
                mine = work.totals[at] / work.visits[at] + work.plan[EXPLORING] * np.sqrt(log / work.visits[at])
                if mine > bound:
                    best, bound = i, mine
        return best

    @kernel
    def by_regret(work, n, node, dice):  # type: ignore[no-untyped-def]
        """A move as likely as it is regretted, with some curiosity; and how likely it was."""
        positive = 0.0
        for i in range(n):
            positive += max(work.totals[work.out[most + i]] - work.totals[node], 0.0)
        at = below(dice, 1 << 30) / (1 << 30)
        chance = 1.0
        for i in range(n):
            regret = max(work.totals[work.out[most + i]] - work.totals[node], 0.0)
            plain = regret / positive if positive > 0.0 else 1.0 / n
            chance = CURIOUS / n + (1.0 - CURIOUS) * plain
            at -= chance
            if at < 0.0:
                return i, chance
        return n - 1, chance

    @kernel
    def decide(mover, seat, n, is_sealed, depth, dice, work):  # type: ignore[no-untyped-def]
        """Choose one of the n moves in `out` for a seat of `worlds[0]`, note it and make it.

        False, and nothing is made, where the position is new or there is no more space to learn.
        """
        work.worlds[1] = work.worlds[0]
        hide(work.worlds[1], seat if mover == seat else SPECTATOR)
        key = fingerprint(work.words[1], mover)
        node = place_of(work.keys, key)
        is_new = work.keys[node] == 0
        if is_new:
            if is_full(work):
                return False
            work.count[0] += 1
            work.keys[node] = key
            work.visits[node] = 0
            work.totals[node] = 0.0
        if not learn_moves(work, mover, n, key) or (is_new and depth):
            return False
        work.chances[depth] = 0.0
        if is_sealed and work.plan[REGRET]:
            chosen, work.chances[depth] = by_regret(work, n, node, dice)
        else:
            chosen = by_bounds(work, n)
        work.path[0, depth], work.path[1, depth], work.path[2, depth] = work.out[most + chosen], node, mover
        play(work.worlds[0], mover, work.out[chosen])
        return True

    @kernel
    def walk(v, seat, dice, work):  # type: ignore[no-untyped-def]
        """Down from an imagined state to where something new begins, or the end; says how many decisions that were."""
        s = work.worlds[0]
        work.worlds[0] = v
        imagine(s, seat, dice)
        depth, sealed = 0, 0
        for other in range(most_seats):  # those who have answered already might have answered otherwise
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
            mover = seat if mask >> seat & 1 else lowest(mask)  # first, as in the view in which it is asked
            n = without_back(work.out, moves(s, mover, work.out), back)
            if n == 1:
                play(s, mover, work.out[0])
            elif decide(mover, seat, n, sealed >> mover & 1, depth, dice, work):
                depth += 1
            else:
                break
            sealed &= ~(1 << mover)
        return depth

    @kernel
    def think(v, seat, dice, work, iterations):  # type: ignore[no-untyped-def]
        for _ in range(iterations):
            depth = walk(v, seat, dice, work)
            movers = 0
            for i in range(depth):
                movers |= 1 << work.path[2, i]
            judge(work.worlds, movers, dice, work.out, int(work.plan[PLAYOUT]), work.results)
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

    @kernel
    def look_back(v, seat, work):  # type: ignore[no-untyped-def]
        """Fill `tried` and `worth` for the seat's moves, which `out` gets; says how many there are."""
        n = without_back(work.out, moves(v, seat, work.out), back)
        work.worlds[1] = v
        hide(work.worlds[1], seat)
        key = fingerprint(work.words[1], seat)
        for i in range(n):
            at = place_of(work.keys, mixed(key, work.out[i] + 1))
            is_known = work.keys[at] != 0
            work.tried[i] = work.visits[at] - 1 if is_known else 0
            work.worth[i] = work.totals[at] / work.visits[at] if is_known else 0.0
        return n

    @kernel
    def choose(v, seat, dice, work):  # type: ignore[no-untyped-def]
        n = without_back(work.out, moves(v, seat, work.out), back)
        if n == 1:
            return work.out[0]
        if work.plan[NOISE] > 0.0 and below(dice, 1 << 20) < work.plan[NOISE] * (1 << 20):
            return work.out[below(dice, n)]
        make_room(work)
        think(v, seat, dice, work, int(work.plan[ITERATIONS]))
        look_back(v, seat, work)
        mask, best = asked(v), 0
        for i in range(1, n):
            if work.tried[i] > work.tried[best]:
                best = i
        is_sealed = mask & (mask - 1) or not mask >> seat & 1
        if is_sealed and work.plan[REGRET] and work.tried[best] > 0:
            return work.out[pick(dice, work.tried, n)]
        return work.out[best]

    return think, look_back, choose


def hashed_words(game: Game) -> tuple[type, int]:
    """The widest words that a state consists of, and how many of them are no scratch space."""
    end = len(game.key(game.blank()))
    width = gcd(end, game.rules.STATE.itemsize, 8)
    return {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[width], end // width


def workspace_for(game: Game, plan: Plan) -> Workspace:
    """What a search needs."""
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
        path=np.zeros((3, DEEPEST), np.int64),
        chances=np.zeros(DEEPEST),
        results=np.zeros(NATURE),
        tried=np.zeros(most, np.int64),
        worth=np.zeros(most),
        plan=plan.numbers,
    )


def make(game: Game, plan: Plan | None = None) -> tuple[Any, Callable[[], Workspace]]:
    return kernels_of(game)[-1], lambda: workspace_for(game, plan or Plan())


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search has to say about one move."""

    move: Move
    tried: int
    """How many iterations began with it."""
    worth: float
    """What the seat may expect of it: 0 to 1, the win."""


def consider(
    game: Game, v: State, seat: Seat, seed: int, plan: Plan, seconds: float | None = None, threads: int | None = None
) -> list[Finding]:
    """All moves of the seat, the most tried first, after so many iterations or seconds on all cores.

    Each thread grows a tree of its own; what they found at the root is added up.
    """
    think, look_back, _ = kernels_of(game)
    think(v, seat, dice_from(seed), workspace_for(game, plan), 0)  # compiled before the clock starts
    end = None if seconds is None else perf_counter() + seconds
    count = threads or cpu_count() or 1

    def search(number: int) -> Workspace:
        work, dice, done = workspace_for(game, plan), dice_from(seed + (number << 40)), 0
        share = plan.iterations // count + (number < plan.iterations % count)
        while done < share if end is None else perf_counter() < end:
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
    """What a search finds of moves; views at rest by the game's own value."""

    LONGER = 2
    """It thinks so many times as long as whoever only has to choose."""
    WORLDS = 24
    """How many are imagined to say what a view is worth, where something is hidden."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.game, self.plan = game, plan
        self.outlook = outlook_of(game)
        self.worlds, self.out = np.zeros(2, game.rules.STATE), np.zeros(2 * game.rules.MOST_MOVES, np.int32)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        """Nothing is worth more than what was tried most: what is tried less and seems so was lucky."""
        best, *others = consider(self.game, v, seat, seed, self.plan)
        return {best.move: best.worth, **{one.move: min(one.worth, best.worth) for one in others}}

    def view(self, v: State, seat: Seat, seed: int) -> float:
        many, total, dice = self.WORLDS if self.game.rules.SECRETS else 1, 0.0, dice_from(seed)
        for _ in range(many):
            self.worlds[0] = self.game.imagined(v, seat, dice)
            total += float(self.outlook(self.worlds, seat, self.out))
        return total / many

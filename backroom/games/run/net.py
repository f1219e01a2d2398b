"""The value net: the expected result of a position after a turn, by a small net, and exactly in the bear-off.

The net sees the position from the side of the player who has just moved; the other player rolls next. It gives the
probabilities of the four ends of the game. `look` says which rows of the first layer a position has; they are added up,
so that this layer, the widest, costs little. The later layers exist once for each phase of a game.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from backroom.engine.kernel import NATURE, kernel, lowest, scratch

from .bearoff import FULL, TURNS, WAITS, number_of, tables
from .brain import pips
from .pieces import HALF, HOME, LENGTHS, MEN, OFF, PAST, POINTS
from .rules import (
    MOST_MOVES,
    STATE,
    asked,
    is_home,
    is_over,
    is_running,
    is_single,
    movers,
    moves,
    odds,
    play,
    put_up,
    turned,
)

HIDDEN = 512
SECOND = 32
PHASES = 8
"""The number of phases with layers of their own: see `phase`."""

LOST_TWO, LOST, WON, WON_TWO = range(4)
"""The ends of a game, for the player who has just moved: the rows of `ends`."""

AT = 0
"""A side's men on a point: one row for each number of men."""
BORNE = AT + 2 * POINTS * MEN
"""The number of men that a side has off."""
TO_GO = BORNE + 2 * MEN
PIPS = 8
"""Pips for each step of the feature of a side's points to go."""
WALL = TO_GO + 2 * (MEN * POINTS // PIPS + 1)
WALLS = POINTS - 5
"""A side has four, five or six of the six points from here on, in the other side's numbering."""
HELD_UP = WALL + 2 * WALLS * 3
"""One man of a side, two or three, or four or more, with three, four, five or six of the six points ahead closed to
them.
"""
RUNNER = HELD_UP + 2 * POINTS * 3 * 4
LEAD = RUNNER + 2
LEADS = 20
"""Who is ahead, in steps of four points, for either side."""
MOBILITY = LEAD + 2 * LEADS + 1
"""For each side and die, the number of points from which a man can move."""
MOST_MOVERS = 7
"""The largest distinct number of these points; it stands for more, too."""
LOOSE = MOBILITY + 2 * 6 * (MOST_MOVERS + 1)
"""For each side and die, the points from which a man can move without loss: another man stays, or the point blocks
nobody.
"""
MOST_LOOSE = 3
"""The largest distinct number of loose points; it stands for more, too."""
BEHIND = LOOSE + 2 * 6 * (MOST_LOOSE + 1)
"""A side's men behind the other side's farthest four, five and six points in a row."""
PRIME = BEHIND + 2 * 3 * MEN
"""Where four, and where five, points of the other side in a row begin."""
PRIMES = POINTS - 3
"""The points where four in a row can begin."""
SPARE = PRIME + 2 * 2 * PRIMES
"""How far loose men can still go up to point 24: a side that has used this up must open what it holds."""
SPARES = 6
"""The points of one step of `SPARE`."""
MANY = SPARE + 2 * (MEN * POINTS // SPARES + 1)
"""A side's men in its mother board, in its first half, and at home."""
LAST = MANY + 2 * 3 * (MEN + 1)
"""Where a side's last man stands."""
ROWS = LAST + 2 * POINTS
MOST_ROWS = 192
"""More than any position has."""

BITS = np.array([bin(points).count("1") for points in range(64)], np.int32)

POINTS_OF_ENDS = np.array([-2, -1, 1, 2])
"""What each end is worth (§5.1)."""

ROLLED, ROLLED_ONCE, SEAT_BEGINS, OTHER_BEGINS = range(4)
"""How the next game of a match begins: with a roll, as all games do; with a roll, and winners begin all later games;
the seat begins; or the other begins. First index of `worth`.
"""


class Weights(NamedTuple):
    """Weights, tables, the stakes and scratch space, one for each thinker."""

    rows: Any
    bias: Any
    weights: Any
    second_bias: Any
    last: Any
    last_bias: Any
    turns: Any
    waits: Any
    wins: Any
    worth: Any
    """The worth of a match from -1 to 1, by how the next game begins and the points that the seat and the other still
    need.
    """
    modes: Any
    """Whether each game is played for its points instead of the match, and whether the bear-off tables are used."""
    seen: Any
    """The rows of the current position."""
    before: Any
    """The rows of the position before."""
    count: Any
    """The number of rows of the position before."""
    is_there: Any
    """Whether a row is one of these."""
    come: Any
    gone: Any
    """The rows that have gone."""
    hidden: Any
    on: Any
    """The units where `hidden` is positive."""
    layer: Any
    ends: Any
    """The probability of each end."""


FOR_POINTS, BY_TABLES = range(2)


@kernel
def number(points):  # type: ignore[no-untyped-def]
    """The number of points in a set."""
    return BITS[points >> 1 & 63] + BITS[points >> 7 & 63] + BITS[points >> 13 & 63] + BITS[points >> 19 & 63]


@kernel
def phase(s, mover):  # type: ignore[no-untyped-def]
    """The phase of a game: runners under way; men who can be blocked, by how many are not half way yet; race."""
    held, other = np.int64(s.held[mover]), np.int64(s.held[1 - mover])
    if is_running(s, mover):
        return 0 if is_running(s, 1 - mover) else 1
    if is_running(s, 1 - mover):
        return 2
    if (held | other) & HALF == 0:
        return 7  # no side can block the other any more
    if is_home(s, mover) or is_home(s, 1 - mover):
        return 6
    men = 0
    for point in range(1, PAST):
        men += s.men[0, point] + s.men[1, point]
    return 3 if men >= 18 else (4 if men >= 10 else 5)


@kernel
def look_at_freedom(s, who, side, out, n):  # type: ignore[no-untyped-def]
    """Append the rows for what a side can still move and how long it can wait; returns the new number of rows."""
    held = np.int64(s.held[who])
    closed = np.int64(turned(s.held[1 - who]))
    four = closed & closed >> 1 & closed >> 2 & closed >> 3
    five = four & closed >> 4
    six = five & closed >> 5
    last = lowest(s.held[1 - who])
    idle = np.int64(turned(turned(held) & ((2 << last) - 1)))  # behind all men of the other
    loose = idle & held
    behind_four, behind_five, behind_six, spare, mother, half, home = 0, 0, 0, 0, 0, 0, 0
    points = held
    while points:
        point = lowest(points)
        points &= points - 1
        men = s.men[who, point]
        if men > 1:
            loose |= 1 << point
        spare += (men if idle >> point & 1 else men - 1) * (POINTS - point)
        if four >> (point + 1):
            behind_four += men
            if five >> (point + 1):
                behind_five += men
                if six >> (point + 1):
                    behind_six += men
        if point < 7:
            mother += men
        if point < PAST:
            half += men
        elif point >= HOME:
            home += men
    for die in range(1, 7):
        free = np.int64(movers(s, who, die))
        out[n] = MOBILITY + (side * 6 + die - 1) * (MOST_MOVERS + 1) + min(number(free), MOST_MOVERS)
        out[n + 1] = LOOSE + (side * 6 + die - 1) * (MOST_LOOSE + 1) + min(number(free & loose), MOST_LOOSE)
        n += 2
    if behind_four:
        out[n] = BEHIND + side * 3 * MEN + behind_four - 1
        n += 1
    if behind_five:
        out[n] = BEHIND + (side * 3 + 1) * MEN + behind_five - 1
        n += 1
    if behind_six:
        out[n] = BEHIND + (side * 3 + 2) * MEN + behind_six - 1
        n += 1
    while four:
        point = lowest(four)
        four &= four - 1
        out[n] = PRIME + side * 2 * PRIMES + point - 1
        n += 1
        if five >> point & 1:
            out[n] = PRIME + (side * 2 + 1) * PRIMES + point - 1
            n += 1
    out[n] = SPARE + side * (MEN * POINTS // SPARES + 1) + spare // SPARES
    out[n + 1] = MANY + side * 3 * (MEN + 1) + mother
    out[n + 2] = MANY + (side * 3 + 1) * (MEN + 1) + half
    out[n + 3] = MANY + (side * 3 + 2) * (MEN + 1) + home
    out[n + 4] = LAST + side * POINTS + lowest(held) - 1
    return n + 5


@kernel
def look(s, mover, out):  # type: ignore[no-untyped-def]
    """Write the rows of a position, those of the player who has just moved first; returns their number."""
    n = 0
    for side in range(2):
        who = mover if side == 0 else 1 - mover
        held, closed = np.int64(s.held[who]), np.int64(turned(s.held[1 - who]))
        for point in range(1, OFF):
            if held >> point & 1:
                men = np.int64(s.men[who, point])
                out[n] = AT + (side * POINTS + point - 1) * MEN + men - 1
                n += 1
                ahead = BITS[closed >> (point + 1) & 63]
                if ahead >= 3:
                    heap = 0 if men == 1 else (1 if men < 4 else 2)
                    out[n] = HELD_UP + ((side * POINTS + point - 1) * 3 + heap) * 4 + ahead - 3
                    n += 1
        if s.men[who, OFF]:
            out[n] = BORNE + side * MEN + s.men[who, OFF] - 1
            n += 1
        wall = np.int64(turned(held))
        for first in range(1, WALLS + 1):
            points = BITS[wall >> first & 63]
            if points >= 4:
                out[n] = WALL + (side * WALLS + first - 1) * 3 + points - 4
                n += 1
        if is_running(s, who):
            out[n] = RUNNER + side
            n += 1
        n = look_at_freedom(s, who, side, out, n)
    mine, theirs = pips(s, mover), pips(s, 1 - mover)
    out[n] = TO_GO + mine // PIPS
    out[n + 1] = TO_GO + (MEN * POINTS // PIPS + 1) + theirs // PIPS
    out[n + 2] = LEAD + min(max((theirs - mine + 2) // 4, -LEADS), LEADS) + LEADS
    return n + 3


@kernel
def compare(weights, n):  # type: ignore[no-untyped-def]
    """Write which of the n rows are new since the position before, and which are gone; returns the number of each."""
    come, gone, is_there, before = weights.come, weights.gone, weights.is_there, weights.before
    more, less = 0, 0
    for k in range(n):
        row = weights.seen[k]
        if is_there[row] == 0:
            come[more] = row
            more += 1
        is_there[row] = 2
    for k in range(weights.count[0]):
        row = before[k]
        if is_there[row] == 1:
            gone[less] = row
            less += 1
            is_there[row] = 0
    for k in range(n):
        row = weights.seen[k]
        is_there[row] = 1
        before[k] = row
    weights.count[0] = n
    return more, less


@kernel
def add_up(weights, n):  # type: ignore[no-untyped-def]
    """The first layer. Endings of one turn share most rows, so only the differences are added and subtracted. In
    integers, so that the result does not depend on the positions before.
    """
    hidden, rows, come, gone = weights.hidden, weights.rows, weights.come, weights.gone
    more, less = compare(weights, n)
    if more + less > n:
        for i in range(HIDDEN):
            hidden[i] = weights.bias[i]
        come, more, less = weights.before, n, 0
    both = min(more, less)
    for k in range(both):
        a, b = rows[come[k]], rows[gone[k]]
        for i in range(HIDDEN):
            hidden[i] += np.int32(a[i]) - np.int32(b[i])
    for k in range(both, less):
        b = rows[gone[k]]
        for i in range(HIDDEN):
            hidden[i] -= np.int32(b[i])
    k = both
    while k + 1 < more:
        a, b = rows[come[k]], rows[come[k + 1]]
        for i in range(HIDDEN):
            hidden[i] += np.int32(a[i]) + np.int32(b[i])
        k += 2
    if k < more:
        a = rows[come[k]]
        for i in range(HIDDEN):
            hidden[i] += np.int32(a[i])


@kernel
def go_through(weights, now):  # type: ignore[no-untyped-def]
    """The second layer: the positive units, four rows at a time, to suit wide vector registers."""
    hidden, second, layer, on = weights.hidden, weights.weights[now], weights.layer, weights.on
    n = 0
    for i in range(HIDDEN):
        on[n] = i
        n += hidden[i] > 0
    for j in range(SECOND):
        layer[j] = weights.second_bias[now, j]
    for k in range(0, n - 3, 4):
        w, x, y, z = on[k], on[k + 1], on[k + 2], on[k + 3]
        a, b, c, d = second[w], second[x], second[y], second[z]
        p, q, r, t = np.float32(hidden[w]), np.float32(hidden[x]), np.float32(hidden[y]), np.float32(hidden[z])
        for j in range(SECOND):
            layer[j] += (p * a[j] + q * b[j]) + (r * c[j] + t * d[j])
    for k in range(n - n % 4, n):
        a, p = second[on[k]], np.float32(hidden[on[k]])
        for j in range(SECOND):
            layer[j] += p * a[j]


@kernel
def think(weights, n, now):  # type: ignore[no-untyped-def]
    """From n rows and the phase of the game to the probabilities of the four ends."""
    add_up(weights, n)
    go_through(weights, now)
    for end in range(4):
        weights.ends[end] = weights.last_bias[now, end]
    for j in range(SECOND):
        if weights.layer[j] > 0.0:
            for end in range(4):
                weights.ends[end] += weights.layer[j] * weights.last[now, j, end]
    most = max(weights.ends[0], weights.ends[1], weights.ends[2], weights.ends[3])
    total = 0.0
    for end in range(4):
        weights.ends[end] = np.exp(weights.ends[end] - most)
        total += weights.ends[end]
    for end in range(4):
        weights.ends[end] /= total


@kernel
def race(s, mover, turns, waits, wins, ends):  # type: ignore[no-untyped-def]
    """The four ends when both are home: exact with few men; otherwise as if each side played on its own."""
    mine, theirs = number_of(s.men, mover), number_of(s.men, 1 - mover)
    if mine < len(wins) and theirs < len(wins):
        won, won_two, lost_two = 1.0 - wins[theirs, mine], 0.0, 0.0
    else:
        won, won_two, lost_two = 0.0, 0.0, 0.0
        later = 1.0  # the probability that the other, who rolls first, has not finished
        for turn in range(1, TURNS):
            if theirs >= FULL and turn < WAITS:
                won_two += turns[mine, turn] * waits[theirs - FULL, turn]
            if mine >= FULL and turn - 1 < WAITS:
                lost_two += turns[theirs, turn] * waits[mine - FULL, turn - 1]
            later -= turns[theirs, turn]
            won += turns[mine, turn] * later
        won = min(max(won, 0.0), 1.0)
        won_two, lost_two = min(won_two, won), min(lost_two, 1.0 - won)
    ends[LOST_TWO], ends[LOST] = lost_two, 1.0 - won - lost_two
    ends[WON], ends[WON_TWO] = won - won_two, won_two


@kernel
def foresee(s, mover, weights):  # type: ignore[no-untyped-def]
    """The probabilities of the four ends of this game for the player who has just moved. The other rolls next."""
    if s.men[mover, OFF] == MEN or s.men[1 - mover, OFF] == MEN:
        for end in range(4):
            weights.ends[end] = 0.0
        if s.men[mover, OFF] == MEN:
            weights.ends[WON_TWO if s.men[1 - mover, OFF] == 0 else WON] = 1.0
        else:
            weights.ends[LOST_TWO if s.men[mover, OFF] == 0 else LOST] = 1.0
    elif weights.modes[BY_TABLES] and is_home(s, 0) and is_home(s, 1):
        race(s, mover, weights.turns, weights.waits, weights.wins, weights.ends)
    else:
        think(weights, look(s, mover, weights.seen), phase(s, mover))
        if s.men[1 - mover, OFF]:  # §5.1
            weights.ends[WON] += weights.ends[WON_TWO]
            weights.ends[WON_TWO] = 0.0
        if s.men[mover, OFF]:
            weights.ends[LOST] += weights.ends[LOST_TWO]
            weights.ends[LOST_TWO] = 0.0


@kernel
def expect(s, seat, weights):  # type: ignore[no-untyped-def]
    """The seat's expectation, from -1 to 1, in a state in which no seat is asked: of a match, or of a single game worth
    up to two points (§5.2), or of the points themselves if FOR_POINTS is set. Zero-sum.
    """
    for_points = weights.modes[FOR_POINTS] or is_single(s)
    needs, other = max(s.match - s.points[seat], 0), max(s.match - s.points[1 - seat], 0)
    mover = 1 - s.turn
    if s.fresh or is_over(s):
        if not for_points:
            return weights.worth[who_begins(s, seat), needs, other]
        if s.men[0, OFF] < MEN and s.men[1, OFF] < MEN:
            return 0.0  # nobody has rolled
        mover = seat
    foresee(s, mover, weights)
    if mover != seat:
        weights.ends[LOST_TWO], weights.ends[WON_TWO] = weights.ends[WON_TWO], weights.ends[LOST_TWO]
        weights.ends[LOST], weights.ends[WON] = weights.ends[WON], weights.ends[LOST]
    if for_points:
        points = weights.ends[WON] - weights.ends[LOST] + 2.0 * (weights.ends[WON_TWO] - weights.ends[LOST_TWO])
        return points if weights.modes[FOR_POINTS] else points / 2.0
    won, lost = (SEAT_BEGINS, OTHER_BEGINS) if s.winner_starts else (ROLLED, ROLLED)
    return (
        weights.ends[WON] * weights.worth[won, needs - 1, other]
        + weights.ends[WON_TWO] * weights.worth[won, max(needs - 2, 0), other]
        + weights.ends[LOST] * weights.worth[lost, needs, other - 1]
        + weights.ends[LOST_TWO] * weights.worth[lost, needs, max(other - 2, 0)]
    )


@kernel
def who_begins(s, seat):  # type: ignore[no-untyped-def]
    """How the next game begins: the first index of `worth`."""
    if not s.winner_starts:
        return ROLLED
    if s.opening:
        return ROLLED_ONCE
    return SEAT_BEGINS if s.turn == seat else OTHER_BEGINS


@kernel
def is_known(s, weights):  # type: ignore[no-untyped-def]
    """Whether `expect` is exact here, so that looking ahead adds nothing."""
    if s.fresh or is_over(s):
        return True
    if not (weights.modes[BY_TABLES] and is_home(s, 0) and is_home(s, 1)):
        return False
    return number_of(s.men, 0) < len(weights.wins) and number_of(s.men, 1) < len(weights.wins)


def chances_of_a_game(weights: Weights, is_opening: bool) -> Any:
    """The probabilities of the four ends for the player who begins a game, by the net's evaluation after the first
    turn. That turn is played with the two dice rolled for the start (§2.1), or with fresh ones (§6, winner_starts).
    """
    s = np.zeros(1, STATE)[0]
    put_up(s)
    s.match, s.fresh, s.opening = LENGTHS.max(), 1, is_opening
    rolls, chances = np.zeros((2, MOST_MOVES), np.int32)
    n = odds(s, chances)
    moves(s, NATURE, rolls)
    total = np.zeros(4)
    for roll, chance in zip(rolls[:n].tolist(), chances[:n].tolist(), strict=True):
        then = after(s, NATURE, roll)
        total += chance * ends_of_best_turn(then, int(then.turn), weights)
    return total / total.sum()


def after(s: Any, seat: int, move: int) -> Any:
    """The state after a move."""
    then = np.zeros(1, STATE)
    then[0] = s
    play(then[0], seat, move)
    return then[0]


def ends_of_best_turn(s: Any, mover: int, weights: Weights) -> Any:
    """The probabilities of the four ends after the turn with the highest expected points for the mover."""
    if asked(s) != 1 << mover:
        foresee(s, mover, weights)
        return weights.ends.copy()
    out, found = np.zeros(MOST_MOVES, np.int32), []
    for move in out[: moves(s, mover, out)].tolist():
        found.append(ends_of_best_turn(after(s, mover, move), mover, weights))
    return max(found, key=lambda ends: float(ends @ POINTS_OF_ENDS))


def worth_of_scores(rolled: Any, begun: Any) -> Any:
    """The worth of a match without a cube, by how the next game begins and by the points that both still need. `rolled`
    and `begun` are the chances of the player who begins: by a roll for the start, and as winner of the last game.
    """
    most = int(LENGTHS.max())
    worth = np.zeros((4, most + 1, most + 1))
    worth[:, 0, 1:], worth[:, 1:, 0] = 1, -1
    even = (rolled + rolled[::-1]) / 2
    for mine in range(1, most + 1):
        for theirs in range(1, most + 1):
            for now, ends in ((ROLLED, even), (ROLLED_ONCE, even), (SEAT_BEGINS, begun), (OTHER_BEGINS, begun[::-1])):
                won, lost = (ROLLED, ROLLED) if now == ROLLED else (SEAT_BEGINS, OTHER_BEGINS)
                worth[now, mine, theirs] = (
                    ends[WON] * worth[won, mine - 1, theirs]
                    + ends[WON_TWO] * worth[won, max(mine - 2, 0), theirs]
                    + ends[LOST] * worth[lost, mine, theirs - 1]
                    + ends[LOST_TWO] * worth[lost, mine, max(theirs - 2, 0)]
                )
    return worth


WEIGHTS = ("rows", "bias", "weights", "second_bias", "last", "last_bias")
SCALE = 1024
"""`rows` and `bias` are stored as integers, multiplied by SCALE; `weights` are divided by it."""


@cache
def trained() -> tuple[Any, ...]:
    """The trained weights from the file beside this module."""
    return read_weights(Path(__file__).with_name("net.npz"))


SHAPES = (
    (ROWS, HIDDEN),
    (HIDDEN,),
    (PHASES, HIDDEN, SECOND),
    (PHASES, SECOND),
    (PHASES, SECOND, 4),
    (PHASES, 4),
)


def read_weights(path: Path) -> tuple[Any, ...]:
    """Read weights as training writes them. Weights of earlier nets, with fewer rows, a narrower layer and one phase,
    are padded with zeros and play as before.
    """
    with np.load(path) as kept:
        return tuple(
            filled_up(kept[name], shape, kind)
            for name, shape, kind in zip(WEIGHTS, SHAPES, (np.int16, np.int32, *[np.float32] * 4), strict=True)
        )


def filled_up(part: Any, shape: tuple[int, ...], kind: Any) -> Any:
    """An array padded with zeros to a larger one; an array without phases is repeated for each."""
    found = np.zeros(shape, kind)
    where: Any = (..., *map(slice, part.shape))
    found[where] = part
    return found


def weights(arrays: tuple[Any, ...] | None = None, for_points: bool = False, by_tables: bool = True) -> Weights:
    """The trained weights or others, with scratch space of their own."""
    few = tables()
    kinds = {
        "seen": (MOST_ROWS, np.int32),
        "before": (MOST_ROWS, np.int32),
        "count": (1, np.int64),
        "is_there": (ROWS, np.int8),
        "come": (MOST_ROWS, np.int32),
        "gone": (MOST_ROWS, np.int32),
        "hidden": (HIDDEN, np.int32),
        "on": (HIDDEN + 1, np.int32),
        "layer": (SECOND, np.float32),
        "ends": (4, np.float64),
    }
    found = Weights(
        **dict(zip(WEIGHTS, arrays or trained(), strict=True)),
        turns=few.turns,
        waits=few.waits,
        wins=few.wins,
        worth=np.zeros((4, int(LENGTHS.max()) + 1, int(LENGTHS.max()) + 1)),
        modes=np.array([for_points, by_tables]),
        **{name: scratch(size, kind) for name, (size, kind) in kinds.items()},
    )
    found.hidden[:] = found.bias  # as for a position without rows, which the first one is compared with
    found.worth[:] = worth_of_scores(*(chances_of_a_game(found, is_opening) for is_opening in (True, False)))
    return found

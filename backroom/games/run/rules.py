"""Run (Fevga): two players race fifteen men round one board; a single man closes a point."""

import numpy as np

from backroom.engine.kernel import EVERYONE, NATURE, UNKNOWN, below, bit_count, kernel, lowest, record

from .pieces import (
    BITS,
    CHANCES,
    HALF,
    LENGTHS,
    MEN,
    MOTHER,
    OFF,
    OPENINGS,
    OUTSIDE_HOME,
    PAST,
    RING,
    ROLLED,
    ROLLS,
    SINGLE,
)

NAME = "run"
TITLE = "Run"
VERSION = 2
SEATS = (2,)
SEAT_NAMES = ("White", "Black")

STATE = record(
    [
        ("men", "i2", (2, OFF + 1)),  # for each seat, on its own points 1 to 24; at OFF those borne off; 0 unused
        ("held", "i4", 2),  # the points where a seat has men, as a set: men > 0, redundant for speed
        ("dice", "i4", 2),  # the last roll, the larger first; 0 before the first
        ("left", "i4", 2),  # how often each of the dice is still to be played in this turn
        ("turn", "i2"),  # whose turn it is; before a roll, who will roll
        ("fresh", "i2"),  # 1: the next roll begins a game, with the men set up anew
        ("opening", "i2"),  # 1: and it is the roll of §2.1, which also decides whose turn it is
        ("unwalled", "i2"),  # 1: this turn must end without a wall (§6, must_open)
        ("points", "i2", 2),  # won in the match, or by the single game
        ("match", "i2"),  # points to play to, or SINGLE
        ("must_open", "i2"),
        ("winner_starts", "i2"),
        ("work", "i4", 8),
    ]
)

ROLL = 0
OPEN = ROLL + len(ROLLS)
STEP = OPEN + len(OPENINGS)  # + (point - 1) * 6 + distance - 1; bearing off is a step to OFF

SECRETS = False
BACK = UNKNOWN  # no choice takes more than one step
MOST_MOVES = 30  # the openings; a turn never has more than 15 points times two dice
LONGEST = 13 * 2000  # games of a match to 7, times moves; random games have 300, and dice cannot block for ever


# §1, §2 and §5.2: from the start of a match to a player's dice


@kernel
def setup(s, seats, options):
    s.match = LENGTHS[options[0]]
    s.must_open = options[1]
    s.winner_starts = options[2]
    s.points[:] = 0
    s.turn = 0
    s.left[:] = 0
    put_up(s)
    s.fresh = 1
    s.opening = 1


@kernel
def put_up(s):
    """§1.3: all fifteen men on point 1."""
    s.men[:] = 0
    for seat in range(2):
        s.men[seat, 1] = MEN
        s.held[seat] = 1 << 1
    s.dice[:] = 0
    s.unwalled = 0


@kernel
def asked(s):
    if is_over(s):
        return 0
    if s.left[0] + s.left[1] == 0:
        return 1 << NATURE
    return 1 << s.turn


@kernel
def is_single(s):
    """§5.2: whether a single game is played, for one or two points."""
    return s.match == SINGLE


@kernel
def is_over(s):
    """§5.2: whether the match, or the single game, is over."""
    return s.points[0] >= s.match or s.points[1] >= s.match


@kernel
def odds(s, out):
    if s.opening:
        out[: len(OPENINGS)] = 1
        return len(OPENINGS)
    for i in range(len(ROLLS)):
        out[i] = CHANCES[i]
    return len(ROLLS)


@kernel
def chance(s, dice):
    """Nature's move: a roll, or the two dice that open a game."""
    if s.opening:
        return OPEN + below(dice, len(OPENINGS))
    return ROLL + ROLLED[below(dice, len(ROLLED))]


@kernel
def roll(s, move):
    """§2: a roll, or the two single dice that open a game."""
    if s.fresh:
        put_up(s)
    if s.opening:
        first, second = OPENINGS[move - OPEN]
        s.turn = 0 if first > second else 1  # §2.1; equal dice were rolled again and leave no trace
        s.dice[0], s.dice[1] = max(first, second), min(first, second)
    else:
        s.dice[0], s.dice[1] = ROLLS[move - ROLL]
    s.fresh = 0
    s.opening = 0
    lay_out(s)


@kernel
def lay_out(s):
    """§3.3, §3.4, §3.7: how often each die will be played, as far as some legal turn allows; the rest is lost."""
    seat, is_double, is_found = s.turn, s.dice[0] == s.dice[1], False
    s.unwalled = 0
    s.left[0], s.left[1] = (4, 0) if is_double else (1, 1)
    while s.left[0] + s.left[1] and not is_found:  # one place that looks for a turn: it is large when inlined
        is_found = has_turn(s, seat)
        if is_found and s.must_open and not s.unwalled and is_walling(s, seat):  # §6
            s.unwalled = 1
            is_found = False
        elif s.unwalled and not is_found:
            s.unwalled = 0
            is_found = True
        elif not is_found:
            lose_a_step(s, is_double)
    if s.left[0] + s.left[1] == 0:
        s.turn = 1 - seat  # §3.4, §3.6, §3.7: the turn is lost


@kernel
def lose_a_step(s, is_double):
    """§3.3, §3.4: what is left if there is no such turn: one less of a double; else the larger die, or the smaller."""
    if is_double:
        s.left[0] -= 1
    elif s.left[0] and s.left[1]:
        s.left[1] = 0
    else:
        s.left[1] = s.left[0]
        s.left[0] = 0


# §3 and §4: one man, one die


@kernel
def opposite(point):
    """§1.2: the opponent's number for a point."""
    return point + 12 if point <= 12 else point - 12


@kernel
def turned(points):
    """§1.2: a set of points in the opponent's numbers."""
    return (points & HALF) << 12 | points >> 12 & HALF


@kernel
def is_open(s, seat, point):
    """§3.1: a point is open unless the opponent has a man on it."""
    return s.men[1 - seat, opposite(point)] == 0


@kernel
def is_running(s, seat):
    """§3.5: no man has reached the opponent's mother board yet, so only the runner may move."""
    return s.held[seat] >> PAST == 0 and s.men[seat, OFF] == 0


@kernel
def runner(s, seat):
    """§3.5: the place of the foremost man, as a set; before he has left, any man on point 1 is the runner."""
    ahead = s.held[seat] & ~(1 << 1)
    return ahead if ahead else s.held[seat]


@kernel
def is_home(s, seat):
    """§4.1: all men are in the home board, or off."""
    return s.held[seat] & OUTSIDE_HOME == 0


@kernel
def bearable(s, seat, die):
    """§4.2, §4.3: the point from which this die bears a man off, as a set; empty if there is none."""
    held = np.int64(s.held[seat])
    exact = 1 << (OFF - die)
    if held & (exact - 1):  # a man is farther back
        return held & exact
    return held & -held


@kernel
def movers(s, seat, die):
    """The points, as a set, from which one man may be moved with one die, regardless of the rest of the turn."""
    free = RING & ~turned(s.held[1 - seat])
    points = s.held[seat] & free >> die  # §3.1, §3.8: the ring ends at 24
    if is_running(s, seat):
        return points & runner(s, seat)
    if is_home(s, seat):
        return points | bearable(s, seat, die)
    return points


@kernel
def shift(s, seat, point, to):
    """Carry one man forward."""
    s.men[seat, point] -= 1
    s.men[seat, to] += 1
    emptied = np.int64(s.men[seat, point] == 0) << point
    s.held[seat] = s.held[seat] & ~emptied | 1 << to & RING


@kernel
def unshift(s, seat, point, to):
    """Move him back, after looking ahead."""
    s.men[seat, to] -= 1
    s.men[seat, point] += 1
    emptied = np.int64(s.men[seat, to] == 0) << to
    s.held[seat] = s.held[seat] & ~emptied | 1 << point


# §3.4, §3.7 and §6: whole turns


@kernel
def is_blocking_the_mother(s, seat):
    """§3.7: all six points of one's own mother board are occupied."""
    return s.held[seat] & MOTHER == MOTHER


@kernel
def is_walling(s, seat):
    """§6: six points in a row in the opponent's numbering, with every opposing man on the board below them."""
    wall = turned(s.held[seat])
    rows = wall & wall >> 1 & wall >> 2 & wall >> 3 & wall >> 4 & wall >> 5  # the points where six in a row begin
    return rows > s.held[1 - seat]  # sets compare by their highest point, and no point is in both


@kernel
def ends_well(s, seat):
    """Whether a turn may end like this."""
    if s.men[seat, OFF] == MEN:
        return True
    if is_blocking_the_mother(s, seat):
        return False
    return not (s.unwalled and is_walling(s, seat))


@kernel
def is_harmless(s, seat, steps):
    """Whether any `steps` steps end well, wherever they go: the mother board has more gaps than they could close."""
    return not s.unwalled and bit_count(MOTHER & ~s.held[seat]) > steps


@kernel
def can_finish(s, seat, die, times):
    """Whether one die can be played `times` more times so that the turn ends well; the last man off ends any turn."""
    if times == 0 or s.men[seat, OFF] == MEN:
        return ends_well(s, seat)
    depth = 0
    s.work[0] = movers(s, seat, die)
    if times == 1 and is_harmless(s, seat, 1):
        return s.work[0] != 0
    while depth >= 0:  # depth first; work: the untried points at each depth, then the point being tried there
        points = s.work[depth]
        if points == 0:
            depth -= 1
            if depth >= 0:
                unshift(s, seat, s.work[4 + depth], min(s.work[4 + depth] + die, OFF))
            continue
        point = lowest(points)
        s.work[depth] = points & (points - 1)
        s.work[4 + depth] = point
        shift(s, seat, point, min(point + die, OFF))
        if depth + 1 == times or s.men[seat, OFF] == MEN:
            found = ends_well(s, seat)
            for back in range(depth, -1 if found else depth - 1, -1):
                unshift(s, seat, s.work[4 + back], min(s.work[4 + back] + die, OFF))
            if found:
                return True
        else:
            depth += 1
            s.work[depth] = movers(s, seat, die)
    return False


@kernel
def rest_of(s, which):
    """What is left when one of the dice has been played once more: its number, and how often."""
    if s.left[which] > 1:
        return s.dice[which], s.left[which] - 1
    return s.dice[1 - which], s.left[1 - which]


@kernel
def is_completable(s, seat, which, point):
    """Whether a man may move from the point with this one of the dice: whether the turn can then be completed."""
    die, times = rest_of(s, which)
    to = min(point + s.dice[which], OFF)
    shift(s, seat, point, to)
    found = can_finish(s, seat, die, times)
    unshift(s, seat, point, to)
    return found


@kernel
def men_on(s, seat, points):
    """The number of men on a set of points."""
    found, points = 0, points & s.held[seat]
    while points:
        found += s.men[seat, lowest(points)]
        points &= points - 1
    return found


@kernel
def bystanders(s, seat, which, rest):
    """The points from which the rest of the roll can be played, one step each, whatever another man does first.

    `rest` has the points from which it can be played now. The result is empty if looking ahead is needed: while a
    runner's step decides who may move, or when the end of the turn matters.
    """
    _, times = rest_of(s, which)
    if not is_harmless(s, seat, times + 1) or (times and is_running(s, seat)):
        return np.int64(0)
    return np.int64(rest) if times else np.int64(RING)


@kernel
def has_turn(s, seat):
    """Whether some turn plays each die as often as `left` says, and ends well."""
    for which in range(2):
        if s.left[which]:
            points = movers(s, seat, s.dice[which])
            die, times = rest_of(s, which)
            others = bystanders(s, seat, which, movers(s, seat, die))
            if points and (bit_count(others) > times or men_on(s, seat, others) > times):
                return True
            while points:
                if is_completable(s, seat, which, lowest(points)):
                    return True
                points &= points - 1
    return False


@kernel
def completable(s, seat, which, points, others):
    """Those of the points from which a man may move with this one of the dice, so that the turn can be completed."""
    _, times = rest_of(s, which)
    spare = men_on(s, seat, others) - times
    if spare > 0:
        return points
    found = points
    while points:
        point = points & -points
        points ^= point
        is_rest_sure = others and spare == 0 and not others & point
        if not is_rest_sure and not is_completable(s, seat, which, lowest(point)):
            found &= ~point
    return found


@kernel
def moves(s, seat, out):
    if asked(s) != 1 << seat:
        return 0
    if seat == NATURE:
        first, n = (OPEN, len(OPENINGS)) if s.opening else (ROLL, len(ROLLS))
        for i in range(n):
            out[i] = first + i
        return n
    n, both = 0, np.int64(0)  # the points of the larger die, and above them those of the smaller
    larger, smaller = movers(s, seat, s.dice[0]), movers(s, seat, s.dice[1])
    for which in range(2):
        if s.left[which] == 0:
            continue
        points, rest = (larger, smaller) if which == 0 else (smaller, larger)
        others = bystanders(s, seat, which, points if s.left[which] > 1 else rest)
        if which == 0 and s.left[1] and is_home(s, seat):
            # Where the smaller die bears the same man off, that is the same move and plays the smaller: the options of
            # the other die do not depend on which was played.
            points &= ~(smaller & ~(RING >> s.dice[1]))
        _, times = rest_of(s, which)
        if bit_count(others) <= times:  # else enough are left, whoever moves
            points = completable(s, seat, which, points, others)
        both |= np.int64(points) << which * BITS
    while both:  # one loop, since processors seldom guess when it ends
        at = lowest(both)
        both &= both - 1
        point, die = at % BITS, s.dice[at // BITS]
        out[n] = STEP + (point - 1) * 6 + min(die, OFF - point) - 1
        n += 1
    return n


@kernel
def point_of(move):
    """The point where a step begins."""
    return (move - STEP) // 6 + 1


@kernel
def distance_of(move):
    """The number of points of a step."""
    return (move - STEP) % 6 + 1


@kernel
def play(s, seat, move):
    if seat == NATURE:
        roll(s, move)
        return
    point, distance = point_of(move), distance_of(move)
    shift(s, seat, point, point + distance)
    which = 1 if s.left[1] and s.dice[1] >= distance else 0
    s.left[which] -= 1
    if s.men[seat, OFF] == MEN:
        win(s, seat)
    elif s.left[0] + s.left[1] == 0:
        s.turn = 1 - seat


@kernel
def win(s, seat):
    """§5: count the points of a game, and go on to the next unless the match is won."""
    worth = 2 if s.men[1 - seat, OFF] == 0 else 1
    s.points[seat] = worth if is_single(s) else min(s.points[seat] + worth, s.match)
    s.left[:] = 0
    s.unwalled = 0
    if not is_over(s):
        s.fresh = 1
        s.opening = 1 - s.winner_starts
        s.turn = seat


# Who knows what: there are no secrets in Run


@kernel
def seen(s, seat, move):
    return EVERYONE


@kernel
def hide(s, seat):
    s.work[:] = 0


@kernel
def imagine(s, seat, dice):
    s.work[:] = 0


@kernel
def score(s, out):
    """§5.2: the points of the match, or of the single game."""
    out[0], out[1] = s.points[0], s.points[1]


@kernel
def is_whole(s):
    for seat in range(2):
        men = np.int64(s.men[seat, OFF])
        for point in range(1, OFF):
            here = s.men[seat, point]
            men += here
            if here < 0 or (here > 0) != (s.held[seat] >> point & 1 == 1) or (here and not is_open(s, seat, point)):
                return False
        if men != MEN or s.men[seat, 0] or s.held[seat] & ~RING:
            return False
    return True

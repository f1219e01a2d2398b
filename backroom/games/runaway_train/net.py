"""A small net trained by self-play: how strong a seat is, by its hand and points compared with the others', and by what
the train may still do.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from pathlib import Path
from typing import Any

import numpy as np

from backroom.engine.kernel import kernel, record

from .pieces import BEFORE, HALF_BRAKE, LONG, MOST_YELLOW, SHORT, SUITCASES
from .rules.state import BRAKING, CHOOSING, JUMPING, SWITCHING
from .rules.train import least_roll, plain_value

INPUTS = 56
"""The number of inputs for a seat."""
HIDDEN = 32
"""The number of units of the first layer: as many as fit into `work`."""
SECOND = 8
"""The number of units of the second layer."""

NET = record(
    [
        ("first", "f4", (INPUTS, HIDDEN)),
        ("first_bias", "f4", HIDDEN),
        ("second", "f4", (SECOND, HIDDEN)),
        ("second_bias", "f4", SECOND),
        ("last", "f4", SECOND),
    ]
)
"""Its weights: two layers, and the output. `levels.md` says how it was trained. One record, which costs nothing to pass
to a kernel.
"""


def read_net(path: Path) -> Any:
    """Read the net from `net.npz`: an array of one record."""
    found = np.zeros(1, NET)
    with np.load(path) as kept:
        for name in NET.names or ():
            if kept[name].shape != NET[name].shape:
                raise ValueError(f"{name} of {path.name} is {kept[name].shape}, not {NET[name].shape}")
            found[name][0] = kept[name]
    return found


LEARNED = read_net(Path(__file__).with_name("net.npz"))


def weights() -> Any:
    """The net, for bots that think with `values`."""
    return LEARNED[0]


@kernel
def run_on(s, track, speed, at, is_due, gain, fall):
    """The future of the train if it takes this track from here with this speed, gains this much a round and loses this
    part of a die to brakes: how often cards are played, how often for the plain value, the multipliers of the first,
    the last, all and now, and the probability that it stops. `is_due`: cards are played before the next roll.
    """
    part, due, times, now = int(s.track), int(s.due), int(s.multiplier), 0
    plays, plain, first, last, total = 0, 0, 0, 0, 0
    while True:
        for _ in range(2):  # before the switch, and after it
            while due < MOST_YELLOW and 0 < s.yellow_at[part, due] <= at:
                if s.yellow_is[part, due] < 0:
                    speed = max(speed - (fall / 2 - 0.25 if s.yellow_is[part, due] == HALF_BRAKE else fall), 1.0)
                else:
                    times = int(s.yellow_is[part, due])
                due += 1
            if part == BEFORE and at >= s.switch:
                part, due = track, 0
        now = now if now else times
        is_over = part != BEFORE and at >= s.end[part]
        if is_due and (not is_over or s.last_gasp):
            plays += 1
            plain += times == 1
            first = first if first else times
            last = times
            total += times
        if is_over:
            break
        speed += gain
        at += speed
        is_due = True
    slow = int(speed)
    stops = 7 - least_roll(s, track, slow)
    stops += (speed - slow) * (7 - least_roll(s, track, slow + 1) - stops)
    return plays, plain, first, last, total, now, stops / 6


@kernel
def gain_of(die):
    """§3.1"""
    return 2 if die == 6 else 1 if die > 2 else 0


@kernel
def next_roll_ends(s, speed, at):
    """The probability that the next roll brings the train to the end, from here with this speed."""
    if s.track == BEFORE:
        return 0.0
    count = 0
    for die in range(1, 7):
        count += at + speed + gain_of(die) >= s.end[s.track]
    return count / 6


@kernel
def ahead_of(s, speed, at, is_due):
    """The values of `run_on`, averaged over slow and fast trains, and over both tracks until one is chosen."""
    plays, plain, first, last, total, now, stops, n = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    for track in range(SHORT, LONG + 1):
        if s.track != BEFORE and s.track != track:
            continue
        for pace in range(3):
            found = run_on(s, track, float(speed), float(at), is_due, 0.45 + 0.385 * pace, 4.75 - 1.25 * pace)
            plays += found[0]
            plain += found[1]
            first += found[2]
            last += found[3]
            total += found[4]
            now += found[5]
            stops += found[6]
            n += 1
    ends = next_roll_ends(s, speed, at)
    return plays / n, plain / n, first / n, last / n, total / n, stops / n, ends, float(speed), now / n


@kernel
def ahead(s):
    """The values of `run_on`, averaged, from where the train is."""
    is_moving, sealed = s.ask == BRAKING or s.ask == SWITCHING, 0
    for seat in range(s.seats):
        sealed += s.choice[seat] != 0
    is_due = is_moving or (s.ask == CHOOSING and sealed == 0)  # a sealed choice is judged by what comes after it
    return ahead_of(s, s.speed, s.at + (s.left if is_moving else 0), is_due)


@kernel
def tell(weights, out, row, a, b, c, d, e, f, g, h):
    """Add eight rows of weights, each times its factor. Eight at once, so that `out` is read and written less often."""
    a, b, c, d = np.float32(a), np.float32(b), np.float32(c), np.float32(d)
    e, f, g, h = np.float32(e), np.float32(f), np.float32(g), np.float32(h)
    for i in range(len(out)):
        one = weights[row, i] * a + weights[row + 1, i] * b + weights[row + 2, i] * c + weights[row + 3, i] * d
        two = weights[row + 4, i] * e + weights[row + 5, i] * f + weights[row + 6, i] * g + weights[row + 7, i] * h
        out[i] += one + two


@kernel
def near(difference):
    """A number from -1 to 1 that is sensitive to small differences, since games are won by little."""
    return min(max(difference, -4), 4) / 4


@kernel
def tell_of_hands(s, seat, aboard, lost, weights, out):
    """Add the features of a seat's suitcases but one, and those of the others aboard; returns their plain value."""
    is_there, rivals = aboard >> seat & 1, 0
    mine = s.suitcases[seat] & ~(1 << lost) if is_there else 0
    once, twice, more = 0, 0, 0  # the suitcases that one of the others has, two, or three
    for other in range(s.seats):
        if other != seat and aboard >> other & 1:
            rivals += 1
            more |= twice & s.suitcases[other]
            twice |= once & s.suitcases[other]
            once |= s.suitcases[other]
    x = mine
    tell(weights, out, 0, x >> 1 & 1, x >> 2 & 1, x >> 3 & 1, x >> 4 & 1, x >> 5 & 1, x >> 6 & 1, x >> 7 & 1, is_there)
    tell(
        weights, out, 8,
        having(once, twice, more, 1), having(once, twice, more, 2), having(once, twice, more, 3),
        having(once, twice, more, 4), having(once, twice, more, 5), having(once, twice, more, 6),
        having(once, twice, more, 7), rivals / 5,
    )  # fmt: skip
    plain, count, highest, lowest, their_highest, their_lowest = 0, 0, 0, 8, 0, 8
    for suitcase in range(1, SUITCASES + 1):
        if once >> suitcase & 1:
            their_highest, their_lowest = suitcase, min(their_lowest, suitcase)
        if mine >> suitcase & 1:
            highest, lowest = suitcase, min(lowest, suitcase)
            plain += suitcase
            count += 1
    if count:
        tell(
            weights, out, 16, plain / 28, count / 7, highest / 7, lowest / 7,
            lowest == their_lowest, lowest < their_lowest, highest == their_highest, highest > their_highest,
        )  # fmt: skip
    return plain


@kernel
def having(once, twice, more, suitcase):
    """A weight for how many of three have it; one half each."""
    return ((once >> suitcase & 1) + (twice >> suitcase & 1) + (more >> suitcase & 1)) / 2


@kernel
def tell_of_points(s, seat, aboard, points, plain, last, weights, out):
    """Add how far a seat is ahead: now, of those who are off, if the train stopped now, and counting what could still
    come.
    """
    best, second, best_off, most, farthest, ahead_of_it, theirs, rivals = -1, -1, -1, 0, 0.0, 0, 0, 0
    for other in range(s.seats):
        if other == seat:
            continue
        has, left = s.points[other], 0
        ahead_of_it += has > points
        if aboard >> other & 1:
            left = plain_value(s, other)
            theirs += left
            rivals += 1
        else:
            best_off = max(best_off, has)
        if has > best:
            best, second = has, best
        else:
            second = max(second, has)
        most = max(most, has + left)
        farthest = max(farthest, has + left * last)
    is_off, lead_off = best_off >= 0, points - best_off if best_off >= 0 else 0
    lead, mine = points - best, points + plain
    tell(
        weights, out, 24, points / 40, lead / 20, near(lead), (points - second) / 20,
        is_off, lead_off / 20, near(lead_off), ahead_of_it / 5,
    )  # fmt: skip
    tell(
        weights, out, 32, is_off and lead_off == 0, lead_off > 0, (mine - most) / 20, near(mine - most),
        mine == most, mine > most, (points + plain * last - farthest) / 40, theirs / (28 * max(rivals, 1)),
    )  # fmt: skip


@kernel
def rolls_next(s, seat, aboard):
    """§3.9: whether the seat is the engineer of the next roll, also while somebody may still jump."""
    engineer = int(s.engineer)
    if s.ask == JUMPING:
        for _ in range(s.seats):
            engineer = (engineer + 1) % s.seats
            if aboard >> engineer & 1:
                break
    return engineer == seat


@kernel
def look(s, seat, aboard, lost, gained, train, weights, out):
    """Add to `out` the features of a seat with one suitcase less and some points more, for a train with this `ahead`:
    each input times its row of weights. `aboard` are the passengers on the train, as bits, so that a jump can be
    evaluated before it is made.
    """
    plays, plain_plays, first, last, total, stops, ends, speed, now = train
    plain = tell_of_hands(s, seat, aboard, lost, weights, out)
    tell_of_points(s, seat, aboard, s.points[seat] + gained, plain, last, weights, out)
    x = aboard >> seat & 1
    tell(
        weights, out, 40, x * stops, x * plays / 8, plain * last / 80, x and rolls_next(s, seat, aboard),
        speed / 10, now / 4, plays / 8, min(plays, 2) / 2,
    )  # fmt: skip
    tell(
        weights, out, 48, plain_plays / 4, first / 4, last / 4, total / 20,
        stops, ends, s.track == BEFORE, (s.seats - 1) / 5,
    )  # fmt: skip


@kernel
def strength(s, seat, aboard, lost, gained, train, weights):
    """The strength of a seat with one suitcase less and some points more: e to the power of the net's output."""
    for i in range(HIDDEN):
        s.work[i] = weights.first_bias[i]
    look(s, seat, aboard, lost, gained, train, weights.first, s.work)
    for i in range(HIDDEN):
        s.work[i] = max(s.work[i], np.float32(0))
    mark = np.float32(0)
    for k in range(SECOND):
        # four sums side by side, so that additions need not wait for each other
        one, two, three, four = weights.second_bias[k], np.float32(0), np.float32(0), np.float32(0)
        for i in range(0, HIDDEN, 4):
            one += weights.second[k, i] * s.work[i]
            two += weights.second[k, i + 1] * s.work[i + 1]
            three += weights.second[k, i + 2] * s.work[i + 2]
            four += weights.second[k, i + 3] * s.work[i + 3]
        seen = one + two + three + four
        if seen > 0:
            mark += weights.last[k] * seen
    return np.exp(min(max(np.float64(mark), -30.0), 30.0))

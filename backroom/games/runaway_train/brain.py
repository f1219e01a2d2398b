"""What a player of RunAway Train looks at, and what a small net that has learned by playing makes of it."""

from pathlib import Path
from typing import Any

import numpy as np

from backroom.engine.kernel import kernel, record

from .pieces import BEFORE, CANNOT, FARTHEST, HALF_BRAKE, LONG, MOST_YELLOW, SHORT, SUITCASES
from .rules.cards import has_two, suitcase_of, worth
from .rules.state import (
    BRAKING,
    CHOOSING,
    FIRST_CONDUCTOR,
    FIRST_LEAVE,
    FIRST_PASSENGER,
    JUMPING,
    MOST_SEATS,
    OVER,
    PLUNGED,
    STOPPING,
    SWITCHING,
    is_aboard,
)
from .rules.train import least_roll, plain_value

INPUTS = 56
"""How many numbers the net is told of a seat."""
HIDDEN = 32
"""How many units its first layer has: as many as there is room for in `work`."""
SECOND = 8
"""And its second."""

NET = record(
    [
        ("first", "f4", (INPUTS, HIDDEN)),
        ("first_bias", "f4", HIDDEN),
        ("second", "f4", (SECOND, HIDDEN)),
        ("second_bias", "f4", SECOND),
        ("last", "f4", SECOND),
    ]
)
"""Its weights: two layers, and how the second is summed up. `levels.md` says how it learned. One record: to hand it on
costs a kernel nothing.
"""


def read_net(path: Path) -> Any:
    """As `brain.npz` holds it: an array of one."""
    found = np.zeros(1, NET)
    with np.load(path) as kept:
        for name in NET.fields:
            if kept[name].shape != NET.fields[name][0].shape:
                raise ValueError(f"{name} of {path.name} is {kept[name].shape}, not {NET.fields[name][0].shape}")
            found[name][0] = kept[name]
    return found


LEARNED = read_net(Path(__file__).with_name("brain.npz"))


def mind() -> Any:
    """The net, for who thinks by `values`."""
    return LEARNED[0]


OF_A_SEAT = SUITCASES + 6
FEATURES = MOST_SEATS * OF_A_SEAT + 8 + 3 + 9

WHIM = 0.6  # how much of its chance a choice may lose by whim: players who all think alike would cancel each other


@kernel
def features(s, seat, out):
    """The seat and those to its left: suitcases, points, aboard, ready, engineer, jumper, there; then the train."""
    n = 0
    for turn in range(MOST_SEATS):
        who = (seat + turn) % s.seats
        is_there = turn < s.seats
        for suitcase in range(1, SUITCASES + 1):
            out[n] = 1.0 if is_there and s.suitcases[who] >> suitcase & 1 else 0.0
            n += 1
        out[n] = s.points[who] / 50 if is_there else 0.0
        out[n + 1] = 1.0 if is_there and is_aboard(s, who) else 0.0
        out[n + 2] = 1.0 if is_there and s.choice[who] != 0 else 0.0
        out[n + 3] = 1.0 if is_there and s.engineer == who else 0.0
        out[n + 4] = 1.0 if is_there and s.ask == JUMPING and s.jumper == who else 0.0
        out[n + 5] = 1.0 if is_there else 0.0
        n += 6
    for ask in range(8):
        out[n] = 1.0 if s.ask == ask else 0.0
        n += 1
    for track in range(3):
        out[n] = 1.0 if s.track == track else 0.0
        n += 1
    out[n] = s.speed / 10
    out[n + 1] = s.multiplier / 4
    out[n + 2] = s.at / FARTHEST
    out[n + 3] = (s.end[s.track] - s.at) / FARTHEST
    out[n + 4] = s.left / 10
    out[n + 5] = least_roll(s, SHORT, s.speed) / CANNOT
    out[n + 6] = least_roll(s, LONG, s.speed) / CANNOT
    out[n + 7] = s.last_gasp
    out[n + 8] = s.choice[seat] / 20


@kernel
def run_on(s, track, gain, fall):
    """If the train takes this track, gains so much speed a round and loses so much by brakes, of a die: how often cards
    are played, how often for the plain value, the multipliers of the first, the last and all, and how likely it stops.
    """
    speed, at, times = float(s.speed), float(s.at), int(s.multiplier)
    part, due = int(s.track), int(s.due)
    is_moving, is_due = s.ask == BRAKING or s.ask == SWITCHING, s.ask == CHOOSING
    plays, plain, first, last, total = 0, 0, 0, 0, 0
    while True:
        if is_due:
            plays += 1
            plain += times == 1
            first = first if first else times
            last = times
            total += times
        if part != BEFORE and at >= s.end[part]:
            break
        if is_moving:
            at += s.left
        else:
            speed += gain
            at += speed
        is_moving = False
        for _ in range(2):  # before the switch, and behind it
            while due < MOST_YELLOW and 0 < s.yellow_at[part, due] <= at:
                if s.yellow_is[part, due] < 0:
                    speed = max(speed - (fall / 2 - 0.25 if s.yellow_is[part, due] == HALF_BRAKE else fall), 1.0)
                else:
                    times = int(s.yellow_is[part, due])
                due += 1
            if part == BEFORE and at >= s.switch:
                part, due = track, 0
        is_due = part == BEFORE or at < s.end[part] or s.last_gasp == 1
    slow = int(speed)
    stops = 7 - least_roll(s, track, slow)
    stops += (speed - slow) * (7 - least_roll(s, track, slow + 1) - stops)
    return plays, plain, first, last, total, stops / 6


@kernel
def next_roll_ends(s):
    """How likely the next roll brings the train to the end."""
    if s.track == BEFORE:
        return 0.0
    count = 0
    for die in range(1, 7):  # §3.1
        count += s.at + s.speed + (2 if die == 6 else 1 if die > 2 else 0) >= s.end[s.track]
    return count / 6


@kernel
def ahead(s):
    """What `run_on` says, on average over slow and fast trains, and over both tracks until one is chosen."""
    if s.ask == STOPPING or (s.ask != CHOOSING and s.track != BEFORE and s.at == s.end[s.track]):
        return 0.0, 0.0, 0.0, 0.0, 0.0, (7 - least_roll(s, s.track, s.speed)) / 6, 1.0
    plays, plain, first, last, total, stops, n = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    for track in range(SHORT, LONG + 1):
        if s.track != BEFORE and s.track != track:
            continue
        for pace in range(3):
            found = run_on(s, track, 0.45 + 0.385 * pace, 4.75 - 1.25 * pace)
            plays += found[0]
            plain += found[1]
            first += found[2]
            last += found[3]
            total += found[4]
            stops += found[5]
            n += 1
    return plays / n, plain / n, first / n, last / n, total / n, stops / n, next_roll_ends(s)


@kernel
def tell(weights, out, row, a, b, c, d, e, f, g, h):
    """Add eight rows of weights, so much of each. Eight at once: `out` is read and written less often."""
    a, b, c, d = np.float32(a), np.float32(b), np.float32(c), np.float32(d)
    e, f, g, h = np.float32(e), np.float32(f), np.float32(g), np.float32(h)
    for i in range(len(out)):
        one = weights[row, i] * a + weights[row + 1, i] * b + weights[row + 2, i] * c + weights[row + 3, i] * d
        two = weights[row + 4, i] * e + weights[row + 5, i] * f + weights[row + 6, i] * g + weights[row + 7, i] * h
        out[i] += one + two


@kernel
def near(difference):
    """From -1 to 1: a small difference, since it is by little that games are won."""
    return min(max(difference, -4), 4) / 4


@kernel
def tell_of_hands(s, seat, aboard, lost, weights, out):
    """A seat's suitcases but one, and those of the others aboard. Says their plain value."""
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
    """How many have it, of three; a half each."""
    return ((once >> suitcase & 1) + (twice >> suitcase & 1) + (more >> suitcase & 1)) / 2


@kernel
def tell_of_points(s, seat, aboard, points, plain, last, weights, out):
    """How far a seat is ahead: now, of those who are off, if the train stopped now, and of what could still come."""
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
    """Add to `out` what there is to say of a seat with one suitcase less and some points more, on a train of which
    `ahead` says this: for each number, so much of its row of weights.

    `aboard` are those who are, as bits, so that a jump can be looked at before it is made.
    """
    plays, plain_plays, first, last, total, stops, ends = train
    plain = tell_of_hands(s, seat, aboard, lost, weights, out)
    tell_of_points(s, seat, aboard, s.points[seat] + gained, plain, last, weights, out)
    x = aboard >> seat & 1
    tell(
        weights, out, 40, x * stops, x * plays / 8, plain * last / 80, x and rolls_next(s, seat, aboard),
        s.speed / 10, s.multiplier / 4, plays / 8, min(plays, 2) / 2,
    )  # fmt: skip
    tell(
        weights, out, 48, plain_plays / 4, first / 4, last / 4, total / 20,
        stops, ends, s.track == BEFORE, (s.seats - 1) / 5,
    )  # fmt: skip


@kernel
def strength(s, seat, aboard, lost, gained, train, mind):
    """How strong a seat is with one suitcase less and some points more: what the net says, to the e."""
    for i in range(HIDDEN):
        s.work[i] = mind.first_bias[i]
    look(s, seat, aboard, lost, gained, train, mind.first, s.work)
    for i in range(HIDDEN):
        s.work[i] = max(s.work[i], np.float32(0))
    mark = np.float32(0)
    for k in range(SECOND):
        # four sums side by side: the machine need not wait for one to add the next
        one, two, three, four = mind.second_bias[k], np.float32(0), np.float32(0), np.float32(0)
        for i in range(0, HIDDEN, 4):
            one += mind.second[k, i] * s.work[i]
            two += mind.second[k, i + 1] * s.work[i + 1]
            three += mind.second[k, i + 2] * s.work[i + 2]
            four += mind.second[k, i + 3] * s.work[i + 3]
        seen = one + two + three + four
        if seen > 0:
            mark += mind.last[k] * seen
    return np.exp(min(max(np.float64(mark), -30.0), 30.0))


@kernel
def chance_of(s, seat, choice):
    """How likely a sealed choice takes effect, if the others choose anything they can."""
    chance = 1.0
    suitcase = suitcase_of(choice)
    for other in range(s.seats):
        if other == seat or not is_aboard(s, other):
            continue
        hand = s.suitcases[other]
        count, against = 0, 0
        for one in range(1, SUITCASES + 1):
            if hand >> one & 1:
                count += 1
                if choice >= FIRST_CONDUCTOR:
                    against += one >= suitcase
                elif choice >= FIRST_PASSENGER:
                    against += one <= suitcase
        if choice == FIRST_LEAVE:
            against = 1
        options = 2 + 2 * count + (1 if has_two(hand) else 0)
        chance *= 1 - against / options
    return chance


@kernel
def whim(s, seat, choice):
    """From 0 to 1, and another for each choice, round and place left of the engineer: as good as chance, but public."""
    mixed = (choice * 31 + (seat - s.engineer) % s.seats) * 31 + s.at
    mixed = mixed * 40503 % 65536
    return (mixed * (mixed // 256 + 1) // 64 % 256) / 255


@kernel
def prospects(s, seat, aboard, train, mind):
    """The strength of a seat, with what it has sealed."""
    stays = strength(s, seat, aboard, 0, 0, train, mind)
    choice = s.choice[seat]
    if s.ask != CHOOSING or choice < FIRST_LEAVE:
        return stays
    off = aboard & ~(1 << seat)
    if choice == FIRST_LEAVE:
        then = strength(s, seat, off, 0, 0, train, mind)
    else:
        gain = worth(choice, s.multiplier)
        then = strength(s, seat, aboard, suitcase_of(choice), gain, train, mind)
        if choice < FIRST_CONDUCTOR:
            then = max(then, strength(s, seat, off, 0, gain, train, mind))
    chance = chance_of(s, seat, choice) * (1 - WHIM * whim(s, seat, choice))
    return chance * then + (1 - chance) * stays


@kernel
def ends_with_next_roll(s):
    """Whether the train is sure to be at the end after the next roll, with no brake before it and no more cards."""
    if s.ask == STOPPING:
        return True
    if s.last_gasp or s.track == BEFORE or s.ask == CHOOSING or s.ask == BRAKING or s.at + s.speed < s.end[s.track]:
        return False
    brakes = 0
    for due in range(s.due, MOST_YELLOW):
        brakes += s.yellow_is[s.track, due] < 0
    return brakes == 0


@kernel
def share_at_the_end(s, seat, aboard, is_stopped):
    """§5.3, §5.4: the part of the win if these are aboard when the train stops, or plunges; if all do, they share."""
    best, count, mine = -1, 0, -1
    for other in range(s.seats):
        points = s.points[other]
        if aboard >> other & 1:
            points = points + plain_value(s, other) if is_stopped else -1
        if points > best:
            best, count = points, 0
        if points == best:
            count += 1
        if other == seat:
            mine = points
    return 1.0 / count if mine == best else 0.0


@kernel
def part_at_the_end(s, seat, aboard):
    """The same, for a train that rolls once more and may stop: exactly what can be expected."""
    stops = 0.0
    if s.ask == STOPPING:
        stops = 7 - least_roll(s, s.track, s.speed)
    else:
        for die in range(1, 7):  # §3.1
            stops += (7 - least_roll(s, s.track, s.speed + (2 if die == 6 else 1 if die > 2 else 0))) / 6
    stopped, plunged = share_at_the_end(s, seat, aboard, True), share_at_the_end(s, seat, aboard, False)
    return stops / 6 * stopped + (1 - stops / 6) * plunged


@kernel
def part(s, seat, aboard, mind):
    """A seat's part of all strength, if these are aboard."""
    if aboard == 0:
        return won(s, seat)  # §5.2
    if ends_with_next_roll(s):
        return part_at_the_end(s, seat, aboard)
    train = ahead(s)
    total, mine = 0.0, 0.0
    for other in range(s.seats):
        found = prospects(s, other, aboard, train, mind)
        total += found
        if other == seat:
            mine = found
    return mine / total


@kernel
def value(s, seat):
    """What the seat may expect of the win; who may jump does if that is better."""
    if s.ask == OVER:
        return won(s, seat)
    mind = LEARNED[0]
    if s.ask == JUMPING:
        jumped = s.aboard & ~(1 << s.jumper)
        if part(s, s.jumper, jumped, mind) > part(s, s.jumper, s.aboard, mind):
            return part(s, seat, jumped, mind)
    return part(s, seat, s.aboard, mind)


@kernel
def parts(s, aboard, train, mind, out):
    """What `part` says of every seat."""
    if aboard == 0 or ends_with_next_roll(s):
        for seat in range(s.seats):
            out[seat] = won(s, seat) if aboard == 0 else part_at_the_end(s, seat, aboard)
        return
    total = 0.0
    for seat in range(s.seats):
        out[seat] = prospects(s, seat, aboard, train, mind)
        total += out[seat]
    for seat in range(s.seats):
        out[seat] /= total


@kernel
def values(s, mind, out):
    """What `value` says of every seat, by any mind; `out` has room for twice as many."""
    if s.ask == OVER:
        for seat in range(s.seats):
            out[seat] = won(s, seat)
        return
    train = ahead(s)
    parts(s, s.aboard, train, mind, out)
    if s.ask == JUMPING:
        jumped = out[MOST_SEATS:]
        parts(s, s.aboard & ~(1 << s.jumper), train, mind, jumped)
        if jumped[s.jumper] > out[s.jumper]:
            for seat in range(s.seats):
                out[seat] = jumped[seat]


@kernel
def gist(s):
    """What differs in worth after the same round of cards: who is aboard, with what; never mind what was shown."""
    key = np.uint64(s.aboard << 8 | s.ask << 4 | s.jumper)
    for seat in range(s.seats):
        key = (key ^ np.uint64(s.suitcases[seat] << 12 | s.points[seat])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return key


@kernel
def won(s, seat):
    """§5.4: 1, or a part of it where it is shared, or 0."""
    best, count = -1, 0
    for other in range(s.seats):
        if s.fate != PLUNGED or not is_aboard(s, other):
            if s.points[other] > best:
                best, count = s.points[other], 0
            if s.points[other] == best:
                count += 1
    if count == 0 or s.points[seat] < best or (s.fate == PLUNGED and is_aboard(s, seat)):
        return 0.0
    return 1.0 / count

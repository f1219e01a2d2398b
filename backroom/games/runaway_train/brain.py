"""What a player of RunAway Train looks at, and what a small net that has learned by playing makes of it."""

from pathlib import Path

import numpy as np

from backroom.engine.kernel import kernel

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
    is_aboard,
)
from .rules.train import least_roll, plain_value

with np.load(Path(__file__).with_name("brain.npz")) as _kept:
    FIRST, BIAS, LAST = (_kept[name] for name in ("first", "bias", "last"))
    """The net's weights: one layer, and how it is summed up. `levels.md` says how it learned."""

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


INPUTS = 28
"""How many numbers the net is told of a seat."""


@kernel
def look(s, seat, aboard, lost, won, rounds, cliff, later):
    """Into `work`: a seat with one suitcase less and some points more, among the others, on this train.

    `aboard` are those who are, as bits, so that a jump can be looked at before it is made.
    """
    x = s.work
    is_there = aboard >> seat & 1
    points, plain, highest = s.points[seat] + won, 0, 0
    for suitcase in range(1, SUITCASES + 1):
        has = is_there and s.suitcases[seat] >> suitcase & 1 and suitcase != lost
        x[suitcase - 1] = 1.0 if has else 0.0
        if has:
            plain += suitcase
            highest = suitcase
    best, best_off, most, others, rivals, theirs, ahead_of_it = 0, -1, 0, 0, 0, 0, 0
    for other in range(s.seats):
        if other == seat:
            continue
        others += 1
        may_have = s.points[other]
        best = max(best, s.points[other])
        if s.points[other] > points:
            ahead_of_it += 1
        if aboard >> other & 1:
            rivals += 1
            left = plain_value(s, other)
            theirs += left
            may_have += left
        else:
            best_off = max(best_off, s.points[other])
        most = max(most, may_have)
    x[7] = is_there
    x[8] = points / 40
    x[9] = (points - best) / 20
    x[10] = (points - best_off) / 20 if best_off >= 0 else 0.0
    x[11] = 1.0 if best_off >= 0 else 0.0
    x[12] = (points + plain - most) / 20
    x[13] = theirs / (28 * max(rivals, 1))
    x[14] = rivals / 5
    x[15] = others / 5
    x[16] = s.speed / 10
    x[17] = s.multiplier / 4
    x[18] = rounds / 8
    x[19] = cliff
    x[20] = later / 4
    x[21] = 1.0 if rounds == 0 else 0.0
    x[22] = 1.0 if s.track == BEFORE else 0.0
    x[23] = plain / 28
    x[24] = highest / 7
    x[25] = 1.0 if is_there and s.engineer == seat else 0.0
    x[26] = ahead_of_it / 5
    x[27] = plain * later / 80


@kernel
def ahead_on(s, track):
    """If the train takes this track and dice fall evenly: how often cards will be played, how likely the cliff is, and
    by how much a suitcase counts at last.
    """
    speed, at, rounds, later = float(s.speed), float(s.at), 0, int(s.multiplier)
    part, due = int(s.track), int(s.due)
    while True:
        speed += 5 / 6
        at += speed
        for _ in range(2):  # before the switch, and behind it
            while due < MOST_YELLOW and 0 < s.yellow_at[part, due] <= at:
                if s.yellow_is[part, due] < 0:
                    speed = max(speed - (1.5 if s.yellow_is[part, due] == HALF_BRAKE else 3.5), 1.0)
                elif at < s.end[part] or s.last_gasp:
                    later = int(s.yellow_is[part, due])
                due += 1
            if part == BEFORE and at >= s.switch:
                part, due = track, 0
        if part != BEFORE and at >= s.end[part]:
            break
        rounds += 1
    stops = 7 - least_roll(s, track, int(speed + 0.5))
    return rounds + s.last_gasp, 1 - stops / 6, later


@kernel
def ahead(s):
    """The same for the track it is on, or for both."""
    if s.ask == STOPPING or (s.track != BEFORE and s.at == s.end[s.track]):
        return 0.0, 1 - (7 - least_roll(s, s.track, s.speed)) / 6, float(s.multiplier)
    if s.track != BEFORE:
        rounds, cliff, later = ahead_on(s, s.track)
        return float(rounds), cliff, float(later)
    rounds, cliff, later = ahead_on(s, SHORT)
    more_rounds, more_cliff, more_later = ahead_on(s, LONG)
    return (rounds + more_rounds) / 2, (cliff + more_cliff) / 2, (later + more_later) / 2


@kernel
def strength(s, seat, aboard, lost, won, rounds, cliff, later):
    """How strong a seat is with one suitcase less and some points more: what the net says, to the e."""
    look(s, seat, aboard, lost, won, rounds, cliff, later)
    mark = np.float32(0)
    for i in range(len(LAST)):
        # four sums side by side: the machine need not wait for one to add the next
        one, two, three, four = BIAS[i], np.float32(0), np.float32(0), np.float32(0)
        for k in range(0, INPUTS, 4):
            one += FIRST[i, k] * s.work[k]
            two += FIRST[i, k + 1] * s.work[k + 1]
            three += FIRST[i, k + 2] * s.work[k + 2]
            four += FIRST[i, k + 3] * s.work[k + 3]
        seen = one + two + three + four
        if seen > 0:
            mark += LAST[i] * seen
    return np.exp(np.float64(mark))


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
def prospects(s, seat, aboard, rounds, cliff, later):
    """The strength of a seat, with what it has sealed."""
    stays = strength(s, seat, aboard, 0, 0, rounds, cliff, later)
    choice = s.choice[seat]
    if s.ask != CHOOSING or choice < FIRST_LEAVE:
        return stays
    off = aboard & ~(1 << seat)
    if choice == FIRST_LEAVE:
        then = strength(s, seat, off, 0, 0, rounds, cliff, later)
    else:
        gain = worth(choice, s.multiplier)
        then = strength(s, seat, aboard, suitcase_of(choice), gain, rounds, cliff, later)
        if choice < FIRST_CONDUCTOR:
            then = max(then, strength(s, seat, off, 0, gain, rounds, cliff, later))
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
def part(s, seat, aboard):
    """A seat's part of all strength, if these are aboard."""
    if aboard == 0:
        return won(s, seat)  # §5.2
    if ends_with_next_roll(s):
        return part_at_the_end(s, seat, aboard)
    rounds, cliff, later = ahead(s)
    total, mine = 0.0, 0.0
    for other in range(s.seats):
        found = prospects(s, other, aboard, rounds, cliff, later)
        total += found
        if other == seat:
            mine = found
    return mine / total


@kernel
def value(s, seat):
    """What the seat may expect of the win; who may jump does if that is better."""
    if s.ask == OVER:
        return won(s, seat)
    if s.ask == JUMPING:
        jumped = s.aboard & ~(1 << s.jumper)
        if part(s, s.jumper, jumped) > part(s, s.jumper, s.aboard):
            return part(s, seat, jumped)
    return part(s, seat, s.aboard)


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

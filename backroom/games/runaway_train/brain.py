"""What a player of RunAway Train looks at, and a first judgement by hand."""

import numpy as np

from backroom.engine.kernel import kernel

from .pieces import BEFORE, CANNOT, FARTHEST, HALF_BRAKE, LONG, MOST_YELLOW, SHORT, SUITCASES
from .rules.cards import has_two, suitcase_of, worth
from .rules.state import (
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
from .rules.train import least_roll

OF_A_SEAT = SUITCASES + 6
FEATURES = MOST_SEATS * OF_A_SEAT + 8 + 3 + 9

# Set by hand; a few values of each were tried against these, one bot alone among the others.
SHARPNESS = 9.0  # how many points ahead make a win e times as likely
EACH_ROUND = 0.6  # how many suitcases a round gets off, of all who are aboard
STRANDED = 0.45  # how likely it is not to get off in one more round
LATER = 0.6  # what a suitcase will count more than now, in multipliers, for each round that is left
MOST_LATER = 2.5
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
def ahead_on(s, track):
    """If the train takes this track and dice fall evenly: how often cards will be played, how likely the cliff is."""
    speed, at, rounds = float(s.speed), float(s.at), 0
    part, due = int(s.track), int(s.due)
    while True:
        speed += 5 / 6
        at += speed
        for _ in range(2):  # before the switch, and behind it
            while due < MOST_YELLOW and 0 < s.yellow_at[part, due] <= at:
                if s.yellow_is[part, due] < 0:
                    speed = max(speed - (1.5 if s.yellow_is[part, due] == HALF_BRAKE else 3.5), 1.0)
                due += 1
            if part == BEFORE and at >= s.switch:
                part, due = track, 0
        if part != BEFORE and at >= s.end[part]:
            break
        rounds += 1
    stops = 7 - least_roll(s, track, int(speed + 0.5))
    return rounds + s.last_gasp, 1 - stops / 6


@kernel
def ahead(s):
    """The same for the track it is on, or for both."""
    if s.ask == STOPPING or (s.track != BEFORE and s.at == s.end[s.track]):
        return 0.0, 1 - (7 - least_roll(s, s.track, s.speed)) / 6
    if s.track != BEFORE:
        rounds, cliff = ahead_on(s, s.track)
        return float(rounds), cliff
    rounds, cliff = ahead_on(s, SHORT)
    more_rounds, more_cliff = ahead_on(s, LONG)
    return (rounds + more_rounds) / 2, (cliff + more_cliff) / 2


@kernel
def prospects(s, seat, aboard, lost, won, rounds, cliff):
    """How strong a seat is with one suitcase less and some points more: like e to the points it may end with."""
    points = float(s.points[seat] + won)
    if not aboard:
        return np.exp(points / SHARPNESS)
    count, total, rivals = 0, 0, 0
    for other in range(s.seats):
        if is_aboard(s, other):
            rivals += 1
    for suitcase in range(1, SUITCASES + 1):
        if s.suitcases[seat] >> suitcase & 1 and suitcase != lost:
            count += 1
            total += suitcase
    if count:
        thrown = min(EACH_ROUND * rounds / rivals, float(count))
        times = s.multiplier + min(LATER * rounds, MOST_LATER) - 0.5
        points += thrown * total / count * times
        points += (1 - cliff) * (count - thrown) * total / count
    lives = 1 - 0.999 * cliff * STRANDED**rounds  # never nothing, so that parts can be taken of it
    return lives * np.exp(points / SHARPNESS)


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
def strength(s, seat, rounds, cliff):
    """The prospects of a seat, what it has sealed or may decide now included."""
    aboard = is_aboard(s, seat)
    stays = prospects(s, seat, aboard, 0, 0, rounds, cliff)
    if s.ask == JUMPING and s.jumper == seat:
        return max(stays, prospects(s, seat, False, 0, 0, rounds, cliff))
    choice = s.choice[seat]
    if s.ask != CHOOSING or choice < FIRST_LEAVE:
        return stays
    chance = chance_of(s, seat, choice) * (1 - WHIM * whim(s, seat, choice))
    if choice == FIRST_LEAVE:
        then = prospects(s, seat, False, 0, 0, rounds, cliff)
    else:
        won = worth(choice, s.multiplier)
        then = prospects(s, seat, True, suitcase_of(choice), won, rounds, cliff)
        if choice < FIRST_CONDUCTOR:
            then = max(then, prospects(s, seat, False, 0, won, rounds, cliff))
    return chance * then + (1 - chance) * stays


@kernel
def value(s, seat):
    """The seat's part of all strength; at the end, of the win."""
    if s.ask == OVER:
        return won(s, seat)
    rounds, cliff = ahead(s)
    total, mine = 0.0, 0.0
    for other in range(s.seats):
        found = strength(s, other, rounds, cliff)
        total += found
        if other == seat:
            mine = found
    return mine / total


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

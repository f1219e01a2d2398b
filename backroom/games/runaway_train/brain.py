"""The features of RunAway Train for learners, its levels, and its evaluation: by the net, and exactly near the end."""

import numpy as np

from backroom.engine.kernel import around, kernel

from .net import LEARNED, ahead, ahead_of, strength
from .pieces import BEFORE, CANNOT, FARTHEST, LONG, MOST_YELLOW, SHORT, SUITCASES
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
from .rules.train import is_at_the_end, least_roll, plain_value

OF_A_SEAT = SUITCASES + 6
FEATURES = MOST_SEATS * OF_A_SEAT + 8 + 3 + 9

LEVELS = {
    "easy": ("rounds", dict(iterations=10, blur=12.0)),
    "medium": ("rounds", dict(iterations=10, blur=3.5)),
    "hard": ("rounds", dict(iterations=150, duels=1)),
}

WHIM = 0.6  # the largest random discount of a choice's chance: players who all think alike would cancel each other


@kernel
def features(s, seat, out):
    """For the seat and those to its left: suitcases, points, aboard, ready, engineer, jumper, present. Then the train's
    features.
    """
    n = 0
    for turn in range(s.seats):
        who = around(seat + turn, s.seats)
        for suitcase in range(1, SUITCASES + 1):
            out[n] = 1.0 if s.suitcases[who] >> suitcase & 1 else 0.0
            n += 1
        out[n] = s.points[who] / 50
        out[n + 1] = 1.0 if is_aboard(s, who) else 0.0
        out[n + 2] = 1.0 if s.choice[who] != 0 else 0.0
        out[n + 3] = 1.0 if s.engineer == who else 0.0
        out[n + 4] = 1.0 if s.ask == JUMPING and s.jumper == who else 0.0
        out[n + 5] = 1.0
        n += 6
    n = MOST_SEATS * OF_A_SEAT
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
def chance_of(s, seat, choice):
    """The probability that a sealed choice takes effect, if the others choose uniformly among all they can."""
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
    """A pseudorandom number from 0 to 1 for each choice, round and place left of the engineer, from public facts."""
    mixed = (choice * 31 + (seat - s.engineer) % s.seats) * 31 + s.at
    mixed = mixed * 40503 % 65536
    return (mixed * (mixed // 256 + 1) // 64 % 256) / 255


@kernel
def prospects(s, seat, aboard, train, weights):
    """The strength of a seat, including its sealed choice."""
    stays = strength(s, seat, aboard, 0, 0, train, weights)
    choice = s.choice[seat]
    if s.ask != CHOOSING or choice < FIRST_LEAVE:
        return stays
    off = aboard & ~(1 << seat)
    if choice == FIRST_LEAVE:
        then = strength(s, seat, off, 0, 0, train, weights)
    else:
        gain = worth(choice, s.multiplier)
        then = strength(s, seat, aboard, suitcase_of(choice), gain, train, weights)
        if choice < FIRST_CONDUCTOR:
            then = max(then, strength(s, seat, off, 0, gain, train, weights))
    chance = chance_of(s, seat, choice) * (1 - WHIM * whim(s, seat, choice))
    return chance * then + (1 - chance) * stays


@kernel
def is_stopping(s):
    """§5.1, §6: whether the next roll decides if the train stops, with no more cards; a seat may only jump."""
    return s.ask == STOPPING or (s.ask == JUMPING and is_at_the_end(s))


@kernel
def may_end(s):
    """Whether the next roll may bring the train to the end, with no brake before it and no more cards."""
    is_between = s.ask == CHOOSING or s.ask == BRAKING or s.ask == SWITCHING
    if s.last_gasp or s.track == BEFORE or is_between or s.at + s.speed + 2 < s.end[s.track]:
        return False
    brakes = 0
    for due in range(s.due, MOST_YELLOW):
        brakes += s.yellow_is[s.track, due] < 0
    return brakes == 0


@kernel
def share_at_the_end(s, seat, aboard, is_stopped):
    """§5.3, §5.4: the seat's share of the win if these are aboard when the train stops or plunges. Who plunges has
    none, also if all do: then nobody wins.
    """
    best, count, mine = -1, 0, -1
    for other in range(s.seats):
        points = s.points[other]
        if aboard >> other & 1:
            if not is_stopped:
                continue
            points += plain_value(s, other)
        if points > best:
            best, count = points, 0
        if points == best:
            count += 1
        if other == seat:
            mine = points
    return 1.0 / count if count and mine == best else 0.0


@kernel
def part_if_at_the_end(s, seat, aboard, speed):
    """The expected share of the win for a train at the end with this speed, over the roll that may stop it."""
    stops = (7 - least_roll(s, s.track, speed)) / 6
    return stops * share_at_the_end(s, seat, aboard, True) + (1 - stops) * share_at_the_end(s, seat, aboard, False)


@kernel
def add_parts(s, aboard, train, chance, weights, out):
    """Add to `out` every seat's share of the total strength if these are aboard, times `chance`. The next MOST_SEATS
    numbers of `out` are scratch space.
    """
    strengths, total = out[MOST_SEATS:], 0.0
    for seat in range(s.seats):
        strengths[seat] = prospects(s, seat, aboard, train, weights)
        total += strengths[seat]
    for seat in range(s.seats):
        out[seat] += chance * strengths[seat] / total


@kernel
def add_parts_at_the_end(s, aboard, speed, chance, out):
    for seat in range(s.seats):
        out[seat] += chance * part_if_at_the_end(s, seat, aboard, speed)


@kernel
def parts(s, aboard, weights, out):
    """The expected share of the win of every seat if these are aboard: exact if the next roll ends the game, else by
    the net.
    """
    for seat in range(s.seats):
        out[seat] = won(s, seat) if aboard == 0 else 0.0  # §5.2
    if aboard == 0:
        return
    if is_stopping(s):
        add_parts_at_the_end(s, aboard, s.speed, 1.0, out)
    elif not may_end(s):
        add_parts(s, aboard, ahead(s), 1.0, weights, out)
    else:
        for gain in range(3):  # §3.1
            chance, speed = (2 if gain == 0 else 3 if gain == 1 else 1) / 6, s.speed + gain
            if s.at + speed >= s.end[s.track]:
                add_parts_at_the_end(s, aboard, speed, chance, out)
            else:
                add_parts(s, aboard, ahead_of(s, speed, s.at + speed, True), chance, weights, out)


@kernel
def part(s, seat, aboard, weights):
    """The result of `parts` for one seat."""
    if aboard == 0:
        return won(s, seat)
    if is_stopping(s):
        return part_if_at_the_end(s, seat, aboard, s.speed)
    if not may_end(s):
        return part_by_net(s, seat, aboard, ahead(s), weights)
    found = 0.0
    for gain in range(3):
        chance, speed = (2 if gain == 0 else 3 if gain == 1 else 1) / 6, s.speed + gain
        if s.at + speed >= s.end[s.track]:
            found += chance * part_if_at_the_end(s, seat, aboard, speed)
        else:
            found += chance * part_by_net(s, seat, aboard, ahead_of(s, speed, s.at + speed, True), weights)
    return found


@kernel
def part_by_net(s, seat, aboard, train, weights):
    """A seat's share of the total strength."""
    total, mine = 0.0, 0.0
    for other in range(s.seats):
        found = prospects(s, other, aboard, train, weights)
        total += found
        if other == seat:
            mine = found
    return mine / total


@kernel
def value(s, seat):
    """The result of `values` for one seat, with the learned weights."""
    if s.ask == OVER:
        return won(s, seat)
    weights = LEARNED[0]
    if s.ask == JUMPING:
        jumped = s.aboard & ~(1 << s.jumper)
        if part(s, s.jumper, jumped, weights) > part(s, s.jumper, s.aboard, weights):
            return part(s, seat, jumped, weights)
    return part(s, seat, s.aboard, weights)


@kernel
def values(s, weights, out):
    """The expected share of the win of every seat, with the given weights; a seat that may jump does if that is better.
    `out` has room for three times as many numbers.
    """
    if s.ask == OVER:
        for seat in range(s.seats):
            out[seat] = won(s, seat)
        return
    parts(s, s.aboard, weights, out)
    if s.ask == JUMPING:
        jumped = out[MOST_SEATS:]
        parts(s, s.aboard & ~(1 << s.jumper), weights, jumped)
        if jumped[s.jumper] > out[s.jumper]:
            for seat in range(s.seats):
                out[seat] = jumped[seat]


@kernel
def sure_with(s, seat, aboard):
    """The result of `sure` if these are aboard."""
    if aboard == 0:
        return won(s, seat)
    if not is_stopping(s) and (not may_end(s) or s.at + s.speed < s.end[s.track]):
        return 0.0
    least = 1.0
    for gain in range(1 if is_stopping(s) else 3):  # §3.1
        roll = least_roll(s, s.track, s.speed + gain)
        if roll < CANNOT:
            least = min(least, share_at_the_end(s, seat, aboard, True))
        if roll > 1:
            least = min(least, share_at_the_end(s, seat, aboard, False))
    return least


@kernel
def sure(s, seat):
    """The least share of the win that the seat still gets, whatever is rolled and whatever others decide, if no more
    cards come before the end; 0 if they may.
    """
    if s.ask == OVER:
        return won(s, seat)
    stays = sure_with(s, seat, s.aboard)
    if s.ask != JUMPING:
        return stays
    jumps = sure_with(s, seat, s.aboard & ~(1 << s.jumper))
    return max(stays, jumps) if s.jumper == seat else min(stays, jumps)


@kernel
def gist(s):
    """A hash of what decides the value after a round of cards: who is aboard and with what, not what was shown."""
    key = np.uint64(s.aboard << 8 | s.ask << 4 | s.jumper)
    for seat in range(s.seats):
        key = (key ^ np.uint64(s.suitcases[seat] << 12 | s.points[seat])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return key


@kernel
def won(s, seat):
    """§5.4: the seat's share of the win: 1, a part of it if it is shared, or 0."""
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

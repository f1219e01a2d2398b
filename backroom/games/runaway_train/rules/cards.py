"""The cards: what may be chosen, the reveal, and what scores (§3.5 to §3.9, §4)."""

from backroom.engine.kernel import around, kernel
from backroom.games.runaway_train.pieces import SUITCASES

from .state import (
    BLUFF,
    CHOICES,
    CHOOSING,
    EMPTY,
    FIRST_CONDUCTOR,
    FIRST_LEAVE,
    FIRST_PASSENGER,
    JUMP,
    JUMPING,
    LEAVE,
    OVER,
    PASS,
    PASSENGER,
    ROLLING,
    STOPPING,
    WITH_CONDUCTOR,
    WITH_PASSENGER,
    is_aboard,
)
from .train import is_at_the_end


@kernel
def has_two(suitcases):
    """Whether a set has at least two elements."""
    return suitcases & (suitcases - 1) != 0


@kernel
def choices(s, seat, out):
    """§3.5: two cards or none. What is sealed already is not a move, but may be replaced."""
    hand, sealed = s.suitcases[seat], s.choice[seat] + PASS - 1
    n = 0
    if sealed != PASS:
        out[n] = PASS
        n += 1
    if sealed != BLUFF and has_two(hand):
        out[n] = BLUFF
        n += 1
    if sealed != LEAVE:
        out[n] = LEAVE
        n += 1
    for first in range(PASSENGER, JUMP, SUITCASES):
        for i in range(SUITCASES):
            if hand >> (i + 1) & 1 and sealed != first + i:
                out[n] = first + i
                n += 1
    return n


@kernel
def can_choose(s, seat, choice):
    """Whether the hand has the cards of a choice, sealed or not."""
    if choice < 1 or choice > CHOICES:
        return False
    if choice + PASS - 1 == BLUFF:
        return has_two(s.suitcases[seat])
    return choice < FIRST_PASSENGER or s.suitcases[seat] >> suitcase_of(choice) & 1 == 1


@kernel
def suitcase_of(choice):
    """The suitcase of a choice that has one with a passenger or a conductor."""
    return choice - FIRST_PASSENGER + 1 if choice < FIRST_CONDUCTOR else choice - FIRST_CONDUCTOR + 1


@kernel
def effective(s):
    """§3.6, §3.7: the revealed choices that take effect, as a set."""
    once, again = 0, 0
    for seat in range(s.seats):
        choice = 1 << s.shown[seat]
        again |= once & choice
        once |= choice
    single = once & ~again
    found = single & 1 << FIRST_LEAVE
    with_passenger, with_conductor = single & WITH_PASSENGER, single & WITH_CONDUCTOR
    found |= with_passenger & -with_passenger
    while has_two(with_conductor):
        with_conductor &= with_conductor - 1
    return found | with_conductor


@kernel
def worth(choice, multiplier):
    """§4.1, §4.2: the points for a suitcase that goes off."""
    suitcase = suitcase_of(choice)
    tip = suitcase - 1 if choice >= FIRST_CONDUCTOR else 0
    return suitcase * multiplier - tip


@kernel
def reveal(s):
    """All cards are shown together, and everything is settled before anybody jumps."""
    for seat in range(s.seats):
        s.shown[seat], s.choice[seat], s.gained[seat] = s.choice[seat], 0, 0
    found = effective(s)
    s.ask = CHOOSING
    for seat in range(s.seats):
        choice = s.shown[seat]
        if not found >> choice & 1:
            continue
        if choice == FIRST_LEAVE:
            s.aboard &= ~(1 << seat)
            continue
        s.suitcases[seat] &= ~(1 << suitcase_of(choice))  # §3.8
        s.gained[seat] = worth(choice, s.multiplier)
        s.points[seat] += s.gained[seat]
        if choice < FIRST_CONDUCTOR:
            s.jumper = seat  # §4.3: the lowest is one seat's alone
            s.ask = JUMPING
    if s.ask != JUMPING:
        end_round(s)


@kernel
def next_aboard(s):
    """§3.9: the next seat to the left of the engineer whose passenger is aboard."""
    seat = s.engineer
    for _ in range(s.seats):
        seat = around(seat + 1, s.seats)
        if is_aboard(s, seat):
            break
    return seat


@kernel
def end_round(s):
    if s.aboard == 0:
        s.ask, s.fate = OVER, EMPTY  # §5.2
    elif is_at_the_end(s):  # §6: the last gasp is over
        if not is_aboard(s, s.engineer):
            s.engineer = next_aboard(s)
        s.ask = STOPPING
    else:
        s.engineer = next_aboard(s)
        s.ask = ROLLING

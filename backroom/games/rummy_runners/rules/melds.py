"""Melding (§3) in small steps, and what it claims (§4)."""

import numpy as np

from backroom.engine.kernel import UNKNOWN, kernel
from backroom.games.rummy_runners.pieces import (
    BY_COLOUR,
    BY_NUMBER,
    BY_SUIT,
    KINDS,
    LAST_KIND,
    NULL,
    OF_SUIT,
    ONES,
    PLANE,
    SPACES_MASK,
)

from .state import clear_picks

# §3: melding


@kernel
def within_reach(s, seat):
    """§3.2: the cards that a seat may meld: its hand, and what lies before others."""
    cards = np.int64(s.hand[seat])
    for other in range(s.seats):
        if other != seat:
            cards |= s.before[other]
    return cards


@kernel
def has_three(cards):
    rest = cards & (cards - 1)
    return rest & (rest - 1) != 0


@kernel
def alike(hand, reach, chosen, first, last):
    """§3.1, §3.2: the set of cards that make three or more of a kind with those chosen, at least one from the hand."""
    found = np.int64(0)
    for k in range(first, last):
        cards = reach & KINDS[k]
        if chosen & ~KINDS[k] == 0 and hand & KINDS[k] and has_three(cards):
            found |= cards
    return found & ~chosen


@kernel
def one_of_each(hand, reach, chosen, first, last):
    """§6, the hard way: the set of cards that make one of each kind with those chosen, at least one from the hand."""
    missing, handy, handed = np.int64(0), np.int64(0), 0
    for k in range(first, last):
        here = chosen & KINDS[k]
        if here == 0:
            if reach & KINDS[k] == 0:
                return np.int64(0)
            missing |= KINDS[k]
            if hand & KINDS[k]:
                handy = KINDS[k]
                handed += 1
        elif here & (here - 1):
            return np.int64(0)
    if chosen & hand or handed > 1:
        return reach & missing
    if handed == 0:
        return np.int64(0)
    return reach & missing & ~(handy & ~hand)  # if the hand has only one kind left, that must come from it


@kernel
def takes(s, seat):
    """The cards that may be picked next: those with which the picked cards can still become a set."""
    hand, chosen = np.int64(s.hand[seat]), np.int64(s.chosen)
    reach = within_reach(s, seat)
    if s.sets:
        return (
            one_of_each(hand, reach, chosen, BY_NUMBER, BY_SUIT)
            | one_of_each(hand, reach, chosen, BY_SUIT, BY_COLOUR)
            | alike(hand, reach, chosen, BY_COLOUR, LAST_KIND)
        )
    return alike(hand, reach, chosen, BY_NUMBER, LAST_KIND)


@kernel
def is_alike(cards, first, last):
    """§3.1: whether all cards are of one kind."""
    k = first
    while k < last and cards & ~KINDS[k]:
        k += 1
    return k < last


@kernel
def has_each(cards, first, last):
    """§6: whether there is a card of each kind."""
    k = first
    while k < last and cards & KINDS[k]:
        k += 1
    return k == last


@kernel
def is_set(s, seat):
    """§3.1, §3.2, §6: whether the picked cards can be laid."""
    chosen = np.int64(s.chosen)
    if s.picked < 3 or chosen & s.hand[seat] == 0:
        return False
    if s.sets == 0:
        return is_alike(chosen, BY_NUMBER, LAST_KIND)
    return (
        is_alike(chosen, BY_COLOUR, LAST_KIND)
        or (s.picked == BY_SUIT - BY_NUMBER and has_each(chosen, BY_NUMBER, BY_SUIT))
        or (s.picked == BY_COLOUR - BY_SUIT and has_each(chosen, BY_SUIT, BY_COLOUR))
    )


@kernel
def take(s, card):
    s.picks[s.picked] = card
    s.picked += 1
    s.chosen |= np.int64(1) << card


@kernel
def step_back(s):
    s.picked -= 1
    s.chosen &= ~(np.int64(1) << s.picks[s.picked])
    s.picks[s.picked] = UNKNOWN


@kernel
def lay(s, seat):
    """§3.3: the picked cards go before the seat, wherever they came from; then §4."""
    for i in range(s.picked):
        if s.hand[seat] >> s.picks[i] & 1:
            s.held[seat] -= 1
    s.hand[seat] &= ~s.chosen
    for other in range(s.seats):
        s.before[other] &= ~s.chosen
    s.before[seat] |= s.chosen
    clear_picks(s)
    claim(s, seat)
    claim_nulls(s, seat)


# §4: claiming


@kernel
def claimed(s):
    """All claimed tiles, as a set."""
    return s.owned[0] | s.owned[1] | s.owned[2] | s.owned[3]


@kernel
def in_two_colours(cards):
    """§4.1: the spaces of which two or three colours lie before the seat, as a set."""
    red, yellow, blue = cards & SPACES_MASK, cards >> PLANE & SPACES_MASK, cards >> 2 * PLANE
    return red & yellow | red & blue | yellow & blue


@kernel
def in_three_colours(cards):
    return cards & cards >> PLANE & cards >> 2 * PLANE & SPACES_MASK


@kernel
def claim(s, seat):
    """§4.1, and §6 (disputes): claim spaces by the cards before a seat."""
    spaces = in_two_colours(s.before[seat])
    if s.disputes:
        spaces &= ~s.locked
        for other in range(s.seats):
            s.owned[other] &= ~spaces
        s.locked |= in_three_colours(s.before[seat])
    else:
        spaces &= ~claimed(s)
    s.owned[seat] |= spaces


@kernel
def claim_nulls(s, seat):
    """§4.2: a majority of a suit claims its null; five claims without a majority kill it."""
    for suit in range(4):
        null = 1 << (NULL + suit)
        taken = claimed(s)
        if (taken | s.dead) & null == 0:
            if ONES[(s.owned[seat] & OF_SUIT[suit]) >> 5 * suit] >= 3:
                s.owned[seat] |= null
            elif taken & OF_SUIT[suit] == OF_SUIT[suit]:
                s.dead |= null

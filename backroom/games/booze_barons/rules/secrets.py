"""Who sees what: views, imagined states, and the check that a state is whole."""

import numpy as np

from backroom.engine.kernel import EVERYONE, NATURE, UNKNOWN, below, bit_count, kernel, lowest
from backroom.games.booze_barons.pieces import (
    ALL_CARDS,
    ANY_BOOZE,
    BIT,
    BOOZES,
    CARDS,
    IN_MOB,
    LOCATIONS,
    MOBS,
    MOST_SEATS,
    SHOWS,
)

from .course import asked
from .state import (
    CASINO_DRAW,
    DEAL,
    DRAW,
    GO,
    MOVE,
    NOBODY,
    NOWHERE,
    OUT,
    OVER,
    TAKE_CARD,
    UNDEALT,
    fitting,
    is_exposed,
    open_places,
    shows,
)

TRIES = 3000
"""The number of random deals tried before all deals that fit are counted."""


@kernel
def seen(s, seat, move):
    if seat == NATURE:
        if s.ask == DEAL:
            return 1 << int(s.turn)
        if s.ask == CASINO_DRAW and not shows(move - DRAW, s.booze[s.turn]):
            return 1 << int(s.turn) | int(s.known[move - DRAW])
        return EVERYONE
    if GO <= move < TAKE_CARD and asked(s) & ~(1 << seat):
        return 1 << seat
    return EVERYONE


@kernel
def knows_booze(s, seat, other):
    """Whether a seat or a spectator has been shown what another player carries."""
    return seat == other or is_exposed(s, other) or s.ask == OVER


@kernel
def knows_card(s, seat, card):
    """§6.2: whether a seat has seen this card of the deck."""
    return seat >= 0 and int(s.known[card]) >> seat & 1 == 1


@kernel
def hide(s, seat):
    s.work[:] = 0
    for other in range(s.seats):
        if s.booze[other] != UNDEALT and not knows_booze(s, seat, other):
            s.booze[other] = UNKNOWN
        if other != seat and s.sealed[other] != NOWHERE:
            s.sealed[other] = UNKNOWN
    for card in range(CARDS):
        if knows_card(s, seat, card):
            s.known[card] = 1 << seat  # who else has seen it is not public
        elif s.layer[card] != OUT:
            s.layer[card] = UNKNOWN
            s.known[card] = 0


# imagining


@kernel
def possible(s, seat, other):
    """The boozes that another can have, given what a seat has seen: cards of his pile do not show his booze."""
    if s.booze[other] != UNDEALT and knows_booze(s, seat, other):
        return 1 << int(s.booze[other])
    found = int(s.could[other])
    if s.piles:
        for card in range(CARDS):
            if s.layer[card] > 0 and s.drawer[s.layer[card]] == other and knows_card(s, seat, card):
                found &= ~SHOWS[card]
    return found


@kernel
def imagine(s, seat, dice):
    s.work[:] = 0
    imagine_boozes(s, seat, dice)
    for other in range(s.seats):
        if s.sealed[other] == UNKNOWN:
            s.sealed[other] = one_of(open_places(s, other), dice)
    imagine_deck(s, seat, dice)


@kernel
def one_of(bits, dice):
    """A random member of a set."""
    for _ in range(below(dice, bit_count(bits))):
        bits &= bits - 1
    return lowest(bits)


@kernel
def imagine_boozes(s, seat, dice):
    """§2.1: every deal that fits is equally likely. `work` has the possible boozes of each seat, as bits."""
    sure, unsure = 0, 0
    for other in range(s.seats):
        s.work[other] = possible(s, seat, other)
        if s.booze[other] >= 0 and s.booze[other] != UNDEALT:
            sure |= int(s.work[other])
        elif s.booze[other] == UNKNOWN:
            unsure += 1
    if unsure == 0:
        return
    for other in range(s.seats):
        if s.booze[other] < 0 or s.booze[other] == UNDEALT:
            s.work[other] &= ANY_BOOZE & ~sure
    dealt = np.int64(0)
    for _ in range(TRIES):
        dealt = random_deal(s, dice)
        if dealt >= 0:
            break
    if dealt < 0:
        dealt = nth_deal(s, below(dice, max(nth_deal(s, -1), 1)))
    for other in range(s.seats):
        if s.booze[other] == UNKNOWN:
            s.booze[other] = dealt >> 4 * other & 15


@kernel
def are_fair(beer, liquor, wine):
    """§2.2: the sizes of mobs differ by one at most."""
    return max(beer, liquor, wine) - min(beer, liquor, wine) <= 1


@kernel
def random_deal(s, dice):
    """Give each seat a random booze that it can have; four bits a seat, or UNKNOWN if that is not a valid deal."""
    used, dealt = 0, np.int64(0)
    most = -(-int(s.seats) // MOBS)
    for seat in range(s.seats):
        booze = one_of(int(s.work[seat]), dice)
        if used >> booze & 1:
            return np.int64(UNKNOWN)
        used |= 1 << booze
        if bit_count(used & 15 << booze // IN_MOB * IN_MOB) > most:
            return np.int64(UNKNOWN)
        dealt |= np.int64(booze) << 4 * seat
    if are_fair(bit_count(used & 15), bit_count(used >> 4 & 15), bit_count(used >> 8)):
        return dealt
    return np.int64(UNKNOWN)


@kernel
def nth_deal(s, which):
    """The deal with this number among all that fit, four bits a seat; for a negative number, how many there are."""
    used, dealt, found, seat = 0, np.int64(0), 0, 0
    most, seats = -(-int(s.seats) // MOBS), int(s.seats)
    booze = 0  # the next to try at this seat
    while True:
        while booze < BOOZES and (
            not int(s.work[seat]) >> booze & 1
            or used >> booze & 1
            or bit_count(used & 15 << booze // IN_MOB * IN_MOB) == most
        ):
            booze += 1
        if booze < BOOZES:
            used |= 1 << booze
            dealt |= np.int64(booze) << 4 * seat
            if seat + 1 < seats:
                seat += 1
                booze = 0
                continue
            if are_fair(bit_count(used & 15), bit_count(used >> 4 & 15), bit_count(used >> 8)):
                if found == which:
                    return dealt
                found += 1
        else:
            seat -= 1
            if seat < 0:
                return np.int64(found)
        booze = int(dealt >> 4 * seat & 15)  # step back from what was tried here
        used &= ~(1 << booze)
        dealt &= ~(np.int64(15) << 4 * seat)
        booze += 1


@kernel
def imagine_deck(s, seat, dice):
    """Distribute the cards that the seat has not seen over the piles and the fresh cards.

    Piles get cards that do not show the drawer's booze, as long as there are any.
    """
    unseen = np.int64(0)
    for card in range(CARDS):
        if s.layer[card] == UNKNOWN:
            unseen |= BIT[card]
        elif s.layer[card] > 0:
            s.known[card] |= 1 << int(s.drawer[s.layer[card]])
    for pile in range(1, s.piles + 1):
        drawer = int(s.drawer[pile])
        missing = int(s.height[pile])
        for card in range(CARDS):
            if s.layer[card] == pile:
                missing -= 1
        for _ in range(missing):
            cards = unseen & ~fitting(s, drawer, unseen)
            card = one_of(cards if cards else unseen, dice)
            unseen &= ~BIT[card]
            s.layer[card] = pile
            s.known[card] = 1 << drawer
    for card in range(CARDS):
        if s.layer[card] == UNKNOWN:
            s.layer[card] = 0


# Whole states


@kernel
def is_whole(s):
    return cards_are_whole(s) and deck_is_whole(s) and boozes_are_whole(s) and seats_are_whole(s)


@kernel
def cards_are_whole(s):
    """Whether every delivery is in one place, and shows the booze of the player it lies before."""
    together = np.int64(0)
    for place in range(LOCATIONS):
        if together & s.lying[place]:
            return False
        together |= s.lying[place]
    before = np.int64(0)
    for seat in range(MOST_SEATS):
        if together & s.held[seat] or (seat >= s.seats and s.held[seat]):
            return False
        if s.held[seat] and fitting(s, seat, s.held[seat]) != s.held[seat]:
            return False
        together |= s.held[seat]
        before |= s.held[seat]
    for card in range(CARDS):
        if (s.layer[card] == OUT) != (together & BIT[card] != 0):
            return False
    return together & ~ALL_CARDS == 0 and s.up & ~before == 0


@kernel
def deck_is_whole(s):
    """Whether layers have as many cards as counted, and every pile has been seen by its drawer."""
    total = 0
    for pile in range(len(s.height)):
        n = 0
        for card in range(CARDS):
            if s.layer[card] == pile:
                n += 1
                if (pile == 0) != (s.known[card] == 0) or (pile and not knows_card(s, s.drawer[pile], card)):
                    return False
        being_drawn = s.ask == CASINO_DRAW and pile == s.piles
        if s.height[pile] != n or (pile > s.piles and n) or (0 < pile <= s.piles and n == 0 and not being_drawn):
            return False
        total += n
    for card in range(CARDS):
        if s.layer[card] < 0 and (s.layer[card] != OUT or s.known[card]):
            return False
    return s.deck == total


@kernel
def boozes_are_whole(s):
    """§2.2: whether no booze occurs twice, mobs have fair sizes, and each seat has one that it could have."""
    used, dealt = 0, 0
    for seat in range(s.seats):
        booze = int(s.booze[seat])
        if booze == UNDEALT:
            continue
        if booze < 0 or used >> booze & 1 or not int(s.could[seat]) >> booze & 1:
            return False
        if is_exposed(s, seat) and s.could[seat] != 1 << booze:
            return False
        used |= 1 << booze
        dealt += 1
    return dealt < s.seats or are_fair(bit_count(used & 15), bit_count(used >> 4 & 15), bit_count(used >> 8))


@kernel
def seats_are_whole(s):
    """Whether the exposed have lost a movement card, and choices of movement are possible ones."""
    for seat in range(s.seats):
        if (s.lost[seat] != NOWHERE) != is_exposed(s, seat) or (s.when[seat] != 0) != is_exposed(s, seat):
            return False
        if s.captor[seat] != NOBODY and (not is_exposed(s, seat) or s.captor[seat] == seat):
            return False
        choice = int(s.sealed[seat])
        if choice != NOWHERE and (s.ask != MOVE or choice < 0 or not open_places(s, seat) >> choice & 1):
            return False
    return True

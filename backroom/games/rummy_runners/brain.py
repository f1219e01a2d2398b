"""What a player of Rummy Runners looks at, and a first judgement by hand."""

import numpy as np

from backroom.engine.kernel import UNKNOWN, kernel, lowest

from .pieces import (
    BY_COLOUR,
    BY_NUMBER,
    CANVAS,
    CARDS,
    DIRECTIONS,
    KINDS,
    LAST_KIND,
    NULL,
    OF_SUIT,
    ONES,
    SIDES,
    TILES,
)
from .rules.land import has_line, largest_group
from .rules.melds import claimed, has_three, in_two_colours, within_reach
from .rules.state import MELDING, OVER, PLACING
from .rules.turns import standing
from .turns import owned_with, spaces_of, winning_meld

FEATURES = 5 * CARDS + TILES * 4 + 2 * TILES + 2 * TILES + 4 + 4 + 4 + 3


@kernel
def features(s, seat, out):
    """One's hand; then of each seat, from one's own on, what lies before it, its spaces, its number of cards, and
    whether it is its turn; locked and dead spaces; where the tiles lie; the deck, and the rules that are played by.
    """
    n = spread(s.hand[seat], CARDS, out, 0)
    for step in range(4):
        who = seat + step if seat + step < s.seats else seat + step - s.seats
        sits = step < s.seats
        n = spread(s.before[who] if sits else 0, CARDS, out, n)
        n = spread(np.int64(s.owned[who]) if sits else 0, TILES, out, n)
        out[n] = s.held[who] / 6.0 if sits else 0.0
        out[n + 1] = 1.0 if sits and s.turn == who else 0.0
        n += 2
    n = spread(np.int64(s.locked), TILES, out, n)
    n = spread(np.int64(s.dead), TILES, out, n)
    for tile in range(TILES):
        lies = s.spot[tile] != UNKNOWN
        out[n] = (s.spot[tile] // CANVAS) / CANVAS if lies else -1.0
        out[n + 1] = (s.spot[tile] % CANVAS) / CANVAS if lies else -1.0
        n += 2
    out[n] = s.deck / CARDS
    out[n + 1], out[n + 2], out[n + 3] = s.disputes, s.sets, s.land
    out[n + 4], out[n + 5], out[n + 6] = s.seats / 4.0, s.stage == PLACING, s.idle / 4.0


@kernel
def spread(bits, many, out, n):
    """A set as so many ones and noughts; a hidden one is all noughts."""
    for i in range(many):
        out[n + i] = 1.0 if bits >= 0 and bits >> i & 1 else 0.0
    return n + many


@kernel
def weight(s, owned, tile):
    """What a space more would be worth: much if it wins, more beside one's own than alone."""
    beside = 0
    for way in range(SIDES[s.land]):
        other = s.near[tile, way]
        if other >= 0 and owned >> other & 1:
            beside += 1
    for way in range(SIDES[s.land], DIRECTIONS):
        other = s.near[tile, way]
        if other >= 0 and owned >> other & 1:
            beside += 1
    if beside == 0:
        return 1.0
    with_it = owned | np.int64(1) << tile
    if has_line(s, with_it) or largest_group(s, with_it) >= 4:
        return 12.0
    return 1.0 + 1.2 * beside


@kernel
def outlook_of(s, seat, owned, cards, hand):
    """How far a seat has come with these spaces, with these cards before it and in its hand."""
    closed = s.dead | owned
    for other in range(s.seats):
        if other != seat:
            closed |= s.owned[other] & s.locked if s.disputes else s.owned[other]
    total = 0.0
    rest = np.int64(owned)
    while rest:
        tile = lowest(rest)
        rest &= rest - 1
        total += 0.5 * weight(s, owned & ~(np.int64(1) << tile), tile) + 1.0
        if s.disputes and s.locked >> tile & 1:
            total += 0.7
    out = spaces_of(cards)
    other_colours = spaces_of(hand & ~cards)
    pairs = in_two_colours(hand)
    rest = (out | other_colours) & ~closed
    while rest:
        tile = lowest(rest)
        rest &= rest - 1
        bit = np.int64(1) << tile
        hopes = (0.40, 0.08) if out & bit else (0.35, 0.10)
        near = hopes[0] if (other_colours if out & bit else pairs) & bit else hopes[1]
        total += near * weight(s, owned, tile)
    for suit in range(4):
        null = NULL + suit
        mine = ONES[(owned & OF_SUIT[suit]) >> 5 * suit]
        if mine and not (closed | claimed(s)) >> null & 1:
            total += (0.25 if mine == 2 else 0.06) * weight(s, owned, null)
    return total


@kernel
def after_meld(s, seat, cards):
    """How far the seat would come by laying these cards; a hundred for a win."""
    owned = owned_with(s, seat, cards)
    if has_line(s, owned) or largest_group(s, owned) >= 4:
        return 100.0
    return outlook_of(s, seat, owned, s.before[seat] | cards, s.hand[seat] & ~cards)


@kernel
def best_meld(s, seat):
    """How far the seat can come by what it has picked, or by all that it could pick with that."""
    chosen, reach = np.int64(s.chosen), within_reach(s, seat)
    best = after_meld(s, seat, chosen)
    for k in range(BY_COLOUR if s.sets else BY_NUMBER, LAST_KIND):
        cards = reach & KINDS[k]
        if chosen & ~KINDS[k] == 0 and has_three(cards) and cards & s.hand[seat]:
            best = max(best, after_meld(s, seat, cards))
    return best


@kernel
def value(s, seat):
    """The seat's part of what all expect: each seat's weight is the exponential of how far it has come. Who can win at
    once will.
    """
    if s.stage == OVER:
        if s.winner != UNKNOWN:
            return 1.0 if s.winner == seat else 0.0
        mine, best, shared = standing(s, seat), 0, 0
        for other in range(s.seats):
            mark = standing(s, other)
            if mark > best or other == 0:
                best, shared = mark, 0
            if mark == best:
                shared += 1
        return 1.0 / shared if mine == best else 0.0
    if s.stage == MELDING and winning_meld(s, s.turn):
        return 1.0 if s.turn == seat else 0.0
    total, own = 0.0, 0.0
    for who in range(s.seats):
        hand = s.hand[who] if s.hand[who] >= 0 else np.int64(0)
        if s.stage == MELDING and s.picked and who == s.turn:
            far = best_meld(s, who)
        else:
            far = outlook_of(s, who, np.int64(s.owned[who]), s.before[who], hand)
        part = np.exp(0.35 * min(far, 60.0))
        total += part
        if who == seat:
            own = part
    return own / total

"""The evaluation of Rummy Runners as it was in November 2026, for frozen opponents."""

import numpy as np

from backroom.engine.kernel import UNKNOWN, kernel, lowest
from backroom.games.rummy_runners.brain import owned_with, spaces_of, winning_meld
from backroom.games.rummy_runners.pieces import (
    BY_COLOUR,
    BY_NUMBER,
    DIRECTIONS,
    KINDS,
    LAST_KIND,
    NULL,
    OF_SUIT,
    ONES,
    SIDES,
)
from backroom.games.rummy_runners.rules.land import has_line, largest_group
from backroom.games.rummy_runners.rules.melds import claimed, has_three, in_two_colours, within_reach
from backroom.games.rummy_runners.rules.state import MELDING, OVER
from backroom.games.rummy_runners.rules.turns import standing


@kernel
def weight(s, owned, tile):
    """The value of one more space: high if it wins, and higher beside one's own spaces than alone."""
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
    """The progress of a seat with these spaces, and these cards before it and in its hand."""
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
    """The progress of the seat after laying these cards; 100 for a win."""
    owned = owned_with(s, seat, cards)
    if has_line(s, owned) or largest_group(s, owned) >= 4:
        return 100.0
    return outlook_of(s, seat, owned, s.before[seat] | cards, s.hand[seat] & ~cards)


@kernel
def best_meld(s, seat):
    """The best progress of the seat after laying the picked cards, or a set of a kind that includes them."""
    chosen, reach = np.int64(s.chosen), within_reach(s, seat)
    best = after_meld(s, seat, chosen)
    for k in range(BY_COLOUR if s.sets else BY_NUMBER, LAST_KIND):
        cards = reach & KINDS[k]
        if chosen & ~KINDS[k] == 0 and has_three(cards) and cards & s.hand[seat]:
            best = max(best, after_meld(s, seat, cards))
    return best


@kernel
def value(s, seat):
    """The expected share of the win: a softmax over the progress of all seats. A seat in turn that can win at once is
    assumed to do so.
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

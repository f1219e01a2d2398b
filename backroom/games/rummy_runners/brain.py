"""Rummy Runners for bots: features, levels, a fitted evaluation, immediate wins, and candidate turns."""

import numpy as np

from backroom.engine.kernel import UNKNOWN, bit_count, kernel, lowest

from .pieces import (
    BY_COLOUR,
    BY_NUMBER,
    BY_SUIT,
    CANVAS,
    CARDS,
    DIRECTIONS,
    KINDS,
    LAST_KIND,
    NULL,
    OF_SUIT,
    ONES,
    PLANE,
    SPACES_MASK,
    TILES,
)
from .rules.land import has_line, largest_group
from .rules.melds import claimed, has_three, in_two_colours, within_reach
from .rules.state import BACK, DRAW, LAY, MELDING, OVER, PASS, PLACING, TAKE
from .rules.turns import standing

FEATURES = 5 * CARDS + TILES * 4 + 2 * TILES + 2 * TILES + 4 + 4 + 4 + 3

LEVELS = {
    "easy": ("turns", dict(worlds=0, blur=14.0)),
    "medium": ("turns", dict(worlds=0, blur=1.1)),
    "hard": ("turns", dict(worlds=64, turns=1, width=10)),
}
MOST_TURNS = 200
COLUMN_AND_ROW = np.array(
    [(-1.0, -1.0), *((column / CANVAS, row / CANVAS) for column in range(CANVAS) for row in range(CANVAS))], np.float32
)
"""How features tell a spot: the first is UNKNOWN. A table, since divisions take long."""
NOTHING = np.int64(0)


@kernel
def features(s, seat, out):
    """The seat's hand, with 2 for cards picked for a meld; then for each seat from this one on, the cards before it,
    its spaces, its number of cards, and whether it is its turn; locked and dead spaces; the positions of tiles; the
    deck, and the variants in use.
    """
    n = spread(s.hand[seat], CARDS, out, 0)
    for i in range(s.picked):
        if s.picks[i] != UNKNOWN:
            out[s.picks[i]] = 2.0
    for step in range(4):
        who = seat + step if seat + step < s.seats else seat + step - s.seats
        sits = step < s.seats
        n = spread(s.before[who] if sits else 0, CARDS, out, n)
        n = spread(np.int64(s.owned[who]) if sits else 0, TILES, out, n)
        if sits:
            out[n] = s.held[who] / 6.0
            out[n + 1] = 1.0 if s.turn == who else 0.0
        n += 2
    n = spread(np.int64(s.locked), TILES, out, n)
    n = spread(np.int64(s.dead), TILES, out, n)
    for tile in range(TILES):
        spot = s.spot[tile] + 1
        out[n], out[n + 1] = COLUMN_AND_ROW[spot, 0], COLUMN_AND_ROW[spot, 1]
        n += 2
    out[n] = s.deck / CARDS
    out[n + 1], out[n + 2], out[n + 3] = s.disputes, s.sets, s.land
    out[n + 4], out[n + 5], out[n + 6] = s.seats / 4.0, s.stage == PLACING, s.idle / 4.0


@kernel
def spread(bits, many, out, n):
    """Write a one for each member of a set, with places for `many`; a hidden set has no known members."""
    left = bits if bits > 0 else 0
    while left:
        out[n + lowest(left)] = 1.0
        left &= left - 1
    return n + many


# Immediate wins, found exactly


@kernel
def spaces_of(cards):
    """The set of spaces of which there is any card."""
    return (cards | cards >> PLANE | cards >> 2 * PLANE) & SPACES_MASK


@kernel
def owned_with(s, seat, cards):
    """§4: the spaces that the seat will own if it melds these cards."""
    closed = s.locked if s.disputes else claimed(s)
    owned = np.int64(s.owned[seat]) | in_two_colours(s.before[seat] | cards) & ~np.int64(closed)
    for suit in range(4):
        free = not (claimed(s) | s.dead) >> (NULL + suit) & 1
        if free and ONES[(owned & OF_SUIT[suit]) >> 5 * suit] >= 3:
            owned |= np.int64(1) << (NULL + suit)
    return owned


@kernel
def wins_with(s, seat, cards):
    """§5: whether melding these cards, and perhaps more, would win."""
    owned = owned_with(s, seat, cards)
    return has_line(s, owned) or largest_group(s, owned) >= 4


@kernel
def winning_meld(s, seat):
    """A set that includes the picked cards and wins at once; empty if there is none.

    More cards never claim less, so all cards of a kind are tried together. If a set is one card of each kind (§6, the
    hard way), no two of its cards are of the same space: each claims its own, or nothing.
    """
    hand, chosen, reach = np.int64(s.hand[seat]), np.int64(s.chosen), within_reach(s, seat)
    if hand < 0 or not wins_with(s, seat, reach):
        return NOTHING
    for k in range(BY_COLOUR if s.sets else BY_NUMBER, LAST_KIND):
        cards = reach & KINDS[k]
        if cards & hand and has_three(cards) and chosen & ~cards == 0 and wins_with(s, seat, cards):
            return cards
    if s.sets:
        found = winning_one_of_each(s, seat, hand, reach, chosen, BY_NUMBER, BY_SUIT)
        if found:
            return found
        return winning_one_of_each(s, seat, hand, reach, chosen, BY_SUIT, BY_COLOUR)
    return NOTHING


@kernel
def useful_of(s, seat, hand, cards):
    """A set with one of the cards for each space that they would claim, preferably from the hand."""
    mine, found = s.before[seat], NOTHING
    claims = spaces_of(cards) & spaces_of(mine) & ~np.int64(s.locked if s.disputes else claimed(s))
    while claims:
        space = np.int64(1) << lowest(claims)
        claims &= claims - 1
        all_colours = space | space << PLANE | space << 2 * PLANE
        here = cards & all_colours
        if here & hand:
            here &= hand
        found |= here & -here
    return found


@kernel
def any_of(hand, cards):
    """One of the cards, from the hand if possible."""
    here = cards & hand if cards & hand else cards
    return here & -here


@kernel
def nth_of(cards, n):
    """A set of the nth card of a set, counted from 0."""
    for _ in range(n):
        cards &= cards - 1
    return cards & -cards


@kernel
def winning_one_of_each(s, seat, hand, reach, chosen, first, last):
    """§6: one card of each kind that wins at once, with at least one from the hand; every choice of claims is tried."""
    ways, union = 1, NOTHING
    for k in range(first, last):
        here = chosen & KINDS[k]
        if reach & KINDS[k] == 0 or here & (here - 1):
            return NOTHING
        useful = useful_of(s, seat, hand, here if here else reach & KINDS[k])
        ways *= 1 + bit_count(useful)
        union |= useful
    if not wins_with(s, seat, union | chosen):
        return NOTHING
    for way in range(ways):
        rest, cards, is_handed = way, NOTHING, False
        for k in range(first, last):
            here = chosen & KINDS[k]
            open_cards = here if here else reach & KINDS[k]
            useful = useful_of(s, seat, hand, open_cards)
            many = 1 + bit_count(useful)
            nth, rest = rest % many, rest // many
            one = nth_of(useful, nth - 1) if nth else any_of(hand, open_cards)
            is_handed |= one & hand != 0
            cards |= one
        if is_handed and wins_with(s, seat, cards):
            return cards
    return NOTHING


# The evaluation

OWNED, NEAR, FAR, NEAR_IN_HAND, FAR_IN_HAND, TWO_OF_SUIT, ONE_OF_SUIT = range(7)
"""Kinds of spaces of a seat: claimed; with a colour before it, and another one in its hand or not; with two colours in
its hand, or one; and a null of whose suit it has two spaces, or one.
"""
WORTHS = np.array([
    [
        [0.08, 0.04, 2.45], [0.36, 0.14, 2.19], [-0.07, 0.07, 0.11], [0.17, 0.40, 2.96],
        [0.10, 0.10, 0.58], [0.20, 0.04, 0.56], [0.13, 0.03, 0.26],
    ],
    [
        [0.08, 0.11, 2.45], [0.31, 0.08, 2.02], [-0.08, -0.09, 0.09], [0.22, 0.57, 3.19],
        [0.12, 0.12, 0.63], [0.35, 0.06, 0.43], [0.11, 0.02, 0.07],
    ],
    [
        [0.57, 0.17, 2.45], [0.61, 0.27, 1.75], [-0.03, 0.00, 0.11], [0.90, 0.46, 3.27],
        [0.43, 0.13, 0.66], [0.15, -0.01, 0.30], [0.05, -0.02, 0.24],
    ],
])  # fmt: skip
"""What a space of each kind adds to the log-odds of a seat, for two, three and four seats: alone, for each space of the
seat beside it, and if it wins.
"""
HELD = np.array([0.11, 0.07, -0.08])
TO_MOVE = np.array([0.09, 0.12, 0.14])
"""What each card in the hand adds, and being the next to move."""
LOCKED = 0.25
"""What a locked space adds (§6, disputes)."""
WON = 100.0
"""The progress of a seat that has won."""


@kernel
def count_beside(s, owned, tile):
    """The number of spaces of a set beside a tile; -1 if they win together with it."""
    beside = 0
    for way in range(DIRECTIONS):
        other = s.near[tile, way]
        if other >= 0 and owned >> other & 1:
            beside += 1
    if beside:
        with_it = owned | np.int64(1) << tile
        if has_line(s, with_it) or largest_group(s, with_it) >= 4:
            return -1
    return beside


@kernel
def worth(s, owned, tile, kind):
    """What a space of this kind adds to the log-odds of the seat that owns a set of spaces."""
    beside, worths = count_beside(s, owned, tile), WORTHS[s.seats - 2, kind]
    return worths[2] if beside < 0 else worths[0] + worths[1] * beside


@kernel
def outlook_of(s, seat, owned, cards, hand):
    """The progress of a seat with these spaces, and these cards before it and in its hand, in log-odds."""
    closed = s.dead | owned
    for other in range(s.seats):
        if other != seat:
            closed |= s.owned[other] & s.locked if s.disputes else s.owned[other]
    total = HELD[s.seats - 2] * bit_count(hand)
    rest = np.int64(owned)
    while rest:
        tile = lowest(rest)
        rest &= rest - 1
        total += worth(s, owned & ~(np.int64(1) << tile), tile, OWNED)
        if s.disputes and s.locked >> tile & 1:
            total += LOCKED
    out = spaces_of(cards)
    other_colours = spaces_of(hand & ~cards)
    pairs = in_two_colours(hand)
    rest = (out | other_colours) & ~closed
    while rest:
        tile = lowest(rest)
        rest &= rest - 1
        bit = np.int64(1) << tile
        if out & bit:
            total += worth(s, owned, tile, NEAR if other_colours & bit else FAR)
        else:
            total += worth(s, owned, tile, NEAR_IN_HAND if pairs & bit else FAR_IN_HAND)
    for suit in range(4):
        null = NULL + suit
        mine = ONES[(owned & OF_SUIT[suit]) >> 5 * suit]
        if mine and not (closed | claimed(s)) >> null & 1:
            total += worth(s, owned, null, TWO_OF_SUIT if mine == 2 else ONE_OF_SUIT)
    return total


@kernel
def after_meld(s, seat, cards):
    """The progress of the seat after laying these cards; WON for a win."""
    owned = owned_with(s, seat, cards)
    if has_line(s, owned) or largest_group(s, owned) >= 4:
        return WON
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
def only_passes_are_left(s):
    """§2.2: whether nobody with a card will move before the game ends."""
    if s.stage != MELDING or s.deck or s.picked:
        return False
    who, idle = int(s.turn), int(s.idle)
    while idle < s.seats and s.held[who] == 0:
        who, idle = who + 1 if who + 1 < s.seats else 0, idle + 1
    return idle == s.seats


@kernel
def value(s, seat):
    """The expected share of the win: a softmax over the progress of all seats, and exact where only passes are left. A
    seat in turn that can win at once is assumed to do so.
    """
    if s.stage == OVER or only_passes_are_left(s):
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
        part = np.exp(min(far, 20.0) + (TO_MOVE[s.seats - 2] if who == s.turn else 0.0))
        total += part
        if who == seat:
            own = part
    return own / total


# Candidate turns, as lists of steps


@kernel
def write_meld(s, cards, out, n):
    """Write the steps from the picked cards to this set as row n; returns the new number of rows."""
    if n >= MOST_TURNS:
        return n
    steps, rest = 0, cards & ~np.int64(s.chosen)
    for card in range(CARDS):
        if rest >> card & 1:
            steps += 1
            out[n, steps] = TAKE + card
    out[n, steps + 1] = LAY
    out[n, 0] = steps + 1
    return n + 1


@kernel
def candidate_turns(s, seat, out):
    """List the candidate turns, one per row: the number of steps, then the steps. An immediate win is the only one.

    If the picked cards lead to none of them, the only candidate is the step back.
    """
    return write_turns(s, seat, out, True)


@kernel
def replies(s, seat, out):
    """List fewer candidate turns, for the replies of other seats."""
    return write_turns(s, seat, out, False)


@kernel
def write_turns(s, seat, out, with_parts):
    if s.stage != MELDING:
        return 0
    win = winning_meld(s, seat)
    if win:
        return write_meld(s, win, out, 0)
    n = 0
    if s.picked == 0:
        out[0, 0], out[0, 1] = 1, DRAW if s.deck else PASS
        n = 1
    hand, chosen, reach = np.int64(s.hand[seat]), np.int64(s.chosen), within_reach(s, seat)
    for k in range(BY_COLOUR if s.sets else BY_NUMBER, LAST_KIND):
        n = list_alike(s, hand, chosen, reach & KINDS[k], out, n, with_parts)
    if s.sets:
        n = list_one_of_each(s, seat, hand, chosen, reach, BY_NUMBER, BY_SUIT, out, n, with_parts)
        n = list_one_of_each(s, seat, hand, chosen, reach, BY_SUIT, BY_COLOUR, out, n, with_parts)
    if n == 0:
        out[0, 0], out[0, 1] = 1, BACK
        n = 1
    return n


@kernel
def list_alike(s, hand, chosen, cards, out, n, with_parts):
    """Add melds of cards of one kind: all; all from the hand; and `with_parts` also all but one, and all of the others'
    cards with one or two from the hand.
    """
    if not cards & hand or not has_three(cards) or chosen & ~cards:
        return n
    n = write_meld(s, cards, out, n)
    own = cards & hand
    if own != cards and has_three(own) and chosen & ~own == 0:
        n = write_meld(s, own, out, n)
    rest = cards if with_parts else NOTHING
    while rest:
        card = rest & -rest
        rest &= rest - 1
        but_one = cards & ~card
        if has_three(but_one) and but_one & hand and chosen & card == 0:
            n = write_meld(s, but_one, out, n)
        with_one = cards & ~hand | card
        if not has_three(with_one):
            with_one |= own & ~card & -(own & ~card)
        if card & hand and own & (own - 1) and has_three(with_one) and chosen & ~with_one == 0 and with_one != but_one:
            n = write_meld(s, with_one, out, n)
    return n


@kernel
def list_one_of_each(s, seat, hand, chosen, reach, first, last, out, n, with_parts):
    """§6: for each card of the hand, add a set with it, of cards that claim a space if possible, else of cards of
    others; and `with_parts`, for each card of others, a set that takes it away with as many from the hand as possible.
    """
    for k in range(first, last):
        here = chosen & KINDS[k]
        if reach & KINDS[k] == 0 or here & (here - 1):
            return n
    rest = reach if with_parts else hand
    while rest:
        card = rest & -rest
        rest &= rest - 1
        cards = chosen | card
        for k in range(first, last):
            if cards & KINDS[k] == 0:
                useful = useful_of(s, seat, hand, reach & KINDS[k]) if card & hand else NOTHING
                others = reach & KINDS[k] & ~hand if card & hand else NOTHING
                best = useful if useful else (others if others else any_of(hand, reach & KINDS[k]))
                cards |= best & -best
        if cards & hand and bit_count(cards) == last - first:
            n = write_meld(s, cards, out, n)
    return n

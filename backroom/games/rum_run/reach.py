"""What a road can reach with further tokens: taps, barrels cut off, and barrels and tokens of others.

A board is a bitboard of nodes, six words of three rows each, so that a few shifts extend all ends of a road at once.
For the next token, matching numbers and the breaking of tokens are exact (§4.1, §4.5), except for a double that lacks
its second (§4.3). After it any token is assumed to fit; a bend needs a double, and counts as one more token.
"""

import numpy as np

from backroom.engine.kernel import kernel, lowest

from .hauls import nearer_place
from .pieces import ANY, DOUBLES, FITS, MOST_STILLS, MOST_TAPS, NODES, OFF, SIDE, STRAIGHTS, STRENGTH, STRONGER
from .rules.caravans import PLACES, place_in
from .rules.choices import is_face_down
from .rules.links import arm, depth_of, flood, is_end, is_mine, is_paved_open, token_at
from .rules.state import MUD, QUEUE, STILL_AT, TOWN_AT, barrels_at, next_node, seat_of

FARTHEST = 10
"""The number of tokens to look ahead."""
FADE = 0.8 ** np.arange(FARTHEST + 1)
"""Discount by the number of tokens that are missing before the one that reaches the target."""
UNSEEN = 2.5
"""The assumed first supply of a face-down still: about the mean of the twelve."""

# Boards

WORD = 3 * SIDE
WHOLE, ROW = (1 << WORD) - 1, (1 << SIDE) - 1
FIRST_COLUMN, LAST_COLUMN = 1 | 1 << SIDE | 1 << 2 * SIDE, (1 | 1 << SIDE | 1 << 2 * SIDE) << SIDE - 1
NOWHERE = (0, 0, 0, 0, 0, 0)


@kernel
def has(board, node):  # type: ignore[no-untyped-def]
    """Whether a node is on a board."""
    return board[node // WORD] >> node % WORD & 1 == 1


@kernel
def with_node(board, node):  # type: ignore[no-untyped-def]
    """A board with one more node."""
    word, bit = node // WORD, 1 << node % WORD
    return (
        board[0] | (bit if word == 0 else 0),
        board[1] | (bit if word == 1 else 0),
        board[2] | (bit if word == 2 else 0),
        board[3] | (bit if word == 3 else 0),
        board[4] | (bit if word == 4 else 0),
        board[5] | (bit if word == 5 else 0),
    )


@kernel
def both(a, b):  # type: ignore[no-untyped-def]
    """The nodes of either board."""
    return (a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3], a[4] | b[4], a[5] | b[5])


@kernel
def common(a, b):  # type: ignore[no-untyped-def]
    """The nodes that two boards share."""
    return (a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3], a[4] & b[4], a[5] & b[5])


@kernel
def without(a, b):  # type: ignore[no-untyped-def]
    """The nodes of one board that are not on another."""
    return (a[0] & ~b[0], a[1] & ~b[1], a[2] & ~b[2], a[3] & ~b[3], a[4] & ~b[4], a[5] & ~b[5])


@kernel
def is_any(a):  # type: ignore[no-untyped-def]
    """Whether a board has any node."""
    return a[0] | a[1] | a[2] | a[3] | a[4] | a[5] != 0


@kernel
def sideways(word):  # type: ignore[no-untyped-def]
    """One word of `along_rows`."""
    return (word << 1 & WHOLE & ~FIRST_COLUMN) | (word >> 1 & ~LAST_COLUMN)


@kernel
def along_rows(a):  # type: ignore[no-untyped-def]
    """The nodes east and west of those of a board."""
    return (sideways(a[0]), sideways(a[1]), sideways(a[2]), sideways(a[3]), sideways(a[4]), sideways(a[5]))


@kernel
def up_and_down(above, word, below):  # type: ignore[no-untyped-def]
    """One word of `along_columns`."""
    return (word << SIDE & WHOLE) | above >> 2 * SIDE | word >> SIDE | (below & ROW) << 2 * SIDE


@kernel
def along_columns(a):  # type: ignore[no-untyped-def]
    """The nodes north and south of those of a board."""
    return (
        up_and_down(0, a[0], a[1]),
        up_and_down(a[0], a[1], a[2]),
        up_and_down(a[1], a[2], a[3]),
        up_and_down(a[2], a[3], a[4]),
        up_and_down(a[3], a[4], a[5]),
        up_and_down(a[4], a[5], 0),
    )


@kernel
def free_in(s, first):  # type: ignore[no-untyped-def]
    """One word of `ground_of`."""
    found = 0
    for i in range(min(WORD, NODES - first)):
        found |= (1 if s.ground[first + i] <= MUD else 0) << i
    return found


@kernel
def ground_of(s):  # type: ignore[no-untyped-def]
    """The nodes on which tokens may lie."""
    return (
        free_in(s, 0),
        free_in(s, WORD),
        free_in(s, 2 * WORD),
        free_in(s, 3 * WORD),
        free_in(s, 4 * WORD),
        free_in(s, 5 * WORD),
    )


# Where a road can continue


@kernel
def fitting(s, colour, node, number):  # type: ignore[no-untyped-def]
    """§4.5: the set of tokens of the inventory that show a number and may be placed on a node.

    Empty for nodes of the seat's own joined road.
    """
    if node == OFF or s.ground[node] > MUD:
        return 0
    fit = int(s.hand[colour]) & int(FITS[number])
    owner = int(s.owner[node]) - 1
    if owner < 0:
        return fit
    if seat_of(s, owner) == seat_of(s, colour):
        return fit if s.dist[node] == 0 and s.ground[node] != MUD else 0
    return fit & int(STRONGER[STRENGTH[token_at(s, node)]]) if s.safe[seat_of(s, owner)] == 0 else 0


@kernel
def entered(s, colour, node, side, number, rows, columns, corners):  # type: ignore[no-untyped-def]
    """The boards of `frontier`, extended by what can be placed on a node that is entered from a side."""
    fit = fitting(s, colour, node, number)
    if fit & DOUBLES:
        corners = with_node(corners, node)
    if fit & STRAIGHTS:
        if side & 1:
            rows = with_node(rows, node)
        else:
            columns = with_node(columns, node)
    return rows, columns, corners


@kernel
def frontier(s, colour):  # type: ignore[no-untyped-def]
    """The nodes where a colour can place a token next, as three boards.

    They are for a straight token along a row, for one along a column, and for a double.
    """
    rows, columns, corners = NOWHERE, NOWHERE, NOWHERE
    has_paved = s.paved >= 0 and is_paved_open(s, colour)
    for side in range(4):
        rows, columns, corners = entered(s, colour, next_node(s.town, side), side, ANY, rows, columns, corners)
        if has_paved and is_end(s, side):
            rows, columns, corners = entered(s, colour, next_node(s.paved, side), side, ANY, rows, columns, corners)
    lying = int(s.tokens) & ~int(s.hand[colour])
    while lying:
        node = int(s.where[colour, lowest(lying)])
        lying &= lying - 1
        for side in range(4 if s.dist[node] else 0):
            number = arm(s, node, side)
            if number:
                rows, columns, corners = entered(s, colour, next_node(node, side), side, number, rows, columns, corners)
    return rows, columns, corners


@kernel
def open_to(s, colour, ground):  # type: ignore[no-untyped-def]
    """The nodes over which a colour's road can continue after its next token.

    These are neither its own joined tokens, nor tokens too strong for its inventory.
    """
    hand, strongest = int(s.hand[colour]), 0
    while hand:
        strongest = max(strongest, int(STRENGTH[lowest(hand)]))
        hand &= hand - 1
    shut = NOWHERE
    for other in range(s.colours):
        is_own = seat_of(s, other) == seat_of(s, colour)
        lying = int(s.tokens) & ~int(s.hand[other])
        while lying:
            token = lowest(lying)
            lying &= lying - 1
            node = int(s.where[other, token])
            if (is_own and s.dist[node] != 0) or (not is_own and STRENGTH[token] >= strongest):
                shut = with_node(shut, node)
    return without(ground, shut)


# What is worth having


@kernel
def cut_off(s, colour):  # type: ignore[no-untyped-def]
    """The number of a colour's barrels on pieces that are cut off, and the nodes of these pieces."""
    barrels, pieces = 0, NOWHERE
    lying = int(s.tokens) & ~int(s.hand[colour])
    while lying:
        node = int(s.where[colour, lowest(lying)])
        lying &= lying - 1
        if s.dist[node] == 0 and s.barrels[node]:
            barrels += int(s.barrels[node])
            found, _, _ = flood(s, colour, node, OFF, False)
            for at in range(found):
                if s.work[QUEUE + at] < STILL_AT:
                    pieces = with_node(pieces, int(s.work[QUEUE + at]))
    return barrels, pieces


@kernel
def around_unseen(s):  # type: ignore[no-untyped-def]
    """§5.3: the nodes where a token turns up a face-down still."""
    found = NOWHERE
    for still in range(MOST_STILLS):
        if is_face_down(s, still):
            for row in range(2):
                for column in range(2):
                    found = with_node(found, int(s.corner[still]) + row * SIDE + column)
    return both(along_rows(found), along_columns(found))


@kernel
def most_loot(s, colour, board):  # type: ignore[no-untyped-def]
    """The most barrels that opponents have on one of a board's nodes."""
    most = 0
    for other in range(s.colours):
        if seat_of(s, other) != seat_of(s, colour):
            lying = int(s.tokens) & ~int(s.hand[other])
            while lying:
                node = int(s.where[other, lowest(lying)])
                lying &= lying - 1
                if s.barrels[node] > most and has(board, node):
                    most = int(s.barrels[node])
    return most


@kernel
def best_supply(s, colour, rows, columns):  # type: ignore[no-untyped-def]
    """The largest supply of a tap that faces a node of `rows` along its row, or of `columns` along its column."""
    best = 0
    for still in range(MOST_STILLS):
        for tap in range(s.tap_count[still] if s.supplies[still] else 0):
            is_tapped = int(s.tapped[colour]) >> (still * MOST_TAPS + tap) & 1
            if not is_tapped and has(rows if s.faces[still, tap] & 1 else columns, int(s.taps[still, tap])):
                best = max(best, int(s.supply[still, 0]))
    return best


@kernel
def within_reach(s, colour, ground):  # type: ignore[no-untyped-def]
    """The supply of the best tap, the barrels cut off that can be joined again, and the most that can be taken.

    The first two are discounted by the tokens and bends that are missing; the third counts the barrels that the next
    token can take from an opponent.
    """
    tap, joined = 0.0, 0.0
    stranded, pieces = cut_off(s, colour)
    free, unseen = open_to(s, colour, ground), around_unseen(s)
    rows, columns, corners = frontier(s, colour)
    if s.node >= 0 and s.turn == colour:  # a node is chosen, but not yet its token
        only = with_node(NOWHERE, int(s.node))
        rows, columns, corners = common(rows, only), common(columns, only), common(corners, only)
    loot = most_loot(s, colour, both(both(rows, columns), corners))
    has_doubles = int(s.hand[colour]) & DOUBLES != 0
    rows, columns = both(rows, corners), both(columns, corners)
    met_rows, met_columns = NOWHERE, NOWHERE
    for missing in range(FARTHEST):
        rows, columns = without(rows, met_rows), without(columns, met_columns)
        met_rows, met_columns = both(met_rows, rows), both(met_columns, columns)
        front = both(rows, columns)
        tap = max(tap, best_supply(s, colour, rows, columns) * FADE[missing])
        if is_any(common(front, unseen)):
            tap = max(tap, UNSEEN * FADE[missing + 1])
        if stranded and is_any(common(front, pieces)):
            joined, stranded = stranded * FADE[missing], 0
        bent = front if missing and has_doubles else NOWHERE
        rows, columns = both(bent, common(along_rows(rows), free)), both(bent, common(along_columns(columns), free))
    return tap, joined, loot


# What is in danger


@kernel
def front_of(s, colour):  # type: ignore[no-untyped-def]
    """The nodes on which a colour can place a token next; none if nobody plays it."""
    if colour >= s.colours:
        return NOWHERE
    rows, columns, corners = frontier(s, colour)
    return both(both(rows, columns), corners)


@kernel
def fronts_of(s):  # type: ignore[no-untyped-def]
    """`front_of` for all four colours, to be used several times for one position."""
    return front_of(s, 0), front_of(s, 1), front_of(s, 2), front_of(s, 3)


@kernel
def threats_by(s, seat, fronts):  # type: ignore[no-untyped-def]
    """The nodes on which an opponent can place a token next, from the `fronts_of` the position."""
    found = NOWHERE
    for colour in range(s.colours):
        if seat_of(s, colour) != seat:
            found = both(found, fronts[colour])
    return found


@kernel
def threats_to(s, seat):  # type: ignore[no-untyped-def]
    """The nodes on which an opponent can place a token next."""
    return threats_by(s, seat, fronts_of(s))


@kernel
def in_danger(s, colour, threats):  # type: ignore[no-untyped-def]
    """The number of barrels on a colour's joined road that an opponent can take next, and that it can cut off."""
    taken, behind = 0, 0
    for which in range(PLACES):
        place = place_in(s, colour, which)
        held = barrels_at(s, colour, place) if place >= 0 else 0
        if held == 0 or depth_of(s, colour, place) == 0:
            continue
        if place < STILL_AT and has(threats, place):
            taken += held
            continue
        while place != TOWN_AT:
            place = nearer_place(s, colour, place)
            if place < STILL_AT and has(threats, place):
                behind += held
                break
    return taken, behind


@kernel
def is_home_safe(s, colour, threats):  # type: ignore[no-untyped-def]
    """Whether a road of the colour begins at the Town Center with a token that no opponent can break next."""
    for side in range(4):
        node = next_node(s.town, side)
        if is_mine(s, colour, node) and arm(s, node, side ^ 2) and not has(threats, node):
            return True
    return False

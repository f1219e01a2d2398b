"""§4.1 Links and distances, kept up to date; and who holds the paved road (§9.2)."""

import numpy as np

from backroom.engine.kernel import around, kernel, lowest
from backroom.games.rum_run.pieces import (
    ANY,
    ARMS,
    FACE_TOKEN,
    MOST_TAPS,
    OFF,
    TOKENS,
)

from .state import (
    DEPTHS,
    NOBODY,
    PAVED,
    QUEUE,
    STILL_AT,
    TOWN,
    TOWN_AT,
    next_node,
    seat_of,
    still_of,
)

# Links (§4.1)


@kernel
def is_mine(s, colour, node):
    """Whether a colour's token lies on a node."""
    return s.owner[node] == colour + 1


@kernel
def token_at(s, node):
    """Which token lies on a node."""
    return int(FACE_TOKEN[s.face[node]])


@kernel
def arm(s, node, direction):
    """The number that a token shows in a direction; 0: no arm."""
    return int(ARMS[s.face[node], direction])


@kernel
def tap_at(s, node, direction):
    """§1.5: the tap that a node is of the still beside it, as still * 4 + tap; -1: none."""
    still = still_of(s, next_node(node, direction))
    if still >= 0:
        for tap in range(s.tap_count[still]):
            if s.taps[still, tap] == node:
                return still * MOST_TAPS + tap
    return -1


@kernel
def has_tap(s, colour, still, tap):
    """§6.7: holding a tap needs an arm toward it."""
    node = int(s.taps[still, tap])
    return is_mine(s, colour, node) and arm(s, node, s.faces[still, tap]) > 0


@kernel
def taps_held(s, colour, still):
    """How many taps of a still a colour holds."""
    held = 0
    for tap in range(s.tap_count[still]):
        if has_tap(s, colour, still, tap):
            held += 1
    return held


@kernel
def is_end(s, direction):
    """§9.2: whether the paved road has an end there."""
    return int(s.ends) >> int(direction) & 1 == 1


@kernel
def link(s, colour, place, side, paved):
    """What a place of a colour's road is linked to on a side; -1: nothing. `paved`: the paved road is the colour's.

    The sides of a still are its taps.
    """
    if place >= STILL_AT and place != TOWN_AT:
        still = place - STILL_AT
        return int(s.taps[still, side]) if side < s.tap_count[still] and has_tap(s, colour, still, side) else -1
    number = ANY
    at = int(s.town) if place == TOWN_AT else int(place)
    if place != TOWN_AT:
        if s.ground[at] == PAVED:
            if not is_end(s, side):
                return -1
        else:
            number = arm(s, at, side)
            if number == 0:
                return -1
    beside = next_node(at, side)
    if is_mine(s, colour, beside):
        shown = arm(s, beside, side ^ 2)
        return beside if shown == number or (number == ANY and shown > 0) else -1
    ground = s.ground[beside]
    if ground == TOWN:
        return TOWN_AT
    if ground == PAVED:
        return beside if paved and is_end(s, side ^ 2) else -1
    if number < ANY:
        tap = tap_at(s, at, side)
        if tap >= 0 and taps_held(s, colour, tap // MOST_TAPS) > 1:
            return STILL_AT + tap // MOST_TAPS
    return -1


@kernel
def depth_of(s, colour, place):
    """Steps from a place of a colour's road to the Town Center; 0: not joined, or there."""
    if place == TOWN_AT:
        return 0
    if place >= STILL_AT:
        return int(s.reach[colour, place - STILL_AT])
    return int(s.dist[place])


@kernel
def bit_of(s, place):
    """A place of a road as a bit: a token, a still, or the paved road."""
    if place >= STILL_AT:
        return np.int64(1) << (TOKENS + place - STILL_AT)
    if s.ground[place] == PAVED:
        return np.int64(1) << (TOKENS + TOWN_AT - STILL_AT + 1)
    return np.int64(1) << token_at(s, place)


@kernel
def flood(s, colour, root, skip, paved):
    """Write every place that is connected with the root to `work`, nearest first; the node `skip` is left out.

    Returns the number of places, the places as bits, and the number of links beyond those of a tree.
    """
    s.work[QUEUE] = root
    s.work[DEPTHS] = 0
    seen = bit_of(s, root)
    found, links = 1, 0
    at = 0
    while at < found:
        place = int(s.work[QUEUE + at])
        for side in range(4):
            beside = link(s, colour, place, side, paved)
            if beside < 0 or beside == skip:
                continue
            links += 1
            if beside == TOWN_AT:
                continue
            bit = bit_of(s, beside)
            if seen & bit == 0:
                seen |= bit
                s.work[QUEUE + found] = beside
                s.work[DEPTHS + found] = int(s.work[DEPTHS + at]) + 1
                found += 1
        at += 1
    return found, seen, links - 2 * (found - 1)


# Distances, kept up to date


@kernel
def measure(s, colour):
    """Steps to the Town Center along a colour's road, after it has changed."""
    lying = int(s.tokens) & ~int(s.hand[colour])
    while lying:
        token = lowest(lying)
        lying &= lying - 1
        s.dist[s.where[colour, token]] = 0
    s.reach[colour, :] = 0
    mine = s.keeper == colour
    if mine:
        s.dist[s.paved] = 0
    found, _, back = flood(s, colour, TOWN_AT, OFF, mine)
    for at in range(1, found):
        place = int(s.work[QUEUE + at])
        if place >= STILL_AT:
            s.reach[colour, place - STILL_AT] = s.work[DEPTHS + at]
        else:
            s.dist[place] = s.work[DEPTHS + at]
    s.loops[colour] = 1 if back > 0 else 0


@kernel
def is_linked_to_paved(s, colour):
    """§9.2: whether a colour is linked and joined to the paved road, as if it were the colour's own."""
    touches = False
    for side in range(4):
        if is_end(s, side):
            beside = next_node(s.paved, side)
            if is_mine(s, colour, beside) and arm(s, beside, side ^ 2) > 0:
                touches = True
    if not touches:
        return False
    _, seen, _ = flood(s, colour, TOWN_AT, OFF, True)
    return seen & bit_of(s, s.paved) != 0


@kernel
def linked_to_paved(s):
    """§9.2: the colours that are linked and joined to the paved road, as a set."""
    linked = 0
    for colour in range(s.colours):
        if is_linked_to_paved(s, colour):
            linked |= 1 << colour
    return linked


@kernel
def keep(s):
    """Note before a building who holds the paved road, who is linked to it, and whether barrels have been stirred."""
    s.kept = (int(s.keeper) + 1) | (int(s.last_keeper) + 1) << 3 | int(s.linked) << 6 | int(s.stirred) << 10


@kernel
def pass_paved_on(s):
    """§9.2: update who holds the paved road, after roads have changed.

    A link that the builder had when the building began is no new one, and what was held by it is held again.
    """
    linked = linked_to_paved(s)
    builder = int(s.turn)
    had = int(s.kept) >> 6 & linked & 1 << builder
    fresh = linked & ~int(s.linked) & ~had
    s.linked = linked
    before = int(s.keeper)
    after = before
    if fresh:
        after = lowest(fresh)
    elif had and int(s.kept) & 7 == builder + 1:
        after = builder
    elif before >= 0 and linked >> before & 1 == 0:
        after = NOBODY
        for ahead in range(s.colours - 1, 0, -1):
            if linked >> around(before + ahead, int(s.colours)) & 1:
                after = around(before + ahead, int(s.colours))
    if after == before:
        return
    s.dist[s.paved] = 0
    s.keeper = after
    if before >= 0:
        measure(s, before)
    if after >= 0:
        if s.barrels[s.paved] and s.last_keeper >= 0 and seat_of(s, s.last_keeper) != seat_of(s, after):
            s.stirred = 1  # §7.2: they are stolen
        s.last_keeper = after
        measure(s, after)


@kernel
def changed(s, colour):
    """Update distances and the paved road after a colour's tokens have changed."""
    measure(s, colour)
    if s.paved >= 0:
        pass_paved_on(s)


@kernel
def put_down(s, colour, node, face):
    """Lay a token of the inventory on an empty node."""
    token = FACE_TOKEN[face]
    s.face[node] = face
    s.owner[node] = colour + 1
    s.hand[colour] &= ~(1 << token)
    s.where[colour, token] = node


@kernel
def take_up(s, node):
    """Take a token off its node, back into its owner's inventory; returns the owner's colour."""
    colour = int(s.owner[node]) - 1
    token = token_at(s, node)
    s.hand[colour] |= 1 << token
    s.where[colour, token] = 0
    s.face[node] = 0
    s.owner[node] = 0
    s.dist[node] = 0
    return colour


@kernel
def is_paved_open(s, colour):
    """§9.2: whether a colour may build from it: it is the holder, or nobody is and it is at the Town Center."""
    if s.keeper >= 0:
        return s.keeper == colour
    for side in range(4):
        if is_end(s, side) and s.ground[next_node(s.paved, side)] == TOWN:
            return True
    return False

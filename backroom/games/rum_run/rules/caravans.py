"""§6 Caravanning: barrels sown along a road to the Town Center, and past it onto an opponent's."""

import numpy as np

from backroom.engine.kernel import kernel, lowest
from backroom.games.rum_run.pieces import AMBUSHER, MOST_STILLS, OFF, SCORED_ONE, SIDE, THROUGH_THE_STILL, TOKENS

from .links import (
    depth_of,
    flood,
    link,
    taps_held,
)
from .objectives import achieve, look, put_away
from .roads import (
    can_build,
)
from .state import (
    ASK_ACT,
    ASK_AIM,
    ASK_TO,
    ASK_VIA,
    BUILDING,
    DEPTHS,
    DO_CARAVAN,
    FREELY,
    MOVING,
    QUEUE,
    STILL_AT,
    TOWN_AT,
    barrels_at,
    pop,
    push,
    seat_of,
    store,
)

PLACES = TOKENS + MOST_STILLS + 1
"""How many places a colour's road can have: tokens, stills, the paved road."""


@kernel
def place_in(s, colour, which):
    """A place of a colour's road by its number, if barrels of it can lie there; -1: none."""
    if which < TOKENS:
        return int(s.where[colour, which]) if (int(s.tokens) & ~int(s.hand[colour])) >> which & 1 else -1
    if which < TOKENS + MOST_STILLS:
        return STILL_AT + which - TOKENS
    return int(s.paved) if s.keeper == colour else -1


@kernel
def places(s, colour):
    """The numbers of the places of a colour's road, as a set."""
    tokens = np.int64(s.tokens) & ~np.int64(s.hand[colour])
    paved = np.int64(s.keeper == colour) << PLACES - 1
    return tokens | np.int64((1 << MOST_STILLS) - 1) << TOKENS | paved


@kernel
def way_to_town(s, node):
    """§6.3: columns plus rows, whatever lies between."""
    town = int(s.town)
    return abs(node // SIDE - town // SIDE) + abs(node % SIDE - town % SIDE)


@kernel
def aim_of(s, colour, place, nth):
    """§6.3: the nth of the tokens of a cut-off piece that are nearest to the Town Center; -1: there are fewer."""
    found, _, _ = flood(s, colour, place, OFF, False)
    least = 255
    for at in range(found):
        node = int(s.work[QUEUE + at])
        if node < STILL_AT:
            least = min(least, way_to_town(s, node))
    for at in range(found):
        node = int(s.work[QUEUE + at])
        if node < STILL_AT and way_to_town(s, node) == least:
            if nth == 0:
                return node
            nth -= 1
    return -1


@kernel
def can_start(s, colour, place):
    """Whether a colour can caravan from a place."""
    if place < 0 or barrels_at(s, colour, place) == 0:
        return False
    if depth_of(s, colour, place):
        return True
    if place >= STILL_AT:
        return taps_held(s, colour, place - STILL_AT) > 1
    return way_to_town(s, place) > way_to_town(s, aim_of(s, colour, place, 0))  # §6.3


@kernel
def is_bound(s, colour, place):
    """§6.8: whether a joined place holds more barrels than it has steps."""
    return place >= 0 and 0 < depth_of(s, colour, place) < barrels_at(s, colour, place)


@kernel
def is_obliged(s, colour):
    """§6.8: whether a colour must caravan."""
    left = places(s, colour)
    while left:
        if is_bound(s, colour, place_in(s, colour, lowest(left))):
            return True
        left &= left - 1
    return False


@kernel
def can_caravan(s, colour):
    """§3: whether a colour can caravan at all."""
    left = places(s, colour)
    while left:
        if can_start(s, colour, place_in(s, colour, lowest(left))):
            return True
        left &= left - 1
    return False


@kernel
def start(s, colour, place, barrels, is_whole_caravan):
    """§6.1: pick up barrels; the rest is walking."""
    store(s, colour, place, -barrels)
    s.walker = colour
    s.road = colour
    s.at = place
    s.load = barrels
    s.aim = -1
    s.gain = 0
    push(s, DO_CARAVAN, is_whole_caravan, 0)
    if depth_of(s, colour, place) == 0:
        if aim_of(s, colour, place, 1) >= 0:
            push(s, ASK_AIM, 0, seat_of(s, colour))
        else:
            s.aim = aim_of(s, colour, place, 0)


@kernel
def depth_on_the_way(s, place):
    """How far a place is from where the caravan goes; on a piece cut off, as the last flood found."""
    if s.aim < 0:
        return depth_of(s, s.road, place)
    at = 0
    while s.work[QUEUE + at] != place:
        at += 1
    return int(s.work[DEPTHS + at])


@kernel
def onward(s, nth):
    """§6.2, §6.6: the nth of the places that a caravan can go on to: nearer, or farther on another's road; -1: none."""
    road = int(s.road)
    if s.aim >= 0:
        flood(s, road, int(s.aim), OFF, False)
    due = depth_on_the_way(s, int(s.at)) + (-1 if road == s.walker else 1)
    for side in range(4):
        place = link(s, road, int(s.at), side, s.keeper == road)
        if place >= 0 and depth_on_the_way(s, place) == due:
            if nth == 0:
                return place
            nth -= 1
    return -1


@kernel
def opponent(s, nth):
    """§6.6: the nth colour of an opponent that has a road at the Town Center; -1: none."""
    for colour in range(s.colours):
        if seat_of(s, colour) == seat_of(s, s.walker):
            continue
        for side in range(4):
            if link(s, colour, TOWN_AT, side, s.keeper == colour) >= 0:
                if nth == 0:
                    return colour
                nth -= 1
                break
    return -1


@kernel
def go(s, place):
    """Take one step and drop one barrel; DO_CARAVAN is the open question."""
    seat = seat_of(s, s.walker)
    s.load -= 1
    if place == TOWN_AT:  # §6.4
        s.scored[seat] += 1
        s.stirred = 1
        s.gain = 1
        s.came = s.at
        s.road = -1
        achieve(s, SCORED_ONE, seat)
    else:
        s.was = barrels_at(s, s.road, place)
        store(s, int(s.road), place, 1)
        if place >= STILL_AT and s.arg[s.depth - 1]:  # not in Downhill, which is no caravan
            achieve(s, THROUGH_THE_STILL, seat)
    s.at = place


@kernel
def step(s):
    """Take one step if there is nothing to choose; returns whether it did. Where the road ends all is put down."""
    if s.load == 0:
        return False
    if s.road < 0:
        if opponent(s, 1) >= 0:
            push(s, ASK_TO, 0, seat_of(s, s.walker))
            return False
        s.road = opponent(s, 0)
    place = onward(s, 0) if s.road >= 0 else -1
    if s.road < 0:  # §6.6: nobody is there
        store(s, int(s.walker), int(s.came), int(s.load))
        s.at = s.came
        s.load = 0
    elif place < 0:  # §6.3, §6.6: a dead end
        store(s, int(s.road), int(s.at), int(s.load))
        s.load = 0
    elif onward(s, 1) >= 0:
        push(s, ASK_VIA, 0, seat_of(s, s.walker))
        return False
    else:
        go(s, place)
    return True


@kernel
def walk(s):
    """DO_CARAVAN: go on until there is a choice, or nothing left in hand."""
    while step(s):
        pass
    if s.load == 0:
        arrive(s)


@kernel
def is_ambush(s):
    """§6.6: whether the last barrel came to lie on an occupied place of an opponent's."""
    return s.road >= 0 and s.road != s.walker and s.was != 0


@kernel
def arrive(s):
    """The caravan is done: an ambush (§6.6), and a free action (§6.5)."""
    is_whole_caravan, gain = s.arg[s.depth - 1], s.gain
    walker, seat = int(s.walker), seat_of(s, s.walker)
    if is_ambush(s):
        s.scored[seat] += barrels_at(s, s.road, s.at)
        store(s, int(s.road), int(s.at), -barrels_at(s, s.road, s.at))
        achieve(s, AMBUSHER, seat)
    put_away(s)
    pop(s)
    if not is_whole_caravan:
        return
    look(s)
    if gain and not s.over and (can_build(s, walker, False) or can_caravan(s, walker)):
        push(s, ASK_ACT, BUILDING | MOVING | FREELY, seat)

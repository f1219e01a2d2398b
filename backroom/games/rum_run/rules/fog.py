"""§9 Fog: what happens to a road that is built into it."""

from backroom.engine.kernel import kernel

from .links import (
    changed,
    depth_of,
    link,
    linked_to_paved,
    take_up,
    token_at,
)
from .objectives import look
from .roads import (
    can_place_off,
)
from .state import ASK_END, ASK_OFF, FREE, MUD, PAVED, from_reserve, pop, push
from .taps import BOLD

ONE_BARREL, TWO_BARRELS, PAVED_ROAD, MUDDY, BEAR_TRAP = range(5)


@kernel
def lift_fog(s, kind):
    """ASK_FOG: nature has revealed what lies under the fog."""
    arg, hung = int(s.arg[s.depth - 1]), int(s.who[s.depth - 1])
    node, boldly = arg % BOLD, arg >= BOLD
    colour = int(s.owner[node]) - 1
    pop(s)
    s.fog[kind] -= 1
    s.ground[node] = FREE
    if kind <= TWO_BARRELS:  # §9.1
        s.barrels[node] = int(s.barrels[node]) + from_reserve(s, kind + 1)
    elif kind == MUDDY:  # §9.3
        s.ground[node] = MUD
    elif kind == PAVED_ROAD:
        pave(s, colour, node, boldly, hung)
    else:
        spring_trap(s, colour, node)


@kernel
def spring_trap(s, colour, node):
    """§9.4: the token returns, and the turn is over."""
    take_up(s, node)
    changed(s, colour)
    s.kept = 0
    while s.depth > 1:
        pop(s)
    s.doing = 0
    s.tried = 0


@kernel
def pave(s, colour, node, boldly, hung):
    """§9.2: a paved road faces the road one came by, and the token is in hand again."""
    pop(s)  # it does not land there
    side = came_by(s, colour, node, hung)
    s.token = token_at(s, node)
    take_up(s, node)
    s.ground[node] = PAVED
    s.paved = node
    s.ends = 1 << side
    changed(s, colour)
    push(s, ASK_END, node + (BOLD if boldly else 0), side)


@kernel
def came_by(s, colour, node, hung):
    """Of the sides by which a token was placed the nearest to the Town Center, then north, east, south, west."""
    found, least = 0, 255
    for side in range(4):
        beside = link(s, colour, node, side, False) if hung >> side & 1 else -1
        if beside >= 0 and depth_of(s, colour, beside) < least:
            found, least = side, depth_of(s, colour, beside)
    return found


@kernel
def face_end(s, side):
    """ASK_END: the second end is chosen; the token goes there at once, if it can."""
    arg = int(s.arg[s.depth - 1])
    node, boldly = arg % BOLD, arg >= BOLD
    colour = int(s.turn)
    pop(s)
    s.ends |= 1 << side
    if s.keeper >= 0:
        s.linked = linked_to_paved(s)  # who finds it holds it first: nobody else comes to it by this end
    changed(s, colour)
    if can_place_off(s, colour, node, side, int(s.token), boldly):
        push(s, ASK_OFF, arg, side)
    else:
        s.token = -1
        look(s)

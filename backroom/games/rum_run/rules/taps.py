"""§5 Tapping, and the other effects of a placed token: on the one it covers, on fog, on face-down stills."""

from backroom.engine.kernel import kernel
from backroom.games.rum_run.pieces import (
    FACE_OF,
    IS_DOUBLE,
    MOST_SUPPLIES,
    MOST_TAPS,
    SIDE,
    SUPPLIES,
    SUPPLY,
    TAP,
    TAPS,
)

from .links import (
    arm,
    changed,
    put_down,
    take_up,
    tap_at,
    token_at,
)
from .objectives import look
from .roads import forget_lift, wants
from .state import (
    ASK_FOG,
    ASK_OFF,
    ASK_SECOND,
    ASK_TURN_UP,
    DO_LAND,
    FOGGY,
    next_node,
    pop,
    push,
    seat_of,
    still_of,
    top,
)

BOLD = 512
"""Added to a node in the argument of a question if strength does not matter."""


@kernel
def linking_sides(s, node):
    """The sides, as a set, on which a token placed on a node could link: for a second, that of its double."""
    found = 0
    if top(s) in (ASK_SECOND, ASK_OFF):
        base = int(s.arg[s.depth - 1]) % BOLD
        for side in range(4):
            if next_node(node, side) == base:
                found |= 1 << side
        return found
    wanted = wants(s, int(s.turn), node)
    for side in range(4):
        if wanted >> 3 * side & 7:
            found |= 1 << side
    return found


@kernel
def place_token(s, colour, node, variant, side, boldly, hung):
    """§4.1, §4.5: a token comes to lie on a node; `hung` are the sides by which it is placed, as a set."""
    if s.lifted >= 0:
        forget_lift(s)
    s.node = -1
    s.token = -1
    owner = int(s.owner[node]) - 1
    if owner >= 0:
        take_up(s, node)
        if seat_of(s, owner) != seat_of(s, colour):
            s.broken[seat_of(s, colour)] += 1
            if s.barrels[node]:
                s.stirred = 1  # §7.2: stolen
    put_down(s, colour, node, FACE_OF[variant, side])
    if owner >= 0 and owner != colour:
        changed(s, owner)
    changed(s, colour)
    push(s, DO_LAND, node + (BOLD if boldly else 0), hung)
    if s.ground[node] == FOGGY:
        push(s, ASK_FOG, node + (BOLD if boldly else 0), hung)


@kernel
def land(s):
    """DO_LAND: stills beside the token are turned up (§5.3), it taps (§5.1), a double asks for its second (§4.3)."""
    arg, hung = int(s.arg[s.depth - 1]), int(s.who[s.depth - 1])
    node, boldly = arg % BOLD, arg >= BOLD
    for side in range(4):
        still = still_of(s, next_node(node, side))
        if still >= 0 and s.kind[still] < 0:
            push(s, ASK_TURN_UP, still, 0)
            return
    pop(s)
    tap(s, int(s.owner[node]) - 1, node)
    look(s)
    if not s.over and IS_DOUBLE[token_at(s, node)]:
        push(s, ASK_SECOND, node + (BOLD if boldly else 0), hung)


@kernel
def tap(s, colour, node):
    """§5.1, §5.2: what the stills give that an arm of the token faces."""
    for side in range(4):
        found = tap_at(s, node, side) if arm(s, node, side) else -1
        if found < 0:
            continue
        still = found // MOST_TAPS
        for other in range(s.colours):
            if seat_of(s, other) != seat_of(s, colour) and s.stored[other, still]:
                s.barrels[node] = int(s.barrels[node]) + int(s.stored[other, still])
                s.stored[other, still] = 0
                s.stirred = 1
        if s.supplies[still] and int(s.tapped[colour]) >> found & 1 == 0:
            s.tapped[colour] |= 1 << found
            s.barrels[node] = int(s.barrels[node]) + next_supply(s, still)
            s.stirred = 1
            s.arg[s.depth - 1] += 1  # §10: DO_DRAWS lies below, and owes one event more


@kernel
def next_supply(s, still):
    """Take the next supply out of a still's queue."""
    barrels = int(s.supply[still, 0])
    for place in range(MOST_SUPPLIES - 1):
        s.supply[still, place] = s.supply[still, place + 1]
    s.supply[still, MOST_SUPPLIES - 1] = 0
    s.supplies[still] -= 1
    return barrels


@kernel
def turn_up(s, still, kind):
    """§5.3: a still shows its face."""
    s.bag &= ~(1 << kind)
    s.kind[still] = kind
    s.tap_count[still] = TAPS[kind]
    s.supplies[still] = SUPPLIES[kind]
    turn = int(s.turned[still])
    for which in range(TAPS[kind]):
        down, right = int(TAP[kind, turn, which, 0]), int(TAP[kind, turn, which, 1])
        s.taps[still, which] = int(s.corner[still]) + down * SIDE + right
        s.faces[still, which] = TAP[kind, turn, which, 2]
    for which in range(SUPPLIES[kind]):
        s.supply[still, which] = SUPPLY[kind, which]

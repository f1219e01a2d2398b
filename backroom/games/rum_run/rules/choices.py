"""§10 Events: whether one has an effect now, and on what."""

from backroom.engine.kernel import around, kernel
from backroom.games.rum_run.pieces import (
    DOWNHILL,
    DYNAMITE,
    EVICTION,
    FORT,
    FRESH_RECRUITS,
    GRAVEYARD,
    LIGHTENING,
    MOONLIT_MILE,
    MOST_STILLS,
    MOST_SUPPLIES,
    NO_HONOR,
    NODES,
    OFF,
    OPEN_SECRET,
    RAMPARTS,
    ROSIES_DINER,
    SECOND_BATCH,
    SIDE,
    STICKY_FINGERS,
    SUPERIOR_SCOTCH,
    TOKENS,
    UNDERDOG,
    WAGON,
    WASHOUT,
)

from .caravans import (
    PLACES,
    can_caravan,
    place_in,
)
from .links import (
    arm,
    changed,
    depth_of,
    take_up,
)
from .objectives import (
    stash,
    total,
)
from .roads import (
    can_build,
    is_loose,
)
from .state import (
    FOGGY,
    MUD,
    NOBODY,
    STILL,
    STILL_AT,
    barrels_at,
    next_node,
    seat_of,
)

# Seats and tokens


@kernel
def me(s):
    """The seat that has drawn the event."""
    return seat_of(s, s.turn)


@kernel
def owner_of(s, node):
    """The seat whose token lies on a node; -1: none lies there."""
    return seat_of(s, int(s.owner[node]) - 1) if s.owner[node] else NOBODY


@kernel
def node_in(s, which):
    """The node of a token by its number, colour by colour; -1: it is not on the board."""
    colour, token = which // TOKENS, which % TOKENS
    return int(s.where[colour, token]) if (int(s.tokens) & ~int(s.hand[colour])) >> token & 1 else -1


@kernel
def has_token(s, seat):
    """Whether a seat has a token on the board."""
    for colour in range(seat, s.colours, s.seats):
        if int(s.tokens) & ~int(s.hand[colour]):
            return True
    return False


@kernel
def send_home(s, node):
    """A token returns to its owner; its barrels go to the reserve. Roads are measured when all have gone."""
    s.reserve += int(s.barrels[node])
    s.barrels[node] = 0
    return take_up(s, node)


@kernel
def all_changed(s):
    for colour in range(s.colours):
        changed(s, colour)


@kernel
def is_at_town(s, node):
    """Whether a token is linked to the Town Center itself."""
    for side in range(4):
        if next_node(node, side) == s.town and arm(s, node, side):
            return True
    return False


@kernel
def is_beside_me(s, node):
    """Whether a token of the drawer lies beside a node."""
    for side in range(4):
        if owner_of(s, next_node(node, side)) == me(s):
            return True
    return False


@kernel
def most_barrels(s, mine):
    """The most barrels on one token of the opponents, or of the drawer."""
    most = 0
    for which in range(s.colours * TOKENS):
        node = node_in(s, which)
        if node >= 0 and (owner_of(s, node) == me(s)) == mine:
            most = max(most, int(s.barrels[node]))
    return most


@kernel
def is_choice(s, event, node):
    """Whether an event may affect a token."""
    mine = owner_of(s, node) == me(s)
    barrels = int(s.barrels[node])
    if event == NO_HONOR:
        return barrels > 0 and is_beside_me(s, node)
    if event == STICKY_FINGERS:
        return not mine and barrels > 0 and is_at_town(s, node)
    if event == LIGHTENING:
        most = most_barrels(s, False)
        return barrels > 0 and (barrels == most and not mine if most else barrels == most_barrels(s, True))
    if event == EVICTION:
        return not mine and is_loose(s, node)
    return mine and barrels == 0 and s.ground[node] != MUD  # Fresh Recruits


@kernel
def has_choice(s, event):
    for which in range(s.colours * TOKENS):
        node = node_in(s, which)
        if node >= 0 and is_choice(s, event, node):
            return True
    return False


@kernel
def is_receiver(s, event, source, node):
    """Whether barrels robbed from a source may be put on a token."""
    if owner_of(s, node) != me(s):
        return False
    if event == STICKY_FINGERS:
        return is_at_town(s, node)
    for side in range(4):
        if next_node(source, side) == node:
            return True
    return False


@kernel
def is_still_choice(s, event, still):
    """Whether an event may affect a face-up still."""
    if s.kind[still] < 0:
        return False
    return s.supplies[still] > 1 if event == SUPERIOR_SCOTCH else s.supplies[still] < MOST_SUPPLIES


@kernel
def has_still_choice(s, event):
    for still in range(MOST_STILLS):
        if is_still_choice(s, event, still):
            return True
    return False


@kernel
def is_face_down(s, still):
    """Whether a still of this game lies face down."""
    return s.kind[still] < 0 and s.ground[s.corner[still]] == STILL + still


@kernel
def has_secret(s):
    """Whether a still lies face down, or fog."""
    for still in range(MOST_STILLS):
        if is_face_down(s, still):
            return True
    for node in range(NODES):
        if s.ground[node] == FOGGY:
            return True
    return False


@kernel
def can_go_down(s, seat, colour, which):
    """Downhill: whether a barrel on a place of a colour can be moved; not on a piece cut off."""
    place = place_in(s, colour, which)
    if place < 0 or barrels_at(s, colour, place) == 0 or depth_of(s, colour, place) == 0:
        return False
    if place < STILL_AT or colour == seat:
        return True
    return barrels_at(s, seat, place) == 0 or depth_of(s, seat, place) == 0  # named once if both colours can


@kernel
def has_downhill(s, seat):
    for colour in range(seat, s.colours, s.seats):
        for which in range(PLACES):
            if can_go_down(s, seat, colour, which):
                return True
    return False


@kernel
def ramparts_token(s, still, side, line, steps):
    """The token at `steps` from an edge of a still on one of its two lines; -1: none, OFF: the board ends."""
    node = int(s.corner[still])
    if side in (1, 2):
        node += 1 if side == 1 else SIDE
    if line:
        node += SIDE if side in (1, 3) else 1
    for _ in range(steps):
        node = next_node(node, side)
    return node if node == OFF or s.owner[node] else -1


@kernel
def fort(s):
    """Fort Firewater, if it lies face up; -1 if not."""
    for still in range(MOST_STILLS):
        if s.kind[still] == FORT:
            return still
    return -1


@kernel
def has_ramparts(s):
    still = fort(s)
    if still < 0:
        return False
    for side in range(4):
        for line in range(2):
            for steps in range(1, SIDE):
                if 0 <= ramparts_token(s, still, side, line, steps) < OFF:
                    return True
    return False


@kernel
def has_loose(s):
    for which in range(s.colours * TOKENS):
        node = node_in(s, which)
        if node >= 0 and is_loose(s, node):
            return True
    return False


@kernel
def is_underdog(s):
    for seat in range(s.seats):
        if total(s, seat) < total(s, me(s)):
            return False
    return True


@kernel
def poorest(s):
    """Graveyard Giveaway: fewest scored, then fewest barrels on the road, then from the drawer's left."""
    found = around(me(s) + 1, int(s.seats))
    for ahead in range(2, s.seats + 1):
        seat = around(me(s) + ahead, int(s.seats))
        if total(s, seat) < total(s, found) or (total(s, seat) == total(s, found) and stash(s, seat) < stash(s, found)):
            found = seat
    return found


@kernel
def receivers(s):
    """You Let Who Drive the Wagon: the seats that get a barrel, fewest scored first, then the drawer, then clockwise.

    Each is its number plus one in three bits, the first in the lowest.
    """
    found, place, done = 0, 0, 0
    for _ in range(s.seats):
        least = NOBODY
        for ahead in range(s.seats):
            seat = around(me(s) + ahead, int(s.seats))
            if done >> seat & 1 == 0 and has_token(s, seat) and (least < 0 or total(s, seat) < total(s, least)):
                least = seat
        if least >= 0:
            found |= (least + 1) << place
            place += 3
            done |= 1 << least
    return found


@kernel
def can_happen(s, event):
    """Whether an event has an effect now."""
    colour = int(s.turn)
    if event in (SUPERIOR_SCOTCH, SECOND_BATCH):
        return has_still_choice(s, event) and (event == SUPERIOR_SCOTCH or s.reserve > 0)
    if event in (NO_HONOR, LIGHTENING, EVICTION, FRESH_RECRUITS):
        return has_choice(s, event)
    if event == STICKY_FINGERS:
        if has_choice(s, event):
            for side in range(4):
                node = next_node(s.town, side)
                if is_receiver(s, event, 0, node):
                    return True
        return False
    if event in (ROSIES_DINER, DYNAMITE):
        return can_build(s, colour, event == DYNAMITE)
    if event == MOONLIT_MILE:
        return can_caravan(s, colour)
    if event == WAGON:
        return s.reserve > 0 and receivers(s) != 0
    if event == GRAVEYARD:
        return s.reserve > 0 and has_token(s, poorest(s))
    if event == DOWNHILL:
        for seat in range(s.seats):
            if has_downhill(s, seat):
                return True
        return False
    if event == RAMPARTS:
        return has_ramparts(s)
    if event == WASHOUT:
        return has_loose(s)
    if event == OPEN_SECRET:
        return has_secret(s)
    if event == UNDERDOG:
        return s.reserve > 0 and is_underdog(s)
    return True  # Safe Passage

"""Rum Run: roads of dominoes from the Town Center to the stills, and barrels sown home along them like seeds."""

from backroom.engine.kernel import EVERYONE, NATURE, UNKNOWN, below, bit_count, kernel, lowest
from backroom.games.rum_run.pieces import (
    ALL,
    ALL_EVENTS,
    ALL_OBJECTIVES,
    BARRELS,
    ENOUGH,
    FOG,
    FORT,
    HOLDS,
    KINDS,
    MOST_BLOCKED,
    MOST_FOG,
    MOST_OBSTACLES,
    MOST_STILLS,
    MOST_SUPPLIES,
    NODES,
    OBJECTIVES,
    OFF,
    OPEN_SECRET,
    PLAIN,
    RAMPARTS,
    SETUP_FOG,
    SETUP_MIXED,
    SETUP_NUMBERS,
    SETUP_OBSTACLES,
    SETUP_STILLS,
    SIDE,
    TOKENS,
)

from .events import answer_event, draw
from .fog import lift_fog
from .links import (
    flood,
    token_at,
)
from .objectives import give, look_who_wins, may_claim, put_away
from .state import (
    ASK_EVENT,
    ASK_FOG,
    ASK_LOT,
    ASK_PICK,
    ASK_STILL,
    ASK_STILLS,
    ASK_TURN_UP,
    CLAIM,
    DEPTHS,
    DRAW_EVENT,
    DRAW_FOG,
    DRAW_STILL,
    FOGGY,
    FREE,
    LOT,
    NOBODY,
    OBSTACLE,
    OUTSIDE,
    PAVED,
    QUEUE,
    STATE,
    STEP_BACK,
    STILL,
    STILL_AT,
    TOWN,
    TOWN_AT,
    TURN_UP,
    pop,
    push,
    top,
)
from .taps import turn_up
from .turn import answer, asked_now, begin_with, is_last_to_pick, pick_moves, seat_moves, settle

__all__ = ["STATE"]

NAME = "rum-run"
TITLE = "Rum Run"
VERSION = 2
SEATS = (2, 3, 4)
SEAT_NAMES = ("Blue", "Red", "Orange", "Purple")
SECRETS = True
BACK = STEP_BACK
MOST_MOVES = 640
LONGEST = 40_000  # random games have 240 on `standard`, rarely 4,000 with everything hidden; steps back double that

AS_SETUP, YES, NO, RANDOM = range(4)


@kernel
def is_used(option, named):
    """An option for an extra: as the setup says, yes or no."""
    return option == YES or (option == AS_SETUP and named)


# §2: setting up


@kernel
def setup(s, seats, options):
    clear(s)
    two, folk, fog = options[SETUP_NUMBERS], options[SETUP_NUMBERS + 1], options[SETUP_NUMBERS + 2]
    events, objectives = options[SETUP_NUMBERS + 3], options[SETUP_NUMBERS + 4]
    hidden, claims = options[SETUP_NUMBERS + 5], options[SETUP_NUMBERS + 6]
    s.seats = seats
    s.colours = 2 * seats if two else seats
    s.width = options[0]
    s.town = options[1]
    s.tokens = ALL if is_used(folk, options[2]) else (1 << PLAIN) - 1
    s.noticed = claims
    for colour in range(s.colours):
        s.hand[colour] = s.tokens
    lay_ground(s)
    s.reserve = BARRELS
    has_fog = False
    for which in range(MOST_FOG):
        node = options[SETUP_FOG + which]
        if node >= 0 and is_used(fog, True):
            s.ground[node] = FOGGY
            has_fog = True
    if has_fog:
        for kind in range(len(FOG)):
            s.fog[kind] = options[SETUP_MIXED + kind]
    for which in range(MOST_OBSTACLES):
        at = SETUP_OBSTACLES + which * (1 + MOST_BLOCKED)
        for place in range(MOST_BLOCKED):
            if options[at] >= 0 and options[at + 1 + place] >= 0:
                s.ground[options[at + 1 + place]] = OBSTACLE + options[at]
    stills = 0
    for still in range(MOST_STILLS):
        at = SETUP_STILLS + 4 * still
        if options[at] >= 0:
            stills += 1
            lay_place(s, still, options[at + 1], options[at + 2])
            if hidden != RANDOM:
                draw_still(s, options[at])
            if hidden != RANDOM and not is_used(hidden, options[at + 3] == 0):
                turn_up(s, still, options[at])
    if is_used(events, options[3] != 0):
        s.cards = options[3] if options[3] else ALL_EVENTS
        if s.bag == 0 and hidden != RANDOM and not has_fog:
            s.cards &= ~(1 << OPEN_SECRET)
        s.deck = s.cards
    if is_used(objectives, options[4] != 0):
        s.goals = options[4] if options[4] else ALL_OBJECTIVES
    s.picking = (1 << seats) - 1
    push(s, ASK_PICK, 0, 0)
    if hidden == RANDOM:
        push(s, ASK_STILLS, stills, 0)
    else:
        leave_out_ramparts(s)


@kernel
def clear(s):
    """Clear a record."""
    s.face[:] = 0
    s.owner[:] = 0
    s.barrels[:] = 0
    s.dist[:] = 0
    s.where[:] = 0
    s.hand[:] = 0
    s.tapped[:] = 0
    s.shown[:] = 0
    s.loops[:] = 0
    s.kind[:] = -1
    s.corner[:] = 0
    s.turned[:] = 0
    s.tap_count[:] = 0
    s.taps[:] = 0
    s.faces[:] = 0
    s.supplies[:] = 0
    s.supply[:] = 0
    s.stored[:] = 0
    s.reach[:] = 0
    s.fog[:] = 0
    s.paved = -1
    s.ends = 0
    s.keeper = NOBODY
    s.last_keeper = NOBODY
    s.linked = 0
    s.cards = 0
    s.deck = 0
    s.doing = 0
    s.tried = 0
    s.goals = 0
    s.holder[:] = NOBODY
    s.achiever[:] = NOBODY
    s.meets[:] = 0
    s.bag = 0
    s.scored[:] = 0
    s.broken[:] = 0
    s.safe[:] = 0
    s.sealed[:] = 0
    s.first[:] = 0
    s.load = 0
    put_away(s)
    s.turn = 0
    s.step = 1
    s.quiet = 0
    s.stirred = 0
    s.passes = 0
    s.over = 0
    s.winners = 0
    s.ties = 0
    s.picking = 0
    s.depth = 0
    s.ask[:] = 0
    s.arg[:] = 0
    s.who[:] = 0
    s.work[:] = 0


@kernel
def lay_ground(s):
    """§1.1: the board in the upper left of the largest possible one, and the Town Center."""
    s.ground[:] = OUTSIDE
    for row in range(s.width):
        for column in range(s.width):
            s.ground[row * SIDE + column] = FREE
    s.ground[s.town] = TOWN


@kernel
def lay_place(s, still, node, turn):
    """§2.1: the place of a still, and how it is turned there."""
    s.corner[still] = node
    s.turned[still] = turn
    for row in range(2):
        for column in range(2):
            s.ground[node + row * SIDE + column] = STILL + still


@kernel
def draw_still(s, kind):
    """A still is part of this game: face down, until it is turned up."""
    s.bag |= 1 << kind
    s.reserve -= HOLDS[kind]


@kernel
def leave_out_ramparts(s):
    """§10: O'er the Ramparts is used only with Fort Firewater."""
    has_fort = int(s.bag) >> FORT & 1 == 1
    for still in range(MOST_STILLS):
        if s.kind[still] == FORT:
            has_fort = True
    if not has_fort:
        s.cards &= ~(1 << RAMPARTS)
        s.deck &= ~(1 << RAMPARTS)


@kernel
def ways_to_draw(s, kind):
    """§2.1, §2.3: the number of ways to draw the rest of the stills after this one so that a winner is guaranteed."""
    rest = int(s.arg[s.depth - 1]) - 1
    drawn = int(s.bag) | 1 << kind
    least = ENOUGH[s.seats if s.colours == s.seats else 5]
    found = 0
    if drawn == s.bag:
        return 0
    for more in range(1 << KINDS):
        if more & drawn == 0 and bit_count(more) == rest:
            barrels = 0
            for other in range(KINDS):
                if (more | drawn) >> other & 1:
                    barrels += HOLDS[other]
            found += 1 if least <= barrels <= BARRELS else 0
    return found


# What is asked, what may be answered, and its consequences


@kernel
def asked(s):
    return asked_now(s)


@kernel
def nature_moves(s, out):
    """Cards, fog, stills and lots."""
    ask = top(s)
    n = 0
    if ask == ASK_FOG:
        for kind in range(len(FOG)):
            if s.fog[kind]:
                out[n] = DRAW_FOG + kind
                n += 1
        return n
    if ask == ASK_STILLS:
        for kind in range(KINDS):
            if ways_to_draw(s, kind):
                out[n] = DRAW_STILL + kind
                n += 1
        return n
    first, left = LOT, int(s.picking)
    if ask == ASK_TURN_UP:
        first, left = TURN_UP, int(s.bag)
    elif ask == ASK_EVENT:
        first, left = DRAW_EVENT, int(s.deck) & ~int(s.tried)
    while left:
        out[n] = first + lowest(left)
        left &= left - 1
        n += 1
    return n


@kernel
def odds(s, out):
    n = nature_moves(s, out)
    ask = top(s)
    for i in range(n):
        if ask == ASK_FOG:
            out[i] = s.fog[out[i] - DRAW_FOG]
        elif ask == ASK_STILLS:
            out[i] = ways_to_draw(s, out[i] - DRAW_STILL)
        else:
            out[i] = 1
    return n


@kernel
def moves(s, seat, out):
    mask = asked_now(s)
    if seat == NATURE:
        return nature_moves(s, out) if mask == 1 << NATURE else 0
    if mask == 0:
        return 0
    n = 0
    if top(s) == ASK_PICK:
        n = pick_moves(s, seat, out)
    elif mask >> seat & 1:
        n = seat_moves(s, seat, out)
    if s.noticed:
        back = n > 0 and out[n - 1] == STEP_BACK
        if back:
            n -= 1
        for objective in range(len(OBJECTIVES)):
            if may_claim(s, objective, seat):
                out[n] = CLAIM + objective
                n += 1
        if back:
            out[n] = STEP_BACK
            n += 1
    return n


@kernel
def play(s, seat, move):
    begin(s, seat, move)
    settle(s)


@kernel
def begin(s, seat, move):
    """A move, without what then happens automatically."""
    if seat == NATURE:
        answer_nature(s, move)
    elif CLAIM <= move < CLAIM + len(OBJECTIVES):  # §11.1
        give(s, move - CLAIM, seat)
        look_who_wins(s)
    elif ASK_STILL <= top(s) < ASK_LOT:
        answer_event(s, seat, move)
    else:
        answer(s, seat, move)


@kernel
def answer_nature(s, move):
    ask = top(s)
    if ask == ASK_FOG:
        lift_fog(s, move - DRAW_FOG)
    elif ask == ASK_TURN_UP:
        still = int(s.arg[s.depth - 1])
        pop(s)
        turn_up(s, still, move - TURN_UP)
    elif ask == ASK_EVENT:
        draw(s, move - DRAW_EVENT)
    elif ask == ASK_STILLS:
        draw_still(s, move - DRAW_STILL)
        s.arg[s.depth - 1] -= 1
        if s.arg[s.depth - 1] == 0:
            pop(s)
            leave_out_ramparts(s)
    else:
        begin_with(s, move - LOT)


# Who sees what: everything is public but the picks of §2.4


@kernel
def seen(s, seat, move):
    if top(s) == ASK_PICK and not is_last_to_pick(s, seat):
        return 1 << seat
    return EVERYONE


@kernel
def hide(s, seat):
    s.work[:] = 0
    for other in range(s.seats):
        if other != seat and s.sealed[other]:
            s.sealed[other] = UNKNOWN


@kernel
def imagine(s, seat, dice):
    """An unknown pick may be any token that has not been shown."""
    s.work[:] = 0
    for other in range(s.seats):
        if s.sealed[other] == UNKNOWN:
            left = int(s.tokens) & ~int(s.shown[other])
            for _ in range(below(dice, bit_count(left))):
                left &= left - 1
            s.sealed[other] = lowest(left) + 1


@kernel
def score(s, out):
    """§7: a win, or a share of it."""
    for seat in range(s.seats):
        out[seat] = (int(s.winners) >> seat & 1) / bit_count(int(s.winners))


# Whether a state is whole


@kernel
def is_whole(s):
    return has_all_tokens(s) and has_all_barrels(s) and has_all_measures(s)


@kernel
def has_all_tokens(s):
    """Whether every token is in its inventory or on one node, and redundant fields agree."""
    lying = 0
    for node in range(NODES + 1):
        if s.owner[node]:
            colour, token = int(s.owner[node]) - 1, token_at(s, node)
            if s.where[colour, token] != node or int(s.hand[colour]) >> token & 1 or s.ground[node] > 2:
                return False
            lying += 1
        elif s.face[node]:
            return False
    for colour in range(4):
        tokens = int(s.tokens) if colour < s.colours else 0
        lying -= bit_count(tokens & ~int(s.hand[colour]))
        if int(s.hand[colour]) & ~tokens:
            return False
    for seat in range(4):
        if s.sealed[seat] < 0:
            return False
    return lying == 0


@kernel
def has_all_barrels(s):
    """§1.4: whether there are 25 barrels in all, and none where none can be."""
    barrels = int(s.reserve) + int(s.load)
    for node in range(NODES):
        barrels += int(s.barrels[node])
        if s.barrels[node] and s.owner[node] == 0 and s.ground[node] != PAVED:
            return False
    for still in range(MOST_STILLS):
        for place in range(MOST_SUPPLIES):
            barrels += int(s.supply[still, place])
            if (s.supply[still, place] > 0) != (place < s.supplies[still]):
                return False
        for colour in range(4):
            barrels += int(s.stored[colour, still])
    for kind in range(KINDS):
        if int(s.bag) >> kind & 1:
            barrels += int(HOLDS[kind])
    for seat in range(4):
        barrels += int(s.scored[seat])
    return s.reserve >= 0 and barrels == BARRELS


@kernel
def has_all_measures(s):
    """Whether distances are those of the roads as they lie."""
    for colour in range(s.colours):
        found, _, back = flood(s, colour, TOWN_AT, OFF, s.keeper == colour)
        joined = 0
        for at in range(1, found):
            place = int(s.work[QUEUE + at])
            joined += 1
            kept = s.reach[colour, place - STILL_AT] if place >= STILL_AT else s.dist[place]
            if kept != s.work[DEPTHS + at]:
                return False
        for token in range(TOKENS):
            if (int(s.tokens) & ~int(s.hand[colour])) >> token & 1 and s.dist[s.where[colour, token]]:
                joined -= 1
        for still in range(MOST_STILLS):
            if s.reach[colour, still]:
                joined -= 1
        if s.keeper == colour and s.dist[s.paved]:
            joined -= 1
        if joined or (back > 0) != (s.loops[colour] == 1):
            return False
    return True

"""§2.4 Who begins, §3 a turn, and the sequence of questions: what is asked, and what happens automatically."""

from backroom.engine.kernel import NATURE, around, bit_count, kernel, lowest
from backroom.games.rum_run.pieces import (
    ANY,
    DOUBLES,
    FACE_OF,
    QUIET_ROUNDS,
    STRAIGHTS,
    STRENGTH,
    VARIANTS,
)

from .caravans import aim_of, can_start, go, is_bound, is_obliged, onward, opponent, place_in, places, start, walk
from .events import (
    do_more,
    draw_owed,
    end_event,
    event_moves,
    next_downhill,
    next_gift,
)
from .fog import face_end
from .links import (
    arm,
    changed,
    keep,
    take_up,
)
from .objectives import end_quietly, look
from .roads import (
    can_move,
    can_place,
    can_place_double,
    hung_by,
    lift,
    loose_tokens,
    next_site,
    placings,
    placings_anywhere,
    placings_off,
    remaining,
    shown_by,
    site,
    sites,
    unlift,
    wants,
)
from .state import (
    ASK_ACT,
    ASK_AIM,
    ASK_END,
    ASK_LOT,
    ASK_OFF,
    ASK_PICK,
    ASK_SECOND,
    ASK_TO,
    ASK_VIA,
    BOLDLY,
    BUILDING,
    CARAVAN,
    DO_CARAVAN,
    DO_DOWNS,
    DO_DRAWS,
    DO_END,
    DO_EVENT,
    DO_GIFTS,
    DO_LAND,
    DO_MORE,
    END,
    FIRST_OF_NATURE,
    FIRST_TO_DO,
    FREELY,
    MOVING,
    NODE,
    PASS,
    PICK,
    PLACE,
    RETURN,
    STEP_BACK,
    TO,
    TOKEN,
    TOWARD,
    VIA,
    barrels_at,
    next_node,
    node_of,
    place_of,
    pop,
    push,
    seat_of,
    top,
)
from .taps import BOLD, land, place_token

MOST_TIES = 3

# §2.4: who begins


@kernel
def pick_moves(s, seat, out):
    """The tokens that a seat may pick: not shown yet, and not the one it has picked."""
    n = 0
    left = int(s.tokens) & ~int(s.shown[seat])
    if int(s.picking) >> seat & 1 == 0:
        left = 0
    while left:
        token = lowest(left)
        left &= left - 1
        if s.sealed[seat] != token + 1:
            out[n] = TOKEN + token
            n += 1
    return n


@kernel
def is_last_to_pick(s, seat):
    """Whether all others have picked."""
    for other in range(s.seats):
        if other != seat and int(s.picking) >> other & 1 and s.sealed[other] == 0:
            return False
    return True


@kernel
def seal(s, seat, token):
    """A secret pick; the last one shows them all."""
    is_last = is_last_to_pick(s, seat)
    s.sealed[seat] = token + 1
    if is_last:
        show_picks(s)


@kernel
def show_picks(s):
    """The lowest strength begins; those who tie pick again, three times at most."""
    least, lowest_seats, count = 99, 0, 0
    for seat in range(s.seats):
        if int(s.picking) >> seat & 1 == 0:
            continue
        token = int(s.sealed[seat]) - 1
        s.first[seat] = token + 1
        s.sealed[seat] = 0
        s.shown[seat] |= 1 << token
        if STRENGTH[token] < least:
            least, lowest_seats, count = int(STRENGTH[token]), 0, 0
        if STRENGTH[token] == least:
            lowest_seats |= 1 << seat
            count += 1
    if count == 1:
        begin_with(s, lowest(lowest_seats))
        return
    s.picking = lowest_seats
    s.ties += 1
    if s.ties == MOST_TIES:
        pop(s)
        push(s, ASK_LOT, 0, 0)


@kernel
def begin_with(s, seat):
    """§2.4, §2.5: the first turn."""
    pop(s)
    s.picking = 0
    s.ties = 0
    s.shown[:] = 0
    s.turn = seat
    s.step = 1 if s.colours == s.seats or seat == 0 else 3
    begin_turn(s)


# §3: turns


@kernel
def begin_turn(s):
    """A colour's turn begins."""
    s.safe[seat_of(s, s.turn)] = 0
    s.stirred = 0
    push(s, DO_END, 0, 0)
    push(s, ASK_ACT, BUILDING | MOVING, seat_of(s, s.turn))


@kernel
def end_turn(s):
    """DO_END: the next colour; or the end, if all passed or nothing has happened for long (§7.2)."""
    pop(s)
    s.first[s.turn] = 0
    s.quiet = 0 if s.stirred else int(s.quiet) + 1
    if s.passes >= s.colours or s.quiet >= QUIET_ROUNDS * int(s.colours):
        end_quietly(s)
        return
    s.turn = around(int(s.turn) + int(s.step), int(s.colours))
    begin_turn(s)


@kernel
def settle(s):
    """Do what happens automatically, until somebody is asked or the game is over."""
    while s.depth and top(s) >= FIRST_TO_DO:
        do = top(s)
        if do == DO_LAND:
            land(s)
        elif do == DO_DRAWS:
            draw_owed(s)
        elif do == DO_EVENT:
            end_event(s)
        elif do == DO_MORE:
            do_more(s)
        elif do == DO_CARAVAN:
            walk(s)
        elif do == DO_GIFTS:
            next_gift(s)
        elif do == DO_DOWNS:
            next_downhill(s)
        else:
            end_turn(s)


# What may be done


@kernel
def hand_to_play(s, colour, boldly):
    """§2.4: the inventory, or in the first turn the token that was picked, if it can be placed."""
    hand = int(s.hand[colour])
    first = int(s.first[colour]) - 1
    if first >= 0 and can_place(s, colour, 1 << first, hand, boldly):
        return 1 << first
    return hand


@kernel
def act_moves(s, colour, mode, out):
    """ASK_ACT: build or caravan."""
    boldly = mode & BOLDLY != 0
    if mode & FREELY == 0 and mode & BUILDING and mode & MOVING and is_obliged(s, colour):
        return caravan_moves(s, colour, True, out, 0)
    n = 0
    hand = int(s.hand[colour])
    if mode & BUILDING:
        tokens = hand_to_play(s, colour, boldly)
        n = build_moves(s, colour, tokens, hand, boldly, out)
        if tokens != hand:
            return n
        n = loose_moves(s, colour, boldly, out, n)
    if mode & MOVING:
        n = caravan_moves(s, colour, False, out, n)
    if n == 0:
        out[0] = PASS
        n = 1
    return n


@kernel
def build_moves(s, colour, tokens, hand, boldly, out):
    """The nodes that can be built on, and the tokens that can be placed."""
    n, usable = 0, 0
    first, rest = sites(s, colour)
    while first or rest:
        node, first, rest = next_site(s, colour, first, rest)
        found = usable_on(s, colour, node, tokens, hand, boldly, usable)
        if found:
            usable |= found
            out[n] = NODE + node
            n += 1
    while usable:
        out[n] = TOKEN + lowest(usable)
        usable &= usable - 1
        n += 1
    return n


@kernel
def usable_on(s, colour, node, tokens, hand, boldly, known):
    """Tokens that can be placed on a node, as a set: all straight ones, and doubles as far as they are not known."""
    fit = tokens & site(s, colour, node, boldly)
    if fit == 0:
        return 0
    wanted = wants(s, colour, node)
    fit &= shown_by(wanted)
    found = fit & STRAIGHTS
    doubles = fit & DOUBLES
    while doubles:
        token = lowest(doubles)
        doubles &= doubles - 1
        if found and known >> token & 1:
            continue
        if can_place_double(s, colour, node, wanted, token, hand, boldly):
            found |= 1 << token
    return found


@kernel
def loose_moves(s, colour, boldly, out, n):
    """§4.6: loose tokens that can be moved, then those that can be returned."""
    loose = loose_tokens(s, colour)
    left = loose
    while left:
        node = int(s.where[colour, lowest(left)])
        left &= left - 1
        if can_move(s, colour, node, boldly):
            out[n] = PICK + node
            n += 1
    while loose:
        out[n] = RETURN + int(s.where[colour, lowest(loose)])
        loose &= loose - 1
        n += 1
    return n


@kernel
def caravan_moves(s, colour, is_bound_to, out, n):
    """§6.1, §6.8: the places from which barrels can be moved, or must."""
    left = places(s, colour)
    while left:
        place = place_in(s, colour, lowest(left))
        left &= left - 1
        if is_bound(s, colour, place) if is_bound_to else can_start(s, colour, place):
            out[n] = CARAVAN + node_of(s, place)
            n += 1
    return n


@kernel
def seat_moves(s, seat, out):
    """The answers of the seat that is asked, claims left out."""
    at = s.depth - 1
    ask, arg, who = int(s.ask[at]), int(s.arg[at]), int(s.who[at])
    colour = int(s.turn)
    n = 0
    if ask == ASK_ACT:
        boldly = arg & BOLDLY != 0
        hand = int(s.hand[colour])
        if s.node >= 0:
            n = placings(s, colour, int(s.node), hand_to_play(s, colour, boldly), hand, boldly, out, 0)
        elif s.token >= 0:
            n = placings_anywhere(s, colour, 1 << int(s.token), hand, boldly, out, 0)
        else:
            return act_moves(s, colour, arg, out)
        out[n] = STEP_BACK
        return n + 1
    if ask == ASK_SECOND:
        node = arg % BOLD
        return placings_off(s, colour, node, remaining(who), arm(s, node, 0), int(s.hand[colour]), arg >= BOLD, out, 0)
    if ask == ASK_OFF:
        return placings_off(s, colour, arg % BOLD, 1 << who, ANY, 1 << int(s.token), arg >= BOLD, out, 0)
    if ask == ASK_END:
        for side in range(4):
            if side != who:
                out[n] = END + side
                n += 1
        return n
    if ask in (ASK_AIM, ASK_VIA, ASK_TO):
        return way_moves(s, ask, out)
    return event_moves(s, seat, out)


@kernel
def likeness(s):
    """What is asked, as far as it is asked often, and the tokens that the colour in turn has on the board."""
    ask, kind = top(s), 0
    if ask == ASK_ACT:
        kind = 1 if s.token >= 0 else 2 if s.node >= 0 else 3
    elif ask == ASK_SECOND:
        kind = 4
    lying = bit_count(int(s.tokens) & ~int(s.hand[s.turn]))
    return kind * 12 + min(lying, 11)


@kernel
def way_moves(s, ask, out):
    """Where a caravan goes on."""
    n = 0
    while True:
        if ask == ASK_AIM:
            found = aim_of(s, int(s.walker), int(s.at), n)
        elif ask == ASK_VIA:
            found = onward(s, n)
        else:
            found = opponent(s, n)
        if found < 0:
            return n
        out[n] = TO + found if ask == ASK_TO else (VIA if ask == ASK_VIA else TOWARD) + node_of(s, found)
        n += 1


# What is done


@kernel
def answer(s, seat, move):
    """A seat's answer to what is asked, events left out."""
    at = s.depth - 1
    ask, arg = int(s.ask[at]), int(s.arg[at])
    colour = int(s.turn)
    if ask == ASK_PICK:
        seal(s, seat, move - TOKEN)
    elif ask == ASK_ACT:
        act(s, colour, move, arg)
    elif ask in (ASK_SECOND, ASK_OFF):
        node, variant = node_placed(move), variant_placed(move)
        pop(s)
        back = 0
        for side in range(4):
            if next_node(node, side) == arg % BOLD:
                back = side
        place_token(s, colour, node, variant, back, arg >= BOLD, 1 << back)
    elif ask == ASK_END:
        face_end(s, move - END)
    elif ask == ASK_AIM:
        pop(s)
        s.aim = move - TOWARD
    elif ask == ASK_VIA:
        pop(s)
        go(s, place_of(s, move - VIA))
    else:
        pop(s)
        s.road = move - TO


@kernel
def node_placed(move):
    """The node of a placing."""
    return (move - PLACE) // (VARIANTS * 4)


@kernel
def variant_placed(move):
    """The token and orientation of a placing."""
    return (move - PLACE) // 4 % VARIANTS


@kernel
def act(s, colour, move, mode):
    """An action, or a step of choosing one."""
    if move == STEP_BACK:
        if s.lifted >= 0:
            unlift(s, colour)
        s.node = -1
        s.token = -1
    elif move >= PLACE:
        pop(s)
        push(s, DO_DRAWS, 0, 0)
        s.passes = 0
        s.first[colour] = 0
        if s.lifted < 0:
            keep(s)
        node, variant, side = node_placed(move), variant_placed(move), (move - PLACE) % 4
        hung = hung_by(s, colour, node, FACE_OF[variant, side])
        place_token(s, colour, node, variant, side, mode & BOLDLY != 0, hung)
    elif move == PASS:
        pop(s)
        s.passes += 1
    elif move >= CARAVAN:
        pop(s)
        s.passes = 0
        place = place_of(s, move - CARAVAN)
        start(s, colour, place, barrels_at(s, colour, place), 1)
    elif move >= RETURN:
        pop(s)
        s.passes = 0
        take_up(s, move - RETURN)
        changed(s, colour)
        look(s)
    elif move >= PICK:
        lift(s, move - PICK)
    elif move >= NODE:
        s.node = move - NODE
    else:
        s.token = move - TOKEN


@kernel
def asked_now(s):
    """Who is asked, as bits."""
    ask = top(s)
    if ask == 0:
        return 0
    if ask >= FIRST_OF_NATURE:
        return 1 << NATURE
    if ask == ASK_PICK:
        mask = 0
        for seat in range(s.seats):
            if int(s.picking) >> seat & 1 and s.sealed[seat] == 0:
                mask |= 1 << seat
        return mask
    if ask in (ASK_SECOND, ASK_OFF, ASK_END):
        return 1 << seat_of(s, s.turn)
    return 1 << int(s.who[s.depth - 1])

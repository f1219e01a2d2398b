"""§10 Events: drawing them, whether one can do something, what it does; each is a kernel of its name."""

from backroom.engine.kernel import kernel, lowest
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
    NEXT,
    NO_HONOR,
    NODES,
    OFF,
    OPEN_SECRET,
    RAMPARTS,
    ROSIES_DINER,
    SAFE_PASSAGE,
    SECOND_BATCH,
    SIDE,
    STICKY_FINGERS,
    SUPERIOR_SCOTCH,
    TOKENS,
    UNDERDOG,
    WAGON,
    WASHOUT,
)

from .caravans import PLACES, can_caravan, place_in, start
from .objectives import look, stash, total
from .roads import arm, can_build, changed, depth_of, is_loose, take_up
from .state import (
    ASK_ACT,
    ASK_DOWN,
    ASK_EVENT,
    ASK_GIFT,
    ASK_HOME,
    ASK_ONTO,
    ASK_OPEN,
    ASK_RECRUIT,
    ASK_ROB,
    ASK_STILL,
    ASK_TURN_UP,
    BOLDLY,
    BUILDING,
    CHOOSE,
    DO_DOWNS,
    DO_EVENT,
    DO_GIFTS,
    DO_MORE,
    DOWN,
    FOGGY,
    FREE,
    GIFT,
    HOME,
    MOVING,
    MUD,
    NOBODY,
    ONTO,
    OPEN,
    RECRUIT,
    ROB,
    SKIP,
    STILL,
    STILL_AT,
    barrels_at,
    from_reserve,
    node_of,
    pop,
    push,
    seat_of,
    still_of,
)

# Drawing


@kernel
def refill(s):
    """Used cards return when the deck is empty; says whether there is one to draw, once through the deck at most."""
    if s.deck == 0:
        s.deck = int(s.cards) & ~int(s.doing)
    return int(s.deck) & ~int(s.tried) != 0


@kernel
def draw_owed(s):
    """DO_DRAWS: an event for every tap that loaded barrels."""
    at = s.depth - 1
    s.tried = 0
    if s.arg[at] == 0 or not refill(s):
        pop(s)
    else:
        s.arg[at] -= 1
        push(s, ASK_EVENT, 0, 0)


@kernel
def draw(s, event):
    """ASK_EVENT: one is drawn; one that can do nothing is put away and another drawn."""
    s.deck &= ~(1 << event)
    s.tried |= 1 << event
    if can_happen(s, event):
        pop(s)
        s.tried = 0
        s.doing |= 1 << event
        push(s, DO_EVENT, event, 0)
        begin(s, event)
    elif not refill(s):
        pop(s)
        s.tried = 0


@kernel
def end_event(s):
    """DO_EVENT: it is done."""
    s.doing &= ~(1 << int(s.arg[s.depth - 1]))
    pop(s)
    look(s)


# Who and what


@kernel
def me(s):
    """Who has drawn the event."""
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
        if NEXT[node, side] == s.town and arm(s, node, side):
            return True
    return False


@kernel
def is_beside_me(s, node):
    """Whether a token of the drawer lies beside a node."""
    for side in range(4):
        if owner_of(s, int(NEXT[node, side])) == me(s):
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
    """Whether a token is one that an event may be done to."""
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
        if NEXT[source, side] == node:
            return True
    return False


@kernel
def is_still_choice(s, event, still):
    """A face-up still that an event may be done to."""
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
    """The token so many steps from an edge of a still on one of its two lines; -1: none, OFF: the board ends."""
    node = int(s.corner[still])
    if side in (1, 2):
        node += 1 if side == 1 else SIDE
    if line:
        node += SIDE if side in (1, 3) else 1
    for _ in range(steps):
        node = int(NEXT[node, side])
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
    found = (me(s) + 1) % int(s.seats)
    for ahead in range(2, s.seats + 1):
        seat = (me(s) + ahead) % int(s.seats)
        if total(s, seat) < total(s, found) or (total(s, seat) == total(s, found) and stash(s, seat) < stash(s, found)):
            found = seat
    return found


@kernel
def next_to_get(s, done):
    """You Let Who Drive the Wagon: fewest scored, then the drawer, then clockwise, of those not done; -1: nobody."""
    found = NOBODY
    for ahead in range(s.seats):
        seat = (me(s) + ahead) % int(s.seats)
        if done >> seat & 1 or not has_token(s, seat):
            continue
        if found < 0 or total(s, seat) < total(s, found):
            found = seat
    return found


@kernel
def can_happen(s, event):
    """Whether an event can do something now."""
    colour = int(s.turn)
    if event in (SUPERIOR_SCOTCH, SECOND_BATCH):
        return has_still_choice(s, event) and (event == SUPERIOR_SCOTCH or s.reserve > 0)
    if event in (NO_HONOR, LIGHTENING, EVICTION, FRESH_RECRUITS):
        return has_choice(s, event)
    if event == STICKY_FINGERS:
        if has_choice(s, event):
            for side in range(4):
                node = int(NEXT[s.town, side])
                if is_receiver(s, event, 0, node):
                    return True
        return False
    if event in (ROSIES_DINER, DYNAMITE):
        return can_build(s, colour, event == DYNAMITE)
    if event == MOONLIT_MILE:
        return can_caravan(s, colour)
    if event == WAGON:
        return s.reserve > 0 and next_to_get(s, 0) >= 0
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


# What they do


@kernel
def begin(s, event):
    """An event that can do something is done, or asks what to do."""
    if event in (SUPERIOR_SCOTCH, SECOND_BATCH):
        push(s, ASK_STILL, event, me(s))
    elif event in (NO_HONOR, STICKY_FINGERS):
        push(s, ASK_ROB, event, me(s))
    elif event in (LIGHTENING, EVICTION):
        push(s, ASK_HOME, event, me(s))
    elif event == FRESH_RECRUITS:
        push(s, ASK_RECRUIT, event, me(s))
    elif event == ROSIES_DINER:
        push(s, DO_MORE, BUILDING, 2)
    elif event == DYNAMITE:
        push(s, DO_MORE, BUILDING | BOLDLY, 1)
    elif event == MOONLIT_MILE:
        push(s, DO_MORE, MOVING, 1)
    elif event == WAGON:
        push(s, DO_GIFTS, 0, 0)
    elif event == GRAVEYARD:
        push(s, ASK_GIFT, 2, poorest(s))
    elif event == DOWNHILL:
        push(s, DO_DOWNS, 0, 0)
    elif event == OPEN_SECRET:
        push(s, ASK_OPEN, 0, me(s))
    elif event == RAMPARTS:
        oer_the_ramparts(s)
    elif event == WASHOUT:
        washout(s)
    elif event == SAFE_PASSAGE:
        s.safe[me(s)] = 1
    else:
        s.scored[me(s)] += from_reserve(s, 1)  # Underdog
        s.stirred = 1


@kernel
def do_more(s):
    """DO_MORE: Rosie's Diner, Dynamite and Moonlit Mile, an action at a time."""
    at = s.depth - 1
    mode = int(s.arg[at])
    can = can_caravan(s, s.turn) if mode == MOVING else can_build(s, int(s.turn), mode & BOLDLY != 0)
    if s.who[at] == 0 or not can:
        pop(s)
    else:
        s.who[at] -= 1
        push(s, ASK_ACT, mode, me(s))


@kernel
def superior_scotch(s, still):
    last = int(s.supplies[still]) - 1
    s.supply[still, 0] = int(s.supply[still, 0]) + int(s.supply[still, last])
    s.supply[still, last] = 0
    s.supplies[still] = last


@kernel
def second_batch(s, still):
    s.supply[still, s.supplies[still]] = from_reserve(s, 1)
    s.supplies[still] += 1


@kernel
def no_honor_among_thieves(s, source, node):
    rob(s, source, node, int(s.barrels[source]))


@kernel
def sticky_fingers(s, source, node):
    rob(s, source, node, 1)


@kernel
def rob(s, source, node, barrels):
    if owner_of(s, source) != me(s):
        s.stirred = 1  # §7.2
    s.barrels[source] = int(s.barrels[source]) - barrels
    s.barrels[node] = int(s.barrels[node]) + barrels


@kernel
def oer_the_ramparts(s):
    """On each side the nearest token on the two lines, both if equally near."""
    still = fort(s)
    for side in range(4):
        gone = False
        for steps in range(1, SIDE):
            for line in range(2):
                node = ramparts_token(s, still, side, line, steps)
                if 0 <= node < OFF:
                    send_home(s, node)
                    gone = True
            if gone:
                break
    all_changed(s)


@kernel
def washout(s):
    """Every token that is loose now; what is loose only then stays."""
    for colour in range(s.colours):
        lying = int(s.tokens) & ~int(s.hand[colour])
        loose = 0
        while lying:
            token = lowest(lying)
            lying &= lying - 1
            if is_loose(s, int(s.where[colour, token])):
                loose |= 1 << token
        while loose:
            send_home(s, int(s.where[colour, lowest(loose)]))
            loose &= loose - 1
    all_changed(s)


@kernel
def open_secret(s, node):
    """A still is turned up, by nature; or a fog token leaves the game unseen: which one nobody knows."""
    still = still_of(s, node)
    if still >= 0:
        push(s, ASK_TURN_UP, still, 0)
    else:
        s.ground[node] = FREE


@kernel
def give_barrels(s, node, barrels):
    """You Let Who Drive the Wagon, Graveyard Giveaway."""
    s.barrels[node] = int(s.barrels[node]) + from_reserve(s, barrels)


@kernel
def next_gift(s):
    """DO_GIFTS"""
    at = s.depth - 1
    seat = next_to_get(s, int(s.arg[at])) if s.reserve > 0 else NOBODY
    if seat < 0:
        pop(s)
    else:
        s.arg[at] |= 1 << seat
        push(s, ASK_GIFT, 1, seat)


@kernel
def next_downhill(s):
    """DO_DOWNS: in turn from the drawer."""
    at = s.depth - 1
    if s.arg[at] == s.seats:
        pop(s)
        return
    seat = (me(s) + int(s.arg[at])) % int(s.seats)
    s.arg[at] += 1
    if has_downhill(s, seat):
        push(s, ASK_DOWN, 0, seat)


@kernel
def downhill(s, seat, place):
    """One barrel, one step."""
    colour = int(s.owner[place]) - 1 if place < STILL_AT and s.owner[place] else seat
    if place < STILL_AT and s.owner[place] == 0:
        colour = int(s.keeper)
    elif place >= STILL_AT and (barrels_at(s, seat, place) == 0 or depth_of(s, seat, place) == 0):
        colour = seat + int(s.seats)
    start(s, colour, place, 1, 0)


# What is asked


@kernel
def event_moves(s, seat, out):
    """The answers to the question that an event asks."""
    at = s.depth - 1
    ask, arg = int(s.ask[at]), int(s.arg[at])
    n = 0
    if ask in (ASK_STILL, ASK_OPEN):
        for still in range(MOST_STILLS):
            if is_still_choice(s, arg, still) if ask == ASK_STILL else is_face_down(s, still):
                out[n] = (CHOOSE if ask == ASK_STILL else OPEN) + int(s.corner[still])
                n += 1
        if ask == ASK_OPEN:
            for node in range(NODES):
                if s.ground[node] == FOGGY:
                    out[n] = OPEN + node
                    n += 1
        return n
    if ask == ASK_DOWN:
        for colour in range(seat, s.colours, s.seats):
            for which in range(PLACES):
                if can_go_down(s, seat, colour, which):
                    out[n] = DOWN + node_of(s, place_in(s, colour, which))
                    n += 1
        out[n] = SKIP
        return n + 1
    for which in range(s.colours * TOKENS):
        node = node_in(s, which)
        if node < 0:
            continue
        if ask == ASK_ROB and is_choice(s, arg, node):
            out[n] = ROB + node
        elif ask == ASK_ONTO and is_receiver(s, arg // NODES, arg % NODES, node) and node != arg % NODES:
            out[n] = ONTO + node
        elif ask == ASK_HOME and is_choice(s, arg, node):
            out[n] = HOME + node
        elif ask == ASK_RECRUIT and is_choice(s, arg, node):
            out[n] = RECRUIT + node
        elif ask == ASK_GIFT and owner_of(s, node) == seat:
            out[n] = GIFT + node
        else:
            continue
        n += 1
    return n


@kernel
def answer_event(s, seat, move):
    """A seat has said what an event does."""
    arg = int(s.arg[s.depth - 1])
    pop(s)
    if move >= RECRUIT and move != SKIP:
        changed(s, send_home(s, move - RECRUIT))
    elif move == SKIP:
        return
    elif move >= DOWN:
        node = move - DOWN
        still = still_of(s, node)
        downhill(s, seat, STILL_AT + still if still >= 0 else node)
    elif move >= OPEN:
        open_secret(s, move - OPEN)
    elif move >= GIFT:
        give_barrels(s, move - GIFT, arg)
    elif move >= HOME:
        changed(s, send_home(s, move - HOME))
    elif move >= ONTO:
        if arg // NODES == STICKY_FINGERS:
            sticky_fingers(s, arg % NODES, move - ONTO)
        else:
            no_honor_among_thieves(s, arg % NODES, move - ONTO)
    elif move >= ROB:
        push(s, ASK_ONTO, arg * NODES + move - ROB, seat)
    elif arg == SUPERIOR_SCOTCH:
        superior_scotch(s, still_of(s, move - CHOOSE))
    else:
        second_batch(s, still_of(s, move - CHOOSE))

"""§10 Events: drawing them, and their effects; each is a kernel of its name."""

from backroom.engine.kernel import kernel, lowest
from backroom.games.rum_run.pieces import (
    DOWNHILL,
    DYNAMITE,
    EVICTION,
    FRESH_RECRUITS,
    GRAVEYARD,
    LIGHTENING,
    MOONLIT_MILE,
    MOST_STILLS,
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
    WAGON,
    WASHOUT,
)

from .caravans import (
    PLACES,
    can_caravan,
    place_in,
    start,
)
from .choices import (
    all_changed,
    can_go_down,
    can_happen,
    fort,
    has_downhill,
    is_choice,
    is_face_down,
    is_receiver,
    is_still_choice,
    me,
    node_in,
    owner_of,
    poorest,
    ramparts_token,
    receivers,
    send_home,
)
from .links import (
    changed,
    depth_of,
)
from .objectives import (
    look,
)
from .roads import (
    can_build,
    loose_tokens,
)
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
    ONTO,
    OPEN,
    RECRUIT,
    ROB,
    SKIP,
    STILL_AT,
    barrels_at,
    from_reserve,
    node_of,
    place_of,
    pop,
    push,
    still_of,
    top,
)

# Drawing


@kernel
def refill(s):
    """Used cards return when the deck is empty; returns whether there is one to draw, at most once through the deck."""
    if s.deck == 0:
        s.deck = int(s.cards) & ~int(s.doing)
    return int(s.deck) & ~int(s.tried) != 0


@kernel
def draw_owed(s):
    """DO_DRAWS: an event for every tap that loaded barrels."""
    at = s.depth - 1
    s.tried = 0
    s.kept = 0  # the building is done
    if s.arg[at] == 0 or not refill(s):
        pop(s)
    else:
        s.arg[at] -= 1
        push(s, ASK_EVENT, 0, 0)


@kernel
def draw(s, event):
    """ASK_EVENT: one is drawn; one without effect is put away and another drawn."""
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
    """DO_EVENT: the event is over."""
    s.doing &= ~(1 << int(s.arg[s.depth - 1]))
    pop(s)
    look(s)


# Effects


@kernel
def begin(s, event):
    """Carry out an event that has an effect, or ask what to do."""
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
        push(s, DO_GIFTS, receivers(s), 0)
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
    """DO_MORE: Rosie's Diner, Dynamite and Moonlit Mile, one action at a time."""
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
    """Every token that is loose now; tokens that become loose by this stay."""
    for colour in range(s.colours):
        loose = loose_tokens(s, colour)
        while loose:
            send_home(s, int(s.where[colour, lowest(loose)]))
            loose &= loose - 1
    all_changed(s)


@kernel
def open_secret(s, node):
    """A still is turned up, by nature; or a fog token leaves the game unseen, and nobody knows which."""
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
    """DO_GIFTS: in the order that was fixed when the event was drawn."""
    at = s.depth - 1
    left = int(s.arg[at])
    if left == 0 or s.reserve == 0:
        pop(s)
    else:
        s.arg[at] = left >> 3
        push(s, ASK_GIFT, 1, (left & 7) - 1)


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
    start(s, colour_at(s, seat, place), place, 1, 0)


@kernel
def colour_at(s, seat, place):
    """Which of a seat's colours has the barrels on a place: on a still, where both may have some, the first."""
    if place < STILL_AT:
        return int(s.owner[place]) - 1 if s.owner[place] else int(s.keeper)
    if barrels_at(s, seat, place) and depth_of(s, seat, place):
        return int(seat)
    return int(seat) + int(s.seats)


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
    """A seat has decided what an event does."""
    ask, arg = top(s), int(s.arg[s.depth - 1])
    pop(s)
    if ask == ASK_STILL:
        still = still_of(s, move - CHOOSE)
        if arg == SUPERIOR_SCOTCH:
            superior_scotch(s, still)
        else:
            second_batch(s, still)
    elif ask == ASK_ROB:
        push(s, ASK_ONTO, arg * NODES + move - ROB, seat)
    elif ask == ASK_ONTO:
        if arg // NODES == STICKY_FINGERS:
            sticky_fingers(s, arg % NODES, move - ONTO)
        else:
            no_honor_among_thieves(s, arg % NODES, move - ONTO)
    elif ask == ASK_HOME:
        changed(s, send_home(s, move - HOME))
    elif ask == ASK_RECRUIT:
        changed(s, send_home(s, move - RECRUIT))
    elif ask == ASK_GIFT:
        give_barrels(s, move - GIFT, arg)
    elif ask == ASK_OPEN:
        open_secret(s, move - OPEN)
    elif move != SKIP:
        downhill(s, seat, place_of(s, move - DOWN))

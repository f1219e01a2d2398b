"""The editor of setups, as a game for one: what lies where, what is chosen, and the steps by which that changes.

A step does not depend on whether the setup can be played: the validator says that about every draft, in words. So a
step only needs to know where there is room on the board.
"""

from backroom.engine.kernel import EVERYONE, kernel, record
from backroom.games.rum_run.pieces import ALL_EVENTS, ALL_OBJECTIVES, EVENTS, FOG, LEAST_SIDE, NODES, OBJECTIVES, SIDE

from .pieces import (
    DRAFT_MIXED,
    DRAFT_THINGS,
    FACES,
    FACES_OF,
    FIRST_CARD,
    FIRST_FOG,
    HIGH,
    ROOM,
    SINGLE,
    SQUARE,
    THINGS,
    TOWN,
    WAYS,
    WIDE,
    WIDEST,
)

NAME = "rum-run-setups"
TITLE = "Rum Run Setups"
VERSION = 1
SEATS = (1,)
SEAT_NAMES = ("Maker",)
SECRETS = False

# The vocabulary

TURN, FLIP, REMOVE, DONE, FOLK, OPEN_EVENTS, OPEN_OBJECTIVES, TAKE_ALL, TAKE_NONE, BACK = range(10)
RESIZE = BACK + 1
"""The moves that resize the board, from the smallest size on."""
SIZES = SIDE - LEAST_SIDE + 1
TAKE = RESIZE + SIZES
"""The moves that take a thing out of the box: stills, faces of the obstacle cards, fog, the Town Center."""
TAKE_FACE = TAKE + FIRST_CARD
TAKE_FOG = TAKE_FACE + FACES
TAKE_TOWN = TAKE_FOG + 1
EVENT = TAKE_TOWN + 1
OBJECTIVE = EVENT + len(EVENTS)
AT = OBJECTIVE + len(OBJECTIVES)

EVENTS_THERE, OBJECTIVES_THERE = len(EVENTS), len(OBJECTIVES)
MOST_MOVES = RESIZE + SIZES + (EVENT - TAKE) + NODES
LONGEST = 2_000
"""The number of steps after which a draft is done, whatever it looks like (§3.7)."""

BOARD, EVENT_LIST, OBJECTIVE_LIST = range(3)

STATE = record(
    [
        ("width", "i2"),
        ("folk", "i2"),
        ("over", "i2"),
        ("made", "i2"),  # steps so far
        ("ask", "i2"),  # what is looked at: the board, or a list
        ("hand", "i2"),  # the thing that is chosen, on the board or out of the box
        ("node", "i2"),  # the empty node that is chosen
        ("events", "i4"),
        ("objectives", "i4"),
        ("lies", "i2", (THINGS,)),  # the upper left node of its room; -1: in the box
        ("turned", "i2", (THINGS,)),
        ("flipped", "i2", (THINGS,)),
        ("mixed", "i2", (len(FOG),)),  # fog tokens of each kind, as the draft that was begun with says
    ]
)


@kernel
def setup(s, seats, options):
    s.width = options[0]
    s.folk = options[1]
    s.over = 0
    s.made = 0
    s.ask = BOARD
    s.hand = -1
    s.node = -1
    s.events = options[2]
    s.objectives = options[3]
    for thing in range(THINGS):
        s.lies[thing] = options[DRAFT_THINGS + 3 * thing]
        s.turned[thing] = options[DRAFT_THINGS + 3 * thing + 1]
        s.flipped[thing] = options[DRAFT_THINGS + 3 * thing + 2]
    for kind in range(len(FOG)):
        s.mixed[kind] = options[DRAFT_MIXED + kind]


@kernel
def asked(s):
    return 0 if s.over else 1


# Where things are


@kernel
def shape_of(s, thing):
    """The shape of a thing: of a card, that of the face which is up."""
    if thing < FIRST_CARD:
        return SQUARE
    if thing < FIRST_FOG:
        return FACES_OF[thing - FIRST_CARD, s.flipped[thing]]
    return SINGLE


@kernel
def ways_of(s, thing):
    """The number of ways in which a thing can lie: for a still by its taps, for all others by their shape."""
    return 4 if thing < FIRST_CARD else WAYS[shape_of(s, thing)]


@kernel
def is_on(s, node):
    """§1.1: whether the board has this node."""
    return node // SIDE < s.width and node % SIDE < s.width


@kernel
def covers(s, thing, node):
    """Whether a thing that lies on the board takes up a node."""
    if s.lies[thing] < 0:
        return False
    row, column = node // SIDE - s.lies[thing] // SIDE, node % SIDE - s.lies[thing] % SIDE
    if row < 0 or column < 0 or row >= WIDEST or column >= WIDEST:
        return False
    return ROOM[shape_of(s, thing), s.turned[thing]] >> (row * WIDEST + column) & 1 == 1


@kernel
def thing_at(s, node):
    """What lies on a node; -1: nothing. Of several things the smallest, since the others cover more nodes."""
    for back in range(THINGS):
        if covers(s, THINGS - 1 - back, node):
            return THINGS - 1 - back
    return -1


@kernel
def has_fog(s, node):
    for thing in range(FIRST_FOG, TOWN):
        if s.lies[thing] == node:
            return True
    return False


@kernel
def next_fog(s):
    """The fog token that is taken next; TOWN if all lie on the board."""
    thing = FIRST_FOG
    while thing < TOWN and s.lies[thing] >= 0:
        thing += 1
    return thing


@kernel
def put(s, thing, node):
    """§3.3: what would reach over the edge is pushed back onto the board."""
    shape, turn = shape_of(s, thing), s.turned[thing]
    row = min(node // SIDE, s.width - HIGH[shape, turn])
    column = min(node % SIDE, s.width - WIDE[shape, turn])
    s.lies[thing] = row * SIDE + column


@kernel
def put_away(s, thing):
    """Put a thing into the box; of the fog tokens, which are alike, the last ones are there."""
    s.turned[thing] = 0
    s.flipped[thing] = 0
    s.lies[thing] = -1
    if FIRST_FOG <= thing < TOWN:
        for later in range(thing, TOWN - 1):
            s.lies[later] = s.lies[later + 1]
        s.lies[TOWN - 1] = -1


@kernel
def let_go(s):
    """Choose nothing any more; a chosen thing that is not on the board goes back into the box."""
    if s.hand >= 0 and s.lies[s.hand] < 0:
        put_away(s, s.hand)
    s.hand = -1
    s.node = -1


# Moves


@kernel
def moves(s, seat, out):
    """§3: what can be done with what is chosen; everything in the box; the nodes."""
    if seat != 0 or s.over:
        return 0
    if s.ask != BOARD:
        return list_moves(s, out)
    n = hand_moves(s, out) if s.hand >= 0 else 0
    is_idle = s.hand < 0 and s.node < 0
    if is_idle:
        n = paper_moves(s, out)
    n = box_moves(s, out, n)
    for row in range(s.width):
        for node in range(row * SIDE, row * SIDE + s.width):
            if node != s.node and not (is_fog_in_hand(s) and has_fog(s, node)):
                out[n] = AT + node
                n += 1
    if not is_idle:
        out[n] = BACK
        n += 1
    return n


@kernel
def is_fog_in_hand(s):
    return FIRST_FOG <= s.hand < TOWN


@kernel
def list_moves(s, out):
    """§3.5: the cards of a list go in and out one by one, or all at once."""
    first = EVENT if s.ask == EVENT_LIST else OBJECTIVE
    count = EVENTS_THERE if s.ask == EVENT_LIST else OBJECTIVES_THERE
    for which in range(count):
        out[which] = first + which
    out[count] = TAKE_ALL
    out[count + 1] = TAKE_NONE
    out[count + 2] = BACK
    return count + 3


@kernel
def hand_moves(s, out):
    """§3.2: turn, flip, remove."""
    n = 0
    if ways_of(s, s.hand) > 1:
        out[n] = TURN
        n += 1
    if s.hand < FIRST_FOG:
        out[n] = FLIP
        n += 1
    if s.lies[s.hand] >= 0:
        out[n] = REMOVE
        n += 1
    return n


@kernel
def paper_moves(s, out):
    """§3.4 to §3.6: the moves that do not touch the board: sizes, lists, done."""
    out[0] = FOLK
    out[1] = OPEN_EVENTS
    out[2] = OPEN_OBJECTIVES
    n = 3
    for which in range(SIZES):
        if LEAST_SIDE + which != s.width:
            out[n] = RESIZE + which
            n += 1
    out[n] = DONE
    return n + 1


@kernel
def box_moves(s, out, n):
    """§3.1: whatever is in the box can be taken out."""
    for thing in range(FIRST_FOG):
        if s.lies[thing] < 0 and thing != s.hand:
            if thing < FIRST_CARD:
                out[n] = TAKE + thing
                n += 1
            else:
                for side in range(2):
                    out[n] = TAKE_FACE + FACES_OF[thing - FIRST_CARD, side]
                    n += 1
    if next_fog(s) < TOWN and next_fog(s) != s.hand:
        out[n] = TAKE_FOG
        n += 1
    if s.lies[TOWN] < 0 and s.hand != TOWN:
        out[n] = TAKE_TOWN
        n += 1
    return n


@kernel
def odds(s, out):
    return 0


@kernel
def play(s, seat, move):
    s.made += 1
    if move >= AT:
        touch_node(s, move - AT)
    elif move >= EVENT:
        change_list(s, move)
    elif move >= TAKE:
        take(s, move)
    elif move >= RESIZE:
        resize(s, LEAST_SIDE + move - RESIZE)
    elif move <= REMOVE:
        handle(s, move)
    elif move == DONE:
        s.over = 1
    elif move == FOLK:
        s.folk = 1 - s.folk
    elif move == OPEN_EVENTS:
        s.ask = EVENT_LIST
    elif move == OPEN_OBJECTIVES:
        s.ask = OBJECTIVE_LIST
    elif move == BACK:
        s.ask = BOARD
        let_go(s)
    else:
        change_list(s, move)
    if s.made >= LONGEST:
        let_go(s)
        s.over = 1


@kernel
def touch_node(s, node):
    """§3.1, §3.2: lay down what is chosen; else choose what lies there, or the node."""
    if s.hand >= 0:
        put(s, s.hand, node)
        let_go(s)
        return
    thing = thing_at(s, node)
    s.hand = thing
    s.node = -1 if thing >= 0 else node


@kernel
def handle(s, move):
    """§3.2: turn, flip or remove what is chosen."""
    thing = s.hand
    if move == TURN:
        s.turned[thing] = (s.turned[thing] + 1) % ways_of(s, thing)
    elif move == FLIP:
        s.flipped[thing] = 1 - s.flipped[thing]
        s.turned[thing] %= ways_of(s, thing)
    else:
        s.hand = -1
        put_away(s, thing)
        return
    if s.lies[thing] >= 0:
        put(s, thing, s.lies[thing])


@kernel
def take(s, move):
    """§3.1: out of the box, onto the node that is chosen, or into the hand."""
    node = s.node
    let_go(s)
    if move == TAKE_TOWN:
        thing = TOWN
    elif move == TAKE_FOG:
        thing = next_fog(s)
    elif move >= TAKE_FACE:
        thing = thing_with(move - TAKE_FACE)
        s.flipped[thing] = 0 if FACES_OF[thing - FIRST_CARD, 0] == move - TAKE_FACE else 1
    else:
        thing = move - TAKE
    if node >= 0:
        put(s, thing, node)
    else:
        s.hand = thing


@kernel
def thing_with(face):
    """The card that has a face."""
    card = 0
    while FACES_OF[card, 0] != face and FACES_OF[card, 1] != face:
        card += 1
    return FIRST_CARD + card


@kernel
def change_list(s, move):
    """§3.5: one card of a list goes in or out; or all do."""
    every = ALL_EVENTS if s.ask == EVENT_LIST else ALL_OBJECTIVES
    cards = int(s.events) if s.ask == EVENT_LIST else int(s.objectives)
    if move == TAKE_ALL:
        cards = every
    elif move == TAKE_NONE:
        cards = 0
    else:
        cards ^= 1 << (move - (EVENT if s.ask == EVENT_LIST else OBJECTIVE))
    if s.ask == EVENT_LIST:
        s.events = cards
    else:
        s.objectives = cards


@kernel
def resize(s, size):
    """§3.4: what no longer has all its room on the board goes back into the box."""
    s.width = size
    for back in range(THINGS):
        thing = THINGS - 1 - back
        if s.lies[thing] >= 0 and is_over_the_edge(s, thing):
            put_away(s, thing)


@kernel
def is_over_the_edge(s, thing):
    shape, turn = shape_of(s, thing), s.turned[thing]
    row, column = s.lies[thing] // SIDE, s.lies[thing] % SIDE
    return row + HIGH[shape, turn] > s.width or column + WIDE[shape, turn] > s.width


@kernel
def seen(s, seat, move):
    return EVERYONE


@kernel
def hide(s, seat):
    return


@kernel
def imagine(s, seat, dice):
    return


@kernel
def score(s, out):
    """§3.6: nothing is won or lost; what was made is what counts."""
    out[0] = 1.0


@kernel
def is_whole(s):
    """Whether everything lies wholly on the board, in the box as it came, or in the hand, and fog on distinct nodes."""
    gap = False
    for thing in range(THINGS):
        if s.turned[thing] < 0 or s.turned[thing] >= ways_of(s, thing):
            return False
        if s.lies[thing] >= 0 and is_over_the_edge(s, thing):
            return False
        if s.lies[thing] < 0 and thing != s.hand and (s.turned[thing] or s.flipped[thing]):
            return False
        if FIRST_FOG <= thing < TOWN:
            for other in range(FIRST_FOG, thing):
                if s.lies[thing] >= 0 and s.lies[other] == s.lies[thing]:
                    return False
            if gap and s.lies[thing] >= 0:
                return False
            gap = gap or s.lies[thing] < 0
    return not (s.hand >= 0 and s.node >= 0) and (s.ask == BOARD or (s.hand < 0 and s.node < 0))

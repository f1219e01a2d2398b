"""The record of a game of Rum Run, the vocabulary of its moves, and the stack of open questions."""

from backroom.engine.kernel import around, kernel, record
from backroom.games.rum_run.pieces import (
    EAST,
    FOG,
    KINDS,
    MOST_STILLS,
    MOST_SUPPLIES,
    MOST_TAPS,
    NODES,
    OBJECTIVES,
    OFF,
    SIDE,
    SOUTH,
    TOKENS,
    VARIANTS,
)

# What lies on a node, besides tokens

FREE, FOGGY, MUD, TOWN, PAVED, OUTSIDE = range(6)
STILL = 8  # + which still of the game
OBSTACLE = 16  # + which face

# Places of a road: a node, a still that is a crossroads (§6.7), or the Town Center, where all roads begin

STILL_AT = NODES + 1  # + which still of the game
TOWN_AT = STILL_AT + MOST_STILLS
NOBODY = -1
DEEPEST = 20

QUEUE, DEPTHS, ROWS = 0, 36, 72
"""Where in `work` a flood keeps its places and their depths, and a list of moves the nodes it has been at."""

STATE = record(
    [
        ("face", "u1", NODES + 1),  # how a token lies on each node; 0: none
        ("owner", "u1", NODES + 1),  # the colour of that token, plus 1
        ("barrels", "u1", NODES + 1),  # on a token, or a paved road
        ("dist", "u1", NODES + 1),  # steps to the Town Center along the colour's road; 0: not joined
        ("ground", "u1", NODES + 1),
        ("where", "u1", (4, TOKENS)),  # of each colour's tokens on the board: the node
        ("hand", "i4", 4),  # each colour's inventory, as a set of tokens
        ("tapped", "i4", 4),  # the taps that a colour has tapped (§5.1), as a set: still * 4 + tap
        ("shown", "i4", 4),  # the tokens that a seat has shown to begin (§2.4)
        ("loops", "i1", 4),  # 1: a colour's joined road is no tree
        # stills
        ("kind", "i1", MOST_STILLS),  # -1: face down, or none
        ("corner", "u1", MOST_STILLS),  # the upper left node
        ("turned", "i1", MOST_STILLS),
        ("tap_count", "i1", MOST_STILLS),  # 0 while face down
        ("taps", "u1", (MOST_STILLS, MOST_TAPS)),
        ("faces", "i1", (MOST_STILLS, MOST_TAPS)),  # the direction from a tap to the still
        ("supplies", "i1", MOST_STILLS),  # how many are left
        ("supply", "u1", (MOST_STILLS, MOST_SUPPLIES)),
        ("stored", "u1", (4, MOST_STILLS)),  # barrels that a colour has on a still (§6.7)
        ("reach", "u1", (4, MOST_STILLS)),  # a still's steps to the Town Center for a colour; 0: no piece of its road
        # fog
        ("fog", "i1", len(FOG)),  # the tokens that nobody has seen yet, by kind
        ("paved", "i2"),  # the node of the paved road; -1: none
        ("ends", "i2"),  # the two directions it faces, as a set
        ("keeper", "i2"),  # the colour that holds it
        ("last_keeper", "i2"),  # and that held it last
        ("linked", "i2"),  # the colours that are linked and joined to it, as a set
        # decks
        ("cards", "i4"),  # the events in this game, as a set
        ("deck", "i4"),  # those not yet used
        ("doing", "i4"),  # those being done
        ("tried", "i4"),  # those drawn since the last that could do something
        ("goals", "i2"),  # the objectives in this game, as a set
        ("holder", "i1", len(OBJECTIVES)),  # the seat that has it; -1: on the table
        ("achiever", "i1", len(OBJECTIVES)),  # the seat that achieved it last; -1: none
        ("meets", "i1", len(OBJECTIVES)),  # the seats that fulfil it now, as a set
        ("bag", "i2"),  # the stills that lie face down somewhere, as a set of kinds
        # players
        ("scored", "i2", 4),  # barrels of each seat, rewards not counted
        ("broken", "i2", 4),  # opponents' tokens that each seat has broken
        ("safe", "i1", 4),  # 1: a seat's tokens cannot be broken (Safe Passage)
        ("sealed", "i1", 4),  # a seat's secret pick, plus 1 (§2.4); 0: none; UNKNOWN to others
        ("first", "i1", 4),  # the token a colour must place in its first turn, plus 1; 0: none
        # the question that is being answered: a building
        ("node", "i2"),  # chosen to build on; -1: none
        ("token", "i2"),  # chosen to be placed, or in hand; -1: none
        ("lifted", "i2"),  # where a loose token was taken up; -1: nowhere
        ("lifted_face", "i2"),  # how it lay there
        ("kept", "i2"),  # who held the paved road when the building began, and what else must come back with it
        # and a caravan
        ("walker", "i2"),  # the colour whose barrels move
        ("road", "i2"),  # the colour on whose road they are; -1: past the Town Center, nobody chosen yet
        ("at", "i2"),  # the place they have come to
        ("load", "i2"),  # the barrels in hand
        ("aim", "i2"),  # the node they go to on a piece cut off (§6.3); -1: the Town Center
        ("came", "i2"),  # the place from which they reached the Town Center
        ("was", "i2"),  # the barrels that lay on an opponent's place before
        ("gain", "i2"),  # 1: a barrel has been scored
        # the game
        ("reserve", "i2"),
        ("turn", "i2"),  # the colour in turn
        ("step", "i2"),  # from one colour's turn to the next: 1, or 3 if the second of two with two colours begins
        ("quiet", "i2"),  # turns in which no barrel was tapped, scored or stolen (§7.2)
        ("stirred", "i2"),  # 1: one was, in this turn
        ("passes", "i2"),
        ("over", "i2"),
        ("winners", "i2"),  # as a set of seats
        ("ties", "i2"),  # how often the lowest picks were equal (§2.4)
        ("picking", "i2"),  # who picks, as a set of seats
        ("width", "i2"),
        ("town", "i2"),
        ("tokens", "i4"),  # those that a colour has in this game, as a set
        ("seats", "i2"),
        ("colours", "i2"),
        ("noticed", "i2"),  # 1: objectives must be claimed (§11.1)
        ("depth", "i2"),
        ("ask", "i1", DEEPEST),
        ("arg", "i2", DEEPEST),
        ("who", "i1", DEEPEST),
        ("work", "u2", 88),
    ]
)

# The vocabulary of moves

TOKEN = 0
NODE = TOKEN + TOKENS
PICK = NODE + NODES
RETURN = PICK + NODES
CARAVAN = RETURN + NODES
VIA = CARAVAN + NODES
TOWARD = VIA + NODES
CHOOSE = TOWARD + NODES  # a still for an event
ROB = CHOOSE + NODES
ONTO = ROB + NODES
HOME = ONTO + NODES
GIFT = HOME + NODES
OPEN = GIFT + NODES
DOWN = OPEN + NODES
RECRUIT = DOWN + NODES
TO = RECRUIT + NODES
END = TO + 4
CLAIM = END + 4
DRAW_FOG = CLAIM + len(OBJECTIVES)
TURN_UP = DRAW_FOG + len(FOG)
DRAW_STILL = TURN_UP + KINDS
DRAW_EVENT = DRAW_STILL + KINDS
LOT = DRAW_EVENT + 18
SKIP = LOT + 4
PASS = SKIP + 1
PLACE = PASS + 1  # + (node * VARIANTS + variant) * 4 + direction
STEP_BACK = PLACE + NODES * VARIANTS * 4

# Open questions: what a seat is asked, what nature is, and what happens by itself when it comes to lie on top

(
    ASK_PICK,
    ASK_ACT,
    ASK_SECOND,
    ASK_END,
    ASK_OFF,
    ASK_AIM,
    ASK_VIA,
    ASK_TO,
    ASK_STILL,
    ASK_ROB,
    ASK_ONTO,
    ASK_HOME,
    ASK_GIFT,
    ASK_OPEN,
    ASK_DOWN,
    ASK_RECRUIT,
    ASK_LOT,
    ASK_FOG,
    ASK_TURN_UP,
    ASK_EVENT,
    ASK_STILLS,
    DO_LAND,
    DO_DRAWS,
    DO_EVENT,
    DO_MORE,
    DO_CARAVAN,
    DO_GIFTS,
    DO_DOWNS,
    DO_END,
) = range(1, 30)
FIRST_OF_NATURE, FIRST_TO_DO = ASK_LOT, DO_LAND

# How an action is to be taken, as bits of the argument of ASK_ACT

BUILDING, MOVING, FREELY, BOLDLY = 1, 2, 4, 8
"""Build; caravan; a free action, to which no obligation applies; strength does not matter (Dynamite)."""


@kernel
def next_node(node, direction):
    """The node that lies beside another in a direction; OFF beyond the edge, and beside OFF itself.

    It is computed, not looked up: a GPU keeps a copy of a table for every kernel that reads it. All directions take
    the same steps, so threads of a GPU do not wait for each other.
    """
    node, is_across = int(node), direction & 1 == 1
    step = 1 if is_across else SIDE
    beside = node + step if EAST <= direction <= SOUTH else node - step
    is_there = 0 <= beside < NODES and node < NODES and not (is_across and (beside ^ node) >= SIDE)
    return beside if is_there else OFF


@kernel
def push(s, ask, arg, who):
    """Open a question, above those that wait."""
    s.ask[s.depth] = ask
    s.arg[s.depth] = arg
    s.who[s.depth] = who
    s.depth += 1


@kernel
def pop(s):
    """Close the open question: it is answered, or done."""
    s.depth -= 1
    s.ask[s.depth] = 0
    s.arg[s.depth] = 0
    s.who[s.depth] = 0


@kernel
def top(s):
    """The question that is open now."""
    return int(s.ask[s.depth - 1]) if s.depth else 0


@kernel
def seat_of(s, colour):
    """§2.5: who plays a colour."""
    return around(int(colour), int(s.seats))


@kernel
def still_of(s, node):
    """The still that lies on a node; -1: none."""
    ground = int(s.ground[node])
    return ground - STILL if STILL <= ground < OBSTACLE else -1


@kernel
def node_of(s, place):
    """The node that names a place: a still goes by its upper left one."""
    return int(s.corner[place - STILL_AT]) if STILL_AT <= place < TOWN_AT else int(place)


@kernel
def place_of(s, node):
    """The place that a node names."""
    still = still_of(s, node)
    return STILL_AT + still if still >= 0 else int(node)


@kernel
def store(s, colour, place, barrels):
    """Put barrels on a place of a colour's road, or take them off."""
    if place >= STILL_AT:
        s.stored[colour, place - STILL_AT] = int(s.stored[colour, place - STILL_AT]) + barrels
    else:
        s.barrels[place] = int(s.barrels[place]) + barrels


@kernel
def barrels_at(s, colour, place):
    """The barrels that a colour has on a place of its road."""
    if place >= STILL_AT:
        return int(s.stored[colour, place - STILL_AT])
    return int(s.barrels[place])


@kernel
def from_reserve(s, barrels):
    """§1.4: take barrels from the reserve, as many as there are; returns their number."""
    given = min(int(barrels), int(s.reserve))
    s.reserve -= given
    return given

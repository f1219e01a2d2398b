"""The record of a game of Rummy Runners, the vocabulary of its moves, and its beginning."""

from backroom.engine.kernel import NATURE, UNKNOWN, kernel, lowest, record
from backroom.games.rummy_runners.pieces import CANVAS, CARDS, DIRECTIONS, LONGEST_SET, TILES

NAME = "rummy-runners"
TITLE = "Rummy Runners"
VERSION = 1
SEATS = (2, 3, 4)
SEAT_NAMES = ("Green", "Violet", "Black", "White")

STATE = record(
    [
        ("hand", "i8", 4),  # the cards each seat holds, as a set; UNKNOWN if they may not be seen
        ("before", "i8", 4),  # the cards face up before each seat
        ("chosen", "i8"),  # the cards picked for the current meld, as a set; empty for all but their seat
        ("owned", "i4", 4),  # the tiles each seat has claimed, as a set
        ("tiles", "i4", 4),  # the tiles each seat has still to place (§6, controlled zoning)
        ("locked", "i4"),  # claims that are final (§6, disputes)
        ("dead", "i4"),  # nulls that nobody can get any more (§4.2)
        ("spot", "i2", TILES),  # where each tile lies on the canvas; UNKNOWN before it does
        ("held", "i2", 4),  # the number of cards each seat holds: public (§1.3)
        ("deck", "i2"),  # the number of cards left
        ("laid", "i2"),  # the number of tiles on the land
        ("picked", "i2"),  # the number of picked cards
        ("idle", "i2"),  # turns in a row with an empty deck and no meld (§2.2)
        ("seats", "i2"),
        ("first", "i2"),  # who begins, UNKNOWN before the lot
        ("turn", "i2"),  # whose turn it is, or who gets the next card or tile
        ("stage", "i2"),
        ("winner", "i2"),  # by §5.1 or §5.2; UNKNOWN if nobody has won so
        ("zoning", "i1"),
        ("disputes", "i1"),
        ("sets", "i1"),
        ("land", "i1"),
        ("picks", "i1", LONGEST_SET),  # the picked cards, in order; UNKNOWN beyond
        ("near", "i1", (TILES, DIRECTIONS)),  # the tile beside each tile, or UNKNOWN: follows from `spot`, for speed
        ("work", "i4", CANVAS + 2),
    ]
)

LOT, LAYING, PLACING, DEALING, MELDING, DRAWING, OVER = range(7)

FIRST = 0  # + seat
TILE = FIRST + 4  # + tile: nature lays it, or deals it out
CARD = TILE + TILES  # + card
TAKE = CARD + CARDS  # + card
LAY = TAKE + CARDS
DRAW = LAY + 1
PASS = DRAW + 1
PLACE = PASS + 1  # + tile * CANVAS * CANVAS + space
BACK = PLACE + TILES * CANVAS * CANVAS

SECRETS = True
MOST_MOVES = 288  # twelve tiles and the 24 squares of an empty frame; elsewhere far fewer
LONGEST = 4000  # 61 + 60 turns that draw, 60 melds of 21 steps, 4 passes a meld: under 2000; and steps back


@kernel
def setup(s, seats, options):
    s.hand[:] = 0
    s.before[:] = 0
    s.owned[:] = 0
    s.tiles[:] = 0
    s.locked = 0
    s.dead = 0
    s.spot[:] = UNKNOWN
    s.near[:] = UNKNOWN
    s.held[:] = 0
    s.deck = CARDS
    s.laid = 0
    s.idle = 0
    s.seats = seats
    s.first = UNKNOWN
    s.turn = 0
    s.stage = LOT
    s.winner = UNKNOWN
    s.zoning = options[0]
    s.disputes = options[1]
    s.sets = options[2]
    s.land = options[3]
    clear_picks(s)


@kernel
def clear_picks(s):
    s.chosen = 0
    s.picked = 0
    s.picks[:] = UNKNOWN


@kernel
def asked(s):
    if s.stage == OVER:
        return 0
    if s.stage == MELDING or s.stage == PLACING:
        return 1 << s.turn
    return 1 << NATURE


@kernel
def pass_on(s):
    """The next seat's turn."""
    s.turn = s.turn + 1 if s.turn + 1 < s.seats else 0


@kernel
def each(bits, first, out, n):
    """Write a move for each member of a set, from out[n] on."""
    while bits:
        out[n] = first + lowest(bits)
        n += 1
        bits &= bits - 1
    return n

"""The state of Booze Barons, its moves as numbers, and helpers that all its rules use."""

import numpy as np

from backroom.engine.kernel import UNKNOWN, around, bit_count, kernel, record
from backroom.games.booze_barons.pieces import (
    ANY_BOOZE,
    BIT,
    BOOZES,
    BOX,
    CARDS,
    CARRIES,
    IN_MOB,
    LOCATIONS,
    MOST_SEATS,
    SHOWS,
)

MIXED = 1 << LOCATIONS
"""The number of the option `sides` that stands for drawing them."""


NAME = "booze-barons"
TITLE = "Booze Barons"
VERSION = 1
SEATS = tuple(range(3, MOST_SEATS + 1))
SEAT_NAMES = tuple(who["name"] for who in BOX["bootleggers"])
NERVES = np.array([0, 2, 3], np.int64)

# What is asked, in the order of a game
SIDES, DEAL, FIRST, LOT_BARON, MOVE, ACT, LOOK, TAKE, CASINO_DRAW, CASINO_TURN, LOT_CARD, REFILL, OVER = range(13)

NOWHERE = LOCATIONS
"""The place of a pawn before the first round, and of a sealed choice that has not been made."""
UNDEALT = BOOZES
NOBODY = MOST_SEATS
"""The captor of a movement card that lies in the box, and the `mark` of a question that is about nobody."""
OUT = -2
"""The layer of a delivery that is not in the deck."""
PILES = 29
"""The fresh cards, and a pile below for each of 27 cards, and one more while somebody draws."""

STATE = record(
    [
        ("held", "i8", MOST_SEATS),  # the deliveries before each seat, as a set
        ("lying", "i8", LOCATIONS),  # the deliveries at each location, as a set
        ("up", "i8"),  # of those before seats, the ones face up: taken this round (§5.5)
        ("among", "i8"),  # what TAKE may be taken from
        ("known", "i2", CARDS),  # of each card in a pile below the deck: the seats that have seen it, as bits
        ("could", "i2", MOST_SEATS),  # the boozes that each seat can have, as all can tell; as bits
        ("denied", "i2", MOST_SEATS),  # the boozes that were named wrongly of each seat (§5.6), as bits
        ("layer", "i1", CARDS),  # in the deck: 0 fresh, 1 the pile on top of the others, …; OUT; UNKNOWN
        ("height", "i1", PILES),  # how many cards each layer has
        ("drawer", "i1", PILES),  # whose pile it is
        ("booze", "i1", MOST_SEATS),  # UNDEALT; UNKNOWN
        ("pawn", "i1", MOST_SEATS),  # where each is: that movement card lies on the table (§3.1)
        ("sealed", "i1", MOST_SEATS),  # where each will go; NOWHERE: not chosen; UNKNOWN
        ("lost", "i1", MOST_SEATS),  # the location closed to each for good (§3.2), or NOWHERE
        ("captor", "i1", MOST_SEATS),  # who has that movement card; NOBODY: nobody, or the box
        ("when", "i1", MOST_SEATS),  # the round in which each was exposed, or 0
        ("piles", "i2"),
        ("deck", "i2"),  # how many cards it has, all together
        ("exposed", "i2"),  # seats, as bits
        ("snitches", "i2"),  # seats with a snitch token, as bits
        ("ask", "i2"),
        ("turn", "i2"),  # whose action it is; while boozes are dealt, who gets one
        ("mark", "i2"),  # whom the question is about: who is tailed, who takes, whose card goes back
        ("todo", "i2"),  # how many sides, cards or takes are still to come
        ("acted", "i2"),  # how many have acted in this round
        ("baron", "i2"),
        ("rounds", "i2"),  # the number of this round, from 1
        ("seats", "i2"),
        ("sides", "i2"),  # bits of locations with side B up
        ("refill", "i2"),
        ("memory", "i2"),
        ("nerve", "i2"),
        ("looks", "i1", MOST_SEATS),  # the bootlegger of each seat (§1.4)
        ("work", "i2", 12),
    ]
)

# Moves
SIDE = 0  # + 0 for A, 1 for B
DEAL_BOOZE = SIDE + 2
BARON = DEAL_BOOZE + BOOZES
DRAW = BARON + MOST_SEATS  # + card
GO = DRAW + CARDS  # + location
TAKE_CARD = GO + LOCATIONS
EVENT = TAKE_CARD + CARDS
EVENT_SEAT = EVENT + 1
EVENT_CARD = EVENT_SEAT + MOST_SEATS
TAIL = EVENT_CARD + CARDS
STEAL = TAIL + MOST_SEATS
NAME_BOOZE = STEAL + CARDS
NOTHING = NAME_BOOZE + BOOZES
PASS = NOTHING + 1
ALL_MOVES = PASS + 1

SECRETS = True
BACK = UNKNOWN  # every step is made at once
MOST_MOVES = 48  # at Dockyard B with all 36 deliveries lying about: each can be brought or taken; 8 tails; pass
LONGEST = 5000  # 28 rounds at most; choices that are changed again and again make most of it


@kernel
def setup(s, seats, options):
    s.held[:] = 0
    s.lying[:] = 0
    s.up = 0
    s.among = 0
    s.known[:] = 0
    s.could[:] = ANY_BOOZE
    s.denied[:] = 0
    s.layer[:] = 0
    s.height[:] = 0
    s.height[0] = CARDS
    s.drawer[:] = 0
    s.booze[:] = UNDEALT
    s.pawn[:] = NOWHERE
    s.sealed[:] = NOWHERE
    s.lost[:] = NOWHERE
    s.captor[:] = NOBODY
    s.when[:] = 0
    s.piles = 0
    s.deck = CARDS
    s.exposed = 0
    s.snitches = 0
    s.turn = 0
    s.mark = NOBODY
    s.acted = 0
    s.baron = 0
    s.rounds = 0
    s.seats = seats
    s.refill = options[1]
    s.memory = options[2]
    s.nerve = NERVES[options[3]]
    for seat in range(MOST_SEATS):
        s.looks[seat] = options[4 + seat]
    if options[0] == MIXED:
        s.sides = 0
        s.ask = SIDES
        s.todo = LOCATIONS
    else:
        s.sides = options[0]
        s.ask = DEAL
        s.todo = 0


# helpers


@kernel
def shows(card, booze):
    """§4.5: whether a delivery shows the booze."""
    return SHOWS[card] >> booze & 1 == 1


@kernel
def fitting(s, seat, cards):
    """Of a set of deliveries, those that show the seat's booze."""
    return cards & CARRIES[s.booze[seat]]


@kernel
def home(card):
    """§1.3: the location printed on a delivery."""
    return card // LOCATIONS


@kernel
def where(s, card):
    """The location where a delivery lies."""
    place = home(card)
    for other in range(LOCATIONS):
        if s.lying[other] & BIT[card]:
            place = other
    return place


@kernel
def is_b(s, place):
    """§1.2: whether a location has its side B up."""
    return int(s.sides) >> place & 1 == 1


@kernel
def is_exposed(s, seat):
    return int(s.exposed) >> seat & 1 == 1


@kernel
def has_snitch(s, seat):
    return int(s.snitches) >> seat & 1 == 1


@kernel
def mob_of(s, seat):
    return int(s.booze[seat]) // IN_MOB


@kernel
def unexposed(s):
    """§5.4: the number of players who are not exposed."""
    return int(s.seats) - bit_count(int(s.exposed))


@kernel
def after(s, seat, steps):
    """The seat that sits `steps` places clockwise."""
    return around(seat + steps, int(s.seats))


@kernel
def are_neighbours(place, other):
    """§1.2: whether two locations are next to each other in the ring."""
    apart = abs(place - other)
    return apart == 1 or apart == LOCATIONS - 1


@kernel
def open_places(s, seat):
    """§3.1, §3.2: where the seat can go, as bits: not where it is, nor where its card is lost."""
    return ((1 << LOCATIONS) - 1) & ~(1 << int(s.pawn[seat])) & ~(1 << int(s.lost[seat]))


@kernel
def can_be_tailed(s, seat):
    """§6.1: whether a seat can be tailed: not at River Caves A."""
    return s.pawn[seat] != 0 or is_b(s, 0)


@kernel
def stealable(s, seat, victim):
    """§4.3, §6: what a seat could steal from another: face down, showing its booze, and not at River Caves B."""
    if s.pawn[victim] == 0 and is_b(s, 0):
        return np.int64(0)
    return fitting(s, seat, s.held[victim] & ~s.up)


@kernel
def can_be_exposed(s, seat):
    """§4.3, §9: whether a seat can be exposed by a guess."""
    return not is_exposed(s, seat) and bit_count(s.held[seat]) >= s.nerve

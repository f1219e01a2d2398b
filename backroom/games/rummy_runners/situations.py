"""What a first game of Rummy Runners explains, each once, when it first arises."""

from backroom.engine.kernel import NATURE
from backroom.engine.protocol import Seat, Situation, State

from .pieces import NULL, OF_SUIT
from .rules.melds import is_set, takes
from .rules.state import MELDING, PLACING, asked

SPACES = (1 << NULL) - 1
MAJORITY = 3


def melds(v: State, seat: Seat) -> bool:
    return v.stage == MELDING and int(asked(v)) == 1 << seat


def others(v: State, seat: Seat) -> list[Seat]:
    return [other for other in range(int(v.seats)) if other != seat]


def can_scavenge(v: State, seat: Seat) -> bool:
    """Whether a card before somebody else can be picked."""
    lying = 0
    for other in others(v, seat):
        lying |= int(v.before[other])
    return melds(v, seat) and bool(int(takes(v, seat)) & lying)


def of_one_suit(v: State, seat: Seat) -> int:
    """How many spaces of its best suit a seat has."""
    return max((int(v.owned[seat]) & int(suit)).bit_count() for suit in OF_SUIT)


SITUATIONS = (
    Situation(
        "placing",
        "The land is laid by all of you: put a tile of yours beside two others (§6).",
        lambda v, seat: v.stage == PLACING and int(asked(v)) == 1 << seat,
    ),
    Situation(
        "turn",
        "Three spaces of the land in a line win, or four that hang together (§5); sets claim them. You may lay one "
        "set, and then you draw a card (§2.1). A set is three or more cards of one number, one suit or one colour "
        "(§3.1).",
        lambda v, seat: melds(v, seat) and not v.sets,
    ),
    Situation(
        "claim",
        "Two colours of the same suit and number before you claim that space for good (§4.1).",
        lambda v, seat: melds(v, seat) and bool(v.picked),
    ),
    Situation(
        "scavenge",
        "Cards before other players can be picked for your set, as long as one comes from your hand (§3.2).",
        can_scavenge,
    ),
    Situation(
        "set",
        "What you have picked is a set: lay it, or add more that fits (§3.1).",
        lambda v, seat: melds(v, seat) and bool(is_set(v, seat)),
    ),
    Situation(
        "null",
        "A null, a space without a number, comes to whoever has three spaces of its suit, at once (§4.2).",
        lambda v, seat: any(of_one_suit(v, each) >= MAJORITY - 1 for each in (seat, *others(v, seat))),
    ),
    Situation(
        "dead null",
        "A null lies face down: no one can have three spaces of its suit any more, so it is a hole (§4.2).",
        lambda v, seat: bool(v.dead),
    ),
    Situation(
        "winning",
        "Three of your spaces in a straight line win at once, and so do any four that hang together (§5.1, §5.2).",
        lambda v, seat: any(
            (int(v.owned[each]) & SPACES).bit_count() >= MAJORITY - 1 for each in (seat, *others(v, seat))
        ),
    ),
    Situation(
        "empty deck",
        "The deck is empty. If nobody lays a set for a whole round, most spaces win (§2.2, §5.3).",
        lambda v, seat: v.deck == 0 and int(asked(v)) not in (0, 1 << NATURE),
    ),
)

"""Why a move of Booze Barons is refused. What is legal is decided in the rules; this only finds the § to name."""

from backroom.engine.kernel import NATURE
from backroom.engine.marks import who
from backroom.engine.protocol import Move, Seat, State

from .pieces import (
    CASINO,
    CAVES,
    CLUB,
    DOCK,
    PETES,
)
from .rules.state import (
    ACT,
    EVENT,
    EVENT_CARD,
    EVENT_SEAT,
    GO,
    LOOK,
    MOVE,
    NAME_BOOZE,
    NOTHING,
    NOWHERE,
    PASS,
    STEAL,
    TAIL,
    TAKE_CARD,
    can_be_tailed,
    is_b,
    is_exposed,
)
from .words import PLACES, delivery


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a move is not among `moves`: half a sentence, with the §."""
    if (seat == NATURE) != (move < GO):
        return "what is drawn and dealt is chance's, the rest the players' (§2.3)"
    if seat == NATURE:
        return "that cannot be drawn now (§2.3)"
    if move < TAKE_CARD:
        return _why_not_go(v, seat, move - GO)
    if v.ask == MOVE:
        return "first everyone chooses where to go (§3.1)"
    if move >= STEAL and move != PASS:
        return _why_not_follow(v, seat, move)
    if v.ask != ACT:
        return _why_not_here(v, seat, move)
    here = int(v.pawn[seat])
    if move < EVENT:
        return _why_not_take(v, seat, here, move - TAKE_CARD)
    if move < TAIL:
        return _why_no_event(v, seat, here, move)
    if move < STEAL:
        return _why_no_tail(v, seat, here, move - TAIL)
    return "that is not open now (§4)"


def _why_not_go(v: State, seat: Seat, place: int) -> str:
    if v.ask != MOVE:
        return "pawns move only in the move phase (§3.1)"
    if int(v.pawn[seat]) == place:
        return "your card of it lies on the table: nobody stays where he is (§3.1)"
    if int(v.lost[seat]) == place:
        return "your card of it is gone, so it is closed to you for good (§3.2)"
    return "you have chosen that already (§3.1)"


def _why_not_here(v: State, seat: Seat, move: Move) -> str:
    """Why another action is refused in the middle of one."""
    if TAKE_CARD <= move < EVENT and v.ask != LOOK:
        card = move - TAKE_CARD
        if not v.among >> card & 1:
            return f"{delivery(card)} is not among those you may take now (§6)"
        return f"{delivery(card)} does not show your booze (§4.5)"
    return "you have begun another action, which comes first (§4)"


def _why_not_take(v: State, seat: Seat, here: int, card: int) -> str:
    if not v.lying[here] >> card & 1:
        return f"{delivery(card)} does not lie where you are (§4.1)"
    return f"{delivery(card)} does not show your booze (§4.5)"


def _why_not_follow(v: State, seat: Seat, move: Move) -> str:
    if move == NOTHING:
        return "you are not offered anything now; you may pass (§4.4)"
    if v.ask != LOOK:
        return "you must tail somebody first (§4.3)"
    other = int(v.mark)
    if move >= NAME_BOOZE:
        if is_exposed(v, other):
            return f"{who(other)} is exposed already (§4.7)"
        return f"only who has {v.nerve} deliveries or more can be exposed by a guess (§9)"
    card = move - STEAL
    if not v.held[other] >> card & 1:
        return f"{who(other)} does not have {delivery(card)} (§4.3)"
    if int(v.pawn[other]) == CAVES and is_b(v, CAVES):
        return "nobody can be stolen from at River Caves B (§6)"
    if v.up >> card & 1:
        return f"{delivery(card)} lies face up (§4.5)"
    return f"{delivery(card)} does not show your booze (§4.5)"


def _why_no_event(v: State, seat: Seat, here: int, move: Move) -> str:
    if here in (NOWHERE, CAVES):
        return "your location has no event to use; it is always on (§6)"
    if here == CASINO and move == EVENT:
        return "the deck is empty (§6.3)"
    whole = {
        CASINO: "event alone",
        DOCK: "event and a delivery",
        CLUB: "event and a player",
        PETES: "event and a player",
    }
    kind = whole.get(here, "event and a player" if is_b(v, here) else "event and a delivery")
    given = "event alone" if move == EVENT else "event and a player" if move < EVENT_CARD else "event and a delivery"
    if kind != given:
        return f"the event of {PLACES[here]} is written {kind} (§6)"
    if move < EVENT_CARD:
        other = move - EVENT_SEAT
        if other >= v.seats or other == seat:
            return "it takes another player of this table (§6)"
        if here == CLUB and other != (seat + (-1 if is_b(v, here) else 1)) % int(v.seats):
            return f"it is the player on your {'right' if is_b(v, here) else 'left'} whom you tail here (§6)"
        if not can_be_tailed(v, other):
            return "nobody can be tailed at River Caves A (§6.1)"
        return f"it can do nothing with {who(other)} now (§6.3)"
    return f"it can do nothing with {delivery(move - EVENT_CARD)} now (§6.3)"


def _why_no_tail(v: State, seat: Seat, here: int, other: int) -> str:
    if other >= v.seats or other == seat:
        return "you can tail another player of this table (§4.3)"
    if int(v.pawn[other]) != here:
        return f"{who(other)} is not where you are (§4.3)"
    return "nobody can be tailed at River Caves A (§6)"

"""Why an answer in Booze Barons is better than another: coins at hand, and what it tells or finds out."""

from backroom.engine.marks import who
from backroom.engine.protocol import Move, Seat, State

from .pieces import BOOZES, CARRIES, SHOWS
from .rules.state import (
    EVENT,
    EVENT_CARD,
    EVENT_SEAT,
    GO,
    NAME_BOOZE,
    NOTHING,
    STEAL,
    TAIL,
    TAKE_CARD,
    is_exposed,
)
from .words import PLACES, booze_in_words


def reasons_for(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """What speaks for the first of two answers."""
    if GO <= move < TAKE_CARD:
        return _for_going(v, seat, move, other)
    if TAKE_CARD <= move < EVENT:
        return _for_taking(v, seat, move - TAKE_CARD, other)
    if TAIL <= move < STEAL:
        return _about(v, int(move - TAIL))
    if STEAL <= move < NAME_BOOZE:
        return [f"it brings a coin, and {who(v.mark)} loses one (§8.1)"]
    if NAME_BOOZE <= move < NOTHING:
        return [*_about(v, int(v.mark)), "a right name brings his movement card, two coins (§4.3)"]
    if EVENT_SEAT <= move < EVENT_CARD:
        return _about(v, int(move - EVENT_SEAT))
    if move == EVENT:
        return ["it turns up deliveries that may show your booze (§6)"]
    if EVENT_CARD <= move < TAIL:
        return ["a delivery that you take is worth a coin (§8.1)"]
    if TAKE_CARD <= other < EVENT:
        return [
            f"that delivery would leave the others only {_suspects(v, seat, int(other - TAKE_CARD))} boozes to suspect"
        ]
    return []


def _matching(v: State, seat: Seat, place: int) -> int:
    """How many deliveries at a location show the seat's booze."""
    booze = int(v.booze[seat])
    return (int(v.lying[place]) & int(CARRIES[booze])).bit_count() if 0 <= booze < BOOZES else 0


def _deliveries(number: int) -> str:
    return f"{number} deliver{'y' if number == 1 else 'ies'}"


def _for_going(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    place, said = int(move - GO), []
    here = _matching(v, seat, place)
    if here:
        there = _matching(v, seat, int(other - GO)) if GO <= other < TAKE_CARD else 0
        beside = f", at {PLACES[int(other - GO)]} only {there}" if GO <= other < TAKE_CARD and there < here else ""
        said.append(f"{_deliveries(here)} there show{'s' if here == 1 else ''} your booze{beside} (§4.1)")
    else:
        said.append("nothing there shows your booze, so going there tells nobody anything")
    wanted = [
        rival
        for rival in range(int(v.seats))
        if rival != seat and not is_exposed(v, rival) and int(v.lost[rival]) != place and int(v.pawn[rival]) != place
    ]
    if here and len(wanted) < int(v.seats) - 1:
        said.append(f"only {len(wanted)} of the others can meet and tail you there (§3.1)")
    return said


def _for_taking(v: State, seat: Seat, card: int, other: Move) -> list[str]:
    said = ["it is worth a coin (§8.1)"]
    left = _suspects(v, seat, card)
    if TAKE_CARD <= other < EVENT:
        instead = _suspects(v, seat, int(other - TAKE_CARD))
        if instead < left:
            said.append(f"it leaves the others {left} boozes to suspect, the other only {instead}")
    elif left > 1:
        said.append(f"it still leaves the others {left} boozes to suspect")
    return said


def _suspects(v: State, seat: Seat, card: int) -> int:
    """How many boozes the others could still think of, if the seat took this delivery."""
    return (int(v.could[seat]) & int(SHOWS[card])).bit_count()


def _about(v: State, rival: Seat) -> list[str]:
    could = [booze for booze in range(BOOZES) if int(v.could[rival]) >> booze & 1]
    if len(could) == 1:
        return [f"{who(rival)} can carry nothing but {booze_in_words(could[0])}"]
    said = [f"{who(rival)} can still carry {len(could)} boozes of twelve"] if len(could) < BOOZES else []
    has = int(v.held[rival]).bit_count()
    return [*said, f"you see his {_deliveries(has)}, and may steal what shows your booze (§4.3)"] if has else said

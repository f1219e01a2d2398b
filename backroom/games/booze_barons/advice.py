"""Reasons why an answer in Booze Barons is better than another: coins, and information given away or gained."""

from backroom.engine.marks import who
from backroom.engine.protocol import Move, Seat, State

from .pieces import BARBER, BOOZES, CARRIES, CASINO, CAVES, CLUB, DOCK, LOCATIONS, PETES, SHOWS
from .rules.reckoning import coins_seen
from .rules.state import (
    EVENT,
    EVENT_CARD,
    EVENT_SEAT,
    GO,
    NAME_BOOZE,
    NOTHING,
    PASS,
    STEAL,
    TAIL,
    TAKE_CARD,
    after,
    is_b,
    is_exposed,
    mob_of,
)
from .words import PLACES, booze_in_words


def reasons_for(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """The reasons for the first of two answers over the second."""
    said = _for_this(v, seat, move, other)
    secret = [] if any("suspect" in each for each in said) else _secret(v, seat)
    return [*said, *secret, *_riches(v, seat)]


def _secret(v: State, seat: Seat) -> list[str]:
    """How well the seat's booze is kept secret."""
    if is_exposed(v, seat):
        return ["you are exposed, and have nothing left to hide"]
    left = int(v.could[seat]).bit_count()
    if left == 1:
        return ["all can tell what you carry, and whoever tails you can expose you (§4.3)"]
    return [f"the others can still suspect {left} boozes of you"]


def _riches(v: State, seat: Seat) -> list[str]:
    """The public coins of the seat and of its richest opponent."""
    rich = max((each for each in range(int(v.seats)) if each != seat), key=lambda each: int(coins_seen(v, each)))
    return [f"you have {_coins(int(coins_seen(v, seat)))}, and {who(rich)} {int(coins_seen(v, rich))} (§8.1)"]


def _coins(number: int) -> str:
    return "one coin" if number == 1 else f"{number} coins"


def _for_this(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """The reasons for an answer by itself."""
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
        return _for_choosing(v, seat, int(move - EVENT_SEAT))
    if move == EVENT:
        return ["it turns up deliveries that may show your booze (§6)"]
    if EVENT_CARD <= move < TAIL:
        return ["a delivery that you take is worth a coin (§8.1)"]
    if move == PASS and TAIL <= other < STEAL:
        return [f"a look at {who(int(other - TAIL))} would bring too little: {_doubt(v, int(other - TAIL))}"]
    if move == PASS and EVENT_SEAT <= other < EVENT_CARD and _is_tail_by_event(v, seat):
        rival = int(other - EVENT_SEAT)
        return [f"a look at {who(rival)} would bring too little: {_doubt(v, rival)}"]
    if move == PASS and EVENT <= other < TAIL:
        return ["the event here brings you nothing that is sure (§4.2)"]
    if move in (NOTHING, PASS) and TAKE_CARD <= other < EVENT:
        left = _suspects(v, seat, int(other - TAKE_CARD))
        return [f"that delivery would leave the others only {left} booze{'' if left == 1 else 's'} to suspect"]
    if move == NOTHING and NAME_BOOZE <= other < NOTHING:
        return [f"it is too early to name a booze: {_doubt(v, int(v.mark))}"]
    return []


def _doubt(v: State, rival: Seat) -> str:
    """How uncertain it is what a rival carries."""
    could = int(v.could[rival]).bit_count()
    if could == 1 or is_exposed(v, rival):
        return "what he carries is known"
    return f"he can still carry {could} boozes"


def _matching(v: State, seat: Seat, place: int) -> int:
    """The number of deliveries at a location that show the seat's booze."""
    booze = int(v.booze[seat])
    return (int(v.lying[place]) & int(CARRIES[booze])).bit_count() if 0 <= booze < BOOZES else 0


def _deliveries(number: int) -> str:
    return f"{number} deliver{'y' if number == 1 else 'ies'}"


def _for_going(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    place, said = int(move - GO), []
    here = _matching(v, seat, place)
    if here:
        there = _matching(v, seat, int(other - GO)) if GO <= other < TAKE_CARD else 0
        beside = ""
        if GO <= other < TAKE_CARD and there < here:
            beside = f", at {PLACES[int(other - GO)]} {f'only {there}' if there else 'none'}"
        said.append(f"{_deliveries(here)} there show{'s' if here == 1 else ''} your booze{beside} (§4.1)")
    else:
        said.append("nothing there shows your booze, so going there tells nobody anything")
    said += _event_there(v, seat, place)
    wanted = [
        rival
        for rival in range(int(v.seats))
        if rival != seat and not is_exposed(v, rival) and int(v.lost[rival]) != place and int(v.pawn[rival]) != place
    ]
    if here and 2 * len(wanted) < int(v.seats):
        said.append(f"only {len(wanted)} of the others can meet and tail you there (§3.1)")
    return said


def _event_there(v: State, seat: Seat, place: int) -> list[str]:
    """§6: what the event of a location may bring, for events that the evaluation in `brain` counts."""
    b = bool(is_b(v, place))
    if place == CASINO and v.deck:
        drawn = min(2 if b else 3, int(v.deck))
        return [f"its event turns up {_deliveries(drawn)} of the deck (§6)"]
    if place == CLUB:
        rival = int(after(v, seat, -1 if b else 1))
        return [f"its event tails {who(rival)}, wherever he is (§6)"]
    if place == DOCK:
        near = sum(_matching(v, seat, each) for each in ((PETES, BARBER) if not b else set(range(LOCATIONS)) - {DOCK}))
        return [f"its event reaches {_deliveries(near)} elsewhere with your booze (§6)"] if near else []
    if place == CAVES:
        return ["nobody can steal from you there (§6)" if b else "nobody can tail you there (§6)"]
    return []


def _is_tail_by_event(v: State, seat: Seat) -> bool:
    """§6.1: whether the event at the seat's location tails somebody."""
    here = int(v.pawn[seat])
    return here == CLUB or (here == PETES and bool(is_b(v, here)))


def _for_choosing(v: State, seat: Seat, rival: Seat) -> list[str]:
    """§6: the reasons for choosing a rival in an event."""
    if _is_tail_by_event(v, seat):
        return _about(v, rival)
    here = int(v.pawn[seat])
    is_mate = is_exposed(v, rival) and mob_of(v, rival) == mob_of(v, seat)
    side = "is of your own mob" if is_mate else "is not known for one of your mob"
    has = int(coins_seen(v, rival))
    if here == BARBER:
        return [f"{who(rival)} {side}, and loses one of his deliveries; he has {_coins(has)} (§6)"]
    return [f"{who(rival)} {side}", "what he takes shows more of what he carries (§6)"]


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
    """The number of boozes that the others could still suspect if the seat took this delivery."""
    return (int(v.could[seat]) & int(SHOWS[card])).bit_count()


def _about(v: State, rival: Seat) -> list[str]:
    could = [booze for booze in range(BOOZES) if int(v.could[rival]) >> booze & 1]
    if len(could) == 1:
        return [f"{who(rival)} can carry nothing but {booze_in_words(could[0])}"]
    said = [f"{who(rival)} can still carry {len(could)} boozes of twelve"] if len(could) < BOOZES else []
    has = int(v.held[rival]).bit_count()
    return [*said, f"you see his {_deliveries(has)}, and may steal what shows your booze (§4.3)"] if has else said

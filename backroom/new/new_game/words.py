"""The words of New Game: `deal 7`, `bid 12`; questions and sentences."""

from backroom.engine.kernel import NATURE, UNKNOWN
from backroom.engine.phrases import listing
from backroom.engine.protocol import Move, Seat, State

from .pieces import CARDS
from .rules import BID, DEAL, SEAT_NAMES, asked, is_over

VERBS = {"deal": DEAL, "bid": BID}


def name(v: State, move: Move) -> str:
    """A verb and the number of a card."""
    return f"deal {move - DEAL + 1}" if move < BID else f"bid {move - BID + 1}"


def parse(v: State, text: str) -> Move:
    """The move of that name; capitals do not matter."""
    verb, _, number = text.lower().partition(" ")
    if verb not in VERBS or not number.isdecimal() or not 1 <= int(number) <= CARDS:
        raise ValueError(f"a move is written like bid 12, with a card from 1 to {CARDS}")
    return VERBS[verb] + int(number) - 1


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for a reader with these views before and after it."""
    if seat == NATURE:
        return "A card is dealt." if move == UNKNOWN else f"You are dealt the {move - DEAL + 1}."
    if then.won.sum() == v.won.sum():
        return f"{SEAT_NAMES[seat]} has chosen." if move == UNKNOWN else f"You choose the {move - BID + 1}."
    taker = next(other for other in range(int(v.seats)) if then.won[other] > v.won[other])
    cards = listing([f"{SEAT_NAMES[other]} {then.last[other]}" for other in range(int(v.seats))], "and")
    return f"{cards}: {SEAT_NAMES[taker]} takes the trick."


def question(v: State, seat: Seat) -> str:
    """What the seat is asked, or what is waited for."""
    if is_over(v):
        most = max(int(v.won[other]) for other in range(int(v.seats)))
        best = [SEAT_NAMES[other] for other in range(int(v.seats)) if v.won[other] == most]
        tricks = f"{most} trick{'s' if most != 1 else ''}"
        if len(best) == 1:
            return f"The game is over: {best[0]} has won with {tricks} (§4.1)."
        return f"The game is over: {listing(best, 'and')} share it with {tricks} each (§4.1)."
    waiting = [other for other in range(int(v.seats)) if int(asked(v)) >> other & 1]
    if seat in waiting:
        return "Which card do you bid (§3.1)?"
    if not waiting:
        return "Cards are dealt (§2.1)."
    return f"Waiting for {listing([SEAT_NAMES[other] for other in waiting], 'and')}."

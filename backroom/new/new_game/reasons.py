"""Why a move of New Game is refused. What is legal is decided in the rules alone."""

from backroom.engine.kernel import NATURE
from backroom.engine.protocol import Move, Seat, State

from .rules import BID, PLAYED, is_over


def why(v: State, seat: Seat, move: Move) -> str:
    """Half a sentence, with the §."""
    if is_over(v):
        return "the game is over (§4.1)"
    if (seat == NATURE) != (move < BID):
        return "cards are dealt by nature, and bid by players (§2.1, §3.1)"
    if v.due:
        return "the cards are still being dealt (§2.1)" if seat != NATURE else "it is not in the deck (§2.1)"
    card = move - BID
    if v.where[card] == PLAYED:
        return f"the {card + 1} is out of play (§3.2)"
    if v.where[card] != seat:
        return f"you do not have the {card + 1} (§3.1)"
    return f"you have chosen the {card + 1} already (§3.1)"

"""Why a move of a puzzle is refused. What is legal is decided in the rules; this only finds the § to name."""

from backroom.engine.protocol import Move, Seat, State
from backroom.games.rum_run import reasons
from backroom.games.rum_run.rules.state import ASK_ACT, PICK, PLACE

from .rules import GIVE_UP, asked
from .words import with_red


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a move is not allowed."""
    if not asked(v):
        return "the puzzle is over (§5)"
    if move == GIVE_UP:
        return "as long as a token can be placed, nobody gives up (§3.2)"
    if v.reserve <= 0 and v.ask[v.depth - 1] == ASK_ACT:
        return "no more than six tokens are placed (§2.2)"
    if move >= PLACE or v.node >= 0 or v.token >= 0 or move < PICK:
        return with_red(reasons.why(v, seat, move))
    return "nothing is taken up once it lies; choose a node and a token (§3.1)"

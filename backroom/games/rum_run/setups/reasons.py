"""Why a step of the editor is refused. What is open is decided in the rules; this only finds the reason to name."""

from backroom.engine.protocol import Move, Seat, State

from .rules import (
    AT,
    BACK,
    BOARD,
    EVENT,
    FLIP,
    REMOVE,
    TAKE,
    TAKE_ALL,
    TAKE_NONE,
    TURN,
    has_fog,
    is_fog_in_hand,
    is_on,
)
from .words import IN_BOX, thing_name, whereabouts


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a step cannot be made."""
    if v.over:
        return "the draft is done (§3.6)"
    if v.ask != BOARD:
        return "a list is looked at; go back first (§3.5)"
    if move in (TURN, FLIP, REMOVE):
        return _why_not_handled(v, move)
    if move == BACK:
        return "nothing is chosen (§3.2)"
    if move >= AT:
        if not is_on(v, move - AT):
            return f"{whereabouts(move - AT)} is off a board of {v.width} × {v.width} (§1.1)"
        return "there is fog already (§3.1)" if is_fog_in_hand(v) and has_fog(v, move - AT) else "it is chosen (§3.1)"
    if EVENT <= move < AT or move in (TAKE_ALL, TAKE_NONE):
        return "look at the events or the objectives first (§3.5)"
    if TAKE <= move < EVENT:
        in_hand = v.hand >= 0 and v.lies[v.hand] < 0 and thing_name(v, int(v.hand)) == IN_BOX[move - TAKE]
        return f"it is {'in the hand' if in_hand else 'not in the box'} (§3.1)"
    if v.hand >= 0 or v.node >= 0:
        return "something is chosen; lay it down, or go back first (§3.2)"
    return "the board has that size (§3.4)"


def _why_not_handled(v: State, move: Move) -> str:
    if v.hand < 0:
        return "choose something first (§3.2)"
    if move == REMOVE:
        return "it does not lie on the board (§3.2)"
    return "it looks the same from all sides (§3.2)" if move == TURN else "it has no other side (§3.2)"

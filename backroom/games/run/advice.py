"""Why a move of Run is better than another: the same things that the judgement in `brain` counts, in words."""

from backroom.engine.marks import who
from backroom.engine.protocol import Move, Seat, State

from .pieces import OFF, PAST
from .rules import distance_of, is_running, opposite, point_of

REACH = 6
"""As far as one die carries: men so close behind a point are hindered by whoever holds it."""
FEW = 2
"""That many men behind a point make it worth a word."""
MOTHER_ENDS = 6


def reasons_for(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """What speaks for the first of two steps."""
    point, to = _way(move)
    other_point, other_to = _way(other)
    them = who(1 - seat)
    said = []
    if to == OFF and other_to != OFF:
        said.append("it takes a man off the board (§4.2)")
    if is_running(v, seat) and to >= PAST > other_to:
        said.append("it brings your runner in, and sets all your men free (§3.5)")
    if _closes(v, seat, to) and (behind := _behind(v, seat, to)) >= FEW:
        said.append(f"it closes point {to}, and {them} has {behind} men right behind it (§3.1)")
    opens = point != other_point and v.men[seat, other_point] == 1 and v.men[seat, point] > 1
    if opens and (held := _behind(v, seat, other_point)) >= FEW:
        said.append(f"it keeps point {other_point} closed, with {held} men of {them} right behind it")
    if point <= MOTHER_ENDS < to and not other_point <= MOTHER_ENDS < other_to:
        said.append("it brings a man out of your first quarter, before he is shut in there")
    if _closes(v, seat, to) and not _closes(v, seat, other_to) and not said:
        said.append(f"it holds one point more, {to}, and a single man is enough to hold it (§3.1)")
    if v.men[seat, point] > 2 and v.men[seat, other_point] <= 2:
        said.append(
            f"it takes from the heap on point {point}, where {int(v.men[seat, point])} men hold no more than one"
        )
    if not said and point < other_point and to != OFF:
        said.append(f"it brings up a man from behind, from {point} and not from {other_point}")
    return said


def _way(move: Move) -> tuple[int, int]:
    return int(point_of(move)), int(point_of(move) + distance_of(move))


def _closes(v: State, seat: Seat, to: int) -> bool:
    return to != OFF and not v.men[seat, to]


def _behind(v: State, seat: Seat, point: int) -> int:
    """The opponent's men who have this point just ahead of them."""
    here = int(opposite(point))
    return sum(int(v.men[1 - seat, place]) for place in range(max(1, here - REACH), here))

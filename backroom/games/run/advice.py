"""Reasons why a move of Run is better than another: the terms of the evaluation in `brain`, in words."""

from backroom.engine.marks import who
from backroom.engine.protocol import Move, Seat, State

from .brain import pips
from .pieces import MEN, OFF, PAST
from .rules import distance_of, is_running, opposite, point_of

REACH = 6
"""The reach of one die: men this close behind a point are hindered by its owner."""
FEW = 2
"""The fewest men behind a point for which it is mentioned."""
MOTHER_ENDS = 6
EVEN = 10
"""The largest difference of a race that is called even, in points."""


def reasons_for(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """The reasons for the first of two steps over the second."""
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
    if not any(f"point {to}," in each or f"more, {to}," in each for each in said):
        said += _arriving(v, seat, to)
    return [*said, *_race(v, seat), *_left_behind(v, seat, point)]


def _arriving(v: State, seat: Seat, to: int) -> list[str]:
    """A reason about the point that a man moves to."""
    if to == OFF:
        left = MEN - int(v.men[seat, OFF]) - 1
        return [f"{left or 'no'} {'man is' if left == 1 else 'men are'} left on the board after that (§5.1)"]
    if _closes(v, seat, to):
        return [f"point {to} is open, and closed to {who(1 - seat)} as soon as your man stands there (§3.1)"]
    return [f"point {to} is yours already, and nobody can take it from you (§3.1)"]


def _left_behind(v: State, seat: Seat, point: int) -> list[str]:
    """A reason about the point that a man leaves."""
    if v.men[seat, point] > 1:
        return [f"point {point} stays closed behind him (§3.1)"]
    return (
        []
        if _behind(v, seat, point)
        else [f"nobody of {who(1 - seat)} is right behind point {point}, which your man leaves"]
    )


def _race(v: State, seat: Seat) -> list[str]:
    """How far both have to go, and what is therefore more important."""
    mine, theirs = int(pips(v, seat)), int(pips(v, 1 - seat))
    if abs(mine - theirs) <= EVEN:
        counts = "the race is about even"
    elif mine < theirs:
        counts = "to get home counts more than to hold points"
    else:
        counts = "to hold points counts more than to hurry"
    return [f"you have {mine} points to go and {who(1 - seat)} {theirs}: {counts}"]


def _way(move: Move) -> tuple[int, int]:
    return int(point_of(move)), int(point_of(move) + distance_of(move))


def _closes(v: State, seat: Seat, to: int) -> bool:
    return to != OFF and not v.men[seat, to]


def _behind(v: State, seat: Seat, point: int) -> int:
    """The number of the opponent's men within REACH behind this point."""
    here = int(opposite(point))
    return sum(int(v.men[1 - seat, place]) for place in range(max(1, here - REACH), here))

"""Endings before the rules end a game: a seat resigns or runs out of time, or everybody agrees to stop.

None of these is a move, and the rules do not know of them: they are lines of the log beside the moves. A seat that has
lost in this way comes last whatever happens to its pieces; of several, the first to lose comes very last. The game is
over when one seat is left, or when the log says that it ends as it stands: then all seats that have not lost share the
win, and if no seat has lost there is no result.
"""

from collections.abc import Sequence
from typing import NamedTuple

from backroom.engine.marks import who
from backroom.engine.phrases import listing
from backroom.engine.protocol import Result, Seat

RESIGN, TIME, END = "resign", "time", "end"
"""A seat gives up; a seat has run out of time; the game ends as it stands."""
REASONS = {RESIGN: "resigned", TIME: "out of time"}
"""The reason for a loss, as a short phrase."""


class Ending(NamedTuple):
    """An ending of one seat's game, or of the whole game, before the rules end it."""

    lines: int
    """The number of moves in the log before it."""
    word: str
    seat: Seat | None = None
    """The seat that has lost; None if the whole game ends."""

    def __str__(self) -> str:
        return self.word if self.seat is None else f"{self.word} {self.seat}"


def losses(endings: Sequence[Ending]) -> dict[Seat, str]:
    """The seats that have lost, in the order in which they lost, each with the reason."""
    return {ending.seat: ending.word for ending in endings if ending.seat is not None}


def is_ended(endings: Sequence[Ending], seats: int) -> bool:
    """Whether these endings end a game with this number of seats."""
    is_stopped = any(ending.word == END for ending in endings)
    return is_stopped or (seats > 1 and len(losses(endings)) >= seats - 1)


def scores(endings: Sequence[Ending], own: Sequence[float] | None, seats: int) -> tuple[float, ...] | None:
    """Each seat's result, or None if there is none. `own` are the results by the rules, if these ended the game."""
    lost = list(losses(endings))
    if own is None and not lost:
        return None
    found = [0.0] * seats if own is None else list(own)
    least = min(found)
    for place, seat in enumerate(reversed(lost), 1):
        found[seat] = least - place
    return tuple(found)


def result(endings: Sequence[Ending], own: Result | None, score: Sequence[float] | None, seats: int) -> Result | None:
    """The result in words, with marks. `own` is the result by the rules, if these have ended the game."""
    lost = losses(endings)
    if not lost or score is None:
        return own
    left = [seat for seat in range(seats) if seat not in lost]
    if own is None:
        winners = tuple(left)
        phrases = tuple(REASONS[lost[seat]] if seat in lost else "" for seat in range(seats))
    else:
        best = max((score[seat] for seat in left), default=0.0)
        fair = tuple(seat for seat in own.winners if seat in left)
        winners = fair or tuple(seat for seat in left if own.winners and score[seat] == best)
        phrases = tuple(REASONS[lost[seat]] if seat in lost else own.seats[seat] for seat in range(seats))
        if set(winners) == set(own.winners):
            return Result(own.headline, phrases, winners, own.lines)
    wins = f"{who(winners[0])} wins" if len(winners) == 1 else f"{listing(map(who, winners), 'and')} share the win"
    return Result(f"{headline(lost)}: {wins}." if winners else f"{headline(lost)}.", phrases, winners)


def sentence(ending: Ending) -> str:
    """The sentence about this ending in a story, with marks."""
    if ending.seat is None:
        return "The game ends as it stands."
    return f"{who(ending.seat)} {'resigns' if ending.word == RESIGN else 'has no time left'}."


def headline(lost: dict[Seat, str]) -> str:
    """Who has lost and why, as the beginning of a sentence."""
    told = [said for word in (RESIGN, TIME) if (said := _told(word, [seat for seat in lost if lost[seat] == word]))]
    return " and ".join(told)


def _told(word: str, seats: Sequence[Seat]) -> str:
    if not seats:
        return ""
    return f"{listing(map(who, seats), 'and')} {'resigned' if word == RESIGN else 'ran out of time'}"

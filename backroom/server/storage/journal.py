"""A table's journal: everything that has happened at it, as numbered entries."""

import msgspec

SIT, BOT, RISE, BEGIN = "sit", "bot", "rise", "begin"
"""Somebody sits down or comes back; a bot takes a seat; somebody leaves; the game begins."""
MOVE, TAKE_BACK = "move", "back"
"""A line of the game's log; the log is cut to its first `text` lines."""
WISH, OFFER, AGREE, REFUSE = "wish", "offer", "agree", "refuse"
"""A seat asks the others to take a move back, or to end the game without a result; they agree, or one does not."""
LOSE, STOP = "lose", "stop"
"""A seat has lost other than by the rules (`text` is a word of `engine/ending.py`); the game ends as it stands."""
UNRATED, RATED = "unrated", "rated"
"""The game is no longer rated, because of a `hint` or a move taken `back`; each seat's rating before and after it."""
SAY = "say"
"""A line of chat."""
FLAG, CHOOSE = "flag", "choose"
"""A seat's time is over; another seat chooses what happens then."""
LESSON = "lesson"
"""A lesson goes on to its step number `text`, from 0."""
END, NEXT = "end", "next"
"""The table is closed and its game goes no further; the id of the table for the rematch."""
LATE = "late"
"""In place of a person: the move was made by the table, for a seat whose countdown had ended."""


class Entry(msgspec.Struct, frozen=True):
    """One entry of a journal."""

    kind: str
    seat: int | None = None
    text: str = ""
    who: str | None = None
    """The person who did it."""
    key: str | None = None
    """An idempotency key, unique within its table."""
    number: int = 0
    """The position in the journal, from 1, assigned when it is written."""
    at: int = 0
    """Unix time in milliseconds."""

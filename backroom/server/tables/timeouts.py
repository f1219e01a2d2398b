"""Time limits at a table: clocks, countdowns, and what happens when they end."""

import msgspec

from backroom.engine.ending import TIME
from backroom.engine.kernel import NATURE
from backroom.engine.protocol import Seat
from backroom.server.errors import Refused
from backroom.server.storage.journal import FLAG, LATE, LOSE, STOP, Entry
from backroom.server.tables.config import BREAK_OFF
from backroom.server.tables.state import PLAYING, Deadline, TableState

COUNTDOWN = "countdown"
"""The option, not a rule of the game, with the seconds that players have for a simultaneous choice."""
PASS = "pass"


def seconds_of(state: TableState, option: str) -> int | None:
    """An option's value as seconds; None if it is off."""
    value = state.config.options.get(option, "")
    return int(value) if value.isdecimal() else None


def deadline(state: TableState) -> Deadline | None:
    """The current deadline, computed once for each state of the table."""
    number, found = state.deadline
    if number != state.number:
        found = _deadline(state)
        state.deadline = state.number, found
    return found


def _deadline(state: TableState) -> Deadline | None:
    """Compute the deadline: by the game's own timer, or a `countdown` for simultaneous choices. Lessons have none."""
    if state.stage != PLAYING or state.shown is None or state.lesson:
        return None
    asked = [seat for seat in state.asked if seat != NATURE]
    timer = getattr(state.game.rules, "timer", None)
    if timer is not None:
        for seat in asked:
            found = timer(state.view(seat), seat)
            seconds = None if found is None else seconds_of(state, found[0])
            if found is not None and seconds is not None:
                since = state.group_since if seat in state.group else state.ask_since
                together = tuple(asked) if seat in state.group else (seat,)
                return Deadline(since + 1000 * seconds, together, found[1])
        return None
    seconds = seconds_of(state, COUNTDOWN)
    if seconds is None or len(state.group.intersection(state.people())) < 2:  # no countdown against bots alone
        return None
    return Deadline(state.group_since + 1000 * seconds, tuple(asked), PASS)


def next_due(state: TableState) -> int | None:
    """The next time at which a deadline or a clock ends."""
    if state.stage != PLAYING:
        return None
    rush, end = deadline(state), state.clocks.next_end()
    times = [*([rush.ends] if rush else []), *([end[0]] if end else [])]
    return min(times, default=None)


def is_too_late(state: TableState, seat: Seat, now: int) -> bool:
    """Whether a countdown for this seat has ended."""
    rush = deadline(state)
    return rush is not None and seat in rush.seats and now > rush.ends


def lateness(state: TableState, seat: Seat) -> Refused:
    """The error for a player who chose after the end of a countdown."""
    late, rush = state.late[seat], deadline(state)
    name = late.move if late is not None else rush.move if rush is not None else ""
    return Refused(
        "too late, you passed" if name == PASS else "too late: the time for this choice is over", 409, "late"
    )


def overdue(state: TableState, now: int) -> list[Entry]:
    """The entries that the table writes when time is over: a move for a late seat, or a flag and its consequences.

    Empty if no time is over, or if a bot has to move: it thinks first, in another thread.
    """
    if state.stage != PLAYING:
        return []
    rush = deadline(state)
    if rush is not None and now > rush.ends:
        seat = rush.seats[0]
        if not has_move(state, seat, rush.move):
            return []
        first, *rest = state.move_entries(seat, rush.move)
        return [msgspec.structs.replace(first, who=LATE), *rest]
    for seat in state.asked:
        if seat != NATURE and seat not in state.clocks.flagged and state.clocks.is_out(seat, now):
            return flag(state, seat)
    return []


def has_move(state: TableState, seat: Seat, name: str) -> bool:
    """Whether a seat has the move that the table plays for late seats."""
    return state.table is not None and name in state.table.moves(seat)


def seat_without_answer(state: TableState, now: int) -> Seat | None:
    """A late seat without the move that the table would play for it, so that a bot has to move."""
    rush = deadline(state)
    if rush is None or now <= rush.ends or has_move(state, rush.seats[0], rush.move):
        return None
    return rush.seats[0]


def flag(state: TableState, seat: Seat) -> list[Entry]:
    """The entries for a clock that has run out. If nobody can be asked, a bot stands in (`TableState.stand_ins`)."""
    entry = Entry(FLAG, seat)
    return [entry, *lost_on_time(state, seat)] if state.config.terms.out == BREAK_OFF else [entry]


def lost_on_time(state: TableState, seat: Seat) -> list[Entry]:
    """The entries for a seat that loses on time, which ends the game: the others have won, or share the win."""
    is_last = len(state.lost) + 2 >= state.config.seats  # with one seat left the game ends by itself
    return [Entry(LOSE, seat, TIME), *([] if is_last else [Entry(STOP, None, "The game ends.")])]

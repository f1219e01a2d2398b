"""Time at a table: clocks that run out, countdowns, and what the table does then."""

import msgspec

from backroom.engine.ending import TIME
from backroom.engine.kernel import NATURE
from backroom.engine.protocol import Seat
from backroom.server.errors import Refused
from backroom.server.storage.journal import FLAG, LATE, LOSE, STOP, Entry
from backroom.server.tables.config import BREAK_OFF
from backroom.server.tables.state import PLAYING, Deadline, TableState

COUNTDOWN = "countdown"
"""The option, no rule, that gives the seconds in which all who choose at the same time have to."""
PASS = "pass"


def seconds_of(state: TableState, option: str) -> int | None:
    """An option's value as seconds; None if it is off."""
    value = state.config.options.get(option, "")
    return int(value) if value.isdecimal() else None


def deadline(state: TableState) -> Deadline | None:
    """Who has to hurry now; looked at once for each state of the table."""
    number, found = state.deadline
    if number != state.number:
        found = _deadline(state)
        state.deadline = state.number, found
    return found


def _deadline(state: TableState) -> Deadline | None:
    """A game may say itself who has to; a `countdown` is for all who choose at once. Nobody hurries a pupil."""
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
    if seconds is None or len(state.group.intersection(state.people())) < 2:  # nobody hurries for bots
        return None
    return Deadline(state.group_since + 1000 * seconds, tuple(asked), PASS)


def next_due(state: TableState) -> int | None:
    """When somebody's time is over next."""
    if state.stage != PLAYING:
        return None
    rush, end = deadline(state), state.clocks.next_end()
    times = [*([rush.ends] if rush else []), *([end[0]] if end else [])]
    return min(times, default=None)


def is_too_late(state: TableState, seat: Seat, now: int) -> bool:
    """Whether a countdown that this seat is under has come to its end."""
    rush = deadline(state)
    return rush is not None and seat in rush.seats and now > rush.ends


def lateness(state: TableState, seat: Seat) -> Refused:
    """What somebody is told who chose after the end of a countdown."""
    late, rush = state.late[seat], deadline(state)
    name = late.move if late is not None else rush.move if rush is not None else ""
    return Refused(
        "too late, you passed" if name == PASS else "too late: the time for this choice is over", 409, "late"
    )


def overdue(state: TableState, now: int) -> list[Entry]:
    """What the table writes when time is over: nothing yet, a move for the seat that is late, or a flag and what
    follows. Where a bot has to move nothing is written either: it thinks first, in another thread.
    """
    if state.stage != PLAYING:
        return []
    rush = deadline(state)
    if rush is not None and now > rush.ends:
        seat = rush.seats[0]
        if not has_move(state, seat, rush.move):
            return []
        first, *rest = state.plan_move(seat, rush.move)
        return [msgspec.structs.replace(first, who=LATE), *rest]
    for seat in state.asked:
        if seat != NATURE and seat not in state.clocks.flagged and state.clocks.is_out(seat, now):
            return flag(state, seat)
    return []


def has_move(state: TableState, seat: Seat, name: str) -> bool:
    """Whether a seat has the move that a table plays for those who are late."""
    return state.table is not None and name in state.table.moves(seat)


def seat_without_answer(state: TableState, now: int) -> Seat | None:
    """A seat that is too late and has not the move that the table would play for it: a bot has to."""
    rush = deadline(state)
    if rush is None or now <= rush.ends or has_move(state, rush.seats[0], rush.move):
        return None
    return rush.seats[0]


def flag(state: TableState, seat: Seat) -> list[Entry]:
    """A clock has run out. Where nobody can be asked what to do, a bot stands in (`TableState.stand_ins`)."""
    entry = Entry(FLAG, seat)
    return [entry, *lost_on_time(state, seat)] if state.config.terms.out == BREAK_OFF else [entry]


def lost_on_time(state: TableState, seat: Seat) -> list[Entry]:
    """A seat loses because its time is over, and the game ends: the others have won, or share the win."""
    is_last = len(state.lost) + 2 >= state.config.seats  # with one left it ends by itself
    return [Entry(LOSE, seat, TIME), *([] if is_last else [Entry(STOP, None, "The game ends.")])]

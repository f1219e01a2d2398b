"""Time at a table: clocks that run out, countdowns, and what the table does then."""

from backroom.engine.game import Seat
from backroom.engine.kernel import NATURE
from backroom.server import company
from backroom.server.journal import END, FLAG, Entry
from backroom.server.sitting import PLAYING, Hurry, Sitting
from backroom.server.terms import BREAK_OFF, LET_BOT

COUNTDOWN = "countdown"
"""The option, no rule, that gives the seconds in which all who choose at the same time have to."""
PASS = "pass"


def seconds_of(sitting: Sitting, option: str) -> int | None:
    """An option's value as seconds; None if it is off."""
    value = sitting.deal.options.get(option, "")
    return int(value) if value.isdecimal() else None


def hurry(sitting: Sitting) -> Hurry | None:
    """Who has to hurry now; looked at once for each state of the table."""
    number, found = sitting.rush
    if number != sitting.number:
        found = _hurry(sitting)
        sitting.rush = sitting.number, found
    return found


def _hurry(sitting: Sitting) -> Hurry | None:
    """A game may say itself who has to; a `countdown` is for all who choose at the same time."""
    if sitting.stage != PLAYING or sitting.shown is None:
        return None
    asked = [seat for seat in sitting.asked if seat != NATURE]
    timer = getattr(sitting.game.rules, "timer", None)
    if timer is not None:
        for seat in asked:
            found = timer(sitting.view(seat), seat)
            seconds = None if found is None else seconds_of(sitting, found[0])
            if found is not None and seconds is not None:
                since = sitting.group_since if seat in sitting.group else sitting.ask_since
                together = tuple(asked) if seat in sitting.group else (seat,)
                return Hurry(since + 1000 * seconds, together, found[1])
        return None
    seconds = seconds_of(sitting, COUNTDOWN)
    if seconds is None or not sitting.group:
        return None
    return Hurry(sitting.group_since + 1000 * seconds, tuple(asked), PASS)


def next_due(sitting: Sitting) -> int | None:
    """When somebody's time is over next."""
    if sitting.stage != PLAYING:
        return None
    rush, end = hurry(sitting), sitting.clocks.next_end()
    times = [*([rush.ends] if rush else []), *([end[0]] if end else [])]
    return min(times, default=None)


def is_too_late(sitting: Sitting, seat: Seat, now: int) -> bool:
    """Whether a countdown that this seat is under has come to its end."""
    rush = hurry(sitting)
    return rush is not None and seat in rush.seats and now > rush.ends


def overdue(sitting: Sitting, now: int) -> list[Entry]:
    """What the table writes when time is over: nothing yet, a move for who is late, or a flag and what follows."""
    if sitting.stage != PLAYING:
        return []
    rush = hurry(sitting)
    if rush is not None and now > rush.ends:
        return answer_for(sitting, rush.seats[0], rush.move)
    for seat in sitting.asked:
        if seat != NATURE and seat not in sitting.clocks.flagged and sitting.clocks.is_out(seat, now):
            return flag(sitting, seat)
    return []


def answer_for(sitting: Sitting, seat: Seat, name: str) -> list[Entry]:
    """The named move of a late seat if it has it, else a bot's."""
    assert sitting.table is not None
    if name in sitting.table.moves(seat):
        return sitting.try_move(seat, name)
    return company.move_for(sitting, seat)


def flag(sitting: Sitting, seat: Seat) -> list[Entry]:
    """A clock has run out. Where nobody can be asked what to do, a bot moves."""
    entry = Entry(FLAG, seat)
    out = sitting.deal.terms.out
    if out == BREAK_OFF:
        return [entry, Entry(END, seat, f"The time of {sitting.called(seat)} is over, and the game ends.")]
    others = [other for other in sitting.people(seat) if not sitting.chairs[other].is_left]
    if out == LET_BOT or not others:
        return [entry, *company.move_for(sitting, seat)]
    return [entry]

"""What people can do at a table: each deed looks at the table as it stands, and says what to write or why not."""

from collections.abc import Callable

from backroom.bots import bots_of
from backroom.engine.game import IllegalMove, Seat, listing
from backroom.engine.kernel import SPECTATOR
from backroom.server import company, pace
from backroom.server.journal import AGREE, BACK, BOT, CHOOSE, END, NEXT, REFUSE, RISE, SAY, SIT, WISH, Entry
from backroom.server.people import Person
from backroom.server.rooms import Judge, Refused, Stale
from backroom.server.sitting import OPEN, OVER, PLAYING, Sitting
from backroom.server.terms import Deal

LONGEST_CHAT = 400
CHOICES = ("wait", "bot", "end")


def seat_of(sitting: Sitting, person: Person) -> Seat:
    """Where the person sits; Refused if nowhere."""
    seat = sitting.seat_of(person.id)
    if seat == SPECTATOR:
        raise Refused("you have no seat at this table", 403, "no-seat")
    return seat


def known_seat(sitting: Sitting, seat: Seat) -> Seat:
    if seat not in range(sitting.deal.seats):
        raise Refused(f"there is no seat {seat} at this table", 404, "unknown")
    return seat


def must_play(sitting: Sitting) -> None:
    if sitting.stage != PLAYING:
        raise Refused("the game has not begun" if sitting.stage == OPEN else "the game is over", 409, "not-playing")


def start_if_full(sitting: Sitting, new: list[Entry]) -> list[Entry]:
    """With the last seat taken, the game begins."""
    taken = {entry.seat for entry in new if entry.kind in (SIT, BOT)}
    is_full = all(seat in taken or not chair.is_free for seat, chair in enumerate(sitting.chairs))
    return [*new, *sitting.begun()] if is_full and sitting.stage == OPEN else new


# coming and going


def sit(person: Person, wanted: Seat | None) -> Judge:
    """Take a free seat, or one's own again."""

    def judge(sitting: Sitting) -> list[Entry]:
        mine = sitting.seat_of(person.id)
        if mine != SPECTATOR and wanted in (None, mine):
            chair = sitting.chairs[mine]
            return [Entry(SIT, mine, person.name, person.id)] if chair.bot or chair.is_left else []
        if mine != SPECTATOR:
            raise Refused("you have a seat already; leave it first", 409, "seated")
        if sitting.stage == OVER:
            raise Refused("the game is over", 409, "not-playing")
        free = [seat for seat, chair in enumerate(sitting.chairs) if is_to_have(sitting, seat)]
        if wanted is not None and known_seat(sitting, wanted) not in free:
            raise Refused(f"{sitting.game.seat_name(wanted)} is taken", 409, "taken")
        if not free:
            raise Refused("all seats are taken; you can watch", 409, "taken")
        seat = free[0] if wanted is None else wanted
        return start_if_full(sitting, [Entry(SIT, seat, person.name, person.id)])

    return judge


def is_to_have(sitting: Sitting, seat: Seat) -> bool:
    """Whether somebody new may sit here: nobody does, or a bot that nobody has left behind, before the game."""
    chair = sitting.chairs[seat]
    return chair.is_free or (chair.owner is None and sitting.stage == OPEN)


def rise(person: Person) -> Judge:
    """Leave: before the game the seat is free again; in it, it stays one's own to come back to."""

    def judge(sitting: Sitting) -> list[Entry]:
        seat, wish = seat_of(sitting, person), sitting.wish
        if sitting.chairs[seat].is_left or sitting.stage == OVER:
            return []
        gone = [Entry(RISE, seat, "", person.id)]
        if wish is not None and wish.waits_for == {seat}:  # nobody is left who could object
            gone.append(Entry(BACK, wish.seat, str(wish.lines)))
        return gone

    return judge


def put_bot(person: Person, seat: Seat, name: str) -> Judge:
    """A bot for a free seat, for one's own, or for that of somebody who has left."""

    def judge(sitting: Sitting) -> list[Entry]:
        mine = sitting.seat_of(person.id)
        if mine == SPECTATOR and sitting.deal.maker != person.id:
            raise Refused("only who sits at this table can ask bots to it", 403, "no-seat")
        if name not in (known := bots_of(sitting.game)):
            raise Refused(f"there is no bot called {name!r}; there is {listing(known, 'and')}", 422, "unknown")
        chair = sitting.chairs[known_seat(sitting, seat)]
        if sitting.stage == OVER:
            raise Refused("the game is over", 409, "not-playing")
        if chair.bot == name and chair.owner is None:
            return []
        if chair.bot is not None and (chair.owner is not None or sitting.stage != OPEN):
            raise Refused("a bot plays there already", 409, "taken")
        if chair.owner is not None and seat != mine and not chair.is_left:
            raise Refused(f"{sitting.called(seat)} is still at the table", 409, "taken")
        return start_if_full(sitting, [Entry(BOT, seat, name)])

    return judge


# playing


def move(person: Person, name: str, ask: int | None, now: Callable[[], int]) -> Judge:
    """Make a move. One that answers a question says which; a claim out of turn does not."""

    def judge(sitting: Sitting) -> list[Entry]:
        seat = seat_of(sitting, person)
        must_play(sitting)
        if sitting.chairs[seat].bot:
            raise Refused("a bot plays your seat; take it back first", 409, "seated")
        if ask is not None and ask != sitting.asks[seat]:
            raise Stale()
        if pace.is_too_late(sitting, seat, now()):
            raise Refused("too late: the time for this choice is over", 409, "late")
        if ask is None and seat in sitting.asked and seat not in sitting.group:
            raise Stale("say which question this answers: you are asked now")
        return sitting.try_move(seat, name)

    return judge


def undo(person: Person) -> Judge:
    """Take one's last move back: freely until somebody has learned something, then if all others agree."""

    def judge(sitting: Sitting) -> list[Entry]:
        seat = seat_of(sitting, person)
        must_play(sitting)
        assert sitting.table is not None
        table = sitting.table
        mine = [number for number, line in enumerate(table.lines) if line.seat == seat]
        if not mine:
            raise Refused("you have made no move to take back", 409, "nothing")
        keep = mine[-1]
        others = [other for other in sitting.people(seat) if not sitting.chairs[other].is_left]
        if not others or is_free_to_take_back(sitting, keep):
            return [Entry(BACK, seat, str(keep))]
        if sitting.wish:
            raise Refused("somebody has asked for that already", 409, "asked")
        return [Entry(WISH, seat, str(keep))]

    return judge


def is_free_to_take_back(sitting: Sitting, keep: int) -> bool:
    """Whether nobody has learned anything since."""
    assert sitting.table is not None
    return sitting.table.can_take_back(keep)


def answer_wish(person: Person, agrees: bool) -> Judge:
    def judge(sitting: Sitting) -> list[Entry]:
        seat = seat_of(sitting, person)
        wish = sitting.wish
        if wish is None or seat not in wish.waits_for:
            raise Refused("there is nothing that you are asked to agree to", 409, "nothing")
        if not agrees:
            return [Entry(REFUSE, seat)]
        if wish.waits_for == {seat}:
            return [Entry(AGREE, seat), Entry(BACK, wish.seat, str(wish.lines))]
        return [Entry(AGREE, seat)]

    return judge


def choose(person: Person, choice: str) -> Judge:
    """Somebody's time is over: wait, let a bot move, or end the game (if all others want that)."""

    def judge(sitting: Sitting) -> list[Entry]:
        seat = seat_of(sitting, person)
        must_play(sitting)
        late = [other for other in sitting.asked if other in sitting.clocks.flagged and other != seat]
        if not late:
            raise Refused("nobody's time is over", 409, "nothing")
        if choice not in CHOICES:
            raise Refused(f"choose {listing(CHOICES)}", 422, "unknown")
        entry = Entry(CHOOSE, seat, choice)
        if choice == "bot":
            return [entry, *company.move_for(sitting, late[0])]
        voters = {other for other in sitting.people(late[0]) if not sitting.chairs[other].is_left}
        wants = {other for other, vote in sitting.votes.items() if vote == "end"} | {seat}
        if choice == "end" and voters <= wants:
            return [entry, Entry(END, late[0], f"The time of {sitting.called(late[0])} is over, and the game ends.")]
        return [entry]

    return judge


def resign(person: Person) -> Judge:
    """End a game that nobody else plays: with bots alone at the table nobody has to be asked."""

    def judge(sitting: Sitting) -> list[Entry]:
        seat = seat_of(sitting, person)
        must_play(sitting)
        if [other for other in sitting.people(seat) if not sitting.chairs[other].is_left]:
            raise Refused("others still play; leave your seat to a bot instead", 409, "taken")
        return [Entry(END, seat, f"{sitting.called(seat)} ends the game.")]

    return judge


# talking


def say(person: Person, words: str) -> Judge:
    """A line of chat, by anybody who is at the table."""
    text = " ".join("".join(c if c.isprintable() else " " for c in words).split())[:LONGEST_CHAT]
    if not text:
        raise Refused("say something", 422, "empty")
    return lambda sitting: [Entry(SAY, None, f"{person.name}\n{text}", person.id)]


def rematch(new: Deal) -> Judge:
    """Point to the table of the next game, if nobody has yet."""

    def judge(sitting: Sitting) -> list[Entry]:
        if sitting.stage != OVER:
            raise Refused("the game is not over yet", 409, "not-over")
        return [] if sitting.next else [Entry(NEXT, None, new.id)]

    return judge


def why(sitting: Sitting, seat: Seat, name: str) -> str:
    """Why a move is not allowed, in words; nothing if it is."""
    assert sitting.table is not None
    try:
        return sitting.table.why(seat, name) or ""
    except IllegalMove as refusal:
        return str(refusal)

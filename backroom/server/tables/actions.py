"""Actions of people at a table: each inspects the state and returns the entries to write, or raises Refused."""

from collections import Counter
from collections.abc import Callable
from math import prod

from backroom.bots import DEFAULT, bot
from backroom.engine.ending import RESIGN
from backroom.engine.kernel import SPECTATOR
from backroom.engine.marks import plain
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import IllegalMove, Seat, State
from backroom.server.errors import Refused, Stale
from backroom.server.people.accounts import Person
from backroom.server.people.names import printable
from backroom.server.storage.journal import (
    AGREE,
    BOT,
    CHOOSE,
    END,
    LESSON,
    LOSE,
    MOVE,
    NEXT,
    OFFER,
    REFUSE,
    RISE,
    SAY,
    SIT,
    STOP,
    TAKE_BACK,
    UNRATED,
    WISH,
    Entry,
)
from backroom.server.tables import timeouts
from backroom.server.tables.config import TableConfig
from backroom.server.tables.live import Action, LiveTable
from backroom.server.tables.state import OPEN, OVER, PLAYING, Request, TableState

LONGEST_CHAT = 400
MOST_IN_A_VERB = 4000
"""Verbs with more moves than this are not searched for a reason: their moves are made in smaller steps."""
CHOICES = ("wait", "bot", "end")
AGREED = "All agreed to end the game without a result."
UNRATES = {
    "hint": "a hint makes this game unrated: it will not count on the ladder",
    "back": "taking this back makes the game unrated: it will not count on the ladder",
}
"""Warnings shown before an action that makes a game unrated, by its word in the journal."""


def seat_of(state: TableState, person: Person) -> Seat:
    """The person's seat; Refused if none."""
    seat = state.seat_of(person.id)
    if seat == SPECTATOR:
        raise Refused("you have no seat at this table", 403, "no-seat")
    return seat


def known_seat(state: TableState, seat: Seat) -> Seat:
    if seat not in range(state.config.seats):
        raise Refused(f"there is no seat {seat} at this table", 404, "unknown")
    return seat


def must_play(state: TableState) -> None:
    if state.stage != PLAYING:
        raise Refused("the game has not begun" if state.stage == OPEN else "the game is over", 409, "not-playing")


def playing_seat(state: TableState, person: Person) -> Seat:
    """The seat of a person who still plays the game; Refused if there is none."""
    seat = seat_of(state, person)
    must_play(state)
    must_not_have_lost(state, seat)
    return seat


def must_not_have_lost(state: TableState, seat: Seat) -> None:
    if seat in state.lost:
        raise Refused("you have lost this game; the others play on", 409, "lost")


def start_if_full(state: TableState, new: list[Entry]) -> list[Entry]:
    """Append the entries that begin the game if `new` takes the last free seat."""
    taken = {entry.seat for entry in new if entry.kind in (SIT, BOT)}
    is_full = all(seat in taken or not chair.is_free for seat, chair in enumerate(state.chairs))
    return [*new, *state.begun()] if is_full and state.stage == OPEN else new


# seats


def sit(person: Person, wanted: Seat | None) -> Action:
    """Take a free seat, or return to one's own."""

    def act(state: TableState) -> list[Entry]:
        mine = state.seat_of(person.id)
        if mine != SPECTATOR and wanted in (None, mine):
            chair = state.chairs[mine]
            must_not_have_lost(state, mine)
            return [Entry(SIT, mine, person.name, person.id)] if chair.bot or chair.is_left else []
        if mine != SPECTATOR:
            raise Refused("you have a seat already; leave it first", 409, "seated")
        if state.stage == OVER:
            raise Refused("the game is over", 409, "not-playing")
        free = [seat for seat in range(state.config.seats) if is_to_have(state, seat)]
        free.sort(key=lambda seat: not state.chairs[seat].is_free)  # a bot's seat only if no other is free
        if wanted is not None and known_seat(state, wanted) not in free:
            raise Refused(f"{state.game.seat_name(wanted)} is taken", 409, "taken")
        if not free:
            raise Refused("all seats are taken; you can watch", 409, "taken")
        seat = free[0] if wanted is None else wanted
        return start_if_full(state, [Entry(SIT, seat, person.name, person.id)])

    return act


def is_to_have(state: TableState, seat: Seat) -> bool:
    """Whether a newcomer may sit here: the seat is free, or before the game a bot has it that replaces nobody."""
    chair = state.chairs[seat]
    return chair.is_free or (chair.owner is None and state.stage == OPEN)


def rise(person: Person) -> Action:
    """Leave the seat: before the game it becomes free; during the game its owner can come back to it."""

    def act(state: TableState) -> list[Entry]:
        seat, request = seat_of(state, person), state.request
        if state.chairs[seat].is_left or state.stage == OVER:
            return []
        gone = [Entry(RISE, seat, "", person.id)]
        if request is not None and request.waits_for == {seat}:  # nobody is left who could object
            gone += granted(state, request)
        return gone

    return act


def put_bot(person: Person, seat: Seat, name: str) -> Action:
    """Put a bot in a free seat, in one's own, or in that of somebody who has left."""

    def act(state: TableState) -> list[Entry]:
        mine = state.seat_of(person.id)
        if mine == SPECTATOR and state.config.maker != person.id:
            raise Refused("only players at this table can add bots", 403, "no-seat")
        try:
            bot(name, state.game)
        except BadOption as wrong:
            raise Refused(str(wrong), 422, "unknown") from None
        chair = state.chairs[known_seat(state, seat)]
        if state.stage == OVER:
            raise Refused("the game is over", 409, "not-playing")
        if chair.bot == name and chair.owner is None:
            return []
        if chair.bot is not None and (chair.owner is not None or state.stage != OPEN):
            raise Refused("a bot plays there already", 409, "taken")
        if chair.owner is not None and seat != mine and not chair.is_left:
            raise Refused(f"{state.called(seat)} is still at the table", 409, "taken")
        return start_if_full(state, [Entry(BOT, seat, name)])

    return act


def fill_up(person: Person, name: str) -> Action:
    """Put bots in all free seats, which begins the game."""

    def act(state: TableState) -> list[Entry]:
        if state.stage != OPEN:
            raise Refused("the game has begun already", 409, "not-open")
        free = [seat for seat, chair in enumerate(state.chairs) if chair.is_free]
        return start_if_full(state, [entry for seat in free for entry in put_bot(person, seat, name)(state)[:1]])

    return act


# playing


def move(person: Person, name: str, ask: int | None, now: Callable[[], int], has_key: bool = True) -> Action:
    """Make a move. `ask` is the number of the question it answers; a claim out of turn needs a key instead."""

    def act(state: TableState) -> list[Entry]:
        seat = seat_of(state, person)
        must_play(state)
        if ask is None and not has_key:
            raise Refused("say which question this answers, or give a claim out of turn a key", 422, "unreadable")
        if state.chairs[seat].bot:
            raise Refused("a bot plays your seat; take it back first", 409, "seated")
        late = state.late[seat]
        if late is not None and late.ask == ask:
            raise timeouts.lateness(state, seat)
        if ask is not None and ask != state.asks[seat]:
            raise Stale()
        if timeouts.is_too_late(state, seat, now()):
            raise timeouts.lateness(state, seat)
        if ask is None and seat in state.asked and seat not in state.group:
            raise Stale("the game has gone on, and you are asked something else now; look again")
        return answer_lesson(state, seat, name) if state.lesson else state.move_entries(seat, name)

    return act


def answer_lesson(state: TableState, seat: Seat, name: str) -> list[Entry]:
    """A move in a lesson: a right one leads to the next step, any other is refused with an explanation."""
    step = state.lesson_step
    if step is None or not step.right:
        raise Refused("there is nothing to play now; go on", 409, "nothing")
    played = state.move_entries(seat, name)
    if played[0].text not in step.right:
        raise Refused(step.wrong, 422, "lesson")
    return [*played, *next_step(state)]


def next_step(state: TableState) -> list[Entry]:
    """The entries after a step of a lesson: the replies of the other seats, then the next step or the end."""
    assert state.lesson is not None
    steps, at = state.lesson.steps, state.lesson_at
    replies = [Entry(MOVE, seat, name) for seat, name in steps[at].reply]
    entries = [*replies, Entry(LESSON, None, str(at + 1))]
    if at + 1 == len(steps):
        entries.append(Entry(END, None, f"{steps[at].done or steps[at].say} That was the lesson."))
    return entries


def go_on(person: Person) -> Action:
    """Go on from a step of a lesson that is only read."""

    def act(state: TableState) -> list[Entry]:
        seat_of(state, person)
        step = state.lesson_step
        if step is None or step.right:
            raise Refused("there is nothing to go on from; make a move", 409, "nothing")
        return next_step(state)

    return act


async def play(live: LiveTable, person: Person, name: str, ask: int | None, key: str | None) -> TableState:
    """Validate, store and publish a move; a move with the same key is made only once."""
    whole_key = None if key is None else f"{person.id[:12]}:{key}"
    state = await live.write(move(person, name, ask, live.tables.now, key is not None), whole_key)
    seat = state.seat_of(person.id)
    if seat != SPECTATOR and ask is not None and ask == state.asks[seat]:  # a move that was played has changed it
        raise Refused("this key was used for an earlier move; give each move a key of its own", 409, "used-key")
    return state


def undo(person: Person) -> Action:
    """Take one's last move back: freely while it has revealed nothing to anybody, otherwise if all others agree."""

    def act(state: TableState) -> list[Entry]:
        seat = playing_seat(state, person)
        if state.lesson:
            raise Refused("moves in a lesson cannot be taken back; begin it again from the lobby", 409, "lesson")
        assert state.table is not None
        table = state.table
        mine = [number for number, line in enumerate(table.lines) if line.seat == seat]
        if not mine:
            raise Refused("you have made no move to take back", 409, "nothing")
        keep = mine[-1]
        if is_free_to_take_back(state, keep):
            return [Entry(TAKE_BACK, seat, str(keep))]
        if not state.present(seat):
            warn(state, "back")
            return [Entry(TAKE_BACK, seat, str(keep))]
        if state.request:
            raise Refused("somebody has asked for something already", 409, "asked")
        return [Entry(WISH, seat, str(keep))]

    return act


def warn(state: TableState, what: str) -> None:
    """Raise Refused, as a warning, if the action would make a rated game unrated."""
    if state.is_rated:
        raise Refused(UNRATES[what], 409, "unrated")


def unrate(person: Person, what: str) -> Action:
    """Make the game unrated, for a hint or for a take-back against bots."""

    def act(state: TableState) -> list[Entry]:
        seat = playing_seat(state, person)
        if what not in UNRATES:
            raise Refused(f"a game becomes unrated by {listing(UNRATES)}", 422, "unknown")
        if what == "hint" and not state.config.terms.hints:
            raise Refused("this table is played without hints", 403, "no-hints")
        if what == "back" and state.present(seat):
            raise Refused("the others can let you take back; the game stays rated", 409, "asked")
        return [Entry(UNRATED, seat, what)] if state.is_rated else []

    return act


def granted(state: TableState, request: Request) -> list[Entry]:
    """The entries when all have agreed to a request. With a bot at the table, a take-back makes the game unrated."""
    if request.lines is None:
        return [Entry(STOP, request.seat, AGREED)]
    has_bots = any(chair.bot for chair in state.chairs)
    unrated = [Entry(UNRATED, request.seat, "back")] if has_bots and state.is_rated else []
    return [Entry(TAKE_BACK, request.seat, str(request.lines)), *unrated]


def is_free_to_take_back(state: TableState, keep: int) -> bool:
    """Whether nobody has learned anything since line `keep`."""
    assert state.table is not None
    return state.table.can_take_back(keep)


def is_final(state: TableState, seat: Seat, name: str) -> bool:
    """Whether a move could not be taken back freely once made; IllegalMove if it is not allowed."""
    assert state.table is not None
    table = state.table.copy()
    table.append(table.steps(seat, name))
    return not state.lesson and not table.can_take_back(state.lines)


def answer(person: Person, agrees: bool) -> Action:
    """Agree to a request, or refuse it."""

    def act(state: TableState) -> list[Entry]:
        seat = seat_of(state, person)
        request = state.request
        if request is None or seat not in request.waits_for:
            raise Refused("there is nothing that you are asked to agree to", 409, "nothing")
        if not agrees:
            return [Entry(REFUSE, seat)]
        if request.waits_for == {seat}:
            return [Entry(AGREE, seat), *granted(state, request)]
        return [Entry(AGREE, seat)]

    return act


def choose(person: Person, choice: str) -> Action:
    """Choose what happens when somebody's time is over: wait, let a bot move, or end the game (if all others agree)."""

    def act(state: TableState) -> list[Entry]:
        seat = playing_seat(state, person)
        late = [other for other in state.asked if other in state.clocks.flagged and other != seat]
        if not late:
            raise Refused("nobody's time is over", 409, "nothing")
        if choice not in CHOICES:
            raise Refused(f"choose {listing(CHOICES)}", 422, "unknown")
        entry = Entry(CHOOSE, seat, choice)
        voters = set(state.present(late[0]))
        wants = {other for other, vote in state.votes.items() if vote == "end"} | {seat}
        if choice == "end" and voters <= wants:
            return [entry, *timeouts.lost_on_time(state, late[0])]
        return [entry]

    return act


def resign(person: Person) -> Action:
    """Resign. The game is over if only one seat is left or no other person plays.

    Otherwise a bot plays on for the seat, which is ranked last whatever the bot achieves.
    """

    def act(state: TableState) -> list[Entry]:
        seat = playing_seat(state, person)
        if state.lesson or state.config.seats == 1:
            raise Refused("nobody else plays here; end the game instead", 409, "alone")
        lost = Entry(LOSE, seat, RESIGN)
        if len(state.lost) + 2 >= state.config.seats:
            return [lost]
        if not [other for other in state.present(seat) if other not in state.lost]:
            return [lost, Entry(STOP, None, "Nobody else plays: the game ends.")]
        return [lost] if state.chairs[seat].bot else [lost, Entry(BOT, seat, DEFAULT)]

    return act


def end(person: Person) -> Action:
    """End the game without a result: immediately if one plays alone, otherwise if all others agree."""

    def act(state: TableState) -> list[Entry]:
        seat = playing_seat(state, person)
        if state.lesson or state.config.seats == 1:
            return [Entry(STOP, seat, f"{state.called(seat)} ends the game.")]
        if not state.present(seat):
            raise Refused("nobody is here who could agree; you can resign", 409, "alone")
        if state.request:
            raise Refused("somebody has asked for something already", 409, "asked")
        return [Entry(OFFER, seat)]

    return act


# chat and rematch


def say(person: Person, words: str) -> Action:
    """Write a line of chat; spectators may too."""
    text = printable(words)[:LONGEST_CHAT]
    if not text:
        raise Refused("say something", 422, "empty")
    return lambda state: [Entry(SAY, None, f"{person.name}\n{text}", person.id)]


def rematch(new: TableConfig) -> Action:
    """Link to the table of the next game, if there is no such link yet."""

    def act(state: TableState) -> list[Entry]:
        if state.stage != OVER:
            raise Refused("the game is not over yet", 409, "not-over")
        return [] if state.next else [Entry(NEXT, None, new.id)]

    return act


def why_not(state: TableState, v: State, seat: Seat, touched: list[str], pieces: list[str]) -> str:
    """Why none of these pieces, the topmost first, can be touched after those already touched.

    Of the reasons against all moves that begin with these touches, the one that the fewest share, because it is the
    most specific. Empty if there are no such moves.
    """
    game, options, names = state.game, state.config.options, state.names
    legal = set(game.moves(v, seat))
    for piece in pieces:
        path = [*touched, piece]
        reasons = Counter(
            plain(game.rules.why(v, seat, move), names)
            for first, sizes in game.rules.verbs(options)
            if prod(sizes) <= MOST_IN_A_VERB
            for move in range(first, first + prod(sizes))
            if move not in legal and game.rules.touch(v, seat, move)[: len(path)] == path
        )
        if reasons:
            return min(reasons, key=lambda reason: reasons[reason])
    return ""


def why(state: TableState, seat: Seat, name: str) -> str:
    """Why a move is not allowed, in words; empty if it is."""
    assert state.table is not None
    try:
        return state.table.why(seat, name) or ""
    except IllegalMove as refusal:
        return str(refusal)

"""One table as it stands after its journal: the game, who sits where, clocks, take-back requests and what was said."""

import functools
from array import array
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from backroom.engine import ending
from backroom.engine.game import Game, is_in
from backroom.engine.kernel import EVERYONE, NATURE, SPECTATOR, UNKNOWN
from backroom.engine.lessons import Lesson, LessonStep, lesson_of
from backroom.engine.marks import as_read_by, told_apart
from backroom.engine.open_moves import open_moves
from backroom.engine.protocol import Move, Result, Seat, State
from backroom.engine.table import Step, Table
from backroom.server.people.names import bot_name
from backroom.server.storage.journal import BEGIN, LATE, MOVE, RISE, SAY, SIT, TAKE_BACK, Entry
from backroom.server.tables.clocks import Clocks
from backroom.server.tables.config import LET_BOT, TableConfig

MOST_NOTES = 200
"""Notes kept in memory for each table."""
OPEN, PLAYING, OVER = "open", "playing", "over"


@dataclass(slots=True)
class Chair:
    """The occupant of a seat."""

    owner: str | None = None
    """The person whose seat it is, also while a bot plays it for them."""
    name: str = ""
    bot: str | None = None
    is_left: bool = False
    """The owner has left; the other players may let a bot play."""

    @property
    def is_free(self) -> bool:
        return self.owner is None and self.bot is None

    @property
    def shown(self) -> str:
        """The name that others see."""
        return f"{self.name} ({self.bot})" if self.bot else self.name

    @property
    def in_log(self) -> str:
        """The name for the header of a log; for a bot the name of its level, by which it can be found again."""
        return self.bot if self.bot and self.owner is None else self.name.strip()


class Note(NamedTuple):
    """Chat, or a remark about the table; not a line of the game's log."""

    lines: int
    """The number of lines in the log at that time."""
    at: int
    who: str
    """The speaker; empty for a remark about the table itself."""
    text: str


@dataclass(slots=True)
class Request:
    """A seat asks the others to let it take its last move back, or to end the game without a result."""

    seat: Seat
    lines: int | None
    """The number of lines of the log that would remain; None: the game would end."""
    waits_for: set[Seat]


class Hands(NamedTuple):
    """Since when a seat's present player plays it, and since when what a bot remembers there is true."""

    entry: int
    """The last change of player, or the last take-back at the table."""
    lines: int
    """The length of the log when the player began; less if lines before that were taken back."""


class Late(NamedTuple):
    """A question that the table answered for a seat because its countdown had ended."""

    ask: int
    move: str


class Deadline(NamedTuple):
    """The time by which some seats have to answer; after it the table plays a move for them."""

    ends: int
    seats: tuple[Seat, ...]
    move: str


@dataclass(slots=True)
class Change:
    """What some entries changed, for publishing."""

    steps: list[Step] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    is_cut: bool = False
    """The game began, moves were taken back or a new position was set up: readers need the whole state again."""
    are_seats_new: bool = False
    """Somebody sat down or left: not every reader may have the right view any more."""
    late: set[Seat] = field(default_factory=set)
    """The seats for which the table moved, because their countdown had ended."""
    told: dict[tuple[int, str, bool], msgspec.Raw] = field(default_factory=dict)
    """Lines encoded for programs, by the number of the step, the sentence with marks, and whether the move is seen."""
    _kept: dict[tuple[int, Seat], tuple[State, str]] = field(default_factory=dict)

    def seen(self, state: "TableState", number: int, reader: Seat, v: State) -> tuple[State, str]:
        """A step for a reader whose view before it was `v`: the view after it, and a sentence with marks.

        If the game has no secrets all readers see the same, and it is computed once.
        """
        rules = state.game.rules
        key = number, reader if rules.SECRETS else SPECTATOR
        found = self._kept.get(key)
        if found is None:
            line, _, after = self.steps[number]
            then = state.view(reader) if after is state.shown else state.game.view(after, reader)
            move = line.move if is_in(line.seen, reader) else UNKNOWN
            found = self._kept[key] = then, rules.say(v, line.seat, move, then)
        return found[0], as_read_by(reader, found[1])


@functools.cache
def without_nature(asked: tuple[Seat, ...]) -> frozenset[Seat]:
    """The seats in `asked` that belong to players."""
    return frozenset(asked) - {NATURE}


def digest_of_key(key: str) -> bytes:
    """Eight bytes that stand for a key, in this process."""
    return hash(key).to_bytes(8, "little", signed=True)


class TableState:
    """A table after its journal. Only entries change it, and the same entries always lead to the same state."""

    def __init__(self, config: TableConfig) -> None:
        self.config = config
        self.game: Game = config.find_game()
        self.chairs = [Chair() for _ in range(config.seats)]
        self._names: list[str] | None = None
        """Cached value of `names`; None after any entry that is not a move."""
        self.kept_chairs: dict[str, tuple[list[dict[str, Any]], bool]] = {}
        """Cached by stage: the part of each seat's message that moves do not change, and whether the game is rated."""
        self.kept_headings: dict[tuple[Any, ...], msgspec.Raw] = {}
        """Cached by `messages.heading_key`, until any entry that is not a move, or until somebody comes or goes."""
        self._result: tuple[State | None, int, Result | None] = None, 0, None
        """Cached: a state, the number of endings at the table, and the result in words."""
        self.table: Table | None = None
        self._steps: list[Step] = []
        """Steps of a move that are computed and not applied yet."""
        self._views: tuple[State | None, dict[Seat, State]] = None, {}
        """Cached: a state, and the views of it computed so far."""
        self.number = 0
        """The number of the last entry."""
        self.counts = [0] * (config.seats + 1)
        """How many events each reader has noticed, spectators last. A reader's count reveals nothing hidden from it."""
        self.readers = [*range(config.seats), SPECTATOR]
        self.asks = [0] * config.seats
        """Each seat's count when the answers open to it last changed."""
        self._open: list[bytes] = [b""] * config.seats
        """For each seat a byte for whether it is asked, then its moves as the kernel wrote them."""
        self.asked: tuple[Seat, ...] = ()
        """The seats that must answer now."""
        self.group: frozenset[Seat] = frozenset()
        """Seats that were asked at the same time, until the last of them has answered."""
        self.group_since = 0
        self.ask_since = 0
        """The time of the last line, which is when the present question was asked."""
        self.notes: deque[Note] = deque(maxlen=MOST_NOTES)
        self.request: Request | None = None
        self.votes: dict[Seat, str] = {}
        self.clocks = Clocks(config.terms, config.seats)
        self.stand_ins: set[Seat] = set()
        """Seats whose time is over and for which a bot moves until they are no longer asked."""
        self.hands = [Hands(0, 0)] * config.seats
        self.late: list[Late | None] = [None] * config.seats
        """For each seat, the last question that the table answered for it."""
        self.lesson: Lesson | None = lesson_of(self.game, config.terms.lesson) if config.terms.lesson else None
        """The lesson at this table, if any."""
        self.lesson_at = 0
        """The step of the lesson, from 0."""
        self.broken_off = ""
        self.next: str | None = None
        self.changed_hands = False
        """Whether a seat was taken over by another player during the game; such games are not rated."""
        self.unrated = ""
        """Why the game is no longer rated, in words; otherwise empty."""
        self.rating_changes: list[tuple[float, float]] | None = None
        """Each seat's rating before and after the game, if it was rated."""
        self._keys = bytearray()
        """Eight bytes for each key in the journal (`digest_of_key`)."""
        self.deadline: tuple[int, Deadline | None] = -1, None
        """Cached: the number of the entry after which the deadline was computed, and the deadline."""

    # queries

    @property
    def shown(self) -> State | None:
        """The state of the game, once it has begun."""
        return None if self.table is None else self.table.state

    @property
    def lines(self) -> int:
        """The number of lines in the game's log."""
        return 0 if self.table is None else len(self.table.lines)

    @property
    def stage(self) -> str:
        if self.broken_off:
            return OVER
        if self.table is None:
            return OPEN
        return PLAYING if self.asked else OVER

    @property
    def score(self) -> tuple[float, ...] | None:
        """Each seat's result; None until the game is over, or if it has no result."""
        return None if self.table is None or self.broken_off or self.asked else self.table.score

    @property
    def result(self) -> Result | None:
        """The result in words with marks; None until the game is over, or if it has no result."""
        if self.table is None or self.score is None:
            return None
        of, endings, found = self._result
        if of is not self.table.state or endings != len(self.table.endings):
            own = self.game.rules.result(self.view(SPECTATOR))
            found = ending.result(self.table.endings, own, self.score, self.config.seats)
            self._result = self.table.state, len(self.table.endings), found
        return found

    @property
    def lost(self) -> dict[Seat, str]:
        """The seats that lost other than by the rules (by resignation or on time), with the reason."""
        return {} if self.table is None else self.table.lost

    @property
    def is_rated(self) -> bool:
        """Whether the game counts on the ladder, as far as is known now."""
        who = [chair.owner or chair.bot for chair in self.chairs]
        are_different = None not in who and len(set(who)) == len(who) > 1
        is_usual = self.config.terms.rated and self.config.start is None
        return is_usual and are_different and not self.changed_hands and not self.unrated

    @property
    def lesson_step(self) -> LessonStep | None:
        """The current step of the lesson; None if there is no lesson or it is over."""
        if self.lesson is None or self.stage != PLAYING or self.lesson_at >= len(self.lesson.steps):
            return None
        return self.lesson.steps[self.lesson_at]

    def view(self, reader: Seat) -> State:
        """The reader's current view. Do not change it: all callers get the same object."""
        assert self.table is not None
        s = self.table.state
        of, views = self._views
        if of is not s:
            views = {}
            self._views = s, views
        found = views.get(reader)
        if found is None:
            found = views[reader] = self.game.view(s, reader)
        return found

    def count(self, reader: Seat) -> int:
        """How many events the reader has noticed."""
        return self.counts[reader]

    def may_have_key(self, key: str) -> bool:
        """Whether the journal may have an entry with this key; if not, it has none."""
        return digest_of_key(key) in self._keys

    def seat_of(self, person: str | None) -> Seat:
        """The person's seat; SPECTATOR if none."""
        if person is not None:
            for seat, chair in enumerate(self.chairs):
                if chair.owner == person:
                    return seat
        return SPECTATOR

    def moves(self, seat: Seat) -> list[Move]:
        """The moves open to a seat; by law a seat's view has the same moves as the state."""
        return [] if self.broken_off or not self.asked else array("i", self._open[seat][1:]).tolist()

    @property
    def names(self) -> list[str]:
        """The players' names in texts about the game, made distinct."""
        if self._names is None:
            self._names = told_apart([chair.name for chair in self.chairs], self.game.rules.SEAT_NAMES)
        return self._names

    def called(self, seat: Seat) -> str:
        """A seat's name, with that of the player in it."""
        name, chair = self.game.seat_name(seat), self.chairs[seat]
        return f"{chair.name} ({name})" if chair.name and chair.name != name else name

    def people(self, besides: Seat | None = None) -> list[Seat]:
        """The seats played by people, not bots."""
        return [n for n, chair in enumerate(self.chairs) if chair.owner and not chair.bot and n != besides]

    def present(self, besides: Seat | None = None) -> list[Seat]:
        """The seats of people who have not left the table and so can be asked to agree."""
        return [seat for seat in self.people(besides) if not self.chairs[seat].is_left]

    def ready(self) -> tuple[int, int] | None:
        """How many of the seats that choose simultaneously have chosen, and how many there are; None if none do."""
        return (len(self.group) - len(self.group & set(self.asked)), len(self.group)) if self.group else None

    def noticed(self, reader: Seat) -> list[int]:
        """The numbers, from 1, of the lines that the reader noticed."""
        lines = [] if self.table is None else self.table.lines
        return [number for number, line in enumerate(lines, 1) if is_in(line.noticed, reader)]

    # changes

    def move_entries(self, seat: Seat, name: str) -> list[Entry]:
        """The entries of a move and of nature's moves after it; IllegalMove if not allowed. Changes nothing."""
        assert self.table is not None
        self._steps = self.table.steps(seat, name, self.view(seat))
        return [Entry(MOVE, step.line.seat, step.line.name) for step in self._steps]

    def begun(self) -> list[Entry]:
        """The entries that begin the game."""
        table = Table(
            self.game,
            seats=self.config.seats,
            seed=self.config.seed,
            start=self.config.start,
            nature=self.config.seed is not None,
            options=self.config.options,
        )
        return [Entry(BEGIN), *(Entry(MOVE, line.seat, line.name) for line in table.lines)]

    def apply(self, entries: Iterable[Entry]) -> Change:
        """Apply the next entries of the journal."""
        change = Change()
        for entry in entries:
            self.number = entry.number
            if entry.key is not None:
                self._keys += digest_of_key(entry.key)
            if entry.kind == MOVE:
                change.steps.append(self._move(entry))
                if entry.who == LATE and entry.seat is not None:
                    change.late.add(entry.seat)
            else:
                before, self._names = self.table, None
                self.kept_chairs.clear()
                self.kept_headings.clear()
                note = getattr(self, f"_{entry.kind}")(entry)
                is_cut = entry.kind in (TAKE_BACK, BEGIN) or self.table is not before
                change.is_cut = change.is_cut or is_cut
                change.are_seats_new = change.are_seats_new or entry.kind in (SIT, RISE)
                self.counts = [count + 1 for count in self.counts]
                if note:
                    who = self._speaker(entry) if entry.kind == SAY else ""
                    change.notes.append(Note(self.lines, entry.at, who, note))
                    self.notes.append(change.notes[-1])
                if is_cut:
                    self._look_who_is_asked(entry.at, None)
        self._steps = []
        return change

    def _step(self, entry: Entry) -> Step:
        """The step for an entry of the journal: the one already computed, or computed from the entry."""
        assert self.table is not None
        assert entry.seat is not None
        for step in self._steps:
            is_this = step.line.seat == entry.seat and step.line.name == entry.text
            if is_this and step.before is self.table.state:
                return step
        return self.table.steps_told(entry.seat, entry.text)[0]

    def _move(self, entry: Entry) -> Step:
        step = self._step(entry)
        assert self.table is not None
        if entry.who == LATE and entry.seat is not None:
            self.late[entry.seat] = Late(self.asks[entry.seat], entry.text)
        self.table.append([step])
        line = step.line
        if line.noticed == EVERYONE:
            self.counts = [count + 1 for count in self.counts]
        else:
            self.counts = [
                count + is_in(line.noticed, reader) for count, reader in zip(self.counts, self.readers, strict=True)
            ]
        self.request = None
        self._look_who_is_asked(entry.at, line.seat)
        return step

    def _look_who_is_asked(self, at: int, mover: Seat | None) -> None:
        assert self.table is not None
        s = self.table.state
        was = without_nature(self.asked)
        asked = self.asked = self.game.asked(s)
        changed = set()
        for seat, moves in enumerate(open_moves(self.game)(s, self.config.seats)):
            found = (b"\1" if seat in asked else b"\0") + moves
            if found != self._open[seat] or mover is None or seat == mover:
                self._open[seat], self.asks[seat] = found, self.counts[seat]
                changed.add(seat)
        waited_for = without_nature(asked)
        # The last to choose may still be partway through a choice; if not, the others can no longer change theirs.
        has_last_chosen = was == {mover} and (mover not in waited_for or bool((changed & self.group) - {mover}))
        if mover is None or has_last_chosen or not waited_for or not waited_for <= self.group:
            self.group = waited_for if len(waited_for) > 1 else frozenset()
            self.group_since = at
        self.ask_since = at
        self.clocks.go(asked, at, mover)
        if not waited_for & self.clocks.flagged:
            self.votes.clear()
        self.stand_ins &= self.clocks.flagged

    def _change_hands(self, seats: Iterable[Seat], entry: Entry) -> None:
        """Record that from this entry on these seats have another player, or start afresh."""
        for seat in seats:
            self.hands[seat] = Hands(entry.number, self.lines)

    def _let_bot(self, seat: Seat, entry: Entry) -> None:
        """Let a bot move for a seat whose time is over."""
        self.stand_ins.add(seat)
        self._change_hands([seat], entry)

    def _speaker(self, entry: Entry) -> str:
        seat = self.seat_of(entry.who)
        name, _, _ = entry.text.partition("\n")
        return name if seat == SPECTATOR else self.called(seat)

    # One function for each kind of entry. Each returns a sentence for the notes, or "".

    def _sit(self, entry: Entry) -> str:
        chair = self.chairs[entry.seat or 0]
        is_back = chair.owner == entry.who
        if not is_back and self.table is not None:
            self.changed_hands = True
        chair.owner, chair.name, chair.bot, chair.is_left = entry.who, entry.text, None, False
        self._change_hands([entry.seat or 0], entry)
        return f"{self.called(entry.seat or 0)} {'is back' if is_back else 'sits down'}."

    def _bot(self, entry: Entry) -> str:
        seat = entry.seat or 0
        chair = self.chairs[seat]
        chair.bot = entry.text
        self._change_hands([seat], entry)
        if chair.owner is None:
            chair.name = bot_name(self.config.id, seat, self.game.rules.SEAT_NAMES)
            return f"{chair.name}, a bot ({entry.text}), plays {self.game.seat_name(seat)}."
        self.changed_hands = self.changed_hands or seat not in self.lost
        return f"The bot {entry.text} plays for {self.called(seat)}."

    def _rise(self, entry: Entry) -> str:
        seat = entry.seat or 0
        said = f"{self.called(seat)} leaves."
        if self.table is None:
            self.chairs[seat] = Chair()
        else:
            self.chairs[seat].is_left = True
            if self.request:
                self.request.waits_for.discard(seat)
        return said

    def _begin(self, entry: Entry) -> str:
        self._lay_out(self.config.start)
        self._change_hands(range(self.config.seats), entry)
        return "" if self.lesson else "The game begins."

    def _lesson(self, entry: Entry) -> str:
        """Go to the next step of a lesson, and set up its position if it has one."""
        assert self.lesson is not None
        done = self.lesson.steps[self.lesson_at].done
        self.lesson_at = int(entry.text)
        if self.lesson_at < len(self.lesson.steps) and (position := self.lesson.steps[self.lesson_at].position):
            self._lay_out(position)
        return done

    def _lay_out(self, start: str | None) -> None:
        """Set up the game at its beginning, or from a position."""
        config = self.config
        self.table = Table(
            self.game,
            seats=config.seats,
            seed=config.seed,
            start=start,
            nature=False,  # its first moves are in the journal like all later ones
            seed_hash=config.seed_hash,
            who={seat: who for seat, chair in enumerate(self.chairs) if (who := chair.in_log)},
            options=config.options,
        )
        self.table.nature = config.seed is not None

    def _back(self, entry: Entry) -> str:
        assert self.table is not None
        keep = int(entry.text)
        self.table.cut(keep)
        kept = (said._replace(lines=min(said.lines, keep)) for said in self.notes)  # notes keep their order
        self.notes = deque(kept, self.notes.maxlen)
        self.hands = [Hands(entry.number, min(hands.lines, keep)) for hands in self.hands]
        self.request = None
        return f"{self.called(entry.seat or 0)} takes a move back."

    def _wish(self, entry: Entry) -> str:
        seat = entry.seat or 0
        self.request = Request(seat, int(entry.text), set(self.present(seat)))
        return f"{self.called(seat)} asks to take a move back."

    def _offer(self, entry: Entry) -> str:
        seat = entry.seat or 0
        self.request = Request(seat, None, set(self.present(seat)))
        return f"{self.called(seat)} offers to end the game without a result."

    def _agree(self, entry: Entry) -> str:
        if self.request:
            self.request.waits_for.discard(entry.seat or 0)
        return f"{self.called(entry.seat or 0)} agrees."

    def _refuse(self, entry: Entry) -> str:
        self.request = None
        return f"{self.called(entry.seat or 0)} does not agree."

    def _say(self, entry: Entry) -> str:
        return entry.text.partition("\n")[2]

    def _flag(self, entry: Entry) -> str:
        seat = entry.seat or 0
        self.clocks.flagged.add(seat)
        if self.config.terms.out == LET_BOT or not self.present(seat):
            self._let_bot(seat, entry)
        return f"The time of {self.called(seat)} is over."

    def _choose(self, entry: Entry) -> str:
        self.votes[entry.seat or 0] = entry.text
        if entry.text == "bot":
            for seat in self.asked:
                if seat in self.clocks.flagged and seat != entry.seat:
                    self._let_bot(seat, entry)
        words = {"wait": "will wait", "bot": "lets a bot move", "end": "wants to end the game"}
        return f"{self.called(entry.seat or 0)} {words[entry.text]}."

    def _lose(self, entry: Entry) -> str:
        """Record that a seat has lost; if the others go on, a bot plays for it."""
        assert self.table is not None
        seat = entry.seat or 0
        self.table.concede(seat, entry.text)
        if self.table.is_ended:
            self._close(entry)
        return f"{self.called(seat)} resigns." if entry.text == ending.RESIGN else ""

    def _stop(self, entry: Entry) -> str:
        assert self.table is not None
        self.table.stop()
        self._close(entry)
        return entry.text

    def _close(self, entry: Entry) -> None:
        """Clear all questions, clocks and requests when the game has ended."""
        self.asked = ()
        self.clocks.stop(entry.at)
        self.request = None

    def _unrated(self, entry: Entry) -> str:
        what = {"hint": "asked for a hint", "back": "took a move back"}[entry.text]
        self.unrated = f"{self.called(entry.seat or 0)} {what}"
        return f"{self.unrated}: this game does not count on the ladder."

    def _rated(self, entry: Entry) -> str:
        self.rating_changes = msgspec.json.decode(entry.text, type=list[tuple[float, float]])
        return ""

    def _end(self, entry: Entry) -> str:
        self.broken_off = entry.text
        self._close(entry)
        return entry.text

    def _next(self, entry: Entry) -> str:
        self.next = entry.text
        return "There is a rematch."

"""What a game is: the shape of its module, its options, and the registry that doors find it by."""

import functools
import importlib
import itertools
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from backroom.engine.kernel import NATURE, SPECTATOR, WATCHER, Record, below, pick

if TYPE_CHECKING:
    from backroom.engine.table import Table

State = Record
Move = int
Seat = int


class IllegalMove(ValueError):
    """A move that may not be made: says who, what, why not, and the § of the rules."""


class BadPosition(ValueError):
    """A position that cannot be: says what is impossible about it, and the §."""


class BadOption(ValueError):
    """A game, a number of seats or an option that there is not: says what there is."""


@dataclass(frozen=True, slots=True)
class Option:
    """One choice made before a game: from these come the command's flags, the form and the log's header."""

    name: str
    values: tuple[str, ...]
    """The values that have a name, as people write them; the first is the default. Forms offer them, laws try them."""
    says: str
    """One sentence for whoever has to choose."""
    other: str = ""
    """What else it can be, in words: "5 to 120", "six letters A or B", "a track file". Nothing: only the values."""
    read: Callable[[str], str] | None = None
    """Turns other text into the one line that stands in the log, and reads that line as itself; ValueError says what
    was expected.
    """
    numbers: Callable[[str], Sequence[int]] | None = None
    """What kernels are told of a value, always as many numbers. None: its place among the values."""
    is_file: bool = False
    """Other text is what a file says: the door that is given its name reads it, never the game."""
    may_be_file: bool = False
    """Other text is typed, and a door that is given the name of a file instead reads it."""
    is_rule: bool = True
    """Whether kernels are told. Otherwise it is the table's matter, like a countdown."""
    series: tuple[str, ...] = ()
    """Words that make a new value with any number of up to nine digits, always the same one: `hard 17`. Named values
    that begin like `hard-` belong to that word.
    """

    @property
    def default(self) -> str:
        return self.values[0]

    def settle(self, value: object) -> str:
        """The value as the log has it; BadOption says what it can be."""
        text = ("no", "yes")[value] if isinstance(value, bool) else str(value)
        if text in self.values:
            return text
        if self.read is None:
            raise BadOption(f"option {self.name} cannot be {text!r}; it can be {self.choices}")
        try:
            settled = self.read(text)
            if self.read(settled) != settled or not settled or settled != " ".join(settled.split()):
                raise ValueError(f"{settled!r} cannot stand on one line of a log")
        except ValueError as error:
            raise BadOption(f"option {self.name}: {error}; it can be {self.choices}") from None
        return settled

    @property
    def choices(self) -> str:
        """What it can be, in words."""
        return listing([*self.values, self.other] if self.other else self.values)

    def encode(self, text: str) -> Sequence[int]:
        """A settled value as kernels know it."""
        return self.numbers(text) if self.numbers else (self.values.index(text),)


@dataclass(frozen=True, slots=True)
class Product:
    """What a game for one is played to make: a file that an option of a game takes."""

    game: str
    """Whose option it is."""
    option: str
    draft: str
    """The game's own option that begins with such a file."""
    file: str
    """What the file is called if nobody says otherwise."""
    write: Callable[[State], str]
    """Its text, as a view stands. It need not be good yet: that is for the option to say."""


class Rules(Protocol):
    """The shape of a game's module. What is said of each kernel here is a law of the house (LAWS.md)."""

    NAME: str
    """As commands and logs write it: its folder's name, with - for _."""
    TITLE: str
    """As people write it."""
    VERSION: int
    """Grows whenever a rules change makes an old log replay differently."""
    SEATS: Sequence[int]
    """The numbers of seats it can be played with."""
    SEAT_NAMES: tuple[str, ...]
    """What the seats are called, as many as there can be."""
    OPTIONS: tuple[Option, ...]
    SECRETS: bool
    """Whether any seat ever sees less than all."""
    STATE: np.dtype[np.void]
    """The record of a whole state. A last field called `work`, if any, is scratch space and no part of it."""
    MOST_MOVES: int
    """No ask ever has more moves than this."""
    LONGEST: int
    """Random play never has more moves than this, nature's included."""
    BACK: Move
    """The step back in a choice of small steps, the last of `moves` when it is open; UNKNOWN if there is none."""
    FEATURES: int
    """How many numbers `features` gives."""

    # kernels: rules.py

    def setup(self, s: State, seats: int, options: Any) -> None:
        """The state before anything random has happened; `options` holds the numbers of each option that is a rule."""

    def asked(self, s: State) -> int:
        """The seats that must answer now, as bits; NATURE alone when chance is due; 0: the game is over."""

    def moves(self, s: State, seat: Seat, out: Any) -> int:
        """Every move open to the seat, asked or not, in a fixed order, BACK last; says how many."""

    def odds(self, s: State, out: Any) -> int:
        """Whole weights of nature's moves, in the order of `moves`; says how many."""

    def play(self, s: State, seat: Seat, move: Move) -> None:
        """Carry out a legal move, in place."""

    def seen(self, s: State, seat: Seat, move: Move) -> int:
        """The seats that learn which move it is, as bits, WATCHER for spectators."""

    def hide(self, s: State, seat: Seat) -> None:
        """In place: make the state the view of the seat, or of a SPECTATOR."""

    def imagine(self, s: State, seat: Seat, dice: Any) -> None:
        """In place: fill a view to a whole state that fits everything the seat knows."""

    def score(self, s: State, out: Any) -> None:
        """Each seat's result when the game is over: more is better, equal is shared. Alone, 1 is all, 0 is nothing."""

    def is_whole(self, s: State) -> bool:
        """Whether every piece is in one place, and what is kept twice agrees: always so, and for imagined states."""

    # A module may also have `check(seats, options) -> None`: where some seats and settled options do not go together,
    # ValueError says why, and the §. And `timer(v, seat) -> (option, move)`: which of its options that are no rules
    # gives the seconds that the seat has for what it is asked in this view, and the move that a table plays then; None
    # where there is no hurry. And `MAKES`, a Product: then it is no contest, and tables offer the file to be saved, and
    # to be played with, at any time.
    #
    # And, in picture.py, `between(v, seat, move, then) -> views`: where a move goes a way that people want to see, what
    # its reader sees on that way. It is made from nothing but the reader's views before and after the move, and the
    # move itself, UNKNOWN if it was not seen; doors show it all in a second or so, and log lines stay one a move.
    #
    # What it may have besides: `TABLES`, pairs of a title and a function that computes and keeps what its bots look up;
    # `LEVELS`, how each level of its bots thinks; a kernel `plans(s, seat, out)`, the whole turns that are worth
    # looking at, a row each: how many steps it has, and these; it says how many rows, none where single moves are to be
    # looked at, and reads no hand but the seat's own; a kernel `replies`, the same for those few that are looked at
    # when others answer; a kernel `hunch(s, seat, out, n, dice)`, the place of that one of n moves which the seat would
    # play without much thought, by no more than it may know; and with it a kernel `weigh(s, seat, out, n, dice, marks,
    # counts)`, which marks each of the n moves with what it is worth, in parts of a win, having `counts` to count in,
    # an array of the shape COUNTS; where there is no hunch, a kernel `worth_trying(s, seat, out, n)`, which puts those
    # of n moves first that bots look at, and says how many. And, for the bot `net` in a game of two seats without
    # secrets, `mind()`, a tuple of arrays to think with, and the kernels `expect(s, seat, mind)`, what the seat may
    # expect of a state in which no seat is asked (what one gains the other loses), and `is_known(s, mind)`, whether
    # that is the truth.

    # words.py

    def name(self, v: State, move: Move) -> str:
        """The move in the game's notation."""

    def parse(self, v: State, text: str) -> Move:
        """The move that the text names; ValueError says what is expected. It need not be legal."""

    def say(self, v: State, seat: Seat, move: Move, then: State) -> str:
        """A sentence about a move, for the reader whose views before and after these are; UNKNOWN if unseen."""

    def why(self, v: State, seat: Seat, move: Move) -> str:
        """Why this move, which is not among `moves`, is not: half a sentence, with the §."""

    def question(self, v: State, seat: Seat) -> str:
        """What the seat is asked now, in words; who is waited for if it is not; who has won when it is over."""

    def position(self, v: State) -> str:
        """The state, or what a view shows of it, on one line; `place` reads it if nothing is hidden."""

    def place(self, s: State, text: str) -> None:
        """Put a state that was set up into this position; ValueError says what is impossible about it."""

    # picture.py

    def draw(self, v: State, seat: Seat) -> Any:
        """The Scene of a view."""

    def touch(self, v: State, seat: Seat, move: Move) -> list[str]:
        """The ids of what a finger touches to make this move, in order."""

    # kernels: brain.py

    def features(self, s: State, seat: Seat, out: Any) -> None:
        """What a learner looks at."""

    def value(self, s: State, seat: Seat) -> float:
        """How good the state is for the seat: about the share of wins it expects, 0 to 1."""


KERNELS = (
    *("setup", "asked", "moves", "odds", "play", "seen", "hide", "imagine", "score", "is_whole"),
    *("features", "value"),
)


@dataclass(frozen=True, eq=False)
class Game:
    """A game ready for use from Python: its rules, and the small change around calling kernels."""

    rules: Rules

    @property
    def name(self) -> str:
        return self.rules.NAME

    def __repr__(self) -> str:
        return f"<game {self.name} {self.rules.VERSION}>"

    @property
    def folder(self) -> Path:
        """Where the game lives, with its rulebook and tests."""
        return Path(str(self.rules.__file__)).parent  # type: ignore[attr-defined]

    @property
    def rulebook(self) -> str:
        """The rules that players read."""
        return (self.folder / "rules.md").read_text("utf-8")

    @property
    def summary(self) -> str:
        """What the game is: the first paragraph of its rulebook, without links."""
        return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", self.rulebook.split("\n\n")[1].replace("\n", " "))

    def table(
        self,
        seats: int | None = None,
        seed: object = None,
        start: str | None = None,
        nature: bool = True,
        **options: object,
    ) -> "Table":
        """A new table of this game, with its options by name. `Table` says what the rest is."""
        from backroom.engine.table import Table  # a table knows games; this is the one look back

        return Table(self, seats=seats, seed=seed, start=start, nature=nature, options=options)

    # states

    def blank(self) -> State:
        """A record of the game's kind, all zero."""
        return np.ndarray(1, self.rules.STATE, bytearray(self.rules.STATE.itemsize))[0]  # type: ignore[no-any-return]

    def copy(self, s: State) -> State:
        """Another record, the same to the byte (NumPy would copy field by field, and leave the gaps to chance)."""
        return np.ndarray(1, self.rules.STATE, bytearray(s.data))[0]  # type: ignore[no-any-return]

    def settle(self, seats: int | None, options: Mapping[str, object]) -> tuple[int, dict[str, str]]:
        """The seats and all options, chosen or default, as text; BadOption says what is wrong."""
        known = {option.name: option for option in self.rules.OPTIONS}
        for name in options:
            if name not in known:
                raise BadOption(f"{self.name} has no option {name!r}{did_you_mean(name, known)}")
        if seats is None:
            seats = self.rules.SEATS[0]
        if seats not in self.rules.SEATS:
            raise BadOption(f"{self.name} is for {listing(map(str, self.rules.SEATS))} seats, not {seats}")
        settled = {name: option.settle(options.get(name, option.default)) for name, option in known.items()}
        try:
            getattr(self.rules, "check", _anything_goes)(seats, settled)
        except ValueError as error:
            raise BadOption(f"{self.name}: {error}") from None
        return seats, settled

    def _goes_together(self, seats: int, options: Mapping[str, str]) -> bool:
        try:
            self.settle(seats, options)
        except BadOption:
            return False
        return True

    def settings(self, most: int = 256) -> list[tuple[int, dict[str, str]]]:
        """Every number of seats with every combination of the named values of rules that go together; of too many, some
        by lot. Even then every number of seats and every value is among them.
        """
        rules = [option for option in self.rules.OPTIONS if option.is_rule]
        base = {option.name: option.default for option in self.rules.OPTIONS}
        if len(self.rules.SEATS) * math.prod(len(option.values) for option in rules) <= most:
            every = [
                (seats, base | dict(zip((option.name for option in rules), values, strict=True)))
                for seats in self.rules.SEATS
                for values in itertools.product(*(option.values for option in rules))
            ]
            return [setting for setting in every if self._goes_together(*setting)]
        lot = random.Random(0)
        found: list[tuple[int, dict[str, str]]] = []
        while len(found) < most:
            turn = len(found)
            seats = self.rules.SEATS[turn % len(self.rules.SEATS)]
            chosen = base | {option.name: lot.choice(option.values) for option in rules}
            if turn < sum(len(option.values) for option in rules):
                option, value = [(option, value) for option in rules for value in option.values][turn]
                seats, chosen[option.name] = lot.choice(self.rules.SEATS), value
            if self._goes_together(seats, chosen):
                found.append((seats, chosen))
        return found

    def encoded(self, options: Mapping[str, str]) -> Any:
        """Settled options as kernels are told them."""
        rules = [option for option in self.rules.OPTIONS if option.is_rule]
        return np.array([number for option in rules for number in option.encode(options[option.name])], np.int32)

    def start(self, seats: int, options: Mapping[str, str]) -> State:
        """The state before the first move, for settled seats and options."""
        s = self.blank()
        self.rules.setup(s, seats, self.encoded(options))
        return s

    def stroll(self, s: State, seats: int, throw: Any) -> Iterator[tuple[Seat, Move]]:
        """Random play from here to the end: yields who will move and what, then does it, in place."""
        while movers := [seat for seat in (*range(seats), NATURE) if self.moves(s, seat)]:
            seat = movers[int(below(throw, len(movers)))]
            found = self.moves(s, seat)
            odds = self.odds(s) if seat == NATURE else [1] * len(found)
            move = found[int(pick(throw, np.array(odds), len(found)))]
            yield seat, move
            self.rules.play(s, seat, move)

    def asked(self, s: State) -> tuple[Seat, ...]:
        """The seats that must answer now."""
        return _seats_in(int(self.rules.asked(s)))

    def moves(self, s: State, seat: Seat) -> list[Move]:
        """Every move open to the seat. There is room to spare, so that a law can find a game with too many."""
        out = np.empty(4 * self.rules.MOST_MOVES, np.int32)
        return out[: self.rules.moves(s, seat, out)].tolist()  # type: ignore[no-any-return]

    def all_moves(self, s: State, seats: int) -> list[bytes]:
        """The moves of each seat, as the kernel writes them."""
        out = np.empty(4 * self.rules.MOST_MOVES, np.int32)
        return [out[: self.rules.moves(s, seat, out)].tobytes() for seat in range(seats)]

    def odds(self, s: State) -> list[int]:
        """The weights of nature's moves."""
        out = np.empty(self.rules.MOST_MOVES, np.int32)
        return out[: self.rules.odds(s, out)].tolist()  # type: ignore[no-any-return]

    def after(self, s: State, seat: Seat, move: Move) -> State:
        """The state after a legal move; `s` stays as it is."""
        then = self.copy(s)
        self.rules.play(then, seat, move)
        return then

    def view(self, s: State, seat: Seat) -> State:
        """What the seat may see of a state."""
        v = self.copy(s)
        self.rules.hide(v, seat)
        return v

    def between(self, v: State, seat: Seat, move: Move, then: State) -> list[State]:
        """What a reader, whose views before and after a move these are, sees on the way; mostly nothing."""
        return list(getattr(self.rules, "between", _all_at_once)(v, seat, move, then))

    def imagined(self, v: State, seat: Seat, dice: Any) -> State:
        """A whole state that fits the view."""
        s = self.copy(v)
        self.rules.imagine(s, seat, dice)
        return s

    def score(self, s: State, seats: int) -> tuple[float, ...]:
        """Each seat's result; only of a state where nobody is asked."""
        out = np.zeros(seats, np.float64)
        self.rules.score(s, out)
        return tuple(float(result) for result in out)

    def key(self, s: State) -> bytes:
        """The state as bytes, scratch space left out: equal for equal states."""
        state = self.rules.STATE
        end = state.fields["work"][1] if state.fields and "work" in state.fields else state.itemsize
        return s.tobytes()[:end]

    def sees(self, s: State, reader: Seat, seat: Seat, move: Move) -> bool:
        """Whether the reader learns which move it is."""
        return is_in(int(self.rules.seen(s, seat, move)), reader)

    def hides_nothing(self, s: State, seats: int) -> bool:
        """Whether everybody, spectators too, sees the whole of this state."""
        return all(self.key(self.view(s, reader)) == self.key(s) for reader in (SPECTATOR, *range(seats)))

    def seat_name(self, seat: Seat) -> str:
        return "nature" if seat == NATURE else self.rules.SEAT_NAMES[seat]


def _anything_goes(seats: int, options: Mapping[str, str]) -> None:
    """For games whose options all go together."""


def _all_at_once(v: State, seat: Seat, move: Move, then: State) -> Iterator[State]:
    """For games whose moves go no way."""
    return iter(())


@functools.cache
def _seats_in(mask: int) -> tuple[Seat, ...]:
    return tuple(seat for seat in range(NATURE + 1) if mask >> seat & 1)


def is_in(mask: int, reader: Seat) -> bool:
    """Whether a mask of seats has the reader, who may be a SPECTATOR."""
    return bool(mask >> (WATCHER if reader == SPECTATOR else reader) & 1)


def listing(words: Iterable[str], joint: str = "or") -> str:
    """a, b or c."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a refusal: the nearest known word, or all there are."""
    known = sorted(known)
    near = get_close_matches(word, known, n=1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; there is {listing(known, 'and')}" if known else "; there are none"


# The registry: games by name, imported when first asked for.

_loaders: dict[str, Callable[[], Rules]] = {}
_games: dict[str, Game] = {}


def register(name: str, load: Callable[[], Rules]) -> None:
    """Make a game known under a name; `load` gives its module when somebody asks for it."""
    _loaders[name] = load
    _games.pop(name, None)


def register_folder(package: str, path: Iterable[str]) -> None:
    """Make every game known that has a folder here, or inside another game's: one with a rulebook in it."""
    for root in map(Path, path):
        for book in sorted([*root.glob("*/rules.md"), *root.glob("*/*/rules.md")]):
            parts = book.parent.relative_to(root).parts
            full = ".".join([package, *parts])
            register(parts[-1].replace("_", "-"), lambda full=full: importlib.import_module(full))  # type: ignore[misc]


def names() -> Iterator[str]:
    """The names of all games there are."""
    yield from sorted(_loaders)


def game(name: str) -> Game:
    """The game of that name; BadOption says which there are."""
    if name not in _loaders:
        raise BadOption(f"there is no game called {name!r}{did_you_mean(name, _loaders)}")
    if name not in _games:
        _games[name] = Game(_loaders[name]())
    return _games[name]

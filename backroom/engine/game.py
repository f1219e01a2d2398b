"""What a game is: the shape of its module, its options, and the registry that doors find it by."""

import functools
import importlib
import itertools
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from backroom.engine.kernel import below, dice, pick

if TYPE_CHECKING:
    from backroom.engine.table import Table

State = np.record
Move = int
Seat = int

NATURE: Seat = 15
"""The seat that rolls dice and turns cards; `*` in a log."""
WATCHER: Seat = 14
"""The bit of a mask of seats that stands for everybody without a seat."""
SPECTATOR: Seat = -1
"""Whose view somebody without a seat gets."""
EVERYONE = (1 << (WATCHER + 1)) - 1
"""The mask of a move that all may know, spectators too."""
UNKNOWN = -1
"""What stands in a view where the seat may not know; and the number of a move that it did not see."""


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
    """Every value it can have, as people write it; the first is the default."""
    says: str
    """One sentence for whoever has to choose."""

    @property
    def default(self) -> str:
        return self.values[0]

    def place(self, value: object) -> int:
        """Where the value stands among `values`: the number that kernels know it by."""
        text = {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
        if text not in self.values:
            raise BadOption(f"option {self.name} cannot be {text!r}; it can be {listing(self.values)}")
        return self.values.index(text)


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
    STATE: np.dtype[np.void]
    """The record of a whole state. A last field called `work`, if any, is scratch space and no part of it."""
    MOST_MOVES: int
    """No ask ever has more moves than this."""
    LONGEST: int
    """No game ever has more moves than this, nature's included."""
    FEATURES: int
    """How many numbers `features` gives."""

    # kernels: rules.py

    def setup(self, s: State, seats: int, options: Any) -> None:
        """The state before anything random has happened; `options` holds the place of each option's value."""

    def asked(self, s: State) -> int:
        """The seats that must answer now, as bits; NATURE alone when chance is due; 0: the game is over."""

    def moves(self, s: State, seat: Seat, out: Any) -> int:
        """Every move open to the seat, asked or not, in a fixed order; says how many."""

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
        """Each seat's result when the game is over: more is better, equal is shared."""

    def is_whole(self, s: State) -> bool:
        """Whether every piece is in one place, and what is kept twice agrees: always so, and for imagined states."""

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
        """What the seat is asked now, in words; what others are waited for if it is not."""

    def position(self, v: State) -> str:
        """The state on one line, in the notation that `place` reads."""

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

    def table(self, seats: int | None = None, seed: object = None, **options: object) -> "Table":
        """A new table of this game. See `Table` for what else it takes."""
        from backroom.engine.table import Table  # a table knows games; this is the one look back

        return Table(self, seats=seats, seed=seed, **options)  # type: ignore[arg-type]

    @functools.cached_property
    def has_secrets(self) -> bool:
        """Whether any seat ever sees less than all: looked up in a few random games."""
        for seed, (seats, options) in zip(range(4), self.settings(), strict=False):
            s = self.start(seats, options)
            for _ in self.stroll(s, seats, dice(seed)):
                if any(self.key(self.view(s, seat)) != self.key(s) for seat in range(seats)):
                    return True
        return False

    # states

    def blank(self) -> State:
        """A record of the game's kind, all zero."""
        return np.zeros(1, self.rules.STATE)[0]  # type: ignore[no-any-return]

    def copy(self, s: State) -> State:
        """Another record, the same to the byte (NumPy would copy field by field, and leave the gaps to chance)."""
        return np.frombuffer(bytearray(s.tobytes()), self.rules.STATE)[0]  # type: ignore[no-any-return]

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
        chosen = {name: o.values[o.place(options.get(name, o.default))] for name, o in known.items()}
        return seats, chosen

    def settings(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Every number of seats with every combination of options."""
        names = [option.name for option in self.rules.OPTIONS]
        for seats in self.rules.SEATS:
            for values in itertools.product(*(option.values for option in self.rules.OPTIONS)):
                yield seats, dict(zip(names, values, strict=True))

    def start(self, seats: int, options: Mapping[str, str]) -> State:
        """The state before the first move, for settled seats and options."""
        s = self.blank()
        places = [option.place(options[option.name]) for option in self.rules.OPTIONS]
        self.rules.setup(s, seats, np.array(places, np.int32))
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
        mask = int(self.rules.asked(s))
        return tuple(seat for seat in range(NATURE + 1) if mask >> seat & 1)

    def moves(self, s: State, seat: Seat) -> list[Move]:
        """Every move open to the seat."""
        out = np.empty(self.rules.MOST_MOVES, np.int32)
        return [int(move) for move in out[: self.rules.moves(s, seat, out)]]

    def odds(self, s: State) -> list[int]:
        """The weights of nature's moves."""
        out = np.empty(self.rules.MOST_MOVES, np.int32)
        return [int(weight) for weight in out[: self.rules.odds(s, out)]]

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

    def seat_name(self, seat: Seat) -> str:
        return "nature" if seat == NATURE else self.rules.SEAT_NAMES[seat]


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
    """Make every game known that has a folder of its own in this package."""
    for module in pkgutil.iter_modules(path):
        register(
            module.name.replace("_", "-"),
            lambda full=f"{package}.{module.name}": importlib.import_module(full),  # type: ignore[misc]
        )


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

"""A game ready for use from Python: a wrapper around its kernels."""

import functools
import itertools
import math
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from backroom.engine.kernel import NATURE, SPECTATOR, WATCHER, below, pick
from backroom.engine.marks import as_read_by, plain
from backroom.engine.options import BadOption, Option
from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import Move, Rules, Seat, Situation, State

if TYPE_CHECKING:
    from backroom.engine.table import Table


@dataclass(frozen=True, eq=False)
class Game:
    """Python wrapper around a game's kernels."""

    rules: Rules

    @property
    def name(self) -> str:
        return self.rules.NAME

    @property
    def title(self) -> str:
        """The game's name as people write it."""
        return self.rules.TITLE

    @property
    def seats(self) -> tuple[int, ...]:
        """The numbers of seats it can be played with; the first is the default."""
        return tuple(self.rules.SEATS)

    @property
    def options(self) -> tuple[Option, ...]:
        """The choices made before a game starts."""
        return self.rules.OPTIONS

    def __repr__(self) -> str:
        return f"<game {self.name} {self.rules.VERSION}>"

    def __deepcopy__(self, memo: object) -> "Game":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by name, so only the registered game."""
        from backroom.engine.registry import game  # registry imports this module

        if game(self.name) is not self:
            raise TypeError(f"this {self!r} is not the registered one, which alone can be pickled")
        return game, (self.name,)

    @property
    def folder(self) -> Path:
        """The game's folder, which has its rulebook and tests."""
        return Path(self.rules.__file__).parent

    @property
    def rulebook(self) -> str:
        """The rules that players read."""
        return (self.folder / "rules.md").read_text("utf-8")

    @functools.cached_property
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
        """A new table of this game, with options by name; for the other arguments see `Table`."""
        from backroom.engine.table import Table  # table imports this module

        return Table(self, seats=seats, seed=seed, start=start, nature=nature, options=options)

    # states

    def blank(self) -> State:
        """A record of the game's type, all zero."""
        return np.ndarray(1, self.rules.STATE, bytearray(self.rules.STATE.itemsize))[0]  # type: ignore[no-any-return]

    def copy(self, s: State) -> State:
        """A byte-for-byte copy of a record. (NumPy's own copies field by field and leaves the padding undefined.)"""
        return np.ndarray(1, self.rules.STATE, bytearray(s.data))[0]  # type: ignore[no-any-return]

    def settle(self, seats: int | None, options: Mapping[str, object]) -> tuple[int, dict[str, str]]:
        """The number of seats and all options, given or default, as text; BadOption says what is wrong."""
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                raise BadOption(f"{self.name} has no option {name!r}{did_you_mean(name, known)}")
        if seats is None:
            seats = self.seats[0]
        if type(seats) is not int or seats not in self.seats:
            raise BadOption(f"{self.name} is for {listing(map(str, self.seats))} seats, not {seats!r}")
        settled = {name: option.settle(options.get(name, option.default)) for name, option in known.items()}
        try:
            getattr(self.rules, "check", _anything_goes)(seats, settled)
        except ValueError as error:
            raise BadOption(f"{self.title}: {error}") from None
        return seats, settled

    def _goes_together(self, seats: int, options: Mapping[str, str]) -> bool:
        try:
            self.settle(seats, options)
        except BadOption:
            return False
        return True

    def settings(self, most: int = 256) -> list[tuple[int, dict[str, str]]]:
        """Every number of seats with every valid combination of the named values of options that are rules.

        If there are too many, a random selection that still has every number of seats and every value.
        """
        rules = [option for option in self.options if option.is_rule]
        base = {option.name: option.default for option in self.options}
        if len(self.seats) * math.prod(len(option.values) for option in rules) <= most:
            every = [
                (seats, base | dict(zip((option.name for option in rules), values, strict=True)))
                for seats in self.seats
                for values in itertools.product(*(option.values for option in rules))
            ]
            return [setting for setting in every if self._goes_together(*setting)]
        lot = random.Random(0)
        found: list[tuple[int, dict[str, str]]] = []
        while len(found) < most:
            turn = len(found)
            seats = self.seats[turn % len(self.seats)]
            chosen = base | {option.name: lot.choice(option.values) for option in rules}
            if turn < sum(len(option.values) for option in rules):
                option, value = [(option, value) for option in rules for value in option.values][turn]
                seats, chosen[option.name] = lot.choice(self.seats), value
            if self._goes_together(seats, chosen):
                found.append((seats, chosen))
        return found

    def encoded(self, options: Mapping[str, str]) -> Any:
        """Settled options as the numbers that kernels get."""
        rules = [option for option in self.options if option.is_rule]
        return np.array([number for option in rules for number in option.encode(options[option.name])], np.int32)

    def start(self, seats: int, options: Mapping[str, str]) -> State:
        """The state before the first move, for settled seats and options."""
        s = self.blank()
        self.rules.setup(s, seats, self.encoded(options))
        return s

    def stroll(self, s: State, seats: int, throw: Any) -> Iterator[tuple[Seat, Move]]:
        """Play random moves from here to the end: yields each seat and move, then plays it, in place."""
        while movers := [(seat, found) for seat in (*range(seats), NATURE) if (found := self.moves(s, seat))]:
            seat, found = movers[int(below(throw, len(movers)))]
            odds = self.odds(s) if seat == NATURE else [1] * len(found)
            move = found[int(pick(throw, np.array(odds), len(found)))]
            yield seat, move
            self.rules.play(s, seat, move)

    def asked(self, s: State) -> tuple[Seat, ...]:
        """The seats that must answer now."""
        return _seats_in(int(self.rules.asked(s)))

    @property
    def room(self) -> int:
        """The size of a buffer for moves: far more than MOST_MOVES, so that a law can catch a game that exceeds it."""
        return 4 * self.rules.MOST_MOVES + 4096

    def moves(self, s: State, seat: Seat) -> list[Move]:
        """Every move open to the seat."""
        out = np.empty(self.room, np.int32)
        return out[: self.rules.moves(s, seat, out)].tolist()  # type: ignore[no-any-return]

    def odds(self, s: State) -> list[int]:
        """The weights of nature's moves."""
        out = np.empty(self.room, np.int32)
        return out[: self.rules.odds(s, out)].tolist()  # type: ignore[no-any-return]

    def after(self, s: State, seat: Seat, move: Move) -> State:
        """The state after a legal move; `s` is not changed."""
        then = self.copy(s)
        self.rules.play(then, seat, move)
        return then

    def view(self, s: State, seat: Seat) -> State:
        """What the seat may see of a state."""
        v = self.copy(s)
        self.rules.hide(v, seat)
        return v

    def between(self, v: State, seat: Seat, move: Move, then: State) -> list[State]:
        """The intermediate views of a move, from the reader's views before and after it; usually none."""
        return list(getattr(self.rules, "between", _all_at_once)(v, seat, move, then))

    def say(self, v: State, seat: Seat, move: Move, then: State, reader: Seat) -> str:
        """What happened, in a sentence with marks for the story that this reader is told; empty in mid-choice."""
        return as_read_by(reader, self.rules.say(v, seat, move, then))

    def situations(self, v: State, seat: Seat) -> list[Situation]:
        """The situations in a seat's view that a newcomer should be told about."""
        return [each for each in getattr(self.rules, "SITUATIONS", ()) if each.arises(v, seat)]

    def reasons_for(self, v: State, seat: Seat, move: Move, other: Move) -> list[str]:
        """What speaks for one of two open moves, in clauses; empty if the game does not say."""
        return list(self.rules.reasons_for(v, seat, move, other)) if hasattr(self.rules, "reasons_for") else []

    def imagined(self, v: State, seat: Seat, dice: Any) -> State:
        """A whole state that fits the view."""
        s = self.copy(v)
        self.rules.imagine(s, seat, dice)
        return s

    def score(self, s: State, seats: int) -> tuple[float, ...]:
        """Each seat's result, of a state in which nobody is asked."""
        out = np.zeros(seats, np.float64)
        self.rules.score(s, out)
        return tuple(float(result) for result in out)

    def winners(self, s: State, seats: int) -> tuple[Seat, ...]:
        """The seats that win or share the win; none if all lose alike, or if there is nothing to win."""
        if hasattr(self.rules, "MAKES"):
            return ()
        scores = self.score(s, seats)
        lost = getattr(self.rules, "ALL_LOSE", 0.0 if seats == 1 else -math.inf)
        return tuple(seat for seat in range(seats) if scores[seat] == max(scores) > lost)

    def key(self, s: State) -> bytes:
        """The state as bytes without scratch space: equal for equal states."""
        state = self.rules.STATE
        end = state.fields["work"][1] if state.fields and "work" in state.fields else state.itemsize
        return s.tobytes()[:end]

    def sees(self, s: State, reader: Seat, seat: Seat, move: Move) -> bool:
        """Whether the reader learns which move it is."""
        return is_in(int(self.rules.seen(s, seat, move)), reader)

    def hides_nothing(self, s: State, seats: int) -> bool:
        """Whether every seat and every spectator sees the whole of this state."""
        return all(self.key(self.view(s, reader)) == self.key(s) for reader in (SPECTATOR, *range(seats)))

    def plain(self, text: str) -> str:
        """A marked text as plain words, with players called by the names of their seats."""
        return plain(text, self.rules.SEAT_NAMES)

    def seat_name(self, seat: Seat) -> str:
        return "nature" if seat == NATURE else self.rules.SEAT_NAMES[seat]


def _anything_goes(seats: int, options: Mapping[str, str]) -> None:
    """The default for `check`: all options go together."""


def _all_at_once(v: State, seat: Seat, move: Move, then: State) -> Iterator[State]:
    """The default for `between`: no intermediate views."""
    return iter(())


@functools.cache
def _seats_in(mask: int) -> tuple[Seat, ...]:
    return tuple(seat for seat in range(NATURE + 1) if mask >> seat & 1)


def is_in(mask: int, reader: Seat) -> bool:
    """Whether a mask of seats contains the reader, who may be a SPECTATOR."""
    return bool(mask >> (WATCHER if reader == SPECTATOR else reader) & 1)

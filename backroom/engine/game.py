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
from backroom.engine.marks import plain
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
        """The choices made before a game."""
        return self.rules.OPTIONS

    def __repr__(self) -> str:
        return f"<game {self.name} {self.rules.VERSION}>"

    @property
    def folder(self) -> Path:
        """Where the game lives, with its rulebook and tests."""
        return Path(self.rules.__file__).parent

    @property
    def rulebook(self) -> str:
        """The rules that players read."""
        return (self.folder / "rules.md").read_text("utf-8")

    @functools.cached_property
    def summary(self) -> str:
        """What the game is: the first paragraph of its rulebook, without links; read once."""
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
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                raise BadOption(f"{self.name} has no option {name!r}{did_you_mean(name, known)}")
        if seats is None:
            seats = self.seats[0]
        if seats not in self.seats:
            raise BadOption(f"{self.name} is for {listing(map(str, self.seats))} seats, not {seats}")
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
        """Settled options as kernels are told them."""
        rules = [option for option in self.options if option.is_rule]
        return np.array([number for option in rules for number in option.encode(options[option.name])], np.int32)

    def start(self, seats: int, options: Mapping[str, str]) -> State:
        """The state before the first move, for settled seats and options."""
        s = self.blank()
        self.rules.setup(s, seats, self.encoded(options))
        return s

    def stroll(self, s: State, seats: int, throw: Any) -> Iterator[tuple[Seat, Move]]:
        """Random play from here to the end: yields who will move and what, then does it, in place."""
        while movers := [(seat, found) for seat in (*range(seats), NATURE) if (found := self.moves(s, seat))]:
            seat, found = movers[int(below(throw, len(movers)))]
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

    def situations(self, v: State, seat: Seat) -> list[Situation]:
        """What there is in a seat's view that a newcomer should be told about."""
        return [each for each in getattr(self.rules, "SITUATIONS", ()) if each.arises(v, seat)]

    def reasons_for(self, v: State, seat: Seat, move: Move, other: Move) -> list[str]:
        """What speaks for one of two open moves, in clauses; nothing where the game does not say."""
        return list(self.rules.reasons_for(v, seat, move, other)) if hasattr(self.rules, "reasons_for") else []

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

    def winners(self, s: State, seats: int) -> tuple[Seat, ...]:
        """The seats that have won, or share it; none where all lose alike, or where nothing can be won."""
        if hasattr(self.rules, "MAKES"):
            return ()
        scores = self.score(s, seats)
        lost = getattr(self.rules, "ALL_LOSE", 0.0 if seats == 1 else -math.inf)
        return tuple(seat for seat in range(seats) if scores[seat] == max(scores) > lost)

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

    def plain(self, text: str) -> str:
        """A marked text in words alone, with players called by their seats' names."""
        return plain(text, self.rules.SEAT_NAMES)

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

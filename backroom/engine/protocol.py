"""The contract of a game: what its module has, and what it may have besides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from backroom.engine.kernel import Record
from backroom.engine.options import Option

State = Record
Move = int
Seat = int


class IllegalMove(ValueError):
    """A move that may not be made: says who, what, why not, and the § of the rules."""


class BadPosition(ValueError):
    """A position that cannot be: says what is impossible about it, and the §."""


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
    # What it may have besides: `TABLES`, pairs of a title and a function that computes and keeps what its bots look
    # up; `LEVELS`, how each level of its bots thinks; a kernel `plans(s, seat, out)`, the whole turns that are worth
    # looking at, a row each: how many steps it has, and these; it says how many rows, none where single moves are to
    # be looked at, and reads no hand but the seat's own; a kernel `replies`, the same for those few that are looked
    # at when others answer; a kernel `rollout_policy(s, seat, out, n, dice)`, the place of that one of n moves which
    # the seat would play without much thought, by no more than it may know; and with it a kernel `rate_moves(s, seat,
    # out, n, dice, marks, counts)`, which marks each of the n moves with what it is worth, in parts of a win, having
    # `counts` to count in, an array of the shape COUNTS; where there is no rollout_policy, a kernel `worth_trying(s,
    # seat, out, n)`, which puts those of n moves first that bots look at, and says how many. And, for the bot `net`
    # in a game of two seats without secrets, `weights()`, a tuple of arrays to think with, and the kernels `expect(s,
    # seat, weights)`, what the seat may expect of a state in which no seat is asked (what one gains the other loses),
    # and `is_known(s, weights)`, whether that is the truth.

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

"""The contract of a game, as typed Protocols: what every game has, and what a game may have besides.

A game is a folder, and each Protocol here is about one file of it: `NEEDED` and `POSSIBLE` say which. Where a file has
become a folder of the same name, any module of it may have the names. `backroom.engine.shape` collects them from the
files into one object, the game's `Rules`, and checks them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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
    begins: str
    """The value of that option with which people begin who choose nothing: something to change."""
    file: str
    """What the file is called if nobody says otherwise."""
    write: Callable[[State], str]
    """Its text, as a view stands. It need not be good yet: that is for the option to say."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a game that is over, in words: with marks for players, as in all that people are told."""

    headline: str
    """One sentence: who has won, and by which §."""
    seats: tuple[str, ...]
    """What each seat has, as the game counts it: a short phrase like "12 points"."""
    winners: tuple[Seat, ...]
    """The seats that have won, or share it; none where all lose alike, or where nothing can be won."""
    lines: tuple[str, ...] = ()
    """How that was reckoned, a line each, where the game reckons at the end."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Something that newcomers are told about once, in their first game, when it first arises."""

    name: str
    """By which it is remembered that it was told."""
    says: str
    """What it means, in a sentence or two with the §: without notation, with marks for glyphs."""
    arises: Callable[[State, Seat], bool]
    """Whether it is there, for the seat whose view this is. It is given nothing else, so it gives nothing away."""


# What every game has. What is said of each kernel here is a law of the house (LAWS.md).


class HasRules(Protocol):
    """`rules`: the record of a state, and the kernels that change it."""

    NAME: str
    """As commands and logs write it: the path of its folder, with - for _ and between folders."""
    TITLE: str
    """As people write it."""
    VERSION: int
    """Grows whenever a rules change makes an old log replay differently."""
    SEATS: Sequence[int]
    """The numbers of seats it can be played with."""
    SEAT_NAMES: tuple[str, ...]
    """What the seats are called, for the largest number of seats."""
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
        """Each seat's result when the game is over: more is better, equal is shared. Alone, 1 is all, 0 is nothing.

        `out` has one place for each seat; nothing is written beyond it.
        """

    def is_whole(self, s: State) -> bool:
        """Whether every piece is in one place, and what is kept twice agrees: always so, and for imagined states."""


class HasOptions(Protocol):
    """`options`: the choices made before a game."""

    OPTIONS: tuple[Option, ...]


class HasWords(Protocol):
    """`words`: the notation of moves, labels and sentences."""

    NOTATION: re.Pattern[str]
    """What in a text is notation, which people are not to be told: `1/7`, `s3r`."""

    def name(self, v: State, move: Move) -> str:
        """The move in the game's notation."""

    def parse(self, v: State, text: str) -> Move:
        """The move that the text names; ValueError says what is expected. It need not be legal."""

    # What follows is said to people: without notation, and with marks for players and pictures (`engine/marks.py`).

    def label(self, v: State, move: Move) -> str:
        """The move as a person says it, to the seat whose view this is: "Bear off from 24". Open moves have different
        ones.
        """

    def say(self, v: State, seat: Seat, move: Move, then: State) -> str:
        """A sentence about a move, for the reader whose views before and after these are; UNKNOWN if unseen.

        One about what a player does begins with `who(seat)`: such sentences in a row are told as one turn. It is empty
        for a choice in progress: as long as somebody who was asked before the move is asked after it, it may be.
        """

    def question(self, v: State, seat: Seat) -> str:
        """What the seat is asked now, in words; who is waited for if it is not; who has won when it is over."""

    def result(self, v: State) -> Result | None:
        """Who has won and why, in words, the same for every reader; None until the game is over."""


class HasVerbs(Protocol):
    """`verbs`: what a learner chooses from."""

    def verbs(self, options: Mapping[str, str]) -> Sequence[tuple[Move, tuple[int, ...]]]:
        """The runs of move numbers that seats choose from, ascending: the first move of each verb, and the sizes of
        what it is composed of, the last varying fastest. Some settled options need fewer than others.
        """


class HasReasons(Protocol):
    """`reasons`: why a move is refused."""

    def why(self, v: State, seat: Seat, move: Move) -> str:
        """Why this move, which is not among `moves`, is not: half a sentence, with the §."""


class HasPositions(Protocol):
    """`position`: a state on one line."""

    def position(self, v: State) -> str:
        """The state, or what a view shows of it, on one line; `place` reads it if nothing is hidden."""

    def place(self, s: State, text: str) -> None:
        """Put a state that was set up into this position; ValueError says what is impossible about it."""


class HasPicture(Protocol):
    """`picture`: what a view looks like."""

    def draw(self, v: State, seat: Seat) -> Any:
        """The Scene of a view."""

    def touch(self, v: State, seat: Seat, move: Move) -> list[str]:
        """The ids of what a finger touches to make this move, in order."""


class HasGlyphs(Protocol):
    """`glyphs`: the small pictures that its words may show."""

    GLYPHS: Mapping[str, Any]
    """Each a Glyph, by the name that marks call it."""


class HasBrain(Protocol):
    """`brain`: what bots and learners look at, as kernels."""

    FEATURES: int
    """The length of what `features` writes."""

    def features(self, s: State, seat: Seat, out: Any) -> None:
        """What a learner looks at."""

    def value(self, s: State, seat: Seat) -> float:
        """How good the state is for the seat: about the share of wins it expects, 0 to 1."""


class Rules(
    HasRules, HasOptions, HasWords, HasVerbs, HasReasons, HasPositions, HasGlyphs, HasPicture, HasBrain, Protocol
):
    """What every game has: all that doors, bots and laws know of it."""

    __file__: str
    """Where its folder is: the path of its `__init__.py`."""


# What a game may have besides: each Protocol whole, or not at all.


class MayBeLostByAll(Protocol):
    """`rules`: a game can end so that nobody wins."""

    ALL_LOSE: float
    """A seat that scores no more than that has lost, though nobody scores more. Without it the best have won, or who
    plays alone and scores more than 0.
    """


class ChecksOptions(Protocol):
    """`options`: some seats and options do not go together."""

    def check(self, seats: int, options: Mapping[str, str]) -> None:
        """ValueError says why these seats and settled options do not go together, and the §."""


class HasTimer(Protocol):
    """`options`: some questions must be answered in time at a live table."""

    def timer(self, v: State, seat: Seat) -> tuple[str, str] | None:
        """The option, no rule, that gives the seconds the seat has now, and the move that a table plays then."""


class TakesMinutes(Protocol):
    """`options`: how long people take over a game as usual, from and to."""

    MINUTES: tuple[int, int]


class MakesFile(Protocol):
    """`options`: a game for one that is no contest; tables offer its file to be saved and to be played with."""

    MAKES: Product


class ExplainsSituations(Protocol):
    """`situations`: what a first game explains, in the order in which it is explained."""

    SITUATIONS: Sequence[Situation]


class ExplainsMoves(Protocol):
    """`advice`: hints say why."""

    def reasons_for(self, v: State, seat: Seat, move: Move, other: Move) -> Sequence[str]:
        """What in the view speaks for the first of two open moves: each a clause about it, like "it takes a man off",
        with marks, the weightiest first; none where nothing can be said.
        """


class IsAnimated(Protocol):
    """`picture`: a move goes a way that people want to see."""

    def between(self, v: State, seat: Seat, move: Move, then: State) -> Iterable[State]:
        """What a reader sees on the way of a move, made from nothing but the reader's views before and after it.

        The move is UNKNOWN if it was not seen. Doors show it all in a second or so; log lines stay one a move.
        """


class PausesOnTheWay(Protocol):
    """`picture`: what people see on the way of a move has to be read."""

    PAUSE_MS: int
    """Milliseconds for which doors hold each picture on the way, unless somebody is in a hurry."""


class HasLegend(Protocol):
    """`picture`: the text picture has signs that want explaining."""

    LEGEND: Sequence[tuple[str, str]]
    """Pairs of a sign, as a terminal shows it, and what it means in words."""


class HasLevels(Protocol):
    """`brain`: how each level of its bots thinks."""

    LEVELS: Mapping[str, Any]


class HasTables(Protocol):
    """`brain`: what its bots look up is computed once and kept."""

    TABLES: Sequence[tuple[str, Callable[[], Any]]]
    """Pairs of a title, and a function that computes the table or reads the one that is kept."""


class PlansTurns(Protocol):
    """`brain`: bots choose among whole turns."""

    def plans(self, s: State, seat: Seat, out: Any) -> int:
        """A kernel: the turns worth looking at, a row each: its number of steps, then the steps. Says how many rows.

        None where single moves are to be looked at. It reads no hand but the seat's own.
        """


class NarrowsReplies(Protocol):
    """`brain`: bots that choose among whole turns look at fewer of them when others answer."""

    def replies(self, s: State, seat: Seat, out: Any) -> int:
        """A kernel like `plans`, with fewer rows."""


class HasPolicy(Protocol):
    """`brain`: bots that choose among whole turns can leave the steps to a policy that was learned (`train/ppo.py`)."""

    POLICY: Path
    """The file that it is kept in."""

    def is_learned(self, s: State) -> bool:
        """A kernel: whether it was trained for such games: their number of seats, and their options."""


class HasRolloutPolicy(Protocol):
    """`brain`: how a seat plays without much thought, in rollouts."""

    def rollout_policy(self, s: State, seat: Seat, out: Any, n: int, dice: Any) -> int:
        """A kernel: the place of that one of n moves which the seat would play, by no more than it may know."""


class RatesMoves(Protocol):
    """`brain`: moves are rated with more care than in rollouts."""

    COUNTS: tuple[int, ...]
    """The shape of the array that `rate_moves` counts in."""

    def rate_moves(self, s: State, seat: Seat, out: Any, n: int, dice: Any, marks: Any, counts: Any) -> None:
        """A kernel: marks each of n moves with what it is worth, in parts of a win."""


class NarrowsMoves(Protocol):
    """`brain`: bots look at some of the moves only."""

    def worth_trying(self, s: State, seat: Seat, out: Any, n: int) -> int:
        """A kernel: puts those of n moves first that bots look at, and says how many. For games without a policy."""


class KnowsLayouts(Protocol):
    """`brain`: positions can come back, and bots look for another way if there is one as good."""

    def layout(self, s: State) -> int:
        """A kernel: a number of 64 bits that is the same where the same lies on the board, however often it was so."""


class JudgesAllSeats(Protocol):
    """`brain`: bots that grow a tree of turns judge a position for all seats at once."""

    def all_values(self, s: State, out: Any) -> None:
        """A kernel: what every seat may expect of the win, in a game that is not over. `out` has room for three times
        as many numbers.
        """


class DoubtsFirstSight(Protocol):
    """`brain`: in some games what turns look like at first sight says little."""

    def doubts_first_sight(self, s: State) -> bool:
        """A kernel: whether this is such a game. Bots that grow a tree then look equally often at the turns to decide
        between, instead of more often at those that look better.
        """


class KnowsDullEnds(Protocol):
    """`brain`: a game can end in a way that nobody likes."""

    def dullness(self, s: State) -> float:
        """A kernel: how near such an end is, from 0 to 1; 1 where the game has ended so and nobody has won alone."""


class SolvesRounds(Protocol):
    """`brain`: rounds of sealed answers are solved by regret matching; such a game has weights too."""

    def values(self, s: State, weights: Any, out: Any) -> None:
        """A kernel: what every seat may expect of the win. `out` has room for three times as many numbers."""

    def gist(self, s: State) -> int:
        """A kernel: a key that is the same for states of the same value behind a round."""


class HasWeights(Protocol):
    """`net`: a trained net."""

    def weights(self) -> Any:
        """The tuple of arrays that the net's kernels are given."""


class HasNet(Protocol):
    """`net`: a net that plays, for two seats without secrets."""

    def expect(self, s: State, seat: Seat, weights: Any) -> float:
        """A kernel: what the seat may expect of a state in which no seat is asked; what one gains the other loses."""

    def is_known(self, s: State, weights: Any) -> bool:
        """A kernel: whether that is the truth."""


class SolvesPuzzles(Protocol):
    """`solver`: a game for one whose positions are solved exactly."""

    def solution(self, v: State) -> tuple[str, ...] | None:
        """The moves of a shortest way to win from here, in notation; None if there is no way any more."""


NEEDED: dict[str, type] = {
    "rules": HasRules,
    "options": HasOptions,
    "words": HasWords,
    "verbs": HasVerbs,
    "reasons": HasReasons,
    "position": HasPositions,
    "glyphs": HasGlyphs,
    "picture": HasPicture,
    "brain": HasBrain,
}
"""The files that every game has, and what is in each."""

POSSIBLE: dict[str, tuple[type, ...]] = {
    "rules": (MayBeLostByAll,),
    "options": (ChecksOptions, HasTimer, TakesMinutes, MakesFile),
    "situations": (ExplainsSituations,),
    "advice": (ExplainsMoves,),
    "picture": (IsAnimated, PausesOnTheWay, HasLegend),
    "brain": (
        *(HasLevels, HasTables, PlansTurns, NarrowsReplies, HasRolloutPolicy, RatesMoves, NarrowsMoves, SolvesRounds),
        *(KnowsLayouts, JudgesAllSeats, DoubtsFirstSight, KnowsDullEnds, HasPolicy),
    ),
    "net": (HasWeights, HasNet),
    "solver": (SolvesPuzzles,),
}
"""What each file may have besides."""

KERNELS = (
    *("setup", "asked", "moves", "odds", "play", "seen", "hide", "imagine", "score", "is_whole"),
    *("features", "value"),
)

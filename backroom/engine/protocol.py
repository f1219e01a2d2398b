"""The contract of a game, as typed Protocols: what every game has, and what a game may have.

A game is a folder, and each Protocol describes the names of one file in it; `NEEDED` and `POSSIBLE` say which. A file
may be a folder of the same name, whose modules together have the names. `backroom.engine.shape` collects them into one
object, the game's `Rules`, and checks them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from backroom.engine.kernel import Record
from backroom.engine.options import Option

State = Record
Move = int
Seat = int


class IllegalMove(ValueError):
    """A move that may not be made; the message says who, what, why not, and the § of the rules."""


class BadPosition(ValueError):
    """An impossible position; the message says what is impossible about it, and the §."""


@dataclass(frozen=True, slots=True)
class Product:
    """The file that a game for one player is played to make, for an option of some game."""

    game: str
    """The game whose option it is."""
    option: str
    draft: str
    """The option of this game that opens an existing file."""
    begins: str
    """The default value of that option: something to start from."""
    file: str
    """The default name of the file."""
    write: Callable[[State], str]
    """The text of the file for a view. It need not be valid yet: the option's validator decides that."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a finished game in words, with marks for players."""

    headline: str
    """One sentence: who has won, and by which §."""
    seats: tuple[str, ...]
    """What each seat has, as the game counts it: a short phrase like "12 points"."""
    winners: tuple[Seat, ...]
    """The seats that win or share the win; none if all lose alike, or if there is nothing to win."""
    lines: tuple[str, ...] = ()
    """The final reckoning, line by line, for games that have one."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Something that newcomers are told about once, in their first game, when it first arises."""

    name: str
    """The key under which it is remembered that it was told."""
    says: str
    """The explanation, in a sentence or two with the §: without notation, with marks for glyphs."""
    arises: Callable[[State, Seat], bool]
    """Whether it arises in this view of this seat. It gets nothing else, so it cannot reveal anything."""


# What every game has. The properties stated for kernels are laws of the house (LAWS.md).


class HasRules(Protocol):
    """`rules`: the record of a state, and the kernels that change it."""

    NAME: str
    """As commands and logs write it: the path of its folder, with `-` for `_` and between folders."""
    TITLE: str
    """As people write it."""
    VERSION: int
    """Raised whenever a change of rules makes an old log replay differently."""
    SEATS: Sequence[int]
    """The numbers of seats it can be played with."""
    SEAT_NAMES: tuple[str, ...]
    """What the seats are called, for the largest number of seats."""
    SECRETS: bool
    """Whether any seat ever sees less than the whole state."""
    STATE: np.dtype[np.void]
    """The record of a whole state. A last field called `work`, if any, is scratch space and not part of the state."""
    MOST_MOVES: int
    """The most moves that a seat can have at one time."""
    LONGEST: int
    """The most moves in a game of random play, nature's included."""
    BACK: Move
    """The step back in a choice of small steps, the last of `moves` when it is open; UNKNOWN if there is none."""

    def setup(self, s: State, seats: int, options: Any) -> None:
        """The state before anything random has happened; `options` holds the numbers of each option that is a rule."""

    def asked(self, s: State) -> int:
        """The seats that must answer now, as bits; NATURE alone when chance is due; 0 when the game is over."""

    def moves(self, s: State, seat: Seat, out: Any) -> int:
        """Write every move open to the seat, asked or not, in a fixed order with BACK last; returns their number."""

    def odds(self, s: State, out: Any) -> int:
        """Write the integer weights of nature's moves, in the order of `moves`; returns their number."""

    def play(self, s: State, seat: Seat, move: Move) -> None:
        """Carry out a legal move, in place."""

    def seen(self, s: State, seat: Seat, move: Move) -> int:
        """The seats that learn which move it is, as bits, with WATCHER for spectators."""

    def hide(self, s: State, seat: Seat) -> None:
        """Turn the state into the view of the seat, or of a SPECTATOR, in place."""

    def imagine(self, s: State, seat: Seat, dice: Any) -> None:
        """Fill in a view to a whole state that fits everything the seat knows, in place."""

    def score(self, s: State, out: Any) -> None:
        """Write each seat's result of a finished game: higher is better, and equal results share.

        A single player's result is between 0 (nothing) and 1 (everything). `out` has exactly one place for each seat.
        """

    def is_whole(self, s: State) -> bool:
        """Whether every piece is in exactly one place and redundant fields agree; true for imagined states too."""


class HasOptions(Protocol):
    """`options`: the choices made before a game."""

    OPTIONS: tuple[Option, ...]


class HasWords(Protocol):
    """`words`: the notation of moves, labels and sentences."""

    NOTATION: re.Pattern[str]
    """Matches notation in a text, which people are not to be told: `1/7`, `s3r`."""

    def name(self, v: State, move: Move) -> str:
        """The move in the game's notation."""

    def parse(self, v: State, text: str) -> Move:
        """The move that the text names, legal or not; ValueError says what is expected."""

    # The texts below are for people: without notation, and with marks for players and pictures (`engine/marks.py`).

    def label(self, v: State, move: Move) -> str:
        """The move as a person says it, for the seat whose view this is: "Bear off from 24".

        Open moves have different labels.
        """

    def say(self, v: State, seat: Seat, move: Move, then: State) -> str:
        """A sentence about a move, for a reader with these views before and after it; the move is UNKNOWN if unseen.

        A sentence about a player's action begins with `who(seat)`, and no other does: successive ones about the same
        player are joined into one turn. It may be empty for a step in the middle of a choice: while a seat that was
        asked before the move is still asked after it. Words that depend on the reader's seat, such as a number that
        the pictures of both sides show differently, are a `marks.by_reader`.
        """

    def question(self, v: State, seat: Seat) -> str:
        """What the seat is asked now, in words; otherwise who is waited for, or who has won."""

    def result(self, v: State) -> Result | None:
        """Who has won and why, in words, the same for every reader; None until the game is over."""


class HasVerbs(Protocol):
    """`verbs`: the moves that a learner chooses from."""

    def verbs(self, options: Mapping[str, str]) -> Sequence[tuple[Move, tuple[int, ...]]]:
        """The ranges of move numbers that seats choose from, ascending; some options need fewer than others.

        Each is the first move of a verb, and the sizes of its dimensions, the last varying fastest.
        """


class HasReasons(Protocol):
    """`reasons`: why a move is refused."""

    def why(self, v: State, seat: Seat, move: Move) -> str:
        """Why this move, which is not among `moves`, is illegal: half a sentence, with the §."""


class HasPositions(Protocol):
    """`position`: a state as one line of text."""

    def position(self, v: State) -> str:
        """The state, or what a view shows of it, as one line. `place` reads it if nothing is hidden."""

    def place(self, s: State, text: str) -> None:
        """Put a state after `setup` into this position; ValueError says what is impossible about it."""


class HasPicture(Protocol):
    """`picture`: how a view is drawn."""

    def draw(self, v: State, seat: Seat) -> Any:
        """The Scene of a view."""

    def touch(self, v: State, seat: Seat, move: Move) -> list[str]:
        """The ids of the pieces to touch to make this move, in order."""


class HasGlyphs(Protocol):
    """`glyphs`: the small pictures that its texts may show."""

    GLYPHS: Mapping[str, Any]
    """Glyphs by the names that marks use; `seat-0` and so on are shown beside the players' names."""


class HasBrain(Protocol):
    """`brain`: what bots and learners evaluate, as kernels."""

    FEATURES: int
    """The number of values that `features` writes."""

    def features(self, s: State, seat: Seat, out: Any) -> None:
        """Write the inputs of a learner to `out`, which is all 0 before."""

    def value(self, s: State, seat: Seat) -> float:
        """How good the state is for the seat: roughly its expected share of the win, 0 to 1."""


class Rules(
    HasRules, HasOptions, HasWords, HasVerbs, HasReasons, HasPositions, HasGlyphs, HasPicture, HasBrain, Protocol
):
    """The contract that every game fulfils: all that the server, the terminal, bots and laws know of it."""

    __file__: str
    """The path of its `__init__.py`."""


# What a game may have. Each Protocol is fulfilled completely or not at all.


class MayBeLostByAll(Protocol):
    """`rules`: a game can end without a winner."""

    ALL_LOSE: float
    """A seat with at most this score loses even if no seat scores more.

    Without it the best seats win, and a single player wins with more than 0.
    """


class DrawsFast(Protocol):
    """`rules`: nature's moves are drawn without listing them, for games that are played by the million."""

    def chance(self, s: State, dice: Any) -> Move:
        """A kernel: a random move of nature's from one random number: the one that `pick` finds by `odds`."""


class ListsAlike(Protocol):
    """`rules`: lists of moves take very different steps; a GPU makes those that are alike side by side."""

    def likeness(self, s: State) -> int:
        """A kernel: a number under 64, the same for states whose moves are listed in about the same steps, and larger
        where that takes longer.
        """


class ChecksOptions(Protocol):
    """`options`: some numbers of seats and options exclude each other."""

    def check(self, seats: int, options: Mapping[str, str]) -> None:
        """ValueError if these seats and settled options do not go together, with the reason and the §."""


class HasTimer(Protocol):
    """`options`: at a live table some questions must be answered in time."""

    def timer(self, v: State, seat: Seat) -> tuple[str, str] | None:
        """The option (not a rule) with the seconds that the seat has now, and the move played when they are over."""


class TakesMinutes(Protocol):
    """`options`: how many minutes a game usually takes people, from and to."""

    MINUTES: tuple[int, int]


class MakesFile(Protocol):
    """`options`: a game for one player that is no contest; tables offer to save its file and to play with it."""

    MAKES: Product


class ExplainsSituations(Protocol):
    """`situations`: what a first game explains, in order of precedence."""

    SITUATIONS: Sequence[Situation]


class ExplainsMoves(Protocol):
    """`advice`: the reasons that hints give."""

    def reasons_for(self, v: State, seat: Seat, move: Move, other: Move) -> Sequence[str]:
        """What in the view speaks for the first of two open moves; none if there is nothing to say.

        Each reason is a clause about the move, with marks, like "it takes a man off"; the weightiest comes first.
        """


class IsAnimated(Protocol):
    """`picture`: moves have intermediate views to animate."""

    def between(self, v: State, seat: Seat, move: Move, then: State) -> Iterable[State]:
        """The intermediate views of a move, made from nothing but the reader's views before and after it.

        The move is UNKNOWN if the reader did not see it. All of them are shown within about a second, unless the game
        has a PAUSE_MS; a log still has one line for the move.
        """


class PausesOnTheWay(Protocol):
    """`picture`: the intermediate views of a move take time to read."""

    PAUSE_MS: int
    """Milliseconds for which each intermediate picture is shown, unless somebody skips it."""


class HasLegend(Protocol):
    """`picture`: the text picture has signs that need explaining."""

    LEGEND: Sequence[tuple[str, str]]
    """Pairs of a sign, as a terminal shows it, and its meaning in words."""


class HasLevels(Protocol):
    """`brain`: the levels of its bots."""

    LEVELS: Mapping[str, Any]


class HasReflexes(Protocol):
    """`brain`: bots make some moves at once although they are not asked, such as claims out of turn."""

    def reflex(self, v: State, seat: Seat) -> Move:
        """A kernel: the move that the bot of a seat that is not asked makes now; UNKNOWN if there is none."""


class HasTables(Protocol):
    """`brain`: its bots use tables that are computed once and kept."""

    TABLES: Sequence[tuple[str, Callable[[], Any]]]
    """Pairs of a title and a function that computes the table or reads the kept one."""


class ListsTurns(Protocol):
    """`brain`: bots choose among whole turns."""

    def candidate_turns(self, s: State, seat: Seat, out: Any) -> int:
        """A kernel: write the turns worth considering, one row each; returns the number of rows.

        A row is the number of steps, then the steps. Without rows, single moves are considered instead. The kernel
        reads no hand but the seat's own.
        """


class NarrowsReplies(Protocol):
    """`brain`: bots that choose among whole turns consider fewer of them for the other seats' replies."""

    def replies(self, s: State, seat: Seat, out: Any) -> int:
        """A kernel like `candidate_turns`, with fewer rows."""


class HasInsights(Protocol):
    """`brain`: a learned policy sees more than the features of a gym, which have to be cheap."""

    INSIGHTS: int
    """The number of values that `insights` writes."""

    def insights(self, s: State, seat: Seat, out: Any, n: int) -> None:
        """A kernel: write what a policy sees beyond the features, from out[n] on."""


class WritesAllFeatures(Protocol):
    """`brain`: `features` writes every value, so the array need not be cleared before; for games of many steps."""

    WRITES_ALL: bool


class HasRolloutPolicy(Protocol):
    """`brain`: a cheap policy that picks the moves in rollouts."""

    def rollout_policy(self, s: State, seat: Seat, out: Any, n: int, dice: Any) -> int:
        """A kernel: the index, among n moves, of the one that the seat would play, from what the seat may know."""


class RatesMoves(Protocol):
    """`brain`: a more careful rating of moves than the rollout policy's."""

    COUNTS: tuple[int, ...]
    """The shape of the scratch array of `rate_moves`."""

    def rate_moves(self, s: State, seat: Seat, out: Any, n: int, dice: Any, marks: Any, counts: Any) -> None:
        """A kernel: write the worth of each of n moves, as a share of the win."""


class KnowsLastMoves(Protocol):
    """`brain`: in some positions a move can end the game; for games with `rate_moves`."""

    def may_end(self, s: State) -> bool:
        """A kernel: whether the game can end with the move that is due, and what nature does after it."""


class LearnsFromViews(Protocol):
    """`brain`: what others did tells something of what they hide; for games with `rate_moves`."""

    def observe(self, v: State, seat: Seat, learned: Any, recall: float, spare: Any, counts: Any) -> None:
        """A kernel: learn from a view in which the seat has a decision, and prepare `counts` for `rate_moves`.

        `learned` are numbers in the seat's memory, 0 at first. `recall` is 0 if they are not to be used. `spare` is an
        array of states to work in.
        """

    def presume(self, s: State, seat: Seat, dice: Any, counts: Any) -> None:
        """A kernel: fill in what a view hides, as likely as it is by `counts` after `rate_moves`; `imagine` fills in
        the rest. Nothing happens if `counts` are 0.
        """


class NarrowsMoves(Protocol):
    """`brain`: bots consider only some of the moves."""

    def worth_trying(self, s: State, seat: Seat, out: Any, n: int) -> int:
        """A kernel: put those of n moves first that bots consider, and return their number.

        Only for games without a rollout policy.
        """


class KnowsRepetitions(Protocol):
    """`brain`: positions can repeat, and bots avoid repeating one if another move is as good."""

    def repetition_key(self, s: State, seat: Seat) -> int:
        """A kernel: a 64-bit key that is equal if the seat stands as it did before, whatever others have done."""


class EvaluatesAllSeats(Protocol):
    """`brain`: bots that grow a tree of turns evaluate a position for all seats at once."""

    def all_values(self, s: State, out: Any) -> None:
        """A kernel: write each seat's expected share of the win, in a game that is not over.

        `out` has room for three numbers a seat.
        """


class WantsEqualVisits(Protocol):
    """`brain`: in some games the static evaluation of a turn says little."""

    def wants_equal_visits(self, s: State) -> bool:
        """A kernel: whether this is such a game.

        Bots that grow a tree then visit all candidate turns equally often, not more often those that look better.
        """


class KnowsDullEnds(Protocol):
    """`brain`: a game can end in a way that nobody likes."""

    def dullness(self, s: State) -> float:
        """A kernel: how close such an end is, from 0 to 1; 1 if the game has ended so and nobody has won alone."""


class SeesLosses(Protocol):
    """`brain`: in some positions the next seat can win at once, and bots avoid leaving such a position."""

    def is_about_to_lose(self, s: State, seat: Seat) -> bool:
        """A kernel: whether another seat is in turn and can win with this turn."""


class SolvesRounds(Protocol):
    """`brain`: rounds of sealed answers are solved by regret matching; such a game also has weights."""

    def values(self, s: State, weights: Any, out: Any) -> None:
        """A kernel: write each seat's expected share of the win. `out` has room for three numbers a seat."""

    def gist(self, s: State) -> int:
        """A kernel: a key that is equal for states with the same value after a round."""

    def sure(self, s: State, seat: Seat) -> float:
        """A kernel: the least share of the win that the seat still gets, whatever nature draws and others decide before
        the end; 0 if that is not known.
        """


class HasWeights(Protocol):
    """`net`: a trained net."""

    def weights(self) -> Any:
        """The tuple of arrays that the net's kernels take."""


class HasNet(Protocol):
    """`net`: a net that plays, for two seats without secrets."""

    def expect(self, s: State, seat: Seat, weights: Any) -> float:
        """A kernel: the seat's expectation in a state in which no seat is asked, in a zero-sum game."""

    def is_known(self, s: State, weights: Any) -> bool:
        """A kernel: whether that value is exact."""


class HasPolicyNet(Protocol):
    """`net`: the tree search can take its turns and its values from a net."""

    def policy_net(self) -> Any:
        """A workspace of the net: its weights, and arrays that its kernels work in."""

    def knows(self, s: State) -> bool:
        """A kernel: whether the net was trained for this number of seats and these options."""

    def evaluate(self, s: State, seat: Seat, net: Any) -> None:
        """A kernel: evaluate a position as the seat that is asked, for `logit` and `expected_share`."""

    def logit(self, net: Any, move: Move) -> float:
        """A kernel: the logit of a move in the position evaluated last."""

    def expected_share(self, net: Any, seat: Seat) -> float:
        """A kernel: the share of the win that a seat may expect in the position evaluated last."""


class SolvesPuzzles(Protocol):
    """`solver`: a game for one player whose positions are solved exactly."""

    def solution(self, v: State) -> tuple[str, ...] | None:
        """The moves of a shortest solution from here, in notation; None if there is none."""


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
"""The files that every game has, and the Protocol of each."""

POSSIBLE: dict[str, tuple[type, ...]] = {
    "rules": (MayBeLostByAll, DrawsFast, ListsAlike),
    "options": (ChecksOptions, HasTimer, TakesMinutes, MakesFile),
    "situations": (ExplainsSituations,),
    "advice": (ExplainsMoves,),
    "picture": (IsAnimated, PausesOnTheWay, HasLegend),
    "brain": (
        *(HasLevels, HasTables, ListsTurns, NarrowsReplies, HasRolloutPolicy, RatesMoves, NarrowsMoves, SolvesRounds),
        *(KnowsRepetitions, EvaluatesAllSeats, WantsEqualVisits, KnowsDullEnds, SeesLosses, KnowsLastMoves),
        *(HasInsights, LearnsFromViews, WritesAllFeatures, HasReflexes),
    ),
    "net": (HasWeights, HasNet, HasPolicyNet),
    "solver": (SolvesPuzzles,),
}
"""The Protocols that each file may fulfil besides."""

KERNELS = (
    *("setup", "asked", "moves", "odds", "play", "seen", "hide", "imagine", "score", "is_whole"),
    *("features", "value"),
)

"""Doubts: a move that gives much away must be confirmed once."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from backroom.bots import Judge, judge_of
from backroom.bots.judge import ranked
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from, mark
from backroom.engine.protocol import Move, Seat, State

EFFORT = 0.25
"""The judge's effort, relative to an analysis."""
MUCH = 0.2
"""The loss from which a move gives much away, as a share of the win."""
SLOWEST = 1.0
"""Seconds after which the judge is not asked again, so that nobody waits for it."""


@dataclass
class Doubter:
    """Compares the move that a person is about to play with the best one that a judge finds."""

    game: Game
    judge: Judge | None = None
    """Made when the first move is checked, and only if its kernels are compiled."""
    is_slow: bool = False

    def loss(self, v: State, seat: Seat, move: Move, been: Sequence[int] = ()) -> float:
        """The share of the win that a move gives away; 0 if it can be taken back, or if there is no quick answer."""
        if self.is_slow or can_go_back(self.game, v, seat, move):
            return 0.0
        if self.judge is None:
            if not is_compiled(self.game):
                return 0.0
            self.judge = judge_of(self.game, EFFORT)
        began = time.monotonic()
        found = ranked(self.game, self.judge, v, seat, been=been)
        self.is_slow = time.monotonic() - began > SLOWEST
        worths = dict(found)
        return found[0][1] - worths.get(move, found[0][1])


def can_go_back(game: Game, v: State, seat: Seat, move: Move) -> bool:
    """Whether the rules let the seat take this step back afterwards."""
    then = game.after(game.imagined(v, seat, dice_from(0)), seat, move)
    return game.rules.BACK in (move, *game.moves(then, seat))


def is_compiled(game: Game) -> bool:
    """Whether a judge has run for this game since its kernels last changed."""
    return any(stamp is not None and stamp.exists() for stamp in (mark("warm"), mark(f"judge-{game.name}")))


def note_that_it_is_compiled(game: Game) -> None:
    if (stamp := mark(f"judge-{game.name}")) is not None:
        stamp.touch()

"""Doubts: what gives much of the game away is asked about once before it is played."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from backroom.bots import Judge, judge_of
from backroom.bots.judge import ranked
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from, mark
from backroom.engine.protocol import Move, Seat, State

EFFORT = 0.25
"""How long a judge may take, in parts of what an analysis takes for each decision."""
MUCH = 0.2
"""The part of a win from which on a move gives much away."""
SLOWEST = 1.0
"""Seconds after which a judge is not asked again: nobody waits for a doubt."""


@dataclass
class Doubter:
    """Compares what a person is about to play with the best that a judge knows."""

    game: Game
    judge: Judge | None = None
    """Made when the first move is looked at, and only where his kernels are compiled."""
    is_slow: bool = False

    def loss(self, v: State, seat: Seat, move: Move, been: Sequence[int] = ()) -> float:
        """The part of a win that a move gives away; nothing where it can be taken back, or nobody can say quickly."""
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
    """Whether the rules let the seat take this step back when it is made."""
    then = game.after(game.imagined(v, seat, dice_from(0)), seat, move)
    return game.rules.BACK in (move, *game.moves(then, seat))


def is_compiled(game: Game) -> bool:
    """Whether a judge has answered for this game since its kernels were last changed."""
    return any(stamp is not None and stamp.exists() for stamp in (mark("warm"), mark(f"judge-{game.name}")))


def note_that_it_is_compiled(game: Game) -> None:
    if (stamp := mark(f"judge-{game.name}")) is not None:
        stamp.touch()

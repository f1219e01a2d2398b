"""The random bot: plays a uniformly random move."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots.deadlines import never
from backroom.engine.game import Game
from backroom.engine.kernel import below, kernel, without_back


class Workspace(NamedTuple):
    """The arrays that the kernel works in."""

    out: Any
    stop: Any


def workspace_for(game: Game) -> Workspace:
    return Workspace(np.empty(game.rules.MOST_MOVES, np.int32), never())


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    moves, back = game.rules.moves, game.rules.BACK

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        return work.out[below(dice, without_back(work.out, moves(v, seat, work.out), back))]

    return choose

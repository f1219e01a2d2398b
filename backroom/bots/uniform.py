"""The floor: any move, each as likely as the others."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import below, kernel, without_back


def make(game: Game) -> tuple[Any, Callable[[], Any]]:
    return choose_of(game), lambda: (np.empty(game.rules.MOST_MOVES, np.int32),)


@cache
def choose_of(game: Game) -> Any:
    moves, back = game.rules.moves, game.rules.BACK

    @kernel
    def choose(v, seat, dice, work):  # type: ignore[no-untyped-def]
        (out,) = work
        return out[below(dice, without_back(out, moves(v, seat, out), back))]

    return choose

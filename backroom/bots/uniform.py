"""The floor: any move, each as likely as the others."""

from functools import cache
from typing import Any

from backroom.engine.game import Game
from backroom.engine.kernel import below, kernel


@cache
def choose_of(game: Game) -> Any:
    moves = game.rules.moves

    @kernel
    def choose(v, seat, dice, worlds, out, marks):  # type: ignore[no-untyped-def]
        return out[below(dice, moves(v, seat, out))]

    return choose

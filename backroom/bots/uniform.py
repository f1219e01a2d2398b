"""The floor: any move, each as likely as the others."""

from functools import cache
from typing import Any

from backroom.engine.game import Game
from backroom.engine.kernel import below, kernel, without_back


@cache
def choose_of(game: Game) -> Any:
    moves, back = game.rules.moves, game.rules.BACK

    @kernel
    def choose(v, seat, dice, worlds, out, marks):  # type: ignore[no-untyped-def]
        return out[below(dice, without_back(out, moves(v, seat, out), back))]

    return choose

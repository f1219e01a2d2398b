"""Kernels that play one move: the value after it, and a random move of nature's."""

from functools import cache
from typing import Any

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, kernel, pick


@cache
def value_after_of(game: Game) -> Any:
    """The kernel `value_after(s, seat, move, spare)`."""
    play, value = game.rules.play, game.rules.value

    @kernel
    def value_after(s, seat, move, spare):  # type: ignore[no-untyped-def]
        """The game's own value after a move, which is played in `spare[0]`: the static evaluation of the move."""
        spare[0] = s
        play(spare[0], seat, move)
        return value(spare[0], seat)

    return value_after


@cache
def let_nature_of(game: Game) -> Any:
    """The kernel `let_nature(s, dice, out, weights)`."""
    moves, odds, play = game.rules.moves, game.rules.odds, game.rules.play

    @kernel
    def let_nature(s, dice, out, weights):  # type: ignore[no-untyped-def]
        """Play a random move of nature's, by its odds; `out` and `weights` have room for all of her moves."""
        place = pick(dice, weights, odds(s, weights))
        moves(s, NATURE, out)
        play(s, NATURE, out[place])

    return let_nature

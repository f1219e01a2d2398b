"""Nature's moves, drawn at random inside kernels."""

from functools import cache
from typing import Any

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, kernel, pick


@cache
def chance_of(game: Game) -> Any:
    """The kernel `natures_move(s, dice, out, weights)`: a random move of nature's, by its odds, from one random number.

    `out` and `weights` have room for all of nature's moves. They are not used if the game has a `chance` of its own.
    """
    rules: Any = game.rules
    if hasattr(rules, "chance"):
        chance = rules.chance

        @kernel
        def natures_move(s, dice, out, weights):  # type: ignore[no-untyped-def]
            return chance(s, dice)

    else:
        moves, odds = rules.moves, rules.odds

        @kernel
        def natures_move(s, dice, out, weights):  # type: ignore[no-untyped-def]
            place = pick(dice, weights, odds(s, weights))
            moves(s, NATURE, out)
            return out[place]

    return natures_move

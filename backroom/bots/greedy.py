"""The greedy bot: plays the move after which the game's own value is best, averaged over chance and hidden facts."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots.deadlines import never
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, kernel, without_back

WORLDS = 8
"""The number of worlds it imagines; one is enough in a game without secrets."""


class Workspace(NamedTuple):
    """The arrays that the kernel works in."""

    worlds: Any
    """An imagined world; the same after the move; and after nature's answer."""
    out: Any
    """The seat's moves, then nature's moves, then their odds."""
    marks: Any
    """The sum of values of each move."""
    stop: Any


def workspace_for(game: Game) -> Workspace:
    most = game.rules.MOST_MOVES
    return Workspace(np.zeros(3, game.rules.STATE), np.empty(3 * most, np.int32), np.empty(most), never())


@cache
def outlook_of(game: Game) -> Any:
    """The kernel `outlook(worlds, seat, out)`; `out` has room for all moves and their odds."""
    names = ("asked", "moves", "odds", "play", "value")
    asked, moves, odds, play, value = (getattr(game.rules, name) for name in names)
    most = game.rules.MOST_MOVES

    @kernel
    def outlook(worlds, seat, out):  # type: ignore[no-untyped-def]
        """The value of `worlds[0]`, averaged over nature's answer if she is asked."""
        if asked(worlds[0]) != 1 << NATURE:
            return value(worlds[0], seat)
        n = moves(worlds[0], NATURE, out)
        odds(worlds[0], out[most:])
        total, sum_of_odds = 0.0, 0
        for i in range(n):
            worlds[1] = worlds[0]
            play(worlds[1], NATURE, out[i])
            total += out[most + i] * value(worlds[1], seat)
            sum_of_odds += out[most + i]
        return total / sum_of_odds

    return outlook


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    moves, play, imagine = game.rules.moves, game.rules.play, game.rules.imagine
    most, outlook = game.rules.MOST_MOVES, outlook_of(game)
    back, imagined = game.rules.BACK, WORLDS if game.rules.SECRETS else 1

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        worlds, out, marks = work.worlds, work.out, work.marks
        n = without_back(out, moves(v, seat, out), back)
        marks[:n] = 0.0
        for _ in range(imagined):
            worlds[0] = v
            imagine(worlds[0], seat, dice)
            for i in range(n):
                worlds[1] = worlds[0]
                play(worlds[1], seat, out[i])
                marks[i] += outlook(worlds[1:], seat, out[most:])
        best = 0
        for i in range(1, n):
            if marks[i] > marks[best]:
                best = i
        return out[best]

    return choose

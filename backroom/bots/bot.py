"""What a bot is, and which there are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backroom.bots import greedy, uniform
from backroom.engine.game import BadOption, Game, Move, Seat, State, did_you_mean
from backroom.engine.kernel import dice_from

SCRATCH = 4
"""How many records a bot has to think with."""

BOTS: dict[str, Callable[[Game], Any]] = {"random": uniform.choose_of, "greedy": greedy.choose_of}
"""From a name to the maker of a kernel `choose(v, seat, dice, worlds, out, marks) -> move`.

`worlds` are SCRATCH records, `out` three lists of MOST_MOVES moves one after the other, `marks` as many numbers as a
list has moves: room to think in, so that a kernel allocates nothing.
"""


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot that plays one game."""

    name: str
    game: Game
    choose: Any
    """Its kernel."""

    def answer(self, v: State, seat: Seat, seed: int) -> Move:
        """The bot's move, for a view of its seat in which it has one."""
        return int(self.choose(v, seat, dice_from(seed), *room(self.game)))


def room(game: Game) -> tuple[Any, Any, Any]:
    """What a bot thinks with: worlds, moves and marks."""
    most = game.rules.MOST_MOVES
    return np.zeros(SCRATCH, game.rules.STATE), np.empty(3 * most, np.int32), np.empty(most, np.float64)


def bot(name: str, game: Game) -> Bot:
    """The bot of that name for a game; BadOption says which there are."""
    if name not in BOTS:
        raise BadOption(f"there is no bot called {name!r}{did_you_mean(name, BOTS)}")
    return Bot(name, game, BOTS[name](game))

"""What a bot is, and which there are."""

from collections.abc import Callable
from typing import Any

from backroom.bots import greedy, levels, plies, search, uniform
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import Move, Seat, State

BOTS: dict[str, Callable[[Game], tuple[Any, Callable[[], Any]]]] = {
    "random": uniform.make,
    "greedy": greedy.make,
    "search": search.make,
    "net": plies.make,
    **{level: levels.maker_of(level) for level in levels.LEVELS},
}
"""From a name to the maker of a kernel `choose(v, seat, dice, work) -> move`, and of what makes its
workspace: a tuple of arrays, so that the kernel allocates nothing.
"""

OFFERED = ("random", *levels.LEVELS)
"""What people are offered, from weak to strong; the rest is for the arena."""
DEFAULT = "medium"
"""Who plays where nobody was named."""

ONLY_FOR: dict[str, Callable[[Game], bool]] = {"net": plies.suits}
"""Which games a bot can play, if not all."""


class Bot:
    """A bot that plays one game, one decision at a time."""

    def __init__(self, name: str, game: Game, choose: Any, furnish: Callable[[], Any]) -> None:
        self.name = name
        self.game = game
        self.choose = choose
        """Its kernel."""
        self.furnish = furnish
        self.work = furnish()
        """What it thinks in, and remembers from one move to the next."""

    def __repr__(self) -> str:
        return f"<bot {self.name} for {self.game.name}>"

    def answer(self, v: State, seat: Seat, seed: int) -> Move:
        """The bot's move, for a view of its seat in which it has one."""
        return int(self.choose(v, seat, dice_from(seed), self.work))

    def forget(self) -> None:
        """Be as new: what a search remembers of other games would help it in this one."""
        if isinstance(self.work, search.Workspace):
            self.work = self.furnish()

    def twin(self) -> "Bot":
        """The same bot with a workspace of its own, to play beside this one."""
        return Bot(self.name, self.game, self.choose, self.furnish)


def bots_of(game: Game) -> list[str]:
    """The names of the bots that can play a game."""
    return [name for name in BOTS if name not in ONLY_FOR or ONLY_FOR[name](game)]


def bot(name: str, game: Game) -> Bot:
    """The bot of that name for a game; BadOption says which there are."""
    known = bots_of(game)
    if name not in BOTS:
        raise BadOption(f"there is no bot called {name!r}{did_you_mean(name, known)}")
    if name not in known:
        raise BadOption(f"{game.name} has no bot called {name!r}; there is {listing(sorted(known), 'and')}")
    return Bot(name, game, *BOTS[name](game))

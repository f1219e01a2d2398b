"""The levels that people choose from. A game's module says in `LEVELS` how each of them thinks: the strategy, and the
fields of its plan. One that says nothing is searched, longer or shorter.
"""

from collections.abc import Callable
from typing import Any

from backroom.bots import plies, rollouts, rounds, search, turns
from backroom.engine.game import Game

STRATEGIES: dict[str, Any] = {"search": search, "plies": plies, "rollouts": rollouts, "rounds": rounds, "turns": turns}
"""How a level can think."""
LEVELS: dict[str, tuple[str, dict[str, Any]]] = {
    "easy": ("search", {"iterations": 16, "noise": 0.25}),
    "medium": ("search", {"iterations": 125}),
    "hard": ("search", {"iterations": 1000}),
}
"""From the weakest to the strongest."""


def plan_of(game: Game, level: str) -> tuple[str, Any]:
    """The strategy by which a game's level thinks, and its plan."""
    strategy, fields = getattr(game.rules, "LEVELS", LEVELS)[level]
    return strategy, STRATEGIES[strategy].Plan(**fields)


def maker_of(level: str) -> Callable[[Game], tuple[Any, Callable[[], Any]]]:
    """The maker of a level's bot."""

    def make(game: Game) -> tuple[Any, Callable[[], Any]]:
        strategy, plan = plan_of(game, level)
        return STRATEGIES[strategy].make(game, plan)  # type: ignore[no-any-return]

    return make

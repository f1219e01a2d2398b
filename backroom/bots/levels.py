"""The levels that people choose from: a search that thinks shorter or longer, and the lowest now and then not at all.

A game's module may say in `THINKING` how it is best searched: the fields of a `Plan`, with the iterations of `hard`. Or
it says in `LEVELS` how each level thinks: the way, and the fields of that way's plan.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from backroom.bots import plies, rollouts, search
from backroom.bots.search import Plan
from backroom.engine.game import Game

LEVELS = {"easy": (1 / 64, 0.25), "medium": (1 / 8, 0.0), "hard": (1.0, 0.0)}
"""Of each level: its part of the iterations, and how often it plays any move at all."""
WAYS: dict[str, Any] = {"search": search, "plies": plies, "rollouts": rollouts}
"""How a level can think."""
FEWEST = 16
"""No level has fewer iterations."""


def plan_of(game: Game, level: str) -> Plan:
    """How a level thinks about a game."""
    best = Plan(**getattr(game.rules, "THINKING", {}))
    part, noise = LEVELS[level]
    return replace(best, iterations=max(FEWEST, round(best.iterations * part)), noise=noise)


def maker_of(level: str) -> Callable[[Game], tuple[Any, Callable[[], Any]]]:
    """The maker of a level's bot; the strongest is the net, where a game has one."""

    def make(game: Game) -> tuple[Any, Callable[[], Any]]:
        if hasattr(game.rules, "LEVELS"):
            way, fields = game.rules.LEVELS[level]
            return WAYS[way].make(game, WAYS[way].Plan(**fields))  # type: ignore[no-any-return]
        if level == "hard" and plies.suits(game):
            return plies.make(game)
        return search.make(game, plan_of(game, level))

    return make

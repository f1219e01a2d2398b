"""The levels that people choose from: one way of thinking, shorter or longer, and the lower now and then not at all.

A game's module may say in `THINKING` how it is best thought about: the fields of a `Plan`, with what `hard` may spend.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from backroom.bots import plies, rollouts, search
from backroom.bots.search import Plan
from backroom.engine.game import Game

LEVELS = {"easy": (1 / 64, 0.25), "medium": (1 / 8, 0.0), "hard": (1.0, 0.0)}
"""Of each level: its part of the iterations of a search, and how often it plays any move at all."""
FEWEST = 16
"""No level has fewer iterations."""
BY_NET = {"medium": plies.Plan(plies=1, noise=0.2), "hard": plies.Plan()}
"""How levels look ahead in a game that has a net; the others search."""
BY_HUNCH = {"easy": (0.0, 0.35), "medium": (0.0, 0.0), "hard": (1.0, 0.0)}
"""Of each level, in a game that has hunches: its part of the worlds, and how often it plays any move at all."""


def plan_of(game: Game, level: str) -> Plan:
    """How a level searches a game."""
    best = Plan(**getattr(game.rules, "THINKING", {}))
    part, noise = LEVELS[level]
    return replace(best, iterations=max(FEWEST, round(best.iterations * part)), noise=noise)


def hunches_of(game: Game, level: str) -> rollouts.Plan:
    """How a level follows its hunches."""
    best = rollouts.Plan(**getattr(game.rules, "THINKING", {}))
    part, noise = BY_HUNCH[level]
    return replace(best, worlds=round(best.worlds * part), noise=noise)


def maker_of(level: str) -> Callable[[Game], tuple[Any, Callable[[], Any]]]:
    """The maker of a level's bot; the stronger have the net, where a game has one."""

    def make(game: Game) -> tuple[Any, Callable[[], Any]]:
        if level in BY_NET and plies.suits(game):
            return plies.make(game, BY_NET[level])
        if rollouts.suits(game):
            return rollouts.make(game, hunches_of(game, level))
        return search.make(game, plan_of(game, level))

    return make

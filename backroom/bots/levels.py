"""The strategies, and the levels that people choose from.

A game's `brain` may define `LEVELS`: the strategy of each level, and the fields of its plan. Other games use the
`LEVELS` below.
"""

from dataclasses import fields
from typing import Any

from backroom.bots import plies, rollouts, rounds, search, tree, truncated, turns
from backroom.bots.plans import Plan
from backroom.engine.game import Game
from backroom.engine.phrases import did_you_mean
from backroom.engine.shape import BadShape

STRATEGIES: dict[str, Any] = {
    "search": search,
    "plies": plies,
    "rollouts": rollouts,
    "rounds": rounds,
    "tree": tree,
    "truncated": truncated,
    "turns": turns,
}
"""Strategies by name; each has `Plan`, `suits(game)`, `choose_of(game)`, `workspace_for(game, plan)` and `Judge`."""
NAMES = ("beginner", "easy", "medium", "hard")
"""All names of levels, from the weakest to the strongest. A game has a `beginner` if its `easy` is too strong for
newcomers.
"""
LEVELS: dict[str, tuple[str, dict[str, Any]]] = {
    "easy": ("search", {"iterations": 16, "blur": 2.0}),
    "medium": ("search", {"iterations": 125}),
    "hard": ("search", {"iterations": 1000}),
}
"""Default levels, from the weakest to the strongest."""


def levels_of(game: Game) -> list[str]:
    """The names of a game's levels, from the weakest to the strongest."""
    return [name for name in NAMES if name in getattr(game.rules, "LEVELS", LEVELS)]


def plan_of(game: Game, level: str) -> tuple[str, Plan]:
    """The strategy of a game's level, and its plan; BadShape says what is wrong with its LEVELS."""
    strategy, chosen = getattr(game.rules, "LEVELS", LEVELS)[level]
    if strategy not in STRATEGIES:
        raise BadShape(f"{game.name}, {level}: there is no strategy {strategy!r}{did_you_mean(strategy, STRATEGIES)}")
    known = [each.name for each in fields(STRATEGIES[strategy].Plan)]
    for name in chosen:
        if name not in known:
            raise BadShape(f"{game.name}, {level}: {strategy} has no {name!r}{did_you_mean(name, known)}")
    return strategy, STRATEGIES[strategy].Plan(**chosen)

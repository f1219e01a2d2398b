"""What a learned policy sees: the game's features, and its insights if it has any."""

import copy
from functools import cache
from typing import Any

from backroom.engine.game import Game
from backroom.engine.kernel import kernel


@cache
def sighted(game: Game) -> Game:
    """The game as a learned policy sees it: its features are followed by its `insights`, if it has any."""
    if not hasattr(game.rules, "insights"):
        return game
    rules: Any = copy.copy(game.rules)
    features, insights, first = rules.features, rules.insights, rules.FEATURES

    @kernel
    def more_features(s, seat, out):  # type: ignore[no-untyped-def]
        """The features, then the insights."""
        features(s, seat, out)
        insights(s, seat, out, first)

    rules.features, rules.FEATURES = more_features, first + rules.INSIGHTS
    return Game(rules)

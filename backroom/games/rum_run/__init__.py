"""Rum Run: roads of dominoes to the stills in the forest, and barrels sown home along them."""

from .brain import FEATURES, features, value, worth_trying
from .picture import between, draw, touch
from .positions import place, position
from .reasons import why
from .rules import (
    BACK,
    LONGEST,
    MOST_MOVES,
    NAME,
    SEAT_NAMES,
    SEATS,
    SECRETS,
    STATE,
    TITLE,
    VERSION,
    asked,
    hide,
    imagine,
    is_whole,
    moves,
    odds,
    play,
    score,
    seen,
    setup,
)
from .setups import OPTIONS, check
from .words import name, parse, question, say

LEVELS = {
    "easy": ("rollouts", {"worlds": 0, "noise": 0.35}),
    "medium": ("rollouts", {"worlds": 1, "width": 6, "turns": 1, "noise": 0.2}),
    "hard": ("rollouts", {"worlds": 1, "width": 16, "turns": 1}),
}
"""`easy` makes the step that is best at first sight, not always; the others look where the best few lead to, as far as
the end of their next turn.
"""

__all__ = [
    "BACK",
    "FEATURES",
    "LEVELS",
    "LONGEST",
    "MOST_MOVES",
    "NAME",
    "OPTIONS",
    "SEATS",
    "SEAT_NAMES",
    "SECRETS",
    "STATE",
    "TITLE",
    "VERSION",
    "asked",
    "between",
    "check",
    "draw",
    "features",
    "hide",
    "imagine",
    "is_whole",
    "moves",
    "name",
    "odds",
    "parse",
    "place",
    "play",
    "position",
    "question",
    "say",
    "score",
    "seen",
    "setup",
    "touch",
    "value",
    "why",
    "worth_trying",
]

"""Rum Run: roads of dominoes to the stills in the forest, and barrels sown home along them."""

from .brain import FEATURES, features, value
from .picture import draw, touch
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
    "easy": ("search", {"iterations": 4, "noise": 0.35}),
    "medium": ("search", {"iterations": 8, "noise": 0.1}),
    "hard": ("search", {"iterations": 48}),
}
"""A position has a hundred moves and each is judged at first sight, so few iterations are much."""

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
]

"""Rum Run Puzzles: six tokens, a barrel in the forest, and one shortest road to it."""

from .brain import FEATURES, features, value
from .options import OPTIONS
from .picture import draw, touch
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
from .words import name, parse, place, position, question, say, why

LEVELS = {
    "easy": ("rollouts", {"worlds": 0, "noise": 0.3}),
    "medium": ("rollouts", {"worlds": 0, "noise": 0.1}),
    "hard": ("search", {"iterations": 10_000, "exploring": 1.0, "width": 4.0}),
}
"""The lower make the step that is best at first sight, not always; `hard` searches, for what a star could be does not
show at first sight.
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

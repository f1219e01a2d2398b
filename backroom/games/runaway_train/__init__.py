"""RunAway Train: throw your suitcases off a train without a driver, and get off in time."""

from .brain import FEATURES, features, value
from .picture import draw, touch
from .positions import place, position
from .rules.game import asked, hide, imagine, is_whole, moves, odds, play, score, seen
from .rules.state import (
    BACK,
    LONGEST,
    MOST_MOVES,
    NAME,
    OPTIONS,
    SEAT_NAMES,
    SEATS,
    SECRETS,
    STATE,
    TITLE,
    VERSION,
    setup,
)
from .words import name, parse, question, say, why

LEVELS = {
    "easy": ("rounds", dict(iterations=20, noise=0.3)),
    "medium": ("rounds", dict(iterations=60, noise=0.1)),
    "hard": ("rounds", dict(iterations=400)),
}

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

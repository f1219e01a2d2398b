"""RunAway Train: throw your suitcases off a train without a driver, and get off in time."""

from .brain import FEATURES, LEVELS, features, gist, value, values
from .net import weights
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
    "gist",
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
    "values",
    "weights",
    "why",
]

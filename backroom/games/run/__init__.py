"""Run (Fevga), the Greek backgammon in which nobody is hit."""

from .bearoff import tables
from .brain import FEATURES, LEVELS, features, value
from .net import expect, is_known, weights
from .picture import draw, touch
from .rules import (
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

TABLES = (("bearing off", tables),)

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
    "TABLES",
    "TITLE",
    "VERSION",
    "asked",
    "draw",
    "expect",
    "features",
    "hide",
    "imagine",
    "is_known",
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
    "weights",
    "why",
]

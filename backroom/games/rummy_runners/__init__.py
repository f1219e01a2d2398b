"""Rummy Runners, a rummy for two to four in which melds claim land. After Nathan Morse's game."""

from .brain import FEATURES, LEVELS, features, plans, replies, value
from .picture import draw, touch
from .positions import place, position
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
    asked,
    setup,
)
from .rules.turns import hide, imagine, is_whole, moves, odds, play, score, seen
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
    "hide",
    "imagine",
    "is_whole",
    "moves",
    "name",
    "odds",
    "parse",
    "place",
    "plans",
    "play",
    "position",
    "question",
    "replies",
    "say",
    "score",
    "seen",
    "setup",
    "touch",
    "value",
    "why",
]

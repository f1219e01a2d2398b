"""Booze Barons: three mobs, three to nine bootleggers, and nobody says what he carries."""

from .brain import COUNTS, FEATURES, LEVELS, features, rate_moves, rollout_policy, value
from .picture import draw, touch
from .pieces import SEAT_NAMES
from .rules.course import asked, moves, odds, play
from .rules.reckoning import score
from .rules.secrets import hide, imagine, is_whole, seen
from .rules.state import (
    BACK,
    LONGEST,
    MOST_MOVES,
    NAME,
    OPTIONS,
    SEATS,
    SECRETS,
    STATE,
    TITLE,
    VERSION,
    setup,
)
from .words import name, parse, place, position, question, say, timer, why

__all__ = [
    "BACK",
    "COUNTS",
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
    "rate_moves",
    "rollout_policy",
    "say",
    "score",
    "seen",
    "setup",
    "timer",
    "touch",
    "value",
    "why",
]

"""Backroom: the digital home of the run games."""

from backroom import bots
from backroom import games as _games  # noqa: F401  (fills the registry)
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, SPECTATOR
from backroom.engine.log import BadLog, Log, Unfair
from backroom.engine.options import BadOption
from backroom.engine.protocol import BadPosition, IllegalMove
from backroom.engine.registry import game, names
from backroom.engine.table import Line, Table, replay, verify

__version__ = "0.1.0"
__all__ = [
    "NATURE",
    "SPECTATOR",
    "BadLog",
    "BadOption",
    "BadPosition",
    "Game",
    "IllegalMove",
    "Line",
    "Log",
    "Table",
    "Unfair",
    "bots",
    "game",
    "names",
    "replay",
    "verify",
]

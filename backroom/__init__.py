"""Backroom: the digital home of the run games.

`names()` are the games, and `game(name).table()` begins one. A Table has the `asked` seats, their `moves`, `play`, and
a `log`, which `replay` reads. `bots.bot(name, game)` is a bot; `bots.seated(bot, seat, table).move(table)` is its move.
"""

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

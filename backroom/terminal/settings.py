"""The terminal's settings on this machine: what has been explained, and what is switched off."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from backroom.engine.game import Game
from backroom.engine.protocol import Seat, Situation, State
from backroom.terminal.files import games_folder, write

KINDS = {"tips": bool, "doubts": bool, "told": dict}
"""The keys of the file and their types."""


@dataclass
class Settings:
    """What people switch on and off; without a file it is forgotten after the session."""

    tips: bool = True
    """Whether each new situation is explained when it first arises."""
    doubts: bool = True
    """Whether a move that gives much away must be confirmed."""
    told: dict[str, list[str]] = field(default_factory=dict)
    """The names of the situations that have been explained, by game."""
    path: Path | None = None

    @classmethod
    def read(cls) -> "Settings":
        """The settings of this machine, or the defaults if the file is missing or unreadable."""
        path = games_folder() / "settings.json"
        try:
            kept: Any = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            kept = {}
        if not isinstance(kept, dict):
            kept = {}
        return cls(**{name: kept[name] for name, kind in KINDS.items() if isinstance(kept.get(name), kind)}, path=path)

    def newest(self, game: Game, v: State, seat: Seat) -> Situation | None:
        """The first situation in a seat's view that has not been explained yet."""
        told = self.told.get(game.name, [])
        found = game.situations(v, seat) if self.tips else []
        return next((each for each in found if each.name not in told), None)

    def remember(self, game: Game, situation: Situation) -> None:
        """Remember that it was explained."""
        self.told.setdefault(game.name, []).append(situation.name)
        self.save()

    def save(self) -> None:
        """Write the file; OSError says why that is not possible."""
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write(self.path, json.dumps({name: kept for name, kept in asdict(self).items() if name != "path"}))

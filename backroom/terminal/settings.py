"""What the terminal remembers on this machine from game to game: what was explained, and what nobody wants to hear."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from backroom.engine.game import Game
from backroom.engine.protocol import Seat, Situation, State
from backroom.terminal.files import games_folder, write

KINDS = {"tips": bool, "doubts": bool, "told": dict}
"""What a file may say."""


@dataclass
class Settings:
    """What people switch on and off; without a file it is forgotten with the session."""

    tips: bool = True
    """Whether each new situation is explained when it first arises."""
    doubts: bool = True
    """Whether a move that gives much away is asked about."""
    told: dict[str, list[str]] = field(default_factory=dict)
    """The names of the situations that were explained, by game."""
    path: Path | None = None

    @classmethod
    def read(cls) -> "Settings":
        """As they were left on this machine; as they are at first where the file is not there or says nothing."""
        path = games_folder() / "settings.json"
        try:
            kept: Any = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            kept = {}
        if not isinstance(kept, dict):
            kept = {}
        return cls(**{name: kept[name] for name, kind in KINDS.items() if isinstance(kept.get(name), kind)}, path=path)

    def newest(self, game: Game, v: State, seat: Seat) -> Situation | None:
        """The first situation in a seat's view that was not explained yet."""
        told = self.told.get(game.name, [])
        found = game.situations(v, seat) if self.tips else []
        return next((each for each in found if each.name not in told), None)

    def remember(self, game: Game, situation: Situation) -> None:
        """Do not explain it again."""
        self.told.setdefault(game.name, []).append(situation.name)
        self.save()

    def save(self) -> None:
        """Keep them. OSError says why they cannot be kept."""
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write(self.path, json.dumps({name: kept for name, kept in asdict(self).items() if name != "path"}))

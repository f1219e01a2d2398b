"""Diagrams: positions in a rulebook, drawn where the book is shown; readers can play on from them.

A diagram is a fenced block of `rules.md`: the seats, options and viewer if they are not the defaults, then the position
as one line in the game's own notation, then the caption:

    ```position seats=2 viewer=0 setup=small
    turn blue
    The road begins at the Town Center.
    ```
"""

import re
from dataclasses import dataclass, field

from backroom.engine.game import Game
from backroom.engine.protocol import Seat, State
from backroom.engine.table import Table

FENCE = re.compile(r"^```position(?P<settings>.*)\n(?P<position>.+)\n(?P<caption>(?:(?!```).*\n)*)```\n", re.M)
INFO = "position"
"""The first word after the fence of a diagram."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A position of a game, the seat from whose view it is drawn, and the caption."""

    position: str
    caption: str
    seats: int | None = None
    viewer: Seat = 0
    options: dict[str, str] = field(default_factory=dict)

    def table(self, game: Game) -> Table:
        """A table set up in this position; BadPosition or BadOption says what is wrong with it."""
        return Table(game, seats=self.seats, start=self.position, nature=False, options=self.options)

    def view(self, game: Game) -> State:
        return self.table(game).view(self.viewer)


def diagrams(game: Game) -> list[Diagram]:
    """The diagrams of a game's rulebook, in order."""
    return [read(found) for found in FENCE.finditer(game.rulebook)]


def read(found: re.Match[str]) -> Diagram:
    """Parse a diagram from its fenced block; ValueError if a setting is malformed."""
    said = dict(setting.split("=", 1) for setting in found["settings"].split())
    seats, viewer = said.pop("seats", None), int(said.pop("viewer", "0"))
    caption = " ".join(found["caption"].split())
    return Diagram(found["position"], caption, int(seats) if seats else None, viewer, said)


def without_diagrams(text: str) -> str:
    """A text of the rulebook without its diagrams, for readers without pictures: drawing them may compile the rules."""
    return FENCE.sub("", text)

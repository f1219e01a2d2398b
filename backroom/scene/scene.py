"""A scene: a flat list of pieces over a static board. It knows what can be seen, not how the game goes."""

from collections.abc import Collection
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shape:
    """How a kind of piece is drawn, around its own (0, 0)."""

    svg: str
    style: str = ""
    """The terminal's colours for it, as rich names them."""
    face: str = ""
    """How text is written on it: attributes of an SVG text around (0, 0)."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing on the board."""

    id: str
    """Its own name in the scene, and the same in the next as long as it stays where it is. Where pieces are alike, a
    move takes one id away and brings another of the same kind: who animates it pairs them.
    """
    kind: str
    """Which shape it has. A shape called `kind-lit`, if there is one, is what it has when it can be touched."""
    x: float
    y: float
    label: str = ""
    """What it is, in words, for who cannot see it."""
    face: str = ""
    """Text written on it."""
    turn: float = 0
    """Degrees clockwise."""
    z: int = 0
    """What is higher is drawn later."""
    glyph: str = ""
    """What it is in a terminal; nothing if it is not shown there."""
    cell: tuple[int, int] = (0, 0)
    """Column and row of the glyph's first character."""


@dataclass(frozen=True, slots=True)
class Board:
    """What never changes while a game is played."""

    name: str
    """Tells its shapes from those of other boards on a page."""
    width: int
    height: int
    svg: str
    text: str
    """The same for a terminal; glyphs are written over it."""
    shapes: dict[str, Shape]


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a seat sees."""

    board: Board
    title: str
    """One sentence: what is going on."""
    pieces: list[Piece] = field(default_factory=list)

    def svg(self, lit: Collection[str] = ()) -> str:
        """As a picture; the pieces with the ids `lit` can be touched."""
        from backroom.scene.svg import svg

        return svg(self, lit)

    def text(self, lit: Collection[str] = ()) -> str:
        """As plain lines for a terminal or a screen reader."""
        from backroom.scene.text import text

        return text(self, lit)

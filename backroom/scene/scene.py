"""A scene: a flat list of pieces over a static board. It describes what can be seen, not how the game works."""

from collections.abc import Collection
from dataclasses import dataclass, field

BOARD, HAND, PLAYERS, STATE = "board", "hand", "players", "state"
"""The roles of regions: the board, the player's own pieces, the other players, the state of play."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a kind of piece is drawn, around (0, 0)."""

    svg: str
    style: str = ""
    """Its style in a terminal, as rich names it."""
    face: str = ""
    """The SVG attributes of text on it, around (0, 0)."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing on the board."""

    id: str
    """Unique in the scene, and the same in the next scene as long as the piece stays where it is.

    When one of several identical pieces moves, one id disappears and another of the same kind appears: animations pair
    them.
    """
    kind: str
    """The name of its shape. If there is a shape `kind-lit`, it is used while the piece can be touched."""
    x: float
    y: float
    label: str = ""
    """A description in words, for those who cannot see it."""
    face: str = ""
    """Text written on it."""
    turn: float = 0
    """Degrees clockwise."""
    z: int = 0
    """Higher pieces are drawn later."""
    glyph: str = ""
    """Its text in a terminal; empty if it is not shown there."""
    cell: tuple[int, int] = (0, 0)
    """Column and row of the glyph's first character."""
    span: int = 0
    """For a piece without a glyph: the number of characters, from `cell` on, that touch it. They show other pieces."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the picture that the page places to fit the screen: a window onto the picture's plane."""

    role: str
    """One of BOARD, HAND, PLAYERS, STATE. Several regions may have the same role."""
    x: float
    y: float
    width: float
    height: float
    svg: str = ""
    """Its static background, in the coordinates of the whole picture."""

    def holds(self, x: float, y: float) -> bool:
        return self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height


@dataclass(frozen=True, slots=True)
class Pane:
    """A part of the text picture that a terminal places to fit the screen: a window onto its lines."""

    role: str
    """One of BOARD, HAND, PLAYERS, STATE. Several panes may have the same role."""
    column: int
    row: int
    width: int
    height: int


MOST_PLACES = 10_000
"""The number of positions that a board remembers; a picture has a few hundred."""


@dataclass(frozen=True, slots=True)
class Board:
    """The parts of a picture that never change during a game."""

    name: str
    """Tells its shapes from those of other boards on a page."""
    width: int
    height: int
    svg: str
    """The background of all regions where the picture is shown whole."""
    text: str
    """The background in a terminal; glyphs are written over it."""
    shapes: dict[str, Shape]
    regions: tuple[Region, ...] = ()
    """The parts of the picture; if empty, the whole picture is one region."""
    defs: str = ""
    """SVG definitions of patterns that shapes are filled with."""
    panes: tuple[Pane, ...] = ()
    """The parts of the text picture, from the top; if empty, it is shown as it is."""
    _found: dict[tuple[float, float], int] = field(default_factory=dict, repr=False, compare=False)
    """A cache of regions by position: pieces are at the same positions again and again."""

    @property
    def parts(self) -> tuple[Region, ...]:
        return self.regions or (Region(BOARD, 0, 0, self.width, self.height, self.svg),)

    @property
    def back(self) -> str:
        """Everything that never changes, as one picture."""
        return self.svg + "".join(region.svg for region in self.regions)

    def region_at(self, x: float, y: float) -> int:
        """The index of the region at a point of the picture; the first region if there is none."""
        found = self._found.get((x, y))
        if found is None:
            found = next((number for number, region in enumerate(self.regions) if region.holds(x, y)), 0)
            if len(self._found) < MOST_PLACES:
                self._found[x, y] = found
        return found

    def in_order(self, pieces: Collection[Piece]) -> list[Piece]:
        """Pieces in drawing order: by region, and from the lowest up."""
        return sorted(pieces, key=self.height_of)

    def height_of(self, piece: Piece) -> tuple[int, int]:
        """The sort key of drawing order: the region, then the height in it."""
        return self.region_at(piece.x, piece.y), piece.z


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a seat sees."""

    board: Board
    title: str
    """One sentence about what is going on."""
    pieces: list[Piece] = field(default_factory=list)

    def svg(self, lit: Collection[str] = ()) -> str:
        """The scene as one picture; the pieces with the ids in `lit` can be touched."""
        from backroom.scene.svg import svg

        return svg(self, lit)

    def html(self, lit: Collection[str] = ()) -> str:
        """The scene as HTML for a page that places each region itself."""
        from backroom.scene.html import html

        return html(self, lit)

    def text(self, lit: Collection[str] = ()) -> str:
        """The scene as plain lines for a terminal or a screen reader."""
        from backroom.scene.text import text

        return text(self, lit)

"""A scene: a flat list of pieces over a static board. It knows what can be seen, not how the game goes."""

from collections.abc import Collection
from dataclasses import dataclass, field

BOARD, HAND, PLAYERS, STATE = "board", "hand", "players", "state"
"""The roles of regions: what is played on, one's own things, the others, the state of play."""


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
    """What it is, in words, for those who cannot see it."""
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
    span: int = 0
    """How many characters from there on belong to it where it has no glyph: others are seen there, and it is touched.
    """


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the picture that a page places for the screen at hand: a window onto the picture's plane."""

    role: str
    """One of BOARD, HAND, PLAYERS, STATE. Several regions may have the same role."""
    x: float
    y: float
    width: float
    height: float
    svg: str = ""
    """What never changes in it, drawn behind its pieces, in the coordinates of the whole picture."""

    def holds(self, x: float, y: float) -> bool:
        return self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height


@dataclass(frozen=True, slots=True)
class Pane:
    """A part of the text picture that a terminal places for the screen at hand: a window onto its lines."""

    role: str
    """One of BOARD, HAND, PLAYERS, STATE. Several panes may have the same role."""
    column: int
    row: int
    width: int
    height: int


MOST_PLACES = 10_000
"""How many places a board remembers; a picture has a few hundred."""


@dataclass(frozen=True, slots=True)
class Board:
    """What never changes while a game is played."""

    name: str
    """Tells its shapes from those of other boards on a page."""
    width: int
    height: int
    svg: str
    """What is drawn behind all regions where the picture is shown whole."""
    text: str
    """The same for a terminal; glyphs are written over it."""
    shapes: dict[str, Shape]
    regions: tuple[Region, ...] = ()
    """The parts of the picture; a board that names none is one region."""
    defs: str = ""
    """Patterns that shapes are filled with, as SVG definitions."""
    panes: tuple[Pane, ...] = ()
    """The parts of the text picture, from the top; a board that names none is shown as it is."""
    _found: dict[tuple[float, float], int] = field(default_factory=dict, repr=False, compare=False)
    """Regions that were looked up: pieces lie at the same places again and again."""

    @property
    def parts(self) -> tuple[Region, ...]:
        return self.regions or (Region(BOARD, 0, 0, self.width, self.height, self.svg),)

    @property
    def back(self) -> str:
        """All that never changes, as one picture."""
        return self.svg + "".join(region.svg for region in self.regions)

    def region_at(self, x: float, y: float) -> int:
        """The number of the region that a point of the picture lies in; the first where none holds it."""
        found = self._found.get((x, y))
        if found is None:
            found = next((number for number, region in enumerate(self.regions) if region.holds(x, y)), 0)
            if len(self._found) < MOST_PLACES:
                self._found[x, y] = found
        return found

    def in_order(self, pieces: Collection[Piece]) -> list[Piece]:
        """Pieces as they are drawn: by region, and from the lowest up."""
        return sorted(pieces, key=self.height_of)

    def height_of(self, piece: Piece) -> tuple[int, int]:
        """What decides which piece is drawn first: its region, then its height in it."""
        return self.region_at(piece.x, piece.y), piece.z


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a seat sees."""

    board: Board
    title: str
    """One sentence: what is going on."""
    pieces: list[Piece] = field(default_factory=list)

    def svg(self, lit: Collection[str] = ()) -> str:
        """As one picture; the pieces with the ids `lit` can be touched."""
        from backroom.scene.svg import svg

        return svg(self, lit)

    def stage(self, lit: Collection[str] = ()) -> str:
        """As HTML for a page that places each region by itself."""
        from backroom.scene.stage import stage

        return stage(self, lit)

    def text(self, lit: Collection[str] = ()) -> str:
        """As plain lines for a terminal or a screen reader."""
        from backroom.scene.text import text

        return text(self, lit)

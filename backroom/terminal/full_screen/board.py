"""The board on the screen: highlights what can be touched, and reports which piece was clicked."""

from collections.abc import Collection
from itertools import groupby

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Static

from backroom.scene.scene import Scene
from backroom.scene.text import Cell, Cells, placed

CHOSEN = "black on yellow"
"""The style of the pieces that the highlighted move touches."""


class BoardView(VerticalScroll, can_focus=False):
    """A scene in the available space; the rest can be scrolled to."""

    class Touched(Message):
        """A piece was clicked."""

        def __init__(self, piece: str) -> None:
            super().__init__()
            self.piece = piece

    def __init__(self) -> None:
        super().__init__(id="board")
        self.cells: Cells = []
        self.lit: Collection[str] = ()

    def compose(self) -> ComposeResult:
        yield Static(id="picture")

    def draw(self, scene: Scene, width: int, lit: Collection[str], chosen: Collection[str]) -> None:
        """Lay out the scene for this width."""
        self.cells, self.lit = placed(scene, width, lit), lit
        self.query_one("#picture", Static).update(as_text(self.cells, chosen))

    def show_pieces(self, pieces: Collection[str]) -> None:
        """Scroll to these pieces unless they are all visible."""
        rows = [row for row, line in enumerate(self.cells) if any(set(cell.pieces) & set(pieces) for cell in line)]
        if rows and not self.scroll_y <= rows[0] <= rows[-1] < self.scroll_y + self.size.height:
            self.scroll_to(y=min(rows[0], max(rows[-1] - self.size.height + 1, 0)), animate=False)

    def on_click(self, event: events.Click) -> None:
        at = event.screen_offset - self.query_one("#picture").region.offset
        if 0 <= at.y < len(self.cells) and 0 <= at.x < len(self.cells[at.y]):
            there = self.cells[at.y][at.x].pieces
            for piece in sorted(there, key=lambda piece: piece in self.lit)[-1:]:
                self.post_message(self.Touched(piece))


def as_text(cells: Cells, chosen: Collection[str] = ()) -> Text:
    """A picture in its colours, with the chosen pieces highlighted."""

    def style(cell: Cell) -> str:
        return CHOSEN if any(piece in chosen for piece in cell.pieces) else cell.style

    lines = (
        Text.assemble(*(("".join(cell.char for cell in run), how) for how, run in groupby(line, style)))
        for line in cells
    )
    return Text("\n").join(lines)

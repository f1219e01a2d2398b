"""The text renderer: glyphs over the board's lines, plain or styled, whole or in parts."""

from collections.abc import Collection
from itertools import groupby
from typing import NamedTuple

from backroom.scene.scene import BOARD, Pane, Piece, Scene

LIT = "reverse"
GAP = 2
"""Characters between adjacent parts."""


class Cell(NamedTuple):
    """One character of a picture."""

    char: str
    style: str = ""
    pieces: tuple[str, ...] = ()
    """The ids of the pieces that it belongs to, the topmost last."""


BLANK = Cell(" ")
Cells = list[list[Cell]]
"""Lines of characters."""
Runs = list[list[tuple[str, str]]]
"""Lines of texts with their styles."""


def runs(scene: Scene, lit: Collection[str] = ()) -> Runs:
    """The lines of the scene, each as runs of text with a style."""
    return styled(_cells(scene, lit))


def text(scene: Scene, lit: Collection[str] = ()) -> str:
    """The lines of the scene without styles."""
    return "\n".join("".join(part for part, _ in line).rstrip() for line in runs(scene, lit))


def laid_out(scene: Scene, width: int, lit: Collection[str] = ()) -> Runs:
    """The lines of the scene laid out for this width, each as runs of text with a style."""
    return styled(placed(scene, width, lit))


def placed(scene: Scene, width: int, lit: Collection[str] = ()) -> Cells:
    """The characters of the scene for this width.

    The panes are in their own places if they fit, otherwise one below the other; on a wide screen everything but the
    board is to the right of it.
    """
    found = bands(scene, width, lit)
    left = [line for role, band in found if role == BOARD for line in band]
    right = [line for role, band in found if role != BOARD for line in band]
    beside = _widest(left) + GAP
    if left and right and beside + _widest(right) <= width:
        return _beside(left, beside, right)
    return [line for _, band in found for line in band]


def bands(scene: Scene, width: int, lit: Collection[str] = ()) -> list[tuple[str, Cells]]:
    """The parts of the scene that are below each other at this width, each with its role."""
    cells = _cells(scene, lit)
    if not scene.board.panes:
        return [(BOARD, cells)]
    rows = [list(row) for _, row in groupby(scene.board.panes, key=lambda pane: pane.row)]
    return [(row[0].role, _band(cells, row, width)) for row in rows]


def squeezed(cells: Cells, height: int) -> Cells:
    """Shorten to this number of lines if possible: drops lines without a piece that only continue the line above."""
    found = list(cells)
    for at in range(len(cells) - 1, -1, -1):
        if len(found) > height and _goes_on(cells[at], cells[at - 1] if at else []):
            del found[at]
    return found


def _goes_on(line: list[Cell], above: list[Cell]) -> bool:
    """Whether a line contains nothing but marks that are in the line above too."""
    return all(
        cell.char == " " or (not cell.pieces and at < len(above) and above[at].char == cell.char)
        for at, cell in enumerate(line)
    )


def parts(scene: Scene) -> list[tuple[str, str]]:
    """The role and the text of each pane."""
    cells = _cells(scene, ())
    return [(pane.role, "\n".join(_plain(line) for line in _cut(cells, pane))) for pane in scene.board.panes]


def _cells(scene: Scene, lit: Collection[str]) -> Cells:
    lines = [[Cell(char) for char in line] for line in scene.board.text.split("\n")]
    for piece in sorted(scene.pieces, key=lambda piece: piece.z):
        column, row = piece.cell
        style = scene.board.shapes[piece.kind].style
        if piece.id in lit:
            style = f"{style} {LIT}".strip()
        while piece.glyph and len(lines) <= row:
            lines.append([])
        for place, char in enumerate(piece.glyph, column):
            line = lines[row]
            line.extend([BLANK] * (place + 1 - len(line)))
            line[place] = Cell(char, style, (*line[place].pieces, piece.id))
    for piece in scene.pieces:
        _cover(lines, piece, piece.id in lit)
    return lines


def _cover(lines: Cells, piece: Piece, is_lit: bool) -> None:
    """Add a piece without a glyph to the characters of its span."""
    column, row = piece.cell
    for place in range(column, column + piece.span):
        lines[row].extend([BLANK] * (place + 1 - len(lines[row])))
        char, style, below = lines[row][place]
        lines[row][place] = Cell(
            char, f"{style} {LIT}".strip() if is_lit and LIT not in style else style, (piece.id, *below)
        )


def _cut(cells: Cells, pane: Pane) -> Cells:
    """What a pane shows, without trailing blank lines."""
    found = [line[pane.column : pane.column + pane.width] for line in cells[pane.row : pane.row + pane.height]]
    while found and not _plain(found[-1]):
        found.pop()
    return found


def _band(cells: Cells, band: list[Pane], width: int) -> Cells:
    """Panes that begin in the same line: side by side as far as the width allows, the rest below."""
    found: Cells = []
    row: Cells = []
    first = 0
    for pane in band:
        if row and pane.column - first + pane.width > width:
            found, row = [*found, *row], []
        if not row:
            first = pane.column
        row = _beside(row, pane.column - first, _cut(cells, pane)) if row else _cut(cells, pane)
    return [*found, *row]


def _beside(left: Cells, column: int, right: Cells) -> Cells:
    """Lines with others to the right of them, from this column on."""
    found = []
    for at in range(max(len(left), len(right))):
        line = list(left[at]) if at < len(left) else []
        more = right[at] if at < len(right) else []
        found.append([*line, *([BLANK] * (column - len(line) if more else 0)), *more])
    return found


def _plain(line: list[Cell]) -> str:
    return "".join(cell.char for cell in line).rstrip()


def _widest(lines: Cells) -> int:
    return max((len(_plain(line)) for line in lines), default=0)


def styled(cells: Cells) -> Runs:
    """Characters as runs of text with a style."""
    return [
        [("".join(cell.char for cell in run), style) for style, run in groupby(line, key=lambda cell: cell.style)]
        for line in cells
    ]

"""The text printer: glyphs over the board's lines, plain or with the styles of their shapes."""

from collections.abc import Collection
from itertools import groupby

from backroom.scene.scene import Scene

LIT = "reverse"


def runs(scene: Scene, lit: Collection[str] = ()) -> list[list[tuple[str, str]]]:
    """The lines of the scene, each as runs of text with a style."""
    lines = [[(char, "") for char in line] for line in scene.board.text.split("\n")]
    for piece in sorted(scene.pieces, key=lambda piece: piece.z):
        column, row = piece.cell
        style = scene.board.shapes[piece.kind].style
        if piece.id in lit:
            style = f"{style} {LIT}".strip()
        while piece.glyph and len(lines) <= row:
            lines.append([])
        for place, char in enumerate(piece.glyph, column):
            line = lines[row]
            line.extend([(" ", "")] * (place + 1 - len(line)))
            line[place] = (char, style)
    return [
        [("".join(char for char, _ in run), style) for style, run in groupby(line, key=lambda at: at[1])]
        for line in lines
    ]


def text(scene: Scene, lit: Collection[str] = ()) -> str:
    """The lines of the scene without styles."""
    return "\n".join("".join(part for part, _ in line).rstrip() for line in runs(scene, lit))

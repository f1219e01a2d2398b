"""The SVG renderer: one self-contained picture, with a group and an id for each piece, and text for screen readers."""

from collections.abc import Collection
from dataclasses import replace
from xml.sax.saxutils import escape, quoteattr

from backroom.scene.scene import BOARD, Board, Piece, Scene, Shape

FONT = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"


def svg(scene: Scene, lit: Collection[str] = ()) -> str:
    """The scene as an SVG picture, with its regions where the board has them."""
    board = scene.board
    pieces = "".join(piece_svg(scene, piece, lit) for piece in board.in_order(scene.pieces))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" data-name="{board.name}" viewBox="0 0 {board.width} {board.height}" '
        f'role="img" aria-label={quoteattr(scene.title)} font-family="{FONT}">'
        f"<title>{escape(scene.title)}</title><desc>{escape(scene.text(lit))}</desc>"
        f'{definitions(board)}<g class="board">{board.back}</g><g class="pieces">{pieces}</g></svg>\n'
    )


def board_svg(scene: Scene) -> str:
    """The board region alone, as short as possible: without the text for each piece."""
    board = scene.board
    number, region = next((n, part) for n, part in enumerate(board.parts) if part.role == BOARD)
    inside = [piece for piece in board.in_order(scene.pieces) if board.region_at(piece.x, piece.y) == number]
    pieces = "".join(piece_svg(scene, replace(piece, label="")) for piece in inside)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(scene.title)} font-family="{FONT}" '
        f'viewBox="{region.x:g} {region.y:g} {region.width:g} {region.height:g}">'
        f"{definitions(board)}<g>{region.svg}</g><g>{pieces}</g></svg>\n"
    )


def definitions(board: Board) -> str:
    """The SVG definitions of a board's shapes."""
    shapes = "".join(_shape(board.name, kind, shape) for kind, shape in board.shapes.items())
    return f"<defs>{board.defs}{shapes}</defs>"


def _shape(board: str, kind: str, shape: Shape) -> str:
    """A shape for pieces to use, and the text attributes for pieces that are added later."""
    face = f'<text id="{board}-{kind}-face" {shape.face}/>' if shape.face else ""
    return f'<g id="{board}-{kind}">{shape.svg}</g>{face}'


def piece_svg(scene: Scene, piece: Piece, lit: Collection[str] = ()) -> str:
    """One piece, as a group with its id."""
    kind = piece.kind
    classes = f"piece {kind}"
    if piece.id in lit:
        classes += " lit"
        if f"{kind}-lit" in scene.board.shapes:
            kind = f"{kind}-lit"
    place = f"translate({piece.x:g} {piece.y:g})" + (f" rotate({piece.turn:g})" if piece.turn else "")
    label = f" aria-label={quoteattr(piece.label)}><title>{escape(piece.label)}</title>" if piece.label else ">"
    face = f"<text {scene.board.shapes[kind].face}>{escape(piece.face)}</text>" if piece.face else ""
    shape = f'<use href="#{scene.board.name}-{kind}"/>'
    return f'<g id={quoteattr(piece.id)} class="{classes}" transform="{place}"{label}{shape}{face}</g>'

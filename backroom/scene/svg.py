"""The SVG renderer: one self-contained picture, with a group and an id for each piece, and text for screen readers."""

from collections.abc import Collection
from dataclasses import replace
from xml.sax.saxutils import escape, quoteattr

from backroom.scene.scene import BOARD, Board, Piece, Scene

FONT = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"


def svg(scene: Scene, lit: Collection[str] = ()) -> str:
    """The scene as an SVG picture, with its regions where the board has them."""
    board = scene.board
    pieces = "".join(piece_svg(scene, piece, lit) for piece in board.in_order(scene.pieces))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {board.width} {board.height}" '
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
    shapes = "".join(f'<g id="{board.name}-{kind}">{shape.svg}</g>' for kind, shape in board.shapes.items())
    return f"<defs>{board.defs}{shapes}</defs>"


def piece_svg(scene: Scene, piece: Piece, lit: Collection[str] = ()) -> str:
    """One piece, as a group with its id."""
    kind, classes = piece.kind, f"piece {piece.kind}"
    if piece.id in lit:
        kind, classes = lit_kind(scene.board, kind), f"{classes} lit"
    return _group(piece, classes, _use(scene.board, kind) + _face(scene.board, kind, piece.face))


def live_piece_svg(board: Board, piece: Piece, lit: Collection[str] = ()) -> str:
    """One piece with both its shapes, plain and lit, of which the style sheet shows one by the class `lit`.

    Its height is an attribute, since scripts ask which pieces lie on which.
    """
    kind, face = piece.kind, piece.face
    bright = lit_kind(board, kind)
    classes = f"piece {kind} lit" if piece.id in lit else f"piece {kind}"
    if bright == kind:
        look = _use(board, kind) + _face(board, kind, face)
    else:
        look = _use(board, kind, ' class="plain"') + _use(board, bright, ' class="bright"')
        if board.shapes[bright].face == board.shapes[kind].face:
            look += _face(board, kind, face)
        else:
            look += _face(board, kind, face, ' class="plain"') + _face(board, bright, face, ' class="bright"')
    return _group(piece, classes, look, f' data-z="{piece.z}"' if piece.z else "")


def lit_kind(board: Board, kind: str) -> str:
    """The kind whose shape a piece has while it can be touched."""
    return f"{kind}-lit" if f"{kind}-lit" in board.shapes else kind


def _group(piece: Piece, classes: str, look: str, more: str = "") -> str:
    label = f" aria-label={quoteattr(piece.label)}><title>{escape(piece.label)}</title>" if piece.label else ">"
    return f'<g id={quoteattr(piece.id)} class="{classes}" transform="{place_of(piece)}"{more}{label}{look}</g>'


def place_of(piece: Piece) -> str:
    """The value of a piece's attribute `transform`."""
    return f"translate({piece.x:g} {piece.y:g})" + (f" rotate({piece.turn:g})" if piece.turn else "")


def _use(board: Board, kind: str, more: str = "") -> str:
    return f'<use href="#{board.name}-{kind}"{more}/>'


def _face(board: Board, kind: str, text: str, more: str = "") -> str:
    return f"<text {board.shapes[kind].face}{more}>{escape(text)}</text>" if text else ""

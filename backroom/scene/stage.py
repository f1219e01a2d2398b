"""The page's printer: HTML with a picture for each region, which a style sheet places for the screen at hand."""

from collections.abc import Collection
from itertools import groupby
from xml.sax.saxutils import quoteattr

from backroom.scene.scene import BOARD, HAND, PLAYERS, STATE, Board, Region, Scene
from backroom.scene.svg import FONT, definitions, piece_svg

LABELS = {BOARD: "Board", HAND: "Your own", PLAYERS: "Players", STATE: "State of play"}
WIDE = 1.2
"""A board this much wider than high leaves room below it on a wide screen."""
FLAT = 0.2
"""One's own things that are at most this much as high as wide find room below a wide board on a phone on its side."""
CROWDED = 1.75
"""Regions that are together this much higher than wide are not all shown at once on a small screen."""
PACKED = 1.45
"""Regions that are together this much as high as wide are not all shown at once on the smallest screens."""
TALL, HIGH = 1.65, 1.25
"""Pictures that are together this much as high as wide fill any phone that is held upright, or a small one."""
DENSE = 0.85
"""Regions beside a board that are together this much as high as wide are too small there on a phone on its side."""


def stage(scene: Scene, lit: Collection[str] = ()) -> str:
    """Each region as a picture of its own; ids are unique over all of them, and the shapes are defined once."""
    board = scene.board
    pieces = dict.fromkeys(range(len(board.parts)), "")
    for number, run in groupby(board.in_order(scene.pieces), key=lambda piece: board.region_at(piece.x, piece.y)):
        pieces[number] = "".join(piece_svg(scene, piece, lit) for piece in run)
    found: dict[str, str] = {}
    for number, region in enumerate(board.parts):
        found[region.role] = found.get(region.role, "") + _region(number, region, pieces[number])
    roles = {role: f'<div class="role {role}">{regions}</div>' for role, regions in found.items()}
    return (
        f'<div class="stage {shape_of(board)}" data-name="{board.name}">'
        f'<svg class="shapes" width="0" height="0" aria-hidden="true">{definitions(board)}</svg>'
        f"{roles.get(STATE, '')}{roles.get(PLAYERS, '')}"
        f'<div class="middle">{roles.get(BOARD, "")}{roles.get(HAND, "")}</div></div>'
    )


def shape_of(board: Board) -> str:
    """Whether one's own things find room below the board, or beside it; and whether all of it fits a small screen."""
    main = next(region for region in board.parts if region.role == BOARD)
    is_wide = main.width >= WIDE * main.height
    own, others = _height(board, HAND), _height(board, PLAYERS, STATE)
    is_flat = is_wide and 0 < own <= FLAT
    shape = ["wide" if is_wide else "square"]
    if is_flat:
        shape.append("flat")
    whole = _height(board, BOARD, HAND, PLAYERS, STATE)
    is_crowded = whole > CROWDED
    seen = _height(board, BOARD, HAND) if is_crowded else whole
    if seen > HIGH:
        shape.append("tall" if seen > TALL else "high")
    if is_crowded:
        shape.append("crowded")
    elif others + (0 if is_flat else own) > DENSE:
        shape.append("dense")
    if PACKED < whole <= CROWDED:
        shape.append("packed")
    return " ".join(shape)


def _height(board: Board, *roles: str) -> float:
    """How high the regions with these roles are together, where each is as wide as 1."""
    return sum(region.height / region.width for region in board.parts if region.role in roles)


def _region(number: int, region: Region, pieces: str) -> str:
    """A picture, and an empty canvas of the same shape that makes room for it: to lay out that one costs nothing."""
    box = f"{region.x:g} {region.y:g} {region.width:g} {region.height:g}"
    return (
        f'<div class="region" data-region="{number}"><svg viewBox="{box}" '
        f'width="{region.width:g}" height="{region.height:g}" role="group" aria-label={quoteattr(LABELS[region.role])} '
        f'font-family="{FONT}"><g class="back">{region.svg}</g><g class="pieces">{pieces}</g></svg>'
        f'<canvas width="{region.width:g}" height="{region.height:g}" aria-hidden="true"></canvas></div>'
    )

"""The HTML renderer: a picture for each region, which a style sheet places to fit the screen."""

from collections.abc import Collection
from itertools import groupby
from xml.sax.saxutils import quoteattr

from backroom.scene.scene import BOARD, HAND, PLAYERS, STATE, Board, Piece, Region, Scene
from backroom.scene.svg import FONT, definitions, live_piece_svg

LABELS = {BOARD: "Board", HAND: "Your own", PLAYERS: "Players", STATE: "State of play"}
WIDE = 1.2
"""The ratio of width to height from which a board leaves room below it on a wide screen."""
FLAT = 0.2
"""On a phone in landscape: the largest ratio of height to width of the player's own regions below a wide board."""
CROWDED = 1.75
"""The ratio of height to width from which the regions together do not fit on a small screen."""
PACKED = 1.45
"""The ratio of height to width from which the regions together do not fit on the smallest screens."""
TALL, HIGH = 1.65, 1.25
"""The ratios of height to width from which the pictures together fill any phone in portrait, or a small one."""
DENSE = 0.85
"""The ratio of height to width from which the regions beside a board are too small on a phone in landscape."""


def html(scene: Scene, lit: Collection[str] = ()) -> str:
    """Each region as a picture of its own; ids are unique over all of them, and the shapes are defined once."""
    board = scene.board
    pieces = dict.fromkeys(range(len(board.parts)), "")
    for number, run in groupby(board.in_order(scene.pieces), key=lambda piece: board.region_at(piece.x, piece.y)):
        pieces[number] = "".join(live_piece_svg(board, piece, lit) for piece in run)
    found: dict[str, str] = {}
    for number, region in enumerate(board.parts):
        found[region.role] = found.get(region.role, "") + _region(number, region, pieces[number])
    roles = {role: f'<div class="role {role}">{regions}</div>' for role, regions in found.items()}
    return (
        f'<div class="layout {shape_of(board)}">'
        f'<svg class="shapes" width="0" height="0" aria-hidden="true">{definitions(board)}</svg>'
        f'<template class="kinds">{kinds(board)}</template>'
        f"{roles.get(STATE, '')}{roles.get(PLAYERS, '')}"
        f'<div class="middle">{roles.get(BOARD, "")}{roles.get(HAND, "")}</div></div>'
    )


def kinds(board: Board) -> str:
    """A piece of each kind, which scripts copy and fill in: id, place, height, label and text."""
    pieces = (Piece("-", kind, 0, 0, "-", "-", z=1) for kind in board.shapes if not kind.endswith("-lit"))
    return f"<svg>{''.join(live_piece_svg(board, piece) for piece in pieces)}</svg>"


def shape_of(board: Board) -> str:
    """The page's layout classes: where the player's own regions fit, and whether everything fits a small screen."""
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
    """The total height of the regions with these roles, each scaled to the width 1."""
    return sum(region.height / region.width for region in board.parts if region.role in roles)


def _region(number: int, region: Region, pieces: str) -> str:
    """A picture, and an empty canvas of the same shape that reserves its space, since a canvas is quick to lay out."""
    box = f"{region.x:g} {region.y:g} {region.width:g} {region.height:g}"
    return (
        f'<div class="region" data-region="{number}"><svg viewBox="{box}" '
        f'width="{region.width:g}" height="{region.height:g}" role="group" aria-label={quoteattr(LABELS[region.role])} '
        f'font-family="{FONT}"><g class="back">{region.svg}</g><g class="pieces">{pieces}</g></svg>'
        f'<canvas width="{region.width:g}" height="{region.height:g}" aria-hidden="true"></canvas></div>'
    )

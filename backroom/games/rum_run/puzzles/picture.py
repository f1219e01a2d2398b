"""The picture of a puzzle: a small forest of Rum Run with the barrel in it, and the tokens that are left below it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from backroom.engine.marks import plain
from backroom.engine.protocol import Move, Seat, State
from backroom.games.rum_run import picture as rum_run
from backroom.games.rum_run.board import board
from backroom.games.rum_run.pieces import NODES
from backroom.games.rum_run.rules.state import OBSTACLE
from backroom.games.rum_run.shapes import BUTTON_ROW, CELL, MARGIN, ROW, WIDTH, Layout
from backroom.games.rum_run.words import whereabouts
from backroom.scene import HAND, Board, Piece, Region, Scene, Shape

from .rules import GIVE_UP, MOST_MOVES, NAME, SEAT_NAMES, made, moves
from .words import placings, question

_GIVE_UP = "button-give-up"
LEGEND = (
    ("B3/5", "a token, the 3 north and the 5 south"),
    ("B3-5", "the 3 west, the 5 east"),
    ("B+3+", "a double"),
    ("[TWN]", "the Town Center"),
    ("(==)", "the barrel"),
    ("#####", "an obstacle"),
    ("*3|4*", "the token that you have chosen"),
)


@dataclass(frozen=True, slots=True)
class PuzzleLayout(Layout):
    """A board without players and objectives below it."""

    @property
    def name(self) -> str:
        return f"{NAME}-{self.size}"

    @property
    def height(self) -> int:
        return int(self.facts_top) + 44

    @property
    def facts_top(self) -> float:
        return self.hand_top + self.hand_rows * ROW + 2

    @property
    def regions(self) -> tuple[Region, ...]:
        return (Region(HAND, 0, self.below, WIDTH, self.height - self.below),)

    @property
    def text_rows(self) -> tuple[int, int, int]:
        below = self.size + 2
        return below, below, below + 2


def draw(v: State, seat: Seat) -> Scene:
    """The scene of a view; spectators see the same."""
    layout = layout_of(v)
    ids = list(dict.fromkeys(name for move in moves_of(v, seat) for name in touch(v, seat, move)))
    pieces = [
        *(piece for piece in rum_run.roads(v, layout) if piece.x < WIDTH),  # tokens that were never given are outside
        barrel(v, layout),
        *rum_run.targets(v, layout, ids),
        *rum_run.hand(v, layout, 0),
        *rum_run.buttons(layout, [name for name in ids if name != _GIVE_UP]),
        *facts(v, layout),
    ]
    if _GIVE_UP in ids:
        pieces.append(Piece(_GIVE_UP, "button", 70, layout.below + BUTTON_ROW / 2, "give up", face="give up", z=2))
    return Scene(board_of(layout), plain(question(v, seat), SEAT_NAMES), pieces)


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """As in Rum Run, and a button to give up."""
    return [_GIVE_UP] if move == GIVE_UP else rum_run.touch(v, seat, move)


@cache
def board_of(layout: PuzzleLayout) -> Board:
    """Rum Run's board of that size, with a barrel as large as its nodes."""
    plain = board(layout)
    cask = plain.shapes["cask"]
    large = f'<g transform="scale({layout.cell / 40:.3g})">{cask.svg}</g>'
    return replace(plain, shapes=plain.shapes | {"barrel": Shape(large, "bold yellow")})


def layout_of(v: State) -> PuzzleLayout:
    """The layout of the board of a view."""
    ground = v.ground[:NODES]
    fixed = tuple((int(node), int(ground[node])) for node in np.nonzero(ground >= OBSTACLE)[0])
    return PuzzleLayout(int(v.width), int(v.town), fixed, int(v.colours), 0, int(v.tokens), (0,))


def moves_of(v: State, seat: Seat) -> list[Move]:
    """The moves of the viewer; a spectator has none."""
    if seat < 0:
        return []
    out = np.empty(MOST_MOVES, np.int32)
    return [int(move) for move in out[: moves(v, seat, out)]]


def barrel(v: State, layout: PuzzleLayout) -> Piece:
    """The barrel, in the middle of its node, or in a corner of it when a token lies there."""
    node = int(v.aim)
    covered = bool(v.owner[node])
    off = layout.cell * 0.28 if covered else 0
    x, y, kind = layout.x(node) + off, layout.y(node) - off, "cask" if covered else "barrel"
    glyph = "" if covered else "(==)".center(CELL)
    return Piece("barrel", kind, x, y, f"the barrel, {whereabouts(v, node)}", z=6, glyph=glyph, cell=layout.at(node))


def facts(v: State, layout: PuzzleLayout) -> Iterator[Piece]:
    """The number of placings required, and how many are left."""
    text = f"It takes {placings(int(v.step))} · {made(v)} made · {max(int(v.reserve), 0)} left"
    row = layout.text_rows[2]
    yield Piece(
        "facts",
        "note",
        MARGIN,
        layout.facts_top + 18,
        text,
        face=text,
        z=1,
        glyph=text.replace(" · ", ", "),
        cell=(3, row),
    )

"""How Rum Run looks."""

import numpy as np

from backroom.engine.game import Move, Seat, State
from backroom.scene import Board, Piece, Scene, Shape

from .rules import NAME, moves
from .words import name, question


def draw(v: State, seat: Seat) -> Scene:
    board = Board(NAME, 10, 10, "<rect/>", "x", {"word": Shape("<circle r='1'/>")})
    out = np.empty(4000, np.int32)
    n = moves(v, seat, out) if seat >= 0 else 0
    return Scene(board, question(v, seat), [Piece(name(v, int(out[i])), "word", 0, 0) for i in range(n)])


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    return [name(v, move)]

"""x"""

from backroom.engine.game import Move, Seat, State
from backroom.scene import Board, Piece, Scene, Shape

from .words import MOVES, question


def draw(v: State, seat: Seat) -> Scene:
    board = Board("runaway-train", 10, 10, "<rect/>", "train", {"word": Shape("<circle r='1'/>")})
    return Scene(board, question(v, seat), [Piece(word, "word", 0, 0) for word in MOVES])


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    return [MOVES[move]]

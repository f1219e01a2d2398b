"""The picture of Booze Barons (first sketch)."""

from backroom.engine.game import Move, Seat, State
from backroom.scene import Board, Piece, Scene, Shape

from .words import WORDS, question


def draw(v: State, seat: Seat) -> Scene:
    board = Board("booze-barons", 10, 10, "<rect/>", "x", {"word": Shape("<circle r='1'/>")})
    return Scene(board, question(v, seat), [Piece(word, "word", 0, 0) for word in WORDS])


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    return [WORDS[move]]

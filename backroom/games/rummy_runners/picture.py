"""How Rummy Runners looks."""

from backroom.engine.game import Move, Seat, State
from backroom.scene import Board, Scene, Shape

from .rules.state import NAME
from .words import name, question


def draw(v: State, seat: Seat) -> Scene:
    return Scene(Board(NAME, 10, 10, "", "x", {"x": Shape("")}), question(v, seat), [])


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    return [name(v, move)]

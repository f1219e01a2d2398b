"""The picture of New Game: a row for each seat with its cards and tricks; players touch their own cards."""

from backroom.engine.kernel import UNKNOWN
from backroom.engine.marks import plain
from backroom.engine.protocol import Move, Seat, State
from backroom.scene import Board, Piece, Scene, Shape
from backroom.scene.palette import CREAM, FELT, GOLD, INK, PAPER_DIM
from backroom.scene.pieces import LEFT, card, card_back, centred, glow, lettering, panel

from .pieces import CARDS, MOST_SEATS
from .rules import BID, NAME, SEAT_NAMES
from .words import question

WIDTH, ROW, CARD = 420, 84, 54
"""The width of the picture, the height of a seat's row, and the width of a card with its gap."""
HAND_X, LAST_X = 84, 380
"""The x of the first card of a hand, and of the card of the last trick."""

_FACE = lettering(20, INK)
_NAME = lettering(15, CREAM, LEFT)
_EDGE = glow(44, 64, 5)

SHAPES = {
    "name": Shape("", "bold", _NAME),
    "tricks": Shape("", "", _NAME),
    "card": Shape(card(44, 64), "bold", _FACE),
    "card-lit": Shape(card(44, 64) + _EDGE, "bold yellow", _FACE),
    "chosen": Shape(centred(44, 64, 5, f'fill="{GOLD}"'), "bold green", _FACE),
    "back": Shape(card_back(44, 64), "red"),
    "sealed": Shape(card_back(44, 64) + _EDGE, "bold red"),
    "last": Shape(centred(44, 64, 5, f'fill="{PAPER_DIM}"'), "", _FACE),
}
BOARD = Board(
    NAME,
    WIDTH,
    MOST_SEATS * ROW,
    panel(0, 0, WIDTH, MOST_SEATS * ROW, FELT),
    "name   tricks  hand                    last trick",
    SHAPES,
)


def draw(v: State, seat: Seat) -> Scene:
    """The scene of a view."""
    pieces = [piece for other in range(int(v.seats)) for piece in _row(v, other)]
    return Scene(BOARD, plain(question(v, seat), SEAT_NAMES), pieces)


def _row(v: State, seat: Seat) -> list[Piece]:
    who, y, line = SEAT_NAMES[seat], (seat + 0.5) * ROW, seat + 1
    tricks = f"{v.won[seat]} taken"
    found = [
        Piece(f"seat-{who}", "name", 10, y - 12, face=who, label=who, glyph=who, cell=(0, line)),
        Piece(f"tricks-{who}", "tricks", 10, y + 12, face=tricks, label=tricks, glyph=str(v.won[seat]), cell=(7, line)),
    ]
    known = [number for number in range(1, CARDS + 1) if v.where[number - 1] == seat]
    for place, number in enumerate(known):
        kind = "chosen" if v.bid[seat] == number else "card"
        x, cell, face = HAND_X + (place + 0.5) * CARD, (15 + 4 * place, line), str(number)
        found.append(Piece(f"card-{number}", kind, x, y, face=face, label=f"the {face}", glyph=face, cell=cell))
    for place in range(len(known), int(v.held[seat])):
        kind = "sealed" if v.bid[seat] == UNKNOWN and place == 0 else "back"
        x, cell = HAND_X + (place + 0.5) * CARD, (15 + 4 * place, line)
        label = "a sealed bid" if kind == "sealed" else "a hidden card"
        found.append(Piece(f"back-{who}-{place}", kind, x, y, label=label, glyph="??", cell=cell))
    if v.last[seat]:
        face = str(v.last[seat])
        label = f"{who} played the {face}"
        found.append(Piece(f"last-{who}", "last", LAST_X, y, label=label, face=face, glyph=face, cell=(39, line)))
    return found


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """A bid is made by touching its card; nature's deals are not touched."""
    return [f"card-{move - BID + 1}"]

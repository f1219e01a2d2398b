"""How New Game looks: a row for each seat with its cards and tricks, one's own open to be touched."""

from backroom.engine.kernel import UNKNOWN
from backroom.engine.protocol import Move, Seat, State
from backroom.scene import Board, Piece, Scene, Shape

from .pieces import CARDS, MOST_SEATS
from .rules import BID, NAME, SEAT_NAMES
from .words import question

WIDTH, ROW, CARD = 420, 84, 54
"""The width of the picture, the height of a seat's row, and the width of a card with its gap."""
LEFT, LAST = 84, 380
"""Where hands begin, and where the card of the last trick lies."""

FELT, PAPER, INK, GOLD, BACK = "#1f4d3a", "#fbf6e9", "#26231f", "#f2b01e", "#7a3b34"
_FACE = f'text-anchor="middle" dominant-baseline="central" font-size="20" font-weight="700" fill="{INK}"'
_NAME = f'dominant-baseline="central" font-size="15" fill="{PAPER}"'


def _card(fill: str, line: str, thick: int) -> str:
    return f'<rect x="-22" y="-32" width="44" height="64" rx="6" fill="{fill}" stroke="{line}" stroke-width="{thick}"/>'


SHAPES = {
    "seat": Shape("", "bold", _NAME),
    "tricks": Shape("", "", _NAME),
    "card": Shape(_card(PAPER, INK, 1), "bold", _FACE),
    "card-lit": Shape(_card(PAPER, GOLD, 4), "bold yellow", _FACE),
    "chosen": Shape(_card(GOLD, INK, 1), "bold green", _FACE),
    "back": Shape(_card(BACK, PAPER, 2), "red"),
    "sealed": Shape(_card(BACK, GOLD, 4), "bold red"),
    "last": Shape(_card("#d9d2c0", INK, 1), "", _FACE),
}
BOARD = Board(
    NAME,
    WIDTH,
    MOST_SEATS * ROW,
    f'<rect width="{WIDTH}" height="{MOST_SEATS * ROW}" rx="10" fill="{FELT}"/>',
    "name   tricks  hand                    last trick",
    SHAPES,
)


def draw(v: State, seat: Seat) -> Scene:
    """The scene of a view."""
    pieces = [piece for other in range(int(v.seats)) for piece in _row(v, other)]
    return Scene(BOARD, question(v, seat), pieces)


def _row(v: State, seat: Seat) -> list[Piece]:
    who, y, line = SEAT_NAMES[seat], (seat + 0.5) * ROW, seat + 1
    tricks = f"{v.won[seat]} taken"
    found = [
        Piece(f"seat-{who}", "seat", 10, y - 12, face=who, label=who, glyph=who, cell=(0, line)),
        Piece(f"tricks-{who}", "tricks", 10, y + 12, face=tricks, label=tricks, glyph=str(v.won[seat]), cell=(7, line)),
    ]
    known = [card for card in range(CARDS) if v.where[card] == seat]
    for place, card in enumerate(known):
        kind = "chosen" if v.bid[seat] == card + 1 else "card"
        x, cell, face = LEFT + (place + 0.5) * CARD, (15 + 4 * place, line), str(card + 1)
        found.append(Piece(f"card-{card + 1}", kind, x, y, face=face, label=f"the {face}", glyph=face, cell=cell))
    for place in range(len(known), int(v.held[seat])):
        kind = "sealed" if v.bid[seat] == UNKNOWN and place == 0 else "back"
        x, cell = LEFT + (place + 0.5) * CARD, (15 + 4 * place, line)
        label = "a sealed bid" if kind == "sealed" else "a hidden card"
        found.append(Piece(f"back-{who}-{place}", kind, x, y, label=label, glyph="??", cell=cell))
    if v.last[seat]:
        face = str(v.last[seat])
        label = f"{who} played the {face}"
        found.append(Piece(f"last-{who}", "last", LAST, y, label=label, face=face, glyph=face, cell=(39, line)))
    return found


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """A bid touches its card; nobody deals by hand."""
    return [f"card-{move - BID + 1}"]

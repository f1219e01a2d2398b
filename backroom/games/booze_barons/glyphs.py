"""The glyphs of Booze Barons: boozes, and deliveries with the six that each shows, shown in texts; seats' letters."""

from backroom.scene import Glyph
from backroom.scene.palette import WOOD_LIGHT
from backroom.scene.pieces import centred

from .pieces import BOOZE_WORDS, BOOZES, CARD_WORDS, CARDS, IN_MOB, SHOWS
from .rules.state import SEAT_NAMES
from .shapes import backing, symbol, words

_SIDE = 20
"""The width of a booze's sign."""


def _booze(booze: int) -> Glyph:
    return Glyph(backing(booze // IN_MOB, _SIDE, _SIDE) + symbol(booze, 0, 0, 0.85), (-11, -11, 22, 22))


def _delivery(card: int) -> Glyph:
    """A delivery: the signs of its boozes in a row."""
    shown = [booze for booze in range(BOOZES) if SHOWS[card] >> booze & 1]
    size = f'y="3" width="{_SIDE}" height="{_SIDE}"'
    signs = "".join(
        f'<use href="#glyph-booze-{BOOZE_WORDS[booze]}" x="{3 + place * _SIDE}" {size}/>'
        for place, booze in enumerate(shown)
    )
    width = len(shown) * _SIDE + 6
    edge = f'<rect x=".5" y=".5" width="{width - 1}" height="{_SIDE + 5}" rx="4" fill="#fbf6e9" stroke="#5b4a35"/>'
    return Glyph(edge + signs, (0, 0, width, _SIDE + 6))


def _seat(seat: int) -> Glyph:
    """The letter of a seat's pawn, without the colour, since players may choose that (§1.4)."""
    letter = words(0, 5.6, SEAT_NAMES[seat][0], 'font-size="16" font-weight="700" fill="#fff"')
    return Glyph(centred(20, 20, 5, f'fill="{WOOD_LIGHT}"') + letter, (-10, -10, 20, 20))


GLYPHS = {
    **{f"booze-{word}": _booze(booze) for booze, word in enumerate(BOOZE_WORDS)},
    **{f"delivery-{CARD_WORDS[card]}": _delivery(card) for card in range(CARDS)},
    **{f"seat-{seat}": _seat(seat) for seat in range(len(SEAT_NAMES))},
}

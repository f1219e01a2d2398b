"""The glyphs of Rummy Runners: its sixty cards, shown in texts, and the mark of each seat."""

from backroom.scene import Glyph
from backroom.scene.palette import INK, PAPER

from .pieces import CARDS, PLANE
from .rules.state import SEAT_NAMES
from .shapes import COLOUR_FILL, COLOUR_INK, SUIT_SVG, mark
from .words import CARD_NAMES, COLOUR_LETTERS, suit_of

_TEXT = 'text-anchor="middle" dominant-baseline="central" font-weight="800"'


def _card(card: int) -> Glyph:
    """Its colour with the letter of it, its number, its suit."""
    colour = card // PLANE
    fill, letter = COLOUR_FILL[colour], COLOUR_LETTERS[colour].upper()
    return Glyph(
        f'<rect x="1" y="1" width="50" height="26" rx="5" fill="{PAPER}" stroke="{fill}" stroke-width="2"/>'
        f'<path d="M6 2H17V26H6A4 4 0 0 1 2 22V6A4 4 0 0 1 6 2z" fill="{fill}"/>'
        f'<text x="9.5" y="14" {_TEXT} font-size="13" fill="{COLOUR_INK[colour]}">{letter}</text>'
        f'<text x="25" y="14" {_TEXT} font-size="18" fill="{INK}">{card % 5 + 1}</text>'
        f'<g transform="translate(40 14) scale(.85)" fill="{INK}" color="{INK}">{SUIT_SVG[suit_of(card)]}</g>',
        (0, 0, 52, 28),
    )


GLYPHS = {
    **{f"card-{CARD_NAMES[card]}": _card(card) for card in range(CARDS)},
    **{f"seat-{seat}": Glyph(mark(seat), (-15, -16, 30, 30)) for seat in range(len(SEAT_NAMES))},
}

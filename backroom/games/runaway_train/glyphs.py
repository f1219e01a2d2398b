"""The glyphs of RunAway Train: its cards and dice, shown in texts, and the sign of each seat."""

from backroom.scene import Glyph
from backroom.scene.palette import PAPER, WOOD
from backroom.scene.pieces import MIDDLE, PIPS, die

from .pieces import SUITCASES
from .rules.state import SEAT_NAMES
from .shapes import CAP, CASE, PERSON, badge

_PERSON = f'<rect x="-11" y="-15" width="22" height="28" rx="4" fill="{PAPER}"/><g fill="{WOOD}">{PERSON}</g>'


def _suitcase(number: int) -> Glyph:
    face = f'<text {MIDDLE} y="1" font-size="15" font-weight="700" fill="#fff">{number}</text>'
    return Glyph(CASE + face, (-12, -13, 24, 24))


GLYPHS = {
    "passenger": Glyph(_PERSON, (-12, -16, 24, 30)),
    "conductor": Glyph(_PERSON + CAP, (-12, -16, 24, 30)),
    **{f"suitcase-{number}": _suitcase(number) for number in range(1, SUITCASES + 1)},
    **{f"die-{number}": Glyph(die(number, 20), (-11, -11, 22, 23)) for number in PIPS},
    **{f"seat-{seat}": Glyph(badge(seat), (-13, -13, 26, 26)) for seat in range(len(SEAT_NAMES))},
}

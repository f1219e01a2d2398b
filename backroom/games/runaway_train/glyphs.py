"""The small pictures of RunAway Train among words: its cards and dice."""

from backroom.scene import Glyph
from backroom.scene.palette import INK
from backroom.scene.pieces import MIDDLE, PIPS

from .pieces import SUITCASES
from .shapes import CAP, CASE, PERSON

_PERSON = f'<rect x="-11" y="-15" width="22" height="28" rx="4" fill="#fffdf7"/><g fill="{INK}">{PERSON}</g>'


def _suitcase(number: int) -> Glyph:
    face = f'<text {MIDDLE} y="1" font-size="15" font-weight="700" fill="#fff">{number}</text>'
    return Glyph(CASE + face, (-12, -13, 24, 24))


def _die(face: int) -> Glyph:
    pips = "".join(f'<circle cx="{5.5 * x}" cy="{5.5 * y}" r="2.1" fill="{INK}"/>' for x, y in PIPS[face])
    body = f'<rect x="-10" y="-10" width="20" height="20" rx="4" fill="#fffdf7" stroke="{INK}"/>'
    return Glyph(body + pips, (-11, -11, 22, 22))


GLYPHS = {
    "passenger": Glyph(_PERSON, (-12, -16, 24, 30)),
    "conductor": Glyph(_PERSON + CAP, (-12, -16, 24, 30)),
    **{f"suitcase-{number}": _suitcase(number) for number in range(1, SUITCASES + 1)},
    **{f"die-{face}": _die(face) for face in PIPS},
}

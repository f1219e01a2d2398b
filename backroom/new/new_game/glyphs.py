"""The glyphs of New Game: small pictures of its cards, shown in texts."""

from backroom.scene import Glyph
from backroom.scene.palette import INK
from backroom.scene.pieces import card, lettering

from .pieces import CARDS


def _card(number: int) -> Glyph:
    return Glyph(card(20, 26, f"<text {lettering(13, INK)}>{number}</text>"), (-11, -14, 22, 28))


GLYPHS = {f"card-{number}": _card(number) for number in range(1, CARDS + 1)}

"""The glyphs of Run: its dice, shown in texts."""

from backroom.scene import Glyph
from backroom.scene.pieces import PIPS, die

GLYPHS = {f"die-{number}": Glyph(die(number, 20), (-11, -11, 22, 23)) for number in PIPS}

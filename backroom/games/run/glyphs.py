"""The glyphs of Run: its dice, shown in texts, and the men of each seat."""

from backroom.scene import Glyph
from backroom.scene.pieces import PIPS, die, man

from .picture import MAN_FILL, MAN_LINE
from .rules import SEAT_NAMES

GLYPHS = {
    **{f"die-{number}": Glyph(die(number, 20), (-11, -11, 22, 23)) for number in PIPS},
    **{
        f"seat-{seat}": Glyph(man(10, MAN_FILL[seat], MAN_LINE[0], MAN_FILL[1 - seat]), (-12, -12, 24, 24))
        for seat in range(len(SEAT_NAMES))
    },
}

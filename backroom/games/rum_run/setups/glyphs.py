"""The glyphs of the editor: its texts need none."""

from backroom.scene import Glyph

GLYPHS: dict[str, Glyph] = {}

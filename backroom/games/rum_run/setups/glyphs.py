"""The small pictures of the editor among words: its words need none."""

from backroom.scene import Glyph

GLYPHS: dict[str, Glyph] = {}

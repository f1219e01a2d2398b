"""The small pictures of the puzzles among words: Rum Run's."""

from backroom.games.rum_run.glyphs import GLYPHS

__all__ = ["GLYPHS"]

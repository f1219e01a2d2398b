"""The glyphs of the puzzles, which are Rum Run's."""

from backroom.games.rum_run.glyphs import GLYPHS

__all__ = ["GLYPHS"]

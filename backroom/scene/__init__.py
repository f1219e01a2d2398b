"""Scenes: what a view looks like, as a flat list of pieces over a board, and the printers that show it."""

from backroom.scene.label import Glyph
from backroom.scene.scene import Board, Piece, Scene, Shape

__all__ = ["Board", "Glyph", "Piece", "Scene", "Shape"]

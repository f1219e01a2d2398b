"""Scenes: a view as a flat list of pieces over a board, and the renderers that show it."""

from backroom.scene.label import Glyph
from backroom.scene.scene import BOARD, HAND, PLAYERS, STATE, Board, Pane, Piece, Region, Scene, Shape

__all__ = ["BOARD", "HAND", "PLAYERS", "STATE", "Board", "Glyph", "Pane", "Piece", "Region", "Scene", "Shape"]

"""Rum Run Puzzles: six tokens, a barrel in the forest, and one shortest road to it."""

FORMER_NAMES = ("puzzle",)

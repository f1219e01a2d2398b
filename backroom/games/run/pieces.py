"""The components of Run: a ring of points, fifteen men a side, two dice."""

import numpy as np

MEN = 15
POINTS = 24
OFF = 25
"""The place of a man that has been borne off: one step past point 24 (§4.1: point 24 is worth 1)."""
PAST = 13
"""The runner's goal (§3.5), and the first point of the opponent's mother board (§1.2)."""
HOME = 19
"""The first point of a player's home board (§1.2)."""

# Sets of points are integers: bit 7 is point 7.
BITS = 32  # for a set of points
RING = sum(1 << point for point in range(1, POINTS + 1))
HALF = sum(1 << point for point in range(1, 13))
MOTHER = sum(1 << point for point in range(1, 7))
OUTSIDE_HOME = sum(1 << point for point in range(1, HOME))

ROLLS = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], np.int64)
"""The 21 rolls of two dice, the larger first."""
CHANCES = np.array([1 if a == b else 2 for a, b in ROLLS], np.int64)
"""How often each of the 21 rolls comes in 36."""
ROLLED = np.repeat(np.arange(len(ROLLS)), CHANCES)
"""Each of the 36 equally likely throws as one of the rolls."""
OPENINGS = np.array([(a, b) for a in range(1, 7) for b in range(1, 7) if a != b], np.int64)
"""The 30 opening rolls (§2.1): the die of seat 0, the die of seat 1."""

SINGLE = 1
"""In place of the number of points to play to: a single game, which is worth one or two (§5.2)."""
LENGTHS = np.array([SINGLE, 3, 5, 7], np.int64)
"""The possible lengths: a single game, or a match to a number of points (§5.2)."""

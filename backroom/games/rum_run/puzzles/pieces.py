"""The numbers that describe a puzzle to kernels, in this order."""

PLACINGS = 6
"""The number of tokens that are given and may be placed (§2.2)."""
LEAST_SIZE, MOST_SIZE = 4, 9
MOST_ROCKS = 10
MOST_LAID = 8
"""The most boulders, and the most tokens on the board at the start (§2.1)."""

SIZE, TOWN_NODE, BARREL, FEWEST, GIVEN = range(5)
ROCKS = GIVEN + 1
LAID = ROCKS + MOST_ROCKS  # three numbers a token: colour, node, face
NUMBERS = LAID + 3 * MOST_LAID
"""The length of the description; -1 stands for nothing."""

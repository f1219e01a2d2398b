"""What a puzzle is made of: the numbers that kernels are told of one, in this order."""

PLACINGS = 6
"""How many tokens are given, and may be placed (§2.2)."""
LEAST_SIZE, MOST_SIZE = 4, 9
MOST_ROCKS = 10
MOST_LAID = 8
"""No more boulders, and no more tokens that lie there already, are in a puzzle (§2.1)."""

SIZE, TOWN_NODE, BARREL, FEWEST, GIVEN = range(5)
ROCKS = GIVEN + 1
LAID = ROCKS + MOST_ROCKS  # three numbers a token: colour, node, face
NUMBERS = LAID + 3 * MOST_LAID
"""How many they are; -1 stands where there is nothing."""

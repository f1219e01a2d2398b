"""The components of Rummy Runners: sixty cards, twenty-four tiles of land, and the two ways to lay them out."""

import numpy as np

SUITS = ("suns", "moons", "arms", "crowns")
COLOURS = ("red", "yellow", "blue")
NUMBERS = 5
HAND = 6
"""The number of cards dealt to each player (§1.3)."""

# Cards are numbered by colour, then suit, then number; a set of cards is an integer, bit 7 is card 7. So the three
# colours of a suit and number are three bits twenty apart, and those of all suits and numbers are found at once.
CARDS = 60
PLANE = 20
ALL_CARDS = (1 << CARDS) - 1
SPACES_MASK = (1 << PLANE) - 1


def kind(numbers: range = range(5), suits: range = range(4), colours: range = range(3)) -> int:
    """The set of all cards of these numbers (0 to 4), suits and colours."""
    return sum(1 << PLANE * colour + 5 * suit + number for number in numbers for suit in suits for colour in colours)


KINDS = np.array(
    [
        *(kind(numbers=range(n, n + 1)) for n in range(5)),
        *(kind(suits=range(n, n + 1)) for n in range(4)),
        *(kind(colours=range(n, n + 1)) for n in range(3)),
    ],
    np.int64,
)
"""Sets of cards of one kind: by number, by suit, by colour."""
BY_NUMBER, BY_SUIT, BY_COLOUR, LAST_KIND = 0, 5, 9, 12
"""Where the numbers, suits and colours begin in KINDS, and where they end."""
LONGEST_SET = 20
"""A swatch of all cards of a colour."""

# Tiles: 0 to 19 like the cards of one colour, then the nulls of the four suits. A set of tiles is an integer too.
TILES = 24
NULL = 20
"""The first of the nulls."""
OF_SUIT = np.array([0b11111 << 5 * suit for suit in range(4)], np.int64)
"""The numbered tiles of each suit."""
ONES = np.array([bin(n).count("1") for n in range(32)], np.int64)
"""The number of bits that are set in five."""

# Where tiles can lie: column * CANVAS + row. Hexes have slanting columns: both count along sides of a hex. Each tile
# but the first two lies beside two others, so it adds at most two to the edge of the land, which for 24 tiles is at
# most 6 + 4 + 22 * 2 = 54. The edge is at least twice the sum of the widths in the three directions of a hex, and no
# width is more than the sum of the two others minus one. So no width is more than 13, and no tile lies more than 12
# columns or rows from the first, which lies in the middle.
CANVAS = 25
MIDDLE = 12 * CANVAS + 12
HEXES, SQUARES = 0, 1
FRAME = CANVAS + 1
"""The first square of the frame of 4 × 6 (§6); the canvas has a margin."""
COLUMNS, ROWS = 6, 4

DIRECTIONS = 8
STEPS = np.array(
    [
        [CANVAS, -CANVAS, 1, -1, CANVAS - 1, 1 - CANVAS, 0, 0],
        [CANVAS, -CANVAS, 1, -1, CANVAS + 1, -CANVAS - 1, CANVAS - 1, 1 - CANVAS],
    ],
    np.int64,
)
"""From a space to its neighbours, opposite directions in pairs; of squares the last four are corners. 0: none."""
FARTHEST = CANVAS + 1
"""The largest step to a neighbour."""
WAYS = np.array(
    [[row.index(n) if n and n in row else -1 for n in range(-FARTHEST, FARTHEST + 1)] for row in STEPS.tolist()],
    np.int64,
)
"""The direction of each step from -FARTHEST to FARTHEST; -1: to no neighbour."""
SIDES = np.array([6, 4], np.int64)
"""The number of directions in STEPS that connect groups: corners of squares do not."""

SPACES = np.array(
    [
        [
            MIDDLE + CANVAS * column + row
            for row, first, length in ((-2, -1, 4), (-1, -2, 5), (0, -3, 6), (1, -3, 5), (2, -3, 4))
            for column in range(first, first + length)
        ],
        [FRAME + CANVAS * column + row for row in range(ROWS) for column in range(COLUMNS)],
    ],
    np.int64,
)
"""The spaces of the land of §1.2 and of the rectangle of §6, in reading order."""

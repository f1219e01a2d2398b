"""What the editor works with: all that is in the box, the room it takes on a board, and a draft in numbers."""

import numpy as np

from backroom.games.rum_run.pieces import KINDS, MOST_FOG, MOST_OBSTACLES, OBSTACLE_CARD, OBSTACLE_SHAPE, OBSTACLES

# Things: the stills, the obstacle cards, the fog tokens, the Town Center.

FIRST_CARD = KINDS
FIRST_FOG = FIRST_CARD + MOST_OBSTACLES
TOWN = FIRST_FOG + MOST_FOG
THINGS = TOWN + 1

FACES = len(OBSTACLES)
FACES_OF = np.array(
    [[face for face, of in enumerate(OBSTACLE_CARD) if of == card] for card in sorted(set(OBSTACLE_CARD))], np.int64
)
"""The front and the back of each obstacle card."""

# Shapes: those of the obstacles' faces, then a still's, then a single node. Each can be turned by quarters.

SQUARE, SINGLE = FACES, FACES + 1
WIDEST = 3

_Cells = list[tuple[int, int]]


def _turned(cells: _Cells) -> _Cells:
    """A quarter clockwise, in the upper left corner again."""
    turned = [(column, -row) for row, column in cells]
    left = min(column for _, column in turned)
    return sorted((row, column - left) for row, column in turned)


def _ways(cells: _Cells) -> list[_Cells]:
    """How a shape can lie so that it looks different each time."""
    found = [sorted(cells)]
    while (turned := _turned(found[-1])) != found[0]:
        found.append(turned)
    return found


SHAPES = [_ways(list(shape)) for shape in (*OBSTACLE_SHAPE, ((0, 0), (0, 1), (1, 0), (1, 1)), ((0, 0),))]
"""The nodes of each shape, row and column from its upper left corner, for each way in which it can lie."""
WAYS = np.array([len(ways) for ways in SHAPES], np.int64)


def _measured(measure: object) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.array([[measure(ways[turn % len(ways)]) for turn in range(4)] for ways in SHAPES], np.int64)  # type: ignore[operator]


ROOM = _measured(lambda cells: sum(1 << (row * WIDEST + column) for row, column in cells))
"""The same as bits of a square of three by three."""
HIGH = _measured(lambda cells: 1 + max(row for row, _ in cells))
WIDE = _measured(lambda cells: 1 + max(column for _, column in cells))

# A draft as kernels are told it: the size, Forest Folk, events and objectives as sets; then of each thing the upper
# left node of its room (-1: in the box), how often it is turned, and whether its other side is up; then how many fog
# tokens of each kind are mixed.

DRAFT_THINGS = 4
DRAFT_MIXED = DRAFT_THINGS + 3 * THINGS

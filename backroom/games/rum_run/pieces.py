"""The components of Rum Run as tables: tokens and how they can lie, stills, obstacles, events, objectives."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

_DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("pieces.toml").read_text("utf-8"))

# The grid (§1.1). A node is row * 16 + column, on boards of any size; one more stands for all that is off the board.

SIDE = 16
LEAST_SIDE = 10
NODES = SIDE * SIDE
OFF = NODES
COLUMNS = "abcdefghijklmnop"

NORTH, EAST, SOUTH, WEST = range(4)
"""Directions; the opposite of one is `direction ^ 2`."""
DIRECTIONS = ("north", "east", "south", "west")
ARROWS = "^>v<"
DOWN = np.array([-1, 0, 1, 0], np.int64)
RIGHT = np.array([0, 1, 0, -1], np.int64)

# Colours (§1.2)

COLOURS = ("blue", "red", "orange", "purple")
BARRELS = 25

# Tokens (§1.2): 21 dominoes, then the Forest Folk *|1 to *|6 and *|*. A * is a 0 here.

PAIRS = [(a, b) for a in range(1, 7) for b in range(a, 7)] + [(0, n) for n in range(1, 7)] + [(0, 0)]
TOKENS = len(PAIRS)
STAR_STAR = TOKENS - 1
PLAIN = 21
"""How many tokens there are without the Forest Folk."""
ALL = (1 << TOKENS) - 1
STRENGTH = np.array([a + b for a, b in PAIRS], np.int64)
IS_DOUBLE = np.array([a == b for a, b in PAIRS], np.bool_)
DOUBLES = sum(1 << token for token in range(TOKENS) if IS_DOUBLE[token])
STRAIGHTS = ALL & ~DOUBLES
ANY = 7
"""What the Town Center and a paved road show: they take any number."""
FITS = np.array(
    [0, *(sum(1 << t for t, pair in enumerate(PAIRS) if number in pair or 0 in pair) for number in range(1, 7)), ALL],
    np.int64,
)
"""The tokens, as a set, that can show a number at one end."""
STRONGER = np.array([sum(1 << t for t in range(TOKENS) if STRENGTH[t] > strength) for strength in range(13)], np.int64)
"""The tokens, as a set, that break one of a strength (§4.5)."""

# Variants: a token with its near end first and its stars given numbers (§4.4). They stand in the order of tokens.


def _variants(token: int) -> list[tuple[int, int]]:
    a, b = PAIRS[token]
    if token == STAR_STAR:
        return [(number, number) for number in range(1, 7)]
    if a == 0:
        given = [number for number in range(1, 7) if number != b]
        return [(number, b) for number in given] + [(b, number) for number in given]
    return [(a, b)] if a == b else [(a, b), (b, a)]


_VARIANTS = [(token, near, far) for token in range(TOKENS) for near, far in _variants(token)]
VARIANTS = len(_VARIANTS)
VARIANT_TOKEN = np.array([token for token, _, _ in _VARIANTS], np.int64)
NEAR = np.array([near for _, near, _ in _VARIANTS], np.int64)
FAR = np.array([far for _, _, far in _VARIANTS], np.int64)
FIRST_VARIANT = np.array(
    [*(next(v for v, (t, _, _) in enumerate(_VARIANTS) if t == token) for token in range(TOKENS)), VARIANTS], np.int64
)
"""Where a token's variants begin; those of the next begin where they end."""


def _reversed(variant: int) -> int:
    """The same lying token, told from its other end."""
    token, near, far = _VARIANTS[variant]
    if PAIRS[token][0] == 0 and near != far:
        stars_first = near != PAIRS[token][1]
        return next(
            v
            for v, (t, n, f) in enumerate(_VARIANTS)
            if (t, n, f) == (token, far, near) and (n != PAIRS[token][1]) != stars_first
        )
    return _VARIANTS.index((token, far, near))


REVERSED = np.array([_reversed(variant) for variant in range(VARIANTS)], np.int64)

# Faces: how a token lies on a node: a variant whose first end faces north or west, or a double. 0: none.

_FACES = [
    (variant, direction)
    for variant in range(VARIANTS)
    for direction in ((NORTH,) if NEAR[variant] == FAR[variant] else (NORTH, WEST))
]
FACES = len(_FACES) + 1
FACE_VARIANT = np.array([0, *(variant for variant, _ in _FACES)], np.int64)
FACE_DIRECTION = np.array([0, *(direction for _, direction in _FACES)], np.int64)
FACE_TOKEN = np.array([0, *(VARIANT_TOKEN[variant] for variant, _ in _FACES)], np.int64)


def _arms(variant: int, direction: int) -> list[int]:
    near, far = int(NEAR[variant]), int(FAR[variant])
    if near == far:
        return [near] * 4
    return [near if d == direction else far if d == direction ^ 2 else 0 for d in range(4)]


ARMS = np.array([[0] * 4, *(_arms(*face) for face in _FACES)], np.int8)
"""The number that a face shows in each direction; 0: no arm."""


def _face_of(variant: int, direction: int) -> int:
    if NEAR[variant] == FAR[variant]:
        return _FACES.index((variant, NORTH)) + 1
    if direction in (NORTH, WEST):
        return _FACES.index((variant, direction)) + 1
    return _FACES.index((int(REVERSED[variant]), direction ^ 2)) + 1


FACE_OF = np.array([[_face_of(variant, d) for d in range(4)] for variant in range(VARIANTS)], np.int16)
"""The face of a variant whose near end faces a direction."""

# Stills (§1.5): eight places around, as (row, column) from the upper left node, and the way from there to the still.

STILLS = tuple(still["name"] for still in _DATA["still"])
KINDS = len(STILLS)
MOST_STILLS = 5
"""No more than five can be in one game: six hold more than the 25 barrels (§2.3)."""
MOST_TAPS = 4
MOST_SUPPLIES = 10
SUPPLY = np.array([(still["supply"] + [0] * MOST_TAPS)[:MOST_TAPS] for still in _DATA["still"]], np.int64)
HOLDS = SUPPLY.sum(1)
"""The barrels of each still."""
SUPPLIES = np.array([len(still["supply"]) for still in _DATA["still"]], np.int64)
TAPS = np.array([len(still["taps"]) for still in _DATA["still"]], np.int64)
FORT = STILLS.index("Fort Firewater")

_RING = ((-1, 0), (-1, 1), (0, 2), (1, 2), (2, 1), (2, 0), (1, -1), (0, -1))
"""The eight places clockwise from N1."""
_AROUND = ("N1", "N2", "E1", "E2", "S2", "S1", "W2", "W1")


def _tap(kind: int, turn: int, tap: int) -> tuple[int, int, int]:
    """Row and column from the upper left node, and the direction that faces the still."""
    taps = _DATA["still"][kind]["taps"]
    place = (_AROUND.index(taps[tap]) + 2 * turn) % 8 if tap < len(taps) else 0
    return *_RING[place], (SOUTH, WEST, NORTH, EAST)[place // 2]


TAP = np.array(
    [[[_tap(kind, turn, tap) for tap in range(MOST_TAPS)] for turn in range(4)] for kind in range(KINDS)], np.int8
)
"""For a still, a turning and a tap: row, column, direction."""

# Obstacles (§8)

OBSTACLES = tuple(face["name"] for face in _DATA["obstacle"])
OBSTACLE_CARD = tuple(int(face["card"]) for face in _DATA["obstacle"])
OBSTACLE_SHAPE = tuple(
    tuple((row, column) for row, line in enumerate(face["shape"]) for column, at in enumerate(line) if at == "#")
    for face in _DATA["obstacle"]
)
MOST_OBSTACLES = len(set(OBSTACLE_CARD))
MOST_BLOCKED = 4
"""No obstacle covers more nodes."""

# Fog (§9)

FOG = ("one barrel", "two barrels", "paved road", "mud", "bear trap")
FOG_BAG = (1, 1, 1, 2, 1)
"""How many there are of each."""
MOST_FOG = 6

# Events (§10)

EVENTS = tuple(event["name"] for event in _DATA["event"])
EVENT_SAYS = tuple(event["says"] for event in _DATA["event"])
(
    SUPERIOR_SCOTCH,
    ROSIES_DINER,
    NO_HONOR,
    RAMPARTS,
    LIGHTENING,
    WAGON,
    GRAVEYARD,
    MOONLIT_MILE,
    DYNAMITE,
    WASHOUT,
    SECOND_BATCH,
    STICKY_FINGERS,
    OPEN_SECRET,
    SAFE_PASSAGE,
    EVICTION,
    DOWNHILL,
    UNDERDOG,
    FRESH_RECRUITS,
) = range(len(EVENTS))
ALL_EVENTS = (1 << len(EVENTS)) - 1

# Objectives (§11)

OBJECTIVES = tuple(objective["name"] for objective in _DATA["objective"])
OBJECTIVE_SHORT = tuple(objective["short"] for objective in _DATA["objective"])
LEAST = np.array([objective["least"] for objective in _DATA["objective"]], np.int64)
REWARD = np.array([objective["reward"] for objective in _DATA["objective"]], np.int64)
(
    SCORED_ONE,
    AMBUSHER,
    WELL_CONNECTED,
    REGULAR_CUSTOMER,
    CROSSROADS,
    THROUGH_THE_STILL,
    ROAD_GANG,
    FOUR_CORNERS,
    LONGEST_ROAD,
    BROKE_MOST,
    BIGGEST_STASH,
    LANDLORD,
) = range(len(OBJECTIVES))
ALL_OBJECTIVES = (1 << len(OBJECTIVES)) - 1

# Winning (§7.1) and the barrels that make a winner certain (§2.3), by the number of seats; the last: two with four.

GOAL = np.array([0, 0, 8, 7, 6, 12], np.int64)
ENOUGH = np.array([0, 0, 15, 19, 21, 23], np.int64)
QUIET_ROUNDS = 20

# A setup (§2.1) as kernels are told it, in this order: size, Town Center, Forest Folk, events and objectives as sets,
# nodes with fog, four numbers a still (which, upper left node, turning, face up), five an obstacle (face, its nodes),
# how many of each kind of fog token are mixed.

SETUP_FOG = 5
SETUP_STILLS = SETUP_FOG + MOST_FOG
SETUP_OBSTACLES = SETUP_STILLS + 4 * MOST_STILLS
SETUP_MIXED = SETUP_OBSTACLES + (1 + MOST_BLOCKED) * MOST_OBSTACLES
SETUP_NUMBERS = SETUP_MIXED + len(FOG)

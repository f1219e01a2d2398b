"""The land: tiles laid by nature or placed by the players (§6), lines and groups (§5)."""

import numpy as np

from backroom.engine.kernel import UNKNOWN, kernel, lowest
from backroom.games.rummy_runners.pieces import (
    CANVAS,
    COLUMNS,
    DIRECTIONS,
    FARTHEST,
    FRAME,
    HEXES,
    MIDDLE,
    ROWS,
    SIDES,
    SPACES,
    STEPS,
    TILES,
    WAYS,
)

from .state import DEALING, PLACE, PLACING, pass_on


@kernel
def loose_tiles(s):
    """The tiles that are neither laid nor dealt out, as a set."""
    tiles = 0
    for tile in range(TILES):
        if s.spot[tile] == UNKNOWN:
            tiles |= 1 << tile
    return tiles & ~(s.tiles[0] | s.tiles[1] | s.tiles[2] | s.tiles[3])


@kernel
def lay_tile(s, tile, spot):
    """Put a tile on the land, and update its neighbours."""
    s.spot[tile] = spot
    for other in range(TILES):
        step = s.spot[other] - spot
        way = WAYS[s.land, step + FARTHEST] if -FARTHEST <= step <= FARTHEST else -1
        if way >= 0:
            s.near[tile, way] = other
            s.near[other, way ^ 1] = tile
    s.laid += 1


@kernel
def turn_tile(s, tile):
    """§1.2: nature lays the next tile, or deals it out in controlled zoning (§6)."""
    if s.zoning:
        s.tiles[s.turn] |= 1 << tile
        pass_on(s)
        if loose_tiles(s) == 0:
            s.stage = PLACING
            s.turn = s.first
        return
    lay_tile(s, tile, SPACES[s.land, s.laid])
    if s.laid == TILES:
        s.stage = DEALING


# §6, controlled zoning


@kernel
def spread_spaces(s):
    """Write to `work` the spaces where a tile may be placed: for each column, with a margin, its rows as a set."""
    s.work[:] = 0
    for tile in range(TILES):
        if s.spot[tile] != UNKNOWN:
            s.work[s.spot[tile] // CANVAS + 1] |= np.int64(1) << s.spot[tile] % CANVAS
    behind = np.int64(0)
    for column in range(1, CANVAS + 1):
        here, ahead = np.int64(s.work[column]), np.int64(s.work[column + 1])
        frame = np.int64(0)
        if s.land != HEXES and FRAME // CANVAS <= column - 1 < FRAME // CANVAS + COLUMNS:
            frame = np.int64(((1 << ROWS) - 1) << FRAME % CANVAS)
        if s.laid == 0:
            found = frame
            if s.land == HEXES and column - 1 == MIDDLE // CANVAS:
                found = np.int64(1 << MIDDLE % CANVAS)  # anywhere is the same
        else:
            one, two = here << 1, here << 1 & here >> 1
            one |= here >> 1
            two |= one & behind
            one |= behind
            two |= one & ahead
            one |= ahead
            two |= one & behind >> 1
            one |= behind >> 1
            two |= one & ahead << 1
            one |= ahead << 1
            if s.land != HEXES:
                two |= one & behind << 1
                one |= behind << 1
                two |= one & ahead >> 1
                one |= ahead >> 1
            found = (one if s.laid == 1 else two) & ~here
            if s.land != HEXES:
                found &= frame
        s.work[column] = found
        behind = here
    s.work[CANVAS + 1] = 0


@kernel
def placings(s, seat, out):
    """Each of the seat's tiles at each space: the first anywhere, the second beside it, others beside two."""
    spread_spaces(s)
    n = 0
    for tile in range(TILES):
        if s.tiles[seat] >> tile & 1:
            for column in range(CANVAS):
                rows = np.int64(s.work[column + 1])
                while rows:
                    out[n] = PLACE + (tile * CANVAS + column) * CANVAS + lowest(rows)
                    n += 1
                    rows &= rows - 1
    return n


@kernel
def tile_of(move):
    """The tile of a placing."""
    return (move - PLACE) // (CANVAS * CANVAS)


@kernel
def space_of(move):
    """The space of a placing."""
    return (move - PLACE) % (CANVAS * CANVAS)


@kernel
def place_tile(s, seat, move):
    """§6, controlled zoning: one tile each in turn; after the last the cards are dealt."""
    tile = tile_of(move)
    s.tiles[seat] &= ~(1 << tile)
    lay_tile(s, tile, space_of(move))
    pass_on(s)
    if s.laid == TILES:
        s.stage = DEALING
        s.turn = s.first


# §5.1 and §5.2


@kernel
def has_line(s, tiles):
    """§5.1: three adjacent in a straight line."""
    rest = tiles
    while rest:
        tile = lowest(rest)
        rest &= rest - 1
        for way in range(0, DIRECTIONS, 2):
            one, other = s.near[tile, way], s.near[tile, way + 1]
            if one >= 0 and other >= 0 and tiles >> one & 1 and tiles >> other & 1:
                return True
    return False


@kernel
def largest_group(s, tiles):
    """§5.2: the size of the largest connected group of these tiles."""
    most, rest = 0, np.int64(tiles)
    while rest:
        fresh = rest & -rest
        size = 0
        while fresh:
            tile = lowest(fresh)
            fresh &= fresh - 1
            rest &= ~(np.int64(1) << tile)
            size += 1
            for way in range(SIDES[s.land]):
                other = s.near[tile, way]
                if other >= 0:
                    fresh |= rest & (np.int64(1) << other)
        most = max(most, size)
    return most


@kernel
def land_is_whole(s):
    laid, tiles = 0, np.int64(0)
    for tile in range(TILES):
        if s.spot[tile] != UNKNOWN:
            laid += 1
        for way in range(DIRECTIONS):
            step, beside = STEPS[s.land, way], UNKNOWN
            for other in range(TILES):
                if step and s.spot[tile] != UNKNOWN and s.spot[other] == s.spot[tile] + step:
                    beside = other
            if s.near[tile, way] != beside:
                return False
        for other in range(tile):
            if s.spot[tile] != UNKNOWN and s.spot[tile] == s.spot[other]:
                return False
    for seat in range(s.seats):
        if tiles & s.owned[seat]:
            return False
        tiles |= s.owned[seat]
    return laid == s.laid and tiles & s.dead == 0 and s.locked & ~tiles == 0

"""The number of its own turns that a colour needs to score the barrels on its road, if nobody interferes.

A caravan that scores earns a free action (§6.5), so only caravans that do not score cost a turn. A road without forks
is a row of piles, and sowing them home (§6.1) is a solitaire small enough for a table: `hauls.npz` has, for every row
of up to six barrels within ten steps, the least number of caravans without a score before the first, the second…
barrel is scored. `tests/haul_table.py` computes it.

Roads that begin on different sides of the Town Center never meet, so their caravans add up. The turns are exact if no
road has a fork with barrels on both branches, or more or farther barrels than the table; else they are an estimate.
"""

from math import comb
from pathlib import Path

import numpy as np

from backroom.engine.kernel import kernel

from .rules.caravans import PLACES, place_in
from .rules.links import depth_of, link
from .rules.state import TOWN_AT, barrels_at, next_node, seat_of

with np.load(Path(__file__).with_name("hauls.npz")) as _kept:
    LEAST = _kept["least"]
"""Caravans without a score before each barrel.

The first half is for a Town Center where an opponent's road begins, onto which surplus barrels go; the second for one
where they stay beside it (§6.6).
"""
FAR, MOST, NEVER = 10, 6, 99
"""The most steps and the most barrels in the table, and its entry for barrels that are never scored."""
MOST_SCORED = 12
"""The most barrels that anybody needs to win (§7.1)."""
CHOOSE = np.array([[comb(n, k) for k in range(MOST + 1)] for n in range(FAR + MOST)], np.int64)
FIRST_ROW = np.array([comb(FAR + count - 1, count - 1) if count else 0 for count in range(MOST + 1)], np.int64)
"""The index of the first row for each number of barrels."""

PILES, CARAVANS, ARM = 0, 4 * FAR, 4 * FAR + MOST_SCORED + 1
"""Offsets in `work`: the piles of four roads; the caravans by the number of barrels scored; and those of one road."""


@kernel
def has_rival_at_town(s, seat):  # type: ignore[no-untyped-def]
    """Whether an opponent's road begins at the Town Center, onto which surplus barrels would go."""
    for colour in range(s.colours):
        if seat_of(s, colour) != seat:
            for side in range(4):
                if link(s, colour, TOWN_AT, side, s.keeper == colour) >= 0:
                    return True
    return False


@kernel
def nearer_place(s, colour, place):  # type: ignore[no-untyped-def]
    """The first neighbouring place that is a step nearer to the Town Center."""
    for side in range(4):
        found = link(s, colour, place, side, s.keeper == colour)
        if found >= 0 and depth_of(s, colour, found) == depth_of(s, colour, place) - 1:
            return found
    return TOWN_AT


@kernel
def road_of(s, colour, place):  # type: ignore[no-untyped-def]
    """The side of the Town Center on which the road to a joined place begins; the first of several."""
    while depth_of(s, colour, place) > 1:
        place = nearer_place(s, colour, place)
    for side in range(4):
        if next_node(s.town, side) == place:
            return side
    return 0


@kernel
def only_road(s, colour):  # type: ignore[no-untyped-def]
    """The side on which a colour's only road begins; -1 if it has none, or several."""
    found = -1
    for side in range(4):
        if link(s, colour, TOWN_AT, side, s.keeper == colour) >= 0:
            if found >= 0:
                return -1
            found = side
    return found


@kernel
def count_piles(s, colour):  # type: ignore[no-untyped-def]
    """Write the piles of each road to `work`, by their steps.

    Returns the number of barrels on roads, the number cut off, and the steps of the farthest barrel beyond the table.
    """
    s.work[PILES : PILES + 4 * FAR] = 0
    joined, cut_off, beyond, only = 0, 0, 0, -1
    for which in range(PLACES):
        place = place_in(s, colour, which)
        held = barrels_at(s, colour, place) if place >= 0 else 0
        if held == 0:
            continue
        steps = depth_of(s, colour, place)
        if steps == 0:
            cut_off += held
            continue
        if joined == 0:
            only = only_road(s, colour)
        joined += held
        beyond = max(beyond, steps - FAR)
        side = only if only >= 0 else road_of(s, colour, place)
        s.work[PILES + side * FAR + min(steps, FAR) - 1] += held
    return joined, cut_off, beyond


@kernel
def look_up(s, side, stays, beyond):  # type: ignore[no-untyped-def]
    """Write the caravans of one road to `work`; returns the number of its barrels that can be scored."""
    row, count, more = 0, 0, 0
    for steps in range(1, FAR + 1):
        held = int(s.work[PILES + side * FAR + steps - 1])
        for _ in range(held):
            if count == MOST:
                more += 1
            else:
                count += 1
                row += int(CHOOSE[steps + count - 2, count])
    s.work[ARM] = 0
    last = 0
    for k in range(count):
        last = int(LEAST[1 if stays else 0, FIRST_ROW[count] + row, k])
        if last == NEVER:
            return k
        if k == count - 1 and s.work[PILES + side * FAR + FAR - 1]:
            last += beyond
        s.work[ARM + k + 1] = last
    for k in range(count, min(count + more, MOST_SCORED)):
        last += 1
        s.work[ARM + k + 1] = last
    return min(count + more, MOST_SCORED)


@kernel
def count_caravans(s, colour):  # type: ignore[no-untyped-def]
    """Write the least number of caravans without a score before a colour has scored 1, 2, … barrels of its road.

    They are in `work` from `CARAVANS` on. Returns how many barrels can be scored, and how many are cut off.
    """
    joined, cut_off, beyond = count_piles(s, colour)
    if joined == 0:
        return 0, cut_off
    stays = not has_rival_at_town(s, seat_of(s, colour))
    s.work[CARAVANS] = 0
    found = 0
    for side in range(4):
        count = look_up(s, side, stays, beyond)
        if count == 0:
            continue
        most = min(found + count, MOST_SCORED)
        for k in range(most, 0, -1):
            best = NEVER
            for mine in range(max(0, k - found), min(count, k) + 1):
                best = min(best, int(s.work[CARAVANS + k - mine]) + int(s.work[ARM + mine]))
            s.work[CARAVANS + k] = best
        found = most
    return found, cut_off


@kernel
def turns_to_score(s, colour, barrels):  # type: ignore[no-untyped-def]
    """The least number of a colour's own turns to score `barrels` of those on its road; 0 if there are fewer."""
    found, _ = count_caravans(s, colour)
    return int(s.work[CARAVANS + barrels]) + 1 if 0 < barrels <= found else 0

"""Computes `hauls.npz`, by sowing every possible row of piles home in plain Python.

python -m backroom.games.rum_run.tests.haul_table        # writes the table
"""

import functools
import itertools
from math import comb
from pathlib import Path

import numpy as np

FAR, MOST, NEVER = 10, 6, 99


def sown(piles, steps, stays):
    """The row after a caravan from a distance in steps (§6.1), and whether a barrel was scored (§6.4).

    Surplus barrels stay on the first place, or go to an opponent (§6.6).
    """
    after = list(piles)
    load, after[steps - 1] = after[steps - 1], 0
    while load and steps > 1:
        steps -= 1
        after[steps - 1] += 1
        load -= 1
    if load > 1 and stays:
        after[0] += load - 1
    return tuple(after), load > 0


@functools.cache
def least(piles, wanted, is_free, stays):
    """The fewest caravans without a score before the wanted barrels are scored: one that scores earns another (§6.5).

    At the beginning of a turn, a pile with more barrels than steps must be moved (§6.8); a free action is not bound.
    """
    if wanted == 0:
        return 0
    held = [steps for steps in range(1, len(piles) + 1) if piles[steps - 1]]
    bound = [steps for steps in held if piles[steps - 1] > steps]
    found = NEVER
    for steps in held if is_free or not bound else bound:
        after, scores = sown(piles, steps, stays)
        if scores:
            found = min(found, least(after, wanted - 1, True, stays))
        else:
            found = min(found, 1 + least(after, wanted, False, stays))
    return found


def rows(count):
    """Every row of a number of barrels, in the order of the table: by the farthest, then the next…"""
    found = sorted(itertools.combinations_with_replacement(range(1, FAR + 1), count), key=lambda row: row[::-1])
    for place, row in enumerate(found):
        assert place == sum(comb(steps - 1 + i, i + 1) for i, steps in enumerate(row))
    return found


def table():
    """For both Town Centers, every row, and each barrel of it."""
    found = []
    for stays in (False, True):
        for count in range(MOST + 1):
            for row in rows(count):
                piles = tuple(row.count(steps) for steps in range(1, FAR + 1))
                found.append([least(piles, k, False, stays) if k <= count else NEVER for k in range(1, MOST + 1)])
    return np.minimum(np.array(found), NEVER).astype(np.uint8).reshape(2, -1, MOST)


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).parents[1] / "hauls.npz", least=table())

"""The features of Run for learners, its levels, and a handcrafted evaluation."""

import numpy as np

from backroom.engine.kernel import kernel

from .bearoff import tables
from .pieces import MEN, OFF, POINTS
from .rules import is_running, opposite

FEATURES = 2 * (POINTS * 4 + 3) + 6 + 1
WRITES_ALL = True
HALF = np.float32(0.5)

LEVELS = {
    "easy": ("plies", {"plies": 1, "blur": 0.6}),
    "medium": ("plies", {"plies": 1, "blur": 0.2}),
    "hard": ("plies", {"plies": 3, "width": 8, "margin": 0.1, "finalists": 4, "close": 0.02}),
}
"""All levels use the net; the lower ones search one ply, and underrate each ending by up to `blur`."""
TABLES = (("bearing off", tables),)


@kernel
def features(s, seat, out):
    """For the seat, then for the opponent: each point as 1, 2, 3 and more men; men off; points to go; whether the
    runner is still under way. Then how often each number of the dice is still to be played, and whether it is the
    seat's turn.
    """
    n = 0
    for side in range(2):
        who = seat if side == 0 else 1 - seat
        for point in range(1, OFF):
            men = s.men[who, point]
            for least in range(1, 4):
                out[n] = 1.0 if men >= least else 0.0
                n += 1
            out[n] = np.float32(max(men - 3, 0)) * HALF
            n += 1
        out[n] = s.men[who, OFF] / MEN
        out[n + 1] = pips(s, who) / (MEN * POINTS)
        out[n + 2] = 1.0 if is_running(s, who) else 0.0
        n += 3
    out[n : n + 6] = 0.0
    for die in range(2):
        if s.left[die]:
            out[n + s.dice[die] - 1] += s.left[die] / 2
    out[n + 6] = 1.0 if s.turn == seat and not s.opening else 0.0


@kernel
def pips(s, seat):
    """The number of points that the seat's men still have to go."""
    total = 0
    for point in range(1, OFF):
        total += (OFF - point) * s.men[seat, point]
    return total


@kernel
def hindrance(s, seat):
    """How much the seat's points block the opponent's stacks, by the points held of the six ahead of each stack."""
    total = 0.0
    for point in range(1, OFF):
        heap = min(s.men[1 - seat, point], 4) - 1
        if heap > 0:
            held = 0
            for ahead in range(point + 1, min(point + 7, OFF)):
                if s.men[seat, opposite(ahead)]:
                    held += 1
            total += heap * held * (held + 2.2)
    return total


@kernel
def standing(s, seat):
    """The evaluation of a seat's own men, in points to go, with weights found by hill climbing against random play."""
    total = -1.0 * pips(s, seat)
    for point in range(1, OFF):
        men = s.men[seat, point]
        if men > 1:
            total -= 1.3 * (men - 1)  # one man closes a point (§3.1); more on it are wasted
        if point < 7:
            total -= 3.3 * men  # men on the mother board can be blocked
    if is_running(s, seat):
        total -= 10.0
    return total + 16.0 * s.men[seat, OFF]


@kernel
def value(s, seat):
    """The probability that the seat wins this game, regardless of the match: the logistic of its lead in points.

    The scale was fitted to the results of games between greedy bots.
    """
    if s.men[seat, OFF] == MEN or s.men[1 - seat, OFF] == MEN:
        return 1.0 if s.men[seat, OFF] == MEN else 0.0
    mine = standing(s, seat) + 0.6 * hindrance(s, seat)
    theirs = standing(s, 1 - seat) + 0.6 * hindrance(s, 1 - seat)
    ahead = mine - theirs
    if not s.opening:
        ahead += 7.0 if s.turn == seat else -7.0
    return 1.0 / (1.0 + np.exp(-ahead / 40.0))

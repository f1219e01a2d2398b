"""What a player of Run looks at, and a first judgement by hand."""

import numpy as np

from backroom.engine.kernel import kernel

from .pieces import HOME, MEN, OFF, PAST, POINTS
from .rules import is_over, is_running, opposite

FEATURES = 2 * (POINTS * 4 + 3) + 1


@kernel
def features(s, seat, out):
    """For the seat, then for the opponent: each point as 1, 2, 3 and more men; off; to go; running. Then: on turn."""
    n = 0
    for side in range(2):
        who = seat if side == 0 else 1 - seat
        for point in range(1, OFF):
            men = s.men[who, point]
            for least in range(1, 4):
                out[n] = 1.0 if men >= least else 0.0
                n += 1
            out[n] = (men - 3) / 2 if men > 3 else 0.0
            n += 1
        out[n] = s.men[who, OFF] / MEN
        out[n + 1] = pips(s, who) / (MEN * POINTS)
        out[n + 2] = 1.0 if is_running(s, who) else 0.0
        n += 3
    out[n] = 1.0 if s.turn == seat else 0.0


@kernel
def pips(s, seat):
    """How many points the seat's men still have to go."""
    total = 0
    for point in range(1, OFF):
        total += (OFF - point) * s.men[seat, point]
    return total


@kernel
def hindrance(s, seat):
    """How much the seat's points stand in the way of the opponent's men: each weighed by what it blocks of each man."""
    total = 0.0
    for point in range(1, OFF):
        men = s.men[1 - seat, point]
        if men:
            row = 0
            for ahead in range(1, 7):
                if point + ahead < OFF and s.men[seat, opposite(point + ahead)]:
                    row += 1
            total += min(men, 3) * row * row
    return total


@kernel
def judged(s, seat):
    """What a seat has, without the other: little to go, an even front, its rear brought on, its home well used."""
    total = -1.0 * pips(s, seat)
    if is_running(s, seat):
        total -= 12.0
    for point in range(1, OFF):
        men = s.men[seat, point]
        if men > 1:
            total -= 0.35 * (men - 1)  # a point is closed by one man; more are wasted
    return total + 6.0 * s.men[seat, OFF]


@kernel
def value(s, seat):
    if is_over(s) or s.fresh:
        won = s.men[seat, OFF] == MEN
        return 1.0 if won else 0.0
    mine = judged(s, seat) + 0.9 * hindrance(s, seat)
    theirs = judged(s, 1 - seat) + 0.9 * hindrance(s, 1 - seat)
    ahead = mine - theirs + (4.0 if s.turn == seat else -4.0)
    return 1.0 / (1.0 + np.exp(-ahead / 25.0))

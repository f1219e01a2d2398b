"""Rum Run's judgement of November 2026, kept as an opponent: `LEVELS` and `value` as they were in `brain.py`.

It repeats `brain.py` on purpose: an opponent that others are measured by must not change with it. It reads the board
by the kernels of today's `hauls.py` and `reach.py`.
"""

import numpy as np

from backroom.engine.kernel import bit_count, kernel
from backroom.games.rum_run.hauls import CARAVANS, count_caravans
from backroom.games.rum_run.pieces import GOAL, QUIET_ROUNDS
from backroom.games.rum_run.reach import ground_of, in_danger, is_home_safe, threats_to, within_reach
from backroom.games.rum_run.rules.objectives import total
from backroom.games.rum_run.rules.state import seat_of

LEVELS = {
    "easy": ("rollouts", {"worlds": 0, "noise": 0.35}),
    "medium": ("rollouts", {"worlds": 1, "width": 6, "turns": 1, "noise": 0.2}),
    "hard": ("rollouts", {"worlds": 1, "width": 16, "turns": 1}),
}

# What things are worth, in barrels scored

IN_TURNS = 0.92 * 0.72 ** np.arange(128)
"""A barrel on the road, by the turns before the one that scores it, if nobody disturbs."""
WIN_IN_TURNS = 2.0 * 0.85 ** np.arange(128)
"""What it adds that the barrels on the road are enough to win, by the turns that it takes to score them."""
TAKEN, BEHIND = 0.45, 0.5
"""How much less a barrel is worth that an opponent can take next, or cut off."""
CUT_OFF, JOINED = 0.05, 0.2
"""A barrel on a piece cut off; and more if a token would join it, which fades by the tokens missing. It must be much
less than on the road, or nobody would mend it.
"""
TAPPED, STOLEN = 0.3, 0.15
"""A barrel that a still would load, which fades likewise; and one that the next token can take from an opponent."""
HOME = 0.4
"""A road that begins with a token nobody can break next."""
OTHERS = 0.3
"""How much counts of what others have on their roads. If it were all, players would but cut each other off."""
FIGHTS, TIRED = 80, 0.97
"""After FIGHTS broken tokens, each further one makes what is not scored worth less, by the factor TIRED."""


@kernel
def goal_of(s):
    """What wins (§7.1)."""
    return int(GOAL[s.seats if s.colours == s.seats else 5])


@kernel
def patience(s):
    """1; less when more tokens have been broken than in games that get on. Barrels stolen back and forth keep the end
    by §7.2 away, so players have to tire of it.
    """
    fights = -FIGHTS
    for seat in range(s.seats):
        fights += int(s.broken[seat])
    return TIRED**fights if fights > 0 else 1.0


@kernel
def on_the_way(s, colour, threats):
    """The worth of a colour's barrels that are not scored, by the turns that it takes to score them and what can happen
    to them before.
    """
    missing = goal_of(s) - total(s, seat_of(s, colour))
    count, cut_off = count_caravans(s, colour)
    found = CUT_OFF * cut_off
    for k in range(1, count + 1):
        found += IN_TURNS[s.work[CARAVANS + k]]
    if 0 < missing <= count:
        found += WIN_IN_TURNS[s.work[CARAVANS + missing]]
    taken, behind = in_danger(s, colour, threats)
    return found - TAKEN * taken - BEHIND * behind


@kernel
def prospects(s, colour, ground, threats):
    """The worth of what a colour's road can come to, and of a home that is safe."""
    tap, joined, loot = within_reach(s, colour, ground)
    home = HOME if is_home_safe(s, colour, threats) else 0.0
    return TAPPED * tap + JOINED * joined + STOLEN * loot + home


@kernel
def on_roads(s, seat):
    """The worth of what a seat has on its roads."""
    threats = threats_to(s, seat)
    found = 0.0
    for colour in range(seat, s.colours, s.seats):
        found += on_the_way(s, colour, threats)
    return found


@kernel
def outlook(s, seat):
    """The worth of what a seat's roads can come to."""
    threats, ground = threats_to(s, seat), ground_of(s)
    found = 0.0
    for colour in range(seat, s.colours, s.seats):
        found += prospects(s, colour, ground, threats)
    return found


@kernel
def value(s, seat):
    """The logistic of how far a seat is ahead of the best other, in barrels toward the goal. Who would not win by §7.2
    has the less, the nearer that end is; who would, goes on as before.
    """
    if s.over:
        return (int(s.winners) >> seat & 1) / bit_count(int(s.winners))
    calm = patience(s)
    mine, best, most = total(s, seat), -9.0, 0
    for other in range(s.seats):
        if other != seat:
            best = max(best, total(s, other) + OTHERS * calm * on_roads(s, other))
            most = max(most, total(s, other))
    ahead = mine + calm * (on_roads(s, seat) + outlook(s, seat)) - best
    found = 1.0 / (1.0 + np.exp(-8.0 * ahead / goal_of(s)))
    if mine > most:
        return found
    late = (s.quiet / (QUIET_ROUNDS * s.colours)) ** 2
    return (1.0 - late) * found + late * (0.5 if mine == most else 0.0)

"""The judgement of Booze Barons as it was in November 2026, before it was fitted to games."""

import numpy as np

from backroom.engine.kernel import kernel
from backroom.games.booze_barons.brain import from_a_look, there_for
from backroom.games.booze_barons.pieces import LOCATIONS, MOBS
from backroom.games.booze_barons.rules.reckoning import mob_coins, mob_result
from backroom.games.booze_barons.rules.state import (
    ACT,
    LOOK,
    MOVE,
    OVER,
    TAKE,
    UNDEALT,
    after,
    fitting,
    is_exposed,
    mob_of,
    size,
)


@kernel
def outlook(s, seat):
    """What a seat may hope for beyond its coins, in coins."""
    hope = 0.0
    if not is_exposed(s, seat):
        hope -= 1.5 / max(size(int(s.could[seat])), 1)  # who can be guessed will be
    if s.booze[seat] < 0:
        return hope
    if s.ask == MOVE:
        place = int(s.sealed[seat])
        if 0 <= place < LOCATIONS:
            hope += there_for(s, seat, place)
    elif s.ask == ACT:
        if after(s, seat, -int(s.turn)) < s.seats - s.acted:
            hope += 0.7 * there_for(s, seat, int(s.pawn[seat]))
    elif s.ask == LOOK and s.turn == seat:
        hope += from_a_look(s, seat)
    elif s.ask == TAKE and s.mark == seat and fitting(s, seat, s.among):
        hope += 0.9
    return hope


@kernel
def standing(s, mob):
    """What a mob has and may hope for."""
    members, hope = 0, 0.0
    for seat in range(s.seats):
        if mob_of(s, seat) == mob:
            members += 1
            hope += outlook(s, seat)
    doubled = members == 1 and (s.seats == 4 or s.seats == 5)  # §8.2
    return mob_coins(s, mob) + (2 * hope if doubled else hope)


@kernel
def value(s, seat):
    """The logistic of how many coins the seat's mob is ahead of the best other."""
    if s.booze[seat] < 0 or s.booze[s.seats - 1] == UNDEALT:
        return 0.5
    mine, best, equal = mob_of(s, seat), -1e9, 1
    if s.ask == OVER:
        for mob in range(MOBS):
            if mob != mine:
                best = max(best, mob_result(s, mob))
                equal += int(mob_result(s, mob) == mob_result(s, mine))
        return 0.0 if best > mob_result(s, mine) else 1.0 / equal
    for mob in range(MOBS):
        if mob != mine:
            best = max(best, standing(s, mob))
    return 1.0 / (1.0 + np.exp((best - standing(s, mine)) / 4.0))

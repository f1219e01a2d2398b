"""A handcrafted evaluation of a position."""

import numpy as np

from backroom.engine.kernel import bit_count, kernel
from backroom.games.booze_barons.pieces import (
    CASINO,
    LOCATIONS,
    MOBS,
)
from backroom.games.booze_barons.rules.reckoning import mob_coins, mob_result
from backroom.games.booze_barons.rules.state import (
    ACT,
    LOOK,
    MOVE,
    OVER,
    TAKE,
    UNDEALT,
    after,
    can_be_exposed,
    fitting,
    is_exposed,
    mob_of,
    stealable,
    unexposed,
)


@kernel
def outlook(s, seat):
    """The expected gain of a seat beyond its coins, in coins."""
    hope = 0.0
    if not is_exposed(s, seat):
        hope -= 1.5 / max(bit_count(int(s.could[seat])), 1)  # the fewer boozes are possible, the sooner it is guessed
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
def there_for(s, seat, place):
    """The expected gain at a location: a delivery, and more if there is a choice."""
    fits = bit_count(fitting(s, seat, s.lying[place]))
    hope = 0.9 + 0.05 * fits if fits else 0.0
    if place == CASINO and s.deck >= 3:
        hope = max(hope, 1.3)
    return hope


@kernel
def from_a_look(s, seat):
    """§4.3: the expected gain of a look: a delivery to steal, or a booze to guess."""
    other = int(s.mark)
    hope = 0.9 if stealable(s, seat, other) else 0.0
    if can_be_exposed(s, other):
        hope = max(hope, 3.0 / max(bit_count(int(s.could[other])), 1))
    return hope


@kernel
def standing(s, mob):
    """The coins of a mob and its expected gain."""
    members, hope = 0, 0.0
    for seat in range(s.seats):
        if mob_of(s, seat) == mob:
            members += 1
            hope += outlook(s, seat)
    doubled = members == 1 and (s.seats == 4 or s.seats == 5)  # §8.2
    return mob_coins(s, mob) + (2 * hope if doubled else hope)


@kernel
def may_end(s):
    """§5.3, §5.4: whether the game can end with the action that is due: the last of a round, if few are unexposed or
    the deck runs out.
    """
    is_last = (s.ask == ACT or s.ask == LOOK or s.ask == TAKE) and s.acted + 1 == s.seats
    return is_last and (unexposed(s) <= 2 or s.deck <= s.seats)


@kernel
def value(s, seat):
    """The logistic of the lead of the seat's mob over the best other, in coins, as a share of a win that is shared with
    the mates.
    """
    if s.booze[seat] < 0 or s.booze[s.seats - 1] == UNDEALT:
        return 0.5
    mine, best, winners = mob_of(s, seat), -1e9, members(s, mob_of(s, seat))
    if s.ask == OVER:
        for mob in range(MOBS):
            if mob != mine:
                best = max(best, mob_result(s, mob))
                winners += members(s, mob) if mob_result(s, mob) == mob_result(s, mine) else 0
        return 0.0 if best > mob_result(s, mine) else share_of(winners, int(s.seats))
    for mob in range(MOBS):
        if mob != mine:
            best = max(best, standing(s, mob))
    return share_of(winners, int(s.seats)) / (1.0 + np.exp((best - standing(s, mine)) / 4.0))


@kernel
def members(s, mob):
    """The number of seats of a mob, as far as boozes are known."""
    n = 0
    for seat in range(s.seats):
        if s.booze[seat] >= 0 and mob_of(s, seat) == mob:
            n += 1
    return n


@kernel
def share_of(winners, seats):
    """What a win is worth to each of several winners: 1 for one, a half if all seats win."""
    return 1.0 - 0.5 * (winners - 1) / (seats - 1)

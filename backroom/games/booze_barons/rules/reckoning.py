"""Exposure and coins: each seat's coins, and who wins."""

from backroom.engine.kernel import bit_count, kernel
from backroom.games.booze_barons.pieces import LOCATIONS

from .state import NOBODY, has_snitch, is_exposed, mob_of

CARD_COINS = 2
"""§8.1: what a movement card is worth."""
NEVER = 99
"""The round of an exposure that has not happened (§8.3): later than any round."""


@kernel
def expose(s, seat, captor):
    """§4.3, §5.3: the seat shows its booze and loses the movement card of its location, to a captor or to NOBODY."""
    s.exposed |= 1 << seat
    s.could[seat] = 1 << int(s.booze[seat])
    s.when[seat] = s.rounds
    s.lost[seat] = s.pawn[seat]
    s.captor[seat] = captor
    tokens = 2 if s.seats >= 7 else 1
    if captor != NOBODY and bit_count(int(s.snitches)) < tokens:  # §4.6
        s.snitches |= 1 << captor


@kernel
def captured(s, seat):
    """The number of movement cards of others that a seat has."""
    n = 0
    for other in range(s.seats):
        if s.captor[other] == seat:
            n += 1
    return n


@kernel
def coins_seen(s, seat):
    """§5.3: the coins that everybody can see."""
    own = LOCATIONS - 1 if is_exposed(s, seat) else LOCATIONS
    return bit_count(s.held[seat]) + int(has_snitch(s, seat)) + CARD_COINS * (own + captured(s, seat))


@kernel
def coins(s, seat):
    """§8.1: a seat's coins; a card captured from its own mob counts minus two instead of plus two."""
    total = coins_seen(s, seat)
    for other in range(s.seats):
        if s.captor[other] == seat and mob_of(s, other) == mob_of(s, seat):
            total -= 2 * CARD_COINS
    return total


@kernel
def expose_the_poorest(s):
    """§5.3: expose all of the unexposed with the fewest coins."""
    fewest, poor = 1 << 20, 0
    for seat in range(s.seats):
        if not is_exposed(s, seat):
            has = coins_seen(s, seat)
            if has < fewest:
                fewest, poor = has, 0
            if has == fewest:
                poor |= 1 << seat
    for seat in range(s.seats):
        if poor >> seat & 1:
            expose(s, seat, NOBODY)


@kernel
def mob_coins(s, mob):
    """§8.2: the coins of a mob."""
    total, members, most, least = 0, 0, -1000, 1000
    for seat in range(s.seats):
        if mob_of(s, seat) == mob:
            own = coins(s, seat)
            total += own
            members += 1
            most = max(most, own)
            least = min(least, own)
    if members == 1 and (s.seats == 4 or s.seats == 5):
        return 2 * total
    if members == 3 and (s.seats == 7 or s.seats == 8):
        return most + least
    return total


@kernel
def opponents_exposed(s, mob):
    """§8.3: the number of opponents that were exposed by guesses of a mob's members."""
    n = 0
    for seat in range(s.seats):
        captor = int(s.captor[seat])
        if captor != NOBODY and mob_of(s, captor) == mob and mob_of(s, seat) != mob:
            n += 1
    return n


@kernel
def last_exposed(s, mob):
    """§8.3: the round in which the last member of a mob was exposed."""
    last = 0
    for seat in range(s.seats):
        if mob_of(s, seat) == mob:
            last = max(last, int(s.when[seat]) if is_exposed(s, seat) else NEVER)
    return last


@kernel
def mob_result(s, mob):
    """§8.3: a mob's coins. Its exposures and its last member's round break ties: they count as fractions of a coin."""
    return mob_coins(s, mob) + opponents_exposed(s, mob) / 16 + last_exposed(s, mob) / 4096


@kernel
def score(s, out):
    """§8: each seat has the result of its mob."""
    for seat in range(s.seats):
        out[seat] = mob_result(s, mob_of(s, seat))

"""Booze Barons for bots: who carries what, by all that a seat knows; exactly, and estimated for rollouts."""

import numpy as np

from backroom.engine.kernel import UNKNOWN, below, bit_count, kernel, lowest
from backroom.games.booze_barons.pieces import BOOZES, IN_MOB, MOBS, MOST_SEATS
from backroom.games.booze_barons.rules.secrets import are_fair, possible
from backroom.games.booze_barons.rules.state import is_exposed, mob_of

SETS = 1 << BOOZES
NO_ODDS = np.zeros(0)
"""Stands for the posterior where probabilities are only estimated."""


EVEN = np.ones(MOST_SEATS * BOOZES)
"""The weights of `posterior` if all deals that fit are as likely."""


@kernel
def posterior(s, seat, weights, ways, out):
    """§2.1: the probability that each seat has each booze, given all that a seat knows. `out` gets BOOZES numbers for
    each seat, and so has `weights`: how well each booze explains what that seat did. Returns the sum of the weights of
    consistent deals.

    `ways` is scratch space of twice SETS numbers. For a set `used` of k boozes, `ways[0, used]` is the sum of ways to
    deal it to the first k seats, and `ways[1, used]` that of ways to deal other boozes to the other seats.
    """
    seats = int(s.seats)
    ways[:, :] = 0
    ways[0, 0] = 1
    for used in range(SETS):
        dealt = bit_count(used)
        if dealt < seats and ways[0, used]:
            free = possible(s, seat, dealt) & ~used
            while free:
                ways[0, used | free & -free] += ways[0, used] * weights[dealt * BOOZES + lowest(free)]
                free &= free - 1
    for used in range(SETS - 1, -1, -1):
        dealt = bit_count(used)
        if dealt == seats and are_fair(bit_count(used & 15), bit_count(used >> 4 & 15), bit_count(used >> 8)):
            ways[1, used] = 1
        elif dealt < seats:
            free = possible(s, seat, dealt) & ~used
            while free:
                ways[1, used] += ways[1, used | free & -free] * weights[dealt * BOOZES + lowest(free)]
                free &= free - 1
    total = ways[1, 0]
    out[: MOST_SEATS * BOOZES] = 0
    for used in range(SETS):
        dealt = bit_count(used)
        if dealt < seats and ways[0, used]:
            free = possible(s, seat, dealt) & ~used
            while free:
                at = dealt * BOOZES + lowest(free)
                out[at] += ways[0, used] * weights[at] * ways[1, used | free & -free] / total
                free &= free - 1
    return total


@kernel
def deal_by_odds(s, seat, weights, ways, dice):
    """§2.1: in a view, give each seat a random booze, by the odds of `posterior`, which has filled `ways`."""
    used = 0
    for other in range(s.seats):
        at = ways[1, used] * (below(dice, 1 << 30) + 0.5) / (1 << 30)
        free, booze = possible(s, seat, other) & ~used, -1
        while free and at >= 0.0:
            each = lowest(free)
            free &= free - 1
            some = ways[1, used | 1 << each] * weights[other * BOOZES + each]
            if some > 0.0:
                booze = each
                at -= some
        used |= 1 << booze
        s.work[other] = booze
    for other in range(s.seats):
        if s.booze[other] == UNKNOWN:
            s.booze[other] = s.work[other]
        s.work[other] = 0


@kernel
def taken(s, seat):
    """The boozes that no unexposed rival can have, as the seat knows: its own, those of exposed seats, and all of a mob
    that is complete (§2.2).
    """
    known = 1 << int(s.booze[seat])
    for other in range(s.seats):
        if is_exposed(s, other):
            known |= 1 << int(s.booze[other])
    least, over = int(s.seats) // MOBS, int(s.seats) % MOBS
    for mob in range(MOBS):
        over -= int(bit_count(known >> mob * IN_MOB & 15) > least)
    found = known
    for mob in range(MOBS):
        members = bit_count(known >> mob * IN_MOB & 15)
        if members > least or (members == least and over == 0):
            found |= 15 << mob * IN_MOB
    return found


@kernel
def estimate(s, seat, other, named):
    """The estimated probability that another seat carries the booze `named`; if that is below 0, that of the likeliest
    booze outside the seat's own mob. Seats are treated as nearly independent, unlike in `posterior`.
    """
    if named >= 0 and not int(s.could[other]) >> named & 1:
        return 0.0
    out, mine = taken(s, seat), mob_of(s, seat)
    total, best = 0.0, 0.0
    left = int(s.could[other]) & ~out
    while left:
        booze = lowest(left)
        left &= left - 1
        odds = 1.0
        for third in range(s.seats):
            if third != seat and third != other and int(s.could[third]) >> booze & 1:
                odds *= 1.0 - 1.0 / bit_count(int(s.could[third]) & ~out)
        total += odds
        if named == booze or (named < 0 and booze // IN_MOB != mine):
            best = max(best, odds)
    return best / total if total > 0.0 else 0.0


@kernel
def are_mates(s, seat, other):
    """Whether the seat knows that another is of its own mob."""
    return is_exposed(s, other) and mob_of(s, seat) == mob_of(s, other)


@kernel
def chance(s, seat, other, named, odds):
    """The probability that a guess is right, or that of the best guess if `named` is below 0: by the posterior `odds`,
    or estimated if these are empty. The best guess is never of one's own mob (§8.1).
    """
    if len(odds) == 0:
        return estimate(s, seat, other, named)
    if named >= 0:
        return odds[other * BOOZES + named]
    best = 0.0
    for booze in range(BOOZES):
        if booze // IN_MOB != mob_of(s, seat):
            best = max(best, odds[other * BOOZES + booze])
    return best

"""Booze Barons for bots: what the places where others went tell of what they carry.

A seat goes where it finds something for its booze, more often than not. How well each booze explains where another went
is computed from the ratings of locations, for the view before the choice, and kept in the bot's memory.
"""

import numpy as np

from backroom.engine.kernel import kernel
from backroom.games.booze_barons.pieces import BOOZES, LOCATIONS, MOST_SEATS
from backroom.games.booze_barons.rules.state import MOVE, is_exposed, open_places

from .inference import NO_ODDS, SETS, deal_by_odds
from .ratings import HEAT, PLAIN, TERMS, worth_of_a_place

WHEN = MOST_SEATS * BOOZES
LYING = WHEN + 1
STOOD = LYING + LOCATIONS
"""What a memory has: the logarithm of the weight of each booze for each seat; the round in which the seat chose where
to go, until the choices of the others are known; the deliveries, and where each seat was and what it could carry then.
"""
SLIP = 0.15
"""How often a seat goes anywhere, by reasons that ratings do not know."""
COUNTS = (4, SETS)
"""The shape of the scratch space for `rate_moves`: the `ways` of `posterior`, its result, and its weights."""


@kernel
def likelihood(s, seat, place, t, heat):
    """The probability that a seat goes to a location: a softmax of its ratings."""
    own = worth_of_a_place(s, seat, place, NO_ODDS, t)
    total = 0.0
    for other in range(LOCATIONS):
        if open_places(s, seat) >> other & 1:
            total += np.exp(min((worth_of_a_place(s, seat, other, NO_ODDS, t) - own) / heat, 50.0))
    return 1.0 / total


@kernel
def explain(s, seat, place, weights):
    """Weigh each booze by how well it explains that a seat goes to a location. Half of the others are thought to know
    these ratings, half to go by plain ones.
    """
    carried, heat, most = s.booze[seat], TERMS[s.seats, HEAT], -1e9
    for booze in range(BOOZES):
        if int(s.could[seat]) >> booze & 1:
            s.booze[seat] = booze
            p = 0.5 * likelihood(s, seat, place, TERMS[s.seats], heat) + 0.5 * likelihood(s, seat, place, PLAIN, heat)
            weights[booze] += np.log(SLIP / LOCATIONS + (1.0 - SLIP) * p)
            most = max(most, weights[booze])
    for booze in range(BOOZES):
        weights[booze] -= most
    s.booze[seat] = carried


@kernel
def observe(v, seat, learned, recall, spare, counts):
    """Learn from a view where the others went, and write weights of boozes to `counts[3]`, to the power of `recall`.
    If that is 0, nothing is learned.
    """
    if recall > 0.0 and v.ask == MOVE:
        learned[WHEN] = v.rounds
        for place in range(LOCATIONS):
            learned[LYING + place] = v.lying[place]
        for other in range(v.seats):
            learned[STOOD + other] = int(v.could[other]) * 8 + int(v.pawn[other])
    elif recall > 0.0 and learned[WHEN] == v.rounds:
        learned[WHEN] = 0
        spare[0] = v
        s = spare[0]
        s.ask = MOVE
        for place in range(LOCATIONS):
            s.lying[place] = np.int64(learned[LYING + place])
        for other in range(v.seats):
            s.could[other] = np.int64(learned[STOOD + other]) // 8
            s.pawn[other] = np.int64(learned[STOOD + other]) % 8
        for other in range(v.seats):
            if other != seat and not is_exposed(v, other):
                explain(s, other, int(v.pawn[other]), learned[other * BOOZES : (other + 1) * BOOZES])
    for i in range(MOST_SEATS * BOOZES):
        counts[3, i] = np.exp(recall * learned[i])


@kernel
def presume(s, seat, dice, counts):
    """Before a world is imagined: give each seat a random booze, by the odds with which its moves were rated."""
    if counts[1, 0] > 0.0:
        deal_by_odds(s, seat, counts[3], counts[:2], dice)

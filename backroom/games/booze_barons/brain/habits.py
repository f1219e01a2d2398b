"""Booze Barons for bots: what others did tells what they carry.

A seat goes where it finds something for its booze, more often than not: how well each booze explains where another went
is computed from the ratings of locations, for the view before the choice. And nobody wants to expose a mate (§8.1): who
names a booze is of another mob. Both are kept in the bot's memory, from one decision of its seat to the next.
"""

import numpy as np

from backroom.engine.kernel import bit_count, kernel, lowest
from backroom.games.booze_barons.pieces import ANY_BOOZE, BOOZES, CLUB, IN_MOB, LOCATIONS, MOST_SEATS, PETES
from backroom.games.booze_barons.rules.state import (
    LOOK,
    MOVE,
    NOBODY,
    after,
    are_neighbours,
    is_b,
    is_exposed,
    open_places,
)

from .inference import NO_ODDS, SETS, deal_by_odds
from .ratings import HEAT, PLAIN, TERMS, worth_of_a_place

WHEN = MOST_SEATS * BOOZES
"""A memory begins with the logarithm of the weight of each booze for each seat. Here it has the round in which the seat
chose where to go, until the choices of the others are known.
"""
LYING = WHEN + 1
"""The deliveries at each location when the seat chose."""
STOOD = LYING + LOCATIONS
"""Where each seat was then (three bits), and what it could carry."""
SEEN = STOOD + MOST_SEATS
"""For each seat, at the last decision: the boozes that were named wrongly (twelve bits), whether it was exposed (one
bit), and how many deliveries it had.
"""
ACTED = SEEN + MOST_SEATS
"""The round of the last decision, times 16, and how many seats had acted in it."""
SLIP = 0.15
"""How often a seat goes anywhere, by reasons that ratings do not know."""
NAMED = 0.04
"""How likely a booze of one's own mob is named, compared with another."""
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
def has_acted_since(v, other, learned):
    """Whether another seat has acted since the last decision."""
    rounds, acted = int(learned[ACTED]) // 16, int(learned[ACTED]) % 16
    if rounds == v.rounds:
        return acted <= after(v, other, -int(v.baron)) < v.acted
    return rounds == v.rounds - 1 and acted <= after(v, other, 1 - int(v.baron))  # the token went left (§5.1)


@kernel
def may_have_named(v, seat, other, target, learned):
    """Whether a seat may have guessed wrong since the last decision, by all that can be seen: it acted where the target
    was or by an event, and gained nothing.
    """
    if other in (seat, target) or not has_acted_since(v, other, learned):
        return False
    if bit_count(v.held[other]) > int(learned[SEEN + other]) >> 13:
        return False
    here, there = int(v.pawn[other]), int(v.pawn[target])
    if here == there:
        return True
    if here == CLUB:
        return after(v, other, -1 if is_b(v, CLUB) else 1) == target
    return here == PETES and is_b(v, PETES) and are_neighbours(here, there)


@kernel
def count_against(learned, other, booze, p):
    """A seat has named a booze with probability p: so it hardly carries one of the same mob."""
    first = other * BOOZES + booze // IN_MOB * IN_MOB
    for at in range(first, first + IN_MOB):
        learned[at] += np.log(1.0 - p + p * NAMED)


@kernel
def learn_from_names(v, seat, learned):
    """§4.3: find out who has named what since the last decision."""
    for target in range(v.seats if learned[ACTED] > 0.0 else 0):
        was = int(learned[SEEN + target])
        captor = int(v.captor[target])
        if is_exposed(v, target) and not was >> 12 & 1 and captor not in (NOBODY, seat):
            count_against(learned, captor, int(v.booze[target]), 1.0)
        named = int(v.denied[target]) & ~was
        while named:
            booze = lowest(named)
            named &= named - 1
            suspects = 0
            for other in range(v.seats):
                suspects += 1 if may_have_named(v, seat, other, target, learned) else 0
            for other in range(v.seats):
                if may_have_named(v, seat, other, target, learned):
                    count_against(learned, other, booze, 1.0 / suspects)
    for other in range(v.seats):
        learned[SEEN + other] = int(v.denied[other]) | int(is_exposed(v, other)) << 12 | bit_count(v.held[other]) << 13
    if v.ask == LOOK and v.turn == seat:  # what the seat itself names tells it nothing
        learned[SEEN + int(v.mark)] = int(learned[SEEN + int(v.mark)]) | ANY_BOOZE
    learned[ACTED] = int(v.rounds) * 16 + int(v.acted)


@kernel
def learn_from_places(v, seat, learned, spare):
    """§3.1: when the seat chooses where to go, note what it sees; when all choices are known, explain the others'."""
    if v.ask == MOVE:
        learned[WHEN] = v.rounds
        for place in range(LOCATIONS):
            learned[LYING + place] = v.lying[place]
        for other in range(v.seats):
            learned[STOOD + other] = int(v.could[other]) * 8 + int(v.pawn[other])
    elif learned[WHEN] == v.rounds:
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


@kernel
def observe(v, seat, learned, recall, spare, counts):
    """Learn from a view, and write weights of boozes to `counts[3]`, to the power of `recall`; if that is 0, nothing is
    learned.
    """
    if recall > 0.0:
        learn_from_names(v, seat, learned)
        learn_from_places(v, seat, learned, spare)
    for i in range(MOST_SEATS * BOOZES):
        counts[3, i] = np.exp(recall * learned[i])


@kernel
def presume(s, seat, dice, counts):
    """Before a world is imagined: give each seat a random booze, by the odds with which its moves were rated."""
    if counts[1, 0] > 0.0:
        deal_by_odds(s, seat, counts[3], counts[:2], dice)

"""What learners see: features of a view, and insights for policies."""

import numpy as np

from backroom.engine.kernel import bit_count, kernel, lowest
from backroom.games.booze_barons.pieces import (
    BOOZES,
    CARDS,
    LOCATIONS,
    MOST_SEATS,
)
from backroom.games.booze_barons.rules.reckoning import coins_seen
from backroom.games.booze_barons.rules.state import (
    ACT,
    LOOK,
    NOWHERE,
    OVER,
    TAKE,
    after,
    can_be_exposed,
    fitting,
    has_snitch,
    is_exposed,
    stealable,
)

from .inference import NO_ODDS, are_mates, estimate, taken
from .ratings import EXPOSING, PLAIN, worth_of_a_card, worth_of_a_look, worth_of_a_place

EACH = 11 + 2 * LOCATIONS + BOOZES
FEATURES = 2 * BOOZES + LOCATIONS + 4 + MOST_SEATS * EACH


@kernel
def features(s, seat, out):
    """The seat's booze; the deliveries that fit it at each location; the round, the deck, whether the seat is to act,
    and whether the game is over; if a player was looked at, the boozes that he can carry. Then for each seat from this
    one on: present, exposed, coins, deliveries, snitch, Baron, whether it has acted and whether it is asked about, what
    can be stolen from it, how few boozes it can carry, whether it is a known mate, its location, the one closed to it,
    and those boozes.
    """
    booze, known = int(s.booze[seat]), 0
    if 0 <= booze < BOOZES:
        known = taken(s, seat)
        out[booze] = 1.0
        for place in range(LOCATIONS):
            out[BOOZES + place] = bit_count(fitting(s, seat, s.lying[place])) / 4
    n = BOOZES + LOCATIONS
    out[n] = s.rounds / 16
    out[n + 1] = s.deck / 27
    out[n + 2] = 1.0 if s.ask == ACT and s.turn == seat else 0.0
    out[n + 3] = 1.0 if s.ask == OVER else 0.0
    n += 4
    if s.ask == LOOK and s.turn == seat and not is_exposed(s, s.mark):
        left = int(s.could[s.mark]) & ~known
        each = 1.0 / max(bit_count(left), 1)
        while left:
            out[n + lowest(left)] = each
            left &= left - 1
    n += BOOZES
    for steps in range(s.seats):
        other = after(s, seat, steps)
        is_out = is_exposed(s, other)
        out[n] = 1.0
        out[n + 1] = 1.0 if is_out else 0.0
        out[n + 2] = coins_seen(s, other) / 24
        out[n + 3] = bit_count(s.held[other]) / 8
        out[n + 4] = 1.0 if has_snitch(s, other) else 0.0
        out[n + 5] = 1.0 if s.baron == other else 0.0
        out[n + 6] = 1.0 if after(s, other, -int(s.baron)) < s.acted else 0.0
        out[n + 7] = 1.0 if (s.ask == LOOK or s.ask == TAKE) and s.mark == other else 0.0
        if 0 <= booze < BOOZES and steps:
            out[n + 8] = bit_count(stealable(s, seat, other)) / 4
        could = int(s.could[other])
        if not is_out:
            out[n + 9] = 1.0 / max(bit_count(could & ~known if steps else could), 1)
        out[n + 10] = 1.0 if steps and are_mates(s, seat, other) else 0.0
        if s.pawn[other] != NOWHERE:
            out[n + 11 + int(s.pawn[other])] = 1.0
        if s.lost[other] != NOWHERE:
            out[n + 11 + LOCATIONS + int(s.lost[other])] = 1.0
        for each_booze in range(BOOZES):
            if could >> each_booze & 1:
                out[n + 11 + 2 * LOCATIONS + each_booze] = 1.0
        n += EACH


# What a learned policy sees beyond the features

INSIGHTS = LOCATIONS + 2 * MOST_SEATS + BOOZES + CARDS


@kernel
def insights(s, seat, out, n):
    """What each location is worth; for each seat from this one on, how likely the best guess is right and what a look
    is worth; after a look, how likely each booze is; and what each delivery that lies open or can be stolen is worth.
    All are by the plain terms, which do not change.
    """
    out[n : n + INSIGHTS] = 0.0
    if not 0 <= s.booze[seat] < BOOZES or s.ask == OVER:
        return
    near, t = np.int64(0), PLAIN
    for place in range(LOCATIONS):
        out[n + place] = worth_of_a_place(s, seat, place, NO_ODDS, t) / 2.0
        near |= s.lying[place]
    n += LOCATIONS
    for steps in range(1, s.seats):
        other = after(s, seat, steps)
        if can_be_exposed(s, other):
            out[n + steps] = estimate(s, seat, other, -1)
        out[n + MOST_SEATS + steps] = worth_of_a_look(s, seat, other, NO_ODDS, t) / t[EXPOSING]
    n += 2 * MOST_SEATS
    if s.ask == LOOK and s.turn == seat:
        near |= stealable(s, seat, s.mark)
        if can_be_exposed(s, s.mark):
            for booze in range(BOOZES):
                out[n + booze] = estimate(s, seat, int(s.mark), booze)
    n += BOOZES
    cards = fitting(s, seat, near)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        out[n + card] = worth_of_a_card(s, seat, card, t)

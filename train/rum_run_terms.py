"""A learned evaluation of Rum Run: a row of terms for each seat, and their value by weights.

The terms have a magnitude of about 1. Barrels are divided by the goal of the game (§7.1), so that they mean the same
with any number of seats. No level uses this yet: `levels.md` lists what was tried, `rum_run_value.py` learns the
weights.
"""

import numpy as np

from backroom.engine.kernel import bit_count, kernel, lowest
from backroom.games.rum_run.hauls import CARAVANS, count_caravans
from backroom.games.rum_run.pieces import (
    BARRELS,
    CROSSROADS,
    DOUBLES,
    FOUR_CORNERS,
    GOAL,
    LEAST,
    MOST_STILLS,
    MOST_SUPPLIES,
    QUIET_ROUNDS,
    REGULAR_CUSTOMER,
    REWARD,
    ROAD_GANG,
    STRENGTH,
    TOKENS,
    WELL_CONNECTED,
)
from backroom.games.rum_run.reach import (
    NOWHERE,
    ground_of,
    in_danger,
    is_home_safe,
    threats_to,
    with_node,
    within_reach,
)
from backroom.games.rum_run.rules.links import arm, is_mine, token_at
from backroom.games.rum_run.rules.objectives import (
    DOUBLES_FOR_CROSSROADS,
    GANG,
    STILLS_FOR_WELL_CONNECTED,
    farthest,
    may_claim,
    taps_of,
    total,
    worth,
)
from backroom.games.rum_run.rules.state import next_node, seat_of

TERMS, MOODS, UNITS = 40, 10, 8
"""The number of terms of a seat, of terms of the table, and of rectified units over those of a seat."""
SOON, LATER, SURE = 0.72 ** np.arange(128), 0.9 ** np.arange(128), 0.85 ** np.arange(128)
"""Discounts by turns: of a barrel until it is scored (a short and a long horizon), and of a win."""
STRONG = sum(1 << token for token in range(TOKENS) if STRENGTH[token] >= 9)
"""The set of tokens that few others break."""
FIGHTS, TIRED = 80, 0.97
"""After FIGHTS broken tokens, each further one multiplies the value of what is not scored by TIRED."""
NEAR = 4
"""The distance within which a circulating objective is considered."""


@kernel
def goal_of(s):
    """The number of barrels that wins (§7.1)."""
    return int(GOAL[s.seats if s.colours == s.seats else 5])


@kernel
def fights_of(s):
    """The number of tokens broken in the game."""
    found = 0
    for seat in range(s.seats):
        found += int(s.broken[seat])
    return found


@kernel
def patience(s):
    """A factor of 1, or less if more tokens have been broken than in games that progress.

    Barrels stolen back and forth prevent the end by §7.2, so the evaluation has to discourage it.
    """
    fights = fights_of(s) - FIGHTS
    return TIRED**fights if fights > 0 else 1.0


@kernel
def strongest_against(s, seat):
    """The strength of the strongest token in an opponent's inventory."""
    found = 0
    for colour in range(s.colours):
        if seat_of(s, colour) != seat:
            hand = int(s.hand[colour])
            while hand:
                found = max(found, int(STRENGTH[lowest(hand)]))
                hand &= hand - 1
    return found


@kernel
def soft_ground(s, colour, strongest):
    """The nodes of a colour's connected tokens that are weaker than the strongest in an opponent's inventory."""
    found, firm = NOWHERE, 0
    lying = int(s.tokens) & ~int(s.hand[colour])
    while lying:
        token = lowest(lying)
        lying &= lying - 1
        node = int(s.where[colour, token])
        if s.dist[node]:
            if STRENGTH[token] < strongest:
                found = with_node(found, node)
            else:
                firm += 1
    return found, firm


@kernel
def homes_of(s, colour, strongest):
    """The number of a colour's roads at the Town Center, and of those whose first token no inventory can break."""
    found, firm = 0, 0
    for side in range(4):
        node = next_node(s.town, side)
        if is_mine(s, colour, node) and arm(s, node, side ^ 2):
            found += 1
            firm += 1 if STRENGTH[token_at(s, node)] >= strongest else 0
    return found, firm


@kernel
def progress(s, objective, seat):
    """A seat's progress, from 0 to 1, towards an objective that stays with its first owner, as the board shows it."""
    if objective in (WELL_CONNECTED, REGULAR_CUSTOMER):
        tapped = 0
        for still in range(MOST_STILLS):
            tapped += 1 if taps_of(s, seat, still) else 0
        return tapped / STILLS_FOR_WELL_CONNECTED if objective == WELL_CONNECTED else 0.5 * min(tapped, 1)
    if objective in (CROSSROADS, ROAD_GANG):
        doubles, tokens = 0, 0
        for colour in range(seat, s.colours, s.seats):
            lying = int(s.tokens) & ~int(s.hand[colour])
            tokens += bit_count(lying)
            doubles += bit_count(lying & DOUBLES)
        return doubles / DOUBLES_FOR_CROSSROADS if objective == CROSSROADS else tokens / GANG
    corners = 0
    for side in range(4 if objective == FOUR_CORNERS else 0):
        owner = int(s.owner[next_node(s.town, side)]) - 1
        corners += 1 if owner >= 0 and seat_of(s, owner) == seat else 0
    return corners / 4


@kernel
def rewards_of(s, seat):
    """§11, five numbers: circulating objectives that a seat holds, the danger of losing them, its nearness to gaining
    circulating ones and permanent ones, and those that it may claim.
    """
    held, shaky, near, early, open_to_claim = 0.0, 0.0, 0.0, 0.0, 0.0
    goals = int(s.goals)
    while goals:
        objective = lowest(goals)
        goals &= goals - 1
        reward, holder = float(REWARD[objective]), int(s.holder[objective])
        if may_claim(s, objective, seat):
            open_to_claim += reward
        if LEAST[objective] == 0:
            if holder < 0:
                early += reward * progress(s, objective, seat) ** 2
            continue
        mine, most = worth(s, objective, seat), 0
        for other in range(s.seats):
            if other != seat:
                most = max(most, worth(s, objective, other))
        if holder == seat:
            held += reward
            shaky += reward * max(0.0, 1.0 - (mine - most) / NEAR)
        else:
            missing = max(int(LEAST[objective]), most + 1) - mine
            near += reward * max(0.0, 1.0 - missing / NEAR)
    return held, shaky, near, early, open_to_claim


@kernel
def left_in_stills(s):
    """The barrels that can still be tapped, as far as they are visible."""
    found = 0
    for still in range(MOST_STILLS):
        for place in range(min(int(s.supplies[still]), MOST_SUPPLIES)):
            found += int(s.supply[still, place])
    return found


@kernel
def terms(s, seat):
    """The TERMS terms of a seat."""
    goal = goal_of(s)
    a_barrel = 2.0 / goal * patience(s)
    mine, most = total(s, seat), 0
    for other in range(s.seats):
        if other != seat:
            most = max(most, total(s, other))
    threats, ground, strongest = threats_to(s, seat), ground_of(s), strongest_against(s, seat)
    soon, later, now, sure, win_now, away = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    taken, behind, soft_taken, soft_behind = 0.0, 0.0, 0.0, 0.0
    tap, joined, loot = 0.0, 0.0, 0.0
    safe, homes, firm_homes, firm, lying, strong, top_hand = 0.0, 0, 0, 0, 0, 0, 0
    wait = 9
    for colour in range(seat, s.colours, s.seats):
        count, cut_off = count_caravans(s, colour)
        away += cut_off
        for k in range(1, count + 1):
            turns = int(s.work[CARAVANS + k])
            soon += SOON[turns]
            later += LATER[turns]
            now += 1.0 if turns == 0 else 0.0
        if 0 < goal - mine <= count:
            turns = int(s.work[CARAVANS + goal - mine])
            sure = max(sure, SURE[turns])
            win_now = max(win_now, 1.0 if turns == 0 else 0.0)
        a, b = in_danger(s, colour, threats)
        taken += a
        behind += b
        soft, solid = soft_ground(s, colour, strongest)
        a, b = in_danger(s, colour, soft)
        soft_taken += a
        soft_behind += b
        firm += solid
        best_tap, again, booty = within_reach(s, colour, ground)
        tap += best_tap
        joined += again
        loot += booty
        safe = max(safe, 1.0 if is_home_safe(s, colour, threats) else 0.0)
        a, b = homes_of(s, colour, strongest)
        homes += a
        firm_homes += b
        lying += bit_count(int(s.tokens) & ~int(s.hand[colour]))
        strong += bit_count(int(s.hand[colour]) & STRONG)
        hand = int(s.hand[colour])
        while hand:
            top_hand = max(top_hand, int(STRENGTH[lowest(hand)]))
            hand &= hand - 1
        wait = min(wait, (colour - int(s.turn)) % int(s.colours))
    held, shaky, near, early, open_to_claim = rewards_of(s, seat)
    late = s.quiet / (QUIET_ROUNDS * s.colours)
    hands = s.colours // s.seats
    of_barrels = (
        mine / goal,
        (mine / goal) ** 2,
        soon * a_barrel,
        later * a_barrel,
        now * a_barrel,
        sure,
        win_now,
        away * a_barrel,
        taken * a_barrel,
        behind * a_barrel,
        tap * a_barrel,
        joined * a_barrel,
        loot * a_barrel,
        safe,
        1.0 * homes,
        1.0 if firm_homes else 0.0,
        1.0 * max(firm_homes - 1, 0),
        soft_taken * a_barrel,
        soft_behind * a_barrel,
    )
    of_roads = (
        farthest(s, seat) / 10.0,
        lying / (14.0 * hands),
        firm / (5.0 * hands),
        top_hand / 12.0,
        strong / (5.0 * hands),
        1.0 if wait == 0 else 0.0,
        wait / s.colours,
        late,
        late**2 if mine > most else 0.0,
        late**2 if mine < most else 0.0,
        held * a_barrel,
        shaky * a_barrel,
        near * a_barrel,
        early * a_barrel,
        open_to_claim * a_barrel,
        left_in_stills(s) / BARRELS,
        1.0 * s.safe[seat],
        most / goal,
        (mine - most) / goal,
        1.0 if s.seats == 2 else 0.0,
        1.0 if s.seats == 4 else 0.0,
    )
    return of_barrels + of_roads


@kernel
def moods(s):
    """The MOODS terms of the table: how near the end by §7.2 is."""
    late = s.quiet / (QUIET_ROUNDS * s.colours)
    most = 0
    for seat in range(s.seats):
        most = max(most, total(s, seat))
    return (
        1.0,
        late,
        late**2,
        late**4,
        most / goal_of(s),
        left_in_stills(s) / BARRELS,
        min(fights_of(s), FIGHTS) / FIGHTS,
        1.0 if s.seats == 2 else 0.0,
        1.0 if s.seats == 4 else 0.0,
        1.0 if s.colours > s.seats else 0.0,
    )


# Their value: a linear part, and rectified units for interactions between terms


@kernel
def with_term(units, weights, k, x):
    """Add one more term to the sums of the linear part and of the units."""
    return (
        units[0] + weights[k, 0] * x,
        units[1] + weights[k, 1] * x,
        units[2] + weights[k, 2] * x,
        units[3] + weights[k, 3] * x,
        units[4] + weights[k, 4] * x,
        units[5] + weights[k, 5] * x,
        units[6] + weights[k, 6] * x,
        units[7] + weights[k, 7] * x,
        units[8] + weights[k, 8] * x,
    )


@kernel
def standing(s, seat, weights):
    """A seat's logit of winning, for a softmax over all seats.

    `weights` has a row for each term, one for the biases, and one for the output weights of the sums.
    """
    numbers = terms(s, seat)
    units = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    units = with_term(units, weights, TERMS, 1.0)
    for k in range(TERMS):
        units = with_term(units, weights, k, numbers[k])
    found = units[0]
    for unit in range(1, UNITS + 1):
        found += weights[TERMS + 1, unit] * max(units[unit], 0.0)
    return found


@kernel
def share_of(s, seat, weights, mood_weights):
    """A seat's expected share of the win. The shares sum to less than 1; the rest is the end by §7.2."""
    numbers, nobody = moods(s), 0.0
    for k in range(MOODS):
        nobody += mood_weights[k] * numbers[k]
    mine = standing(s, seat, weights)
    rest = np.exp(min(nobody - mine, 50.0))
    for other in range(s.seats):
        if other != seat:
            rest += np.exp(min(standing(s, other, weights) - mine, 50.0))
    return 1.0 / (1.0 + rest)

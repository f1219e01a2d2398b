"""The features of Rum Run for learners, its levels, and a handcrafted evaluation: barrels scored, on the way, in danger
and in reach.
"""

import numpy as np

from backroom.engine.kernel import UNKNOWN, around, bit_count, kernel, lowest

from .hauls import CARAVANS, count_caravans
from .pieces import GOAL, MOST_STILLS, MOST_SUPPLIES, NODES, OBJECTIVES, QUIET_ROUNDS, SIDE, TOKENS
from .reach import fronts_of, ground_of, in_danger, is_home_safe, threats_by, within_reach
from .rules.objectives import farthest, lands, may_claim, stash, total
from .rules.state import ASK_ACT, CLAIM, NODE, OUTSIDE, PICK, seat_of, top

EACH = 6
MOST_SEATS = 4
ASKS = 32
TOKENS_AT = 4 * EACH
STILLS_AT = TOKENS_AT + 4 * TOKENS * 3
BOARD_AT = STILLS_AT + MOST_STILLS
ASKS_AT = BOARD_AT + 3 * NODES
NODE_AT = ASKS_AT + ASKS
TOKEN_AT = NODE_AT + NODES
SEAT_AT = TOKEN_AT + TOKENS
FEATURES = SEAT_AT + 4 + 2

TREE = {"oppose": 0.5, "dull": 1.0, "learned": 1}
FIRST_SIGHT = {"iterations": 0, "sight": 2, **TREE}
LEVELS = {
    "beginner": ("tree", {**FIRST_SIGHT, "blur": 12.0, "temper": 2.0, "first": 16}),
    "easy": ("tree", {**FIRST_SIGHT, "blur": 0.9}),
    "medium": ("tree", {"iterations": 40, "blur": 0.7, **TREE}),
    "hard": ("tree", {"iterations": 1200, "blur": 0.02, "variety": 10, **TREE}),
}
"""All levels find whole turns by the net and by static evaluation. `beginner` and `easy` see only two by static
evaluation, and play the turn that looks best; the others search a tree. The lower levels have random errors in their
evaluations; those of `hard` are just large enough to break ties, and in its first turns it plays any that look as good.
"""
SMALL = 10
"""The side of the largest board that counts as small, with everything near the Town Center."""

# Weights of the evaluation, in barrels scored

IN_TURNS = 0.92 * 0.72 ** np.arange(128)
"""The value of a barrel on the road, by the number of turns before the one that scores it."""
WIN_IN_TURNS = 2.0 * 0.85 ** np.arange(128)
"""Bonus if the barrels on the road are enough to win, by the number of turns before they are scored."""
TAKEN, BEHIND = 0.45, 0.5
"""Penalty for a barrel that an opponent can take next, and for one that an opponent can cut off next."""
CUT_OFF, JOINED = 0.05, 0.2
"""The value of a barrel on a piece that is cut off, and its bonus if it can be joined, discounted by missing tokens.
They must be much less than the value on the road, or bots would not mend the road.
"""
TAPPED, STOLEN = 0.3, 0.15
"""The value of a barrel that a still would load, discounted by the tokens missing, and of one that the next token can
take from an opponent.
"""
HOME = 0.4
"""The value of a road that begins with a token that nobody can break next."""
LATE, LED, LEVEL = 0.6, 0.7, 0.3
"""The weight of the end by §7.2 shortly before it, and its value for a seat that would win it and for one that would
share it. They are low, so that players make progress.
"""
OTHERS = 0.3
"""The weight of barrels on the roads of others. With 1, players would only cut each other off."""
FIGHTS, TIRED = 80, 0.97
"""After FIGHTS broken tokens, each further one multiplies the value of all that is not scored by TIRED."""
LOST = 0.02
"""The factor of the value of a position in which another seat can win at once."""


@kernel
def goal_of(s):
    """The number of barrels that win (§7.1)."""
    return int(GOAL[s.seats if s.colours == s.seats else 5])


@kernel
def features(s, seat, out):
    """For each seat from this one on: scored, stash, road, tokens, stills, broken. For each token of each colour, from
    the seat's own on: whether it is on the board, its row and column. For each still: its supplies. For each node:
    whether a token of the seat or of another is there, and the barrels. Then what is asked, the chosen node and token,
    the seat, whether it is its turn, and how near the end by §7.2 is.

    Nothing here searches, which would take most of the time of a learner's step.
    """
    for ahead in range(s.seats):
        who = around(seat + ahead, int(s.seats))
        lying = 0
        for colour in range(who, s.colours, s.seats):
            lying += bit_count(int(s.tokens) & ~int(s.hand[colour]))
        n = ahead * EACH
        out[n] = total(s, who) / goal_of(s)
        out[n + 1] = stash(s, who) / 10.0
        out[n + 2] = farthest(s, who) / 20.0
        out[n + 3] = lying / 28.0
        out[n + 4] = lands(s, who) / MOST_STILLS
        out[n + 5] = s.broken[who] / 10.0
    for ahead in range(s.colours):
        colour = around(seat + ahead, int(s.colours))
        plane = BOARD_AT if seat_of(s, colour) == seat else BOARD_AT + NODES
        lying = int(s.tokens) & ~int(s.hand[colour])
        while lying:
            token = lowest(lying)
            lying &= lying - 1
            n = TOKENS_AT + (ahead * TOKENS + token) * 3
            node = int(s.where[colour, token])
            out[n] = 1.0
            out[n + 1] = node // SIDE / SIDE
            out[n + 2] = node % SIDE / SIDE
            out[plane + node] = 1.0
            out[BOARD_AT + 2 * NODES + node] = s.barrels[node] / 4.0
    for still in range(MOST_STILLS):
        out[STILLS_AT + still] = s.supplies[still] / MOST_SUPPLIES
    out[ASKS_AT + top(s)] = 1.0
    if s.node >= 0:
        out[NODE_AT + s.node] = 1.0
    if s.token >= 0:
        out[TOKEN_AT + s.token] = 1.0
    out[SEAT_AT + seat] = 1.0
    out[SEAT_AT + 4] = 1.0 if seat_of(s, s.turn) == seat else 0.0
    out[SEAT_AT + 5] = s.quiet / (20.0 * s.colours)


@kernel
def patience(s):
    """The factor for values that are not scored: 1, and less after more than FIGHTS broken tokens. Stealing barrels
    back and forth puts off the end by §7.2, so its value has to decline.
    """
    fights = -FIGHTS
    for seat in range(s.seats):
        fights += int(s.broken[seat])
    return TIRED**fights if fights > 0 else 1.0


@kernel
def on_the_way(s, colour, threats):
    """The value of a colour's barrels that are not scored, by the turns needed to score them and the dangers before
    that.
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
    """The value of what a colour's road can reach, and of a safe home."""
    tap, joined, loot = within_reach(s, colour, ground)
    home = HOME if is_home_safe(s, colour, threats) else 0.0
    return TAPPED * tap + JOINED * joined + STOLEN * loot + home


@kernel
def worth_trying(s, seat, out, n):
    """The moves to consider: a token is chosen after its node, not before it."""
    nodes = 0
    for i in range(n):
        nodes += 1 if NODE <= out[i] < PICK else 0
    if nodes == 0:
        return n
    left = 0
    for i in range(n):
        if out[i] >= NODE:
            out[left] = out[i]
            left += 1
    return left


@kernel
def reflex(v, seat):
    """§11.1: the first claim that is open: it costs nothing, and whoever waits may lose it."""
    for objective in range(len(OBJECTIVES)):
        if may_claim(v, objective, seat):
            return CLAIM + objective
    return UNKNOWN


@kernel
def on_roads(s, seat, fronts):
    """The value of what a seat has on its roads."""
    threats = threats_by(s, seat, fronts)
    found = 0.0
    for colour in range(seat, s.colours, s.seats):
        found += on_the_way(s, colour, threats)
    return found


@kernel
def outlook(s, seat, fronts, ground):
    """The value of what a seat's roads can reach."""
    threats = threats_by(s, seat, fronts)
    found = 0.0
    for colour in range(seat, s.colours, s.seats):
        found += prospects(s, colour, ground, threats)
    return found


@kernel
def mixed(key, here):
    """A hash with one more number in it."""
    key = (key ^ np.uint64(here)) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ key >> np.uint64(29)


@kernel
def repetition_key(s, seat):
    """A hash of what a seat has got: its tokens and barrels on the board, its score, and what it has tapped and broken.
    What the others have done since does not matter: a seat that moves a token to and fro gets nowhere.
    """
    key = mixed(np.uint64(1), total(s, seat) << 16 | int(s.broken[seat]))
    for colour in range(seat, s.colours, s.seats):
        key = mixed(key, int(s.tapped[colour]))
    for node in range(NODES):
        if s.owner[node] and seat_of(s, int(s.owner[node]) - 1) == seat:
            key = mixed(key, int(s.face[node]) | int(s.barrels[node]) << 8 | int(s.owner[node]) << 16 | node << 24)
    return key


@kernel
def chances(s, ahead):
    """The logistic of a seat's lead over the best other, in barrels relative to the goal."""
    return 1.0 / (1.0 + np.exp(-8.0 * ahead / goal_of(s)))


@kernel
def wants_equal_visits(s):
    """Whether the board is small, where static evaluations are unreliable because so much can be tapped and broken."""
    return s.ground[SMALL * SIDE] == OUTSIDE


@kernel
def dullness(s):
    """How near the end by §7.2 is, from 0 to 1; of a finished game, 1 if the win is shared, else 0."""
    if s.over:
        return 1.0 if bit_count(int(s.winners)) > 1 else 0.0
    return (s.quiet / (QUIET_ROUNDS * s.colours)) ** 2


@kernel
def is_about_to_lose(s, seat):
    """Whether another seat is in turn and can win by caravans alone (§6.5); exact where turns to score are."""
    rival = seat_of(s, s.turn)
    missing = goal_of(s) - total(s, rival)
    if s.over or rival == seat or top(s) != ASK_ACT or missing > stash(s, rival):
        return False
    count, _ = count_caravans(s, s.turn)
    return 0 < missing <= count and s.work[CARAVANS + missing] == 0


@kernel
def value(s, seat):
    """The expected share of the win by a seat's lead. The nearer the end by §7.2 is, the more its value (`LED`,
    `LEVEL`) counts instead; and next to nothing if another seat can win at once.
    """
    if s.over:
        return (int(s.winners) >> seat & 1) / bit_count(int(s.winners))
    calm, fronts = patience(s), fronts_of(s)
    mine, best, most = total(s, seat), -9.0, 0
    for other in range(s.seats):
        if other != seat:
            best = max(best, total(s, other) + OTHERS * calm * on_roads(s, other, fronts))
            most = max(most, total(s, other))
    ahead = mine + calm * (on_roads(s, seat, fronts) + outlook(s, seat, fronts, ground_of(s))) - best
    found, late = chances(s, ahead), LATE * dullness(s)
    found = (1.0 - late) * found + late * (LED if mine > most else LEVEL if mine == most else 0.0)
    return LOST * found if is_about_to_lose(s, seat) else found


@kernel
def all_values(s, out):
    """The expected share of the win of every seat by its lead, without the end by §7.2, which `dullness` covers, and
    without `is_about_to_lose`.
    """
    calm, ground, fronts = patience(s), ground_of(s), fronts_of(s)
    for seat in range(s.seats):
        roads = on_roads(s, seat, fronts)
        out[MOST_SEATS + seat] = total(s, seat) + OTHERS * calm * roads
        out[2 * MOST_SEATS + seat] = total(s, seat) + calm * (roads + outlook(s, seat, fronts, ground))
    for seat in range(s.seats):
        best = -9.0
        for other in range(s.seats):
            if other != seat:
                best = max(best, out[MOST_SEATS + other])
        out[seat] = chances(s, out[2 * MOST_SEATS + seat] - best)

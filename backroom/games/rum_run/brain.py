"""What a player of Rum Run looks at, and a first judgement by hand: what is scored, on its way, and near."""

import numpy as np

from backroom.engine.kernel import kernel, lowest

from .hauls import PLAN, plan_hauls
from .pieces import ALL, DOUBLES, DOWN, FITS, GOAL, MOST_STILLS, MOST_TAPS, OFF, RIGHT, SIDE
from .rules.links import arm, tap_at
from .rules.objectives import farthest, lands, size_of, stash, total
from .rules.roads import need
from .rules.state import MUD, NODE, PAVED, PICK, next_node, seat_of

EACH = 8
FEATURES = 4 * EACH + 2

SCORED, CUT_OFF = 1.0, 0.12
"""What a barrel is worth when it is scored, and on a piece cut off."""
IN_TURNS = 0.92 * 0.72 ** np.arange(128)
"""What a barrel on the road is worth, by the turns before the one that scores it, if nobody disturbs."""
WIN_IN_TURNS = 2.0 * 0.85 ** np.arange(128)
"""What it is worth besides that these barrels are enough to win, by the turns that it takes to score so many."""
NEAR_A_TAP, EACH_TOKEN, EACH_BEND, IN_THE_WAY = 0.25, 0.80, 0.75, 0.8
"""What a barrel in a still is worth to a road that could tap it next, and less by each token and bend it takes."""
TO_GO = EACH_TOKEN ** np.arange(2 * SIDE)[:, None] * EACH_BEND ** np.arange(4)
"""The same as a table: powers are slow."""
FIGHTS, TIRED = 80, 0.97
"""After so many broken tokens, each further one makes barrels on the road worth less."""


@kernel
def goal_of(s):
    """What wins (§7.1)."""
    return int(GOAL[s.seats if s.colours == s.seats else 5])


@kernel
def features(s, seat, out):
    """For each seat from the own one on: scored, stash, road, tokens, doubles kept, stills, broken, prospects; then
    whether it is one's turn, and how near the end by §7.2 is.
    """
    for ahead in range(4):
        n = ahead * EACH
        who = (seat + ahead) % int(s.seats)
        if ahead >= s.seats:
            out[n : n + EACH] = 0.0
            continue
        lying = 0
        for colour in range(who, s.colours, s.seats):
            lying += size_of(int(s.tokens) & ~int(s.hand[colour]))
        out[n] = total(s, who) / goal_of(s)
        out[n + 1] = stash(s, who) / 10.0
        out[n + 2] = farthest(s, who) / 20.0
        out[n + 3] = lying / 28.0
        out[n + 4] = lands(s, who) / MOST_STILLS
        out[n + 5] = s.broken[who] / 10.0
        out[n + 6] = prospects(s, who) / 4.0
        out[n + 7] = on_the_way(s, who) / 8.0
    out[4 * EACH] = 1.0 if seat_of(s, s.turn) == seat else 0.0
    out[4 * EACH + 1] = s.quiet / (20.0 * s.colours)


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
def on_the_way(s, seat):
    """The worth of barrels that are not scored, by the turns that it takes to score them."""
    found = 0.0
    missing = goal_of(s) - total(s, seat)
    for colour in range(seat, s.colours, s.seats):
        count, cut_off = plan_hauls(s, colour)
        found += CUT_OFF * cut_off
        for k in range(1, count + 1):
            found += IN_TURNS[s.work[PLAN + k]]
        if 0 < missing <= count:
            found += WIN_IN_TURNS[s.work[PLAN + missing]]
    return found * patience(s)


@kernel
def detour(node, direction, tap, faces):
    """Tokens and bends from a node, entered in a direction, to a tap where an arm must face the still."""
    down, right = tap // SIDE - node // SIDE, tap % SIDE - node % SIDE
    ahead = down * DOWN[direction] + right * RIGHT[direction]
    aside = abs(down * RIGHT[direction]) + abs(right * DOWN[direction])
    is_along = direction in (faces, faces ^ 2)
    bends = 0
    if aside:
        bends = 1 if not is_along else 2
    elif not is_along:
        bends = 1
    if ahead < 0:
        bends += 1
    return abs(down) + abs(right), bends


@kernel
def nearest_tap(s, colour, node, direction):
    """The best prospect of a road that could go on to a node in a direction."""
    best = 0.0
    for still in range(MOST_STILLS):
        if s.supplies[still] == 0:
            continue
        for tap in range(s.tap_count[still]):
            if int(s.tapped[colour]) >> (still * MOST_TAPS + tap) & 1:
                continue
            tokens, bends = detour(node, direction, int(s.taps[still, tap]), int(s.faces[still, tap]))
            worth = int(s.supply[still, 0]) * TO_GO[tokens, bends]
            best = max(best, worth)
    return best


@kernel
def outlook_at(s, colour, node, direction, number):
    """What going on to a node promises: nothing if it is blocked, or no token in hand shows the number."""
    if node == OFF or s.ground[node] > MUD or int(s.hand[colour]) & int(FITS[number]) == 0:
        return 0.0
    owner = int(s.owner[node]) - 1
    if owner == colour:
        return 0.0
    found = nearest_tap(s, colour, node, direction)
    return found * IN_THE_WAY if owner >= 0 else found


@kernel
def prospects(s, seat):
    """The best that a seat's roads could tap next, and a little for the second best."""
    best, second = 0.0, 0.0
    for colour in range(seat, s.colours, s.seats):
        for direction in range(4):
            found = outlook_at(s, colour, next_node(s.town, direction), direction, 7)
            if found > best:
                best, second = found, best
            elif found > second:
                second = found
        lying = int(s.tokens) & ~int(s.hand[colour])
        while lying:
            node = int(s.where[colour, lowest(lying)])
            lying &= lying - 1
            if s.dist[node] == 0:
                continue
            for direction in range(4):
                number = arm(s, node, direction)
                if number == 0 or s.ground[next_node(node, direction)] == PAVED:
                    continue
                found = outlook_at(s, colour, next_node(node, direction), direction, number)
                if found > best:
                    best, second = found, best
                elif found > second:
                    second = found
        if (
            s.node >= 0 and colour == s.turn and s.owner[s.node] != colour + 1
        ):  # a node chosen to build on: as if something lay there
            found = 1.1 * best_around(s, colour, int(s.node))
            if found > best:
                best, second = found, best
    return NEAR_A_TAP * (best + 0.25 * second)


@kernel
def best_around(s, colour, node):
    """What the best token for a node would promise: a straight one goes straight on, a double any way."""
    best = 0.0
    hand = int(s.hand[colour])
    for side in range(4):
        number = need(s, colour, node, side)
        if number == 0:
            continue
        fit = hand & int(FITS[number])
        for direction in range(4):
            if fit & (ALL if direction == side ^ 2 else DOUBLES):
                best = max(best, going_on(s, colour, node, direction))
    return best


@kernel
def going_on(s, colour, node, direction):
    """What an arm of a token on a node promises: a tap that it faces will be loaded."""
    beside = next_node(node, direction)
    tap = tap_at(s, node, direction)
    if tap >= 0:
        still = tap // MOST_TAPS
        is_tapped = int(s.tapped[colour]) >> tap & 1
        return 0.0 if is_tapped or s.supplies[still] == 0 else 1.3 * int(s.supply[still, 0])
    if s.ground[beside] <= MUD and s.owner[beside] == 0:
        return nearest_tap(s, colour, beside, direction)
    return 0.0


@kernel
def worth_trying(s, seat, out, n):
    """Which moves a player looks at: a token is chosen with its node, not before it, since nodes are judged better."""
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
def standing(s, seat):
    """What a seat has made of the game, in barrels."""
    found = SCORED * total(s, seat) + on_the_way(s, seat) + prospects(s, seat)
    if s.token >= 0 and s.lifted < 0 and seat_of(s, s.turn) == seat:
        found -= 0.5  # it judges nodes better than tokens, so it chooses them first
    return found


@kernel
def value(s, seat):
    """The logistic of how far a seat is ahead of the best other, in barrels toward the goal."""
    if s.over:
        return (int(s.winners) >> seat & 1) / size_of(int(s.winners))
    best = -9.0
    for other in range(s.seats):
        if other != seat:
            best = max(best, standing(s, other))
    ahead = standing(s, seat) - best
    return 1.0 / (1.0 + np.exp(-8.0 * ahead / goal_of(s)))

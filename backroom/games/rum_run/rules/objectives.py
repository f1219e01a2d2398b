"""§11 Objectives, what each seat has scored, and §7 winning."""

from backroom.engine.kernel import around, bit_count, kernel, lowest
from backroom.games.rum_run.pieces import (
    AMBUSHER,
    BIGGEST_STASH,
    BROKE_MOST,
    CROSSROADS,
    DOUBLES,
    GOAL,
    LEAST,
    LONGEST_ROAD,
    MOST_STILLS,
    MOST_TAPS,
    REGULAR_CUSTOMER,
    REWARD,
    ROAD_GANG,
    SCORED_ONE,
    THROUGH_THE_STILL,
    WELL_CONNECTED,
)

from .links import (
    taps_held,
)
from .state import NOBODY, next_node, pop, seat_of

GANG, DOUBLES_FOR_CROSSROADS, STILLS_FOR_WELL_CONNECTED = 20, 4, 3


@kernel
def total(s, seat):
    """§11: what a seat has scored, rewards included."""
    found = int(s.scored[seat])
    goals = int(s.goals)
    while goals:
        objective = lowest(goals)
        goals &= goals - 1
        if s.holder[objective] == seat:
            found += int(REWARD[objective])
    return found


@kernel
def stash(s, seat):
    """The barrels on a seat's roads that are not scored; on a still only while it is a piece of them (§6.7)."""
    found = 0
    for colour in range(seat, s.colours, s.seats):
        lying = int(s.tokens) & ~int(s.hand[colour])
        while lying:
            found += int(s.barrels[s.where[colour, lowest(lying)]])
            lying &= lying - 1
        for still in range(MOST_STILLS):
            if s.stored[colour, still] and taps_held(s, colour, still) > 1:
                found += int(s.stored[colour, still])
        if s.keeper == colour:
            found += int(s.barrels[s.paved])
    return found


@kernel
def farthest(s, seat):
    """The steps from the Town Center to a seat's farthest token along its road."""
    found = 0
    for colour in range(seat, s.colours, s.seats):
        lying = int(s.tokens) & ~int(s.hand[colour])
        while lying:
            found = max(found, int(s.dist[s.where[colour, lowest(lying)]]))
            lying &= lying - 1
    return found


@kernel
def lands(s, seat):
    """The number of stills of which a seat holds a tap."""
    found = 0
    for still in range(MOST_STILLS):
        for colour in range(seat, s.colours, s.seats):
            if taps_held(s, colour, still):
                found += 1
                break
    return found


@kernel
def worth(s, objective, seat):
    """The number that a circulating objective compares, for a seat."""
    if objective == LONGEST_ROAD:
        return farthest(s, seat)
    if objective == BROKE_MOST:
        return int(s.broken[seat])
    if objective == BIGGEST_STASH:
        return stash(s, seat)
    return lands(s, seat)


@kernel
def taps_of(s, seat, still):
    """How often a seat has tapped a still."""
    found = 0
    for colour in range(seat, s.colours, s.seats):
        found += bit_count(int(s.tapped[colour]) >> still * MOST_TAPS & ((1 << MOST_TAPS) - 1))
    return found


@kernel
def fulfils(s, objective, seat):
    """Whether a seat fulfils an objective that the board shows."""
    if objective in (WELL_CONNECTED, REGULAR_CUSTOMER):
        tapped, most = 0, 0
        for still in range(MOST_STILLS):
            times = taps_of(s, seat, still)
            tapped += 1 if times else 0
            most = max(most, times)
        return tapped >= STILLS_FOR_WELL_CONNECTED if objective == WELL_CONNECTED else most > 1
    if objective in (CROSSROADS, ROAD_GANG):
        doubles, tokens = 0, 0
        for colour in range(seat, s.colours, s.seats):
            lying = int(s.tokens) & ~int(s.hand[colour])
            tokens += bit_count(lying)
            doubles += bit_count(lying & DOUBLES)
        return doubles >= DOUBLES_FOR_CROSSROADS if objective == CROSSROADS else tokens >= GANG
    for side in range(4):  # Four Corners
        owner = int(s.owner[next_node(s.town, side)]) - 1
        if owner < 0 or seat_of(s, owner) != seat:
            return False
    return True


@kernel
def achieve(s, objective, seat):
    """Note an achievement that an objective rewards: the first gets it, or the last may claim it (§11.1)."""
    if int(s.goals) >> objective & 1 and s.holder[objective] < 0 and (s.noticed or s.achiever[objective] < 0):
        s.achiever[objective] = seat


@kernel
def notice(s, objective):
    """Note who has begun to fulfil an objective that stays with the first to get it."""
    if objective not in (SCORED_ONE, AMBUSHER, THROUGH_THE_STILL):
        now = 0
        for ahead in range(s.seats - 1, -1, -1):  # of equals the one in turn, then clockwise
            seat = around(seat_of(s, s.turn) + ahead, int(s.seats))
            if fulfils(s, objective, seat):
                now |= 1 << seat
                if int(s.meets[objective]) >> seat & 1 == 0:
                    s.achiever[objective] = seat
        s.meets[objective] = now
    if s.achiever[objective] >= 0 and not s.noticed:
        give(s, objective, int(s.achiever[objective]))


@kernel
def give(s, objective, seat):
    """Hand an objective to a seat."""
    s.holder[objective] = seat
    s.achiever[objective] = NOBODY
    s.meets[objective] = 0


@kernel
def due(s, objective):
    """§11: the seat that a circulating objective would go to now; -1: it stays where it is."""
    holder = int(s.holder[objective])
    most = worth(s, objective, holder) if holder >= 0 else int(LEAST[objective]) - 1
    found = NOBODY
    for ahead in range(s.seats):
        seat = around(seat_of(s, s.turn) + ahead, int(s.seats))
        if seat != holder and worth(s, objective, seat) > most:
            most = worth(s, objective, seat)
            found = seat
    return found


@kernel
def may_claim(s, objective, seat):
    """§11.1: whether a seat may claim an objective now."""
    if not s.noticed or int(s.goals) >> objective & 1 == 0 or s.over:
        return False
    if LEAST[objective]:
        return s.holder[objective] != seat and due(s, objective) == seat
    return s.holder[objective] < 0 and s.achiever[objective] == seat


@kernel
def look(s):
    """§7.1: objectives, then winning, when something is done."""
    goals = int(s.goals)
    while goals:
        objective = lowest(goals)
        goals &= goals - 1
        holder = int(s.holder[objective])
        if LEAST[objective] == 0:
            if holder < 0:
                notice(s, objective)
            continue
        if holder >= 0 and worth(s, objective, holder) < LEAST[objective]:
            s.holder[objective] = NOBODY
        if not s.noticed:
            seat = due(s, objective)
            if seat >= 0:
                s.holder[objective] = seat
    look_who_wins(s)


@kernel
def look_who_wins(s):
    """§7.1: the first to have enough; of several the one in turn, then clockwise."""
    goal = GOAL[s.seats if s.colours == s.seats else 5]
    for ahead in range(s.seats):
        seat = around(seat_of(s, s.turn) + ahead, int(s.seats))
        if total(s, seat) >= goal:
            finish(s, 1 << seat)
            return


@kernel
def finish(s, winners):
    """The game is over: no question stays open."""
    s.over = 1
    s.winners = winners
    while s.depth:
        pop(s)
    s.doing = 0
    s.tried = 0
    put_away(s)


@kernel
def put_away(s):
    """Nothing is in anybody's hand; what was, when a claim ends the game, goes to the reserve."""
    s.reserve += s.load
    s.node = -1
    s.token = -1
    s.lifted = -1
    s.lifted_face = 0
    s.kept = 0
    s.walker = 0
    s.road = 0
    s.at = 0
    s.load = 0
    s.aim = -1
    s.came = 0
    s.was = 0
    s.gain = 0


@kernel
def end_quietly(s):
    """§7.2: most barrels win, a tie is shared."""
    most, winners = -1, 0
    for seat in range(s.seats):
        has = total(s, seat)
        if has > most:
            most, winners = has, 0
        if has == most:
            winners |= 1 << seat
    finish(s, winners)

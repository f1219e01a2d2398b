"""What each seat may expect, all at once: circulating objectives count less while the game goes on."""
import numpy as np
from backroom.engine.kernel import kernel, lowest
from backroom.games.rum_run.brain import LATE, LED, LEVEL, OTHERS, goal_of, on_the_way, patience, prospects, on_roads, outlook
from backroom.games.rum_run.pieces import LEAST, QUIET_ROUNDS, REWARD
from backroom.games.rum_run.reach import ground_of, threats_to
from backroom.games.rum_run.rules.objectives import size_of, total

LOSABLE = 0.5


@kernel
def standing(s, seat):
    """What a seat has scored; an objective that can be lost again counts less."""
    found = float(s.scored[seat])
    goals = int(s.goals)
    while goals:
        objective = lowest(goals)
        goals &= goals - 1
        if s.holder[objective] == seat:
            found += REWARD[objective] * (LOSABLE if LEAST[objective] else 1.0)
    return found


@kernel
def expected(s, seat, mine, best, late):
    most = 0
    for other in range(s.seats):
        if other != seat:
            most = max(most, total(s, other))
    have = total(s, seat)
    found = 1.0 / (1.0 + np.exp(-8.0 * (mine - best) / goal_of(s)))
    return (1.0 - late) * found + late * (LED if have > most else LEVEL if have == most else 0.0)


@kernel
def value(s, seat):
    if s.over:
        return (int(s.winners) >> seat & 1) / size_of(int(s.winners))
    calm, best = patience(s), -9.0
    for other in range(s.seats):
        if other != seat:
            best = max(best, standing(s, other) + OTHERS * calm * on_roads(s, other))
    late = LATE * (s.quiet / (QUIET_ROUNDS * s.colours)) ** 2
    return expected(s, seat, standing(s, seat) + calm * (on_roads(s, seat) + outlook(s, seat)), best, late)


@kernel
def values(s, vec):
    """What each seat may expect."""
    calm = patience(s)
    ground = ground_of(s)
    for seat in range(s.seats):
        threats = threats_to(s, seat)
        roads, ahead = 0.0, 0.0
        for colour in range(seat, s.colours, s.seats):
            roads += on_the_way(s, colour, threats)
            ahead += prospects(s, colour, ground, threats)
        vec[4 + seat] = standing(s, seat) + OTHERS * calm * roads
        vec[8 + seat] = standing(s, seat) + calm * (roads + ahead)
    late = LATE * (s.quiet / (QUIET_ROUNDS * s.colours)) ** 2
    for seat in range(s.seats):
        best = -9.0
        for other in range(s.seats):
            if other != seat:
                best = max(best, vec[4 + other])
        vec[seat] = expected(s, seat, vec[8 + seat], best, late)

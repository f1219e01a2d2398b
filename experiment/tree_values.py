"""What each seat may expect, all at once."""
import numpy as np
from backroom.engine.kernel import kernel
from backroom.games.rum_run.brain import LATE, LED, LEVEL, OTHERS, goal_of, on_the_way, patience, prospects
from backroom.games.rum_run.pieces import QUIET_ROUNDS
from backroom.games.rum_run.reach import ground_of, threats_to
from backroom.games.rum_run.rules.objectives import total


@kernel
def values(s, vec):
    """What each seat may expect."""
    calm = patience(s)
    ground = ground_of(s)
    for seat in range(s.seats):
        threats = threats_to(s, seat)
        roads, outlook = 0.0, 0.0
        for colour in range(seat, s.colours, s.seats):
            roads += on_the_way(s, colour, threats)
            outlook += prospects(s, colour, ground, threats)
        vec[4 + seat] = roads
        vec[8 + seat] = outlook
    late = LATE * (s.quiet / (QUIET_ROUNDS * s.colours)) ** 2
    for seat in range(s.seats):
        mine, best, most = total(s, seat), -9.0, 0
        for other in range(s.seats):
            if other != seat:
                best = max(best, total(s, other) + OTHERS * calm * vec[4 + other])
                most = max(most, total(s, other))
        ahead = mine + calm * (vec[4 + seat] + vec[8 + seat]) - best
        found = 1.0 / (1.0 + np.exp(-8.0 * ahead / goal_of(s)))
        vec[seat] = (1.0 - late) * found + late * (LED if mine > most else LEVEL if mine == most else 0.0)

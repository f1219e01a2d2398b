"""What a player of Rum Run looks at, and a first judgement by hand: barrels scored, and barrels on their way home."""

from backroom.engine.kernel import kernel

from .pieces import GOAL
from .rules.objectives import total

FEATURES = 4


@kernel
def features(s, seat, out):
    for ahead in range(4):
        out[ahead] = total(s, (seat + ahead) % int(s.seats)) / 10.0


@kernel
def value(s, seat):
    return 0.5 + 0.01 * total(s, seat) / float(GOAL[2])

"""What a learner would look at. Nothing is won here, so every draft is worth the same."""

from backroom.engine.kernel import bit_count, kernel

from .pieces import FIRST_CARD, FIRST_FOG, TOWN
from .rules import LONGEST

FEATURES = 7

LEVELS = {level: ("search", {"iterations": 16}) for level in ("easy", "medium", "hard")}
"""Nobody is beaten here, so no bot need think long."""


@kernel
def lying(s, first, end):
    """How many of these things lie on the board."""
    count = 0
    for thing in range(first, end):
        count += 1 if s.lies[thing] >= 0 else 0
    return count


@kernel
def features(s, seat, out):
    """Stills, obstacles, fog and the Town Center on the board, events, objectives, and the steps that were made."""
    out[0] = lying(s, 0, FIRST_CARD)
    out[1] = lying(s, FIRST_CARD, FIRST_FOG)
    out[2] = lying(s, FIRST_FOG, TOWN)
    out[3] = lying(s, TOWN, TOWN + 1)
    out[4] = bit_count(int(s.events))
    out[5] = bit_count(int(s.objectives))
    out[6] = s.made / LONGEST


@kernel
def value(s, seat):
    return 1.0

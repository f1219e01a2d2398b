"""What a learner chooses from: the runs of move numbers that seats have."""

from collections.abc import Mapping

from .pieces import NODES, OBJECTIVES, TOKENS, VARIANTS
from .rules.state import (
    CARAVAN,
    CHOOSE,
    CLAIM,
    DOWN,
    END,
    GIFT,
    HOME,
    NODE,
    ONTO,
    OPEN,
    PASS,
    PICK,
    PLACE,
    RECRUIT,
    RETURN,
    ROB,
    SKIP,
    STEP_BACK,
    TO,
    TOKEN,
    TOWARD,
    VIA,
)

ON_A_NODE = (
    *(NODE, PICK, RETURN, CARAVAN, VIA, TOWARD, CHOOSE),
    *(ROB, ONTO, HOME, GIFT, OPEN, DOWN, RECRUIT),
)


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """A token; what is done on a node; tokens on nodes, the end that links first, facing a way."""
    return [
        (TOKEN, (TOKENS,)),
        *((first, (NODES,)) for first in ON_A_NODE),
        (TO, (4,)),
        (END, (4,)),
        (CLAIM, (len(OBJECTIVES),)),
        (SKIP, ()),
        (PASS, ()),
        (PLACE, (NODES, VARIANTS, 4)),
        (STEP_BACK, ()),
    ]

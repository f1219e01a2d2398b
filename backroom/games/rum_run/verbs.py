"""The ranges of move numbers that a learner chooses from."""

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
    """Tokens; actions on nodes; tokens on nodes with the end that links first and its direction."""
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

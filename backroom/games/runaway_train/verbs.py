"""The ranges of move numbers that a learner chooses from."""

from collections.abc import Mapping

from .pieces import SUITCASES
from .rules.state import BLUFF, CONDUCTOR, JUMP, LEAVE, PASS, PASSENGER, STAY, TAKE_SHORT


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """The track, the choices of a round with their suitcases, and jumping off."""
    return [
        (TAKE_SHORT, (2,)),
        *((move, ()) for move in (PASS, BLUFF, LEAVE)),
        *((first, (SUITCASES,)) for first in (PASSENGER, CONDUCTOR)),
        *((move, ()) for move in (JUMP, STAY)),
    ]

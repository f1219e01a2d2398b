"""The ranges of move numbers that a learner chooses from."""

from collections.abc import Mapping

from .pieces import POINTS
from .rules import STEP


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """Steps: a point and a distance."""
    return [(STEP, (POINTS, 6))]

"""What a learner chooses from: the runs of move numbers that seats have."""

from collections.abc import Mapping

from .pieces import POINTS
from .rules import STEP


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """Steps: from a point, so far."""
    return [(STEP, (POINTS, 6))]

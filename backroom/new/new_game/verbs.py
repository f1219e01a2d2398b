"""What a learner chooses from in New Game: the runs of move numbers that seats have."""

from collections.abc import Mapping

from .pieces import CARDS
from .rules import BID


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """A bid of any card."""
    return [(BID, (CARDS,))]

"""What a learner chooses from: the runs of move numbers that seats have."""

from collections.abc import Mapping

from .pieces import CARDS
from .rules import BID


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """Bids: a card."""
    return [(BID, (CARDS,))]

"""The ranges of move numbers that a learner chooses from."""

from collections.abc import Mapping

from .pieces import CARDS
from .rules import BID


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """Bids: a card."""
    return [(BID, (CARDS,))]

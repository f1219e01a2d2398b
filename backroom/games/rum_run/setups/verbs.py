"""The ranges of move numbers that a learner chooses from."""

from collections.abc import Mapping

from backroom.games.rum_run.pieces import SIDE

from .rules import AT, EVENT, EVENTS_THERE, OBJECTIVE, OBJECTIVES_THERE, RESIZE, SIZES, TAKE


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """The steps that are one word; then sizes, things out of the box, cards, and nodes by their row and column."""
    return [
        *((move, ()) for move in range(RESIZE)),
        (RESIZE, (SIZES,)),
        (TAKE, (EVENT - TAKE,)),
        (EVENT, (EVENTS_THERE,)),
        (OBJECTIVE, (OBJECTIVES_THERE,)),
        (AT, (SIDE, SIDE)),
    ]

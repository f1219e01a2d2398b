"""The ranges of move numbers that a learner chooses from."""

from collections.abc import Mapping

from .pieces import AT_LOCATION, BOOZES, LOCATIONS, MOST_SEATS
from .rules.state import EVENT, EVENT_CARD, EVENT_SEAT, GO, NAME_BOOZE, NOTHING, PASS, STEAL, TAIL, TAKE_CARD

CARD = (LOCATIONS, AT_LOCATION)


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """Places, cards by their place and their number there, seats, and kinds of booze."""
    return [
        (GO, (LOCATIONS,)),
        (TAKE_CARD, CARD),
        (EVENT, ()),
        (EVENT_SEAT, (MOST_SEATS,)),
        (EVENT_CARD, CARD),
        (TAIL, (MOST_SEATS,)),
        (STEAL, CARD),
        (NAME_BOOZE, (BOOZES,)),
        (NOTHING, ()),
        (PASS, ()),
    ]

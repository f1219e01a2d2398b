"""The ranges of move numbers that a learner chooses from."""

from collections.abc import Mapping

from .pieces import CANVAS, CARDS, PLANE, TILES
from .rules.state import BACK, DRAW, LAY, PASS, PLACE, TAKE


def verbs(options: Mapping[str, str]) -> list[tuple[int, tuple[int, ...]]]:
    """Cards by their colour and what they show, and what is done with them; tiles only where players place the land."""
    return [
        (TAKE, (CARDS // PLANE, PLANE)),
        *((move, ()) for move in (LAY, DRAW, PASS)),
        *([(PLACE, (TILES, CANVAS, CANVAS))] if options["zoning"] == "controlled" else []),
        (BACK, ()),
    ]

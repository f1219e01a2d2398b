"""Reflexes: the moves that bots make at once although they are not asked, such as claims out of turn."""

from collections.abc import Callable, Mapping
from typing import Any

from backroom.engine.game import Game
from backroom.engine.kernel import UNKNOWN
from backroom.engine.protocol import Seat, State


def reflex_of(bot: str, game: Game) -> Any:
    """The game's kernel `reflex(v, seat) -> move` for a bot of this name; None if there is none, and for `random`."""
    return None if bot == "random" else getattr(game.rules, "reflex", None)


def seat_with_reflex(game: Game, bots: Mapping[Seat, str], view: Callable[[Seat], State]) -> Seat | None:
    """The lowest of these seats, which are not asked, whose bot moves at once; `view` gives each seat's view."""
    for seat in sorted(bots):
        reflex = reflex_of(bots[seat], game)
        if reflex is not None and reflex(view(seat), seat) != UNKNOWN:
            return seat
    return None

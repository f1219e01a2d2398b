"""Our bots as opponents in an environment: the one place where the gym asks them."""

from collections.abc import Sequence
from typing import Any

from backroom import bots
from backroom.engine.game import BadOption, Game, Move, Seat, State

SEEDS = 1 << 48


class Opponents:
    """A bot for every seat but one."""

    def __init__(self, game: Game, seats: int, seat: Seat, names: str | Sequence[str]) -> None:
        if seat not in range(seats):
            raise BadOption(f"seat cannot be {seat!r}; this table has seats 0 to {seats - 1}")
        chosen = [names] * (seats - 1) if isinstance(names, str) else list(names)
        if len(chosen) == 1:
            chosen *= seats - 1
        if len(chosen) != seats - 1:
            raise BadOption(f"there are {seats - 1} opponents at this table, and {len(chosen)} were named")
        self._bots: dict[Seat, Any] = {}
        for other, name in zip((s for s in range(seats) if s != seat), chosen, strict=True):
            self._bots[other] = bots.bot(name, game)
        self._game = game

    def answer(self, v: State, seat: Seat, seed: int) -> Move:
        """What the bot at that seat plays, in the view of its seat."""
        return int(self._bots[seat].answer(v, seat, seed % SEEDS))

"""Bots as opponents in an environment."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from backroom.bots import bot_or_file
from backroom.bots.memory import MEMORY
from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.protocol import Move, Seat, State
from backroom.gym.batch import is_whole

SEEDS = 1 << 48


class Opponents:
    """A bot for every seat but one, with a memory for each table and seat.

    It moves only when its seat is asked, without reflexes: claims out of turn are offered to nobody in an environment.
    """

    def __init__(self, game: Game, seats: int, seat: Seat, names: str | Sequence[str]) -> None:
        if not is_whole(seat) or seat not in range(seats):
            raise BadOption(f"seat cannot be {seat!r}; this table has seats 0 to {seats - 1}")
        chosen = [names] * (seats - 1) if not isinstance(names, Sequence) or isinstance(names, str) else list(names)
        for name in chosen:
            if not isinstance(name, str):
                raise BadOption(f"an opponent cannot be {name!r}; it is the name of a bot, or a file of train/ppo.py")
        if len(chosen) == 1:
            chosen *= seats - 1
        if len(chosen) != seats - 1:
            raise BadOption(f"there are {seats - 1} opponents at this table, and {len(chosen)} were named")
        others = (other for other in range(seats) if other != seat)
        self._of = game, seats, seat, names
        self._bots = {other: bot_or_file(name, game) for other, name in zip(others, chosen, strict=True)}
        self._memories: dict[tuple[int, Seat], Any] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> "Opponents":
        """The same bots with memories of their own."""
        other = copy.copy(self)
        other._memories = copy.deepcopy(self._memories, memo)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return Opponents, self._of, {at: memory.tobytes() for at, memory in self._memories.items()}

    def __setstate__(self, kept: dict[tuple[int, Seat], bytes]) -> None:
        self._memories = {at: np.ndarray(1, MEMORY, bytearray(memory))[0] for at, memory in kept.items()}

    def answer(self, v: State, seat: Seat, seed: int, table: int = 0) -> Move:
        """The move of the bot in that seat, for the view of its seat."""
        bot = self._bots[seat]
        if (table, seat) not in self._memories:
            self._memories[table, seat] = bot.memory()
        return int(bot.answer(v, seat, seed % SEEDS, self._memories[table, seat]))

    def forget(self, table: int) -> None:
        """Drop the memories of a table, because a new game begins."""
        for seat in self._bots:
            self._memories.pop((table, seat), None)

    def forget_all(self) -> None:
        """Drop the memories of all tables."""
        self._memories.clear()

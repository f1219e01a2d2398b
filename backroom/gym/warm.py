"""Ahead-of-time compilation of the kernels that batches of a game need, by using them once."""

import functools
from collections.abc import Callable, Iterator

from backroom.engine.game import Game
from backroom.gym.batch import Batch

KINDS: dict[str, dict[str, bool]] = {"gym, seat by seat": {}, "gym, together": {"together": True}}
"""The kinds of batches that adapters use: a description, and arguments of `Batch`."""


def steps(game: Game) -> Iterator[tuple[str, Callable[[], object]]]:
    """The steps of compilation: a description and a function for each."""
    for said, how in KINDS.items():
        yield said, functools.partial(_use, game, how)


def _use(game: Game, how: dict[str, bool]) -> None:
    batch = Batch(game, n=1, together=how.get("together", False))
    batch.reset(0)
    batch.step(batch.sample())

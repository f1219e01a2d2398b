"""Compiling ahead what the gym needs of a game, by using it once."""

import functools
from collections.abc import Callable, Iterator

from backroom.engine.game import Game
from backroom.gym.batch import Batch

KINDS: dict[str, dict[str, bool]] = {"gym, seat by seat": {}, "gym, together": {"together": True}}
"""The batches that adapters make, in words and as `Batch` is told."""


def steps(game: Game) -> Iterator[tuple[str, Callable[[], object]]]:
    """What there is to compile, in words, and how to do it."""
    for said, how in KINDS.items():
        yield said, functools.partial(_use, game, how)


def _use(game: Game, how: dict[str, bool]) -> None:
    batch = Batch(game, n=1, together=how.get("together", False))
    batch.reset(0)
    batch.step(batch.sample())

"""New tasks for one-player games, such as numbered puzzles: made in advance, in a thread of their own."""

import asyncio
import secrets
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import structlog

from backroom.engine.game import Game
from backroom.engine.options import BadOption, Option
from backroom.server.background import background_threads

log = structlog.get_logger()

P = ParamSpec("P")
T = TypeVar("T")
NUMBERS = 1_000_000
"""The number of seeds from which new tasks are drawn."""


class NewTasks:
    """Offers everybody the same new task of each series, and makes it in advance.

    Another takes its place only when somebody begins it, so that repeated requests do not make more tasks.
    """

    def __init__(self) -> None:
        self.pool = background_threads(1, "maker")
        self._offered: dict[tuple[str, str], str] = {}

    def offered(self, game: Game, option: Option) -> list[str]:
        """A new task of each series."""
        return [self._offered.get((game.name, word)) or self._offer(game.name, option, word) for word in option.series]

    def taken(self, game: Game, option: Option, value: str) -> None:
        """Note that somebody has begun a task; if it was offered, offer another."""
        for word in option.series:
            if self._offered.get((game.name, word)) == value:
                self._offer(game.name, option, word)

    async def make(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that may have to make a task, in the same thread, so that nothing else waits for it."""
        return await asyncio.wrap_future(self.pool.submit(work, *args, **kwargs))

    def close(self) -> None:
        """Shut the thread down and cancel the work that has not begun."""
        self.pool.shutdown(wait=False, cancel_futures=True)

    def _offer(self, name: str, option: Option, word: str) -> str:
        value = self._offered[name, word] = f"{word} {secrets.randbelow(NUMBERS) + 1}"
        self.pool.submit(_made, option, value)
        return value


def makes_tasks(game: Game) -> bool:
    """Whether an option of the game has values that are made on request, which takes a while."""
    return any(option.series for option in game.options)


def _made(option: Option, value: str) -> None:
    """Make a task; the game caches what it has made (`Option.read`)."""
    try:
        option.settle(value)
    except BadOption as error:
        log.warning("a new task could not be made", value=value, why=str(error))

"""The threads in which bots and judges think, separate from each other and from those of the database.

They are separate so that neither pages nor moves wait for a bot.
"""

import asyncio
import contextlib
import os
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, Protocol, TypeVar

from backroom import bots
from backroom.bots import Bot, Judge
from backroom.engine.game import Game
from backroom.server.background import background_threads
from backroom.server.errors import Refused

P = ParamSpec("P")
T = TypeVar("T")
TURNS = 4
"""Bots that get a turn in one iteration of the event loop.

With a thousand tables a great many bots answer at once, and other requests would have to wait for all of them.
"""
MOST_HINTS = 8
"""Most hints that people at one address may wait for."""


class BotProvider(Protocol):
    """A source of bots and judges for a server."""

    def bot(self, name: str, game: Game) -> Bot:
        """The bot of that name for a game; BadOption if there is none."""

    def judge(self, game: Game) -> Judge:
        """The judge that evaluates moves, for hints and analyses."""


class HouseBots:
    """The bots and judges of this package."""

    def bot(self, name: str, game: Game) -> Bot:
        return bots.bot(name, game)

    def judge(self, game: Game) -> Judge:
        return bots.judge_of(game)


HOUSE_BOTS = HouseBots()


class Turns:
    """A queue that admits a few waiting tasks in each iteration of the event loop, first come, first served.

    Between two iterations the loop handles other requests.
    """

    def __init__(self, most: int = TURNS) -> None:
        self.most = most
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def mine(self) -> None:
        """Wait for a turn."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._let_on, loop)
        turn = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _let_on(self, loop: asyncio.AbstractEventLoop) -> None:
        for _ in range(min(self.most, len(self._waiting))):
            turn = self._waiting.popleft()
            if not turn.done():  # it may have been cancelled
                turn.set_result(None)
        if self._waiting:
            loop.call_soon(self._let_on, loop)


class OneEach:
    """Lets each person have one thing done at a time, and refuses an address for which too many are wanted already."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._locks: dict[str, asyncio.Lock] = {}
        self._wanted: Counter[str] = Counter()

    @contextlib.asynccontextmanager
    async def turn(self, person: str, address: str) -> AsyncIterator[None]:
        """Wait for the person's turn, and keep it."""
        if self._wanted[address] >= self.most:
            raise Refused("too many wait for that at your address; wait a moment", 429, "too-often")
        self._wanted.update((person, address))
        try:
            async with self._locks.setdefault(person, asyncio.Lock()):
                yield
        finally:
            self._wanted.subtract((person, address))
            for name in (person, address):
                if not self._wanted[name]:
                    del self._wanted[name]
                    self._locks.pop(name, None)


class Thinking:
    """Bots, judges, and their threads."""

    def __init__(self, provider: BotProvider, seconds: float | None) -> None:
        self.provider = provider
        self.seconds = seconds
        """Wall time that a bot has for a move, multiplied by its patience; None: as long as its plan says."""
        self.turns = Turns()
        """The bots' queue for work on the event loop: reading the table, and making a move."""
        self.hints = OneEach(MOST_HINTS)
        self._bots = background_threads(os.cpu_count(), "bot")
        self._judges = background_threads(max(1, (os.cpu_count() or 1) // 2), "judge")

    async def as_bot(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in the bots' threads."""
        return await asyncio.wrap_future(self._bots.submit(work, *args, **kwargs))

    async def as_judge(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in the judges' threads."""
        return await asyncio.wrap_future(self._judges.submit(work, *args, **kwargs))

    @property
    def pools(self) -> dict[str, ThreadPoolExecutor]:
        """The thread pools by name."""
        return {"bots": self._bots, "judges": self._judges}

    def close(self) -> None:
        """Shut the threads down and cancel the work that has not begun."""
        for pool in (self._bots, self._judges):
            pool.shutdown(wait=False, cancel_futures=True)


def warm(provider: BotProvider, game: Game) -> None:
    """Load the kernels of all offered bots and of the judge, by asking each about a first position."""
    table = game.table(seed=0)
    if not table.is_over:
        seat = table.asked[0]
        v: Any = table.view(seat)
        for name in bots.offered(game):
            provider.bot(name, game).answer(v, seat, 0)
        provider.judge(game).view(v, seat, 0)

"""Who thinks for a server, and where: bots and judges in threads of their own, apart from each other and from the
database, so that no page and no move waits for a thought.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, Protocol, TypeVar

from backroom import bots
from backroom.bots import Bot, Judge
from backroom.engine.game import Game
from backroom.server.background import background_threads

P = ParamSpec("P")
T = TypeVar("T")
TURNS = 4
"""How many bots have their turn in one round of the event loop. Of a thousand tables very many bots answer at once, and
whoever asks for something meanwhile would wait for all of them.
"""


class BotProvider(Protocol):
    """Where a server has its bots and judges from."""

    def bot(self, name: str, game: Game) -> Bot:
        """The bot of that name for a game; BadOption says why there is none."""

    def judge(self, game: Game) -> Judge:
        """Who says what moves are worth, for hints and analyses."""


class HouseBots:
    """Those of this package."""

    def bot(self, name: str, game: Game) -> Bot:
        return bots.bot(name, game)

    def judge(self, game: Game) -> Judge:
        return bots.judge_of(game)


HOUSE_BOTS = HouseBots()


class Turns:
    """Lets those who come to the event loop on as they came, a few in each of its rounds: between two rounds it hears
    what people want.
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
            if not turn.done():  # somebody may have stopped waiting
                turn.set_result(None)
        if self._waiting:
            loop.call_soon(self._let_on, loop)


class Thinking:
    """Bots, judges, and the threads that they think in."""

    def __init__(self, provider: BotProvider, seconds: float | None) -> None:
        self.provider = provider
        self.seconds = seconds
        """Wall time that a bot has for a move, from when it is asked, times its patience; None: as long as its plan
        says.
        """
        self.turns = Turns()
        """Of bots, for what they do on the event loop: to look at the table, and to make a move."""
        self._bots = background_threads(os.cpu_count(), "bot")
        self._judges = background_threads(max(1, (os.cpu_count() or 1) // 2), "judge")

    async def as_bot(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run something where bots think."""
        return await asyncio.wrap_future(self._bots.submit(work, *args, **kwargs))

    async def as_judge(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run something where judges think."""
        return await asyncio.wrap_future(self._judges.submit(work, *args, **kwargs))

    @property
    def pools(self) -> dict[str, ThreadPoolExecutor]:
        """The threads, by who thinks in them."""
        return {"bots": self._bots, "judges": self._judges}

    def close(self) -> None:
        """Begin no more thoughts."""
        for pool in (self._bots, self._judges):
            pool.shutdown(wait=False, cancel_futures=True)


def warm(provider: BotProvider, game: Game) -> None:
    """Let the bots that people are offered, and the judge, look at a first position, so that nobody waits while their
    kernels are read.
    """
    table = game.table(seed=0)
    if not table.is_over:
        seat = table.asked[0]
        v: Any = table.view(seat)
        for name in bots.offered(game):
            provider.bot(name, game).answer(v, seat, 0)
        provider.judge(game).view(v, seat, 0)

"""Games looked at afterwards: what each decision cost and who was lucky, worked out once for everybody who asks."""

import asyncio
import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from cachetools import LRUCache

from backroom.arena.analysis import analyse
from backroom.engine.table import Table
from backroom.server.errors import Refused
from backroom.server.tables.thinking import BotProvider

KEPT = 100
"""Games whose analysis is remembered."""
SECONDS = 30.0
"""The longest that one may take; `backroom analyse` takes all the time it needs."""


class TooLong(Exception):
    """An analysis has taken all the time that it may have."""


class Analyses:
    """Worked out by threads of their own, each for a limited time; of one person one at a time, so that nobody waits
    for all the games of somebody else.
    """

    def __init__(self, provider: BotProvider, seconds: float = SECONDS) -> None:
        self.provider = provider
        self.seconds = seconds
        self._threads = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2), "analysis")
        self._found: LRUCache[str, dict[str, Any] | Refused] = LRUCache(KEPT)
        self._running: dict[str, asyncio.Task[dict[str, Any] | Refused]] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._waiting: Counter[str] = Counter()

    async def of(self, name: str, table: Table, who: str) -> dict[str, Any]:
        """The analysis of a game, under its table's name, for somebody; Refused if it takes too long."""
        found = self._found.get(name)
        if found is None:
            self._waiting[who] += 1
            try:
                async with self._turns.setdefault(who, asyncio.Lock()):
                    found = self._found.get(name) or await asyncio.shield(self._task(name, table))
            finally:
                self._waiting[who] -= 1
                if not self._waiting[who]:
                    del self._waiting[who], self._turns[who]
        if isinstance(found, Refused):
            raise found
        assert found is not None
        return found

    @property
    def pool(self) -> ThreadPoolExecutor:
        return self._threads

    @property
    def queued(self) -> int:
        """How many are asked for and not done."""
        return sum(self._waiting.values())

    def _task(self, name: str, table: Table) -> "asyncio.Task[dict[str, Any] | Refused]":
        """Those who ask for the same game wait for the same work."""
        if name not in self._running:
            self._running[name] = asyncio.get_running_loop().create_task(self._work(name, table))
        return self._running[name]

    async def _work(self, name: str, table: Table) -> dict[str, Any] | Refused:
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._threads, self._analysed, table)
            self._found[name] = found
            return found
        finally:
            del self._running[name]

    def _analysed(self, table: Table) -> dict[str, Any] | Refused:
        end = time.monotonic() + self.seconds

        def told(number: int) -> None:
            if time.monotonic() > end:
                raise TooLong

        try:
            return analyse(table, self.provider.judge(table.game), told).as_json()
        except TooLong:
            why = "this game takes too long to be analysed here; `backroom analyse` takes all the time it needs"
            return Refused(why, 422, "too-long")

    def close(self) -> None:
        """Begin no more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

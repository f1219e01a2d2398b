"""Analyses of finished games: what each decision cost and who was lucky.

Each is computed once, shown while it is in progress, and stored.
"""

import asyncio
import base64
import os
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
from cachetools import LRUCache

from backroom.arena.analysis import Analysis, Chance, Decision, judged
from backroom.engine.table import Table
from backroom.server.background import background_threads
from backroom.server.tables.thinking import BotProvider

REMEMBERED = 100
"""Analyses kept in memory."""
SECONDS = 60.0
"""Most seconds for one analysis; `backroom analyse` has no limit."""
TOO_LONG = "The rest takes too long to be analysed here; `backroom analyse` takes all the time it needs."


def packed(found: dict[str, Any]) -> str:
    """An analysis in the form that is stored."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(found), 6)).decode()


def unpacked(text: str) -> dict[str, Any]:
    return msgspec.json.decode(zlib.decompress(base64.b64decode(text)), type=dict[str, Any])


class Progress:
    """The part of an analysis that has been computed so far."""

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        self.table, self.names = table, names
        self.lines = len(table.lines)
        self.done = 0
        """Lines that have been analysed."""
        self.found = Analysis(table, [], [])

    def take(self, number: int, found: Decision | Chance | None) -> None:
        """Add the result for a line. Other threads may read at any time: the lists only grow."""
        if isinstance(found, Decision):
            self.found.decisions.append(found)
        elif found is not None:
            self.found.chances.append(found)
        self.done = number

    def as_json(self) -> dict[str, Any]:
        done = self.done  # read first, so that the lists have at least this many lines
        return {**self.found.as_json(self.names), "done": done, "of": self.lines}


class Analyses:
    """Computes analyses in threads of its own, each for a limited time.

    One person's requests run one at a time, so that nobody waits for all the games of somebody else.
    """

    def __init__(
        self,
        provider: BotProvider,
        seconds: float = SECONDS,
        keep: Callable[[str, str], Awaitable[None]] | None = None,
        kept: Callable[[str], Awaitable[str | None]] | None = None,
    ) -> None:
        self.provider = provider
        self.seconds = seconds
        self._keep, self._kept = keep, kept
        self.pool = background_threads(max(1, (os.cpu_count() or 1) // 2), "analysis")
        self._found: LRUCache[str, dict[str, Any]] = LRUCache(REMEMBERED)
        self._running: dict[str, asyncio.Task[dict[str, Any]]] = {}
        self._progress: dict[str, Progress] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._waiting: Counter[str] = Counter()

    async def known(self, name: str) -> dict[str, Any] | None:
        """The finished analysis of a table, from memory or from the database; None if there is none."""
        found = self._found.get(name)
        if found is None and self._kept is not None and (text := await self._kept(name)) is not None:
            found = self._found[name] = await asyncio.to_thread(unpacked, text)
        return found

    async def of(self, name: str, table: Table, who: str, names: Sequence[str] = ()) -> dict[str, Any]:
        """Wait for the analysis of a game, with these names in its texts. If time ran out, `wrong` says so."""
        found = await self.known(name)
        if found is not None:
            return found
        self._waiting[who] += 1
        try:
            async with self._turns.setdefault(who, asyncio.Lock()):
                found = await self.known(name)
                return await asyncio.shield(self._task(name, table, names)) if found is None else found
        finally:
            self._waiting[who] -= 1
            if not self._waiting[who]:
                del self._waiting[who], self._turns[who]

    def begun(self, name: str) -> dict[str, Any] | None:
        """The part computed so far of an analysis in progress; None if none is. Other threads may ask."""
        at = self._progress.get(name)
        return None if at is None else at.as_json()

    def forget(self, name: str) -> None:
        """Forget an analysis, which may name a person who was deleted."""
        self._found.pop(name, None)

    @property
    def queued(self) -> int:
        """The number of analyses requested and not finished."""
        return sum(self._waiting.values())

    def _task(self, name: str, table: Table, names: Sequence[str]) -> "asyncio.Task[dict[str, Any]]":
        """The task that analyses a game, shared by all who ask for it."""
        if name not in self._running:
            self._running[name] = asyncio.get_running_loop().create_task(self._work(name, table, names))
        return self._running[name]

    async def _work(self, name: str, table: Table, names: Sequence[str]) -> dict[str, Any]:
        at = self._progress[name] = Progress(table, names)
        try:
            whole = await asyncio.get_running_loop().run_in_executor(self.pool, self._look, at)
            self._found[name] = whole
            if self._keep is not None and "wrong" not in whole:
                await self._keep(name, await asyncio.to_thread(packed, whole))
            return whole
        finally:
            del self._running[name], self._progress[name]

    def _look(self, at: Progress) -> dict[str, Any]:
        """Analyse line by line within the time limit; `wrong` says why it stopped before the end."""
        end = time.monotonic() + self.seconds
        for number, found in judged(at.table, self.provider.judge(at.table.game)):
            at.take(number, found)
            if time.monotonic() > end and number < at.lines:
                return {**at.as_json(), "wrong": TOO_LONG}
        return at.as_json()

    def close(self) -> None:
        """Shut the threads down and cancel the work that has not begun."""
        self.pool.shutdown(wait=False, cancel_futures=True)

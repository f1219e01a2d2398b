"""Games looked at afterwards: what each decision cost and who was lucky, worked out once for whoever asks."""

import asyncio
from typing import Any

from backroom.arena.analysis import analyse
from backroom.engine.table import Table
from backroom.server.tables.thinking import Thinking

KEPT = 100
"""Of how many games what was found is remembered."""


class Analyses:
    """One after the other: they take all the time that they are given."""

    def __init__(self, thinking: Thinking) -> None:
        self.thinking = thinking
        self.found: dict[str, dict[str, Any]] = {}
        self.turn = asyncio.Lock()

    async def of(self, name: str, table: Table) -> dict[str, Any]:
        async with self.turn:
            if name not in self.found:
                provider = self.thinking.provider
                found = await self.thinking.as_judge(lambda: analyse(table, provider.judge(table.game)))
                self.found = dict([*self.found.items(), (name, found.as_json())][-KEPT:])
            return self.found[name]

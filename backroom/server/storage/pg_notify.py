"""Notifications between processes on the same PostgreSQL, by LISTEN and NOTIFY."""

import asyncio

import psycopg
import psycopg.sql
import structlog

from backroom.server.storage.store import Store
from backroom.server.tables.live import LiveTables

log = structlog.get_logger()

Connection = psycopg.AsyncConnection[tuple[object, ...]]
AGAIN = 1.0
"""Seconds before a lost connection is opened again."""


class PgNotify:
    """Listens for entries written by other processes. What it missed while disconnected is read from the journals."""

    def __init__(self, store: Store, tables: LiveTables, channel: str) -> None:
        self.url = store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self.tables = tables
        self.channel = channel
        self._words: asyncio.Queue[str] = asyncio.Queue(1000)

    def say(self, word: str) -> None:
        """Queue a message that is not stored; it is dropped if the queue is full."""
        if not self._words.full():
            self._words.put_nowait(word)

    async def listen(self) -> None:
        """Listen for as long as the server runs, reconnecting after errors."""
        while True:
            try:
                await self._listen_once()
            except Exception as error:  # reconnect after any error: a process that does not listen shows stale tables
                log.warning("not listening to other processes", why=repr(error))
            await asyncio.sleep(AGAIN)

    async def _listen_once(self) -> None:
        """Listen and speak until one of the two connections fails."""
        async with await self._connected() as ears, await self._connected() as mouth:
            await ears.execute(psycopg.sql.SQL("listen {}").format(psycopg.sql.Identifier(self.channel)))
            for live in list(self.tables.live.values()):
                self.tables.start(live.follow())
            async with asyncio.TaskGroup() as both:
                both.create_task(self._speak(mouth))
                both.create_task(self._hear(ears))

    async def _connected(self) -> Connection:
        return await psycopg.AsyncConnection.connect(self.url, autocommit=True)

    async def _hear(self, ears: Connection) -> None:
        async for heard in ears.notifies():
            self.tables.hear(heard.payload)

    async def _speak(self, mouth: Connection) -> None:
        while True:
            word = await self._words.get()
            await mouth.execute("select pg_notify(%s, %s)", (self.channel, word[:7000]))

"""The lobby's streams: subscribers get changes to the lists of tables. Lists that all see are rendered once."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection
from typing import Any

from backroom.server.http.table_lists import others_of, own_tables, public_tables
from backroom.server.people.accounts import Person
from backroom.server.services import Services
from backroom.server.storage import queries
from backroom.server.tables.audience import Listener, event
from backroom.server.tables.live import RETRY
from backroom.server.tables.messages import encode

MOST = 5000
"""Most streams of one process; pages beyond that poll the lists."""
MOST_OF_ONE = 8
"""Most streams of one person."""
MOST_BEHIND = 8
"""Messages that may wait for a slow subscriber: lists are long, and only the latest of each is valid."""
MOST_UNKNOWN = 200
"""Most tables written by other processes, in one round, whose players are looked up."""
GATHER = 0.3
"""Seconds for which changes are collected before they are published."""
PICTURES, PICTURES_EACH = 2.0, 0.02
"""Seconds between two messages about changed boards: at least, and for each stream.

Every subscriber then requests the pictures, so more subscribers are told less often.
"""
STRANGERS = ""
"""The key of subscribers without an account, who all see the same."""
BEAT = event(b"{}", name="beat")
"""The heartbeat event, by which a page sees that its stream is alive."""


class LobbyStreams:
    """All subscribers to the lobby in this process."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.listeners: dict[str, set[Listener]] = {}
        """Streams by the person's id."""
        self._people: dict[str, Person] = {}
        self._own: dict[str, set[str]] = {}
        """The ids of all tables of each subscribed person."""
        self._said: dict[str, dict[str, bytes]] = {}
        """The last message to each person, by list."""
        self._tables: set[str] = set()
        self._unknown: set[str] = set()
        self._affected: set[str] = set()
        self._is_listed = False
        self._timer: asyncio.TimerHandle | None = None
        self._is_telling = False
        self._seen: set[str] = set()
        """Public tables whose boards have changed since the last message."""
        self._pictures: asyncio.TimerHandle | None = None

    # subscribing

    def has_room(self, person: Person | None) -> bool:
        """Whether another stream may be opened."""
        mine = self.listeners.get(person.id, ()) if person else ()
        return sum(map(len, self.listeners.values())) < MOST and len(mine) < MOST_OF_ONE

    @contextlib.asynccontextmanager
    async def listening(self, person: Person | None) -> AsyncIterator[Listener]:
        """Open a stream of the lists as this person sees them: all of them first, then those that change."""
        key = STRANGERS if person is None else person.id
        listener = Listener(None if person is None else person.id)
        self.listeners.setdefault(key, set()).add(listener)
        if person is not None:
            self._people[key] = person
        try:
            listener.waiting = [RETRY, *await self._whole(key), *listener.waiting]
            yield listener
        finally:
            self._drop(key, listener)

    def _drop(self, key: str, listener: Listener) -> None:
        found = self.listeners.get(key)
        if found is not None:
            found.discard(listener)
            if not found:
                for kept in (self.listeners, self._people, self._own, self._said):
                    kept.pop(key, None)

    async def _whole(self, key: str) -> list[bytes]:
        listed = await public_tables(self.services)
        return [await self._mine(key), self._others(listed, self._own.get(key, set()))]

    async def _mine(self, key: str) -> bytes:
        if key not in self._people:
            return self._message("mine", self._macros.own([], []))
        own, tables = await own_tables(self.services, self._people[key])
        if key in self.listeners:  # the last stream may have closed meanwhile
            self._own[key] = tables
        return self._message("mine", self._macros.own(own["moves"], own["mine"]))

    def _others(self, listed: list[dict[str, Any]], own: Collection[str]) -> bytes:
        found = others_of(listed, own)
        return self._message("others", self._macros.others(found["to_join"], found["to_watch"]))

    @property
    def _macros(self) -> Any:
        return self.services.pages.get_template("tables.html").module

    def _message(self, part: str, html: object) -> bytes:
        return event(encode({"part": part, "html": str(html)}), name="list")

    # publishing

    def notice(self, table: str, people: Collection[str] | None, is_listed: bool, is_seen: bool = False) -> None:
        """Report a change at a table where these people sit (None: not known, another process wrote it).

        `is_listed`: its entry in the public lists may have changed too. `is_seen`: it is public, and the change is
        visible to spectators.
        """
        if not self.listeners:
            return
        if is_seen:
            self._seen.add(table)
            if self._pictures is None:
                gap = max(PICTURES, PICTURES_EACH * sum(map(len, self.listeners.values())))
                self._pictures = asyncio.get_running_loop().call_later(gap, self._tell_boards)
        self._tables.add(table)
        if people is None:
            self._unknown.add(table)
        else:
            self._affected.update(self.listeners.keys() & people)
        self._is_listed = self._is_listed or is_listed
        self._wind()

    def _wind(self) -> None:
        if self._timer is None and not self._is_telling:
            self._timer = asyncio.get_running_loop().call_later(GATHER, self._start)

    def _start(self) -> None:
        self._timer, self._is_telling = None, True
        self.services.tables.start(self._tell_all())

    def _tell_boards(self) -> None:
        """Publish which tables have new boards; pages that show an old one request it again."""
        self._pictures = None
        message = event(encode({"tables": sorted(self._seen)}), name="boards")
        self._seen.clear()
        for key in list(self.listeners):
            self._send(key, message)

    async def _tell_all(self) -> None:
        """Publish the collected changes. If that fails, close all streams, so that no subscriber misses anything."""
        try:
            await self._tell()
        except BaseException:
            self.close()
            raise
        finally:
            self._is_telling = False
        if self._tables:
            self._wind()

    async def _tell(self) -> None:
        tables, unknown, people, is_listed = self._tables, self._unknown, self._affected, self._is_listed
        self._tables, self._unknown, self._affected, self._is_listed = set(), set(), set(), False
        if unknown:
            some = sorted(unknown)[:MOST_UNKNOWN]
            people |= await self.services.store.read(lambda conn: queries.people_at(conn, some))
        for key in [key for key in self._people if key in people or not tables.isdisjoint(self._own.get(key, ()))]:
            self._say(key, "mine", await self._mine(key))
        if is_listed:
            listed = await public_tables(self.services)
            ids = {row["id"] for row in listed}
            usual = self._others(listed, ())
            for key in list(self.listeners):
                own = self._own.get(key, set()) & ids
                self._say(key, "others", self._others(listed, own) if own else usual)

    def _say(self, key: str, part: str, message: bytes) -> None:
        """Send a message to all streams of a person, unless it repeats the last; slow streams are closed."""
        if key not in self.listeners:
            return
        said = self._said.setdefault(key, {})
        if said.get(part) != message:
            said[part] = message
            self._send(key, message)

    def _send(self, key: str, message: bytes) -> None:
        for listener in list(self.listeners[key]):
            if len(listener.waiting) >= MOST_BEHIND or not listener.tell(message):
                listener.leave()

    def beat(self) -> None:
        """Send a heartbeat to every stream."""
        for key in list(self.listeners):
            self._send(key, BEAT)

    def close(self) -> None:
        """Close all streams; their readers reconnect, to this process or another."""
        if self._pictures is not None:
            self._pictures.cancel()
            self._pictures = None
        for listeners in self.listeners.values():
            for listener in listeners:
                listener.close()

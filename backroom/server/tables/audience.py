"""Subscribers who share one seat's view: each message is encoded once for all of them."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from backroom.engine.protocol import Seat, State
from backroom.scene.patch import Picture
from backroom.server.tables import messages, timeouts
from backroom.server.tables.packing import packed
from backroom.server.tables.state import Change, TableState

MOST_WAITING = 256
"""Messages that may wait for a slow subscriber before it is disconnected."""
KEPT = 12
"""Recent messages kept for subscribers who reconnect."""
MOST_TOLD = 80
"""Sentences of the story in a first message."""


class Listener:
    """One open stream."""

    __slots__ = ("_wake", "is_closed", "person", "waiting", "write_now")

    def __init__(self, person: str | None) -> None:
        self.person = person
        self.waiting: list[bytes] = []
        self.is_closed = False
        self.write_now: Callable[[bytes], bool] | None = None
        """Writes to the connection immediately; returns whether it could. None until the stream has begun."""
        self._wake: asyncio.Future[None] | None = None

    def tell(self, message: bytes) -> bool:
        """Send a message, immediately if none is waiting; returns False if too many are waiting."""
        is_idle = self._wake is not None and not self._wake.done()
        if is_idle and self.write_now is not None and self.write_now(message):
            return True
        if len(self.waiting) >= MOST_WAITING:
            return False
        self.waiting.append(message)
        self._stir()
        return True

    def close(self) -> None:
        """End the stream after the messages that are waiting."""
        self.is_closed = True
        self._stir()

    def leave(self) -> None:
        """End the stream and discard the messages that are waiting: the reader is gone."""
        self.waiting.clear()
        self.close()

    def _stir(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def heard(self) -> bytes:
        """Wait for messages and return them joined; empty once the stream is closed."""
        while not self.waiting and not self.is_closed:
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        told = b"".join(self.waiting)
        self.waiting.clear()
        return told


def event(data: bytes, count: int | None = None, name: str = "") -> bytes:
    """A server-sent event: one with a count can be resumed from, any other has a name."""
    if count is not None:
        return b"id: %d\ndata: %b\n\n" % (count, data)
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)


class Audience:
    """Subscribers who share one seat's view, either people (pictures) or programs (names of moves)."""

    def __init__(self, state: TableState, reader: Seat, for_programs: bool) -> None:
        self.reader = reader
        self.for_programs = for_programs
        self.listeners: set[Listener] = set()
        self.recent: deque[tuple[int, int, bytes]] = deque(maxlen=KEPT)
        """Messages with the counts before and after them."""
        self.picture: Picture | None = None
        self.view: State | None = None
        """The view that was sent last."""
        self.begin(state)

    def begin(self, state: TableState) -> None:
        """Start again from the current state."""
        self.view = None if state.shown is None else state.view(self.reader)
        self.picture = None
        if self.view is not None and not self.for_programs:
            self.picture = Picture(state.game.rules.draw(self.view, self.reader))

    def whole(self, state: TableState, head: msgspec.Raw) -> bytes:
        """A message with the whole state, for subscribers who cannot follow from what they have."""
        v = self.view
        found: dict[str, Any] = {"n": state.count(self.reader), "table": head, **messages.turn(state, self.reader, v)}
        if self.for_programs:
            found["lines"], found["cut"] = [], True
        else:
            found["story"] = messages.as_items(messages.story(state, self.reader, MOST_TOLD))
            if v is not None:
                found["picture"] = state.game.rules.draw(v, self.reader).html()
        return self._event(state, found)

    def news(self, state: TableState, change: Change, head: msgspec.Raw) -> bytes:
        """A message with a change."""
        reader = self.reader
        more: dict[str, Any] = {}
        if self.view is not None and self.for_programs:
            more["lines"], self.view = messages.lines_for_programs(state, reader, change, self.view)
        elif self.view is not None and self.picture is not None:
            more["beats"], self.view = messages.beats_for_people(state, reader, self.picture, change, self.view)
        if reader in change.late and not self.for_programs:
            more["late"] = str(timeouts.lateness(state, reader))
        if change.notes:
            more["notes"] = [messages.note(note) for note in change.notes]
            if not self.for_programs:
                more["items"] = messages.as_items(more["notes"])
        asked = (
            messages.answer_to(state, reader, self.view, for_programs=True)
            if self.for_programs
            else messages.turn(state, reader, self.view)
        )
        found: dict[str, Any] = {"n": state.count(reader), "table": head, **asked, **more}
        return self._event(state, found)

    def _event(self, state: TableState, found: dict[str, Any]) -> bytes:
        if not self.for_programs:
            found["moves"] = packed(found["moves"])
        return event(messages.encode(found), state.count(self.reader))

    def publish(self, state: TableState, change: Change, head: msgspec.Raw, before: int) -> None:
        """Send a change to all subscribers; `before` is the reader's count before it.

        A reader who noticed nothing gets no message, since even an empty one would reveal that something happened.
        """
        count = state.count(self.reader)
        if count == before:
            return
        if change.is_cut or (self.picture is None and not self.for_programs):
            self.begin(state)
            message = self.whole(state, head)
        else:
            message = self.news(state, change, head)
        self.recent.append((before, count, message))
        self.tell(message)

    def tell(self, message: bytes) -> None:
        """Send a message to all subscribers, and disconnect those that cannot keep up."""
        for listener in list(self.listeners):
            if not listener.tell(message):
                self.listeners.discard(listener)
                listener.waiting.clear()
                listener.close()

    def missed(self, state: TableState, since: int | None, head: msgspec.Raw) -> Iterator[bytes]:
        """The messages that bring a subscriber up to date who has everything up to count `since`."""
        if since == state.count(self.reader):
            return
        later = [message for before, _, message in self.recent if since is not None and before >= since]
        if since is not None and any(before == since for before, *_ in self.recent):
            yield from later
        else:
            yield self.whole(state, head)

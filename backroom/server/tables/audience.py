"""Subscribers who share one seat's view: each message is made once for all of them."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from backroom.engine.protocol import Seat, State
from backroom.server.tables import messages, timeouts
from backroom.server.tables.state import Change, TableState

MOST_WAITING = 256
"""How many messages may wait for a slow listener before it has to come again."""
KEPT = 12
"""How many messages are kept for those who were away for a moment."""
MOST_TOLD = 80
"""How many sentences a page begins with."""


class Listener:
    """One open stream."""

    __slots__ = ("_wake", "is_closed", "person", "waiting", "write_now")

    def __init__(self, person: str | None) -> None:
        self.person = person
        self.waiting: list[bytes] = []
        self.is_closed = False
        self.write_now: Callable[[bytes], bool] | None = None
        """Writes to its connection at once, once the stream has begun, and says whether that could be done."""
        self._wake: asyncio.Future[None] | None = None

    def tell(self, message: bytes) -> bool:
        """Whether there was room for it. What can be written at once, because nothing waits, is."""
        is_idle = self._wake is not None and not self._wake.done()
        if is_idle and self.write_now is not None and self.write_now(message):
            return True
        if len(self.waiting) >= MOST_WAITING:
            return False
        self.waiting.append(message)
        self._stir()
        return True

    def close(self) -> None:
        """After what still waits there is nothing more to hear."""
        self.is_closed = True
        self._stir()

    def leave(self) -> None:
        """Nobody hears any more."""
        self.waiting.clear()
        self.close()

    def _stir(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def heard(self) -> bytes:
        """All that was told since the last time; nothing once the stream is closed."""
        while not self.waiting and not self.is_closed:
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        told = b"".join(self.waiting)
        self.waiting.clear()
        return told


def event(data: bytes, count: int | None = None, name: str = "") -> bytes:
    """A message of a stream: one with a count can be gone on from, another has a name."""
    if count is not None:
        return b"id: %d\ndata: %b\n\n" % (count, data)
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)


class Audience:
    """Who listens with one seat's view, as a person (pictures) or as a program (names)."""

    def __init__(self, state: TableState, reader: Seat, for_programs: bool) -> None:
        self.reader = reader
        self.for_programs = for_programs
        self.listeners: set[Listener] = set()
        self.recent: deque[tuple[int, int, bytes]] = deque(maxlen=KEPT)
        """Messages with the counts before and after them."""
        self.picture: messages.Picture | None = None
        self.view: State | None = None
        """What they all saw last."""
        self.begin(state)

    def begin(self, state: TableState) -> None:
        """Look at the table anew."""
        self.view = None if state.shown is None else state.view(self.reader)
        self.picture = None
        if self.view is not None and not self.for_programs:
            self.picture = messages.Picture(state.game.rules.draw(self.view, self.reader))

    def whole(self, state: TableState, head: msgspec.Raw) -> bytes:
        """All there is to know, for those who have lost the thread."""
        v = self.view
        found: dict[str, Any] = {"n": state.count(self.reader), "table": head, **messages.turn(state, self.reader, v)}
        if self.for_programs:
            found["lines"], found["cut"] = [], True
        else:
            found["story"] = messages.story(state, self.reader, MOST_TOLD)
            if v is not None:
                scene = state.game.rules.draw(v, self.reader)
                found["stage"], found["z"] = scene.stage(), messages.heights(scene)
        return event(messages.encode(found), state.count(self.reader))

    def news(self, state: TableState, change: Change, head: msgspec.Raw) -> bytes:
        """What has changed."""
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
        asked = (
            messages.answer_to(state, reader, self.view, for_programs=True)
            if self.for_programs
            else messages.turn(state, reader, self.view)
        )
        found: dict[str, Any] = {"n": state.count(reader), "table": head, **asked, **more}
        return event(messages.encode(found), state.count(reader))

    def publish(self, state: TableState, change: Change, head: msgspec.Raw, before: int) -> None:
        """Tell all listeners; `before` is how much the reader had noticed before this. What it did not notice it is
        not told, not even that there was something.
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
        """To all; a listener that cannot keep up has to come again."""
        for listener in list(self.listeners):
            if not listener.tell(message):
                self.listeners.discard(listener)
                listener.waiting.clear()
                listener.close()

    def missed(self, state: TableState, since: int | None, head: msgspec.Raw) -> Iterator[bytes]:
        """What somebody who knows the first `since` has to be told to know all."""
        if since == state.count(self.reader):
            return
        later = [message for before, _, message in self.recent if since is not None and before >= since]
        if since is not None and any(before == since for before, *_ in self.recent):
            yield from later
        else:
            yield self.whole(state, head)

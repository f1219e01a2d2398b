"""Everybody who looks at a table with the same eyes: each message is made once for all of them."""

import asyncio
from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec

from backroom.engine.game import Seat, State
from backroom.server import pipe as pipes
from backroom.server import wire
from backroom.server.sitting import Change, Sitting

MOST_WAITING = 256
"""How many messages may wait for a slow listener before it has to come again."""
KEPT = 12
"""How many messages are kept for those who were away for a moment."""
MOST_TOLD = 80
"""How many sentences a page begins with."""


class Listener:
    """One open stream."""

    __slots__ = ("_wake", "is_closed", "person", "pipe", "waiting")

    def __init__(self, person: str | None) -> None:
        self.person = person
        self.waiting: list[bytes] = []
        self.is_closed = False
        self.pipe: pipes.Pipe | None = None
        """Its connection, once the stream has begun, if that can be written to."""
        self._wake: asyncio.Future[None] | None = None

    def tell(self, message: bytes) -> bool:
        """Whether there was room for it. What can be written at once, because nothing waits, is."""
        is_idle = self._wake is not None and not self._wake.done()
        if is_idle and self.pipe is not None and pipes.is_open(self.pipe):
            pipes.write(self.pipe, message)
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
    """Who listens with one seat's eyes, as a person (pictures) or as a program (names)."""

    def __init__(self, sitting: Sitting, reader: Seat, for_programs: bool) -> None:
        self.reader = reader
        self.for_programs = for_programs
        self.listeners: set[Listener] = set()
        self.recent: deque[tuple[int, int, bytes]] = deque(maxlen=KEPT)
        """Messages with the counts before and after them."""
        self.picture: wire.Picture | None = None
        self.view: State | None = None
        """What they all saw last."""
        self.begin(sitting)

    def begin(self, sitting: Sitting) -> None:
        """Look at the table anew."""
        self.view = None if sitting.shown is None else sitting.view(self.reader)
        self.picture = None
        if self.view is not None and not self.for_programs:
            self.picture = wire.Picture(sitting.game.rules.draw(self.view, self.reader))

    def whole(self, sitting: Sitting, head: msgspec.Raw) -> bytes:
        """All there is to know, for who has lost the thread."""
        v = self.view
        found: dict[str, Any] = {"n": sitting.count(self.reader), "table": head, **wire.turn(sitting, self.reader, v)}
        if self.for_programs:
            found["lines"], found["cut"] = [], True
        else:
            found["story"] = wire.story(sitting, self.reader, MOST_TOLD)
            if v is not None:
                scene = sitting.game.rules.draw(v, self.reader)
                found["svg"], found["z"] = scene.svg(), wire.heights(scene)
        return event(wire.encode(found), sitting.count(self.reader))

    def news(self, sitting: Sitting, change: Change, head: msgspec.Raw) -> bytes:
        """What has changed."""
        reader, more = self.reader, {}
        if self.view is not None and self.for_programs:
            more["lines"], self.view = wire.lines_for_programs(sitting, reader, change, self.view)
        elif self.view is not None and self.picture is not None:
            more["beats"], self.view = wire.beats_for_eyes(sitting, reader, self.picture, change, self.view)
        ask = wire.answer_to if self.for_programs else wire.turn
        if change.notes:
            more["notes"] = [wire.note(note) for note in change.notes]
        found: dict[str, Any] = {"n": sitting.count(reader), "table": head, **ask(sitting, reader, self.view), **more}
        return event(wire.encode(found), sitting.count(reader))

    def publish(self, sitting: Sitting, change: Change, head: msgspec.Raw, before: int) -> None:
        """Tell all listeners; `before` is how much the reader had noticed before this. What it did not notice it is
        not told, not even that there was something.
        """
        count = sitting.count(self.reader)
        if count == before:
            return
        if change.is_cut or (self.picture is None and not self.for_programs):
            self.begin(sitting)
            message = self.whole(sitting, head)
        else:
            message = self.news(sitting, change, head)
        self.recent.append((before, count, message))
        self.tell(message)

    def tell(self, message: bytes) -> None:
        """To all; who cannot keep up has to come again."""
        for listener in list(self.listeners):
            if not listener.tell(message):
                self.listeners.discard(listener)
                listener.waiting.clear()
                listener.close()

    def missed(self, sitting: Sitting, since: int | None, head: msgspec.Raw) -> Iterator[bytes]:
        """What somebody who knows so much has to be told to know all."""
        if since == sitting.count(self.reader):
            return
        later = [message for before, _, message in self.recent if since is not None and before >= since]
        if since is not None and any(before == since for before, *_ in self.recent):
            yield from later
        else:
            yield self.whole(sitting, head)

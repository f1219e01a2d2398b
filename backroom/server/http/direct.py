"""A fast path for moves and streams: answers are written directly to connections, bypassing uvicorn and middleware.

An ASGI server gives an application a `send` function; using it for every message of every stream would wake a task for
each. Here the scope has the connection itself, and a message is written to it immediately if none is waiting. Once a
stream has begun, the application releases its request.

Moves are frequent and small, and need nothing of the page middleware. A move that arrives in one piece, as moves do, is
recognised here and answered without an ASGI request. Whatever is in any way unusual about a request leaves it to
uvicorn's parser, and to the same route as without the fast path.

This module uses internals of uvicorn, and was tested with uvicorn 0.54 and httptools 0.9. It is optional: with
`BACKROOM_HTTP=uvicorn`, and under any other server, everything is sent the usual way, with the same answers.
"""

import asyncio
import contextlib
import functools
import http
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import structlog
import uvicorn

from backroom.engine.game import Game
from backroom.server.errors import Refused
from backroom.server.http.bodies import JSON, Move, decode
from backroom.server.http.errors import HANDLED, game_at, headers, message, refusal
from backroom.server.http.security import NO_DOCUMENT, Receive, Scope, Send, note, refusal_of
from backroom.server.services import Services
from backroom.server.tables import actions
from backroom.server.tables.audience import Listener
from backroom.server.tables.messages import encode

log = structlog.get_logger()

TESTED = "0.54"
"""The version of uvicorn with which this was tested."""
CONNECTION = "backroom.connection"
"""The scope's key for the connection of a request. Other servers do not set it, and answers are sent as usual."""
CYCLE = "backroom.cycle"
"""The scope's key for uvicorn's request-response cycle."""
NEEDED = ("transport", "flow", "response_complete", "chunked_encoding")
LONGEST_HEAD = 4096
"""Longest head of a move's request, in bytes, that is read here."""
MOST_LINES = 100
"""Most lines in the head of any request, without the first."""
DIGITS = 4
"""Most digits of the length of such a request's body."""
MOST_HEADS = 4096
"""Heads that are remembered: all moves on one connection begin alike."""


def is_possible() -> bool:
    """Whether this uvicorn has the internals used here; logs a message if its version is not the tested one."""
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    if uvicorn.__version__.startswith(TESTED):
        return True
    names = RequestResponseCycle.__init__.__code__.co_varnames + RequestResponseCycle.__init__.__code__.co_names
    found = all(name in names for name in NEEDED)
    log.info("direct answers were not tested with this uvicorn", version=uvicorn.__version__, used=found)
    return found


class Outbox:
    """Collects writes to connections and makes them together, after the moves that are being handled now.

    Waking the program at the other end costs as much as the write, and one that is awake reads the rest for free.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[Any, bytes]] = []

    def put(self, transport: Any, data: bytes) -> None:
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self.flush)
        self._waiting.append((transport, data))

    def flush(self) -> None:
        """Write what waits."""
        waiting, self._waiting = self._waiting, []
        for transport, data in waiting:
            if not transport.is_closing():
                transport.write(data)


def framed(chunk: bytes) -> bytes:
    """A chunk in HTTP/1.1's chunked transfer coding."""
    return b"%x\r\n%b\r\n" % (len(chunk), chunk)


def writer(connection: Any) -> Callable[[bytes], bool]:
    """A function that writes a chunk of a body that has begun; it returns False if it would have to wait."""

    def write(chunk: bytes) -> bool:
        if connection.flow.write_paused or connection.transport.is_closing():
            return False
        connection.outbox.put(connection.transport, framed(chunk))
        return True

    return write


def can_take_over(scope: Scope) -> bool:
    """Whether a stream that has begun can continue without the application: it has an open connection of uvicorn."""
    if CONNECTION not in scope:
        return False
    return scope[CYCLE].chunked_encoding and not scope[CONNECTION].transport.is_closing()


def take_over(scope: Scope, listener: Listener, stack: contextlib.AsyncExitStack) -> None:
    """Continue a stream that has begun in a task of its own, so that the application can release the request.

    The server and each middleware keep a few objects for every request, and a stream may stay open for hours. `stack`
    is closed when the stream ends, and so is the connection.
    """
    connection, cycle = scope[CONNECTION], scope[CYCLE]
    cycle.response_complete = True  # so that uvicorn does nothing more about it
    cycle.scope = {}
    connection.on_lost = listener.leave
    listener.write_now = writer(connection)
    task = asyncio.get_running_loop().create_task(_stream_on(connection, listener, stack))
    _streams.add(task)
    task.add_done_callback(_streams.discard)


_streams: set[asyncio.Task[None]] = set()
"""Streams that were taken over; the event loop itself keeps only weak references to tasks."""


async def released(app: Any, scope: Scope, receive: Receive, send: Send) -> None:
    """Run the application for a request that has its connection in its scope.

    Connection and request refer to their scope: without the reference cycle all are freed at once.
    """
    try:
        await app(scope, receive, send)
    finally:
        scope.pop(CONNECTION, None)
        scope.pop(CYCLE, None)


async def _stream_on(connection: Any, listener: Listener, stack: contextlib.AsyncExitStack) -> None:
    transport = connection.transport
    async with stack:
        while message := await listener.heard():
            if transport.is_closing():  # its loss was not reported yet
                break
            transport.write(framed(message))
            del message  # it may be long, and the stream may wait for hours
            if connection.flow.write_paused:
                await connection.flow.drain()
        if not transport.is_closing():
            transport.write(framed(b""))
            transport.close()


# moves


class MoveHead(NamedTuple):
    """The head of a request that plays a move."""

    table: str
    is_api: bool
    headers: dict[bytes, bytes]
    length: int
    """The length of its body."""


_MOVE = re.compile(rb"POST (/api)?/tables/([A-Za-z0-9_-]{1,32})/moves HTTP/1\.1\r\n")
_HEADER = re.compile(rb"([A-Za-z0-9-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_SPECIAL = {b"transfer-encoding", b"expect", b"upgrade"}
"""Headers that change how a request is read or answered."""


def move_in(data: bytes) -> tuple[MoveHead, bytes] | None:
    """The head and the body, if the bytes are exactly one request that plays a move and has nothing unusual."""
    if _MOVE.match(data) is None:
        return None
    end = data.find(b"\r\n\r\n", 0, LONGEST_HEAD)
    head = None if end < 0 else _move_head(data[: end + 2])
    return None if head is None or head.length != len(data) - end - 4 else (head, data[end + 4 :])


@functools.lru_cache(MOST_HEADS)
def _move_head(head: bytes) -> MoveHead | None:
    first = _MOVE.match(head)
    lines = [_HEADER.fullmatch(line) for line in head.split(b"\r\n")[1:-1]]
    found = {line[1].lower(): line[2].rstrip(b" \t") for line in lines if line is not None}
    length, stays = found.get(b"content-length", b""), found.get(b"connection", b"keep-alive").lower() == b"keep-alive"
    is_usual = len(found) == len(lines) <= MOST_LINES and stays and not _SPECIAL & found.keys()
    is_usual = is_usual and found.get(b"host", b"") != b"" and b"text/html" not in found.get(b"accept", b"")
    is_json = found.get(b"content-type", b"").startswith(JSON) and length.isdigit() and len(length) <= DIGITS
    return MoveHead(first[2].decode(), bool(first[1]), found, int(length)) if first and is_usual and is_json else None


def response(status: int, body: bytes, more: list[tuple[bytes, bytes]]) -> bytes:
    """A whole response with JSON."""
    lines = b"".join([b"%b: %b\r\n" % header for header in more])
    return b"%b%bcontent-length: %d\r\n\r\n%b" % (_beginning(status), lines, len(body), body)


@functools.cache
def _beginning(status: int) -> bytes:
    lines = b"".join([b"%b: %b\r\n" % header for header in ((b"content-type", JSON), *NO_DOCUMENT)])
    return b"HTTP/1.1 %d %b\r\n%b" % (status, http.HTTPStatus(status).phrase.encode(), lines)


def refused(found: Refused, more: list[tuple[bytes, bytes]], game: Game | None = None) -> bytes:
    """A whole response that refuses a move."""
    again = [(name.encode(), value.encode()) for name, value in headers(found).items()]
    return response(found.status, encode(message(found, game)), more + again)


def closing(answer: bytes) -> bytes:
    """A whole response that also says that the connection will be closed."""
    return answer.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n", 1)


class DirectMoves:
    """Plays moves that arrived in one piece."""

    def __init__(self, services: Services) -> None:
        self.services = services

    def allows(self, head: MoveHead) -> bool:
        """Whether the sender's site may play moves; if not, the usual way refuses it."""
        return refusal_of("POST", head.headers, self.services.settings.origins) is None

    async def response_to(self, head: MoveHead, body: bytes, more: list[tuple[bytes, bytes]]) -> bytes:
        """Play the move, and return the whole response with these headers besides its own."""
        start, services = time.perf_counter(), self.services
        try:
            person = await services.known(head.headers, head.is_api)
            services.limits.take("move", person.id)
            sent = decode(Move, body)
            state = await actions.play(await services.tables.get(head.table), person, sent.name, sent.ask, sent.key)
            status, answer = 200, response(200, b'{"ok":true,"n":%d}' % state.count(state.seat_of(person.id)), more)
        except HANDLED as error:
            found = refusal(error)
            status = found.status
            answer = refused(found, more, None if head.is_api else game_at(services, head.table))
        note("POST", status, start)
        return answer

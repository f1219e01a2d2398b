"""A fast path for moves and streams: answers are written directly to connections, bypassing uvicorn and middleware.

An ASGI server gives an application a `send` function; using it for every message of every stream would wake a task for
each. Here the scope has the connection itself, and a message is written to it immediately if none is waiting. Once a
stream has begun, the application releases its request. Moves are frequent and need nothing of the page middleware, so
they are answered before it.

This module uses internals of uvicorn, and was tested with uvicorn 0.54 and httptools 0.9. It is optional: with
`BACKROOM_HTTP=uvicorn`, and under any other server, everything is sent the usual way, with the same answers.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

import structlog
import uvicorn

from backroom.server.errors import Refused
from backroom.server.http.bodies import JSON, Move, decode
from backroom.server.http.errors import HANDLED, game_at, headers, message, refusal
from backroom.server.http.security import MOST_BYTES, NO_DOCUMENT, Receive, Scope, Send, note, refusal_of
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
AS_JSON = (b"content-type", JSON)
DONE = b"HTTP/1.1 200 OK\r\n" + b"".join(b"%b: %b\r\n" % header for header in (AS_JSON, *NO_DOCUMENT))
SLOWEST = 30.0
"""Seconds after which a client that reads nothing is disconnected, because its waiting messages take memory."""
NEEDED = ("transport", "flow", "message_event", "on_response", "default_headers", "keep_alive", "response_complete")


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


async def _has_drained(flow: Any) -> bool:
    """Wait until a slow client has read its data; False if it took too long."""
    try:
        await asyncio.wait_for(flow.drain(), SLOWEST)
    except TimeoutError:
        return False
    return True


async def _stream_on(connection: Any, listener: Listener, stack: contextlib.AsyncExitStack) -> None:
    transport = connection.transport
    async with stack:
        while message := await listener.heard():
            if transport.is_closing():  # its loss was not reported yet
                break
            transport.write(framed(message))
            del message  # it may be long, and the stream may wait for hours
            if connection.flow.write_paused and not await _has_drained(connection.flow):
                transport.abort()
        if not transport.is_closing():
            transport.write(framed(b""))
            transport.close()


def answer(cycle: Any, body: bytes) -> bool:
    """Write a whole response directly; False if it has to be sent the usual way."""
    if cycle is None or cycle.disconnected or cycle.flow.write_paused or not cycle.keep_alive:
        return False
    own = b"".join([b"%b: %b\r\n" % header for header in cycle.default_headers])
    cycle.response_started = cycle.response_complete = True
    whole = b"%b%bcontent-length: %d\r\n\r\n%b" % (DONE, own, len(body), body)
    cycle.scope[CONNECTION].outbox.put(cycle.transport, whole)
    cycle.message_event.set()
    cycle.on_response()
    return True


class DirectMoves:
    """Handles moves sent as JSON; everything else, and refused requests, are passed to the application."""

    def __init__(self, app: Any, services: Services) -> None:
        self.app = app
        self.services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.handle(scope, receive, send)
        finally:  # connection and request refer to their scope: without the reference cycle they are freed immediately
            scope.pop(CONNECTION, None)
            scope.pop(CYCLE, None)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"].endswith("/moves"):
            said = dict(scope["headers"])
            parts = scope["path"].removeprefix("/api").split("/")
            is_move = said.get(b"content-type", b"").startswith(JSON) and len(parts) == 4 and parts[1] == "tables"
            if is_move and refusal_of("POST", said, self.services.settings.origins) is None:
                await self.move(scope, parts[2], said, receive, send)
                return
        await self.app(scope, receive, send)

    async def move(self, scope: Scope, table: str, said: dict[bytes, bytes], receive: Receive, send: Send) -> None:
        start, status, more = time.perf_counter(), 200, [AS_JSON, *NO_DOCUMENT]
        services = self.services
        try:
            person = await services.known(said)
            services.limits.take("move", person.id)
            sent = decode(Move, await whole_body(receive))
            state = await actions.play(await services.tables.get(table), person, sent.name, sent.ask, sent.key)
            body = encode({"ok": True, "n": state.count(state.seat_of(person.id))})
        except HANDLED as error:
            found = refusal(error)
            status, body = (
                found.status,
                encode(message(found, None if scope["path"].startswith("/api") else game_at(services, table))),
            )
            more += [(name.encode(), value.encode()) for name, value in headers(found).items()]
        if status != 200 or not answer(scope.get(CYCLE), body):
            more.append((b"content-length", str(len(body)).encode()))
            await send({"type": "http.response.start", "status": status, "headers": more})
            await send({"type": "http.response.body", "body": body})
        note("POST", status, start)


async def whole_body(receive: Receive) -> bytes:
    """The body of a request; Refused if it is too long."""
    body: bytes = b""
    while True:
        part = await receive()
        if part["type"] == "http.disconnect":
            raise Refused("the request is incomplete", 400, "unreadable")
        body += part.get("body", b"")
        if len(body) > MOST_BYTES:
            raise Refused("the request is too long", 413, "too-long")
        if not part.get("more_body"):
            return body

"""Answers to moves and messages of streams written straight to their connections, past uvicorn and the page middleware.

An ASGI server gives an application a function that sends; to use it for every message of every stream means to wake a
task for each. Here the connection itself is put into the scope, and a stream that has nothing waiting is written to;
once it has begun, the application forgets it.
Moves come often, and need none of what pages need: they are answered before the page middleware.

This module knows uvicorn from the inside, and was tested with uvicorn 0.54 and httptools 0.9. It is optional: with
`BACKROOM_HTTP=uvicorn`, and under any other server, everything goes the usual way, with the same answers.
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
from backroom.server.http.errors import HANDLED, headers, message, refusal
from backroom.server.http.security import MOST_BYTES, NO_DOCUMENT, Receive, Scope, Send, note, refusal_of
from backroom.server.services import Services
from backroom.server.tables import actions
from backroom.server.tables.audience import Listener
from backroom.server.tables.messages import encode

log = structlog.get_logger()

TESTED = "0.54"
"""The version of uvicorn that this was tested with."""
CONNECTION = "backroom.connection"
"""Where a request finds its connection in the scope; under other servers it finds none, and sends as usual."""
CYCLE = "backroom.cycle"
"""Where it finds itself, as uvicorn sees it: a request that waits for its answer."""
AS_JSON = (b"content-type", JSON)
DONE = b"HTTP/1.1 200 OK\r\n" + b"".join(b"%b: %b\r\n" % header for header in (AS_JSON, *NO_DOCUMENT))
SLOWEST = 30.0
"""Seconds after which a listener who takes nothing is left: what waits for him is memory."""
NEEDED = ("transport", "flow", "message_event", "on_response", "default_headers", "keep_alive", "response_complete")


def is_possible() -> bool:
    """Whether this uvicorn has inside what is used here; says so in the log where it is another than was tested."""
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    if uvicorn.__version__.startswith(TESTED):
        return True
    names = RequestResponseCycle.__init__.__code__.co_varnames + RequestResponseCycle.__init__.__code__.co_names
    found = all(name in names for name in NEEDED)
    log.info("direct answers were not tested with this uvicorn", version=uvicorn.__version__, used=found)
    return found


class Outbox:
    """What is to be written to connections, all in one go after the moves that are being judged now: to wake a program
    at the other end costs as much as to write, and one that is awake already hears the rest for nothing.
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
    """A piece of a body whose length is not known when it begins, as HTTP/1.1 sends it."""
    return b"%x\r\n%b\r\n" % (len(chunk), chunk)


def writer(connection: Any) -> Callable[[bytes], bool]:
    """A function that writes a chunk of a body that has begun, and says whether it could without waiting."""

    def write(chunk: bytes) -> bool:
        if connection.flow.write_paused or connection.transport.is_closing():
            return False
        connection.outbox.put(connection.transport, framed(chunk))
        return True

    return write


def can_take_over(scope: Scope) -> bool:
    """Whether a stream that has begun can go on without the application: uvicorn's connection is known, and open."""
    if CONNECTION not in scope:
        return False
    return scope[CYCLE].chunked_encoding and not scope[CONNECTION].transport.is_closing()


def take_over(scope: Scope, listener: Listener, stack: contextlib.AsyncExitStack) -> None:
    """Let a stream that has begun go on by itself, so that the application can forget the request: all that stands
    between a server and a page keeps a few objects for each request, and a stream may wait for hours. What is on the
    stack is left when the stream ends. The connection ends with it.
    """
    connection, cycle = scope[CONNECTION], scope[CYCLE]
    cycle.response_complete = True  # for uvicorn, which does nothing more about it then
    cycle.scope = {}
    connection.on_lost = listener.leave
    listener.write_now = writer(connection)
    task = asyncio.get_running_loop().create_task(_stream_on(connection, listener, stack))
    _streams.add(task)
    task.add_done_callback(_streams.discard)


_streams: set[asyncio.Task[None]] = set()
"""Streams that go on by themselves: a loop alone would not keep them."""


async def _has_drained(flow: Any) -> bool:
    """Whether a listener with whom much waits has taken it in time."""
    try:
        await asyncio.wait_for(flow.drain(), SLOWEST)
    except TimeoutError:
        return False
    return True


async def _stream_on(connection: Any, listener: Listener, stack: contextlib.AsyncExitStack) -> None:
    transport = connection.transport
    async with stack:
        while message := await listener.heard():
            if transport.is_closing():  # before its loss was noticed
                break
            transport.write(framed(message))
            del message  # it may be long, and the stream may wait for hours
            if connection.flow.write_paused and not await _has_drained(connection.flow):
                transport.abort()
        if not transport.is_closing():
            transport.write(framed(b""))
            transport.close()


def answer(cycle: Any, body: bytes) -> bool:
    """A whole answer, to a request that nobody has answered; False where it has to go the usual way."""
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
    """Takes moves that are sent as JSON; everything else, and what is not let in, goes to the application behind."""

    def __init__(self, app: Any, services: Services) -> None:
        self.app = app
        self.services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.handle(scope, receive, send)
        finally:  # the connection and the request know their scope: what is no cycle is freed at once
            scope.pop(CONNECTION, None)
            scope.pop(CYCLE, None)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"].endswith("/moves"):
            said = dict(scope["headers"])
            parts = scope["path"].removeprefix("/api").split("/")
            is_move = said.get(b"content-type", b"").startswith(JSON) and len(parts) == 4 and parts[1] == "tables"
            if is_move and refusal_of("POST", said, self.services.settings.origins) is None:
                await self.move(parts[2], said, receive, send, scope.get(CYCLE))
                return
        await self.app(scope, receive, send)

    async def move(self, table: str, said: dict[bytes, bytes], receive: Receive, send: Send, cycle: Any) -> None:
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
            status, body = found.status, encode(message(found))
            more += [(name.encode(), value.encode()) for name, value in headers(found).items()]
        if status != 200 or not answer(cycle, body):
            more.append((b"content-length", str(len(body)).encode()))
            await send({"type": "http.response.start", "status": status, "headers": more})
            await send({"type": "http.response.body", "body": body})
        note("POST", status, start)


async def whole_body(receive: Receive) -> bytes:
    """A body that is not too long."""
    body: bytes = b""
    while True:
        part = await receive()
        if part["type"] == "http.disconnect":
            raise Refused("that has not arrived whole", 400, "unreadable")
        body += part.get("body", b"")
        if len(body) > MOST_BYTES:
            raise Refused("that is too long", 413, "too-long")
        if not part.get("more_body"):
            return body

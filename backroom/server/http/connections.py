"""Limits on connections: how many there are, and how long and how large the head of a request may be.

uvicorn's parser reads heads of any size, and waits for the end of a request indefinitely. This subclass of uvicorn's
protocol refuses such requests before any other part of the server is involved.
"""

import asyncio
import importlib.util
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog
from prometheus_client import Counter as Metric
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from backroom.server import tracing
from backroom.server.errors import Refused
from backroom.server.http import direct
from backroom.server.http.handover import Handover
from backroom.server.http.limits import network, unmapped
from backroom.server.services import Services

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:  # there is none for Windows
    HttpToolsProtocol = asyncio.Protocol  # type: ignore[assignment,misc]

log = structlog.get_logger()

refused = Metric("backroom_connections_refused", "Connections closed by a cap, by its name", ["why"])
HAS_HTTPTOOLS = importlib.util.find_spec("httptools") is not None
NOISE = ("Invalid HTTP request", "Unsupported upgrade request", "No supported WebSocket library")
SLOWEST, LEAST_READ = 30.0, 16 * 1024
"""A client that reads less than LEAST_READ bytes in SLOWEST seconds, while more wait for it, is disconnected."""
LOOK = 1.0
"""Seconds between two checks for connections that take too long."""
MOST_AHEAD = 16
"""Most requests that may wait behind one that is being answered. Browsers wait for each answer."""
OTHER_FILES = 200
"""Files besides connections that a process has open: SQLite has three for each of up to 33 connections."""
OFFER_AGAIN, MOST_OFFERS = 0.004, 125
"""Seconds until a connection is offered again to a process that has too many to take, and how often, which is half a
second in all. Not less and less often: the system keeps few connections for a process, so of hundreds each needs many
chances.
"""


@dataclass
class Caps:
    """Limits of one server process. `by_address` does not apply to proxies: all their clients have one address."""

    connections: int = 20_000
    by_address: int = 1_000
    unfinished: int = 1_000
    """Most connections that have not sent the head of a request yet; beyond that the oldest of them is closed."""
    head_bytes: int = 32 * 1024
    head_lines: int = direct.MOST_LINES
    head_seconds: float = 10.0
    body_seconds: float = 60.0
    body_bytes: int = 4 * 1024 * 1024
    """Most bytes after the head of a request, as they are sent: with the sizes and extensions of its chunks."""
    proxies: str = ""
    """Addresses or networks of proxies, as in `Settings.proxies`."""

    @classmethod
    def within(cls, files: float, proxies: str) -> "Caps":
        """The limits for a process that may have this number of files open, of which the database needs some."""
        connections = int(min(cls.connections, max(files - OTHER_FILES, files // 2)))
        return cls(connections, min(cls.by_address, connections // 4), proxies=proxies)


@dataclass
class Gate:
    """The counts of all connections of a process."""

    caps: Caps
    count: int = 0
    by_address: Counter[str] = field(default_factory=Counter)
    unfinished: dict[Any, float] = field(default_factory=dict)
    """Connections in the middle of a request, with the time by which it has to be complete; oldest first."""
    is_looking: bool = False

    def __post_init__(self) -> None:
        self.proxies = ProxyHeadersMiddleware(_nothing, self.caps.proxies).trusted_hosts

    def admits(self, client: str) -> str:
        """Why a connection from this address is refused; empty if it is accepted."""
        if self.count >= self.caps.connections:
            return "too many connections"
        if self.by_address[network(client)] >= self.caps.by_address and client not in self.proxies:
            return "too many connections from one address"
        return ""

    def look(self, loop: Any) -> None:
        """Close connections whose request takes too long, and check again while there are unfinished ones."""
        now = loop.time()
        for connection in [each for each, due in self.unfinished.items() if now > due]:
            connection.refuse(408, "that took too long")
        self.is_looking = bool(self.unfinished)
        if self.is_looking:
            loop.call_later(LOOK, self.look, loop)

    def begin(self, connection: Any, due: float, loop: Any) -> None:
        """Record that a request has to be complete by `due`."""
        self.unfinished.pop(connection, None)
        self.unfinished[connection] = due
        if not self.is_looking:
            self.is_looking = True
            loop.call_later(LOOK, self.look, loop)
        if len(self.unfinished) > self.caps.unfinished:
            next(iter(self.unfinished)).refuse(503, "too many half requests")


async def _nothing(scope: Any, receive: Any, send: Any) -> None:
    """An application that does nothing."""


class _NoNoise(logging.Filter):
    """Drops what uvicorn logs about requests that it cannot serve, with which anybody could fill the disk."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith(NOISE)


class Connection(HttpToolsProtocol):
    """A connection under the limits of its process."""

    address = ""
    head_bytes = 0
    is_in_head = True
    body_bytes = 0
    answering: Any = None
    """The request that is being answered; others may wait behind it."""
    on_lost: Callable[[], None] | None = None
    """Called when the connection is lost; set by a stream that continues without the application."""
    read_before = b""
    """The data that another process had read before it handed the connection over."""
    is_playing = False
    """Whether a move is being played that came by the fast path."""
    is_to_close = False
    """Whether the connection is to be closed after that move."""
    early = b""
    """Data that arrived during such a move."""
    offers = 0
    """How often the connection was offered to a process that had too many to take."""
    used = 0.0
    """When the last such move was answered, in the event loop's time."""
    slow: asyncio.TimerHandle | None = None
    """The next check of whether the client reads, while much waits for it, or until all is read before the end."""

    def __init__(
        self,
        gate: Gate,
        outbox: direct.Outbox,
        handover: Handover | None,
        moves: direct.DirectMoves | None,
        is_direct: bool,
        **more: Any,
    ) -> None:
        super().__init__(**more)
        self.gate, self.outbox, self.handover = gate, outbox, handover
        self.moves, self.is_direct = moves, is_direct

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if self.client:
            self.client = unmapped(self.client[0]), self.client[1]
        client = self.client[0] if self.client else ""
        self.address = network(client)
        why = self.gate.admits(client)
        self.gate.count += 1
        self.gate.by_address[self.address] += 1
        if why:
            self.refuse(503, why)
        else:
            self.gate.begin(self, self.loop.time() + self.gate.caps.head_seconds, self.loop)
            if self.read_before:
                self.data_received(self.read_before)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gate.count -= 1
        self.gate.by_address[self.address] -= 1
        if self.gate.by_address[self.address] <= 0:
            del self.gate.by_address[self.address]
        self.gate.unfinished.pop(self, None)
        self._stop_checking()
        super().connection_lost(exc)
        if self.answering is not None:
            self.answering.disconnected = True  # uvicorn tells only the last of several requests
        self.answering = None
        self.pipeline.clear()
        if self.on_lost is not None:
            self.on_lost()
            self.on_lost = None
        self.cycle = None  # type: ignore[assignment]  # breaks a reference cycle, so that all is freed at once

    def refuse(self, status: int, why: str) -> None:
        """Send an error response and close the connection."""
        self.gate.unfinished.pop(self, None)
        refused.labels(why).inc()
        at, is_stream = self.answering, self.on_lost is not None
        is_between = not is_stream and (at is None or at.response_complete or not at.response_started)
        if is_between and not self.transport.is_closing():
            body = why.encode()
            head = f"HTTP/1.1 {status} {why}\r\ncontent-type: text/plain\r\ncontent-length: {len(body)}\r\n"
            again = "retry-after: 1\r\n" if status == 503 else ""
            self.transport.write(f"{head}{again}connection: close\r\n\r\n".encode() + body)
        self.transport.close()
        self._check_again()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self.on_lost is not None:  # no request may arrive during a response
            self.transport.close()
            return
        if self.is_playing:  # the next request follows without waiting for the answer
            self.early += data
            self.flow.pause_reading()
            return
        if self.is_idle():
            if self.handover is not None and self._is_given_away(self.handover, data):
                return
            move = None if self.moves is None else direct.move_in(data)
            if move is not None and self.moves is not None and self.moves.allows(move[0]):
                self._play(self.moves, *move)
                return
            if self not in self.gate.unfinished:  # empty lines before a request are no request
                self.gate.begin(self, self.loop.time() + self.gate.caps.head_seconds, self.loop)
        if self.is_in_head:
            self.head_bytes += len(data)
        super().data_received(data)
        if not self.is_in_head:
            self.body_bytes += len(data)
        if self.transport.is_closing():
            return
        if self.is_in_head and self.head_bytes > self.gate.caps.head_bytes:
            self.refuse(431, "the head of this request is too long")
        elif self.body_bytes > self.gate.caps.body_bytes:
            self.refuse(413, "the body of this request is too long")

    def is_idle(self) -> bool:
        """Whether no byte of a new request has arrived, and all earlier ones are answered."""
        if self.cycle is None:
            return self.head_bytes == 0
        return not self.is_in_head and not self.cycle.more_body and self.cycle.response_complete

    def _is_given_away(self, handover: Handover, data: bytes) -> bool:
        """Hand the connection over if the request belongs to another process and nothing is left to write.

        If that process has too many to take, the request waits and is read again, a few times: a stream would stay in
        the wrong process for as long as it is open.
        """
        number = handover.other_process(data)
        if number is None:
            return False
        self.outbox.flush()
        if self.transport.get_write_buffer_size() > 0:
            return False
        try:
            return handover.gives_away(self.transport, data, number)
        except BlockingIOError:
            if self.offers == MOST_OFFERS:
                self.offers = 0
                return False
            self.flow.pause_reading()
            self.loop.call_later(OFFER_AGAIN, self._read_again, data)
            self.offers += 1
            return True

    def _read_again(self, data: bytes) -> None:
        self.flow.resume_reading()
        self.data_received(data)

    # moves by the fast path

    def _play(self, moves: direct.DirectMoves, head: direct.MoveHead, body: bytes) -> None:
        self.is_playing = True
        self.gate.unfinished.pop(self, None)
        task = self.loop.create_task(self._answer(moves, head, body))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _answer(self, moves: direct.DirectMoves, head: direct.MoveHead, body: bytes) -> None:
        own = self.server_state.default_headers
        try:
            answer = await moves.response_to(head, body, own)
        except asyncio.CancelledError:  # the server is stopping and has waited long enough
            answer = direct.refused(Refused("this server is about to stop; try again", 503, "draining"), own)
            self.is_to_close = True
        except Exception:
            log.exception("a move could not be answered")
            answer = direct.response(500, b"{}", own)
            self.is_to_close = True
        self.outbox.put(self.transport, direct.closing(answer) if self.is_to_close else answer)
        try:
            if self.flow.write_paused:
                await self.flow.drain()
        finally:
            self.is_playing = False
        self.server_state.total_requests += 1
        self.used = self.loop.time()
        if self.timeout_keep_alive_task is None and not self.transport.is_closing():
            self.timeout_keep_alive_handler()
        if self.is_to_close or self.early:
            self.outbox.flush()
            early, self.early = self.early, b""
            if self.is_to_close:
                self.transport.close()
            else:
                self.flow.resume_reading()
                self.data_received(early)

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection if it was idle for long enough; otherwise look again when it will have been."""
        left = self.timeout_keep_alive - (self.loop.time() - self.used)
        if self.is_playing or left > 0:
            left = max(left, LOOK)
            self.timeout_keep_alive_task = self.loop.call_later(left, self.timeout_keep_alive_handler)
        else:
            super().timeout_keep_alive_handler()
            self._check_again()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._check_again()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._check_again()

    def resume_writing(self) -> None:
        self._stop_checking()
        super().resume_writing()

    def _check_again(self) -> None:
        self._stop_checking()
        self.slow = self.loop.call_later(SLOWEST, self._check, self.transport.get_write_buffer_size())

    def _stop_checking(self) -> None:
        if self.slow is not None:
            self.slow.cancel()
            self.slow = None

    def _check(self, waiting: int) -> None:
        if waiting - self.transport.get_write_buffer_size() < LEAST_READ:
            self.transport.abort()
        else:
            self._check_again()

    def shutdown(self) -> None:
        if self.is_playing:
            self.is_to_close = True
        else:
            self.outbox.flush()  # the last answer may wait there
            super().shutdown()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.body_bytes = 0
        if not self.is_in_head:
            self.is_in_head, self.head_bytes = True, 0
        self.gate.begin(self, self.loop.time() + self.gate.caps.head_seconds, self.loop)
        if self.is_direct:
            self.scope[direct.CONNECTION] = self  # type: ignore[literal-required]

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) < self.gate.caps.head_lines:
            super().on_header(name, value)
        elif not self.transport.is_closing():
            self.refuse(431, "the head of this request has too many lines")

    def on_headers_complete(self) -> None:
        self.is_in_head = False
        if self.transport.is_closing():
            return
        if len(self.pipeline) >= MOST_AHEAD:
            refused.labels("too many requests ahead").inc()
            self.transport.close()
            return
        self.gate.begin(self, self.loop.time() + self.gate.caps.body_seconds, self.loop)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        self.gate.unfinished.pop(self, None)
        if self.cycle is not None and not self.transport.is_closing():
            super().on_message_complete()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self.answering = cycle
        if self.is_direct:
            cycle.scope[direct.CYCLE] = cycle
            app = partial(direct.released, app)
        super()._start_asgi_task(cycle, app)


def protocol(
    caps: Caps, is_direct: bool = True, handover: Handover | None = None, services: Services | None = None
) -> Any:
    """The value for uvicorn's `http`: a protocol with these limits, or "auto" (no limits) if httptools is missing.

    With `handover`, connections are given to the process that has their table. If `is_direct`, streams take the fast
    path, and so do moves if there are `services` and requests are not traced.
    """
    if not HAS_HTTPTOOLS:
        log.warning("httptools is not installed: connections are not limited")
        return "auto"
    logging.getLogger("uvicorn.error").addFilter(_NoNoise())
    is_direct = is_direct and direct.is_possible()
    moves = direct.DirectMoves(services) if is_direct and services is not None and not tracing.is_on() else None
    return partial(Connection, Gate(caps), direct.Outbox(), handover, moves, is_direct)

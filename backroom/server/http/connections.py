"""Limits on connections: how many there are, and how long and how large the head of a request may be.

uvicorn's parser reads heads of any size, and waits for the end of a request indefinitely. This subclass of uvicorn's
protocol refuses such requests before any other part of the server is involved.
"""

import asyncio
import importlib.util
import ipaddress
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog
from prometheus_client import Counter as Metric

from backroom.server.http import direct
from backroom.server.http.handover import Handover

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:  # there is none for Windows
    HttpToolsProtocol = asyncio.Protocol  # type: ignore[assignment,misc]

log = structlog.get_logger()

refused = Metric("backroom_connections_refused", "Connections closed by a cap, by its name", ["why"])
HAS_HTTPTOOLS = importlib.util.find_spec("httptools") is not None
LOOK = 1.0
"""Seconds between two checks for connections that take too long."""


@dataclass
class Caps:
    """Limits of one server process. `by_address` does not apply to proxies: all their clients have one address."""

    connections: int = 20_000
    by_address: int = 1_000
    unfinished: int = 1_000
    """Most connections that have not sent the head of a request yet; beyond that the oldest of them is closed."""
    head_bytes: int = 32 * 1024
    head_lines: int = 100
    head_seconds: float = 10.0
    body_seconds: float = 60.0
    proxies: frozenset[str] = frozenset()


@dataclass
class Gate:
    """The counts of all connections of a process."""

    caps: Caps
    count: int = 0
    by_address: Counter[str] = field(default_factory=Counter)
    unfinished: dict[Any, float] = field(default_factory=dict)
    """Connections in the middle of a request, with the time by which it has to be complete; oldest first."""
    is_looking: bool = False

    def admits(self, address: str) -> str:
        """Why a connection is refused; empty if it is accepted."""
        if self.count >= self.caps.connections:
            return "too many connections"
        if address not in self.caps.proxies and self.by_address[address] >= self.caps.by_address:
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


def network(address: str) -> str:
    """The part of an address that counts as one client: with IPv6 every client has a whole network."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((address, 64), strict=False)) if found.version == 6 else address


class _NoNoise(logging.Filter):
    """Drops uvicorn's log line for each invalid HTTP request, with which anybody could fill the disk."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "Invalid HTTP request" not in record.getMessage()


class Connection(HttpToolsProtocol):
    """A connection under the limits of its process."""

    address = ""
    head_bytes = 0
    is_in_head = True
    on_lost: Callable[[], None] | None = None
    """Called when the connection is lost; set by a stream that continues without the application."""
    read_before = b""
    """The data that another process had read before it handed the connection over."""

    def __init__(
        self, gate: Gate, outbox: direct.Outbox, handover: Handover | None, is_direct: bool, **more: Any
    ) -> None:
        super().__init__(**more)
        self.gate, self.outbox, self.handover, self.is_direct = gate, outbox, handover, is_direct

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.address = network(self.client[0]) if self.client else ""
        why = self.gate.admits(self.address)
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
        super().connection_lost(exc)
        if self.on_lost is not None:
            self.on_lost()
            self.on_lost = None
        self.cycle = None  # type: ignore[assignment]  # breaks a reference cycle, so that all is freed at once

    def refuse(self, status: int, why: str) -> None:
        """Send an error response and close the connection."""
        self.gate.unfinished.pop(self, None)
        refused.labels(why).inc()
        if not self.transport.is_closing() and (self.cycle is None or not self.cycle.response_started):
            body = why.encode()
            head = f"HTTP/1.1 {status} {why}\r\ncontent-type: text/plain\r\ncontent-length: {len(body)}\r\n"
            again = "retry-after: 1\r\n" if status == 503 else ""
            self.transport.write(f"{head}{again}connection: close\r\n\r\n".encode() + body)
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self.on_lost is not None:  # no request may arrive during a response
            self.transport.close()
            return
        if self.handover is not None and self.is_between_requests() and self.handover.gives_away(self.transport, data):
            return
        if self.is_in_head:
            self.head_bytes += len(data)
        super().data_received(data)
        if self.is_in_head and self.head_bytes > self.gate.caps.head_bytes and not self.transport.is_closing():
            self.refuse(431, "the head of this request is too long")

    def is_between_requests(self) -> bool:
        """Whether no byte of a new request has arrived, and all earlier responses have been written."""
        if self.cycle is None:
            return self.head_bytes == 0
        if self.is_in_head or self.cycle.more_body or not self.cycle.response_complete:
            return False
        self.outbox.flush()
        return self.transport.get_write_buffer_size() == 0

    def on_message_begin(self) -> None:
        super().on_message_begin()
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
        if self.is_direct:
            cycle.scope[direct.CYCLE] = cycle
        super()._start_asgi_task(cycle, app)


def protocol(caps: Caps, is_direct: bool = True, handover: Handover | None = None) -> Any:
    """The value for uvicorn's `http`: a protocol with these limits, or "auto" (no limits) if httptools is missing.

    With `handover`, connections are given to the process that has their table.
    """
    if not HAS_HTTPTOOLS:
        log.warning("httptools is not installed: connections are not limited")
        return "auto"
    logging.getLogger("uvicorn.error").addFilter(_NoNoise())
    return partial(Connection, Gate(caps), direct.Outbox(), handover, is_direct and direct.is_possible())

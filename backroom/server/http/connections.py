"""The short way for streams and for answers to moves: they go straight to their connections.

An ASGI server gives an application a function that sends; to use it for every message of every stream means to wake a
task for each. So the connection itself is put into the scope, and a stream that has nothing waiting is written to.
Answers to moves are all alike, and need no look at each of their headers.
"""

from typing import Any, Protocol

CONNECTION = "backroom.pipe"
"""Where a request finds its connection in the scope; under other servers it finds none, and sends as usual."""
CYCLE = "backroom.cycle"
"""Where it finds itself, as uvicorn sees it: a request that waits for its answer."""


class Connection(Protocol):
    """A connection, as much of it as a stream needs."""

    transport: Any
    flow: Any


def protocol() -> Any:
    """For uvicorn: connections that make themselves known, where the system has the fast kind."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return "auto"

    class Connection(HttpToolsProtocol):
        def on_message_begin(self) -> None:
            super().on_message_begin()
            self.scope[CONNECTION] = self  # type: ignore[literal-required]

        def _start_asgi_task(self, cycle: Any, app: Any) -> None:
            cycle.scope[CYCLE] = cycle
            super()._start_asgi_task(cycle, app)

    return Connection


def is_open(connection: Connection) -> bool:
    """Whether it takes more without anybody waiting."""
    return not connection.flow.write_paused and not connection.transport.is_closing()


def write(connection: Connection, message: bytes) -> None:
    """A chunk of a body that has begun."""
    connection.transport.write(b"%x\r\n%b\r\n" % (len(message), message))


def answer(cycle: Any, head: bytes, body: bytes) -> bool:
    """A whole answer at once, to a request that nobody has answered; False where it has to go the usual way."""
    if cycle is None or cycle.disconnected or cycle.flow.write_paused or not cycle.keep_alive:
        return False
    own = b"".join([b"%b: %b\r\n" % header for header in cycle.default_headers])
    cycle.response_started = cycle.response_complete = True
    cycle.transport.write(b"%b%bcontent-length: %d\r\n\r\n%b" % (head, own, len(body), body))
    cycle.message_event.set()
    cycle.on_response()
    return True

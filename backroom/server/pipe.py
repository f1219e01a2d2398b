"""The short way for streams: what everybody at a table is told goes straight to their connections.

An ASGI server gives an application a function that sends; to use it for every message of every stream means to wake a
task for each. So the connection itself is put into the scope, and a stream that has nothing waiting is written to.
"""

from typing import Any, Protocol

PIPE = "backroom.pipe"
"""Where a request finds its connection in the scope; under other servers it finds none, and sends as usual."""


class Pipe(Protocol):
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
            self.scope[PIPE] = self  # type: ignore[literal-required]

    return Connection


def is_open(pipe: Pipe) -> bool:
    """Whether it takes more without anybody waiting."""
    return not pipe.flow.write_paused and not pipe.transport.is_closing()


def write(pipe: Pipe, message: bytes) -> None:
    """A chunk of a body that has begun."""
    pipe.transport.write(b"%x\r\n%b\r\n" % (len(message), message))

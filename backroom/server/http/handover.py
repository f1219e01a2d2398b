"""Handing connections over to the process that has their table, if several processes listen on one socket.

Any process can serve any table. But a move is cheapest if all subscribers of its table are in one process: it is then
applied once, and no other process has to be notified. So a hash of its id assigns each table to one of the processes.
Another one that reads a request about the table passes the connection on, with the bytes it has read. If that is not
possible, because the other process is gone or overloaded, it serves the request itself.
"""

import asyncio
import contextlib
import re
import socket
import zlib
from array import array
from collections.abc import Callable
from typing import Any

from prometheus_client import Counter

from backroom.server.place import Place

MOST_BYTES = 64 * 1024
"""Most bytes of a request that are handed over with its connection."""
handed_over = Counter("backroom_connections_handed_over", "Connections given to the process that has their table")

_TABLE = re.compile(rb"[A-Z]+ (?:/api)?/tables/([^/?# ]+)[/?# ]")


class Handover:
    """Gives connections to other processes, and takes those that are given to this one."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._adopted: set[asyncio.Task[Any]] = set()

    def other_process(self, data: bytes) -> int | None:
        """The number of the process to which the request that begins with `data` belongs; None if it is this one's."""
        found = _TABLE.match(data)
        if found is None or len(data) > MOST_BYTES:
            return None
        number = zlib.crc32(found[1]) % self.place.count
        return None if number == self.place.number else number

    def gives_away(self, transport: Any, data: bytes, number: int) -> bool:
        """Hand the connection over to the process with this number; returns whether that was possible.

        BlockingIOError if it has too many to take at the moment: the system keeps few of them, often ten.
        """
        try:
            fd = transport.get_extra_info("socket").fileno()
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [fd]))]
            self._socket.sendmsg([data], rights, 0, str(self.place.path("handover", number)))
        except BlockingIOError:
            raise
        except OSError:  # the process is gone
            return False
        handed_over.inc()
        transport.abort()
        return True

    def open(self, make: Callable[[bytes], asyncio.Protocol]) -> None:
        """Start to receive connections, in place of an earlier process with this number.

        `make` returns a protocol that begins with the bytes that were read already.
        """
        path = self.place.path("handover")
        path.unlink(missing_ok=True)
        self._socket.bind(str(path))
        asyncio.get_running_loop().add_reader(self._socket, self._take, make)

    def _take(self, make: Callable[[bytes], asyncio.Protocol]) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                data, fds, _, _ = socket.recv_fds(self._socket, MOST_BYTES, 1)
                for fd in fds:
                    task = asyncio.get_running_loop().create_task(self._adopt(make, data, fd))
                    self._adopted.add(task)
                    task.add_done_callback(self._adopted.discard)

    async def _adopt(self, make: Callable[[bytes], asyncio.Protocol], data: bytes, fd: int) -> None:
        with contextlib.suppress(OSError):  # the client has closed it meanwhile
            await asyncio.get_running_loop().connect_accepted_socket(lambda: make(data), socket.socket(fileno=fd))

    def close(self) -> None:
        """Stop receiving connections."""
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

"""Notifications between processes that share one SQLite file, by datagrams between Unix sockets."""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterable

from backroom.server.place import Place

GATHER = 0.005
"""Seconds for which words are gathered: telling many of them takes no longer than telling one."""
AGAIN = 0.02
"""Seconds before a process that had no room for a message is tried again."""
MOST_BYTES = 1 << 16
"""Longest datagram."""


class LocalNotify:
    """Sends the words of this process to all processes, and receives theirs.

    If the buffer of a process is full, it gets the message later, each word once. One that has ended gets none: its
    successor begins by reading the journals. A process also sends to its own place, which its successor may have
    already.
    """

    def __init__(self, place: Place, hear: Callable[[str], None]) -> None:
        self.place, self.hear = place, hear
        self._untold: list[dict[str, None]] = [{} for _ in range(place.count)]
        """The words to send, for each process, in their order."""
        self._timer: asyncio.Handle | None = None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def open(self) -> None:
        """Begin to receive, in place of the process that had this place before."""
        path = self.place.path("notify")
        path.unlink(missing_ok=True)
        self._socket.bind(str(path))
        asyncio.get_running_loop().add_reader(self._socket, self._take)

    def close(self) -> None:
        """Send what waits if there is room, and stop receiving."""
        self._tell()
        if self._timer is not None:
            self._timer.cancel()
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    def say(self, word: str) -> None:
        """Tell all processes, together with what else is said within a moment."""
        for words in self._untold:
            words[word] = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GATHER, self._tell)

    def _tell(self) -> None:
        self._timer = None
        for number, words in enumerate(self._untold):
            if not self._is_told(number, words) and self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(AGAIN, self._tell)

    def _is_told(self, number: int, words: dict[str, None]) -> bool:
        """Tell a process these words, and remove those that it was told; returns whether it had room for all."""
        path = str(self.place.path("notify", number))
        while words:
            some = first_of(words)
            try:
                self._socket.sendto("\n".join(some).encode(), path)
            except BlockingIOError:
                return False
            except OSError:  # it has gone
                words.clear()
            for word in some:
                words.pop(word, None)
        return True

    def _take(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                for word in self._socket.recv(MOST_BYTES).decode().split("\n"):
                    self.hear(word)


def first_of(words: Iterable[str]) -> list[str]:
    """As many of the first words as fit into a datagram; none is longer than that."""
    found: list[str] = []
    size = 0
    for word in words:
        size += len(word.encode()) + 1
        if found and size > MOST_BYTES:
            break
        found.append(word)
    return found

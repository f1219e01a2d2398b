"""Deadlines: when the time for a decision is over, a cell of the workspace says so, and the kernel that thinks there
looks at it from time to time. It then plays the best that it has found.
"""

import contextlib
import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any


class Deadlines:
    """Decisions that are being thought about, by when they are due."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._due: list[tuple[float, int]] = []
        self._cells: dict[int, Any] = {}
        """The cells of those that are still thought about."""
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def keep(self, until: float | None, cell: Any) -> Iterator[None]:
        """Set `cell[0]` to 1 at a time of the clock, unless what happens inside is done before. None: never."""
        cell[0] = until is not None and self.now() >= until
        if until is None or cell[0]:
            yield
            return
        number = next(self._numbers)
        with self._changed:
            self._cells[number] = cell
            heapq.heappush(self._due, (until, number))
            self._start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._cells.pop(number, None)

    def strike(self) -> float | None:
        """Set the cells whose time is over; says how long it is until the next, None if there is none."""
        with self._changed:
            while self._due:
                until, number = self._due[0]
                if number in self._cells and until > self.now():
                    return until - self.now()
                heapq.heappop(self._due)
                if (cell := self._cells.pop(number, None)) is not None:
                    cell[0] = 1
        return None

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():  # not alive: in a process that was forked
            self._thread = threading.Thread(target=self._watch, name="deadlines", daemon=True)
            self._thread.start()

    def _watch(self) -> None:
        while True:
            with self._changed:
                self._changed.wait(self.strike())


DEADLINES = Deadlines()
"""Those of this process."""

"""Deadlines: when the time for a decision is over, a thread sets a cell of the workspace. The kernel polls that cell,
and then plays the best move found so far.
"""

import contextlib
import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from backroom.engine.kernel import kernel


class Deadlines:
    """The deadlines of the decisions in progress, and the thread that watches them."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._due: list[tuple[float, int]] = []
        self._cells: dict[int, Any] = {}
        """The cells of the decisions in progress, by number."""
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def keep(self, until: float | None, cell: Any) -> Iterator[None]:
        """Set `cell[0]` to 1 when the clock reaches `until`, unless the block is left before. None: never."""
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
        """Set the cells whose deadline has passed; returns the seconds until the next one, None if there is none."""
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
        if self._thread is None or not self._thread.is_alive():  # not alive: this process was forked
            self._thread = threading.Thread(target=self._watch, name="deadlines", daemon=True)
            self._thread.start()

    def _watch(self) -> None:
        while True:
            with self._changed:
                self._changed.wait(self.strike())


DEADLINES = Deadlines()
"""The deadlines of this process."""


def never() -> Any:
    """The stop cell of a workspace: 0 until somebody else sets it to 1, because time is over."""
    return np.zeros(1, np.int64)


@kernel
def is_late(work):  # type: ignore[no-untyped-def]
    """Whether the time for this decision is over: then the best move found so far is played."""
    return work.stop[0] != 0

"""Threads for work that may take long, and that gives way to whoever waits for an answer."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

NICENESS = 10
"""How much less of a busy processor such a thread gets: as a command that was started with `nice`."""


def background_threads(most: int | None, name: str) -> ThreadPoolExecutor:
    """A pool of such threads."""
    return ThreadPoolExecutor(most, name, initializer=give_way)


def give_way() -> None:
    """Let the event loop, the database and other programs go before this thread. Only Linux knows niceness of threads;
    elsewhere all go alike.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)

"""Background work that gives way to requests: threads with low priority, and garbage collection in small steps."""

import asyncio
import gc
import itertools
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

NICENESS = 10
"""The niceness of background threads, as for a command started with `nice`."""
COLLECT = 0.25
"""Seconds between two collections of the youngest generation."""
OLDER, OLDEST = 8, 2400
"""The middle generation is included in every 8th collection, the oldest in every 2400th: every ten minutes."""


def background_threads(most: int | None, name: str) -> ThreadPoolExecutor:
    """A pool of threads with low priority."""
    return ThreadPoolExecutor(most, name, initializer=give_way)


def give_way() -> None:
    """Lower this thread's priority below the event loop, the database and other programs.

    Only Linux has niceness of threads; elsewhere this does nothing.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


async def collect_on() -> None:
    """Collect cyclic garbage in small steps for as long as the server runs.

    Python's own collector waits until there are many more objects than before. Moves mostly replace objects, so it runs
    rarely, and all players then wait for a long collection.
    """
    for turn in itertools.count(1):
        await asyncio.sleep(COLLECT)
        gc.collect(2 if turn % OLDEST == 0 else 1 if turn % OLDER == 0 else 0)

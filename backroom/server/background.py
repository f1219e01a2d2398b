"""What is done in the background and gives way to whoever waits for an answer: threads for long work, and the collector
of cyclic garbage.
"""

import asyncio
import gc
import itertools
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

NICENESS = 10
"""How much less of a busy processor such a thread gets: as a command that was started with `nice`."""
COLLECT = 0.25
"""Seconds between two collections of the youngest objects."""
OLDER, OLDEST = 8, 2400
"""After how many of them older objects are looked at too, and after how many all of them: every ten minutes."""


def background_threads(most: int | None, name: str) -> ThreadPoolExecutor:
    """A pool of such threads."""
    return ThreadPoolExecutor(most, name, initializer=give_way)


def give_way() -> None:
    """Let the event loop, the database and other programs go before this thread. Only Linux knows niceness of threads;
    elsewhere all go alike.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


async def collect_on() -> None:
    """Collect cyclic garbage, a little at a time, for as long as the server runs. Python by itself waits until there
    are many more objects than before; where each move replaces some, that is seldom, and all who play wait for it then.
    """
    for turn in itertools.count(1):
        await asyncio.sleep(COLLECT)
        gc.collect(2 if turn % OLDEST == 0 else 1 if turn % OLDER == 0 else 0)

"""Metrics of the process: the delay of the event loop, queues, threads. Others are defined beside what they count."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from prometheus_client import Gauge, Histogram

LOOK = 0.5
"""Seconds between two measurements of the event loop."""
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)

loop_delay = Histogram("backroom_loop_delay_seconds", "How late the event loop does what is due", buckets=BUCKETS)
queue_length = Gauge("backroom_queue_length", "Jobs that wait, by queue", ["queue"])
threads = Gauge("backroom_threads", "Threads that a pool may have", ["pool"])
threads_busy = Gauge("backroom_threads_busy", "Threads of a pool that work", ["pool"])
connections_busy = Gauge("backroom_database_connections", "Connections to the database that are in use")


async def watch_loop() -> None:
    """Measure the delay of the event loop for as long as the server runs."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + LOOK
        await asyncio.sleep(LOOK)
        loop_delay.observe(max(0.0, loop.time() - due))


def watch(queues: Mapping[str, Callable[[], float]], pools: Mapping[str, ThreadPoolExecutor]) -> None:
    """Register these queues and pools, to be measured at each request for the metrics."""
    for name, length in queues.items():
        queue_length.labels(name).set_function(length)
    for name, pool in pools.items():
        queue_length.labels(name).set_function(pool._work_queue.qsize)
        threads.labels(name).set(pool._max_workers)
        threads_busy.labels(name).set_function(lambda pool=pool: busy(pool))  # type: ignore[misc]


def busy(pool: ThreadPoolExecutor) -> int:
    """The number of a pool's threads that are working: those started, minus those idle."""
    return len(pool._threads) - pool._idle_semaphore._value

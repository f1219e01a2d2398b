"""Metrics of a process: the delay of the event loop, queues, threads; and the metrics of all processes as one text."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from prometheus_client import Gauge, Histogram, Metric, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from backroom.server.place import Place

LOOK = 0.5
"""Seconds between two measurements of the event loop."""
FRESH = 1.0
"""Seconds for which the metrics of all processes are not made again: anybody may ask, and to read a text takes long."""
SLOWEST = 2.0
"""Seconds within which another process has to tell its metrics."""
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


async def own_text() -> bytes:
    """The metrics of this process."""
    return await asyncio.to_thread(generate_latest)


class SharedMetrics:
    """The metrics of several processes as one text, in which the label `process` has the number of each."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._server: asyncio.Server | None = None
        self._made: asyncio.Future[bytes] | None = None
        self._at = 0.0

    async def open(self) -> None:
        """Tell other processes the metrics of this one, in place of the process that was here before."""
        path = self.place.path("metrics")
        path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._tell, path)

    async def _tell(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await own_text())
        writer.close()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def text(self) -> bytes:
        """The metrics of all processes that answer, made once for all who ask within a second."""
        now = time.monotonic()
        if self._made is None or (self._made.done() and now - self._at > FRESH):
            self._made, self._at = asyncio.ensure_future(self._make()), now
        return await asyncio.shield(self._made)

    async def _make(self) -> bytes:
        found = {self.place.number: await own_text()}
        for number in self.place.others():
            with contextlib.suppress(OSError, TimeoutError):
                found[number] = await asyncio.wait_for(self._of(number), SLOWEST)
        return await asyncio.to_thread(generate_latest, Labelled(found))

    async def _of(self, number: int) -> bytes:
        reader, writer = await asyncio.open_unix_connection(self.place.path("metrics", number))
        with contextlib.closing(writer):
            return await reader.read()


class Labelled:
    """The metrics in the texts of several processes."""

    def __init__(self, texts: Mapping[int, bytes]) -> None:
        self.texts = texts

    def collect(self) -> Iterable[Metric]:
        found: dict[str, Metric] = {}
        for number, text in sorted(self.texts.items()):
            for family in text_string_to_metric_families(text.decode()):
                samples = [each._replace(labels={**each.labels, "process": str(number)}) for each in family.samples]
                family.samples = []
                found.setdefault(family.name, family).samples += samples
        return found.values()

"""Services: the store, people, live tables and everything else that requests need, built once."""

import asyncio
import contextlib
import gc
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import jinja2
import structlog
from prometheus_client import Counter, Gauge
from starlette.requests import Request

from backroom.arena.warm import touch_all
from backroom.engine import registry
from backroom.engine.game import Game
from backroom.server import metrics
from backroom.server.background import background_threads
from backroom.server.clock import now_ms
from backroom.server.compiling import Compiling
from backroom.server.errors import Conflict, Refused
from backroom.server.http.identity import identify
from backroom.server.http.limits import Limits, network
from backroom.server.people.accounts import People, Person
from backroom.server.place import Place
from backroom.server.storage.queries import analysis_of, keep_analysis
from backroom.server.storage.store import CHANNEL, Store
from backroom.server.tables.analyses import Analyses
from backroom.server.tables.live import LiveTables
from backroom.server.tables.new_tasks import NewTasks, makes_tasks
from backroom.server.tables.thinking import HOUSE_BOTS, BotProvider, Thinking, warm

T = TypeVar("T")
WORKERS = 4
"""Threads for the work of pages: replays, pictures, forms."""
IMPORTERS = 2
"""Threads for whole logs that are sent, which take seconds."""
WEB = Path(__file__).parent.parent / "web"
moves_made = Counter("backroom_moves", "Lines written to logs, nature's included")
tables_live = Gauge("backroom_live_tables", "Tables in memory")
streams_open = Gauge("backroom_streams", "Open streams")
started = Gauge("backroom_started_seconds", "When this process was started, in seconds since 1970")

TOKEN_WANTED = (
    "say who you are first, with the header Authorization: Bearer TOKEN; a token comes from POST /api/guests, or for "
    "an account from the page /me"
)
"""The refusal for a program that sends no token that is known here."""
log = structlog.get_logger()


@dataclass(frozen=True)
class Settings:
    """The settings of a server."""

    db: str
    bots: BotProvider = HOUSE_BOTS
    bot_pace: float = 0.6
    """Seconds before a bot moves, so that people can follow."""
    bot_seconds: float | None = 1.0
    """Wall time that a bot has for a move, so it thinks less on a busy machine. None: as long as its plan says."""
    limits: float = 1
    """A factor for all rate limits."""
    warm: bool = True
    """Whether kernels are compiled in advance, in a child process."""
    now: Any = now_ms
    origins: frozenset[str] = frozenset()
    proxies: str = ""
    """Addresses or networks, separated by commas, whose `X-Forwarded-*` headers are trusted; `*`: all."""
    place: Place | None = None
    """This process's place among several on the same database."""
    is_direct: bool = True
    """Whether moves and streams bypass uvicorn (`http/direct.py`)."""


class Services:
    """Everything that requests need."""

    def __init__(self, settings: Settings) -> None:
        started.set_to_current_time()
        self.settings = settings
        place = settings.place
        self.store = Store(settings.db, write_lock=None if place is None else place.folder / "turn")
        self.people = People(self.store)
        self.thinking = Thinking(settings.bots, settings.bot_seconds)
        self.tables = LiveTables(self.store, self.thinking, now=settings.now, bot_pace=settings.bot_pace)
        self.tables.count_moves = moves_made.inc
        self.limits = Limits(settings.limits)
        self.compiling = Compiling()
        self.analyses = Analyses(settings.bots, keep=self._keep_analysis, kept=self._kept_analysis)
        self.new_tasks = NewTasks()
        self._workers = ThreadPoolExecutor(WORKERS, "worker")
        self._importers = background_threads(IMPORTERS, "importer")
        self._loaders = ThreadPoolExecutor(thread_name_prefix="loader")
        """The threads of `asyncio.to_thread`, in which journals are loaded."""
        self.is_draining = False
        """Whether the server is shutting down: it answers, but should get no new traffic."""
        self.shared_metrics = None if place is None else metrics.SharedMetrics(place)
        self._prepared: dict[str, asyncio.Task[None]] = {}
        self._begun: dict[str, asyncio.Task[Any]] = {}
        self.pages = jinja2.Environment(
            loader=jinja2.FileSystemLoader(WEB / "pages"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    @contextlib.asynccontextmanager
    async def open(self) -> Any:
        """Run the background tasks from before the first request until after the last."""
        stack = contextlib.ExitStack()
        asyncio.get_running_loop().set_default_executor(self._loaders)
        if self.settings.warm:
            self.compiling.start()
            self.tables.start(self.work(self._read_pages))
        else:
            self.compiling.finish()
        self.tables.start(self.tables.maintain())
        if self.store.is_postgres:
            from backroom.server.storage.pg_notify import PgNotify

            notify = PgNotify(self.store, self.tables, CHANNEL)
            self.tables.start(notify.listen())
            self.tables.speak = notify.say
        elif self.settings.place is not None:
            from backroom.server.storage.local_notify import LocalNotify

            local = LocalNotify(self.settings.place, self.tables.hear)
            local.open()
            stack.callback(local.close)
            self.tables.speak = local.say
        self.tables.reread_person, self.people.tell = self.people.reread, self.tables.tell_of_person
        self.tables.forget_analysis = self.analyses.forget
        if self.shared_metrics is not None:
            await self.shared_metrics.open()
            stack.callback(self.shared_metrics.close)
        self.tables.start(metrics.watch_loop())
        metrics.watch(
            {"writer": self.store.waiting, "asked analyses": lambda: self.analyses.queued},
            {
                "readers": self.store.readers,
                "workers": self._workers,
                "importers": self._importers,
                "loaders": self._loaders,
                "passwords": self.people.pool,
                "makers": self.new_tasks.pool,
                "analyses": self.analyses.pool,
                **self.thinking.pools,
            },
        )
        metrics.connections_busy.set_function(self.store.connections)
        tables_live.set_function(lambda: len(self.tables.live))
        try:
            yield
        finally:
            self.compiling.stop()
            await self.tables.close()
            stack.close()
            self.thinking.close()
            self.analyses.close()
            self.new_tasks.close()
            for pool in (self._workers, self._importers):
                pool.shutdown(wait=False, cancel_futures=True)
            await asyncio.to_thread(self.store.close)

    def _read_pages(self) -> None:
        """Load the templates of all pages, because loading them at the first request would hold up all others."""
        for name in self.pages.list_templates():
            self.pages.get_template(name)

    async def work(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a function for a page in worker threads, separate from those of bots and of the database."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, work, *arguments)

    async def settle(self, game: Game, work: Callable[..., T], *arguments: Any) -> T:
        """Run a function that settles a game's options, where tasks are made if it may have to make one."""
        return await (self.new_tasks.make if makes_tasks(game) else self.work)(work, *arguments)

    async def take_in(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a function for a log that was sent, in threads of its own: it may be long, and pages do not wait."""
        return await asyncio.get_running_loop().run_in_executor(self._importers, work, *arguments)

    async def _keep_analysis(self, table: str, found: str) -> None:
        with contextlib.suppress(Conflict):  # another process has stored it
            await self.store.write(lambda conn: keep_analysis(conn, table, found, self.tables.now()))

    async def _kept_analysis(self, table: str) -> str | None:
        found: str | None = await self.store.read(lambda conn: analysis_of(conn, table))
        return found

    def is_begun(self, name: str) -> bool:
        """Whether background work with this name is running."""
        return name in self._begun

    def begin(self, name: str, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Start background work, unless work with this name is already running."""
        if not self.is_begun(name):
            self._begun[name] = asyncio.get_running_loop().create_task(work())
            self._begun[name].add_done_callback(lambda done: self._ended(name, done))

    def _ended(self, name: str, done: "asyncio.Task[Any]") -> None:
        del self._begun[name]
        if not done.cancelled() and (error := done.exception()) is not None:
            log.error("what was begun has failed", what=name, why=repr(error))

    async def prepare(self, name: str) -> None:
        """Wait until the kernels of a game are loaded, then start loading those of its bots in the background."""
        await self.compiling.wait_for(name)
        if name not in self._prepared:
            self._prepared[name] = asyncio.get_running_loop().create_task(asyncio.to_thread(load, registry.game(name)))
            if self.settings.warm:
                self.tables.start(self._prepare_bots(name))
        await asyncio.shield(self._prepared[name])

    async def _prepare_bots(self, name: str) -> None:
        await asyncio.shield(self._prepared[name])
        await self.thinking.as_bot(warm, self.settings.bots, registry.game(name))

    def games(self) -> list[Game]:
        """All games, sorted by title."""
        return sorted((registry.game(name) for name in registry.names()), key=lambda found: found.title)

    async def person(self, request: Request) -> Person | None:
        """The sender of a request; None if unknown."""
        return await identify(self.people, dict(request.scope["headers"]))

    async def known(self, headers: Mapping[bytes, bytes], is_api: bool = False) -> Person:
        """The sender of a request with these headers; Refused if unknown, where programs are told how to say it."""
        person = await identify(self.people, headers)
        if person is None:
            raise Refused(TOKEN_WANTED if is_api else "say who you are first", 401, "nobody")
        return person


def load(game: Game) -> None:
    """Load all kernels of a game by using each once.

    They create a great many permanent objects, which are excluded from garbage collection, because all tables would
    have to wait while those are scanned.
    """
    touch_all(game)
    gc.freeze()


def address(request: Request) -> str:
    """The address of a request's client, or with IPv6 its network, by which requests are limited."""
    return network(request.client.host) if request.client else "nowhere"


async def visitor(request: Request, what: str = "look") -> tuple[Services, Person | None]:
    """The services, and the sender of a request for a page, after checking the rate limit."""
    services = services_of(request)
    person = await services.person(request)
    services.limits.take(what, person.id if person else address(request))
    return services, person


def services_of(request: Request) -> Services:
    found: Services = request.app.state.services
    return found

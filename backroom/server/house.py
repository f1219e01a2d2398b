"""The house: all that requests need, in one place."""

import asyncio
import contextlib
import gc
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import structlog
from prometheus_client import Counter, Gauge
from starlette.requests import Request

from backroom.arena.warm import touch_all
from backroom.engine.game import Game, game, names
from backroom.engine.kernel import mark
from backroom.server.analyses import Analyses
from backroom.server.guard import Limits
from backroom.server.people import COOKIE, People, Person
from backroom.server.rooms import Refused, Rooms, now_ms
from backroom.server.store import CHANNEL, Store

WEB = Path(__file__).parent.parent / "web"
moves_made = Counter("backroom_moves", "Lines written to logs, nature's included")
tables_live = Gauge("backroom_live_tables", "Tables in memory")
streams_open = Gauge("backroom_streams", "Open streams")

log = structlog.get_logger()


@dataclass(frozen=True)
class Settings:
    """How a server is run."""

    db: str
    bot_pace: float = 0.6
    limits: float = 1
    """How many times the usual rates are allowed."""
    warm: bool = True
    now: Any = now_ms
    origins: frozenset[str] = frozenset()


@dataclass
class Warming:
    """Kernels that compile in a process beside this one, and how far that is."""

    steps: int = 0
    done: int = 0
    doing: str = ""
    ready: set[str] = field(default_factory=set)
    is_over: bool = False
    failed: str = ""
    child: subprocess.Popen[str] | None = None

    def start(self) -> None:
        all_compiled = mark("warm")
        if all_compiled is None or all_compiled.exists() or os.environ.get("NUMBA_DISABLE_JIT") == "1":
            self.finish()
            return
        words = [sys.executable, "-m", "backroom", "warm", "--plain"]
        self.child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self._listen, args=(self.child, all_compiled), name="warming", daemon=True).start()

    def _listen(self, child: "subprocess.Popen[str]", all_compiled: Path) -> None:
        """Lines like `3 12 run rules`: step, steps, game, what."""
        assert child.stdout is not None
        last = ""
        for line in child.stdout:
            step, steps, name, what = line.rstrip("\n").split(" ", 3)
            if last and name != last:
                self.ready.add(last)
            last = name
            self.done, self.steps, self.doing = int(step) - 1, int(steps), f"{name}: {what}"
        if child.wait() == 0:
            with contextlib.suppress(OSError):
                all_compiled.touch()
        else:
            self.failed = "some rules could not be compiled ahead; they are compiled when they are needed"
        self.finish()

    def finish(self) -> None:
        self.is_over, self.done, self.ready = True, self.steps, set(names())

    async def wait_for(self, name: str) -> None:
        """Until the kernels of a game are there."""
        while not self.is_over and name not in self.ready:
            await asyncio.sleep(0.1)

    def stop(self) -> None:
        if self.child is not None and self.child.poll() is None:
            self.child.terminate()


class House:
    """Everything behind the doors."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.db)
        self.people = People(self.store)
        self.rooms = Rooms(self.store, now=settings.now, bot_pace=settings.bot_pace)
        self.rooms.count_moves = moves_made.inc
        self.limits = Limits(settings.limits)
        self.warming = Warming()
        self.analyses = Analyses()
        self._prepared: dict[str, asyncio.Task[None]] = {}
        self.pages = jinja2.Environment(
            loader=jinja2.FileSystemLoader(WEB / "pages"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    @contextlib.asynccontextmanager
    async def open(self) -> Any:
        """From the first request to the last."""
        if self.settings.warm:
            self.warming.start()
        else:
            self.warming.finish()
        self.rooms.start(self.rooms.keep_house())
        if self.store.is_postgres:
            from backroom.server.neighbours import Neighbours

            neighbours = Neighbours(self.store, self.rooms, CHANNEL)
            self.rooms.start(neighbours.listen())
            self.rooms.speak = neighbours.say
        tables_live.set_function(lambda: len(self.rooms.live))
        try:
            yield
        finally:
            self.warming.stop()
            await self.rooms.close()
            await asyncio.to_thread(self.store.close)

    async def prepare(self, name: str) -> None:
        """Have the kernels of a game at hand before somebody waits for them at a table."""
        await self.warming.wait_for(name)
        if name not in self._prepared:
            self._prepared[name] = asyncio.get_running_loop().create_task(asyncio.to_thread(load, game(name)))
        await asyncio.shield(self._prepared[name])

    def games(self) -> list[Game]:
        """All games there are, by their titles."""
        return sorted((game(name) for name in names()), key=lambda found: found.rules.TITLE)

    async def person(self, request: Request) -> Person | None:
        """Who sends this: by a token, or by a cookie that we signed."""
        said = request.headers.get("authorization", "")
        if said[:7].lower() == "bearer ":
            return await self.people.by_token(said[7:].strip())
        cookie = request.cookies.get(COOKIE)
        return await self.people.by_cookie(cookie) if cookie else None

    async def known(self, request: Request) -> Person:
        """The same, if it has to be somebody."""
        person = await self.person(request)
        if person is None:
            raise Refused("say who you are first", 401, "nobody")
        return person


def load(found: Game) -> None:
    """Use all kernels of a game once. Compilers leave a great many objects, which the collector need not look at again:
    everybody at every table would wait for it.
    """
    touch_all(found)
    gc.collect()
    gc.freeze()


def address(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else "nowhere"


def house_of(request: Request) -> House:
    found: House = request.app.state.house
    return found

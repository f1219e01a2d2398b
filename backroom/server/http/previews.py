"""Small pictures of games that can be watched: the spectators' view of the board, drawn once for all requests."""

import asyncio
import gzip
from collections import OrderedDict
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from backroom.engine.game import Game
from backroom.engine.kernel import SPECTATOR
from backroom.engine.protocol import State
from backroom.scene.svg import board_svg
from backroom.server.errors import Refused
from backroom.server.http.etags import etag_of, is_current
from backroom.server.http.security import PICTURE_POLICY
from backroom.server.services import Services, visitor
from backroom.server.tables.live import LiveTable

MOST_KEPT = 100
"""Most pictures in the cache, which has the latest of each table."""
COMPRESSION = 4


@dataclass(frozen=True, slots=True)
class Preview:
    """A picture ready to be sent, with its ETag."""

    packed: bytes
    etag: str


class Previews:
    """A cache of the latest pictures of tables."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.kept: OrderedDict[str, tuple[int, asyncio.Task[Preview]]] = OrderedDict()
        """By table: the spectators' count, and the task that draws. Other numbers would reveal hidden events."""

    async def of(self, live: LiveTable) -> Preview:
        """The current board, drawn in a worker thread, once for all who ask."""
        async with live.reading() as state:
            if state.shown is None:
                raise Refused("the game has not begun", 409, "not-playing")
            number = state.count(SPECTATOR)
            known, drawn = self.kept.get(live.id, (None, None))
            if drawn is None or known != number or has_failed(drawn):
                view = state.game.view(state.shown, SPECTATOR)
                drawn = asyncio.ensure_future(self.services.work(preview, state.game, view))
                self.kept[live.id] = number, drawn
            self.kept.move_to_end(live.id)
            while len(self.kept) > MOST_KEPT:
                self.kept.popitem(last=False)
        return await asyncio.shield(drawn)


def has_failed(task: "asyncio.Task[Preview]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def preview(game: Game, view: State) -> Preview:
    """The board of a view, compressed."""
    text = board_svg(game.rules.draw(view, SPECTATOR)).encode()
    return Preview(gzip.compress(text, COMPRESSION, mtime=0), etag_of(text))


async def get_preview(request: Request) -> Response:
    services, _ = await visitor(request)
    live = await services.tables.get(request.path_params["table"])
    await services.compiling.wait_for(live.config.game)
    previews: Previews = request.app.state.previews
    found = await previews.of(live)
    headers = {
        "content-security-policy": PICTURE_POLICY,
        "cache-control": "no-cache",
        "etag": found.etag,
        "vary": "accept-encoding",
    }
    if is_current(request, found.etag):
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(found.packed), media_type="image/svg+xml", headers=headers)
    return Response(found.packed, media_type="image/svg+xml", headers={**headers, "content-encoding": "gzip"})


routes = [Route("/tables/{table}/board.svg", get_preview)]

"""The application: all routes of the server together."""

import asyncio
import contextlib
from collections.abc import MutableMapping
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from backroom.server import tracing
from backroom.server.errors import Refused
from backroom.server.http import (
    api,
    covers,
    diagrams,
    finding,
    former_names,
    friends,
    lobby,
    lobby_streams,
    pages,
    previews,
    profile,
    replay,
    table_routes,
)
from backroom.server.http.errors import HANDLED, as_page_or_json, headers, message
from backroom.server.http.security import Receive, Scope, Security, Send
from backroom.server.metrics import own_text
from backroom.server.services import Services, address, services_of
from backroom.server.tracing import Traced


async def get_healthz(request: Request) -> Response:
    """Whether the process is alive and the database can be written; answers within a few seconds."""
    try:
        await asyncio.wait_for(services_of(request).store.probe(), PROBE_SECONDS)
    except TimeoutError:
        raise Refused("the database does not answer", 503, "unkept") from None
    return Response("well\n", media_type="text/plain")


async def get_readyz(request: Request) -> Response:
    """Whether traffic should be sent here: the database can be written, and the server is not shutting down.

    It also says whether compiling the rules in advance has failed; the server can be used nevertheless.
    """
    services = services_of(request)
    if services.is_draining:
        raise Refused("this server is about to stop", 503, "draining")
    found = await get_healthz(request)
    return Response(f"{services.compiling.failed}\n", media_type="text/plain") if services.compiling.failed else found


async def get_metrics(request: Request) -> Response:
    """The metrics of all processes; with `?own`, only those of the one that answers."""
    services = services_of(request)
    services.limits.take("look", address(request))
    shared = None if "own" in request.query_params else services.shared_metrics
    return Response(await own_text() if shared is None else await shared.text(), media_type=CONTENT_TYPE_LATEST)


class Stopped:
    """ASGI middleware that answers requests which the server cancels: it is stopping, and has waited long enough."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_begun = False

        async def answer(part: MutableMapping[str, Any]) -> None:
            nonlocal is_begun
            is_begun = True
            await send(part)

        try:
            await self.app(scope, receive, answer)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            if not is_begun:
                found = Refused("this server is about to stop; try again", 503, "draining")
                await JSONResponse(message(found), found.status, headers(found))(scope, receive, send)


PROBE_SECONDS = 5.0
LEAST_COMPRESSED, COMPRESSION = 2000, 4
"""The fewest bytes of a response that is compressed, and the level of compression. Streams are never compressed."""


def make(services: Services) -> Any:
    """The application, wrapped in the security middleware."""
    settings = services.settings

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> Any:
        async with services.open():
            yield
        tracing.stop()

    messages = api.make(services)
    app = Starlette(
        routes=[
            *table_routes.routes[:2],
            *former_names.routes,
            Mount("/api", messages),
            *replay.routes,
            *friends.routes,
            *finding.routes,
            *profile.routes,
            *table_routes.routes[2:],
            *lobby.routes,
            *covers.routes,
            *previews.routes,
            *diagrams.routes,
            *pages.routes,
            Route("/healthz", get_healthz),
            Route("/readyz", get_readyz),
            Route("/metrics", get_metrics),
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=LEAST_COMPRESSED, compresslevel=COMPRESSION)],
        lifespan=life,
        exception_handlers=dict.fromkeys(HANDLED, as_page_or_json),
    )
    app.state.services = services
    app.state.previews = previews.Previews(services)
    app.state.lobby = services.tables.lobby = lobby_streams.LobbyStreams(services)
    whole: Any = Security(Stopped(app), settings.origins, bool(settings.proxies))
    if settings.proxies:
        whole = ProxyHeadersMiddleware(whole, settings.proxies)
    return Traced(whole) if tracing.is_on() or tracing.start() else whole

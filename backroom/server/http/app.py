"""The application: all doors of the server together."""

import contextlib
import os
from typing import Any

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy import text
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from backroom.server.errors import Refused
from backroom.server.http import api, former_names, pages, replay, table_routes
from backroom.server.http.fast_moves import FastMoves
from backroom.server.http.security import Security
from backroom.server.people.accounts import BadName
from backroom.server.services import Services, Settings, services_of
from backroom.server.storage.store import Unkept

log = structlog.get_logger()


async def refused(request: Request, error: Exception) -> Response:
    """Why not, as a page or as a message."""
    if isinstance(error, Unkept):
        log.error("could not be written", why=str(error), path=request.url.path)
        error = Refused("it could not be written down, and so it did not happen; try again", 503, "unkept")
    if isinstance(error, BadName):
        error = Refused(str(error), 422, "unreadable")
    if isinstance(error, HTTPException):
        error = Refused(str(error.detail), error.status_code, "refused")
    assert isinstance(error, Refused)
    if "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api"):
        person = await services_of(request).person(request)
        table = request.path_params.get("table") if error.status != 404 else None
        return pages.render(
            request, "refused.html", person, error.status, why=error.why, code=error.status, table=table
        )
    headers = {"retry-after": "1"} if error.status in (429, 503) else None
    return JSONResponse({"ok": False, "code": error.code, "why": error.why}, error.status, headers)


async def get_healthz(request: Request) -> Response:
    """Whether the database answers."""
    await services_of(request).store.read(lambda conn: conn.execute(text("select 1")).scalar())
    return Response("well\n", media_type="text/plain")


async def get_metrics(request: Request) -> Response:
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def make(settings: Settings) -> Any:
    """The application, with the guard before it, and the short way for moves before both."""
    services = Services(settings)

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> Any:
        async with services.open():
            yield

    messages = api.make(services)
    app = Starlette(
        routes=[
            *table_routes.routes[:2],
            *former_names.routes,
            Mount("/api", messages),
            *replay.routes,
            *table_routes.routes[2:],
            *pages.routes,
            Route("/healthz", get_healthz),
            Route("/metrics", get_metrics),
        ],
        lifespan=life,
        exception_handlers={Refused: refused, Unkept: refused, BadName: refused, HTTPException: refused},
    )
    app.state.services = services
    trusted = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1")
    security: Any = Security(app, settings.origins)
    return FastMoves(ProxyHeadersMiddleware(security, trusted), services)

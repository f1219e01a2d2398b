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

from backroom.server import api, doors, pages, records
from backroom.server.front import Front
from backroom.server.guard import Guard
from backroom.server.house import House, Settings, house_of
from backroom.server.people import BadName
from backroom.server.rooms import Refused
from backroom.server.store import Unkept

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
        person = await house_of(request).person(request)
        table = request.path_params.get("table") if error.status != 404 else None
        return pages.render(
            request, "refused.html", person, error.status, why=error.why, code=error.status, table=table
        )
    headers = {"retry-after": "1"} if error.status in (429, 503) else None
    return JSONResponse({"ok": False, "code": error.code, "why": error.why}, error.status, headers)


async def get_healthz(request: Request) -> Response:
    """Whether the database answers."""
    await house_of(request).store.read(lambda conn: conn.execute(text("select 1")).scalar())
    return Response("well\n", media_type="text/plain")


async def get_metrics(request: Request) -> Response:
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def make(settings: Settings) -> Any:
    """The application, with the guard before it, and the short way for moves before both."""
    house = House(settings)

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> Any:
        async with house.open():
            yield

    wire = api.make(house)
    app = Starlette(
        routes=[
            *doors.routes[:2],
            Mount("/api", wire),
            *records.routes,
            *doors.routes[2:],
            *pages.routes,
            Route("/healthz", get_healthz),
            Route("/metrics", get_metrics),
        ],
        lifespan=life,
        exception_handlers={Refused: refused, Unkept: refused, BadName: refused, HTTPException: refused},
    )
    app.state.house = house
    trusted = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1")
    guard: Any = Guard(app, settings.origins)
    return Front(ProxyHeadersMiddleware(guard, trusted), house)

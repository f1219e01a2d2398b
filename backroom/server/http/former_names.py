"""Redirects from the former names of games to their present addresses."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from backroom.engine.registry import renamed

PAGES = ("new", "alone", "solo", "rules", "ladder")
"""The pages with a game's name in their address."""


async def redirect(request: Request) -> Response:
    _, page, former = request.url.path.split("/")
    return RedirectResponse(str(request.url.replace(path=f"/{page}/{renamed()[former]}")), 308)


routes = [Route(f"/{page}/{former}", redirect) for page in PAGES for former in renamed()]

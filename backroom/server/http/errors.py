"""Error responses: the status, code and sentence for each error, for pages and programs alike."""

from typing import TYPE_CHECKING, Any

import msgspec
import structlog
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.protocol import BadPosition, IllegalMove
from backroom.server.errors import BadName, Refused, Unkept
from backroom.server.markup import worded

if TYPE_CHECKING:
    from backroom.server.services import Services

log = structlog.get_logger()

AGAIN = (429, 503)
"""Statuses after which the same request may be sent again."""
SECONDS = "1"
"""The value of the header `Retry-After`."""


def refusal(error: Exception) -> Refused:
    """The refusal that a client gets for an error. Details of database errors are logged, not sent."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, Unkept):
        log.error("could not be written", why=str(error))
        return Refused("it could not be stored, so nothing has changed; try again", 503, "unkept")
    if isinstance(error, DataError):
        return Refused("something in it cannot be stored, such as a sign with the number 0", 422, "unreadable")
    if isinstance(error, SQLAlchemyError):
        log.error("the database does not answer", why=str(error).splitlines()[0])
        return Refused("the database does not answer; try again", 503, "unkept")
    if isinstance(error, ClientDisconnect):
        return Refused("the request has ended before it was complete", 400, "unreadable")
    if isinstance(error, IllegalMove):
        return Refused(str(error), 422, "illegal")
    if isinstance(error, RequestValidationError):
        wrong = error.errors()[:3]
        return Refused("; ".join(f"{'.'.join(map(str, e['loc'][1:]))}: {e['msg']}" for e in wrong), 422, "unreadable")
    if isinstance(error, HTTPException) and error.status_code == 404:
        return Refused("there is nothing at this address", 404, "refused")
    if isinstance(error, HTTPException) and error.status_code == 405:
        return Refused("there is no page at this address; it is for forms and programs", 405, "refused")
    if isinstance(error, HTTPException):
        return Refused(str(error.detail), error.status_code, "refused")
    return Refused(str(error), 422, "unreadable")


HANDLED: tuple[type[Exception], ...] = (
    Refused, Unkept, SQLAlchemyError, IllegalMove, RequestValidationError, HTTPException, BadName, BadOption,
    BadPosition, msgspec.ValidationError, ClientDisconnect,
)  # fmt: skip
"""All errors that `refusal` handles; any other is a bug, and a 500."""


def message(error: Refused, game: Game | None = None) -> dict[str, Any]:
    """A refusal as JSON; for a page of a game also as HTML, if it names a § of the rulebook."""
    said = {"why": error.why} if game is None else worded("why", [error.why], game)
    return {"ok": False, "code": error.code, **said}


def game_at(services: "Services", table: str | None) -> Game | None:
    """The game of a table, if that is in memory."""
    live = services.tables.live.get(table or "")
    return None if live is None else live.config.find_game()


def headers(error: Refused) -> dict[str, str]:
    return {"retry-after": SECONDS} if error.status in AGAIN else {}


async def as_json(request: Request, error: Exception) -> Response:
    """The response to a program."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        why = f"this address does not answer {request.method}; /api/openapi.json says what it answers"
        return _json(error, Refused(why, 405, "refused"))
    found = refusal(error)
    answer = _json(error, found)
    if found.status == 401:
        answer.headers["www-authenticate"] = "Bearer"
    return answer


def _json(error: Exception, found: Refused, game: Game | None = None) -> Response:
    more = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    return JSONResponse(message(found, game), found.status, {**more, **headers(found)})


async def as_page_or_json(request: Request, error: Exception) -> Response:
    """The response to a browser that wants a page, or to one of our scripts."""
    from backroom.server.http.pages import render
    from backroom.server.services import services_of

    found, services = refusal(error), services_of(request)
    table = request.path_params.get("table")
    if "text/html" not in request.headers.get("accept", ""):
        return _json(error, found, game_at(services, table))
    person = await services.person(request) if found.status != 503 else None  # the database may be unavailable
    games = [(game.name, game.title) for game in services.games()] if found.status == 404 else []
    answer = render(
        request,
        "refused.html",
        person,
        found.status,
        why=found.why,
        code=found.status,
        table=table if found.status != 404 else None,
        games=games,
    )
    answer.headers.update(headers(found))
    return answer

"""Playing with friends: a table with free seats, and joining it in one step."""

from functools import partial

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from backroom.server.errors import Refused
from backroom.server.http.forms import form_of
from backroom.server.http.pages import number, person_or_guest, requested_game, with_cookie
from backroom.server.http.table_routes import open_table
from backroom.server.services import address, services_of
from backroom.server.storage.journal import SIT, Entry
from backroom.server.tables import actions
from backroom.server.tables.config import Terms, config

TOO_LATE = ("taken", "not-playing")
"""Codes of refusals because no seat is left. The table's page shows that, and the game can be watched."""


async def post_friends(request: Request) -> Response:
    """Make a table by link, with one's own seat taken and the others free."""
    services = services_of(request)
    services.limits.take("make", address(request))
    game = requested_game(request)
    if max(game.seats) == 1:
        raise Refused(f"{game.title} is a game for one", 404, "unknown")
    async with form_of(request) as form:
        seats = number(form, "seats", 0) or max(2, min(game.seats))
        make = partial(config, game.name, seats, {}, Terms(), is_public=False, maker="", made=services.tables.now())
        new = await services.work(make)
        person, is_new = await person_or_guest(request, form)
    new = msgspec.structs.replace(new, maker=person.id)
    live = await open_table(services, new, [Entry(SIT, 0, person.name, person.id)])
    response: Response = RedirectResponse(f"/tables/{live.id}", 303)
    return with_cookie(response, services, person, request) if is_new else response


async def post_join(request: Request) -> Response:
    """Accept an invitation: choose a name if one has none yet, and take a free seat."""
    services = services_of(request)
    live = await services.tables.get(request.path_params["table"])
    async with form_of(request) as form:
        person, is_new = await person_or_guest(request, form)
    services.limits.take("act", person.id)
    await services.compiling.wait_for(live.config.game)
    response: Response = RedirectResponse(f"/tables/{live.id}", 303)
    if is_new:
        with_cookie(response, services, person, request)
    try:
        await live.write(actions.sit(person, None))
    except Refused as refusal:
        if refusal.code not in TOO_LATE:
            raise
    return response


routes = [
    Route("/friends/{game}", post_friends, methods=["POST"]),
    Route("/tables/{table}/join", post_join, methods=["POST"]),
]

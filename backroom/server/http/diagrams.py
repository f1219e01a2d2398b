"""The positions of a rulebook: as pictures, and as tables at which they can be tried."""

from functools import cache, partial

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from backroom.bots import gentle
from backroom.engine.diagrams import Diagram, diagrams
from backroom.engine.game import Game
from backroom.server.errors import Refused
from backroom.server.http.etags import fixed_picture
from backroom.server.http.forms import form_of
from backroom.server.http.pages import person_or_guest, requested_game, with_cookie
from backroom.server.http.table_routes import open_table
from backroom.server.services import address, services_of
from backroom.server.storage.journal import BOT, SIT, Entry
from backroom.server.tables.config import Terms, config


def requested_diagram(request: Request) -> tuple[Game, Diagram]:
    """The diagram named in the request's path."""
    game, said = requested_game(request), request.path_params["number"]
    known = diagrams(game)
    if not said.isdecimal() or len(said) > 3 or int(said) >= len(known):
        raise Refused("there is no such picture in this rulebook", 404, "unknown")
    return game, known[int(said)]


@cache
def picture(game: Game, number: int) -> str:
    diagram = diagrams(game)[number]
    return str(game.rules.draw(diagram.view(game), diagram.viewer).svg())


async def get_picture(request: Request) -> Response:
    services = services_of(request)
    game, _ = requested_diagram(request)
    await services.compiling.wait_for(game.name)
    return fixed_picture(request, await services.work(picture, game, int(request.path_params["number"])))


async def post_try(request: Request) -> Response:
    """Make a table that begins at a position of the rulebook, with the weakest level in the other seats."""
    services = services_of(request)
    services.limits.take("make", address(request))
    game, diagram = requested_diagram(request)
    async with form_of(request) as form:
        person, is_new = await person_or_guest(request, form)
    made, terms = services.tables.now(), Terms(rated=False)
    make = partial(
        config, game.name, diagram.seats, diagram.options, terms, is_public=False, maker=person.id, made=made
    )
    new = msgspec.structs.replace(await services.work(make), start=diagram.position)
    entries = [
        Entry(SIT, seat, person.name, person.id) if seat == diagram.viewer else Entry(BOT, seat, gentle(game))
        for seat in range(new.seats)
    ]
    live = await open_table(services, new, entries)
    response: Response = RedirectResponse(f"/tables/{live.id}", 303)
    return with_cookie(response, services, person, request) if is_new else response


routes = [
    Route("/rules/{game}/{number}.svg", get_picture),
    Route("/rules/{game}/{number}", post_try, methods=["POST"]),
]

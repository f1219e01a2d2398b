"""The picture on a game's card: the board in the middle of a game, drawn once."""

import random

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from backroom.engine.game import Game
from backroom.engine.kernel import SPECTATOR
from backroom.scene.svg import board_svg
from backroom.server.http.etags import fixed_picture
from backroom.server.http.pages import requested_game
from backroom.server.services import services_of

LINES = 60
"""The number of random moves played before the board is drawn."""

_covers: dict[str, str] = {}


def cover(game: Game) -> str:
    """The board of a game after some random moves, which are always the same."""
    if game.name not in _covers:
        rng, table = random.Random(game.name), game.table(seed=game.name)
        while not table.is_over and len(table.lines) < LINES:
            seat = table.asked[0]
            table.play(seat, rng.choice(table.moves(seat)))
        _covers[game.name] = board_svg(game.rules.draw(table.view(SPECTATOR), SPECTATOR))
    return _covers[game.name]


async def get_cover(request: Request) -> Response:
    services, game = services_of(request), requested_game(request)
    await services.compiling.wait_for(game.name)
    return fixed_picture(request, await services.work(cover, game))


routes = [Route("/games/{game}/board.svg", get_cover)]

"""The lobby: the games, one's own tables, those that can be joined, and those that can be watched."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from backroom.engine import registry
from backroom.server.errors import Refused
from backroom.server.http.etags import etag_of, is_current
from backroom.server.http.lobby_streams import LobbyStreams
from backroom.server.http.pages import about, render
from backroom.server.http.table_lists import others_of, own_tables, public_tables
from backroom.server.http.table_routes import Stream
from backroom.server.http.version import stale
from backroom.server.people.accounts import Person
from backroom.server.services import Services, visitor


async def get_lobby(request: Request) -> Response:
    services, person = await visitor(request)
    found = [about(game) for game in services.games()]
    parts: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        if outer := registry.parent(each["name"]):
            parts.setdefault(outer, []).append(each)
    found.sort(key=lambda each: each["longest"])
    cards = [{**each, "parts": parts.get(each["name"], [])} for each in found if not registry.parent(each["name"])]
    return render(request, "lobby.html", person, games=cards, **await tables_for(services, person))


async def get_tables(request: Request) -> Response:
    """The lists of tables alone, for pages without a stream; 304 if they have not changed."""
    services, person = await visitor(request)
    answer = render(request, "lists.html", person, **await tables_for(services, person))
    etag = etag_of(bytes(answer.body))
    if is_current(request, etag):
        answer = Response(status_code=304)
    answer.headers.update({"etag": etag, "cache-control": "private, no-cache"})
    return answer


async def tables_for(services: Services, person: Person | None) -> dict[str, Any]:
    """The lists of tables for a person."""
    listed = await public_tables(services)
    if person is None:
        return {"moves": [], "mine": [], **others_of(listed, ())}
    own, seated = await own_tables(services, person)
    return {**own, **others_of(listed, seated)}


async def get_next(request: Request) -> Response:
    """Redirect to the next table where it is one's move, in the order of the list; to the lobby if there is none.

    From a table in the list this is the one after it, cyclically; from anywhere else the first.
    """
    services, person = await visitor(request)
    moves = (await own_tables(services, person))[0]["moves"] if person else []
    waiting, after = [row["id"] for row in moves], request.query_params.get("after", "")
    place = waiting.index(after) if after in waiting else -1
    others = [table for table in waiting[place + 1 :] + waiting[: place + 1] if table != after]
    return RedirectResponse(f"/tables/{others[0]}" if others else "/", 303, headers={"cache-control": "no-store"})


async def get_events(request: Request) -> Response:
    """The lists of tables as a stream: all of them first, then those that change."""
    _, person = await visitor(request, "stream")
    streams: LobbyStreams = request.app.state.lobby
    if not streams.has_room(person):
        raise Refused("too many lobby streams are open; the page polls instead", 429, "too-often")
    return Stream(streams.listening(person), stale(request))


routes = [
    Route("/", get_lobby),
    Route("/lobby", get_tables),
    Route("/lobby/events", get_events),
    Route("/next", get_next),
]

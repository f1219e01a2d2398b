"""The lobby: the games, one's own tables, those that can be joined, and those that can be watched."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from backroom.engine import registry
from backroom.server.errors import Refused
from backroom.server.http.pages import about, in_words, render
from backroom.server.people.accounts import Person
from backroom.server.services import Services, address, services_of
from backroom.server.storage import store
from backroom.server.tables.config import from_columns
from backroom.server.tables.live import bad_tables
from backroom.server.tables.state import OPEN, OVER, PLAYING

log = structlog.get_logger()

MOST_LOOKED_AT = 12
"""Of how many of one's own tables, the newest, the lobby says whose turn it is."""
MOST_OVER = 5
"""How many of one's own games that are over it shows."""


async def get_lobby(request: Request) -> Response:
    services = services_of(request)
    person = await services.person(request)
    found = [about(each) for each in services.games()]
    parts: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        if outer := registry.parent(each["name"]):
            parts.setdefault(outer, []).append(each)
    found.sort(key=lambda each: each["longest"])
    cards = [{**each, "parts": parts.get(each["name"], [])} for each in found if not registry.parent(each["name"])]
    return render(request, "lobby.html", person, games=cards, **await tables_for(services, person))


async def get_tables(request: Request) -> Response:
    """The lists of tables alone, for pages that ask again; those that know them are told that nothing has changed."""
    services = services_of(request)
    person = await services.person(request)
    services.limits.take("look", person.id if person else address(request))
    answer = render(request, "lists.html", person, **await tables_for(services, person))
    etag = f'"{hashlib.sha256(bytes(answer.body)).hexdigest()[:16]}"'
    if request.headers.get("if-none-match") == etag:
        answer = Response(status_code=304)
    answer.headers.update({"etag": etag, "cache-control": "private, no-cache"})
    return answer


async def tables_for(services: Services, person: Person | None) -> dict[str, Any]:
    """The tables as the lobby lists them for somebody."""

    def read(conn: Any) -> Any:
        return store.lobby(conn, None), store.tables_of(conn, person.id) if person else []

    listed, rows = await services.store.read(read)
    titles = {game.name: game.title for game in services.games()}
    own = {row["id"] for row in rows}
    mine = [row for row in rows_of(rows, titles) if is_to_show(row)]
    if person is not None:
        await find_turns(services, person, mine)
    over = [row for row in mine if row["stage"] == OVER]
    others = [row for row in rows_of((row for row in listed if row["id"] not in own), titles) if not row["is_old"]]
    return {
        "mine": sorted((row for row in mine if row not in over[MOST_OVER:]), key=urgency),
        "to_join": [row for row in others if row["stage"] == OPEN],
        "to_watch": [row for row in others if row["stage"] == PLAYING],
    }


async def get_next(request: Request) -> Response:
    """On to the next of one's own tables at which one is asked, after the one that one comes from; or to the lobby."""
    services = services_of(request)
    person = await services.person(request)
    services.limits.take("look", person.id if person else address(request))
    mine = (await tables_for(services, person))["mine"] if person else []
    asked = sorted(row["id"] for row in mine if row["is_my_turn"])
    after = request.query_params.get("after", "")
    others = [table for table in asked if table > after] + [table for table in asked if table < after]
    return RedirectResponse(f"/tables/{others[0]}" if others else "/", 303, headers={"cache-control": "no-store"})


def urgency(row: Mapping[str, Any]) -> int:
    """One's own turn first, then games that go on, then open tables, then what is over."""
    return 0 if row["is_my_turn"] else 3 if row["is_old"] else {PLAYING: 1, OPEN: 2}.get(row["stage"], 3)


async def find_turns(services: Services, person: Person, rows: list[dict[str, Any]]) -> None:
    """Note at which of one's own tables one is asked. A table that cannot be opened is not asked for."""
    playing = [row for row in rows if row["stage"] == PLAYING and not row["is_old"]]
    playing = [row for row in playing if is_ready(services, row["game"])]
    for row in playing[:MOST_LOOKED_AT]:
        try:
            live = await services.tables.get(row["id"])
            async with live.reading() as state:
                row["is_my_turn"] = state.seat_of(person.id) in state.asked
        except Refused as refusal:
            log.warning("a table cannot be looked at", table=row["id"], why=refusal.why)


def is_ready(services: Services, name: str) -> bool:
    """Whether a game's kernels are compiled: the lobby waits for none."""
    return services.compiling.is_over or name in services.compiling.ready


def is_to_show(row: Mapping[str, Any]) -> bool:
    """Of one's own tables: games for one, and lessons, are done with when they are over."""
    return bool(row["stage"] != OVER or (row["seats"] > 1 and not row["is_lesson"]))


def rows_of(rows: Iterable[Mapping[Any, Any]], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Tables as the lobby shows them. One that cannot be read is left out, logged and counted."""
    found = []
    for row in rows:
        if row["game"] in titles:
            try:
                found.append(row_of(row, titles))
            except Exception as error:
                log.error("a table's row cannot be read", table=row["id"], why=repr(error))
                bad_tables.inc()
    return found


def row_of(row: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    """A table as the lobby shows it."""
    sitters = msgspec.json.decode(row["company"], type=list[str])
    config = from_columns(row)
    terms = config.terms
    special = in_words(config.rules, config.options | terms.asked)
    return {
        "id": row["id"],
        "game": row["game"],
        "title": titles[row["game"]],
        "stage": row["stage"],
        "seats": row["seats"],
        "sitters": [name for name in sitters if name],
        "free": sum(not name for name in sitters),
        "clock": terms.clock_in_words,
        "is_lesson": bool(terms.lesson),
        "special": ", ".join(f"{title}: {value}" for title, value in special if len(value) < 30),
        "is_public": row["is_public"],
        "is_my_turn": False,
        "is_old": not config.is_playable,
    }


routes = [Route("/", get_lobby), Route("/lobby", get_tables), Route("/next", get_next)]

"""Matchmaking: a person who searches gets a seat at the waiting table nearest in rating, or waits at a new one.

The longer a table waits, the larger the difference in rating may be.
"""

import contextlib
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from backroom.engine.kernel import SPECTATOR
from backroom.server.errors import Refused
from backroom.server.http.forms import form_of
from backroom.server.http.pages import number, person_or_guest, requested_game, with_cookie
from backroom.server.http.table_routes import is_form, open_table
from backroom.server.people.accounts import Person
from backroom.server.services import Services, address, services_of
from backroom.server.storage import queries
from backroom.server.storage.journal import END, SIT, Entry
from backroom.server.tables import actions
from backroom.server.tables.config import BANK, DAY, DAYS, Terms, config
from backroom.server.tables.live import is_readable
from backroom.server.tables.state import OPEN, PLAYING, TableState

NEAR, WIDER = 4.0, 0.5
"""The largest difference in rating at first, and its increase for each second that a table has waited."""
PRESENT = 10_000
"""Milliseconds after which a table counts as waiting only if one of its people has it open."""
STALE = 15 * 60 * 1000
"""Milliseconds after which nobody is sent to a table that still waits."""
CLOCKS = {BANK: Terms(clock=BANK, bank=600, step=10, quick=True), DAYS: Terms(clock=DAYS, bank=DAY, quick=True)}
"""The choices: ten minutes each, or a day for each move."""


async def post_find(request: Request) -> Response:
    """Take a seat at a waiting table, or wait at a new one.

    Pages that wait repeat the request, and the person moves if there is a better table.
    """
    services, game = services_of(request), requested_game(request)
    if max(game.rules.SEATS) == 1:
        raise Refused(f"{game.title} is a game for one", 404, "unknown")
    async with form_of(request) as form:
        seats = number(form, "seats", 0) or max(2, min(game.rules.SEATS))
        game.settle(seats, {})  # a request that is refused creates no guest
        person, is_new = await person_or_guest(request, form)
        terms = CLOCKS.get(str(form.get("pace", BANK)), CLOCKS[BANK])
        here = str(form.get("here", ""))[:32]
    services.limits.take("act", person.id)
    await services.compiling.wait_for(game.name)
    table = await seat_somewhere(services, person, game.name, seats, terms, here)
    if table is None:
        services.limits.take("make", address(request))
        make = partial(config, game.name, seats, {}, terms, is_public=True, maker=person.id, made=services.tables.now())
        live = await open_table(services, await services.work(make), [Entry(SIT, 0, person.name, person.id)])
        table = live.id
    response: Response = (
        RedirectResponse(f"/tables/{table}", 303) if wants_page(request) else JSONResponse({"ok": True, "table": table})
    )
    return with_cookie(response, services, person, request) if is_new else response


def wants_page(request: Request) -> bool:
    return is_form(request) and "application/json" not in request.headers.get("accept", "")


async def seat_somewhere(
    services: Services, person: Person, name: str, seats: int, terms: Terms, here: str
) -> str | None:
    """Find a seat at a table where others wait; otherwise stay at the table `here`, or None if that is none."""
    now = services.tables.now()
    waiting, rated = await services.store.read(
        lambda conn: (queries.waiting_tables(conn, name, seats, now - STALE), queries.rating_of(conn, name, person.id))
    )
    mine = next((row for row in waiting if row["id"] == here), None)
    if mine is None and here and await plays_at(services, person, here):
        return here
    others = [row for row in waiting if row["id"] != here and is_for(row, terms) and person.id not in row["people"]]
    if mine is not None:  # of two who wait, only the later one moves: if both did they would miss each other
        others = [row for row in others if (row["made"], row["id"]) < (mine["made"], mine["id"])]
    rating = queries.USUAL_RATING if rated is None else rated
    for row in sorted(others, key=lambda row: abs(row["rating"] - rating)):
        waited = (now - min(row["made"], mine["made"] if mine else now)) / 1000
        if abs(row["rating"] - rating) <= NEAR + WIDER * waited:
            with contextlib.suppress(Refused):  # the seat was taken meanwhile
                live = await services.tables.get(row["id"])
                if now - row["made"] > PRESENT and not live.people_here() & set(row["people"]):
                    continue  # the people who waited there are gone
                await live.write(actions.sit(person, None))
                if mine is not None:
                    await leave(services, person, here)
                return str(row["id"])
    return here if mine is not None else None


async def plays_at(services: Services, person: Person, table: str) -> bool:
    """Whether a person's game at a table has begun, because others have joined meanwhile."""
    try:
        live = await services.tables.get(table)
    except Refused:
        return False
    async with live.reading() as state:
        return state.stage == PLAYING and state.seat_of(person.id) != SPECTATOR


def is_for(row: Mapping[str, Any], terms: Terms) -> bool:
    """Whether a table was made by a search with these terms."""
    if not is_readable(row):
        return False
    found = msgspec.json.decode(row["terms"], type=Terms)
    return found.quick and (found.clock, found.bank, found.step) == (terms.clock, terms.bank, terms.step)


async def leave(services: Services, person: Person, table: str) -> None:
    """Close the table at which a person waited alone."""
    live = await services.tables.get(table)

    def act(state: TableState) -> list[Entry]:
        others = [chair for chair in state.chairs if chair.owner not in (None, person.id)]
        return [] if state.stage != OPEN or others else [Entry(END, None, "The game was begun at another table.")]

    await live.write(act)


routes = [Route("/find/{game}", post_find, methods=["POST"])]

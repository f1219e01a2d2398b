"""The JSON API for other programs: the same tables, with a token; described by OpenAPI."""

from typing import Annotated, Any, Literal

import msgspec
import structlog
from fastapi import FastAPI, Header, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from sqlalchemy import RowMapping

from backroom import __version__
from backroom.bots import is_bot
from backroom.engine import registry
from backroom.engine.kernel import SPECTATOR
from backroom.server.errors import Refused
from backroom.server.http.bodies import Guest, Move, NewTable, Seating, schema
from backroom.server.http.errors import HANDLED, as_json
from backroom.server.http.table_routes import Stream, open_table, read, since_of
from backroom.server.people.accounts import Person
from backroom.server.services import Services, address
from backroom.server.storage import store
from backroom.server.storage.journal import BOT, SIT, Entry
from backroom.server.tables import actions, messages, timeouts
from backroom.server.tables.config import Terms, config, from_columns
from backroom.server.tables.live import LiveTable, bad_tables
from backroom.server.tables.new_tasks import makes_tasks

log = structlog.get_logger()

ABOUT = """
Play at the tables of this house with a program of your own.

1. `POST /api/guests` with a name gives a **token**; send it as `Authorization: Bearer TOKEN`. (Who has a page here can
   get one there, too.)
2. `GET /api/tables` lists what is open; `POST /api/tables/{table}/seats` sits down; `POST /api/tables` makes a new one.
3. `GET /api/tables/{table}/decision` says what you are asked, what you see, and every move you have.
4. `POST /api/tables/{table}/moves` answers: the move's name, the number of the `ask`, and a `key` of your choice. The
   same key is never played twice, so send it again if you are not sure.
5. `GET /api/tables/{table}/events` is a stream of server-sent events: every line that you notice, and what you are
   asked. Begin where you stopped with `Last-Event-ID`; a comment every 15 seconds is a sign of life.
"""
Name = Annotated[str, Path(description="The id of a table.", max_length=32)]


class Problem(BaseModel):
    """Why something was not done."""

    ok: Literal[False] = False
    code: str = Field(description="A word for programs: stale, illegal, taken, no-seat, too-often, …")
    why: str = Field(description="A sentence for people; of illegal moves with the § of the rules.")


class Token(BaseModel):
    token: str
    name: str


class OptionInfo(BaseModel):
    name: str
    title: str
    titles: list[str] = Field(description="Each of the values as people say it.")
    values: list[str]
    other: str
    says: str


class GameInfo(BaseModel):
    name: str
    title: str
    version: int
    seats: list[int]
    seat_names: list[str]
    secrets: bool
    options: list[OptionInfo]


class TableInfo(BaseModel):
    id: str
    game: str
    stage: Literal["open", "playing", "over"]
    seats: list[str] = Field(description="Who sits where; an empty name is a free seat.")
    options: dict[str, str]
    clock: str


class MoveInfo(BaseModel):
    name: str = Field(description="In the game's notation: what is sent to make it.")
    label: str = Field(description="As a person says it.")
    rich: list[str | tuple[str, str]] | None = Field(
        None, description="The label in parts, where small pictures stand in it: each the glyph's name and its words."
    )
    touch: list[str]
    back: bool = False


class Decision(BaseModel):
    n: int = Field(description="How much you have noticed: where to begin a stream.")
    stage: Literal["open", "playing", "over"]
    seat: int | None
    asked: bool
    ask: int | None
    question: str
    moves: list[MoveInfo]
    view: dict[str, Any] | None = Field(description="The game's record as your seat sees it; -1 is unknown.")
    position: str | None
    deadline: int | None = Field(description="Milliseconds left to answer.")
    score: list[float] | None


class Done(BaseModel):
    ok: Literal[True] = True
    n: int


class Seated(BaseModel):
    ok: Literal[True] = True
    table: str
    seat: int | None


def problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: {"model": Problem} for code in codes}


def make(services: Services) -> FastAPI:
    """The application under /api."""
    app = FastAPI(title="Backroom", version=__version__, description=ABOUT, docs_url=None, redoc_url=None)
    app.state.services = services
    _people(app, services)
    _tables(app, services)
    _playing(app, services)

    for kind in HANDLED:
        app.add_exception_handler(kind, as_json)
    return app


async def caller(services: Services, request: Request, what: str) -> Person:
    person = await services.known(dict(request.scope["headers"]))
    services.limits.take(what, person.id)
    return person


def _people(app: FastAPI, services: Services) -> None:
    @app.post("/guests", responses=problems(422, 429), status_code=201, openapi_extra=schema(Guest))
    async def new_guest(request: Request) -> Token:
        """A guest, and the token to come in with."""
        services.limits.take("enter", address(request))
        guest = await read(request, Guest)
        person = await services.people.welcome(guest.name)
        return Token(token=await services.people.new_token(person), name=person.name)

    @app.get("/games")
    async def games() -> list[GameInfo]:
        """The games there are, with their options."""
        return [
            GameInfo(
                name=game.name,
                title=game.title,
                version=game.rules.VERSION,
                seats=list(game.seats),
                seat_names=list(game.rules.SEAT_NAMES),
                secrets=bool(game.rules.SECRETS),
                options=[
                    OptionInfo(
                        name=o.name,
                        title=o.title,
                        titles=[o.called(value) for value in o.values],
                        values=list(o.values),
                        other=o.other,
                        says=o.says,
                    )
                    for o in game.options
                ],
            )
            for game in services.games()
        ]


def _tables(app: FastAPI, services: Services) -> None:
    @app.get("/tables", responses=problems(422))
    async def tables(
        game: Annotated[str | None, Query(max_length=40, description="Only tables of this game.")] = None,
    ) -> list[TableInfo]:
        """The public tables, newest first."""
        rows = await services.store.read(lambda conn: store.lobby(conn, game))
        return [info for row in rows if (info := table_info(row)) is not None]

    @app.post("/tables", responses=problems(401, 422, 429), status_code=201, openapi_extra=schema(NewTable))
    async def new_table(request: Request) -> Seated:
        """A table of one's own."""
        person = await caller(services, request, "make")
        new = await read(request, NewTable)
        game = registry.game(new.game)
        seats = new.seats if new.seats is not None else game.seats[0]
        terms, now = Terms(rated=new.rated), services.tables.now()
        beside = services.new_tasks.make if makes_tasks(game) else services.work
        made = await beside(
            lambda: config(game.name, seats, new.options, terms, is_public=new.public, maker=person.id, made=now)
        )
        entries = [] if new.sit is None else [Entry(SIT, new.sit, person.name, person.id)]
        for seat, name in new.bots.items():
            if not is_bot(name, game) or seat == new.sit:
                raise Refused(f"seat {seat} cannot be played by {name!r}", 422, "unreadable")
            entries.append(Entry(BOT, seat, name))
        if any(entry.seat not in range(seats) for entry in entries):
            raise Refused(f"this table has seats 0 to {seats - 1}", 422, "unreadable")
        live = await open_table(services, made, entries)
        return Seated(table=live.id, seat=new.sit)

    @app.post("/tables/{table}/seats", responses=problems(401, 404, 409, 422, 429), openapi_extra=schema(Seating))
    async def sit(request: Request, table: Name) -> Seated:
        """Sit down, or take one's own seat again."""
        person = await caller(services, request, "act")
        wanted = await read(request, Seating)
        live = await services.tables.get(table)
        await services.compiling.wait_for(live.config.game)
        state = await live.write(actions.sit(person, wanted.seat))
        live.close_streams_of(person.id)
        return Seated(table=live.id, seat=state.seat_of(person.id))

    @app.delete("/tables/{table}/seats", responses=problems(401, 403, 404, 429))
    async def rise(request: Request, table: Name) -> Seated:
        """Leave the table."""
        person = await caller(services, request, "act")
        live = await services.tables.get(table)
        await live.write(actions.rise(person))
        live.close_streams_of(person.id)
        return Seated(table=live.id, seat=None)


def table_info(row: RowMapping) -> TableInfo | None:
    """A table for the list; None if it can only be read, or if its row is damaged, which is logged and counted."""
    try:
        made = from_columns(row)
        if not made.is_playable:
            return None
        return TableInfo(
            id=made.id,
            game=made.game,
            stage=row["stage"],
            seats=msgspec.json.decode(row["company"], type=list[str]),
            options=made.options,
            clock=made.terms.clock_in_words,
        )
    except ValueError as error:
        log.error("a table's row cannot be read", table=row["id"], why=repr(error))
        bad_tables.inc()
        return None


def _playing(app: FastAPI, services: Services) -> None:
    @app.get("/tables/{table}/decision", responses=problems(401, 404, 429))
    async def decision(request: Request, table: Name) -> Decision:
        """What you are asked now, what you see, and what you can answer."""
        person = await caller(services, request, "look")
        return Decision(**await decided(services, await services.tables.get(table), person))

    @app.post(
        "/tables/{table}/moves",
        responses={200: {"model": Done}, **problems(401, 403, 404, 409, 422, 429)},
        openapi_extra=schema(Move),
    )
    async def post_move(request: Request, table: Name) -> Response:
        """Answer. The same key is never played twice."""
        person = await caller(services, request, "move")
        sent = await read(request, Move)
        state = await actions.play(await services.tables.get(table), person, sent.name, sent.ask, sent.key)
        return Response(
            messages.encode({"ok": True, "n": state.count(state.seat_of(person.id))}), media_type="application/json"
        )

    @app.get(
        "/tables/{table}/events",
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}, **problems(401, 404, 429)},
    )
    async def events(
        request: Request,
        table: Name,
        since: Annotated[int | None, Query(description="The last `n` that you know.")] = None,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Every line that you notice, as it is made, and what you are asked after it."""
        person = await caller(services, request, "stream")
        live = await services.tables.get(table)
        return Stream(live.listening(person.id, since_of(request), for_programs=True))

    @app.get("/tables/{table}/why", responses=problems(401, 403, 404, 409, 422, 429))
    async def why(request: Request, table: Name, move: Annotated[str, Query(max_length=500)]) -> dict[str, str]:
        """Why a move is not allowed; an empty `why` if it is."""
        person = await caller(services, request, "look")
        live = await services.tables.get(table)
        async with live.reading() as state:
            seat = actions.seat_of(state, person)
            actions.must_play(state)
            return {"why": actions.why(state, seat, move)}


async def decided(services: Services, live: LiveTable, person: Person) -> dict[str, Any]:
    """Everything that a program needs to choose a move."""
    async with live.reading() as state:
        seat = state.seat_of(person.id)
        v = None if state.shown is None else state.view(seat)
        turn = messages.turn(state, seat, v)
        now = services.tables.now()
        times = [] if seat == SPECTATOR or not turn.get("asked") else [
            *([state.clocks.remaining(seat, now)] if state.clocks.since[seat] is not None else []),
            *([deadline.ends - now] if (deadline := timeouts.deadline(state)) and seat in deadline.seats else []),
        ]  # fmt: skip
        return {
            "n": state.count(seat),
            "stage": state.stage,
            "seat": None if seat == SPECTATOR else seat,
            "asked": turn.get("asked", False),
            "ask": turn.get("ask"),
            "question": turn["question"],
            "moves": turn["moves"],
            "view": None if v is None else messages.fields(v),
            "position": None if v is None else state.game.rules.position(v),
            "deadline": max(0, min(times)) if times else None,
            "score": list(state.score) if state.score is not None else None,
        }

"""The JSON API for other programs: the same tables, with a token; described by OpenAPI."""

from typing import Annotated, Any, Literal

import msgspec
import structlog
from fastapi import FastAPI, Header, Path, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field
from sqlalchemy import RowMapping

from backroom import __version__
from backroom.bots import bot, bots_of
from backroom.engine import registry
from backroom.engine.kernel import SPECTATOR
from backroom.server.errors import Refused
from backroom.server.http.bodies import Guest, Move, NewTable, Seating, schema
from backroom.server.http.errors import HANDLED, as_json
from backroom.server.http.table_routes import Stream, open_table, read, since_of
from backroom.server.people.accounts import Person
from backroom.server.services import Services, address
from backroom.server.storage import queries
from backroom.server.storage.journal import BOT, SIT, Entry
from backroom.server.tables import actions, messages, timeouts
from backroom.server.tables.config import Terms, config, from_columns
from backroom.server.tables.live import LiveTable, report_bad_row

log = structlog.get_logger()

ABOUT = """
Let a program play at the tables of this server.

1. `POST /api/guests` with a name returns a **token**. Send it with every request as `Authorization: Bearer TOKEN`.
   People with an account can also create tokens on their page `/me`.
2. `GET /api/tables` lists the public tables, `POST /api/tables` creates one, and `POST /api/tables/{table}/seats`
   takes a seat. The game begins when all seats are taken.
3. `GET /api/tables/{table}/decision` returns the question to your seat, what the seat sees, and its legal moves.
4. `POST /api/tables/{table}/moves` plays a move, given by its name, the number of the question (`ask`) and a `key` that
   you choose. A key is played at most once: if you got no response, send the same request again.
5. `GET /api/tables/{table}/events` is a stream of server-sent events: every line of the log that your seat notices, and
   the next question. To resume, send `Last-Event-ID`. While nothing happens, a comment is sent every 15 seconds.

Errors are JSON: `code` is for programs, `why` is a sentence for people.

- 401 `nobody`: the token is missing or not valid
- 403 `no-seat`: you have no seat at the table
- 404 `unknown`: there is no such table or seat; 404 and 405 `refused`: there is no such address or method
- 409 `stale`: the question has changed, so get the decision again; `used-key`: an earlier move had this key; `late`:
  the time for the move was over; `taken`: the seat is; `seated`: you have one already; `not-playing`: the game has not
  begun, or is over; `lost`: your seat has lost
- 410 `other-rules`, `unreadable`: the table cannot be played any more
- 413 `too-long`: the body is
- 422 `illegal`: the move is; `unreadable`: the request is not as described here
- 429 `too-often`, 503 `busy`, `draining`, `unkept`: nothing was done, and the same request may be sent again when
  `Retry-After` has passed
"""
Name = Annotated[str, Path(description="The table's id.", max_length=32)]
Stage = Literal["open", "playing", "over"]


class Problem(BaseModel):
    """The reason why a request was refused."""

    ok: Literal[False] = False
    code: str = Field(description="The kind of error; all are listed at the top.")
    why: str = Field(description="The reason in a sentence; for an illegal move with the § of the rulebook.")


class Token(BaseModel):
    """A new guest."""

    token: str = Field(description="To be sent as `Authorization: Bearer TOKEN`. It is not shown again.")
    name: str = Field(description="The name that others see.")


class OptionInfo(BaseModel):
    """An option of a game."""

    name: str = Field(description="Its key in `options` of a new table.")
    title: str = Field(description="Its name for people.")
    titles: list[str] = Field(description="The name of each of the `values` for people.")
    values: list[str] = Field(description="The named values; the first is the default.")
    other: str = Field(description="Which other values are accepted, in words; empty if there are none.")
    says: str = Field(description="What the option changes.")


class GameInfo(BaseModel):
    """A game that can be played here."""

    name: str = Field(description="Its key in requests.")
    title: str = Field(description="Its name for people.")
    version: int = Field(description="The version of its rules.")
    seats: list[int] = Field(description="The possible numbers of seats.")
    seat_names: list[str] = Field(description="What each seat is called.")
    secrets: bool = Field(description="Whether seats see different things.")
    options: list[OptionInfo]
    bots: list[str] = Field(description="The bots that can play it, by name.")


class TableInfo(BaseModel):
    """A public table."""

    id: str
    game: str = Field(description="The `name` of its game.")
    stage: Stage
    seats: list[str] = Field(description="The player at each seat; empty if the seat is free.")
    options: dict[str, str] = Field(description="The value of each option of the game.")
    clock: str = Field(description="The time for thinking, in words.")


class MoveInfo(BaseModel):
    """A legal move."""

    name: str = Field(description="The move in the game's notation, as it is sent.")
    label: str = Field(description="The move in words.")
    touch: list[str] = Field(description="The ids of the pieces that a person touches for it, in order.")
    back: bool = Field(False, description="Whether it only takes back a step of the same turn.")


class DecisionPoint(BaseModel):
    """The question to a seat, what the seat sees, and its legal moves."""

    n: int = Field(description="The number of events that you have noticed; start a stream with `since` equal to it.")
    stage: Stage
    seat: int | None = Field(description="Your seat; null if you have none and see what spectators see.")
    asked: bool = Field(description="Whether the game waits for you. If not, there may still be moves out of turn.")
    ask: int | None = Field(description="The number of the question, to be sent with the move.")
    question: str = Field(description="The question in words.")
    moves: list[MoveInfo]
    view: dict[str, Any] | None = Field(description="The game's record as your seat sees it; -1 stands for unknown.")
    position: str | None = Field(description="What your seat sees, in the game's notation for positions.")
    deadline: int | None = Field(description="Milliseconds left to answer; null without a time limit.")
    score: list[float] | None = Field(
        description="The score of each seat, the higher the better; null until the game is over."
    )


class Done(BaseModel):
    """A move that was played and stored."""

    ok: Literal[True] = True
    n: int = Field(description="The number of events that you have noticed, with this move.")


class Seated(BaseModel):
    """A table, and your seat at it."""

    ok: Literal[True] = True
    table: str = Field(description="The table's id.")
    seat: int | None = Field(description="Your seat, counted from 0; null if you have none.")


class Why(BaseModel):
    """The reason why a move is illegal."""

    why: str = Field(description="The reason in a sentence, with the § of the rulebook; empty if the move is legal.")


def problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The descriptions of these errors. Requests about a table (404) may also find one that is damaged or too old."""
    return {code: {"model": Problem} for code in sorted({*codes, *([410] if 404 in codes else [])})}


def make(services: Services) -> FastAPI:
    """The application under /api."""
    app = FastAPI(title="Backroom", version=__version__, description=ABOUT, docs_url=None, redoc_url=None)
    app.state.services = services
    _people(app, services)
    _tables(app, services)
    _playing(app, services)

    @app.get("/", include_in_schema=False)
    async def description() -> RedirectResponse:
        return RedirectResponse("openapi.json")  # relative to /api/

    for kind in HANDLED:
        app.add_exception_handler(kind, as_json)
    _say_where_the_token_goes(app)
    return app


def _say_where_the_token_goes(app: FastAPI) -> None:
    """Describe in OpenAPI that operations which may answer 401 need a bearer token."""
    described = app.openapi()
    described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for operations in described["paths"].values():
        for operation in operations.values():
            if "401" in operation["responses"]:
                operation["security"] = [{"token": []}]


async def caller(services: Services, request: Request, what: str) -> Person:
    person = await services.known(dict(request.scope["headers"]), is_api=True)
    services.limits.take(what, person.id)
    return person


def _people(app: FastAPI, services: Services) -> None:
    @app.post("/guests", responses=problems(422, 429), status_code=201, openapi_extra=schema(Guest))
    async def new_guest(request: Request) -> Token:
        """Create a guest with this name, and a token to send with all other requests."""
        services.limits.take("enter", address(request))
        guest = await read(request, Guest)
        person = await services.people.welcome(guest.name)
        return Token(token=await services.people.new_token(person), name=person.name)

    @app.get("/games", responses=problems(429))
    async def games(request: Request) -> list[GameInfo]:
        """List the games that can be played here, with their numbers of seats and their options. Needs no token."""
        services.limits.take("look", address(request))
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
                bots=bots_of(game),
            )
            for game in services.games()
        ]


def _tables(app: FastAPI, services: Services) -> None:
    @app.get("/tables", responses=problems(422, 429))
    async def tables(
        request: Request,
        game: Annotated[str | None, Query(max_length=40, description="Only tables of this game.")] = None,
    ) -> list[TableInfo]:
        """List the public tables, the newest first. Needs no token."""
        services.limits.take("look", address(request))
        rows = await services.store.read(lambda conn: queries.lobby(conn, game))
        return [info for row in rows if (info := table_info(row)) is not None]

    @app.post("/tables", responses=problems(401, 422, 429), status_code=201, openapi_extra=schema(NewTable))
    async def new_table(request: Request) -> Seated:
        """Create a table, take a seat at it unless `sit` is null, and put bots into other seats.

        The game begins when all seats are taken. A value of `seats` or `options` that is left out has its default.
        """
        person = await caller(services, request, "make")
        new = await read(request, NewTable)
        game = registry.game(new.game)
        seats = new.seats if new.seats is not None else game.seats[0]
        terms, now = Terms(rated=new.rated), services.tables.now()
        made = await services.settle(
            game,
            lambda: config(game.name, seats, new.options, terms, is_public=new.public, maker=person.id, made=now),
        )
        entries = [] if new.sit is None else [Entry(SIT, new.sit, person.name, person.id)]
        for seat, name in new.bots.items():
            if seat == new.sit:
                why = f"seat {seat} is yours: no bot can play it; say another seat, or null, as sit"
                raise Refused(why, 422, "unreadable")
            entries.append(Entry(BOT, seat, bot(name, game).name))
        if any(entry.seat not in range(seats) for entry in entries):
            raise Refused(f"this table has seats 0 to {seats - 1}", 422, "unreadable")
        live = await open_table(services, made, entries)
        return Seated(table=live.id, seat=new.sit)

    @app.post("/tables/{table}/seats", responses=problems(401, 404, 409, 422, 429), openapi_extra=schema(Seating))
    async def sit(request: Request, table: Name) -> Seated:
        """Take a free seat, or come back to your own after leaving or after a bot has played for you.

        If the seat is new to you, your streams of this table end: open new ones to get its view.
        """
        person = await caller(services, request, "act")
        wanted = await read(request, Seating)
        live = await services.tables.get(table)
        await services.compiling.wait_for(live.config.game)
        state = await live.write(actions.sit(person, wanted.seat))
        return Seated(table=live.id, seat=state.seat_of(person.id))

    @app.delete("/tables/{table}/seats", responses=problems(401, 403, 404, 422, 429))
    async def rise(request: Request, table: Name) -> Seated:
        """Leave your seat. Before the game has begun it becomes free; later the others can let a bot play it."""
        person = await caller(services, request, "act")
        live = await services.tables.get(table)
        await live.write(actions.rise(person))
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
        report_bad_row(row, error)
        return None


def _playing(app: FastAPI, services: Services) -> None:
    @app.get("/tables/{table}/decision", responses=problems(401, 404, 422, 429))
    async def decision(request: Request, table: Name) -> DecisionPoint:
        """Get the question to your seat, what the seat sees, and its legal moves.

        Without a seat you get what spectators see.
        """
        person = await caller(services, request, "look")
        return DecisionPoint(**await decided(services, await services.tables.get(table), person))

    @app.post(
        "/tables/{table}/moves",
        responses={200: {"model": Done}, **problems(401, 403, 404, 409, 422, 429)},
        openapi_extra=schema(Move),
    )
    async def post_move(request: Request, table: Name) -> Response:
        """Play a move. It is legal if it is among the `moves` of your decision.

        The response is sent when the move is stored. A `key` is played at most once, so the request can be repeated.
        An answer to an earlier question is refused with the code `stale`.
        """
        person = await caller(services, request, "move")
        sent = await read(request, Move)
        state = await actions.play(await services.tables.get(table), person, sent.name, sent.ask, sent.key)
        return Response(
            messages.encode({"ok": True, "n": state.count(state.seat_of(person.id))}), media_type="application/json"
        )

    @app.get(
        "/tables/{table}/events",
        responses={
            200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
            **problems(401, 404, 422, 429),
        },
    )
    async def events(
        request: Request,
        table: Name,
        since: Annotated[
            int | None,
            Query(description="The last `n` that you know; without it the stream begins with the whole state."),
        ] = None,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Stream every line of the log that your seat notices, as it is stored, with the question that follows it.

        Each server-sent event has JSON data, and its count `n` as id. `lines` are the new lines of the log, each with
        the `seat` (null for chance), the `move` (null if you did not see which) and a sentence, `says`. `ask`, `asked`
        and `moves` (without `touch`) are those of your decision, `table` has the `stage` and the `seats`, and `notes`
        are the chat. An event with `cut` begins anew, as the first one does and one after moves were taken back.
        Events named `here` have no id, and say who has come or gone. Without a seat you get what spectators notice.
        """
        person = await caller(services, request, "stream")
        live = await services.tables.get(table)
        return Stream(live.listening(person.id, since_of(request), for_programs=True))

    @app.get("/tables/{table}/why", responses=problems(401, 403, 404, 409, 422, 429))
    async def why(request: Request, table: Name, move: Annotated[str, Query(max_length=500)]) -> Why:
        """Explain why a move is illegal. Needs a seat in a running game."""
        person = await caller(services, request, "look")
        live = await services.tables.get(table)
        async with live.reading() as state:
            seat = actions.seat_of(state, person)
            actions.must_play(state)
            return Why(why=actions.why(state, seat, move))


async def decided(services: Services, live: LiveTable, person: Person) -> dict[str, Any]:
    """Everything that a program needs to choose a move."""
    async with live.reading() as state:
        seat = state.seat_of(person.id)
        v = None if state.shown is None else state.view(seat)
        turn = messages.turn(state, seat, v)
        labels = [] if v is None or seat == SPECTATOR else messages.answers(state, v, seat, for_programs=True)
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
            "moves": [{**told, "touch": move["touch"]} for told, move in zip(labels, turn["moves"], strict=False)],
            "view": None if v is None else messages.fields(v),
            "position": None if v is None else state.game.rules.position(v),
            "deadline": max(0, min(times)) if times else None,
            "score": list(state.score) if state.score is not None else None,
        }

"""Routes of a table: actions and questions from browsers, and the stream of events."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from backroom.bots import DEFAULT
from backroom.engine.kernel import SPECTATOR
from backroom.server.errors import Conflict, Refused
from backroom.server.http.bodies import BotName, BotSeat, Move, Nothing, Seating, Text, decode
from backroom.server.http.direct import can_take_over, take_over
from backroom.server.http.security import Receive, Scope, Send
from backroom.server.http.version import stale
from backroom.server.markup import worded
from backroom.server.people.accounts import Person
from backroom.server.services import Services, address, services_of, streams_open, visitor
from backroom.server.storage.journal import BOT, SIT, Entry
from backroom.server.tables import actions, table_bots
from backroom.server.tables.audience import Listener
from backroom.server.tables.config import TableConfig, config
from backroom.server.tables.live import Action, LiveTable
from backroom.server.tables.state import OVER, TableState

T = TypeVar("T")
MOST_PIECES = 12
"""Most pieces in one question."""
STREAM = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


async def read(request: Request, kind: type[T]) -> T:
    """The decoded body of a request, JSON or a form; Refused says what was expected."""
    return decode(kind, await request.body(), request.headers.get("content-type", "").encode("latin-1"))


def is_form(request: Request) -> bool:
    return not request.headers.get("content-type", "").startswith("application/json")


def done(request: Request, live: LiveTable, told: Mapping[str, Any]) -> Response:
    """JSON for a script, or a redirect back to the page for a form."""
    if is_form(request) and "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(f"/tables/{live.id}", 303)
    return JSONResponse(told)


async def arrive(request: Request, what: str = "act") -> tuple[Services, Person, LiveTable]:
    """The person and the table of a request, after checking the rate limit."""
    services = services_of(request)
    person = await services.known(dict(request.scope["headers"]))
    services.limits.take(what, person.id)
    return services, person, await services.tables.get(request.path_params["table"])


# playing


async def post_move(request: Request) -> Response:
    services = services_of(request)
    person = await services.known(dict(request.scope["headers"]))
    services.limits.take("move", person.id)
    sent = await read(request, Move)
    live = await services.tables.get(request.path_params["table"])
    state = await actions.play(live, person, sent.name, sent.ask, sent.key)
    return done(request, live, {"ok": True, "n": state.count(state.seat_of(person.id))})


async def post_action(request: Request) -> Response:
    """All actions of people at a table other than moves."""
    action = request.path_params["action"]
    if action not in ACTIONS:
        raise Refused("there is no such action", 404, "unknown")
    services, person, live = await arrive(request, "say" if action == "say" else "act")
    if action == "sit":
        act: Action = actions.sit(person, (await read(request, Seating)).seat)
    elif action == "bot":
        wanted = await read(request, BotSeat)
        async with live.reading() as state:
            seat = state.seat_of(person.id) if wanted.seat is None else wanted.seat
        act = actions.put_bot(person, seat, wanted.bot or DEFAULT)
    elif action == "fill":
        act = actions.fill_up(person, (await read(request, BotName)).bot or DEFAULT)
    elif action == "say":
        act = actions.say(person, (await read(request, Text)).text)
    elif action == "choose":
        act = actions.choose(person, (await read(request, Text)).text)
    elif action == "unrate":
        act = actions.unrate(person, (await read(request, Text)).text)
    else:
        await read(request, Nothing)
        act = PLAIN[action](person)
    await services.compiling.wait_for(live.config.game)
    state = await live.write(act)
    return done(request, live, {"ok": True, "seat": state.seat_of(person.id)})


PLAIN: dict[str, Any] = {
    "undo": actions.undo,
    "next": actions.go_on,
    "agree": lambda person: actions.answer(person, True),
    "refuse": lambda person: actions.answer(person, False),
    "end": actions.end,
    "resign": actions.resign,
    "rise": actions.rise,
}
ACTIONS = ("sit", "bot", "fill", "say", "choose", "unrate", *PLAIN)


async def post_rematch(request: Request) -> Response:
    """Offer or accept a rematch: the same game with the same people, the seats rotated by one."""
    services, person, live = await arrive(request, "make")
    async with live.reading() as state:
        if state.stage != OVER:
            raise Refused("the game is not over yet", 409, "not-over")
        if state.lesson:
            raise Refused("a lesson has no rematch; begin it again from the lobby", 409, "lesson")
        old, found = live.config, state.next
        chairs = list(state.chairs)
        mine = state.seat_of(person.id)
    if found is None:
        name, now = services.people.keyed(f"rematch {old.id}"), services.tables.now()
        new = await services.settle(old.find_game(), again, old, person, name, now)
        entries = [
            Entry(BOT, (seat + 1) % old.seats, chair.bot)
            for seat, chair in enumerate(chairs)
            if chair.bot and not chair.owner
        ]
        if mine != SPECTATOR:
            entries.insert(0, Entry(SIT, (mine + 1) % old.seats, person.name, person.id))
        with contextlib.suppress(Conflict):  # somebody else has made it: a rematch always has the same id
            await open_table(services, new, entries)
        found = (await live.write(actions.rematch(new))).next or new.id
    if mine != SPECTATOR:
        table = await services.tables.get(found)
        with contextlib.suppress(Refused):  # the seat is taken: one can take another, or watch
            await table.write(actions.sit(person, (mine + 1) % old.seats))
    if is_form(request):
        return RedirectResponse(f"/tables/{found}", 303)
    return JSONResponse({"ok": True, "table": found})


def again(old: TableConfig, person: Person, name: str, now: int) -> TableConfig:
    """The configuration of a rematch."""
    terms = msgspec.structs.replace(old.terms, rematch_of=old.id)
    new = config(old.game, old.seats, old.options, terms, is_public=old.is_public, maker=person.id, made=now)
    return msgspec.structs.replace(new, id=name)


async def open_table(services: Services, new: TableConfig, entries: list[Entry]) -> LiveTable:
    """Make a table, and begin the game if all seats are taken."""
    await services.prepare(new.game)

    def whole() -> list[Entry]:
        return actions.start_if_full(TableState(new), entries)

    return await services.tables.make(new, await asyncio.to_thread(whole))


# questions


async def get_why(request: Request) -> Response:
    """Why a move (by name) is not allowed, or why pieces (by id) cannot be touched after those already touched."""
    services, person, live = await arrive(request, "look")
    name = request.query_params.get("move", "")[:500]
    pieces = request.query_params.getlist("piece")[:MOST_PIECES]
    touched = request.query_params.getlist("touched")[:MOST_PIECES]
    async with live.reading() as state:
        seat = actions.seat_of(state, person)
        actions.must_play(state)
        if not pieces:
            return JSONResponse(worded("why", [actions.why(state, seat, name)], state.game))
        v = state.view(seat)
    why = await services.work(actions.why_not, state, v, seat, touched, pieces)
    return JSONResponse(worded("why", [why], state.game))


async def get_hint(request: Request) -> Response:
    services, person, live = await arrive(request, "think")
    async with live.reading() as state:
        seat = actions.playing_seat(state, person)
        if not state.config.terms.hints:
            raise Refused("this table is played without hints", 403, "no-hints")
        actions.warn(state, "hint")
        assert state.shown is not None
        v = state.game.view(state.shown, seat)
        if not state.game.moves(v, seat):
            raise Refused("you have no move now", 409, "nothing")
        solution = getattr(state.game.rules, "solution", None)
    thinking = services.thinking
    async with thinking.hints.turn(person.id, address(request)):
        if solution is not None and await thinking.as_judge(solution, v) is None:
            raise Refused("this cannot be solved any more: take back", 409, "lost")
        return JSONResponse(await thinking.as_judge(table_bots.hints, thinking.provider, state, seat, v))


async def get_final(request: Request) -> Response:
    """Whether a move could not be taken back freely once made."""
    _, person, live = await arrive(request, "look")
    name = request.query_params.get("move", "")[:500]
    async with live.reading() as state:
        seat = actions.seat_of(state, person)
        actions.must_play(state)
        return JSONResponse({"final": actions.is_final(state, seat, name)})


async def get_words(request: Request) -> Response:
    """The board as plain lines, for people who cannot see it."""
    services, person = await visitor(request)
    live = await services.tables.get(request.path_params["table"])
    async with live.reading() as state:
        if state.shown is None:
            return Response("The game has not begun.\n", media_type="text/plain")
        reader = state.seat_of(person.id if person else None)
        v = state.view(reader)
        scene = state.game.rules.draw(v, reader)
        labels = "\n".join(piece.label for piece in scene.pieces if piece.label)
    return Response(f"{scene.title}\n\n{scene.text()}\n\n{labels}\n", media_type="text/plain")


# the stream


class Stream(Response):
    """Server-sent events: what was missed, then what happens, until the client disconnects."""

    def __init__(self, listening: contextlib.AbstractAsyncContextManager[Listener], first: bytes = b"") -> None:
        """`first` is an event that comes before those of the listener."""
        self.listening = listening
        self.first = first
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            await send({"type": "http.response.start", "status": 200, "headers": STREAM})
            await send({"type": "http.response.body"})
            return
        async with contextlib.AsyncExitStack() as stack:
            listener = await stack.enter_async_context(self.listening)
            streams_open.inc()
            stack.callback(streams_open.dec)
            await send({"type": "http.response.start", "status": 200, "headers": STREAM})
            await send({"type": "http.response.body", "body": self.first + await listener.heard(), "more_body": True})
            if can_take_over(scope):
                take_over(scope, listener, stack.pop_all())
                return
            gone = asyncio.ensure_future(_until_gone(receive, listener))
            stack.callback(gone.cancel)
            while message := await listener.heard():
                await send({"type": "http.response.body", "body": message, "more_body": True})
                del message  # it may be long, and the stream may wait for hours
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive, listener: Listener) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.leave()


def since_of(request: Request) -> int | None:
    """The count up to which the client knows the table, from the `Last-Event-ID` header or the query."""
    said = request.headers.get("last-event-id") or request.query_params.get("since", "")
    return int(said) if said.isdecimal() and len(said) < 12 else None


async def get_events(request: Request) -> Response:
    services, person = await visitor(request, "stream")
    live = await services.tables.get(request.path_params["table"])
    return Stream(live.listening(person.id if person else None, since_of(request)), stale(request))


routes = [
    Route("/tables/{table}/moves", post_move, methods=["POST"]),
    Route("/tables/{table}/events", get_events),
    Route("/tables/{table}/why", get_why),
    Route("/tables/{table}/hint", get_hint),
    Route("/tables/{table}/final", get_final),
    Route("/tables/{table}/words", get_words),
    Route("/tables/{table}/rematch", post_rematch, methods=["POST"]),
    Route("/tables/{table}/{action}", post_action, methods=["POST"]),
]

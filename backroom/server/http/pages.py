"""Pages: the form for a new table, the table itself, and one's account."""

import datetime
import importlib.util
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec
import structlog
from markupsafe import Markup
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from backroom.bots import DEFAULT, gentle, is_bot, offered
from backroom.engine import registry
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, SPECTATOR
from backroom.engine.lessons import lessons
from backroom.engine.options import BadOption, Option
from backroom.engine.phrases import listing
from backroom.engine.protocol import Seat
from backroom.scene import specimens
from backroom.scene.label import sheet, sign
from backroom.server import markup
from backroom.server.errors import BadName, Conflict, OtherRules, Refused
from backroom.server.http import links, profile, solo
from backroom.server.http.forms import form_of
from backroom.server.http.identity import session_of
from backroom.server.http.table_lists import in_words, own_tables
from backroom.server.http.table_routes import open_table
from backroom.server.http.version import version
from backroom.server.people.accounts import COOKIE, TOKEN_ID, Person
from backroom.server.people.names import guest_name
from backroom.server.services import WEB, Services, address, services_of, visitor
from backroom.server.storage import queries
from backroom.server.storage.journal import BOT, SIT, Entry
from backroom.server.tables import messages, timeouts
from backroom.server.tables.archive import archived
from backroom.server.tables.audience import MOST_TOLD
from backroom.server.tables.config import BANK, DAY, DAYS, Terms, config
from backroom.server.tables.live import LiveTable
from backroom.server.tables.state import OPEN, TableState

log = structlog.get_logger()

A_YEAR = 365 * DAY
A_DAY = 24 * 60
"""A day in minutes."""
OTHER = "*"
"""The form's value for an option that has other text than a named value."""
HAS_PNG = importlib.util.find_spec("resvg_py") is not None
"""Whether PNG pictures are available, which needs an extra."""
PUBLIC = (".js", ".css", ".svg", ".woff2")
"""Suffixes of the files in the folder `web` that are served."""


def render(request: Request, page: str, person: Person | None, status: int = 200, **more: Any) -> Response:
    """Render a template, with the context that all pages need."""
    services = services_of(request)
    compiling = services.compiling
    html = services.pages.get_template(page).render(
        me=person,
        path=request.url.path,
        compiling=None if compiling.is_over else compiling,
        linked=lambda text, name: Markup(markup.html(text, registry.game(name))),
        best_bot=DEFAULT,
        version=version(),
        **more,
    )
    return HTMLResponse(html, status, headers={"cache-control": "no-store"})


def safe_path(text: str) -> str:
    """A path on this site to redirect to; never another site."""
    return text if re.fullmatch(r"/[\w/-]*", text) and not text.startswith("//") else "/"


def with_cookie(response: Response, services: Services, person: Person, request: Request) -> Response:
    response.set_cookie(
        COOKIE,
        services.people.cookie(person),
        max_age=A_YEAR,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
        path="/",
    )
    return response


async def person_or_guest(request: Request, form: Mapping[str, Any]) -> tuple[Person, bool]:
    """The sender of a form, and whether that is a guest created just now from the name in the form."""
    services = services_of(request)
    person = await services.person(request)
    if person is not None:
        return person, False
    services.limits.take("enter", address(request))
    return await services.people.welcome(said_name(form)), True


def said_name(form: Mapping[str, Any]) -> str:
    """The name that a guest has entered, or a made-up one."""
    return str(form.get("guest", "")).strip() or guest_name()


# games in words


def about(game: Game) -> dict[str, Any]:
    """A game for the lobby's templates."""
    few, many = min(game.seats), max(game.seats)
    return {
        "name": game.name,
        "title": game.title,
        "summary": game.summary,
        "seats": f"{few} to {many} players" if few < many else "1 player" if few == 1 else f"{few} players",
        "is_solo": many == 1,
        "minutes": minutes_of(game),
        "longest": getattr(game.rules, "MINUTES", (0, A_DAY))[1],
        "levels": offered(game),
        "counts": list(game.seats),
        "makes": getattr(game.rules, "MAKES", None),
        "has_choice": solo.choice_of(game) is not None,
        "has_lesson": bool(lessons(game)),
        "has_solution": hasattr(game.rules, "solution"),
        "makers": [
            (other.name, other.title, made.option)
            for other in map(registry.game, registry.names())
            if (made := getattr(other.rules, "MAKES", None)) and made.game == game.name
        ],
    }


def minutes_of(game: Game) -> str:
    """The length of a game in words; empty if the game does not state it."""
    few, many = getattr(game.rules, "MINUTES", (0, 0))
    return f"{few}–{many} minutes" if many else ""


def requested_game(request: Request) -> Game:
    """The game named in the request's path."""
    try:
        return registry.game(request.path_params["game"])
    except BadOption as error:
        raise Refused(str(error), 404, "unknown") from None


# a new table


async def get_new(request: Request) -> Response:
    services, person = await visitor(request)
    game = requested_game(request)
    said: dict[str, str] = {}
    chosen: dict[str, str] = {}
    for option in game.options:
        if option.name in request.query_params:
            chosen[option.name] = text = links.unpacked(request.query_params[option.name])
            said[f"option-{option.name}" if text in option.values else other_field(option)] = text
    if not chosen:
        return form_page(request, person, game, "", {})
    await services.prepare(game.name)
    services.limits.take("think", address(request))
    seats, preview, wrong = await services.settle(game, foreseen, game, chosen)
    said["seats"] = request.query_params.get("seats", str(seats or ""))
    return form_page(request, person, game, wrong, said, preview=preview)


def foreseen(game: Game, chosen: Mapping[str, str]) -> tuple[int | None, str, str]:
    """For the options in a link: the number of seats they fit, how the table will begin, and any error."""
    wrong = ""
    for seats in game.seats:
        try:
            _, settled = game.settle(seats, chosen)
        except BadOption as error:
            wrong = wrong or str(error)
            continue
        v = game.view(game.start(seats, settled), SPECTATOR)
        return seats, str(game.rules.draw(v, SPECTATOR).svg()), ""
    return None, "", wrong


def other_field(option: Option) -> str:
    """The form field for text other than a named value, typed or from a file."""
    return f"text-{option.name}" if option.is_file else f"other-{option.name}"


def form_page(
    request: Request,
    person: Person | None,
    game: Game,
    wrong: str,
    said: Mapping[str, str],
    status: int = 200,
    preview: str = "",
) -> Response:
    """The form for a new table, with the values entered so far."""
    seats = [game.seat_name(seat) for seat in range(max(game.seats))]
    return render(
        request,
        "new.html",
        person,
        status,
        game=about(game),
        options=game.options,
        counts=list(game.seats),
        seat_names=seats,
        wrong=wrong,
        said=said,
        preview=preview,
    )


async def post_tables(request: Request) -> Response:
    services = services_of(request)
    services.limits.take("make", address(request))
    async with form_of(request, files=20) as form:
        known = await services.person(request)
        try:
            game = registry.game(str(form.get("game") or form.get("first", "")))
            terms = terms_of(form)
            if "level" in form and not terms.lead:  # against bots by one touch
                terms = msgspec.structs.replace(terms, lead=await is_new_to(services, known, game))
            options = {
                option.name: value
                for option in game.options
                if (value := await value_of(form, option.name)) is not None
            }
            if (option := solo.choice_of(game)) and option.name not in options:
                task = await solo.next_after(services, known, game, option, "")
                options |= {option.name: task.value} if task else {}
            if (makes := getattr(game.rules, "MAKES", None)) and makes.draft not in options:
                options[makes.draft] = makes.begins
            seats = number(form, "seats", 0) or None
            new = await services.settle(
                game,
                partial(
                    config,
                    game.name,
                    seats,
                    options,
                    terms,
                    is_public=form.get("public") == "yes",
                    maker="",
                    made=services.tables.now(),
                ),
            )
            person, is_new = await person_or_guest(request, form)  # a form that is refused creates no guest
        except (BadOption, BadName) as error:
            if "game" in form and str(form["game"]) in {game.name for game in services.games()}:
                game = registry.game(str(form["game"]))
                said = {name: value for name, value in form.items() if isinstance(value, str)}
                for option in game.options:
                    if f"option-{option.name}" in said and (await value_of(form, option.name)) not in option.values:
                        said[other_field(option)] = await value_of(form, option.name) or ""
                        said[f"option-{option.name}"] = OTHER
                return form_page(request, known, game, str(error), said, 422)
            raise Refused(str(error), 422, "unreadable") from None
        new = msgspec.structs.replace(new, maker=person.id)
        entries = first_entries(game, form, person, new.seats)
    if (option := solo.choice_of(game)) and option.name in options:
        services.new_tasks.taken(game, option, options[option.name])
    live = await open_table(services, new, entries)
    response: Response = RedirectResponse(f"/tables/{live.id}", 303)
    return with_cookie(response, services, person, request) if is_new else response


async def is_new_to(services: Services, person: Person | None, game: Game) -> bool:
    """Whether somebody has not yet finished a game of this kind here, so that new situations are explained."""
    if person is None:
        return True
    return not await services.store.read(lambda conn: queries.has_finished(conn, person.id, game.name))


async def value_of(form: FormData, name: str) -> str | None:
    """The value chosen for an option: a named value, other text, or the content of a file."""
    chosen, other = form.get(f"option-{name}"), form.get(f"other-{name}")
    if isinstance(other, UploadFile):
        await other.seek(0)
        other = (await other.read()).decode("utf-8-sig", "replace").replace("\r\n", "\n") if other.filename else ""
    other = other or str(form.get(f"text-{name}", "")).replace("\r\n", "\n")
    if chosen == OTHER or (chosen is None and other):
        return str(other)
    return None if chosen is None else str(chosen)


def number(form: Mapping[str, Any], name: str, default: int) -> int:
    text = str(form.get(name, ""))
    return int(text) if text.isdecimal() and len(text) < 6 else default


def terms_of(form: Mapping[str, Any]) -> Terms:
    clock = str(form.get("clock", "none"))
    bank = number(form, "minutes", 10) * 60 if clock == BANK else number(form, "days", 1) * DAY if clock == DAYS else 0
    return Terms(
        clock=clock,
        bank=bank,
        step=number(form, "step", 10) if clock == BANK else 0,
        out=str(form.get("out", "ask")),
        hints=form.get("hints", "yes") == "yes",
        rated=form.get("rated", "yes") == "yes" and "first" not in form,
        lead="first" in form,
    )


def first_entries(game: Game, form: Mapping[str, Any], person: Person, seats: int) -> list[Entry]:
    """The entries for the seats taken from the start: `me` once, bots by name; the rest are free."""
    found = []
    is_seated = False
    level = gentle(game) if "first" in form else form.get("level", DEFAULT)
    for seat in range(seats):
        who = str(form.get(f"seat-{seat}", "me" if seat == 0 else level))
        if who == "me" and not is_seated:
            is_seated = True
            found.append(Entry(SIT, seat, person.name, person.id))
        elif is_bot(who, game):
            found.append(Entry(BOT, seat, who))
    return found


async def post_learn(request: Request) -> Response:
    """Make a table for the first lesson of a game."""
    services = services_of(request)
    services.limits.take("make", address(request))
    game = requested_game(request)
    known = lessons(game)
    if not known:
        raise Refused(f"there is no lesson for {game.title}", 404, "unknown")
    async with form_of(request) as form:
        person, is_new = await person_or_guest(request, form)
    lesson, made = known[0], services.tables.now()
    terms = Terms(hints=False, rated=False, lesson=lesson.name)
    usual = config(game.name, lesson.seats, lesson.options, terms, is_public=False, maker=person.id, made=made)
    new = msgspec.structs.replace(usual, seed=None, seed_hash=None, start=lesson.steps[0].position)
    entries = [
        Entry(SIT, seat, person.name, person.id) if seat == lesson.seat else Entry(BOT, seat, "teacher")
        for seat in range(new.seats)
    ]
    live = await open_table(services, new, entries)
    response: Response = RedirectResponse(f"/tables/{live.id}", 303)
    return with_cookie(response, services, person, request) if is_new else response


async def get_solo(request: Request) -> Response:
    """The tasks of a one-player game."""
    services, person = await visitor(request)
    game = requested_game(request)
    option = solo.choice_of(game)
    if option is None:
        raise Refused("there is nothing to choose from here; make a table instead", 404, "unknown")
    more = await solo.shelf(services, person, game, option)
    return render(request, "solo.html", person, game=about(game), **more)


# the table


async def get_table(request: Request) -> Response:
    services, person = await visitor(request)
    try:
        live = await services.tables.get(request.path_params["table"])
    except OtherRules as refusal:
        return await story_page(request, person, refusal.why)
    await services.compiling.wait_for(live.config.game)
    async with live.reading() as state:
        reader = state.seat_of(person.id if person else None)
        live.audience(state, reader)  # from here on it gets the changes
        more = look(live, state, reader)
    since = await last_visit(services, live, person, more["lines"])
    missed = Markup("")
    if person is not None and since is not None and since < more["lines"]:
        async with live.reading() as state:
            told = [item for item in messages.story(state, reader, 60, since) if "n" in item]
            missed = Markup(messages.as_items(told))
    offered = await solo.after(services, person, live) if reader != SPECTATOR else None
    invite = f"{request.base_url}tables/{live.id}"
    waited = await awaited(services, live) if more["is_open"] else ""
    more |= {"missed": missed, "after": offered, "link": invite, "qr": links.qr, "awaited": waited}
    return render(request, "table.html", person, **more)


async def awaited(services: Services, live: LiveTable) -> str:
    """The players of the last game who have not come to this rematch, in words; empty at other tables."""
    if not live.config.terms.rematch_of:
        return ""
    async with live.reading() as state:
        come = {chair.owner for chair in state.chairs}
    try:
        last = await services.tables.get(live.config.terms.rematch_of)
    except Refused:  # it was deleted, or its rules are older
        return ""
    async with last.reading() as state:
        names = [chair.name for chair in state.chairs if chair.owner and chair.owner not in come]
    return listing(names, "and") if names else ""


async def story_page(request: Request, person: Person | None, why: str) -> Response:
    """The page of a table that can only be read: its players, and the part of its journal that this person may know."""
    found = await archived(services_of(request).store, request.path_params["table"])
    story = found.story(found.seat_of(person.id if person else None))
    return render(request, "story.html", person, found=found, story=story, why=why)


def look(live: LiveTable, state: TableState, reader: Seat) -> dict[str, Any]:
    """The context for the first rendering of a table's page."""
    game = state.game
    v = None if state.shown is None else state.view(reader)
    turn = messages.turn(state, reader, v)
    lit = {ids[0] for move in turn["moves"] if (ids := move["touch"])}
    picture = "" if v is None else game.rules.draw(v, reader).html(lit)
    here = live.people_here()
    deadline = timeouts.deadline(state)
    head = messages.heading(state, here, live.watchers(), live.tables.now(), deadline.ends if deadline else None)
    config, terms = live.config, live.config.terms
    lines = [] if state.table is None else state.table.lines
    return {
        "game": about(game),
        "table": live.id,
        "head": head,
        "turn": turn,
        "seat": reader,
        "picture": picture,
        "story": Markup(messages.as_items(messages.story(state, reader, MOST_TOLD))),
        "glyphs": Markup(sheet(game.rules.GLYPHS)),
        "signs": [Markup(sign(seat, game.rules.GLYPHS)) for seat in range(config.seats)],
        "terms": terms,
        "options": in_words(game, config.options | terms.requested),
        "has_chance": config.seats > 1 or any(line.seat == NATURE for line in lines),
        "is_public": config.is_public,
        "is_open": state.stage == OPEN,
        "host": host_of(state),
        "lines": state.lines,
        "has_png": HAS_PNG,
        "start": {
            "table": live.id,
            "game": game.name,
            "n": state.count(reader),
            "seat": reader,
            "head": head,
            "solo": config.seats == 1,
            "lesson": terms.lesson,
            **turn,
        },
    }


def host_of(state: TableState) -> str:
    """The name of the person who invites to a table: its maker, or else the first player."""
    people = [chair for chair in state.chairs if chair.owner]
    maker = [chair for chair in people if chair.owner == state.config.maker]
    return next((chair.name for chair in [*maker, *people] if chair.name), "Somebody")


async def last_visit(services: Services, live: LiveTable, person: Person | None, lines: int) -> int | None:
    """The number of lines that this person had seen at the last visit; records that all are seen now."""
    if person is None:
        return None
    at = services.tables.now()
    try:
        found: int | None = await services.store.write(lambda conn: queries.visit(conn, live.id, person.id, lines, at))
    except Conflict:  # the same person in two browsers at once
        found = lines
    return found


# accounts


async def me_page(request: Request, person: Person | None, back: str, status: int = 200, **more: str) -> Response:
    """The account page, with the person's tokens."""
    services = services_of(request)
    own = [] if person is None else await services.people.tokens_of(person)
    mine = {} if person is None else await profile.profile_of(services, person)
    moves = [] if person is None else (await own_tables(services, person))[0]["moves"]
    tokens = [(each.id, f"{datetime.datetime.fromtimestamp(each.made / 1000, datetime.UTC):%d %B %Y}") for each in own]
    said = {"wrong": "", "token": "", **more}
    return render(request, "me.html", person, status, **said, **mine, moves=moves, back=back, tokens=tokens)


async def get_me(request: Request) -> Response:
    _, person = await visitor(request)
    return await me_page(request, person, safe_path(request.query_params.get("back", "/")))


async def post_me(request: Request) -> Response:
    """Handle the forms of the account page.

    They enter as a guest, change the name, protect it with a password, log in, log out, create or revoke a token, and
    delete the account.
    """
    services = services_of(request)
    people, person = services.people, await services.person(request)
    async with form_of(request) as form:
        said = {name: str(value) for name, value in form.items()}
    what, back = said.get("what", ""), safe_path(said.get("back", "/"))
    response: Response = RedirectResponse(back, 303)
    try:
        if what == "guest" and person is None:
            services.limits.take("enter", address(request))
            return with_cookie(response, services, await people.welcome(said_name(said)), request)
        if what == "rename" and person is not None:
            services.limits.take("enter", person.id)
            await people.rename(person, said.get("guest", ""))
            return response
        if what == "keep" and person is not None:
            services.limits.take("password", person.id)
            services.limits.take("password", address(request))
            kept = await people.keep(person, said.get("password", ""), said.get("old", ""))
            return with_cookie(response, services, kept, request)
        if what == "log in":
            services.limits.take("password", address(request))
            found = await people.log_in(said.get("name", ""), said.get("password", ""))
            return with_cookie(response, services, found, request)
        if what == "token" and person is not None:
            services.limits.take("make", person.id)
            return await me_page(request, person, back, token=await people.new_token(person))
        if what == "revoke" and person is not None:
            services.limits.take("act", person.id)
            await people.revoke(person, said.get("token", "")[:TOKEN_ID].rjust(TOKEN_ID))
            return RedirectResponse("/me", 303)
        if what == "delete" and person is not None:
            services.limits.take("password", person.id)
            if said.get("sure") != "yes":
                raise BadName("say that you are sure, and everything is deleted")
            if person.is_kept:
                await people.log_in(person.name, said.get("old", ""))
            await profile.forget(services, person)
            response = RedirectResponse("/", 303)
            response.delete_cookie(COOKIE, path="/")
            return response
    except BadName as error:
        return await me_page(request, person, back, 422, wrong=str(error))
    if what == "log out":
        session = session_of(dict(request.scope["headers"]))
        if session:
            await people.end_session(session)
        response.delete_cookie(COOKIE, path="/")
    return response


# other pages


async def get_compiling(request: Request) -> Response:
    """The progress of compiling the rules."""
    compiling = services_of(request).compiling
    return JSONResponse(
        {
            "over": compiling.is_over,
            "done": compiling.done,
            "steps": compiling.steps,
            "doing": compiling.doing,
            "ready": sorted(compiling.ready),
            "failed": compiling.failed,
        },
        headers={"cache-control": "no-store"},
    )


async def get_style(request: Request) -> Response:
    """The style guide: colours, type, controls and pieces in every state."""
    _, person = await visitor(request)
    return render(request, "style.html", person, colours=specimens.colours(), pieces=specimens.pieces())


class WebFiles(StaticFiles):
    """Scripts, style sheets and icons, but not templates. Browsers revalidate them each time."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if not path.endswith(PUBLIC):
            raise HTTPException(404, "there is no such file")
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "no-cache"
        return response


async def moved(request: Request) -> Response:
    """Redirect from an address of an earlier version."""
    path = request.url.path
    return RedirectResponse(path.replace("/alone/", "/solo/").replace("/warming", "/compiling"), 308)


routes = [
    Route("/new/{game}", get_new),
    Route("/solo/{game}", get_solo),
    Route("/alone/{game}", moved),
    Route("/tables", post_tables, methods=["POST"]),
    Route("/learn/{game}", post_learn, methods=["POST"]),
    Route("/tables/{table}", get_table),
    Route("/me", get_me),
    Route("/me", post_me, methods=["POST"]),
    Route("/compiling", get_compiling),
    Route("/warming", moved),
    Route("/style", get_style),
    Mount("/web", WebFiles(directory=WEB)),
]

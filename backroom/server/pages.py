"""Pages: the lobby, the form for a new table, the table itself, and who one is."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from backroom.bots import BOTS, DEFAULT, OFFERED
from backroom.engine.game import BadOption, Game, Option, Seat, game, names
from backroom.engine.kernel import NATURE, SPECTATOR
from backroom.server import alone, links, pace, rulebook, store, wire
from backroom.server.audience import MOST_TOLD
from backroom.server.doors import open_table
from backroom.server.house import WEB, House, address, house_of
from backroom.server.journal import BOT, SIT, Entry
from backroom.server.people import COOKIE, BadName, Person
from backroom.server.rooms import Refused, Room
from backroom.server.sitting import OPEN, OVER, Sitting
from backroom.server.terms import BANK, DAY, DAYS, Terms, deal

A_YEAR = 365 * DAY
OTHER = "*"
"""What a form says for an option that has no named value."""
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def render(request: Request, page: str, person: Person | None, status: int = 200, **more: Any) -> Response:
    """A page, with what all pages need."""
    house = house_of(request)
    warming = house.warming
    html = house.pages.get_template(page).render(
        me=person,
        path=request.url.path,
        warming=None if warming.is_over else warming,
        linked=rulebook.linked,
        bots=OFFERED,
        best_bot=DEFAULT,
        **more,
    )
    return HTMLResponse(html, status, headers={"cache-control": "no-store"})


def safe_path(text: str) -> str:
    """A place in this house to go to; nowhere else."""
    return text if re.fullmatch(r"/[\w/-]*", text) and not text.startswith("//") else "/"


def with_cookie(response: Response, house: House, person: Person, request: Request) -> Response:
    response.set_cookie(
        COOKIE,
        house.people.cookie(person),
        max_age=A_YEAR,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
        path="/",
    )
    return response


async def person_or_guest(request: Request, form: Mapping[str, Any]) -> tuple[Person, bool]:
    """Who one is; or the guest who has just said a name, and that he is new."""
    house = house_of(request)
    person = await house.person(request)
    if person is not None:
        return person, False
    house.limits.take("enter", address(request))
    return await house.people.welcome(str(form.get("guest", ""))), True


# the lobby


async def get_lobby(request: Request) -> Response:
    house = house_of(request)
    person = await house.person(request)

    def read(conn: Any) -> Any:
        mine = store.tables_of(conn, person.id) if person else []
        return store.lobby(conn, None), mine

    listed, mine = await house.store.read(read)
    own = {row["id"] for row in mine}
    games = [about(found) for found in house.games()]
    titles = {found["name"]: found["title"] for found in games}
    return render(
        request,
        "lobby.html",
        person,
        games=games,
        tables=[row_of(row, titles) for row in listed if row["game"] in titles and row["id"] not in own],
        mine=[row_of(row, titles) for row in mine if row["game"] in titles and is_to_show(row)],
    )


def about(found: Game) -> dict[str, Any]:
    """A game as the lobby shows it."""
    few, many = min(found.rules.SEATS), max(found.rules.SEATS)
    return {
        "name": found.name,
        "title": found.rules.TITLE,
        "summary": found.summary,
        "seats": f"{few} to {many} players" if few < many else "1 player" if few == 1 else f"{few} players",
        "is_alone": many == 1,
        "makes": getattr(found.rules, "MAKES", None),
        "has_choice": alone.choice_of(found) is not None,
        "makers": [
            (other.name, other.rules.TITLE, made.option)
            for other in map(game, names())
            if (made := getattr(other.rules, "MAKES", None)) and made.game == found.name
        ],
    }


def is_to_show(row: Mapping[str, Any]) -> bool:
    """Of one's own tables: games for one are done with when they are over."""
    return bool(row["seats"] > 1 or row["stage"] != OVER)


def row_of(row: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    """A table as the lobby shows it."""
    sitters = msgspec.json.decode(row["company"], type=list[str])
    terms = msgspec.json.decode(row["terms"], type=Terms)
    options = msgspec.json.decode(row["options"], type=dict[str, str])
    defaults = {option.name: option.default for option in game(row["game"]).rules.OPTIONS}
    options |= terms.asked
    special = [f"{name} {value}" for name, value in options.items() if value != defaults.get(name) and len(value) < 30]
    return {
        "id": row["id"],
        "title": titles[row["game"]],
        "stage": row["stage"],
        "sitters": [name for name in sitters if name],
        "free": sum(not name for name in sitters),
        "clock": terms.clock_in_words,
        "special": ", ".join(special),
        "is_public": row["is_public"],
    }


def asked_for(request: Request) -> Game:
    """The game that an address names."""
    try:
        return game(request.path_params["game"])
    except BadOption as error:
        raise Refused(str(error), 404, "unknown") from None


# a new table


async def get_new(request: Request) -> Response:
    house = house_of(request)
    person = await house.person(request)
    found = asked_for(request)
    said: dict[str, str] = {}
    chosen: dict[str, str] = {}
    for option in found.rules.OPTIONS:
        if option.name in request.query_params:
            chosen[option.name] = text = links.unpacked(request.query_params[option.name])
            said[f"option-{option.name}" if text in option.values else other_field(option)] = text
    if not chosen:
        return form_page(request, person, found, "", {})
    await house.prepare(found.name)
    seats, preview, wrong = await asyncio.to_thread(foreseen, found, chosen)
    said["seats"] = request.query_params.get("seats", str(seats or ""))
    return form_page(request, person, found, wrong, said, preview=preview)


def foreseen(found: Game, chosen: Mapping[str, str]) -> tuple[int | None, str, str]:
    """For how many seats options of a link are good, how the table will begin, and what is wrong if they are not."""
    wrong = ""
    for seats in found.rules.SEATS:
        try:
            _, settled = found.settle(seats, chosen)
        except BadOption as error:
            wrong = wrong or str(error)
            continue
        v = found.view(found.start(seats, settled), SPECTATOR)
        return seats, str(found.rules.draw(v, SPECTATOR).svg()), ""
    return None, "", wrong


def other_field(option: Option) -> str:
    """The field for text that is no named value: of a file, or typed in."""
    return f"text-{option.name}" if option.is_file else f"other-{option.name}"


def form_page(
    request: Request,
    person: Person | None,
    found: Game,
    wrong: str,
    said: Mapping[str, str],
    status: int = 200,
    preview: str = "",
) -> Response:
    """The form for a new table, with what has been said in it already."""
    seats = [found.seat_name(seat) for seat in range(max(found.rules.SEATS))]
    return render(
        request,
        "new.html",
        person,
        status,
        game=about(found),
        options=found.rules.OPTIONS,
        counts=list(found.rules.SEATS),
        seat_names=seats,
        wrong=wrong,
        said=said,
        preview=preview,
    )


async def post_tables(request: Request) -> Response:
    house = house_of(request)
    house.limits.take("make", address(request))
    async with request.form(max_files=20, max_fields=200) as form:
        person: Person | None = None
        try:
            found = game(str(form.get("game") or form.get("first", "")))
            terms = terms_of(form)
            person, is_new = await person_or_guest(request, form)
            options = {
                option.name: value
                for option in found.rules.OPTIONS
                if (value := await value_of(form, option.name)) is not None
            }
            if (option := alone.choice_of(found)) and option.name not in options:
                task = await alone.next_after(house, person, found, option, "")
                options |= {option.name: task.value} if task else {}
            seats = int(count) if (count := str(form.get("seats", ""))).isdecimal() else None
            new = await asyncio.to_thread(  # some games make, and prove, what is asked for
                deal,
                found.name,
                seats,
                options,
                terms,
                is_public=form.get("public") == "yes",
                maker=person.id,
                made=house.rooms.now(),
            )
        except (BadOption, BadName) as error:
            if "game" in form and str(form["game"]) in {found.name for found in house.games()}:
                found = game(str(form["game"]))
                said = {name: value for name, value in form.items() if isinstance(value, str)}
                for option in found.rules.OPTIONS:
                    if f"option-{option.name}" in said and (await value_of(form, option.name)) not in option.values:
                        said[other_field(option)] = await value_of(form, option.name) or ""
                        said[f"option-{option.name}"] = OTHER
                return form_page(request, person, found, str(error), said, 422)
            raise Refused(str(error), 422, "unreadable") from None
        entries = first_entries(form, person, new.seats)
    room = await open_table(house, new, entries)
    response: Response = RedirectResponse(f"/tables/{room.id}", 303)
    return with_cookie(response, house, person, request) if is_new else response


async def value_of(form: FormData, name: str) -> str | None:
    """What was chosen for an option: a named value, other text, or a file."""
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
        rated=form.get("rated", "yes") == "yes",
        lead="first" in form,
    )


def first_entries(form: Mapping[str, Any], person: Person, seats: int) -> list[Entry]:
    """Who sits where from the start: `me` once, bots by name, and the rest is free."""
    found = []
    is_seated = False
    for seat in range(seats):
        who = str(form.get(f"seat-{seat}", "me" if seat == 0 else DEFAULT))
        if who == "me" and not is_seated:
            is_seated = True
            found.append(Entry(SIT, seat, person.name, person.id))
        elif who in BOTS:
            found.append(Entry(BOT, seat, who))
    return found


async def get_alone(request: Request) -> Response:
    """All that a game for one has to choose from."""
    house = house_of(request)
    person = await house.person(request)
    found = asked_for(request)
    option = alone.choice_of(found)
    if option is None:
        raise Refused("there is nothing to choose from here; make a table instead", 404, "unknown")
    more = await alone.shelf(house, person, found, option)
    return render(request, "alone.html", person, game=about(found), **more)


# the table


async def get_table(request: Request) -> Response:
    house = house_of(request)
    person = await house.person(request)
    house.limits.take("look", person.id if person else address(request))
    room = await house.rooms.room(request.path_params["table"])
    await house.warming.wait_for(room.deal.game)
    async with room.reading() as sitting:
        reader = sitting.seat_of(person.id if person else None)
        room.audience(sitting, reader)  # from here on it is told what changes
        more = look(room, sitting, reader)
    since = await last_visit(house, room, person, more["lines"])
    missed = []
    if person is not None and since is not None and since < more["lines"]:
        async with room.reading() as sitting:
            missed = [item for item in wire.story(sitting, reader, 60, since) if "n" in item]
    offered = await alone.after(house, person, room) if reader != SPECTATOR else None
    return render(request, "table.html", person, missed=missed, after=offered, **more)


def look(room: Room, sitting: Sitting, reader: Seat) -> dict[str, Any]:
    """All that the page shows at first."""
    found = sitting.game
    v = None if sitting.shown is None else sitting.view(reader)
    turn = wire.turn(sitting, reader, v)
    svg, z = "", ""
    if v is not None:
        scene = found.rules.draw(v, reader)
        svg, z = scene.svg({ids[0] for move in turn["moves"] if (ids := move["touch"])}), wire.heights(scene)
    here = room.people_here()
    hurry = pace.hurry(sitting)
    watchers = sum(len(a.listeners) for (r, _), a in room.audiences.items() if r == SPECTATOR)
    head = wire.heading(sitting, here, watchers, room.rooms.now(), hurry.ends if hurry else None)
    deal, terms = room.deal, room.deal.terms
    defaults = {option.name: option.default for option in found.rules.OPTIONS}
    lines = [] if sitting.table is None else sitting.table.lines
    return {
        "game": about(found),
        "table": room.id,
        "head": head,
        "turn": turn,
        "seat": reader,
        "seat_name": "" if reader == SPECTATOR else found.seat_name(reader),
        "svg": svg,
        "z": z,
        "story": wire.story(sitting, reader, MOST_TOLD),
        "terms": terms,
        "options": [
            (name, value) for name, value in (deal.options | terms.asked).items() if value != defaults.get(name)
        ],
        "has_chance": deal.seats > 1 or any(line.seat == NATURE for line in lines),
        "is_public": deal.is_public,
        "seed_hash": deal.seed_hash or "",
        "is_open": sitting.stage == OPEN,
        "lines": sitting.lines,
        "start": {
            "table": room.id,
            "game": found.name,
            "n": sitting.count(reader),
            "seat": reader,
            "head": head,
            "hints": terms.hints,
            "lead": terms.lead,
            "alone": deal.seats == 1,
            **turn,
        },
    }


async def last_visit(house: House, room: Room, person: Person | None, lines: int) -> int | None:
    """How much of the log this person had seen when last here; and that all of it is seen now."""
    if person is None:
        return None
    at = house.rooms.now()
    try:
        found: int | None = await house.store.write(lambda conn: store.visit(conn, room.id, person.id, lines, at))
    except store.Conflict:  # the same person in two places at once
        found = lines
    return found


# who one is


async def get_me(request: Request) -> Response:
    person = await house_of(request).person(request)
    return render(request, "me.html", person, wrong="", token="", back=safe_path(request.query_params.get("back", "/")))


async def post_me(request: Request) -> Response:
    """Come in as a guest, keep one's name, log in, log out, or get a token for a program."""
    house = house_of(request)
    person = await house.person(request)
    async with request.form() as form:
        said = {name: str(value) for name, value in form.items()}
    what, back = said.get("what", ""), safe_path(said.get("back", "/"))
    response: Response = RedirectResponse(back, 303)
    try:
        if what == "guest" and person is None:
            house.limits.take("enter", address(request))
            return with_cookie(response, house, await house.people.welcome(said.get("guest", "")), request)
        if what == "keep" and person is not None:
            house.limits.take("password", person.id)
            await house.people.keep(person, said.get("password", ""))
            return response
        if what == "log in":
            house.limits.take("password", address(request))
            found = await house.people.log_in(said.get("name", ""), said.get("password", ""))
            return with_cookie(response, house, found, request)
        if what == "token" and person is not None:
            house.limits.take("make", person.id)
            token = await house.people.new_token(person)
            return render(request, "me.html", person, wrong="", token=token, back=back)
    except BadName as error:
        return render(request, "me.html", person, 422, wrong=str(error), token="", back=back)
    if what == "log out":
        response.delete_cookie(COOKIE, path="/")
    return response


# small things


async def get_warming(request: Request) -> Response:
    """How far the compiling of rules is."""
    warming = house_of(request).warming
    return JSONResponse(
        {"over": warming.is_over, "done": warming.done, "steps": warming.steps, "doing": warming.doing},
        headers={"cache-control": "no-store"},
    )


async def get_file(request: Request) -> Response:
    """A script, a style sheet or an icon."""
    path = WEB / request.path_params["name"]
    if path.parent != WEB or path.suffix not in KINDS or not path.is_file():
        raise Refused("there is no such file", 404, "unknown")
    headers = {"cache-control": "no-cache", "etag": f'"{path.stat().st_mtime_ns:x}"'}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(path.read_bytes(), media_type=KINDS[path.suffix], headers=headers)


routes = [
    Route("/", get_lobby),
    Route("/new/{game}", get_new),
    Route("/alone/{game}", get_alone),
    Route("/tables", post_tables, methods=["POST"]),
    Route("/tables/{table}", get_table),
    Route("/me", get_me),
    Route("/me", post_me, methods=["POST"]),
    Route("/warming", get_warming),
    Route("/web/{name}", get_file),
]

"""What is left of a game: replays, logs in and out, pictures, fair dice, rulebooks and ladders."""

import asyncio
import itertools
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from backroom.bots import BOTS
from backroom.engine.game import BadOption, BadPosition, Product, Seat, State, game, is_in
from backroom.engine.kernel import NATURE, SPECTATOR, UNKNOWN
from backroom.engine.log import BadLog, Unfair
from backroom.engine.table import replay, verify
from backroom.server import links, rulebook, store
from backroom.server.guard import PICTURE_POLICY
from backroom.server.house import House, address, house_of
from backroom.server.journal import BEGIN, BOT, END, MOVE, SIT, Entry
from backroom.server.pages import about, asked_for, person_or_guest, render, with_cookie
from backroom.server.people import BadName, Person
from backroom.server.rooms import Refused, Room
from backroom.server.sitting import OVER, Sitting
from backroom.server.terms import Deal, Terms, new_id

WIDEST = 2000


async def visit(request: Request, what: str = "look") -> tuple[House, Person | None, Room]:
    house = house_of(request)
    person = await house.person(request)
    house.limits.take(what, person.id if person else address(request))
    room = await house.rooms.room(request.path_params["table"])
    await house.warming.wait_for(room.deal.game)
    return house, person, room


def eyes_of(request: Request, sitting: Sitting, person: Person | None) -> Seat:
    """Through whose eyes: while a game is played one's own, afterwards anybody's."""
    own = sitting.seat_of(person.id if person else None)
    said = request.query_params.get("eyes", "")
    if said == "":
        return own
    wanted = int(said) if said.lstrip("-").isdecimal() and len(said) < 4 else None
    if wanted is None or wanted not in (SPECTATOR, *range(sitting.deal.seats)):
        raise Refused("there are no such eyes at this table", 404, "unknown")
    if wanted != own and wanted != SPECTATOR and sitting.stage != OVER:
        raise Refused("while the game is played, everybody has only his own eyes", 403, "hidden")
    return wanted


class Moment:
    """A table after some of the lines that a reader noticed."""

    def __init__(self, sitting: Sitting, eyes: Seat, said: str) -> None:
        if sitting.table is None:
            raise Refused("the game has not begun", 409, "not-playing")
        noticed = sitting.noticed(eyes)
        self.last = len(noticed)
        self.at = min(int(said), self.last) if said.isdecimal() and len(said) < 9 else self.last
        number = noticed[self.at - 1] if self.at else 0
        states = itertools.islice(sitting.table.states(), max(0, number - 1), number + 1)
        *before, state = list(states)
        found = sitting.game
        self.view: State = found.view(state, eyes)
        self.say = ""
        if before:
            line = sitting.table.lines[number - 1]
            move = line.move if is_in(line.seen, eyes) else UNKNOWN
            self.say = found.rules.say(found.view(before[0], eyes), line.seat, move, self.view)
        self.scene = found.rules.draw(self.view, eyes)


async def get_replay(request: Request) -> Response:
    _, person, room = await visit(request)
    async with room.reading() as sitting:
        eyes = eyes_of(request, sitting, person)
        moment = Moment(sitting, eyes, request.query_params.get("at", ""))
        own = sitting.seat_of(person.id if person else None)
        all_eyes = [SPECTATOR, *range(sitting.deal.seats)] if sitting.stage == OVER else sorted({SPECTATOR, own})
        named = [(seat, "a spectator" if seat == SPECTATOR else sitting.called(seat)) for seat in all_eyes]
        is_over = sitting.stage == OVER
    return render(
        request, "replay.html", person, game=about(room.deal.rules), table=room.id, moment=moment, eyes=eyes,
        all_eyes=named, is_over=is_over, is_contest=not hasattr(room.deal.rules.rules, "MAKES"), svg=moment.scene.svg(),
    )  # fmt: skip


async def get_scene(request: Request) -> Response:
    _, person, room = await visit(request)
    async with room.reading() as sitting:
        moment = Moment(sitting, eyes_of(request, sitting, person), request.query_params.get("at", ""))
    return JSONResponse({"at": moment.at, "last": moment.last, "say": moment.say, "svg": moment.scene.svg()})


async def get_analysis(request: Request) -> Response:
    """An analysis as `backroom analyse` writes it, who sat where, and the lines of the log that these eyes noticed."""
    house, person, room = await visit(request, "analyse")
    async with room.reading() as sitting:
        eyes = eyes_of(request, sitting, person)
        if sitting.stage != OVER or sitting.table is None:
            raise Refused("a game can be analysed when it is over", 409, "not-over")
        if hasattr(sitting.game.rules, "MAKES"):
            raise Refused("this is no contest", 404, "unknown")
        table, lines = sitting.table, sitting.noticed(eyes)
        names = [sitting.called(seat) for seat in range(sitting.deal.seats)]
    found = await house.analyses.of(room.id, table)
    return JSONResponse({**found, "names": names, "lines": lines})


async def get_log(request: Request) -> Response:
    """The log: while a game is played as one knows it, afterwards all of it, with its seed."""
    _, person, room = await visit(request)
    async with room.reading() as sitting:
        if sitting.table is None:
            raise Refused("the game has not begun", 409, "not-playing")
        eyes = eyes_of(request, sitting, person)
        text = str(sitting.table.save if sitting.stage == OVER else sitting.table.log_seen_by(eyes))
    name = f"{room.deal.game}-{room.id}.log"
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type="text/plain", headers=headers)


async def get_svg(request: Request) -> Response:
    """A picture to put into other pages."""
    _, person, room = await visit(request)
    async with room.reading() as sitting:
        moment = Moment(sitting, eyes_of(request, sitting, person), request.query_params.get("at", ""))
    headers = {"content-security-policy": PICTURE_POLICY, "cache-control": "no-cache"}
    return Response(moment.scene.svg(), media_type="image/svg+xml", headers=headers)


async def get_png(request: Request) -> Response:
    _, person, room = await visit(request, "think")
    said = request.query_params.get("width", "1200")
    width = max(100, min(int(said), WIDEST)) if said.isdecimal() and len(said) < 6 else 1200
    try:
        import resvg_py
    except ImportError:
        raise Refused("pictures as PNG need an extra: pip install 'backroom[media]'", 501, "missing") from None
    async with room.reading() as sitting:
        moment = Moment(sitting, eyes_of(request, sitting, person), request.query_params.get("at", ""))
    made = await asyncio.to_thread(resvg_py.svg_to_bytes, svg_string=moment.scene.svg(), width=width)
    return Response(bytes(made), media_type="image/png", headers={"cache-control": "no-cache"})


# what a game makes


def product_of(sitting: Sitting, person: Person | None) -> tuple[Product, str]:
    """What is made at a table, and its text as it stands."""
    made: Product | None = getattr(sitting.game.rules, "MAKES", None)
    if made is None or sitting.shown is None:
        raise Refused("nothing is made at this table", 404, "unknown")
    return made, made.write(sitting.game.view(sitting.shown, sitting.seat_of(person.id if person else None)))


async def get_product(request: Request) -> Response:
    """What is made, as a file; it need not be good yet."""
    _, person, room = await visit(request)
    async with room.reading() as sitting:
        made, text = product_of(sitting, person)
    headers = {"content-disposition": f'attachment; filename="{made.file}"', "cache-control": "no-store"}
    return Response(text, media_type="text/plain", headers=headers)


async def get_use(request: Request) -> Response:
    """The way to the form of the game that it is for, or of this one again, to go on with it. The address holds all of
    it, and can be sent to anybody.
    """
    _, person, room = await visit(request)
    async with room.reading() as sitting:
        made, text = product_of(sitting, person)
    goes_on = "more" in request.query_params
    name, wanted = (room.deal.game, made.draft) if goes_on else (made.game, made.option)
    option = next(option for option in game(name).rules.OPTIONS if option.name == wanted)
    try:
        line = option.settle(text)
    except BadOption as error:
        raise Refused(str(error), 409, "not-ready") from None
    return RedirectResponse(f"/new/{name}?{wanted}={links.packed(line)}", 303)


# logs that come from elsewhere


async def get_import(request: Request) -> Response:
    person = await house_of(request).person(request)
    return render(request, "import.html", person, wrong="", log="")


async def post_import(request: Request) -> Response:
    house = house_of(request)
    house.limits.take("make", address(request))
    async with request.form(max_files=1) as form:
        text = await said_in(form)
        try:
            person, is_new = await person_or_guest(request, form)
            new, entries = await asyncio.to_thread(taken_over, text, person, house.rooms.now())
        except (BadLog, BadOption, BadPosition, BadName) as error:
            person_now = await house.person(request)
            return render(request, "import.html", person_now, 422, wrong=str(error), log=text[:20_000])
    room = await house.rooms.make(new, entries)
    where = "/replay" if entries[-1].kind == END or (room.sitting and room.sitting.stage == OVER) else ""
    response: Response = RedirectResponse(f"/tables/{room.id}{where}", 303)
    return with_cookie(response, house, person, request) if is_new else response


async def said_in(form: Any) -> str:
    """The text of a log, from a file or typed in."""
    file = form.get("file")
    if file is not None and not isinstance(file, str) and file.filename:
        return str((await file.read()).decode("utf-8-sig", "replace")).replace("\r\n", "\n")
    return str(form.get("log", "")).replace("\r\n", "\n")


def taken_over(text: str, person: Person, at: int) -> tuple[Deal, list[Entry]]:
    """A table made from a log. One that is not over can go on if its seed is in it; its seats are free."""
    table = replay(text)
    terms = Terms(rated=False)
    new = Deal(
        new_id(), table.game.name, table.game.rules.VERSION, table.seats, dict(table.options), terms, table.seed,
        table.seed_hash, table.start, False, person.id, at,
    )  # fmt: skip
    sits = [
        Entry(BOT, seat, name) if name in BOTS else Entry(SIT, seat, name[:40])
        for seat, name in sorted(table.who.items())
        if table.is_over or name in BOTS
    ]
    moves = [Entry(MOVE, line.seat, line.name) for line in table.lines]
    rest = [] if table.is_over or table.seed else [Entry(END, None, "This log has no seed: it can only be looked at.")]
    return new, [*sits, Entry(BEGIN), *moves, *rest]


# fair dice


async def get_verify(request: Request) -> Response:
    """Whether all chance of a game was drawn from the seed that it committed to before its first move."""
    _, person, room = await visit(request)
    async with room.reading() as sitting:
        seed_hash, is_over = room.deal.seed_hash, sitting.stage == OVER
        log = None if sitting.table is None or not is_over else sitting.table.save
    checked, wrong = await asyncio.to_thread(_verified, log) if log else (0, "")
    return render(
        request, "verify.html", person, game=about(room.deal.rules), table=room.id, seed_hash=seed_hash,
        seed=log.seed if log else None, is_over=is_over, checked=checked, wrong=wrong,
        drawn=[(n, name) for n, (seat, name) in enumerate(log.moves, 1) if seat == NATURE][:500] if log else [],
    )  # fmt: skip


def _verified(log: Any) -> tuple[int, str]:
    try:
        return verify(log), ""
    except (BadLog, Unfair) as error:
        return 0, str(error)


async def any_verify(request: Request) -> Response:
    """The same for a log that somebody brings."""
    house = house_of(request)
    person = await house.person(request)
    text, checked, wrong = "", 0, ""
    if request.method == "POST":
        house.limits.take("think", address(request))
        async with request.form(max_files=1) as form:
            text = await said_in(form)
        try:
            checked = await asyncio.to_thread(verify, text)
        except (BadLog, BadOption, BadPosition) as error:
            wrong = str(error)
    return render(request, "check.html", person, log=text[:20_000], checked=checked, wrong=wrong)


# books and ladders


async def get_rules(request: Request) -> Response:
    person = await house_of(request).person(request)
    found = asked_for(request)
    return render(request, "rules.html", person, game=about(found), book=rulebook.page(found.name))


async def get_ladder(request: Request) -> Response:
    house = house_of(request)
    person = await house.person(request)
    found = asked_for(request)
    rows = await house.store.read(lambda conn: store.ladder(conn, found.name))
    return render(request, "ladder.html", person, game=about(found), rows=rows)


routes = [
    Route("/tables/{table}/replay", get_replay),
    Route("/tables/{table}/scene", get_scene),
    Route("/tables/{table}/analysis", get_analysis),
    Route("/tables/{table}/log", get_log),
    Route("/tables/{table}/picture.svg", get_svg),
    Route("/tables/{table}/picture.png", get_png),
    Route("/tables/{table}/file", get_product),
    Route("/tables/{table}/use", get_use),
    Route("/tables/{table}/verify", get_verify),
    Route("/import", get_import),
    Route("/import", post_import, methods=["POST"]),
    Route("/verify", any_verify, methods=["GET", "POST"]),
    Route("/rules/{game}", get_rules),
    Route("/ladder/{game}", get_ladder),
]

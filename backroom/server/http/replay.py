"""Replays, analyses, logs, pictures, verification of dice, rulebooks and ladders."""

import asyncio
import copy
import io
import itertools
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from operator import itemgetter
from typing import Any

import msgspec
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from backroom.arena.analysis import LEAST
from backroom.bots import bots_of
from backroom.engine import ending, registry
from backroom.engine.game import is_in
from backroom.engine.kernel import NATURE, SPECTATOR, UNKNOWN
from backroom.engine.log import BadLog, Log, Unfair
from backroom.engine.marks import parts, plain, who
from backroom.engine.options import BadOption
from backroom.engine.protocol import BadPosition, Product, Seat, State
from backroom.engine.table import Table, replay, verify
from backroom.scene import Scene
from backroom.scene.label import sheet
from backroom.server.errors import BadName, OtherRules, Refused
from backroom.server.http import links, rulebook, solo
from backroom.server.http.forms import form_of
from backroom.server.http.pages import about, person_or_guest, render, requested_game, with_cookie
from backroom.server.http.profile import days_ago, is_active
from backroom.server.http.security import PICTURE_POLICY
from backroom.server.markup import html
from backroom.server.people.accounts import Person
from backroom.server.people.names import printable
from backroom.server.services import Services, address, services_of, visitor
from backroom.server.storage import queries
from backroom.server.storage.journal import BEGIN, BOT, END, LOSE, MOVE, SIT, STOP, Entry
from backroom.server.tables import messages
from backroom.server.tables.archive import archived
from backroom.server.tables.config import TableConfig, Terms, new_id
from backroom.server.tables.live import LiveTable
from backroom.server.tables.state import OVER, TableState

WIDEST, MOST_OF_A_GIF = 2000, 800
"""The widest pictures and GIFs, in pixels."""
RASTER, ANIMATION = "resvg_py", "PIL"
"""The modules of the extra `media`."""
PAPER = "#f1e9da"
"""The background of a GIF, which has no transparency here."""
FRAMES, FRAME_MS = 12, 700
"""The number of steps in a GIF, and the milliseconds for each."""
MOST_TOLD = 5000
"""Most sentences listed in a replay."""
SOME_LINES = 0.4
"""Seconds to wait before a partial analysis is sent, so that there is more of it."""
PARTS = ("decisions", "chances")
"""The lists of an analysis, by lines of the log."""
WAITING: dict[str, Any] = {"seats": [], "decisions": [], "chances": [], "done": 0, "of": 0}
"""The answer for an analysis that has not started."""


async def visit(request: Request, what: str = "look") -> tuple[Services, Person | None, LiveTable]:
    services, person = await visitor(request, what)
    live = await services.tables.get(request.path_params["table"])
    await services.compiling.wait_for(live.config.game)
    return services, person, live


def reader_of(request: Request, state: TableState, person: Person | None) -> Seat:
    """The seat whose view is requested: during the game one's own, afterwards any."""
    own = state.seat_of(person.id if person else None)
    said = request.query_params.get("reader") or request.query_params.get("eyes", "")  # `eyes` in older links
    if said == "":
        return own
    wanted = int(said) if re.fullmatch(r"-?[0-9]{1,2}", said) else None
    if wanted is None or wanted not in (SPECTATOR, *range(state.config.seats)):
        raise Refused("there is no such seat at this table", 404, "unknown")
    if wanted != own and wanted != SPECTATOR and state.stage != OVER:
        raise Refused("until the game is over, players see only what their own seat sees", 403, "hidden")
    return wanted


class Moment:
    """A game after some of the lines that a reader noticed: the position in the log, the sentence, and the picture."""

    def __init__(self, table: Table, names: Sequence[str], reader: Seat, said: str, end: str = "") -> None:
        noticed = [number for number, line in enumerate(table.lines, 1) if is_in(line.noticed, reader)]
        self.last = len(noticed)
        self.at = min(int(said), self.last) if said.isdecimal() and len(said) < 9 else self.last
        number = noticed[self.at - 1] if self.at else 0
        states = itertools.islice(table.states(max(0, number - 1)), min(number, 1) + 1)
        *before, shown = list(states)
        game = table.game
        view: State = game.view(shown, reader)
        self.say = Markup("")
        """How the game came here, as HTML; empty at the beginning."""
        if before:
            line = table.lines[number - 1]
            move = line.move if is_in(line.seen, reader) else UNKNOWN
            said = game.say(game.view(before[0], reader), line.seat, move, view, reader) or in_progress(line.seat)
            self.say = Markup(html(parts(said, names), game))
        if end and self.at == self.last:
            self.say = Markup(" ").join(part for part in (self.say, Markup(end)) if part)
        self.scene = game.rules.draw(view, reader)
        self.picture = self.scene.html()


def moments_of(state: TableState, reader: Seat) -> Callable[[str], Moment]:
    """A function that returns the moment with a number in the log.

    It is called in a worker thread, because it takes time for long games, while the table itself goes on.
    """
    if state.table is None:
        raise Refused("the game has not begun", 409, "not-playing")
    table, names, end = state.table.copy(), state.names, ending_of(state, reader)
    return lambda said: Moment(table, names, reader, said, end)


def requested_moment(request: Request) -> str:
    """The number of the moment that a request asks for."""
    return request.query_params.get("at", "")


def ending_of(state: TableState, reader: Seat) -> str:
    """How a game has ended other than by its rules, as HTML: by resignation, by the clock, or by agreement."""
    if state.stage != OVER or state.table is None or not (state.broken_off or state.table.endings):
        return ""
    said = messages.turn(state, reader, state.view(reader))
    return str(said.get("html") or escape(said["question"]))


def endings(state: TableState, reader: Seat) -> list[dict[str, Any]]:
    """Resignations and other endings outside the rules, for the list of moves: each with its place and a sentence."""
    assert state.table is not None
    noticed = state.noticed(reader)
    found = [
        {"n": bisect_right(noticed, each.lines), **messages.sentence(state, ending.sentence(each))}
        for each in state.table.endings
    ]
    return [*found, {"n": len(noticed), "text": state.broken_off}] if state.broken_off else found


def in_progress(seat: Seat) -> str:
    """The sentence for a step that a story leaves out."""
    return "This is not finished: more comes by chance." if seat == NATURE else f"{who(seat)} is choosing."


def quiet_steps(state: TableState, reader: Seat, told: Iterable[dict[str, Any]]) -> list[int]:
    """The steps of a replay that are passed over: chance goes on, as in a deal, and a later step tells it all."""
    assert state.table is not None
    heard = {item["n"] for item in told}
    steps = enumerate(state.noticed(reader), 1)
    return [n for n, number in steps if n not in heard and state.table.lines[number - 1].seat == NATURE]


def by_turns(story: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A story grouped into turns: consecutive steps of one player are one turn. Each step has its place in the log."""
    found: list[dict[str, Any]] = []
    for item in story:
        seat, said = item.get("seat"), item["text"]
        if seat is not None:
            said = said.removeprefix(item["name"]).removesuffix(".")
        if not found or seat is None or found[-1]["seat"] != seat:
            found.append(
                {"seat": seat, "name": item.get("name", ""), "sign": Markup(item.get("sign", "")), "steps": []}
            )
        found[-1]["steps"].append({"n": item["n"], "said": said.strip()})
    return found


def still(state: TableState) -> TableState:
    """A table's state as it is now, for a thread that reads its story while the table goes on."""
    found = copy.copy(state)
    found.table, found.notes = state.table and state.table.copy(), state.notes.copy()
    return found


async def get_replay(request: Request) -> Response:
    services, person, live = await visit(request)
    async with live.reading() as state:
        reader = reader_of(request, state, person)
        moment_at, now, ends = moments_of(state, reader), still(state), endings(state, reader)
        own = state.seat_of(person.id if person else None)
        readers = [SPECTATOR, *range(state.config.seats)] if state.stage == OVER else sorted({SPECTATOR, own})
        named = [(seat, "a spectator" if seat == SPECTATOR else state.called(seat)) for seat in readers]
        is_over = state.stage == OVER
    is_analysed = is_over and await services.analyses.known(live.id) is not None

    def page() -> Response:
        moment = moment_at(requested_moment(request))
        told = [*(item for item in messages.story(now, reader, MOST_TOLD) if "n" in item), *ends]
        return render(
            request, "replay.html", person, game=about(live.config.find_game()), table=live.id, moment=moment,
            reader=reader, turns=by_turns(sorted(told, key=itemgetter("n"))), readers=named, is_over=is_over,
            picture=moment.picture, least=LEAST, glyphs=Markup(sheet(live.config.find_game().rules.GLYPHS)),
            is_contest=not hasattr(live.config.find_game().rules, "MAKES"), has_pictures=has_pictures(),
            is_analysed=is_analysed, quiet=quiet_steps(now, reader, told),
        )  # fmt: skip

    return await services.work(page)


async def moment_for(request: Request, what: str = "look") -> Moment:
    """The moment named in the request's address, as its reader may see it."""
    services, person, live = await visit(request, what)
    async with live.reading() as state:
        moment_at = moments_of(state, reader_of(request, state, person))
    return await services.work(moment_at, requested_moment(request))


async def get_scene(request: Request) -> Response:
    moment = await moment_for(request)
    return JSONResponse({"at": moment.at, "last": moment.last, "say": moment.say, "picture": moment.picture})


async def get_analysis(request: Request) -> Response:
    """An analysis as `backroom analyse` writes it, with the players and the lines of the log that the reader noticed.

    With `after` the answer has only what is newer than that line, and does not wait for the rest.
    """
    services, person, live = await visit(request)
    async with live.reading() as state:
        reader = reader_of(request, state, person)
        if state.stage != OVER or state.table is None:
            raise Refused("a game can be analysed when it is over", 409, "not-over")
        if hasattr(state.game.rules, "MAKES"):
            raise Refused("nobody wins or loses in this game, so there is nothing to analyse", 404, "unknown")
        table, lines = state.table, state.noticed(reader)
        names, known_as = [state.called(seat) for seat in range(state.config.seats)], state.names
    who = person.id if person else address(request)
    said = request.query_params.get("after", "")
    after = int(said) if said.isdecimal() and len(said) < 9 else None
    found, work = await services.analyses.known(live.id), f"analysis {live.id} {who}"
    if found is None and not services.is_begun(work):
        services.limits.take("analyse", who)
        services.limits.take("analyses", address(request))
    if found is None and after is None:
        found = await services.analyses.of(live.id, table, who, known_as)
    elif found is None:
        services.begin(work, partial(services.analyses.of, live.id, table, who, known_as))
        await asyncio.sleep(SOME_LINES)
        found = await services.analyses.known(live.id)

    def told() -> bytes:
        known = found or services.analyses.begun(live.id) or WAITING
        if after is not None:
            newer = range(after + 1, known["done"] + 1)
            known = {**known, **{what: [row for row in known[what] if row["line"] in newer] for what in PARTS}}
        return messages.encode({**known, "names": names, "lines": lines})

    return Response(await services.work(told), media_type="application/json")


async def get_log(request: Request) -> Response:
    """The log: during the game the part that the reader knows, afterwards all of it, with its seed."""
    try:
        services, person, live = await visit(request)
    except OtherRules as refusal:
        return await archived_log(request, refusal)
    async with live.reading() as state:
        if state.table is None:
            raise Refused("the game has not begun", 409, "not-playing")
        reader, table, is_over = reader_of(request, state, person), state.table.copy(), state.stage == OVER
    text = await services.work(lambda: str(table.save if is_over else table.log_seen_by(reader)))
    return as_file(live.config, text)


async def archived_log(request: Request, refusal: OtherRules) -> Response:
    """The log of a table that can only be read, for a program that has its rules."""
    found = await archived(services_of(request).store, request.path_params["table"])
    if found.has_secrets:
        raise Refused(f"{refusal.why}; its log has secrets, and its game is not over", 410, refusal.code)
    return as_file(found.config, str(found.log))


def as_file(table: TableConfig, text: str) -> Response:
    """A log as a download named after its table."""
    name = f"{table.game}-{table.id}.log"
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type="text/plain", headers=headers)


async def get_svg(request: Request) -> Response:
    """A picture of the board as SVG, to embed in other pages."""
    moment = await moment_for(request)
    headers = {"content-security-policy": PICTURE_POLICY, "cache-control": "no-cache"}
    return Response(moment.scene.svg(), media_type="image/svg+xml", headers=headers)


def requested_width(request: Request, usual: int, most: int) -> int:
    said = request.query_params.get("width", str(usual))
    return max(100, min(int(said), most)) if said.isdecimal() and len(said) < 6 else usual


def must_have(*modules: str) -> None:
    """Raise Refused if the extra for pictures is not installed."""
    if not all(map(find_spec, modules)):
        raise Refused("pictures as PNG and GIF need an extra: pip install 'backroom[media]'", 501, "missing")


def has_pictures() -> bool:
    """Whether this server can make PNG and GIF."""
    return all(map(find_spec, (RASTER, ANIMATION)))


def png_of(scene: Scene, width: int) -> bytes:
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=scene.svg(), width=width))


async def get_png(request: Request) -> Response:
    must_have(RASTER)
    moment = await moment_for(request, "think")
    made = await services_of(request).work(png_of, moment.scene, requested_width(request, 1200, WIDEST))
    return Response(made, media_type="image/png", headers={"cache-control": "no-cache"})


async def get_gif(request: Request) -> Response:
    """The last steps up to a moment as an animation."""
    must_have(RASTER, ANIMATION)
    services, person, live = await visit(request, "think")
    async with live.reading() as state:
        moment_at = moments_of(state, reader_of(request, state, person))

    def picture() -> bytes:
        last = moment_at(requested_moment(request)).at
        scenes = [moment_at(str(step)).scene for step in range(max(0, last - FRAMES + 1), last + 1)]
        return animated(scenes, requested_width(request, 480, MOST_OF_A_GIF))

    made = await services.work(picture)
    return Response(made, media_type="image/gif", headers={"cache-control": "no-cache"})


def animated(scenes: Sequence[Scene], width: int) -> bytes:
    """Pictures as one GIF; the last is shown longer."""
    from PIL import Image

    drawn = [Image.open(io.BytesIO(png_of(scene, width))).convert("RGBA") for scene in scenes]
    frames = [
        Image.alpha_composite(Image.new("RGBA", picture.size, PAPER), picture).convert("RGB") for picture in drawn
    ]
    first = frames[0]
    fitting = [frame if frame.size == first.size else frame.resize(first.size) for frame in frames]
    out, times = io.BytesIO(), [FRAME_MS] * (len(frames) - 1) + [3 * FRAME_MS]
    fitting[0].save(out, "GIF", save_all=True, append_images=fitting[1:], duration=times, loop=0, optimize=True)
    return out.getvalue()


async def post_solution(request: Request) -> Response:
    """Make a table with the solution of a task, to be replayed step by step."""
    services = services_of(request)
    person = await services.known(dict(request.scope["headers"]))
    services.limits.take("think", person.id)
    live = await services.tables.get(request.path_params["table"])
    await services.compiling.wait_for(live.config.game)
    async with live.reading() as state:
        if state.seat_of(person.id) == SPECTATOR:
            raise Refused("only the player of a task is shown its solution", 403, "no-seat")
    return RedirectResponse(f"/tables/{await solo.solution_table(services, live)}/replay?at=0", 303)


# products of games


def product_of(state: TableState, person: Person | None) -> tuple[Product, str]:
    """The product of a game, and its current text."""
    made: Product | None = getattr(state.game.rules, "MAKES", None)
    if made is None or state.shown is None:
        raise Refused("this game makes no file", 404, "unknown")
    return made, made.write(state.game.view(state.shown, state.seat_of(person.id if person else None)))


async def get_product(request: Request) -> Response:
    """The product as a file; it may be unfinished."""
    _, person, live = await visit(request)
    async with live.reading() as state:
        made, text = product_of(state, person)
    headers = {"content-disposition": f'attachment; filename="{made.file}"', "cache-control": "no-store"}
    return Response(text, media_type="text/plain", headers=headers)


async def get_use(request: Request) -> Response:
    """Redirect to the form of the game that uses the product, or of this game, to continue with it.

    The address contains the whole product, so it can be shared.
    """
    _, person, live = await visit(request)
    async with live.reading() as state:
        made, text = product_of(state, person)
        seat = state.seat_of(person.id if person else None)
        question = plain(messages.question(state, seat, state.view(seat)), state.names)
    goes_on = "more" in request.query_params
    name, wanted = (live.config.game, made.draft) if goes_on else (made.game, made.option)
    option = next(option for option in registry.game(name).options if option.name == wanted)
    try:
        line = option.settle(text)
    except BadOption as error:
        raise Refused(question.removesuffix("."), 409, "not-ready") from error
    return RedirectResponse(f"/new/{name}?{wanted}={links.packed(line)}", 303)


# imported logs


async def get_import(request: Request) -> Response:
    _, person = await visitor(request)
    return render(request, "import.html", person, wrong="", log="")


async def post_import(request: Request) -> Response:
    services = services_of(request)
    services.limits.take("make", address(request))
    async with form_of(request, files=1) as form:
        text = await said_in(form)
        try:
            new, entries = await services.take_in(taken_over, text, services.tables.now())
            person, is_new = await person_or_guest(request, form)  # a log that cannot be read creates no guest
        except (BadLog, BadOption, BadPosition, BadName) as error:
            person_now = await services.person(request)
            return render(request, "import.html", person_now, 422, wrong=str(error), log=text[:20_000])
    live = await services.tables.make(msgspec.structs.replace(new, maker=person.id), entries)
    where = "/replay" if entries[-1].kind == END or (live.state and live.state.stage == OVER) else ""
    response: Response = RedirectResponse(f"/tables/{live.id}{where}", 303)
    return with_cookie(response, services, person, request) if is_new else response


async def said_in(form: Any) -> str:
    """The text of a log, typed or from a file."""
    file = form.get("file")
    if file is not None and not isinstance(file, str) and file.filename:
        return str((await file.read()).decode("utf-8-sig", "replace")).replace("\r\n", "\n")
    return str(form.get("log", "")).replace("\r\n", "\n")


def taken_over(text: str, at: int) -> tuple[TableConfig, list[Entry]]:
    """The configuration and entries of a table made from a log.

    An unfinished game can be continued if the log has its seed; the seats are free.
    """
    table = replay(Log.parse(text))
    bots, terms = bots_of(table.game), Terms(rated=False)
    new = TableConfig(
        new_id(), table.game.name, table.game.rules.VERSION, table.seats, dict(table.options), terms, table.seed,
        table.seed_hash, table.start, False, "", at,
    )  # fmt: skip
    sits = [
        Entry(BOT, seat, name) if name in bots else Entry(SIT, seat, printable(name)[:40] or f"seat {seat + 1}")
        for seat, name in sorted(table.who.items())
        if table.is_over or name in bots
    ]
    moves = [Entry(MOVE, line.seat, line.name) for line in table.lines]
    for each in reversed(table.endings):
        moves.insert(each.lines, Entry(STOP) if each.seat is None else Entry(LOSE, each.seat, each.word))
    rest = [] if table.is_over or table.seed else [Entry(END, None, "This log has no seed: it can only be looked at.")]
    return new, [*sits, Entry(BEGIN), *moves, *rest]


# verification of dice


async def get_verify(request: Request) -> Response:
    """Whether all chance of a game was drawn from the seed that it committed to before its first move."""
    services, person, live = await visit(request, "think")
    async with live.reading() as state:
        seed_hash, is_over = live.config.seed_hash, state.stage == OVER
        log = None if state.table is None or not is_over else state.table.save
    checked, wrong = await services.take_in(_verified, log) if log else (0, "")
    return render(
        request, "verify.html", person, game=about(live.config.find_game()), table=live.id, seed_hash=seed_hash,
        seed=log.seed if log else None, is_over=is_over, checked=checked, wrong=wrong,
        drawn=[(n, name) for n, (seat, name) in enumerate(log.moves, 1) if seat == NATURE][:500] if log else [],
    )  # fmt: skip


def _verified(log: Any) -> tuple[int, str]:
    try:
        return verify(log), ""
    except (BadLog, Unfair) as error:
        return 0, str(error)


def _verified_text(text: str) -> int:
    return verify(Log.parse(text))


async def any_verify(request: Request) -> Response:
    """Verify the dice of a log that is sent."""
    services, person = await visitor(request)
    text, checked, wrong = "", 0, ""
    if request.method == "POST":
        services.limits.take("think", address(request))
        async with form_of(request, files=1) as form:
            text = await said_in(form)
        try:
            checked = await services.take_in(_verified_text, text)
        except (BadLog, BadOption, BadPosition) as error:
            wrong = str(error)
    return render(request, "check.html", person, log=text[:20_000], checked=checked, wrong=wrong)


# rulebooks and ladders


async def get_rules(request: Request) -> Response:
    _, person = await visitor(request)
    game = requested_game(request)
    book, contents = rulebook.page(game.name), rulebook.contents(game.name)
    return render(request, "rules.html", person, game=about(game), book=book, contents=contents)


async def get_ladder(request: Request) -> Response:
    services, person = await visitor(request)
    game = requested_game(request)
    rows = await services.store.read(lambda conn: queries.ladder(conn, game.name))
    now = services.tables.now()
    shown = [{**row, "when": days_ago(row["at"], now), "is_active": is_active(row["at"], now)} for row in rows]
    return render(request, "ladder.html", person, game=about(game), rows=shown)


routes = [
    Route("/tables/{table}/replay", get_replay),
    Route("/tables/{table}/scene", get_scene),
    Route("/tables/{table}/analysis", get_analysis),
    Route("/tables/{table}/log", get_log),
    Route("/tables/{table}/picture.svg", get_svg),
    Route("/tables/{table}/picture.png", get_png),
    Route("/tables/{table}/moments.gif", get_gif),
    Route("/tables/{table}/solution", post_solution, methods=["POST"]),
    Route("/tables/{table}/file", get_product),
    Route("/tables/{table}/use", get_use),
    Route("/tables/{table}/verify", get_verify),
    Route("/import", get_import),
    Route("/import", post_import, methods=["POST"]),
    Route("/verify", any_verify, methods=["GET", "POST"]),
    Route("/rules/{game}", get_rules),
    Route("/ladder/{game}", get_ladder),
]

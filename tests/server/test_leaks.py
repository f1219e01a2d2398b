"""No secret in any channel: what is hidden from a reader is dealt anew, and every byte it gets must be the same."""

import asyncio
import contextlib
import io
import itertools
import random
import re
import zipfile

import httpx
import msgspec
import pytest
from msgspec.structs import replace
from serving import GAMES, Clock, ToyBots, game_of, run

from backroom.engine.game import is_in
from backroom.engine.kernel import EVERYONE, NATURE, SPECTATOR, dice_from
from backroom.engine.table import Line, Step, hash_of
from backroom.scene.patch import Picture
from backroom.server.http.app import make
from backroom.server.people.accounts import Person
from backroom.server.services import Services, Settings
from backroom.server.storage.journal import BEGIN, MOVE, SIT, Entry
from backroom.server.storage.schema import people
from backroom.server.tables import messages, timeouts
from backroom.server.tables.audience import Audience
from backroom.server.tables.config import TableConfig, Terms
from backroom.server.tables.state import Change, TableState

SEED = "a-seed-that-nobody-knows"
LONGEST = 120
"""The number of lines of a game that are examined."""


def twins(game, seats, options, seed, reader):
    """Two games that look the same to the reader, and differ as much as possible in what it does not see.

    The second follows the first as long as it can. When something that the reader sees in the first is impossible in
    the second, both end there.
    """
    rng = random.Random(seed)
    a, b = game.start(seats, options), game.start(seats, options)
    lines = []
    while len(lines) < LONGEST:
        movers = [seat for seat in (*range(seats), NATURE) if game.moves(a, seat)]
        if not movers:
            break
        seat = rng.choice(movers)
        move = rng.choice(game.moves(a, seat))
        then = game.after(a, seat, move)
        other = twin_of(game, b, seat, move, game.view(then, reader), game.sees(a, reader, seat, move), reader, rng)
        if other is None:
            break
        names = [game.rules.name(s if seat == NATURE else game.view(s, seat), m) for s, m in ((a, move), (b, other))]
        lines.append((seat, *names))
        a, b = then, game.after(b, seat, other)
    return lines


def twin_of(game, b, seat, move, looks, is_seen, reader, rng):
    """A move of the second game that looks the same to the reader; a different one if possible."""
    open_moves = game.moves(b, seat)
    if is_seen:
        found = [move] if move in open_moves else []
    else:
        found = [m for m in open_moves if m != move and not game.sees(b, reader, seat, m)]
        rng.shuffle(found)
        found += [move] if move in open_moves and not game.sees(b, reader, seat, move) else []
    return next((m for m in found if game.key(game.view(game.after(b, seat, m), reader)) == game.key(looks)), None)


def longest_twins(game, seats, options, reader, tries=12):
    """Of several attempts, the pair with the most differences."""
    found = [twins(game, seats, options, seed, reader) for seed in range(tries)]
    return max(found, key=lambda lines: sum(a != b for _, a, b in lines))


CASES = [
    pytest.param(name, reader, id=f"{name}-{reader}")
    for name in GAMES
    for reader in range(-1, max(n for n in game_of(name).seats if n <= 3))
    if game_of(name).rules.SECRETS
]


def dealt(game, seats, options):
    return TableConfig(
        "atable", game.name, game.rules.VERSION, seats, options, Terms(clock="bank", bank=600), SEED, hash_of(SEED),
        None, True, "p0", 0,
    )  # fmt: skip


def journal(seats, lines, which):
    sits = [Entry(SIT, seat, f"P{seat}", f"p{seat}") for seat in range(seats)]
    moves = [Entry(MOVE, line[0], line[1 + which]) for line in lines]
    return [*sits, Entry(BEGIN), *moves]


def setting(name):
    game = game_of(name)
    seats = max(n for n in game.seats if n <= 3)
    return game, seats, game.settle(seats, {})[1]


@pytest.mark.parametrize(("name", "reader"), CASES)
def test_streams_tell_nothing(name, reader):
    """Line by line: the messages to pages and programs, and what a page would show at that time, countdowns too."""
    game, seats, options = setting(name)
    lines = longest_twins(game, seats, options, reader)
    assert any(a != b for _, a, b in lines), "nothing was hidden, so nothing is tested"
    told, hurried = [], False
    for which in (0, 1):
        state = TableState(dealt(game, seats, options))
        entries = [replace(e, number=n, at=n) for n, e in enumerate(journal(seats, lines, which), 1)]
        state.apply(entries[: seats + 1])
        audiences = [Audience(state, reader, for_programs) for for_programs in (False, True)]
        found = []
        for entry in entries[seats + 1 :]:
            before = list(state.counts)
            change = state.apply([entry])
            ends = timeouts.deadline(state)
            found.append(timeouts.next_due(state))  # when a table does something by itself is visible
            head = msgspec.Raw(messages.encode(messages.heading(state, set(), 0, 0, ends and ends.ends)))
            hurried = hurried or ends is not None
            for audience in audiences:
                size = len(audience.recent)
                audience.publish(state, change, head, before[reader])
                found += [message for _, _, message in list(audience.recent)[size:]]
                if before[reader] != state.counts[reader]:
                    found.append(audience.whole(state, head))
        found.append(messages.encode(messages.story(state, reader, 500)))
        told.append(found)
    assert told[0] == told[1]
    assert hurried or timeouts.COUNTDOWN not in options, "no countdown ran, so none was tested"


PATHS = (
    *("", "/scene", "/scene?at=1", "/scene?reader=-1", "/replay", "/replay?at=2", "/log", "/log?reader=-1"),
    *("/picture.svg", "/board.svg", "/picture.png?width=200", "/verify", "/words", "/hint", "/why?move="),
    *("/scene?reader=0", "/scene?reader=1", "/scene?eyes=0", "/scene?eyes=1"),
    *("/final?move=", "/moments.gif?width=100", "/file", "/use", "/analysis"),
)
"""The pages of a table; those that end with `=` are asked about each of several texts."""
OTHERS = ("/", "/lobby", "/next", "/me", "/me/logs", "/api/tables")
FOLLOWED = 6
"""The number of lines that are written while streams are open."""


@contextlib.asynccontextmanager
async def house_with(db, config, entries):
    """A server with this table, where everybody is known by the same cookies."""
    server = Services(Settings(str(db), bots=ToyBots(), bot_pace=1e6, warm=False, now=Clock(), limits=1000))
    app = make(server)
    async with server.open():
        server.people.signer = server.people.signer.__class__("the same secret everywhere", salt="who")
        rows = [{"id": f"p{n}", "name": f"P{n}", "made": 0} for n in range(config.seats + 1)]
        await server.store.write(lambda conn: conn.execute(people.insert(), rows))
        await server.tables.make(config, entries)
        yield app, server


@contextlib.asynccontextmanager
async def streamed(app, path, cookie):
    """All bytes of a stream, as they come."""
    found, is_over = [], asyncio.Event()
    headers = [(b"host", b"x"), (b"cookie", b"backroom=" + cookie.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}

    async def receive():
        await is_over.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        found.append(message.get("body", b""))

    task = asyncio.create_task(app({**scope, "http_version": "1.1", "client": ("127.0.0.1", 1)}, receive, send))
    try:
        while not b"".join(found):
            assert not task.done(), task.result()
            await asyncio.sleep(0.001)
        yield found
    finally:
        is_over.set()
        await task


async def settle():
    """Let everything happen that is due now."""
    for _ in range(20):
        await asyncio.sleep(0)


async def followed(app, server, config, entries, cookie):
    """What the streams of a table say, for people and for programs, while these entries are written.

    Who has come is left out: it is told after a while, wherever the streams are then.
    """
    live = await server.tables.get(config.id)
    path = f"/tables/{config.id}/events"
    async with streamed(app, path, cookie) as page, streamed(app, f"/api{path}", cookie) as program:
        await settle()
        for entry in entries:
            await live.write(lambda state, entry=entry: [entry])
            await settle()
        events = [b"".join(each).split(b"\n\n") for each in (page, program)]
    return [[event for event in each if not event.startswith(b"event: here")] for each in events]


def as_told(answer):
    """What a response says; of a zip file its contents, for it has the time of day."""
    content = answer.content
    if answer.headers.get("content-type") == "application/zip":
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            content = {name: file.read(name) for name in file.namelist()}
    return answer.status_code, answer.headers.get("location"), content


async def everything(db, config, entries, reader, texts):
    """Every byte that a reader can get from the server."""
    found, last = {}, entries[config.seats + 1 :][-FOLLOWED:]
    async with house_with(db, config, entries[: len(entries) - len(last)]) as (app, server):
        person = Person(f"p{reader}" if reader != SPECTATOR else f"p{config.seats}", "")
        cookies = {"backroom": server.people.cookie(person)}
        found["streams"] = await followed(app, server, config, last, cookies["backroom"])
        async with streamed(app, "/lobby/events", cookies["backroom"]) as lists:
            found["lists"] = lists[1]
        if config.start or timeouts.COUNTDOWN in config.options:
            live = await server.tables.get(config.id)
            assert timeouts.deadline(live.state) is not None, "no countdown runs, so none is tested"
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://x", cookies=cookies) as web:
            for path in PATHS:
                for text in texts if path.endswith("=") else [""]:
                    answer = await web.get(f"/tables/{config.id}{path}{text}", headers={"accept": "text/html"})
                    found[path + text] = as_told(answer)
            for path in (*OTHERS, f"/api/tables/{config.id}/decision"):
                found[path] = as_told(await web.get(path))
            for text in texts:  # refusals tell nothing either
                for ask in (None, 0):
                    answer = await web.post(f"/tables/{config.id}/moves", json={"name": text, "ask": ask})
                    found[f"move {text} {ask}"] = (answer.status_code, answer.content)
            for action in ("undo", "agree", "end", "resign"):
                found[action] = (await web.post(f"/tables/{config.id}/{action}", json={})).content
    return found


@pytest.fixture
def quick(monkeypatch):
    """Short animations, for pictures take long."""
    monkeypatch.setattr("backroom.server.http.replay.FRAMES", 2)


@pytest.mark.parametrize(("name", "reader"), CASES)
def test_pages_tell_nothing(name, reader, tmp_path, quick):
    """Every page, picture, log, hint, refusal, stream and answer of the API, in the middle of a game."""
    game, seats, options = setting(name)
    lines = longest_twins(game, seats, options, reader)
    config = dealt(game, seats, options)
    open_now = legal(game, seats, options, lines, reader)
    texts = [*sorted({word for line in lines for word in line[1:]} - open_now)[:40], "nonsense", "?"]
    found = [
        run(everything(tmp_path / f"{which}.db", config, journal(seats, lines, which), reader, texts))
        for which in (0, 1)
    ]
    for path in found[0]:
        assert found[0][path] == found[1][path], path


@pytest.mark.parametrize(("name", "reader"), [c for c in CASES if hasattr(game_of(c.values[0]).rules, "timer")])
def test_pages_tell_nothing_in_a_countdown(name, reader, tmp_path, quick):
    """The same where a game limits the time of a choice, in a position and in another that the reader could imagine."""
    game, seats, options = setting(name)
    for seed in range(GAMES_WITH_COUNTDOWNS):
        s = game.start(seats, options)
        for _ in game.stroll(s, seats, dice_from(5 + seed)):
            if deadline_in(s, game, seats, options) is not None:
                other = game.imagined(game.view(s, reader), reader, dice_from(seed))
                starts = [game.rules.position(each) for each in (s, other)]
                if starts[0] != starts[1]:
                    break
        else:
            continue
        break
    else:
        raise AssertionError("no countdown ran, so none was tested")
    found = []
    for which, start in enumerate(starts):
        config = replace(dealt(game, seats, options), start=start)
        entries = journal(seats, [], which)
        found.append(run(everything(tmp_path / f"{which}.db", config, entries, reader, ["nonsense"])))
    for path in found[0]:
        assert found[0][path] == found[1][path], path


def legal(game, seats, options, lines, reader):
    """The moves that the reader has at the end: these would be made, not refused."""
    state = TableState(dealt(game, seats, options))
    state.apply(replace(e, number=n, at=n) for n, e in enumerate(journal(seats, lines, 0), 1))
    return set() if reader == SPECTATOR else set(state.table.moves(reader))


@pytest.mark.parametrize(("name", "reader"), [case for case in CASES if case.values[1] != SPECTATOR])
def test_what_is_imagined_looks_the_same(name, reader):
    """The same for positions deep in a game: the whole state is replaced by one that the reader could imagine.

    Many of them are in a countdown, if the game has any: what a player sees may limit the time to answer.
    """
    game, seats, options = setting(name)
    hurried = 0
    for seed in range(GAMES_WITH_COUNTDOWNS if has_countdowns(game, options) else 1):
        s = game.start(seats, options)
        for number, (_seat, _move) in enumerate(game.stroll(s, seats, dice_from(5 + seed))):
            is_hurried = deadline_in(s, game, seats, options) is not None
            if is_hurried or (seed == 0 and number % 7 == 0 and game.asked(s) != (NATURE,)):
                other = game.imagined(game.view(s, reader), reader, dice_from(number))
                assert told_in(s, game, seats, options, reader) == told_in(other, game, seats, options, reader)
                hurried += is_hurried
            if number > 150:
                break
    assert hurried or not has_countdowns(game, options), "no countdown ran, so none was tested"


GAMES_WITH_COUNTDOWNS = 6
"""The number of games that are examined where some choices are limited in time."""


def has_countdowns(game, options):
    """Whether the game limits the time of some choices, with these options."""
    return hasattr(game.rules, "timer") or options.get(timeouts.COUNTDOWN, "off") != "off"


def in_state(s, game, seats, options):
    """A table of people with this state of the game."""
    state = TableState(dealt(game, seats, options))
    state.apply(replace(e, number=n) for n, e in enumerate(journal(seats, [], 0), 1))
    state.table.state = game.copy(s)
    state._look_who_is_asked(0, None)
    return state


def deadline_in(s, game, seats, options):
    return timeouts.deadline(in_state(s, game, seats, options))


def told_in(s, game, seats, options, reader):
    """What a reader is told in a state of the game, and when the table would do something by itself."""
    state, seen = in_state(s, game, seats, options), game.view(s, reader)
    ends = timeouts.deadline(state)
    head = messages.encode(messages.heading(state, set(), 0, 0, ends and ends.ends))
    turn = messages.encode(messages.turn(state, reader, seen))
    return head, turn, game.rules.draw(seen, reader).svg(), timeouts.next_due(state)


GOES_A_WAY = [name for name in GAMES if hasattr(game_of(name).rules, "between") and game_of(name).rules.SECRETS]
WAYS = 12
"""The number of moves with intermediate pictures that are examined."""


@pytest.mark.parametrize("name", GOES_A_WAY)
def test_ways_tell_nothing(name):
    """The intermediate pictures of a move are the same in every state that the reader could imagine."""
    game, looked = game_of(name), 0
    for seed, (seats, options) in enumerate(itertools.cycle(game.settings())):
        s, reader = game.start(seats, options), seed % seats
        for seat, move in game.stroll(s, seats, dice_from(seed)):
            v = game.view(s, reader)
            other = game.imagined(v, reader, dice_from(seed))
            if move not in game.moves(other, seat):
                continue
            if not game.between(v, seat, move, game.view(game.after(s, seat, move), reader)):
                continue  # most moves have none, and pictures are slow
            line = Line(seat, move, game.rules.name(s, move), EVERYONE, EVERYONE)
            told = [beats(game, seats, options, reader, Step(line, w, game.after(w, seat, move))) for w in (s, other)]
            if len(told[0][0]) > 1 and told[0][1] == told[1][1]:
                assert told[0] == told[1]
                looked += 1
        if looked >= WAYS:
            return


def beats(game, seats, options, reader, step):
    """The beats of a step as the reader gets them, and what it knows afterwards."""
    state, v = TableState(dealt(game, seats, options)), game.view(step.before, reader)
    picture = Picture(game.rules.draw(v, reader))
    found, then = messages.beats_for_people(state, reader, picture, Change([step]), v)
    return [messages.encode(beat) for beat in found], game.key(then)


def test_the_test_bites(tmp_path):
    """A game that shows what it should hide is caught."""
    game, seats, options = setting("pennies")
    lines = longest_twins(game, seats, options, 0)
    state = [TableState(dealt(game, seats, options)) for _ in (0, 1)]
    for which in (0, 1):
        entries = enumerate(journal(seats, lines, which), 1)
        state[which].apply(replace(e, number=n, at=n) for n, e in entries)
    assert messages.fields(state[0].shown) != messages.fields(state[1].shown)
    assert not re.search(SEED, str(state[0].table.log_seen_by(0)))
    assert any(not is_in(line.seen, 0) for line in state[0].table.lines)

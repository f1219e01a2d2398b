"""A table on the whole screen, driven by Textual's pilot: by keys, by mouse, at three sizes."""

import asyncio
import sys
import time
from collections import defaultdict, deque
from concurrent.futures import ThreadPoolExecutor

import pytest
import toy
from terminals import GAME, GAMES, SHORT, in_a_terminal
from textual import events

import backroom
from backroom.__main__ import kind_of_session
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE
from backroom.engine.lessons import lessons
from backroom.engine.log import Log
from backroom.engine.options import BadOption
from backroom.engine.table import Table
from backroom.terminal.full_screen.lessons import Lessons
from backroom.terminal.full_screen.session import FullScreen
from backroom.terminal.full_screen.sheets import Curtain, TextScreen
from backroom.terminal.full_screen.watching import watching
from backroom.terminal.play import seat_bots

SIZES = [(80, 24), (100, 30), (140, 40)]


def sitting(tmp_path, table, *bots):
    bots = [backroom.bots.bot(name, table.game) for name in bots]
    return FullScreen(table, seat_bots(table, bots, 0), tmp_path / "game.log", pause=0)


def on_screen(session, size, act):
    """Run the app while `act(pilot)` uses the screen; afterwards the app is left if it still runs."""

    async def sit():
        async with session.app.run_test(size=size) as pilot:
            await until(lambda: session.app.questions)
            await act(pilot)
            if session.app.is_running:
                session.app.action_leave(0)
                await until(lambda: session.app.return_value is not None)

    with ThreadPoolExecutor(1) as pool:  # of its own: a browser's tests leave a loop running in this one
        pool.submit(asyncio.run, sit()).result()


async def until(is_so, seconds=60):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it takes too long"
        await asyncio.sleep(0.002)


def press(app, *keys):
    """Press keys as the pilot does, without waiting after each until the whole process is idle."""
    for key in keys:
        app.post_message(events.Key(key, " " if key == "space" else key if len(key) == 1 else None))


async def answer(app, *keys):
    """Press keys, Enter the last of them; wait until there is a new question, or everything is over."""
    before = app.questions
    press(app, *keys, "enter")
    await until(lambda: app.questions > before or app.return_value is not None)


async def answer_with(app, key):
    """Press one key; wait until there is a new question."""
    before = app.questions
    press(app, key)
    await until(lambda: app.questions > before)


async def put_away(pilot, game=None):
    """Read and dismiss the sheet over the table, after the curtain before the first person's secrets.

    There is none in a game with neither signs nor situations to explain.
    """
    if isinstance(pilot.app.screen, Curtain):
        await answer(pilot.app)
    if game and not {"LEGEND", "SITUATIONS"} & set(vars(game.rules)):
        await pilot.pause()
        return
    await until(lambda: isinstance(pilot.app.screen, TextScreen))
    await pilot.press("enter")
    assert not isinstance(pilot.app.screen, TextScreen)


async def seen(pilot):
    """Everything on the screen."""
    await pilot.pause()
    return "\n".join(strip.text for strip in pilot.app.screen._compositor.render_strips())


def golden(name, most):
    """The shortest of a game's golden logs that plays it from the beginning, in at most this many moves."""
    logs = (Log.parse(path.read_text()) for path in (backroom.game(name).folder / "tests" / "golden").glob("*.log"))
    whole = [log for log in logs if log.start is None and len(log.moves) <= most]
    return min(whole, key=lambda log: len(log.moves))


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_by_keys_alone(tmp_path, name):
    """Choose the moves of a golden log by their signs, for one or two people, or the first move if one is not open."""
    log = golden(name, 1000)
    table = Table(backroom.game(name), seats=log.seats, seed=log.seed, options=log.options)
    session = sitting(tmp_path, table, *(["random"] if log.seats > 2 else []))
    to_come = defaultdict(deque)
    for seat, move in log.moves:
        if seat != NATURE:
            to_come[seat].append(move)

    async def play(pilot):
        app = pilot.app
        await put_away(pilot, session.table.game)
        while not table.is_over:
            if isinstance(app.screen, Curtain):
                await answer(app)
                continue
            due, menu = to_come[session.looking], app.frame.menu
            signs = dict(zip(menu.names, menu.signs, strict=True))
            await answer(app, *(signs[due.popleft()] if due and due[0] in signs else ["down"]))
        while isinstance(app.screen, Curtain):
            await answer(app)
        await until(lambda: isinstance(app.screen, TextScreen))
        assert "The game is over." in await seen(pilot)
        await pilot.press("enter")
        await pilot.press("enter")
        await until(lambda: app.return_value == 0)

    on_screen(session, (80, 24), play)
    assert backroom.replay(session.path).is_over
    assert "Look at it again with" in session.conversation.unsaid


@pytest.mark.parametrize("name", GAMES)
def test_nothing_that_is_needed_is_cut(tmp_path, name):
    """The largest table, some moves on: at every size the whole board can be scrolled to, and every move read."""
    game = backroom.game(name)
    log = golden(name, 1000)
    table = Table(game, seats=max(game.seats), seed="1")
    for _ in range(min(30, len(log.moves) // 2)):
        table.play(table.asked[0], table.moves(table.asked[0])[-1 if _ % 3 else 0])
    session = sitting(tmp_path, table)

    async def look(pilot):
        app = pilot.app
        await put_away(pilot, session.table.game)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            screen = " ".join((await seen(pilot)).split())
            for word in app.frame.question.split():
                assert word in screen
            assert "Quit" in screen
            assert app.line.region.bottom == size[1] - 1
            lines = ["".join(cell.char for cell in line).rstrip() for line in app.board.cells]
            assert max(map(len, lines)) <= app.board.scrollable_content_region.width
            assert len(lines) <= app.board.size.height + app.board.max_scroll_y
            assert app.moves.rows[-1][-1] < app.moves.size.height + app.moves.max_scroll_y
            assert app.moves.columns * (app.moves.wide + 2) - 2 <= app.moves.scrollable_content_region.width
            for steps in (1, 2, 9):
                await pilot.press(*["right"] * steps)
                rows = app.moves.rows[app.moves.at // app.moves.columns]
                assert app.moves.scroll_y <= rows[0] <= rows[-1] < app.moves.scroll_y + app.moves.size.height
                screen = await seen(pilot)
                assert all(word in screen for word in app.frame.menu.labels[app.moves.place].split())

    on_screen(session, SIZES[0], look)


@pytest.mark.parametrize("name", GAMES)
def test_moves_by_mouse(tmp_path, name):
    """A click on a move of the list plays it; so do clicks on the board, if everything it needs is drawn."""
    session = sitting(tmp_path, backroom.game(name).table(seed="1"))
    table = session.table

    async def click(pilot):
        app = pilot.app
        await put_away(pilot, session.table.game)
        before, questions = len(table.lines), app.questions
        await pilot.click("#moves", offset=(5, 0))
        await until(lambda: app.questions > questions)
        while isinstance(app.screen, Curtain):
            await answer(app)
        assert len(table.lines) > before
        await pilot.pause()
        drawn = {piece for line in app.board.cells for cell in line for piece in cell.pieces}
        ways = [way for way in app.frame.ways if way and set(way) <= drawn and app.frame.ways.count(way) == 1]
        if not ways:
            return
        before, questions = len(table.lines), app.questions
        for piece in ways[0]:
            await pilot.pause()
            row, line = next(
                (row, line) for row, line in enumerate(app.board.cells) if any(piece in cell.pieces for cell in line)
            )
            app.board.scroll_to(y=max(row - 3, 0), animate=False)
            await pilot.pause()
            column = next(column for column, cell in enumerate(line) if piece in cell.pieces)
            await pilot.click("#board", offset=(column, row - int(app.board.scroll_y)))
        await until(lambda: app.questions > questions)
        assert len(table.lines) > before

    on_screen(session, (140, 40), click)


def test_the_layout_is_that_of_the_size_of_the_screen(tmp_path):
    """After each resize, also from a window in which nothing fits: not the layout of the size before."""
    session = sitting(tmp_path, backroom.game(GAME).table(seed="1"), "random")

    async def look(pilot):
        app = pilot.app
        await put_away(pilot)
        for size in [(20, 5), (200, 60), (40, 12), (80, 24)]:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert app.query_one("#table").has_class("stacked") == (size[0] < 80)
            if size[0] >= 80:
                assert app.board.size.height == size[1] - 1
                assert app.moves.size.width == size[0] - app.board.size.width

    on_screen(session, SIZES[0], look)


def test_commands_keys_and_leaving(tmp_path, monkeypatch):
    game = backroom.game(GAME)
    session = sitting(tmp_path, game.table(seed="1"), "random")
    table = session.table
    monkeypatch.setattr(type(session), "do_hint", lambda *_: print_hint())

    def print_hint():
        from backroom.terminal.show import console

        console.print("61%  that one")

    async def use(pilot):
        app = pilot.app
        await put_away(pilot)
        lines = len(table.lines)
        await answer(app)  # nothing is highlighted, so nothing is played
        assert len(table.lines) == lines
        assert "Type a move, like" in await seen(pilot)
        before = app.questions
        press(app, "f2")
        await until(lambda: app.questions > before)
        assert "that one" in await seen(pilot)
        await answer(app, *table.moves(0)[0])
        assert any(at.seat == 0 for at in table.lines)
        await answer(app, *"undo")
        assert not any(at.seat == 0 for at in table.lines)
        assert "is taken back" in await seen(pilot)
        await answer(app, *"nonsense")
        assert "cannot play" in await seen(pilot)
        for key in ("f1", "f4", "f5", "f6"):
            before = app.questions
            await pilot.press(key)
            await until(lambda: app.questions > before or isinstance(app.screen, TextScreen))  # noqa: B023
            await pilot.pause()
            if isinstance(app.screen, TextScreen):
                await pilot.press("enter")
            else:
                assert key == "f5"  # there is little of a story yet, and it is told in a notice
        await answer(app, *"rules", "space", *"1")
        await put_away(pilot)
        await pilot.press(*"zz", "escape")
        assert app.line.value == ""
        await pilot.press("ctrl+c")
        await until(lambda: app.return_value == 130)

    on_screen(session, (80, 24), use)
    assert "--resume" in session.conversation.unsaid
    assert not backroom.replay(session.path).is_over


def test_a_curtain_between_people_with_secrets(tmp_path):
    """The toy: the next person at the screen sees nothing of the other's hand, before the curtain or after."""
    table = Table(Game(toy.module()), seed=1)
    session = sitting(tmp_path, table)

    async def use(pilot):
        app = pilot.app
        assert isinstance(app.screen, Curtain)  # everybody may be looking when the game begins
        curtain = await seen(pilot)
        assert "Hand over to Ann" in curtain
        assert app.frame is None
        await answer(app)
        mine = await seen(pilot)
        await answer(app, "down")
        assert isinstance(app.screen, Curtain)
        curtain = await seen(pilot)
        assert "Hand over to Ben" in curtain
        assert app.frame is None
        await answer(app)
        theirs = await seen(pilot)
        assert mine != theirs
        assert "bid" not in theirs.split("Waiting")[0] or "Ann" not in theirs
        await answer(app, *"undo")
        assert "has made no move to take back" in await seen(pilot)

    on_screen(session, (80, 24), use)


def test_what_is_missing_is_said(monkeypatch, tmp_path):
    with pytest.raises(BadOption, match="--full-screen needs a terminal"):
        kind_of_session(True)
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setitem(sys.modules, "textual", None)
    for name in [name for name in sys.modules if name.startswith(("textual.", "backroom.terminal.full_screen"))]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(BadOption, match=r"pip install 'backroom\[tui\]'"):
        kind_of_session(True)


def test_on_a_real_terminal(tmp_path):
    child = in_a_terminal(tmp_path, "play", GAME, "--full-screen", "--hot-seat", "--seed", 1)
    child.expect("Back to the table")
    child.send("\r")
    child.expect("Undo")
    child.send("\x11")
    child.expect(r"Go on with: .* play --resume \S+")
    child.wait()
    assert child.exitstatus == 0


def test_a_story_too_long_for_its_room_says_where_to_read_it(tmp_path):
    table = Table(backroom.game(GAME), seed=1)
    session = sitting(tmp_path, table)

    async def look(pilot):
        app = pilot.app
        await put_away(pilot)
        for news, is_told in ((["A man moves."], False), (["A man moves."] * 40, True)):
            app.tell([], news)
            app.ask("White> ", "", False)
            await pilot.pause()
            assert ("F5: all news" in await seen(pilot)) == is_told

    on_screen(session, (80, 24), look)


# watching and learning


def test_bots_are_watched_to_the_end(tmp_path):
    game = backroom.game(SHORT)
    path = tmp_path / "watched.log"
    session = watching(Table(game, seed=1), [backroom.bots.bot("random", game)], 0, path)

    async def look_on(pilot):
        app = pilot.app
        await put_away(pilot)
        before = app.questions
        press(app, "enter")
        await until(lambda: app.questions > before)
        await until(lambda: isinstance(app.screen, TextScreen))
        assert "The game is over." in await seen(pilot)
        await pilot.press("enter")
        await pilot.press("enter")
        await until(lambda: app.return_value == 0)

    on_screen(session, (80, 24), look_on)
    assert backroom.replay(path).is_over
    assert f"The log is in {path}" in session.conversation.unsaid


def test_whoever_looks_on_goes_on_at_once_reads_and_leaves(tmp_path):
    game = backroom.game(GAME)
    session = watching(Table(game, seed=1), [backroom.bots.bot("random", game)], 60, None)

    async def look_on(pilot):
        app, table = pilot.app, session.table
        await put_away(pilot)
        press(app, "enter")
        await until(lambda: "Go on at once" in app.line.placeholder)
        before = len(table.lines)
        press(app, "enter")
        await until(lambda: len(table.lines) > before and app.is_asked)
        for key, words in (("f2", "You look on."), ("f4", "§1")):
            await answer_with(app, key)
            assert words in await seen(pilot)
            if isinstance(app.screen, TextScreen):
                await put_away(pilot)
            await answer_with(app, "enter")
        assert not table.is_over

    on_screen(session, (80, 24), look_on)
    assert not list(tmp_path.iterdir())


def test_lessons_on_the_whole_screen():
    game = backroom.game(SHORT)
    conversation = Lessons(game, lessons(game))

    async def learn(pilot):
        app = pilot.app
        for lesson in lessons(game):
            for number, step in enumerate(lesson.steps):
                assert app.frame.question == f"{number + 1}. {step.say}"
                assert app.frame.marked == list(step.point)
                signs = dict(zip(app.frame.menu.names, app.frame.menu.signs, strict=True))
                await answer(app, *(signs[step.right[0]] if step.right else ""))
        await until(lambda: app.return_value == 0)

    on_screen(conversation, (80, 24), learn)
    assert "Now play: " in conversation.unsaid


def test_a_wrong_answer_in_a_lesson_is_told_and_the_step_stays():
    game = backroom.game(GAME)
    conversation = Lessons(game, lessons(game)[:1])
    steps = lessons(game)[0].steps
    number = next(n for n, step in enumerate(steps) if step.right)

    async def learn(pilot):
        app = pilot.app
        for _ in range(number):
            await answer(app)
        await answer(app)
        assert "Type a move by its name" in await seen(pilot)
        await answer(app, *"nonsense")
        assert "cannot play 'nonsense'" in " ".join((await seen(pilot)).split())
        assert app.frame.question.startswith(f"{number + 1}. ")

    on_screen(conversation, (140, 40), learn)

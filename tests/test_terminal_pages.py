"""The pages of play line by line: story, board, question and moves fit on 80 columns and 24 lines."""

import random
from pathlib import Path

import pexpect
import pytest
from rich.text import Text
from terminals import GAME, GAMES, in_a_terminal

import backroom
from backroom.terminal.answers import menu_of
from backroom.terminal.menu import Menu, told_apart
from backroom.terminal.pages import Prompt, as_lines, broken, filled
from backroom.terminal.play import Session
from backroom.terminal.show import console, legend, result

WIDTH, HEIGHT = 80, 24


@pytest.fixture(autouse=True)
def small_screen(monkeypatch):
    monkeypatch.setattr(console, "_width", WIDTH)
    monkeypatch.setattr(console, "_height", HEIGHT)
    monkeypatch.setattr(console, "_force_terminal", True)


def said(lines):
    return "\n".join(line.plain.rstrip() for line in lines)


def moments(name, seats, most=60):
    """Questions of a random game: the table, and the seat that is asked."""
    table, rng = backroom.game(name).table(seed="1", seats=seats), random.Random(2)
    while not table.is_over and len(table.lines) < most:
        seat = rng.choice(table.asked)
        if len(table.lines) % 4 == 0 or len(table.lines) > most - 3:
            yield table, seat
        table.play(seat, rng.choice(table.moves(seat)))


def prompt_of(table, seat, story=()):
    scene = table.game.rules.draw(table.view(seat), seat)
    return Prompt(scene, Text(table.question(seat)), menu_of(table, seat), story)


@pytest.mark.parametrize("name", GAMES)
def test_the_board_the_question_and_the_moves_stand_on_one_screen(name):
    """For all numbers of seats: nothing is wider or higher than the screen, and a line is left to type in."""
    game = backroom.game(name)
    story = [Text(f"Somebody does something that takes a line to tell, for the {n}th time.") for n in range(30)]
    for seats in {min(game.seats), max(game.seats)}:
        for table, seat in moments(name, seats):
            alone, told = (prompt_of(table, seat, each).pages(WIDTH, HEIGHT) for each in ((), story))
            for page in (*alone, *told):
                assert len(page) < HEIGHT
                assert all(len(line.plain.rstrip()) <= WIDTH for line in page)
            whole = said(line for page in told for line in page)
            assert all(line.plain in whole for line in story)
            assert said(as_lines([Text(table.question(seat))])) in said(told[-1])
            board = said(prompt_of(table, seat).parts(WIDTH, HEIGHT - 5)[1])
            assert all(line in said(told[-1]) for line in board.splitlines())
            assert menu_of(table, seat).signs[0] in said(told[-1])


def test_where_everything_fits_the_story_stands_above_the_board():
    table = backroom.game(GAME).table(seed="1")
    (page,) = prompt_of(table, table.asked[0], ["A story."]).pages(WIDTH, 60)
    assert said(page).startswith("A story.\n\n")


def test_a_story_that_does_not_fit_above_the_board_stands_beside_it():
    table = backroom.game(GAME).table(seed="1")
    (page,) = prompt_of(table, table.asked[0], ["Black rolls 6-4, moves from 1 to 7, moves from 7 to 11."]).pages(
        80, 24
    )
    assert "   Black rolls 6-4, moves\n" in said(page)
    assert said(page).split("\n")[0].startswith(said(prompt_of(table, table.asked[0]).parts(80, 21)[1][:1]))


def test_a_screen_that_is_too_narrow_is_told():
    table = backroom.game(GAME).table(seed="1")
    *_, last = prompt_of(table, table.asked[0]).pages(40, HEIGHT)
    assert "This screen has 40 columns; the board needs 51." in said(last)


@pytest.mark.parametrize("name", GAMES)
def test_the_end_of_a_game_stands_on_one_screen(name):
    game = backroom.game(name)
    for log in (game.folder / "tests" / "golden").glob("*.log"):
        table = backroom.replay(log.read_text())
        if table.is_over:
            scene = game.rules.draw(table.view(0), 0)
            *before, last = Prompt(scene, Text("\n").join(result(table))).pages(WIDTH, HEIGHT)
            assert said(as_lines(result(table))).strip() in said(last)
            assert all(len(page) < HEIGHT for page in (*before, last))


@pytest.mark.parametrize("name", GAMES)
def test_what_the_signs_mean_stands_on_one_screen(name):
    lines = as_lines([legend(backroom.game(name))])
    assert len(lines) < HEIGHT - 5
    assert all(sign in said(lines) for sign, _ in backroom.game(name).rules.LEGEND)


def test_moves_are_told_apart_by_the_words_that_differ():
    assert told_apart(["Let Bo go on", "Let Cy go on"]) == ("Let … go on", ["Bo", "Cy"])
    assert told_apart(["Go", "Go on", "Go on"]) == ("…", ["Go", "Go on", "Go on"])
    assert told_apart(["Stay", "Stay"]) == ("…", ["Stay", "Stay"])


def test_a_list_gets_shorter_with_the_room_that_it_has():
    people = [f"player{n}" for n in range(1, 13)]
    menu = Menu([f"event {who}" for who in people], [f"Let {who} take all deliveries" for who in people])
    for room, expected in ((12, "Let player12 take all deliveries  event player12"), (5, "Let … take all deliveries")):
        shown = said(as_lines(menu.parts(room)))
        assert len(shown.splitlines()) <= room
        assert expected in shown
        assert "m player12" in shown or room > 5
    shown = " ".join(said(as_lines(menu.parts(2))).split())
    assert shown == "Let … take all deliveries event player1 (a) to event player12 (m); for all 12 type: moves let"
    assert said(as_lines(menu.parts(0))) == "12 moves are open. Press Enter to see them all."


def test_the_first_page_of_a_story_is_filled_first():
    """A title alone on a page would look like the end of the text."""
    title, rest, board = [[Text(f"{word} {n}") for n in range(lines)] for word, lines in (("a", 1), ("b", 8), ("c", 8))]
    assert filled([title, rest, board], 12) == [[*title, *rest], board]
    assert broken([title, rest], [[], board, [Text("?")]], 12) == [[*title, *rest], [*board, Text("?")]]
    assert broken([title, rest, rest], [[], board], 12) == [[*title, *rest], rest, board]


def test_short_names_are_all_listed_after_their_verb_where_no_heading_fits():
    steps = [f"{point}/{point + 3}" for point in range(5, 17)]
    menu = Menu([*steps, "stay"], [*(f"Move from {point} to {point + 3}" for point in range(5, 17)), "Stay"])
    shown = said(as_lines(menu.parts(2)))
    assert len(shown.splitlines()) == 2
    assert shown.startswith("Move:   a 5/8")
    assert all(step in shown for step in steps)
    assert shown.endswith("  n stay")


def test_what_is_too_long_for_a_line_goes_on_under_its_words():
    menu = Menu(["take", "pass"], ["Take the delivery with " + ", ".join(["champagne"] * 9), "Pass"])
    for room in (9, 2):
        shown = said(as_lines(menu.parts(room))).splitlines()
        assert shown[1].startswith("    champagne")


def sitting(table, typed, monkeypatch):
    """A session that reads these lines."""
    session, prompts = Session(table, {}, Path("unused.log")), []
    monkeypatch.setattr(session, "save", lambda: None)

    def read(prompt):
        prompts.append(prompt)
        return typed.pop(0)

    monkeypatch.setattr(session, "read", read)
    return session, prompts


def test_what_others_did_is_read_before_it_is_pushed_off(monkeypatch, capsys):
    """A person who types a move there is not kept waiting."""
    table = backroom.game(GAME).table(seed="1")
    (seat,) = table.asked
    for typed, asked in ((["", "a"], 2), (["a"], 1)):
        session, prompts = sitting(table.copy(), list(typed), monkeypatch)
        session.news, session.is_own_news = [f"Line {n}." for n in range(20)], False
        session.ask(seat)
        assert len(prompts) == asked
        assert len(session.table.lines) > len(table.lines)
        assert capsys.readouterr().out.count("Line 19.") == 1


def test_what_one_did_oneself_is_not_waited_for(monkeypatch):
    table = backroom.game(GAME).table(seed="1")
    (seat,) = table.asked
    session, prompts = sitting(table, ["a"], monkeypatch)
    session.news, session.told = [f"Line {n}." for n in range(20)], dict.fromkeys((0, 1), len(table.lines))
    session.ask(seat)
    assert len(prompts) == 1


def test_enter_lists_the_moves_and_long_texts_come_screen_by_screen(monkeypatch, capsys):
    table = backroom.game(GAME).table(seed="1")
    (seat,) = table.asked
    session, prompts = sitting(table, ["", "rules", "", "q", "rules", "a"], monkeypatch)
    session.ask(seat)
    assert prompts.count("Enter: more, q: enough > ") == 3
    told = capsys.readouterr().out
    assert "Type a move, like" in told
    assert told.count("§1 ") >= 2


def test_a_real_screen_of_that_size(tmp_path):
    """The largest table of all games, all bots but one: its first question is on the screen with its board."""
    name = max(GAMES, key=lambda each: max(backroom.game(each).seats))
    seats = max(backroom.game(name).seats)
    child = in_a_terminal(tmp_path, "play", name, "--seats", seats, "--bot", "random", "--seed", 1, size=(24, 80))
    while child.expect([r"go on > ", r"\w> "]) == 0:
        assert child.before.count("\n") < HEIGHT
        child.sendline("")
    assert 10 < child.before.count("\n") <= HEIGHT
    child.sendline("quit")
    child.expect(pexpect.EOF)

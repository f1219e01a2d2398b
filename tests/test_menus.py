"""The terminal's input and lists: whole and partial names, the list of moves, boards that fit."""

import random
import re
from pathlib import Path

import pytest
from terminals import GAME, GAMES

import backroom
from backroom.bots import hints
from backroom.engine.protocol import IllegalMove
from backroom.scene.text import laid_out
from backroom.terminal import play, show, watch
from backroom.terminal.answers import menu_of, read
from backroom.terminal.files import shown
from backroom.terminal.menu import Menu, words_in
from backroom.terminal.play import Session


def midgames(name, moves=40):
    """A table with the fewest seats, and one with the most, after some random moves; and the seat that is asked."""
    game = backroom.game(name)
    for seats in {min(game.seats), max(game.seats)}:
        table, rng = game.table(seed="1", seats=seats), random.Random(1)
        for _ in range(moves):
            if not table.is_over:
                seat = rng.choice(table.asked)
                table.play(seat, rng.choice(table.moves(seat)))
        yield table, (table.asked or (0,))[0]


@pytest.mark.parametrize("name", GAMES)
def test_no_sign_of_a_list_may_be_meant_as_a_word_of_the_game(name):
    for moves in (0, 5, 40):
        for table, seat in midgames(name, moves):
            menu = menu_of(table, seat)
            spoken = {word for text in (*menu.names, *menu.labels) for word in words_in(text)}
            assert not {sign for sign in menu.signs if sign.isdecimal()} & spoken
            assert len({*menu.signs, "h", "q"}) == len(menu.names) + 2
            assert [menu.chosen(sign) for sign in menu.signs] == menu.names


@pytest.mark.parametrize("name", GAMES)
def test_what_people_call_a_move_is_that_move(name):
    """Even if a part of the label would fit others, or it has a comma."""
    for table, seat in midgames(name):
        session, menu = Session(table, {}, Path("unused.log")), menu_of(table, seat)
        for called, label in zip(menu.names, menu.labels, strict=True):
            if menu.labels.count(label) == 1:
                assert session.said(seat, label) == [label]
                (said,) = read(table, seat, label).moves
                assert table.game.rules.parse(table.view(seat), said) == table.game.rules.parse(
                    table.view(seat), called
                )


def test_of_moves_that_are_called_alike_it_has_to_be_said_which():
    assert Menu(["go 1", "go 2"], ["Go", "Go"]).chosen("go") is None


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("width", [80, 100, 140])
def test_every_board_fits_the_screen(name, width):
    for table, seat in midgames(name):
        lines = laid_out(table.game.rules.draw(table.view(seat), seat), width)
        assert max(sum(len(text) for text, _ in line) for line in lines) <= width
        said = "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
        whole = table.game.rules.draw(table.view(seat), seat).text()
        assert sorted("".join(said.split())) == sorted("".join(whole.split())), "a pane leaves something out"


@pytest.mark.parametrize("name", GAMES)
def test_where_pieces_go_on_no_board_is_shown_for_a_moment(name, monkeypatch):
    """The sentence says so, and the next board shows where they are."""
    for table, seat in midgames(name):
        monkeypatch.setattr(table, "way", lambda number, seat, table=table: [table.game.view(table.state_at(0), seat)])
        assert show.glimpse(table, len(table.lines), seat) == []


@pytest.mark.parametrize("name", GAMES)
def test_every_game_says_what_its_signs_mean(name, capsys):
    game = backroom.game(name)
    assert all(sign and words for sign, words in game.rules.LEGEND)
    show.console.print(show.legend(game))
    said = capsys.readouterr().out
    assert all(sign in said for sign, _ in game.rules.LEGEND)


def test_numbers_where_nothing_speaks_against_them():
    assert Menu(["go", "stay"], ["Go", "Stay"]).signs == ["1", "2"]
    assert Menu(["go 2", "stay"], ["Go two", "Stay"]).signs == ["a", "b"]
    assert Menu(["go 7", "stay"], ["Go seven", "Stay"]).signs == ["1", "2"]


def test_a_part_of_a_name_is_completed_or_asked_on():
    menu = Menu(["open+3", "shut+3", "rest"], ["Open door 3", "Shut door 3", "Take a rest"])
    assert menu.matching("3") == ["open+3", "shut+3"]
    assert menu.matching("shut 3") == menu.matching("shu") == ["shut+3"]
    assert menu.matching("a") == ["rest"]
    assert menu.matching("33") == menu.matching("[/x]") == menu.matching("re") == []
    table = backroom.game(GAME).table(seed="1")
    (seat,) = table.asked
    with pytest.raises(IllegalMove, match=r"cannot play 'nonsense'.*listed by: moves"):
        read(table, seat, "nonsense")
    with pytest.raises(IllegalMove, match="too long"):
        read(table, seat, "9" * 5000)


@pytest.mark.parametrize("typed", ["-1", "+1", "#1", "(1)", "1)", "1.", "1.0", "-a1y", "take -1"])
def test_what_is_no_number_of_the_list_is_no_part_of_a_move(typed):
    menu = Menu(
        ["take a1y", "take a3r", "1/5", "1|0"], ["Pick the yellow 1", "Pick the red 3", "From 1 to 5", "The 0-1"]
    )
    assert menu.matching(typed) == []
    assert menu.matching("yellow 1") == menu.matching("yellow") == ["take a1y"]
    assert menu.matching("1-5") == ["1/5"]
    assert Menu(["passenger+1", "conductor+2"], ["Take 1", "Take 2"]).matching("+1") == ["passenger+1"]


@pytest.mark.parametrize("name", GAMES)
def test_signs_at_a_number_are_refused_unless_the_game_writes_them(name):
    for table, seat in midgames(name):
        menu = menu_of(table, seat)
        if not menu.names:  # the game is over
            continue
        written = " ".join([*menu.names, *menu.labels])
        for typed in ("-1", "0.5", "1.5", "+1", "#1", "1.", "(1)"):
            if not re.search(rf"(?<!\d){re.escape(typed)}", written):
                with pytest.raises(IllegalMove, match="What is open is listed by: moves"):
                    read(table, seat, typed)


def test_a_list_that_does_not_fit_is_grouped_and_nothing_of_it_cut(capsys):
    names = [*(f"put a{n}" for n in range(1, 31)), "pass"]
    menu = Menu(names, [*(f"Put the token on space {n} of the first row" for n in range(1, 31)), "Pass"])
    menu.show(12)
    said = capsys.readouterr().out
    assert "Put the token on space … of the first row" in said
    assert all(f" {sign} {n} " in f"{said.replace(chr(10), ' ')} " for n, sign in enumerate(menu.signs[:-1], 1))
    assert " Pass" in said
    assert len(said.splitlines()) <= 12
    menu.show(12, "30")
    assert "Put the token on space 30 of the first row  put a30" in capsys.readouterr().out


def test_few_moves_are_said_in_words_in_as_many_lines_as_there_are(capsys):
    menu = Menu(["north", "east", "stay"], ["Build one to the north", "Build one to the east", "Stay where you are"])
    menu.show(1)
    (line,) = capsys.readouterr().out.splitlines()
    assert all(label in line for label in menu.labels)


def test_what_ends_ones_game_is_asked_once(monkeypatch, capsys):
    table = backroom.game(GAME).table(seed="1")
    (seat,) = table.asked
    session = Session(table, {}, Path("unused.log"))
    monkeypatch.setattr(session, "save", lambda: None)
    monkeypatch.setattr(play, "leaves_the_game", lambda game, v, seat, move: True)
    name = table.moves(seat)[0]
    before = len(table.lines)
    assert not session.obey(seat, name)
    assert "Sure? Say it again to play it" in " ".join(capsys.readouterr().out.split())
    assert len(table.lines) == before
    assert not session.obey(seat, table.moves(seat)[1])  # another one is asked about too
    assert not session.obey(seat, name)
    assert session.obey(seat, name)
    assert len(table.lines) > before


def test_a_hint_says_what_to_do_and_why(monkeypatch, capsys):
    table = backroom.game(GAME).table(seed="1")
    (seat,) = table.asked
    session = Session(table, {}, Path("unused.log"))
    monkeypatch.setattr(play, "judge_of", lambda game, effort: None)
    monkeypatch.setattr(hints, "ranked", lambda game, judge, v, seat, *_: [(game.moves(v, seat)[-1], 0.61)])
    assert not session.obey(seat, "hint")
    assert f"Only this is open: {table.labels(seat)[-1]}." in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", GAMES)
def test_watching_prints_when_something_happened_and_how_it_ended(name, monkeypatch, capsys):
    boards = []
    game = backroom.game(name)
    monkeypatch.setattr(watch, "show_scene", lambda *_: boards.append(capsys.readouterr().out))
    monkeypatch.setattr(watch, "show_way", lambda *_: None)
    seats = min(game.seats)
    table = backroom.Table(game, seats=seats, seed="1")
    assert watch.watch(table, [backroom.bots.bot("random", game)], 0, None) == 0
    assert all(said.strip() for said in boards[1:])
    assert capsys.readouterr().out.strip().startswith("The game is over. ")


def test_paths_are_told_from_here_or_from_the_root(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert shown(Path("below/x")) == Path("below/x")
    assert shown(tmp_path / "beside") == tmp_path / "beside"


def test_help_names_what_makes_files_and_who_plays_alone(run):
    said = run("--help")[1]
    games = [game for game in map(backroom.game, GAMES) if not hasattr(game.rules, "MAKES")]
    files = {option.name for game in games for option in game.options if option.is_file}
    assert files
    assert all(f" {name} " in said for name in files)
    for game in map(backroom.game, GAMES):
        alone = max(game.seats) == 1
        assert ("against bots" in " ".join(run("play", game.name, "--help")[1].split())) != alone


def test_ctrl_c_while_a_bot_thinks_says_where_the_game_is(monkeypatch, tmp_path, capsys):
    session = Session(backroom.game(GAME).table(seed="1"), {}, tmp_path / "game.log")

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "go_on", interrupted)
    assert session.run() == 130
    assert "play --resume" in capsys.readouterr().out

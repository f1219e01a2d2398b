"""Tips and doubts in play line by line: explanations of new situations, and warnings about costly moves."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from terminals import GAME

import backroom
from backroom.engine.game import Game
from backroom.engine.protocol import IllegalMove
from backroom.terminal import doubts, play
from backroom.terminal.doubts import Doubter, can_go_back
from backroom.terminal.play import Session
from backroom.terminal.settings import Settings

CONTESTS = [name for name in backroom.names() if max(backroom.game(name).seats) > 1]


@dataclass
class Favourite:
    """A judge that likes one move and no other."""

    game: Game
    likes: int

    def moves(self, v, seat, seed):
        return {move: 0.9 if move == self.likes else 0.1 for move in self.game.moves(v, seat)}

    def view(self, v, seat, seed):
        return 0.5


def session_at(table, **more):
    session = Session(table, {}, Path("unused.log"), **more)
    session.save = lambda: None
    return session


def walk(name, moves=120):
    """A table that is played at random, and the seat that is asked."""
    table, rng = backroom.game(name).table(seed="1"), random.Random(1)
    while not table.is_over and len(table.lines) < moves:
        seat = rng.choice(table.asked)
        yield table, seat
        table.play(seat, rng.choice(table.moves(seat)))


# tips


@pytest.mark.parametrize("name", CONTESTS)
def test_what_is_new_is_explained_once_with_its_paragraph(name):
    session, told = None, []
    for table, seat in walk(name):
        session = session or session_at(table)
        told += session.tip(seat)
    assert len(told) > 2
    assert len({tip.plain for tip in told}) == len(told) == len(session.settings.told[name])
    assert all(tip.plain.startswith("New: ") and "§" in tip.plain for tip in told)
    assert [tip.plain.endswith("(No more of these: tips off.)") for tip in told] == [True] + [False] * (len(told) - 1)


def test_tips_are_switched_off_and_on_for_later_games_too(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("BACKROOM_GAMES", str(tmp_path / "games"))
    table = backroom.game(GAME).table(seed="1")
    (seat,) = table.asked
    session = session_at(table, settings=Settings.read())
    (first,) = session.tip(seat)
    assert not session.obey(seat, "tips off")
    assert session.tip(seat) == []
    later = session_at(table, settings=Settings.read())
    assert not later.settings.tips
    assert len(later.settings.told[GAME]) == 1
    assert later.tip(seat) == []
    assert not later.obey(seat, "tips on")  # everything again
    assert later.tip(seat) == [first]
    capsys.readouterr()
    assert not later.obey(seat, "tips")
    assert "tips are on; say: tips on, or tips off" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"tips": "no", "told": []}'])
def test_settings_that_cannot_be_read_are_as_at_first(monkeypatch, tmp_path, text):
    monkeypatch.setenv("BACKROOM_GAMES", str(tmp_path))
    (tmp_path / "settings.json").write_text(text)
    found = Settings.read()
    assert (found.tips, found.doubts, found.told) == (True, True, {})
    found.save()
    assert json.loads((tmp_path / "settings.json").read_text()) == {"tips": True, "doubts": True, "told": {}}


def test_settings_that_cannot_be_kept_do_not_end_the_game(tmp_path):
    table = backroom.game(GAME).table(seed="1")
    (tmp_path / "file").write_text("")
    session = session_at(table, settings=Settings(path=tmp_path / "file" / "settings.json"))
    assert session.tip(table.asked[0])
    assert "cannot be remembered" in session.notice


def test_a_new_game_in_the_terminal_explains_what_is_new(run):
    assert "New: " in run("play", GAME, "--seed", 1, typed="quit\n")[1]
    told = run("play", GAME, "--seed", 1, typed="tips off\nquit\n")[1]
    assert "tips off: so it stays on this machine." in told
    assert "New: " not in run("play", GAME, "--seed", 1, typed="quit\n")[1]


# doubts


def choice(name):
    """A position with a move that cannot be taken back and another: the table, the seat, the other and that move."""
    for table, seat in walk(name):
        game, v = table.game, table.view(seat)
        moves = [move for move in game.moves(v, seat) if move != game.rules.BACK]
        final = [move for move in moves if not can_go_back(game, v, seat, move)]
        if final and len(moves) > 1:
            return table, seat, next(move for move in moves if move != final[-1]), final[-1]
    raise AssertionError("everything can be taken back")


@pytest.mark.parametrize("name", CONTESTS)
def test_what_gives_much_away_is_asked_once(name, monkeypatch, capsys):
    monkeypatch.setattr(play, "leaves_the_game", lambda *_: False)
    table, seat, good, bad = choice(name)
    game, v = table.game, table.view(seat)
    for settings, is_asked in ((Settings(), True), (Settings(doubts=False), False)):
        session = session_at(table.copy(), doubter=Doubter(game, Favourite(game, good)), settings=settings)
        before = len(table.lines)
        word = game.rules.name(v, bad)
        assert session.obey(seat, word) != is_asked
        said = " ".join(capsys.readouterr().out.split())
        assert ("wins about 80 more of 100 games" in said) == is_asked
        if is_asked:
            assert len(session.table.lines) == before
            assert session.obey(seat, word)
        assert len(session.table.lines) > before
    session = session_at(table.copy(), doubter=Doubter(game, Favourite(game, good)))
    assert session.obey(seat, game.rules.name(v, good))


def test_what_can_be_taken_back_is_not_asked():
    steps = 0
    for name in CONTESTS:
        for table, seat in walk(name):
            game, v = table.game, table.view(seat)
            moves = game.moves(v, seat)
            doubter = Doubter(game, Favourite(game, moves[0]))
            for move in moves[1:]:
                if can_go_back(game, v, seat, move):
                    steps += 1
                    assert doubter.loss(v, seat, move) == 0
    assert steps > 20


def test_nobody_waits_for_a_doubt(monkeypatch):
    table, seat, good, bad = choice(GAME)
    v = table.view(seat)
    doubter = Doubter(table.game, Favourite(table.game, good))
    times = iter([0.0, 0.1, 5.0, 9.0])
    monkeypatch.setattr(doubts.time, "monotonic", lambda: next(times))
    assert doubter.loss(v, seat, bad) == pytest.approx(0.8)
    assert doubter.loss(v, seat, bad) == pytest.approx(0.8)
    assert doubter.is_slow
    assert doubter.loss(v, seat, bad) == 0


def test_a_judge_is_asked_only_where_his_kernels_are_compiled(monkeypatch, tmp_path):
    table, seat, good, bad = choice(GAME)
    v = table.view(seat)
    monkeypatch.setattr(doubts, "mark", lambda word: tmp_path / word)
    monkeypatch.setattr(doubts, "judge_of", lambda game, effort: Favourite(game, good))
    doubter = Doubter(table.game)
    assert doubter.loss(v, seat, bad) == 0
    doubts.note_that_it_is_compiled(table.game)
    assert doubter.loss(v, seat, bad) == pytest.approx(0.8)


def test_where_nobody_sits_before_a_screen_nothing_is_doubted(monkeypatch):
    table, seat, _, bad = choice(GAME)
    session = session_at(table)
    assert session.loss(seat, table.view(seat), bad) == 0
    with pytest.raises(IllegalMove, match="doubts are on; say: doubts on, or doubts off"):
        session.do_doubts(seat, "perhaps")

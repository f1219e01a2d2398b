"""Beats: what a browser is shown for one line of the log."""

import itertools
import re
from types import SimpleNamespace

import pytest
import toy
from serving import toy_game

from backroom.engine.kernel import EVERYONE, NATURE, SPECTATOR
from backroom.engine.marks import by_reader, who
from backroom.engine.table import Line, Step
from backroom.scene import Piece, Scene
from backroom.scene.patch import Picture
from backroom.server.tables import messages
from backroom.server.tables.state import Change


def by_turns():
    """A `draw` that returns another picture each time."""
    count = itertools.count()
    return lambda v, seat: Scene(toy.draw(v, seat).board, "x", [Piece("one", "word", next(count), 0)])


def table_of(game):
    """The part of a TableState that beats need."""
    return SimpleNamespace(game=game, shown=None, names=["Ann", "Zoe"], config=SimpleNamespace(seats=2))


def beats_of(game, reader=0):
    """The beats of the first deal, as a reader gets them."""
    s = game.start(*game.settle(2, {}))
    then = game.after(s, NATURE, 0)
    v = game.view(s, reader)
    change = Change([Step(Line(NATURE, 0, "deal 1", EVERYONE, EVERYONE), s, then)])
    found, seen = messages.beats_for_people(table_of(game), reader, Picture(game.rules.draw(v, reader)), change, v)
    assert game.key(seen) == game.key(game.view(then, reader))
    return found


def test_a_move_is_one_beat():
    (beat,) = beats_of(toy_game(draw=by_turns()))
    assert (beat["ms"], beat["say"]) == (messages.BEAT_MS, "Ann gets the one.")
    assert re.fullmatch(
        r'<li data-seat="0"><b>Ann</b> <span>gets <svg .*#glyph-card-1.*</svg></span>\.</li>', beat["item"]
    )


@pytest.mark.parametrize(("reader", "number"), [(0, "1"), (1, "13"), (SPECTATOR, "1")])
def test_each_reader_is_told_what_its_own_board_shows(reader, number):
    game = toy_game(draw=by_turns(), say=lambda *_: f"{who(1)} comes to {by_reader(('1', '13'))}.")
    (beat,) = beats_of(game, reader)
    assert beat["say"] == f"Zoe comes to {number}."


@pytest.mark.parametrize("many", [1, 3, 30])
def test_a_move_that_goes_a_way_is_several_told_once_and_never_boring(many):
    found = beats_of(toy_game(between=lambda v, seat, move, then: [v] * many, draw=by_turns()))
    assert len(found) == many + 1
    assert [bool(beat["say"]) for beat in found] == [True, *[False] * many]
    assert all(beat["up"] and 0 < beat["ms"] <= messages.BEAT_MS for beat in found)
    assert sum(beat["ms"] for beat in found) <= messages.WAY_MS


def test_what_is_revealed_is_held_and_told_when_it_has_been_seen():
    """The story does not run ahead of the picture."""
    way = {"between": lambda v, seat, move, then: [v, v]}
    found = beats_of(toy_game(**way, draw=by_turns(), PAUSE_MS=700))
    assert [beat.get("hold", 0) for beat in found] == [700, 700, 0]
    assert [bool(beat["say"]) for beat in found] == [False, False, True]


def test_who_did_not_see_the_move_is_shown_only_what_it_knows():
    """The game gets UNKNOWN instead of the move."""
    told = []
    game = toy_game(between=lambda v, seat, move, then: told.append(move) or [])
    s = game.start(*game.settle(2, {}))
    v, then = game.view(s, 1), game.after(s, NATURE, 3)
    for seen in (EVERYONE, 1):
        change = Change([Step(Line(NATURE, 3, "deal 4", seen, EVERYONE), s, then)])
        messages.beats_for_people(table_of(game), 1, Picture(game.rules.draw(v, 1)), change, v)
    assert told == [3, -1]

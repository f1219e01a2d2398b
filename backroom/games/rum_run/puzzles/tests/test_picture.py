"""What the picture of a puzzle shows, in SVG and in text."""

import re

import backroom
from backroom.engine.kernel import SPECTATOR
from backroom.games.rum_run.puzzles.picture import layout_of
from backroom.games.rum_run.shapes import WIDTH

from .boards import GAME, after, at

FOREST = backroom.game("rum-run")
rules = GAME.rules


def pieces(s, seat=0):
    return {piece.id: piece for piece in rules.draw(s, seat).pieces}


def test_the_barrel_lies_on_its_node_and_stays_when_it_is_reached():
    s = at("blue c4:1|3v c3:3|6v c2:6|4v")
    before, then = pieces(s)["barrel"], pieces(after(s, "c1 4|1"))["barrel"]
    assert (before.kind, then.kind) == ("barrel", "cask")
    assert before.label == "the barrel, four north of the Town Center"
    assert "(==)" in rules.draw(s, 0).text()
    assert "B1/4¹" in rules.draw(after(s, "c1 4|1"), 0).text()


def test_only_what_is_there_is_drawn():
    """Tokens that red has and blue was not given are nowhere."""
    s = at("red a1:4|6^ | boulders b2")
    found = pieces(s)
    assert "red-4|6" in found
    assert "blue-4|6" not in found
    assert sorted(name for name in found if name.startswith("hand-")) == sorted(
        f"hand-{t}" for t in (1, 3, 7, 9, 11, 19)
    )


def test_everything_lies_on_the_board():
    for seat in (0, SPECTATOR):
        s = after(at("red a1:4|6^"), "c4")
        for piece in rules.draw(s, seat).pieces:
            assert 0 <= piece.x <= WIDTH
            assert 0 <= piece.y <= layout_of(s).height


def test_who_is_stuck_finds_a_button_to_give_up():
    s = at("boulders b5 d5 c6 c4")
    (move,) = GAME.moves(s, 0)
    assert rules.touch(s, 0, move) == ["button-give-up"]
    assert pieces(s)["button-give-up"].face == "give up"
    assert "button-give-up" not in pieces(at())


def test_the_chosen_node_is_marked_and_what_is_left_is_said():
    s = after(at(), "c4")
    assert pieces(s)["node-c4"].kind == "chosen"
    assert pieces(at())["node-c4"].kind == "node"
    assert pieces(after(s, "c4 1|2"))["facts"].face == "It takes 4 placings · 1 made · 5 left"


def test_a_spectator_sees_the_same_but_touches_nothing():
    mine, theirs = pieces(at()), pieces(at(), SPECTATOR)
    assert set(theirs) == {name for name in mine if not name.startswith(("node-", "button-"))}


def test_its_shapes_are_its_own_on_a_page_with_other_boards():
    mine, forest = rules.draw(at(), 0), FOREST.rules.draw(FOREST.start(*FOREST.settle(2, {})), 0)
    names = [set(re.findall(r'(?:id|href)="#?(\w[\w-]*-n1)"', scene.svg())) for scene in (mine, forest)]
    assert names == [{f"{mine.board.name}-n1"}, {f"{forest.board.name}-n1"}]
    assert mine.board.name != forest.board.name
    other = rules.draw(GAME.start(*GAME.settle(1, {"puzzle": "easy-1"})), 0)
    assert other.board.name != mine.board.name  # of another size

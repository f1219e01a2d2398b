"""What the picture of Run shows, in SVG and in text."""

import xml.etree.ElementTree as ElementTree

from backroom.engine.kernel import SPECTATOR
from backroom.games.run.picture import HEIGHT, WIDTH

from .boards import GAME, after, at


def pieces(s, seat=0):
    return {piece.id: piece for piece in GAME.rules.draw(s, seat).pieces}


def test_stacked_men_show_their_number_beyond_five():
    s = at("white 1:9 13:5 24:1 | black 20:15")
    found = pieces(s)
    assert found["count-white-1"].face == "9"
    assert "count-white-13" not in found
    assert found["white-1-8"].y == found["white-1-4"].y == found["count-white-1"].y
    assert found["point-1"].label == "point 1: 9 white men"
    assert found["point-24"].label == "point 24: 1 white man"
    assert found["point-2"].label == "point 2: empty"


def test_a_tall_stack_has_all_its_men_and_their_number_beside_them():
    """So that a man that leaves a tall stack can be animated, without the number that is written on the stack."""
    scene = GAME.rules.draw(at("white 1:12 14:3 | black 1:15"), 0)
    white = {piece.id: piece for piece in scene.pieces if piece.kind == "man-white"}
    assert len(white) == 15
    assert white["white-1-4"].y == white["white-1-11"].y
    assert not any(piece.face for piece in white.values())
    counts = {piece.id: piece.face for piece in scene.pieces if piece.id.startswith("count-")}
    assert counts == {"count-white-1": "12", "count-black-1": "15"}


def test_each_player_looks_from_his_own_side():
    s = at("white 1:14 5:1 | black 1:14 3:1")
    white, black = pieces(s, 0), pieces(s, 1)
    assert (white["white-1-0"].x, white["white-1-0"].y) == (black["black-1-0"].x, black["black-1-0"].y)
    assert white["point-15"].label == "point 15: 1 black man"
    assert black["point-15"].label == "point 3: 1 black man"
    assert white["point-5"].glyph.strip() == "5"
    assert black["point-5"].glyph.strip() == "17"


def test_everything_lies_on_the_board():
    for seat in (0, 1, SPECTATOR):
        for piece in GAME.rules.draw(at("white 1:15 | black 1:15", roll="5 5"), seat).pieces:
            assert 0 <= piece.x <= WIDTH
            assert 0 <= piece.y <= HEIGHT


def test_dice_that_are_played_are_pale():
    s = after(at("white 1:15", roll="5 5"), "1/6")
    kinds = [piece.kind for piece in pieces(s).values() if piece.id.startswith("die")]
    assert kinds == ["die-5", "die-5", "die-5", "die-5-played"]
    one = after(at("white 1:15", roll="2 1"), "1/3")
    assert [pieces(one)[f"die-{i}"].kind for i in (0, 1)] == ["die-2-played", "die-1"]


def test_dice_lie_on_the_side_of_who_rolled_them():
    s = at("white 1:15", roll="2 1")
    assert pieces(s, 0)["die-0"].x > WIDTH / 2 > pieces(s, 1)["die-0"].x
    over = after(s, "1/3", "3/4")
    assert pieces(over, 0)["die-0"].x > WIDTH / 2  # black's turn now, but white's dice


def test_whose_turn_and_men_off_and_the_match():
    s = at("white 19:5 off:10 | black 1:15 | turn black | points 1 2", match=5)
    found = pieces(s)
    assert found["turn"].label == "Black to roll"
    assert found["off-white"].label == "White: 10 borne off"
    assert sum(name.startswith("white-off-") for name in found) == 10
    assert found["points-black"].face == "match 2 of 5"
    assert "points-black" not in pieces(at("white 1:15"))


def test_touching_a_step():
    s = at("white 19:15 | black 1:15", roll="6 1")
    touch = {GAME.rules.name(s, move): GAME.rules.touch(s, 0, move) for move in GAME.moves(s, 0)}
    assert touch == {"19/off": ["point-19", "off-white"], "19/20": ["point-19", "point-20"]}
    black = at("black 1:15 | turn black", roll="6 1")
    assert GAME.rules.touch(black, 1, GAME.rules.parse(black, "1/7")) == ["point-13", "point-19"]


def test_the_svg_is_whole_and_lights_what_can_be_touched():
    root = ElementTree.fromstring(GAME.rules.draw(at("white 1:15", roll="6 1"), 0).svg(lit=["point-1", "off-white"]))
    uses = {
        group.get("id"): group.find("{*}use").get("href")
        for group in root.iter("{http://www.w3.org/2000/svg}g")
        if group.find("{*}use") is not None
    }
    assert uses["point-1"] == "#run-point-lit"
    assert uses["off-white"] == "#run-tray-lit"
    assert uses["point-2"] == "#run-point"
    shapes = {group.get("id") for group in root.iter("{http://www.w3.org/2000/svg}g")}
    assert {use.removeprefix("#") for use in uses.values()} <= shapes


TEXT = """\
  X Black  360 to go                        0 off
 24  23  22  21  20  19     18  17  16  15  14  13
 12  11  10   9   8   7      6   5   4   3   2   1
 ------------------------+-------------------------
                         |   O                   O
                         |                       O
                         |                       O
                         |                       O
                         |                      14
                         |
                         |       [5]  1
                         |
 15                      |
  X                      |
  X                      |
  X                      |
  X                      |
 ------------------------+-------------------------
 13  14  15  16  17  18     19  20  21  22  23  24
  1   2   3   4   5   6      7   8   9  10  11  12
> O White  355 to go                        0 off"""


def test_the_text_of_a_board():
    s = at("white 1:14 6:1 | black 1:15 | roll 5 1 | left 5")
    assert GAME.rules.draw(s, 0).text() == TEXT

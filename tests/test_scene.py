"""The renderers, on an arbitrary scene."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from backroom.scene import BOARD as BOARD_ROLE
from backroom.scene import HAND, PLAYERS, Board, Piece, Region, Scene, Shape
from backroom.scene.html import shape_of
from backroom.scene.text import runs

BOARD = Board(
    "any",
    100,
    50,
    "<rect/>",
    "....\n....",
    {
        "man": Shape("<circle r='1'/>", "bold", 'font-size="9"'),
        "man-lit": Shape("<circle r='2'/>", "red"),
        "hole": Shape("<rect/>"),
    },
)


def test_svg_places_turns_and_labels_its_pieces():
    scene = Scene(BOARD, "A & B", [Piece("a", "man", 10, 20.5, label='"<x>"', face="7", turn=90, z=1)])
    root = ElementTree.fromstring(scene.svg())
    assert root.get("viewBox") == "0 0 100 50"
    assert root.get("aria-label") == "A & B"
    group = next(g for g in root.iter("{http://www.w3.org/2000/svg}g") if g.get("id") == "a")
    assert group.get("transform") == "translate(10 20.5) rotate(90)"
    assert group.get("aria-label") == '"<x>"'
    assert group.find("{*}title").text == '"<x>"'
    assert group.find("{*}text").text == "7"
    assert group.find("{*}use").get("href") == "#any-man"


def test_svg_draws_higher_pieces_later_and_lights_what_can_be_touched():
    scene = Scene(BOARD, "", [Piece("top", "man", 0, 0, z=5), Piece("below", "hole", 0, 0)])
    text = scene.svg(lit={"top"})
    assert text.index('id="below"') < text.index('id="top"')
    assert '"#any-man-lit"' in text
    assert 'class="piece man lit"' in text


def test_text_writes_glyphs_over_the_board():
    scene = Scene(BOARD, "", [Piece("a", "man", 0, 0, glyph="XY", cell=(1, 0)), Piece("b", "hole", 0, 0)])
    assert scene.text() == ".XY.\n...."


def test_text_grows_where_it_must():
    scene = Scene(BOARD, "", [Piece("a", "man", 0, 0, glyph="far", cell=(6, 3))])
    assert scene.text() == "....\n....\n\n      far"


def test_text_in_runs_of_one_style():
    scene = Scene(BOARD, "", [Piece("a", "man", 0, 0, glyph="XY", cell=(1, 0)), Piece("b", "hole", 0, 0, glyph="o")])
    assert runs(scene, lit={"b"}) == [[("o", "reverse"), ("XY", "bold"), (".", "")], [("....", "")]]


REGIONS = replace(
    BOARD, svg="<path/>", regions=(Region("hand", 0, 30, 100, 20, "<line/>"), Region("board", 0, 0, 100, 30))
)


def test_a_piece_belongs_to_the_region_that_it_lies_in():
    assert [REGIONS.region_at(5, y) for y in (0, 29, 31, 50)] == [1, 1, 0, 0]
    pieces = [Piece("low", "man", 0, 40, z=9), Piece("high", "man", 0, 2, z=1), Piece("under", "man", 0, 45)]
    assert [piece.id for piece in REGIONS.in_order(pieces)] == ["under", "low", "high"]


def test_the_stage_has_a_picture_for_each_region_with_its_own_pieces():
    scene = Scene(REGIONS, "", [Piece("a", "man", 10, 40), Piece("b", "hole", 10, 10, label="<b>")])
    root = ElementTree.fromstring(scene.html(lit={"a"}))
    boxes = {div.get("class"): div.find("div/svg") for div in root.iter("div") if "role" in div.get("class").split()}
    assert {name: svg.get("viewBox") for name, svg in boxes.items()} == {
        "role board": "0 0 100 30",
        "role hand": "0 30 100 20",
    }
    assert [g.get("id") for g in boxes["role hand"].findall("g[@class='pieces']/g")] == ["a"]
    assert [g.get("id") for g in boxes["role board"].findall("g[@class='pieces']/g")] == ["b"]
    assert "<path" not in scene.html()  # what is behind all regions is for the whole picture only
    assert "<path" in scene.svg()
    assert root.get("class") == "layout wide flat"


@pytest.mark.parametrize(
    ("board", "players", "hand", "shape"),
    [
        (70, 20, 30, "wide"),
        (70, 20, 20, "wide flat"),
        (70, 40, 30, "wide high"),
        (70, 60, 30, "wide high dense packed"),
        (75, 75, 20, "wide flat tall packed"),
        (100, 10, 10, "square"),
        (100, 10, 70, "square tall crowded"),
        (100, 50, 30, "square high crowded"),
    ],
)
def test_a_stage_says_what_fits_where(board, players, hand, shape):
    tops = (0, board, board + players)
    heights = zip((BOARD_ROLE, PLAYERS, HAND), tops, (board, players, hand), strict=True)
    regions = tuple(Region(role, 0, top, 100, high) for role, top, high in heights)
    assert shape_of(Board("toy", 100, sum((board, players, hand)), "", "", {}, regions)) == shape

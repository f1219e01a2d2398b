"""The printers, on a scene of nothing in particular."""

import xml.etree.ElementTree as ElementTree

from backroom.scene import Board, Piece, Scene, Shape
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

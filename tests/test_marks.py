"""Marks in texts: names for seats, small pictures for words, and turns joined into one sentence."""

from xml.etree import ElementTree

from backroom.engine.marks import (
    as_read_by,
    by_reader,
    glyph,
    glyphs_in,
    parts,
    plain,
    subject,
    told_apart,
    turns,
    who,
    words,
)
from backroom.scene.label import Glyph, picture, sheet

DIE = {"die-6": Glyph("<rect width='9' height='9'/>", (0, 0, 9, 9))}


def test_a_marked_text_in_parts_and_in_words():
    text = f"{who(1)} rolls {glyph('die-6', 'a six')}, {who(0)} looks on (§2)."
    assert parts(text, ["Ann", "Bob"]) == ["Bob rolls ", ("die-6", "a six"), ", Ann looks on (§2)."]
    assert plain(text, ["Ann", "Bob"]) == words(parts(text, ["Ann", "Bob"])) == "Bob rolls a six, Ann looks on (§2)."
    assert glyphs_in(text) == ["die-6"]
    assert parts("", []) == []


def test_words_of_a_glyph_may_name_a_player():
    assert parts(glyph("die-6", f"{who(0)}’s six"), ["Ann"]) == [("die-6", "Ann’s six")]


def test_words_may_depend_on_the_reader():
    text = f"{who(1)} goes from {by_reader(('1', '13'))} to {by_reader(('7', '19'))}."
    assert [plain(as_read_by(reader, text), ["Ann", "Bob"]) for reader in (-1, 0, 1)] == [
        "Bob goes from 1 to 7.",
        "Bob goes from 1 to 7.",
        "Bob goes from 13 to 19.",
    ]


def test_a_name_is_never_read_as_a_mark():
    odd = "[[die-6|x]] @1@"
    assert parts(f"{who(0)} and {who(1)}", [odd, "Bob"]) == [f"{odd} and Bob"]
    assert plain(glyph("die-6", who(0)), [odd]) == odd


def test_the_words_of_a_glyph_are_never_markup():
    found = picture("die-6", 'a "six" <b>', DIE)
    assert "<b>" not in found
    assert "href='#glyph-die-6'" in found
    assert ElementTree.fromstring(found).findtext("title") == 'a "six" <b>'
    assert 'id="glyph-die-6"' in sheet(DIE)
    assert sheet({}) == ""


def test_sentences_in_a_row_about_one_player_are_one():
    told = [(1, f"{who(0)} rolls."), (2, f"{who(0)} moves."), (4, "It rains."), (5, f"{who(1)} rolls."), (6, "Over.")]
    assert list(turns(told)) == [(1, "@0@ rolls, moves."), (4, "It rains."), (5, "@1@ rolls."), (6, "Over.")]
    assert list(turns([])) == []
    assert subject("@2@ rolls.") == (2, "rolls")
    assert subject("@2@’s turn.") == (None, "@2@’s turn.")


def test_players_with_one_name_are_told_apart():
    assert told_apart(["Ann", "", "Bob", "Ann"], ["White", "Black", "Red", "Blue", "Pink"]) == [
        "Ann (White)",
        "Black",
        "Bob",
        "Ann (Blue)",
    ]

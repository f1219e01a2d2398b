"""Texts for people, as messages have them."""

import re
from types import SimpleNamespace

from serving import toy_game

from backroom.engine.protocol import Situation
from backroom.scene import Glyph
from backroom.server.markup import html
from backroom.server.tables.messages import as_items, in_words, sentence, situations
from backroom.server.tables.state import OVER, PLAYING


def test_a_story_is_told_by_turns():
    """Successive sentences that begin with the same player are one; anything said between them ends it."""
    ann, ben = {"seat": 0, "name": "Ann", "sign": "<svg/>"}, {"seat": 1, "name": "Ben <b>", "sign": ""}
    found = as_items(
        [
            {"n": 1, "text": "Ann rolls 6.", **ann, "rest": "rolls <svg></svg>"},
            {"n": 2, "text": "Ann moves.", **ann, "rest": "moves"},
            {"text": "<i>hello", "who": "Ben", "at": 5},
            {"n": 3, "text": "Ann bears off.", **ann, "rest": "bears off"},
            {"n": 4, "text": "Ben rolls.", **ben, "rest": "rolls"},
            {"n": 5, "text": "Ann & Ben draw."},
            {"text": "Ben has left.", "at": 6},
        ]
    )
    assert found.replace("</li>", "</li>\n").splitlines() == [
        '<li data-seat="0"><b><svg/>Ann</b> <span>rolls <svg></svg></span>, <span>moves</span>.</li>',
        '<li class="said"><b>Ben</b> &lt;i&gt;hello</li>',
        '<li data-seat="0"><b><svg/>Ann</b> <span>bears off</span>.</li>',
        '<li data-seat="1"><b>Ben &lt;b&gt;</b> <span>rolls</span>.</li>',
        "<li>Ann &amp; Ben draw.</li>",
        '<li class="note">Ben has left.</li>',
    ]


def test_a_sentence_has_its_player_s_sign():
    drawn = {"seat-1": Glyph("<circle r='5'/>", (-5, -5, 10, 10))}
    state = SimpleNamespace(game=toy_game(GLYPHS=drawn), names=["Ann", "Ben <b>"], config=SimpleNamespace(seats=2))
    (mine, theirs) = (as_items([sentence(state, f"@{seat}@ moves.")]) for seat in range(2))
    assert mine == '<li data-seat="0"><b>Ann</b> <span>moves</span>.</li>'
    assert re.fullmatch(
        r'<li data-seat="1"><b><svg .*<use href=\'#glyph-seat-1\'/></svg>Ben &lt;b&gt;</b> <span>moves</span>.</li>',
        theirs,
    )


def test_a_marked_text_is_told_in_words_and_if_that_is_more_as_html():
    state = SimpleNamespace(game=toy_game(), names=["<Ann>"])
    assert in_words("label", "Wait for @0@", state) == {"label": "Wait for <Ann>"}
    found = in_words("label", '@0@ takes [[card-1|a "one"]] (§1.2)', state)
    assert found["label"] == '<Ann> takes a "one" (§1.2)'
    assert found["html"].startswith("&lt;Ann&gt; takes <svg class='glyph' role='img' ")
    assert f'<a href="/rules/{state.game.name}#s1.2" target="_blank">§1.2</a>' in found["html"]
    assert html("a < b", state.game) == "a &lt; b"


def test_nothing_new_is_explained_once_a_game_is_over():
    new = Situation("lost-card", "Somebody has lost a card.", lambda v, seat: True)
    game = SimpleNamespace(situations=lambda v, seat: [new])
    playing, over = (SimpleNamespace(stage=stage, game=game, names=["Ann"]) for stage in (PLAYING, OVER))
    assert situations(playing, 0, None) == [{"name": "lost-card", "says": new.says}]
    assert situations(over, 0, None) == []

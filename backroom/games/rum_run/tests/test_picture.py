"""The picture of Rum Run: what it shows, what can be touched, and that it shows no secret."""

import pytest

from backroom.engine.kernel import SPECTATOR, dice_from

from .boards import GAME, after, at, fresh

LOOP = "blue f7:1|2> e7:2|2 e6:2|3v e5:3|3 f5:3|4< g5:4|4+3 h7:1|5< i7:5|5 i6:5|6v i5:6|6 h5:6|4>"


def scene(s, seat=0):
    return GAME.rules.draw(GAME.view(s, seat), seat)


def pieces(s, seat=0):
    return {piece.id: piece for piece in scene(s, seat).pieces}


def touched(s, text, seat=0):
    return GAME.rules.touch(GAME.view(s, seat), seat, GAME.rules.parse(s, text))


def test_tokens_lie_as_they_lie_and_barrels_are_counted():
    found = pieces(at("blue g6:1|2v+3 h7:1|3< | red g8:4|4"))
    assert found["blue-1|2"].label == (
        "blue, the 1-2 with the 2 to the north, one north of the Town Center, 1 step from home"
    )
    assert found["blue-1|2"].turn == 0
    assert found["blue-1|3"].turn == 270
    assert found["cask-g6"].face == "3"
    assert found["red-4|4"].glyph.startswith("R+4+")
    assert found["turn"].label == "Blue to play"


def test_stills_show_name_queue_and_taps_or_nothing_face_down():
    found = pieces(fresh())
    assert found["node-c3"].label == "Fort Firewater, four north and four west of the Town Center: 3-2-1-1"
    assert {"tap-c3-0", "tap-c3-3", "supply-c3"} <= set(found)
    found = pieces(fresh(setup="moonless"))
    assert found["node-c3"].label == "a still face down, three north and three west of the Town Center"
    assert "supply-c3" not in found
    assert "Fort" not in scene(fresh(setup="moonless")).svg()


def test_fog_mud_paved_road_and_the_deck():
    s = at("blue g6:1|2v g5:2|3v f7:1|4> | fog f4 | mud f7 | paved g4:ns+1 0 0 1", setup="standard")
    found = pieces(s)
    assert {"fog-f4", "mud-f7", "paved", "cask-g4"} <= set(found)
    assert found["paved"].kind == "paved-5"
    assert "17 events in the deck" in found["facts"].label
    assert found["goal-8"].label == "longest road, from 10, worth 2"


def test_picking_shows_no_one_elses_pick():
    s = after(fresh(), "3|5", seat=1)
    assert pieces(s, 1)["hand-13"].label == "the 3-5 in your inventory, chosen"
    before = [(p.id, p.kind, p.label) for p in scene(after(fresh(), "1|1", seat=1), 0).pieces]
    assert [(p.id, p.kind, p.label) for p in scene(s, 0).pieces] == before


@pytest.mark.parametrize(
    ("position", "moves", "text", "ids"),
    [
        ("", [], "g6", ["node-g6"]),
        ("", [], "3|5", ["hand-13"]),
        ("", ["g6"], "g6 3|5", ["half-13-0"]),
        ("", ["g6"], "g6 5|3", ["half-13-1"]),
        ("", ["g6"], "g6 4|4", ["hand-15"]),
        ("", ["g6"], "g6 *2|5", ["half-25-0", "number-2"]),
        ("", ["g6"], "g6 5|*2", ["half-25-1", "number-2"]),
        ("", ["g6"], "g6 *6|*6", ["hand-27", "number-6"]),
        ("", ["3|5"], "g6 5|3", ["node-g6", "half-13-1"]),
        ("", ["g6 2|2"], "f6 2|3", ["node-f6", "half-7-0"]),
        ("blue g6:1|2v", [], "return g6", ["button-return", "node-g6"]),
        ("blue g6:1|2v", [], "pick g6", ["button-pick", "node-g6"]),
        ("blue g6:1|2v+1", [], "caravan g6", ["cask-g6"]),
        ("blue g6:1|1 f7:2|2", ["f6"], "f6 1|3>", ["half-2-0", "button-east"]),
        ("", ["g6"], "back", ["button-back"]),
        (LOOP, ["caravan g5"], "via h5", ["node-h5"]),
    ],
)
def test_a_move_is_made_by_touching(position, moves, text, ids):
    s = after(at(position, folk="yes"), *moves)
    assert touched(s, text) == ids
    assert set(ids) <= set(pieces(s))


def test_facts_stay_in_their_frame():
    s = fresh(setup="standard", events="yes", fog="yes")
    s.quiet = 40
    facts = pieces(s)["facts"]
    assert "events in the deck" in facts.label
    assert facts.face.endswith("quiet turns 40")
    letter = 10.7
    assert facts.x + letter * len(facts.face) < scene(s).board.width


def test_buttons_for_loose_tokens_speak_in_words():
    found = pieces(at("blue g6:1|2v"))
    assert (found["button-pick"].face, found["button-return"].face) == ("take up", "return")
    assert found["button-pick"].label == "take up a loose token of yours, to place it elsewhere"
    assert found["button-return"].label == "return a loose token of yours to the inventory"


def test_a_caravan_on_its_way_is_seen():
    s = after(at(LOOP.replace("g5:4|4+3", "g5:4|4 g4:1|4^+4")), "caravan g4")
    assert pieces(s)["load"].label == "3 barrels in hand, two north of the Town Center"


def test_overshooting_is_chosen_by_touching_a_player():
    s = after(at("blue g6:1|2v+2 | red h7:1|2< | orange f7:1|2>", seats=3), "caravan g6")
    assert touched(s, "to red") == ["strip-red"]
    s = after(at("blue g6:1|2v g5:2|3v | fog g4 | unseen 0 0 1 0 0"), "g4 3|5", "fog paved road")
    assert touched(s, "end east") == ["button-east"]
    s = at("blue g6:1|2v | broken 2 1", objectives="yes", claims="noticed")
    assert touched(s, "claim broke most") == ["goal-9"]


def test_ids_and_shapes_hold_in_random_games():
    """Every piece has a shape of its kind, lit or not, and ids are told apart."""
    for seed, (seats, options) in enumerate(GAME.settings()[:12]):
        s = GAME.start(seats, options)
        for turn, _ in enumerate(GAME.stroll(s, seats, dice_from(seed))):
            if turn % 40 == 0:
                for seat in (SPECTATOR, *range(seats)):
                    found = scene(s, seat)
                    assert len({piece.id for piece in found.pieces}) == len(found.pieces)
                    assert {piece.kind for piece in found.pieces} <= set(found.board.shapes)


def test_what_stays_is_drawn_once():
    s = fresh(4, setup="standard")
    assert scene(s).board is scene(s).board

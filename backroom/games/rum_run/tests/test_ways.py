"""The intermediate pictures of a caravan: one for each barrel that is dropped."""

import pytest

from backroom.engine.kernel import SPECTATOR

from .boards import GAME, after, at, drawn

ROAD = "blue g6:1|2v g5:2|3v g4:3|4v g3:4|5v"
LOOP = "blue f7:1|2> e7:2|2 e6:2|3v e5:3|3 f5:3|4< g5:4|4+3 h7:1|5< i7:5|5 i6:5|6v i5:6|6 h5:6|4>"
FORK = LOOP.replace("g5:4|4+3", "g5:4|4 g4:1|4^+4")


def shown(s, text, reader=0):
    """The pictures of a move: one for each intermediate view, and one for the view after it."""
    seat, move = GAME.asked(s)[0], GAME.rules.parse(s, text)
    v, then = GAME.view(s, reader), GAME.view(after(s, text), reader)
    views = [*GAME.between(v, seat, move, then), then]
    assert GAME.key(v) == GAME.key(GAME.view(s, reader))
    return [{piece.id: piece for piece in GAME.rules.draw(view, reader).pieces} for view in views]


def casks(pictures):
    """Of each picture: what lies where, and what is in hand."""
    found = [{name: piece.face for name, piece in picture.items() if piece.kind == "cask"} for picture in pictures]
    return [" ".join(f"{name.removeprefix('cask-')}:{held[name]}" for name in sorted(held)) for held in found]


@pytest.mark.parametrize("reader", [0, 1, SPECTATOR])
@pytest.mark.parametrize("barrels", [1, 2, 3])
def test_a_caravan_has_a_picture_for_each_barrel(barrels, reader):
    pictures = shown(at(ROAD.replace("4|5v", f"4|5v+{barrels}")), "caravan g3", reader)
    assert len(pictures) == barrels
    assert (
        casks(pictures)
        == {
            1: ["g4:1"],
            2: ["g4:1 load:1", "g4:1 g5:1"],
            3: ["g4:1 load:2", "g4:1 g5:1 load:1", "g4:1 g5:1 g6:1"],
        }[barrels]
    )


def test_what_is_in_hand_is_one_thing_on_its_way():
    """The load has one id all the way, and is highlighted until it is empty."""
    *way, last = shown(at(ROAD.replace("4|5v", "4|5v+3")), "caravan g3")
    assert [picture["load"].label for picture in way] == [
        "2 barrels in hand, three north of the Town Center",
        "1 barrel in hand, two north of the Town Center",
    ]
    assert [picture["load"].y for picture in way] == sorted(picture["load"].y for picture in way)
    assert all((picture["halo"].x, picture["halo"].y) == (picture["load"].x, picture["load"].y) for picture in way)
    assert not {"load", "halo"} & set(last)


def test_a_barrel_that_is_scored_is_seen_at_the_town_center():
    pictures = shown(at("blue g6:1|2v+1"), "caravan g6")
    assert casks(pictures) == ["load:1", ""]
    assert pictures[0]["load"].label == "1 barrel scored"
    assert pictures[0]["note-blue"].face.startswith("1 of 8")
    pictures = shown(at("blue g6:1|2v+3 | red h7:1|2< i7:2|3<"), "caravan g6")
    assert casks(pictures) == ["load:2", "h7:1 load:1", "h7:1 i7:1"]
    assert pictures[0]["load"].label == "2 barrels in hand, at the Town Center"


def test_an_ambush_is_seen_before_it_is_scored():
    pictures = shown(at("blue g6:1|2v+2 | red h7:1|2<+2"), "caravan g6")
    assert casks(pictures) == ["h7:2 load:1", "h7:3", ""]
    assert [picture["note-blue"].face[:6] for picture in pictures] == ["1 of 8", "1 of 8", "4 of 8"]


def test_where_the_road_ends_the_rest_is_put_down_at_once():
    pictures = shown(at("blue g6:1|2v+4 | red h7:1|2<"), "caravan g6")
    assert casks(pictures) == ["load:3", "h7:1 load:2", "h7:3"]
    pictures = shown(at("blue g6:1|2v+3"), "caravan g6")  # nobody to go on to
    assert casks(pictures) == ["load:2", "g6:2"]


def test_a_caravan_stops_at_a_fork_and_goes_on_from_there():
    s = at(FORK)
    first = shown(s, "caravan g4")
    assert casks(first) == ["g5:1 load:3"]
    second = shown(after(s, "caravan g4"), "via h5")
    assert casks(second) == ["g5:1 h5:1 load:2", "g5:1 h5:1 i5:1 load:1", "g5:1 h5:1 i5:1 i6:1"]
    s = at("blue g6:1|2v+2 | red h7:1|2< | orange f7:1|2>", seats=3)
    assert casks(shown(s, "caravan g6")) == ["load:1"]
    assert casks(shown(after(s, "caravan g6"), "to red")) == ["h7:1"]


def test_barrels_go_across_a_still():
    pictures = shown(at("blue d5:1|1 e3:2|5<+2", setup="small"), "caravan e3")
    assert casks(pictures) == ["c3:1 load:1", "c3:1 d5:1"]


def test_events_that_move_barrels_go_a_way_too():
    s = drawn("Downhill", "blue g6:1|2v+1 g5:2|3v+1")
    assert casks(shown(s, "downhill g5")) == ["g6:2"]
    assert casks(shown(s, "downhill g6")) == ["g5:1 load:1", "g5:1"]
    s = drawn("Moonlit Mile", "blue g6:1|2v g5:2|3v g4:3|4v+2")
    assert casks(shown(s, "caravan g4")) == ["g5:1 load:1", "g5:1 g6:1"]


def test_other_moves_go_no_way():
    s = at("blue g6:1|2v+1")
    for text in ("h7", "5|6"):
        assert len(shown(s, text)) == 1
    assert len(shown(after(s, "h7"), "h7 5|6")) == 1

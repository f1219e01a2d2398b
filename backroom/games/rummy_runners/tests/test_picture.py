"""What the picture of Rummy Runners shows, in SVG and in text, and what it does not."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from backroom.engine.kernel import SPECTATOR, dice_from
from backroom.games.rummy_runners.picture import WIDTH
from backroom.games.rummy_runners.rules.state import PLACING

from .boards import EVERY_CARD, GAME, after, at, begun, melded


def pieces(s, seat=0):
    return {piece.id: piece for piece in GAME.rules.draw(GAME.view(s, seat), seat).pieces}


SOME = "green hand s1r s1y s2b m4b | green before a2r | violet hand c1r c2r | violet before a3y a4b | violet claims s3"


def test_suits_are_shapes_and_colours_are_patterns_and_letters():
    shapes = GAME.rules.draw(at(SOME), 0).board.shapes
    assert len({shapes[f"suit-{suit}"].svg for suit in "smac"}) == 4
    for letter, pattern in (("r", ""), ("y", "stripes"), ("b", "dots")):
        assert f">{letter.upper()}<" in shapes[f"card-s{letter}"].svg
        assert re.findall(r"url\(#rummy-runners-(\w+)\)", shapes[f"card-s{letter}"].svg) == [pattern] * bool(pattern)
    assert len({re.sub("fill=[^ />]*", "", shapes[f"mark-{seat}"].svg) for seat in range(4)}) == 4


def test_what_lies_before_each_is_grouped_by_suit_and_number():
    s = at("green before s1r s2y m1b | green hand c1r", seats=2)
    found = pieces(s)
    assert found["card-s1r"].y == found["card-s2y"].y == found["card-m1b"].y
    assert found["card-s1r"].x < found["card-s2y"].x < found["card-m1b"].x
    assert found["card-s1r"].label == "red 1 of suns"


def test_a_row_has_room_for_its_numbers():
    found = pieces(at("violet hand c1r c2r", seats=2))
    letter, half_a_card = 10, 15
    ends = found["note-1"].x + letter * len("10 cards, 10 spaces")
    assert ends < found["back-1-0"].x - half_a_card


def test_a_hand_is_fanned_and_sorted_and_the_picked_stand_out():
    s = at("green hand m4b s1y s1r c2r s3r")
    found = pieces(after(s, "take s1r"))
    fan = [found[f"card-{card}"] for card in ("s1r", "s1y", "s3r", "m4b", "c2r")]
    assert [piece.x for piece in fan] == sorted(piece.x for piece in fan)
    assert [piece.turn for piece in fan] == sorted(piece.turn for piece in fan)
    assert fan[0].kind == "card-sr-picked"
    assert fan[0].y < fan[4].y
    assert fan[1].kind == "card-sy"


def test_hands_of_others_are_face_down_and_their_ids_tell_nothing():
    one = at("green hand s1r | violet hand c1r c2r")
    other = at("green hand s1r | violet hand m5b a3y")
    for seat in (0, SPECTATOR):
        assert pieces(one, seat) == pieces(other, seat)
    assert sorted(name for name in pieces(one) if name.startswith("back-")) == ["back-1-0", "back-1-1"]
    hidden = " ".join(pieces(one, SPECTATOR))
    assert not any(card in hidden for card in EVERY_CARD)


def test_what_is_being_picked_is_shown_to_nobody_else():
    s = at(SOME)
    picked = after(s, "take s1r", "take s1y")
    assert pieces(picked, 1) == pieces(s, 1)
    assert pieces(picked, SPECTATOR) == pieces(s, SPECTATOR)
    assert pieces(picked, 0) != pieces(s, 0)


def test_the_land_a_meld_would_claim_is_lit_while_it_is_picked():
    s = at("green hand s1r s1y m1b | violet hand c1r")
    assert "would-s1" not in pieces(after(s, "take s1r"))
    found = pieces(after(s, "take s1r", "take s1y"))
    assert "would-s1" in found
    assert found["tile-s1"].label == "the 1 of suns: free, would be claimed"
    null = at("green claims s1 s4 | green hand s2r s2y m2b")
    assert {"would-s2", "would-s0"} <= set(pieces(after(null, "take s2r", "take s2y")))
    lock = at("green claims s1 | green before s1r s1y | green hand s1b m1b a1r", disputes=True)
    assert "would-s1" in pieces(after(lock, "take s1b"))


def test_claims_locks_and_the_dead():
    s = at("violet claims s3 m1 | locked s3 | dead c0 | green hand s1r", disputes=True)
    found = pieces(s)
    assert found["claim-s3"].kind.startswith("claim-1-")
    assert found["tile-s3"].label == "the 3 of suns: Violet’s, locked"
    assert "lock-s3" in found
    assert "lock-m1" not in found
    assert found["tile-c0"].label == "the null of crowns: dead"
    assert "dead-c0" in found


def test_touching():
    def touches(s):
        (seat,) = GAME.asked(s)
        return {GAME.rules.name(s, move): GAME.rules.touch(s, seat, move) for move in GAME.moves(s, seat)}

    s = at("green hand s1r s1y | violet before m1b")
    assert touches(s) == {
        "draw": ["deck"],
        "take s1r": ["card-s1r"],
        "take s1y": ["card-s1y"],
        "take m1b": ["card-m1b"],
    }
    ready = after(s, "take s1r", "take s1y", "take m1b")
    assert touches(ready) == {"lay": ["lay"], "back": ["back"]}
    tiles = [" ".join(f"{suit}{number}" for suit in suits for number in range(6)) for suits in ("sm", "ac")]
    zoning = GAME.start(*GAME.settle(2, dict(zoning="controlled")))
    GAME.rules.place(zoning, "first green | green tiles {} | violet tiles {}".format(*tiles))
    assert touches(zoning)["place m4 m13"] == ["tile-m4", "space-m13"]


@pytest.mark.parametrize(("seats", "options"), [(2, {}), (4, dict(zoning="controlled")), (3, dict(land="piecepack"))])
def test_everything_lies_on_the_board(seats, options):
    s = GAME.start(*GAME.settle(seats, options))
    for number, _ in enumerate(GAME.stroll(s, seats, dice_from(3))):
        if number % 9 == 0:
            scene = GAME.rules.draw(GAME.view(s, 0), 0)
            for piece in scene.pieces:
                assert 0 <= piece.x <= WIDTH, piece
                assert 0 <= piece.y <= scene.board.height, piece


def test_the_longest_land_still_fits():
    s = begun(2, zoning="controlled")
    while s.stage != PLACING:
        s = GAME.after(s, 15, GAME.moves(s, 15)[0])
    for row in range(12):
        for column in range(2):
            if s.stage == PLACING:
                space = f" {chr(ord('m') + column)}{13 + row}"
                seat = int(s.turn)
                move = next(m for m in GAME.moves(s, seat) if GAME.rules.name(s, m).endswith(space))
                s = GAME.after(s, seat, move)
    scene = GAME.rules.draw(GAME.view(s, 0), 0)
    tiles = [piece for piece in scene.pieces if piece.id.startswith("tile-")]
    frame_top = min(piece.y for piece in tiles)
    assert len({(piece.x, piece.y) for piece in tiles}) == 24
    assert max(piece.y for piece in tiles) - frame_top < 404


def test_the_svg_is_whole_and_lights_what_can_be_touched():
    scene = GAME.rules.draw(GAME.view(at(SOME), 0), 0)
    root = ElementTree.fromstring(scene.svg(lit=["card-s1r", "deck", "card-a3y"]))
    uses = {
        group.get("id"): group.find("{*}use").get("href")
        for group in root.iter("{http://www.w3.org/2000/svg}g")
        if group.get("class", "").startswith("piece") and group.find("{*}use") is not None
    }
    assert uses["card-s1r"] == "#rummy-runners-card-sr-lit"
    assert uses["deck"] == "#rummy-runners-deck-lit"
    assert uses["card-a3y"] == "#rummy-runners-chip-ay-lit"
    there = {group.get("id") for group in root.iter("{http://www.w3.org/2000/svg}g")}
    assert {use.get("href").removeprefix("#") for use in root.iter("{http://www.w3.org/2000/svg}use")} <= there


TEXT = """\
        s0    s1    s2   *s3                                deck: 51 left
     s4G   s5    m0    m1    m2
  m3    m4    m5    a0    a1    a2                          [lay]
     a3V#  a4    a5    c0x   c1                             [back]
        c2    c3    c4    c5

  Violet 2 cards, 1 space               > Green  3 cards, 1 space
suns    1...  2...  3...  4...  5...    suns    1...  2...  3r..  4...  5...
moons   1...  2...  3...  4...  5...    moons   1...  2...  3...  4...  5...
arms    1...  2...  3.y.  4..b  5...    arms    1...  2...  3...  4...  5...
crowns  1...  2...  3...  4...  5..b    crowns  1...  2...  3...  4...  5...

Hand: s3b m2b m4y"""


def test_the_text_of_a_table():
    s = at(
        "green hand s3b m2b m4y | green before s3r | green claims s4 | violet hand c1r c2r | violet claims a3"
        " | violet before a3y a4b c5b | locked a3 | dead c0 | picked s3b m2b a4b",
        disputes=True,
    )
    assert GAME.rules.draw(GAME.view(s, 0), 0).text() == TEXT


def test_a_meld_is_shown_to_everybody():
    s = melded(at("green hand s1r s1y s1b"), "s1r s1y s1b")
    assert "card-s1r" in pieces(s, 1)
    assert "card-s1r" in pieces(s, SPECTATOR)

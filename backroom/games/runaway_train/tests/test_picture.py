"""What the picture of RunAway Train shows, in SVG and in text."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from backroom.engine.kernel import SPECTATOR, dice_from
from backroom.games.runaway_train.board import COLUMNS, PITCH, layout, track_key

from .boards import GAME, LITTLE, after, at, shows, start
from .test_pieces import WIDE

CHOOSE = "red 24567 points 4 | train 12 | speed 3 | engineer green | choose"


def pieces(s, seat=0):
    return {piece.id: piece for piece in GAME.rules.draw(GAME.view(s, seat), seat).pieces}


def test_each_players_suitcases_points_and_passenger():
    found = pieces(at("red 257 points 31 | blue 1234567 off | train 28 | speed 3 | choose"))
    assert {name for name in found if re.fullmatch(r"red-\d", name)} == {"red-2", "red-5", "red-7"}
    assert found["red-points"].face == "31"
    assert found["red-passenger"].label == "Red’s passenger is aboard"
    assert found["blue-passenger"].label == "Blue’s passenger is off"
    assert found["blue-4"].kind == "case-lost"
    assert found["green-4"].kind == "case"


def test_points_lie_in_chips_of_three_colours():
    found = pieces(at("red 257 points 37 | train 28 | speed 3 | choose"))
    chips = [found[f"red-chip-{i}"].kind for i in range(6)]
    assert chips == ["chip-10"] * 3 + ["chip-5"] + ["chip-1"] * 2
    assert "red-chip-6" not in found
    assert "blue-chip-0" not in found


def test_the_engineer_the_speed_the_multiplier_and_the_die():
    found = pieces(at("train 28 | speed 3 | engineer blue | die 5 | choose"))
    assert found["engineer"].label == "Blue is the engineer"
    assert (found["speed"].face, found["times"].face, found["die"].kind) == ("3", "×3", "die-5")


def test_a_train_that_was_braked_stands_on_the_first_square():
    first = pieces(at("train 20 | speed 1 | choose"))["speed"]
    for speed in (1, 2, 3):
        stopped = pieces(after(at(f"train 20 | speed {speed} | brake 18"), "brake 6"))["speed"]
        assert (stopped.face, stopped.x) == ("0", first.x)


def test_the_start_stands_clear_of_the_signs_of_the_switch():
    for switch, is_above in ((1, True), (3, True), (4, False), (32, False)):
        track = f"switch = {switch}\n[short]\nend = 40\nstop = {{ 1 = 1 }}\n[long]\nend = 40\nstop = {{ 1 = 1 }}"
        s = start(track=track)
        label = re.search(r'y="([\d.]+)"[^>]*>START<', GAME.rules.draw(s, 0).board.back)
        assert (float(label[1]) < layout(track_key(s)).spots[0][0][1]) == is_above


def test_the_speeds_of_a_long_chart_have_room():
    chart = ", ".join(f"{speed} = 1" for speed in range(31, 41))
    track = f"switch = 9\n[short]\nend = 40\nstop = {{ {chart} }}\n[long]\nend = 40\nstop = {{ 12 = 1 }}"
    scene = GAME.rules.draw(start(track=track), 0)
    assert ">31<" in scene.board.back
    assert ">≤31<" not in scene.board.back
    assert ">≤12<" in scene.board.back
    assert "≤31:1" in scene.text()


def test_sealed_cards_are_backs_that_say_ready_and_nothing_else():
    s = at(CHOOSE)
    seen = set()
    for choice in ("pass", "bluff", "passenger+conductor", "passenger+2", "conductor+7"):
        sealed = GAME.after(s, 0, GAME.rules.parse(s, choice))
        for reader in (1, SPECTATOR):
            found = pieces(sealed, reader)
            assert found["red-result"].face == "ready"
            assert found["red-card-0"].kind == found["red-card-1"].kind == "back-red"
        seen.add(GAME.rules.draw(GAME.view(sealed, 2), 2).svg())
    assert len(seen) == 1


def test_ones_own_sealed_cards_are_lifted():
    s = at(CHOOSE)
    before, found = pieces(s), pieces(GAME.after(s, 0, GAME.rules.parse(s, "conductor+7")))
    assert {name for name in found if name in before and found[name].y < before[name].y} == {"card-conductor", "card-7"}
    passed = pieces(GAME.after(s, 0, GAME.rules.parse(s, "pass")))
    assert (passed["pass"].kind, passed["bluff"].kind) == ("sealed-button", "button")


def test_the_reveal_can_be_read_at_a_glance():
    s = at("train 12 | speed 3 | choose", 6)
    s = shows(s, "passenger+4", "passenger+2", "conductor+6", "conductor+6", "passenger+conductor", "bluff")
    found = pieces(s)
    results = {name.removesuffix("-result"): piece.face for name, piece in found.items() if name.endswith("-result")}
    assert results == {
        "red": "not lowest",
        "blue": "+4",
        "green": "alike",
        "pink": "alike",
        "amber": "gets off",
        "grey": "bluff",
    }
    assert (found["blue-card-0"].kind, found["blue-card-1"].face) == ("shown-passenger", "2")
    assert found["blue-result"].kind == found["amber-result"].kind == "good"
    assert found["grey-card-1"].face == ""  # which suitcases a bluff had is nobody's business
    assert pieces(after(s, "jump"))["blue-result"].face == "+4, jumps"
    later = pieces(after(s, "stay", "roll 1"))
    assert (later["blue-result"].kind, later["blue-card-0"].kind) == ("past", "past-passenger")
    passed = pieces(shows(at("train 12 | speed 3 | choose"), "pass", "conductor+2", "conductor+3"))
    assert (passed["red-result"].face, passed["blue-result"].face) == ("pass", "not highest")


def test_a_reveal_turns_all_cards_and_then_counts_seat_by_seat():
    s = at("train 12 | speed 3 | choose", 3)
    for seat, choice in enumerate(("passenger+2", "conductor+6")):
        s = GAME.after(s, seat, GAME.rules.parse(s, choice))
    v, then = GAME.view(s, 0), GAME.view(GAME.after(s, 2, GAME.rules.parse(s, "passenger+4")), 0)
    ways = [{piece.id: piece for piece in GAME.rules.draw(way, 0).pieces} for way in GAME.rules.between(v, 2, 0, then)]
    faces = [[way[f"{name}-result"].face for name in ("red", "blue", "green")] for way in ways]
    assert faces == [
        ["", "", ""],
        ["+4", "", ""],
        ["+4", "+7", ""],
    ]
    assert all(way["green-card-0"].kind == "shown-passenger" for way in ways)
    assert not list(GAME.rules.between(then, 0, 0, then))


def test_the_train_stands_on_its_space_and_looks_where_it_goes():
    assert pieces(at("train 5 | speed 1 | choose"))["train"].kind == "train"
    assert pieces(at("train 15 | speed 1 | choose"))["train"].kind == "train-back"
    where = {
        pieces(at(f"train {n} {track} | speed 1 | choose"))["train"].label for n, track in ((40, "short"), (40, "long"))
    }
    assert where == {"the train at 40 of the short track", "the train at 40 of the long track"}
    over = after(at("train 52 short | speed 8 | stop"), "stop 1")
    assert pieces(over)["train"].kind == "wreck"


def test_the_end_shows_who_has_won_and_what_became_of_the_others():
    s = at("red none points 70 | blue 1234567 off | green 12 points 30 | train 52 short | speed 4 | stop")
    over, safe = pieces(after(s, "stop 2")), pieces(after(s, "stop 3"))
    assert (over["red-result"].face, over["blue-wins"].label) == ("over the cliff", "Blue has won")
    assert [safe[f"{who}-result"].face for who in ("red", "green")] == ["safe", "safe, +3"]
    assert [name for name in safe if name.endswith("-wins")] == ["red-wins"]
    lost = pieces(after(at("train 52 short | speed 9 | stop"), "stop 6"))
    assert not [name for name in lost if name.endswith("-wins")]


def test_the_chart_shows_what_would_be_needed_now():
    before = pieces(at("train 5 | speed 4 | choose"))
    assert {"needed-short", "needed-long"} <= set(before)
    chosen = pieces(at("train 40 long | speed 4 | choose"))
    assert "needed-short" not in chosen
    fast = pieces(at("train 40 long | speed 30 | choose"))
    assert fast["needed-long"].x > chosen["needed-long"].x


@pytest.mark.parametrize("track", ["standard", LITTLE, WIDE], ids=["standard", "little", "wide"])
def test_everything_lies_on_the_board_and_ids_are_its_own(track):
    for seats in (3, 6):
        s = start(seats, track=track, last_gasp="yes")
        for _ in GAME.stroll(s, seats, dice_from(seats)):
            for reader in (0, SPECTATOR):
                scene = GAME.rules.draw(GAME.view(s, reader), reader)
                assert len({piece.id for piece in scene.pieces}) == len(scene.pieces)
                for piece in scene.pieces:
                    assert 0 <= piece.x <= scene.board.width
                    assert 0 <= piece.y <= scene.board.height


@pytest.mark.parametrize("track", ["standard", LITTLE, WIDE], ids=["standard", "little", "wide"])
def test_every_space_of_a_track_has_a_place_of_its_own(track):
    at_ = layout(track_key(start(track=track)))
    places = [at_.spots[part][n] for part in range(3) for n in at_.spots[part] if part == 0 or n != at_.switch]
    assert len(set(places)) == len(places) == at_.ends[0] + 1 + sum(at_.ends[part] - at_.switch for part in (1, 2))
    assert max(x for x, _ in places) - min(x for x, _ in places) <= (COLUMNS - 1) * PITCH


def test_boards_of_different_tracks_are_different():
    one, other = (GAME.rules.draw(start(track=track), 0).board for track in ("standard", LITTLE))
    assert one.back != other.back
    assert one.text != other.text
    assert GAME.rules.draw(start(), 0).board is one


def test_touching_cards_signs_and_buttons():
    s = at(CHOOSE)
    touch = {GAME.rules.name(s, move): GAME.rules.touch(s, 0, move) for move in GAME.moves(s, 0)}
    assert touch["passenger+2"] == ["card-passenger", "card-2"]
    assert touch["conductor+7"] == ["card-conductor", "card-7"]
    assert touch["passenger+conductor"] == ["card-passenger", "card-conductor"]
    assert (touch["bluff"], touch["pass"]) == (["bluff"], ["pass"])
    switch = at("train 32 | speed 3 | left 1 | switch")
    assert [GAME.rules.touch(switch, 0, move) for move in GAME.moves(switch, 0)] == [["short"], ["long"]]
    jump = shows(at(CHOOSE), "passenger+2", "pass", "pass")
    assert [GAME.rules.touch(jump, 0, move) for move in GAME.moves(jump, 0)] == [["jump"], ["stay"]]
    assert {"jump", "stay"} <= set(pieces(jump, 0))
    assert not {"jump", "stay"} & set(pieces(jump, 1))


def test_the_svg_is_whole_and_lights_what_can_be_touched():
    scene = GAME.rules.draw(GAME.view(at(CHOOSE, 6), 0), 0)
    root = ElementTree.fromstring(scene.svg(lit=["card-passenger", "pass"]))
    uses = {
        group.get("id"): group.find("{*}use").get("href")
        for group in root.iter("{http://www.w3.org/2000/svg}g")
        if group.find("{*}use") is not None
    }
    assert uses["card-passenger"] == "#runaway-train-held-passenger-lit"
    assert uses["pass"] == "#runaway-train-button-lit"
    assert uses["card-2"] == "#runaway-train-held-suitcase"
    shapes = {group.get("id") for group in root.iter("{http://www.w3.org/2000/svg}g")}
    assert {use.removeprefix("#") for use in uses.values()} <= shapes


def test_words_are_large_enough_for_a_phone():
    """At 360 pixels of 600 nothing is written smaller than 10.8 pixels."""
    for track in ("standard", WIDE):
        scene = GAME.rules.draw(GAME.view(start(6, track=track), 0), 0)
        sizes = [int(n) for n in re.findall(r'font-size="(\d+)"', scene.svg())]
        assert min(sizes) >= 18
        assert scene.board.width == 600


TEXT = """\
       0        10      18      26    32
 track S---------2-#-----½-------3-----Y

 short                                  -----B-----4-------]
                                             38    44      52
 long                                   -------------B---------4-----------]
                                                     46        56          68
 Speed 3    ×2    die [4]
 To stop at the end of short  (speed:least roll)  ≤2:1 3:2 4:3 5:4 6:5 7:6 8+:–
 To stop at the end of long   (speed:least roll)  ≤3:1 4:2 5:3 6:4 7:5 8:6 9+:–

   ● Red    aboard  .2.4567    4   ▒▒ ready: bluff
   ■ Blue   aboard  1234567    0   conductor+6: alike
 > ▲ Green  aboard  1234567    0   conductor+6: alike

 passenger  conductor  2  4  5  6  7    [bluff]  [pass]"""


def test_the_text_of_a_board():
    s = at(
        "red 24567 points 4 chose bluff showed passenger+1 gained 1 | blue 1234567 showed conductor+6 | "
        "green 1234567 showed conductor+6 | train 12 | speed 3 | engineer green | die 4 | choose"
    )
    assert GAME.rules.draw(s, 0).text() == TEXT

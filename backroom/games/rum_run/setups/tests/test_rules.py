"""One test for each § of the editor's rules: what can be done with a draft, and which faults are found."""

import pytest

from backroom.games.rum_run.pieces import EVENTS, OBJECTIVES, STILLS
from backroom.games.rum_run.setup_file import FOLDER, NAMED, called, file_of, read

from .boards import GAME, after, begin, blocked, made, names, stills, why, wrong

rules = GAME.rules


def test_1_1_boards_of_ten_to_sixteen():
    s = begin()
    assert made(s).size == 14
    assert [name for name in names(s) if name.startswith("size")] == [f"size {n}" for n in (10, 11, 12, 13, 15, 16)]
    assert sum(name.startswith("at ") for name in names(s)) == 14 * 14
    assert "at j10" in names(after(s, "size 10"))
    assert why(after(s, "size 10"), "at k3") == "column K, row 3 is off a board of 10 × 10 (§1.1)"


def test_1_2_forest_folk_come_along_or_not():
    s = after(begin(), "folk")
    assert made(s).has_folk
    assert not made(after(s, "folk")).has_folk


def test_1_5_each_still_once_and_its_taps_turn_with_it():
    s = after(begin(), "place Granny's Cellar", "at a1")
    assert "place Granny's Cellar" not in names(s)
    assert why(s, "place Granny's Cellar") == "it is not in the box (§3.1)"
    assert not any("tap" in what for what in wrong(s))  # its tap is below it
    s = after(s, "at b2", "turn", "back")
    assert "a tap of Granny's Cellar at a1 would be off the board (§2.1)" in wrong(s)


def test_2_1_what_is_missing_overlaps_or_lies_on_a_tap_is_named():
    s = begin()
    assert wrong(s)[0] == "the setup does not say where the Town Center is (§2.1)"
    s = after(s, "place town center", "at g7", "place fort firewater", "at f6")
    assert wrong(s)[0] == "Fort Firewater at f6 overlaps the Town Center at g7 (§2.1)"
    s = after(s, "at f6", "at c3", "place fog", "at c2")
    assert wrong(s)[0] == "fog at c2 lies on a tap of Fort Firewater at c3, c2 (§2.1)"
    s = after(s, "at c2", "remove", "place log", "at c4")
    assert wrong(s)[0] == "log overlaps Fort Firewater at c3 at c4 (§2.1)"
    hidden = after(begin("small"), "at c3", "flip", "back", "at f3", "flip", "back")
    assert wrong(hidden) == []
    assert "a tap of Fort Firewater at i3 would be off the board (§2.1)" in wrong(
        after(hidden, "at f3", "at i3")  # where Cooper's Hollow, turned so, would be too
    )


def test_2_3_barrels_for_a_certain_winner():
    s = after(begin("first"), "at c3", "remove")
    assert wrong(s) == []
    assert rules.question(s, 0).startswith("Playable by 2 players: 17 barrels in 3 stills (§2.3).")
    s = after(s, "at k4", "remove")
    assert wrong(s)[0].startswith("the stills hold 10 barrels; expected at least 21 for four players, 19 for three")
    many = after(begin("first"), "place lantern loft", "at g11")
    assert wrong(many)[-1].endswith("and 25 at most (§2.3)")
    assert wrong(after(many, "place hollow oak", "at g3"))[0].startswith("6 stills; expected 1 to 5")
    assert wrong(begin())[1].startswith("0 stills; expected 1 to 5")


def test_3_1_something_out_of_the_box_or_a_node_first():
    one = after(begin(), "place Widow's Well", "at d11")
    other = after(begin(), "at d11", "place Widow's Well")
    assert stills(one) == stills(other) == ["d11 0"]
    assert GAME.key(one) == GAME.key(other)
    s = after(begin(), "place fog", "at c3", "place fog")
    assert "at c3" not in names(s)
    assert why(s, "at c3") == "there is fog already (§3.1)"
    for node in ("c4", "c5", "c6", "c7", "c8"):
        s = after(s, f"at {node}", *(["place fog"] if node != "c8" else []))
    assert "place fog" not in names(s)
    assert len(made(s).fog) == 6
    swapped = after(begin(), "place log", "turn", "place lake")
    assert why(swapped, "place lake") == "it is in the hand (§3.1)"
    assert blocked(after(swapped, "at c3", "place log", "at g3")) == ["g3 h3", "c3 d3 c4 d4"]


def test_3_2_turn_flip_remove_and_move():
    s = after(begin("first"), "at d4")  # any node that it covers
    assert names(s)[:3] == ["turn", "flip", "remove"]
    assert stills(after(s, "turn", "turn", "flip", "back"))[0] == "c3 2v"
    assert stills(after(s, "turn", "turn", "turn", "turn", "back"))[0] == "c3 0"
    assert stills(after(s, "at d5"))[0] == "d5 0"
    assert len(stills(after(s, "remove"))) == 3
    assert stills(after(s, "turn", "remove", "place fort firewater", "at c3"))[0] == "c3 0"
    card = after(begin(), "at c3", "place log", "at c3")
    assert blocked(after(card, "turn")) == ["c3 c4"]
    assert made(after(card, "flip")).obstacles[0].face == 0
    boulder = after(card, "turn", "flip")
    assert "turn" not in names(boulder)
    assert why(boulder, "turn") == "it looks the same from all sides (§3.2)"
    assert GAME.key(after(begin(), "place lake", "flip", "turn", "back"))[8:] == GAME.key(begin())[8:]
    town = after(begin("first"), "at g7")
    assert names(town)[:1] == ["remove"]
    assert why(town, "flip") == "it has no other side (§3.2)"
    assert why(town, "size 10") == "something is chosen; lay it down, or go back first (§3.2)"
    assert why(begin(), "turn") == "choose something first (§3.2)"
    assert why(begin(), "back") == "nothing is chosen (§3.2)"
    assert why(after(begin(), "place log"), "remove") == "it does not lie on the board (§3.2)"


def test_3_2_of_things_on_one_node_the_smallest_is_chosen():
    s = after(begin("first"), "place fog", "at c3")
    assert rules.question(after(s, "at c3"), 0).startswith("What of fog at column C, row 3?")
    assert rules.question(after(s, "at d3"), 0).startswith("What of Fort Firewater at column C, row 3?")


def test_3_3_nothing_reaches_over_the_edge():
    s = after(begin(), "place widow's well", "at n14")
    assert stills(s) == ["m13 0"]
    s = after(begin(), "place fallen oak", "at n14")
    assert blocked(s) == ["l14 m14 n14"]
    assert blocked(after(s, "at n14", "turn", "back")) == ["l12 l13 l14"]


def test_3_4_a_smaller_board_sends_things_back_into_the_box():
    s = after(begin("standard"), "size 10")
    assert (len(made(s).stills), len(made(s).obstacles), len(made(s).fog)) == (1, 2, 5)
    assert "place Crooked Creek" in names(s)
    assert len(made(after(s, "size 14")).stills) == 1
    assert why(s, "size 10") == "the board has that size (§3.4)"


def test_3_5_lists_of_events_and_objectives():
    s = after(begin(), "events")
    assert names(s) == [*(f"event {name}" for name in EVENTS), "all", "none", "back"]
    s = after(s, "dynamite", "event washout", "washout", "back", "objectives", "all", "landlord", "back")
    assert bin(made(s).events).count("1") == 1
    assert bin(made(s).objectives).count("1") == len(OBJECTIVES) - 1
    assert made(after(s, "objectives", "none")).objectives == 0
    assert why(s, "event dynamite") == "look at the events or the objectives first (§3.5)"
    assert why(after(s, "events"), "folk") == "a list is looked at; go back first (§3.5)"


def test_3_6_done_at_any_time_and_nothing_is_won():
    s = after(begin(), "done")
    assert GAME.asked(s) == ()
    assert GAME.score(s, 1) == (1.0,)
    assert rules.why(s, 0, rules.parse(s, "folk")) == "the draft is done (§3.6)"


def test_3_6_a_draft_that_can_be_played_is_a_setup_and_one_that_cannot_is_refused_alike():
    for name in NAMED:
        s = begin(name)
        assert wrong(s) == []
        text = rules.MAKES.write(s)
        assert sorted(read(text).stills, key=str) == sorted(called(name).stills, key=str)
        assert made(begin(text)) == made(s)
    s = after(begin("first"), "at g7", "at c3")
    with pytest.raises(ValueError, match=r"line 10: Fort Firewater at c3 overlaps the Town Center at c3 \(§2.1\)"):
        read(rules.MAKES.write(s))
    assert made(begin(rules.MAKES.write(s))) == made(s)


def test_3_7_after_two_thousand_steps_it_is_done():
    s = begin()
    for _ in range(1999):
        rules.play(s, 0, rules.parse(s, "folk"))
    assert GAME.asked(s) == (0,)
    s = after(s, "place log")
    assert GAME.asked(s) == ()
    assert s.hand == -1


def test_files_are_written_as_they_are_kept():
    for name in NAMED:
        kept = called(name)
        assert read(file_of(kept)) == kept
        assert (FOLDER / f"{name}.toml").exists()


def test_the_record_is_small():
    assert rules.STATE.itemsize <= 512
    assert len(STILLS) == 12

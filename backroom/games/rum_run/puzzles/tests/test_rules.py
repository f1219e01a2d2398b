"""One test for each § of the rules; what the solver proves is in test_solver.py."""

import pytest

from backroom.games.rum_run.puzzles.notation import read_puzzle
from backroom.games.rum_run.puzzles.rules import STATE
from backroom.games.rum_run.setup_file import node_called

from .boards import GAME, PLAIN, after, at, can, holder, names, why


def test_the_record_is_small():
    assert STATE.itemsize <= 2048


# §1 What there is


def test_1_1_a_small_board_with_a_town_and_a_barrel():
    s = at()
    assert (s.width, s.town, s.aim) == (6, node_called("c5"), node_called("c1"))
    assert set(names(s)) >= {"c4", "b5", "d5", "c6"}
    for size, wrong in (("3", "from 4 to 9"), ("10", "from 4 to 9")):
        with pytest.raises(ValueError, match=wrong):
            read_puzzle(PLAIN.replace("size 6", f"size {size}"))
    with pytest.raises(ValueError, match=r"g2 is off the board \(§1.1\)"):
        read_puzzle(PLAIN.replace("barrel c1", "barrel g2"))
    corner = at(puzzle=PLAIN.replace("town c5", "town a6"))
    assert [name for name in names(corner) if len(name) == 2] == ["a5", "b6"]


def test_1_2_straight_tokens_have_two_arms_and_doubles_four():
    s = after(at(), "c4 1|2")
    assert {"c3"} == set(names(s)) & {"c3", "b4", "d4"}
    s = after(at(puzzle=PLAIN.replace("1|4", "3|6")), "c4 3|3", "c3 3|2")
    assert {"b4", "d4"} <= set(names(s))  # for 3|6
    s = at(puzzle=PLAIN.replace("1|4", "*|4"))
    assert can(s, "c4 *6|4")


def test_1_3_red_has_tokens_and_no_seat():
    s = at("red c4:4|6^")
    assert GAME.rules.SEATS == (1,)
    assert holder(s, "c4") == "red"
    assert GAME.asked(s) == (0,)
    assert GAME.moves(s, 1) == []


# §2 A puzzle


def test_2_1_six_tokens_and_nothing_on_top_of_another():
    s = at("boulders b5 d5 | blue c4:1|3v | red a1:1|2^ c1:5|5")
    assert names(s)[-6:] == ["1|2", "1|4", "2|3", "2|5", "3|3", "5|6"]
    assert not {"b5", "d5"} & set(names(s))
    assert holder(s, "c1") == "red"  # on the barrel
    for more, wrong in (
        ("boulders c1", "nodes of their own"),
        ("boulders c5", "nodes of their own"),
        ("blue c4:1|2v", r"blue does not have 1\|2 twice"),
        ("red c4:1|2v a1:1|2v", r"red does not have 1\|2 twice"),
        ("boulders c4 | red c4:1|2v", "no token can lie on c4"),
        ("red c5:1|2v", "no token can lie on c5"),
        ("red h8:1|2v", "no token can lie on h8"),
        ("blue c1:1|3v", "lies on the barrel already"),
        ("blue c4:1|3", "an arrow says"),
        ("blue c4", "is no token on a node"),
        ("boulders a1 a2 a3 a4 a5 a6 b1 b2 b3 b4 b5", "at most 10 boulders and 8 tokens"),
        ("size 7", "says 'size' twice"),
        ("fog a1", "is no part of it"),
    ):
        with pytest.raises(ValueError, match=wrong):
            read_puzzle(f"{PLAIN} | {more}")
    with pytest.raises(ValueError, match="six different tokens are given, not 5"):
        read_puzzle(PLAIN.replace(" 5|6", ""))
    with pytest.raises(ValueError, match="six different tokens are given, not 5"):
        read_puzzle(PLAIN.replace("5|6", "1|2"))
    with pytest.raises(ValueError, match="does not say 'barrel'"):
        read_puzzle("size 6 | town c5 | tokens 1|2")


def test_2_2_six_placings_though_a_token_comes_back():
    s = at()
    for _ in range(3):
        s = after(s, "c4 1|2", "c4 1|4")
    assert (s.reserve, s.over) == (0, 0)
    assert names(s) == ["give up"]
    assert why(s, "c4").endswith("(§2.2)")


# §3 Playing


def test_3_1_a_node_then_a_token_or_a_token_then_a_node():
    s = at()
    one = after(s, "c4", "c4 1|2")
    other = after(s, "1|2", "c4 1|2")
    assert GAME.key(one) == GAME.key(other)
    assert GAME.key(after(s, "c4", "back")) == GAME.key(s)
    assert GAME.key(after(s, "1|2", "back")) == GAME.key(s)
    assert not [name for name in names(one) if name.startswith(("pick", "return"))]
    assert why(one, "pick c4").endswith("(§3.1)")
    assert why(one, "return c4").endswith("(§3.1)")


def test_3_2_who_can_place_nothing_can_only_give_up():
    s = at("boulders b5 d5 c6 c4")
    assert names(s) == ["give up"]
    over = after(s, "give up")
    assert not GAME.asked(over)
    assert GAME.score(over, 1) == (0,)
    assert why(at(), "give up").endswith("(§3.2)")


# §4 Building


def test_4_1_a_token_links_to_the_town_or_to_a_joined_token():
    s = after(at(), "c4 1|2")
    assert can(s, "c3 2|3")
    assert can(s, "c3 2|5")
    assert not can(s, "c3 1|4")
    assert why(after(s, "c3"), "c3 1|4").endswith("(§4.1)")
    assert "a1" not in names(s)
    cut_off = at("blue c2:3|6v")
    assert "c1" not in names(cut_off)


def test_4_2_straight_tokens_run_straight_and_may_touch_others():
    s = after(at(), "c4 1|2", "d5 4|1")
    assert not {"b4", "d4"} & set(names(s))
    assert can(s, "c3 2|3")


def test_4_3_a_double_needs_a_second_at_once():
    s = after(at(), "c4 3|3")
    assert set(names(s)) == {"c3 3|2", "b4 3|2", "d4 3|2"}
    assert "back" not in names(s)
    s = at(puzzle=PLAIN.replace("2|3", "2|6"))
    assert "3|3" not in names(s)  # nothing else has a 3
    assert why(s, "3|3").endswith("(§4.1, §4.3)")


def test_4_4_a_star_is_given_a_number():
    s = after(at(puzzle=PLAIN.replace("1|4", "*|4")), "c4 1|2", "c3")
    assert can(s, "c3 *2|4")
    assert not can(s, "c3 *3|4")
    s = after(at(puzzle=PLAIN.replace("1|4", "*|*")), "c4 3|3")
    assert "c3 *3|*3" in names(s)
    third = after(s, "c3 *3|*3")
    assert set(names(third)) == {"c2 3|2", "b3 3|2", "d3 3|2"}


def test_4_5_a_stronger_token_breaks_a_red_one_and_any_covers_ones_own():
    s = at("red c4:2|3^")
    assert can(s, "c4 1|5>") is False
    assert can(s, "c4 2|5")
    assert can(s, "c4 3|3")
    assert not can(s, "c4 2|3")  # not stronger
    assert why(after(s, "2|3"), "c4 2|3").endswith("(§4.5)")
    broken = after(s, "c4 2|5")
    assert holder(broken, "c4") == "blue"
    assert broken.broken[0] == 1
    own = after(at(), "c4 1|2", "c3 2|3", "c4 1|4")
    assert "1|2" in names(own)
    assert not can(own, "c3 1|2")


# §5 Solving


def test_5_1_solved_at_once_when_a_token_lies_on_the_barrel():
    s = after(at("blue c4:1|3v c3:3|4v"), "c2 4|1")
    s = after(s, "c1 1|2")
    assert not GAME.asked(s)
    assert GAME.score(s, 1) == (1,)
    double = after(at("blue c4:1|6v c3:6|4v c2:4|3v"), "c1 3|3")
    assert not GAME.asked(double)
    assert double.winners == 1


def test_5_2_lost_when_given_up():
    s = at("boulders b5 d5 c6 c3 | blue c4:1|3v")
    for token in ("1|2", "1|4", "1|2", "1|4", "1|2", "1|4"):  # round and round on the only node there is
        assert GAME.score(s, 1) == (0,)
        s = after(s, f"c4 {token}")
    assert GAME.asked(s) == (0,)
    lost = after(s, "give up")
    assert (lost.over, lost.winners) == (1, 0)
    assert GAME.score(lost, 1) == (0,)
    assert GAME.rules.why(lost, 0, GAME.rules.parse(lost, "c4")).endswith("(§5)")


def test_5_3_the_shortest_counts_one_and_a_longer_way_half():
    start = at("blue c4:1|3v c3:3|6v c2:6|4v", puzzle=PLAIN.replace("in 4", "in 1"))
    assert GAME.score(after(start, "c1 4|1"), 1) == (1,)
    assert GAME.score(after(start, "b5 1|2", "c1 4|1"), 1) == (0.5,)

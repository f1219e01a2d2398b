"""One test for each § about building (§4)."""

import itertools

import pytest

from backroom.games.rum_run.pieces import PAIRS

from .boards import GAME, LOOP, after, at, can, held, names, owner, steps, why

# §4 Building


def test_4_1_a_token_links_to_the_town_center_or_to_a_joined_token():
    s = at("blue g6:1|2v c9:3|4^")
    assert can(s, "h7 5|6")
    assert can(s, "h7 6|5")
    assert can(s, "g5 2|6")
    assert not can(s, "g5 6|2")
    assert "nothing shows 6 there to link with (§4.1)" in why(after(s, "g5"), "g5 6|2")
    assert "c8" not in names(s)  # cut off
    assert "nothing of yours that is joined" in why(s, "c8")
    assert "not free" in why(s, "g7")


def test_4_1_roads_are_not_built_from_stills():
    s = at("blue d5:2|2 e3:1|3<", setup="small")
    assert steps(s, "e3") == 3  # the still is a piece of the road (§6.7)
    assert sorted(name for name in names(s) if len(name) == 2) == ["c5", "d5", "e4", "e6", "f5"]


def test_4_2_roads_touch_without_linking():
    s = at("blue g6:1|2v g5:3|4v | red h6:2|3v")
    assert steps(s, "g6") == 1
    assert steps(s, "g5") == 0
    assert steps(s, "h6") == 0  # it does not face the Town Center


def test_4_3_a_double_needs_a_second():
    s = after(at("blue g6:1|2v"), "g5 2|2")
    assert GAME.asked(s) == (0,)
    assert {name.split()[0] for name in names(s)} == {"f5", "h5", "g4"}
    assert all(name.split()[1].startswith("2|") for name in names(s))
    s = after(s, "f5 2|6")
    assert GAME.asked(s) == (1,)
    assert steps(s, "f5") == 3


def test_4_3_no_dead_ends_a_double_without_a_second_may_not_be_placed():
    lone = at("blue g6:1|2v a1:2|3> a2:2|4> a3:2|5> a4:2|6>")
    assert "2|2" in names(lone)  # over g6, or beside the Town Center, what returns follows it
    assert not can(lone, "g5 2|2")
    assert "g5" not in names(lone)
    assert "none of your tokens fits there; a double needs a second" in why(lone, "g5")
    s = at("blue g6:1|2v a2:2|3> a3:2|4> a4:2|5>")
    assert sorted(names(after(s, "g5 2|2"))) == ["f5 2|6", "g4 2|6", "h5 2|6"]


def test_4_3_what_has_just_returned_may_be_the_second():
    s = at("blue g6:1|2v g5:2|6v a2:2|3> a3:2|4> a4:2|5>")
    s = after(s, "g5 2|2")  # over the 2|6, which comes back
    assert "g4 2|6" in names(s)


def test_4_3_doubles_chain_and_the_second_needs_a_third():
    s = at("blue g6:1|2v a2:2|3> a3:2|4> a4:2|5>", folk="yes")
    s = after(s, "g5 2|2")
    assert "f5 *2|*2" in names(s)
    s = after(s, "f5 *2|*2")
    assert {name.split()[0] for name in names(s)} == {"e5", "f4", "f6"}
    assert not any(name.endswith("*2|*2") for name in names(s))
    s = after(s, "e5 2|6")
    assert GAME.asked(s) == (1,)
    s = after(at("blue g6:1|2v", folk="yes"), "g5 *2|*2", "f5 2|2", "e5 2|3")
    assert (steps(s, "e5"), GAME.asked(s)) == (4, (1,))


def test_4_3_a_second_never_covers_what_its_double_hangs_on():
    s = after(at("blue f7:1|5>"), "e7 5|5")
    assert {name.split()[0] for name in names(s)} == {"e6", "e8", "d7"}
    assert "one of the three remaining arms (§4.3)" in why(s, "f7 5|2")  # though it would link to the Town Center
    s = after(at("blue f7:1|5>", folk="yes"), "e7 5|5", "e6 *5|*5")
    assert {name.split()[0] for name in names(s)} == {"d6", "e5", "f6"}  # nor does the third cover the first
    assert "one of the three remaining arms (§4.3)" in why(s, "e7 5|2")
    assert "links to an arm of the double" in why(s, "e8 5|2")


def test_4_3_of_several_sides_by_which_a_double_was_placed_one_stays_as_it_is():
    s = after(at(LOOP.replace(" g5:4|4", "")), "g5 4|4")
    assert {name.split()[0] for name in names(s)} == {"g4", "g6", "f5", "h5"}
    # a paved road that comes to the builder by the double is none of them
    red = "red g6:1|3v g5:3|3 f5:3|4> e5:4|4"
    s = after(at(f"blue f7:1|5> | {red} | paved e6:ns 1 1 2 | fog none"), "e7 5|5")
    assert s.keeper == 0
    assert {name.split()[0] for name in names(s)} == {"d7", "e8"}


FOLK = " ".join(f"{column}1:*{2 if n != 2 else 3}|{n}>" for column, n in zip("abcdef", range(1, 7), strict=True))
"""The straight Forest Folk out of the way."""
ROUND = "blue f7:6|5> e7:5|5 e6:5|2v e5:2|2 d6:3|4^"
"""A road that comes round to d7, beside e7, over a paved road on d5: a token that covers e7 must link to f7."""
PAVED = "paved d5:es 0 0 1 | fog none"
WALL = "red c7:6|6 d8:5|5"
"""On two sides of d7, too strong for what blue has left."""


def test_4_3_a_second_over_ones_own_road_keeps_the_double_joined():
    s = after(at(f"{ROUND} | {PAVED}", folk="yes"), "d7 4|4")
    assert [name for name in names(s) if name.startswith("e7")] == ["e7 4|5", "e7 4|*5", "e7 *4|5"]
    assert "keeps it joined" in why(s, "e7 4|6")


def test_4_3_a_double_may_be_followed_only_over_ones_own_road():
    s = at(f"{ROUND} | {WALL} | {PAVED}")
    assert names(after(s, "d7 4|4")) == ["e7 4|5"]
    assert not can(at(f"{ROUND} a4:4|5> | {WALL} | {PAVED}"), "d7 4|4")
    assert not can(at(f"{ROUND} a4:4|5> {FOLK} | {WALL} | {PAVED}", folk="yes"), "d7 4|4")  # *|* would cut it off


def test_4_3_only_a_second_double_may_keep_the_first_joined():
    road = f"{ROUND} g8:3|6^ g9:6|6 f9:6|1> e9:1|1 e8:4|1^ a4:4|5> {FOLK}"
    s = after(at(f"{road} | {WALL} | {PAVED}", folk="yes"), "d7 4|4")
    assert names(s) == ["e7 *4|*4"]  # it links to e8 beside it
    s = after(s, "e7 *4|*4")
    assert {"f7 4|6", "e6 4|6"} <= set(names(s))
    blocked = f"{road} | {WALL} | {PAVED} | mud f7 e6 e8"
    assert not can(at(blocked, folk="yes"), "d7 4|4")  # no third


def test_4_3_a_double_of_stars_needs_a_second_too():
    plain = " ".join(
        f"{column}{row}:{a}|{b}>" if a != b else f"{column}{row}:{a}|{b}"
        for (a, b), (column, row) in zip(
            [(a, b) for a in range(1, 7) for b in range(a, 7)],
            itertools.product("abcdefghijklmn", (13, 14)),
            strict=False,
        )
    )
    s = at(f"blue {plain} {FOLK}", folk="yes")
    assert "*|*" not in names(s)
    assert "*|*" in names(at(f"blue {plain}", folk="yes"))


def test_4_5_a_longer_way_round_carries_the_link():
    """g4 faces g5 and is joined by another branch; it is farther from home than what it would carry."""
    branch = "blue g6:1|1 g5:1|2v h6:1|3< i6:3|3 i5:3|4v i4:4|4 h4:4|5> g4:5|5"
    s = at(branch)
    assert [steps(s, node) for node in ("g5", "g4")] == [2, 7]
    assert can(s, "g5 5|6^")
    assert not can(at(branch.replace("g4:5|5", "g4:5|6^")), "g5 5|6^")


def test_4_4_a_star_is_given_a_number_and_keeps_it():
    s = at("blue g6:1|2v", folk="yes")
    assert can(s, "g5 *2|5")
    assert not can(s, "g5 *3|5")
    assert can(s, "g5 2|*6")  # the *|2 by its 2
    with pytest.raises(ValueError, match=r"not the other end's .§4\.4"):
        GAME.rules.parse(s, "g5 *2|2")
    s = after(s, "g5 *2|5")
    s = at(GAME.rules.position(s).replace("turn red", "turn blue"), folk="yes")
    assert can(s, "g4 5|1")
    weak = at("blue g6:1|2v | red g5:1|4^", folk="yes")
    assert can(weak, "g5 *2|6")
    assert not can(weak, "g5 *2|5")  # its strength stays its printed dots
    assert "the star-5 is not stronger than what lies there, 5 dots (§4.5)" in why(after(weak, "g5"), "g5 *2|5")


def test_4_5_breaking_takes_a_higher_strength_and_the_barrels():
    s = at("blue g6:1|2v | red g5:1|4>+2")
    assert not can(s, "g5 2|3")
    assert "the 2-3 is not stronger than what lies there, 5 dots" in why(after(s, "g5"), "g5 2|3")
    s = after(s, "g5 2|4")
    assert owner(s, "g5") == "blue"
    assert held(s, "g5") == [2]
    assert int(s.hand[1]) >> PAIRS.index((1, 4)) & 1
    assert list(s.broken[:2]) == [1, 0]
    assert s.quiet == 0  # stolen


def test_4_5_ones_own_may_be_covered_but_not_what_carries_the_link():
    s = after(at("blue g6:1|2v+1 g5:2|3v g4:3|6v"), "g6 5|2")
    assert held(s, "g6") == [1]
    assert steps(s, "g4") == 3
    s = at("blue g6:1|2v g5:2|3v g4:3|6v")
    assert can(s, "g5 2|5v")
    assert not can(s, "g5 3|5^")  # that link runs through the token itself
    assert "nothing shows 3 there to link with" in why(after(s, "g5"), "g5 3|5^")
    s = at(LOOP)
    assert [steps(s, node) for node in ("f5", "g5", "h5")] == [5, 6, 5]
    assert can(s, "f5 4|5>")  # g5 is joined by the other way
    assert not can(at(LOOP.replace("h7:1|5<", "a1:1|5<")), "f5 4|5>")


def test_4_5_the_repair_by_a_stronger_double():
    s = at("blue g6:1|3v g4:3|4v+1 | red g5:1|2>")
    assert steps(s, "g4") == 0
    s = after(s, "g5 3|3", "h5 3|6")
    assert [steps(s, node) for node in ("g6", "g5", "g4", "h5")] == [1, 2, 3, 3]
    assert s.broken[0] == 1


def test_4_6_loose_tokens_are_moved_or_returned():
    s = at("blue g6:1|2v g5:2|3v g4:3|5v h7:1|4<+1")
    assert {"pick g4", "return g4"} <= set(names(s))
    assert "pick g5" not in names(s)
    assert "linked to more than one thing" in why(s, "pick g5")
    assert "it holds barrels" in why(s, "return h7")
    assert "you have no token six north and six west of the Town Center" in why(s, "return a1")
    s = after(s, "pick g4")
    assert "g4 3|5" not in names(s)  # not exactly as it lay
    assert "not put back exactly as it lay" in why(s, "g4 3|5")
    assert "f7 5|3" in names(s)
    back = after(s, "back")
    assert "return g4" in names(back)
    assert steps(back, "g4") == 3
    s = after(s, "f7 5|3")
    assert (owner(s, "g4"), owner(s, "f7"), int(s.lifted)) == ("nobody", "blue", -1)
    s = after(at("blue g6:1|2v g5:2|3v"), "return g5")
    assert (owner(s, "g5"), GAME.asked(s)) == ("nobody", (1,))


def test_4_6_one_tap_is_no_link_and_cut_off_tokens_may_be_loose():
    s = at("blue d5:1|1 b9:4|5^", setup="small")
    assert "return d5" in names(s)  # a double at a tap, linked to the Town Center alone
    assert "return b9" in names(s)
    # of several taps of one token all but one are links: e3 lies between Fort Firewater and Cooper's Hollow, turned
    two_taps = (
        'setup = {town = "g7", still = [{name = "Fort Firewater", at = "c3"}, {name = "Badger Bog", at = "f3"}, '
        '{name = "Hollow Oak", at = "k10"}]}'
    )
    s = at("blue e3:4|5<", setup=two_taps)
    assert "return e3" in names(s)
    s = at("blue e3:5|5 e4:5|1^", setup=two_taps)
    assert "return e3" not in names(s)  # two taps and a token: two links
    assert "return e4" in names(s)


def test_4_7_roads_cut_off_stay_and_block_and_cannot_be_built_on():
    s = at("blue g6:1|2v g4:3|4v+2 | red h7:1|1 | turn red")
    assert steps(s, "g4") == 0
    assert "g3" not in names(at(GAME.rules.position(s).replace("turn red", "turn blue")))
    assert owner(s, "g4") == "blue"
    s = after(at(GAME.rules.position(s).replace("turn red", "turn blue")), "g5 2|3")
    assert steps(s, "g4") == 3

"""The rulebook, a test a §."""

import itertools

import pytest

from backroom.engine.game import BadOption
from backroom.engine.kernel import NATURE, dice_from
from backroom.games.rum_run.pieces import PAIRS, STILLS, STRENGTH, SUPPLY, TAPS
from backroom.games.rum_run.rules import STATE
from backroom.games.rum_run.setups import called, node_called, node_name, taps_of

from .boards import GAME, after, at, can, fresh, held, is_natures, names, owner, scores, steps, why

# §1 What there is


def test_1_1_nodes_are_called_by_column_and_row_and_neighbours_are_orthogonal():
    assert [node_name(node) for node in (0, 15, 16, 255)] == ["a1", "p1", "a2", "p16"]
    s = at("blue g6:1|2v")
    assert can(s, "g5 2|3")
    assert not can(s, "f5 2|3")
    s = at("blue e4:1|2v e3:2|3v e2:3|4v e1:4|5v", setup="small")
    assert steps(s, "e1") == 4
    assert sorted(name for name in names(s) if len(name) == 2) == ["d5", "e1", "e2", "e3", "e4", "e6", "f5"]


def test_1_2_each_colour_has_28_tokens_whose_strength_is_their_dots():
    assert len(PAIRS) == 28
    assert [int(STRENGTH[PAIRS.index(pair)]) for pair in [(1, 1), (6, 6), (0, 4), (0, 0)]] == [2, 12, 4, 0]
    assert len(names(fresh())) == 21
    assert names(fresh(folk="yes"))[-2:] == ["*|6", "*|*"]


def test_1_3_a_double_has_four_arms_and_a_straight_token_two():
    s = at("blue g6:2|2")
    assert {"f6", "h6", "g5"} <= set(names(s))
    s = at("blue g6:1|2v")
    assert "g5" in names(s)
    assert not {"f6", "h6"} & set(names(s))


def test_1_4_there_are_25_barrels_and_no_more_than_the_reserve_is_handed_out():
    assert fresh().reserve == 25 - 24
    s = at("blue g6:1|2v g5:2|3v | fog g4 | unseen 0 1 0 0 0 | supply c3:3-2-1-1 k4:4-2-1 j10:3-2-1 d11:2-2")
    s = after(s, "g4 3|4", "fog two barrels")
    assert held(s, "g4") == [1]
    assert s.reserve == 0


def test_1_5_twelve_stills_with_taps_that_turn():
    assert len(STILLS) == 12
    assert [int(n) for n in SUPPLY.sum(1)] == [7, 7, 6, 4, 4, 5, 6, 6, 5, 4, 6, 6]
    corner = node_called("e5")

    def taps(turn):
        return [node_name(row * 16 + column) for row, column in taps_of(0, corner, turn)]

    assert taps(0) == ["e4", "g5", "f7", "d6"]  # N1 E1 S2 W2
    assert sorted(taps(1)) == sorted(taps(0))  # Fort Firewater looks the same however it is turned
    well = STILLS.index("Widow's Well")
    turned = [[node_name(row * 16 + column) for row, column in taps_of(well, corner, turn)] for turn in range(4)]
    assert turned == [["e4", "f7"], ["g5", "d6"], ["f7", "e4"], ["d6", "g5"]]
    assert all(0 < TAPS[kind] <= 4 for kind in range(12))


# §2 Setting up


def test_2_1_extras_are_as_the_setup_says_or_as_the_table_wants():
    s = fresh(setup="standard")
    assert bin(int(s.cards)).count("1") == 17  # all but O'er the Ramparts: there is no Fort Firewater
    assert bin(int(s.goals)).count("1") == 4
    assert (s.ground == 1).sum() == 6
    s = fresh(setup="standard", fog="no", events="no", objectives="no", folk="no")
    assert (int(s.cards), int(s.goals), int((s.ground == 1).sum())) == (0, 0, 0)
    s = fresh(events="yes", objectives="yes")
    assert bin(int(s.cards)).count("1") == 17  # all but Open Secret: nothing is hidden
    assert bin(int(s.goals)).count("1") == 12
    s = fresh(setup="small", hidden="no")
    assert not s.bag
    s = fresh(setup="moonless")
    assert bin(int(s.bag)).count("1") == 4
    assert (s.kind == -1).all()
    assert not fresh(setup="moonless", hidden="no").bag
    with pytest.raises(BadOption, match=r"no places for fog .§2\.1"):
        fresh(fog="yes")


def test_2_2_the_setups_of_the_book():
    s = fresh()
    assert node_name(int(s.town)) == "g7"
    assert [STILLS[kind] for kind in s.kind[:4]] == [
        "Fort Firewater",
        "Cooper's Hollow",
        "Moonlight Mill",
        "Widow's Well",
    ]
    assert [called(name).barrels for name in ("first", "standard", "duel", "small")] == [24, 22, 23, 24]
    # the nearest taps of the first game are 5, 5, 5 and 6 tokens away
    town = divmod(int(s.town), 16)
    ways = [
        min(abs(row - town[0]) + abs(column - town[1]) for row, column in taps_of(still.kind, still.node, still.turn))
        for still in called("first").stills
    ]
    assert sorted(ways) == [5, 5, 5, 6]


def test_2_3_a_setup_must_make_a_winner_certain():
    fresh(4, setup="standard")
    fresh(2, setup="duel", colours=2)
    with pytest.raises(BadOption, match=r"22 barrels; two with four colours need 23 .*§2\.3"):
        fresh(2, setup="standard", colours=2)


def test_2_4_the_weakest_token_begins_and_is_placed_first():
    s = fresh(3)
    assert GAME.asked(s) == (0, 1, 2)
    s = after(s, "5|6", seat=1)
    assert GAME.asked(s) == (0, 2)
    assert "5|6" not in names(s, 1)  # it may be changed until the last has picked
    s = after(s, "1|2", seat=1)
    s = after(s, "1|3", seat=0)
    s = after(s, "2|2", seat=2)
    assert GAME.asked(s) == (1,)
    assert [name for name in names(s) if "|" in name] == ["1|2"]
    assert "your first turn is for the token you picked, 1|2 (§2.4)" in why(s, "5|6")
    s = after(s, "g6 1|2")
    assert GAME.asked(s) == (2,)  # clockwise


def test_2_4_those_who_tie_pick_again_and_then_the_lot_decides():
    s = fresh(3)
    for seat, token in enumerate(["1|2", "1|2", "6|6"]):
        s = after(s, token, seat=seat)
    assert GAME.asked(s) == (0, 1)
    assert "1|2" not in names(s, 0)
    assert names(s, 2) == []
    assert "only those who tied" in GAME.rules.why(s, 2, GAME.rules.parse(s, "1|1"))
    for token in ("2|2", "3|3"):
        s = after(after(s, token, seat=0), token, seat=1)
    assert is_natures(s)
    assert names(s, NATURE) == ["lot blue", "lot red"]
    s = after(s, "lot red")
    assert GAME.asked(s) == (1,)
    assert [name for name in names(s) if "|" in name] == ["3|3"]  # the last pick counts
    s = after(after(fresh(2), "1|1", seat=0), "2|2", seat=1)
    assert GAME.asked(s) == (0,)


def test_2_4_a_token_that_cannot_be_placed_frees_one_to_play_any():
    s = at("first blue:*|* | red g6:6|6 f7:5|5 g8:4|4 h7:3|3 | turn blue", folk="yes")
    assert not can(s, "g6 *1|*1")
    assert set(names(s)) & {"5|6", "4|5"}


def test_2_5_two_colours_a_player():
    s = fresh(2, setup="duel", colours=2)
    s = after(after(s, "1|3", seat=0), "1|2", seat=1)
    order = []
    for _ in range(6):
        order.append(int(s.turn))
        s = after(s, names(s)[0])
        while int(s.turn) == order[-1]:
            s = GAME.after(s, GAME.asked(s)[0], GAME.moves(s, GAME.asked(s)[0])[0])
    assert order == [1, 0, 3, 2, 1, 0]  # B1, A1, B2, A2
    s = at("blue g6:1|2v | orange g5:6|6 | red h7:5|5", colours=2, setup="duel")
    s = after(s, "g5 2|3")  # over one's own other colour, whatever its strength
    assert owner(s, "g5") == "blue"
    assert s.broken[0] == 0
    assert int(s.hand[2]) >> PAIRS.index((6, 6)) & 1
    s = at("blue g6:1|2v+3 | orange h7:1|2<", colours=2, setup="duel")
    s = after(s, "caravan g6")
    assert held(s, "g6", "h7") == [2, 0]  # no overshooting onto one's own other colour


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
    # g6 too: over the token that led there, with its other end at the Town Center
    assert {name.split()[0] for name in names(s)} == {"f5", "h5", "g4", "g6"}
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
    assert sorted(names(after(s, "g5 2|2"))) == ["f5 2|6", "g4 2|6", "g6 2|6", "h5 2|6"]


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


def test_4_3_a_second_over_ones_own_road_keeps_the_double_joined():
    s = after(at("blue g6:1|2v g5:2|3v"), "g4 3|3")
    # over g5 only if the second links the double to g6 by its other end
    assert [name for name in names(s) if name.startswith("g5")] == []
    s = after(at("blue g6:1|2v g5:2|5v g4:5|1v g3:1|3v", folk="yes"), "g4 5|5")
    assert [name for name in names(s) if name.startswith("g5")] == ["g5 *5|2", "g5 5|*2"]


FOLK = " ".join(f"{column}1:*{2 if n != 2 else 3}|{n}>" for column, n in zip("abcdef", range(1, 7), strict=True))
"""The straight Forest Folk out of the way."""
WALL = "red f4:6|6 h4:5|5 g3:4|4"
"""On three sides of g4, too strong for what blue has left."""


def test_4_3_a_double_may_be_followed_only_over_ones_own_road():
    twos = "a3:2|3> a4:2|4> a5:2|5> a6:2|2"
    s = at(f"blue g5:1|2v {twos.replace(' a6:2|2', '')} | red f4:6|6 h4:5|5 g3:4|4 | paved g6:ns -1 -1 0 | fog none")
    assert can(s, "g4 2|2")  # then 2|6 over g5, from the paved road on
    assert names(after(s, "g4 2|2")) == ["g5 2|6"]
    s = at(f"blue g6:1|3v g5:3|2v a4:2|4> a5:2|5> | {WALL}")
    assert not can(s, "g4 2|2")  # 2|6 over g5 would cut it off


def test_4_3_only_a_second_double_may_keep_the_first_joined():
    road = f"blue g6:1|3v g5:3|2v f7:4|4 f6:4|5v a4:2|4> a5:2|5> {FOLK}"
    s = at(f"{road} | {WALL} | paved f5:es 0 0 1 | fog none", folk="yes")
    s = after(s, "g4 2|2")
    assert names(s) == ["g5 *2|*2"]  # it links to the paved road beside it
    s = after(s, "g5 *2|*2")
    assert {"h5 2|6", "g6 2|6"} <= set(names(s))
    blocked = f"{road} | {WALL} h5:5|6> | paved f5:es 0 0 1 | fog none | mud g6"
    assert not can(at(blocked, folk="yes"), "g4 2|2")  # no third
    assert not can(at(f"{road} | {WALL}", folk="yes"), "g4 2|2")  # the second double is cut off too


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
    assert "*|5 is not stronger than what lies there, 5 dots (§4.5)" in why(after(weak, "g5"), "g5 *2|5")


def test_4_5_breaking_takes_a_higher_strength_and_the_barrels():
    s = at("blue g6:1|2v | red g5:1|4>+2")
    assert not can(s, "g5 2|3")
    assert "2|3 is not stronger than what lies there, 5 dots" in why(after(s, "g5"), "g5 2|3")
    s = after(s, "g5 2|4")
    assert owner(s, "g5") == "blue"
    assert held(s, "g5") == [2]
    assert int(s.hand[1]) >> PAIRS.index((1, 4)) & 1
    assert list(s.broken[:2]) == [1, 0]
    assert s.quiet == 0  # stolen


LOOP = "blue f7:1|2> e7:2|2 e6:2|3v e5:3|3 f5:3|4< g5:4|4 h7:1|5< i7:5|5 i6:5|6v i5:6|6 h5:6|4>"
"""A road round the north of the Town Center, from f7 to h7; both ways meet at g5."""


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
    assert "you have no token on a1" in why(s, "return a1")
    s = after(s, "pick g4")
    assert "g4 3|5" not in names(s)  # not exactly as it lay
    assert "not put back exactly as it lay" in why(s, "g4 3|5")
    assert "f7 5|3" in names(s)
    back = after(s, "back")
    assert "return g4" in names(back)
    assert steps(back, "g4") == 3
    s = after(s, "f7 5|3")
    assert (owner(s, "g4"), owner(s, "f7")) == ("nobody", "blue")
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


# §5 Tapping


FULL = "supply c3:3-2-1-1 f3:4-2-1 f6:3-2-1 c6:2-2"


def test_5_1_a_joined_token_with_an_arm_to_a_still_loads_the_next_supply_once():
    s = after(at(FULL, setup="small"), "d5 3|3")
    assert held(s, "d5") == [3]
    assert list(s.supply[0][:4]) == [2, 1, 1, 0]
    assert held(after(at(f"{FULL} | tapped blue:c3.2", setup="small"), "d5 3|3"), "d5") == [0]  # once for each colour
    s = at("tapped blue:c3.2 | turn red | supply c3:2-1-1 f3:4-2-1 f6:3-2-1 c6:2-2", setup="small")
    assert held(after(s, "d5 3|3"), "d5") == [2]
    s = after(at("supply c3:0 f3:4-2-1 f6:3-2-1 c6:2-2", setup="small"), "d5 3|3")
    assert held(s, "d5") == [0]
    assert s.tapped[0] == 0  # it counts only if it loaded something


def test_5_1_a_straight_token_taps_only_where_it_points():
    s = after(at(FULL, setup="small"), "d5 3|4")
    assert held(s, "d5") == [0]  # it lies east and west; the still is north


def test_5_2_barrels_left_on_a_still_go_to_the_next_other_player_there():
    s = after(at("stored red:c3+2 blue:c3+1", setup="small"), "d5 3|3")
    assert held(s, "d5") == [2]
    assert (int(s.stored[0, 0]), int(s.stored[1, 0])) == (1, 0)
    assert s.stirred
    s = after(at("stored red:c3+2", setup="small", events="yes"), "d5 3|3", "c5 3|1")
    assert GAME.asked(s) == (1,)  # no event was drawn
    s = after(at(FULL, setup="small", events="yes"), "d5 3|3", "c5 3|1")
    assert is_natures(s)


def test_5_3_stills_face_down_are_turned_up_by_a_token_beside_them():
    s = at("blue f5:1|1 e5:1|2> | fog none", setup="moonless", events="no")
    s = after(s, "d5 2|4")
    assert is_natures(s)
    assert len(names(s, NATURE)) == 4
    s = after(s, "turn up Fort Firewater")
    assert int(s.kind[0]) == 0
    assert held(s, "d5") == [0]  # its tap there faces north, the token does not
    assert GAME.asked(s) == (1,)
    s = at("blue f5:1|1 e5:1|2> | fog none", setup="moonless", events="no")
    s = after(s, "d5 2|2", "turn up Fort Firewater")
    assert held(s, "d5") == [3]


# §6 Caravanning

ROAD = "blue g6:1|2v{} g5:2|3v{} g4:3|4v{} g3:4|5v{}"


def road(*barrels):
    return ROAD.format(*(f"+{n}" if n else "" for n in barrels))


def test_6_1_one_barrel_on_each_token_toward_the_town_center():
    s = after(at(road(0, 0, 0, 3)), "caravan g3")
    assert held(s, "g6", "g5", "g4", "g3") == [1, 1, 1, 0]
    s = after(at(road(1, 1, 1, 0)), "caravan g4")
    assert held(s, "g6", "g5", "g4") == [1, 2, 0]
    assert "there are no barrels of yours" in why(at(road(0, 0, 0, 0)), "caravan g4")
    assert "no place of your road" in why(at(road(0, 0, 0, 0)), "caravan a1")


FACTS = "red h7:1|2<{} | orange f7:1|2>{}"


def test_6_1_scenario_one():
    s = at(f"{road(1, 2, 0, 0)} | {FACTS.format('', '')}", seats=3)
    s = after(s, "caravan g5")
    assert held(s, "g6") == [2]
    assert scores(s) == [1, 0, 0]
    s = after(s, "caravan g6", "to red")
    assert scores(s) == [2, 0, 0]
    assert held(s, "h7") == [1]


def test_6_1_scenario_two():
    s = at(f"{road(1, 2, 0, 0)} | {FACTS.format('', '')}", seats=3)
    s = after(s, "caravan g6", "caravan g5", "caravan g6")
    assert scores(s) == [3, 0, 0]


def test_6_1_scenario_three():
    s = at(f"{road(1, 2, 0, 0)} | {FACTS.format('', '+1')}", seats=3)
    s = after(s, "caravan g5", "caravan g6", "to orange")
    assert scores(s) == [4, 0, 0]
    assert held(s, "f7") == [0]


def test_6_2_where_several_steps_bring_nearer_one_chooses():
    s = after(at(f"{LOOP} g4:1|4^+3"), "caravan g4")
    assert names(s) == ["via h5", "via f5"]
    assert held(s, "g5") == [1]
    s = after(s, "via f5")
    assert held(s, "g5", "f5", "e5", "h5") == [1, 1, 1, 0]


def test_6_3_a_piece_cut_off_is_walked_toward_its_nearest_token():
    assert "caravan c8" not in names(at("blue c8:3|4v+2"))
    assert "leads no nearer" in why(at("blue c8:3|4v+2"), "caravan c8")
    s = at("blue d9:1|2< c9:1|1 b9:1|3>+3")  # d9 is nearest to g7
    s = after(s, "caravan b9")
    assert held(s, "b9", "c9", "d9") == [0, 1, 2]  # at the dead end the rest is put down


def test_6_3_among_equals_one_chooses():
    s = after(at("blue d10:1|1 e10:1|2< d9:1|3v c10:1|4>+2"), "caravan c10")
    assert sorted(names(s)) == ["toward d9", "toward e10"]
    s = after(s, "toward d9")
    assert held(s, "d10", "d9", "e10") == [1, 1, 0]


def test_6_3_a_still_may_hold_a_piece_together_that_is_cut_off():
    s = at("blue c2:1|2v b4:3|4> | stored blue:c3+1 | red d5:1|1", setup="small")
    assert steps(s, "c2") == 0
    s = after(s, "caravan c3")
    assert held(s, "b4", "c2") == [1, 0]  # b4 is nearer to e5


def test_6_4_a_barrel_that_reaches_the_town_center_is_scored():
    s = after(at(road(1, 0, 0, 0)), "caravan g6")
    assert scores(s) == [1, 0]
    assert s.scored[0] == 1


def test_6_5_a_caravan_that_scored_gives_a_free_action_of_either_kind():
    s = after(at(road(1, 1, 0, 0)), "caravan g6")
    assert GAME.asked(s) == (0,)
    assert "caravan g5" in names(s)
    assert "h7" in names(s)
    assert "pass" not in names(s)  # it must be taken
    s = after(s, "h7 5|6")
    assert GAME.asked(s) == (1,)  # building scores nothing
    s = after(at(road(0, 0, 1, 0)), "caravan g4")
    assert GAME.asked(s) == (1,)  # nothing scored, no free action


def test_6_6_overshooting_gives_an_opponent_what_lands_on_his_empty_token():
    s = at("blue g6:1|2v+3 | red h7:1|2< i7:2|3<")
    s = after(s, "caravan g6")
    assert scores(s) == [1, 0]
    assert held(s, "h7", "i7") == [1, 1]
    s = at("blue g6:1|2v+4 | red h7:1|2<")
    s = after(s, "caravan g6")
    assert held(s, "h7") == [3]  # at his dead end the rest collects
    s = at("blue g6:1|2v+3 | red h7:1|1 i7:1|3< h6:1|4v")
    s = after(s, "caravan g6")
    assert sorted(names(s)) == ["via h6", "via i7"]
    s = after(s, "via i7")
    assert held(s, "h7", "h6", "i7") == [1, 0, 1]


def test_6_6_an_ambush_scores_all_on_an_occupied_token():
    s = at("blue g6:1|2v+3 | red h7:1|2< i7:2|3<+2")
    s = after(s, "caravan g6")
    assert scores(s) == [4, 0]
    assert held(s, "h7", "i7") == [1, 0]
    s = at("blue g6:1|2v+4 | red h7:1|2<+1")
    assert scores(after(s, "caravan g6")) == [5, 0]  # the rest at the dead end too


def test_6_6_with_nobody_at_the_town_center_the_rest_stays():
    s = at("blue g6:1|2v+3 | red h7:1|2^")
    s = after(s, "caravan g6")
    assert scores(s) == [1, 0]
    assert held(s, "g6", "h7") == [2, 0]
    s = after(s, "caravan g6", "caravan g6")
    assert scores(s) == [3, 0]


def test_6_7_two_taps_make_a_still_a_piece_of_the_road():
    # Fort Firewater's taps d5 (south) and e3 (east); e3 reaches the Town Center only through the still
    s = at("blue d5:1|1 e3:2|5<+2", setup="small")
    assert steps(s, "d5") == 1
    assert steps(s, "e3") == 3
    s = after(s, "caravan e3")
    assert int(s.stored[0, 0]) == 1
    assert held(s, "d5") == [1]
    s = at("blue d5:1|1 e3:2|5< | stored blue:c3+1", setup="small")
    s = after(s, "caravan c3")
    assert held(s, "d5") == [1]
    s = at("blue d5:1|1 e3:2|5v+2", setup="small")
    assert steps(s, "e3") == 0  # holding a tap needs an arm toward it
    s = at("blue d5:1|1 | stored blue:c3+1", setup="small")
    assert "caravan c3" not in names(s)


def test_6_8_who_holds_more_barrels_than_steps_must_caravan():
    s = at(road(2, 0, 0, 5))
    assert sorted(names(s)) == ["caravan g3", "caravan g6"]
    assert "so it must be moved (§6.8)" in why(s, "h7")
    s = after(s, "caravan g6")
    assert "h7" in names(s)  # it does not bind free actions
    s = at(road(1, 2, 3, 4))
    assert "h7" in names(s)
    s = at(road(0, 3, 1, 0))
    assert "another token holds more barrels" in why(s, "caravan g4")


# §7 Winning


@pytest.mark.parametrize(("seats", "colours", "goal"), [(4, 1, 6), (3, 1, 7), (2, 1, 8), (2, 2, 12)])
def test_7_1_enough_barrels_win_at_once(seats, colours, goal):
    lead = " ".join([str(goal - 2), *["1"] * (seats - 1)])
    s = at(f"blue g6:1|2v+1 g5:2|3v+2 | scored {lead}", seats=seats, colours=colours)
    s = after(s, "caravan g6")
    assert GAME.asked(s)
    s = after(s, "caravan g5")
    assert GAME.asked(s) == ()
    assert names(s, 0) == []
    assert GAME.score(s, seats) == (1.0, *[0.0] * (seats - 1))


def test_7_1_of_several_at_once_the_one_in_turn_wins():
    s = at("blue g6:1|2v+1 | red h7:1|2<+1 | scored 7 7 | turn red", objectives="yes", claims="noticed")
    s = after(s, "caravan h7")
    assert GAME.score(s, 2) == (0.0, 1.0)


def test_7_2_twenty_quiet_rounds_end_the_game_and_most_barrels_win():
    s = at("blue g6:1|2v | red h7:1|2< | scored 3 2 | quiet 39 | turn red")
    s = after(s, "g8 5|6")
    assert GAME.asked(s) == ()
    assert GAME.score(s, 2) == (1.0, 0.0)
    s = at("blue g6:1|2v | red h7:1|2< | scored 2 2 | quiet 39 | turn red")
    assert GAME.score(after(s, "g8 5|6"), 2) == (0.5, 0.5)  # a tie is shared
    s = at("blue g6:1|2v | red h7:1|2<+1 | quiet 39 | turn red")
    s = after(s, "caravan h7")
    assert GAME.asked(s) == (1,)


def test_7_2_if_everyone_passes_the_game_ends():
    walls = "red g6:6|6 h7:5|5 g8:4|4 f7:3|3 | safe 0 1"
    s = at(f"{walls} | turn blue")
    assert names(s) == ["pass"]
    assert "only who can neither build nor move barrels passes" in why(at("turn blue"), "pass")
    s = after(s, "pass")
    assert s.passes == 1
    s = at(f"{walls} | turn blue | passes 1")
    s = after(s, "pass")
    assert GAME.asked(s) == ()


# §3, §8 and §12 have no numbered paragraphs; these are theirs


def test_3_a_turn_is_one_action_then_it_goes_on():
    s = at("blue g6:1|2v | red h7:1|2<")
    s = after(s, "g5 2|3")
    assert GAME.asked(s) == (1,)
    assert s.turn == 1


def test_8_obstacles_block_for_good():
    s = at("blue g6:1|2v g5:2|3v g4:3|4v", setup="standard")
    assert "g3" not in names(s)
    assert "not free" in why(s, "g3")


# §9 Fog

FOG = "blue g6:1|2v g5:2|3v | fog g4"


def fog(kind, more=""):
    unseen = [kind == "one barrel", kind == "two barrels", kind == "paved road", kind == "mud", kind == "bear trap"]
    return at(
        f"{FOG} | unseen {' '.join(str(int(n)) for n in unseen)}{more}", folk="yes", setup="standard", events="no"
    )


def test_9_1_barrels_in_the_fog_are_put_on_the_token():
    assert held(after(fog("one barrel"), "g4 3|5", "fog one barrel"), "g4") == [1]
    s = after(fog("two barrels"), "g4 3|5", "fog two barrels")
    assert held(s, "g4") == [2]
    assert s.quiet == 1  # a gift stirs nothing


def test_9_2_a_paved_road_is_laid_and_the_token_goes_on():
    s = after(fog("paved road"), "g4 3|5", "fog paved road")
    assert names(s) == ["end north", "end east", "end west"]
    s = after(s, "end east")
    assert names(s) == ["h4 3|5", "h4 5|3"]
    s = after(s, "h4 5|3")
    assert [steps(s, node) for node in ("g5", "g4", "h4")] == [2, 3, 4]
    assert s.keeper == 0
    s = after(fog("paved road"), "g4 3|5", "fog paved road", "end north")
    assert owner(s, "g3") == "nobody"
    assert int(s.hand[0]) >> PAIRS.index((3, 5)) & 1  # an obstacle is there: the token returns
    assert GAME.asked(s) == (1,)


def test_9_2_a_double_goes_on_with_its_second_or_returns():
    s = after(fog("paved road"), "g4 3|3", "fog paved road", "end east")
    assert names(s) == ["h4 3|3"]
    s = after(s, "h4 3|3")
    assert "i4 3|5" in names(s)
    threes = "a1:1|3> a2:3|4> a3:3|6>"
    line = f"blue g6:1|2v g5:2|3v {threes} | red g3:6|6 h3:5|5 i4:4|4 h5:5|6> | fog g4 | unseen 0 0 1 0 0"
    s = after(at(line), "g4 3|3", "fog paved road", "end east")
    assert GAME.asked(s) == (1,)  # 3|5 could not follow it there
    assert int(s.hand[0]) >> PAIRS.index((3, 3)) & 1


def test_9_2_a_second_that_meets_a_paved_road_came_by_its_double():
    s = at("blue g6:1|2v | fog f5 | unseen 0 0 1 0 0")
    s = after(s, "g5 2|2", "f5 2|4", "fog paved road")
    assert names(s) == ["end north", "end south", "end west"]
    s = after(s, "end west", "e5 4|2")
    assert [steps(s, node) for node in ("f5", "e5")] == [3, 4]


def test_9_2_its_holder_builds_from_it_and_moves_its_barrels():
    s = at("blue g6:1|2v g5:2|3v | paved g4:ns+1 0 0 1 | fog none")
    assert s.keeper == 0
    assert steps(s, "g4") == 3
    assert can(s, "g3 6|5")
    assert "g4" not in names(s)  # nobody can break it
    assert held(after(s, "caravan g4"), "g4", "g5") == [0, 1]
    s = at("blue g6:1|2v g5:2|3v | paved g4:ns+1 0 0 1 | fog none | turn red")
    assert "g3" not in names(s)
    assert "caravan g4" not in names(s)


def test_9_2_it_comes_to_an_opponent_with_its_barrels_and_back():
    blue = "blue g6:1|2v g5:2|3v"
    red = "red h7:1|1 h6:1|2v h5:2|2 h4:2|4v h3:4|4"
    s = at(f"{blue} | {red} | paved g4:ns+2 0 0 1 | fog none | turn red")
    assert after(s, "g3 4|5").keeper == 0  # it lies east and west: it does not face the paved road
    s = at(f"{blue} | {red} | paved g4:ns+2 0 0 1 | fog none | turn red", folk="yes")
    s = after(s, "g3 *4|*4", "g2 4|5")
    assert s.keeper == 1
    assert s.quiet == 0  # stolen
    assert [steps(s, node) for node in ("g4", "g5")] == [7, 2]
    # blue breaks red's road, and has it again
    s = at(f"blue g6:1|2v g5:2|3v f7:3|3 | {red} g3:*4|*4 | paved g4:ns+2 1 1 3 | fog none | turn blue", folk="yes")
    s = after(s, "h7 5|6")
    assert steps(s, "h7") == 1
    assert s.keeper == 0


def test_9_2_one_at_the_town_center_that_nobody_holds_is_open_to_all():
    s = at("paved g6:ns -1 -1 0 | fog none | turn red")
    assert can(s, "g5 2|3")
    assert "g6" not in names(s)
    s = after(s, "g5 2|3")
    assert s.keeper == 1
    assert [steps(s, node) for node in ("g6", "g5")] == [1, 2]
    assert "g4" not in names(s)  # blue cannot build from it now
    s = at("red g5:1|2v | paved g6:ns 1 1 2 | fog none | turn blue")
    assert s.keeper == 1


def test_9_3_mud_holds_a_token_fast():
    s = after(fog("mud"), "g4 3|5", "fog mud")
    s = at(GAME.rules.position(s).replace("turn red", "turn blue"), folk="yes", setup="standard", events="no")
    assert "return g4" not in names(s)
    assert "stuck in the mud (§9.3)" in why(s, "return g4")
    assert not can(s, "g4 3|6")
    assert "stuck in the mud" in why(s, "g4")
    s = at("red g6:1|2v g5:2|3v | blue g4:3|4v | mud g4 | turn red")
    s = after(s, "g4 3|5")
    assert owner(s, "g4") == "red"
    s = at(GAME.rules.position(s).replace("turn blue", "turn red"))
    assert "return g4" not in names(s)  # the node stays mud


def test_9_4_a_bear_trap_ends_the_turn():
    s = after(fog("bear trap"), "g4 3|5", "fog bear trap")
    assert owner(s, "g4") == "nobody"
    assert GAME.asked(s) == (1,)
    s = at("blue g6:1|2v | fog f5 | unseen 0 0 0 0 1", setup="standard", events="no")
    s = after(s, "g5 2|2", "f5 2|4", "fog bear trap")
    assert (owner(s, "g5"), owner(s, "f5")) == ("blue", "nobody")  # a double already placed stays
    assert GAME.asked(s) == (1,)


# §11


def test_11_1_claims_are_noticed_or_automatic():
    lines = "blue g6:1|2v+1 | red h7:1|2<+1"
    s = after(at(lines, objectives="yes"), "caravan g6")
    assert scores(s) == [2, 0]  # the barrel, and the objective
    s = after(at(lines, objectives="yes", claims="noticed"), "caravan g6")
    assert scores(s) == [1, 0]
    assert "claim scored 1 barrel" in names(s, 0)
    assert names(s, 1) == []
    assert scores(after(s, "claim scored 1 barrel", seat=0)) == [2, 0]
    s = after(s, "g8 5|6")
    assert names(s, 0) == ["claim scored 1 barrel"]  # out of turn
    assert "it goes to the one who achieved it last" in why(s, "claim scored 1 barrel", seat=1)
    s = after(s, "caravan h7")
    assert names(s, 0) == []  # lost: someone else has achieved it
    assert "claim scored 1 barrel" in names(s, 1)


# The house


def test_the_record_is_small():
    assert STATE.itemsize <= 2048


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # uncompiled, the dice say that they wrap round
def test_random_games_end_and_stay_whole():
    for seed, (seats, options) in itertools.islice(enumerate(GAME.settings()), 0, 6, 3):
        s = GAME.start(seats, options)
        for turn, _ in enumerate(GAME.stroll(s, seats, dice_from(seed))):
            if turn == 60:
                break
            assert GAME.rules.is_whole(s)


def spoil(field, value, *index):
    def change(s):
        if index:
            s[field][index] = value
        else:
            s[field] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        spoil("owner", 0, node_called("g6")),
        spoil("owner", 2, node_called("g6")),
        spoil("ground", 16, node_called("g6")),
        spoil("hand", 0, 0),
        spoil("hand", 1 << 25, 1),
        spoil("hand", 1, 3),
        spoil("sealed", -1, 1),
        spoil("barrels", 1, node_called("a1")),
        spoil("supply", 1, 0, 5),
        spoil("reserve", 3),
        spoil("dist", 7, node_called("g6")),
        spoil("dist", 7, node_called("a9")),
        spoil("reach", 3, 0, 2),
        spoil("loops", 1, 1),
    ],
)
def test_a_state_that_is_not_whole_is_known(change):
    s = at("blue g6:1|2v a9:1|1")
    change(s)
    assert not GAME.rules.is_whole(s)


def test_a_token_lost_from_the_inventory_is_missed():
    s = at("blue g6:1|2v")
    s.hand[1] &= ~1
    assert not GAME.rules.is_whole(s)


def test_a_still_and_a_paved_road_that_are_not_reached_are_missed():
    s = at("blue d5:1|1 e3:2|5<", setup="small")
    assert GAME.rules.is_whole(s)
    s.reach[0, 0] = 0
    assert not GAME.rules.is_whole(s)
    s = at("blue g6:1|2v | paved g5:ns 0 0 1 | fog none")
    assert GAME.rules.is_whole(s)
    s.dist[s.paved] = 0
    assert not GAME.rules.is_whole(s)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # uncompiled, the dice say that they wrap round
def test_a_hidden_pick_is_imagined_among_what_was_not_shown():
    s = after(fresh(3), "3|5", seat=1)
    v = GAME.view(s, 0)
    assert v.sealed[1] == -1
    assert GAME.rules.position(v).count("?") == 1
    picks = {int(GAME.imagined(v, 0, dice_from(seed)).sealed[1]) for seed in range(200)}
    assert picks == set(range(1, 22))
    assert GAME.rules.seen(s, 0, 3) == 1
    assert GAME.rules.seen(after(after(s, "1|1", seat=0), "1|2", seat=2), 1, 3) == (1 << 15) - 1


def test_nature_has_even_odds_but_for_mud():
    s = after(at("blue g6:1|2v g5:2|3v | fog g4 | unseen 1 1 1 2 1"), "g4 3|5")
    assert GAME.odds(s) == [1, 1, 1, 2, 1]
    s = after(at("blue f5:1|1 e5:1|2> | fog none", setup="moonless", events="no"), "d5 2|4")
    assert GAME.odds(s) == [1, 1, 1, 1]

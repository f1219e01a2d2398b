"""One test for each § about tapping (§5), caravanning (§6) and the fog (§9)."""

import pytest

from backroom.engine.kernel import NATURE
from backroom.games.rum_run.pieces import PAIRS

from .boards import GAME, LOOP, after, at, can, held, is_natures, names, owner, scores, steps, why

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


@pytest.mark.parametrize(
    ("road", "placing"),
    [
        ("blue e4:1|2v", "e3 2|2"),
        ("blue d5:1|2> c5:2|3> b5:3|3", "b4 *3|*3"),
        ("blue e4:1|2v e3:2|3v e2:3|3 d2:3|4>", "c2 4|4"),
    ],
)
def test_5_1_a_still_is_tapped_from_every_side(road, placing):
    s = after(at(f"{road} | {FULL}", setup="small", folk="yes"), placing)
    assert held(s, placing.split()[0]) == [3]


def test_5_1_a_straight_token_taps_only_where_it_points():
    s = after(at(FULL, setup="small"), "d5 3|4")
    assert held(s, "d5") == [0]  # it lies east and west; the still is north


def test_5_2_barrels_left_on_a_still_go_to_the_next_other_player_there():
    s = after(at("stored red:c3+2 blue:c3+1", setup="small"), "d5 3|3")
    assert held(s, "d5") == [2]
    assert (int(s.stored[0, 0]), int(s.stored[1, 0])) == (1, 0)
    assert s.stirred
    s = after(at(f"{FULL} | stored red:c3+1", setup="small"), "d5 3|3")
    assert held(s, "d5") == [4]  # with the supply
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
    assert "caravan a1" in names(at("blue a1:1|2<+1 b1:2|3<"))  # from the corner, too


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


def test_6_5_a_free_action_that_is_not_possible_is_not_asked():
    walls = "red g5:6|6 h7:5|5 g8:4|4 f7:3|3 | safe 0 1"
    s = after(at(f"blue g6:1|2v+1 | {walls} | mud g6"), "caravan g6")
    assert (scores(s), GAME.asked(s)) == ([1, 0], (1,))
    assert GAME.asked(after(at(f"blue g6:1|2v+1 | {walls}"), "caravan g6")) == (0,)  # g6 is loose now


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
    assert scores(after(at("blue g6:1|2v+1 | red h7:1|2<+2 | turn red"), "caravan h7")) == [0, 3]


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
    s = at("blue f5:1|1 h4:2|5<+2", setup="small")  # Cooper's Hollow
    assert [steps(s, node) for node in ("f5", "h4")] == [1, 3]
    s = after(s, "caravan h4")
    assert (s.stored.sum(), int(s.stored[0, 1]), held(s, "f5")) == (1, 1, [1])
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
    assert "back" not in names(s)  # and is in nobody's hand


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


def test_9_2_a_second_came_by_its_double_though_it_links_nearer_to_the_town_center():
    road = "blue f7:1|2> e7:2|2 e6:2|3v g6:1|4v g5:4|4 | fog f5 | unseen 0 0 1 0 0"
    s = after(at(road), "e5 3|3")
    assert [steps(s, node) for node in ("e5", "g5")] == [4, 2]
    assert names(after(s, "f5 3|4", "fog paved road")) == ["end north", "end east", "end south"]


def test_9_2_who_finds_it_holds_it_first():
    found = at("blue f7:1|2> | red g6:3|3 f6:3|6> e6:6|6 | fog e7 | unseen 0 0 1 0 0")
    s = after(found, "e7 2|4", "fog paved road", "end north")
    assert (s.keeper, s.linked, steps(s, "e7")) == (0, 3, 2)  # red is linked too, but did not find it
    # found from the Town Center itself nobody is linked to it, until the other end is laid
    found = at("red f7:3|3 f6:*3|*3 | fog g6 | unseen 0 0 1 0 0", folk="yes")
    s = after(found, "g6 2|4", "fog paved road")
    assert s.keeper == -1
    assert after(s, "end west").keeper == 1
    assert after(s, "end north", "g5 2|4").keeper == 0


def test_9_2_a_link_taken_up_and_made_again_is_not_a_new_one():
    """Both are linked to a paved road on e5: blue by e6, which is loose, red by f5."""
    road = "blue f7:1|3> e7:3|3 e6:3|*4v | red h7:3|3 h6:3|1v h5:1|1 g5:1|2> f5:2|2"
    s = at(f"{road} | paved e5:es+2 1 1 3 | fog none", folk="yes")
    picked = after(s, "pick e6")
    assert (picked.keeper, picked.linked) == (1, 2)
    assert (after(picked, "back").keeper, after(picked, "back").linked) == (1, 3)
    laid = after(picked, "e6 3|*5")
    assert (laid.keeper, laid.linked, laid.quiet) == (1, 3, 1)
    assert after(s, "e6 3|6").keeper == 1  # covered: the same
    gone = after(picked, "g8 3|*5")
    assert (gone.keeper, gone.linked) == (1, 2)
    text = GAME.rules.position(gone).replace("turn red", "turn blue")
    assert after(at(text, folk="yes"), "e6 3|6").keeper == 0  # in another turn it is a new one


@pytest.mark.parametrize("keeper", [0, 1])
def test_9_2_a_link_lost_by_a_double_and_made_again_by_its_second_is_not_a_new_one(keeper):
    blue, red = "blue f7:1|3> e7:3|6> d7:6|5>", "red g6:1|2v g5:2|2 f5:2|3> e5:3|4> d5:4|5> c5:5|5 c6:5|6^"
    s = after(at(f"{blue} | {red} | paved c7:en {keeper} {keeper} 3 | fog none"), "e7 3|3")
    assert (s.keeper, s.linked) == (1, 2)  # it does not link d7, which is cut off
    s = after(s, "d7 3|2")
    assert (s.keeper, s.linked) == (keeper, 3)


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


def test_9_2_only_barrels_that_come_to_an_opponent_are_stolen():
    road = "h7:1|1 h6:1|2v h5:2|2 h4:2|4v h3:4|4"

    def quiet(barrels, colour, colours=1):
        s = at(
            f"blue g6:1|2v g5:2|3v | {colour} {road} | paved g4:ns{barrels} 0 0 1 | fog none | turn {colour}",
            folk="yes",
            colours=colours,
        )
        return int(after(s, "g3 *4|*4", "g2 4|5").quiet)

    assert (quiet("+2", "red"), quiet("", "red"), quiet("+2", "orange", 2)) == (0, 1, 1)


def test_9_2_barrels_that_an_opponent_held_last_are_stolen_though_nobody_holds_them_meanwhile():
    blue, red = "blue g6:1|2v g5:2|3v", "red h7:1|1 h6:1|2v h5:2|2 h4:2|4v h3:4|4"
    s = at(f"{blue} | {red} | paved g4:ns+2 0 0 1 | fog none | turn red", folk="yes")
    s = after(s, "g5 2|6", "f7 5|6")
    assert (s.keeper, s.quiet) == (-1, 2)
    s = after(s, "g3 *4|*4", "g2 4|5")
    assert (s.keeper, s.quiet) == (1, 0)


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
    s = at("paved g6:ew -1 -1 0 | fog none | turn red")
    assert not {"f6", "h6"} & set(names(s))  # it has no end toward the Town Center


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

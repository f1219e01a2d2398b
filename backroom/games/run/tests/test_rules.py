"""One test for each § of Run. A position gives each player's men in the player's own numbering."""

import re

import pytest

from backroom.engine.kernel import NATURE
from backroom.games.run.rules import opposite

from .boards import GAME, after, at, names, turns, why

START = "white 1:15 | black 1:15"


# §1 The board


def test_1_1_twenty_four_points_in_four_quarters():
    scene = GAME.rules.draw(at("white 1:15 | black 1:15"), 0)
    points = {piece.id: piece for piece in scene.pieces if piece.kind == "point"}
    assert sorted(points) == sorted(f"point-{point}" for point in range(1, 25))
    words = [words for words in re.findall(r">([^<]+)</text>", scene.board.back) if not words.isdecimal()]
    assert sorted(words) == ["Black’s home", "Black’s mother", "White’s home", "White’s mother"]


def test_1_2_the_opponents_number_for_a_point_is_twelve_more_or_less():
    assert [int(opposite(point)) for point in (1, 6, 7, 12, 13, 18, 19, 24)] == [13, 18, 19, 24, 1, 6, 7, 12]
    assert names(at("white 1:14 12:1 | black 1:15", roll="6 1")) == ["12/18"]  # black's 1 is white's 13, and closed


def test_1_3_all_fifteen_men_begin_on_point_1():
    s = GAME.start(*GAME.settle(2, {}))
    assert GAME.rules.position(s) == "white 1:15 | black 1:15 | turn white | opening"


# §2 The opening


def test_2_1_each_rolls_one_die_and_the_higher_begins_with_both():
    s = GAME.start(*GAME.settle(2, {}))
    assert GAME.asked(s) == (NATURE,)
    assert len(names(s)) == 30
    assert GAME.odds(s) == [1] * 30
    white_begins, black_begins = after(s, "open 6 4"), after(s, "open 2 5")
    assert (GAME.asked(white_begins), list(white_begins.dice)) == ((0,), [6, 4])
    assert (GAME.asked(black_begins), list(black_begins.dice)) == ((1,), [5, 2])


def test_2_1_equal_dice_do_not_open():
    with pytest.raises(ValueError, match=r"§2\.1"):
        GAME.rules.parse(GAME.blank(), "open 3 3")


def test_2_2_then_they_take_turns_with_two_dice():
    s = after(GAME.start(*GAME.settle(2, {})), "open 6 4", "1/7", "7/11")
    assert GAME.asked(s) == (NATURE,)
    assert len(names(s)) == 21
    assert sorted(GAME.odds(s)) == [1] * 6 + [2] * 15
    assert dict(zip(names(s), GAME.odds(s), strict=True))["roll 6 4"] == 2
    assert GAME.asked(after(s, "roll 3 1")) == (1,)


# §3 Moving


def test_3_1_a_single_man_of_the_opponent_closes_a_point():
    s = at("white 1:10 13:5 | black 20:14 16:1", roll="3 2")  # black's 16 is white's 4, his 20 white's 8
    assert "1/4" not in names(s)
    assert "1/3" in names(s)
    assert "§3.1" in why(s, "1/4")


def test_3_1_own_men_may_share_a_point():
    s = at("white 2:14 14:1 | black 19:15", roll="6 4")
    assert {"2/8 2/6", "2/6 2/8", "2/8 14/18"} <= turns(s)
    assert after(s, "2/8", "2/6").men[0, 2] == 12


def test_3_1_men_move_forward_only():
    with pytest.raises(ValueError, match="forward"):
        GAME.rules.parse(GAME.blank(), "7/1")


def test_3_2_two_dice_are_two_moves_by_one_man_or_by_two():
    s = at("white 2:8 14:7 | black 24:15", roll="3 2")  # black stands on white's 12
    assert {"2/5 14/16", "14/17 2/4", "2/5 5/7", "2/4 4/7", "14/17 17/19"} <= turns(s)
    assert "§3.2" in why(s, "2/6")


def test_3_2_one_man_may_play_both_if_the_point_between_is_open_for_one_order():
    s = at("white 2:14 14:1 | black 16:1 24:14", roll="3 2")  # white's 4 is closed, so 2/4 is not, but 2/5/7 is
    assert "2/5 5/7" in turns(s)
    assert not any("2/4" in turn for turn in turns(s))


def test_3_3_a_double_is_played_four_times():
    s = at("white 2:14 14:1 | black 24:15", roll="1 1")
    assert {len(turn.split()) for turn in turns(s)} == {4}
    assert "2/3 3/4 4/5 5/6" in turns(s)


def test_3_4_one_die_if_only_one_can_be_played():
    s = at("white 14:1 23:14 | black 3:1 7:1 24:13", roll="5 1")  # 14/15 and 14/19 are closed
    assert turns(s) == {"23/24"}


def test_3_4_as_many_dice_as_possible():
    # 21 and 22 are closed, so after 14/16 no 6 could be played; 14/20 and 15/17 play both dice.
    s = at("white 14:1 15:1 24:13 | black 9:1 10:1 13:13", roll="6 2")
    assert turns(s) == {"14/20 15/17", "15/17 14/20", "15/17 17/23"}
    assert "§3.4" in why(s, "14/16")


def test_3_4_of_a_double_as_many_as_possible():
    s = at("white 14:2 24:13 | black 8:2 13:13", roll="3 3")  # white's 20 is closed: 14/17, and no farther
    assert turns(s) == {"14/17 14/17"}


def test_3_4_the_larger_die_if_either_but_not_both():
    s = at("white 14:1 24:14 | black 11:2 13:13", roll="5 4")  # 14/19 and 14/18 are open, 23 is closed
    assert turns(s) == {"14/19"}
    assert "§3.4" in why(s, "14/18")


def test_3_4_if_none_can_be_played_the_turn_is_lost():
    s = at("white 14:1 24:14 | black 6:7 7:7 13:1", roll="5 4")  # white's 18 and 19 are closed
    assert GAME.asked(s) == (NATURE,)
    assert s.turn == 1


def test_3_4_the_last_man_off_completes_the_turn():
    s = at("white 19:1 off:14 | black 1:15", roll="6 1")
    assert turns(s) == {"19/off", "19/20 20/off"}


def test_3_5_until_the_runner_has_reached_13_no_other_man_moves():
    s = at("white 1:14 5:1 | black 1:15", roll="2 1")
    assert turns(s) == {"5/7 7/8", "5/6 6/8"}
    assert "§3.5" in why(s, "1/3")


def test_3_5_13_itself_counts_and_the_rest_of_the_roll_is_free():
    s = at("white 1:14 9:1 | black 2:1 19:14", roll="4 2")  # black has left his point 1, white's 13
    assert {"9/13 13/15", "9/13 1/3"} <= turns(s)
    assert "9/11 1/5" not in turns(s)


def test_3_5_the_runner_is_free_when_a_man_is_past():
    assert {"1/4", "1/2"} <= set(names(at("white 1:14 20:1 | black 19:15", roll="3 1")))


def test_3_6_a_blocked_runner_loses_the_turn_though_others_could_move():
    s = at("white 1:14 7:1 | black 20:5 21:5 22:5", roll="2 1")  # white's 8, 9, 10
    assert GAME.asked(s) == (NATURE,)
    assert s.turn == 1


def test_3_7_no_wall_at_the_mother():
    board = at("white 1:3 2:3 3:2 4:3 5:3 13:1 | black 20:15", roll="2 1")
    assert "4/6" in names(board)  # and on by the 1
    assert "5/6" not in names(board)  # 6/8 is closed
    assert not [turn for turn in turns(board) if after(board, *turn.split()).men[0, 6]]


def test_3_7_in_the_middle_of_a_turn_it_does_not_matter():
    board = at("white 1:1 2:3 3:3 4:2 5:2 13:4 | black 20:15", roll="2 1")
    assert "4/6 1/2" in turns(board)  # six points for a moment, then point 1 is left
    assert "4/6" in names(board)
    assert "2/3" not in names(after(board, "4/6"))


def test_3_7_a_shorter_turn_if_the_longer_would_end_walled():
    # The 6 can be played 5/11, the 5 only 1/6: the two together close the sixth point, so the 6 alone is played.
    board = at("white 1:2 2:2 3:2 4:2 5:2 24:5 | black 4:3 19:3 20:3 21:3 22:2 24:1", roll="6 5")
    assert turns(board) == {"5/11"}


def test_3_7_the_smaller_die_if_the_larger_would_end_walled():
    # The 5 can only be played 1/6, which closes the sixth point; the 4 can be played 1/5.
    board = at("white 1:3 2:2 3:2 4:2 5:2 24:4 | black 19:3 20:3 21:3 22:3 23:3", roll="5 4")
    assert turns(board) == {"1/5"}
    assert "§3.7" in why(board, "2/6")


def test_3_7_the_turn_is_lost_if_every_turn_ends_walled():
    board = at("white 1:7 2:2 3:2 4:2 5:1 24:1 | black 19:3 20:3 21:3 22:3 23:3", roll="5 5")  # 1/6 and nothing else
    assert GAME.asked(board) == (NATURE,)
    assert board.turn == 1


def test_3_7_six_in_a_row_elsewhere_are_allowed():
    s = at("white 7:3 8:3 9:3 10:3 11:2 13:1 | black 14:15", roll="6 1")
    assert "11/12" in names(s)


def test_3_8_no_man_goes_past_24_but_by_bearing_off():
    s = at("white 18:1 20:14 | black 13:15", roll="6 5")
    assert turns(s) == {"18/24 20/off", "18/23 20/off"}  # nobody on 20 can play a die before the last man is home
    lost = at("white 18:1 20:14 | black 12:7 11:7 13:1", roll="6 5")  # 24 and 23 are closed to the last man
    assert GAME.asked(lost) == (NATURE,)
    with pytest.raises(ValueError, match=r"§3\.8"):
        GAME.rules.parse(s, "20/26")


# §4 Bearing off


def test_4_1_only_when_all_are_home():
    assert "24/off" not in names(at("white 18:1 24:14 | black 1:15", roll="2 1"))
    assert "24/off" in names(at("white 19:1 24:14 | black 1:15", roll="2 1"))
    assert "18/19 24/off" not in turns(at("white 18:1 23:14 | black 1:15", roll="2 1"))
    assert "18/19 23/off" in turns(at("white 18:1 23:14 | black 1:15", roll="2 1"))


def test_4_2_a_die_takes_off_from_the_point_of_its_number():
    s = at("white 19:3 21:6 23:6 | black 1:15", roll="4 2")
    assert {"21/off 23/off", "23/off 21/off"} <= turns(s)
    assert "19/off" not in names(s)
    assert "§4.2" in why(s, "19/off")


def test_4_3_a_farther_man_must_be_moved_if_no_man_stands_there():
    s = at("white 20:5 23:10 | black 1:15", roll="4 3")
    assert sorted(names(s)) == ["20/23", "20/24"]
    assert "§4.3" in why(s, "23/off")


def test_4_3_if_the_farther_man_is_blocked_the_die_is_lost():
    s = at("white 19:5 24:10 | black 10:14 13:1", roll="3 3")  # black's 10 is white's 22
    assert GAME.asked(s) == (NATURE,)


def test_4_3_with_no_man_farther_the_farthest_is_taken_off():
    s = at("white 22:5 24:10 | black 1:15", roll="6 5")
    assert turns(s) == {"22/off 22/off"}
    assert names(s) == ["22/off"]


def test_4_4_a_move_inside_the_home_is_always_allowed_instead():
    assert "20/24" in names(at("white 20:1 21:14 | black 1:15", roll="4 1"))
    assert "21/off" in names(at("white 20:1 21:14 | black 1:15", roll="4 1"))


def test_4_the_same_man_off_by_either_die_is_one_move():
    s = at("white 24:3 off:12 | black 1:15", roll="5 2")
    assert names(s) == ["24/off"]
    assert list(after(s, "24/off").left) == [1, 0]  # the smaller die is spent


# §5 The end


@pytest.mark.parametrize(("black", "points"), [("1:15", 2), ("19:15", 2), ("24:14 off:1", 1)])
def test_5_1_one_point_or_two_if_the_loser_has_none_off(black, points):
    s = after(at(f"white 24:1 off:14 | black {black}", roll="2 1", match=7), "24/off")
    assert list(s.points) == [points, 0]


def test_5_2_a_match_goes_on_until_its_points_are_won():
    s = after(at("white 24:1 off:14 | black 1:15 | points 1 2", roll="2 1", match=5), "24/off")
    assert GAME.asked(s) == (NATURE,)
    assert list(s.points) == [3, 2]
    s = after(s, "open 1 2")
    assert GAME.rules.position(s) == "white 1:15 | black 1:15 | turn black | roll 2 1 | left 2 1 | points 3 2"


def test_5_2_a_single_game_is_worth_one_or_two_points():
    assert GAME.settle(2, {})[1]["match"] == "single"
    double = after(at("white 24:1 off:14 | black 1:15", roll="2 1"), "24/off")
    assert (GAME.asked(double), GAME.score(double, 2)) == ((), (2, 0))
    single = after(at("white 24:1 off:14 | black 24:14 off:1", roll="2 1"), "24/off")
    assert (GAME.asked(single), GAME.score(single, 2)) == ((), (1, 0))


@pytest.mark.parametrize("match", [3, 5, 7])
def test_5_2_points_beyond_the_match_are_ignored(match):
    s = after(at(f"white 24:1 off:14 | black 1:15 | points {match - 1} 0", roll="2 1", match=match), "24/off")
    assert GAME.asked(s) == ()
    assert GAME.score(s, 2) == (match, 0)


@pytest.mark.parametrize("match", [3, 5, 7])
def test_5_2_either_player_ends_the_match_with_its_last_point(match):
    points = f"points {match - 1} {match - 1}"
    for sides, score in (
        ("white 24:1 off:14 | black 24:14 off:1 | turn white", (match, match - 1)),
        ("white 24:14 off:1 | black 24:1 off:14 | turn black", (match - 1, match)),
    ):
        s = after(at(f"{sides} | {points}", roll="2 1", match=match), "24/off")
        assert (GAME.asked(s), GAME.score(s, 2)) == ((), score)


# §6 Options


WALLED = "white 14:2 15:2 16:2 17:2 18:2 19:2 24:3 | black 1:15"  # white holds what black counts 2 to 7


def test_6_must_open_a_wall_with_all_of_the_opponent_behind_it():
    free, bound = at(WALLED, roll="2 1"), at(WALLED, roll="2 1", must_open="yes")
    assert "14/15 14/16" in turns(free)
    assert turns(bound) < turns(free)
    for turn in turns(bound):
        s = after(bound, *turn.split())
        assert not all(s.men[0, point] for point in range(14, 20))
    assert "must_open" in why(bound, "18/19")


def test_6_must_open_does_not_bind_while_a_man_of_the_opponent_is_past():
    position = "white 14:2 15:2 16:2 17:2 18:2 19:2 24:3 | black 1:14 8:1"
    assert turns(at(position, roll="2 1")) == turns(at(position, roll="2 1", must_open="yes"))


def test_6_must_open_only_if_some_turn_opens_it():
    position = "white 19:3 20:3 21:3 22:2 23:2 24:2 | black 1:15"  # a 6 and a 5 empty no point
    assert turns(at(position, roll="6 5"))
    assert turns(at(position, roll="6 5", must_open="yes")) == turns(at(position, roll="6 5"))


def test_6_must_open_never_plays_fewer_dice_for_it():
    # A lone 3, 21/24, would open the wall; but both dice can be played, and every turn that plays both keeps it.
    s = at("white 15:1 19:3 20:2 21:1 22:2 23:1 24:5 | black 1:14 6:1", roll="6 3", must_open="yes")
    assert not s.unwalled
    assert {len(turn.split()) for turn in turns(s)} == {2}


def test_6_must_open_counts_24_and_1_as_neighbours():
    # White's 22, 23, 24, 1, 2, 3 are black's 10 to 15.
    s = at("white 1:1 2:2 3:2 22:4 23:3 24:3 | black 1:14 9:1", roll="5 5", must_open="yes")
    assert s.unwalled
    for turn in turns(s):
        assert not after(s, *turn.split()).men[0, [1, 2, 3, 22, 23, 24]].all()
    s = at("white 1:1 2:2 3:2 22:4 23:3 24:3 | black 9:14 16:1", roll="5 5", must_open="yes")
    assert not s.unwalled  # one black man is above the wall


def test_6_building_a_wall_is_allowed():
    s = at("white 8:1 15:3 16:3 17:2 18:2 19:2 24:2 | black 1:15", roll="6 1", must_open="yes")
    assert "8/14 15/16" in turns(s)


def test_6_winner_starts_with_two_fresh_dice():
    s = after(at("white 1:15 | black 24:1 off:14 | turn black", roll="2 1", match=7, winner_starts="yes"), "24/off")
    assert GAME.asked(s) == (NATURE,)
    assert len(names(s)) == 21
    s = after(s, "roll 5 5")
    assert GAME.asked(s) == (1,)
    assert list(s.points) == [0, 2]


# Facts of the rulebook


def test_facts_a_state_is_small():
    assert GAME.rules.STATE.itemsize <= 512


@pytest.mark.parametrize("first", range(1, 7))
@pytest.mark.parametrize("second", range(1, 7))
def test_facts_every_opening_roll_but_a_double_plays_both_dice_with_the_runner(first, second):
    if first > second:
        runner = 1 + first + second
        for turn in turns(at(START, roll=f"{first} {second}")):
            assert turn.endswith(f"/{runner}")
            assert len(turn.split()) == 2


@pytest.mark.parametrize(
    ("roll", "dice", "ends"), [("1 1", 4, {5}), ("2 2", 4, {9}), ("3 3", 3, {10}), ("4 4", 2, {9}), ("6 6", 1, {7})]
)
def test_facts_the_doubles_as_a_first_roll(roll, dice, ends):
    found = turns(at(START, roll=roll))
    assert {len(turn.split()) for turn in found} == {dice}
    assert {int(turn.rsplit("/", 1)[1]) for turn in found} == ends


def test_facts_five_five_goes_to_16_with_one_man_to_6_or_to_21():
    s = at(START, roll="5 5")
    ends = {GAME.rules.position(after(s, *turn.split())).split(" | ")[0] for turn in turns(s)}
    assert ends == {"white 1:13 6:1 16:1", "white 1:14 21:1"}

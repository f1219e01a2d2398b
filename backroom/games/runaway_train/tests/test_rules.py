"""One test for each § of RunAway Train, on the standard track unless a test says otherwise."""

import re

import pytest

from backroom.engine.kernel import EVERYONE, SPECTATOR, UNKNOWN
from backroom.games.runaway_train.pieces import track_of
from backroom.games.runaway_train.rules.cards import worth
from backroom.games.runaway_train.rules.state import BRAKED, PLUNGED, STOPPED
from backroom.games.runaway_train.rules.train import least_roll

from .boards import GAME, LITTLE, aboard, after, at, hand, is_asked_for, names, points, shows, start, why

CHOOSE = "train 5 | speed 3 | choose"


# §1 What each player has


def test_1_1_nine_cards_and_all_hands_are_known():
    s = at(CHOOSE)
    suitcases = range(1, 8)
    cards = {card for name in names(s) if "+" in name for card in name.split("+")}
    assert cards == {"passenger", "conductor", *map(str, suitcases)}
    assert [hand(s, seat) for seat in range(3)] == ["1234567"] * 3
    for reader in (SPECTATOR, 0, 2):
        assert list(GAME.view(s, reader).suitcases) == list(s.suitcases)


def test_1_2_points_are_whole_and_never_owed_so_chips_of_1_5_and_10_pay_them():
    for choice in range(4, 18):
        for multiplier in range(1, 10):
            assert worth(choice, multiplier) >= 1
            assert int(worth(choice, multiplier)) == worth(choice, multiplier)


# §2 The track


def test_2_1_the_standard_track():
    before, short, long = track_of("standard").parts
    assert before.spaces == ((10, 2), (18, -2), (26, 3))
    assert (before.end, short.end, long.end) == (32, 52, 68)
    assert short.spaces == ((38, -1), (44, 4))
    assert long.spaces == ((46, -1), (56, 4))


def test_2_2_the_stop_chart():
    s = start()
    short = [int(least_roll(s, 1, speed)) for speed in range(1, 12)]
    long = [int(least_roll(s, 2, speed)) for speed in range(1, 12)]
    assert short == [1, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7]  # 7: it cannot stop
    assert long == [1, 1, 1, 2, 3, 4, 5, 6, 7, 7, 7]


def test_2_3_a_table_may_replace_the_track():
    s = start(track=LITTLE)
    assert [int(end) for end in s.end] == [4, 6, 12]
    assert s.yellow_at[0].tolist() == [1, 2, 3, 0, 0, 0, 0, 0]
    assert s.yellow_is[2].tolist() == [2, -1, 5, 0, 0, 0, 0, 0]
    assert [int(least_roll(s, 2, speed)) for speed in (1, 2, 3, 4, 5)] == [2, 2, 3, 5, 7]
    assert [int(least_roll(s, 1, speed)) for speed in (1, 2, 3)] == [4, 6, 7]


def test_2_3_a_track_as_full_as_can_be():
    """Eight yellow spaces on each part, and charts of ten speeds: the last of each counts."""
    spaces = [[*range(first, first + 7)] for first in (1, 11, 21)]
    before, short, long = ("\n".join(f'{n} = "x{n % 10}"' for n in part) for part in spaces)
    chart = ", ".join(f"{speed} = {min(speed, 6)}" for speed in range(1, 10))
    text = f"""
switch = 10
[before]
{before}
9 = "brake 1"
[short]
{short}
18 = "x9"
end = 20
stop = {{ {chart}, 10 = 1 }}
[long]
{long}
28 = "brake 1/2"
end = 30
stop = {{ {chart}, 10 = 2 }}
"""
    s = after(at("train 0 | roll", track=text), "roll 6")
    assert s.multiplier == 3
    s = after(at("train 8 | speed 12 | roll", track=text), "roll 1")
    assert (is_asked_for(s, "brake"), s.multiplier) == (True, 7)
    short = after(s, "brake 2", "short")
    assert (short.at, short.multiplier, is_asked_for(short, "stop")) == (20, 9, True)
    assert after(short, "stop 1").fate == STOPPED  # speed 10
    long = after(at("train 27 long | speed 11 | roll", track=text), "roll 1", "brake 3")
    assert [int(after(long, f"stop {die}").fate) for die in (1, 2)] == [PLUNGED, STOPPED]


def test_2_4_the_speed_begins_at_1_and_the_tracker_is_walked_round():
    assert start().speed == 1
    squares = {}
    for speed in (1, 10, 11, 20):
        scene = GAME.rules.draw(at(f"train 5 | speed {speed} | choose"), 0)
        (piece,) = [piece for piece in scene.pieces if piece.id == "speed"]
        squares[speed] = piece.x
        assert piece.face == str(speed)
    assert squares[11] == squares[1]
    assert squares[20] == squares[10]
    assert at("train 5 | speed 12 | roll") != at("train 5 | speed 2 | roll")
    assert after(at("train 5 | speed 12 | roll"), "roll 1").at == 17  # what counts is the true speed


# §3 A round


def test_3_the_first_engineer_by_the_highest_die_the_tied_again():
    s = start(4)
    assert is_asked_for(s, "lot")
    assert GAME.odds(s) == [1] * 6
    assert after(s, "lot 2", "lot 5", "lot 1", "lot 4").engineer == 1
    tied = after(s, "lot 5", "lot 2", "lot 5", "lot 5")
    assert is_asked_for(tied, "lot")
    again = after(tied, "lot 3", "lot 3", "lot 1")  # red, green and pink; now red and green
    assert is_asked_for(again, "lot")
    begun = after(again, "lot 1", "lot 2")
    assert (int(begun.engineer), int(begun.speed)) == (2, 1)
    assert is_asked_for(begun, "roll")


@pytest.mark.parametrize(("die", "faster"), [(1, 0), (2, 0), (3, 1), (4, 1), (5, 1), (6, 2)])
def test_3_1_the_roll_changes_the_speed(die, faster):
    assert after(at("train 5 | speed 3 | roll"), f"roll {die}").speed == 3 + faster
    first = after(start(), "lot 6", "lot 1", "lot 1", f"roll {die}")  # in the first round too
    assert (first.speed, first.at) == (1 + faster, 1 + faster)


def test_3_2_the_train_moves_by_the_speed_and_not_beyond_the_end():
    assert after(at("train 2 | speed 5 | roll"), "roll 1").at == 7
    end = after(at("train 50 short | speed 5 | roll"), "roll 6")
    assert (end.at, end.left) == (52, 0)  # nothing is left of a move that came to the end
    beyond = after(at("train 3 | speed 7 | roll", track=LITTLE), "roll 1", "short")
    assert (beyond.at, beyond.left, is_asked_for(beyond, "stop")) == (6, 0, True)  # 10 without an end
    assert after(at("train 47 long | speed 5 | roll"), "roll 6").at == 54


def test_3_3_a_multiplier_counts_at_once_and_replaces_the_one_before():
    s = after(at("train 8 | speed 2 | roll"), "roll 1")  # exactly there
    assert (s.at, s.multiplier) == (10, 2)
    assert points(after(shows(s, "passenger+4", "pass", "pass"), "stay"))[0] == 8
    s = after(at("train 24 | speed 5 | roll"), "roll 2")  # passed
    assert (s.at, s.multiplier) == (29, 3)
    assert at("train 25 | speed 2 | choose").multiplier == 2


def test_3_3_brake_a_half_and_brake_1():
    s = after(at("train 15 | speed 5 | roll"), "roll 3")
    assert (s.at, s.speed) == (21, 6)
    assert is_asked_for(s, "brake")
    assert [int(after(s, f"brake {die}").speed) for die in range(1, 7)] == [6, 5, 5, 4, 4, 3]
    full = after(at("train 36 short | speed 7 | roll"), "roll 1")
    assert [int(after(full, f"brake {die}").speed) for die in range(1, 7)] == [6, 5, 4, 3, 2, 1]


def test_3_3_a_brake_counts_from_the_next_move():
    s = after(at("train 15 | speed 5 | roll"), "roll 3", "brake 6")
    assert s.at == 21
    assert after(shows(s, "pass", "pass", "pass"), "roll 1").at == 24


def test_3_3_in_the_order_of_the_track():
    """×2 at 10 and the brake at 18 in one move: the multiplier counts already when the brake is rolled."""
    s = after(at("train 9 | speed 11 | roll"), "roll 1")
    assert is_asked_for(s, "brake")
    assert (s.multiplier, s.at) == (2, 20)
    s = after(at("train 17 | speed 11 | roll"), "roll 1")  # the brake at 18, then ×3 at 26
    assert (s.multiplier, s.at) == (2, 28)
    assert after(s, "brake 1").multiplier == 3


def test_3_3_each_once_in_a_game():
    s = after(at("train 17 | speed 1 | roll"), "roll 1")
    assert (s.at, is_asked_for(s, "brake")) == (18, True)
    s = after(s, "brake 1")
    assert GAME.asked(s) == (0, 1, 2)
    s = after(shows(s, "pass", "pass", "pass"), "roll 1")
    assert (s.at, GAME.asked(s)) == (19, (0, 1, 2))


def test_3_3_until_a_track_is_chosen_the_train_goes_no_farther_than_the_switch():
    s = after(at("train 30 | speed 6 | engineer blue | roll"), "roll 1")
    assert (s.at, s.left) == (32, 4)
    assert GAME.asked(s) == (1,)
    assert names(s) == ["short", "long"]
    short, long = after(s, "short"), after(s, "long")
    assert (short.at, short.track, long.at, long.track) == (36, 1, 36, 2)
    assert (short.left, long.left) == (0, 0)
    assert GAME.asked(short) == (0, 1, 2)
    assert [names(s, seat) for seat in (0, 2)] == [[], []]  # it is the engineer who chooses


def test_3_3_the_switch_is_chosen_also_when_the_train_stops_exactly_there():
    s = after(at("train 30 | speed 2 | roll"), "roll 1")
    assert (s.at, s.left, names(s)) == (32, 0, ["short", "long"])
    s = after(s, "long")
    assert (s.at, s.track, GAME.asked(s)) == (32, 2, (0, 1, 2))


def test_3_3_the_switch_comes_last_and_a_brake_does_not_shorten_the_move():
    s = after(at("train 17 | speed 20 | roll"), "roll 1")  # to 37: the brake at 18, ×3 at 26, the switch, five more
    assert (s.at, s.multiplier) == (32, 2)
    s = after(s, "brake 6")
    assert (s.speed, s.multiplier, names(s)) == (17, 3, ["short", "long"])
    assert after(s, "long").at == 37


def test_3_3_the_yellow_spaces_of_the_chosen_track_in_the_same_move():
    s = after(at("train 30 | speed 20 | roll"), "roll 1", "short")  # to 50: the brake at 38, then ×4 at 44
    assert (s.at, s.multiplier) == (50, 3)
    assert is_asked_for(s, "brake")
    s = after(s, "brake 2")
    assert (s.speed, s.multiplier, GAME.asked(s)) == (18, 4, (0, 1, 2))
    long = after(at("train 30 | speed 20 | roll"), "roll 1", "long")
    assert (long.at, is_asked_for(long, "brake")) == (50, True)


def test_3_3_everything_in_one_move_on_a_track_of_its_own():
    s = after(at("train 0 | roll", track=LITTLE), "roll 6")  # speed 3: the brake at 1, ×3 at 2, the brake at 3
    assert (s.at, s.multiplier, is_asked_for(s, "brake")) == (3, 1, True)
    s = after(s, "brake 2")
    assert (s.speed, s.multiplier, is_asked_for(s, "brake")) == (2, 3, True)
    s = after(s, "brake 1")
    assert (s.speed, GAME.asked(s)) == (1, (0, 1, 2))


def test_3_4_a_brake_that_brings_the_speed_below_1_ends_the_game_at_once():
    s = after(at("red 67 points 15 | train 17 | speed 3 | roll"), "roll 1", "brake 6")
    assert (s.speed, s.fate, GAME.asked(s)) == (0, BRAKED, ())
    assert points(s) == [15 + 13, 28, 28]


def test_3_4_nothing_further_of_the_move():
    s = after(at("train 1 | speed 4 | roll", track=LITTLE), "roll 1")  # the brake at 3, the switch at 4 and one more
    assert (s.at, s.left, s.multiplier) == (4, 1, 3)
    s = after(s, "brake 6")
    assert (s.fate, s.at, s.left, s.track) == (BRAKED, 4, 0, 0)
    s = after(at("train 27 | speed 2 | brake 18"), "brake 5")
    assert (s.fate, s.multiplier) == (BRAKED, 2)  # ×3 at 26 is not carried out


def test_3_5_everyone_aboard_chooses_two_cards_or_none():
    s = at("blue 27 points 9 | green 1234567 off | train 5 | speed 3 | choose")
    assert GAME.asked(s) == (0, 1)
    assert names(s, 1) == [
        *("pass", "bluff", "passenger+conductor"),
        *("passenger+2", "passenger+7", "conductor+2", "conductor+7"),
    ]
    assert len(names(s, 0)) == 17
    assert names(s, 2) == []


def test_3_5_a_bluff_needs_two_suitcases_and_is_one_move():
    s = at("red 4 points 24 | blue 45 points 30 | train 5 | speed 3 | choose")
    assert names(s, 0) == ["pass", "passenger+conductor", "passenger+4", "conductor+4"]
    assert names(s, 1).count("bluff") == 1
    assert why(s, 0, "bluff") == "a bluff needs two suitcases (§3.5)"


def test_3_5_without_suitcases_passenger_and_conductor_or_pass():
    assert names(at("red none points 28 | train 5 | speed 3 | choose"), 0) == ["pass", "passenger+conductor"]


def test_3_5_a_choice_is_secret_until_the_last_has_chosen():
    s = at(CHOOSE)
    move = GAME.rules.parse(s, "passenger+3")
    assert GAME.rules.seen(s, 1, move) == 1 << 1
    one = GAME.after(s, 1, move)
    for reader in (SPECTATOR, 0, 2):
        views = [GAME.view(GAME.after(s, 1, other), reader) for other in GAME.moves(s, 1)]
        assert len({GAME.key(v) for v in views}) == 1  # a pass is as secret as cards
        assert views[0].choice[1] == UNKNOWN
    passing = GAME.rules.parse(s, "pass")
    assert GAME.rules.seen(s, 1, passing) == 1 << 1
    two = GAME.after(one, 0, passing)
    assert GAME.rules.seen(two, 2, move) == EVERYONE


def test_3_5_a_choice_may_be_replaced_until_the_reveal():
    s = after(at(CHOOSE), "passenger+3")
    assert GAME.asked(s) == (1, 2)
    assert "passenger+3" not in names(s, 0)
    assert len(names(s, 0)) == 16
    changed = GAME.after(s, 0, GAME.rules.parse(s, "conductor+7"))
    assert GAME.key(changed) == GAME.key(after(at(CHOOSE), "conductor+7"))
    shown = after(changed, "pass", "pass")
    assert hand(shown, 0) == "123456"
    assert names(shown, 0) == []


def test_3_6_players_with_the_same_two_cards_do_nothing():
    s = shows(at(CHOOSE, 4), "passenger+3", "passenger+3", "passenger+5", "conductor+3")
    assert points(s) == [0, 0, 5, 1]  # with the conductor the 3 is another pair
    s = shows(at(CHOOSE, 4), "conductor+7", "conductor+7", "conductor+7", "conductor+2")
    assert points(s) == [0, 0, 0, 1]
    s = shows(at(CHOOSE), "passenger+conductor", "passenger+conductor", "passenger+3")
    assert aboard(s) == [0, 1, 2]
    assert points(s) == [0, 0, 3]


def test_3_6_two_suitcases_never_do_anything_and_passes_are_not_alike():
    s = shows(at(CHOOSE), "bluff", "bluff", "pass")
    assert [hand(s, seat) for seat in range(3)] == ["1234567"] * 3
    assert (points(s), aboard(s)) == ([0, 0, 0], [0, 1, 2])
    s = shows(at(CHOOSE, 4), "pass", "pass", "bluff", "passenger+1")
    assert points(s) == [0, 0, 0, 1]


def test_3_7_the_lowest_with_a_passenger_the_highest_with_a_conductor():
    s = shows(
        at(CHOOSE, 6), *("passenger+4", "passenger+2", "conductor+6", "conductor+5"), "passenger+conductor", "pass"
    )
    assert points(s) == [0, 2, 1, 0, 0, 0]
    assert aboard(s) == [0, 1, 2, 3, 5]
    assert GAME.asked(s) == (1,)


def test_3_7_what_is_settled_is_settled_before_anyone_jumps():
    s = shows(at(CHOOSE), "passenger+1", "conductor+7", "passenger+conductor")
    assert GAME.asked(s) == (0,)
    assert (points(s), aboard(s)) == ([1, 1, 0], [0, 1])


def test_3_8_cards_return_but_for_a_suitcase_that_went_off():
    s = after(shows(at(CHOOSE), "passenger+3", "passenger+5", "conductor+6"), "stay")
    assert [hand(s, seat) for seat in range(3)] == ["124567", "1234567", "123457"]
    assert (s.jumper, s.gained.tolist()) == (0, [3, 0, 1, 0, 0, 0])
    again = after(s, "roll 1")
    assert shows(again, "pass", "passenger+5", "pass").gained.tolist() == [0, 5, 0, 0, 0, 0]  # of this reveal alone
    assert "passenger+5" in names(again, 1)
    assert "passenger+3" not in names(again, 0)
    assert {"conductor+1", "passenger+1", "passenger+conductor"} <= set(names(again, 2))
    assert why(again, 0, "p3") == "your suitcase 3 has gone off (§3.8)"


def test_3_9_the_die_goes_left_to_the_next_aboard():
    s = at("green 1234567 off | train 5 | speed 3 | engineer blue | choose", 4)
    assert shows(s, "pass", "pass", "pass").engineer == 3
    s = at("pink 1234567 off | train 5 | speed 3 | engineer green | choose", 4)
    assert shows(s, "pass", "pass", "pass").engineer == 0
    alone = at("red 1234567 off | green 1234567 off | train 5 | speed 3 | engineer blue | choose")
    assert shows(alone, "pass").engineer == 1
    gone = shows(at("train 5 | speed 3 | engineer blue | choose"), "pass", "passenger+conductor", "pass")
    assert gone.engineer == 2


# §4 Scoring


@pytest.mark.parametrize(("where", "times"), [(5, 1), (12, 2), (28, 3)])
def test_4_1_with_the_passenger_the_suitcase_times_the_multiplier(where, times):
    s = shows(at(f"train {where} | speed 3 | choose"), "passenger+5", "pass", "pass")
    assert points(s)[0] == 5 * times


def test_4_2_with_the_conductor_less_the_tip_and_a_7_at_3_is_15():
    s = shows(at("train 28 | speed 3 | choose"), "conductor+7", "conductor+6", "pass")
    assert points(s) == [15, 0, 0]  # the tip is paid only if it goes off


def test_4_2_the_player_aid():
    """Net of the tip, with the conductor: ×1 always 1; ×2 v+1; ×3 2v+1; ×4 3v+1."""
    aid = re.search(r"×1 always (\d); ×2 v\+(\d); ×3 2v\+(\d); ×4 3v\+(\d)", GAME.rulebook)
    assert [int(n) for n in aid.groups()] == [1, 1, 1, 1]
    places = {1: "train 5", 2: "train 12", 3: "train 28", 4: "train 45 short"}
    for times, where in places.items():
        for v in range(1, 8):
            s = shows(at(f"{where} | speed 3 | choose"), f"conductor+{v}", "pass", "pass")
            assert points(s)[0] == {1: 1, 2: v + 1, 3: 2 * v + 1, 4: 3 * v + 1}[times]


def test_4_3_who_got_a_suitcase_off_with_his_passenger_may_jump_after_all_is_seen():
    s = shows(at(CHOOSE), "pass", "passenger+3", "passenger+4")
    assert GAME.asked(s) == (1,)
    assert names(s, 1) == ["jump", "stay"]
    jumped, stayed = after(s, "jump"), after(s, "stay")
    assert (jumped.jumper, stayed.jumper) == (0, 0)  # two ways to the same state are one
    assert points(jumped) == points(stayed) == [0, 3, 0]  # the suitcase scores either way, the passenger nothing
    assert (aboard(jumped), aboard(stayed)) == ([0, 2], [0, 1, 2])
    assert names(s, 2) == []
    shown = GAME.view(s, 2).shown
    assert [GAME.rules.name(s, int(choice) + 25) for choice in shown[:3]] == ["pass", "passenger+3", "passenger+4"]


def test_4_3_nobody_is_asked_who_used_the_conductor():
    assert is_asked_for(shows(at(CHOOSE), "conductor+3", "pass", "pass"), "roll")


def test_4_4_who_is_off_plays_no_more_and_loses_his_suitcases():
    s = shows(at("train 12 | speed 3 | choose"), "passenger+conductor", "pass", "pass")
    s = after(s, "roll 1")
    assert names(s, 0) == []
    assert why(s, 0, "pass") == "you are off the train and play no more (§4.4)"
    stopped = after(at("red 1234567 off | train 17 | speed 2 | engineer blue | roll"), "roll 1", "brake 6")
    assert points(stopped) == [0, 28, 28]


# what holds always


def test_a_record_is_small():
    assert GAME.rules.STATE.itemsize <= 512

"""One test for each § about the end of the line (§5) and the options (§6)."""

import pytest

from backroom.games.runaway_train.rules.state import EMPTY, PLUNGED, STOPPED

from .boards import GAME, after, at, is_asked_for, names, points, score, shows, start

CHOOSE = "train 5 | speed 3 | choose"


# §5 The end


def test_5_1_at_the_end_the_engineer_rolls_against_the_chart():
    s = after(at("train 50 short | speed 4 | roll"), "roll 1")
    assert is_asked_for(s, "stop")
    fates = [int(after(s, f"stop {die}").fate) for die in range(1, 7)]
    assert fates == [PLUNGED] * 2 + [STOPPED] * 4
    assert all(GAME.asked(after(s, f"stop {die}")) == () for die in range(1, 7))
    fast = after(at("train 50 short | speed 8 | roll"), "roll 1")
    assert {int(after(fast, f"stop {die}").fate) for die in range(1, 7)} == {PLUNGED}
    long = after(at("train 66 long | speed 8 | roll"), "roll 1")
    assert [int(after(long, f"stop {die}").fate) for die in (5, 6)] == [PLUNGED, STOPPED]


def test_5_1_for_the_speed_after_every_brake_already_rolled():
    s = after(at("train 37 short | speed 15 | roll"), "roll 1", "brake 6")  # the brake at 38 and the end in one move
    assert (s.at, s.speed) == (52, 9)
    assert is_asked_for(s, "stop")
    assert after(s, "stop 6").fate == PLUNGED  # 9 on the short track cannot stop
    slow = after(at("train 52 short | speed 3 | brake 38"), "brake 1")
    assert after(slow, "stop 1").fate == STOPPED


def test_5_2_the_game_ends_when_the_last_passenger_is_off():
    s = at("red 12 points 60 off | green 4567 points 6 off | train 28 | speed 3 | engineer blue | choose")
    assert shows(s, "passenger+conductor").fate == EMPTY
    jumped = after(shows(s, "passenger+7"), "jump")
    assert (jumped.fate, GAME.asked(jumped), points(jumped)) == (EMPTY, (), [60, 21, 6])


def test_5_3_if_the_train_stopped_everyone_aboard_adds_his_suitcases():
    s = at("red 67 points 20 | blue 1234567 off | green none points 41 | train 52 short | speed 4 | stop")
    assert points(after(s, "stop 3")) == [33, 0, 41]
    assert points(after(s, "stop 2")) == [20, 0, 41]


def test_5_4_most_points_win_and_a_tie_is_shared():
    s = at("red 67 points 20 | blue 1 points 33 off | green 12 points 30 | train 52 short | speed 4 | stop")
    s = after(s, "stop 6")
    assert score(s) == [33, 33, 33]
    assert "Red, Blue and Green share the win with 33 points each" in GAME.plain(GAME.rules.question(s, 0))


def test_5_4_over_the_cliff_nobody_aboard_can_win():
    s = at("red none points 70 | blue 1234567 off | green 12 points 30 | train 52 short | speed 8 | stop")
    s = after(s, "stop 6")
    found = score(s)
    assert found[1] > found[0] > found[2]  # blue with nothing, then by points
    assert points(s) == [70, 0, 30]  # which they keep
    assert "Blue wins with 0 points" in GAME.plain(GAME.rules.question(s, 0))


def test_5_4_if_nobody_got_off_all_lose_alike():
    s = after(at("red none points 70 | train 52 short | speed 8 | stop"), "stop 6")
    assert len(set(score(s))) == 1
    assert GAME.winners(s, 3) == ()
    assert "Nobody got off, and nobody wins: all lose alike" in GAME.plain(GAME.rules.question(s, 1))


# §6 Options


def test_6_countdown_is_the_tables_matter():
    options = {option.name: option for option in GAME.rules.OPTIONS}
    assert options["countdown"].settle("45") == "45"
    assert not options["countdown"].is_rule
    assert GAME.key(start(countdown="off")) == GAME.key(start(countdown=5))
    for wrong in ("4", "121", "soon", "²0", "-5"):
        with pytest.raises(ValueError, match="seconds from 5 to 120"):
            options["countdown"].settle(wrong)


def test_6_last_gasp_cards_are_played_once_more_at_the_end():
    s = after(at("train 50 short | speed 4 | roll", last_gasp="yes"), "roll 1")
    assert GAME.asked(s) == (0, 1, 2)
    assert "The last gasp" in GAME.plain(GAME.rules.question(s, 0))
    s = shows(s, "passenger+3", "passenger+conductor", "pass")
    assert names(s, 0) == ["jump", "stay"]
    assert points(s) == [12, 0, 0]
    stayed, jumped = after(s, "stay"), after(s, "jump")
    assert is_asked_for(stayed, "stop")
    assert (stayed.engineer, jumped.engineer) == (0, 2)  # if the engineer got off the next aboard rolls
    assert points(after(jumped, "stop 6")) == [12, 0, 28]


def test_6_last_gasp_without_anybody_left_there_is_no_roll():
    s = at("blue 1234567 off | green 1234567 off | train 52 short | speed 4 | choose", last_gasp="yes")
    assert shows(s, "passenger+conductor").fate == EMPTY
    assert after(shows(s, "passenger+1"), "jump").fate == EMPTY


def test_6_last_gasp_comes_after_the_brakes_of_the_move():
    s = after(at("train 37 short | speed 15 | roll", last_gasp="yes"), "roll 1")
    assert is_asked_for(s, "brake")
    assert GAME.asked(after(s, "brake 3")) == (0, 1, 2)

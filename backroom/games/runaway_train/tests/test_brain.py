"""The judgement: good enough for a first opponent, the same for every seat, exact where the end is near."""

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot
from backroom.engine.kernel import dice_from

from .boards import GAME, after, at, start


@pytest.mark.parametrize(("seats", "share"), [(3, 0.9), (4, 0.85), (5, 0.8), (6, 0.75)])
def test_greedy_beats_random(seats, share):
    result = match(bot("greedy", GAME), bot("random", GAME), 600, seats, seed=2026)
    assert result.interval[0] >= share, result


def test_values_of_all_seats_add_up_to_one_and_are_fair():
    """Turning the table round, seat by seat, turns the values with it."""
    for seed in range(4):
        seats = 3 + seed
        s = start(seats)
        for _ in GAME.stroll(s, seats, dice_from(seed)):
            if GAME.asked(s):
                values = [GAME.rules.value(s, seat) for seat in range(seats)]
                assert sum(values) == pytest.approx(1)
                assert min(values) >= 0
                turned = GAME.copy(s)
                for field in ("suitcases", "points", "choice", "shown", "gained", "lot"):
                    turned[field][:seats] = np.roll(s[field][:seats], 1)
                turned.aboard = (int(s.aboard) << 1 | int(s.aboard) >> seats - 1) & (1 << seats) - 1
                turned.engineer, turned.jumper = (s.engineer + 1) % seats, (s.jumper + 1) % seats
                assert [GAME.rules.value(turned, (seat + 1) % seats) for seat in range(seats)] == pytest.approx(values)


def test_value_knows_the_end():
    s = at("red none points 70 | blue 1234567 off | green 12 points 30 | train 52 short | speed 8 | stop")
    assert [GAME.rules.value(after(s, "stop 6"), seat) for seat in range(3)] == [0, 1, 0]
    tied = at("red 67 points 20 | blue 1 points 33 off | green 12 points 20 | train 52 short | speed 4 | stop")
    assert [GAME.rules.value(after(tied, "stop 6"), seat) for seat in range(3)] == [0.5, 0.5, 0]
    lost = after(at("train 52 short | speed 8 | stop"), "stop 6")
    assert [GAME.rules.value(lost, seat) for seat in range(3)] == [0, 0, 0]


def test_greedy_gets_off_before_a_cliff_it_cannot_avoid():
    ready = "red none points 40 | train 47 short | speed 9 | choose"
    v = GAME.view(at(ready), 0)
    assert GAME.rules.name(v, bot("greedy", GAME).answer(v, 0, 1)) == "passenger+conductor"


def test_features_are_filled_and_say_what_they_should():
    s = at("red 17 points 25 | blue 1234567 off | train 12 | speed 5 | engineer green | choose", 4)
    mine, other = np.full((2, GAME.rules.FEATURES), np.nan, np.float32)
    GAME.rules.features(s, 0, mine)
    GAME.rules.features(s, 2, other)
    assert not np.isnan(mine).any()
    assert list(mine[:9]) == [1, 0, 0, 0, 0, 0, 1, 0.5, 1]
    assert list(mine[13:22]) == [1, 1, 1, 1, 1, 1, 1, 0, 0]  # blue, to the left, is off
    assert other[10] == 1  # green is the engineer
    assert list(other[26:35]) == list(mine[:9])  # and red sits two places farther
    assert not mine[4 * 13 : 6 * 13].any()  # nobody sits there


@pytest.mark.parametrize(("level", "lower", "share"), [("easy", "random", 0.66), ("medium", "easy", 0.58)])
def test_levels_are_in_order(level, lower, share):
    """With much room: `levels.md` has the figures, and those of `hard`."""
    assert match(bot(level, GAME), bot(lower, GAME), 200, seed=7).share >= share


def test_value_is_exact_before_the_last_roll():
    """Red is off with 30; Blue, aboard, has 40 and stops the train with 5 or 6 of what it may roll."""
    s = at("red none points 30 off | blue 1 points 40 | green 12 points 20 off | train 51 short | speed 6 | roll")
    chances = [7 - roll for roll in (5, 5, 6, 6, 6, 7)]  # §2.2, §3.1: speeds 6, 6, 7, 7, 7 and 8
    stops = sum(chances) / 36
    assert [GAME.rules.value(s, seat) for seat in range(3)] == pytest.approx([1 - stops, stops, 0])

"""The handcrafted evaluation: good enough for a first opponent, and the same for every seat."""

import numpy as np
import pytest

from backroom.arena.match import buffers_for, match, play_game
from backroom.bots import bot
from backroom.bots.sight import sighted
from backroom.engine.kernel import dice_from
from backroom.games.booze_barons.rules.state import SEATS, fitting, stealable

from .boards import GAME, at


def test_greedy_beats_random_when_everyone_is_alone():
    """Three players are three mobs; each seed is played twice, with the seats swapped."""
    assert match(bot("greedy", GAME), bot("random", GAME), 400, seats=3, seed=2026).share >= 0.9


def shares(bots, seats, games):
    """The number of games won by the mob of one seat, which the first bot plays; the second plays all others."""
    first, second = (bot(name, GAME) for name in bots)
    options = GAME.encoded(GAME.settle(seats, {})[1])
    won, buffers = 0.0, buffers_for(GAME)
    for number in range(games):
        one = number % seats
        play_game(buffers, first, second, seats, options, 1 << one, 0, dice_from(number), np.uint64(number))
        s = buffers.s[0]
        score = GAME.score(s, seats)
        best = [mob for mob in range(3) if max(score) in seat_scores(s, score, mob)]
        won += (int(s.booze[one]) // 4 in best) / len(best)
    return won / games


def seat_scores(s, score, mob):
    return [score[seat] for seat in range(len(score)) if int(s.booze[seat]) // 4 == mob]


@pytest.mark.parametrize("seats", [3, 5, 6, 8])
def test_a_greedy_player_helps_his_mob_among_random_ones(seats):
    """Random players win a third of the time; a mob with one better player wins more."""
    assert shares(("random", "random"), seats, 600) == pytest.approx(1 / 3, abs=0.08)
    assert shares(("greedy", "random"), seats, 600) > (0.6 if seats < 6 else 0.42)


def test_value_knows_the_end():
    lying = "ask over | lying caves1"
    lost = "lost club box 2"
    s = at(lying, ada="porter at club down club1", bruno=f"tequila at club {lost}", cleo=f"merlot at club {lost}")
    assert [GAME.rules.value(s, seat) for seat in range(3)] == [1, 0, 0]
    s = at(lying, ada=f"porter at club {lost}", bruno=f"tequila at club {lost}", cleo=f"merlot at club {lost}")
    assert [GAME.rules.value(s, seat) for seat in range(3)] == [0.5] * 3


def test_a_win_counts_as_much_whether_it_is_reached_or_certain():
    """A win of two is worth less to each than a win of one (§8), also before the end: nothing is gained by waiting."""
    s = GAME.start(*GAME.settle(6, {}))
    for _ in GAME.stroll(s, 6, dice_from(1)):
        assert max(GAME.rules.value(s, seat) for seat in range(6)) <= 0.9
    assert max(GAME.rules.value(s, seat) for seat in range(6)) == 0.9


def test_value_does_not_favour_a_seat():
    s = at("ask move", ada="porter at club", bruno="tequila at club", cleo="merlot at club")
    values = [GAME.rules.value(s, seat) for seat in range(3)]
    assert len(set(values)) == 1
    rich = at("ask move", ada="porter at club down caves1", bruno="tequila at club", cleo="merlot at club")
    assert GAME.rules.value(rich, 0) > values[0] > GAME.rules.value(rich, 1)


@pytest.mark.parametrize("seats", SEATS)
def test_features_are_small(seats):
    s = GAME.start(*GAME.settle(seats, {"sides": "mixed"}))
    for played, _ in enumerate(GAME.stroll(s, seats, dice_from(seats))):
        if played % 20 == 0:
            for seat in range(seats):
                out = np.zeros(GAME.rules.FEATURES, np.float32)
                GAME.rules.features(GAME.view(s, seat), seat, out)
                assert np.abs(out).max() <= 3


def test_features_say_what_they_should():
    out = np.zeros(GAME.rules.FEATURES, np.float32)
    GAME.rules.features(at("ask act | lying caves1", bruno="tequila at club down dock1"), 1, out)
    assert list(out[:12]) == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]  # tequila
    assert out[12] == 0.25  # caves1 fits
    assert out[34] == 1  # Bruno is there
    assert out[36] == pytest.approx(13 / 24)
    assert out[37] == pytest.approx(1 / 8)


def test_features_say_who_was_looked_at_and_what_he_can_carry():
    s = at("ask look | turn ada | mark bruno", ada="porter at club", bruno="tequila at club down dock1")
    out = np.zeros(GAME.rules.FEATURES, np.float32)
    GAME.rules.features(GAME.view(s, 0), 0, out)
    can = [1 if int(s.could[1]) >> booze & 1 and booze >= 4 else 0 for booze in range(12)]  # Ada is the only beer
    assert list(out[22:34]) == pytest.approx([each / sum(can) for each in can])
    each = (len(out) - 34) // 9
    assert [out[34 + each * seat + 7] for seat in range(3)] == [0, 1, 0]
    assert out[34 + each + 9] == pytest.approx(1 / sum(can))
    out[:] = 0.0
    GAME.rules.features(GAME.view(s, 2), 2, out)
    assert not out[22:34].any()  # it is not Cleo's look


@pytest.mark.parametrize("seats", [3, 5, 9])
def test_a_policy_sees_all_that_it_was_promised_and_no_more_than_the_seat(seats):
    """Features are the same in the view and in any world that the seat can imagine."""
    sight = sighted(GAME).rules
    s = GAME.start(*GAME.settle(seats, {"sides": "mixed"}))
    for played, _ in enumerate(GAME.stroll(s, seats, dice_from(seats))):
        if played % 20 == 0:
            for seat in range(seats):
                v = GAME.view(s, seat)
                out = np.zeros((2, sight.FEATURES), np.float32)
                sight.features(v, seat, out[0])
                sight.features(GAME.imagined(v, seat, dice_from(played)), seat, out[1])
                assert np.array_equal(out[0], out[1])
                assert np.abs(out).max() <= 3


def test_insights_rate_the_look_and_the_deliveries():
    s = at(
        "ask look | turn ada | mark bruno | lying caves1", ada="porter at club", bruno="rye at club down club3 petes2"
    )
    sight = sighted(GAME).rules
    out = np.zeros(sight.FEATURES, np.float32)
    sight.features(GAME.view(s, 0), 0, out)
    place, guess, look, booze, card = np.split(out[GAME.rules.FEATURES :], np.cumsum([6, 9, 9, 12]))
    assert place.max() > 0
    assert booze.sum() == pytest.approx(1, abs=1e-6)
    assert guess[1] == pytest.approx(booze[4:].max())  # never of Ada's own mob, which is only herself
    assert look[1] > 0
    near = int(fitting(s, 0, s.lying[0])) | int(stealable(s, 0, 1))
    assert near
    assert list(np.flatnonzero(card)) == [each for each in range(36) if near >> each & 1]

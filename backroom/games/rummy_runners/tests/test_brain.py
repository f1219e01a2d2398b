"""The evaluation: good enough for a first opponent, the same for every seat, and exact at the end."""

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot
from backroom.engine.kernel import dice_from

from .boards import GAME, after, all_out, at, melded


def share_against_random(games, seats, **options):
    return match(bot("greedy", GAME), bot("random", GAME), games, seats, **options).share


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_greedy_beats_random(seats):
    assert share_against_random(120, seats) >= 0.85


@pytest.mark.parametrize(
    "options", [dict(zoning="controlled"), dict(disputes=True), dict(sets="hard"), dict(land="piecepack")]
)
def test_greedy_beats_random_in_every_variant(options):
    assert share_against_random(100, 2, **options) >= 0.8


def test_values_are_shares():
    for seats, options in GAME.settings()[::5]:
        s = GAME.start(seats, options)
        for number, _ in enumerate(GAME.stroll(s, seats, dice_from(5))):
            if number % 4 == 0:
                assert sum(GAME.rules.value(s, seat) for seat in range(seats)) == pytest.approx(1)


def test_value_does_not_know_seats_by_their_number():
    one = at("green hand s1r s2r | green before m1r | green claims a1 | violet hand c1r | violet before c3y")
    swapped = "violet hand s1r s2r | violet before m1r | violet claims a1 | green hand c1r | green before c3y"
    other = at(f"{swapped} | turn violet")
    assert GAME.rules.value(one, 0) == pytest.approx(GAME.rules.value(other, 1))


def test_value_knows_the_end():
    won = melded(at("green claims s1 s2 | green before s3r | green hand s3b a4b c1b"), "s3b a4b c1b")
    assert (GAME.rules.value(won, 0), GAME.rules.value(won, 1)) == (1, 0)
    over = after(at(f"{all_out(3)} | violet claims s1", seats=3), "pass", "pass", "pass")
    assert [GAME.rules.value(over, seat) for seat in range(3)] == [0, 1, 0]
    shared = after(at(f"{all_out(3)} | green claims c5 | violet claims s1", seats=3), "pass", "pass", "pass")
    assert [GAME.rules.value(shared, seat) for seat in range(3)] == [0.5, 0.5, 0]


def test_greedy_takes_a_win():
    s = at("green claims s1 s2 | green before s3r | green hand s3b a4b c1b m5y m4y a1y | violet hand c3r c4r")
    greedy = bot("greedy", GAME)
    while GAME.asked(s) == (0,):
        s = GAME.after(s, 0, greedy.answer(GAME.view(s, 0), 0, 1))
    assert s.winner == 0


def test_features_say_what_they_should():
    s = at("green hand s1r c5b | violet before s2r | violet claims m0 m1 m3 m5 | turn violet")
    out = np.zeros(GAME.rules.FEATURES, np.float32)
    GAME.rules.features(GAME.view(s, 1), 1, out)
    assert out[:60].sum() == 0  # Violet has no cards
    assert list(np.flatnonzero(out[60:120])) == [1]  # and the red 2 of suns before him
    assert out[120:144].sum() == 4  # four spaces
    assert out[145] == 1  # and the turn
    assert out[144 + 86] == pytest.approx(2 / 6)  # Green holds two cards

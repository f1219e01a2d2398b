"""The handcrafted evaluation: good enough for a first opponent, and the same for both seats."""

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot
from backroom.engine.kernel import dice_from

from .boards import GAME, at


def test_greedy_beats_random_in_95_of_100_games_with_the_seats_changed():
    result = match(bot("greedy", GAME), bot("random", GAME), 1000, seed=2026)
    assert result.share >= 0.95


def test_value_is_fair_to_both_seats():
    """What is good for one is as bad for the other, and neither seat is favoured for its number."""
    s = GAME.start(*GAME.settle(2, {}))
    for _ in GAME.stroll(s, 2, dice_from(5)):
        assert GAME.rules.value(s, 0) + GAME.rules.value(s, 1) == pytest.approx(1)
        turned = GAME.copy(s)
        turned.men[:], turned.held[:] = s.men[::-1], s.held[::-1]
        turned.turn = 1 - s.turn
        assert GAME.rules.value(turned, 1) == pytest.approx(GAME.rules.value(s, 0))


def test_value_knows_the_end():
    won = GAME.after(at("white 24:1 off:14", roll="2 1"), 0, GAME.rules.parse(None, "24/off"))
    assert (GAME.rules.value(won, 0), GAME.rules.value(won, 1)) == (1, 0)


def test_features_are_filled_and_say_what_they_should():
    out = np.full(GAME.rules.FEATURES, np.nan, np.float32)
    GAME.rules.features(at("white 1:15"), 0, out)
    assert not np.isnan(out).any()
    assert list(out[:4]) == [1, 1, 1, 6]  # fifteen men on point 1
    assert out[97] == 1  # all the way to go
    assert out[98] == 1  # running
    assert out[-1] == 1  # on turn
    GAME.rules.features(at("white 1:15", roll="6 4"), 0, out)
    assert list(out[-7:]) == [0, 0, 0, 0.5, 0, 0.5, 1]  # a 4 and a 6 to play
    doubles = at("white 1:15", roll="3 3")
    GAME.rules.features(doubles, 0, out)
    assert list(out[-7:-1]) == [0, 0, doubles.left.sum() / 2, 0, 0, 0]

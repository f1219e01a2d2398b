"""Which bots a game has and offers: some need a net, and some levels are not for every game."""

import pytest
import toy

import backroom
from backroom.bots import BOTS, bot, bots_of, gentle, offered
from backroom.engine.game import Game
from backroom.engine.options import BadOption


def test_a_game_without_a_net_says_which_bots_it_has():
    game = Game(toy.module())
    assert bots_of(game) == [name for name in BOTS if name not in ("net", "expert", "beginner")]
    assert offered(game) == ["random", "easy", "medium", "hard"]
    assert gentle(game) == "easy"
    with pytest.raises(BadOption, match="has no bot called 'net'; there is easy, greedy"):
        bot("net", game)


def test_rum_run_has_a_level_below_easy():
    game = backroom.game("rum-run")
    assert offered(game) == ["random", "beginner", "easy", "medium", "hard"]
    assert gentle(game) == "beginner"

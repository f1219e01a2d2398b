"""The bot that needs a net is there only for games that have one."""

import pytest
import toy

from backroom.bots import BOTS, bot, bots_of, offered
from backroom.engine.game import Game
from backroom.engine.options import BadOption


def test_a_game_without_a_net_says_which_bots_it_has():
    game = Game(toy.module())
    assert bots_of(game) == [name for name in BOTS if name not in ("net", "expert")]
    assert offered(game) == ["random", "easy", "medium", "hard"]
    with pytest.raises(BadOption, match="has no bot called 'net'; there is easy, greedy"):
        bot("net", game)

"""The handcrafted evaluation: it is exact at the end, and a greedy player solves more with it than a random one."""

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot
from backroom.engine.options import BadOption
from backroom.games.rum_run.puzzles.options import KEPT

from .boards import GAME, after, at

rules = GAME.rules


def solved(who, times):
    """The number of kept puzzles that a bot solves, over all tries."""
    found = 0.0
    for name in KEPT:
        for seed in range(times):
            table = GAME.table(puzzle=name)
            while not table.is_over:
                move = bot(who, GAME).answer(table.view(0), 0, 1000 * seed + len(table.lines))
                table.play(0, rules.name(table.state, move))
            found += table.score[0]
    return found / times


def test_greedy_solves_more_than_random():
    """Greedy solves most of the fifteen puzzles; it does not see what a star could be."""
    assert solved("greedy", 1) >= 11
    assert solved("random", 5) < 2


def test_nobody_is_matched_alone():
    with pytest.raises(BadOption, match="rum-run-puzzles with one seat has nobody to play against"):
        match(bot("greedy", GAME), bot("random", GAME), 2)


def test_value_knows_the_end():
    near = at("blue c4:1|3v c3:3|6v c2:6|4v")
    assert rules.value(after(near, "c1 4|1"), 0) == 1
    assert rules.value(after(near, "b5 1|2", "b5 2|5", "b5 1|2", "b5 2|5", "c1 4|1"), 0) == 0.5
    assert rules.value(after(at("boulders b5 d5 c6 c4"), "give up"), 0) == 0
    assert 0 < rules.value(at(), 0) < rules.value(near, 0) < 1


def test_features_are_filled_and_say_what_they_should():
    out = np.full(rules.FEATURES, np.nan, np.float32)
    rules.features(at(), 0, out)
    assert not np.isnan(out).any()
    assert list(out[2:6]) == [0, 1, np.float32(4 / 6), np.float32(5 / 6)]
    assert out[7] == 0

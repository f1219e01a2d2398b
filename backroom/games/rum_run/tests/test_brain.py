"""The handcrafted evaluation: good enough for a first opponent, and the same for all seats."""

import itertools

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot
from backroom.engine.kernel import dice_from
from backroom.games.rum_run.brain import BOARD_AT
from backroom.games.rum_run.pieces import NODES

from .boards import GAME, after, at, fresh


@pytest.mark.parametrize(
    ("seats", "options", "least"), [(2, {}, 0.8), (2, {"setup": "small"}, 0.85), (4, {"setup": "standard"}, 0.9)]
)
def test_greedy_beats_random_with_the_seats_changed(seats, options, least):
    result = match(bot("greedy", GAME), bot("random", GAME), 60, seats=seats, seed=2026, **options)
    assert result.share >= least


def value(s, seat=0):
    return float(GAME.rules.value(s, seat))


def test_value_likes_what_is_good():
    base = value(at("blue g6:1|2v g5:2|3v | red h7:1|2<"))
    assert value(at("blue g6:1|2v g5:2|3v+2 | red h7:1|2<")) > base
    assert value(at("blue g6:1|2v+1 g5:2|3v | red h7:1|2<")) > value(at("blue g6:1|2v g5:2|3v+1 | red h7:1|2<"))
    assert value(at("blue g6:1|2v+3 | red h7:1|2<")) < value(at("blue g6:1|2v+3"))  # two would overshoot
    assert value(at("blue g6:1|2v g5:2|3v | red h7:1|2< | scored 2 0")) > base
    assert value(at("blue g6:1|2v g5:2|3v | red h7:1|2< | scored 0 2")) < base
    full = "supply c3:3-2-1-1 k4:4-2-1 j10:3-2-1 d11:2-2"
    toward = value(at(f"blue h7:1|2< i7:2|3< | {full}"))
    assert toward > value(at(full))


def test_value_counts_turns_to_score():
    """Three barrels that are scored in one turn are worth more than three as near that take two."""
    red = "| red h7:1|2<"
    assert value(at(f"blue g6:1|2v+1 g5:2|3v+2 {red}")) > value(at(f"blue g6:1|2v+2 g5:2|3v+1 {red}"))
    enough = value(at(f"blue g6:1|2v+1 g5:2|3v+2 {red} | scored 5 5"))
    assert enough - value(at(f"blue g6:1|2v+1 g5:2|3v+2 {red} | scored 4 4")) > 0.05  # they are enough to win


def test_value_tires_of_fights():
    """§7.2: barrels stolen back and forth would keep the end away."""
    road = "blue g6:1|2v g5:2|3v+3 | red h7:1|2<"
    fresh, tired = at(road), at(road)
    tired.broken[:2] = 150
    assert value(fresh) > value(tired) > 0.5
    tired.broken[:2] = 40
    assert value(tired) == value(fresh)


def test_value_knows_the_end():
    won = after(at("blue g6:1|2v+1 | scored 7 0"), "caravan g6")
    assert (value(won, 0), value(won, 1)) == (1, 0)
    tie = after(at("red h7:1|2< | scored 2 2 | quiet 39 | turn red"), "g8 5|6")
    assert (value(tie, 0), value(tie, 1)) == (0.5, 0.5)


def reflexes(s):
    """The moves that bots make at once, by seat."""
    return [GAME.rules.name(s, move) if (move := GAME.rules.reflex(s, seat)) >= 0 else "" for seat in range(s.seats)]


def test_11_1_a_bot_claims_at_once_what_it_may_claim():
    position = "blue g6:1|2v+1 | red h7:1|2< | broken 1 2"
    s = at(position, objectives="yes", claims="noticed")
    assert reflexes(s) == ["", "claim broke most"]
    s = after(s, "caravan g6")
    assert reflexes(s) == ["claim scored 1 barrel", "claim broke most"]
    s = after(after(s, "claim broke most", seat=1), "claim scored 1 barrel", seat=0)
    assert reflexes(s) == ["", ""]
    assert reflexes(at(position, objectives="yes")) == ["", ""]  # objectives are given


def test_all_values_at_once_are_the_values_one_by_one():
    for seats in (2, 3, 4):
        s, out = fresh(seats), np.zeros(12)
        list(itertools.islice(GAME.stroll(s, seats, dice_from(seats)), 40))
        s.quiet = 0
        assert not s.over
        GAME.rules.all_values(s, out)
        assert [float(each) for each in out[:seats]] == [value(s, seat) for seat in range(seats)]


def test_dullness_is_the_way_to_a_quiet_end():
    """§7.2: forty turns of two seats."""
    dull = [float(GAME.rules.dullness(at(f"red h7:1|2< | quiet {turns}"))) for turns in (0, 20, 39)]
    assert dull[:2] == [0, 0.25]
    assert 0.9 < dull[2] < 1
    assert GAME.rules.dullness(after(at("red h7:1|2< | scored 2 2 | quiet 39 | turn red"), "g8 5|6")) == 1
    assert GAME.rules.dullness(after(at("red h7:1|2< | scored 2 3 | quiet 39 | turn red"), "g8 5|6")) == 0
    assert GAME.rules.dullness(after(at("blue g6:1|2v+1 | scored 7 0 | quiet 30"), "caravan g6")) == 0


def test_features():
    out = np.zeros(GAME.rules.FEATURES, np.float32)
    GAME.rules.features(at("blue g6:1|2v+2 | scored 4 0"), 0, out)
    assert out[0] == 0.5
    assert out[1] == pytest.approx(0.2)
    assert out[-2] == 1  # in turn
    lying = out[24 : 24 + 28 * 3].reshape(28, 3)
    assert lying[:, 0].sum() == 1
    own, others, barrels = out[BOARD_AT : BOARD_AT + 3 * NODES].reshape(3, NODES)
    assert own.sum() == 1
    assert others.sum() == 0
    assert barrels[own == 1] == pytest.approx(0.5)  # two barrels on the one token

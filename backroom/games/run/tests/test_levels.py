"""Each level beats the one below; `levels.md` has longer matches, and those of `hard`."""

import pytest

from backroom.arena.match import match
from backroom.bots import bot

from .boards import GAME, at


@pytest.mark.parametrize(("better", "worse"), [("easy", "random"), ("medium", "easy")])
def test_a_level_beats_the_one_below(better, worse):
    assert match(bot(better, GAME), bot(worse, GAME), 60, seed=2026).share >= 0.65


def test_noise_is_noise():
    """Always noisy is random; never noisy is always the same."""
    s = at("white 1:4 3:2 5:1 8:2 11:1 14:2 16:1 18:1 20:1 | black 1:5 3:1 5:2 7:1 9:1 10:1 14:2 16:1 18:1", "43")
    (seat,) = GAME.asked(s)

    def answers(noise):
        player = bot(f"net:plies=1,noise={noise}", GAME)
        return {player.answer(s, seat, seed) for seed in range(400)}

    assert len(answers(0.0)) == 1
    assert answers(1.0) == set(GAME.moves(s, seat))


@pytest.mark.parametrize("level", ["easy", "medium"])
def test_a_win_at_once_is_never_left_for_a_position_that_looks_better(level):
    """Both men can be borne off, or one of them with the other brought nearer."""
    s = at("white 23:1 24:1 off:13 | black 19:14 off:1", roll="2 1")
    for seed in range(40):
        first = bot(level, GAME).answer(s, 0, seed)
        assert GAME.rules.name(s, first) in ("23/off", "24/off")
        then = GAME.after(s, 0, first)
        assert GAME.rules.name(then, bot(level, GAME).answer(then, 0, seed)) in ("23/off", "24/off")

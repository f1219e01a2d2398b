"""Gymnasium's own checker, unchanged, over every game; and many games at once."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from settings import places

import backroom
import backroom.gym  # registers the games
from backroom.engine.options import BadOption
from backroom.engine.protocol import IllegalMove
from backroom.gym.gymnasium import Env, Vector

GAMES = list(backroom.names())


def called(name: str) -> str:
    return f"backroom/{name.title().replace('-', '')}-v{backroom.game(name).rules.VERSION}"


@pytest.mark.parametrize(("name", "place"), [(name, place) for name in GAMES for place in places(name)])
def test_their_checker_passes(name, place):
    """The checker plays an action from another position, which must not end the test."""
    seats, options = backroom.game(name).settings()[place]
    made = gymnasium.make(called(name), seats=seats, render_mode="ansi", illegal="ignore", **options)
    check_env(made.unwrapped)


def test_a_game_against_bots():
    table = gymnasium.make("backroom/Run-v2", opponents=["easy"], seat=1, logs=1, reward="score")
    observation, _ = table.reset(seed=3)
    ended = False
    while not ended:
        action = table.action_space.sample(observation["action_mask"])
        observation, reward, ended, truncated, _ = table.step(action)
        assert not truncated
    (log,) = table.unwrapped.batch.logs(0)
    assert backroom.replay(str(log)).score[1] == reward


def test_many_games_at_once_are_those_of_the_batch():
    tables = gymnasium.make_vec("backroom/Run-v2", num_envs=5, vectorization_mode="vector_entry_point", opponents=None)
    observation, info = tables.reset(seed=9)
    assert tables.observation_space.contains(observation)
    batch = backroom.gym.Batch("run", 5)
    batch.reset(9)
    for _ in range(400):
        actions = batch.sample().copy()
        moved = batch.seat.copy()
        observation, reward, ended, _, info = tables.step(actions)
        batch.step(actions)
        assert np.array_equal(observation["observation"], batch.observation)
        assert np.array_equal(observation["action_mask"], batch.mask)
        assert np.array_equal(info["seat"], batch.seat)
        assert np.array_equal(reward, batch.reward[np.arange(5), moved])
        assert np.array_equal(ended, batch.ended)


@pytest.mark.parametrize("name", ["run", "rum-run"])
def test_many_games_at_once_against_bots(name):
    tables = Vector(name, 4, opponents="random", seat=0)
    observation, info = tables.reset(seed=1)
    games = 0
    for _ in range(250 if name == "run" else 30):
        assert (info["seat"] == 0).all()
        actions = [int(np.flatnonzero(mask)[0]) for mask in observation["action_mask"]]
        observation, reward, ended, _, info = tables.step(actions)
        assert ((reward != 0) == ended).all()
        games += ended.sum()
    assert games or name != "run"


def test_bad_arguments_are_answered_in_a_sentence():
    for said, wrong in {
        "there is no bot called 'grandmaster'": {"opponents": "grandmaster"},
        "there are 1 opponents at this table, and 2 were named": {"opponents": ["random", "easy"]},
        "seat cannot be 2; this table has seats 0 to 1": {"seat": 2},
        "render_mode cannot be 'film'": {"render_mode": "film"},
        "illegal cannot be 'pardon'; it can be raise or ignore": {"illegal": "pardon"},
        "opponents cannot be None for a single game": {"opponents": None},
    }.items():
        with pytest.raises(BadOption, match=said):
            Env("run", **wrong)
    table = Env("run")
    table.reset(seed=0)
    with pytest.raises(IllegalMove, match="action -1 is not open"):
        table.step(-1)
    ignoring = Env("run", illegal="ignore")
    ignoring.reset(seed=0)
    *_, info = ignoring.step(-1)
    assert "action -1 is not open" in info["illegal"]

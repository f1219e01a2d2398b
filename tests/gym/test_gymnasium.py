"""Gymnasium's own checker, unchanged, over every game; and many games at once."""

import copy
import pickle

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


@pytest.mark.parametrize("make", [Env, lambda *args, **how: Vector(*args, 2, **how)])
def test_people_see_every_step(make, capsys):
    shown, drawn = make("run", render_mode="human"), make("run", render_mode="ansi")
    for table in (shown, drawn):
        table.reset(seed=1)
    for _ in range(3):
        pictures = drawn.render()
        assert capsys.readouterr().out == "".join(f"{each}\n" for each in np.atleast_1d(pictures))
        open_now = drawn.batch.mask.argmax(1)
        for table in (shown, drawn):
            table.step(open_now if isinstance(table, Vector) else int(open_now[0]))


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


@pytest.mark.parametrize("opponents", ["random", None])
def test_the_last_observation_of_a_finished_game_is_told(opponents):
    """As Gymnasium's own vectors of games tell it; `info` has the rewards of all seats."""
    tables, alone = Vector("run", 6, opponents=opponents), backroom.gym.Batch("run", 6, restart=False)
    observation, info = tables.reset(seed=4)
    alone.reset(4)
    games = 0
    for _ in range(400):
        actions = observation["action_mask"].argmax(1)
        moved = info["seat"]
        observation, reward, ended, _, info = tables.step(actions)
        assert np.array_equal(info["rewards"][np.arange(6), moved], reward)
        assert not info["rewards"].sum(1).any()
        if opponents is None:
            alone.step(actions)
            assert np.array_equal(alone.ended, ended)
        assert ("final_obs" in info) == ended.any()
        if ended.any():
            games += ended.sum()
            assert np.array_equal(info["_final_obs"], ended)
            assert np.array_equal(info["_final_info"], ended)
            assert np.array_equal(info["final_info"]["rewards"][ended], info["rewards"][ended])
            for i, last in enumerate(info["final_obs"]):
                assert (last is not None) == ended[i]
                if last is not None:
                    assert tables.single_observation_space.contains(last)
                    assert not last["action_mask"].any()
                    if opponents is None:
                        seen = np.zeros_like(last["observation"])
                        view = tables.game.view(alone.arrays.states[i], int(moved[i]))
                        tables.game.rules.features(view, int(moved[i]), seen)
                        assert np.array_equal(seen, last["observation"])
            alone.begin_next()
    assert games


def test_a_refused_step_changes_nothing():
    tables, others = (Vector("run", 3, opponents="random") for _ in range(2))
    observation, _ = tables.reset(seed=2)
    others.reset(seed=2)
    right = observation["action_mask"].argmax(1)
    closed = observation["action_mask"].argmin(1)
    for wrong in (closed[1], -1, backroom.gym.WAIT, 10**6):
        before = tables.batch.save()
        with pytest.raises(IllegalMove, match=f"action {wrong} is not open in game 1; see the mask"):
            tables.step([right[0], wrong, right[2]])
        assert tables.batch.save() == before
    (one, *_), (other, *_) = tables.step(right), others.step(right)
    assert np.array_equal(one["observation"], other["observation"])
    ignoring = Vector("run", 3, opponents="random", illegal="ignore")
    ignoring.reset(seed=2)
    *_, info = ignoring.step([right[0], closed[1], right[2]])
    assert info["_illegal"].tolist() == [False, True, False]
    assert "is not open in game 1" in info["illegal"][1]
    assert (info["seat"] == 0).all()


@pytest.mark.parametrize("seed", [5, np.int64(5), [5, 9, 2], np.array([5, 9, 2])])
def test_a_seed_decides_the_bots_too(seed):
    found = []
    for _ in range(2):
        tables = Vector("run", 3, opponents="random")
        observation, _ = tables.reset(seed=seed)
        for _ in range(30):
            observation, *_ = tables.step(observation["action_mask"].argmax(1))
        found.append(tables.batch.save())
    assert found[0] == found[1]


def test_bots_remember_nothing_of_the_games_before_a_reset():
    """Rum Run's do not repeat the end of a turn, and remember it."""
    tables, found = Vector("rum-run", 2, opponents="easy"), []
    for _ in range(2):
        observation, _ = tables.reset(seed=3)
        for _ in range(12):
            observation, *_ = tables.step(observation["action_mask"].argmax(1))
        found.append(tables.batch.save())
    assert found[0] == found[1]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
@pytest.mark.parametrize("make", [lambda: Env("run", "easy"), lambda: Vector("run", 2, "easy")])
def test_a_copy_of_an_environment_goes_on_by_itself(make, copied):
    one = make()
    copied(one).reset(seed=1)
    one.reset(seed=1)
    two = copied(one)
    before = one.batch.save()
    for table in (two, one):
        assert one.batch.save() == before
        for _ in range(5):
            open_now = table.batch.mask.argmax(1)
            table.step(open_now if isinstance(table, Vector) else int(open_now[0]))
    assert one.batch.save() == two.batch.save()
    if isinstance(two, Env):
        assert two.action_space.mask().tolist() == two.batch.mask[0].tolist()


def test_games_in_processes_of_their_own():
    """As `gymnasium.make_vec(…, vectorization_mode="async")` makes them."""
    tables = gymnasium.make_vec(
        "backroom/Run-v2", num_envs=2, vectorization_mode="async", vector_kwargs={"context": "spawn"}
    )
    try:
        observation, _ = tables.reset(seed=1)
        for _ in range(3):
            observation, *_ = tables.step(observation["action_mask"].argmax(1))
        assert tables.single_action_space == Env("run").action_space
    finally:
        tables.close()


def test_bad_arguments_are_answered_in_a_sentence():
    for said, wrong in {
        "there is no bot called 'grandmaster'": {"opponents": "grandmaster"},
        "there are 1 opponents at this table, and 2 were named": {"opponents": ["random", "easy"]},
        "seat cannot be 2; this table has seats 0 to 1": {"seat": 2},
        "seat cannot be 1.0; this": {"seat": 1.0},
        "render_mode cannot be 'film'": {"render_mode": "film"},
        "illegal cannot be 'pardon'; it can be raise or ignore": {"illegal": "pardon"},
        "opponents cannot be None for a single game": {"opponents": None},
        "together cannot be True for environments, only for Batch; it can be False": {"together": True},
        "device cannot be 'cuda' for environments": {"device": "cuda"},
        "observe cannot be False for environments": {"observe": False},
        "restart is an argument of Batch": {"restart": True},
        "n is an argument of Batch": {"n": 3},
    }.items():
        with pytest.raises(BadOption, match=said):
            Env("run", **wrong)
    for wrong in ({"together": True}, {"device": "cuda"}, {"restart": False}):
        with pytest.raises(BadOption, match="Batch"):
            Vector("run", 2, **wrong)
    with pytest.raises(BadOption, match="expected reset first"):
        Vector("run", 2).step([0, 0])
    with pytest.raises(BadOption, match="limit=1 ends games before seat 1 is asked; expected a larger limit"):
        Vector("rum-run", 2, seat=1, limit=1).reset(seed=1)
    for make in (lambda: Env("rum-run", render_mode="ansi"), lambda: Vector("rum-run", 2, render_mode="ansi")):
        with pytest.raises(BadOption, match="the games have not begun; expected reset first"):
            make().render()
        with pytest.raises(BadOption, match="reset has no option 'seats'; expected it where the environment is made"):
            make().reset(seed=1, options={"seats": 3})
    tables = Vector("run", 2)
    tables.reset(seed=1)
    before = tables.batch.save()
    with pytest.raises(gymnasium.error.Error, match="greater or equal to zero"):
        tables.reset(seed=-1)
    assert tables.batch.save() == before
    for wrong in (5, [7], [lambda v: 0]):
        with pytest.raises(BadOption, match="it is the name of a bot, or a file"):
            Env("run", opponents=wrong)
    table = Env("run", limit=1)
    table.reset(seed=0)
    *_, truncated, _ = table.step(int(table.action_masks().argmax()))
    assert truncated
    with pytest.raises(IllegalMove, match="seat 0 cannot play 0: the game is over; expected reset"):
        table.step(0)
    table = Env("run", "random", illegal="ignore")
    observation, _ = table.reset(seed=0)
    ended = False
    while not ended:
        observation, reward, ended, *_ = table.step(int(observation["action_mask"].argmax()))
    assert reward
    _, reward, ended, _, info = table.step(0)
    assert (reward, ended) == (0, True)
    assert "the game is over" in info["illegal"]
    table = Env("run")
    table.reset(seed=0)
    for number in (backroom.gym.WAIT, -1, 144, 2**70):
        with pytest.raises(IllegalMove, match=f"seat 0 cannot play {number}; expected an open action, from 0 to 143"):
            table.step(number)
    ignoring = Env("run", illegal="ignore")
    ignoring.reset(seed=0)
    *_, info = ignoring.step(-1)
    assert "seat 0 cannot play -1" in info["illegal"]

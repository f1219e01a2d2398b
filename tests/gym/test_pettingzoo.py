"""PettingZoo's own tests, unchanged, over every game; and what our environments promise beyond them."""

import copy
import functools
import pickle
import re
from types import SimpleNamespace

import numpy as np
import pytest
from examples import example
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec, turn_based_aec_to_parallel
from settings import places

import backroom
from backroom.engine.options import BadOption
from backroom.engine.protocol import IllegalMove
from backroom.gym import pettingzoo
from backroom.gym.spaces import FARTHEST

GAMES = list(backroom.names())
SETTINGS = [
    (name, seats, options)
    for name in GAMES
    for seats, options in [backroom.game(name).settings()[place] for place in places(name)]
]
SIMULTANEOUS = "runaway-train"

pytestmark = [
    # PettingZoo says so of its own games too, whose observations are dictionaries with a mask
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]


EVERY_NUMBER = [(name, seats) for name in GAMES for seats in backroom.game(name).rules.SEATS]
"""Each game with each number of seats."""


@pytest.mark.parametrize(("name", "seats", "options"), SETTINGS, ids=[f"{name}-{seats}" for name, seats, _ in SETTINGS])
def test_their_tests_pass(name, seats, options):
    aec = functools.partial(pettingzoo.env, name, seats=seats, **options)
    parallel = functools.partial(pettingzoo.parallel_env, name, seats=seats, **options)
    api_test(aec(), num_cycles=60)
    parallel_api_test(parallel(), num_cycles=30)
    seed_test(aec, num_cycles=10)
    parallel_seed_test(parallel, num_cycles=10)


@pytest.mark.parametrize(("name", "seats"), EVERY_NUMBER)
def test_their_render_test_passes(name, seats):
    render_test(functools.partial(pettingzoo.env, name, seats=seats), {"svg": lambda found: found.startswith("<svg")})


def test_their_test_of_cycles_passes():
    """For games in which all answer in every round: elsewhere agents do not move equally often, as it expects."""
    max_cycles_test(
        SimpleNamespace(
            env=functools.partial(pettingzoo.env, SIMULTANEOUS),
            parallel_env=functools.partial(pettingzoo.parallel_env, SIMULTANEOUS),
        )
    )


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_by_agents_who_know_only_pettingzoo(name):
    table = pettingzoo.env(name, reward="score", logs=1)
    table.reset(seed=1)
    earned = dict.fromkeys(table.agents, 0.0)
    for agent in table.agent_iter():
        observation, reward, terminated, truncated, _ = table.last()
        assert np.abs(observation["observation"]).max() < FARTHEST
        earned[agent] += reward
        table.step(None if terminated or truncated else table.action_space(agent).sample(observation["action_mask"]))
    (log,) = table.batch.logs(0)
    replayed = backroom.replay(str(log))
    assert replayed.is_over
    assert replayed.score == pytest.approx(list(earned.values()))


def first_states(table, resets):
    """The states after these resets, each with a seed or None."""
    found = []
    for seed in resets:
        table.reset(seed=seed)
        found.append(table.batch.save())
    return found


@pytest.mark.parametrize("make", [pettingzoo.env, pettingzoo.parallel_env])
def test_neighbouring_seeds_have_no_games_in_common(make):
    zero, one, again = (first_states(make("run"), [seed, None, None, None]) for seed in (0, 1, 0))
    assert zero == again
    assert len({*zero, *one}) == 8
    assert first_states(make("run"), [None]) != first_states(make("run"), [None])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
@pytest.mark.parametrize("make", [pettingzoo.env, pettingzoo.parallel_env])
def test_a_copy_of_an_environment_goes_on_by_itself(make, copied):
    one = make(SIMULTANEOUS)
    copied(one).reset(seed=1)
    one.reset(seed=1)
    two = copied(one)
    before = one.batch.save()
    for table in (two, one):
        assert one.batch.save() == before
        for _ in range(5):
            if make is pettingzoo.env:
                table.step(table.action_space(table.agent_selection).sample())  # an open one
            else:
                table.step({agent: table.action_space(agent).sample() for agent in table._asked})
    assert one.batch.save() == two.batch.save()


class Shaped(pettingzoo.AEC):
    """Pays every agent 1 for every answer, as PettingZoo says that environments pay."""

    def step(self, action):
        super().step(action)
        if self.agents and not any(self.terminations.values()):
            self.rewards = dict.fromkeys(self.agents, 1.0)
            self._accumulate_rewards()


def test_a_subclass_may_pay_in_between():
    """An agent's reward is what it was paid since its last answer, also when the game is cut off."""
    table = Shaped("run", max_cycles=20)
    table.reset(seed=1)
    answers = dict.fromkeys(table.agents, 0)
    while not any(table.truncations.values()):
        agent = table.agent_selection
        assert table.last()[1] == answers[agent]
        answers = {other: count + 1 for other, count in answers.items()} | {agent: 1}
        table.step(table.action_space(agent).sample())
    assert table._cumulative_rewards == answers


@pytest.mark.parametrize("name", ["run", SIMULTANEOUS])
def test_which_conversions_of_pettingzoo_fit(name):
    """Agents do not take turns in a circle, so `aec_to_parallel` refuses; `idle` is for those that ask all agents."""
    with pytest.raises(AssertionError, match="is not generally safe"):
        aec_to_parallel(pettingzoo.env(name))
    rounds = turn_based_aec_to_parallel(pettingzoo.env(name))
    seen, _ = rounds.reset(seed=1)
    while rounds.agents:
        seen, *_ = rounds.step({agent: seen[agent]["action_mask"].argmax() for agent in rounds.agents})
    assert rounds.unwrapped.batch.ended[0]
    turns = parallel_to_aec(pettingzoo.parallel_env(name, idle=True))
    turns.reset(seed=1)
    for _ in turns.agent_iter():
        seen, _, terminated, truncated, _ = turns.last()
        assert terminated or truncated or seen["action_mask"].any()
        turns.step(None if terminated or truncated else seen["action_mask"].argmax())
    assert not turns.agents


def test_in_a_parallel_round_nobody_sees_an_answer():
    """The observation at the start of a round is the view before anybody has answered."""
    table = pettingzoo.parallel_env(SIMULTANEOUS)
    seen, _ = table.reset(seed=5)
    game, state = table.game, table.batch.arrays.states[0]
    for agent, seat in (("seat_0", 0), ("seat_1", 1), ("seat_2", 2)):
        features = np.zeros(game.rules.FEATURES, np.float32)
        game.rules.features(game.view(state, seat), seat, features)
        assert np.array_equal(seen[agent]["observation"], features)


def test_bad_arguments_are_answered_in_a_sentence():
    with pytest.raises(BadOption, match="render_mode cannot be 'film'; it can be human, ansi, svg or rgb_array"):
        pettingzoo.env("run", render_mode="film")
    with pytest.raises(BadOption, match="seed cannot be 'x'; it is a whole number"):
        pettingzoo.env("run").reset(seed="x")
    for ask in (lambda table: table.last(), lambda table: table.step(0)):
        with pytest.raises(AttributeError, match="there is no agent_selection yet; expected reset first"):
            ask(pettingzoo.env("run"))
    with pytest.raises(AttributeError, match="there is no _asked yet; expected reset first"):
        pettingzoo.parallel_env("run").step({})
    with pytest.raises(BadOption, match="idle cannot be 'no'; it can be True or False"):
        pettingzoo.parallel_env("run", idle="no")
    with pytest.raises(BadOption, match="max_cycles cannot be 0"):
        pettingzoo.env("run", max_cycles=0)
    with pytest.raises(AttributeError, match="there is no num_agents yet; expected reset first"):
        pettingzoo.env("run").num_agents  # noqa: B018
    for make in (pettingzoo.env, pettingzoo.parallel_env):
        with pytest.raises(BadOption, match="the games have not begun; expected reset first"):
            make("rum-run", render_mode="ansi").render()
    assert pettingzoo.env("run", max_cycles=np.int64(5)).max_cycles == 5
    rounds = pettingzoo.parallel_env(SIMULTANEOUS)
    rounds.reset(seed=0)
    with pytest.raises(IllegalMove, match="actions cannot be None; expected a dictionary: an action of each agent"):
        rounds.step(None)
    rounds = pettingzoo.parallel_env(SIMULTANEOUS, max_cycles=1)
    rounds.reset(seed=0)
    rounds.step({agent: rounds.action_space(agent).sample() for agent in rounds._asked})
    with pytest.raises(IllegalMove, match="nobody can play: the game is over; expected reset"):
        rounds.step({})
    table = pettingzoo.env("run", limit=1)
    table.reset(seed=0)
    for agent in table.agent_iter():
        *_, truncated, _ = table.last()
        table.step(None if truncated else table.action_space(agent).sample())
    with pytest.raises(IllegalMove, match="the game is over; expected reset"):
        table.step(None)
    for make in (pettingzoo.env, pettingzoo.parallel_env):
        with pytest.raises(BadOption, match="together cannot be True for environments"):
            make(SIMULTANEOUS, together=True)
    table = pettingzoo.env("run")
    table.reset(seed=0)
    for number in (-2, -1, 144, 2**70):
        with pytest.raises(
            IllegalMove, match=rf"seat_[01] cannot play {number}; expected an open action, from 0 to 143"
        ):
            table.step(number)
    with pytest.raises(IllegalMove, match=r"seat_[01] cannot play 'e4'; expected the number of an open action"):
        table.step("e4")
    with pytest.raises(IllegalMove, match="see the mask"):
        table.step(int(np.flatnonzero(table.last()[0]["action_mask"] == 0)[0]))
    rounds = pettingzoo.parallel_env("run")
    rounds.reset(seed=0)
    with pytest.raises(IllegalMove, match=re.escape("is asked and has no action")):
        rounds.step({})


@pytest.mark.parametrize("make", [pettingzoo.env, pettingzoo.parallel_env])
def test_people_see_every_step(make, capsys):
    """As in PettingZoo's own games; the other modes are drawn by `render` alone."""
    shown, drawn = make(SIMULTANEOUS, render_mode="human"), make(SIMULTANEOUS, render_mode="ansi")
    for seed in (1, None, None):
        for table in (shown, drawn):
            if seed:
                table.reset(seed=seed)
            elif make is pettingzoo.env:
                table.step(int(table.last()[0]["action_mask"].argmax()))
            else:
                table.step({agent: int(table.observe(agent)["action_mask"].argmax()) for agent in table._asked})
        assert capsys.readouterr().out == f"{drawn.render()}\n"
    assert shown.render() is None


def test_who_is_not_asked_may_have_an_action_that_does_nothing():
    quiet, idle = (pettingzoo.Parallel("run", render_mode="ansi", idle=is_open) for is_open in (False, True))
    for table in (quiet, idle):
        table.reset(seed=4)
    for _ in range(5):
        seen = [{agent: table.observe(agent)["action_mask"] for agent in table.agents} for table in (quiet, idle)]
        (waiting,) = (agent for agent, mask in seen[0].items() if not mask.any())
        assert np.flatnonzero(seen[1][waiting]).tolist() == [0]
        actions = {agent: int(np.flatnonzero(mask)[-1]) for agent, mask in seen[1].items()}
        quiet.step({agent: action for agent, action in actions.items() if agent != waiting})
        idle.step(actions)
    assert quiet.render() == idle.render()


def test_the_first_example_plays_a_game():
    space = {}
    exec(example("docs/gym.md", "If you know PettingZoo"), space)
    assert not space["table"].agents
    assert space["table"].batch.ended[0]


def test_ten_lines_learn_to_win():
    space = {}
    np.random.seed(1)
    exec(example("README.md", "Every game is a PettingZoo"), space)
    table, weights, won = space["table"], space["weights"], 0
    for game in range(100):
        table.reset(seed=10_000 + game)
        for agent in table.agent_iter():
            seen, reward, terminated, truncated, _ = table.last()
            won += agent == f"seat_{game % 3}" and reward > 0
            if terminated or truncated:
                table.step(None)
            elif agent == f"seat_{game % 3}":
                table.step(np.where(seen["action_mask"], weights @ seen["observation"], -np.inf).argmax())
            else:
                table.step(table.action_space(agent).sample(seen["action_mask"]))
    assert won > 45  # at random it would be 33

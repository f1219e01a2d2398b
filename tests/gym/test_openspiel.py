"""OpenSpiel's own simulation test, unchanged, over every game; and its algorithms on ours."""

import pickle
import random
import subprocess
import sys

import numpy as np
import pyspiel
import pytest
from examples import example
from settings import places

import backroom
import backroom.gym.openspiel  # registers the games
from backroom.engine.protocol import IllegalMove

GAMES = [f"backroom_{name.replace('-', '_')}" for name in backroom.names()]
SIMULTANEOUS = ("backroom_runaway_train", "backroom_booze_barons", "backroom_rum_run")
RUMMY, TRAIN = "backroom_rummy_runners", "backroom_runaway_train"


def ours(name: str) -> str:
    """Our name of a game of OpenSpiel."""
    return name.removeprefix("backroom_").replace("_", "-")


def a_setting(name: str, which: int):
    """Seats and rules of a game, as OpenSpiel's parameters."""
    game = backroom.game(ours(name))
    seats, options = game.settings()[which]
    parameter_of = backroom.gym.openspiel.parameter_of
    rules = [option for option in game.rules.OPTIONS if option.is_rule]
    return {"seats": seats, **{option.name: parameter_of(option, options[option.name]) for option in rules}}


@pytest.mark.parametrize(
    ("name", "which"),
    [(f"backroom_{name.replace('-', '_')}", which) for name in backroom.names() for which in places(name)],
)
def test_their_simulation_passes_and_serialises(name, which):
    pyspiel.random_sim_test(pyspiel.load_game(name, a_setting(name, which)), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "which"), [(name, which) for name in SIMULTANEOUS for which in places(ours(name))])
def test_their_simulation_passes_with_simultaneous_nodes(name, which):
    game = pyspiel.load_game(name, {"simultaneous": True, **a_setting(name, which)})
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    state, lot = game.new_initial_state(), random.Random(1)
    met = False
    while not state.is_terminal():
        met |= state.is_simultaneous_node()
        advance(state, lot)
    assert met


def advance(state, lot):
    if state.is_chance_node():
        places, odds = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(lot.choices(places, odds)[0])
    elif state.is_simultaneous_node():
        every = [state.legal_actions(player) for player in range(state.num_players())]
        state.apply_actions([lot.choice(actions) if actions else 0 for actions in every])
    else:
        state.apply_action(lot.choice(state.legal_actions()))


WITH_SECRETS = [name for name in GAMES if backroom.game(ours(name)).rules.SECRETS]


def some(name: str, most: int):
    """Indices of a few settings of a game, the first among them."""
    every = places(ours(name))
    return every[:: -(-len(every) // most)]


RESAMPLED = [
    *((name, which, False) for name in GAMES for which in some(name, 4 if name in WITH_SECRETS else 1)),
    *((name, which, True) for name in SIMULTANEOUS for which in some(name, 3)),
]
"""Games with several settings, and whether seats answer at simultaneous nodes."""


@pytest.mark.parametrize(("name", "which", "simultaneous"), RESAMPLED)
def test_resampling_keeps_what_the_player_knows(name, which, simultaneous):
    game, lot = pyspiel.load_game(name, {**a_setting(name, which), "simultaneous": simultaneous}), random.Random(2)
    state = game.new_initial_state()
    others = 0
    for move in range(120):
        if state.is_terminal():
            break
        if not state.is_chance_node() and move % 3 == 0:
            for player in range(game.num_players()):
                other = state.resample_from_infostate(player, lot.random)
                assert other.information_state_string(player) == state.information_state_string(player)
                assert np.array_equal(other.observation_tensor(player), state.observation_tensor(player))
                assert np.array_equal(other.information_state_tensor(player), state.information_state_tensor(player))
                assert other.current_player() == state.current_player()
                assert other.held.game.asked(other.held.s) == other.waiting
                assert other.legal_actions(player) == state.legal_actions(player)
                others += str(other) != str(state)
                while not other.is_terminal() and not other.is_chance_node() and lot.random() < 0.5:
                    advance(other, lot)
        advance(state, lot)
    if not simultaneous and name != "backroom_rum_run":  # which has secrets in some of its setups
        assert bool(others) == (name in WITH_SECRETS)


def test_an_information_state_shows_no_sealed_answer():
    game, lot = pyspiel.load_game(TRAIN), random.Random(3)
    state = game.new_initial_state()
    while state.is_chance_node() or state.current_player() != 0 or len(state.legal_actions()) < 4:
        advance(state, lot)
    worlds = [state.child(action) for action in state.legal_actions()]
    assert {world.current_player() for world in worlds} == {1}
    assert len({world.information_state_string(1) for world in worlds}) == 1
    assert len({world.information_state_string(0) for world in worlds}) == len(worlds)


def same_moves(states):
    """The actions of the same move in each of these states, for all moves that are open in all of them."""
    player = states[0].current_player()
    named = [{state.action_to_string(player, action): action for action in state.legal_actions()} for state in states]
    return [[actions[name] for actions in named] for name in named[0] if all(name in actions for actions in named)]


@pytest.mark.parametrize("name", WITH_SECRETS)
def test_an_information_state_remembers_what_was_seen(name):
    """Two games that once looked different to a player never get the same information state, whatever is played."""
    compared = 0
    for seed in range(25):
        lot = random.Random(seed)
        state = pyspiel.load_game(name, a_setting(name, lot.choice(places(ours(name))))).new_initial_state()
        for _ in range(lot.randrange(40)):
            if not state.is_terminal():
                advance(state, lot)
        while not state.is_terminal() and (state.is_chance_node() or len(state.legal_actions()) < 2):
            advance(state, lot)
        if state.is_terminal():
            continue
        worlds, saw = [state.child(action) for action in lot.sample(state.legal_actions(), 2)], {state.current_player()}
        for _ in range(40):
            for player in range(state.num_players()):
                seen = {world.observation_string(player) for world in worlds}
                saw |= {player} if len(seen) > 1 else set()
                known = {world.information_state_string(player) for world in worlds}
                assert (len(known) > 1) == (player in saw)
                compared += 1
            players = {world.current_player() for world in worlds}
            both = [] if len(players) > 1 or pyspiel.PlayerId.TERMINAL in players else same_moves(worlds)
            if not both:
                break
            for world, action in zip(worlds, lot.choice(both), strict=True):
                world.apply_action(action)
    assert compared


def test_a_resampled_state_tells_nothing_that_the_player_does_not_know():
    """A search may look at all of it: worlds that look the same to the player lead to the same one."""
    game, lot = pyspiel.load_game(TRAIN), random.Random(3)
    state = game.new_initial_state()
    while state.is_chance_node() or state.current_player() != 0 or len(state.legal_actions()) < 4:
        advance(state, lot)
    worlds = [state.child(action) for action in state.legal_actions()]
    found = set()
    for world in worlds:
        other = world.resample_from_infostate(1, random.Random(1).random)
        again = pickle.loads(pickle.dumps(other))
        assert (str(again), again.history(), again.told) == (str(other), other.history(), other.told)
        assert other.information_state_string(1) == world.information_state_string(1)
        known = [other.information_state_string(player) for player in range(3)]
        found.add((str(other), *other.history(), *known))
    assert len(found) == 1


def test_a_state_survives_pickling():
    game, lot = pyspiel.load_game(RUMMY), random.Random(4)
    state = game.new_initial_state()
    for _ in range(100):
        advance(state, lot)
    again = pickle.loads(pickle.dumps(state))
    assert str(again) == str(state)
    assert again.history() == state.history()
    assert again.information_state_string(0) == state.information_state_string(0)


@pytest.mark.parametrize("match", ["3", "_3"])
def test_a_number_among_words_survives_serialising(match):
    """It is given as docs/gym.md says, or as OpenSpiel writes it in the name of a game."""
    game = pyspiel.load_game("backroom_run", {"match": match})
    state = game.new_initial_state()
    state.apply_action(0)
    again, position = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(again) == str(game) == str(pyspiel.load_game(str(game))) == str(pickle.loads(pickle.dumps(game)))
    assert str(position) == str(state) == str(pickle.loads(pickle.dumps(state)))
    assert again.options["match"] == "3"


def test_their_is_mcts_plays_our_rummy():
    """The example of docs/gym.md."""
    space = {}
    exec(example("docs/gym.md", "Its IS-MCTS plays"), space)
    again = space["game"].new_initial_state()
    for action in space["state"].history():
        assert action in again.legal_actions()
        again.apply_action(action)
    assert len(space["answers"]) == 5


@pytest.mark.parametrize("hands", [((1, 4), (2, 3)), ((1, 2), (3, 4))])
def test_their_cfr_agrees_with_our_exact_solution_of_a_miniature(hands):
    """The example of docs/gym.md, and another: the last round of a miniature that the game's own tests solve."""
    from backroom.games.runaway_train.tests import test_miniature as miniature

    code, shown, space = example("docs/gym.md", "Its CFR solves"), "red 14 points 10 | blue 23 points 10", {}
    red, blue = ("".join(map(str, hand)) for hand in hands)
    assert shown in code
    exec(code.replace(shown, f"red {red} points 10 | blue {blue} points 10"), space)
    assert space["start"] == miniature.written(hands, miniature.START, 1)
    values, chances = space["values"], space["chances"]
    assert values[2] == pytest.approx(-0.5, abs=1e-6)  # Green, who is off with the fewest points
    exact = miniature.exact(hands, miniature.START, 1)
    assert (values[0] + 0.5) / 1.5 == pytest.approx(exact, abs=0.02)  # the error falls with the square
    if hands == ((1, 4), (2, 3)):
        assert exact == pytest.approx(0.5, abs=0.01)
        assert set(sorted(chances, key=chances.get)[-3:]) == {"passenger+1", "conductor+4", "passenger+4"}


def observer(game, private_info, recalls):
    return game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=recalls, private_info=private_info))


def test_an_observer_without_private_information_tells_none():
    game, lot, kinds = pyspiel.load_game(TRAIN), random.Random(3), pyspiel.PrivateInfoType
    state = game.new_initial_state()
    while state.is_chance_node() or state.current_player() != 0 or len(state.legal_actions()) < 4:
        advance(state, lot)
    worlds = [state.child(action) for action in state.legal_actions()]
    for recalls in (False, True):
        public, own = observer(game, kinds.NONE, recalls), observer(game, kinds.SINGLE_PLAYER, recalls)
        assert len({public.string_from(world, 0) for world in worlds}) == 1
        assert len({own.string_from(world, 0) for world in worlds}) == len(worlds)
        with pytest.raises(pyspiel.SpielError, match="private_info cannot be ALL_PLAYERS; it can be NONE or SINGLE_P"):
            observer(game, kinds.ALL_PLAYERS, recalls)


def test_bad_arguments_are_answered_in_a_sentence():
    with pytest.raises(pyspiel.SpielError, match="run is for 2 seats, not 5"):
        pyspiel.load_game("backroom_run", {"seats": 5})
    state = pyspiel.load_game("backroom_run").new_initial_state()
    with pytest.raises(IllegalMove, match="nature cannot play action 30; expected 0 to 29"):
        state.apply_action(30)
    for action in (-1, 30):
        with pytest.raises(IllegalMove, match=f"nature has no action {action}; see chance_outcomes"):
            state.action_to_string(pyspiel.PlayerId.CHANCE, action)
    state.apply_action(0)
    for action in (-1, 144, 9999):
        with pytest.raises(IllegalMove, match=f"there is no action {action}; expected 0 to 143"):
            state.action_to_string(0, action)
    assert state.action_to_string(0, 0)
    before = str(state)
    for action in (-5, 2, 143, 144):
        with pytest.raises(IllegalMove, match=f"player 1 cannot play action {action}: it is not open"):
            state.apply_action(action)
    assert str(state) == before
    state = pyspiel.load_game("backroom_runaway_train", {"simultaneous": True}).new_initial_state()
    lot = random.Random(1)
    while state.is_chance_node():
        state.apply_action(lot.choice(state.legal_actions()))
    with pytest.raises(IllegalMove, match=r"player \d cannot play action 99"):
        state.apply_actions([99] * 3)
    with pytest.raises(pyspiel.SpielError, match="option match cannot be '4'"):
        pyspiel.load_game("backroom_run", {"match": "_4"})


def test_nothing_breaks_when_python_ends():
    subprocess.run([sys.executable, "-c", "import backroom.gym.openspiel"], check=True)

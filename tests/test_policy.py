"""A learned policy is a file: local users can let it play, but visitors of a server cannot name it."""

import math

import numpy as np
import pytest
from typer.testing import CliRunner

import backroom
from backroom.__main__ import app
from backroom.bots import bot, bot_of_file, policy
from backroom.bots.sight import sighted
from backroom.engine.options import BadOption
from backroom.engine.table import Table

GAMES = list(backroom.names())
HIDDEN = 8


def policy_file(folder, name, seed=0, features=None):
    """A policy with random weights; in large vocabularies moves are composed of tokens."""
    game = sighted(backroom.game(name))
    _, options = game.settle(None, {})
    verbs = game.rules.verbs(options)
    is_composed = sum(math.prod(sizes) for _, sizes in verbs) > 4096
    tokens = int(policy.tokens_of(verbs, is_composed).max()) + 1
    shapes = {"first": (features or game.rules.FEATURES, HIDDEN), "second": (HIDDEN, HIDDEN), "last": (HIDDEN, tokens)}
    lot = np.random.default_rng(seed)
    layers = {layer: lot.normal(size=shape).astype(np.float32) for layer, shape in shapes.items()}
    layers |= {f"{layer}_bias": lot.normal(size=shape[1]).astype(np.float32) for layer, shape in shapes.items()}
    path = folder / f"{name}.npz"
    policy.write(path, game, verbs, is_composed, layers)
    return path, layers


@pytest.mark.parametrize("name", GAMES)
def test_it_plays_the_open_move_that_its_net_likes_best(name, tmp_path):
    game = backroom.game(name)
    path, layers = policy_file(tmp_path, name)
    learned, table = bot_of_file(path, game), Table(game, seed=3)
    tokens = learned.work.net.tokens
    for _ in range(25):
        if table.is_over:
            break
        seat = table.asked[0]
        v = table.view(seat)
        sight = sighted(game).rules
        seen = np.zeros(sight.FEATURES, np.float32)
        sight.features(v, seat, seen)
        units = np.maximum(seen @ layers["first"] + layers["first_bias"], 0)
        units = np.maximum(units @ layers["second"] + layers["second_bias"], 0)
        logits = units @ layers["last"] + layers["last_bias"]
        found = game.moves(v, seat)
        found = [move for move in found if move != game.rules.BACK] or found
        worth = {move: sum(logits[token] for token in tokens[move] if token >= 0) for move in found}
        chosen = learned.answer(v, seat, 0)
        assert chosen in found
        assert worth[chosen] == pytest.approx(max(worth.values()), rel=1e-4)
        table.play(seat, game.rules.name(v, chosen))


@pytest.mark.parametrize("name", GAMES)
def test_every_move_has_tokens_of_its_own(name):
    """No two moves are the same to the net."""
    game = backroom.game(name)
    verbs = game.rules.verbs(game.settle(None, {})[1])
    for is_composed in (False, True):
        tokens = policy.tokens_of(verbs, is_composed)
        moves = [first + k for first, sizes in verbs for k in range(math.prod(sizes))]
        assert (tokens[moves, 0] >= 0).all()
        assert len({tuple(row) for row in tokens[moves].tolist()}) == len(moves)


def test_the_arena_plays_a_file(tmp_path):
    path, _ = policy_file(tmp_path, "run")
    said = CliRunner().invoke(app, ["arena", "run", str(path), "random", "--games", "4", "--threads", "1"])
    assert said.exit_code == 0, said.output
    assert "Again with" in said.output


def test_what_is_no_policy_is_refused_in_a_sentence(tmp_path):
    game = backroom.game("run")
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    wrong, _ = policy_file(tmp_path, "run", features=7)
    other, _ = policy_file(tmp_path, "runaway-train")
    whole = wrong.read_bytes()
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "damaged.npz").write_bytes(whole.replace(whole[-2000:-1900], bytes(100)))
    for path, said in {
        tmp_path / "text.npz": "is not a policy that train/ppo.py has written",
        tmp_path / "other.npz": "is not a policy that train/ppo.py has written",
        tmp_path / "none.npz": "there is no file",
        tmp_path / "empty.npz": "is not a policy that train/ppo.py has written",
        tmp_path / "half.npz": "is not a policy that train/ppo.py has written",
        tmp_path / "damaged.npz": "is not a policy that train/ppo.py has written",
        wrong: "has layers of",
        other: "is for runaway-train",
    }.items():
        with pytest.raises(BadOption, match=said):
            bot_of_file(path, game)


def test_files_are_no_names_of_bots(tmp_path):
    """Visitors of a server name bots, and must not make it read a file."""
    path, _ = policy_file(tmp_path, "run")
    with pytest.raises(BadOption, match="there is no bot called"):
        bot(str(path), backroom.game("run"))

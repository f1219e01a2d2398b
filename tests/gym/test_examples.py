"""Examples of docs/gym.md run as written, and its table of games is true; some are run by other tests."""

import re

import gymnasium
import numpy as np
import pytest
from examples import ROOT, example

from backroom.bots import bot_or_file
from backroom.gym import Batch


@pytest.mark.parametrize(
    "start", ["What an action does", "## Gymnasium", "How often a policy", "## The batch", "## OpenSpiel"]
)
def test_examples_run_as_written(start):
    exec(example("docs/gym.md", start), {})


def test_a_net_from_elsewhere_plays_as_a_bot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = {}
    exec(example("docs/gym.md", "A net that was trained elsewhere"), made)
    batch, layers, bot = made["batch"], made["layers"], bot_or_file("mine.npz", made["batch"].game)
    batch.reset(1)
    for _ in range(20):
        units = np.maximum(batch.observation[0] @ layers["first"] + layers["first_bias"], 0)
        units = np.maximum(units @ layers["second"] + layers["second_bias"], 0)
        logits = units @ layers["last"] + layers["last_bias"]
        action, seat = np.where(batch.mask[0], logits, -np.inf).argmax(), int(batch.seat[0])
        assert bot.answer(batch.game.view(batch.arrays.states[0], seat), seat, 1) == batch.moves_of_actions[action]
        batch.step([action])


def test_the_table_of_games_is_true():
    rows = re.findall(
        r"^\| `(\S+)` \| `(\S+)` \| (.*) \| (.*) \| (\S+)(.*) \|$", (ROOT / "docs/gym.md").read_text("utf-8"), re.M
    )
    assert len(rows) == 5
    for name, id_, seats, features, actions, slots in rows:
        made, batch = gymnasium.make(f"backroom/{id_}"), Batch(name, n=1)
        assert made.unwrapped.game.name == name
        assert seats in (f"{batch.game.seats[0]} to {batch.game.seats[-1]}", str(*batch.game.seats[:1]))
        assert int(features.replace(",", "")) == batch.observation.shape[1]
        assert (int(actions), bool(slots)) == (batch.actions, batch.has_slots)

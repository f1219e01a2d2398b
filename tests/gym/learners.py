"""What needs PyTorch: TorchRL's check of environments, and MaskablePPO learning to beat `random`."""

import numpy as np
import pytest

import backroom
from backroom.gym.gymnasium import Env
from backroom.gym.pettingzoo import env, parallel_env

FULL = {"seats": 4, "setup": "standard", "events": "yes", "objectives": "yes"}
"""Rum Run with nearly everything."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [env, parallel_env])
@pytest.mark.parametrize(("name", "how"), [*((name, {}) for name in backroom.names()), ("rum-run", FULL)], ids=str)
def test_torchrl_finds_its_specs_kept(name, how, make):
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
    from torchrl.envs.utils import check_env_specs

    table = env(name, **how) if make is env else parallel_env(name, idle=True, **how)
    wrapper = PettingZooWrapper(table, use_mask=make is env, seed=1)
    check_env_specs(wrapper, seed=1)
    wrapper.rollout(200)  # it checks three steps


@pytest.mark.filterwarnings("ignore")
def test_maskable_ppo_learns_to_beat_random_at_run():
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)  # the nets are small: threads only wait for each other
    table = Env("run", opponents="random")
    learner = MaskablePPO("MultiInputPolicy", table, seed=1, n_steps=1024, batch_size=256)
    learner.learn(40_000)
    won = 0
    for seed in range(100):
        observation, _ = table.reset(seed=seed)
        ended = False
        while not ended:
            action, _ = learner.predict(observation, action_masks=table.action_masks(), deterministic=True)
            observation, reward, ended, _, _ = table.step(int(np.asarray(action)))
        won += reward > 0
    assert won >= 60

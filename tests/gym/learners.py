"""What is slow to install: TorchRL's check of environments, MaskablePPO learning to beat `random`, `train/ppo.py`, and
NVIDIA's compiler.
"""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import backroom
from backroom.__main__ import app
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


GAME = "runaway-train"
TINY = {"--device": "cpu", "--games": 64, "--steps": 16, "--hidden": 16, "--parts": 4, "--threads": 1, "--measured": 4}
TINY["--minutes"] = 0
SMALL = [word for pair in TINY.items() for word in pair]


@pytest.fixture(scope="module")
def ppo():
    path = Path(__file__).parent.parent.parent / "train" / "ppo.py"
    spec = importlib.util.spec_from_file_location("ppo", path)
    sys.modules["ppo"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.torch.set_num_threads(1)
    return module


@pytest.fixture
def call(ppo, monkeypatch):
    """Calls `train/ppo.py` with these arguments."""

    def calling(*words):
        monkeypatch.setattr(sys, "argv", ["ppo.py", *map(str, words)])
        ppo.main()

    return calling


def layers(folder):
    with np.load(folder / "ppo.npz") as file:
        return {name: file[name] for name in file.files if file[name].dtype == np.float32}


def log(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text("utf-8").splitlines()]


def test_ppo_learns_goes_on_and_writes_a_bot(call, tmp_path):
    begins, folder = tmp_path / "begins", tmp_path / "learns"
    call(GAME, begins, *SMALL, "--against")
    call(GAME, folder, *SMALL, "--minutes", 0.05, "--against", "random")
    *_, learned, measured = log(folder)
    assert learned["answers"] >= 64 * 16
    assert measured["games"] == 4
    before, after = layers(begins), layers(folder)
    assert all(np.isfinite(after[name]).all() and not np.array_equal(before[name], after[name]) for name in after)

    call(GAME, folder, *SMALL, "--against", "--resume")
    assert log(folder)[-1]["answers"] == learned["answers"]
    again = layers(folder)
    assert all(np.array_equal(after[name], again[name]) for name in after)
    call(GAME, folder, *SMALL, "--minutes", 0.02, "--against", "--resume")
    assert log(folder)[-1]["answers"] > learned["answers"]

    words = ["arena", GAME, str(folder / "ppo.npz"), "random", "--games", "2", "--threads", "1"]
    played = CliRunner().invoke(app, words)
    assert played.exit_code == 0, played.output
    call(GAME, begins, *SMALL, "--against", "--begin", folder / "ppo.npz")
    assert np.array_equal(layers(begins)["first"], layers(folder)["first"])


def test_ppo_goes_on_with_what_falls_over_time(ppo, call, monkeypatch, tmp_path):
    """The same minutes again are the second half of all."""
    learn, progress = ppo.Trainer.learn, []
    monkeypatch.setattr(ppo.Trainer, "learn", lambda self, played, at: progress.append(at) or learn(self, played, at))
    words = [GAME, tmp_path, *SMALL, "--minutes", 0.02, "--pay", "0=1", "--against"]
    call(*words)
    before = len(progress)
    call(*words, "--resume")
    assert progress[0] < 0.1
    assert len(progress) > before
    assert all(0.5 <= at < 1 for at in progress[before:])


@pytest.mark.parametrize("games", [1, 3])
def test_ppo_learns_from_very_few_answers(call, tmp_path, games):
    call(GAME, tmp_path, *SMALL, "--games", games, "--steps", 1, "--minutes", 0.01, "--against")
    assert all(np.isfinite(layer).all() for layer in layers(tmp_path).values())


def test_ppo_pays_for_features_and_learns_several_tables(call, tmp_path):
    call(GAME, tmp_path, *SMALL, "--minutes", 0.01, "--pay", "0=1", "--tables", "seats=3", "seats=4", "--against")
    assert log(tmp_path)[-1]["answers"] > 0


def test_ppo_refuses_wrong_calls_in_a_sentence(call, tmp_path, capsys):
    trained, junk, flipped = (tmp_path / name for name in ("trained", "junk", "flipped"))
    call(GAME, trained, *SMALL, "--against")
    junk.mkdir()
    (junk / "checkpoint.pt").write_text("junk")
    flipped.mkdir()
    damaged = bytearray((trained / "checkpoint.pt").read_bytes())
    damaged[len(damaged) // 3 : len(damaged) // 2] = b"\x55" * (len(damaged) // 2 - len(damaged) // 3)
    (flipped / "checkpoint.pt").write_bytes(damaged)
    (tmp_path / "file").write_text("")
    none = tmp_path / "none"
    for said, words in {
        "there is no game called 'runn'; did you mean run": ["runn", none],
        "--games cannot be 0; it is at least 1": [GAME, none, "--games", 0],
        "--games cannot be 1; it is at least 2": [GAME, none, "--games", 1, "--tables", "seats=3", "seats=4"],
        "--trace cannot be 2.0; it is from 0 to 1": [GAME, none, "--trace", 2],
        "--pool cannot be 1; it is at least 2": [GAME, none, "--pool", 1],
        "--minutes cannot be nan; it is at least 0": [GAME, none, "--minutes", "nan"],
        "invalid int value: 'many'": [GAME, none, "--games", "many"],
        "unrecognized arguments: --gamess": [GAME, none, "--gamess", 4],
        "there is no bot called 'eazy'; did you mean easy": [GAME, none, "--against", "eazy"],
        "--tables cannot have 'three'; expected seats=NUMBER or OPTION=VALUE": [GAME, none, "--tables", "three"],
        "is for 3, 4, 5 or 6 seats, not 2": [GAME, none, "--seats", 2],
        "has no option 'n'": [GAME, none, "--tables", "n=3"],
        "'0' is not the number of a feature and an amount": [GAME, none, "--pay", "0"],
        "has no feature 1000; expected 0 to": [GAME, none, *SMALL, "--pay", "1000=1"],
        "with one seat has nobody to play against": ["rum-run-puzzles", none],
        "file cannot be a folder: File exists": [GAME, tmp_path / "file"],
        "none; expected the folder of an earlier run": [GAME, none, "--resume"],
        "junk/checkpoint.pt is not a checkpoint that train/ppo.py has": [GAME, junk, *SMALL, "--resume"],
        "flipped/checkpoint.pt is not a checkpoint that train/ppo.py has": [GAME, flipped, *SMALL, "--resume"],
        "is of a run with hidden 16, not 8: expected": [GAME, trained, *SMALL, "--hidden", 8, "--resume"],
        "with rate 0.001, not 0.1; pay (), not ((0, 1.0),): expected the same settings, or --begin": [
            *(GAME, trained, *SMALL, "--rate", 0.1, "--pay", "0=1", "--resume"),
        ],
        f"is of a run with game {GAME}, not run": ["run", trained, *SMALL, "--resume"],
        "not allowed with argument": [GAME, trained, "--resume", "--begin", trained / "ppo.npz"],
        "there is no file": [GAME, none, *SMALL, "--begin", none / "ppo.npz"],
        f"is for {GAME} 1, not for run": ["run", none, *SMALL, "--begin", trained / "ppo.npz"],
        "has layer 'first' of": [GAME, none, *SMALL, "--hidden", 8, "--begin", trained / "ppo.npz"],
    }.items():
        with pytest.raises(SystemExit) as ended:
            call(*words)
        assert ended.value.code == 2
        assert said in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="NVIDIA's compiler is installed on Linux only")
def test_kernels_compile_for_a_gpu_where_there_is_none(tmp_path):
    script, kept = Path(__file__).parents[2] / "bench" / "gpu_compile.py", tmp_path / "kept.json"
    subprocess.run([sys.executable, str(script), "run", "rum-run", "--json", str(kept)], check=True)
    found = json.loads(kept.read_text("utf-8"))
    assert [(made["game"], made["kernel"]) for made in found] == [
        *(("run", kernel) for kernel in ("play", "offer", "see", "playouts")),
        *(("rum-run", kernel) for kernel in ("play", "offer", "see")),
    ]
    assert all(0 < made["registers"] <= 96 for made in found)  # what jit_of allows a large game
    assert not any(made["spilled"] for made in found if made["game"] == "run")

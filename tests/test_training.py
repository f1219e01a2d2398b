"""Scripts of `train` are run by hand; this tests that they still find what they use."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRAIN = ROOT / "train"
IMPORTS = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"


def trained(*words):
    """What a script says; words are those after `python`."""
    done = subprocess.run(
        [sys.executable, *words], cwd=TRAIN, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_script_that_needs_no_gpu_finds_what_it_imports():
    names = [path.stem for path in sorted(TRAIN.glob("*.py")) if "import torch" not in path.read_text("utf-8")]
    assert len(names) > 10
    trained("-c", IMPORTS, *names)


def test_the_first_to_meld_is_measured():
    lines = trained("rummy_runners_waiting.py", "--games", "2", "--deck", "30").splitlines()
    assert [line.split(":")[0] for line in lines] == ["nobody", "30 cards", "all"]
    assert lines[1].endswith("of 2, no meld in 0")

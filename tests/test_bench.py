"""Benchmarks are run by hand; this tests that they still find what they measure."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parent.parent / "bench"
IMPORTS = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"


def test_every_benchmark_finds_what_it_measures():
    names = sorted(path.stem for path in BENCH.glob("*.py"))
    assert names
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *names], cwd=BENCH, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


ROWS = """
import argparse, subprocess, sys, time
import server_bars
from server_bars import Row

def fails(args):
    raise ValueError("a reason")

def hangs(args):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]], start_new_session=True)
    time.sleep(600)

def works(args):
    return {"figure": 2.0}

if __name__ == "__main__":
    bars = {"figure": (">=", 1)}
    server_bars.ROWS = {"a": Row(fails, bars, 60), "b": Row(hangs, bars, 5), "c": Row(works, bars, 60)}
    sys.exit(server_bars.all_bars(argparse.Namespace(only=None, short=False, json=None, kills=0, minutes=0)))
"""


def test_a_row_that_fails_or_hangs_leaves_the_others_and_no_process(tmp_path):
    script = tmp_path / "rows.py"
    script.write_text(ROWS)
    done = subprocess.run(
        [sys.executable, script, str(tmp_path / "mark")],
        env={**os.environ, "PYTHONPATH": str(BENCH)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "a: could not be measured: ValueError: a reason" in done.stdout
    assert "b: could not be measured: it was not done after 5 seconds" in done.stdout
    assert "c figure >= 1: 2.00, reached" in done.stdout
    assert "missed or not measured: a, b" in done.stdout
    running = b""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            running += path.read_bytes()
    assert bytes(tmp_path / "mark") not in running


GYM = """
import argparse, sys, time
import gym_bars
from gym import NotHere, Row
from gym_bars import Line, Measurement

def works(name, args):
    low, high = (Row(name, key, "", 2e6, 2.0) for key in ("low", "high"))
    return [high, Row(name, "none", "", None, why="not measured here: pip install 'a[b]'"), low]

def fails(name, args):
    raise SystemExit("a reason")

def lacks(name, args):
    raise NotHere("a peer is missing")

def line(of, key, bar):
    return Line(of, Row("run", key, f"bar {of} {key}", None, unit="M", bar=bar))

if __name__ == "__main__":
    if "real" not in sys.argv:
        gym_bars.MEASUREMENTS = {"a": Measurement(works), "b": Measurement(fails), "c": Measurement(lacks)}
        of_b = [line("b", "low", 1.0)] if "b" in sys.argv else []
        lines = [line("c", "low", 1.0), line("a", "high", 3.0 if "b" in sys.argv else 1.0), *of_b,
                 line("a", "none", 1.0), line("a", "low", 1.0)]
        gym_bars.all_lines = lambda: lines
    gym_bars.cuda.is_available = lambda: False
    only = ["gpu", "pgx-gpu", "ppo", "playouts"] if "real" in sys.argv else None
    args = argparse.Namespace(only=only, short=False, json=None, rounds=1, seconds=0.1)
    sys.exit(gym_bars.all_bars(args))
"""


def gym_bars(folder, *words):
    """The exit status of the bars of the gym, with measurements that measure nothing, and the lines of the table."""
    script = folder / "rows.py"
    script.write_text(GYM)
    done = subprocess.run(
        [sys.executable, script, *words],
        env={**os.environ, "PYTHONPATH": str(BENCH)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.stdout.splitlines() if line[:1] == "│"]
    return done.returncode, [" | ".join(line[1:]) for line in cells], done.stdout


def test_the_bars_of_the_gym_are_one_table_in_order(tmp_path):
    status, lines, said = gym_bars(tmp_path, "b")
    assert lines == [
        "bar c low |  | ≥ 1.00 M | not measured here: a peer is missing",
        "bar a high | 2.00 M | ≥ 3.00 M | MISSED",
        "bar b low |  | ≥ 1.00 M | could not be measured: SystemExit: a reason",
        "bar a none |  | ≥ 1.00 M | not measured here: pip install 'a[b]'",
        "bar a low | 2.00 M | ≥ 1.00 M | reached",
    ]
    assert status == 1
    assert "missed or failed: a run, b run" in said
    assert gym_bars(tmp_path)[0] == 0  # what cannot be measured here is no failure


def test_without_a_gpu_the_gym_says_which_bars_were_not_measured(tmp_path):
    status, lines, said = gym_bars(tmp_path, "real")
    assert status == 0
    assert "10 of 10 bars were not measured" in said
    assert sum("not measured here: no NVIDIA GPU" in line for line in lines) == 10


def test_compiling_for_a_gpu_refuses_what_it_cannot_do(tmp_path):
    (tmp_path / "nvidia").mkdir()
    (tmp_path / "nvidia" / "__init__.py").touch()  # hides what is installed
    without = {**os.environ, "PATH": "", "PYTHONPATH": str(tmp_path)}
    for game, said in {"ran": "there is no game called 'ran'", "run": "NVIDIA's compiler is not installed"}.items():
        command = [sys.executable, "gpu_compile.py", game]
        done = subprocess.run(command, cwd=BENCH, env=without, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert said in done.stderr

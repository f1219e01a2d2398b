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

"""Benchmarks are run by hand; this tests that they still find what they measure."""

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

"""Every branch of every kernel of the rules is reached by a test.

Coverage is measured with the kernels as plain Python, where NumPy also warns of numbers that do not fit their fields.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
TESTS = sorted(str(path) for name in ("rules*", "events", "objectives") for path in FOLDER.glob(f"test_{name}.py"))


def test_every_branch_of_the_rules_is_reached(tmp_path):
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "COVERAGE_FILE": str(tmp_path / "coverage"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    measure = ["run", "--branch", f"--include={FOLDER.parent / 'rules' / '*'}", "-m", "pytest", "-q"]
    measure += ["-p", "no:cacheprovider", *TESTS]
    report = tmp_path / "report.json"
    for words in (measure, ["json", "-o", str(report)]):
        done = subprocess.run(
            [sys.executable, "-m", "coverage", *words], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
    files = json.loads(report.read_text())["files"]
    assert len(files) == len(list((FOLDER.parent / "rules").glob("*.py")))
    missed = {
        Path(name).name: (found["missing_lines"], found["missing_branches"])
        for name, found in files.items()
        if found["missing_lines"] or found["missing_branches"]
    }
    assert not missed

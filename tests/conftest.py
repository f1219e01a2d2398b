"""What several tests begin with."""

import subprocess
import sys

import pytest
from doors import GAME, environment


@pytest.fixture
def run(tmp_path):
    """Run a command with some input; says the exit code, what was printed and what went wrong."""

    def run_it(*arguments, typed=""):
        done = subprocess.run(
            [sys.executable, "-m", "backroom", *map(str, arguments)],
            input=typed,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env=environment(tmp_path),
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    return run_it


@pytest.fixture
def finished(run, tmp_path):
    """The log of a game between bots."""
    log = tmp_path / "finished.log"
    code, _, _ = run("watch", GAME, "--delay", 0, "--seed", 3, "--save", log)
    assert code == 0
    return log

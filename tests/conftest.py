"""What several tests begin with."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doors import GAME, environment


def runner(home):
    """Runs a command with some input; says the exit code, what was printed and what went wrong."""

    def run(*arguments, typed=""):
        done = subprocess.run(
            [sys.executable, "-m", "backroom", *map(str, arguments)],
            input=typed,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env=environment(home),
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def run(tmp_path):
    return runner(tmp_path)


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """The log of a game between bots."""
    home = tmp_path_factory.mktemp("played")
    code, _, _ = runner(home)("watch", GAME, "--delay", 0, "--seed", 3, "--save", home / "finished.log")
    assert code == 0
    return home / "finished.log"


@pytest.fixture
def finished(played, tmp_path):
    """The same, to do with what one likes."""
    return Path(shutil.copy(played, tmp_path))

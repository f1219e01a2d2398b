"""Fixtures for several test files."""

import hashlib
import importlib
import itertools
import shutil
from pathlib import Path

import pytest
from commands import Commands
from terminals import GAME, environment

from backroom.engine import table
from backroom.server.tables import config, table_bots


@pytest.fixture(scope="session")
def runner(tmp_path_factory):
    """Makes functions that run a command with some input, and return the exit code, standard output and error."""
    commands = Commands(environment(tmp_path_factory.mktemp("commands")))

    def at(home):
        def run(*arguments, typed=""):
            code, out, err = commands.run([str(word) for word in arguments], typed, environment(home))
            assert "Traceback" not in err
            return code, out, err

        return run

    yield at
    commands.close()


@pytest.fixture
def run(runner, tmp_path):
    return runner(tmp_path)


@pytest.fixture(scope="session")
def played(runner, tmp_path_factory):
    """The log of a game between bots."""
    home = tmp_path_factory.mktemp("played")
    code, _, _ = runner(home)("watch", GAME, "--delay", 0, "--seed", 3, "--save", home / "finished.log")
    assert code == 0
    return home / "finished.log"


@pytest.fixture
def finished(played, tmp_path):
    """A copy of that log."""
    return Path(shutil.copy(played, tmp_path))


@pytest.fixture(autouse=True)
def same_seeds(request, monkeypatch):
    """Give tables made in this process seeds that depend only on the test, so that failures repeat."""
    numbers = itertools.count()

    def new_seed():
        return hashlib.blake2b(f"{request.node.nodeid} {next(numbers)}".encode(), digest_size=16).hexdigest()

    for module in (table, config, table_bots, importlib.import_module("backroom.bots.bot")):
        monkeypatch.setattr(module, "new_seed", new_seed)

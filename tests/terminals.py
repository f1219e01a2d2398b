"""How tests use the terminal: real processes, real pipes, a real pseudo-terminal."""

import os
import sys

import pexpect

import backroom

GAMES = list(backroom.names())
GAME = next(name for name in GAMES if list(backroom.game(name).seats) == [2])
"""A game for exactly two seats, for tests that need only one game."""
SHORT = min(
    (name for name in GAMES if max(backroom.game(name).seats) > 1), key=lambda name: backroom.game(name).rules.LONGEST
)
"""The game that ends soonest."""


def environment(tmp_path):
    return {**os.environ, "BACKROOM_GAMES": str(tmp_path / "games"), "COLUMNS": "100", "LINES": "50", "TERM": "xterm"}


def interrupt(child):
    """Press Ctrl-C, which must end the command with its own exit code."""
    child.sendintr()
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130


def in_a_terminal(tmp_path, *arguments, size=(50, 100)):
    """A command on a pseudo-terminal with this number of lines and columns."""
    words, (lines, columns) = ["-m", "backroom", *map(str, arguments)], size
    env = {**environment(tmp_path), "LINES": str(lines), "COLUMNS": str(columns)}
    return pexpect.spawn(sys.executable, words, env=env, encoding="utf-8", timeout=60, dimensions=size)

"""After SIGKILL no acknowledged move is lost, and no move was shown that is not stored."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from databases import DATABASES
from kills import Player, drill, missing, stored
from serving import Nursery, is_gone, until

TIMES = 10
"""For each database; `bench/server.py --bars --only kills` does it a hundred times."""


@pytest.fixture
def nursery():
    found = Nursery()
    yield found
    found.close()


@pytest.mark.parametrize("kind", DATABASES)
def test_kills_under_load(kind, tmp_path):
    found = drill(kind, tmp_path, TIMES)
    assert found.lost == found.shown_not_stored == 0
    assert found.acknowledged > 2 * TIMES
    assert found.shown > 2 * TIMES


def test_moves_that_are_not_stored_are_counted():
    assert missing(["a", "c"], ["a", "b", "c"]) == 0
    assert missing(["a", "c", "b", "x"], ["a", "b", "c"]) == 2
    assert missing([], []) == 0


DYING = """
first, moves = store.Store._write, [0]

def write(self, jobs, is_again=False):
    found = first(self, jobs, is_again)
    if any(row[3] == "move" and row[4] != 15 for job in jobs for row in job.rows):
        moves[0] += 1
        if moves[0] == 3:
            os.kill(os.getpid(), 9)
    return found

store.Store._write = write
"""


def test_killed_between_append_and_publish(nursery, tmp_path):
    """A move that is stored when the server dies, before anybody is told, is there once afterwards."""
    db = tmp_path / "t.db"
    server = nursery.serve(db, fault=DYING)
    player = Player(server.url, 1)
    player.begin()
    player.play()
    server._until_gone()
    kept = stored(db, player.table)
    mine = [name for name in kept if not name.startswith(("deal", "roll"))]
    assert len(player.acknowledged) == 2
    assert len(mine) == 3
    again = nursery.serve(db)
    for guest in player.guests:
        guest.web.base_url = again.url
    player.url = again.url
    assert player.guests[0].decision(player.table)["stage"] == "playing"
    player.play()
    assert stored(db, player.table)[: len(kept)] == kept
    again.close()
    for guest in player.guests:
        guest.web.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has ended")
def test_servers_end_with_the_tests_that_have_started_them(tmp_path):
    script = "import sys, serving\nprint(serving.Nursery().serve(sys.argv[1]).pid, flush=True)\nsys.stdin.read()"
    tests = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "t.db")], env={**os.environ, "PYTHONPATH": tests},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with parent:
        pid = int(parent.stdout.readline())
        assert not is_gone(pid)
        parent.kill()
        until(lambda: is_gone(pid))

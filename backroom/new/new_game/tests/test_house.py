"""What every game must pass: the laws, the perft table, and golden games that replay."""

import re
from pathlib import Path

import pytest

import backroom
from backroom.engine.count import perft
from backroom.engine.laws import check_game, check_imagination, check_shape

GAME = backroom.game("new-game")
HERE = Path(__file__).parent


def test_it_has_the_shape_of_a_game():
    check_shape(GAME)


@pytest.mark.parametrize("seed", range(4))
def test_it_keeps_the_laws(seed):
    for seats, options in GAME.settings():
        check_game(GAME, seats, options, seed)


@pytest.mark.parametrize("seats", GAME.rules.SEATS)
def test_imagination_is_even(seats):
    check_imagination(GAME, seats, {})


def test_every_paragraph_that_is_cited_is_in_the_rulebook():
    """Chapters are written as `## §3 A trick`, paragraphs as `- §3.1 Everyone …`."""
    there = set(re.findall(r"^(?:- |## )§([\d.]+) ", GAME.rulebook, re.M))
    for path in GAME.folder.rglob("*.py"):
        assert set(re.findall(r"§(\d+(?:\.\d+)?)", path.read_text("utf-8"))) <= there, path


def test_perft():
    """The perft table is unchanged; `backroom perft` prints the numbers of a line."""
    lines = [line for line in (HERE / "perft.txt").read_text("utf-8").splitlines() if line and line[0] != "#"]
    for position, options, counts in (line.split(";") for line in lines):
        chosen = dict(pair.split("=") for pair in options.split())
        seats = int(chosen.pop("seats", GAME.rules.SEATS[0]))
        start = None if position.strip() == "start" else position
        table = backroom.Table(GAME, seats=seats, start=start, nature=False, options=chosen)
        for depth, ways in (map(int, pair.split(":")) for pair in counts.split()):
            assert perft(GAME, table.state, depth) == ways


@pytest.mark.parametrize("path", sorted((HERE / "golden").glob("*.log")), ids=lambda path: path.stem)
def test_a_golden_game_replays(path):
    table = backroom.replay(path)
    assert table.is_over
    assert str(table.log) == path.read_text("utf-8")

"""Counts that must not change by accident: each game's perft table and the signature of its behaviour."""

from pathlib import Path

import pytest
import toy
from terminals import GAME

import backroom
from backroom.engine.count import perft, signature, split
from backroom.engine.game import Game

SIGNATURES = Path(__file__).parent / "signatures.txt"


def perft_table(name):
    """The lines of a game's table; none if there is no such file."""
    path = backroom.game(name).folder / "tests" / "perft.txt"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [line for line in lines if line and not line.startswith("#")]


def perft_lines():
    for name in backroom.names():
        for line in perft_table(name):
            yield pytest.param(name, *(part.strip() for part in line.split(";")), id=f"{name}: {line[:50]}")


@pytest.mark.parametrize(("name", "position", "options", "counts"), list(perft_lines()))
def test_perft(name, position, options, counts):
    game = backroom.game(name)
    chosen = dict(pair.split("=") for pair in options.split())
    seats = int(chosen.pop("seats", game.seats[0]))
    start = None if position == "start" else position
    table = backroom.Table(game, seats=seats, start=start, nature=False, options=chosen)
    for pair in counts.split():
        depth, ways = map(int, pair.split(":"))
        found = perft(game, table.state, depth)
        assert found == ways, f"by first move: {split(game, table.state, depth)}"


def test_perft_agrees_with_counting_by_hand():
    """The kernel's walk against the simplest recursion, on a real game."""
    game = backroom.game(GAME)
    seats, options = game.settle(None, {})

    def count(s, depth):
        if depth == 0:
            return 1
        asked = game.asked(s)[:1]
        return sum(count(game.after(s, seat, move), depth - 1) for seat in asked for move in game.moves(s, seat))

    s = game.start(seats, options)
    for depth in range(5):
        assert perft(game, s, depth) == count(s, depth)
    assert sum(split(game, s, 4).values()) == perft(game, s, 4)


@pytest.mark.parametrize("line", SIGNATURES.read_text("utf-8").splitlines())
def test_signature(line):
    """No change in play. If one is intended, raise VERSION and run `backroom signature > tests/signatures.txt`."""
    assert signature(backroom.game(line.split()[0])) == line


@pytest.mark.parametrize("name", list(backroom.names()))
def test_a_game_has_a_perft_table(name):
    assert perft_table(name), "make its lines: backroom perft GAME --depth N"


def test_every_game_has_a_signature():
    assert [line.split()[0] for line in SIGNATURES.read_text("utf-8").splitlines()] == list(backroom.names())


def test_a_signature_notices_a_changed_rule():
    plain = signature(Game(toy.module()), 8)
    assert signature(Game(toy.module()), 8) == plain
    assert signature(Game(toy.module(odds=lambda s, out: toy.odds(s, out) if s.phase else skewed(s, out))), 8) != plain


def skewed(s, out):
    n = toy.odds(s, out)
    out[0] = 7
    return n

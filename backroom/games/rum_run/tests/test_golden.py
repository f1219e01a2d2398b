"""Golden games of Rum Run: one for each ending and number of seats, one with all extras, and what each is kept for."""

import itertools
from pathlib import Path

import pytest

import backroom

GOLDEN = Path(__file__).parent / "golden"


def won_at_once(before, after):
    return bool(after.over) and int(after.quiet) < 20 * int(after.colours) and int(after.passes) == 0


def quiet_end(before, after):
    return bool(after.over) and int(after.quiet) == 20 * int(after.colours)


def all_passed(before, after):
    return bool(after.over) and int(after.passes) == int(after.colours)


KEPT_FOR: dict[str, tuple] = {}


def test_every_golden_game_is_kept_for_something():
    assert {path.stem for path in GOLDEN.glob("*.log")} == set(KEPT_FOR)


@pytest.mark.parametrize("name", KEPT_FOR)
def test_golden_game(name):
    table = backroom.replay(GOLDEN / f"{name}.log")
    kept_for, seats, score, words = KEPT_FOR[name]
    assert any(kept_for(*pair) for pair in itertools.pairwise(table.states()))
    assert (table.seats, table.score) == (seats, score)
    told = " ".join(table.story())
    for word in words:
        assert word in told

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


KEPT_FOR = {
    "all-pass": (all_passed, 2, (0.5, 0.5), ["passes"]),
    "quiet": (quiet_end, 2, (1.0, 0.0), ["In the fog"]),
    "two-first": (won_at_once, 2, (1.0, 0.0), ["taps", "scores"]),
    "three-standard": (won_at_once, 3, (0.0, 0.0, 1.0), ["taps", "draws", "In the fog"]),
    "random-stills": (won_at_once, 3, (0.0, 1.0, 0.0), ["is drawn, and will lie face down", "is turned up"]),
    "four-all-extras": (
        won_at_once,
        4,
        (0.0, 1.0, 0.0, 0.0),
        ["taps", "draws", "In the fog", "is turned up", "claims"],
    ),
    "four-small": (won_at_once, 4, (0.0, 0.0, 1.0, 0.0), ["taps", "draws"]),
    "two-colours": (won_at_once, 2, (1.0, 0.0), ["taps", "draws"]),
    "three-badlands": (won_at_once, 3, (0.0, 0.0, 1.0), ["taps"]),
    "ambush": (won_at_once, 2, (1.0, 0.0), ["Ambusher"]),
}


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

"""Golden puzzles: one for each way to end, and one that is written out in its log."""

from pathlib import Path

import pytest

import backroom
from backroom.games.rum_run.puzzles.generator import generate

GOLDEN = Path(__file__).parent / "golden"

KEPT_FOR = {
    "fewest": (1, "over red’s 1-6"),
    "longer": (0.5, "solved in 6 placings"),
    "given-up": (0, "Blue gives up (§3.2)."),
    "written-out": (1, "solved in 6 placings"),
}
"""The score that each ends with, and a part of its result in words."""


def test_every_golden_puzzle_is_kept_for_something():
    assert {path.stem for path in GOLDEN.glob("*.log")} == set(KEPT_FOR)


@pytest.mark.parametrize("name", KEPT_FOR)
def test_golden_puzzle(name):
    table = backroom.replay(GOLDEN / f"{name}.log")
    score, told = KEPT_FOR[name]
    assert table.score == (score,)
    assert told in " ".join(table.story())


def test_a_log_holds_a_made_puzzle_itself():
    """The log has the whole puzzle, so it replays even if the generator changes."""
    assert backroom.replay(GOLDEN / "written-out.log").options["puzzle"] == str(generate("hard", 17))

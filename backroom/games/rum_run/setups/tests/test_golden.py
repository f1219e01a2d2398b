"""Golden drafts: one that can be played, one that cannot, and one with everything face down."""

from pathlib import Path

import pytest

import backroom
from backroom.games.rum_run.setup_file import read

GOLDEN = Path(__file__).parent / "golden"
KEPT_FOR = {"from-nothing": "25 barrels in 4 stills", "hidden": "24 barrels in 4 stills", "not-playable": "overlaps"}
"""A part of each result in words."""


def test_every_golden_draft_is_kept_for_something():
    assert {path.stem for path in GOLDEN.glob("*.log")} == set(KEPT_FOR)


@pytest.mark.parametrize("name", KEPT_FOR)
def test_golden_draft(name):
    table = backroom.replay(GOLDEN / f"{name}.log")
    rules = table.game.rules
    assert KEPT_FOR[name] in rules.question(table.state, 0)
    text = rules.MAKES.write(table.state)
    if name == "not-playable":
        with pytest.raises(ValueError, match="overlaps"):
            read(text)
    else:
        backroom.game("rum-run").settle(2, {"setup": text})

"""Golden games: logs kept beside each game, which must replay to the end and be fair, whatever is changed elsewhere."""

import pytest

import backroom
from backroom.engine.table import verify

LOGS = [
    pytest.param(path, id=f"{name}/{path.stem}")
    for name in backroom.names()
    for path in sorted((backroom.game(name).folder / "tests" / "golden").glob("*.log"))
]


@pytest.mark.parametrize("path", LOGS)
def test_a_golden_game_replays(path):
    text = path.read_text("utf-8")
    table = backroom.replay(text)
    assert table.is_over
    assert str(table.log) == text
    assert verify(text) == sum(line.startswith("* ") for line in text.splitlines())  # a game may have no chance at all


def test_every_game_has_golden_games():
    assert {param.id.split("/")[0] for param in LOGS} == set(backroom.names())

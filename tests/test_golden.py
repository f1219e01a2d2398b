"""Golden games: logs kept beside each game, which must replay to the end and be fair."""

import pytest

import backroom
from backroom.engine.registry import former_names
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


OLD_LOGS = [
    pytest.param(param.values[0], name, former, id=f"{former}/{param.values[0].stem}")
    for name in backroom.names()
    for former in former_names(name)
    for param in LOGS
    if param.id.split("/")[0] == name
]


@pytest.mark.parametrize(("path", "name", "former"), OLD_LOGS)
def test_a_log_with_a_former_name_still_opens(path, name, former):
    text = path.read_text("utf-8")
    old = text.replace(f"\ngame {name} ", f"\ngame {former} ")
    assert old != text
    assert str(backroom.replay(old).log) == text
    assert verify(old) == verify(text)

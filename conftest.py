"""How all tests run: the same examples every time, however slow the machine."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

collect_ignore = ["backroom/new"]
"""The template of `backroom new` is no game in the registry: tests/test_new.py makes one of it and runs its tests."""

SLOW = {"browser", "gym", "server"} | {
    f"test_{name}.py"
    for name in (
        "laws kernels release terminal new menus making refusals same_moves deadlines mcp judges arena bots lessons levels "
        "second_opinion coverage net judge brain solver miniature"
    ).split()
}
"""Files and folders of tests that `make check` leaves to `make test`."""


def pytest_collection_modifyitems(items):
    for item in items:
        if not SLOW.isdisjoint(Path(item.path).parts):
            item.add_marker(pytest.mark.slow)

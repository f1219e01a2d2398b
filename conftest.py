"""How all tests run: the same examples every time, however slow the machine."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

collect_ignore = ["backroom/new"]
"""The template of `backroom new` is no game in the registry: tests/test_new.py makes one of it and runs its tests."""

SLOW = (
    *(
        "browser",
        "gym",
        "server",
        "test_laws.py",
        "test_kernels.py",
        "test_release.py",
        "test_terminal.py",
        "test_new.py",
    ),
    *("test_menus.py", "test_making.py", "test_refusals.py", "test_same_moves.py", "test_deadlines.py", "test_mcp.py"),
    *("test_judges.py", "test_arena.py", "test_bots.py", "test_lessons.py", "test_levels.py", "test_second_opinion.py"),
    *("test_coverage.py", "test_net.py", "test_judge.py", "test_brain.py", "test_solver.py", "test_miniature.py"),
)
"""Files and folders of tests that `make check` leaves to `make test`."""


def pytest_collection_modifyitems(items):
    for item in items:
        if not set(SLOW).isdisjoint(Path(item.path).parts):
            item.add_marker(pytest.mark.slow)

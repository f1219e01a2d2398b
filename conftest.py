"""How all tests run: the same examples every time, however slow the machine."""

import re

import pytest
from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

collect_ignore = ["backroom/new"]
"""The template of `backroom new` is not registered; tests/test_new.py makes a game from it and runs its tests."""

SLOW = re.compile(
    r"/tests/(browser|gym|server)/"
    r"|/test_(laws|kernels|release|terminal|new|menus|making|refusals|same_moves|deadlines|mcp|judges|arena|bots)\.py$"
    r"|/test_(full_screen|lessons|levels|second_opinion|coverage|net|judge|brain|solver|miniature)\.py$"
)
"""Files and folders of tests that `make check` leaves to `make test`."""


LONG = re.compile(
    r"test_(kernels_stay_within_their_arrays|every_branch_of_the_rules|kills_under_load|the_wheel_plays|each_table_has_a_process"
    r"|a_gpu_plays_the_same_games)"
)
"""Tests that take longest: they come first, so that no process is left with one at the end."""


def pytest_addoption(parser):
    says = "How many games each second opinion follows, over all settings; make opinions has 1,000. Default: fewer."
    parser.addoption("--games", type=int, metavar="N", help=says)


@pytest.fixture
def games(request):
    """The number of games that a second opinion follows: `--games`, or the test's own default."""
    return lambda few: request.config.getoption("--games") or few


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: not LONG.match(item.name))
    for item in items:
        if SLOW.search(item.path.as_posix()):
            item.add_marker(pytest.mark.slow)

"""Screen sizes for tests, and helpers for pages."""

import time

from axe_playwright_python.base import AXE_SCRIPT

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1200, "height": 800}


def wait_until(page, is_so, seconds=90):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it takes too long"
        page.wait_for_timeout(15)


def problems(page):
    """What axe-core objects to. Only that is fetched: its list of passed checks is a hundred times as long."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then(found => found.violations)")
    return [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found]


def middle(page, name):
    """The middle of a piece on the screen."""
    box = page.evaluate("id => document.getElementById(id).getBoundingClientRect().toJSON()", name)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def tab_to(page, selector):
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement?.matches(s)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached with Tab")

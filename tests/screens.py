"""The sizes of screens that tests look at, and what they do before them."""

import time

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1200, "height": 800}


def wait_until(page, is_so, seconds=20):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it takes too long"
        page.wait_for_timeout(15)


def middle(page, name):
    """Where on the screen a piece is."""
    box = page.evaluate("id => document.getElementById(id).getBoundingClientRect().toJSON()", name)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def tab_to(page, selector):
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement?.matches(s)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached with Tab")

"""A real Chromium with one context for each person. A missing browser is reported, and fails in CI."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from screens import DESKTOP
from serving import served, with_toy

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""The headless shell comes first: it is a third faster, since the others draw a window that nobody sees."""


def chromium():
    found = os.environ.get("BACKROOM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        said = "no Chromium on this machine: the table in the browser is NOT TESTED; install chromium"
        pytest.fail(said) if os.environ.get("CI") else pytest.skip(said)
    return found


@pytest.fixture(scope="module")
def browser():
    """Chromium, closed after each module: while Playwright runs, other tests in its thread cannot run event loops."""
    path = chromium()
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--in-process-gpu"]  # a separate process takes a tenth more time
        found = playwright.chromium.launch(executable_path=path, args=flags)
        yield found
        found.close()


@pytest.fixture(scope="module", autouse=True)
def toy():
    with with_toy():
        yield


@pytest.fixture(scope="module")
def server(toy, tmp_path_factory):
    with served(tmp_path_factory.mktemp("house") / "tables.db", bot_pace=0.05) as found:
        yield found


PATIENCE = 90_000
"""Milliseconds to wait for anything, on however busy a machine."""


class Person:
    """A person with a screen of their own."""

    def __init__(self, browser, server, name, size, **more):
        context = {"reduced_motion": "reduce", **more}
        self.context = browser.new_context(viewport=size, base_url=server.url, **context)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.name = name
        self.wrongs = []
        self.page.on("pageerror", lambda error: self.wrongs.append(str(error)))
        self.page.on("console", self._listen)

    def _listen(self, message):
        usual = ("ERR_INTERNET_DISCONNECTED", "status of 409")  # offline; an answer that says why not
        if message.type == "error" and not any(each in message.text for each in usual):
            self.wrongs.append(message.text)

    def come_in(self):
        """Choose a name, as the form of `/me` does, without loading a page."""
        form = {"what": "guest", "guest": self.name}
        assert self.context.request.post("/me", form=form, max_redirects=0).status == 303

    def do(self, path, **said):
        """Send a request as a page would, without a page."""
        answer = self.context.request.post(path, data=said)
        assert answer.ok, answer.text()

    def go(self, path):
        self.page.goto(path)
        if "/tables/" in path:
            self.ready()

    def ready(self):
        self.page.wait_for_selector("html[data-ready=yes]", state="attached")

    def has_move(self):
        found = self.page.locator("[data-moves]:not([aria-busy]) :is(button[data-name], .many)")
        return found.count() > 0

    def shown(self):
        """The number of events that the page shows."""
        return int(self.page.evaluate("document.documentElement.dataset.shown"))

    def shot(self, name):
        """Take a screenshot, kept in the folder BACKROOM_SHOTS, if that is set."""
        if folder := os.environ.get("BACKROOM_SHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(
                path=Path(folder) / f"{name}-{self.page.viewport_size['width']}.png",
                full_page=self.page.viewport_size["width"] > 400,
            )


@pytest.fixture
def person(browser, server):
    """Makes people; afterwards their screens must have no errors."""
    made = []

    def make(name, size=DESKTOP, come_in=True, **more):
        found = Person(browser, server, name, size, **more)
        made.append(found)
        if come_in:
            found.come_in()
        return found

    yield make
    wrongs = [wrong for each in made for wrong in each.wrongs]
    for each in made:
        each.context.close()
    assert not wrongs

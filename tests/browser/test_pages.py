"""Every page passes axe-core, light and dark, on a phone and on a desktop."""

import contextlib

import pytest
from playwright.sync_api import TimeoutError as Timeout
from screens import DESKTOP, PHONE, problems
from serving import GAMES, TOY, game_of

import backroom
from backroom.server.http.solo import choice_of

GAME = next(name for name in backroom.names() if list(backroom.game(name).seats) == [2])
TASKS = next(name for name in backroom.names() if choice_of(backroom.game(name)))
MAKER = next(name for name in backroom.names() if hasattr(backroom.game(name).rules, "MAKES"))


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone-dark", "desk-light"])
def test_pages_for_everybody(server, person, size, scheme):
    ann = person("Ann", size, come_in=False, color_scheme=scheme)
    for path in (
        "/",
        "/me",
        f"/new/{GAME}",
        f"/solo/{TASKS}",
        f"/new/{MAKER}",
        f"/rules/{GAME}",
        f"/ladder/{GAME}",
        "/import",
        "/verify",
        "/style",
    ):
        ann.page.goto(path)
        assert problems(ann.page) == [], path
        assert ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        ann.shot(f"page-{path.strip('/').replace('/', '-') or 'lobby'}-{scheme}")
    ann.come_in()
    ann.page.goto("/me")
    assert problems(ann.page) == []


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone-dark", "desk-light"])
def test_tables_for_everybody(server, person, name, size, scheme):
    """The table's page while it waits for people, during the game and at the end; the replay and the verification."""
    ann = person("Ann", size, color_scheme=scheme)
    ann.page.goto(f"/new/{name}")
    for seat in range(1, min(game_of(name).seats)):
        ann.page.select_option(f"select[name=seat-{seat}]", "open")
    ann.page.click("main form button.strong")
    ann.ready()
    assert problems(ann.page) == []
    while ann.page.locator("text=Ask a bot").count():
        with contextlib.suppress(Timeout):  # it may be gone already
            ann.page.locator("text=Ask a bot").first.click(timeout=1000)
        ann.page.wait_for_timeout(100)
    ann.page.wait_for_selector("[data-moves] button[data-name]")
    assert problems(ann.page) == []
    ann.page.click("summary >> text=Table")
    ann.shot(f"table-{name}-{scheme}")
    assert problems(ann.page) == []
    table = ann.page.url.rsplit("/", 1)[1]
    way = "Resign" if max(backroom.game(name).seats) > 1 else "End this game"
    ann.page.click(f"text={way}")
    ann.page.click(f"[data-notice] >> text={way}")
    ann.page.wait_for_selector("form[action$='/rematch']")
    assert problems(ann.page) == []
    for path in ("replay", "verify"):
        ann.page.goto(f"/tables/{table}/{path}")
        assert problems(ann.page) == [], path


def test_without_scripts(server, person):
    ann = person("Ann", java_script_enabled=False)
    ann.page.goto("/")
    ann.page.click(f"button[name=game][value={TOY}]")
    for _ in range(2):
        while not ann.page.locator(
            "[data-moves] button"
        ).count():  # the bot moves; without scripts the page must be reloaded
            ann.page.reload()
        lines = ann.page.locator(".story li").count()
        ann.page.locator("[data-moves] button").first.click()
        ann.page.wait_for_selector(f".story li >> nth={lines}")


def test_light_and_dark_can_be_chosen_and_are_remembered(server, person):
    ann = person("Ann", color_scheme="light")
    ann.page.goto("/")
    ink = "getComputedStyle(document.body).color"
    before = ann.page.evaluate(ink)
    ann.page.click("[data-theme-switch]")
    assert ann.page.evaluate(ink) != before
    ann.page.goto("/me")
    assert ann.page.evaluate(ink) != before

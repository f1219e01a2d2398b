"""A page that is open while the server is upgraded loads itself again, once, with what was typed in it."""

import pytest
from screens import wait_until
from serving import TOY

from backroom.server.http import pages, version


@pytest.fixture
def upgraded(server, monkeypatch):
    """Makes the server another version: its streams are closed, as they are at a restart."""

    def upgrade(is_page_new=True):
        monkeypatch.setattr(version, "version", lambda: "another")
        if is_page_new:
            monkeypatch.setattr(pages, "version", version.version)
        server.loop.call_soon_threadsafe(server.services.tables.close_streams)

    return upgrade


def loads_of(person):
    """The addresses that the page loads from now on."""
    found = []
    person.page.on("domcontentloaded", lambda page: found.append(page.url))
    return found


def version_of(person):
    return person.page.evaluate("document.documentElement.dataset.version")


def at_a_table(person):
    ann = person("Ann")
    made = ann.context.request.post("/tables", form={"game": TOY, "seats": "2", "seat-1": "open"}, max_redirects=0)
    ann.go(made.headers["location"])
    return ann


def test_a_table_of_an_older_version_is_loaded_again_and_nothing_typed_is_lost(person, upgraded):
    ann = at_a_table(person)
    assert version_of(ann) == version.version()
    ann.page.fill("#say", "half a sen")
    loads = loads_of(ann)
    upgraded()
    ann.page.wait_for_selector("html[data-version=another][data-ready=yes]", state="attached")
    assert ann.page.input_value("#say") == "half a sen"
    assert ann.page.evaluate("document.activeElement.id") == "say"
    ann.page.keyboard.type("tence")
    ann.page.keyboard.press("Enter")
    ann.page.wait_for_selector("[data-story] >> text=half a sentence")
    assert len(loads) == 1


def test_a_page_that_stays_old_is_loaded_again_only_once(person, upgraded):
    """A proxy may have kept it, or another process may be an older one; it goes on as well as it can."""
    ann = at_a_table(person)
    loads, opened = loads_of(ann), []
    ann.page.on("request", lambda request: opened.append(request.url) if "/events" in request.url else None)
    upgraded(is_page_new=False)
    wait_until(ann.page, lambda: len(loads) == 1 and len(opened) >= 2)
    ann.ready()
    ann.page.fill("#say", "still here")
    ann.page.keyboard.press("Enter")
    ann.page.wait_for_selector("[data-story] >> text=still here")
    assert len(loads) == 1


def test_the_lobby_of_an_older_version_is_loaded_again(person, upgraded):
    ann = person("Ann")
    ann.page.goto("/")
    ann.ready()
    upgraded()
    ann.page.wait_for_selector("html[data-version=another][data-ready=yes]", state="attached")


def test_with_the_same_version_a_page_stays(person, server):
    ann = at_a_table(person)
    loads, opened = loads_of(ann), []
    ann.page.on("request", lambda request: opened.append(request.url) if "/events" in request.url else None)
    server.loop.call_soon_threadsafe(server.services.tables.close_streams)
    wait_until(ann.page, lambda: opened)
    ann.page.fill("#say", "hello")
    ann.page.keyboard.press("Enter")
    ann.page.wait_for_selector("[data-story] >> text=hello")
    assert loads == []

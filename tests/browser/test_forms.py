"""A refused form keeps what was typed into it, except passwords."""

import pytest
from screens import DESKTOP
from serving import TOY

import backroom

SETUP = next((name, option.name) for name in backroom.names() for option in backroom.game(name).options if option.other)
"""A game with an option that can be written by hand, and that option."""


@pytest.fixture
def newcomer(person):
    """A new visitor; the browser may log the refused requests."""
    found = person("Ann", DESKTOP, come_in=False)
    yield found.page
    found.wrongs.clear()


@pytest.fixture(scope="module")
def kept(server):
    """A name that is protected with a password."""
    owner = server.guest("Zenobia")
    answer = owner.web.post("/me", data={"what": "keep", "password": "correct horse"})
    assert answer.status_code == 303, answer.text
    return "Zenobia"


def refused(page, button):
    with page.expect_navigation():
        page.click(button)
    assert page.locator("main > .wrong").count() == 1


def test_a_table_keeps_its_terms(newcomer, kept):
    page, (game, option) = newcomer, SETUP
    page.goto(f"/new/{game}")
    page.fill("[name=guest]", kept)
    page.check("[name=clock][value=bank]")
    page.fill("[name=minutes]", "7")
    page.select_option("[name=public]", "yes")
    page.select_option(f"[name=option-{option}]", "*")
    other = page.locator(f"[name=text-{option}], input[name=other-{option}]:not([type=file])")
    other.fill("nothing that is known")
    for name in (kept, "Ann"):  # first the name is refused, then what was written by hand
        page.fill("[name=guest]", name)
        refused(page, "text=Make the table")
        assert page.input_value("[name=guest]") == name
        assert page.is_checked("[name=clock][value=bank]")
        assert (page.input_value("[name=minutes]"), page.input_value("[name=public]")) == ("7", "yes")
        assert other.input_value() == "nothing that is known"


def test_who_comes_in_finds_the_name_again(newcomer, kept):
    page = newcomer
    page.goto("/me")
    page.fill("[name=guest]", kept)
    refused(page, "text=Come in >> nth=-1")
    assert page.input_value("[name=guest]") == kept
    page.fill("[name=name]", kept)
    page.fill("[name=password]", "not that one")
    refused(page, "button:has-text('Log in')")
    assert (page.input_value("[name=name]"), page.input_value("[name=password]")) == (kept, "")
    assert page.input_value("[name=guest]") == ""  # of another form
    assert "not that one" not in page.evaluate("JSON.stringify(sessionStorage)")


def test_another_name_stays_typed_while_it_is_refused(newcomer, kept):
    page = newcomer
    page.goto("/me")
    page.fill("[name=guest]", "Ann")
    page.click("text=Come in >> nth=-1")
    page.wait_for_url("**/")
    page.goto("/me")
    page.fill("[name=guest]", kept)
    refused(page, "text=Change it")
    assert page.input_value("[name=guest]") == kept
    page.goto("/me")
    assert page.input_value("[name=guest]") == "Ann"  # what was refused long ago is forgotten


def test_a_log_that_cannot_be_read_stays_to_be_mended(newcomer):
    page = newcomer
    page.goto("/import")
    page.fill("[name=guest]", "Ann")
    page.fill("[name=log]", f"game {TOY}\nnonsense")
    refused(page, "text=Import it")
    assert page.input_value("[name=log]") == f"game {TOY}\nnonsense"
    assert page.input_value("[name=guest]") == "Ann"


def test_a_name_is_kept_and_its_password_changed(newcomer):
    """With the page's forms; the old password must be given, and does not work any more afterwards."""
    page = newcomer
    page.goto("/me")
    page.fill("[name=guest]", "Xanthippe")
    page.click("text=Come in >> nth=-1")
    page.wait_for_url("**/")
    page.goto("/me")
    keep = "form:has([name=what][value=keep])"
    page.fill(f"{keep} [name=password]", "first words")
    page.click("text=Keep my name")
    page.wait_for_url("**/")
    page.goto("/me")
    page.fill(f"{keep} [name=old]", "not these words")
    page.fill(f"{keep} [name=password]", "second words")
    refused(page, f"{keep} button")
    page.fill(f"{keep} [name=old]", "first words")
    page.fill(f"{keep} [name=password]", "second words")
    page.click(f"{keep} button")
    page.wait_for_url("**/")
    page.goto("/me")
    page.click("text=Log out")
    page.wait_for_url("**/")
    for password, is_right in (("first words", False), ("second words", True)):
        page.goto("/me")
        page.fill("[name=name]", "Xanthippe")
        page.fill("[name=password]", password)
        if is_right:
            page.click("button:has-text('Log in')")
            page.wait_for_url("**/")
        else:
            refused(page, "button:has-text('Log in')")
    page.goto("/me")
    assert page.inner_text("h1") == "Xanthippe"

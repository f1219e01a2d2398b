"""From an empty browser: against bots in one touch, with a friend by link, and a lobby that changes by itself."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from screens import DESKTOP, PHONE, wait_until
from serving import TOY, game_of

axe = Axe()
SEATS = min(game_of(TOY).seats)


def problems(page):
    found = axe.run(page).response["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found]


def card(page):
    return page.locator(f"article:has(button[name=game][value={TOY}])")


def test_one_touch_and_one_plays(server, person):
    ann = person("Ann", PHONE, come_in=False)
    ann.page.goto("/")
    card(ann.page).locator("select[name=level]").select_option("random")
    card(ann.page).locator("button.strong").click()
    ann.ready()
    wait_until(ann.page, ann.has_move)
    assert ann.page.locator(".seat.mine").count() == 1


def test_a_friend_comes_by_link(server, person):
    """Two phones, from nothing to a table that plays: the link is opened, and one button pressed."""
    ann, bo = person("Ann", PHONE, come_in=False), person("Bo", PHONE, come_in=False, color_scheme="dark")
    ann.page.goto("/")
    friends = card(ann.page).get_by_text("Play with friends")
    friends.click()
    if card(ann.page).locator(".count[open]:not(.find)").count():
        card(ann.page).locator(f".count:not(.find) button[value='{SEATS}']").click()
    ann.ready()
    link = ann.page.locator("#link").input_value()
    assert ann.page.locator(".qr svg").is_visible()
    assert problems(ann.page) == []
    ann.shot("invite-host")
    bo.page.goto(link)
    bo.ready()
    assert "invites you to" in bo.page.locator(".waiting h2").inner_text()
    assert problems(bo.page) == []
    bo.shot("invite-guest")
    bo.page.fill(".waiting input[name=guest]", "Bo")
    bo.page.click(".waiting button.strong")
    bo.page.wait_for_selector(".seat.mine", state="attached")
    ann.page.wait_for_selector(".seat >> text=Bo", state="attached")
    if SEATS > 2:
        ann.page.click("text=Fill up with bots")
    for each in (ann, bo):
        each.page.wait_for_selector(".region")
    wait_until(ann.page, lambda: ann.has_move() or bo.has_move())


def test_the_lists_change_while_one_looks(server, person):
    ann = person("Ann", DESKTOP)
    ann.page.goto("/")
    assert ann.page.locator("[data-lobby=mine] a").count() == 0
    ben = server.guest("Ben")
    table = ben.make(TOY, public="yes")
    ann.page.wait_for_selector(f"[data-lobby=others] a[href='/tables/{table}']")
    assert problems(ann.page) == []


@pytest.mark.parametrize("path", ["/nowhere", "/tables/nothing", "/rules/nothing"])
def test_an_unknown_address_leads_on(server, person, path):
    ann = person("Ann", come_in=False)
    ann.page.goto(path)
    assert problems(ann.page) == []
    ann.page.click("main .button.strong")
    ann.page.wait_for_selector(".cards")
    ann.wrongs.clear()  # the browser notes the 404, as it should


def test_a_button_that_must_wait_says_so_and_goes_by_itself(server, person):
    compiling = server.services.compiling
    compiling.is_over, compiling.ready = False, set()
    try:
        ann = person("Ann", PHONE, come_in=False)
        ann.page.goto("/")
        button = card(ann.page).locator("button.strong")
        button.click()
        wait_until(ann.page, lambda: "by itself" in button.inner_text())
        assert problems(ann.page) == []
        compiling.ready = {TOY}
        ann.page.wait_for_url("**/tables/*")
    finally:
        compiling.finish()

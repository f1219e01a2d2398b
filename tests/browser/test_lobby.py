"""From an empty browser: a game against bots in one touch, with a friend by link, and a lobby that updates itself."""

import pytest
from screens import DESKTOP, PHONE, problems, wait_until
from serving import TOY, game_of

SEATS = min(game_of(TOY).seats)


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
    """Two phones, from nothing to a running table: open the link and press one button."""
    ann, bo = person("Ann", PHONE, come_in=False), person("Bo", PHONE, come_in=False, color_scheme="dark")
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.page.add_init_script("navigator.share = async (what) => { window.shared = what; };")  # a phone's share sheet
    ann.page.goto("/")
    friends = card(ann.page).get_by_text("With friends")
    friends.click()
    if card(ann.page).locator(".count[open]:not(.find)").count():
        card(ann.page).locator(f".count:not(.find) button[value='{SEATS}']").click()
    ann.ready()
    link = ann.page.locator("#link").input_value()
    assert ann.page.locator(".qr svg").is_visible()
    ann.page.click("[data-copy]")
    ann.page.wait_for_selector("[data-copy] >> text=Copied")
    assert ann.page.evaluate("navigator.clipboard.readText()") == link
    ann.page.click("[data-share]")
    wait_until(ann.page, lambda: ann.page.evaluate("window.shared?.url") == link)
    assert "invites you to" in ann.page.evaluate("window.shared.title")
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
    """By a stream, which is reopened when it breaks; without one the page polls."""
    ann, bo = person("Ann", DESKTOP), person("Bo", PHONE, color_scheme="dark")
    ann.context.route("**/lobby", lambda route: route.abort())
    bo.context.route("**/lobby/events", lambda route: route.abort())
    for each in (ann, bo):
        each.page.goto("/")
        assert each.page.locator("[data-lobby=mine] a").count() == 0
    streams, ben = server.services.tables.lobby, server.guest("Ben")
    for _ in range(2):
        wait_until(ann.page, lambda: streams.listeners)
        table = ben.make(TOY, public="yes")
        ann.page.wait_for_selector(f"[data-lobby=others] a[href='/tables/{table}']")
        server.loop.call_soon_threadsafe(streams.close)
    bo.page.wait_for_selector(f"[data-lobby=others] a[href='/tables/{table}']")
    ben.do(table, "fill", bot="random")
    board = ann.page.locator(f"[data-board='{table}']")
    board.scroll_into_view_if_needed()
    wait_until(ann.page, lambda: board.evaluate("image => image.complete && image.naturalWidth > 0"))
    board.evaluate("image => { image.dataset.same = 'yes'; }")
    ben.make(TOY, public="yes")  # the list changes, and the picture stays
    state = server.rested(table)
    assert ben.move(table, state.table.moves(0)[0], state.asks[0]).json()["ok"]
    wait_until(ann.page, lambda: "?" in board.get_attribute("src"))
    wait_until(ann.page, lambda: board.evaluate("image => image.complete && image.naturalWidth > 0"))
    assert board.get_attribute("data-same") == "yes"
    assert problems(ann.page) == []
    ann.shot("lobby-watch")
    for each in (ann, bo):
        each.wrongs.clear()  # the browser logs what it did not get


def test_my_moves_are_listed_and_the_next_table_is_one_of_them(server, person):
    """In the lobby and on the profile: the question and the time left; the button leads to the next table."""
    ann, ben = person("Ann", PHONE), server.guest("Ben")
    guest = server.guest("Ann")
    guest.web.cookies.clear()
    guest.web.cookies["backroom"] = next(each["value"] for each in ann.context.cookies() if each["name"] == "backroom")
    ann.page.goto("/")
    tables = [guest.make(TOY, clock="days", days=2) for _ in range(3)]
    for table in tables:
        ben.do(table, "sit", seat=1)
    mine = [table for table in tables if 0 in server.live(table).state.asked]
    assert len(mine) > 1
    wait_until(ann.page, lambda: ann.page.locator("#moves ~ .tables a").count() == len(mine))
    assert ann.page.title() == f"({len(mine)}) Backroom"
    assert problems(ann.page) == []
    assert "hours left" in ann.page.locator("#moves ~ .tables a").first.inner_text()
    question = guest.decision(mine[0])["question"]
    assert question in ann.page.locator(f"a[href='/tables/{mine[0]}']").inner_text()
    ann.shot("my-moves")
    ann.page.goto("/me")
    assert ann.page.locator("#moves ~ .tables a").count() == len(mine)
    assert problems(ann.page) == []
    ann.shot("my-moves-profile")
    ann.page.locator("#moves ~ .tables a").first.click()
    ann.ready()
    seen = []
    for _ in mine:
        seen.append(ann.page.url.rsplit("/", 1)[1])
        ann.page.goto(f"/next?after={seen[-1]}")
        ann.ready()
    assert sorted(seen) == sorted(mine)


def test_who_waits_for_an_opponent_is_offered_a_bot(server, person):
    ann = person("Ann", PHONE, come_in=False)
    ann.page.clock.install()
    ann.page.goto("/")
    card(ann.page).get_by_text("Find somebody").click()
    card(ann.page).locator(f".find button[value='{SEATS}']").click()
    ann.ready()
    offer = ann.page.locator("[data-bot-offer] button")
    assert not offer.is_visible()
    ann.page.clock.fast_forward(13_000)
    offer.wait_for()
    assert problems(ann.page) == []
    offer.click()
    wait_until(ann.page, lambda: server.live(ann.page.url.rsplit("/", 1)[1]).state.stage == "playing")


def test_a_stranger_comes_in_at_a_table_without_saying_a_name(server, person):
    """As in the lobby: the name is made up, and can be changed."""
    table = server.guest("Ben").make(TOY, public="yes", **{"seat-1": "random"})
    page = person("Ann", PHONE, come_in=False).page
    page.goto("/")
    page.click(f"#watch ~ .tables a[href='/tables/{table}']")
    page.click("button:has-text('Come in')")
    page.wait_for_selector("#say", state="attached")
    assert page.url.endswith(table)
    page.goto("/me")
    name = page.locator("h1").inner_text()
    page.fill("[name=guest]", "Annika")
    page.click("button:has-text('Change it')")
    page.goto("/me")
    assert page.locator("h1").inner_text() == "Annika" != name


UNDER_A_COVER = """[...document.querySelectorAll(".cover")].flatMap((cover) => {
  const c = cover.getBoundingClientRect();
  const isUnder = (b) => b.right > c.left + 1 && b.left < c.right - 1 && b.bottom > c.top + 1 && b.top < c.bottom - 1;
  const boxes = (part) => {
    if (!part.matches("h3, p:not(.row, .links)")) return [part.getBoundingClientRect()];
    const text = document.createRange();
    text.selectNodeContents(part);
    return [...text.getClientRects()];
  };
  const parts = [...cover.nextElementSibling.querySelectorAll("h3, p:not(.row, .links), button, select, summary, a")];
  return parts.filter((part) => boxes(part).some(isUnder)).map((part) => part.textContent.trim());
})"""


@pytest.mark.parametrize("letters", ["100%", "200%"])
def test_the_lobby_fits_a_phone_with_a_long_name_and_with_large_letters(server, person, letters):
    page = person("W" * 24, PHONE).page
    page.goto("/")
    page.evaluate("size => { document.documentElement.style.fontSize = size; }", letters)
    for width in (360, 390, 430):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(UNDER_A_COVER) == []
        assert page.locator(".top nav button").bounding_box()["x"] > 0
    assert page.locator(".top nav a").last.is_visible()


@pytest.mark.parametrize("path", ["/nowhere", "/tables/nothing", "/rules/nothing"])
def test_an_unknown_address_leads_on(server, person, path):
    ann = person("Ann", come_in=False)
    ann.page.goto(path)
    assert problems(ann.page) == []
    ann.page.click("main .button.strong")
    ann.page.wait_for_selector(".cards")
    ann.wrongs.clear()  # the browser logs the 404, as it should


def test_a_button_that_must_wait_says_so_and_goes_by_itself(server, person):
    compiling = server.services.compiling
    compiling.is_over, compiling.ready = False, set()
    try:
        ann = person("Ann", PHONE, come_in=False)
        ann.page.goto("/", wait_until="domcontentloaded")  # boards of tables to watch wait as well
        button = card(ann.page).locator("button.strong")
        button.click()
        wait_until(ann.page, lambda: "by itself" in button.inner_text())
        ann.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))")  # comes late on a slow connection
        assert "by itself" in button.inner_text()
        assert problems(ann.page) == []
        compiling.ready = {TOY}
        ann.page.wait_for_url("**/tables/*")
    finally:
        compiling.finish()

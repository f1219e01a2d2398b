"""Touch on a phone: dragging pieces in every direction, zooming with two fingers and double taps, explanations."""

import pytest
from screens import middle, wait_until

import backroom

GAME = next(name for name in backroom.names() if list(backroom.game(name).seats) == [2])
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def phone(server, person):
    """A person with a phone whose turn it is against a bot, and a function that sends touches to the page."""
    ann = person("Ann", PHONE, has_touch=True, is_mobile=True)
    ann.page.goto(f"/new/{GAME}")
    ann.page.select_option("select[name=seat-1]", "random")
    ann.page.click("text=Make the table")
    ann.ready()
    wait_until(ann.page, ann.has_move)
    wire = ann.context.new_cdp_session(ann.page)

    def fingers(kind, *points):
        wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    return ann, server.live(ann.page.url.rsplit("/", 1)[1]), fingers


def drag(page, fingers, start, end):
    fingers("touchStart", start)
    for step in range(1, 6):
        fingers("touchMove", tuple(a + (b - a) * step / 5 for a, b in zip(start, end, strict=True)))
    shades = page.locator(".ghost.shade").count()
    fingers("touchEnd")
    return shades


def test_a_finger_drags_a_piece_in_every_direction(phone):
    ann, live, fingers = phone
    page = ann.page
    seat, view = 0, live.state.view(0)
    path = next(
        path for move in live.state.moves(seat) if len(path := live.state.game.rules.touch(view, seat, move)) == 2
    )
    start, end = middle(page, path[0]), middle(page, path[1])
    number = live.state.number
    top = page.evaluate("scrollY")
    for away in ((0, 90), (0, -90), (90, 0), (-90, 0)):  # beside everything: the piece goes back
        fingers("touchStart", start)
        for step in range(1, 6):
            fingers("touchMove", (start[0] + away[0] * step / 5, start[1] + away[1] * step / 5))
        assert page.locator(".ghost").count() >= 1, away
        fingers("touchCancel")
        assert page.locator(".ghost").count() == 0
        page.keyboard.press("Escape")
    assert (page.evaluate("scrollY"), live.state.number) == (top, number)
    assert drag(page, fingers, start, end) == 1  # the page showed where the piece would land
    wait_until(page, lambda: live.state.number > number)


def test_two_fingers_and_two_taps_zoom(phone):
    ann, _, fingers = phone
    page = ann.page
    box = page.locator(".role.board .region").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers("touchStart", (x - 30, y), (x + 30, y))
    for step in range(1, 6):
        fingers("touchMove", (x - 30 - 12 * step, y), (x + 30 + 12 * step, y))
    fingers("touchEnd")
    wait_until(page, lambda: page.locator(".region.zoomed").count() == 1)
    page.evaluate("document.querySelector('[data-zoom-by=\"0\"]').click()")
    assert page.locator(".region.zoomed").count() == 0
    free = next(
        (px, py)
        for py in range(int(box["y"]) + 20, int(box["y"] + box["height"]) - 20, 12)
        for px in range(int(box["x"]) + 20, int(box["x"] + box["width"]) - 20, 12)
        if page.evaluate(
            """([x, y]) => [...document.querySelectorAll(".piece.lit")].every((g) => {
                const b = g.getBoundingClientRect();
                return x < b.left - 40 || x > b.right + 40 || y < b.top - 40 || y > b.bottom + 40;
            })""",
            [px, py],
        )
    )
    for _ in range(2):
        page.touchscreen.tap(*free)
    wait_until(page, lambda: page.locator(".region.zoomed").count() == 1)


def test_what_cannot_be_moved_says_why_with_the_paragraph(phone):
    ann, live, _ = phone
    page = ann.page
    lit = set(page.eval_on_selector_all(".piece.lit", "all => all.map(g => g.id)"))
    first = {live.state.game.rules.touch(live.state.view(0), 0, move)[0] for move in live.state.moves(0)}
    points = page.eval_on_selector_all(".piece[id^='point-']", "all => all.map(g => g.id)")
    far = [middle(page, name) for name in points if name not in lit | first]
    near = [middle(page, name) for name in lit]
    x, y = max(far, key=lambda at: min((at[0] - b[0]) ** 2 + (at[1] - b[1]) ** 2 for b in near))
    page.touchscreen.tap(x, y)
    page.wait_for_selector("[data-notice] a[href*='#s']")

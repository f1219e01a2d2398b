"""Every game on every screen size, with the fewest and the most seats.

What can be touched is visible, large enough and not covered; texts are readable; nothing leaves its frame; and the page
does not jump.
"""

import base64
import random
from functools import cache
from pathlib import Path

import pytest
from screens import wait_until
from serving import person_of

import backroom
from backroom.engine.kernel import dice_from

SIZES = ((360, 640), (390, 664), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080))
TOUCH, BUTTON, TEXT = 32, 44, 11
"""Pixels: the least size of touch targets, buttons and letters."""
STRIP = 26
"""The least width of a touch target that is at least twice TOUCH long."""
MIDDLE_OF_A_GAME = 40
GAMES = [name for name in backroom.names() if max(backroom.game(name).rules.SEATS) > 1]
TABLES = [(name, seats) for name in GAMES for most in (min, max) for seats in [most(backroom.game(name).rules.SEATS)]]
TABLES = list(dict.fromkeys(TABLES))

REGIONS = """[...document.querySelectorAll(".region")].map((region) => {
  const { width, height } = region.getBoundingClientRect();
  return { role: region.parentElement.className, width, height };
})"""
MEASURE = (Path(__file__).parent / "measure.js").read_text("utf-8")


@pytest.fixture(scope="module")
def tables(server):
    """Gives a table of a game and a size in the middle of a game, where a person has to choose, and that person."""

    @cache
    def table_of(name, seats):
        compile_rules(backroom.game(name))
        return begun(server, name, seats, MIDDLE_OF_A_GAME)

    return table_of


def compile_rules(game):
    """Compile the rules first, since a browser does not wait that long for a response."""
    seats, options = game.settle(min(game.rules.SEATS), {})
    s = game.start(seats, options)
    for _ in zip(range(20), game.stroll(s, seats, dice_from(1)), strict=False):
        for seat in range(seats):
            game.moves(game.view(s, seat), seat)


def begun(server, name, seats, moves):
    """A table after some random moves where seat 0 is asked, and its person; fewer moves if the game ended sooner."""
    guests = [server.guest(f"Guest {n}") for n in range(seats)]
    table = guests[0].make(name, seats=seats)
    for seat, guest in enumerate(guests[1:], 1):
        guest.do(table, "sit", seat=seat)
    live, rng = server.live(table), random.Random(1)
    sits = {live.state.seat_of(server.do(person_of(server, guest)).id): guest for guest in guests}
    number = 0
    while number < moves or 0 not in live.state.asked:
        state = live.state
        if state.stage == "over":
            return begun(server, name, seats, moves // 2)
        seat = rng.choice(state.asked)
        answer = sits[seat].move(table, rng.choice(state.table.moves(seat)), state.asks[seat])
        assert answer.status_code == 200, answer.text
        number += 1
    return table, sits[0]


@pytest.fixture(scope="module")
def screen(browser, server):
    """One page for all checks, which is resized, and whose person is changed, for each of them."""
    context = browser.new_context(base_url=server.url, reduced_motion="reduce", has_touch=True)
    yield context.new_page()
    context.close()


def look(screen, server, guest, table, size):
    screen.context.clear_cookies()
    screen.context.add_cookies([{"name": "backroom", "value": guest.web.cookies["backroom"], "url": server.url}])
    screen.set_viewport_size({"width": size[0], "height": size[1]})
    screen.goto(f"/tables/{table}")
    screen.wait_for_selector("html[data-ready=yes]", state="attached")
    if screen.is_visible("[data-end-close]"):  # where choices have a time limit, a slow machine may come to the end
        screen.click("[data-end-close]")
    return screen.evaluate(MEASURE)


def is_inside(box, frame, by=2):
    return (
        box["left"] >= frame["left"] - by
        and box["top"] >= frame["top"] - by
        and box["right"] <= frame["right"] + by
        and box["bottom"] <= frame["bottom"] + by
    )


def overlap(one, other):
    across = min(one["right"], other["right"]) - max(one["left"], other["left"])
    down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
    return min(across, down)


def is_large(box):
    low, high = sorted((box["width"], box["height"]))
    return low >= TOUCH - 0.5 or (low >= STRIP and high >= 2 * TOUCH)


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_everything_needed_is_on_every_screen(server, screen, tables, name, seats):
    table, guest = tables(name, seats)
    wrong = []
    for width, height in SIZES:
        found = look(screen, server, guest, table, (width, height))
        whole = {"left": 0, "top": 0, "right": width, "bottom": height}

        def say(what, at=(width, height)):
            wrong.append(f"{at[0]}×{at[1]}: {what}")

        if found["wide"] > 0:
            say(f"scrolls sideways by {found['wide']}")
        frames = {region["number"]: region for region in found["regions"]}
        for region in found["regions"]:
            if not is_inside(region, whole):
                say(f"region {region['number']} is off the screen: {region}")
            if overlap(region, found["dock"]) > 1:
                say(f"region {region['number']} lies under the actions")
        for one in found["regions"]:
            for other in found["regions"]:
                if one["number"] < other["number"] and overlap(one, other) > 1:
                    say(f"regions {one['number']} and {other['number']} overlap")
        for lit in found["lit"]:
            if not lit["seen"]:
                say(f"{lit['id']} can be touched and is not seen")
            elif not is_inside(lit, frames[lit["region"]], 6):
                say(f"{lit['id']} leaves its frame")
        for button in found["buttons"]:
            if button["height"] < BUTTON - 0.5:
                say(f"the button {button['text'].strip()!r} is {button['height']:g} high")
        if fault := is_not_unfolded(screen):
            say(fault)
        for number, frame in frames.items():
            tiny = [text for text in found["texts"] if text["region"] == number and text["size"] < TEXT - 0.5]
            small = [lit for lit in found["lit"] if lit["region"] == number and not is_large(lit)]
            if (tiny or small) and (fault := is_not_made_larger(screen, frame, small)):
                say(f"region {number}: {fault}; letters {tiny[:3]}, pieces {[lit['id'] for lit in small[:3]]}")
            if tiny and (not small or width >= 1280):  # a board too large for a phone is zoomed for its pieces anyway
                say(f"region {number}: letters of {tiny[:3]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", GAMES)
def test_the_board_of_a_replay_is_seen(server, screen, tables, name):
    table, guest = tables(name, max(backroom.game(name).rules.SEATS))
    look(screen, server, guest, table, (390, 844))
    screen.goto(f"/tables/{table}/replay")
    boards = [box for box in screen.evaluate(REGIONS) if box["role"] == "role board"]
    assert boards
    assert all(box["height"] > 844 / 5 and box["width"] > 390 / 2 for box in boards), boards


def is_not_made_larger(screen, frame, small):
    """What is wrong after the first touch on a region with something too small in it; that touch must play nothing."""
    at = small[0] if small else frame
    before = server_number(screen)
    screen.touchscreen.tap((at["left"] + at["right"]) / 2, (at["top"] + at["bottom"]) / 2)
    now = screen.evaluate(MEASURE)
    screen.evaluate("document.querySelector('[data-zoom-by=\"0\"]').click()")
    texts = [text for text in now["texts"] if text["region"] == frame["number"]]
    if any(text["size"] < TEXT - 0.5 for text in texts):
        return f"letters of {min(text['size'] for text in texts)} pixels after a touch"
    if small and not is_large(next(lit for lit in now["lit"] if lit["id"] == at["id"])):
        return f"{at['id']} is too small after a touch"
    return "" if server_number(screen) == before and not screen.locator(".piece.path").count() else "it was played"


def is_not_unfolded(screen):
    """What is wrong with players that do not fit on a screen and are shown on request."""
    if not screen.is_visible("[data-peek]"):
        return ""
    hand = screen.evaluate(REGIONS)
    screen.click("[data-peek]")
    now, texts = screen.evaluate(REGIONS), screen.evaluate(MEASURE)["texts"]
    players = screen.eval_on_selector_all(".role.players .region", "all => all.map((each) => each.dataset.region)")
    screen.click("[data-peek]")
    if not any(box["role"] == "role players" and box["height"] > 50 for box in now):
        return f"nothing is shown on request: {now}"
    if [box for box in now if box["role"] == "role hand"] != [box for box in hand if box["role"] == "role hand"]:
        return f"one's own things are not where they were: {hand} {now}"
    tiny = [text for text in texts if text["region"] in players and text["size"] < TEXT - 0.5]
    return f"letters of players shown on request: {tiny[:3]}" if tiny else ""


def server_number(screen):
    """The number of events that the page shows."""
    return screen.evaluate("document.documentElement.dataset.shown")


CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_texts_stand_out_from_what_they_are_written_on(server, screen, tables, name, seats):
    """Light in the middle of a game, with everything lit and with something touched; dark at its beginning."""
    wrong = []
    for scheme, (table, guest) in (("light", tables(name, seats)), ("dark", begun(server, name, seats, 0))):
        screen.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        look(screen, server, guest, table, (1280, 800))
        wrong += [(scheme, "lit", text) for text in pale_texts(screen)]
        if scheme == "light" and screen.locator("[data-moves] button").count() > 1:
            screen.locator(".piece.lit").first.focus()
            screen.keyboard.press("Enter")
            wrong += [(scheme, "touched", text) for text in pale_texts(screen)]
    screen.emulate_media(color_scheme="light", reduced_motion="reduce")
    assert not wrong, "\n".join(map(str, wrong))


ALL_PIECES = """[...document.querySelectorAll('.piece')].map(
    (g) => [g.id, g.getAttribute('transform'), g.getAttribute('class')]
).join()"""


def pale_texts(screen):
    """The texts of the picture without enough contrast."""
    texts, before = [], None
    while before != (now := screen.evaluate(ALL_PIECES)):  # the screenshot must show what is examined
        before = now
        texts = screen.evaluate(CONTRAST, base64.b64encode(screen.screenshot()).decode())
    assert len(texts) > 5
    return [text for text in texts if text["contrast"] < (3 if text["large"] else 4.5)]


def test_what_is_too_small_for_a_finger_is_zoomed_by_the_first_touch_and_played_by_the_second(server, screen, tables):
    name = max(GAMES, key=lambda name: backroom.game(name).rules.MOST_MOVES)
    table, guest = tables(name, min(backroom.game(name).rules.SEATS))
    found = look(screen, server, guest, table, (360, 640))
    small = next(lit for lit in found["lit"] if not is_large(lit))
    x, y = (small["left"] + small["right"]) / 2, (small["top"] + small["bottom"]) / 2
    screen.touchscreen.tap(x, y)
    assert screen.locator(".region.zoomed").count() == 1
    assert screen.locator(".piece.path").count() == 0
    now = next(lit for lit in screen.evaluate(MEASURE)["lit"] if lit["id"] == small["id"])
    assert is_large(now)
    assert now["left"] <= x <= now["right"]
    assert now["top"] <= y <= now["bottom"]
    before = server.live(table).state.number
    screen.touchscreen.tap((now["left"] + now["right"]) / 2, (now["top"] + now["bottom"]) / 2)
    wait_until(screen, lambda: server.live(table).state.number > before or screen.locator(".piece.path").count() > 0)


REACHED = """button => {
  button.scrollIntoView({ block: "nearest", inline: "nearest" });
  const { left, top, right, bottom } = button.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const edges = [[left + 3, y], [right - 3, y], [x, top + 3], [x, bottom - 3]];
  const isSeen = edges.every(([x, y]) => button.contains(document.elementFromPoint(x, y)));
  return isSeen && button.closest(".seats").scrollTop === 0;
}"""


@pytest.mark.parametrize("seats", [2, max(max(backroom.game(name).rules.SEATS) for name in GAMES)])
def test_the_button_of_a_seat_is_reached_on_every_screen(server, screen, seats):
    """What the others can do when somebody has left."""
    name = next(name for name in GAMES if seats in backroom.game(name).rules.SEATS)
    guests = [server.guest(f"Guest {n}") for n in range(seats)]
    table = guests[0].make(name, seats=seats)
    for seat, guest in enumerate(guests[1:], 1):
        guest.do(table, "sit", seat=seat)
    guests[-1].do(table, "rise")
    for size in SIZES:
        look(screen, server, guests[0], table, size)
        button = screen.locator(".seat form:not([hidden]) button")
        assert button.inner_text() == "Let a bot play"
        assert screen.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
        assert button.evaluate(REACHED), size


def test_moves_have_room_beside_the_tools_when_letters_are_twice_as_large(server, screen, tables):
    table, guest = tables(GAMES[0], min(backroom.game(GAMES[0]).rules.SEATS))
    look(screen, server, guest, table, (390, 844))
    screen.evaluate("document.documentElement.style.fontSize = '200%'")
    assert screen.locator(".tools [data-sign]:visible").count() >= 2
    assert screen.locator("[data-moves]").bounding_box()["width"] > 390 / 3


@pytest.mark.parametrize("size", [(390, 664), (844, 390), (1280, 800)])
def test_the_page_does_not_jump_when_somebody_comes(server, screen, browser, size):
    ann, ben = server.guest("Ann"), server.guest("Benedict the Long-named")
    table = ann.make("run", clock="bank", minutes=5)
    ben.do(table, "sit", seat=1)
    before = look(screen, server, ann, table, size)["regions"]
    other = browser.new_context(base_url=server.url)
    other.new_page().goto(f"/tables/{table}")
    wait_until(screen, lambda: screen.text_content("[data-watchers]") == "1 watching")
    with ben.listening(table):
        screen.wait_for_selector(".seat:nth-child(2) .dot.here", state="attached")
        assert screen.evaluate(MEASURE)["regions"] == before
    other.close()

"""Every game on every screen, at its smallest and its largest table: what can be touched is seen, large enough and not
covered; texts can be read; nothing leaves its frame; and the page does not jump.
"""

import random

import pytest
from serving import person_of

import backroom

SIZES = ((360, 640), (390, 664), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080))
TOUCH, BUTTON, TEXT = 32, 44, 11
"""Pixels: what a finger touches, a button, the size of letters."""
STRIP = 26
"""What is at least twice as long as TOUCH may be this narrow: a finger does not miss it."""
SMALL = 6
"""The smallest letters, in pixels, of a region that a touch makes larger."""
MIDDLE_OF_A_GAME = 40
GAMES = [name for name in backroom.names() if max(backroom.game(name).rules.SEATS) > 1]
TABLES = [(name, seats) for name in GAMES for most in (min, max) for seats in [most(backroom.game(name).rules.SEATS)]]
TABLES = list(dict.fromkeys(TABLES))

MEASURE = """() => {
  const box = (e) => { const b = e.getBoundingClientRect(); return { left: b.left, top: b.top, right: b.right, bottom: b.bottom, width: b.width, height: b.height }; };
  const regions = [...document.querySelectorAll('.region')].filter((r) => r.getClientRects().length);
  const texts = [];
  for (const region of regions) for (const text of region.querySelectorAll('svg text')) {
    if (!text.textContent.trim() || !text.getClientRects().length) continue;
    const size = parseFloat(getComputedStyle(text).fontSize) * Math.abs(text.getScreenCTM().d || text.getScreenCTM().b);
    texts.push({ size: Math.round(size * 10) / 10, text: text.textContent, region: region.dataset.region });
  }
  const scale = (region) => region.querySelector('svg').getScreenCTM().a;
  for (const region of regions) for (const use of region.querySelectorAll('use')) {
    const shape = document.getElementById(use.getAttribute('href').slice(1));
    if (!shape) continue;
    for (const text of shape.querySelectorAll('text')) {
      const turned = [...ancestors(text, shape)].reduce((by, e) => by * (e.transform?.baseVal.consolidate()?.matrix.a || 1), 1);
      texts.push({ size: Math.round(parseFloat(text.getAttribute('font-size')) * Math.abs(turned) * scale(region) * 10) / 10, text: text.textContent, region: region.dataset.region });
    }
  }
  function* ancestors(e, until) { for (let at = e.parentNode; at && at !== until.parentNode; at = at.parentNode) yield at; }
  return {
    wide: document.documentElement.scrollWidth - innerWidth,
    regions: regions.map((r) => ({ ...box(r), number: r.dataset.region, hand: Boolean(r.closest('.hand')) })),
    dock: box(document.querySelector('.ask')),
    lit: [...document.querySelectorAll('.piece.lit')].map((g) => ({ id: g.id, seen: g.getClientRects().length > 0, ...box(g), region: g.closest('.region').dataset.region })),
    buttons: [...document.querySelectorAll('.ask button, .ask summary, .ask .button')].filter((b) => b.getClientRects().length && !b.closest('.menu ul')).map((b) => ({ text: b.textContent, ...box(b) })),
    texts,
  };
}"""


@pytest.fixture(scope="module")
def tables(server):
    """A table of each game and size in the middle of a game, with somebody to choose at it."""
    found = {}
    for name, seats in TABLES:
        guests = [server.guest(f"Guest {n}") for n in range(seats)]
        table = guests[0].make(name, seats=seats)
        for seat, guest in enumerate(guests[1:], 1):
            guest.do(table, "sit", seat=seat)
        found[name, seats] = table, play(server, table, guests)
    return found


def play(server, table, guests):
    """Some moves by chance, until seat 0 is asked; says who looks."""
    live, rng = server.live(table), random.Random(1)
    seats = {live.state.seat_of(server.do(person_of(server, guest)).id): guest for guest in guests}
    for number in range(20 * MIDDLE_OF_A_GAME):
        state = live.state
        if state.stage == "over" or (number >= MIDDLE_OF_A_GAME and 0 in state.asked):
            break
        seat = rng.choice(state.asked)
        moves = state.table.moves(seat)
        answer = seats[seat].move(table, rng.choice(moves), state.asks[seat])
        assert answer.status_code == 200, answer.text
    return seats[0]


@pytest.fixture(scope="module")
def screen(browser, server):
    """One page for all: it is resized, and its person changed, for each look."""
    context = browser.new_context(base_url=server.url, reduced_motion="reduce", has_touch=True)
    yield context.new_page()
    context.close()


def look(screen, server, guest, table, size):
    screen.context.clear_cookies()
    screen.context.add_cookies([{"name": "backroom", "value": guest.web.cookies["backroom"], "url": server.url}])
    screen.set_viewport_size({"width": size[0], "height": size[1]})
    screen.goto(f"/tables/{table}")
    screen.wait_for_selector("html[data-ready=yes]", state="attached")
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
    table, guest = tables[name, seats]
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
        tiny = min((text["size"] for text in found["texts"]), default=TEXT)
        if tiny < SMALL:
            smallest = [text for text in found["texts"] if text["size"] == tiny][:3]
            say(f"letters of {tiny} pixels: {smallest}")
        if (width, height) == (1280, 800) and tiny < TEXT - 0.5:
            smallest = [text for text in found["texts"] if text["size"] == tiny][:3]
            say(f"on a desktop, letters of {tiny} pixels: {smallest}")
    assert not wrong, "\n".join(wrong)

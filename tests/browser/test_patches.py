"""A page that has followed a game shows the same as a page that the server draws anew, in every game."""

import random

import pytest
from screens import DESKTOP, wait_until
from serving import GAMES, game_of

MOVES, EVERY, SEATS = 100, 5, 4
"""The number of moves, moves between two comparisons, and the most seats."""

SHOWN = """async () => {
  const markup = (g) => {
    const found = g.cloneNode(true);
    found.classList.remove("lit", "path", "hint", "fresh");
    for (const name of ["tabindex", "role"]) found.removeAttribute(name);
    if (!found.querySelector("title")) found.removeAttribute("aria-label"); // given to pieces that can be touched
    return found.outerHTML;
  };
  const inOrder = (region) => [region.dataset.region, ...[...region.querySelectorAll(".pieces > g")].map(markup)];
  const pieces = (page) => [...page.querySelectorAll("[data-region]")].map(inOrder);
  const anew = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const items = (page) => [...page.querySelectorAll("[data-story] > li")].slice(-5); // a new page has not all of it
  const told = (page) => items(page).map((item) => item.outerHTML);
  const asked = (page) => page.querySelector("[data-question]").innerHTML;
  const seat = (element) => {
    const found = element.cloneNode(true);
    for (const own of found.querySelectorAll(".face, .clock")) own.remove(); // only scripts draw these
    return found.outerHTML;
  };
  const seats = (page) => [...page.querySelectorAll(".seat")].map(seat);
  return [document, anew].map((page) => [pieces(page), told(page), asked(page), seats(page)]);
}"""
"""Script that returns two descriptions of a table: as the page shows it, and as the server draws it anew.

Each has the pieces in drawing order, region by region, the story, the question and the seats.
"""


@pytest.mark.parametrize("name", GAMES)
def test_patches_lead_to_what_the_server_would_draw(server, person, name):
    seats, lot = min(max(game_of(name).seats), SEATS), random.Random(name)
    ann, others = person("Ann", DESKTOP), [server.guest(f"P{seat}") for seat in range(1, seats)]
    form = {"game": name, "seats": str(seats)} | {f"seat-{seat}": "open" for seat in range(1, seats)}
    made = ann.context.request.post("/tables", form=form, max_redirects=0)
    table = made.headers["location"].rsplit("/", 1)[1]
    for seat, other in enumerate(others, 1):
        other.do(table, "sit", seat=seat)
    ann.go(f"/tables/{table}")
    ann.page.wait_for_selector(".seat.mine .dot.here", state="attached")
    live, compared = server.live(table), 0
    for number in range(MOVES):
        state = live.state
        if number % EVERY == 0 or not state.asked:
            wait_until(ann.page, lambda state=state: ann.shown() >= state.count(0))
            shown, drawn = ann.page.evaluate(SHOWN)
            assert shown == drawn
            compared += len(shown[0]) > 0
        if not state.asked:
            break
        seat = lot.choice(state.asked)
        move = {"ask": state.asks[seat], "key": str(number), "name": lot.choice(state.table.moves(seat))}
        if seat == 0:
            ann.do(f"/tables/{table}/moves", **move)
        else:
            assert others[seat - 1].move(table, **move).status_code == 200
    assert compared > 2

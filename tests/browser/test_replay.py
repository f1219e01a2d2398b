"""Replays: the list of moves, keys, automatic play, and the curve of chances below the board."""

import itertools
import random
import threading

import pytest
from screens import PHONE, problems, wait_until
from serving import TOY, Anything, ToyBots, game_of, person_of

import backroom

ONE_SCREEN = {"width": 1280, "height": 800}


class Strict(Anything):
    """A judge for which the first move is the best, and every other costs something."""

    def moves(self, v, seat, seed):
        return {move: 0.9 - 0.2 * place for place, move in enumerate(self.game.moves(v, seat))}


class Gated(Strict):
    """The same judge, which pauses after the first few moves until it is told to go on."""

    gate = threading.Event()
    count = 0

    def moves(self, v, seat, seed):
        Gated.count += 1
        assert Gated.count <= 4 or self.gate.wait(60)
        return super().moves(v, seat, seed)


class StrictBots(ToyBots):
    def judge(self, game):
        return Gated(game)


class EasyBots(ToyBots):
    def judge(self, game):
        return Strict(game)


def bring(server):
    """Import a finished game; returns the address of its replay."""
    rng, table = random.Random(4), game_of(TOY).table(seed="replay")
    while not table.is_over:
        table.play(table.asked[0], rng.choice(table.moves(table.asked[0])))
    answer = server.guest().web.post("/import", data={"log": str(table.log)})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"], len(table.lines)


def test_keys_list_and_curve_on_one_screen(server, person):
    where, last = bring(server)
    ann = person("Ann", ONE_SCREEN, come_in=False)
    page = ann.page
    page.goto(where)
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    number = page.locator("[data-number]")
    assert number.inner_text() == str(last)
    for key, at in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last)):
        page.keyboard.press(key)
        wait_until(page, lambda at=at: number.inner_text() == str(at))
    first = page.locator("[data-turns] [data-to]").first
    first.click()
    wait_until(page, lambda: number.inner_text() == first.get_attribute("data-to"))
    assert first.get_attribute("aria-current") == "step"
    page.click("[data-analyse]")
    page.wait_for_selector("[data-curve] polyline", state="attached")
    box = page.locator("[data-curve] svg").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    wait_until(page, lambda: number.inner_text() == str(last))
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert problems(page) == []
    ann.shot("replay-wide")


def choosing_in_parts():
    """A game with a deal in many steps, where one turn is several choices that are told together."""
    for name in (name for name in backroom.names() if max(backroom.game(name).seats) > 1):
        table = backroom.game(name).table(seed="replay")
        if len(table.lines) > 9 and len(list(table.chronicle())) < 5 and len(table.asked) == 1:
            return name
    raise AssertionError("no game deals and chooses like that")


def test_a_deal_is_one_step_and_an_error_is_marked_where_the_choice_is_told(server, person):
    """Choices in parts have no sentence of their own: what they cost stands at the sentence after them."""
    name = choosing_in_parts()
    game = backroom.game(name)
    rng, table = random.Random(4), game.table(seed="replay")
    dealt = len(table.lines)
    while not table.is_over:
        table.play(table.asked[0], rng.choice(table.moves(table.asked[0])))
    where = server.guest().web.post("/import", data={"log": str(table.log)}).headers["location"]
    page = person("Ann", ONE_SCREEN, come_in=False).page
    server.services.analyses.provider = EasyBots()
    page.goto(f"{where}?reader=0&at=0")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    steps = page.locator("[data-turns] [data-to]").evaluate_all("all => all.map(each => Number(each.dataset.to))")
    assert max(after - step for step, after in itertools.pairwise([s for s in steps if s <= dealt])) > 1
    number = page.locator("[data-number]")
    for step in (*steps[: sum(step <= dealt for step in steps)], 0):
        page.keyboard.press("ArrowRight" if step else "Home")
        wait_until(page, lambda step=step: number.inner_text() == str(step))
    page.click("[data-analyse]")
    page.wait_for_selector("[data-turns] .cost")
    page.wait_for_selector("[data-analyse]", state="hidden")
    marked = page.locator("[data-turns] li:has(.cost)").evaluate_all("all => all.map(each => each.dataset.seat)")
    assert marked
    assert None not in marked  # a deal is nobody's error


def test_it_plays_by_itself_on_a_phone(server, person):
    where, last = bring(server)
    ann = person("Ann", PHONE, come_in=False, color_scheme="dark")
    page = ann.page
    page.goto(f"{where}?at=0")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    page.click("[data-play]")
    wait_until(page, lambda: int(page.locator("[data-number]").inner_text()) >= min(2, last))
    page.click("[data-play]")
    assert page.locator("[data-play]").get_attribute("aria-pressed") == "false"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert problems(page) == []
    ann.shot("replay-phone")


def test_errors_are_marked_the_better_move_is_drawn_and_the_analysis_is_kept(server, person):
    where, _ = bring(server)
    server.services.analyses.provider = StrictBots()
    ann = person("Ann", ONE_SCREEN, come_in=False)
    page = ann.page
    page.goto(f"{where}?reader=0")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    assert page.locator(".cost").count() == 0
    page.click("[data-analyse]")
    page.wait_for_selector("[data-turns] .cost")  # a partial analysis is shown
    wait_until(page, lambda: page.locator("[data-progress]").inner_text() != "")
    assert page.locator("[data-analyse]").is_disabled()  # it goes on
    Gated.gate.set()
    page.wait_for_selector("[data-analyse]", state="hidden")
    marked = page.locator("[data-turns] .cost").count()
    assert marked > 0
    page.locator(".worst button").first.click()
    page.wait_for_selector(".ways .better", state="attached")
    assert "better is" in page.locator("[data-worth]").inner_text()
    assert problems(page) == []
    ann.shot("replay-arrow")
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("[data-copy-link]")
    page.wait_for_selector("[data-copy-link] >> text=Copied")
    number = page.locator("[data-number]").inner_text()
    assert f"at={number}&reader=0" in page.evaluate("navigator.clipboard.readText()")
    for selector, kind in (("[href*='picture.png']", "image/png"), ("[href*='moments.gif']", "image/gif")):
        answer = page.request.get(page.locator(selector).get_attribute("href"))
        assert (answer.status, answer.headers["content-type"]) == (200, kind)
        assert len(answer.body()) > 500
    page.reload()
    page.wait_for_selector("[data-turns] .cost")  # without being asked for again
    wait_until(page, lambda: page.locator("[data-turns] .cost").count() == marked)


def finished(server, way):
    """A game for two, three moves long, that ends before its rules end it; returns the address of its replay."""
    ann, ben = server.guest("Ann"), server.guest("Ben")
    table = ann.make(TOY, seats=2)
    ben.do(table, "sit", seat=1)
    live = server.live(table)
    sits = {live.state.seat_of(server.do(person_of(server, each)).id): each for each in (ann, ben)}
    for _ in range(3):
        seat = live.state.asked[0]
        assert sits[seat].move(table, live.state.table.moves(seat)[0], live.state.asks[seat]).json()["ok"]
    way(table, ann, ben)
    assert live.state.stage == "over"
    return f"/tables/{table}/replay"


def resigned(table, ann, ben):
    assert ben.do(table, "resign").json()["ok"]


def agreed(table, ann, ben):
    assert ann.do(table, "end").json()["ok"]
    assert ben.do(table, "agree").json()["ok"]


@pytest.mark.parametrize(
    ("way", "listed", "said"),
    [
        (resigned, "resigns", "Ben resigned: Ann wins."),
        (agreed, "The game ends as it stands.", "The game has ended without a result."),
    ],
)
def test_an_ending_that_is_no_move_is_told(server, person, way, listed, said):
    ann = person("Ann", ONE_SCREEN, come_in=False)
    page = ann.page
    page.goto(finished(server, way))
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    assert said in page.text_content("[data-say]")
    step = page.locator("[data-turns] [data-to]").last
    assert (step.text_content(), step.get_attribute("aria-current")) == (listed, "step")
    page.keyboard.press("ArrowLeft")
    wait_until(page, lambda: said not in page.text_content("[data-say]"))
    page.keyboard.press("End")
    wait_until(page, lambda: said in page.text_content("[data-say]"))

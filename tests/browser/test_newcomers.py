"""Newcomers who press only the most prominent thing get through a game and through every lesson.

Two phones with nothing but a link get to a first move together.
"""

import random
import time
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest
from screens import DESKTOP, PHONE, problems, wait_until
from serving import TOY, play_out, served

import backroom
from backroom.bots import gentle
from backroom.engine.diagrams import diagrams
from backroom.engine.lessons import lessons

GAMES = [name for name in backroom.names() if max(backroom.game(name).rules.SEATS) > 1]
PROMINENT = (Path(__file__).parent / "prominent.js").read_text("utf-8")
FOR_TWO = next(name for name in GAMES if list(backroom.game(name).rules.SEATS) == [2])
IS_CUT = "(q => q.scrollHeight > q.clientHeight + 2)(document.querySelector('[data-question]'))"
MOST_TAPS = 10
MOST_TAPS_A_STEP = 4


@pytest.fixture(scope="module")
def server(toy, tmp_path_factory):
    """A server whose bots have 20 ms for a move, since bots are not what is tested."""
    db = tmp_path_factory.mktemp("house") / "tables.db"
    with served(db, bot_pace=0.0, bot_seconds=0.02) as found:
        yield found


class Newcomer:
    """A person who reads nothing and presses what stands out, and repeats nothing that has had no effect."""

    def __init__(self, person, rng):
        self.person, self.page, self.rng = person, person.page, rng
        self.taps = 0
        self.cut = False
        """Whether a question was too long for its place."""
        self.tried = defaultdict(set)

    def look(self, is_over=lambda: False):
        """What can be pressed, as soon as there is something; None if the game is over before."""
        end = time.monotonic() + 30
        while not is_over():
            if seen := self.page.evaluate(PROMINENT):
                return None if is_over() else seen  # it may have ended meanwhile
            assert time.monotonic() < end, "there is nothing to press"
            self.page.wait_for_timeout(10)
        return None

    def play(self, live):
        """Play until the game or the lesson is over."""
        while seen := self.look(lambda: live.state.stage == "over"):
            self.cut |= self.page.evaluate(IS_CUT)
            self.press(seen)

    def press(self, seen=None):
        """Press the most prominent thing; returns what it was."""
        seen = seen or self.look()
        tried = self.tried[seen["place"]]
        fresh = [each for each in seen["all"] if each["key"] not in tried]
        assert fresh, f"all was pressed in vain: {sorted(tried)}"
        best = [each for each in fresh if each["emphasis"] == fresh[0]["emphasis"]]
        found = self.rng.choice(best)
        tried.add(found["key"])
        self.taps += 1
        if not found["isPiece"]:
            self.page.locator(f"main button:visible >> text='{found['key']}'").or_(
                self.page.locator(f"[data-moves] button[data-name='{found['key']}']")
            ).first.click()
        else:
            self.page.mouse.click(found["x"], found["y"])
        return found


@pytest.mark.parametrize("name", GAMES)
def test_from_an_empty_browser_into_a_game_and_to_its_end(server, person, name):
    """Press the main button of the game's card, and then what is lit, until the page says who has won."""
    ann = person("Ann", DESKTOP, come_in=False)
    ann.page.goto("/")
    cover = ann.page.locator(f".cover[src='/games/{name}/board.svg']")
    cover.scroll_into_view_if_needed()
    wait_until(ann.page, lambda: cover.evaluate("image => image.complete && image.naturalWidth > 0"))
    facts = ann.page.locator(f"article:has([value={name}]) h3 + p").inner_text()
    assert "players" in facts
    assert "minutes" in facts
    strong = ann.page.locator(f"article:has([value={name}]) .strong:visible")
    assert strong.count() == 1
    strong.click()
    ann.ready()
    table, ann = ann.page.url.rsplit("/", 1)[1], Newcomer(ann, random.Random(1))
    ann.play(server.live(table))
    ann.page.wait_for_selector("[data-end]:visible")
    assert ann.page.locator("[data-end-title]").inner_text()
    assert ann.press()["key"] == "Rematch"


@pytest.mark.parametrize("name", [name for name in GAMES if lessons(backroom.game(name))])
def test_through_a_lesson(server, person, name):
    ann = person("Ann", PHONE, come_in=False)
    ann.page.goto("/")
    ann.page.locator(f"article:has([value={name}]) [formaction='/learn/{name}']").click()
    ann.ready()
    table, ann = ann.page.url.rsplit("/", 1)[1], Newcomer(ann, random.Random(1))
    assert name != FOR_TWO or problems(ann.page) == []
    ann.play(server.live(table))
    steps = lessons(backroom.game(name))[0].steps
    assert ann.taps <= MOST_TAPS_A_STEP * len(steps)
    assert not ann.cut  # what to do is said at the end of it
    wait_until(ann.page, lambda: ann.look()["all"][0]["key"] == "Play a first game")
    ann.press()
    ann.page.wait_for_url(lambda url: table not in url)
    ann.person.ready()
    ann.page.wait_for_selector(".advice a >> text=§")  # the first situation is explained
    ann.person.wrongs.clear()  # the browser logs moves that a lesson does not want


def test_two_phones_from_nothing_to_a_first_move_together(server, person):
    name = FOR_TWO
    ann, bo = (Newcomer(person(who, PHONE, come_in=False, has_touch=True), random.Random(1)) for who in ("Ann", "Bo"))
    ann.page.goto("/")
    ann.page.locator(f"[formaction='/friends/{name}']").tap()
    ann.person.ready()
    bo.page.goto(ann.page.locator("#link").input_value())
    bo.person.ready()
    bo.press()
    ann.taps += 2  # to find friends, and to send them the link
    bo.page.wait_for_selector(".seat.mine", state="attached")
    live = server.live(ann.page.url.rsplit("/", 1)[1])
    wait_until(ann.page, lambda: live.state.stage == "playing")
    before = live.state.lines
    while live.state.lines == before:
        mover = (ann, bo)[live.state.asked[0]]
        wait_until(mover.page, lambda mover=mover: mover.page.evaluate(PROMINENT))
        mover.press()
        mover.page.wait_for_timeout(100)
    assert ann.taps + bo.taps < MOST_TAPS


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone-dark", "desk-light"])
def test_a_first_game_explains_and_its_hints_say_why(server, person, size, scheme):
    ann = person("Ann", size, come_in=False, color_scheme=scheme)
    page = ann.page
    page.goto("/")
    page.click(f"button[name=first][value={FOR_TWO}]")
    ann.ready()
    page.wait_for_selector(".advice")
    first = page.locator(".advice").inner_text()
    live = server.live(page.url.rsplit("/", 1)[1])
    known = {each.says.split("§")[0]: each.name for each in live.config.find_game().rules.SITUATIONS}
    assert any(first.startswith(words[:40]) for words in known)
    assert live.config.terms.clock == "none"
    assert {chair.bot for chair in live.state.chairs[1:]} == {gentle(live.config.find_game())}
    assert problems(page) == []
    assert fits(page)
    page.reload()
    ann.ready()
    assert page.locator(".advice").inner_text() == first  # as long as it is there
    page.click("[data-hint]")
    wait_until(page, lambda: page.locator(".advice").inner_text() != first)
    assert "%" not in page.locator(".advice").inner_text()
    assert page.locator(".piece.hint").count() > 0
    assert problems(page) == []
    ann.shot(f"first-game-{scheme}")
    newcomer = Newcomer(ann, random.Random(3))
    told = {first}
    while len(told) < 3 and live.state.stage == "playing":
        newcomer.press()
        told |= {
            text for text in page.locator(".advice").all_inner_texts() if "better" not in text and "open:" not in text
        }
    assert len(told) >= 3  # each new situation is explained, one after the other


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone-dark", "desk-light"])
def test_a_rulebook_has_contents_and_pictures_that_can_be_played_from(server, person, size, scheme):
    ann = person("Ann", size, come_in=False, color_scheme=scheme)
    page = ann.page
    page.goto(f"/rules/{FOR_TWO}")
    pictures = page.locator(".diagram img")
    pictures.last.scroll_into_view_if_needed()
    wait_until(page, lambda: pictures.last.evaluate("image => image.complete && image.naturalWidth > 0"))
    assert problems(page) == []
    assert fits(page)
    ann.shot(f"rulebook-{scheme}")
    page.locator(".contents a").last.click()
    assert page.evaluate("document.querySelector(':target').getBoundingClientRect().top < innerHeight")
    page.locator(".diagram button").nth(1).click()
    ann.ready()
    wait_until(page, ann.has_move)
    state = server.live(page.url.rsplit("/", 1)[1]).state
    assert state.config.start == diagrams(state.game)[1].position


def test_every_rulebook_can_be_heard(server, person):
    page = person("Ann", PHONE, come_in=False).page
    for name in backroom.names():
        page.goto(f"/rules/{name}")
        assert problems(page) == [], name


def test_two_who_look_for_an_opponent_meet(server, person):
    ann, bo = person("Ann", PHONE, come_in=False), person("Bo", DESKTOP, come_in=False, color_scheme="dark")
    for each in (ann, bo):
        each.page.goto("/")
        each.page.click(f"summary[aria-label='Find somebody for {backroom.game(FOR_TWO).title}']")
        each.page.click(f"[formaction='/find/{FOR_TWO}']")
        each.ready()
        if each is ann:
            ann.page.wait_for_selector("[data-waiting]")
            assert problems(ann.page) == []
            assert fits(ann.page)
    assert ann.page.url == bo.page.url
    ann.page.wait_for_selector(".region")
    wait_until(ann.page, lambda: ann.has_move() or bo.has_move())


def test_a_profile_is_shown(server, person):
    ann, ben = server.guest("Annika"), server.guest("Bengt")
    for _ in range(2):
        table = ann.make(TOY)
        ben.do(table, "sit", seat=1)
        play_out(server, table, [ann, ben], random.Random(2))
    someone = person("Annika", DESKTOP, come_in=False)
    someone.context.add_cookies([{"name": "backroom", "value": ann.web.cookies["backroom"], "url": server.url}])
    page = someone.page
    page.goto(f"/tables/{table}")
    page.wait_for_selector("[data-end-seats] .rating")  # what the game did to it
    page.goto("/me")
    assert page.locator(".rating-curve").count() == 1
    assert problems(page) == []
    assert fits(page)
    someone.shot("profile")
    with page.expect_download() as waited:
        page.click("text=All logs as one file")
    assert len(zipfile.ZipFile(waited.value.path()).namelist()) == 2
    page.click("text=Ladder")
    page.wait_for_selector("tr:has-text('Annika') .dot.here")  # who plays these days
    page.goto("/me")
    page.click("summary >> text=Delete everything")
    page.check("[name=sure]")
    page.click("button >> text=Delete everything")
    page.wait_for_selector(".top >> text=Come in")


def test_every_name_has_a_face(server, person):
    """Whatever number a name hashes to, the largest too."""
    page = person("Ann", come_in=False).page
    page.goto("/")
    drawn = page.evaluate(
        """async () => {
          const { face } = await import("/web/face.js");
          return Array.from({ length: 500 }, (_, n) => face(`Bot ${n}`, n % 2 === 0).childElementCount);
        }"""
    )
    assert min(drawn) > 1

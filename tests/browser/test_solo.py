"""Games for one player: tasks solved by clicks and by keys, and a file made, saved and played with."""

import tomllib

import pytest
from screens import DESKTOP, PHONE, middle, problems, tab_to, wait_until

import backroom
from backroom.server.http.solo import choice_of, steps_to_solve

TASKS = next(name for name in backroom.names() if choice_of(backroom.game(name)))
MAKER = next(name for name in backroom.names() if hasattr(backroom.game(name).rules, "MAKES"))
MADE = backroom.game(MAKER).rules.MAKES


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def is_in_sight(page, selector):
    return page.locator(selector).evaluate(
        """button => {
          const box = button.getBoundingClientRect();
          const middle = box.top + box.height / 2;
          return [box.left + 3, box.right - 3].every((x) => button.contains(document.elementFromPoint(x, middle)));
        }"""
    )


def do(server, someone, name, by=None):
    """Make one move by touching its pieces, one after the other."""
    page = someone.page
    live = server.live(page.url.rsplit("/", 1)[1].split("?")[0])
    state = live.state
    rules = state.game.rules
    wait_until(page, lambda: someone.has_move() and someone.shown() >= state.count(0))
    view = state.table.view(0)
    lines = len(state.table.lines)
    touches = rules.touch(view, 0, rules.parse(view, name))
    page.wait_for_selector(f".lit[id='{touches[0]}']", state="attached")
    for touched in touches:
        (by or by_click)(page, touched)
    wait_until(page, lambda: len(state.table.lines) > lines)
    assert state.table.lines[lines].name == name
    wait_until(page, lambda: page.evaluate("Number(document.documentElement.dataset.shown)") >= state.count(0))
    wait_until(
        page, lambda: page.evaluate("document.getAnimations().length") == 0
    )  # what still flies is not where it will be


def by_click(page, name):
    page.evaluate("id => document.getElementById(id).scrollIntoView({block: 'center'})", name)
    page.mouse.click(*middle(page, name))


def by_key(page, name):
    """Without a pointer: Tab reaches every piece that can be touched; Enter touches it."""
    page.focus(f"[id='{name}']")
    page.keyboard.press("Enter")


def from_nothing(ann):
    """An empty board, by the form."""
    ann.page.goto(f"/new/{MAKER}")
    ann.page.click("main form button.strong")
    ann.ready()


def solution(value):
    kept = tomllib.loads(backroom.game(TASKS).folder.joinpath("puzzles.toml").read_text("utf-8"))
    return [move.strip() for move in kept[value]["solution"].split(",")]


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone-dark", "desk-light"])
def test_a_task_is_solved_by_clicks_and_marked(server, person, size, scheme):
    """From an empty browser, without giving a name."""
    ann = person("Ann", size, come_in=False, color_scheme=scheme)
    page = ann.page
    page.goto("/")
    page.click(f"a[href='/solo/{TASKS}']")
    option = choice_of(backroom.game(TASKS))
    first, second = option.values[:2]
    page.click(f"button[value='{first}']")
    ann.ready()
    assert page.locator(".after:visible").count() == 0
    ann.shot(f"task-{scheme}")
    for move in solution(first):
        do(server, ann, move.split()[0])
        do(server, ann, move)
    page.wait_for_selector("[data-question] >> text=solved in")
    assert page.locator("text=Rematch").count() == 0
    assert problems(page) == []
    assert fits(page)
    ann.shot(f"task-solved-{scheme}")
    page.click(f".after button[value='{second}']")
    ann.ready()
    page.click("form[action$='/solution'] button")
    page.wait_for_url("**/replay?at=0")
    ann.ready()
    page.keyboard.press("End")
    wait_until(page, lambda: "solved in" in page.locator("[data-say]").inner_text())
    page.goto(f"/solo/{TASKS}")
    today = page.locator(f"section:has-text('the same for all') button >> text={option.series[0]}").get_attribute(
        "value"
    )
    page.click(f"button[value='{today}']")
    ann.ready()
    for step in steps_to_solve(backroom.game(TASKS), server.live(page.url.rsplit("/", 1)[1]).config.options):
        do(server, ann, step)
    page.wait_for_selector("[data-question] >> text=solved in")
    page.goto(f"/solo/{TASKS}")
    assert "1 day in a row." in page.locator("[role=status]").first.inner_text()
    assert page.locator(".solvers >> text=solved by").count() == 1
    assert page.locator(f"button.solved[value='{first}'] >> text=solved").count() == 1
    assert page.locator(".begun >> text=go on").count() == 1
    assert problems(page) == []
    assert fits(page)
    ann.shot(f"tasks-{scheme}")


def test_a_task_by_keys_alone(server, person):
    ann = person("Ann")
    page = ann.page
    page.goto(f"/solo/{TASKS}")
    first = choice_of(backroom.game(TASKS)).values[0]
    tab_to(page, f"button[value='{first}']")
    page.keyboard.press("Enter")
    ann.ready()
    for move in solution(first):
        do(server, ann, move.split()[0], by_key)
        do(server, ann, move, by_key)
    page.wait_for_selector("[data-question] >> text=solved in")


STEPS = [
    *("place Town Center", "at g7", "place Fort Firewater", "at c3"),
    *("at k4", "place Cooper's Hollow", "place Moonlight Mill", "at j10"),
    *("place Widow's Well", "turn", "at g7"),
]
"""The last still is laid on the Town Center, which is wrong."""


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone-dark", "desk-light"])
def test_a_file_is_made_by_clicks_saved_and_played_with(server, person, size, scheme):
    ann = person("Ann", size, color_scheme=scheme)
    page = ann.page
    page.goto("/")
    page.click(f"button[name=game][value={MAKER}]")
    ann.ready()
    page.wait_for_selector("[data-question] >> text=Next: play it")  # it begins with a forest, to be changed
    ann.shot(f"maker-begins-{scheme}")
    from_nothing(ann)
    assert page.locator("[data-hint]").count() == 0
    page.wait_for_selector("[data-question] >> text=Not playable yet: the setup does not say where the Town Center is")
    page.wait_for_selector("[data-question] >> text=Next: take the Town Center out of the box")
    ann.shot(f"maker-{scheme}")
    for step in STEPS:
        do(server, ann, step)
    page.wait_for_selector("[data-question] >> text=overlaps the Town Center")
    assert page.locator("[id='wrong-g7']").count() == 1
    question = page.locator("[data-question]")
    assert question.evaluate("it => it.scrollHeight <= it.clientHeight + 2")  # the next step stands at its end
    assert problems(page) == []
    assert fits(page)
    ann.shot(f"maker-wrong-{scheme}")
    do(server, ann, "at h8")
    for way in ("turn", "remove"):  # what the question speaks of can be seen, however large the box is shown
        wait_until(page, lambda way=way: is_in_sight(page, f"[data-moves] button[data-name={way}]"))
    for step in ("remove", "place Widow's Well", "at d11", "place fog", "at g3", "events", "all", "back"):
        do(server, ann, step)
    page.wait_for_selector("[data-question] >> text=Playable by 2, 3 or 4 players: 24 barrels")
    ann.shot(f"maker-right-{scheme}")
    with page.expect_download() as waited:
        page.click(".tools a:has-text('Save')")
    assert waited.value.suggested_filename == MADE.file
    text = waited.value.path().read_text("utf-8")
    assert next(o for o in backroom.game(MADE.game).options if o.name == MADE.option).settle(text)
    page.click(".tools a:has-text('Play it')")
    page.wait_for_url(f"**/new/{MADE.game}?**")
    assert problems(page) == []
    assert fits(page)
    first = page.locator("main button.strong").first.bounding_box()
    assert first["y"] + first["height"] < 1.2 * size["height"]  # nobody has to go through all options
    ann.shot(f"maker-link-{scheme}")
    link = page.url
    ben = person("Ben", size)
    ben.page.goto(link)  # the link is all that a friend needs
    ben.page.click("text=Make the table >> nth=0")
    ben.ready()
    state = server.live(ben.page.url.rsplit("/", 1)[1]).state
    assert "g3" in state.config.options[MADE.option]
    wait_until(ben.page, ben.has_move)
    lines = len(state.table.lines)
    ben.page.locator("[data-moves] button[data-name]").first.click()
    wait_until(ben.page, lambda: len(state.table.lines) > lines)


def test_a_file_is_made_by_keys(server, person):
    ann = person("Ann")
    page = ann.page
    page.goto(f"/new/{MAKER}")
    tab_to(page, "main form button.strong")
    page.keyboard.press("Enter")
    ann.ready()
    for step in STEPS[:6]:
        do(server, ann, step, by_key)

    def goes_up():  # the page may still be about to give the focus back after the last step
        page.focus("[id='node-d4']")
        page.keyboard.press("ArrowUp")
        return page.evaluate("document.activeElement.id") == "node-d3"

    wait_until(page, goes_up)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-question] >> text=What of Fort Firewater")
    page.focus("[data-moves] button[data-name=remove]")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-story] >> text=back into the box")


def test_the_form_keeps_what_was_said(server, person):
    ann = person("Ann", DESKTOP)
    page = ann.page
    page.goto(f"/new/{MADE.game}")
    page.select_option("select[name=seats]", "3")
    page.select_option(f"select[name=option-{MADE.option}]", "*")
    page.fill(f"textarea[name=text-{MADE.option}]", "nonsense")
    page.click("text=Make the table")
    page.wait_for_selector("[role=alert] >> text=this is not TOML")
    ann.wrongs.clear()  # the browser notes that the form was refused
    assert page.input_value(f"textarea[name=text-{MADE.option}]") == "nonsense"
    assert page.input_value("select[name=seats]") == "3"
    assert problems(page) == []


def test_things_are_dragged_out_of_the_box_and_over_the_board(server, person):
    """A drag touches the piece, and then the place where it is dropped; dropped beside everything, the piece stays."""
    ann = person("Ann")
    page = ann.page
    from_nothing(ann)
    state = server.live(page.url.rsplit("/", 1)[1]).state
    rules = state.game.rules
    take = rules.touch(state.shown, 0, rules.parse(state.shown, "place Town Center"))[0]

    def drag(name, x, y):
        page.mouse.move(*middle(page, name))
        page.mouse.down()
        page.mouse.move(x, y, steps=5)
        page.mouse.up()

    drag(take, 3, 780)
    page.wait_for_timeout(200)
    assert state.table.lines == []
    drag(take, *middle(page, "node-g7"))
    wait_until(page, lambda: [line.name for line in state.table.lines] == ["place Town Center", "at g7"])
    page.wait_for_selector("[data-story] >> text=lays the Town Center")
    drag("node-g7", *middle(page, "node-c3"))
    wait_until(page, lambda: [line.name for line in state.table.lines[2:]] == ["at g7", "at c3"])
    page.wait_for_selector("[data-story] >> text=moves the Town Center")

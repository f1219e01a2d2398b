"""The table in a real browser: every game with several people, on phones and desktops, by mouse, drag and keyboard."""

import contextlib
import random
import re

import pytest
from playwright.sync_api import TimeoutError as Timeout
from screens import DESKTOP, PHONE, middle, tab_to, wait_until
from serving import GAMES, TOY, game_of

import backroom

GAME = next(name for name in backroom.names() if list(backroom.game(name).seats) == [2])
SHORT = min(
    (name for name in backroom.names() if max(backroom.game(name).seats) > 1),
    key=lambda name: backroom.game(name).rules.LONGEST,
)
ARROWS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")
ALONE = 40
"""The number of moves in a game for one player."""


def standing(server, live):
    """A consistent snapshot of a table: its stage, who is asked, its last entry, and each seat's count of events."""

    async def look():
        return live.state.stage, live.state.asked, live.state.number, list(live.state.counts)

    return server.do(look())


def sit_together(person, name, seats, sizes=(PHONE, DESKTOP, DESKTOP)):
    """A table at which everybody sits already, some with a phone."""
    people = [person(f"P{seat}", sizes[seat % len(sizes)]) for seat in range(seats)]
    form = {"game": name, "seats": str(seats)} | {f"seat-{seat}": "open" for seat in range(1, seats)}
    made = people[0].context.request.post("/tables", form=form, max_redirects=0)
    table = made.headers["location"].rsplit("/", 1)[1]
    for seat, other in enumerate(people[1:], 1):
        other.do(f"/tables/{table}/sit", seat=seat)
    for each in people:
        each.go(f"/tables/{table}")
    return table, people


def from_the_lobby(person, name, seats):
    """A table made with the form, at which people sit down with its buttons."""
    people = [person(f"P{seat}", (PHONE, DESKTOP, DESKTOP)[seat % 3]) for seat in range(seats)]
    page = people[0].page
    page.goto("/")
    if seats == 1:  # one click in the lobby, and it begins
        page.click(f"button[name=game][value={name}]")
        people[0].ready()
        return page.url.rsplit("/", 1)[1], people
    page.click(f"a[href='/new/{name}']")
    page.wait_for_selector("[data-new-table]")
    if page.locator("select[name=seats]").count():
        page.select_option("select[name=seats]", str(seats))
    for seat in range(1, seats):
        page.select_option(f"select[name=seat-{seat}]", "open")
    page.click("text=Make the table")
    people[0].ready()
    table = page.url.rsplit("/", 1)[1]
    for other in people[1:]:
        other.go(f"/tables/{table}")
        other.page.click("text=Sit here >> nth=0")
        other.page.wait_for_selector(".seat.mine", state="attached")
        other.ready()
    return table, people


def play_by_touch(person, rng, is_made):
    """Touch what is lit until a move is made; press a button if pieces do not tell moves apart."""
    page = person.page
    for tries in range(12):
        if is_made():
            return
        lit = page.eval_on_selector_all(".piece.lit:not(.path)", "all => all.map(g => g.id)")
        if lit and tries < 6:
            page.mouse.click(*middle(page, rng.choice(lit)))
        else:
            with contextlib.suppress(Timeout):  # the touch may have been enough after all
                page.locator("[data-moves] button[data-name]").first.click(timeout=1000)
        page.wait_for_timeout(60)


REMATCH = "form[action$='/rematch'] button"


def is_over(person):
    return person.page.locator(REMATCH).count() > 0


def play_on(server, table, people, most, touches, rng):
    """Play a number of moves, or to the end; the first `touches` by touching the board, the others by button."""
    live = server.live(table)
    for number in range(most):
        stage, asked, before, counts = standing(server, live)
        if stage == "over":
            return
        mover = people[asked[0]]
        wait_until(mover.page, lambda mover=mover, n=counts[asked[0]]: mover.shown() >= n and mover.has_move())
        if number < touches:
            play_by_touch(mover, rng, lambda before=before: live.state.number > before)
        else:
            mover.page.locator("[data-moves] button[data-name]").first.click()
        wait_until(mover.page, lambda before=before: live.state.number > before)


@pytest.mark.parametrize("name", [name for name in GAMES if name in (TOY, SHORT) or max(game_of(name).seats) == 1])
def test_from_the_lobby_to_the_result_and_the_rematch(server, person, name):
    seats = min(game_of(name).seats)
    table, people = from_the_lobby(person, name, seats)
    play_on(server, table, people, 6, 6, random.Random(1))
    for each in people:
        told = "Number(document.documentElement.dataset.shown) > 2"
        wait_until(each.page, lambda each=each, told=told: each.page.evaluate(told) or is_over(each))
        assert each.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        each.shot(f"{name}-first")
    play_on(server, table, people, game_of(name).rules.LONGEST if seats > 1 else ALONE, 0, None)
    if seats == 1 and not is_over(people[0]):
        return  # a single player may go on for any time
    for each in people:
        wait_until(each.page, lambda each=each: is_over(each))
        each.shot(f"{name}-over")
    people[0].page.click(REMATCH)
    people[0].page.wait_for_selector(".seat.mine", state="attached")
    for other in people[1:2]:
        wait_until(other.page, lambda other=other: other.page.locator("text=To the rematch").count() > 0)
        other.page.click("text=To the rematch")
        other.page.wait_for_url(people[0].page.url)
        other.page.wait_for_selector(".seat.mine", state="attached")  # everybody who agrees is seated


def test_the_largest_table(server, person):
    """As many people as a game can have, each with a screen, half of them with a phone."""
    name = max(GAMES, key=lambda name: max(game_of(name).seats))
    seats = max(game_of(name).seats)
    table, people = sit_together(person, name, seats, sizes=(PHONE, DESKTOP))
    play_on(server, table, people, seats + 3, 0, None)
    for each in people:
        assert each.page.locator(".seat").count() == seats
        assert each.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        each.shot(f"{name}-{seats}-{each.name}")


@pytest.mark.parametrize("name", [TOY, SHORT])
def test_a_whole_game_by_keyboard_alone(server, person, name):
    """From the lobby: forms, seats and moves, with Tab, arrows, Space and Enter, never a pointer."""
    ann = person("Ann", come_in=False)
    page = ann.page
    page.goto("/")
    tab_to(page, f"button[name=game][value={name}]")
    page.keyboard.press("Enter")
    ann.ready()
    live = server.live(page.url.rsplit("/", 1)[1])
    touched, rng = 0, random.Random(1)
    for _ in range(game_of(name).rules.LONGEST):
        # not out of turn, where somebody else may be quicker
        wait_until(page, lambda: live.state.stage == "over" or (0 in live.state.asked and ann.has_move()))
        if live.state.stage == "over":
            break
        if page.evaluate("document.activeElement.closest('.piece') === null"):
            tab_to(page, ".piece.lit")
        number = live.state.number
        for key in rng.choices(ARROWS, k=rng.randint(1, 4)):  # always one way, the same card would be lifted for ever
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        touched += 1
        wait_until(page, lambda number=number: live.state.number > number or page.locator(".moves.narrowed").count())
        if live.state.number == number:
            page.keyboard.press("Enter")
        wait_until(page, lambda number=number: live.state.number > number)
        assert page.evaluate("document.activeElement !== document.body")
    assert live.state.stage == "over"
    assert touched > 1
    wait_until(page, lambda: is_over(ann))
    assert page.evaluate("document.activeElement !== document.body")


def test_a_button_that_has_not_changed_keeps_its_focus(server, person):
    """Another person comes and goes meanwhile; a rebuilt seat would lose a press that had begun."""
    ann, ben = person("Ann"), person("Ben")
    ann.page.goto(f"/new/{GAME}")
    ann.page.select_option("select[name=seat-1]", "open")
    ann.page.click("text=Make the table")
    ann.ready()
    ben.go(f"/tables/{ann.page.url.rsplit('/', 1)[1]}")
    ben.page.focus("text=Sit here")
    ann.page.goto("/")
    ben.page.wait_for_selector(".seat .dot.away", state="attached")
    ben.page.keyboard.press("Enter")
    ben.page.wait_for_selector(".seat.mine", state="attached")


def test_a_piece_is_dragged_to_where_it_goes(server, person):
    """The mouse carries the man; dropped beside everything it goes back."""
    table, people = sit_together(person, GAME, 2)
    live = server.live(table)
    mover = people[live.state.asked[0]]
    wait_until(mover.page, mover.has_move)
    page = mover.page
    seat = live.state.asked[0]
    view = live.state.table.view(seat)
    move = live.state.game.moves(view, seat)[0]
    path = live.state.game.rules.touch(view, seat, move)
    (x, y), (to_x, to_y) = (middle(page, name) for name in (path[0], path[-1]))
    lines = len(live.state.table.lines)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 30, steps=4)
    assert page.locator(".ghost").count() == 1
    mover.shot("drag")
    page.mouse.move(3, 3, steps=3)
    page.mouse.up()
    assert page.locator(".ghost").count() == 0
    assert len(live.state.table.lines) == lines
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=6)
    page.mouse.up()
    wait_until(page, lambda: len(live.state.table.lines) > lines)
    assert live.state.table.lines[lines].name == live.state.game.rules.name(view, move)


def test_reload_and_offline_in_the_middle(server, person):
    table, people = sit_together(person, GAME, 2)
    live = server.live(table)
    first = live.state.asked[0]
    mover, other = people[first], people[1 - first]
    other.context.set_offline(True)
    told, lines = other.page.locator("[data-story] li").count(), len(live.state.table.lines)

    async def cut_off():
        live.close_all_streams()

    server.do(cut_off())
    wait_until(mover.page, mover.has_move)
    mover.page.locator("[data-moves] button[data-name]").first.click()
    wait_until(mover.page, lambda: len(live.state.table.lines) > lines)
    other.page.wait_for_selector(".lost:visible")
    assert other.page.locator("[data-story] li").count() == told
    other.context.set_offline(False)
    wait_until(other.page, lambda: other.page.locator("[data-story] li").count() > told, 30)
    mover.page.reload()
    mover.ready()
    same = "() => [...document.querySelectorAll('.piece')].map(g => g.id + g.getAttribute('transform')).sort().join()"
    fresh = mover.context.new_page()
    fresh.goto(f"/tables/{table}")
    assert fresh.evaluate(same) == mover.page.evaluate(same)
    assert mover.page.locator(".lost:visible").count() == 0


def test_patches_lead_to_the_same_picture_as_a_fresh_page(server, person):
    """After many beats the page shows what the server would draw now: the same pieces, places, order and heights."""
    ann = person("Ann")
    ann.page.goto("/")
    ann.page.click(f"button[name=game][value={GAME}]")
    ann.ready()
    live = server.live(ann.page.url.rsplit("/", 1)[1])
    look = """() => [...document.querySelectorAll('.piece')].map(g =>
        [g.id, g.getAttribute('transform'), g.querySelector('text')?.textContent || '', g.classList[1]].join(' '))"""
    for _ in range(12):
        wait_until(ann.page, ann.has_move)
        number = live.state.number
        ann.page.locator("[data-moves] button[data-name]").first.click()
        wait_until(ann.page, lambda number=number: live.state.number > number)
    wait_until(ann.page, ann.has_move)
    patched = ann.page.evaluate(look)
    ann.page.reload()
    ann.ready()
    assert ann.page.evaluate(look) == patched


def test_sealed_choices_consent_and_talk(server, person):
    table, [ann, ben] = sit_together(person, TOY, 2)
    live = server.live(table)
    wait_until(ann.page, ann.has_move)
    ann.page.locator("[data-moves] button[data-name]").first.click()
    ben.page.wait_for_selector("text=1 of 2 ready")
    wait_until(ben.page, ben.has_move)
    ben.page.locator("[data-moves] button[data-name]").first.click()
    wait_until(ann.page, lambda: len(live.state.asked) == 1)
    mover, other = (ann, ben) if live.state.asked[0] == 0 else (ben, ann)
    mover.page.click("text=Take back")
    other.page.click("text=Agree")
    wait_until(ann.page, lambda: len(live.state.asked) == 1 or len(live.state.asked) == 2)
    ben.page.fill("#say", "<img src=x onerror=alert(1)> hello")
    ben.page.keyboard.press("Enter")
    ann.page.wait_for_selector("text=onerror=alert(1)> hello")
    assert ann.page.locator("[data-story] img").count() == 0


def test_people_read_labels_and_those_who_type_may_read_notation(server, person):
    _, [ann, ben] = sit_together(person, TOY, 2)
    wait_until(ann.page, ann.has_move)
    button = ann.page.locator("[data-moves] button[data-name^=bid]").first
    number = button.get_attribute("data-name").split()[1]
    assert re.match(r"Bid the \w+", button.text_content())
    assert button.locator(f"svg.glyph use[href='#glyph-card-{number}']").count() == 1
    assert button.locator("svg.glyph title").text_content().startswith("the ")
    notation = button.locator(".notation")
    assert not notation.is_visible()
    ann.page.evaluate("document.querySelector('[data-notation]').click()")
    assert notation.is_visible()
    ann.page.reload()
    ann.ready()
    wait_until(ann.page, ann.has_move)
    assert ann.page.locator("[data-moves] .notation").first.is_visible()
    assert not ben.page.locator("[data-moves] .notation").first.is_visible()


def test_the_story_is_told_by_turns_and_in_the_names_of_the_players(server, person):
    """The same by stream and after a reload, and nothing about sealed bids."""
    _, people = sit_together(person, TOY, 2)
    for one in people:
        wait_until(one.page, one.has_move)
        one.page.locator("[data-moves] button[data-name]").first.click()
    page = people[0].page
    page.wait_for_selector("[data-story] >> text=All show their bids")
    page.wait_for_selector("[data-story] >> text=The die falls on")
    look = "[...document.querySelectorAll('[data-story] > :not(.note)')].map((item) => item.textContent.trim())"
    told = page.evaluate(look)
    assert told[0].startswith("P0 gets ")
    assert not any("Ann" in line or "bid " in line for line in told)
    page.reload()
    people[0].ready()
    assert page.evaluate(look) == told
    assert page.locator(".missed").count() == 0  # all of it was seen


def test_why_not_and_hints(server, person):
    _, [ann, ben] = sit_together(person, TOY, 2, sizes=(DESKTOP, DESKTOP))  # a phone asks by touching
    wait_until(ann.page, ann.has_move)
    ann.page.click("text=Why not?")
    assert not ann.page.is_visible("input[name=move]")  # notation is for those who want it
    ann.page.evaluate("document.querySelector('[data-notation]').click()")
    ann.page.fill("input[name=move]", "keep")
    ann.page.click("form[data-why] button >> text=Ask")
    ann.page.wait_for_selector("[data-notice] >> text=not now (")
    link = ann.page.locator("[data-notice] a")
    assert link.get_attribute("href") == f"/rules/{TOY}#s1"
    ann.page.click("[data-hint]")
    ann.page.click("button >> text=Show the hint")  # the game does not count then
    ann.page.wait_for_selector(".advice >> text=/than “|as good/")
    assert "%" not in ann.page.locator(".advice").inner_text()
    assert ben.page.locator(".advice").count() == 0


def test_replay_with_a_scrubber(server, person):
    game = game_of(GAME)
    ann = person("Ann", PHONE)
    ann.page.goto("/import")
    rng, table = random.Random(4), game.table(seed="replay")
    while not table.is_over:
        table.play(table.asked[0], rng.choice(table.moves(table.asked[0])))
    ann.page.fill("textarea", str(table.log))
    ann.page.click("text=Import it")
    ann.page.wait_for_url("**/replay")
    number = ann.page.locator("[data-number]")
    assert number.inner_text() == str(len(table.lines))
    ann.page.click("[data-go=first]")
    wait_until(ann.page, lambda: number.inner_text() == "0")
    ann.page.click("[data-go=on]")
    wait_until(ann.page, lambda: number.inner_text() == "1")
    ann.page.focus("input[data-at]")
    ann.page.keyboard.press("ArrowRight")
    wait_until(ann.page, lambda: number.inner_text() == "2")
    assert ann.page.locator("[data-say]").inner_text()
    ann.shot("replay")
    ann.page.select_option("[data-reader-choice]", "1")
    ann.page.wait_for_url("**reader=1")
    assert number.inner_text() == "2"


def test_a_replay_is_analysed(server, person):
    """The toy's judge finds all moves equal: nothing costs anything, and every move has alternatives."""
    ann = person("Ann", PHONE)
    ann.page.goto("/import")
    rng, table = random.Random(4), game_of(TOY).table(seed="replay")
    while not table.is_over:
        table.play(table.asked[0], rng.choice(table.moves(table.asked[0])))
    ann.page.fill("textarea", str(table.log))
    ann.page.click("text=Import it")
    ann.page.wait_for_url("**/replay")
    ann.page.click("[data-analyse]")
    ann.page.wait_for_selector("[data-analysis] >> text=decisions cost 0.00 of a win; luck +0.00")
    assert ann.page.locator("[data-analysis] > details").count() == table.seats
    ann.page.click("[data-go=first]")
    wait_until(ann.page, lambda: ann.page.locator("[data-worth]").inner_text() == "")
    ann.page.click("[data-go=last]")
    wait_until(ann.page, lambda: "nothing is better" in ann.page.locator("[data-worth]").inner_text())
    ann.shot("analysis")


def test_animations_come_to_rest(server, person):
    """With motion allowed, pieces travel, and end where they belong."""
    ann = person("Ann", reduced_motion="no-preference")
    ann.page.goto("/")
    ann.page.click(f"button[name=game][value={GAME}]")
    ann.ready()
    wait_until(ann.page, ann.has_move)
    ann.page.locator("[data-moves] button[data-name]").first.click()
    wait_until(ann.page, lambda: ann.page.evaluate("document.getAnimations().length > 0"))
    wait_until(ann.page, lambda: ann.page.evaluate("document.getAnimations().length === 0") and ann.has_move())


def test_a_reveal_is_held_until_somebody_is_in_a_hurry_and_shown_again_by_a_key(server, person):
    """Cards turn together and lie open for a while, on a small screen too, and nobody is asked anything meanwhile.

    One key ends the reveal, another shows again what the others did.
    """
    name = [name for name in backroom.names() if hasattr(backroom.game(name).rules, "PAUSE_MS")][-1]
    ann = person("Ann", {"width": 360, "height": 640}, reduced_motion="no-preference")
    page, seats = ann.page, max(game_of(name).seats)
    page.goto(f"/new/{name}")
    page.select_option("select[name=seats]", str(seats))
    for seat in range(1, seats):
        page.select_option(f"select[name=seat-{seat}]", "random")
    page.click("text=Make the table")
    ann.ready()
    live = server.live(page.url.rsplit("/", 1)[1])
    held = "document.querySelector('[data-board]').getAnimations().length > 0"
    asked = page.locator("body.my-move")  # not where a choice may still be changed: it is revealed at any moment
    for _ in range(40):
        wait_until(page, lambda: asked.count() or page.evaluate(held) or live.state.stage == "over")
        if page.evaluate(held):
            break
        page.locator("[data-moves] button[data-name]").first.click(timeout=5000)
        page.wait_for_timeout(50)
    assert page.evaluate(held)
    assert page.locator(".role.players").is_visible()  # where the cards turn; folded away else
    assert page.inner_text("[data-question]") == "This is what everybody has chosen."
    assert page.locator("[data-moves] button, [data-matters] .matter:visible").count() == 0
    before = ann.shown()
    page.keyboard.press("Escape")
    wait_until(page, lambda: ann.shown() > before, 2)
    wait_until(page, lambda: ann.has_move() and not page.evaluate(held))
    assert "everybody has chosen" not in page.inner_text("[data-question]")
    page.keyboard.press("w")
    wait_until(page, lambda: page.evaluate("document.getAnimations().length > 0"))
    assert page.inner_text("[data-notice]")

"""The table's menu in the browser: what cannot be undone must be confirmed."""

import random

from screens import PHONE, problems, wait_until
from serving import TOY

import backroom
from backroom.server.tables.actions import is_free_to_take_back

PUZZLES = next(name for name in backroom.names() if hasattr(backroom.game(name).rules, "solution"))


GAME = next(name for name in backroom.names() if list(backroom.game(name).seats) == [2])


def against_a_bot(person, server, game=TOY):
    ann = person("Ann")
    ann.page.goto(f"/new/{game}")
    if game == TOY:
        ann.page.select_option("select[name=seats]", "2")
    ann.page.select_option("select[name=seat-1]", "random")
    ann.page.click("text=Make the table")
    ann.ready()
    return ann, server.live(ann.page.url.rsplit("/", 1)[1])


def play(ann, live):
    wait_until(ann.page, ann.has_move)
    number = live.state.number
    ann.page.locator("[data-moves] button[data-name]").first.click()
    wait_until(ann.page, lambda: live.state.number > number)


def own_last(live):
    return max(number for number, line in enumerate(live.state.table.lines) if line.seat == 0)


def test_a_game_against_a_bot_with_a_move_taken_back_a_hint_and_a_resignation(server, person):
    ann, live = against_a_bot(person, server, GAME)
    page = ann.page
    wait_until(page, ann.has_move)
    assert not page.is_visible("[data-undo]")  # there is nothing to take back yet
    assert not page.is_visible("#say")  # nor anybody to talk to
    assert page.locator(".seat .face").count() == 2
    assert page.inner_text(".seat:nth-child(2) .level") == "random"
    assert page.inner_text(".seat:nth-child(2) .dim").startswith("Black")  # on a phone the level is cut off, not this
    play(ann, live)
    while is_free_to_take_back(live.state, own_last(live)):  # until the bot has moved since
        play(ann, live)
    wait_until(page, lambda: ann.has_move() and page.is_visible("[data-undo]"))
    lines = live.state.lines
    page.click("[data-undo] button")
    page.wait_for_selector("[data-notice] >> text=makes the game unrated")
    page.click("[data-notice] >> text=No")
    assert (live.state.lines, live.state.is_rated) == (lines, True)
    page.click("[data-hint]")
    page.click("[data-notice] >> text=Show the hint")
    page.wait_for_selector(".hint", state="attached")
    assert not live.state.is_rated
    page.click("[data-undo] button")  # now without a question
    wait_until(page, lambda: live.state.lines < lines)
    page.click(".menu summary")
    assert not page.is_visible("text=Offer to end without a result")  # nobody is there to agree
    page.click("text=Resign")
    page.click("[data-notice] >> text=Resign")
    page.wait_for_selector("[data-end-title] >> text=Ann resigned")
    assert page.locator(".rating").count() == 0


IS_IN_VIEW = """part => {
  const [{ top, bottom }, box] = [part, part.closest(".ask")].map((each) => each.getBoundingClientRect());
  return top >= box.top && Math.min(bottom, top + 40) <= box.bottom;
}"""


def test_what_a_tool_unfolds_and_what_is_answered_is_in_view(server, person):
    ann, _ = against_a_bot(person, server, GAME)
    page = ann.page
    wait_until(page, ann.has_move)
    page.locator(".menu summary").click()
    wait_until(page, lambda: page.locator(".menu li:visible").first.evaluate(IS_IN_VIEW))
    page.locator(".menu summary").click()
    page.locator(".why summary").click()
    wait_until(page, lambda: page.locator(".why p").evaluate(IS_IN_VIEW))
    page.locator("[data-notation]").evaluate("button => button.click()")
    assert page.locator("[data-why]").is_visible()
    page.locator("[data-play-it]").click()  # an empty field is no move, and nothing is sent
    assert page.locator("[data-why] input:invalid:focus").count() == 1
    page.locator("[data-why] input").fill("nothing")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-notice] p")
    assert page.locator("[data-notice]").evaluate(IS_IN_VIEW)


def test_the_keyboard_asks_why_a_piece_cannot_be_played(server, person):
    """While “Why not?” is open the arrow keys reach every piece, and Enter on one that is not lit says why."""
    ann, _ = against_a_bot(person, server, GAME)
    page = ann.page
    wait_until(page, ann.has_move)
    page.locator(".piece.lit").first.focus()

    def reached():
        found = set()
        for key in ("ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp") * 4:
            page.keyboard.press(key)
            found.add(page.evaluate("document.activeElement.matches('.piece.lit')"))
        return found

    assert reached() == {True}
    page.locator(".why").evaluate("why => { why.open = true; }")
    assert False in reached()
    while page.evaluate("document.activeElement.matches('.piece.lit')"):
        page.keyboard.press("ArrowLeft")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-notice] .told")
    assert label.lower() in page.inner_text("[data-notice]").lower()


def test_a_rated_game_shows_ratings_before_and_after(server, person):
    ann, _ = against_a_bot(person, server)
    page = ann.page
    page.click(".menu summary")
    page.click("text=Resign")
    page.click("[data-notice] >> text=Resign")
    page.wait_for_selector(".rating.down")
    assert page.inner_text(".outcome") == "You have lost."
    page.reload()
    ann.ready()
    page.wait_for_selector("[data-end-title] .outcome >> text=You have lost.")
    assert page.locator(".rating").count() == 2
    assert page.inner_text(".rating.down").startswith("25.0 → ")
    ann.shot("resigned")
    page.set_viewport_size(PHONE)
    assert problems(page) == []


def test_moves_that_cannot_be_taken_back_are_confirmed_by_whoever_wants_that(server, person):
    ann, live = against_a_bot(person, server)
    page = ann.page
    page.click(".menu summary")
    page.click("[data-sure]")
    page.reload()
    ann.ready()
    assert page.get_attribute("[data-sure]", "aria-pressed") == "true"
    wait_until(page, ann.has_move)
    rng = random.Random(1)
    for _ in range(20):
        number = live.state.number
        moves = page.locator("[data-moves] button[data-name]")
        wait_until(page, lambda moves=moves: moves.count() > 0)
        moves.nth(rng.randrange(moves.count())).click()
        wait_until(page, lambda number=number: live.state.number > number or page.is_visible("[data-notice] .strong"))
        if page.is_visible("[data-notice] .strong"):
            break
    number = live.state.number
    page.click("[data-notice] >> text=No")
    assert live.state.number == number
    wait_until(page, ann.has_move)


def test_in_a_lost_puzzle_the_hint_says_so_and_shows_the_solution(server, person):
    ann = person("Ann")
    page = ann.page
    page.goto("/")
    page.click(f"button[name=game][value={PUZZLES}]")
    ann.ready()
    live, rng = server.live(page.url.rsplit("/", 1)[1]), random.Random(2)
    guest = live.state.chairs[0].owner
    solution = live.state.game.rules.solution

    async def spoil():
        person = await server.services.people.by_id(guest)
        from backroom.server.tables import actions

        while solution(live.state.shown) is not None:
            name = rng.choice([name for name in live.state.table.moves(0) if name != "back"])
            await actions.play(live, person, name, live.state.asks[0], None)

    server.do(spoil(), 60)
    page.reload()
    ann.ready()
    page.click("[data-hint]")
    page.wait_for_selector("[data-notice] >> text=This cannot be solved any more: take back.")
    page.click("text=Show the solution")
    page.wait_for_url("**/replay*")


def test_who_leaves_is_in_the_lobby_and_comes_back_by_the_table(server, person):
    ann, live = against_a_bot(person, server)
    page = ann.page
    wait_until(page, ann.has_move)
    page.click("[data-sign='☰']")
    page.click("text=Leave the table")
    page.wait_for_url("**/")
    page.click(f"a[href='/tables/{live.id}']")
    ann.ready()
    assert "You have left" in page.inner_text("[data-question]")
    assert not ann.has_move()
    page.click(".ask button >> text=Take your seat back")
    wait_until(page, ann.has_move)


def test_who_is_out_of_time_is_told_so_and_the_others_choose(server, person):
    """What the page says below the question, from the same message to a table of two."""
    page = person("Ann", come_in=False).page
    page.goto("/style")
    told = page.evaluate(
        """async () => {
          const { Head } = await import("/web/head.js");
          const news = { stage: "playing", flagged: [0], seats: [{ name: "Ann" }, { name: "Ben" }] };
          const { form, matters } = Head.prototype;
          const at = { start: { table: "x" }, form };
          const said = (seat) => matters.call(at, news, seat).map((each) => each.textContent);
          return [said(0), said(1), said(-1)];
        }"""
    )
    assert told == [
        ["Your time is over. You can still move until the others have chosen."],
        ["The time of Ann is over.WaitLet a bot moveEnd the game: Ann loses"],
        ["The time of Ann is over."],
    ]


def test_moves_and_tools_are_in_view_while_something_is_explained(server, person):
    """On a common laptop the first row of moves too, and where there is room the tools below it."""
    page = person("Ann", {"width": 1280, "height": 800}).page
    for name in (name for name in backroom.names() if hasattr(backroom.game(name).rules, "SITUATIONS")):
        page.set_viewport_size({"width": 1280, "height": 800})
        where = page.request.post("/tables", form={"first": name}, max_redirects=0).headers["location"]
        page.goto(where)
        page.wait_for_selector(".advice")
        page.wait_for_selector("[data-moves]:not([aria-busy]) button")
        assert page.locator("[data-hint]").evaluate(IS_IN_VIEW), name
        assert page.locator("[data-moves] button").first.evaluate(IS_IN_VIEW), name
        page.set_viewport_size({"width": 1366, "height": 768})
        assert page.locator("[data-moves] button").first.evaluate(IS_IN_VIEW), name

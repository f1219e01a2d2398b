"""Animations begin where a piece was, even for a man that leaves a stack higher than it is drawn; and sounds."""

from screens import wait_until
from serving import person_of

import backroom

GAME = next(name for name in backroom.names() if list(backroom.game(name).seats) == [2])
EDITOR = next(name for name in backroom.names() if hasattr(backroom.game(name).rules, "MAKES"))
RECORD = """
  window.motions = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, timing) {
    motions.push({ kind: this.classList[1], frames });
    return animate.call(this, frames, timing);
  };
"""
PLACES = """(kind) => [...document.querySelectorAll(`.piece.${kind}`)].map((g) => {
  const { e, f } = g.transform.baseVal.consolidate().matrix;
  return `translate(${e}px, ${f}px)`;
})"""


def test_a_man_slides_out_of_a_tall_stack(server, person):
    guests = [server.guest("Ann"), server.guest("Ben")]
    table = guests[0].make(GAME)
    guests[1].do(table, "sit", seat=1)
    live = server.live(table)
    (seat,) = live.state.asked
    mover = next(each for each in guests if live.state.seat_of(server.do(person_of(server, each)).id) == seat)
    who = person("Who moves", come_in=False, reduced_motion="no-preference")
    who.context.add_cookies([{"name": "backroom", "value": mover.web.cookies["backroom"], "url": server.url}])
    page = who.page
    page.add_init_script(RECORD)
    who.go(f"/tables/{table}")
    colour = live.state.game.seat_name(seat).lower()
    (top,) = page.evaluate(PLACES, f"count-{colour}")
    before = set(page.evaluate(PLACES, f"man-{colour}"))
    page.evaluate("motions.length = 0")
    page.locator("[data-moves] button[data-name]").first.click()
    wait_until(page, lambda: page.evaluate(f"motions.some(({{ kind }}) => kind === 'man-{colour}')"))
    (begins, ends), *_ = (each["frames"] for each in page.evaluate("motions") if each["kind"] == f"man-{colour}")
    assert begins["transform"].startswith(top)
    assert ends["transform"].split(" rotate")[0] in set(page.evaluate(PLACES, f"man-{colour}")) - before
    assert "opacity" not in begins
    number = len(live.state.noticed(seat))
    page.goto(f"/tables/{table}/replay?at={number - 1}")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    page.evaluate("motions.length = 0")
    page.keyboard.press("ArrowRight")
    wait_until(page, lambda: page.inner_text("[data-number]") == str(number))
    assert [each["kind"] for each in page.evaluate("motions")].count(f"man-{colour}") == 1


KINDS = "() => Object.fromEntries([...document.querySelectorAll('.piece')].map((g) => [g.id, g.classList[1]]))"


def test_a_board_that_changes_all_over_does_not_turn_every_piece(server, person):
    """That took so long that the key which had changed it was not answered meanwhile."""
    ann = person("Ann", reduced_motion="no-preference")
    made = ann.context.request.post("/tables", form={"game": EDITOR, "seats": "1"}, max_redirects=0)
    ann.page.add_init_script(RECORD)
    ann.go(made.headers["location"])
    before = ann.page.evaluate(KINDS)
    ann.page.evaluate("motions.length = 0")
    ann.page.locator(".piece.lit").first.focus()
    ann.page.keyboard.press("Enter")

    def changed():
        now = ann.page.evaluate(KINDS)
        return sum(now.get(piece, kind) != kind for piece, kind in before.items())

    wait_until(ann.page, lambda: changed() > 30)
    assert ann.page.evaluate("motions.length") < 30


HEARD = """
  window.heard = [];
  for (const name of ["OscillatorNode", "AudioBufferSourceNode"]) {
    const Sounds = window[name];
    window[name] = class extends Sounds { constructor(...all) { super(...all); heard.push(name); } };
  }
  navigator.vibrate = (ms) => heard.push(`shake ${ms}`);
"""


def test_sounds_are_off_until_somebody_wants_them_and_then_remembered(server, person):
    """Dice, men and the bell are heard; with reduced motion, nothing at all."""
    ann = person("Ann", reduced_motion="no-preference")
    page = ann.page
    page.add_init_script(HEARD)
    page.goto("/")
    page.click(f"button[name=game][value={GAME}]")
    ann.ready()
    live = server.live(page.url.rsplit("/", 1)[1])

    def play():
        wait_until(page, ann.has_move)
        number = live.state.number
        page.locator("[data-moves] button[data-name]").first.click()
        wait_until(page, lambda: live.state.number > number)

    play()
    wait_until(page, ann.has_move)
    assert page.evaluate("heard") == []
    page.evaluate("document.querySelector('[data-sound]').click()")
    assert page.get_attribute("[data-sound]", "aria-pressed") == "true"
    page.reload()
    ann.ready()
    assert page.get_attribute("[data-sound]", "aria-pressed") == "true"
    kinds = {"OscillatorNode", "AudioBufferSourceNode", "shake 60"}
    for _ in range(8):
        play()
        if set(page.evaluate("heard")) == kinds:
            break
    wait_until(page, lambda: set(page.evaluate("heard")) == kinds)
    page.emulate_media(reduced_motion="reduce")
    wait_until(page, ann.has_move)
    page.evaluate("heard.length = 0")
    play()
    wait_until(page, ann.has_move)
    assert page.evaluate("heard") == []

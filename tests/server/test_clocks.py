"""Clocks at their boundaries, with a fake clock."""

import itertools
import random
import time

import pytest
import toy
from serving import TOY, Anything, Clock, served, toy_game

import backroom
from backroom.engine.options import Option
from backroom.engine.registry import game
from backroom.server.people.accounts import Person
from backroom.server.storage.journal import SIT, Entry
from backroom.server.tables import actions, timeouts
from backroom.server.tables.clocks import Clocks
from backroom.server.tables.config import ASK, DAY, Terms, check, config
from backroom.server.tables.state import TableState
from backroom.server.tables.thinking import HouseBots


@pytest.fixture
def timed(toy, tmp_path):
    clock = Clock()
    with served(tmp_path / "t.db", now=clock, bot_pace=1e6) as server:
        server.clock = clock
        yield server


def two(server, **form):
    ann, ben = server.guest("Ann"), server.guest("Ben")
    table = ann.make(TOY, seats=2, **form)
    assert ben.do(table, "sit").json()["ok"]
    return table, ann, ben


def tick(server, table):
    server.do(server.live(table).tick())
    return server.live(table).state


def bid(table, *guests):
    for guest in guests:
        now = guest.decision(table)
        answer = guest.move(table, now["moves"][0]["name"], now["ask"])
        assert answer.status_code == 200, answer.text


# the clock itself


def test_a_bank_runs_while_the_seat_is_asked():
    clocks = Clocks(Terms(clock="bank", bank=60, step=5), 2)
    clocks.go([0], 1000)
    assert clocks.remaining(0, 11_000) == 50_000
    assert clocks.remaining(1, 11_000) == 60_000
    clocks.go([1], 11_000)
    assert clocks.remaining(0, 99_000) == 55_000
    assert clocks.next_end() == (71_000, 1)


def test_the_last_millisecond_is_in_time():
    clocks = Clocks(Terms(clock="bank", bank=60), 1)
    clocks.go([0], 0)
    assert not clocks.is_out(0, 60_000)
    assert clocks.is_out(0, 60_001)


def test_several_moves_in_one_turn_add_once():
    clocks = Clocks(Terms(clock="bank", bank=60, step=5), 2)
    clocks.go([0], 0)
    clocks.go([0], 1000, 0)
    clocks.go([0], 2000, 0)
    clocks.go([1], 3000, 0)
    assert clocks.remaining(0, 3000) == 62_000


def test_days_begin_anew_with_every_move():
    clocks = Clocks(Terms(clock="days", bank=DAY), 2)
    clocks.go([0], 0)
    clocks.go([0], 3_600_000, 0)
    assert clocks.remaining(0, 3_600_000) == DAY * 1000
    clocks.go([1], 7_200_000, 0)
    clocks.go([0], 8_000_000, 1)
    assert clocks.remaining(0, 8_000_000) == DAY * 1000


@pytest.mark.parametrize("terms", [
    Terms(clock="sundial"), Terms(clock="bank"), Terms(clock="bank", bank=10**6), Terms(clock="days", bank=5),
    Terms(clock="days", bank=31 * DAY), Terms(step=-1), Terms(step=121), Terms(out="explode"),
])  # fmt: skip
def test_clocks_that_cannot_be(terms):
    with pytest.raises(ValueError, match=r"clock|turn|time"):
        check(terms)


# at the table


def test_a_move_at_the_very_end_is_in_time_and_one_after_it_waits_for_the_others(timed):
    table, ann, ben = two(timed, clock="bank", minutes=1, step=0)
    timed.clock.go(60)
    assert not tick(timed, table).clocks.flagged
    bid(table, ann)
    timed.clock.go(0.001)
    assert tick(timed, table).clocks.flagged == {1}
    assert ann.decision(table)["stage"] == "playing"
    assert ben.do(table, "choose", text="end").status_code == 409  # not about oneself
    assert ann.do(table, "choose", text="wait").json()["ok"]
    bid(table, ben)  # they waited
    state = timed.live(table).state
    assert 1 in state.asked or not state.clocks.flagged


def test_the_others_let_a_bot_move(timed):
    table, ann, _ = two(timed, clock="bank", minutes=1, step=0)
    bid(table, ann)
    timed.clock.go(61)
    lines = len(tick(timed, table).table.lines)
    assert ann.do(table, "choose", text="bot").json()["ok"]
    state = timed.rested(table)
    assert len(state.table.lines) > lines
    assert not state.stand_ins


def test_the_others_end_the_game(timed):
    table, ann, ben = two(timed, clock="days", days=1)
    bid(table, ann)
    timed.clock.go(DAY + 1)
    tick(timed, table)
    assert ann.do(table, "choose", text="nonsense").status_code == 422
    assert ann.do(table, "choose", text="end").json()["ok"]
    assert ben.decision(table)["stage"] == "over"
    assert "Ben ran out of time: Ann wins" in ben.decision(table)["question"]
    assert timed.live(table).state.result.winners == (0,)


@pytest.mark.parametrize(("out", "stage"), [("bot", "playing"), ("end", "over")])
def test_at_tables_made_for_it_it_goes_by_itself(timed, out, stage):
    table, ann, _ = two(timed, clock="bank", minutes=1, step=0, out=out)
    bid(table, ann)
    lines = len(timed.live(table).state.table.lines)
    timed.clock.go(60.001)
    tick(timed, table)
    state = timed.rested(table)
    assert state.stage == stage
    assert (len(state.table.lines) > lines) == (out == "bot")


def test_time_goes_on_while_nobody_looks(timed):
    """A table that is loaded after its time has run out acts on it at once."""
    table, ann, _ = two(timed, clock="bank", minutes=1, step=0, out="end")

    async def sweep():
        timed.services.tables.sweep(0)

    timed.do(sweep())
    timed.clock.go(100)
    ann.decision(table)
    for _ in range(100):
        if ann.decision(table)["stage"] == "over":
            return
    raise AssertionError("nobody noticed")


# countdowns


def counting():
    option = Option("countdown", ("20", "off"), "Seconds to choose.", is_rule=False)
    return toy_game(OPTIONS=(*toy.OPTIONS, option)).rules


def hurried():
    option = Option("look", ("5", "off"), "Seconds to decide.", is_rule=False)
    phase = toy.EXTRA
    return toy_game(
        OPTIONS=(*toy.OPTIONS, option),
        timer=lambda v, seat: ("look", "keep") if v.phase == phase else None,
    ).rules


@pytest.fixture
def planted(monkeypatch):
    """Another set of rules under the toy's name."""

    def plant(rules):
        monkeypatch.setitem(game.__globals__["_games"], TOY, game.__globals__["Game"](rules))

    return plant


def test_a_countdown_is_for_all_who_choose_at_once_and_then_it_is_too_late(timed, planted):
    planted(counting())
    table, ann, ben = two(timed)
    bid(table, ann)
    timed.clock.go(20)
    assert ben.decision(table)["deadline"] == 0
    late = ben.decision(table)
    timed.clock.go(0.001)
    answer = ben.move(table, late["moves"][0]["name"], late["ask"])
    assert answer.json()["code"] == "late"
    assert "too late" in answer.json()["why"]
    lines = len(timed.live(table).state.table.lines)
    tick(timed, table)
    assert len(timed.rested(table).table.lines) > lines


def test_who_is_late_has_passed_and_is_told_so(timed, planted, monkeypatch):
    """A late answer is refused in words, before and after the table has moved for the late seat."""
    planted(counting())
    table, ann, ben = two(timed)
    bid(table, ann)
    late = ben.decision(table)
    timed.clock.go(20.001)
    state = timed.live(table).state
    word = late["moves"][0]["name"]
    monkeypatch.setattr(timeouts, "PASS", word)  # the toy has no pass: this move stands for it
    state.deadline = -1, None
    assert ben.move(table, word, late["ask"]).json()["why"] == "too late, you passed"
    tick(timed, table)
    answer = ben.move(table, late["moves"][-1]["name"], late["ask"])
    assert answer.json() == {"ok": False, "code": "late", "why": "too late, you passed"}


def test_nobody_hurries_for_bots(timed, planted):
    """A countdown runs if two or more people choose at once; a single person among bots has no limit."""
    planted(counting())
    ann = timed.guest("Ann")
    table = ann.make(TOY, seats=2, **{"seat-1": "random"})
    assert ann.decision(table)["asked"]
    assert ann.decision(table)["deadline"] is None


@pytest.mark.parametrize("out", ["ask", "bot", "end"])
@pytest.mark.parametrize("clock", ["bank", "days"])
def test_a_seat_that_is_asked_again_is_timed_again(timed, clock, out):
    """However often a player's time runs out, the game always continues."""
    table, ann, _ = two(timed, clock=clock, minutes=1, step=0, days=1, out=out)
    for _ in range(12):
        state = timed.rested(table)
        if state.stage == "over":
            break
        before, asked = state.number, set(state.asked)
        if 0 in asked and ann.decision(table)["asked"]:
            bid(table, ann)
            continue
        timed.clock.go(DAY + 1)
        tick(timed, table)
        state = timed.rested(table)
        if state.stage == "playing" and 1 in state.asked and out == "ask":
            assert state.clocks.flagged == {1}
            assert ann.do(table, "choose", text="bot").json()["ok"]
            state = timed.rested(table)
        assert state.number > before
        assert state.stage == "over" or 1 not in state.asked or state.clocks.next_end() is not None


class Onward(Anything):
    """A bot that plays a random move, never a step back."""

    def answer(self, v, seat, seed, memory=None, until=None):
        found = [move for move in self.game.moves(v, seat) if move != self.game.rules.BACK]
        return found[seed % len(found)] if found else self.game.rules.BACK


class AnyBots(HouseBots):
    def bot(self, name, game):
        return Onward(game, name)


@pytest.mark.parametrize("name", [name for name in backroom.names() if max(backroom.game(name).seats) > 1])
def test_no_table_of_any_game_stops_when_time_is_over(name, tmp_path):
    """With every clock and policy, some players move and others run out of time, and the game goes on or ends."""
    clock, seats = Clock(), min(backroom.game(name).seats)
    with served(tmp_path / "t.db", now=clock, bots=AnyBots()) as server:
        for n, (kind, out) in enumerate(itertools.product(("bank", "days"), ("ask", "bot", "end"))):
            terms = Terms(clock=kind, bank=60 if kind == "bank" else DAY, out=out, rated=False)
            made = config(name, seats, {}, terms, is_public=False, maker="p0", made=clock())
            sits = [Entry(SIT, seat, f"P{seat}", f"p{seat}") for seat in range(seats)]
            entries = actions.start_if_full(TableState(made), sits)
            server.do(server.services.tables.make(made, entries))
            time_passes(server, made.id, clock, random.Random(n))


def time_passes(server, table, clock, rng, steps=10):
    """Somebody moves, or the time of those who are asked runs out, in turn: each time the table goes on."""
    live = server.live(table)
    for step in range(steps):
        state = settled(server, live)
        if state.stage == "over":
            return
        before, seat = state.number, rng.choice(state.asked)
        if step % 2 and seat not in state.clocks.flagged:
            moves = state.table.moves(seat)
            server.do(live.write(lambda state, seat=seat, moves=moves: state.move_entries(seat, rng.choice(moves))))
        else:
            clock.go(DAY + 1)
            server.do(live.tick())
            state = settled(server, live)
            late = [each for each in state.asked if each in state.clocks.flagged]
            others = [each for each in range(state.config.seats) if each not in late[:1]]
            if state.stage == "playing" and late and late[0] not in state.stand_ins and others:
                server.do(live.write(actions.choose(Person(f"p{others[0]}", ""), "bot")))
        state = settled(server, live)
        assert state.number > before
        are_asked_what_to_do = state.config.terms.out == ASK and state.clocks.flagged.issuperset(state.asked)
        is_timed = timeouts.next_due(state) is not None
        assert state.clocks.flagged.issubset(state.asked), "who has answered is still flagged"
        assert state.stage == "over" or is_timed or are_asked_what_to_do, "nobody is timed any more"


def settled(server, live):
    """The table's state when nothing waits to be written, no bot has to move and nobody's time is over."""

    async def look():
        async with live.reading() as state:
            due = timeouts.next_due(state)
            is_late = due is not None and due < live.tables.now()
            return None if live.bots.is_busy or is_late else state

    for _ in range(3000):
        if (state := server.do(look())) is not None:
            return state
        time.sleep(0.01)
    raise AssertionError("the table does not come to rest")


def test_clocks_of_days_are_wound_however_long_they_have(timed):
    """The timer of a table sleeps for a limited time, not until the end, and checks again."""
    table, *_ = two(timed, clock="days", days=3)
    live = timed.live(table)
    assert live.timer is not None
    assert not live.timer.cancelled()

    async def wake():
        live._wake()

    timed.clock.go(3600)
    first = live.timer
    timed.do(wake())
    assert not live.state.clocks.flagged
    assert live.timer is not first
    assert not live.timer.cancelled()
    timed.clock.go(3 * DAY)
    timed.do(wake())
    for _ in range(200):
        if live.state.clocks.flagged:
            return
        time.sleep(0.01)
    raise AssertionError("nobody was flagged")


def test_without_a_countdown_nobody_is_hurried(timed, planted):
    planted(counting())
    table, _, ben = two(timed, **{"option-countdown": "off"})
    timed.clock.go(10_000)
    assert ben.decision(table)["deadline"] is None
    assert tick(timed, table).stage == "playing"


def test_a_game_may_time_a_look_of_its_own(timed, planted):
    planted(hurried())
    table, ann, ben = two(timed)
    bid(table, ann, ben)
    state = timed.live(table).state
    assert len(state.asked) == 1
    timed.clock.go(5.001)
    lines = tick(timed, table).table.lines
    assert lines[-1].name == "keep"

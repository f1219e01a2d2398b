"""Bots at a server's table: where they think, what they remember and for how long, and which names are allowed."""

import asyncio
import gc
import os
import sys
import threading
import time
import weakref
from collections import Counter

import pytest
from serving import TOY, Anything, Clock, ToyBots, run, served, until

import backroom
from backroom.server import background
from backroom.server.background import background_threads
from backroom.server.errors import Refused
from backroom.server.storage.journal import MOVE
from backroom.server.tables.state import Hands
from backroom.server.tables.table_bots import Question
from backroom.server.tables.thinking import OneEach, Turns, warm


class Noting(Anything):
    """Records who is asked, with which dice and memory, and in which thread."""

    def __init__(self, game, name, notes, patience):
        super().__init__(game, name, patience)
        self.notes = notes

    def memory(self):
        return object()

    def answer(self, v, seat, seed, memory=None, until=None):
        self.notes.append((self.name, seat, seed, memory, until, threading.current_thread().name))
        return super().answer(v, seat, seed)


class NotingBots(ToyBots):
    def __init__(self):
        self.notes = []

    def bot(self, name, game):
        return Noting(game, name, self.notes, 5.0 if name == "hard" else 1.0)


@pytest.fixture
def bots():
    return NotingBots()


@pytest.fixture
def server(toy, tmp_path, bots):
    with served(tmp_path / "t.db", now=Clock(), bots=bots) as found:
        yield found


def play_once(server, table, guest):
    """A guest makes the first legal move; then the bots finish."""
    now = guest.decision(table)
    assert guest.move(table, now["moves"][0]["name"], now["ask"]).status_code == 200
    return server.rested(table)


def test_a_bot_keeps_its_memory_as_long_as_it_plays_its_seat(server, bots):
    ann = server.guest()
    table = ann.make(TOY, seats=2, **{"seat-1": "easy"})
    server.rested(table)
    play_once(server, table, ann)
    kept = {id(memory) for _, _, _, memory, _, _ in bots.notes}
    assert len(bots.notes) >= 2
    assert len(kept) == 1
    bots.notes.clear()
    assert ann.do(table, "unrate", text="back").status_code == 200
    assert ann.do(table, "undo").status_code == 200
    server.rested(table)
    play_once(server, table, ann)
    assert bots.notes
    assert not kept & {id(memory) for _, _, _, memory, _, _ in bots.notes}


def test_bots_think_in_threads_of_their_own_for_a_limited_time(server, bots):
    ann = server.guest()
    table = ann.make(TOY, seats=3, **{"seat-1": "easy", "seat-2": "hard"})
    server.rested(table)
    assert {name for name, *_ in bots.notes} == {"easy", "hard"}
    assert all(thread.startswith("bot") for *_, thread in bots.notes)
    assert all(until is not None for *_, until, _ in bots.notes)
    assert len({seed for _, _, seed, *_ in bots.notes}) == len(bots.notes)


def test_a_patient_bot_has_more_time(toy, tmp_path, bots):
    with served(tmp_path / "t.db", bots=bots, bot_seconds=10_000.0) as server:
        table = server.guest().make(TOY, seats=3, **{"seat-1": "easy", "seat-2": "hard"})
        server.rested(table)
    left = {name: until - time.monotonic() for name, *_, until, _ in bots.notes}
    assert 5_000 < left["easy"] <= 10_000
    assert 45_000 < left["hard"] <= 50_000


def test_a_bot_thinks_while_people_look_at_what_has_happened(toy, tmp_path, bots):
    with served(tmp_path / "t.db", bots=bots, bot_pace=1e6) as server:
        table = server.guest().make(TOY, seats=2, **{"seat-0": "easy", "seat-1": "easy"})
        until(lambda: {seat for _, seat, *_ in bots.notes} == {0, 1})
        assert server.do(current(server.live(table))).asked == (1,)  # it has thought, and waits


def test_only_the_last_of_sealed_answers_comes_after_a_pause(toy, tmp_path, bots):
    with served(tmp_path / "t.db", bots=bots, bot_pace=1e6) as server:
        ann = server.guest()
        table = ann.make(TOY, seats=3, **{"seat-1": "easy", "seat-2": "easy"})
        until(lambda: server.do(current(server.live(table))).asked == (0,))
        server.rested(table)
        now = ann.decision(table)
        assert ann.move(table, now["moves"][0]["name"], now["ask"]).status_code == 200  # the bids are opened at once
        assert len(server.do(current(server.live(table))).table.lines) > 3


def test_who_stands_in_for_somebody_late_thinks_there_too(server, bots):
    ann, ben = server.guest("Ann"), server.guest("Ben")
    table = ann.make(TOY, seats=2, clock="bank", minutes=1, step=0, out="bot")
    assert ben.do(table, "sit").json()["ok"]
    play_once(server, table, ann)
    assert not bots.notes
    server.services.settings.now.go(61)
    server.do(server.live(table).tick())
    state = server.rested(table)
    assert bots.notes
    assert all(seat == 1 and thread.startswith("bot") for _, seat, *_, thread in bots.notes)
    assert not state.stand_ins


def test_after_a_restart_a_bot_throws_the_same_dice(toy, tmp_path):
    table, seeds = "", []
    for _ in range(2):
        bots = NotingBots()
        with served(tmp_path / "t.db", bots=bots, bot_pace=1e6) as server:
            table = table or server.guest().make(TOY, seats=2, **{"seat-0": "easy", "seat-1": "easy"})
            live = server.live(table)
            while len((state := server.do(current(live))).asked) > 1:  # the first bot answers without a pause
                time.sleep(0.01)
            live.bots.answer(live.bots.question(state), None)
            seeds.append(bots.notes[-1][2])
    assert seeds[0] == seeds[1]


def test_after_a_restart_a_turn_is_decided_again_in_limited_time(toy, tmp_path, bots):
    game = backroom.game("run")
    table = game.table(seed=1)
    (seat,) = table.asked
    table.play(seat, table.moves(seat)[0])
    question = Question(seat, 0, 0, table.view(seat), table, 1, "hard", Hands(0, 0))
    with served(tmp_path / "t.db", bots=bots, bot_seconds=10.0) as server:
        live = server.live(server.guest().make(TOY, seats=2))
        live.bots.answer(question, 100.0)
    again, now = (deadline for *_, deadline, _ in bots.notes)
    assert again == 150.0
    assert 150.0 < now < 160.0  # the time to decide again does not count


def with_a_claim_open(server):
    """A guest, and a table of Rum Run where she is asked, and where the bot beside her may claim an objective."""
    start = "blue g6:1|2v+1 | red h7:1|2< | broken 1 2"
    log = backroom.game("rum-run").table(seed="1", start=start, objectives="yes", claims="noticed")
    log.who = {0: "Ann", 1: "easy"}
    ann = server.guest("Ann")
    table = ann.web.post("/import", data={"log": str(log.save)}).headers["location"].split("/")[2]
    assert ann.do(table, "sit", seat=0).json()["ok"]
    return ann, table


def test_a_bot_claims_out_of_turn_and_people_read_it(toy, tmp_path):
    with served(tmp_path / "t.db") as server:
        ann, table = with_a_claim_open(server)
        state = server.rested(table)
        assert [(line.seat, line.name) for line in state.table.lines] == [(1, "claim broke most")]
        assert state.asked == (0,)
        assert "claims Broke Most" in ann.web.get(f"/tables/{table}").text
        kept = server.do(server.services.store.read(lambda conn: server.services.store.journal(conn, table)))
        assert [(entry.seat, entry.text) for entry in kept if entry.kind == MOVE] == [(1, "claim broke most")]


def test_before_a_bot_claims_out_of_turn_people_may_move(toy, tmp_path):
    with served(tmp_path / "t.db", bot_pace=1e6) as server:
        ann, table = with_a_claim_open(server)
        for name in ("caravan g6", "claim scored 1 barrel"):
            assert ann.move(table, name, ann.decision(table)["ask"]).status_code == 200
        live = server.live(table)
        assert live.bots.is_busy
        assert [line.name for line in live.state.table.lines] == ["caravan g6", "claim scored 1 barrel"]


async def current(live):
    async with live.reading() as state:
        return state


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("hard:noise=2", "from 0 to 1"),
        ("nobody", "no bot called"),
        ("hard:" + "9" * 200, "length"),
        ("random:1", "plan"),
    ],
)
def test_bots_that_cannot_be(server, name, says):
    ann = server.guest()
    table = ann.make(TOY, seats=2)
    answer = ann.do(table, "bot", seat=1, bot=name)
    assert answer.status_code == 422
    assert says in answer.json()["why"]


def test_a_bot_with_another_plan_can_be_asked_to_the_table(server, bots):
    ann = server.guest()
    table = ann.make(TOY, seats=2)
    assert ann.do(table, "bot", seat=1, bot="search:8").json()["ok"]
    server.rested(table)
    assert bots.notes[0][0] == "search:8"


def test_preparing_a_game_warms_its_bots(toy):
    bots = NotingBots()
    warm(bots, backroom.game(TOY))
    assert [name for name, *_ in bots.notes] == ["random", "easy", "medium", "hard"]


def test_hints_for_a_person_are_thought_of_one_at_a_time_and_few_for_an_address():
    running, most, refused = Counter(), Counter(), []

    async def ask(person, address):
        try:
            async with one_each.turn(person, address):
                running.update(["all", person])
                most["all"] = max(most["all"], running["all"])
                most[person] = max(most[person], running[person])
                await asyncio.sleep(0.01)
                running.subtract(["all", person])
        except Refused as refusal:
            refused.append((person, refusal.status))

    async def work():
        await asyncio.gather(*(ask("ann", "here") for _ in range(4)), ask("ben", "there"), ask("cid", "here"))

    one_each = OneEach(4)
    run(work())
    assert refused == [("cid", 429)]
    assert most == {"all": 2, "ann": 1, "ben": 1}
    assert not one_each._wanted
    assert not one_each._locks


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows niceness of threads")
def test_threads_that_think_give_way():
    def niceness():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    with background_threads(1, "thought") as pool:
        assert pool.submit(niceness).result() > niceness()


def test_of_many_bots_that_come_at_once_few_have_their_turn_before_people_are_heard():
    async def come(turns, rounds, seen):
        await turns.mine()
        seen.append(rounds[0])

    async def play():
        turns, rounds, seen = Turns(4), [0], []
        coming = [asyncio.ensure_future(come(turns, rounds, seen)) for _ in range(40)]
        await asyncio.sleep(0)
        coming[5].cancel()  # somebody who stops waiting takes nobody's turn away
        while len(seen) < 39:
            rounds[0] += 1
            await asyncio.sleep(0)  # a round of the loop, in which others are heard
        await turns.mine()  # and it goes on when nobody has waited for a while
        return seen

    seen = asyncio.run(play())
    assert len(seen) == 39
    assert max(seen.count(each) for each in seen) <= 4


def test_cyclic_garbage_is_collected_though_there_are_no_more_objects_than_before(monkeypatch):
    class Ring:
        def __init__(self):
            self.itself = self

    async def play():
        collecting = asyncio.ensure_future(background.collect_on())
        old = Ring()
        gc.collect(1)  # what is there now is among the oldest
        gone, dropped = weakref.ref(Ring()), weakref.ref(old)
        del old
        while gone() is not None or dropped() is not None:
            await asyncio.sleep(0.001)
        collecting.cancel()

    monkeypatch.setattr(background, "COLLECT", 0.001)
    monkeypatch.setattr(background, "OLDEST", 20)
    gc.disable()
    try:
        asyncio.run(asyncio.wait_for(play(), 60))
    finally:
        gc.enable()

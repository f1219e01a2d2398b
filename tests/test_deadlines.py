"""A bot whose time is over plays the best move it has found; one that has time is not disturbed."""

import itertools
import threading
import time
from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest
import terminals

import backroom
from backroom.bots import Bot, bot, is_bot, seated
from backroom.bots.bot import strategy_of
from backroom.bots.deadlines import Deadlines
from backroom.bots.levels import levels_of, plan_of
from backroom.engine.kernel import NATURE, dice_from

LEAST = {
    "search": "iterations=16",
    "rounds": "iterations=10",
    "plies": "plies=1",
    "rollouts": "worlds=0,blur=0",
    "turns": "worlds=0",
    "tree": "iterations=0",
}
"""The plan of each strategy with as little work as it does after its deadline has passed."""
A_WHILE = 20.0
"""More seconds than a bot takes that does not search."""
ALWAYS_A_CHOICE = ("runaway-train", "rum-run-setups")
"""Games in which random play never meets a seat with only one move."""
PAST = -1.0
"""A deadline that has passed before anything began."""


def decisions(name, most=6):
    """Some views with a choice, from random games."""
    game, rng, found = backroom.game(name), np.random.default_rng(4), []
    table = game.table(seed=4)
    while not table.is_over and len(found) < most:
        seat = table.asked[0]
        v = table.view(seat)
        moves = [move for move in game.moves(v, seat) if move != game.rules.BACK] or game.moves(v, seat)
        if len(moves) > 2:
            found.append((v, seat))
        table.play(seat, game.rules.name(v, int(rng.choice(moves))))
    return found


@pytest.mark.parametrize("name", list(backroom.names()))
def test_late_from_the_start_it_plays_as_with_the_least_thought(name):
    game = backroom.game(name)
    strategy, _ = plan_of(game, "hard")
    hard, quick = bot("hard", game), bot(f"hard:{LEAST[strategy]}", game)
    views = decisions(name)
    hard.answer(*views[0], 0)  # compiled: the time for that does not count
    for number, (v, seat) in enumerate(views):
        late = hard.answer(v, seat, number, until=PAST)
        assert late in game.moves(v, seat)
        if strategy != "tree" or game.asked(v) == (seat,):  # otherwise it has one world of rollouts, unless it is late
            assert late == quick.answer(v, seat, number)


@pytest.mark.parametrize(
    ("name", "level"), [(name, level) for name in backroom.names() for level in levels_of(backroom.game(name))]
)
def test_nothing_is_left_in_a_workspace(name, level):
    """The same question gets the same answer in a used workspace and in the new one of another thread."""
    player, views, fresh = bot(level, backroom.game(name)), decisions(name, 4), []
    used = [[player.answer(v, seat, number) for number, (v, seat) in enumerate(views)] for _ in range(2)][-1]
    for number, (v, seat) in enumerate(views):
        work = threading.Thread(target=lambda v=v, seat=seat, n=number: fresh.append(player.answer(v, seat, n)))
        work.start()
        work.join()
    assert fresh == used


def forced(name, most=3):
    """Some views in which a seat has only one move, from random games."""
    game, found = backroom.game(name), []
    for seed, (seats, options) in zip(range(40), itertools.cycle(game.settings()), strict=False):
        s = game.start(seats, options)
        for seat, move in game.stroll(s, seats, dice_from(seed)):
            if seat != NATURE and set(game.moves(s, seat)) - {game.rules.BACK} == {move}:
                found.append((game.view(s, seat), seat, move))
                break
        if len(found) == most:
            break
    return found


@pytest.mark.parametrize(
    ("name", "level"),
    [
        (name, level)
        for name in backroom.names()
        for level in ("hard", "expert")
        if name not in ALWAYS_A_CHOICE and is_bot(level, backroom.game(name))
    ],
)
def test_where_there_is_one_move_it_is_made_at_once(name, level):
    """By bots that would otherwise think as long as any plan allows."""
    game = backroom.game(name)
    first = fields(strategy_of(level, game)[1])[0]
    player, views = bot(f"{level}:{first.name}={first.metadata['most']:.0f}", game), forced(name)
    bot(level, game).answer(*views[0][:2], 0)  # compiled: the time for that does not count
    for v, seat, move in views:
        begin = time.monotonic()
        assert player.answer(v, seat, 0, until=begin + A_WHILE) == move
        assert time.monotonic() < begin + A_WHILE


@pytest.mark.parametrize("name", ALWAYS_A_CHOICE)
def test_the_games_left_out_have_no_forced_moves(name):
    assert not forced(name)


def test_a_thought_without_end_ends_when_time_is_over():
    game = backroom.game(terminals.GAME)
    v, seat = decisions(terminals.GAME, 1)[0]
    player = bot("search:10000000", game)
    bot("search:1", game).answer(v, seat, 0)
    assert player.answer(v, seat, 0, until=time.monotonic() + 0.05) in game.moves(v, seat)


class Endless:
    """In place of a kernel: the first call compiles it, and it thinks until its time is over, or for three seconds."""

    def __init__(self):
        self.signatures = []

    def __call__(self, v, seat, dice, work, memory):
        if not self.signatures:
            time.sleep(0.2)
            self.signatures.append("compiled")
        end = time.monotonic() + 3
        while not work.stop[0] and time.monotonic() < end:
            time.sleep(0.001)
        return 0


def endless(game):
    """A bot for a game that uses all the time it has."""
    return Bot("endless", game, Endless(), lambda: SimpleNamespace(stop=np.zeros(1, np.int64)))


def test_the_first_thought_is_compiled_and_then_has_a_deadline_too():
    game = backroom.game(terminals.GAME)
    v, seat = decisions(terminals.GAME, 1)[0]
    begin = time.monotonic()
    endless(game).answer(v, seat, 0, until=begin + 0.1)
    assert 0.3 <= time.monotonic() - begin < 2


def test_what_is_decided_again_has_a_deadline_too():
    """A bot that joins in the middle of its turn, after a restart, does not think without limit."""
    game = backroom.game("run")
    table = game.table(seed=1)
    (seat,) = table.asked
    table.play(seat, table.moves(seat)[0])
    assert table.asked == (seat,)
    begin = time.monotonic()
    seated(endless(game), seat, table).recall(table, until=begin + 0.1)
    assert 0.3 <= time.monotonic() - begin < 2


def test_rollouts_of_the_tree_search_end_when_its_time_is_over():
    work = bot("hard", backroom.game("rum-run")).work
    assert work.rolls.stop is work.stop


def test_cells_are_set_when_their_time_is_over_and_not_before():
    now = [0.0]
    deadlines = Deadlines(lambda: now[0])
    deadlines._start = lambda: None  # nobody watches: the test does
    first, second, done, never = (np.zeros(1, np.int64) for _ in range(4))
    with deadlines.keep(10.0, done):
        pass
    with deadlines.keep(None, never), deadlines.keep(20.0, second), deadlines.keep(10.0, first):
        assert deadlines.strike() == 10.0
        now[0] = 15.0
        assert deadlines.strike() == 5.0
        assert (first[0], second[0], done[0], never[0]) == (1, 0, 0, 0)
        now[0] = 20.0
        assert deadlines.strike() is None
        assert (first[0], second[0], done[0], never[0]) == (1, 1, 0, 0)
    with deadlines.keep(20.0, done):
        assert done[0] == 1  # it is late already
    with deadlines.keep(21.0, done):
        assert done[0] == 0

"""Take-backs: a bot keeps what it learned before and plays on as after a restart, in the terminal and at a server."""

import numpy as np
import pytest
from serving import served

import backroom
from backroom.bots import SeatedBot, bot, bots_seed_of, next_seat, seated
from backroom.terminal.play import Session, resumed, seat_bots

LEVELS = {"booze-barons": "rollouts:worlds=1,turns=1,recall=1", "rum-run": "hard:iterations=4,width=4,first=8"}
"""Games in which a bot remembers more than its turn: what it learned, and how its turns ended."""


def equal(one, other):
    """Whether two memories say the same of the past."""
    return all(np.array_equal(one[name], other[name]) for name in ("turns", "been", "learned"))


def remembers(memory):
    return bool(memory.turns or memory.learned.any())


def go_on(session, lines):
    """Play on at the keyboard, by first moves, until there are this many lines and the person is asked."""
    table = session.table
    while not table.is_over and (len(table.lines) < lines or table.asked[0] != 0):
        seat = table.asked[0]
        session.play(seat, session.bots[seat].move(table) if seat else table.moves(0)[0])


@pytest.mark.parametrize("name", LEVELS)
def test_after_undo_bots_play_as_after_undo_and_a_restart(name, tmp_path):
    game = backroom.game(name)
    player, table = bot(LEVELS[name], game), game.table(3, seed="a")
    session = Session(table, seat_bots(table, [player], 0), tmp_path / "game.log")
    go_on(session, 40)
    assert session.obey(0, "undo")
    again = table.copy()
    other = resumed(again, seat_bots(again, [player], 0), session.path)
    other.path, other.kept = tmp_path / "other.log", None
    for seat, mine in session.bots.items():
        assert remembers(mine.memory)
        assert equal(mine.memory, other.bots[seat].memory)
    lines = len(table.lines) + 12
    go_on(session, lines)
    go_on(other, lines)
    assert [line.name for line in table.lines] == [line.name for line in again.lines]


@pytest.mark.parametrize("seed", range(3))
def test_a_claim_out_of_turn_is_no_turn_to_remember(seed):
    """Whenever a game is continued from its log, a bot remembers what it remembered before."""
    game = backroom.game("rum-run")
    player = bot(LEVELS["rum-run"], game)
    table = game.table(2, seed=seed, setup="small", objectives="yes", claims="noticed")
    players, out_of_turn = {seat: seated(player, seat, table) for seat in range(2)}, 0
    while not table.is_over and len(table.lines) < 120:
        seat = next_seat(table, players)
        if seat not in table.asked:
            out_of_turn += 1
            again = seated(player, seat, table)
            again.recall(table)
            assert equal(again.memory, players[seat].memory)
            assert again.move(table) == players[seat].move(table)
        table.play(seat, players[seat].move(table))
    assert out_of_turn
    for seat in set(players) - set(table.asked):
        again = seated(player, seat, table)
        again.recall(table)
        assert remembers(again.memory)
        assert equal(again.memory, players[seat].memory)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose bots have no deadline, which would change their moves on a busy machine."""
    with served(tmp_path_factory.mktemp("back") / "t.db", bot_seconds=None) as found:
        yield found


def play_a_move(server, table, guest):
    """The guest makes the first legal move, and the bots answer."""
    now = guest.decision(table)
    assert guest.move(table, now["moves"][0]["name"], now["ask"]).status_code == 200
    return server.rested(table).table


@pytest.mark.parametrize("name", LEVELS)
def test_after_a_take_back_at_a_server_bots_play_as_if_the_rest_had_been_all(server, name):
    game = backroom.game(name)
    player, first = bot(LEVELS[name], game), game.table(3, seed=0)
    player.answer(first.view(first.asked[0]), first.asked[0], 0)  # compiled: answers do not wait for that
    ann = server.guest()
    table = ann.make(name, seats=3)
    for seat in (1, 2):
        assert ann.do(table, "bot", seat=seat, bot=LEVELS[name]).json()["ok"]
    played = server.rested(table).table
    while len(played.lines) < 40:
        played = play_a_move(server, table, ann)
    assert ann.do(table, "unrate", text="back").status_code == 200
    assert ann.do(table, "undo").status_code == 200
    again = server.rested(table).table.copy()
    seed = bots_seed_of(server.live(table).config.seed)
    players = {seat: SeatedBot(player, seat, seed) for seat in (1, 2)}
    for each in players.values():
        each.recall(again)
        assert remembers(each.memory)
    while len(played.lines) < len(again.lines) + 12:
        played = play_a_move(server, table, ann)
    while len(again.lines) < len(played.lines):
        line = played.lines[len(again.lines)]
        if line.seat in players:
            assert players[line.seat].move(again) == line.name
        again.play(line.seat, line.name)
    seated = server.live(table).bots._seated
    assert all(equal(each.memory, seated[seat][1].memory) for seat, each in players.items())

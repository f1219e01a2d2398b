"""What `hard` must find: a caravan that wins, and one that wins by the free action that it earns."""

import random

import pytest

from backroom.arena.match import match
from backroom.bots import bot

from .boards import GAME, at


def line(s, steps):
    """What it plays in a position for a number of steps, while the seat is asked."""
    player, found = bot("hard", GAME), []
    (seat,) = GAME.asked(s)
    for number in range(steps):
        if GAME.asked(s) != (seat,):
            break
        move = player.answer(GAME.view(s, seat), seat, number)
        found.append(GAME.rules.name(s, move))
        s = GAME.after(s, seat, move)
    return found, s


def test_a_caravan_that_wins_is_found():
    found, s = line(at("blue g6:1|2v+1 h7:1|3< | red g8:1|2^+1 | scored 7 6"), 1)
    assert found == ["caravan g6"]
    assert s.over
    assert s.winners == 1


def test_a_caravan_whose_free_action_wins_is_found():
    """§6.5: two barrels beside the Town Center, and two are missing."""
    found, s = line(at("blue g6:1|2v+1 h7:1|3<+1 | red g8:1|2^+1 | scored 6 7"), 2)
    assert sorted(found) == ["caravan g6", "caravan h7"]
    assert s.winners == 1


def test_the_one_caravan_that_wins_is_chosen_among_others():
    """Three barrels on the third token: only from the first is one scored now."""
    s = at("blue g6:1|2v+1 g5:2|3v g4:3|4v+3 | red g8:1|2^+1 | scored 7 7")
    assert line(s, 1)[0] == ["caravan g6"]


def test_each_level_beats_the_one_below():
    levels = [("easy", "random", 30, 0.65), ("medium", "easy", 20, 0.8), ("hard", "medium", 12, 0.55)]
    for better, worse, games, least in levels:
        assert match(bot(better, GAME), bot(worse, GAME), games, seed=2026).share >= least


@pytest.mark.parametrize(("seats", "setup", "games"), [(2, "first", 5), (4, "first", 2), (2, "standard", 3)])
def test_games_between_players_without_noise_end(seats, setup, games):
    """§7.2 lets barrels be stolen back and forth for ever; players who never err tire of it."""
    player = bot("hard", GAME)
    for seed in range(games):
        table = GAME.table(seats=seats, seed=seed, setup=setup)
        dice = random.Random(seed)
        for number in range(1500 * seats):
            if table.is_over:
                break
            seat = table.asked[0]
            moves = GAME.moves(table.view(seat), seat)
            opening = number < 4 * seats
            move = dice.choice(moves) if opening else player.answer(table.view(seat), seat, dice.getrandbits(63))
            table.play(seat, GAME.rules.name(table.view(seat), move))
        assert table.is_over

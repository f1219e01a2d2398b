"""What a level must find: a caravan that wins, and one that wins by the free action that it earns."""

import pytest

from backroom.bots import bot

from .boards import GAME, at

LEVELS = ("medium", "hard")


def line(level, s, steps):
    """What a level plays in a position, so many steps, while the seat is asked."""
    player, found = bot(level, GAME), []
    (seat,) = GAME.asked(s)
    for number in range(steps):
        if GAME.asked(s) != (seat,):
            break
        move = player.answer(GAME.view(s, seat), seat, number)
        found.append(GAME.rules.name(s, move))
        s = GAME.after(s, seat, move)
    return found, s


@pytest.mark.parametrize("level", LEVELS)
def test_a_caravan_that_wins_is_found(level):
    found, s = line(level, at("blue g6:1|2v+1 h7:1|3< | red g8:1|2^+1 | scored 7 6"), 1)
    assert found == ["caravan g6"]
    assert s.over
    assert s.winners == 1


@pytest.mark.parametrize("level", LEVELS)
def test_a_caravan_whose_free_action_wins_is_found(level):
    """§6.5: two barrels beside the Town Center, and two are missing."""
    found, s = line(level, at("blue g6:1|2v+1 h7:1|3<+1 | red g8:1|2^+1 | scored 6 7"), 2)
    assert sorted(found) == ["caravan g6", "caravan h7"]
    assert s.winners == 1


@pytest.mark.parametrize("level", LEVELS)
def test_the_one_caravan_that_wins_is_chosen_among_others(level):
    """Three barrels on the third token: only from the first is one scored now."""
    s = at("blue g6:1|2v+1 g5:2|3v g4:3|4v+3 | red g8:1|2^+1 | scored 7 7")
    assert line(level, s, 1)[0] == ["caravan g6"]

"""Weaker levels see less, and still look human: what ends the game at once they see as it is, and no move is thrown by
dice.
"""

import functools
import itertools
from collections import deque

import pytest

import backroom
from backroom.bots import bot
from backroom.bots.levels import LEVELS, plan_of
from backroom.bots.thinking import blurred, misjudged
from backroom.engine.kernel import dice_from

CONTESTS = [name for name in backroom.names() if max(backroom.game(name).seats) > 1]
OPEN = ["run", "runaway-train"]
"""Games without hidden hands in which random play meets moves that end the game."""
ENOUGH = 4
"""Positions of each game."""


@functools.cache
def last_moves(name):
    """Positions in which a move ends the game and another is as legal: the seat, and the moves that win or lose all."""
    game = backroom.game(name)
    seats, chosen = game.settle(None, {})
    found = []
    for seed in itertools.count():
        s, last = game.start(seats, chosen), deque(maxlen=3)  # before the end, nothing ends the game
        for _ in game.stroll(s, seats, dice_from(seed)):
            last.append(game.copy(s))
        for at in last:
            asked = game.asked(at)
            if len(asked) != 1 or asked[0] >= seats:
                continue
            (seat,) = asked
            moves = [move for move in game.moves(at, seat) if move != game.rules.BACK]
            ends = {move: game.after(at, seat, move) for move in moves}
            over = {move: game.winners(end, seats) for move, end in ends.items() if not game.asked(end)}
            winning = {move for move, winners in over.items() if winners == (seat,)}
            losing = {move for move, winners in over.items() if seat not in winners}
            if (winning and len(winning) < len(moves)) or (losing and len(losing) < len(moves)):
                found.append((at, seat, winning, losing))
        if len(found) >= ENOUGH:
            return found[:ENOUGH]
    raise AssertionError


@pytest.mark.parametrize("level", ["easy", "medium"])
@pytest.mark.parametrize("name", OPEN)
def test_a_weaker_level_wins_at_once_and_does_not_lose_at_once(name, level):
    """Alone aboard nobody jumps off behind; nobody leaves his last man on the board."""
    game = backroom.game(name)
    for s, seat, winning, losing in last_moves(name):
        for seed in range(8):
            move = bot(level, game).answer(game.view(s, seat), seat, seed)
            assert move in winning or not winning
            assert move not in losing


@pytest.mark.parametrize("name", CONTESTS)
def test_no_level_throws_dice_for_a_move(name):
    for level in LEVELS:
        _, plan = plan_of(backroom.game(name), level)
        assert plan.noise == 0


def test_who_sees_less_sees_what_is_decided():
    dice = dice_from(1)
    assert {blurred(dice, 1.0, 9.0), blurred(dice, 0.0, 9.0)} == {0.0, 1.0}
    marks = [blurred(dice, 0.6, 4.0) for _ in range(1000)]
    assert 0.0 < min(marks) < 0.3
    assert 0.85 < max(marks) < 1.0
    assert blurred(dice, 0.6, 0.0) == 0.6
    assert misjudged(0.5, 0.0) == 0.5

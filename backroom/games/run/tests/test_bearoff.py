"""The bear-off tables against brute force in plain Python, and against the rules."""

import random
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest

from backroom.games.run import bearoff, net
from backroom.games.run.bearoff import BOARDS, FULL, all_turns, all_waits, all_wins

from .boards import GAME, at, endings

ROLLS = [(a, b, 1 if a == b else 2) for a in range(1, 7) for b in range(1, a + 1)]
EMPTY = (0,) * 6


@pytest.fixture(scope="module")
def steps():
    return bearoff._steps()


def number(board):
    """The table's number of men worth 1 to 6."""
    men = np.zeros((1, 26), np.int16)
    men[0, 24:18:-1] = board
    return int(bearoff.number_of(men, 0))


def boards_of(most):
    """Every home board with at most this number of men."""
    for n in range(most + 1):
        for worths in combinations_with_replacement(range(6), n):
            yield tuple(worths.count(worth) for worth in range(6))


def one_step(board, die):
    """§4.2 to §4.4, in the plainest words."""
    for worth in range(1, 7):
        if board[worth - 1] and (worth >= die or not any(board[worth:])):
            then = list(board)
            then[worth - 1] -= 1
            if worth > die:
                then[worth - die - 1] += 1
            yield tuple(then)


@cache
def turns_of(board, a, b):
    """How a turn can end; at home every die can be played while there are men."""

    def go_on(board, dice):
        if not dice or board == EMPTY:
            return {board}
        return set().union(*(go_on(then, dice[1:]) for then in one_step(board, dice[0])))

    return frozenset(go_on(board, (a,) * 4) if a == b else go_on(board, (a, b)) | go_on(board, (b, a)))


@cache
def wins(mine, theirs):
    """The probability that the player who rolls next wins: every roll, every turn."""
    if theirs == EMPTY:
        return 0.0
    return sum(w * max(1 - wins(theirs, then) for then in turns_of(mine, a, b)) for a, b, w in ROLLS) / 36


@cache
def mean_turns(board):
    """The fewest turns on average."""
    if board == EMPTY:
        return 0.0
    return 1 + sum(w * min(mean_turns(then) for then in turns_of(board, a, b)) for a, b, w in ROLLS) / 36


def test_every_board_has_a_number_of_its_own():
    numbers = [number(board) for board in boards_of(15)]
    assert sorted(numbers) == list(range(BOARDS))
    assert number(EMPTY) == 0
    assert {number(board) >= FULL for board in boards_of(15) if sum(board) == 15} == {True}


def test_a_number_gives_the_board_back():
    men = np.zeros((1, 26), np.int16)
    for n in random.Random(1).sample(range(BOARDS), 500):
        bearoff.set_board(men, 0, n)
        assert bearoff.number_of(men, 0) == n


def test_few_men_against_brute_force():
    """Every pair of boards with at most three men a side."""
    table = all_wins(3)
    boards = [board for board in boards_of(3) if board != EMPTY]
    for mine in boards:
        for theirs in boards:
            assert table[number(mine), number(theirs)] == pytest.approx(wins(mine, theirs), abs=1e-6)


def test_more_men_agree_with_fewer():
    few, more = all_wins(3), bearoff.tables().wins
    assert np.array_equal(more[: len(few), : len(few)], few)


def test_turns_against_brute_force():
    table = all_turns()
    assert table.sum(1) == pytest.approx(1, abs=1e-5)
    for board in boards_of(3):
        assert table[number(board)] @ np.arange(table.shape[1]) == pytest.approx(mean_turns(board), abs=1e-5)


def test_turns_end_as_the_rules_say(steps):
    """The tables' turns and the rules' own, for boards of all sizes."""
    step, _, scratch = steps
    lot = random.Random(2)
    for _ in range(150):
        n = lot.randrange(1, BOARDS)
        men = np.zeros((1, 26), np.int16)
        bearoff.set_board(men, 0, n)
        places = " ".join(f"{point}:{men[0, point]}" for point in range(19, 25) if men[0, point])
        roll = lot.randrange(21)
        big, small = bearoff.ROLLS[roll]
        off = 15 - int(men.sum())
        s = at(f"white {places} off:{off} | black 24:15", roll=f"{big} {small}")
        begin, end = bearoff.endings(step, n, roll, *scratch)
        ours = {int(number) for number in scratch[0][begin:end]}
        theirs = {int(bearoff.number_of(np.array([ending], np.int16), 0)) for ending in endings(s)}
        assert ours == theirs or (ours == {0} and 0 in theirs)  # once the last man can go, nothing else is looked at


def test_waits_are_the_rolls_that_bear_nothing_off():
    table = all_waits()
    boards = [board for board in boards_of(15) if sum(board) == 15]
    for board in random.Random(3).sample(boards, 200):
        stuck = sum(w for a, b, w in ROLLS if all(sum(then) == 15 for then in turns_of(board, a, b)))
        assert table[number(board) - FULL, 1] == pytest.approx(stuck / 36, abs=1e-6)


def test_each_for_himself_is_near_the_truth():
    """Where the net has no exact table it takes the two sides apart: with eight men both ways are known."""
    whole = net.weights(for_points=True)
    apart = whole._replace(wins=whole.wins[:1, :1].copy())
    lot = random.Random(4)
    boards = [board for board in boards_of(8) if sum(board) == 8]
    for _ in range(300):
        sides = [
            " ".join(f"{24 - worth}:{men}" for worth, men in enumerate(lot.choice(boards)) if men) + " off:7"
            for _ in range(2)
        ]
        s = at(f"white {sides[0]} | black {sides[1]}")
        assert net.is_known(s, whole)
        assert not net.is_known(s, apart)
        assert net.expect(s, 0, apart) == pytest.approx(net.expect(s, 0, whole), abs=0.02)


def test_a_double_win_counts_at_home():
    """White has one man left; Black has all fifteen at home and none off: he is lost, and nearly always doubly."""
    weights = net.weights(for_points=True)
    s = at("white 24:1 off:14 | black 19:15")
    assert GAME.asked(s) == (15,)
    s.turn = 1
    net.foresee(s, 0, weights)
    assert weights.ends.sum() == pytest.approx(1)
    assert weights.ends[net.WON] + weights.ends[net.WON_TWO] == pytest.approx(1)
    assert weights.ends[net.WON_TWO] == pytest.approx(bearoff.tables().waits[number((0, 0, 0, 0, 0, 15)) - FULL, 1])

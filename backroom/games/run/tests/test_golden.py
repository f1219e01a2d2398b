"""Golden games of Run: one for each way a game can end or a turn be lost, and the position it is kept for."""

import itertools
from pathlib import Path

import pytest

import backroom
from backroom.engine.kernel import NATURE
from backroom.games.run.pieces import OFF
from backroom.games.run.rules import is_running, is_walling, movers

GOLDEN = Path(__file__).parent / "golden"


def single_win(before, after):
    return int(after.points.max()) == 1 and after.men[:, OFF].min() > 0


def double_win(before, after):
    return int(after.points.max()) == 2 and after.men[:, OFF].min() == 0


def lost_turn(before, after):
    return not before.opening and not before.left.any() and not after.left.any() and after.turn != before.turn


def blocked_runner(before, after):
    return lost_turn(before, after) and is_running(before, int(before.turn))


def larger_die(before, after):
    return (
        not before.left.any()
        and list(after.left) == [1, 0]
        and after.dice[0] != after.dice[1]
        and movers(after, int(after.turn), int(after.dice[1])) != 0
    )


def opened_wall(before, after):
    """A turn that had to open a wall, and did."""
    seat = int(before.turn)
    return before.unwalled and after.turn != seat and not is_walling(after, seat)


def next_game(before, after):
    return before.fresh and before.points.any() and not after.fresh


def winner_begins(before, after):
    return next_game(before, after) and not before.opening and before.turn == before.points.argmax()


KEPT_FOR = {
    "single-win": (single_win, (1.0, 0.0), 264),
    "double-win": (double_win, (2.0, 0.0), 243),
    "lost-turn": (lost_turn, (0.0, 2.0), 210),
    "blocked-runner": (blocked_runner, (2.0, 0.0), 209),
    "larger-die": (larger_die, (2.0, 0.0), 213),
    "must-open": (opened_wall, (0.0, 2.0), 242),
    "match": (next_game, (0.0, 7.0), 1106),
    "match-winner-starts": (winner_begins, (0.0, 7.0), 1079),
}


def test_every_golden_game_is_kept_for_something():
    assert {path.stem for path in GOLDEN.glob("*.log")} == set(KEPT_FOR)


@pytest.mark.parametrize("name", KEPT_FOR)
def test_golden_game(name):
    table = backroom.replay(GOLDEN / f"{name}.log")
    kept_for, score, moves = KEPT_FOR[name]
    states = list(table.states())
    assert any(kept_for(*pair) for pair in itertools.pairwise(states))
    assert (table.score, len(table.lines)) == (score, moves)
    assert [at.seat for at in table.lines].count(NATURE) > 10

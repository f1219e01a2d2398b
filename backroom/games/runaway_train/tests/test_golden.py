"""Golden games of RunAway Train: one for each way a game can end, and the position it is kept for."""

import itertools
from pathlib import Path

import pytest

import backroom
from backroom.engine.kernel import EVERYONE, NATURE
from backroom.games.runaway_train.rules.state import BRAKED, CHOOSING, EMPTY, PLUNGED, STOPPED

GOLDEN = Path(__file__).parent / "golden"


def aboard(s):
    return int(s.aboard).bit_count()


def braked(before, after):
    return after.fate == BRAKED and after.speed < 1


def stopped(before, after):
    return after.fate == STOPPED and after.track != 0 and after.at == after.end[after.track]


def over_the_cliff_with_one(before, after):
    return after.fate == PLUNGED and aboard(after) == 1


def over_the_cliff_with_all(before, after):
    return after.fate == PLUNGED and aboard(after) == after.seats


def everybody_off(before, after):
    return after.fate == EMPTY and aboard(before) == 1


def over_the_cliff_with_half(before, after):
    return after.fate == PLUNGED and after.seats == 6 and aboard(after) == 3


def last_gasp(before, after):
    return before.ask == CHOOSING and before.track != 0 and before.at == before.end[before.track]


def last_gasp_leaves_nobody(before, after):
    return last_gasp(before, after) and after.fate == EMPTY


def two_brakes_in_one_move(before, after):
    return before.die != 0 and before.ask == after.ask and before.due == 0 and after.due == 2


KEPT_FOR = {
    "braked": (braked, (34, 33, 35), 59),
    "stopped-at-the-end": (stopped, (48, 36, 38, 33), 71),
    "over-the-cliff": (over_the_cliff_with_one, (46, 29, -965), 66),
    "nobody-got-off": (over_the_cliff_with_all, (-1000, -1000, -1000), 72),
    "everybody-off": (everybody_off, (10, 49, 0), 48),
    "six-seats": (over_the_cliff_with_half, (0, -972, -948, 26, 15, -947), 119),
    "last-gasp": (last_gasp, (51, 29, 47, 33), 76),
    "last-gasp-leaves-nobody": (last_gasp_leaves_nobody, (31, 8, 48), 76),
    "own-track": (two_brakes_in_one_move, (-979, -981, 15), 28),
}


def test_every_golden_game_is_kept_for_something():
    assert {path.stem for path in GOLDEN.glob("*.log")} == set(KEPT_FOR)


@pytest.mark.parametrize("name", KEPT_FOR)
def test_golden_game(name):
    table = backroom.replay(GOLDEN / f"{name}.log")
    kept_for, score, moves = KEPT_FOR[name]
    assert any(kept_for(*pair) for pair in itertools.pairwise(table.states()))
    assert (table.score, len(table.lines)) == (score, moves)
    changed = (
        one.seat == other.seat != NATURE and one.seen == 1 << one.seat for one, other in itertools.pairwise(table.lines)
    )
    assert any(changed)  # somebody changes a sealed choice
    assert any(at.seen == EVERYONE for at in table.lines if at.seat != NATURE)

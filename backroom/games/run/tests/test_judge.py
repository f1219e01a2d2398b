"""The judge of Run: exact where the truth is known, and luck that averages to zero over all rolls."""

import pytest

from backroom.arena.analysis import analyse, decision, lucks
from backroom.bots import bot, judge_of, plies
from backroom.engine.kernel import NATURE
from backroom.games.run import net

from .boards import GAME, after, at, turns

HOME = "white 19:2 20:1 22:1 24:1 off:10 | black 20:2 21:1 23:1 off:11"
MIDDLE = "white 1:4 3:2 5:1 8:2 11:1 14:2 16:1 18:1 20:1 | black 1:5 3:1 5:2 7:1 9:1 10:1 14:2 16:1 18:1"


@pytest.fixture(scope="module")
def judge():
    found = judge_of(GAME)
    assert isinstance(found, plies.Judge)
    return found


def best_after(s, seat, weights):
    """The truth of a bear-off with few men, by trying every way to end the turn."""
    if GAME.asked(s) != (seat,):
        return float(net.expect(s, seat, weights))
    return max(best_after(GAME.after(s, seat, move), seat, weights) for move in GAME.moves(s, seat))


@pytest.mark.parametrize("roll", ["21", "31", "43", "22", "65"])
def test_in_the_bear_off_a_move_is_worth_what_the_table_says(judge, roll):
    s, weights = at(HOME, roll), net.weights()
    (seat,) = GAME.asked(s)
    for move, worth in judge.moves(s, seat, 0).items():
        assert worth == pytest.approx((1 + best_after(GAME.after(s, seat, move), seat, weights)) / 2)


def test_a_wrong_step_in_the_bear_off_costs_what_it_loses(judge):
    """With one man on 21 and one on 23, a 2 and a 1: two steps that bear off one man, and what else there is."""
    s = at("white 21:1 23:1 off:13 | black 24:1 off:14", "21")
    (seat,) = GAME.asked(s)
    found = {GAME.rules.name(s, move): worth for move, worth in judge.moves(s, seat, 0).items()}
    errors = {name: decision(GAME, judge, s, 1, seat, GAME.rules.parse(s, name)).error for name in found}
    assert min(errors.values()) == 0
    assert errors == pytest.approx({name: max(found.values()) - worth for name, worth in found.items()})


def test_luck_evens_out_over_all_rolls(judge):
    table = GAME.table(start=MIDDLE, nature=False)
    before = table.state
    total = {0: 0.0, 1: 0.0}
    odds = GAME.odds(before)
    for move, weight in zip(GAME.moves(before, NATURE), odds, strict=True):
        luck = dict(lucks(table, judge, before, move, GAME.after(before, NATURE, move)))
        assert luck[0] == pytest.approx(-luck[1])
        for seat in total:
            total[seat] += luck[seat] * weight / sum(odds)
    assert total == pytest.approx({0: 0, 1: 0}, abs=1e-9)


def test_a_roll_is_worth_the_best_end_of_its_turn(judge):
    s = at(MIDDLE, "43")
    (seat,) = GAME.asked(s)
    ends = [net.expect(after(s, *turn.split()), seat, net.weights()) for turn in turns(s)]
    assert judge.view(s, seat, 0) == pytest.approx((1 + max(ends)) / 2)
    assert judge.view(s, 1 - seat, 0) == pytest.approx(1 - judge.view(s, seat, 0))


def test_hard_makes_fewer_errors_than_random(judge):
    table = GAME.table(seed=5)
    players = bot("hard", GAME), bot("random", GAME)
    while not table.is_over and len(table.lines) < 36:
        (seat,) = table.asked
        move = players[seat].answer(table.view(seat), seat, len(table.lines))
        table.play(seat, GAME.rules.name(table.view(seat), move))
    found = analyse(table, judge)
    assert 0 <= found.error(0) < found.error(1)
    assert all(0 <= one["worth"] <= 1 for row in found.as_json()["decisions"] for one in row["considered"])

"""The expert: its rollouts are unbiased whatever the net says, and it finds the best turn where that is known."""

import threading
import time

import numpy as np
import pytest

from backroom.bots import bot, judge_of, plies, truncated
from backroom.engine.kernel import NATURE
from backroom.engine.options import BadOption
from backroom.games.run import net

from .boards import GAME, after, at

HOME = "white 19:2 20:1 22:1 24:1 off:10 | black 20:2 21:1 23:1 off:11"
MIDDLE = "white 1:4 3:2 5:1 8:2 11:1 14:2 16:1 18:1 20:1 | black 1:5 3:1 5:2 7:1 9:1 10:1 14:2 16:1 18:1"
LATE = "white 17:1 18:2 19:4 20:3 22:5 | black 16:1 17:1 19:5 20:4 21:3 24:1"
QUICK = "expert:games=12,turns=1,plies=2,width=4"
"""The expert with a small plan."""


def rolled_out(s, seat, weights, **plan):
    """The workspace after rollouts of one position, none dropped; `results` has the result of each."""
    work = truncated.workspace_for(GAME, truncated.Plan(trust=0.0, **plan), weights)
    work.kept[0] = s
    assert truncated.roll_out_of(GAME)(work, seat, 1, np.uint64(7), False) == work.plan.games
    return work


def test_one_turn_after_each_roll_is_a_third_look():
    """Of 36 rollouts, each roll comes first as often as its odds say, so that the luck of that roll cancels out."""
    weights, s = net.weights(for_points=True), at(LATE)
    work = rolled_out(s, 0, weights, games=36, turns=1)
    work.starts[1] = s
    assert work.looks[0] == pytest.approx(plies.outlook_of(GAME)(work, 0, 2), abs=1e-9)
    assert np.std(work.results[0, :36]) > 0


def played_out(s, seat, weights):
    """The exact mean result of a position if both sides play by the net's static evaluation: all rolls, to the end."""
    work, found = plies.workspace_for(GAME, plies.Plan(plies=1), weights), {}
    open_chances, reply = plies.open_chances_of(GAME), plies.reply_of(GAME)

    def value(s):
        if not GAME.asked(s):
            return float(net.expect(s, seat, weights))
        if GAME.key(s) not in found:
            ends = []
            for at_roll, weight in enumerate(GAME.odds(s)):
                work.starts[1] = s
                open_chances(work, 1)
                reply(work, 1, seat, at_roll)
                ends.append((weight, GAME.copy(work.kept[plies.WIDEST])))
            found[GAME.key(s)] = sum(weight * value(end) for weight, end in ends) / 36
        return found[GAME.key(s)]

    return value(s)


def test_played_to_the_end_it_comes_to_what_that_is_worth():
    """A net without its tables misjudges a bear-off; rollouts to the end with that net do not."""
    s, blind = at("white 22:1 24:1 off:13 | black 20:1 23:1 off:13"), net.weights(for_points=True, by_tables=False)
    truth = played_out(s, 0, blind)
    results = rolled_out(s, 0, blind, games=360, turns=100).results[0, :360]
    reach = 4 * results.std() / np.sqrt(len(results))
    assert abs(results.mean() - truth) < reach
    assert abs(float(net.expect(s, 0, blind)) - truth) > reach


def test_the_first_rolls_are_spread_evenly():
    odds = np.array([1, 2, 2, 1], np.int32)
    for offset in (0, 3):
        found = [truncated.stratum(odds, 4, number, offset) for number in range(12)]
        assert np.bincount(found).tolist() == [2, 4, 4, 2]
        assert np.bincount(found[:6]).tolist() == [1, 2, 2, 1]


def test_what_is_clearly_behind_is_dropped():
    work, games = truncated.workspace_for(GAME, truncated.Plan(trust=0.0)), 40
    dice = np.random.default_rng(1)
    shared, apart = dice.normal(0, 1, games), dice.normal(0, 0.1, (4, games))
    for i, (gap, part) in enumerate(zip((0.0, 0.005, 0.2, 0.4), apart, strict=True)):
        work.results[i, :games] = shared + part - part.mean() - gap
    assert truncated.leader(work, 4, games) == 0
    assert truncated.drop(work, 4, games) == 2
    assert work.dropped[:4].tolist() == [0, 0, 1, 1]
    work.results[1, :games] = work.results[0, :games]
    assert truncated.drop(work, 4, games) == 1  # as good: the first stays
    assert truncated.leader(work, 4, games) == 0


def test_a_mark_counts_as_much_as_some_rollouts():
    work = truncated.workspace_for(GAME, truncated.Plan(trust=10.0))
    work.results[0, :30], work.marks[0] = 0.4, 0.2
    assert truncated.mark_of(work, 0, 30) == pytest.approx(0.35)


def best_after(s, seat, weights):
    """The truth of a bear-off with few men, by trying every way to end the turn."""
    if GAME.asked(s) != (seat,):
        return float(net.expect(s, seat, weights))
    return max(best_after(GAME.after(s, seat, move), seat, weights) for move in GAME.moves(s, seat))


def few_men(seed):
    """A bear-off with up to eight men a side, and a roll."""
    dice = np.random.default_rng(seed)
    sides = []
    for _ in range(2):
        points = dice.integers(19, 25, int(dice.integers(2, 9)))
        men = [f"{point}:{(points == point).sum()}" for point in sorted(set(points.tolist()))]
        sides.append(" ".join([*men, f"off:{15 - len(points)}"]))
    return at(f"white {sides[0]} | black {sides[1]}", roll="{} {}".format(*sorted(dice.integers(1, 7, 2))[::-1]))


def test_it_finds_the_best_in_the_bear_off():
    player, weights, choices = bot("expert", GAME), net.weights(), 0
    for seed in range(60):
        s = few_men(seed)
        (seat,) = GAME.asked(s)
        best, memory = best_after(s, seat, weights), player.memory()
        while GAME.asked(s) == (seat,):
            choices += len(GAME.moves(s, seat)) > 1
            s = GAME.after(s, seat, player.answer(GAME.view(s, seat), seat, seed, memory))
        assert net.expect(s, seat, weights) == pytest.approx(best, abs=1e-9)
    assert choices > 40


def ending(player, s, seed):
    """The state after a bot's whole turn."""
    (seat,) = GAME.asked(s)
    memory = player.memory()
    while GAME.asked(s) == (seat,):
        s = GAME.after(s, seat, player.answer(GAME.view(s, seat), seat, seed, memory))
    return GAME.key(s)


def test_the_same_seeds_give_the_same_turns_in_any_workspace():
    player, found = bot(QUICK, GAME), []
    turns = [(MIDDLE, "4 3"), (MIDDLE, "2 1"), (LATE, "4 3")]
    for _ in range(2):
        found.append([ending(player, at(position, roll=roll), 5) for position, roll in turns])
    fresh = []
    work = threading.Thread(target=lambda: fresh.extend(ending(player, at(p, roll=r), 5) for p, r in turns))
    work.start()
    work.join()
    assert found[0] == found[1] == fresh


def test_late_from_the_start_it_plays_as_at_one_ply():
    player, quick = bot("expert:games=10000,turns=1000", GAME), bot("net:1", GAME)
    s = at(MIDDLE, roll="4 3")
    (seat,) = GAME.asked(s)
    bot(QUICK, GAME).answer(s, seat, 0)  # compiled: the time for that does not count
    assert player.answer(s, seat, 0, until=-1.0) == quick.answer(s, seat, 0)


def test_rollouts_end_when_time_is_over():
    """Ten thousand rollouts to the end would take minutes; at its deadline the expert plays the best turn so far."""
    name = "expert:games=10000,turns=1000,plies=2,width=2,margin=2,near=2,surely=100"
    player, s = bot(name, GAME), at(MIDDLE, roll="4 3")
    (seat,) = GAME.asked(s)
    bot(QUICK, GAME).answer(s, seat, 0)
    assert player.answer(s, seat, 0, until=time.monotonic() + 0.5) in GAME.moves(s, seat)


def test_its_judge_is_exact_where_the_truth_is_known():
    s, weights, judge = at(HOME, "43"), net.weights(), judge_of(GAME, name="expert")
    (seat,) = GAME.asked(s)
    for move, worth in judge.moves(s, seat, 0).items():
        assert worth == pytest.approx((1 + best_after(GAME.after(s, seat, move), seat, weights)) / 2)


@pytest.mark.parametrize("roll", ["2 1", "4 3"])
def test_its_judge_thinks_as_it_plays(roll):
    """With the same dice, and none dropped before all rollouts are made."""
    s = at(MIDDLE, roll=roll)
    (seat,) = GAME.asked(s)
    worths = judge_of(GAME, name=QUICK).moves(s, seat, 3)
    assert set(worths) == set(GAME.moves(s, seat))
    assert worths[bot(QUICK, GAME).answer(s, seat, 3)] == max(worths.values())


def test_who_looks_at_nothing_cannot_judge():
    with pytest.raises(BadOption, match="cannot judge"):
        judge_of(GAME, name="random")
    with pytest.raises(BadOption, match="no bot called"):
        judge_of(GAME, name="oracle")


def test_a_match_is_over_for_a_rollout_with_its_game():
    """A rollout ends with the game: the rest of the match is worth what its score says."""
    s = after(at("white 24:1 off:14 | black 24:1 off:14 | points 1 1", roll="2 1", match=3), "24/off")
    assert GAME.asked(s) == (NATURE,)
    work = rolled_out(s, 0, net.weights(), games=3, turns=5)
    assert work.results[0, :3].tolist() == [float(net.expect(s, 0, net.weights()))] * 3

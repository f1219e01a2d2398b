"""The net of Run: its file, its arithmetic, and that bots play the turn it rates best."""

import itertools

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import Bot, bot, plies
from backroom.engine.kernel import NATURE, dice_from
from backroom.games.run import net

from .boards import GAME, after, at

MIDDLE = "white 1:4 3:2 5:1 8:2 11:1 14:2 16:1 18:1 20:1 | black 1:5 3:1 5:2 7:1 9:1 10:1 14:2 16:1 18:1"
FAR = "white 1:9 2:1 4:1 6:1 14:1 16:1 20:1 | black 1:2 3:2 5:2 6:2 7:2 9:2 15:2 20:1"
LATE = "white 17:1 18:2 19:4 20:3 22:5 | black 16:1 17:1 19:5 20:4 21:3 24:1"


@pytest.fixture(scope="module")
def weights():
    return net.weights(for_points=True)


def states(games=2):
    """States in which nature is asked, from random play."""
    for seed in range(games):
        s = GAME.start(*GAME.settle(2, {"match": 3}))
        for _ in GAME.stroll(s, 2, dice_from(seed)):
            if GAME.asked(s) == (NATURE,) and not s.fresh:
                yield GAME.copy(s)


def turns_of(s):
    """Every state that the turn of the seat that is asked can end with, each once, in plain Python."""
    (seat,) = GAME.asked(s)
    found, seen = {}, set()

    def go_on(s):
        if GAME.key(s) in seen:
            return
        seen.add(GAME.key(s))
        if GAME.asked(s) != (seat,):
            found[GAME.key(s)] = s
            return
        for move in GAME.moves(s, seat):
            go_on(GAME.after(s, seat, move))

    go_on(s)
    return list(found.values())


def rolled(s):
    """The state after each roll."""
    return [GAME.after(s, NATURE, move) for move in GAME.moves(s, NATURE)]


def test_the_weights_are_small():
    path = GAME.folder / "net.npz"
    assert path.stat().st_size < 2_000_000
    assert tuple(part.shape for part in net.trained()) == net.SHAPES


def test_the_four_ends_are_chances(weights):
    for s in states():
        mover = 1 - s.turn
        net.foresee(s, mover, weights)
        assert (weights.ends >= 0).all()
        assert weights.ends.sum() == pytest.approx(1)
        if s.men[1 - mover, 25]:
            assert weights.ends[net.WON_TWO] == 0
        if s.men[mover, 25]:
            assert weights.ends[net.LOST_TWO] == 0


def test_what_one_gains_the_other_loses():
    for for_points in (True, False):
        weights = net.weights(for_points=for_points)
        for s in states(1):
            assert net.expect(s, 0, weights) == pytest.approx(-net.expect(s, 1, weights), abs=1e-9)


def test_seats_are_alike(weights):
    for s in states(1):
        turned = GAME.copy(s)
        turned.men[:], turned.held[:] = s.men[::-1], s.held[::-1]
        turned.turn = 1 - s.turn
        assert net.expect(turned, 1, weights) == pytest.approx(net.expect(s, 0, weights), abs=1e-9)


def test_rows_are_different_and_within_the_table(weights):
    for s in states():
        n = net.look(s, 0, weights.seen)
        rows = weights.seen[:n].tolist()
        assert len(set(rows)) == n < net.MOST_ROWS
        assert 0 <= min(rows) <= max(rows) < net.ROWS


def test_the_kernel_computes_the_net(weights):
    """The kernel updates the net from position to position; a few lines of NumPy compute it from scratch each time."""
    rows, bias, matrix, second_bias, last, last_bias = net.trained()
    for s in list(states(1))[::5]:
        n = net.look(s, 0, weights.seen)
        now = net.phase(s, 0)
        hidden = bias + rows[weights.seen[:n]].sum(0, dtype=np.int64)
        second = np.maximum(hidden, 0) @ matrix[now].astype(float) + second_bias[now]
        said = np.exp(np.maximum(second, 0) @ last[now] + last_bias[now])
        net.think(weights, n, now)
        assert (weights.hidden == hidden).all()
        assert weights.ends == pytest.approx(said / said.sum(), abs=1e-4)


def test_an_earlier_net_plays_as_ever(weights, tmp_path):
    """A net with fewer rows, a narrower layer and one phase can still be read, and gives the same results."""
    dice = np.random.default_rng(1)
    rows, bias = dice.integers(-500, 500, (net.MOBILITY, 40)), dice.integers(-500, 500, 40)
    matrix, second_bias = dice.normal(0, 1e-4, (40, net.SECOND)), dice.normal(0, 0.1, net.SECOND)
    last, last_bias = dice.normal(0, 0.1, (net.SECOND, 4)), dice.normal(0, 0.1, 4)
    path = tmp_path / "net.npz"
    np.savez(path, **dict(zip(net.WEIGHTS, (rows, bias, matrix, second_bias, last, last_bias), strict=True)))
    earlier = net.weights(net.read_weights(path))
    for s in list(states(1))[::10]:
        n = net.look(s, 0, earlier.seen)
        known = [row for row in earlier.seen[:n] if row < net.MOBILITY]
        second = np.maximum(bias + rows[known].sum(0), 0) @ matrix + second_bias
        said = np.exp(np.maximum(second, 0) @ last + last_bias)
        net.think(earlier, n, net.phase(s, 0))
        assert earlier.ends == pytest.approx(said / said.sum(), abs=1e-4)


@pytest.mark.parametrize(
    ("position", "phase"),
    [
        ("white 1:14 9:1 | black 1:15", 0),
        ("white 1:14 9:1 | black 1:14 14:1", 1),
        ("white 1:14 14:1 | black 1:15", 2),
        ("white 1:9 14:6 | black 1:9 14:6", 3),
        ("white 1:5 14:10 | black 1:5 14:10", 4),
        ("white 1:2 14:13 | black 1:5 14:10", 5),
        ("white 12:1 20:14 | black 20:15", 6),
        ("white 13:2 20:13 | black 14:15", 7),
    ],
)
def test_the_phase_of_a_game(position, phase):
    assert net.phase(at(position), 0) == phase


def rows_of(position):
    """The rows of a position, white's first."""
    seen = np.zeros(net.MOST_ROWS, np.int32)
    n = net.look(at(position), 0, seen)
    return set(seen[:n].tolist())


def test_rows_count_the_points_from_which_men_can_go():
    """White's 2 is free from 1, 3 and 20, and his 1 from 1 and 20: black stands on white's 4."""
    rows = rows_of("white 1:4 3:1 20:10 | black 16:15")

    def row(begin, most, die, count):
        return begin + (die - 1) * (most + 1) + count

    assert row(net.MOBILITY, net.MOST_MOVERS, 2, 3) in rows
    assert row(net.MOBILITY, net.MOST_MOVERS, 1, 2) in rows
    assert row(net.LOOSE, net.MOST_LOOSE, 2, 3) in rows  # black has nobody behind 3, so it stops nobody


def test_rows_count_the_men_behind_a_prime():
    """White has five men before black's points 18 to 22, which are white's 6 to 10."""
    rows = rows_of("white 1:3 2:2 14:10 | black 18:2 19:2 20:2 21:2 22:7")
    behind = [net.BEHIND + length * 15 + men - 1 for length, men in ((0, 5), (1, 5))]
    primes = [net.PRIME + 6 - 1, net.PRIME + 7 - 1, net.PRIME + net.PRIMES + 6 - 1]
    assert {row for row in rows if net.BEHIND <= row < net.SPARE} == {*behind, *primes}


def test_rows_say_how_long_a_side_can_wait():
    """White's man on 14 stops black, whose men on 1 come by; the two above it go 10 points each before he must."""
    rows = rows_of("white 14:3 24:12 | black 1:15")
    assert net.SPARE + 20 // net.SPARES in rows
    assert net.LAST + 14 - 1 in rows


def test_the_worth_of_scores_comes_from_the_chances_of_its_games():
    rolled, begun = np.array([0.1, 0.3, 0.4, 0.2]), np.array([0.05, 0.25, 0.4, 0.3])
    worth = net.worth_of_scores(rolled, begun)
    for now in (net.ROLLED, net.ROLLED_ONCE):
        assert worth[now] == pytest.approx(-worth[now].T)
    assert worth[net.SEAT_BEGINS] == pytest.approx(-worth[net.OTHER_BEGINS].T)
    assert (np.diff(worth[:, :, 1:], axis=1) < 0).all()  # who needs more has less
    assert worth[net.SEAT_BEGINS, 1, 1] == pytest.approx(0.7 - 0.3)
    assert worth[net.ROLLED, 2, 1] == pytest.approx(-0.5 + 0.15)  # lost at once in half, won by a double in 15 %
    assert worth[net.ROLLED_ONCE, 2, 1] == pytest.approx(-0.5 + 0.15 + 0.35 * 0.4)  # the winner begins the next


def test_the_worth_of_scores_comes_from_the_nets_own_chances(weights):
    rolled, begun = (net.chances_of_a_game(weights, is_opening) for is_opening in (True, False))
    assert weights.worth == pytest.approx(net.worth_of_scores(rolled, begun))
    for ends in (rolled, begun):
        assert ends.sum() == pytest.approx(1)
        assert 0.5 < ends[net.WON] + ends[net.WON_TWO] < 0.6  # who begins is ahead, a little
    tilted = list(net.trained())
    tilted[-1] = tilted[-1] + np.array([1, 0, 0, 1], np.float32)  # a net that sees more doubles
    more = net.chances_of_a_game(net.weights(tuple(tilted)), True)
    assert more[net.WON_TWO] > rolled[net.WON_TWO] + 0.05


def test_who_begins_the_next_game_of_a_match_counts():
    """§6, winner_starts: at 1 to 1 of 3 the player who begins is ahead; where it is rolled for, it is even."""
    won = "white 24:1 off:14 | black 24:1 off:14 | points 0 1"
    found = [
        float(net.expect(after(at(won, roll="2 1", match=3, winner_starts=starts), "24/off"), 0, net.weights()))
        for starts in ("no", "yes")
    ]
    assert found[0] == pytest.approx(0)
    assert 0.02 < found[1] < 0.3


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_each_level_plays_for_what_counts(level):
    """By the net at one ply: in a single game the turn that brings most points, one point from the end of a match
    the one that wins most often, which is another now and then; in between what the match is worth.
    """
    player, weights, differs = bot(f"{level}:plies=1,blur=0", GAME), net.weights(for_points=True), 0
    scores = {"single": "", "3": " | points 2 2"}
    for position, roll in itertools.product((MIDDLE, LATE, FAR), ("2 1", "3 1", "4 3", "6 2", "6 5", "2 2", "5 5")):
        chosen = {}
        for length, points in scores.items():
            s = at(position + points, roll=roll, match=length)
            (seat,) = GAME.asked(s)
            ends = {}
            for end in turns_of(s):
                net.foresee(end, seat, weights)
                ends[GAME.key(end)[: s.men.nbytes]] = weights.ends.copy()
            counts = net.POINTS_OF_ENDS if length == "single" else np.array([-1, -1, 1, 1])
            memory = player.memory()
            while GAME.asked(s) == (seat,):
                s = GAME.after(s, seat, player.answer(GAME.view(s, seat), seat, 0, memory))
            chosen[length] = GAME.key(s)[: s.men.nbytes]
            assert ends[chosen[length]] @ counts == pytest.approx(
                max(each @ counts for each in ends.values()), abs=1e-6
            )
        differs += chosen["single"] != chosen["3"]
    assert differs


def test_a_single_game_is_played_for_its_points():
    s = at(MIDDLE)
    assert 2 * net.expect(s, 0, net.weights()) == net.expect(s, 0, net.weights(for_points=True))
    won = after(at("white 24:1 off:14 | black 1:15", roll="2 1"), "24/off")
    assert (net.expect(won, 0, net.weights()), net.expect(won, 1, net.weights())) == (1, -1)


def test_one_point_away_only_the_win_counts():
    s = at(f"{MIDDLE} | points 2 2", match=3)
    for_match, for_points = net.weights(), net.weights(for_points=True)
    net.foresee(s, 1 - s.turn, for_points)
    won = for_points.ends[net.WON] + for_points.ends[net.WON_TWO]
    assert net.expect(s, 1 - s.turn, for_match) == pytest.approx(2 * won - 1)


@pytest.mark.parametrize("position", [MIDDLE, LATE, "white 1:15"])
@pytest.mark.parametrize("roll", ["2 1", "6 3", "1 1", "5 5"])
def test_it_plays_the_ending_that_looks_best(weights, position, roll):
    """Whatever the order of steps: the best of all endings that plain Python finds."""
    s = at(position, roll=roll, match=3)
    (seat,) = GAME.asked(s)
    best = max(float(net.expect(ending, seat, weights)) for ending in turns_of(s))
    player = Bot("net", GAME, plies.choose_of(GAME), lambda: plies.workspace_for(GAME, plies.Plan(plies=1), weights))
    while GAME.asked(s) == (seat,):
        move = player.answer(GAME.view(s, seat), seat, 0)
        assert move in GAME.moves(s, seat)
        s = GAME.after(s, seat, move)
    assert net.expect(s, seat, weights) == pytest.approx(best, abs=1e-9)


def test_the_second_look_is_the_mean_of_the_best_answers(weights):
    s = at(LATE, match=3)
    work = plies.workspace_for(GAME, plies.Plan(), weights)
    work.starts[1] = s
    total = 0.0
    for then, weight in zip(rolled(s), GAME.odds(s), strict=True):
        if GAME.asked(then) == (NATURE,):
            total += weight * float(net.expect(then, 0, weights))
            continue
        (mover,) = GAME.asked(then)
        best = max(float(net.expect(ending, mover, weights)) for ending in turns_of(then))
        total += weight * (best if mover == 0 else -best)
    outlook = plies.outlook_of(GAME)
    assert outlook(work, 0, 1) == pytest.approx(total / 36, abs=1e-9)


def test_the_rest_of_a_turn_is_remembered_only_where_it_fits():
    """A line that was decided on is not played in another position."""
    player = bot("net:2", GAME)
    first, other = at(MIDDLE, roll="6 3"), at(LATE, roll="2 1")
    memory = player.memory()
    player.answer(first, GAME.asked(first)[0], 0, memory)
    assert memory.count > memory.made
    seat = GAME.asked(other)[0]
    assert player.answer(other, seat, 0, memory) == player.answer(other, seat, 0)


def test_it_beats_greedy_clearly():
    """Even without looking ahead; the model card has the whole measurement."""
    player = bot("net:1", GAME)
    assert match(player, bot("greedy", GAME), 400, seed=7).interval[0] > 0.65


def test_what_weights_say_does_not_depend_on_what_they_said_before(weights):
    for position in (MIDDLE, LATE):
        s = at(position)
        fresh = float(net.expect(s, 0, net.weights(for_points=True)))
        assert fresh == float(net.expect(s, 0, weights))

"""The evaluation: good enough for a first opponent, the same for every seat, and exact near the end."""

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot, judge_of, ranked
from backroom.bots.bot import Bot
from backroom.engine.kernel import dice_from, kernel
from backroom.games.runaway_train.net import INPUTS, NET, ahead, look, read_net, weights
from backroom.games.runaway_train.rules.state import CHOOSING, PASS, TAKE_SHORT

from .boards import GAME, after, at, start


@pytest.mark.parametrize(("seats", "games", "share"), [(3, 400, 0.9), (4, 160, 0.85), (5, 300, 0.8), (6, 80, 0.75)])
def test_greedy_beats_random(seats, games, share):
    result = match(bot("greedy", GAME), bot("random", GAME), games, seats, seed=2026)
    assert result.interval[0] >= share, result


def test_values_of_all_seats_add_up_to_one_if_somebody_is_off_and_are_fair():
    """Turning the table round, seat by seat, turns the values with it."""
    for seed in range(4):
        seats = 3 + seed
        s = start(seats)
        for _ in GAME.stroll(s, seats, dice_from(seed)):
            if GAME.asked(s):
                values = [GAME.rules.value(s, seat) for seat in range(seats)]
                if s.aboard != (1 << seats) - 1:  # §5.4: nobody wins on a train that plunges with all aboard
                    assert sum(values) == pytest.approx(1)
                assert sum(values) <= 1 + 1e-9
                assert min(values) >= 0
                turned = GAME.copy(s)
                for field in ("suitcases", "points", "choice", "shown", "gained", "lot"):
                    turned[field][:seats] = np.roll(s[field][:seats], 1)
                turned.aboard = (int(s.aboard) << 1 | int(s.aboard) >> seats - 1) & (1 << seats) - 1
                turned.engineer, turned.jumper = (s.engineer + 1) % seats, (s.jumper + 1) % seats
                assert [GAME.rules.value(turned, (seat + 1) % seats) for seat in range(seats)] == pytest.approx(values)


def test_value_knows_the_end():
    s = at("red none points 70 | blue 1234567 off | green 12 points 30 | train 52 short | speed 8 | stop")
    assert [GAME.rules.value(after(s, "stop 6"), seat) for seat in range(3)] == [0, 1, 0]
    tied = at("red 67 points 20 | blue 1 points 33 off | green 12 points 20 | train 52 short | speed 4 | stop")
    assert [GAME.rules.value(after(tied, "stop 6"), seat) for seat in range(3)] == [0.5, 0.5, 0]
    lost = after(at("train 52 short | speed 8 | stop"), "stop 6")
    assert [GAME.rules.value(lost, seat) for seat in range(3)] == [0, 0, 0]


def test_nobody_has_a_share_of_a_train_that_plunges_with_all_aboard():
    """§5.4: if nobody gets off, nobody wins."""
    surely = at("red 1 points 20 | blue 1 points 21 | green 1 points 22 | train 52 short | speed 8 | stop")
    assert [GAME.rules.value(surely, seat) for seat in range(3)] == [0, 0, 0]
    perhaps = at("red 1 points 20 | blue 1 points 21 | green 1 points 22 | train 52 short | speed 4 | stop")
    assert [GAME.rules.value(perhaps, seat) for seat in range(3)] == pytest.approx([0, 0, 4 / 6])


def test_greedy_gets_off_before_a_cliff_it_cannot_avoid():
    ready = "red none points 40 | train 47 short | speed 9 | choose"
    v = GAME.view(at(ready), 0)
    assert GAME.rules.name(v, bot("greedy", GAME).answer(v, 0, 1)) == "passenger+conductor"


def test_features_say_what_they_should():
    s = at("red 17 points 25 | blue 1234567 off | train 12 | speed 5 | engineer green | choose", 4)
    mine, other = np.zeros((2, GAME.rules.FEATURES), np.float32)
    GAME.rules.features(s, 0, mine)
    GAME.rules.features(s, 2, other)
    assert list(mine[:9]) == [1, 0, 0, 0, 0, 0, 1, 0.5, 1]
    assert list(mine[13:22]) == [1, 1, 1, 1, 1, 1, 1, 0, 0]  # blue, to the left, is off
    assert other[10] == 1  # green is the engineer
    assert list(other[26:35]) == list(mine[:9])  # and red sits two places farther
    assert not mine[4 * 13 : 6 * 13].any()  # nobody sits there


@pytest.mark.parametrize(("level", "lower", "share"), [("easy", "random", 0.66), ("medium", "easy", 0.58)])
def test_levels_are_in_order(level, lower, share):
    """The bounds are loose: `levels.md` has the figures, and those of `hard`."""
    assert match(bot(level, GAME), bot(lower, GAME), 200, seed=7).share >= share


def test_value_is_exact_before_the_last_roll():
    """Red is off with 30; Blue, aboard, has 40 and stops the train with 5 or 6 of what it may roll."""
    s = at("red none points 30 off | blue 1 points 40 | green 12 points 20 off | train 51 short | speed 6 | roll")
    chances = [7 - roll for roll in (5, 5, 6, 6, 6, 7)]  # §2.2, §3.1: speeds 6, 6, 7, 7, 7 and 8
    stops = sum(chances) / 36
    assert [GAME.rules.value(s, seat) for seat in range(3)] == pytest.approx([1 - stops, stops, 0])


@pytest.mark.parametrize("train", ["train 46 short | speed 5", "train 60 long | speed 7", "train 45 short | speed 5"])
def test_value_before_a_roll_that_may_end_it_is_the_mean_over_the_rolls(train):
    """Exact values are used where they are known; the net evaluates only positions in which cards are played again."""
    s = at(f"red 17 points 30 | blue 345 points 27 | green 2 points 40 off | {train} | engineer blue | roll")
    behind = [after(s, f"roll {die}") for die in range(1, 7)]
    for seat in range(3):
        mean = sum(GAME.rules.value(each, seat) for each in behind) / 6
        assert GAME.rules.value(s, seat) == pytest.approx(mean)


def test_the_net_that_is_kept_fits(tmp_path):
    """Its shape is what the kernels read, it is small, and one of another shape is refused."""
    path = GAME.folder / "net.npz"
    assert path.stat().st_size < 2_000_000
    with np.load(path) as kept:
        weights = dict(kept)
    assert {name: value.shape for name, value in weights.items()} == {name: NET[name].shape for name in NET.names}
    assert all(np.isfinite(value).all() for value in weights.values())
    np.savez(tmp_path / "net.npz", **weights | {"first": weights["first"][1:]})
    with pytest.raises(ValueError, match=r"first of net.npz is \(55, 32\), not \(56, 32\)"):
        read_net(tmp_path / "net.npz")


def test_the_net_is_told_what_stands_there():
    s = at("red 17 points 25 | blue 123 points 30 off | green 37 points 20 | train 12 | speed 5 | engineer red | roll")
    told = np.zeros((3, INPUTS), np.float32)
    for seat in range(3):
        look(s, seat, s.aboard, 0, 0, ahead(s), np.eye(INPUTS, dtype=np.float32), told[seat])
    assert list(told[0, :8]) == [1, 0, 0, 0, 0, 0, 1, 1]  # its suitcases; aboard
    assert list(told[0, 8:15]) == [0, 0, 0.5, 0, 0, 0, 0.5]  # those of the others aboard: Green's
    assert list(told[0, 20:24]) == [0, 1, 1, 0]  # the lowest of all, and as high as the highest
    assert not told[1, :8].any()  # Blue is off
    assert list(told[:, 25]) == pytest.approx([-5 / 20, 5 / 20, -10 / 20])  # how far ahead of the best other
    assert list(told[:, 43]) == [1, 0, 0]  # Red rolls next
    jumped = np.zeros(INPUTS, np.float32)
    look(s, 0, s.aboard & ~1, 0, 12, ahead(s), np.eye(INPUTS, dtype=np.float32), jumped)
    assert jumped[25] == pytest.approx(7 / 20)  # off with twelve points more: ahead of Blue
    assert not jumped[:8].any()


def test_all_values_at_once_are_the_values_one_by_one():
    for seed in range(3, 7):
        s, found = start(seed), np.zeros(18)
        for _ in GAME.stroll(s, seed, dice_from(seed)):
            GAME.rules.values(s, weights(), found)
            assert list(found[:seed]) == pytest.approx([GAME.rules.value(s, seat) for seat in range(seed)])


@pytest.mark.parametrize("hands", ["", "red 14 points 9 | blue 25 points 7 | green 1 points 12 off | "])
def test_behind_a_round_what_has_the_same_gist_has_the_same_values(hands):
    """States with the same future have the same key, whatever cards led there, so that each is evaluated once."""
    s, known, rng = at(f"{hands}train 40 short | speed 5 | choose"), {}, np.random.default_rng(1)
    for _ in range(600):
        behind = GAME.copy(s)
        for seat in GAME.asked(s):
            GAME.rules.play(behind, seat, int(rng.choice(GAME.moves(behind, seat))))
        found = [GAME.rules.value(behind, seat) for seat in range(3)]
        assert known.setdefault(int(GAME.rules.gist(behind)), found) == found
    assert 10 < len(known) < 500


def test_who_answers_later_in_a_round_thinks_as_if_he_were_first():
    """A seat does not know the sealed choices of the others, and assumes that they think as well as it does."""
    first = at("red 1457 points 15 | blue 247 points 24 | green 24567 points 13 | train 40 short | speed 5 | choose")
    hard, found = bot("hard", GAME), []
    for s in (first, after(first, "pass"), after(first, "pass", "pass")):
        answers = [hard.answer(GAME.view(s, 2), 2, seed * 7919) for seed in range(200)]
        found.append(np.bincount(answers, minlength=64) / 200)
    assert [abs(later - found[0]).sum() / 2 <= 0.2 for later in found[1:]] == [True, True], found


NEARLY_LOST = (
    "red 1247 points 16 off | blue none points 60 | green 2 points 47 | train 48 short | speed 4 | engineer green | "
    "die 6 | choose"
)
"""Six spaces from the cliff Green must get off. Blue can prevent it, but may err; to pass always loses."""
COULD_WIN = {"passenger+conductor", "passenger+2"}


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_who_is_nearly_lost_plays_what_could_still_win(level):
    s, player = at(NEARLY_LOST), bot(level, GAME)
    answers = {GAME.rules.name(s, player.answer(GAME.view(s, 2), 2, seed)) for seed in range(30)}
    assert answers <= COULD_WIN


def test_who_is_nearly_lost_is_told_what_could_still_win():
    s = at(NEARLY_LOST)
    worths = {GAME.rules.name(s, move): worth for move, worth in ranked(GAME, judge_of(GAME), GAME.view(s, 2), 2)}
    best = max(worths.values())
    assert {name for name, worth in worths.items() if worth == best} <= COULD_WIN
    assert best > worths["pass"] == 0


@kernel
def passes(v, seat, dice, work, memory):
    """Nobody ever gets off."""
    return PASS if v.ask == CHOOSING else TAKE_SHORT


def test_5_4_a_game_that_nobody_wins_counts_for_nobody():
    passer, other = (Bot("passer", GAME, passes, lambda: (np.zeros(1),)) for _ in range(2))
    found = match(passer, other, 40, 3, seed=1)
    assert 0 < found.nobodys < 40  # over the cliff with all; or it stopped, and all share the win
    assert (found.wins, found.share) == (found.won / 2, 0.5)

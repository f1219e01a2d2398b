"""What holds in every game of RunAway Train, over random play: cards are conserved, and secrets imagined evenly."""

import numpy as np

from backroom.engine.kernel import NATURE, dice_from
from backroom.games.runaway_train.rules.state import BRAKED, STOPPED

from .boards import GAME, aboard, after, at, hand, names, points, start


def test_cards_and_points_are_conserved():
    """Counted from what was shown: each suitcase goes off once, and the points are those of what went off."""
    for seed in range(12):
        seats = 3 + seed % 4
        s = start(seats, last_gasp=("no", "yes")[seed // 4 % 2])
        hands = [set(range(1, 8)) for _ in range(seats)]
        scored = [0] * seats
        for seat, move in GAME.stroll(s, seats, dice_from(seed)):
            name, times = GAME.rules.name(s, move), int(s.multiplier)
            is_last = seat != NATURE and "+" in name and len(GAME.asked(s)) == 1 and GAME.asked(s)[0] == seat
            then = GAME.after(s, seat, move)
            if is_last or (name in ("pass", "bluff") and GAME.asked(s) == (seat,)):
                for other in range(seats):
                    if then.gained[other]:
                        kind, suitcase = GAME.rules.name(s, int(then.shown[other]) + 25).split("+")
                        hands[other].remove(int(suitcase))
                        tip = int(suitcase) - 1 if kind == "conductor" else 0
                        scored[other] += int(suitcase) * times - tip
            if GAME.asked(then):
                assert points(then) == scored
            assert [set(map(int, hand(then, other))) for other in range(seats)] == hands
        assert GAME.asked(s) == ()
        saved = [sum(hands[seat]) if s.fate in (BRAKED, STOPPED) and seat in aboard(s) else 0 for seat in range(seats)]
        assert points(s) == [one + more for one, more in zip(scored, saved, strict=True)]


def test_imagined_choices_are_all_that_a_hand_allows():
    s = at("blue 12 points 25 | train 5 | speed 3 | choose")
    v = GAME.view(after(s, "pass", "passenger+1"), 2)
    throw = dice_from(3)
    found = [int(GAME.imagined(v, 2, throw).choice[1]) for _ in range(700)]
    counts = np.bincount(found)
    assert {GAME.rules.name(s, choice + 25) for choice in set(found)} == set(names(s, 1))
    assert counts[counts > 0].min() > 60

"""The hunch and the levels: nobody acts on what he cannot know, guesses follow the odds, and each level beats the one
below (`levels.md` has longer matches).
"""

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot
from backroom.engine.kernel import dice_from
from backroom.games.booze_barons.brain import SETS, posterior
from backroom.games.booze_barons.rules.state import LOOK, NAME_BOOZE, SEATS

from .tables import GAME, at


@pytest.mark.parametrize("seats", SEATS)
def test_a_hunch_sees_no_more_than_the_seat(seats):
    looked = 0
    s = GAME.start(*GAME.settle(seats, {"sides": "mixed"}))
    for played, _ in enumerate(GAME.stroll(s, seats, dice_from(seats))):
        for seat in GAME.asked(s):
            if seat < seats and played % 5 == 0:
                worlds = s, GAME.view(s, seat), GAME.imagined(GAME.view(s, seat), seat, dice_from(played))
                moves = np.array(GAME.moves(s, seat), np.int32)
                assert len({int(GAME.rules.hunch(w, seat, moves, len(moves), dice_from(played))) for w in worlds}) == 1
                looked += len(moves) > 1
    assert looked > 10


def likeliest(v, seat, other):
    """The boozes that another has most probably, exactly."""
    out = np.zeros((9, 12))
    posterior(v, seat, np.zeros((2, SETS), np.int64), out)
    return {booze for booze in range(12) if out[other, booze] == pytest.approx(out[other].max())}


def test_a_booze_that_can_be_inferred_is_named():
    """Bruno's two deliveries have porter and rye in common, and Ada has the porter herself."""
    s = at("ask look | mark bruno", ada="porter at club", bruno="rye at club down club1 dock3")
    assert s.ask == LOOK
    assert likeliest(GAME.view(s, 0), 0, 1) == {5}
    assert {bot("medium", GAME).answer(GAME.view(s, 0), 0, seed) for seed in range(20)} == {NAME_BOOZE + 5}


def test_a_guess_that_wins_is_made():
    """Cleo is exposed; who exposes Bruno, the richest, in the last action of the round, ends the game and wins."""
    s = at(
        "round 2 | baron bruno | acted 2 | turn ada | ask look | mark bruno",
        ada="porter at club",
        bruno="rye at club down club1 dock3",
        cleo="merlot at casino lost club box 1",
    )
    assert {bot("hard", GAME).answer(GAME.view(s, 0), 0, seed) for seed in range(20)} == {NAME_BOOZE + 5}


def test_levels_are_in_order():
    for better, worse, games, least in [("easy", "random", 60, 0.8), ("medium", "easy", 100, 0.55)]:
        assert match(bot(better, GAME), bot(worse, GAME), games, seed=2026).share >= least


def test_a_level_among_many_seats_helps_its_mob():
    assert match(bot("medium", GAME), bot("random", GAME), 40, seats=7, seed=7).share > 0.55

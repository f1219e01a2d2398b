"""Endings that are solved exactly, by enumeration; `train/rummy_runners_endings.py` measures more of them."""

import numpy as np
import pytest

from backroom.bots import bot

from .boards import GAME, after, all_out, at
from .endings import is_ending, laid_by, turns_of

ENDINGS = [
    "first black | turn white | land j13:c4 j14:m1 j15:a4 k12:s3 k13:m3 k14:a2 k15:c3 l11:a3 l12:m2 l13:s5 l14:m4 "
    "l15:c1 m11:c0 m12:a0 m13:m5 m14:s2 m15:a1 n11:c5 n12:m0 n13:s0 n14:s1 o11:s4 o12:c2 o13:a5 | green before "
    "m1r m2r m2y m4r m4y m4b m5r m5y m5b | green claims s1 m5 a5 | violet before s1y s1b s2y s2b s4y s4b s5b a1r "
    "a1y a1b a4y a4b a5y a5b c1y c1b c3b | violet claims s3 m2 m3 a1 c1 c2 | black before s1r s2r s3r s3y s3b s4r "
    "s5r s5y m3r m3y m3b a2r a3r a3y a3b a4r a5r c1r c2r c3r c3y c4r c5r | black claims m4 a2 a3 c4 c5 | white "
    "hand m1y m1b | white before m2b a2y a2b c2y c2b c4y c4b c5y c5b | white claims s2 s4 s5 a4 c3 s0 | dead a0 "
    "c0",
    "first black | turn black | land j13:m1 j14:c0 j15:m2 k12:a3 k13:s1 k14:a2 k15:s4 l11:c4 l12:s3 l13:c1 l14:c3 "
    "l15:s0 m11:a1 m12:a0 m13:c5 m14:a5 m15:c2 n11:m0 n12:m4 n13:a4 n14:m3 o11:s2 o12:s5 o13:m5 | green before "
    "s2y s3y s4y s5y m1r m1y m1b m2r m2y m2b m3r m3y m3b m4r m4y m4b m5r m5y m5b a1y a2r a2y a3y a4y a5y c1y c1b "
    "c2y c3y c4y c5y | green claims s5 a1 c3 c4 c5 c0 | violet before s2b s3b s4b s5b a2b a3b a5r a5b c2b c3b c4b "
    "c5b | violet claims m5 a3 | black hand a4b | black before s1r s1y s1b a1r a1b c1r | black claims s2 s3 s4 m1 "
    "m4 a2 s0 | white hand a4r | white before s2r s3r s4r s5r a3r c2r c3r c4r c5r | white claims s1 m2 m3 a5 c1 "
    "c2 | dead m0 | idle 1",
    "first violet | turn black | land j13:m0 j14:s1 j15:a3 k12:s4 k13:a2 k14:a0 k15:c5 l11:c4 l12:a1 l13:a5 "
    "l14:c1 l15:a4 m11:s5 m12:s3 m13:s0 m14:m1 m15:c3 n11:c0 n12:m4 n13:m3 n14:m2 o11:c2 o12:s2 o13:m5 | green "
    "before s1b s2b s4b s5b a1b a2b a5b c1b c2b c4b c5b | green claims s1 s5 m2 m4 m5 a2 m0 | violet before s1r "
    "s2r s3b s4r s5r m2r m3r m3b a1r a2r a3r a3y a3b a4r a5r c1r c2r c3r c3y c3b c4r c5r | violet claims a1 a4 c1 "
    "| black hand s3y | black before a1y a2y a4y a4b a5y c1y c4y c5y | black claims m1 m3 a3 c3 c4 c5 c0 | white "
    "hand s3r | white before s1y s2y s4y s5y m1r m1y m1b m2y m2b m3y m4r m4y m4b m5r m5y m5b c2y | white claims "
    "s2 s4 a5 c2 | dead a0",
    "first black | turn white | land j13:m4 j14:s1 j15:c5 k12:a4 k13:s4 k14:m3 k15:s2 l11:m1 l12:c0 l13:a2 l14:s5 "
    "l15:m5 m11:a3 m12:m2 m13:c3 m14:a0 m15:c1 n11:a1 n12:s0 n13:c4 n14:a5 o11:c2 o12:s3 o13:m0 | green hand c3r "
    "| green before s5b m5y m5b a3r a5b c5b | green claims s3 m2 m4 a1 a5 c4 | violet before s1r s1y s2r s2y s3r "
    "s3y s4r s4y s5r s5y m1r m1y m2r m2y m3r m3y m4r m4y m5r a1r a1y a2r a2y a3y a4r a4y a5r a5y c1r c1y c2r c2y "
    "c3y c4r c4y c5r c5y | violet claims s4 a2 | black claims s1 s5 m1 m5 a4 c1 | white hand c3b | white before "
    "s1b s2b s3b s4b m1b m2b m3b m4b a1b a2b a3b a4b c1b c2b c4b | white claims s2 m3 a3 c2 c5 | dead s0 m0 a0 | "
    "idle 1",
    "first white | turn violet | land j13:m3 j14:m4 j15:c4 k12:m5 k13:s4 k14:s3 k15:a5 l11:m1 l12:c0 l13:s5 "
    "l14:s2 l15:c5 m11:a3 m12:a4 m13:m0 m14:m2 m15:s0 n11:a0 n12:c2 n13:c3 n14:a1 o11:s1 o12:a2 o13:c1 | green "
    "before s1y s1b s2b s3y s3b s4y s4b s5y s5b m1y m2y m2b m3y m3b m4y m4b m5r m5y m5b a1y a1b a2y a2b a3y a3b "
    "a4y a4b a5r a5y a5b c1b c2b c3b c4b c5b | green claims s5 m4 a3 a4 c5 | violet hand s2r | violet before s1r "
    "m1b a1r a2r a3r | violet claims s3 m3 a2 a5 | black before s3r s4r s5r m1r m2r m3r | black claims s4 m2 m5 "
    "c3 c4 | white hand s2y | white before m4r a4r c1r c1y c2r c2y c3r c3y c4r c4y c5r c5y | white claims s1 m1 "
    "a1 c1 c2 | dead m0 a0 c0",
    "first white | turn green | land j13:m0 j14:m4 j15:c3 k12:m5 k13:s1 k14:m2 k15:a4 l11:a2 l12:s0 l13:s5 l14:a1 "
    "l15:c5 m11:c2 m12:m1 m13:c1 m14:a5 m15:s4 n11:c4 n12:a0 n13:c0 n14:s3 o11:a3 o12:m3 o13:s2 | green hand a5y "
    "| green before s2y m2y a1r a1y a2r a2y a4r a4y | green claims s1 m5 a2 a3 a4 c5 a0 | violet before m5r | "
    "violet claims s3 m2 m3 a1 | black hand a5r | black before s3y m3r m3y a3r a3y c3r c3y c3b | black claims s2 "
    "s4 s5 c2 c3 s0 | white before s1r s1y s1b s2r s2b s3r s3b s4r s4y s4b s5r s5y s5b m1r m1y m1b m2r m2b m3b "
    "m4r m4y m4b m5y m5b a1b a2b a3b a4b a5b c1r c1y c1b c2r c2y c2b c4r c4y c4b c5r c5y c5b | white claims m1 m4 "
    "c1 c4 | dead m0 c0",
]
"""With four seats, two cards in all hands together, and no set that wins at once: most spaces win (§5.3)."""


@pytest.mark.parametrize("level", ["medium", "hard"])
@pytest.mark.parametrize("position", ENDINGS)
def test_nothing_is_lost_in_an_ending(position, level):
    s = at(position, seats=4)
    assert is_ending(s)
    turns = turns_of(s)
    worths = dict(zip(turns.cards.tolist(), turns.worths.tolist(), strict=True))
    assert np.ptp(turns.worths) > 0
    assert worths[laid_by(bot(level, GAME), s, 1)] == max(worths.values())


def test_value_knows_when_only_passes_are_left():
    """§2.2: after this pass nobody who has a card moves any more, and Green has most spaces."""
    s = after(at(f"{all_out(1)} | green claims c5 c3 | violet claims s1", seats=3), "pass")
    assert [GAME.rules.value(s, seat) for seat in range(3)] == [1, 0, 0]

"""Whole turns: a win at once is never missed, in any variant; and what the others threaten is stopped."""

import random

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot
from backroom.engine.kernel import NATURE, dice_from
from backroom.games.rummy_runners.rules.state import MELDING

from .boards import EVERY_CARD, GAME, after, at, melded, melds
from .test_second_opinion import all_melds

LEVELS = ("easy", "medium", "hard")
POSITIONS = 480


def near_the_end(rng, seats, options):
    """Somebody with a few spaces and cards, and not many cards within reach, so that all melds can be tried."""
    cards = rng.sample(EVERY_CARD, 17)
    mine = {card[:2]: card for card in cards[:7]}  # one card of a space: two would be a claim
    hand = [card for card in cards[7:] if rng.random() < 0.6]
    others = {card[:2]: card for card in cards[7:] if card not in hand}
    tiles = rng.sample([f"{suit}{number}" for suit in "smac" for number in range(6)], rng.randint(2, 4))
    position = f"green before {' '.join(mine.values())} | green claims {' '.join(tiles)}"
    if hand:
        position += f" | green hand {' '.join(hand)}"
    if others:
        position += f" | violet before {' '.join(others.values())}"
    try:
        return at(position, seats, **options), set(hand), set(others.values())
    except ValueError:  # somebody has won already, or a null is nobody's yet
        return None


def wins_at_once(s, hand, others, options):
    """The truth, by laying every set that there is."""
    sets = all_melds(hand, others, options["sets"] == "hard")
    return any(melded(s, " ".join(sorted(cards))).winner == 0 for cards in sets)


def turn_of(player, s, seed):
    """The state after a bot's whole turn, as far as its last step."""
    seat = GAME.asked(s)[0]
    while GAME.asked(s) == (seat,):
        v = GAME.view(s, seat)
        move = player.answer(v, seat, seed)
        assert move in GAME.moves(s, seat)
        s = GAME.after(s, seat, move)
    return s


@pytest.mark.parametrize("share", range(3))
def test_a_win_at_once_is_never_missed(share):
    rng, settings = random.Random(share), GAME.settings()[share::3]
    players = [bot(level, GAME) for level in LEVELS]
    tried, won = 0, 0
    while tried < POSITIONS // 3:
        seats, options = settings[tried % len(settings)]
        found = near_the_end(rng, seats, options)
        if found is None:
            continue
        tried += 1
        s, hand, others = found
        is_won = wins_at_once(s, hand, others, options)
        v = GAME.view(s, 0)
        assert GAME.rules.value(v, 0) == 1 if is_won else GAME.rules.value(v, 0) < 1, GAME.rules.position(s)
        if is_won:
            won += 1
            for player in players:
                assert turn_of(player, s, tried).winner == 0, GAME.rules.position(s)
    assert won >= POSITIONS // 3 // 6


THREATS = [
    # Violet lacks s3 in the row of s1 s2 s3: has one colour, another lies before Green, and any 3 will do
    "violet claims s1 s2 | violet before s3r m5b | violet hand c3r m2y a4b c2b s4y m1r"
    " | green before s3b c3y | green hand s3y m3y a3b c1r m4b a5r",
    # the same with a5 under a3 a4, by suit; Green can take the card away that Violet needs
    "violet claims a3 a4 | violet before a5r | violet hand a1y c4r m2y c2b s4y m1r"
    " | green before a5b a2r | green hand a2b m5y c5b s1r m4b s2r",
]


def how_often_violet_wins(s, worlds=60):
    """Of the worlds that Green can imagine after his turn and the draw: those where Violet wins at once."""
    dice = dice_from(3)
    if NATURE in GAME.asked(s):
        s = GAME.after(s, NATURE, GAME.moves(s, NATURE)[0])
    v = GAME.view(s, 0)
    return sum(GAME.rules.value(GAME.imagined(v, 0, dice), 1) == 1 for _ in range(worlds)) / worlds


def whole_turns(s):
    """The states after all melds that Green can lay."""
    return [melded(s, " ".join(cards)) for cards in melds(s)]


@pytest.mark.parametrize("position", THREATS)
@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_win_of_the_others_is_stopped(level, position):
    s = at(position)
    assert how_often_violet_wins(after(s, "draw")) > 0.7
    least = min(how_often_violet_wins(then) for then in whole_turns(s))
    assert least < 0.25
    assert how_often_violet_wins(turn_of(bot(level, GAME), s, 1)) <= least + 0.1


def test_plans_are_whole_turns():
    """Each can be played step by step, and ends the turn; the step back is planned only where nothing else is."""
    out = np.zeros((288, 24), np.int32)
    for number, (seats, options) in enumerate(GAME.settings()[::3]):
        s = GAME.start(seats, options)
        for _ in GAME.stroll(s, seats, dice_from(number)):
            (seat,) = GAME.asked(s) or (NATURE,)
            if seat == NATURE or s.stage != MELDING:
                continue
            for row in out[: GAME.rules.plans(GAME.view(s, seat), seat, out)]:
                then = s
                for move in row[1 : 1 + row[0]]:
                    assert move in GAME.moves(then, seat)
                    then = GAME.after(then, seat, int(move))
                assert GAME.asked(then) != (seat,) or row[1] == GAME.rules.BACK


@pytest.mark.parametrize(("level", "lower", "share"), [("easy", "random", 0.75), ("medium", "easy", 0.65)])
def test_levels_are_in_order(level, lower, share):
    """With much room: `levels.md` has the figures, and those of `hard`."""
    assert match(bot(level, GAME), bot(lower, GAME), 100, seed=7).share >= share

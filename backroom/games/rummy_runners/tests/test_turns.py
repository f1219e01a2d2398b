"""Whole turns: a win at once is never missed, in any variant; and what the others threaten is stopped."""

import random

import pytest

from backroom.bots import bot

from .boards import EVERY_CARD, GAME, at, melded
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

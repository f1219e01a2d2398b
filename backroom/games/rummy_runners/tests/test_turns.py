"""Whole turns: an immediate win is never missed, in any variant, and threats of the others are stopped."""

import random

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot
from backroom.engine.kernel import NATURE, dice_from
from backroom.games.rummy_runners.rules.state import MELDING

from .boards import EVERY_CARD, GAME, after, at, melded, melds, said
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
    seat, memory = GAME.asked(s)[0], player.memory()
    while GAME.asked(s) == (seat,):
        v = GAME.view(s, seat)
        move = player.answer(v, seat, seed, memory)
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
    """The worlds that Green can imagine after the turn and the draw in which Violet wins at once."""
    dice = dice_from(3)
    if NATURE in GAME.asked(s):
        s = GAME.after(s, NATURE, GAME.moves(s, NATURE)[0])
    v = GAME.view(s, 0)
    return sum(GAME.rules.value(GAME.imagined(v, 0, dice), 1) == 1 for _ in range(worlds)) / worlds


def whole_turns(s):
    """The states after all melds that Green can lay."""
    return [melded(s, " ".join(cards)) for cards in melds(s)]


@pytest.mark.parametrize("position", THREATS)
@pytest.mark.parametrize("level", LEVELS)
def test_a_win_of_the_others_is_stopped(level, position):
    s = at(position)
    assert how_often_violet_wins(after(s, "draw")) > 0.7
    least = min(how_often_violet_wins(then) for then in whole_turns(s))
    assert least < 0.25
    assert how_often_violet_wins(turn_of(bot(level, GAME), s, 1)) <= least + 0.1


NAMES = ("green", "violet", "black", "white")
TILES = [f"{suit}{number}" for suit in "smac" for number in range(1, 6)] + [f"{suit}0" for suit in "smac"]
WORLDS = 24


def with_a_threat(rng, seats, options):
    """Violet is next and lacks one space of a line: Violet has one colour of it, and another lies before Green."""
    near = at("turn green", seats, **options).near
    tile, way = rng.randrange(24), rng.randrange(8)
    line = [tile, near[tile, way], near[near[tile, way], way]]
    rng.shuffle(line)
    if min(line) < 0 or line[0] >= 20:
        return None
    space, *has = (TILES[tile] for tile in line)
    one, two, three = rng.sample([space + colour for colour in "ryb"], 3)
    like = [card for card in EVERY_CARD if card[:2] != space and (card[0] == space[0] or card[1] == space[1])]
    unlike = [card for card in EVERY_CARD if card[0] != space[0] and card[1] != space[1]]
    rng.shuffle(like)
    rng.shuffle(unlike)
    before = {card[:2]: card for card in [two, *like[:3]]}.values()
    hand = [three] * rng.randrange(2) + like[3 : rng.randint(5, 7)] + unlike[:3]
    rest = like[7:] + unlike[3:]
    rng.shuffle(rest)
    position = f"violet claims {' '.join(has)} | violet before {one} | green before {' '.join(before)}"
    for who, cards in zip(NAMES[:seats], [hand, rest[:6], rest[6:12], rest[12:18]], strict=False):
        position += f" | {who} hand {' '.join(cards)}"
    try:
        return at(position, seats, **options), set(hand), {one}
    except ValueError:  # a null is nobody's yet
        return None


def how_often_lost(worlds, cards):
    """The number of these worlds in which Violet wins at once after Green lays these cards; none: Green draws."""
    lost = 0
    for world in worlds:
        s = melded(world, " ".join(cards)) if cards else after(world, "draw")
        while GAME.asked(s) == (NATURE,):
            s = GAME.after(s, NATURE, GAME.moves(s, NATURE)[0])
        lost += GAME.rules.value(s, 1) == 1
    return lost / WORLDS


def laid_by(player, s, seed):
    """The cards that a bot lays in its turn."""
    before = said(s).get("green before", "").split()
    return sorted(set(said(turn_of(player, s, seed)).get("green before", "").split()) - set(before))


def test_what_wins_for_the_next_is_blocked_wherever_it_can_be():
    """Positions in which Violet will almost surely win, as all can see, and in which some meld of Green prevents it.

    Such a meld is found by laying every set there is; one as good, or nearly, is always thought of and mostly played.
    """
    rng, settings, out = random.Random(5), GAME.settings(), np.zeros((288, 24), np.int32)
    players, left = {level: bot(level, GAME) for level in ("medium", "hard")}, {"medium": [], "hard": []}
    tried = 0
    while len(left["hard"]) < 60:
        tried += 1
        seats, options = settings[tried % len(settings)]
        found = with_a_threat(rng, seats, options)
        if found is None or GAME.rules.value(GAME.view(found[0], 0), 0) == 1:
            continue
        (s, hand, others), dice = found, dice_from(tried)
        v = GAME.view(s, 0)
        worlds = [GAME.imagined(v, 0, dice) for _ in range(WORLDS)]
        if how_often_lost(worlds, ()) < 0.75:
            continue
        sets = all_melds(hand, others, options["sets"] == "hard")
        least = min((how_often_lost(worlds, sorted(cards)) for cards in sets), default=1)
        if least > 0.05:
            continue
        rows = out[: GAME.rules.candidate_turns(v, 0, out)]
        thought_of = [[GAME.rules.name(v, int(move)).removeprefix("take ") for move in row[1 : row[0]]] for row in rows]
        assert min(how_often_lost(worlds, cards) for cards in thought_of) <= least + 0.1, GAME.rules.position(s)
        for level, player in players.items():
            left[level].append(how_often_lost(worlds, laid_by(player, s, tried)) - least)
    for level in players:
        assert max(left[level]) < 0.35
        assert np.mean(left[level]) < 0.03


def test_candidate_turns_are_whole_turns():
    """Each can be played step by step, and ends the turn; the step back is listed only where nothing else is."""
    out = np.zeros((288, 24), np.int32)
    for number, (seats, options) in enumerate(GAME.settings()[::3]):
        s = GAME.start(seats, options)
        for _ in GAME.stroll(s, seats, dice_from(number)):
            (seat,) = GAME.asked(s) or (NATURE,)
            if seat == NATURE or s.stage != MELDING:
                continue
            for row in out[: GAME.rules.candidate_turns(GAME.view(s, seat), seat, out)]:
                then = s
                for move in row[1 : 1 + row[0]]:
                    assert move in GAME.moves(then, seat)
                    then = GAME.after(then, seat, int(move))
                assert GAME.asked(then) != (seat,) or row[1] == GAME.rules.BACK


@pytest.mark.parametrize(("level", "lower", "share"), [("easy", "random", 0.7), ("medium", "easy", 0.7)])
def test_levels_are_in_order(level, lower, share):
    """The bounds are loose: `levels.md` has the figures, and those of `hard`."""
    assert match(bot(level, GAME), bot(lower, GAME), 100, seed=7).share >= share

"""Where a token may be placed without a search (`is_free`), a search agrees whatever is laid there."""

from collections import Counter

import pytest

from backroom.engine.kernel import below, dice_from
from backroom.games.rum_run.pieces import ARMS, FACE_TOKEN, FACES, OFF
from backroom.games.rum_run.rules.links import is_mine, token_at
from backroom.games.rum_run.rules.roads import hung_by, is_free, lay, relay, stays_joined
from backroom.games.rum_run.rules.state import next_node

from .boards import GAME

DOUBLE_FACES = [face for face in range(1, FACES) if ARMS[face].all()]
GAMES = 60
SETTINGS = (
    {"setup": "standard", "events": "yes", "objectives": "yes"},
    {"setup": "first", "colours": 2},
    {"setup": "small", "seats": 3},
    {"setup": "badlands", "seats": 4},
)


def compare(s, colour, base, first, met):
    """Whatever face of the inventory is laid beside the base, where the colour has a token: if the side is free, the
    base stays joined.
    """
    laid = {token_at(s, base), token_at(s, first)}
    for side in range(4):
        node = int(next_node(base, side))
        if node in (OFF, first) or not is_mine(s, colour, node):
            continue
        free = is_free(s, colour, base, side, first)
        hand = int(s.hand[colour]) | 1 << token_at(s, node)
        faces = [face for face in range(1, FACES) if hand >> FACE_TOKEN[face] & 1 and FACE_TOKEN[face] not in laid]
        joined = [stays_joined(s, colour, base, node, face) for face in faces]
        met[bool(free), all(joined)] += 1
        assert all(joined) or not free, (GAME.rules.position(s), base, side)


def compare_doubles(s, colour, met):
    """Lay a double for a look ahead on each node beside the colour's tokens, and another one beside it."""
    owned = [node for node in range(OFF) if is_mine(s, colour, node)]
    for node in {int(next_node(at, side)) for at in owned for side in range(4)} - {OFF}:
        if s.ground[node] > 2 or (s.owner[node] and not is_mine(s, colour, node)):
            continue
        hand = int(s.hand[colour])
        doubles = [face for face in DOUBLE_FACES if hand >> FACE_TOKEN[face] & 1 and hung_by(s, colour, node, face)]
        for face, other in zip(doubles, [*doubles[1:], *doubles[:1]], strict=True):
            was = lay(s, colour, node, face)
            compare(s, colour, node, OFF, met)
            for side in range(4):
                beside = int(next_node(node, side))
                if beside != OFF and is_mine(s, colour, beside) and is_free(s, colour, node, side, OFF):
                    before = lay(s, colour, beside, other)
                    compare(s, colour, beside, node, met)
                    relay(s, beside, before)
            relay(s, node, was)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting["setup"])
def test_a_free_side_stays_joined_whatever_is_laid_there(setting):
    options = dict(setting)
    seats, met = options.pop("seats", 2), Counter()
    for seed in range(GAMES):
        dice, s = dice_from(seed), GAME.start(*GAME.settle(seats, options))
        for moved in range(400):
            asked = GAME.asked(s)
            if not asked:
                break
            if moved % 16 == 15:
                for colour in range(s.colours):
                    compare_doubles(s, colour, met)
            moves = GAME.moves(s, asked[0])
            s = GAME.after(s, asked[0], moves[below(dice, len(moves))])
    assert met[True, True] > 1000, met
    assert met[False, False] > 10, met

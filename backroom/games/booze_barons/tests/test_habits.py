"""What others do tells what they carry: it is learned from views alone, and it is worth learning."""

import itertools

import numpy as np
import pytest

from backroom.bots import bot, seated
from backroom.bots.memory import MOST_LEARNED
from backroom.engine.kernel import NATURE, dice_from, pick
from backroom.games.booze_barons.brain.inference import EVEN, SETS, deal_by_odds, posterior
from backroom.games.booze_barons.pieces import BOOZES, MOST_SEATS
from backroom.games.booze_barons.rules.state import ACT, MOVE, NAME_BOOZE, PASS, TAIL

from .boards import GAME, at
from .test_secrets import deals_that_fit, met_in_play


def watched(seats, seed, level="medium"):
    """A game of a level with itself: at each action, the state, the seat, and what it has learned from its views."""
    player = bot(level, GAME)
    s = GAME.start(*GAME.settle(seats, {}))
    dice, learned, made = dice_from(seed), np.zeros((seats, MOST_LEARNED)), 0
    spare, counts = np.zeros(1, GAME.rules.STATE), np.zeros(GAME.rules.COUNTS)
    while asked := GAME.asked(s):
        seat = asked[0]
        if seat >= seats:
            found = GAME.moves(s, NATURE)
            GAME.rules.play(s, NATURE, found[int(pick(dice, np.array(GAME.odds(s)), len(found)))])
            continue
        v = GAME.view(s, seat)
        GAME.rules.observe(v, seat, learned[seat], 1.0, spare, counts)
        if s.ask == ACT:
            yield s, seat, learned[seat], counts[3, : MOST_SEATS * BOOZES].copy()
        made += 1
        GAME.rules.play(s, seat, player.answer(v, seat, 1000 * seed + made))


@pytest.mark.parametrize("seats", [5, 9])
def test_where_others_go_tells_what_they_carry(seats):
    """With what was learned, the truth is likelier."""
    gains = []
    for seed in range(3):
        for s, seat, _, weights in watched(seats, seed):
            found = []
            for given in (weights, EVEN):
                ways, odds = np.zeros((2, SETS)), np.zeros(SETS)
                posterior(GAME.view(s, seat), seat, given, ways, odds)
                hidden = [each for each in range(seats) if each != seat and not int(s.exposed) >> each & 1]
                found.append([odds[each * BOOZES + int(s.booze[each])] for each in hidden])
            gains.extend(np.log2(found[0]) - np.log2(found[1]))
    assert np.mean(gains) > 0.03


def test_what_is_learned_does_not_depend_on_what_is_hidden():
    """Views and any world that the seat can imagine teach the same."""
    spare, counts = np.zeros(1, GAME.rules.STATE), np.zeros(GAME.rules.COUNTS)
    s = GAME.start(*GAME.settle(6, {"sides": "mixed"}))
    learned = np.zeros((6, 2, MOST_LEARNED))
    for played, _ in enumerate(GAME.stroll(s, 6, dice_from(6))):
        for seat in GAME.asked(s):
            if seat < 6:
                v = GAME.view(s, seat)
                for k, world in enumerate((v, GAME.imagined(v, seat, dice_from(played)))):
                    GAME.rules.observe(world, seat, learned[seat, k], 1.0, spare, counts)
                assert np.array_equal(learned[seat, 0], learned[seat, 1])
    assert np.abs(learned[:, 0, : MOST_SEATS * BOOZES]).max() > 1


@pytest.mark.parametrize("seats", [3, 4])
def test_weights_count_as_enumeration_says(seats):
    rng, looked = np.random.default_rng(seats), 0
    for seat, v, _ in itertools.chain(*(met_in_play(seats, seed, sides="mixed") for seed in range(3))):
        deals = deals_that_fit(v, seat)
        if not 2 <= len(deals) <= 200 or looked >= 20:
            continue
        weights = rng.random(MOST_SEATS * BOOZES) + 0.05
        ways, odds = np.zeros((2, SETS)), np.zeros(SETS)
        total = posterior(v, seat, weights, ways, odds)
        by_hand, each = np.zeros((MOST_SEATS, BOOZES)), []
        for deal in deals:
            each.append(np.prod([weights[other * BOOZES + booze] for other, booze in enumerate(deal)]))
            by_hand[range(seats), deal] += each[-1]
        assert total == pytest.approx(sum(each))
        assert odds[: MOST_SEATS * BOOZES].reshape(by_hand.shape) == pytest.approx(by_hand / sum(each))
        looked += 1
    assert looked > 5


def test_worlds_are_dealt_by_the_odds():
    s, seat, _, weights = next(each for each in watched(5, 2) if each[0].rounds == 3)
    v = GAME.view(s, seat)
    ways, odds = np.zeros((2, SETS)), np.zeros(SETS)
    posterior(v, seat, weights, ways, odds)
    found, dice = np.zeros((MOST_SEATS, BOOZES)), dice_from(5)
    for _ in range(4000):
        world = GAME.copy(v)
        deal_by_odds(world, seat, weights, ways, dice)
        found[range(5), world.booze[:5]] += 1 / 4000
    assert np.abs(found[:5] - odds[: 5 * BOOZES].reshape(5, BOOZES)).max() < 0.04


def test_a_bot_recalls_what_it_had_learned():
    """After a restart a bot has the memory that it would have without."""
    table = GAME.table(5, seed="a")
    bots = [seated(bot("medium", GAME), seat, table) for seat in range(5)]
    one = seated(bot("rollouts:worlds=1,turns=1,recall=1", GAME), 0, table)
    bots[0] = one
    for _ in range(40):
        table.play(table.asked[0], bots[table.asked[0]].move(table))
    again = seated(bot("rollouts:worlds=1,turns=1,recall=1", GAME), 0, table)
    again.recall(table)
    assert np.abs(one.memory.learned).max() > 1
    assert np.array_equal(one.memory.learned, again.memory.learned)


def test_who_names_a_booze_is_of_another_mob():
    """Cleo meets Ada at the club, and names a beer wrongly: Bruno, who saw it, no longer thinks that she has one."""
    learned, spare, counts = np.zeros(MOST_LEARNED), np.zeros(1, GAME.rules.STATE), np.zeros(GAME.rules.COUNTS)
    seats = dict(ada="rye at club", bruno="porter at casino", cleo="merlot at club")
    s = at("round 2 | baron bruno | acted 0 | turn bruno | ask act", **seats)
    GAME.rules.observe(GAME.view(s, 1), 1, learned, 1.0, spare, counts)
    assert not learned[: MOST_SEATS * BOOZES].any()
    GAME.rules.play(s, 1, PASS)
    GAME.rules.play(s, 2, TAIL + 0)
    GAME.rules.play(s, 2, NAME_BOOZE + 1)
    GAME.rules.play(s, 0, PASS)
    while s.ask != MOVE:
        GAME.rules.play(s, NATURE, GAME.moves(s, NATURE)[0])
    GAME.rules.observe(GAME.view(s, 1), 1, learned, 1.0, spare, counts)
    weights = counts[3, : MOST_SEATS * BOOZES].reshape(MOST_SEATS, BOOZES)
    assert weights[2].tolist() == pytest.approx([0.04] * 4 + [1.0] * 8)
    assert (np.delete(weights, 2, axis=0) == 1.0).all()

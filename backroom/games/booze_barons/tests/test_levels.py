"""The rollout policy uses only what a seat knows, guesses follow the odds, and each level beats the one below.

`levels.md` has longer matches.
"""

import numpy as np
import pytest

from backroom.arena.match import match
from backroom.bots import bot, judge_of
from backroom.engine.kernel import dice_from
from backroom.games.booze_barons.brain.inference import NO_ODDS, chance
from backroom.games.booze_barons.brain.ratings import COIN, TERMS, WHIM, worth_of_a_name
from backroom.games.booze_barons.rules.state import EVENT, EVENT_SEAT, LOOK, NAME_BOOZE, NOTHING, SEATS, TAIL

from .boards import GAME, at
from .test_secrets import deals_that_fit, met_in_play, odds_of


@pytest.mark.parametrize("seats", SEATS)
def test_a_hunch_sees_no_more_than_the_seat(seats):
    looked = 0
    s = GAME.start(*GAME.settle(seats, {"sides": "mixed"}))
    for played, _ in enumerate(GAME.stroll(s, seats, dice_from(seats))):
        for seat in GAME.asked(s):
            if seat < seats and played % 5 == 0:
                worlds = s, GAME.view(s, seat), GAME.imagined(GAME.view(s, seat), seat, dice_from(played))
                moves = np.array(GAME.moves(s, seat), np.int32)
                assert (
                    len({int(GAME.rules.rollout_policy(w, seat, moves, len(moves), dice_from(played))) for w in worlds})
                    == 1
                )
                looked += len(moves) > 1
    assert looked > 10


def looks_met_in_play(seats):
    """Views of seats that look at somebody's deliveries."""
    for seed in range(6):
        s = GAME.start(*GAME.settle(seats, {"sides": "mixed"}))
        for _ in GAME.stroll(s, seats, dice_from(seed)):
            if s.ask == LOOK:
                yield int(s.turn), GAME.view(s, int(s.turn))


def weighed(v, seat):
    """What each move is worth, in coins."""
    moves = np.array(GAME.moves(v, seat), np.int32)
    marks, counts = np.zeros(len(moves)), np.ones(GAME.rules.COUNTS)
    GAME.rules.rate_moves(GAME.copy(v), seat, moves, len(moves), dice_from(1), marks, counts)
    return dict(zip(moves.tolist(), marks / TERMS[v.seats, COIN], strict=True))


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_guesses_go_by_the_odds_that_enumeration_finds(seats):
    """A guess is worth what its probability says, plus at most WHIM at random; the best move is played unless the game
    can end with it.
    """
    medium, looked, named = bot("medium:blur=0", GAME), 0, 0
    for seat, v in looks_met_in_play(seats):
        deals, worth = deals_that_fit(v, seat), weighed(v, seat)
        for move in worth:
            booze = move - NAME_BOOZE
            if NAME_BOOZE <= move < NOTHING and booze // 4 != v.booze[seat] // 4:
                p = sum(deal[v.mark] == booze for deal in deals) / len(deals)
                gain = worth_of_a_name(v, p, TERMS[seats]) if p else 0.0
                assert gain <= worth[move] <= gain + WHIM + 1e-9
                worth[move] = gain
        answer = medium.answer(v, seat, looked)
        assert GAME.rules.may_end(v) or worth[answer] >= max(worth.values()) - 2 * WHIM
        looked += 1
        named += NAME_BOOZE <= answer < NOTHING
    assert looked > named > 10


@pytest.mark.parametrize("seats", [3, 5, 7, 9])
def test_what_playouts_estimate_is_near_the_odds(seats):
    """The probabilities are nearer to the truth than if all possible boozes were equally likely."""
    apart = []
    for seed in range(4):
        for seat, v, s in met_in_play(seats, seed, sides="mixed"):
            _, odds = odds_of(v, seat)
            for other in range(seats):
                if other != seat and not int(s.exposed) >> other & 1:
                    found = [chance(v, seat, other, booze, NO_ODDS) for booze in range(12)]
                    assert sum(found) == pytest.approx(1)
                    even = np.array([int(v.could[other]) >> booze & 1 for booze in range(12)])
                    assert not np.any(even < (np.array(found) > 0))
                    apart.append([np.abs(guess - odds[other]).sum() / 2 for guess in (found, even / even.sum())])
    estimated, at_random = np.mean(apart, axis=0)
    assert estimated < min(0.12, 0.6 * at_random)


def test_a_booze_that_can_be_inferred_is_named():
    """Bruno's two deliveries have porter and rye in common, and Ada has the porter herself."""
    s = at("ask look | mark bruno", ada="porter at club", bruno="rye at club down club1 dock3")
    assert s.ask == LOOK
    assert odds_of(GAME.view(s, 0), 0)[1][1, 5] == pytest.approx(1)
    assert {bot("medium", GAME).answer(GAME.view(s, 0), 0, seed) for seed in range(20)} == {NAME_BOOZE + 5}


LAST = "baron bruno | acted 2 | turn ada | ask look | mark bruno"
"""Ada's action is the last of the round, and Cleo is exposed: to expose Bruno would end the game (§5.4)."""


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_a_guess_that_wins_is_made(level):
    """All know what Bruno carries; with his card for the Club Ada has the most coins."""
    s = at(
        f"round 2 | {LAST}",
        ada="porter at club",
        bruno="rye at club down club1 dock3",
        cleo="merlot at casino lost club box 1",
    )
    assert {bot(level, GAME).answer(GAME.view(s, 0), 0, seed) for seed in range(20)} == {NAME_BOOZE + 5}


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_a_tail_is_made_for_a_guess_that_wins(level):
    """Both steps are seen: Ada meets Bruno at the club, and all know what he carries."""
    s = at(
        "round 2 | baron bruno | acted 2 | turn ada | ask act | lying club3 club5",
        ada="porter at club",
        bruno="rye at club down club1 dock3",
        cleo="merlot at casino lost club box 1",
    )
    assert {bot(level, GAME).answer(GAME.view(s, 0), 0, seed) for seed in range(40)} <= {TAIL + 1, EVENT_SEAT + 1}


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_a_tail_is_made_for_a_guess_that_follows_from_all_deliveries(level):
    """Each mob has one of three players (§2.2): Bruno carries beer, Cleo's deliveries leave her only chardonnay, and so
    Ada has the tequila. With her card for the Club he has the most coins.
    """
    s = at(
        "round 8 | baron cleo | turn bruno | acted 2 | ask act | lying caves2 caves3 caves4 caves6 "
        "casino2 casino4 casino5 petes1 petes2 petes3 petes4 dock3 dock4 barber2",
        ada="tequila at club down casino1 not L3 snitch",
        bruno="porter at club down caves1 club1 club3 barber1 not L4 lost club ada 8",
        cleo="chardonnay at casino up casino3 down club4 casino6 barber3",
    )
    assert {bot(level, GAME).answer(GAME.view(s, 1), 1, seed) for seed in range(40)} <= {TAIL, EVENT_SEAT}


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_where_all_else_loses_a_draw_that_may_win_is_made(level):
    """Only Ada is unexposed, so the game ends with this round (§5.4). Bruno is three coins behind her and wins only if
    all three cards that he draws fit (§8.3: he has exposed one opponent, she none).
    """
    s = at(
        "round 6 | baron cleo | turn bruno | acted 2 | ask act | pile bruno club5:1 | lying caves6 club6 "
        "casino2 casino4 casino5 petes2 petes4 petes6 dock1 dock2 barber1 barber2 barber4 barber5",
        ada="porter at club down caves1 club3 casino1 petes1 petes5 barber3",
        bruno="chardonnay at casino down casino6 dock6 lost casino cleo 6 snitch",
        cleo="bourbon at casino down club4 casino3 not B2L2 lost club bruno 4",
    )
    assert {bot(level, GAME).answer(GAME.view(s, 1), 1, seed) for seed in range(40)} == {EVENT}


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_a_guess_that_loses_is_not_made(level):
    """All know what Bruno carries, and that he has the most coins even without his card for the Club."""
    s = at(
        f"round 6 | {LAST}",
        ada="porter at club",
        bruno="rye at club down club1 dock3 caves2 caves4 casino2 casino3 petes2 petes3",
        cleo="merlot at casino lost club box 1",
    )
    assert NAME_BOOZE + 5 not in {bot(level, GAME).answer(GAME.view(s, 0), 0, seed) for seed in range(20)}


@pytest.mark.parametrize("seats", [3, 5, 7])
def test_a_game_ends_only_where_it_may(seats):
    """§5.3, §5.4: with the last action of a round, and what nature draws after it."""
    found = []
    for seed in range(5):
        s = GAME.start(*GAME.settle(seats, {}))
        for seat, _ in GAME.stroll(s, seats, dice_from(seed)):
            if GAME.asked(s) == (seat,) and seat < seats:
                found.append(bool(GAME.rules.may_end(s)))
        assert found[-1]
    assert np.mean(found) < 0.3


def test_levels_are_in_order():
    for better, worse, games, least in [("easy", "random", 60, 0.8), ("medium", "easy", 100, 0.55)]:
        assert match(bot(better, GAME), bot(worse, GAME), games, seed=2026).share >= least


def test_a_level_among_many_seats_helps_its_mob():
    assert match(bot("medium", GAME), bot("random", GAME), 40, seats=7, seed=7).share > 0.55


@pytest.mark.parametrize("seats", [3, 5])
def test_hints_weigh_ratings_as_the_level_does(seats):
    """With next to no weight for rollouts, the judge prefers what a level without rollouts plays."""
    judge, player, looked = judge_of(GAME, name="hard:worlds=1,trust=100000"), bot("hard:worlds=0", GAME), 0
    s = GAME.start(*GAME.settle(seats, {}))
    for number, _ in enumerate(GAME.stroll(s, seats, dice_from(seats))):
        for seat in GAME.asked(s):
            if seat < seats and number % 5 == 0 and len(GAME.moves(s, seat)) > 2:
                v = GAME.view(s, seat)
                worths = judge.moves(v, seat, number)
                assert worths[player.answer(v, seat, number)] == max(worths.values())
                looked += 1
    assert looked > 10

"""Who knows what: views, imagined worlds and the exact odds, against plain enumeration."""

import itertools
from collections import Counter

import numpy as np
import pytest

import backroom
from backroom.engine.kernel import NATURE, SPECTATOR, dice_from
from backroom.engine.laws import check_game
from backroom.games.booze_barons.brain.inference import EVEN, SETS, posterior
from backroom.games.booze_barons.pieces import CARD_WORDS, SHOWS
from backroom.games.booze_barons.rules.secrets import nth_deal, possible
from backroom.games.booze_barons.rules.state import CASINO_DRAW, DRAW, MOVE, NAME_BOOZE, NOTHING, OVER, SEATS

from .boards import GAME, after, at


def deals_that_fit(v, seat):
    """All deals of §2.1 that fit a view, by trying all."""
    seats = int(v.seats)
    can = []
    for other in range(seats):
        mask = int(v.could[other])
        if v.booze[other] >= 0:
            mask = 1 << int(v.booze[other])
        for card in range(36):
            if v.layer[card] > 0 and v.drawer[int(v.layer[card])] == other and v.booze[other] < 0:
                mask &= ~int(SHOWS[card])
        can.append([booze for booze in range(12) if mask >> booze & 1])
    return [deal for deal in itertools.product(*can) if len(set(deal)) == seats and sizes_of(deal) in FAIR]


FAIR = {(1, 1, 1), (1, 1, 2), (1, 2, 2), (2, 2, 2), (2, 2, 3), (2, 3, 3), (3, 3, 3)}


def sizes_of(deal):
    """§2.2"""
    return tuple(sorted(sum(booze // 4 == mob for booze in deal) for mob in range(3)))


def met_in_play(seats, seed, **options):
    """Views met in random play with something left to guess: the seat, its view and the state."""
    s = GAME.start(*GAME.settle(seats, options))
    for played, (_, _) in enumerate(GAME.stroll(s, seats, dice_from(seed))):
        if s.rounds and played % 17 == 0:
            seat = played // 17 % seats
            yield seat, GAME.view(s, seat), GAME.copy(s)


def odds_of(v, seat):
    counts = np.zeros((3, SETS))
    total = posterior(v, seat, EVEN, counts[:2], counts[2])
    return int(total), counts[2, : 9 * 12].reshape(9, 12)


@pytest.mark.parametrize("seats", [3, 4])
def test_imagined_boozes_are_even_over_all_deals_that_fit(seats):
    looked = 0
    for seed in range(12):
        for seat, v, _ in met_in_play(seats, seed, sides="mixed"):
            fitting = deals_that_fit(v, seat)
            if not 2 <= len(fitting) <= 24 or looked >= 30:
                continue
            looked += 1
            throw, found, n = dice_from(seed), Counter(), 150 * len(fitting)
            for _ in range(n):
                world = GAME.imagined(v, seat, throw)
                found[tuple(int(booze) for booze in world.booze[:seats])] += 1
            assert set(found) <= set(fitting)
            each = n / len(fitting)
            assert sum((found[deal] - each) ** 2 / each for deal in fitting) < len(fitting) + 6 * np.sqrt(
                2 * len(fitting)
            )
    assert looked >= 10


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_posterior_is_what_enumeration_says(seats):
    looked = 0
    for seed in range(6):
        for seat, v, _ in met_in_play(seats, seed, sides="mixed"):
            fitting = deals_that_fit(v, seat)
            total, odds = odds_of(v, seat)
            assert total == len(fitting)
            plain = np.zeros((9, 12))
            for deal in fitting:
                plain[range(seats), deal] += 1 / len(fitting)
            assert odds == pytest.approx(plain)
            looked += 1
    assert looked > 20


def counted_and_listed(v, seat):
    """The exact way to imagine boozes, used if no random deal fits: all deals, by number."""
    s = GAME.copy(v)
    for other in range(int(s.seats)):
        s.work[other] = possible(s, seat, other)
    total = int(nth_deal(s, -1))
    return [[int(nth_deal(s, which)) >> 4 * other & 15 for other in range(int(s.seats))] for which in range(total)]


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_counting_all_deals_finds_each_once(seats):
    looked = 0
    for seat, v, _ in met_in_play(seats, 3, sides="mixed"):
        fitting = deals_that_fit(v, seat)
        if len(fitting) < 300:
            assert sorted(map(tuple, counted_and_listed(v, seat))) == sorted(fitting)
            looked += 1
    assert looked


def test_what_random_deals_cannot_find_is_counted():
    """Nine players, each known to have one of two boozes, in a chain: few random deals are possible."""
    pairs = ["B1B2", "B2B3", "B1B3", "L1L2", "L2L3", "L1L3", "W1W2", "W2W3", "W1W3"]
    boozes = ["porter", "blonde", "lager", "tequila", "rye", "bourbon", "merlot", "brandy", "champagne"]
    players = {
        who.lower(): f"{booze} at club could {pair}"
        for who, booze, pair in zip(GAME.rules.SEAT_NAMES, boozes, pairs, strict=True)
    }
    v = GAME.view(at("ask act", seats=9, **players), SPECTATOR)
    throw, found = dice_from(1), Counter()
    for _ in range(2000):
        found[tuple(int(booze) for booze in GAME.imagined(v, SPECTATOR, throw).booze)] += 1
    assert len(found) == odds_of(v, SPECTATOR)[0] == 8
    assert min(found.values()) > 180


@pytest.mark.parametrize("seats", [7, 9])
def test_imagination_and_posterior_agree_at_big_tables(seats):
    for seed in range(2):
        views = list(met_in_play(seats, seed, sides="mixed"))
        for seat, v, s in views[:: max(len(views) // 3, 1)]:
            total, odds = odds_of(v, seat)
            assert total >= 1
            assert all(odds[other, int(s.booze[other])] > 0 for other in range(seats))
            throw, found, n = dice_from(seed), np.zeros((9, 12)), 3000
            for _ in range(n):
                found[range(seats), GAME.imagined(v, seat, throw).booze[:seats]] += 1 / n
            assert found == pytest.approx(odds, abs=0.05)


def test_imagined_piles_do_not_show_their_drawers_boozes():
    """Bruno has seen nothing of Ada's pile: he imagines cards there that do not show what he thinks she carries."""
    s = at("ask act | pile ada caves2:0 club2:0", bruno="tequila at casino")
    v, throw = GAME.view(s, 1), dice_from(4)
    for _ in range(300):
        world = GAME.imagined(v, 1, throw)
        below = [card for card in range(36) if world.layer[card] == 1]
        assert len(below) == 2
        assert not any(int(SHOWS[card]) >> int(world.booze[0]) & 1 for card in below)


def test_who_drew_a_pile_rules_nothing_else_in():
    s = at("ask act | pile ada caves2:0 club2:01", bruno="tequila at casino")
    v = GAME.view(s, 1)
    assert int(possible(v, 1, 0)) == 0xFFF & ~int(SHOWS[CARD_WORDS.index("club2")])
    assert int(possible(GAME.view(s, 2), 2, 0)) == 0xFFF


def test_exposed_boozes_and_wrong_names_are_kept_by_all_who_imagine():
    s = at("ask act", bruno="tequila at club lost club cleo 1", cleo="merlot at dock not B1B2 down dock2")
    throw = dice_from(1)
    for _ in range(200):
        world = GAME.imagined(GAME.view(s, 0), 0, throw)
        assert world.booze[1] == 4
        assert int(world.booze[2]) not in (0, 1)
        assert int(SHOWS[CARD_WORDS.index("dock2")]) >> int(world.booze[2]) & 1


def test_nothing_a_seat_reads_changes_when_what_it_cannot_know_is_resampled():
    """The same move in the real world and in an imagined one: the same view, sentence and line for the seat.

    Only a name that is said, or a card that fits its drawer, tests what is hidden; what is opened shows it.
    """
    compared = 0
    for seed, seats in itertools.product(range(2), (3, 5, 9)):
        s = GAME.start(*GAME.settle(seats, {"sides": "mixed"}))
        throw = dice_from(100 + seed)
        for played, (seat, move) in enumerate(GAME.stroll(s, seats, dice_from(seed))):
            for reader in (SPECTATOR, *range(seats)) if played % 4 == 0 else ():
                world = GAME.imagined(GAME.view(s, reader), reader, throw)
                if NAME_BOOZE <= move < NOTHING or move not in GAME.moves(world, seat):
                    continue
                drawn = int(SHOWS[move - DRAW]) if s.ask == CASINO_DRAW else 0
                if drawn >> int(s.booze[s.turn]) & 1 != drawn >> int(world.booze[s.turn]) & 1:
                    continue  # a card that fits the one drawer and not the other
                ends = [GAME.after(state, seat, move) for state in (s, world)]
                opened = s.ask == MOVE != ends[0].ask or ends[0].exposed != s.exposed or ends[0].ask == OVER
                if not opened:
                    told = [GAME.sees(state, reader, seat, move) for state in (s, world)]
                    then = [GAME.view(end, reader) for end in ends]
                    assert told[0] == told[1]
                    assert GAME.key(then[0]) == GAME.key(then[1])
                    compared += 1
    assert compared > 1000


def test_logs_do_not_tell_what_was_not_seen():
    table = backroom.Table(GAME, seats=5, seed=3, options={"sides": "mixed"})
    bots = {seat: backroom.bots.bot("random", GAME) for seat in range(5)}
    for step in range(400):
        if table.is_over:
            break
        seat = table.asked[0]
        move = bots[seat].answer(table.view(seat), seat, step)
        table.play(seat, GAME.rules.name(table.view(seat), move))
    for reader in (SPECTATOR, *range(5)):
        told = table.log_seen_by(reader)
        deals = [
            (seat, name) for seat, name in told.moves if seat == NATURE and (name.startswith("deal") or name == "?")
        ]
        assert sum(name.startswith("deal") for _, name in deals) == (reader >= 0)


def test_the_drawer_alone_learns_what_he_draws():
    s = after(at("ask act", ada="porter at casino"), "event")
    unseen, seen = (GAME.after(s, NATURE, GAME.rules.parse(s, f"draw {card}")) for card in ("caves2", "club2"))
    for reader in (SPECTATOR, 1, 2):
        assert GAME.key(GAME.view(unseen, reader)) == GAME.key(GAME.view(seen, reader))
    assert GAME.key(GAME.view(unseen, 0)) != GAME.key(GAME.view(seen, 0))


@pytest.mark.parametrize("seats", SEATS)
def test_laws_over_mixtures_of_sides(seats):
    """Fifty mixtures and more, over all numbers of seats; every few states of each game."""
    rng = np.random.default_rng(seats)
    for seed in range(8):
        sides = "".join(rng.choice(["A", "B"], 6))
        assert check_game(GAME, seats, {"sides": sides}, 7 * seats + seed, look=19) > 3

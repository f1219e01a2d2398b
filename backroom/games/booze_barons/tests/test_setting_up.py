"""Booze Barons before and after play: what there is, setting up, the deliveries, scoring, options, facts."""

import itertools
from collections import Counter

import numpy as np
import pytest

from backroom.engine.kernel import NATURE, SPECTATOR, dice_from
from backroom.games.booze_barons.pieces import (
    BOOZE_NAMES,
    BOOZE_SIGNS,
    BOOZE_WORDS,
    BOX,
    CARD_WORDS,
    MOB_NAMES,
    PLACE_NAMES,
    SHOWS,
    WAYS,
)
from backroom.games.booze_barons.rules.reckoning import coins, coins_seen, mob_coins
from backroom.games.booze_barons.rules.state import OVER, SEAT_NAMES, SEATS, STATE, open_places

from .boards import GAME, after, at, cards, names, results, verbs, why

# §1 What there is


def test_1_1_twelve_boozes_four_to_a_mob():
    assert MOB_NAMES == ("Beer", "Liquor", "Wine")
    assert len(set(BOOZE_NAMES)) == 12
    for name in (*BOOZE_NAMES, *PLACE_NAMES):
        assert name in GAME.rulebook


def test_1_2_six_locations_in_a_ring_with_two_sides():
    assert len(PLACE_NAMES) == 6
    s = at("ask act | lying caves1 petes1 barber2 club1", ada="porter at dock", bruno="tequila at club")
    assert [name for name in names(s) if name.startswith("event")] == ["event petes1"]  # barber2 does not fit
    assert "Dockyard B" in GAME.rules.draw(at(sides="AAAABA"), 0).text()


def test_1_3_thirty_six_deliveries_with_six_boozes_two_of_each_mob():
    assert len(set(SHOWS.tolist())) == len(CARD_WORDS) == 36
    for shown in SHOWS.tolist():
        assert [(shown >> 4 * mob & 15).bit_count() for mob in range(3)] == [2, 2, 2]


def test_1_4_nine_bootleggers_with_names_of_their_own():
    assert len({who["name"] for who in BOX["bootleggers"]}) == 9
    assert len({who["colour"] for who in BOX["bootleggers"]}) == 9
    assert len({name[0] for name in SEAT_NAMES}) == 9  # one letter tells a pawn
    assert SEATS == (3, 4, 5, 6, 7, 8, 9)


# §2 Setting up


def dealt(seats, seed):
    """The boozes of a deal, and the state after it."""
    s = GAME.start(*GAME.settle(seats, {}))
    for _ in GAME.stroll(s, seats, dice_from(seed)):
        if s.booze[seats - 1] != 12:
            break
    return tuple(int(booze) for booze in s.booze[:seats]), s


@pytest.mark.parametrize("seats", SEATS)
def test_2_1_every_deal_of_fair_sizes_is_as_likely(seats):
    """By following the odds: the product of a deal's probabilities is the same for every deal."""
    total = int(WAYS[seats, 0, 0, 0])
    for seed in range(10):
        s, chance = GAME.start(*GAME.settle(seats, {})), 1.0
        for seat, move in GAME.stroll(s, seats, dice_from(seed)):
            if seat != NATURE or GAME.rules.name(s, move).split()[0] != "deal":
                break
            odds = GAME.odds(s)
            chance *= odds[GAME.moves(s, NATURE).index(move)] / sum(odds)
        assert chance == pytest.approx(1 / total)


@pytest.mark.parametrize(("seats", "piles"), [(3, 3), (4, 3), (5, 6), (6, 6), (7, 6), (8, 9), (9, 9)])
def test_2_1_against_dealing_from_piles_as_the_rule_says(seats, piles):
    """The rule itself, in plain Python, gives the same mix of sizes and of boozes beside each other."""
    rng = np.random.default_rng(1)
    said, ours = Counter(), Counter()
    for deal in range(400):
        mobs = [list(rng.permutation(4) + 4 * mob) for mob in range(3)]
        chosen = [mobs[place % 3].pop() for place in range(piles)]
        if seats in (4, 7):
            chosen.append(rng.choice([booze for mob in mobs for booze in mob]))
        said[tuple(np.bincount([booze // 4 for booze in rng.permutation(chosen)[:seats]], minlength=3))] += 1
        ours[tuple(np.bincount([booze // 4 for booze in dealt(seats, deal)[0]], minlength=3))] += 1
    assert set(said) == set(ours)
    assert all(abs(said[sizes] - ours[sizes]) < 100 for sizes in said)


def test_2_1_boozes_are_dealt_in_secret():
    s = GAME.start(*GAME.settle(3, {}))
    assert int(GAME.rules.seen(s, NATURE, GAME.moves(s, NATURE)[0])) == 1
    _, s = dealt(3, 1)
    for reader in (SPECTATOR, 0, 1, 2):
        assert [booze >= 0 for booze in GAME.view(s, reader).booze[:3]] == [reader == seat for seat in range(3)]


@pytest.mark.parametrize(
    ("seats", "sizes"),
    [
        *[(3, [1, 1, 1]), (4, [2, 1, 1]), (5, [2, 2, 1]), (6, [2, 2, 2]), (7, [3, 2, 2]), (8, [3, 3, 2])],
        (9, [3, 3, 3]),
    ],
)
def test_2_2_the_sizes_of_mobs(seats, sizes):
    for seed in range(30):
        found = Counter(booze // 4 for booze in dealt(seats, seed)[0])
        assert sorted(found.values(), reverse=True) == sizes


def test_2_2_only_a_booze_that_leaves_fair_sizes_can_be_dealt():
    s = after(GAME.start(*GAME.settle(3, {})), "deal porter")
    assert names(s) == [f"deal {BOOZE_WORDS[booze]}" for booze in range(4, 12)]
    assert names(after(s, "deal tequila")) == [f"deal {BOOZE_WORDS[booze]}" for booze in range(8, 12)]


def test_2_3_nine_deliveries_are_turned_up_and_the_first_baron_is_drawn():
    _, s = dealt(4, 1)
    while "draw" in verbs(s):
        s = after(s, names(s)[0])
    assert (int(s.deck), sum(len(cards(lying)) for lying in s.lying)) == (27, 9)
    assert [len(cards(lying)) for lying in s.lying] == [6, 3, 0, 0, 0, 0]  # the first nine of the table of §7
    assert names(s) == ["baron Ada", "baron Bruno", "baron Cleo", "baron Desmond"]
    assert GAME.odds(s) == [1, 1, 1, 1]
    assert after(s, "baron Cleo").baron == 2


# §7 The deliveries


def test_7_the_deck_is_as_the_rulebook_says():
    rows = [line.split("|") for line in GAME.rulebook.splitlines() if line.startswith("|") and "B1" in line]
    assert [row[1].strip() for row in rows] == list(PLACE_NAMES)
    printed = [word for row in rows for word in row[2].split()]
    ours = ["".join(BOOZE_SIGNS[b] for b in range(12) if shown >> b & 1) for shown in SHOWS.tolist()]
    assert printed == ours
    for place in range(6):
        for booze in range(12):
            assert sum(shown >> booze & 1 for shown in SHOWS[place * 6 : place * 6 + 6].tolist()) == 3


# §8 Scoring


def test_8_1_coins():
    s = at(
        seats=6,
        ada="porter at caves snitch down caves1 club1",  # beer
        bruno="tequila at club lost club ada 1",
        desmond="blonde at petes lost petes ada 2",  # beer, too
        edie="rye at dock lost dock box 3",
    )
    assert int(coins(s, 0)) == 2 + 1 + 12 + 2 - 2
    assert int(coins_seen(s, 0)) == 2 + 1 + 12 + 2 + 2
    assert [int(coins(s, seat)) for seat in (1, 2, 3, 4)] == [10, 12, 10, 10]


def test_8_1_everyone_starts_with_twelve():
    assert {int(coins(at(seats=seats), seat)) for seats in SEATS for seat in range(seats)} == {12}


@pytest.mark.parametrize(
    ("seats", "sums"),
    [
        (3, (13, 12, 12)),
        (4, (25, 24, 24)),  # Beer has two; the others count double
        (5, (25, 24, 24)),
        (6, (25, 24, 24)),
        (7, (25, 24, 24)),  # three of Beer: the highest and the lowest
        (8, (25, 24, 24)),
        (9, (37, 36, 36)),
    ],
)
def test_8_2_a_mobs_score(seats, sums):
    s = at(seats=seats, ada="porter at caves down caves1")
    assert tuple(int(mob_coins(s, mob)) for mob in range(3)) == sums


def test_8_2_best_and_worst_of_three():
    s = at(
        seats=7,
        ada="porter at caves down caves1 club1 dock1",
        desmond="blonde at petes down caves3 club2",
        edie="lager at dock down caves4",
        greta="rye at caves",
    )
    assert int(mob_coins(s, 0)) == 15 + 13


def test_8_3_the_mob_with_most_coins_wins():
    found = results(at(ada="porter at caves down caves1"))
    assert found[0] > found[1] == found[2]


def test_8_3_a_tie_goes_to_who_exposed_more_opponents():
    s = at(
        ada="porter at caves",
        bruno="tequila at club lost club ada 1 down club1 caves1",
        cleo="merlot at dock down dock2 dock3",
    )
    assert [int(coins(s, seat)) for seat in range(3)] == [14, 12, 14]
    assert results(s)[0] > results(s)[2]
    box = at(ada="porter at caves", bruno="tequila at club lost club box 1 down club1 caves1")
    assert results(box)[0] == results(box)[2]  # poverty counts for nobody


def test_8_3_then_to_the_mob_whose_last_member_was_exposed_latest():
    players = dict(bruno="tequila at club lost club box 3 down club1", cleo="merlot at dock lost dock box 2 down dock2")
    s = at(ada="porter at caves lost caves box 1 down caves1", **players)
    first, second, third = results(s)
    assert second > third > first
    never = at(ada="porter at caves", bruno=players["bruno"] + " dock1", cleo=players["cleo"] + " dock3")
    assert results(never)[0] > results(never)[1]
    late = "merlot at dock lost dock box 3 down dock2"
    same = at(ada="porter at caves lost caves box 3 down caves1", bruno=players["bruno"], cleo=late)
    assert len(set(results(same))) == 1  # in the same round is equal: shared


# §9 Options


def test_9_sides_mixed_are_drawn():
    s = GAME.start(*GAME.settle(3, {"sides": "mixed"}))
    s = after(s, "side A", "side B", "side B", "side A", "side A", "side B")
    assert GAME.rules.position(s).split(" | ")[4] == "sides ABBAAB"
    assert verbs(s) == {"deal"}


@pytest.mark.parametrize(
    ("nerve", "held", "can"), [(0, 0, True), (2, 1, False), (2, 2, True), (3, 2, False), (3, 3, True)]
)
def test_9_nerve(nerve, held, can):
    has = " ".join(["up club1", "down caves1", "dock1"][:held]) if held else ""
    s = at("ask look | mark bruno", options={"nerve": nerve}, ada="blonde at club", bruno=f"tequila at club {has}")
    assert ("name" in verbs(s)) == can
    if not can:
        assert "§9" in why(s, "name rye")


def test_9_other_sides_and_looks_can_be_said():
    assert GAME.settle(3, {"sides": "abABab", "peek": "45"})[1]["sides"] == "ABABAB"
    for wrong in ({"sides": "ABC"}, {"sides": "AAAAAC"}, {"peek": "4"}, {"peek": "61"}, {"peek": "x"}, {"nerve": "1"}):
        with pytest.raises(ValueError, match="option"):
            GAME.settle(3, wrong)


# Facts to test against


def test_facts_a_state_is_small():
    assert STATE.itemsize <= 512


def test_facts_nobody_ever_has_fewer_than_four_places_and_games_are_short():
    for seed, seats in itertools.product(range(4), (3, 6, 9)):
        s = GAME.start(*GAME.settle(seats, {"sides": "mixed"}))
        most = -(-27 // -(-seats // 2)) + seats - 2
        for _ in GAME.stroll(s, seats, dice_from(seed)):
            assert min(int(open_places(s, seat)).bit_count() for seat in range(seats)) >= 4
        assert s.ask == OVER
        assert s.rounds <= most


def test_facts_what_is_left_possible_after_some_deliveries():
    """About 6, 3.2, 1.9 and 1.4 boozes after 1, 2, 3 and 4 deliveries."""
    rng, left = np.random.default_rng(1), np.zeros(4)
    for _ in range(3000):
        booze = rng.integers(12)
        fits = rng.permutation([shown for shown in SHOWS.tolist() if shown >> booze & 1])
        could = 0xFFF
        for n in range(4):
            could &= int(fits[n])
            left[n] += could.bit_count() / 3000
    assert left == pytest.approx([6, 3.2, 1.9, 1.4], abs=0.1)

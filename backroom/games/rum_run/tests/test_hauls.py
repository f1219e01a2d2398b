"""Turns to score without interference: the table against sowing by hand, the kernel against a search by the rules."""

import random

import numpy as np
import pytest

from backroom.games.rum_run.hauls import LEAST, turns_to_score
from backroom.games.rum_run.rules.state import CARAVAN, VIA

from . import haul_table
from .boards import GAME, at


def test_the_table_is_what_sowing_by_hand_comes_to():
    assert np.array_equal(haul_table.table(), LEAST)


def fewest_turns(s, most):
    """For each number of barrels, the fewest turns in which blue can score them by caravans alone.

    Every possible caravan is tried, by the rules of the game.
    """
    before = int(s.scored[0])
    found = {}
    turns, now = 1, [s]
    while now and turns <= most:
        seen, waiting, later = set(), list(now), []
        while waiting:
            here = waiting.pop()
            for barrels in range(1, int(here.scored[0]) - before + 1):
                found.setdefault(barrels, turns)
            if here.over or here.turn != 0:
                if not here.over:
                    here = GAME.copy(here)
                    here.turn = 0
                    here.who[here.depth - 1] = 0
                    later.append(here)
                continue
            for move in GAME.moves(here, 0):
                if CARAVAN <= move < VIA + 256:
                    after = GAME.after(here, 0, move)
                    if GAME.key(after) not in seen:
                        seen.add(GAME.key(after))
                        waiting.append(after)
        turns, now = turns + 1, later
    return found


NORTH = ("g6:1|2v", "g5:2|3v", "g4:3|4v", "g3:4|5v", "g2:5|6v")
WEST = ("f7:1|6>", "e7:6|6", "e8:6|3^", "e9:3|1^")
RIVAL = "| red h7:1|2<"


def laid(road, piles):
    """A road with barrels on its tokens."""
    return " ".join(f"{token}+{piles[i]}" if piles.get(i) else token for i, token in enumerate(road))


@pytest.mark.parametrize("rival", ["", RIVAL], ids=["alone", "a road to overshoot onto"])
@pytest.mark.parametrize("seed", range(12))
def test_turns_are_the_fewest_that_the_rules_allow(seed, rival):
    """Exact: each road has no fork, and up to six barrels."""
    dice = random.Random(seed)
    north = [dice.randrange(len(NORTH)) for _ in range(dice.randint(1, 4))]
    west = [dice.randrange(len(WEST)) for _ in range(dice.randint(0, 2))]
    roads = [laid(road, {i: lie.count(i) for i in lie}) for road, lie in ((NORTH, north), (WEST, west)) if lie]
    s = at(f"blue {' '.join(roads)} {rival}")
    found = fewest_turns(s, 9)
    barrels = len(north) + len(west)
    assert [turns_to_score(s, 0, k) for k in range(1, barrels + 1)] == [found.get(k, 0) for k in range(1, barrels + 1)]


def test_turns_to_score():
    """The rulebook's example: three barrels four steps off are all scored in the third turn."""
    road = "blue g6:1|2v g5:2|3v g4:3|4v g3:4|5v+3"
    s = at(f"{road} {RIVAL}")
    assert [turns_to_score(s, 0, k) for k in (1, 2, 3, 4)] == [2, 3, 3, 0]
    assert turns_to_score(s, 1, 1) == 0  # red has none
    lost = at(f"blue g6:1|2v+2 {RIVAL}")
    assert [turns_to_score(lost, 0, k) for k in (1, 2)] == [1, 0]  # §6.6: the second goes to red
    kept = at("blue g6:1|2v+2")
    assert [turns_to_score(kept, 0, k) for k in (1, 2)] == [1, 1]
    cut_off = at(f"blue g5:2|3v+2 {RIVAL}")
    assert turns_to_score(cut_off, 0, 1) == 0


def test_far_and_many_barrels_are_never_nearer_than_fewer():
    """Beyond the table it is an estimate: more barrels never take fewer turns, and each is scored at last."""
    road = "g6:1|2v g5:2|2 h5:2|3< i5:3|3 i4:3|4v i3:4|4 h3:4|5> g3:5|5 g2:5|6v g1:6|6 f1:6|1>+7 e1:1|1 e2:1|3^+1"
    s = at(f"blue {road}")
    turns = [turns_to_score(s, 0, k) for k in range(1, 9)]
    assert turns == sorted(turns)
    assert all(turns)

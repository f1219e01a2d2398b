"""Golden games of Booze Barons: each way a game can end and be won, every event on both its sides."""

from pathlib import Path

import pytest

import backroom
from backroom.engine.kernel import NATURE
from backroom.games.booze_barons.pieces import PLACE_WORDS
from backroom.games.booze_barons.rules.reckoning import last_exposed, mob_coins, opponents_exposed
from backroom.games.booze_barons.rules.state import EVENT, NOBODY, TAIL

GOLDEN = Path(__file__).parent / "golden"

KEPT_FOR = {
    "three-all-a": (3, "poverty", "coins", 117),
    "three-shared": (3, "poverty of all", "shared", 124),
    "four-by-guesses": (4, "guesses", "coins", 144),
    "four-all-a": (4, "poverty of all", "coins", 182),
    "five-latest": (5, "poverty", "latest", 234),
    "five-all-b": (5, "poverty", "coins", 143),
    "seven-exposures": (7, "poverty of all", "exposures", 190),
    "seven-nerve": (7, "poverty of all", "coins", 187),
    "nine-all-a": (9, "poverty of all", "coins", 181),
    "nine-mixed": (9, "poverty", "coins", 224),
}
"""The players, what ended it, what decided it, and how many moves it has."""


def what_ended_it(s, seats):
    """§5.3, §5.4"""
    last = [seat for seat in range(seats) if s.when[seat] == s.rounds]
    if all(s.captor[seat] != NOBODY for seat in last):
        return "guesses"
    return "poverty of all" if int(s.exposed).bit_count() == seats else "poverty"


def what_decided_it(s):
    """§8.3"""
    first, second, _ = sorted(
        ((mob_coins(s, mob), opponents_exposed(s, mob), last_exposed(s, mob)) for mob in range(3)), reverse=True
    )
    differ = [word for word, a, b in zip(("coins", "exposures", "latest"), first, second, strict=True) if a != b]
    return differ[0] if differ else "shared"


def events_used(table):
    found = set()
    for s, line in zip(table.states(), table.lines, strict=False):
        if line.seat != NATURE and EVENT <= line.move < TAIL:
            place = int(s.pawn[line.seat])
            found.add(f"{PLACE_WORDS[place]} {'AB'[int(s.sides) >> place & 1]}")
    return found


def test_every_golden_game_is_kept_for_something():
    assert {path.stem for path in GOLDEN.glob("*.log")} == set(KEPT_FOR)
    assert {seats for seats, *_ in KEPT_FOR.values()} == {3, 4, 5, 7, 9}


@pytest.mark.parametrize("name", KEPT_FOR)
def test_golden_game(name):
    table = backroom.replay(GOLDEN / f"{name}.log")
    s = table.state
    assert (table.seats, what_ended_it(s, table.seats), what_decided_it(s), len(table.lines)) == KEPT_FOR[name]


def test_every_event_is_used_on_both_sides():
    used = set().union(*(events_used(backroom.replay(GOLDEN / f"{name}.log")) for name in KEPT_FOR))
    assert used == {f"{place} {side}" for place in PLACE_WORDS if place != "caves" for side in "AB"}


def test_somebody_is_safe_at_the_caves_on_either_side():
    """Where the event is always on: two met there, and on side A neither was tailed."""
    met = set()
    for name in KEPT_FOR:
        table = backroom.replay(GOLDEN / f"{name}.log")
        for s, line in zip(table.states(), table.lines, strict=False):
            if line.seat != NATURE and s.rounds and list(s.pawn).count(0) > 1:
                side = "AB"[int(s.sides) & 1]
                met.add(side)
                tailed = TAIL <= line.move < TAIL + 9 and s.pawn[line.seat] == 0
                assert not (tailed and side == "A")
    assert met == {"A", "B"}

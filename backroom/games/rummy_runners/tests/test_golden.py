"""Golden games of Rummy Runners: one for each way a game can end and for each variant, and what it is kept for."""

import itertools
from pathlib import Path

import pytest

import backroom
from backroom.engine.kernel import UNKNOWN
from backroom.games.rummy_runners.rules.land import has_line, largest_group
from backroom.games.rummy_runners.rules.state import MELDING, OVER

GOLDEN = Path(__file__).parent / "golden"


def won(after):
    return after.stage == OVER and after.winner != UNKNOWN


def by_line(before, after):
    return won(after) and largest_group(after, int(after.owned[int(after.winner)])) < 4


def by_four(before, after):
    return won(after) and not has_line(after, int(after.owned[int(after.winner)]))


def by_the_end_of_the_deck(before, after):
    return after.stage == OVER and after.winner == UNKNOWN and after.idle == after.seats


def dies(before, after):
    return after.dead != before.dead


def plurality(before, after):
    """A null dies although one player has two spaces of its suit: three others have one each."""
    for suit in range(4):
        if (int(after.dead) & ~int(before.dead)) >> (20 + suit) & 1:
            return sorted((int(owned) >> 5 * suit & 31).bit_count() for owned in after.owned) == [1, 1, 1, 2]
    return False


def steals_and_locks(before, after):
    lost = any(int(was) & ~int(now) for was, now in zip(before.owned, after.owned, strict=True))
    return lost and after.locked != before.locked


def locks(before, after):
    return after.locked != before.locked


def scavenges(before, after):
    return sum(int(was) & ~int(now) != 0 for was, now in zip(before.before, after.before, strict=True)) == 2


def steps_back(before, after):
    return before.stage == after.stage == MELDING and after.picked == before.picked - 1


def has_a_hole(before, after):
    """A land with a hole: an empty space has tiles on all six sides."""
    spots = {int(spot) for spot in after.spot}
    around = (25, -25, 1, -1, 24, -24)
    return UNKNOWN not in spots and any(
        at not in spots and all(at + step in spots for step in around) for at in range(625)
    )


def diagonal(before, after):
    """A line over corners in the piecepack."""
    if not won(after) or largest_group(after, int(after.owned[int(after.winner)])) >= 3:
        return False
    return bool(has_line(after, int(after.owned[int(after.winner)])))


KEPT_FOR = {
    "line": (by_line, (0.0, 1.0), 111),
    "four": (by_four, (0.0, 1.0, 0.0), 181),
    "empty-deck": (by_the_end_of_the_deck, (0.0, 1.0, 0.0), 136),
    "empty-deck-shared": (by_the_end_of_the_deck, (0.0, 0.5, 0.5, 0.0), 131),
    "deadlock": (dies, (0.0, 1.0, 0.0), 255),
    "plurality": (plurality, (0.0, 1.0, 0.0, 0.0), 456),
    "scavenged-from-two": (scavenges, (1.0, 0.0, 0.0, 0.0), 310),
    "stepped-back": (steps_back, (0.0, 1.0), 189),
    "hard-way": (by_line, (1.0, 0.0, 0.0), 162),
    "disputes": (steals_and_locks, (0.0, 1.0), 150),
    "controlled": (has_a_hole, (1.0, 0.0, 0.0, 0.0), 252),
    "piecepack": (diagonal, (1.0, 0.0), 193),
    "piecepack-controlled": (by_four, (1.0, 0.0, 0.0), 354),
    "everything": (locks, (0.0, 1.0, 0.0, 0.0), 367),
}


def test_every_golden_game_is_kept_for_something():
    assert {path.stem for path in GOLDEN.glob("*.log")} == set(KEPT_FOR)


@pytest.mark.parametrize("name", KEPT_FOR)
def test_golden_game(name):
    table = backroom.replay(GOLDEN / f"{name}.log")
    kept_for, score, moves = KEPT_FOR[name]
    assert any(kept_for(*pair) for pair in itertools.pairwise(table.states()))
    assert (table.score, len(table.lines)) == (score, moves)


def test_every_variant_and_number_of_seats_has_a_golden_game():
    tables = [backroom.replay(GOLDEN / f"{name}.log") for name in KEPT_FOR]
    assert {table.seats for table in tables} == {2, 3, 4}
    for option in tables[0].game.rules.OPTIONS:
        assert {table.options[option.name] for table in tables} == set(option.values)

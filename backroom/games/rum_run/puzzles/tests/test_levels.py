"""The levels at puzzles: `hard` solves every kept one with the fewest placings, lower levels solve fewer."""

from backroom.games.rum_run.puzzles.options import KEPT

from .test_brain import solved


def test_hard_solves_every_kept_puzzle_and_the_lower_fewer():
    found = {level: solved(level, times) for level, times in (("random", 3), ("easy", 6), ("medium", 6), ("hard", 1))}
    assert found["random"] < found["easy"] < found["medium"] < found["hard"] == len(KEPT)

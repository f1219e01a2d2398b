"""The option that chooses a puzzle: a kept one, one made by difficulty and number, or one written out (§7)."""

import re
import tomllib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from backroom.engine.options import Option

from .generator import generate
from .notation import read_puzzle
from .solver import DIFFICULTIES, solve

KEPT: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("puzzles.toml").read_text("utf-8"))
"""The puzzles that come with the game, by name: each written out, with its solution."""
_MADE = re.compile(rf"({'|'.join(DIFFICULTIES)}) ([0-9]{{1,9}})")


@lru_cache(1024)
def settle(text: str) -> str:
    """A written puzzle as one line, with the solver's proof (§2.3)."""
    if made := _MADE.fullmatch(" ".join(text.split())):
        return str(generate(made[1], int(made[2])))
    puzzle = read_puzzle(text)
    proof = solve(puzzle)
    if proof is None:
        raise ValueError("it cannot be solved in six placings (§2.3)")
    if proof.ways > 1:
        raise ValueError(f"it has {proof.ways} shortest solutions of {proof.fewest} placings, not one (§2.3)")
    if puzzle.fewest not in (0, proof.fewest):
        raise ValueError(f"it is solved in {proof.fewest} placings, not in {puzzle.fewest} (§2.3)")
    return str(replace(puzzle, fewest=proof.fewest))


def numbers(text: str) -> list[int]:
    """The puzzle as the numbers that kernels get."""
    return read_puzzle(KEPT[text]["puzzle"] if text in KEPT else text).numbers()


OPTIONS = (
    Option(
        "puzzle",
        tuple(KEPT),
        "Which puzzle (§7).",
        other="a difficulty and a number, like hard 17, or a puzzle written out, here or in a file (§7.1)",
        read=settle,
        numbers=numbers,
        may_be_file=True,
        series=DIFFICULTIES,
        title="Puzzle",
        titles=tuple(name.replace("-", " ").capitalize() for name in KEPT),
    ),
)

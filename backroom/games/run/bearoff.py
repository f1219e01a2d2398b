"""Exact bear-off tables: how long any home board takes, and who wins with few men on both sides.

Once both players are home neither can block the other, so a side is six numbers: its men worth 1 to 6 (§4.1). Home
boards are numbered; boards with fewer men have lower numbers, and the empty board is 0.
"""

import secrets
from collections.abc import Callable
from functools import cache
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from backroom.engine.kernel import cache_folder, digest_of, kernel

from .pieces import MEN, OFF, ROLLS

WORTHS = 6
BOARDS = comb(MEN + WORTHS, WORTHS)
"""All home boards: at most fifteen men on six points."""
FULL = comb(MEN - 1 + WORTHS, WORTHS)
"""The number of the first board with all fifteen men."""
FEW = 8
"""The number of men on either side up to which `wins` is exact."""
TURNS = 32
"""No board takes more than 30 turns: a turn is worth at least three points."""
WAITS = 12
"""The chance of having borne off no man after this many turns at home is negligible."""

CHOOSE = np.array([[comb(n, k) for k in range(WORTHS + 1)] for n in range(MEN + WORTHS + 1)], np.int32)


class BearoffTables(NamedTuple):
    """Tables over home boards, by number."""

    turns: Any
    """The probability that a board is empty after exactly this number of turns, if each turn is played for speed."""
    waits: Any
    """The probability that fifteen men (number minus FULL) have borne off none after a number of turns.

    Turns are played to bear off a first man soon.
    """
    wins: Any
    """The probability that the first of two boards with few men wins, if it rolls next and both play perfectly."""


# The numbering of boards. The running totals of men of worth 1, 2, … plus 0, 1, … 5 are six distinct numbers below 21:
# a board's number counts the sets of six that come before it, comparing the largest first.


@kernel
def number_of(men, seat):  # type: ignore[no-untyped-def]
    """The number of a seat's home board."""
    number, total = 0, 0
    for worth in range(1, WORTHS + 1):
        total += men[seat, OFF - worth]
        number += CHOOSE[total + worth - 1, worth]
    return number


@kernel
def set_board(men, seat, number):  # type: ignore[no-untyped-def]
    """Fill in the board with this number."""
    total = -1
    for worth in range(WORTHS, 0, -1):
        at = worth - 1
        while CHOOSE[at + 1, worth] <= number:
            at += 1
        number -= CHOOSE[at, worth]
        if worth < WORTHS:
            men[seat, OFF - worth - 1] = total - (at - worth + 1)
        total = at - worth + 1
    men[seat, OFF - 1] = total


# Steps and whole turns


@kernel
def fill_steps(men, steps, pips):  # type: ignore[no-untyped-def]
    """`steps[number, die - 1, worth - 1]`: the board after a man of this worth plays this die; -1 if he may not."""
    for number in range(len(steps)):
        set_board(men, 0, number)
        pips[number] = 0
        for worth in range(1, WORTHS + 1):
            pips[number] += worth * men[0, OFF - worth]
        for die in range(1, WORTHS + 1):
            is_farthest = True
            for worth in range(WORTHS, 0, -1):
                steps[number, die - 1, worth - 1] = -1
                if men[0, OFF - worth] == 0:
                    continue
                if worth >= die or is_farthest:  # §4.2, §4.3, §4.4
                    to = min(OFF - worth + die, OFF)
                    men[0, OFF - worth] -= 1
                    men[0, to] += 1
                    steps[number, die - 1, worth - 1] = number_of(men, 0)
                    men[0, to] -= 1
                    men[0, OFF - worth] += 1
                is_farthest = False


@kernel
def add_steps(steps, number, die, out, n, marks, mark):  # type: ignore[no-untyped-def]
    """Append the boards after one die to `out` from n on, without those already marked; returns the new length."""
    for worth in range(WORTHS):
        to = steps[number, die - 1, worth]
        if to >= 0 and marks[to] != mark:
            marks[to] = mark
            out[n] = to
            n += 1
    return n


@kernel
def endings(steps, number, roll, out, marks, clock):  # type: ignore[no-untyped-def]
    """Write to `out` every board that a turn with this roll can end with; returns where they begin and end.

    At home every die can be played while there are men (§3.4).
    """
    big, small = ROLLS[roll]
    if big == small:
        out[0] = number
        begin, end = 0, 1
        for _ in range(4):
            clock[0] += 1
            n = end
            for i in range(begin, end):
                if out[i] == 0:
                    return i, i + 1  # the last man is off: nothing is better
                n = add_steps(steps, out[i], big, out, n, marks, clock[0])
            begin, end = end, n
        return begin, end
    clock[0] += 1
    middle = add_steps(steps, number, big, out, 0, marks, clock[0])
    clock[0] += 1
    begin = add_steps(steps, number, small, out, middle, marks, clock[0])
    clock[0] += 1
    n = begin
    for i in range(begin):
        if out[i] == 0:
            return i, i + 1
        n = add_steps(steps, out[i], small if i < middle else big, out, n, marks, clock[0])
    return begin, n


# The tables, filled from the boards with the fewest points to go upwards


@kernel
def fill_turns(order, steps, turns, mean, out, marks, clock):  # type: ignore[no-untyped-def]
    for number in order:
        turns[number] = 0.0
        if number == 0:
            turns[0, 0] = 1.0
            mean[0] = 0.0
            continue
        mean[number] = 1.0
        for roll in range(len(ROLLS)):
            chance = (1.0 if ROLLS[roll, 0] == ROLLS[roll, 1] else 2.0) / 36.0
            begin, end = endings(steps, number, roll, out, marks, clock)
            best = out[begin]
            for i in range(begin, end):
                if mean[out[i]] < mean[best]:
                    best = out[i]
            mean[number] += chance * mean[best]
            for turn in range(TURNS - 1):
                turns[number, turn + 1] += chance * turns[best, turn]


@kernel
def fill_waits(order, steps, waits, mean, out, marks, clock):  # type: ignore[no-untyped-def]
    for number in order:
        if number < FULL:
            continue
        mine = number - FULL
        waits[mine] = 0.0
        waits[mine, 0] = 1.0
        mean[mine] = 1.0
        for roll in range(len(ROLLS)):
            chance = (1.0 if ROLLS[roll, 0] == ROLLS[roll, 1] else 2.0) / 36.0
            begin, end = endings(steps, number, roll, out, marks, clock)
            best = out[begin]
            for i in range(begin, end):
                if out[i] < FULL or (best >= FULL and mean[out[i] - FULL] < mean[best - FULL]):
                    best = out[i]
            if best >= FULL:
                mean[mine] += chance * mean[best - FULL]
                for turn in range(WAITS - 1):
                    waits[mine, turn + 1] += chance * waits[best - FULL, turn]


@kernel
def list_endings(steps, boards, starts, ends, out, marks, clock):  # type: ignore[no-untyped-def]
    """All turns of the lowest boards, one after the other: those of a roll begin at `starts[number, roll]`."""
    n = 0
    for number in range(1, boards):
        for roll in range(len(ROLLS)):
            begin, end = endings(steps, number, roll, out, marks, clock)
            starts[number, roll] = n
            for i in range(begin, end):
                ends[n] = out[i]
                n += 1
            starts[number, roll + 1] = n
    return n


@kernel
def fill_wins(first_of, by_pips, starts, ends, wins):  # type: ignore[no-untyped-def]
    """Fill pairs in the order of the points that both have to go, since a turn leads to fewer."""
    most = len(first_of) - 2
    wins[0] = 1.0
    wins[:, 0] = 0.0
    for total in range(2, 2 * most + 1):
        for theirs in range(max(1, total - most), min(most, total - 1) + 1):
            for j in range(first_of[theirs], first_of[theirs + 1]):
                other = by_pips[j]
                for i in range(first_of[total - theirs], first_of[total - theirs + 1]):
                    mine = by_pips[i]
                    lost = 0.0
                    for roll in range(len(ROLLS)):
                        best = np.float64(1.0)
                        for e in range(starts[mine, roll], starts[mine, roll + 1]):
                            best = min(best, wins[other, ends[e]])
                        lost += best if ROLLS[roll, 0] == ROLLS[roll, 1] else 2.0 * best
                    wins[mine, other] = 1.0 - lost / 36.0


def _steps() -> tuple[Any, ...]:
    """The steps of all boards, their points to go, and the scratch space of `endings`."""
    steps, pips = np.empty((BOARDS, WORTHS, WORTHS), np.int32), np.empty(BOARDS, np.int32)
    fill_steps(np.zeros((1, OFF + 1), np.int16), steps, pips)
    return steps, pips, (np.empty(1 << 12, np.int32), np.zeros(BOARDS, np.int64), np.zeros(1, np.int64))


def all_turns() -> Any:
    """Compute `BearoffTables.turns`."""
    steps, pips, scratch = _steps()
    turns = np.empty((BOARDS, TURNS), np.float32)
    fill_turns(np.argsort(pips, kind="stable"), steps, turns, np.empty(BOARDS), *scratch)
    return turns


def all_waits() -> Any:
    """Compute `BearoffTables.waits`."""
    steps, pips, scratch = _steps()
    waits = np.empty((BOARDS - FULL, WAITS), np.float32)
    fill_waits(np.argsort(pips, kind="stable"), steps, waits, np.empty(BOARDS - FULL), *scratch)
    return waits


def all_wins(few: int = FEW) -> Any:
    """Compute `BearoffTables.wins`, for at most `few` men on either side."""
    steps, pips, scratch = _steps()
    boards = comb(few + WORTHS, WORTHS)
    starts, ends = np.zeros((boards, len(ROLLS) + 1), np.int64), np.empty(boards * 21 * 40, np.int32)
    list_endings(steps, boards, starts, ends, *scratch)
    by_pips = np.argsort(pips[:boards], kind="stable")
    first_of = np.searchsorted(pips[by_pips], np.arange(WORTHS * few + 2))
    wins = np.empty((boards, boards), np.float32)
    fill_wins(first_of, by_pips, starts, ends, wins)
    return wins


@cache
def tables() -> BearoffTables:
    """All tables: read from files beside the compiled kernels, or computed, which takes some seconds."""
    return BearoffTables(
        *(_kept(name, make) for name, make in zip(BearoffTables._fields, (all_turns, all_waits, all_wins), strict=True))
    )


def _kept(name: str, make: Callable[[], Any]) -> Any:
    """An array from its file, whose name has the hash of this module, so it fits the kernels."""
    folder = cache_folder()
    if folder is None:
        return make()
    path = folder / f"bearoff-{name}-{digest_of(Path(__file__).resolve())}.npy"
    if not path.exists():
        draft = path.with_name(f".{secrets.token_hex(8)}.npy")
        np.save(draft, make())
        draft.replace(path)
    return np.asarray(np.load(path, mmap_mode="c"))  # processes share the memory; "c": copy on write

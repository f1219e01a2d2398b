"""The solver: breadth-first over placings, exact, so that it proves what it finds (§2.3).

It visits all positions after one placing, after two, and so on, and counts the sequences that lead to each. Positions
from which the barrel is too far are left out. The limit on placings is first a lower bound, then one more, and so on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from backroom.engine.protocol import Move, State
from backroom.games.rum_run.pieces import IS_DOUBLE, VARIANT_TOKEN, VARIANTS
from backroom.games.rum_run.rules.links import link
from backroom.games.rum_run.rules.state import PLACE, STATE, TOWN_AT, next_node
from backroom.games.rum_run.words import name

from .notation import Puzzle
from .pieces import PLACINGS
from .rules import BACK, BLUE, MOST_MOVES, RED, at_least, placings, play, setup

DIFFICULTIES = ("easy", "medium", "hard")
_END = STATE.fields["work"][1] if STATE.fields else 0


@dataclass(frozen=True, slots=True)
class Proof:
    """What is known about a puzzle."""

    fewest: int
    """Placings in a shortest solution."""
    ways: int
    """The number of shortest solutions."""
    solution: tuple[str, ...]
    """The first of them, in the notation of moves."""
    difficulty: str
    """The difficulty of that solution (§6.1); empty if it has none."""
    met: int
    """The number of positions that were expanded to prove it: a measure of how misleading the puzzle is."""


@dataclass(frozen=True, slots=True)
class _Met:
    """A position, the number of sequences that lead to it, and the first of them."""

    state: State
    ways: int
    path: tuple[Move, ...]


def begin(puzzle: Puzzle) -> State:
    """The start position of a puzzle."""
    s: State = np.zeros(1, STATE)[0]
    setup(s, 1, np.array(puzzle.numbers(), np.int32))
    return s


def solve(puzzle: Puzzle, most: int = PLACINGS) -> Proof | None:
    """The proof for a puzzle; None if it cannot be solved in `most` placings."""
    start = begin(puzzle)
    for limit in range(int(at_least(start)), most + 1):
        solved, met = _search(start, limit)
        if solved:
            return Proof(limit, solved.ways, _names(start, solved.path), _difficulty(start, solved), met)
    return None


def solution(v: State) -> tuple[str, ...] | None:
    """The placings of a shortest solution from here with the placings that are left; None if there is none."""
    if v.over:
        return None
    s: State = np.ndarray(1, STATE, bytearray(v.tobytes()))[0]
    is_half_chosen = s.node >= 0 or s.token >= 0
    if is_half_chosen:
        play(s, 0, BACK)
    for limit in range(int(at_least(s)), int(s.reserve) + 1):
        solved, _ = _search(s, limit)
        if solved:
            return (*([name(v, BACK)] if is_half_chosen else []), *_names(s, solved.path))
    return None


def _search(start: State, limit: int) -> tuple[_Met | None, int]:
    """All ways to the barrel in exactly `limit` placings, if fewer are not enough; and the number of positions met."""
    level = {b"": _Met(start, 1, ())}
    out = np.empty(4 * MOST_MOVES, np.int32)
    found: _Met | None = None
    count = 0
    for left in range(limit - 1, -1, -1):
        after: dict[bytes, _Met] = {}
        count += len(level)
        for met in level.values():
            for move, s in _onward(met.state, out):
                if s.winners:
                    found = _joined(found, _Met(s, met.ways, (*met.path, move)))
                elif at_least(s) <= left:
                    key = s.tobytes()[:_END]
                    after[key] = _joined(after.get(key), _Met(s, met.ways, (*met.path, move)))
        level = after
    return found, count


def _joined(known: _Met | None, met: _Met) -> _Met:
    """Merge positions: the earlier one stays the first of the sequences, and the sequences are counted together."""
    return replace(known, ways=known.ways + met.ways) if known else met


def _onward(s: State, out: Any) -> Iterator[tuple[Move, State]]:
    for move in out[: placings(s, out)].tolist():
        then: State = np.ndarray(1, STATE, bytearray(s.tobytes()))[0]
        play(then, 0, move)
        yield move, then


def _names(start: State, path: tuple[Move, ...]) -> tuple[str, ...]:
    """The placings of a path, each named in the position in which it is made."""
    s: State = np.ndarray(1, STATE, bytearray(start.tobytes()))[0]
    names = []
    for move in path:
        names.append(name(s, move))
        play(s, 0, move)
    return tuple(names)


# §6.1


def _difficulty(start: State, solved: _Met) -> str:
    """The difficulty of finding a solution, by what it needs."""
    nodes = [(move - PLACE) // (VARIANTS * 4) for move in solved.path]
    tokens = [int(VARIANT_TOKEN[(move - PLACE) // 4 % VARIANTS]) for move in solved.path]
    lay_there = [int(start.owner[node]) - 1 for node in nodes]
    doubles = {node for node, token in zip(nodes, tokens, strict=True) if IS_DOUBLE[token]}
    if BLUE in lay_there or len(set(nodes)) < len(nodes) or doubles - _bends(solved.state):
        return ""
    if RED in lay_there or len(doubles) >= 2:
        return "hard"
    return "medium" if doubles else "easy"


def _bends(s: State) -> set[int]:
    """The nodes where the road from the barrel to the Town Center turns."""
    found = set()
    node, came = int(s.aim), -1
    while True:
        side = _homeward(s, node)
        if came >= 0 and side != came:
            found.add(node)
        if s.dist[node] == 1:
            return found
        node, came = next_node(node, side), side


def _homeward(s: State, node: int) -> int:
    """The side of a token on which the way to the Town Center continues."""
    for side in range(4):
        place = int(link(s, BLUE, node, side, False))
        if place == TOWN_AT or (place >= 0 and 0 < s.dist[place] < s.dist[node]):
            if place == TOWN_AT and s.dist[node] != 1:
                continue
            return side
    raise ValueError("a token that is not joined has no way to the Town Center (§4.1)")

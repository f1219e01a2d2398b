"""Puzzles as one line (§7.1), written and parsed, and as the numbers that kernels get."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from backroom.games.rum_run.pieces import ARROWS, COLOURS, FACE_OF, FACE_TOKEN, FAR, NEAR, SIDE
from backroom.games.rum_run.setup_file import node_called, node_name
from backroom.games.rum_run.words import VARIANT_CALLED, face_name, token_called, token_name

from .pieces import LEAST_SIZE, MOST_LAID, MOST_ROCKS, MOST_SIZE, PLACINGS

Lying = tuple[int, int, int]
"""A token on the board: its colour, node and face."""

_LYING = re.compile(r"([a-p][0-9]{1,2}):(\*?[1-6]\|\*?[1-6])([\^>v<]?)")


@dataclass(frozen=True, slots=True)
class Puzzle:
    """Everything that defines a puzzle (§2.1)."""

    size: int
    town: int
    barrel: int
    tokens: tuple[int, ...]
    rocks: tuple[int, ...] = ()
    laid: tuple[Lying, ...] = ()
    fewest: int = 0
    """The number of placings that solve it; 0: not determined yet."""

    def __str__(self) -> str:
        return " | ".join(self._parts())

    def _parts(self) -> Iterable[str]:
        yield f"size {self.size}"
        yield f"town {node_name(self.town)}"
        yield f"barrel {node_name(self.barrel)}"
        if self.fewest:
            yield f"in {self.fewest}"
        yield f"tokens {' '.join(token_name(token) for token in sorted(self.tokens))}"
        if self.rocks:
            yield f"boulders {' '.join(node_name(node) for node in sorted(self.rocks))}"
        for colour in (0, 1):
            if lying := [lying_name(node, face) for whose, node, face in sorted(self.laid) if whose == colour]:
                yield f"{COLOURS[colour]} {' '.join(lying)}"

    def numbers(self) -> list[int]:
        """The puzzle as the numbers that kernels get."""
        given = sum(1 << token for token in self.tokens)
        laid = [number for lying in sorted(self.laid) for number in lying]
        return [
            *(self.size, self.town, self.barrel, self.fewest, given),
            *_filled(sorted(self.rocks), MOST_ROCKS),
            *_filled(laid, 3 * MOST_LAID),
        ]


def _filled(numbers: Sequence[int], length: int) -> list[int]:
    return [*numbers, *[-1] * (length - len(numbers))]


def lying_name(node: int, face: int) -> str:
    """c4:3|5v: a token as it lies."""
    return f"{node_name(node)}:{face_name(face)}"


def lying_called(text: str) -> tuple[int, int]:
    """The node and the face of a token written like this; ValueError says what is wrong."""
    match = _LYING.fullmatch(text)
    if match is None or match[2] not in VARIANT_CALLED:
        raise ValueError(f"{text!r} is no token on a node; expected one like c4:3|5v or c4:3|3 (§7.1)")
    variant = VARIANT_CALLED[match[2]]
    if (NEAR[variant] == FAR[variant]) == bool(match[3]):
        raise ValueError(f"{text!r}: an arrow says where the first end faces; a double has none (§7.1)")
    return node_called(match[1]), int(FACE_OF[variant, ARROWS.index(match[3]) if match[3] else 0])


def split(text: str, known: Iterable[str]) -> dict[str, str]:
    """The parts of a line between bars, or of several lines, by their first words."""
    said: dict[str, str] = {}
    for part in filter(None, (" ".join(part.split()) for part in re.split(r"\s\|\s|\n", text))):
        key, _, rest = part.partition(" ")
        if key not in known:
            raise ValueError(f"{part!r} is no part of it; expected {', '.join(known)} (§7.1)")
        if key in said:
            raise ValueError(f"it says {key!r} twice (§7.1)")
        said[key] = rest
    return said


def number_called(text: str, what: str, least: int, most: int) -> int:
    if not re.fullmatch(r"-?[0-9]{1,3}", text) or not least <= int(text) <= most:
        raise ValueError(f"{what} {text!r}; expected a number from {least} to {most} (§2.1)")
    return int(text)


_PARTS = ("size", "town", "barrel", "in", "tokens", "boulders", *COLOURS[:2])


def read_puzzle(text: str) -> Puzzle:
    """Parse a puzzle; ValueError says what is wrong with it, and the §."""
    said = split(text, _PARTS)
    for key in ("size", "town", "barrel", "tokens"):
        if key not in said:
            raise ValueError(f"it does not say {key!r} (§2.1)")
    size = number_called(said["size"], "size", LEAST_SIZE, MOST_SIZE)
    fewest = number_called(said["in"], "in", 1, PLACINGS) if "in" in said else 0
    node_on = _on_board(size)
    town, barrel = node_on(said["town"]), node_on(said["barrel"])
    rocks = tuple(sorted({node_on(word) for word in said.get("boulders", "").split()}))
    tokens = tuple(sorted({token_called(word) for word in said["tokens"].split()}))
    laid = tuple(
        sorted((colour, *lying_called(word)) for colour in (0, 1) for word in said.get(COLOURS[colour], "").split())
    )
    puzzle = Puzzle(size, town, barrel, tokens, rocks, laid, fewest)
    _check(puzzle, len(said["tokens"].split()))
    return puzzle


def _on_board(size: int) -> Callable[[str], int]:
    def node_on(text: str) -> int:
        node = node_called(text)
        if node // SIDE >= size or node % SIDE >= size:
            raise ValueError(f"{text} is off the board (§1.1)")
        return node

    return node_on


def _check(puzzle: Puzzle, given: int) -> None:
    """§2.1: check that nothing overlaps or occurs twice, and that there are six tokens."""
    if given != PLACINGS or len(puzzle.tokens) != PLACINGS:
        raise ValueError(
            f"six different tokens are given, not {given if given != PLACINGS else len(puzzle.tokens)} (§2.1)"
        )
    if len(puzzle.rocks) > MOST_ROCKS or len(puzzle.laid) > MOST_LAID:
        raise ValueError(f"at most {MOST_ROCKS} boulders and {MOST_LAID} tokens can lie there (§2.1)")
    if puzzle.town == puzzle.barrel or {puzzle.town, puzzle.barrel} & set(puzzle.rocks):
        raise ValueError("the Town Center, the barrel and the boulders lie on nodes of their own (§2.1)")
    taken = {puzzle.town, *puzzle.rocks}
    whose: set[tuple[int, int]] = {(0, token) for token in puzzle.tokens}
    for colour, node, face in puzzle.laid:
        token = (colour, int(FACE_TOKEN[face]))
        if node in taken or node // SIDE >= puzzle.size or node % SIDE >= puzzle.size:
            raise ValueError(f"no token can lie on {node_name(node)} (§2.1)")
        if colour == 0 and node == puzzle.barrel:
            raise ValueError("a token of yours lies on the barrel already (§5.1)")
        if token in whose:
            raise ValueError(f"{COLOURS[colour]} does not have {token_name(token[1])} twice (§2.1)")
        taken.add(node)
        whose.add(token)

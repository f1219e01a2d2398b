"""The generator: lays out a secret road, and keeps it if the solver proves it the only shortest one (§6)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from backroom.engine.kernel import below, dice_from
from backroom.games.rum_run.pieces import (
    EAST,
    FACE_OF,
    FACE_TOKEN,
    NORTH,
    OFF,
    PAIRS,
    PLAIN,
    SIDE,
    SOUTH,
    STRENGTH,
    VARIANT_TOKEN,
    WEST,
)
from backroom.games.rum_run.rules.state import next_node
from backroom.games.rum_run.words import VARIANT_CALLED

from .notation import Lying, Puzzle
from .pieces import PLACINGS
from .rules import BLUE, RED
from .solver import DIFFICULTIES, solve

SIZES = (5, 6, 7)
LENGTHS = {"easy": (4, 5), "medium": (4, 5, 6), "hard": (5, 6)}
"""The number of placings of the secret road."""
SPACE = 1_000_003
"""The distance between the seeds of different difficulties."""
MOST_TRIES = 20_000
"""The most drafts for one puzzle."""


@dataclass
class _Draft:
    """A puzzle while it is being made."""

    dice: Any
    size: int
    town: int
    road: list[int] = field(default_factory=list)
    """The nodes of the secret road, from the Town Center outward."""
    turns: list[bool] = field(default_factory=list)
    """Whether the road bends, for each of its nodes."""
    tokens: list[int] = field(default_factory=list)
    """The token on each node of the road."""
    laid: list[Lying] = field(default_factory=list)
    rocks: list[int] = field(default_factory=list)

    def draw(self, things: Sequence[Any]) -> Any:
        return things[int(below(self.dice, len(things)))]

    def has(self, node: int) -> bool:
        return node != OFF and node // SIDE < self.size and node % SIDE < self.size

    @property
    def taken(self) -> set[int]:
        return {self.town, *self.road, *self.rocks, *(node for _, node, _ in self.laid)}


def generate(difficulty: str, number: int) -> Puzzle:
    """The puzzle with this difficulty and number: always the same one."""
    dice = dice_from(number * len(DIFFICULTIES) * SPACE + DIFFICULTIES.index(difficulty))
    for _ in range(MOST_TRIES):
        puzzle = _draft(difficulty, dice)
        proof = solve(puzzle) if puzzle else None
        if puzzle is None or proof is None or proof.ways > 1 or proof.difficulty != difficulty:
            continue
        if proof.fewest in LENGTHS[difficulty]:
            return replace(puzzle, fewest=proof.fewest)
    raise ValueError(f"{difficulty} {number}: no puzzle came out in {MOST_TRIES} tries; take another number (§6.2)")


def _draft(difficulty: str, dice: Any) -> Puzzle | None:
    """A puzzle that may have the difficulty and a single shortest solution; None if the draft failed."""
    size = SIZES[int(below(dice, len(SIZES)))]
    draft = _Draft(dice, size, int(below(dice, size)) * SIDE + int(below(dice, size)))
    breaks = difficulty == "hard" and int(below(dice, 2)) == 0
    bends = {"easy": 0, "medium": 1, "hard": int(below(dice, 2)) if breaks else 2}[difficulty]
    length = draft.draw(LENGTHS[difficulty])
    begun = 1 if difficulty == "easy" or (bends == 0 and breaks) else int(below(dice, 2))
    if not _lay_out(draft, length + begun, bends, begun) or not _choose_tokens(draft):
        return None
    if begun:
        _show_beginning(draft)
    if breaks and not _put_in_the_way(draft, begun):
        return None
    return _filled_up(draft, begun)


def _lay_out(draft: _Draft, length: int, bends: int, begun: int) -> bool:
    """The road: a walk with a number of bends, none of them at its very end, nor at its start."""
    places = list(range(begun, length - 1))
    at: set[int] = set()
    while len(at) < bends:
        at.add(draft.draw(places))
    direction = draft.draw((NORTH, EAST, SOUTH, WEST))
    node = draft.town
    for step in range(length):
        node = next_node(node, direction)
        if not draft.has(node) or node in draft.road or node == draft.town:
            return False
        draft.road.append(node)
        draft.turns.append(step in at)
        if step in at:
            direction = (direction + draft.draw((1, 3))) % 4
    return True


def _choose_tokens(draft: _Draft) -> bool:
    """A chain of numbers along the road: doubles where it bends, each token once."""
    near = 1 + draft.draw(range(6))
    used: set[int] = set()
    for turns in draft.turns:
        far = near if turns else draft.draw([number for number in range(1, 7) if number != near])
        token = PAIRS.index((min(near, far), max(near, far)))
        if token in used:
            return False
        used.add(token)
        draft.tokens.append(VARIANT_CALLED[f"{near}|{far}"])
        near = far
    return True


def _show_beginning(draft: _Draft) -> None:
    """Lay the first token from the start, so that the road cannot be built from its other end as well."""
    node, variant = draft.road[0], draft.tokens[0]
    back = next(side for side in range(4) if next_node(node, side) == draft.town)
    draft.laid.append((BLUE, node, int(FACE_OF[variant, back])))


def _put_in_the_way(draft: _Draft, begun: int) -> bool:
    """Put a red token on the road that the token to be placed there is just strong enough to break."""
    place = begun + draft.draw(range(len(draft.road) - begun))
    strength = int(STRENGTH[VARIANT_TOKEN[draft.tokens[place]]])
    weaker = [token for token in range(PLAIN) if strength - 3 <= STRENGTH[token] < strength]
    if not weaker:
        return False
    _lay_red(draft, draft.road[place], draft.draw(weaker))
    return True


def _lay_red(draft: _Draft, node: int, token: int) -> None:
    a, b = PAIRS[token]
    draft.laid.append((RED, node, int(FACE_OF[VARIANT_CALLED[f"{a}|{b}"], draft.draw((NORTH, WEST))])))


def _filled_up(draft: _Draft, begun: int) -> Puzzle:
    """Add the rest of the six tokens, and distractions."""
    mine = [int(VARIANT_TOKEN[variant]) for variant in draft.tokens]
    given = mine[begun:]
    while len(given) < PLACINGS:
        token = draft.draw([token for token in range(PLAIN) if token not in mine and token not in given])
        given.append(token)
    nodes = [row * SIDE + column for row in range(draft.size) for column in range(draft.size)]
    red = {int(FACE_TOKEN[face]) for colour, _, face in draft.laid if colour == RED}
    for _ in range(draft.draw(range(2, 6))):
        node = draft.draw([node for node in nodes if node not in draft.taken])
        if draft.draw(range(3)):
            draft.rocks.append(node)
        else:
            token = draft.draw([token for token in range(PLAIN) if token not in red])
            red.add(token)
            _lay_red(draft, node, token)
    return Puzzle(
        draft.size,
        draft.town,
        draft.road[-1],
        tuple(sorted(given)),
        tuple(sorted(draft.rocks)),
        tuple(sorted(draft.laid)),
    )

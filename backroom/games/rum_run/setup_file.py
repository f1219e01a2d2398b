"""Setups (§2): TOML files that say where everything lies, their validator, and the options of a game.

A file has `size`, `town`, `folk`, `fog`, `fog_tokens`, `events`, `objectives`, and the tables [[still]] and
[[obstacle]]. The one line for a log is TOML too: the same keys in an inline table called `setup`.

A draft is a file that can be parsed, though it need not be playable yet: `findings` lists what is wrong with it. Some
findings depend on options: fog that is switched off is no obstacle, and where stills are drawn at random the setup's
own do not count.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from backroom.engine.phrases import did_you_mean, listing

from .pieces import (
    BARRELS,
    COLUMNS,
    ENOUGH,
    EVENTS,
    FOG,
    FOG_BAG,
    HOLDS,
    LEAST_SIDE,
    MOST_BLOCKED,
    MOST_FOG,
    MOST_OBSTACLES,
    MOST_STILLS,
    OBJECTIVES,
    OBSTACLE_CARD,
    OBSTACLE_SHAPE,
    OBSTACLES,
    SIDE,
    STILLS,
    TAP,
    TAPS,
)

FOLDER = Path(__file__).parent / "setup_files"
NOWHERE = -1
"""The Town Center's node in a draft that has none."""
NAMED = ("first", "standard", "duel", "small", "moonless", "badlands")
"""The setups that come with the game; the first is the default."""
TITLES = ("The first game", "The standard game", "A duel", "A small board", "Moonless", "The badlands")
"""The titles of these setups."""


@dataclass(frozen=True, slots=True)
class Still:
    """A still of a setup."""

    kind: int
    node: int
    """The upper left node of its four."""
    turn: int
    """Quarter turns clockwise."""
    is_up: bool


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A face of an obstacle card, and the nodes it blocks."""

    face: int
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that defines a setup."""

    size: int
    town: int
    has_folk: bool
    fog: tuple[int, ...]
    events: int
    """As a set; 0: none."""
    objectives: int
    stills: tuple[Still, ...]
    obstacles: tuple[Obstacle, ...]
    mixed: tuple[int, ...] = FOG_BAG
    """The number of fog tokens of each kind that are mixed."""

    @property
    def barrels(self) -> int:
        return sum(int(HOLDS[still.kind]) for still in self.stills)

    def without_fog(self) -> "Setup":
        return replace(self, fog=(), mixed=FOG_BAG)


@cache
def node_name(node: int) -> str:
    """g6: columns are letters, rows are numbers from the top (§1.1)."""
    return f"{COLUMNS[node % SIDE]}{node // SIDE + 1}"


def node_called(text: str) -> int:
    """The node with this name; ValueError if there is none."""
    match = re.fullmatch(r"([a-p])([1-9][0-9]?)", text.strip().lower())
    if match is None or int(match[2]) > SIDE:
        raise ValueError(f"{text!r} is no node; nodes are called like g6: a column, then a row from the top (§1.1)")
    return (int(match[2]) - 1) * SIDE + COLUMNS.index(match[1])


# The validator


class _Reader:
    """A file's text and its parsed contents; every error names its line and the §."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        try:
            said: dict[str, Any] = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ValueError(f"this is not TOML: {error}") from None
        self.is_line = list(said) == ["setup"] and isinstance(said["setup"], dict)
        self.said = said["setup"] if self.is_line else said

    def wrong(self, what: str, key: str = "", table: str = "", number: int = 0) -> ValueError:
        """An error that names the line of a key, in the entry of the table with this number."""
        return ValueError(f"line {self.line_of(key, table, number)}: {what}")

    def line_of(self, key: str, table: str, number: int) -> int:
        first, last = 0, len(self.lines)
        if table:
            heads = [n for n, line in enumerate(self.lines) if re.match(rf"\s*\[\[\s*{table}\s*\]\]", line)]
            if number < len(heads):
                first = heads[number]
                later = (n for n in range(first + 1, last) if self.lines[n].lstrip().startswith("["))
                last = next(later, last)
        for n in range(first, last):
            if key and re.match(rf"\s*{re.escape(key)}\s*=", self.lines[n]):
                return n + 1
        return first + 1

    def known(self, entry: Mapping[str, Any], keys: Sequence[str], table: str = "", number: int = 0) -> None:
        for key in entry:
            if key not in keys:
                raise self.wrong(f"{key!r} means nothing here{did_you_mean(key, keys)} (§2.1)", key, table, number)


def read(text: str) -> Setup:
    """Parse a file or the line of a log; ValueError names the line, what is wrong, and the §."""
    reader = _Reader(text)
    setup = _said(reader)
    for finding in findings(setup):
        raise reader.wrong(finding.what, finding.key, finding.table, finding.number)
    return setup


def playable(text: str) -> Setup:
    """Like `read`, but accepts faults that an option may mend: `check` reports those."""
    reader = _Reader(text)
    setup = _said(reader)
    for finding in (*_misses(setup), *_misplaced(setup.without_fog())):
        raise reader.wrong(finding.what, finding.key, finding.table, finding.number)
    return setup


def draft(text: str) -> Setup:
    """Like `read`, for a setup that may not be playable yet; refuses only what cannot be laid on a board at all."""
    return _said(_Reader(text))


def _said(reader: _Reader) -> Setup:
    said = reader.said
    reader.known(said, ("size", "town", "folk", "fog", "fog_tokens", "events", "objectives", "still", "obstacle"))
    size = said.get("size", 14)
    if type(size) is not int or not LEAST_SIDE <= size <= SIDE:
        raise reader.wrong(f"size {size!r}; expected {LEAST_SIDE} to {SIDE} nodes a side (§1.1)", "size")
    town = _node(reader, said["town"], size, "town") if "town" in said else NOWHERE
    folk = said.get("folk", False)
    if type(folk) is not bool:
        raise reader.wrong(f"folk {folk!r}; expected true or false (§1.2)", "folk")
    stills = _stills(reader, size)
    obstacles = _obstacles(reader, size)
    fog = _fog(reader, size)
    events = _names(reader, "events", EVENTS, "§10")
    objectives = _names(reader, "objectives", OBJECTIVES, "§11")
    return Setup(size, town, folk, fog, events, objectives, stills, obstacles, _mixed(reader))


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that makes a setup unplayable."""

    what: str
    """What is wrong, in words, with the §."""
    nodes: tuple[int, ...] = ()
    """Where it is."""
    key: str = ""
    table: str = ""
    number: int = 0
    """Its place in a file: a key, in the entry of the table with this number."""
    is_of_barrels: bool = False
    """§2.3: the setup's own stills hold too few or too many barrels; irrelevant if others are drawn."""


def findings(setup: Setup) -> Iterator[Flaw]:
    """Everything that is wrong with a setup: missing things, overlaps, unreachable taps, barrels."""
    yield from _misses(setup)
    yield from _misplaced(setup)
    if sum(setup.mixed) < len(setup.fog):
        yield Flaw(
            f"{sum(setup.mixed)} fog tokens are mixed, for {len(setup.fog)} places (§2.1)", setup.fog, "fog_tokens"
        )
    if setup.stills and not min(filter(None, ENOUGH)) <= setup.barrels <= BARRELS:
        yield Flaw(
            f"the stills hold {setup.barrels} barrels; expected {_enough()}, and {BARRELS} at most (§2.3)",
            table="still",
            is_of_barrels=True,
        )


def _misses(setup: Setup) -> Iterator[Flaw]:
    if setup.town == NOWHERE:
        yield Flaw("the setup does not say where the Town Center is (§2.1)")
    if not 1 <= len(setup.stills) <= MOST_STILLS:
        yield Flaw(
            f"{len(setup.stills)} stills; expected 1 to {MOST_STILLS}: more hold too many barrels (§2.3)", table="still"
        )


def _misplaced(setup: Setup) -> Iterator[Flaw]:
    yield from _overlaps(setup)
    yield from _bad_taps(setup)


def players(setup: Setup) -> list[int]:
    """The numbers of players for which its barrels are enough (§2.3)."""
    return [seats for seats in (2, 3, 4) if ENOUGH[seats] <= setup.barrels <= BARRELS]


def _enough() -> str:
    wanted = [(4, "four players"), (3, "three"), (2, "two"), (5, "two with four colours")]
    return "at least " + listing([f"{ENOUGH[n]} for {who}" for n, who in wanted], "or")


def _node(reader: _Reader, text: object, size: int, key: str, table: str = "", number: int = 0) -> int:
    try:
        node = node_called(text if isinstance(text, str) else repr(text))
    except ValueError as error:
        raise reader.wrong(str(error), key, table, number) from None
    if node // SIDE >= size or node % SIDE >= size:
        raise reader.wrong(f"{text} is off a board of {size} × {size} (§2.1)", key, table, number)
    return node


def _overlaps(setup: Setup) -> Iterator[Flaw]:
    covered = {setup.town: "the Town Center"}
    lying = [
        *(
            (square(still.node), f"{STILLS[still.kind]} at {node_name(still.node)}", ("at", "still", number))
            for number, still in enumerate(setup.stills)
        ),
        *((o.nodes, OBSTACLES[o.face], ("nodes", "obstacle", number)) for number, o in enumerate(setup.obstacles)),
        *(((node,), f"fog at {node_name(node)}", ("fog", "", 0)) for node in setup.fog),
    ]
    for nodes, what, where in lying:
        if both := [node for node in nodes if node in covered]:
            yield Flaw(f"{what} overlaps {covered[both[0]]} at {node_name(both[0])} (§2.1)", tuple(both), *where)
        covered.update(dict.fromkeys(nodes, what))


def _entries(reader: _Reader, table: str) -> list[dict[str, Any]]:
    entries = reader.said.get(table, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise reader.wrong(f"{table!r} is said in tables called [[{table}]] (§2.1)", table)
    return entries


def _named(reader: _Reader, entry: Mapping[str, Any], names: Sequence[str], table: str, number: int) -> int:
    name = entry.get("name")
    folded = [known.lower() for known in names]
    if not isinstance(name, str) or name.lower() not in folded:
        raise reader.wrong(
            f"there is no {table} called {name!r}{did_you_mean(str(name), names)}", "name", table, number
        )
    return folded.index(name.lower())


def _stills(reader: _Reader, size: int) -> tuple[Still, ...]:
    found: list[Still] = []
    for number, entry in enumerate(_entries(reader, "still")):
        reader.known(entry, ("name", "at", "turn", "side"), "still", number)
        kind = _named(reader, entry, STILLS, "still", number)
        if kind in (still.kind for still in found):
            raise reader.wrong(f"{STILLS[kind]} is there twice (§1.5)", "name", "still", number)
        node = _node(reader, entry.get("at"), size, "at", "still", number)
        if node // SIDE + 1 >= size or node % SIDE + 1 >= size:
            raise reader.wrong(
                f"{STILLS[kind]} at {node_name(node)} reaches off the board: a still covers 2 × 2 nodes (§1.5)",
                *("at", "still", number),
            )
        turn, side = entry.get("turn", 0), entry.get("side", "up")
        if type(turn) is not int or not 0 <= turn <= 3:
            raise reader.wrong(f"turn {turn!r}; expected 0 to 3 quarters (§1.5)", "turn", "still", number)
        if side not in ("up", "down"):
            raise reader.wrong(f"side {side!r}; expected up or down (§2.1)", "side", "still", number)
        found.append(Still(kind, node, turn, side == "up"))
    return tuple(found)


def square(node: int) -> tuple[int, ...]:
    """The four nodes of a still."""
    return node, node + 1, node + SIDE, node + SIDE + 1


def _obstacles(reader: _Reader, size: int) -> tuple[Obstacle, ...]:
    found: list[Obstacle] = []
    cards: dict[int, str] = {}
    for number, entry in enumerate(_entries(reader, "obstacle")):
        reader.known(entry, ("name", "nodes"), "obstacle", number)
        face = _named(reader, entry, OBSTACLES, "obstacle", number)
        card = OBSTACLE_CARD[face]
        if card in cards:
            raise reader.wrong(
                f"{OBSTACLES[face]} and {cards[card]} are on one card, of which one face is used (§8)",
                *("name", "obstacle", number),
            )
        cards[card] = OBSTACLES[face]
        texts = entry.get("nodes")
        if not isinstance(texts, list):
            raise reader.wrong(
                'expected the nodes it blocks, like nodes = ["g3", "h3"] (§8)', "nodes", "obstacle", number
            )
        nodes = tuple(sorted(_node(reader, text, size, "nodes", "obstacle", number) for text in texts))
        if not _has_shape(nodes, OBSTACLE_SHAPE[face]):
            raise reader.wrong(
                f"{OBSTACLES[face]} does not have the shape of {' '.join(map(node_name, nodes)) or 'nothing'} (§8)",
                *("nodes", "obstacle", number),
            )
        found.append(Obstacle(face, nodes))
    return tuple(found)


def _has_shape(nodes: Sequence[int], shape: Sequence[tuple[int, int]]) -> bool:
    """Whether these nodes form a shape, turned by any number of quarters."""
    if len(set(nodes)) != len(shape) or len(nodes) != len(shape):
        return False
    cells = {(node // SIDE, node % SIDE) for node in nodes}
    turned = list(shape)
    for _ in range(4):
        turned = [(column, -row) for row, column in turned]
        if _to_corner(cells) == _to_corner(turned):
            return True
    return False


def _to_corner(cells: Any) -> set[tuple[int, int]]:
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    return {(row - top, column - left) for row, column in cells}


def _fog(reader: _Reader, size: int) -> tuple[int, ...]:
    texts = reader.said.get("fog", [])
    if not isinstance(texts, list) or len(texts) > MOST_FOG:
        raise reader.wrong(f"fog {texts!r}; expected a list of {MOST_FOG} nodes at most (§9)", "fog")
    nodes = tuple(_node(reader, text, size, "fog") for text in texts)
    for place, node in enumerate(nodes):
        if node in nodes[:place]:
            raise reader.wrong(f"fog at {node_name(node)} is there twice (§2.1)", "fog")
    return nodes


def _mixed(reader: _Reader) -> tuple[int, ...]:
    """§2.1: which of the six fog tokens are mixed; all, if the file does not say."""
    said = reader.said.get("fog_tokens")
    if said is None:
        return FOG_BAG
    if not isinstance(said, list):
        raise reader.wrong(f'fog_tokens {said!r}; expected a list like ["mud", "bear trap"] (§9)', "fog_tokens")
    if unknown := [name for name in said if name not in FOG]:
        raise reader.wrong(
            f"there is no fog token called {unknown[0]!r}{did_you_mean(str(unknown[0]), FOG)} (§9)", "fog_tokens"
        )
    found = tuple(said.count(name) for name in FOG)
    for name, number, most in zip(FOG, found, FOG_BAG, strict=True):
        if number > most:
            raise reader.wrong(f"{name} is mixed {number} times; there is no more than {most} (§9)", "fog_tokens")
    return found


def _names(reader: _Reader, key: str, names: Sequence[str], paragraph: str) -> int:
    said = reader.said.get(key, [])
    if said == "all":
        return (1 << len(names)) - 1
    if not isinstance(said, list):
        raise reader.wrong(f'{key} {said!r}; expected "all" or a list of names ({paragraph})', key)
    found = 0
    folded = [name.lower() for name in names]
    for name in said:
        if str(name).lower() not in folded:
            raise reader.wrong(
                f"there is none called {name!r} among the {key}{did_you_mean(str(name), names)} ({paragraph})", key
            )
        found |= 1 << folded.index(str(name).lower())
    return found


def taps_of(kind: int, node: int, turn: int) -> list[tuple[int, int]]:
    """Row and column of each tap of a still; they may be off the board."""
    return [
        (node // SIDE + int(TAP[kind, turn, tap, 0]), node % SIDE + int(TAP[kind, turn, tap, 1]))
        for tap in range(TAPS[kind])
    ]


def misfit(setup: Setup, covered: Mapping[int, str], kind: int, place: Still) -> str:
    """What is wrong with a still in a place; empty if it fits."""
    for row, column in taps_of(kind, place.node, place.turn):
        if not (0 <= row < setup.size and 0 <= column < setup.size):
            return f"a tap of {STILLS[kind]} at {node_name(place.node)} would be off the board"
        if what := covered.get(row * SIDE + column):
            return (
                f"{what} lies on a tap of {STILLS[kind]} at {node_name(place.node)}, {node_name(row * SIDE + column)}"
            )
    return ""


def covered_nodes(setup: Setup) -> dict[int, str]:
    """What lies on each node, in words."""
    found = {setup.town: "the Town Center"}
    for still in setup.stills:
        found |= dict.fromkeys(square(still.node), f"{STILLS[still.kind]} at {node_name(still.node)}")
    for obstacle in setup.obstacles:
        found |= dict.fromkeys(obstacle.nodes, OBSTACLES[obstacle.face])
    return found | {node: f"fog at {node_name(node)}" for node in setup.fog}


def _bad_taps(setup: Setup) -> Iterator[Flaw]:
    """§2.1: taps that are off the board or covered; face-down stills must fit wherever they may come."""
    covered = covered_nodes(setup)
    down = [still for still in setup.stills if not still.is_up]
    for number, still in enumerate(setup.stills):
        for kind in [still.kind] if still.is_up else [other.kind for other in down]:
            if wrong := misfit(setup, covered, kind, still):
                yield Flaw(f"{wrong} (§2.1)", square(still.node), "at", "still", number)


# One line, and numbers


def line(setup: Setup) -> str:
    """A setup as one line, for logs."""
    stills = ", ".join(
        f'{{name = "{STILLS[still.kind]}", at = "{node_name(still.node)}", turn = {still.turn}, '
        f'side = "{"up" if still.is_up else "down"}"}}'
        for still in setup.stills
    )
    obstacles = ", ".join(f'{{name = "{OBSTACLES[o.face]}", nodes = {_nodes(o.nodes)}}}' for o in setup.obstacles)
    return f"setup = {{{', '.join(_heads(setup))}, still = [{stills}], obstacle = [{obstacles}]}}"


def file_of(setup: Setup) -> str:
    """A setup as a file; a draft too."""
    parts = ["\n".join(_heads(setup))]
    for still in setup.stills:
        turn = f"\nturn = {still.turn}" if still.turn else ""
        side = "" if still.is_up else '\nside = "down"'
        parts.append(f'[[still]]\nname = "{STILLS[still.kind]}"\nat = "{node_name(still.node)}"{turn}{side}')
    for obstacle in setup.obstacles:
        parts.append(f'[[obstacle]]\nname = "{OBSTACLES[obstacle.face]}"\nnodes = {_nodes(obstacle.nodes)}')
    return "\n\n".join(parts) + "\n"


def _heads(setup: Setup) -> Iterator[str]:
    """The keys of a setup besides its tables."""

    def names(chosen: int, known: Sequence[str]) -> str:
        if chosen == (1 << len(known)) - 1:
            return '"all"'
        return "[" + ", ".join(f'"{name}"' for n, name in enumerate(known) if chosen >> n & 1) + "]"

    yield f"size = {setup.size}"
    if setup.town != NOWHERE:
        yield f'town = "{node_name(setup.town)}"'
    yield f"folk = {str(setup.has_folk).lower()}"
    yield f"fog = {_nodes(setup.fog)}"
    if setup.mixed != FOG_BAG:
        mixed = [f'"{name}"' for name, number in zip(FOG, setup.mixed, strict=True) for _ in range(number)]
        yield f"fog_tokens = [{', '.join(mixed)}]"
    yield f"events = {names(setup.events, EVENTS)}"
    yield f"objectives = {names(setup.objectives, OBJECTIVES)}"


def _nodes(some: Sequence[int]) -> str:
    return "[" + ", ".join(f'"{node_name(node)}"' for node in some) + "]"


@cache
def called(text: str) -> Setup:
    """The setup that an option names: one that comes with the game, or a line."""
    return playable((FOLDER / f"{text}.toml").read_text("utf-8") if text in NAMED else text)


@cache
def numbers(text: str) -> tuple[int, ...]:
    """A setup as the numbers that kernels get (pieces.py has their order)."""
    setup = called(text)
    found = [setup.size, setup.town, int(setup.has_folk), setup.events, setup.objectives]
    found += [*setup.fog, *[-1] * (MOST_FOG - len(setup.fog))]
    for still in setup.stills:
        found += [still.kind, still.node, still.turn, int(still.is_up)]
    found += [-1] * 4 * (MOST_STILLS - len(setup.stills))
    for obstacle in setup.obstacles:
        found += [obstacle.face, *obstacle.nodes, *[-1] * (MOST_BLOCKED - len(obstacle.nodes))]
    found += [-1] * (1 + MOST_BLOCKED) * (MOST_OBSTACLES - len(setup.obstacles))
    return (*found, *setup.mixed)

"""Drafts between files and records: a file as the numbers that kernels get, and a record as the setup that it is."""

from collections.abc import Sequence
from functools import cache, lru_cache

from backroom.engine.phrases import listing
from backroom.engine.plain import Plain
from backroom.engine.protocol import State
from backroom.games.rum_run.pieces import OBSTACLE_CARD, SIDE, STILLS
from backroom.games.rum_run.setup_file import (
    FOLDER,
    NAMED,
    NOWHERE,
    Flaw,
    Obstacle,
    Setup,
    Still,
    draft,
    findings,
    players,
)

from .pieces import FACES_OF, FIRST_CARD, FIRST_FOG, SHAPES, THINGS, TOWN

NOTHING = "nothing"
EMPTY = Setup(14, NOWHERE, False, (), 0, 0, (), ())
IN_THE_BOX = (-1, 0, 0)


@cache
def called(text: str) -> Setup:
    """The draft that an option names: nothing, a setup that comes with the game, or a line."""
    if text == NOTHING:
        return EMPTY
    return draft((FOLDER / f"{text}.toml").read_text("utf-8") if text in NAMED else text)


def things_of(setup: Setup) -> list[tuple[int, int, int]]:
    """For each thing: where it lies, how often it is turned, whether its other side is up."""
    found = [IN_THE_BOX] * THINGS
    for still in setup.stills:
        found[still.kind] = still.node, still.turn, int(not still.is_up)
    for obstacle in setup.obstacles:
        card = sorted(set(OBSTACLE_CARD)).index(OBSTACLE_CARD[obstacle.face])
        found[FIRST_CARD + card] = *_way(obstacle), list(FACES_OF[card]).index(obstacle.face)
    for place, node in enumerate(setup.fog):
        found[FIRST_FOG + place] = node, 0, 0
    found[TOWN] = setup.town, 0, 0
    return found


def _way(obstacle: Obstacle) -> tuple[int, int]:
    """The upper left node of an obstacle's bounding box, and how often it is turned."""
    rows, columns = [node // SIDE for node in obstacle.nodes], [node % SIDE for node in obstacle.nodes]
    top, left = min(rows), min(columns)
    cells = sorted(zip((row - top for row in rows), (column - left for column in columns), strict=True))
    return top * SIDE + left, SHAPES[obstacle.face].index(cells)


def numbers(text: str) -> Sequence[int]:
    """A draft as the numbers that kernels get (pieces.py has their order)."""
    setup = called(text)
    things = (number for thing in things_of(setup) for number in thing)
    return [setup.size, int(setup.has_folk), setup.events, setup.objectives, *things, *setup.mixed]


def setup_of(s: State) -> Setup:
    """The setup that a record stands for."""
    return setup_in(Plain(s))


def setup_in(v: Plain) -> Setup:
    """The setup that a record stands for, from its plain values."""
    things = map(tuple, (v.lies, v.turned, v.flipped, v.mixed))
    return _setup(v.width, bool(v.folk), v.events, v.objectives, *things)


@lru_cache(1024)
def _setup(
    size: int,
    has_folk: bool,
    events: int,
    objectives: int,
    lies: tuple[int, ...],
    turned: tuple[int, ...],
    flipped: tuple[int, ...],
    mixed: tuple[int, ...],
) -> Setup:
    stills = tuple(
        Still(kind, lies[kind], turned[kind], not flipped[kind]) for kind in range(len(STILLS)) if lies[kind] >= 0
    )
    obstacles = tuple(
        Obstacle(face, tuple(sorted(lies[card] + row * SIDE + column for row, column in SHAPES[face][turned[card]])))
        for card in range(FIRST_CARD, FIRST_FOG)
        if lies[card] >= 0
        for face in [int(FACES_OF[card - FIRST_CARD, flipped[card]])]
    )
    fog = tuple(node for node in lies[FIRST_FOG:TOWN] if node >= 0)
    return Setup(size, lies[TOWN], has_folk, fog, events, objectives, stills, obstacles, mixed)


@lru_cache(1024)
def wrongs(setup: Setup) -> tuple[Flaw, ...]:
    """Everything that makes it unplayable, by the validator of setups."""
    return tuple(findings(setup))


def status(setup: Setup) -> str:
    """Whether it can be played, and the first fault if not."""
    found = wrongs(setup)
    if not found:
        who = listing(map(str, players(setup)))
        return f"Playable by {who} players: {setup.barrels} barrels in {len(setup.stills)} stills (§2.3)."
    more = f"; and {len(found) - 1} more" if len(found) > 1 else ""
    return f"Not playable yet: {found[0].what}{more}."

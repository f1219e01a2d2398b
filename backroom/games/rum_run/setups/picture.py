"""The picture of the editor: the forest with faults marked red, and the box below it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from backroom.engine.marks import plain
from backroom.engine.phrases import listing
from backroom.engine.plain import Plain
from backroom.engine.protocol import Move, Seat, State
from backroom.games.rum_run.board import colour_of, forest, obstacle_figure, regions_of, text_of, town_figure
from backroom.games.rum_run.picture import name_kind
from backroom.games.rum_run.pieces import (
    ARROWS,
    EVENTS,
    LEAST_SIDE,
    OBJECTIVES,
    OBSTACLES,
    SIDE,
    STILLS,
    SUPPLIES,
    SUPPLY,
    TAP,
    TAPS,
)
from backroom.games.rum_run.setup_file import NOWHERE, Setup, node_name, players, square
from backroom.games.rum_run.shapes import CELL, LEFT, MARGIN, TEXT_WIDTH, WIDTH, Layout, shapes
from backroom.scene import BOARD as FOREST
from backroom.scene import HAND, Board, Pane, Piece, Region, Scene, Shape
from backroom.scene.palette import BAD, CREAM, GOLD, INK
from backroom.scene.pieces import LEFT as START
from backroom.scene.pieces import MIDDLE, lettering

from .drafts import setup_in, wrongs
from .pieces import FACES, FACES_OF, FIRST_CARD, FIRST_FOG, SHAPES, TOWN
from .rules import (
    AT,
    BACK,
    BOARD,
    EVENT,
    EVENT_LIST,
    FLIP,
    NAME,
    OBJECTIVE,
    OPEN_EVENTS,
    REMOVE,
    RESIZE,
    SEAT_NAMES,
    SIZES,
    TAKE,
    TAKE_FACE,
    TAKE_FOG,
    TURN,
)
from .words import IN_BOX, NAMES, PLAIN, question, where

# The box: four columns of stills, small things and obstacle cards, both sides of a card side by side; lists have two.
FIELD = WIDTH - 2 * MARGIN
COLUMNS, LIST_COLUMNS = 4, 2
ROW, CARD_ROW, LIST_ROW = 50, 40, 31
CARD_ROWS = -(-FACES // COLUMNS)
RED, FOG_GREY = "#b3261e", "#a9b0b3"
MOST_TOLD = 4
"""Faults told below the board; those at a node are also told there."""
MIST = "M-8 -3q4 -4 8 0t8 0M-8 4q4 -4 8 0t8 0"
AROUND = {
    **{f"N{n + 1}": (-1, n) for n in range(2)},
    **{f"E{n + 1}": (n, 2) for n in range(2)},
    **{f"S{n + 1}": (2, n) for n in range(2)},
    **{f"W{n + 1}": (n, -1) for n in range(2)},
}
"""The places around a still, as row and column from its upper left node."""
FACES_OF_BUTTONS = {"flip": "turn over", "remove": "put back", "back": "something else"}
"""Buttons for the chosen thing whose text differs from the notation."""
TEXT_BOX, TEXT_COLUMNS, TEXT_LINES = 3, 26, 20
"""The terminal's columns of the box, characters a column, and lines."""


@dataclass(frozen=True, slots=True)
class SetupLayout(Layout):
    """A board with the box below it."""

    @property
    def name(self) -> str:
        return f"{NAME}-{self.size}"

    @property
    def buttons(self) -> float:
        return self.below + 54

    @property
    def box(self) -> float:
        return self.buttons + 68

    @property
    def cards(self) -> float:
        return self.box + 4 * ROW

    @property
    def height(self) -> int:
        return int(self.cards + CARD_ROWS * CARD_ROW + 10)

    @property
    def regions(self) -> tuple[Region, ...]:
        return (Region(HAND, 0, self.below, WIDTH, self.height - self.below),)

    @property
    def panes(self) -> tuple[Pane, ...]:
        below = self.size + 2
        return Pane(FOREST, 0, 0, LEFT + self.size * CELL, below), Pane(HAND, 0, below, TEXT_WIDTH, TEXT_LINES)


def layout_of(size: int) -> SetupLayout:
    return SetupLayout(size, NOWHERE, (), 0, 0, 0, ())


LEGEND = (
    ("[TWN]", "the Town Center"),
    ("[Badger B]", "a still, and below it the barrels that it gives"),
    ("> v < ^", "a tap, and where its still is"),
    ("#####", "an obstacle"),
    ("~~~~~", "fog"),
    ("+ -", "in a list: in the game, or not"),
)


def draw(s: State, seat: Seat) -> Scene:
    """The scene of a view; spectators see the same."""
    v = Plain(s)
    layout, setup = layout_of(v.width), setup_in(v)
    pieces = [
        *lying(v, layout, setup),
        *marks(v, layout, setup),
        *spots(layout, setup, v.hand >= 0 or v.node >= 0),
        facts(layout, setup),
        *(buttons(v, layout) if not v.over else ()),
        *(box(v, layout) if v.ask == BOARD else cards(v, layout)),
    ]
    return Scene(board_of(layout), plain(question(s, seat), SEAT_NAMES), pieces)


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """A node, something in the box, a card of a list, or a button."""
    if move >= AT:
        return [f"node-{node_name(move - AT)}"]
    if move >= EVENT:
        return [f"event-{move - EVENT}" if move < OBJECTIVE else f"objective-{move - OBJECTIVE}"]
    if move >= TAKE:
        return [f"box-{move - TAKE}"]
    return [f"size-{LEAST_SIDE + move - RESIZE}"] if move >= RESIZE else [f"button-{PLAIN[move]}"]


# The static board


@cache
def board_of(layout: SetupLayout) -> Board:
    """An empty forest of this size, and the shapes of everything that may lie there."""
    return Board(
        layout.name,
        WIDTH,
        layout.height,
        "",
        text_of(layout),
        shapes(layout) | _shapes(layout),
        regions_of(layout, "".join(forest(layout))),
        panes=layout.panes,
    )


def _shapes(layout: SetupLayout) -> dict[str, Shape]:
    cell = layout.cell
    half = cell / 2 - 1.5
    room = f'x="{-half:g}" y="{-half:g}" width="{2 * half:g}" height="{2 * half:g}" rx="8"'
    still = f'x="{-cell / 2 + 3:g}" y="{-cell / 2 + 3:g}" width="{2 * cell - 6:g}" height="{2 * cell - 6:g}" rx="10"'
    found = {
        "spot": Shape(f'<rect {room} fill="transparent"/>'),
        "goal-spot": Shape(f'<rect {room} fill="transparent"/>'),
        "goal-spot-lit": Shape(f'<rect {room} fill="transparent"/><circle r="5" fill="{GOLD}"/>'),
        "picked": Shape(f'<rect {room} fill="{GOLD}" fill-opacity=".35" stroke="{INK}" stroke-width="2.5"/>'),
        "wrong": Shape(
            f'<rect {room} fill="{RED}" fill-opacity=".25" stroke="{RED}" stroke-width="4" stroke-dasharray="7 4"/>',
            "bold red",
        ),
        "still-down": Shape(f'<rect {still} fill="#2e2a24" stroke="#8d8a83" stroke-width="3" stroke-dasharray="6 5"/>'),
        "town": Shape(town_figure(layout), "bold"),
    }
    for name in OBSTACLES:
        found[f"obstacle-{name.replace(' ', '-')}"] = Shape(obstacle_figure(layout, name), "bright_black")
    return found | _box_shapes()


def _box_shapes() -> dict[str, Shape]:
    """Buttons, chips and cards: plain and touchable."""
    text = f'font-size="18" fill="{INK}"'
    found = {
        "fine": Shape("", "green", lettering(20, CREAM, START)),
        "unfit": Shape("", "bold red", lettering(20, BAD, START)),
        "said": Shape("", "", lettering(20, CREAM, START, 400)),
        "line": Shape("", "", f'{START} font-size="16" fill="{INK}"'),
        "second": Shape("", "", f'{START} font-size="15" fill="#5b5344"'),
        **_icons(),
    }

    def kind(name: str, x: float, y: float, width: float, height: float, face: str, fill: str = "#e9dfc6") -> None:
        room = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8"'
        found[name] = Shape(f'<rect {room} fill="{fill}"/>', "", face)
        found[f"{name}-lit"] = Shape(
            f'<rect {room} fill="{"#fff3cf" if fill == "#e9dfc6" else fill}" stroke="{GOLD}" stroke-width="2.5"/>',
            "",
            face,
        )

    wide = FIELD / COLUMNS
    for name, fill in (("", "#e9dfc6"), ("-on", "#f7d68a")):
        kind(f"wide{name}", 3, -16, wide - 6, 32, f'{MIDDLE} x="{wide / 2:g}" {text}', fill)
        kind(f"small{name}", 3, -16, 58, 32, f'{MIDDLE} x="32" {text}', fill)
        kind(f"card{name}", 3, -17, wide - 6, 34, f'{START} x="37" font-size="17" fill="{INK}"', fill)
        kind(f"box{name}", 3, -22, wide - 6, 44, "", fill)
        kind(f"choice{name}", 3, -14, FIELD / LIST_COLUMNS - 6, 28, f'{START} x="14" {text}', fill)
    return found


def _icons() -> dict[str, Shape]:
    """The things in the box as icons: a still with its taps, an obstacle in its shape, fog, the Town Center."""
    found = {
        "icon-fog": Shape(
            f'<circle r="13" fill="{FOG_GREY}"/><path d="{MIST}" fill="none" stroke="#fff" stroke-width="2.5"/>'
        ),
        "icon-town": Shape(
            f'<circle r="13" fill="#fff8e6" stroke="{INK}" stroke-width="2"/>'
            f'<path d="M-7 7V-2L-2 -6L3 -2V7zM3 7V1h5V7z" fill="none" stroke="{INK}" stroke-width="1.8"/>'
        ),
    }
    for kind in range(FIRST_CARD):
        taps = [(int(TAP[kind, 0, tap, 0]), int(TAP[kind, 0, tap, 1])) for tap in range(TAPS[kind])]
        marks = "".join(f'<rect x="{7 * column - 6}" y="{7 * row - 6}" width="5" height="5"/>' for row, column in taps)
        house = '<rect x="-7" y="-7" width="14" height="14" rx="3" fill="#54422c"/>'
        found[f"icon-{kind}"] = Shape(f'{house}<g fill="#8c4a1c">{marks}</g>')
    for face, name in enumerate(OBSTACLES):
        cells = SHAPES[face][0]
        high, wide = (1 + max(cell[axis] for cell in cells) for axis in (0, 1))
        nodes = "".join(
            f'<rect x="{7 * column - 3.5 * wide:g}" y="{7 * row - 3.5 * high:g}" width="6" height="6" rx="1"/>'
            for row, column in cells
        )
        found[f"icon-face-{face}"] = Shape(f'<g fill="{colour_of(name)}">{nodes}</g>')
    return found


# The forest


def lying(v: Any, layout: SetupLayout, setup: Setup) -> Iterator[Piece]:
    """Everything on the board; what is chosen is marked."""
    for obstacle in setup.obstacles:
        name = OBSTACLES[obstacle.face]
        for place, node in enumerate(obstacle.nodes):
            label = f"{name} at {node_name(node)}"
            kind = f"obstacle-{name.replace(' ', '-')}"
            yield _on(layout, f"card-{obstacle.face // 2}-{place}", kind, node, label, " #### ")
    for still in setup.stills:
        yield from _still(layout, still.kind, still.node, still.turn, still.is_up)
    for node in setup.fog:
        yield _on(layout, f"fog-{node_name(node)}", "fog", node, f"fog at {node_name(node)}", "~~~~~")
    if setup.town != NOWHERE:
        label = f"Town Center at {node_name(setup.town)}"
        yield _on(layout, "town", "town", setup.town, label, "[TWN]", z=2)
    if v.node >= 0:
        yield _on(layout, "picked-0", "picked", v.node, "chosen", "  **  ", z=4)
    elif v.hand >= 0 and v.lies[v.hand] >= 0:
        for place, node in enumerate(_room(setup, v.hand, v.lies[v.hand])):
            yield _on(layout, f"picked-{place}", "picked", node, "chosen", "", z=4)


def _on(layout: SetupLayout, name: str, kind: str, node: int, label: str, glyph: str, z: int = 1) -> Piece:
    return Piece(name, kind, layout.x(node), layout.y(node), label, z=z, glyph=glyph, cell=layout.at(node))


def _room(setup: Setup, thing: int, lies: int) -> tuple[int, ...]:
    """The nodes of a thing on the board."""
    if thing < FIRST_CARD:
        return square(lies)
    if thing < FIRST_FOG:
        faces = [int(face) for face in FACES_OF[thing - FIRST_CARD]]
        return next(obstacle.nodes for obstacle in setup.obstacles if obstacle.face in faces)
    return (lies,)


@lru_cache(4096)
def _still(layout: SetupLayout, kind: int, node: int, turn: int, is_up: bool) -> tuple[Piece, ...]:
    return tuple(_still_parts(layout, kind, node, turn, is_up))


def _still_parts(layout: SetupLayout, kind: int, node: int, turn: int, is_up: bool) -> Iterator[Piece]:
    """A still with name, queue and taps; one that will lie face down is dark, but its maker sees what it is."""
    x, y, size = layout.x(node), layout.y(node), layout.cell
    column, row = layout.at(node)
    left = supply_of(kind)
    side = "" if is_up else ", face down"
    label = f"{STILLS[kind]} at {node_name(node)}: {left}{side}"
    first, second = STILLS[kind].split(" ", 1)
    inner = 2 * CELL - 2
    top = f"[{STILLS[kind][:inner]:^{inner}}]"
    low = f"[{left + ('' if is_up else ' down'):^{inner}}]"
    yield Piece(f"still-{kind}", "still" if is_up else "still-down", x, y, label, z=1, glyph=top, cell=(column, row))
    yield Piece(f"name-{kind}", name_kind(first, layout), x, y - size * 0.1, face=first, z=2)
    yield Piece(f"more-{kind}", name_kind(second, layout), x, y + size * 0.32, face=second, z=2)
    face = left if is_up else f"({left})"
    yield Piece(f"supply-{kind}", "supply", x, y + size * 0.95, face=face, z=2, glyph=low, cell=(column, row + 1))
    for tap in range(TAPS[kind]):
        down, right, faces = (int(number) for number in TAP[kind, turn, tap])
        at_row, at_column = node // SIDE + down, node % SIDE + right
        if 0 <= at_row < layout.size and 0 <= at_column < layout.size:
            at = at_row * SIDE + at_column
            label = f"tap of {STILLS[kind]} at {node_name(at)}"
            yield Piece(
                *(f"tap-{kind}-{tap}", "tap", layout.x(at), layout.y(at), label),
                turn=90 * faces,
                glyph=f"  {ARROWS[faces]}  ",
                cell=layout.at(at),
            )


def supply_of(kind: int) -> str:
    return "-".join(str(number) for number in SUPPLY[kind][: SUPPLIES[kind]])


def taps_at(kind: int, turn: int) -> list[str]:
    """Where the taps of a still are: N1, E2 and so on (§1.5)."""
    around = {(row, column): name for name, (row, column) in AROUND.items()}
    return [around[int(TAP[kind, turn, tap, 0]), int(TAP[kind, turn, tap, 1])] for tap in range(TAPS[kind])]


def marks(v: Any, layout: SetupLayout, setup: Setup) -> Iterator[Piece]:
    """Marks where something is wrong."""
    said: dict[int, list[str]] = {}
    for finding in wrongs(setup):
        for node in finding.nodes:
            said.setdefault(node, []).append(finding.what)
    for node, whats in said.items():
        label = f"wrong at {node_name(node)}: {'; '.join(dict.fromkeys(whats))}"
        yield Piece(f"wrong-{node_name(node)}", "wrong", layout.x(node), layout.y(node), label, z=3)


@cache
def _spots(layout: SetupLayout, kind: str) -> tuple[Piece, ...]:
    nodes = [row * SIDE + column for row in range(layout.size) for column in range(layout.size)]
    return tuple(
        Piece(f"node-{node_name(node)}", kind, layout.x(node), layout.y(node), f"node {node_name(node)}")
        for node in nodes
    )


def spots(layout: SetupLayout, setup: Setup, is_goal: bool) -> Iterable[Piece]:
    """Every node can be touched; empty ones show it when something has to be laid down."""
    plain = _spots(layout, "spot")
    if not is_goal:
        return plain
    taken = {setup.town, *setup.fog, *(node for still in setup.stills for node in square(still.node))}
    taken.update(node for obstacle in setup.obstacles for node in obstacle.nodes)
    places = [node // SIDE * layout.size + node % SIDE for node in taken if node != NOWHERE]
    found = list(_spots(layout, "goal-spot"))
    for place in places:
        found[place] = plain[place]
    return found


# Below it


def facts(layout: SetupLayout, setup: Setup) -> Piece:
    """The barrels of the setup, and the numbers of players for which they are enough."""
    found = wrongs(setup)
    said = f"{setup.barrels} barrels in {len(setup.stills)} {'still' if len(setup.stills) == 1 else 'stills'}"
    if found:
        said += f" · {'1 thing is' if len(found) == 1 else f'{len(found)} things are'} wrong"
    else:
        said += f" · for {listing(map(str, players(setup)))} players"
    told = sorted(found, key=lambda finding: bool(finding.nodes))[:MOST_TOLD]  # the others are marked on the board
    more = [f"and {len(found) - len(told)} more"] if len(found) > len(told) else []
    label = "; ".join([said, *(finding.what for finding in told), *more])
    kind, glyph = "unfit" if found else "fine", said.replace(" · ", ", ")
    return Piece(
        "facts", kind, MARGIN, layout.below + 20, label, face=said, z=1, glyph=glyph, cell=(3, layout.size + 2)
    )


def buttons(v: Any, layout: SetupLayout) -> Iterator[Piece]:
    """Two rows: actions on the chosen thing; otherwise the size, the Forest Folk, the lists, and `done`."""
    top, low = layout.buttons, layout.buttons + 36
    if v.ask != BOARD:
        yield from _row(low, ["all", "none", "back"])
    elif v.hand >= 0 or v.node >= 0:
        thing = v.hand
        can = {
            TURN: thing >= 0 and _can_turn(v, thing),
            FLIP: 0 <= thing < FIRST_FOG,
            REMOVE: thing >= 0 and v.lies[thing] >= 0,
            BACK: True,
        }
        shown = [PLAIN[move] for move, is_open in can.items() if is_open]
        yield from _row(low, shown, [FACES_OF_BUTTONS.get(name, name) for name in shown])
        said = f"Chosen: {where(v, thing) if thing >= 0 else node_name(v.node)}"
        if 0 <= thing < FIRST_CARD and v.lies[thing] < 0:
            taps = f", taps {' '.join(taps_at(thing, v.turned[thing]))}"
            said += taps + (", face down" if v.flipped[thing] else "")
        yield Piece("chosen", "said", MARGIN + 6, top, said, face=said, z=1)
    else:
        yield Piece("sizes", "said", MARGIN + 6, top, face="Size of the board", z=1)
        for which in range(SIZES):
            size = LEAST_SIDE + which
            kind = "small-on" if size == v.width else "small"
            x = WIDTH - MARGIN - (SIZES - which) * 64
            yield Piece(f"size-{size}", kind, x, top, f"size {size}", face=str(size), z=2)
        has = "yes" if v.folk else "no"
        events, objectives = v.events.bit_count(), v.objectives.bit_count()
        said = f"Forest Folk {has}, {events} of {len(EVENTS)} events, {objectives} of {len(OBJECTIVES)} objectives"
        faces = [f"Folk: {has}", f"events: {events}", f"objectives: {objectives}", "done"]
        yield from _row(low, ["folk", "events", "objectives", "done"], faces)
        yield Piece("said", "said", 0, 0, said, glyph=said, cell=(3, layout.size + 3))


def _can_turn(v: Any, thing: int) -> bool:
    if FIRST_CARD <= thing < FIRST_FOG:
        return len(SHAPES[FACES_OF[thing - FIRST_CARD, v.flipped[thing]]]) > 1
    return thing < FIRST_CARD


def _row(y: float, names: list[str], faces: list[str] | None = None) -> Iterator[Piece]:
    width = FIELD / COLUMNS
    for place, name in enumerate(names):
        face = faces[place] if faces else name
        yield Piece(f"button-{name}", "wide", MARGIN + place * width, y, face, face=face, z=2)


def box(v: Any, layout: SetupLayout) -> Iterator[Piece]:
    """What is left in the box, each in its own place."""
    hand = v.hand if v.hand >= 0 and v.lies[v.hand] < 0 else -1
    for thing in range(FIRST_CARD):
        if v.lies[thing] < 0:
            taps = "1 tap" if TAPS[thing] == 1 else f"{TAPS[thing]} taps"
            yield from _chip(layout, thing, thing, f"{supply_of(thing)} · {taps}", thing == hand)
    fog = next((thing for thing in range(FIRST_FOG, TOWN) if v.lies[thing] < 0), TOWN)
    if fog < TOWN:
        yield from _chip(layout, TAKE_FOG - TAKE, FIRST_CARD, f"{TOWN - fog} left", fog == hand)
    if v.lies[TOWN] < 0:
        yield from _chip(layout, TAKE_FOG - TAKE + 1, FIRST_CARD + 1, "roads begin", hand == TOWN)
    for face in range(FACES):
        card = face // 2
        if v.lies[FIRST_CARD + card] < 0:
            chosen = FIRST_CARD + card == hand and FACES_OF[card, v.flipped[hand]] == face
            x = MARGIN + face % COLUMNS * FIELD / COLUMNS
            y = layout.cards + (face // COLUMNS + 0.5) * CARD_ROW - 6
            at = (1 + card * 13, layout.size + 10 + face % 2)
            name = IN_BOX[FIRST_CARD + face]
            yield Piece(
                f"box-{TAKE_FACE - TAKE + face}", "card-on" if chosen else "card", x, y, name, face=name, z=2,
                glyph=f"*{name}*" if chosen else name, cell=at,
            )  # fmt: skip
            yield Piece(f"drawn-face-{face}", f"icon-face-{face}", x + 20, y, z=3)


def _chip(layout: SetupLayout, number: int, place: int, more: str, chosen: bool) -> Iterator[Piece]:
    """A still, fog or the Town Center in the box: its name, and below it what it holds."""
    x, y = MARGIN + place % COLUMNS * FIELD / COLUMNS, layout.box + (place // COLUMNS + 0.5) * ROW - 6
    name = IN_BOX[number]
    label = f"{name}, {more}{', chosen' if chosen else ''}"
    glyph = f"*{name}*" if chosen else f"{name} {more.split(' · ')[0] if number < FIRST_CARD else ''}".rstrip()
    at = (1 + place % TEXT_BOX * TEXT_COLUMNS, layout.size + 5 + place // TEXT_BOX)
    yield Piece(f"box-{number}", "box-on" if chosen else "box", x, y, label, z=2, glyph=glyph, cell=at)
    icon = number if number < FIRST_CARD else "fog" if number == TAKE_FOG - TAKE else "town"
    yield Piece(f"drawn-{number}", f"icon-{icon}", x + 20, y, z=3)
    yield Piece(f"called-{number}", "line", x + 37, y - 9, face=name, z=3)
    yield Piece(f"holds-{number}", "second", x + 37, y + 11, face=more, z=3)


def cards(v: Any, layout: SetupLayout) -> Iterator[Piece]:
    """A list in place of the box: included cards are golden and ticked."""
    is_events = v.ask == EVENT_LIST
    taken, names, word = (v.events, EVENTS, "event") if is_events else (v.objectives, OBJECTIVES, "objective")
    rows = -(-len(names) // LIST_COLUMNS)
    first = EVENT if is_events else OBJECTIVE
    for which, name in enumerate(names):
        is_in = bool(taken >> which & 1)
        column, row = divmod(which, rows)
        x, y = MARGIN + column * FIELD / LIST_COLUMNS, layout.box + (row + 0.5) * LIST_ROW - 6
        face = f"{'✓' if is_in else '–'} {name}"
        label = f"{NAMES[first + which]}, {'in' if is_in else 'out'}"
        at = (1 + column * 39, layout.size + 4 + row)
        kind = "choice-on" if is_in else "choice"
        yield Piece(
            f"{word}-{which}", kind, x, y, label, face=face, z=2, glyph=f"{'+' if is_in else '-'} {name}", cell=at
        )
    title = PLAIN[OPEN_EVENTS] if is_events else "objectives"
    said = f"{taken.bit_count()} of {len(names)} {title} are in"
    yield Piece("chosen", "said", MARGIN + 6, layout.buttons, said, face=said, z=1)

"""The board of RunAway Train: any track laid out in rows, the speed tracker, the stop charts and the panel."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np

from backroom.engine.protocol import State
from backroom.scene import BOARD, HAND, PLAYERS, STATE, Board, Region
from backroom.scene.palette import CREAM, INK_DIM, PAPER_DIM, RED, WOOD, YELLOW
from backroom.scene.pieces import panel, well

from .pieces import BEFORE, FULL_BRAKE, HALF_BRAKE, LONG, MOST_SPEEDS, MOST_YELLOW, PARTS, SHORT
from .rules.state import NAME, SEAT_NAMES
from .shapes import TIE, badge, shapes

WIDTH = 600
COLUMNS, PITCH, ROW, TOP = 15, 36, 52, 34
"""Spaces in a row, and the width and height of one; the middle of the first row."""
FIRST_X = (WIDTH - (COLUMNS - 1) * PITCH) / 2
SIGNS = 34
"""Additional height below the switch, for the signs of the two tracks."""
GAP, DIALS, LINE, CARDS = 8, 112, 42, 96
"""Heights: between regions, the speed with the stop charts, a player's line, the player's own cards."""
SPEED_X, TIMES_X, DIE_X = 42, 110, 170
CHART_X, CHART_WIDTH, CHART_LABEL, CHART = 204, 388, 62, 52
"""The x of a stop chart, its width, that of its name, its height."""
WIDE = 8
"""A chart with more columns than this has narrow ones."""
TRACKS = 64
"""The number of track layouts that are cached: people may bring any number of tracks."""
FIRST_COLUMN = 7
"""In the terminal: the column where the track begins, one character a space."""

Point = tuple[float, float]
TrackKey = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """The stop chart of one track: a speed and a roll in each column."""

    slowest: int
    columns: tuple[tuple[str, str], ...]

    def column(self, speed: int) -> int:
        return min(max(speed - self.slowest, 0), len(self.columns) - 1)


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a track."""

    switch: int
    yellow: tuple[tuple[tuple[int, int], ...], ...]
    """The yellow spaces of each part, and their kinds."""
    ends: tuple[int, ...]
    spots: tuple[dict[int, Point], ...]
    """The middle of each space, by part."""
    facing: tuple[dict[int, int], ...]
    """The direction of a train there: 1 to the right, -1 to the left."""
    charts: tuple[Chart, Chart]
    signs: tuple[Point, Point]
    height: int
    """The height of the track alone."""

    @property
    def state(self) -> int:
        """The top of the speed and the stop charts."""
        return self.height + GAP

    @property
    def dials(self) -> float:
        """The middle of the speed, the multiplier and the die."""
        return self.state + DIALS / 2

    @property
    def panel(self) -> int:
        """The top of the players' panel."""
        return self.state + DIALS + GAP

    def line(self, seat: int) -> float:
        """The middle of a player's line."""
        return self.panel + 4 + (seat + 0.5) * LINE

    def hand_top(self, seats: int) -> float:
        return self.panel + 8 + seats * LINE + GAP

    def hand(self, seats: int) -> float:
        """The middle of the player's own cards."""
        return self.hand_top(seats) + CARDS / 2


def track_key(v: State) -> TrackKey:
    """The fields that tell a track from others."""
    return tuple(v[field].tobytes() for field in ("yellow_at", "yellow_is", "end", "slowest", "fastest", "stops"))


@lru_cache(TRACKS)
def layout(key: TrackKey) -> Layout:
    """Lay out a track: rows to and fro up to the switch, then the short track to the left, the long one to
    the right.
    """
    at, what, end, slowest, fastest, stops = (np.frombuffer(part, np.int16) for part in key)
    at, what, stops = at.reshape(3, MOST_YELLOW), what.reshape(3, MOST_YELLOW), stops.reshape(3, MOST_SPEEDS)
    yellow = tuple(
        tuple((int(at[part, i]), int(what[part, i])) for i in range(MOST_YELLOW) if at[part, i]) for part in range(3)
    )
    ends = tuple(int(space) for space in end)
    switch = ends[BEFORE]
    gap = _gap(ends[SHORT] - switch, ends[LONG] - switch)
    cells = [_before(switch, gap)]
    below = cells[0][switch][1] + 1
    cells.append(_branch(switch, ends[SHORT], range(gap - 1, -1, -1), below))
    cells.append(_branch(switch, ends[LONG], range(gap + 1, COLUMNS), below))
    rows = max(row for part in cells for _, row, _ in part.values()) + 1

    def spot(column: int, row: int) -> Point:
        return FIRST_X + column * PITCH, TOP + row * ROW + (SIGNS if row >= below else 0)

    spots = tuple({space: spot(column, row) for space, (column, row, _) in part.items()} for part in cells)
    facing = tuple({space: way for space, (_, _, way) in part.items()} for part in cells)
    for part in (SHORT, LONG):
        spots[part][switch], facing[part][switch] = spots[BEFORE][switch], 1
    x, y = spots[BEFORE][switch]
    sign_y = y + (ROW + SIGNS) / 2
    charts = tuple(_chart(int(slowest[i]), int(fastest[i]), [int(roll) for roll in stops[i]]) for i in (SHORT, LONG))
    height = TOP + rows * ROW + SIGNS - 4
    return Layout(
        switch, yellow, ends, spots, facing, (charts[0], charts[1]), ((x - 66, sign_y), (x + 70, sign_y)), height
    )


def _gap(short: int, long: int) -> int:
    """The column that separates the two tracks, chosen so that they take as few rows as possible."""
    middle = COLUMNS // 2
    return min(
        range(3, COLUMNS - 3),
        key=lambda gap: (max(ceil(short / gap), ceil(long / (COLUMNS - 1 - gap))), abs(gap - middle)),
    )


def _before(switch: int, gap: int) -> dict[int, tuple[int, int, int]]:
    """Column, row and direction of each space up to the switch, which is in the column of the gap."""
    cells, column, row, way = {}, gap, 0, 1
    for space in range(switch, -1, -1):
        cells[space] = (column, row, way)
        if column - way in range(COLUMNS):
            column -= way
        else:
            row, way = row - 1, -way
    first = cells[0][1]
    return {space: (column, row - first, way) for space, (column, row, way) in cells.items()}


def _branch(switch: int, end: int, columns: range, row: int) -> dict[int, tuple[int, int, int]]:
    cells, way, column = {}, columns.step, columns[0]
    for space in range(switch + 1, end + 1):
        cells[space] = (column, row, way)
        if column + way in columns:
            column += way
        else:
            row, way = row + 1, -way
    return cells


def _chart(slowest: int, fastest: int, stops: list[int]) -> Chart:
    speeds = [f"≤{slowest}" if slowest > 1 else "1", *map(str, range(slowest + 1, fastest + 1)), f"{fastest + 1}+"]
    if len(speeds) > WIDE:
        speeds[-1] = "+"
    return Chart(slowest, tuple(zip(speeds, [*map(str, stops[: fastest - slowest + 1]), "–"], strict=True)))


# The static parts


@lru_cache(TRACKS)
def board(key: TrackKey, seats: int, has_hand: bool) -> Board:
    """Everything that never moves."""
    at = layout(key)
    track = [panel(0, 0, WIDTH, at.height, PAPER_DIM), *_rails(at), *_cliffs(at), *_yellow(at)]
    state = [panel(0, at.state, WIDTH, DIALS, PAPER_DIM), *_dials(at), *_charts(at)]
    lines = [panel(0, at.panel, WIDTH, 8 + seats * LINE)]
    for seat in range(seats):
        y = at.line(seat)
        if seat:
            lines.append(f'<path d="M14 {y - LINE / 2:g}H{WIDTH - 14}" stroke="#fff" stroke-opacity=".14"/>')
        lines.append(f'<g transform="translate(27 {y:g})">{badge(seat)}</g>')
        lines.append(_text(46, y, SEAT_NAMES[seat], 19, CREAM, "start", 600))
    regions = [
        Region(BOARD, 0, 0, WIDTH, at.height, "".join(track)),
        Region(STATE, 0, at.state, WIDTH, DIALS, "".join(state)),
        Region(PLAYERS, 0, at.panel, WIDTH, 8 + seats * LINE, "".join(lines)),
    ]
    bottom = at.hand_top(seats) - GAP
    if has_hand:
        y = at.hand_top(seats)
        cards = panel(0, y, WIDTH, CARDS) + well(8, y + 8, WIDTH - 130, CARDS - 16)
        regions.append(Region(HAND, 0, y, WIDTH, CARDS, cards))
        bottom = y + CARDS
    return Board(NAME, WIDTH, int(bottom), "", text_board(at, seats), shapes(), tuple(regions))


def _text(x: float, y: float, words: str, size: int, fill: str, anchor: str = "middle", weight: int = 400) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" dominant-baseline="central" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}" fill="{fill}">{words}</text>'
    )


def _legs(at: Layout) -> Iterator[tuple[Point, Point, str]]:
    """From each space to the next: the start, the end, and the path between."""
    for part in range(3):
        first = at.switch if part else 0
        for space in range(first, at.ends[part]):
            (x, y), (to_x, to_y) = at.spots[part][space], at.spots[part][space + 1]
            if y == to_y:
                path = f"L{to_x:g} {to_y:g}"
            elif x == to_x:
                path = f"A18 {(to_y - y) / 2:g} 0 0 {1 if at.facing[part][space] > 0 else 0} {to_x:g} {to_y:g}"
            elif part == SHORT:
                path = f"C{x + 26:g} {y:g} {x + 26:g} {to_y:g} {to_x:g} {to_y:g}"
            else:
                path = f"C{x + 34:g} {y:g} {x - 6:g} {to_y:g} {to_x:g} {to_y:g}"
            yield (x, y), (to_x, to_y), path


def _rails(at: Layout) -> list[str]:
    rails, ties = [], []
    for (x, y), (to_x, to_y), path in _legs(at):
        rails.append(f"M{x:g} {y:g}{path}")
        if y == to_y:
            ties.append(f"M{(x + to_x) / 2:g} {y - 13:g}v26")
        elif x == to_x:
            bend = 18 if path.split()[4] == "1" else -18
            ties.append(f"M{x + bend * 0.55:g} {(y + to_y) / 2:g}h{bend * 0.9:g}")
    line = "".join(rails)
    return [
        f'<path d="{"".join(ties)}" stroke="{TIE}" stroke-width="6" stroke-linecap="round"/>',
        f'<g fill="none"><path d="{line}" stroke="{WOOD}" stroke-width="18"/>',
        f'<path d="{line}" stroke="{PAPER_DIM}" stroke-width="12"/>',
        f'<path d="{"".join(ties)}" stroke="{TIE}" stroke-opacity=".5" stroke-width="6"/></g>',
    ]


def _cliffs(at: Layout) -> list[str]:
    """The cliff after each end of the track."""
    out = []
    for part in (SHORT, LONG):
        x, y = at.spots[part][at.ends[part]]
        way = at.facing[part][at.ends[part]]
        out.append(
            f'<path transform="translate({x + way * 22:g} {y:g}) scale({way} 1)" '
            f'd="M-6-25l5 7-4 8 6 8-5 9 5 8-6 10h11l3-9 4-10-2-9 3-9-4-8 1-5z" fill="{WOOD}"/>'
        )
    return out


def _yellow(at: Layout) -> list[str]:
    out = []

    def space(part: int, number: int, sign: str) -> None:
        x, y = at.spots[part][number]
        out.append(
            f'<g transform="translate({x:g} {y:g})"><rect x="-16" y="-16" width="32" height="32" rx="6" '
            f'fill="{YELLOW}" stroke="{WOOD}" stroke-width="1.5"/>{sign}</g>'
        )
        if (part, number) == (BEFORE, at.switch):
            x, y = x + 40, y - 30  # beside it: below it the tracks part
        elif number == 0 and at.switch < 4:
            y -= 50  # above it: below it are their signs
        elif number < at.ends[part] and at.spots[part][number + 1][0] == x:
            x -= 9 * at.facing[part][number]  # out of the way of a bend
        out.append(_text(x, y + 26, str(number) if number else "START", 19, WOOD, weight=600))

    space(BEFORE, 0, f'<path d="M-7 9V-9L9-3-5 3" fill="{WOOD}" stroke="{WOOD}" stroke-width="2"/>')
    fork = f'<path d="M-9 9C2 9-2-8 9-8M-9 9H9" fill="none" stroke="{WOOD}" stroke-width="3.5"/>'
    space(BEFORE, at.switch, fork)
    for part in range(3):
        for number, what in at.yellow[part]:
            if what > 0:
                sign = _text(0, 1, f"×{what}", 20, WOOD, weight=700)
            else:
                word, size = {HALF_BRAKE: ("½", 20), FULL_BRAKE: ("1×", 19)}[what]
                sign = f'<circle r="13" fill="{PAPER_DIM}" stroke="{RED}" stroke-width="3"/>'
                sign += _text(0, 1, word, size, WOOD, weight=700)
            space(part, number, sign)
        if part:
            stop = f'<path d="M-10-6H10V4H-10zM-6 4v6M6 4v6" fill="{RED}" stroke="{WOOD}" stroke-width="2"/>'
            space(part, at.ends[part], stop)
    return out


def _dials(at: Layout) -> list[str]:
    """The plates for the speed (§2.4) and the multiplier."""
    y = at.dials
    return [
        _text(SPEED_X, y + 38, "speed", 19, WOOD, weight=600),
        _text(TIMES_X, y + 38, "cases", 19, WOOD, weight=600),
        f'<path d="M{CHART_X - 8} {at.state + 10}v{DIALS - 20}" stroke="{WOOD}" stroke-opacity=".25"/>',
    ]


def chart_spot(at: Layout, which: int, column: int) -> Point:
    """The middle of a column of a stop chart."""
    width = (CHART_WIDTH - CHART_LABEL) / len(at.charts[which].columns)
    return CHART_X + CHART_LABEL + (column + 0.5) * width, at.state + 4 + (which + 0.5) * CHART


def _charts(at: Layout) -> list[str]:
    """What it takes to stop at the end of each track: the speed above, the lowest roll below it."""
    out = []
    for which, chart in enumerate(at.charts):
        _, y = chart_spot(at, which, 0)
        out.append(_text(CHART_X + 4, y - 11, PARTS[which + 1], 19, WOOD, "start", 700))
        out.append(_text(CHART_X + 4, y + 12, "needs", 19, INK_DIM, "start"))
        if which:
            out.append(
                f'<path d="M{CHART_X} {y - CHART / 2:g}h{CHART_WIDTH - 8}" stroke="{WOOD}" stroke-opacity=".2"/>'
            )
        size = 19 if len(chart.columns) <= WIDE else 18
        for column, (speed, roll) in enumerate(chart.columns):
            middle, _ = chart_spot(at, which, column)
            word = speed if size == 19 or len(speed) < 3 else speed.lstrip("≤")  # what has no room is told by §2.3
            out.append(_text(middle, y - 11, word, size, WOOD))
            out.append(_text(middle, y + 12, roll, size + 1, WOOD, weight=700))
    return out


# The terminal

TRACK_ROWS = (1, 3, 5)
"""The lines of the parts of the track."""
DIAL_ROW, PLAYER_ROW = 7, 11


def text_cell(part: int, space: int) -> tuple[int, int]:
    return FIRST_COLUMN + space, TRACK_ROWS[part]


def text_board(at: Layout, seats: int) -> str:
    """The track as lines of one character a space, with the numbers of yellow spaces; then charts and names."""
    width = FIRST_COLUMN + max(at.ends) + 4
    rows = [[" "] * width for _ in range(DIAL_ROW)]

    def write(row: int, column: int, words: str) -> None:
        rows[row][column : column + len(words)] = words

    for part in range(3):
        first = 0 if part == BEFORE else at.switch + 1
        signs = {number: {HALF_BRAKE: "½", FULL_BRAKE: "B"}.get(what, str(what)) for number, what in at.yellow[part]}
        signs |= {at.ends[part]: "]" if part else "Y"} | ({} if part else {0: "S"})
        row = TRACK_ROWS[part]
        write(row, 1, PARTS[part] if part else "track")
        for space in range(first, at.ends[part] + 1):
            write(row, FIRST_COLUMN + space, signs.get(space, "-"))
        free = 0
        for number in sorted(signs):
            column = FIRST_COLUMN + number - (len(str(number)) - 1 if part == BEFORE and number else 0)
            if column >= free:
                write(row - 1 if part == BEFORE else row + 1, column, str(number))
                free = column + len(str(number)) + 1
    lines = ["".join(row).rstrip() for row in rows] + [""]
    for which, chart in enumerate(at.charts):
        pairs = " ".join(f"{speed}:{roll}" for speed, roll in chart.columns)
        lines.append(f" To stop at the end of {PARTS[which + 1]:5}  (speed:least roll)  {pairs}")
    lines += ["", *(f"     {name}" for name in SEAT_NAMES[:seats])]
    return "\n".join(lines)

"""The table of Booze Barons: the static background under the pieces, in the browser and in the terminal."""

from functools import cache

from backroom.scene import BOARD, HAND, PLAYERS, Board, Pane, Region
from backroom.scene.palette import CREAM, CREAM_DIM, INK, PAPER, WOOD_DARK
from backroom.scene.pieces import panel

from .pieces import BOOZE_CODES, BOOZES, EVENT_WORDS, IN_MOB, LOCATIONS, MOBS, PLACE_NAMES
from .rules.state import NAME
from .shapes import (
    ANSWERS,
    COLUMN,
    FILL,
    GAP,
    HEAD,
    PANEL,
    PANEL_HIGH,
    PLACES,
    RING_HIGH,
    ROW,
    T_COLUMN,
    T_PANEL,
    T_SHEET,
    T_SHEET_X,
    T_WIDTH,
    TOP,
    WIDTH,
    answers_y,
    backing,
    column_x,
    height,
    panel_at,
    row_y,
    shapes,
    sheet_y,
    symbol,
    words,
)


@cache
def board(seats: int, sides: int, looks: tuple[int, ...]) -> Board:
    """The table for a number of players, with these sides of the locations up and these bootleggers (§1.4)."""
    out = [panel(0, 0, WIDTH, TOP + RING_HIGH + 3), _ring()]
    for place in range(LOCATIONS):
        x, y = panel_at(place)
        out.append(
            f'<rect x="{x}" y="{y}" width="{PANEL}" height="{PANEL_HIGH}" rx="7" fill="{PAPER}" stroke="{WOOD_DARK}"/>'
            + words(x + 6, y + 15, PLACE_NAMES[place], f'font-size="13" font-weight="700" fill="{INK}"', "start")
        )
        if place == 0:  # always on, never to be touched
            out.append(words(x + 6, y + 31, EVENT_WORDS[0][sides & 1], f'font-size="12.5" fill="{INK}"', "start"))
    low, high = sheet_y(), row_y(seats) + 4 - sheet_y()
    regions = (
        Region(BOARD, 0, 0, WIDTH, TOP + RING_HIGH + 3, "".join(out)),
        Region(PLAYERS, 0, low, WIDTH, high, panel(0, low, WIDTH, high) + _sheet(seats)),
        Region(HAND, 0, answers_y(seats), WIDTH, ANSWERS, panel(0, answers_y(seats), WIDTH, ANSWERS)),
    )
    return Board(
        NAME, WIDTH, height(seats), "", _text(seats, sides), shapes(seats, sides, looks), regions, panes=_panes(seats)
    )


def _panes(seats: int) -> tuple[Pane, ...]:
    """The parts of the text: the heading, the locations, the sheet with the player's own booze.

    The reckoning is not a pane, since a terminal prints the result anyway.
    """
    at = [(column * T_COLUMN, 1 + row * T_PANEL) for column, row in sorted(PLACES, key=_by_row)]
    places = [Pane(BOARD, column, row, T_COLUMN, T_PANEL) for column, row in at]
    return Pane(BOARD, 0, 0, 3 * T_COLUMN, 1), *places, Pane(PLAYERS, 0, T_SHEET, T_WIDTH, seats + 3)


def _by_row(place: tuple[int, int]) -> tuple[int, int]:
    return place[1], place[0]


def _ring() -> str:
    x, y = panel_at(0)
    return (
        f'<rect x="{x + PANEL / 2}" y="{y + PANEL_HIGH / 2}" width="{2 * (PANEL + GAP)}" height="{PANEL_HIGH + GAP}" '
        f'rx="40" fill="none" stroke="{CREAM_DIM}" stroke-width="7"/>'
    )


def _sheet(seats: int) -> str:
    """The columns of boozes and the rows of players."""
    y, out = sheet_y(), []
    for mob in range(MOBS):
        x = column_x(mob * IN_MOB) - COLUMN / 2
        size = f'width="{IN_MOB * COLUMN}" height="{HEAD + seats * ROW}"'
        out.append(f'<rect x="{x:g}" y="{y}" {size} rx="4" fill="{FILL[mob]}" opacity=".16"/>')
    for booze in range(BOOZES):
        mob, x = booze // IN_MOB, column_x(booze)
        out.append(
            f'<g transform="translate({x:g} {y + 11})">{backing(mob, COLUMN - 2, 18)}{symbol(booze, 0, 0, 0.85)}</g>'
            + words(x, y + 31, BOOZE_CODES[booze], f'font-size="12.5" font-weight="700" fill="{CREAM}"')
        )
    for row in range(seats + 1):
        out.append(f'<path d="M4 {row_y(row)}H{WIDTH - 4}" stroke="{CREAM_DIM}" stroke-opacity=".35"/>')
    return "".join(out)


def _text(seats: int, sides: int) -> str:
    """The table for a terminal."""
    lines = [[" "] * (3 * T_COLUMN) for _ in range(T_SHEET + seats + 3)]

    def write(column: int, row: int, text: str) -> None:
        lines[row][column : column + len(text)] = text

    for place, (column, row) in enumerate(PLACES):
        write(column * T_COLUMN, 1 + row * T_PANEL, f"{PLACE_NAMES[place]} {'AB'[sides >> place & 1]}")
    for booze in range(BOOZES):
        write(T_SHEET_X + booze * 3 + booze // IN_MOB, T_SHEET, BOOZE_CODES[booze])
    write(5, T_SHEET, "player  coins deliveries")
    return "\n".join("".join(line).rstrip() for line in lines)

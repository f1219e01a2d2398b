"""The table of Booze Barons: what lies still under the pieces, in the browser and in the terminal."""

from functools import cache

from backroom.scene import Board

from .pieces import (
    BOOZE_CODES,
    BOOZES,
    EVENT_WORDS,
    IN_MOB,
    LOCATIONS,
    MOBS,
    PLACE_NAMES,
)
from .rules.state import NAME
from .shapes import (
    COLUMN,
    FILL,
    GAP,
    HEAD,
    INK,
    NIGHT,
    PALE,
    PANEL,
    PANEL_HIGH,
    PAPER,
    PLACES,
    ROW,
    T_COLUMN,
    T_PANEL,
    T_SHEET,
    T_SHEET_X,
    WIDTH,
    WOOD,
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
def board(seats: int, sides: int) -> Board:
    """The table for so many players, with these sides of the locations up."""
    high = height(seats)
    out = [f'<rect width="{WIDTH}" height="{high}" rx="10" fill="{NIGHT}"/>', _ring()]
    for place in range(LOCATIONS):
        x, y = panel_at(place)
        side = sides >> place & 1
        out.append(
            f'<rect x="{x}" y="{y}" width="{PANEL}" height="{PANEL_HIGH}" rx="7" fill="{PAPER}" stroke="{WOOD}"/>'
            + words(x + 6, y + 15, PLACE_NAMES[place], f'font-size="12" font-weight="700" fill="{INK}"', "start")
            + f'<circle cx="{x + PANEL - 12}" cy="{y + 11}" r="8" fill="{WOOD}"/>'
            + words(x + PANEL - 12, y + 15, "AB"[side], f'font-size="11" font-weight="700" fill="{PAPER}"')
        )
        if place == 0:  # always on, never to be touched
            out.append(words(x + 6, y + 28, EVENT_WORDS[0][side], f'font-size="11" fill="{INK}"', "start"))
    out.append(_sheet(seats))
    return Board(NAME, WIDTH, high, "".join(out), _text(seats, sides), shapes(seats, sides))


def _ring() -> str:
    x, y = panel_at(0)
    return (
        f'<rect x="{x + PANEL / 2}" y="{y + PANEL_HIGH / 2}" width="{2 * (PANEL + GAP)}" height="{PANEL_HIGH + GAP}" '
        f'rx="40" fill="none" stroke="{PALE}" stroke-width="7"/>'
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
            + words(x, y + 32, BOOZE_CODES[booze], f'font-size="11" font-weight="700" fill="{FILL[mob]}"')
        )
    for row in range(seats + 1):
        out.append(f'<path d="M4 {row_y(row)}H{WIDTH - 4}" stroke="{PALE}" stroke-opacity=".35"/>')
    return "".join(out)


def _text(seats: int, sides: int) -> str:
    """The table for a terminal."""
    lines = [[" "] * (3 * T_COLUMN) for _ in range(T_SHEET + seats + 3)]

    def write(column: int, row: int, text: str) -> None:
        lines[row][column : column + len(text)] = text

    for place, (column, row) in enumerate(PLACES):
        write(column * T_COLUMN, 1 + row * T_PANEL, f"{PLACE_NAMES[place]} {'AB'[sides >> place & 1]}:")
    for booze in range(BOOZES):
        write(T_SHEET_X + booze * 3 + booze // IN_MOB, T_SHEET, BOOZE_CODES[booze])
    write(5, T_SHEET, "player  coins deliveries")
    return "\n".join("".join(line).rstrip() for line in lines)

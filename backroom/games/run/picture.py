"""The picture of Run: the board from a seat's own side, with its point 1 at the top right and its home below it."""

from dataclasses import replace
from functools import cache

from backroom.engine.marks import plain
from backroom.engine.protocol import Move, Seat, State
from backroom.scene import BOARD, HAND, PLAYERS, Board, Piece, Region, Scene, Shape
from backroom.scene.palette import (
    CREAM,
    CREAM_DIM,
    EBONY,
    FELT,
    GOLD,
    IVORY,
    OXBLOOD,
    WOOD_DARK,
)
from backroom.scene.pieces import LEFT, RIGHT, box, die, lettering, man, panel, ring, well

from .pieces import OFF, POINTS
from .rules import NAME, SEAT_NAMES, distance_of, is_over, opposite, point_of
from .words import question

# The picture's measures
EDGE, POINT, BAR = 12, 46, 20
"""The frame, a point's width, the bar between the halves."""
STRIP, GAP, NUMBERS, REACH, MIDDLE = 72, 8, 28, 214, 92
"""Heights: a player's strip, the gap to the board, the numbers, a stack of men, the middle with the dice."""
WIDTH = 2 * EDGE + 12 * POINT + BAR
FIELD = 2 * REACH + MIDDLE
FRAME = STRIP + GAP
"""Where the board begins, and its height including the numbers on its frame."""
FRAME_HEIGHT = FIELD + 2 * NUMBERS
TOP = FRAME + NUMBERS
HEIGHT = 2 * FRAME + FRAME_HEIGHT
TRAY, SLIP = 290, 18
"""The width of a tray for men that are off, and of one of its fifteen places."""
TRAY_X = WIDTH - EDGE - TRAY
MAN = 21
STACK = 5
"""The number of visible men in a stack; if there are more, their number is written on the last."""

# The terminal's measures
COLUMN, HALF_LINE = 4, 27
"""Characters for each point, and the column where the right half begins."""
TOP_ROW, BOTTOM_ROW, DICE_ROW = 4, 16, 10

LIGHT, DARK = "#d8c196", OXBLOOD
"""The colours of the points."""
MAN_FILL = (IVORY, EBONY)
MAN_LINE = ("#8b7355", "#0a090d")
COLOURS = ("white", "black")
GLYPHS = ("O", "X")


LEGEND = (
    ("O X", "men of White, and of Black; a number ends a stack that is higher than it is drawn"),
    ("1 … 24", "points: the row of numbers at the board is yours, the outer one is the other's"),
    ("[3] 3", "a die to be played, and one that is played or cannot be"),
    (">", "whose turn it is"),
)


Men = list[list[int]]
"""The number of men of each seat on each point, in the seat's own numbering."""


def draw(v: State, seat: Seat) -> Scene:
    """The scene of a view. Spectators see it from the side of seat 0."""
    me = max(seat, 0)
    standing: Men = v.men.tolist()  # once: reading a record takes as long as drawing a piece
    pieces = [*points(standing, me), *men(standing, me), *dice(v, me), *strips(v, standing, me)]
    return Scene(board(me), plain(question(v, seat), SEAT_NAMES), pieces)


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """A step touches the point it leaves and the point it goes to; nature's rolls are not touched."""
    if seat not in (0, 1):
        return []
    point, to = int(point_of(move)), int(point_of(move) + distance_of(move))
    return [point_id(seat, point), f"off-{COLOURS[seat]}" if to == OFF else point_id(seat, to)]


def point_id(seat: Seat, point: int) -> str:
    """A point's id, the same for both seats: its number as seat 0 counts."""
    return f"point-{point if seat == 0 else int(opposite(point))}"


def left_of(point: int) -> float:
    """The x of a point's middle in the viewer's numbering: 1 to 12 along the top from the right, then back below."""
    column = 12 - point if point <= 12 else point - 13
    return EDGE + (column + 0.5) * POINT + (BAR if column >= 6 else 0)


def column_of(point: int) -> int:
    """The column of a point in the terminal."""
    column = 12 - point if point <= 12 else point - 13
    return 1 + column * COLUMN + (HALF_LINE - 6 * COLUMN if column >= 6 else 0)


def is_above(point: int) -> bool:
    return point <= 12


def points(standing: Men, me: Seat) -> list[Piece]:
    """The twenty-four points, as touchable pieces."""
    found = []
    for point in range(1, POINTS + 1):
        mine, theirs = standing[me][point], standing[1 - me][opposite(point)]
        who, count = (me, mine) if mine else (1 - me, theirs)
        holds = f"{count} {COLOURS[who]} {'man' if count == 1 else 'men'}" if count else "empty"
        above = is_above(point)
        found.append(
            Piece(
                point_id(me, point),
                "point",
                left_of(point),
                TOP if above else TOP + FIELD,
                label=f"point {point}: {holds}",
                turn=0 if above else 180,
                glyph=f"{point:>2}",
                cell=(column_of(point), TOP_ROW - 2 if above else BOTTOM_ROW + 2),
            )
        )
    return found


def men(standing: Men, me: Seat) -> list[Piece]:
    """The men on the board."""
    found = []
    for seat in (0, 1):
        for own in range(1, POINTS + 1):
            count = standing[seat][own]
            if not count:
                continue
            point = own if seat == me else int(opposite(own))
            above = is_above(point)
            for place in range(count):
                row = min(place, STACK - 1)  # the men of a tall stack lie on its fifth, and leave it one by one
                down = MAN + row * 2 * MAN
                found.append(
                    Piece(
                        f"{COLOURS[seat]}-{own}-{place}",
                        f"man-{COLOURS[seat]}",
                        left_of(point),
                        TOP + down if above else TOP + FIELD - down,
                        z=2,
                        glyph=f" {GLYPHS[seat]}" if place < STACK else "",
                        cell=(column_of(point), TOP_ROW + row if above else BOTTOM_ROW - row),
                    )
                )
            if count > STACK:
                found.append(
                    replace(
                        found[-1],
                        id=f"count-{COLOURS[seat]}-{own}",
                        kind=f"count-{COLOURS[seat]}",
                        face=str(count),
                        z=3,
                        glyph=f"{count:>2}",
                    )
                )
    return found


def dice(v: State, me: Seat) -> list[Piece]:
    """The last roll, on the side of the player who rolled it; dice that are played or unplayable are pale."""
    high, low = int(v.dice[0]), int(v.dice[1])
    if not high:
        return []
    left = [int(v.left[0]), int(v.left[1])]
    mine = (int(v.turn) == me) == bool(left[0] + left[1] or v.fresh or is_over(v))
    faces = (
        [(high, place < left[0]) for place in range(4)] if high == low else list(zip((high, low), left, strict=True))
    )
    middle = left_of(22) - POINT / 2 if mine else left_of(16) - POINT / 2
    found = []
    for place, (face, open_) in enumerate(faces):
        at = place - (len(faces) - 1) / 2
        found.append(
            Piece(
                f"die-{place}",
                f"die-{face}" if open_ else f"die-{face}-played",
                middle + at * 46,
                TOP + FIELD / 2,
                label=f"die {face}" if open_ else f"die {face}, not to be played",
                z=3,
                glyph=f"[{face}]" if open_ else f" {face} ",
                cell=((HALF_LINE + 6 if mine else 6) + place * 4, DICE_ROW),
            )
        )
    return found


def strips(v: State, standing: Men, me: Seat) -> list[Piece]:
    """Each player's strip: name, points to go, men off, match score, and whose turn it is."""
    found = []
    for seat in (me, 1 - me):
        mine = seat == me
        y = HEIGHT - STRIP / 2 if mine else STRIP / 2
        row = BOTTOM_ROW + 4 if mine else 0
        off, pips = standing[seat][OFF], pips_of(standing[seat])
        colour, name = COLOURS[seat], SEAT_NAMES[seat]
        in_match = f"match {v.points[seat]} of {v.match}" if v.match > 1 else ""
        found += [
            Piece(f"disc-{colour}", f"small-{colour}", EDGE + 24, y, z=1, glyph=GLYPHS[seat], cell=(2, row)),
            Piece(f"name-{colour}", "name", EDGE + 58, y - 13, face=name, glyph=name, cell=(4, row)),
            Piece(
                f"pips-{colour}",
                "note",
                EDGE + 58,
                y + 15,
                face=f"{pips} to go",
                glyph=f"{pips:>3} to go",
                cell=(11, row),
            ),
            Piece(
                f"off-{colour}",
                "tray",
                TRAY_X,
                y,
                label=f"{name}: {off} borne off",
                face=f"{off} off",
                glyph=f"{off:>2} off",
                cell=(HALF_LINE + 16, row),
            ),
        ]
        if in_match:
            found.append(
                Piece(
                    f"points-{colour}",
                    "note",
                    EDGE + 140,
                    y - 13,
                    label=f"{name}: {in_match} points",
                    face=in_match,
                    glyph=in_match,
                    cell=(HALF_LINE, row),
                )
            )
        for place in range(off):
            found.append(Piece(f"{colour}-off-{place}", f"slip-{colour}", TRAY_X + 19 + place * SLIP, y, z=1))
        if seat == int(v.turn) and not v.opening and not is_over(v):
            found.append(
                Piece(
                    "turn",
                    "turn",
                    EDGE + 24,
                    y,
                    label=f"{name} to {'move' if v.left.any() else 'roll'}",
                    glyph=">",
                    cell=(0, row),
                )
            )
    return found


def pips_of(standing: list[int]) -> int:
    """The total of the points that a seat's men still have to go."""
    return sum((OFF - point) * standing[point] for point in range(1, OFF))


@cache
def board(me: Seat) -> Board:
    """The board as a seat sees it."""
    regions = (
        Region(PLAYERS, 0, 0, WIDTH, STRIP, _strip(0)),
        Region(BOARD, 0, FRAME, WIDTH, FRAME_HEIGHT, _field(me)),
        Region(HAND, 0, HEIGHT - STRIP, WIDTH, STRIP, _strip(HEIGHT - STRIP)),
    )
    return Board(NAME, WIDTH, HEIGHT, "", _text(), _shapes(), regions)


def _strip(top: float) -> str:
    return panel(0, top, WIDTH, STRIP) + well(TRAY_X, top + 7, TRAY, STRIP - 14)


def _field(me: Seat) -> str:
    """The frame with its numbers, the cloth, the points, and the names of the quarters."""
    out = [panel(0, FRAME, WIDTH, FRAME_HEIGHT)]
    for half in (EDGE, EDGE + 6 * POINT + BAR):
        out.append(box(half, TOP, 6 * POINT, FIELD, 3, f'fill="{FELT}"'))
    for point in range(1, POINTS + 1):
        x, above = left_of(point), is_above(point)
        base = TOP if above else TOP + FIELD
        tip = base + (REACH - 8 if above else 8 - REACH)
        fill = LIGHT if point % 2 else DARK
        out.append(f'<path d="M{x - POINT / 2 + 1:g} {base}h{POINT - 2}L{x:g} {tip}z" fill="{fill}"/>')
        out.append(_words(x, TOP - 14 if above else TOP + FIELD + 14, str(point), 20, CREAM))
    for half in (EDGE, EDGE + 6 * POINT + BAR):
        shade = f'fill="none" stroke="{WOOD_DARK}" stroke-width="3" stroke-opacity=".8"'
        out.append(box(half, TOP, 6 * POINT, FIELD, 3, shade))
    mine, theirs = SEAT_NAMES[me], SEAT_NAMES[1 - me]
    quarters = ((4, f"{mine}’s mother"), (10, f"{theirs}’s home"), (15, f"{theirs}’s mother"), (21, f"{mine}’s home"))
    for point, words in quarters:
        y = TOP + REACH + (9 if is_above(point) else MIDDLE - 9)
        out.append(_words(left_of(point) + POINT / 2, y, words, 18.5, CREAM_DIM, 500))
    return "".join(out)


def _words(x: float, y: float, words: str, size: float, fill: str, weight: int = 600) -> str:
    return f'<text x="{x:g}" y="{y:g}" {lettering(size, fill, weight=weight)}>{words}</text>'


def _text() -> str:
    """The board for a terminal. The viewer's own numbers are pieces written over it, inside the opponent's."""
    rule = " " + "-" * (6 * COLUMN) + "+" + "-" * (6 * COLUMN + 1)
    blank = " " * (6 * COLUMN + 1) + "|"
    theirs = {above: list(" " * (HALF_LINE + 6 * COLUMN)) for above in (True, False)}
    for point in range(1, POINTS + 1):
        at = column_of(point)
        theirs[is_above(point)][at : at + 2] = f"{opposite(point):>2}"
    rows = ["", "".join(theirs[True]), "", rule, *[blank] * 13, rule, "", "".join(theirs[False]), ""]
    return "\n".join(rows)


def _shapes() -> dict[str, Shape]:
    tray = f'y="{7 - STRIP / 2:g}" width="{TRAY}" height="{STRIP - 14}" rx="6"'
    off = lettering(20, CREAM, f'{RIGHT} x="-10"')
    shapes = {
        "point": Shape(f'<rect x="{-POINT / 2:g}" width="{POINT}" height="{REACH}" fill="transparent"/>', "dim"),
        "point-lit": Shape(
            f'<path d="M{-POINT / 2 + 2:g} 1h{POINT - 4}L0 {REACH - 10}z" fill="{GOLD}" fill-opacity=".55" '
            f'stroke="{GOLD}" stroke-width="4" stroke-linejoin="round"/>'
        ),
        "turn": Shape(ring(24), "bold yellow"),
        "name": Shape("", "bold", lettering(24, CREAM, LEFT, 700)),
        "note": Shape("", "dim", lettering(20, CREAM_DIM, LEFT, 500)),
        "tray": Shape(f'<rect {tray} fill="transparent"/>', "", off),
        "tray-lit": Shape(f'<rect {tray} fill="{GOLD}" fill-opacity=".35" stroke="{GOLD}" stroke-width="4"/>', "", off),
    }
    for seat, colour in enumerate(COLOURS):
        fill, line, ink = MAN_FILL[seat], MAN_LINE[seat], MAN_FILL[1 - seat]
        style = "bold" if seat == 0 else "bold cyan"
        shapes[f"man-{colour}"] = Shape(man(MAN - 1, fill, line, ink), style)
        shapes[f"count-{colour}"] = Shape("", style, lettering(21, ink, weight=700))
        shapes[f"small-{colour}"] = Shape(man(17, fill, line, ink), style)
        shapes[f"slip-{colour}"] = Shape(box(-7, -22, 14, 44, 4, f'fill="{fill}" stroke="{line}"'), style)
    for number in range(1, 7):
        shapes[f"die-{number}"] = Shape(die(number), "bold yellow")
        shapes[f"die-{number}-played"] = Shape(f'<g opacity=".4">{die(number)}</g>', "dim")
    return shapes

"""How Run looks: the board from a seat's own side, with its point 1 at the top right and its home below it."""

from functools import cache

from backroom.engine.marks import plain
from backroom.engine.protocol import Move, Seat, State
from backroom.scene import Board, Piece, Scene, Shape

from .pieces import OFF, POINTS
from .rules import NAME, SEAT_NAMES, distance_of, is_over, opposite, point_of
from .words import question

# The picture's measures
EDGE, POINT, BAR = 14, 46, 20
"""The frame, a point's width, the bar between the halves."""
STRIP, NUMBERS, REACH, MIDDLE = 44, 36, 214, 84
"""The height of a player's strip, of the numbers, of a stack of men, of the middle where the dice lie."""
WIDTH = 2 * EDGE + 12 * POINT + BAR
FIELD = 2 * REACH + MIDDLE
TOP = STRIP + NUMBERS
HEIGHT = 2 * TOP + FIELD
MAN = 21
STACK = 5
"""How many men of a stack are drawn; with more, their number is written on the last."""

# The terminal's measures
COLUMN, HALF_LINE = 4, 27
"""Characters a point, and the column where the right half begins."""
TOP_ROW, BOTTOM_ROW, DICE_ROW = 4, 16, 10

FRAME, CLOTH, LIGHT, DARK, INK, PALE = "#4b3526", "#ece1ca", "#d2b48a", "#99704d", "#f4ead6", "#c2a98a"
MAN_FILL = ("#fdf9ef", "#2a2a33")
MAN_LINE = ("#7a6448", "#08080c")
GOLD = "#f5b52e"
COLOURS = ("white", "black")
GLYPHS = ("O", "X")
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


Men = list[list[int]]
"""How many men of each seat stand on each point, by its own numbers."""


def draw(v: State, seat: Seat) -> Scene:
    """The scene of a view. Spectators sit beside seat 0."""
    me = max(seat, 0)
    standing: Men = v.men.tolist()  # once: each look into a record takes as long as drawing a piece
    pieces = [*points(standing, me), *men(standing, me), *dice(v, me), *strips(v, standing, me)]
    return Scene(board(me), plain(question(v, seat), SEAT_NAMES), pieces)


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """A step touches the point it leaves and the point it goes to; a roll, the dice cup of nobody."""
    if seat not in (0, 1):
        return []
    point, to = int(point_of(move)), int(point_of(move) + distance_of(move))
    return [point_id(seat, point), f"off-{COLOURS[seat]}" if to == OFF else point_id(seat, to)]


def point_id(seat: Seat, point: int) -> str:
    """A point's id, the same for both seats: its number as seat 0 counts."""
    return f"point-{point if seat == 0 else int(opposite(point))}"


def left_of(point: int) -> float:
    """The x of a point's middle, counted by who looks: 1 to 12 along the top from the right, then back below."""
    column = 12 - point if point <= 12 else point - 13
    return EDGE + (column + 0.5) * POINT + (BAR if column >= 6 else 0)


def column_of(point: int) -> int:
    """The same in characters."""
    column = 12 - point if point <= 12 else point - 13
    return 1 + column * COLUMN + (HALF_LINE - 6 * COLUMN if column >= 6 else 0)


def is_above(point: int) -> bool:
    return point <= 12


def points(standing: Men, me: Seat) -> list[Piece]:
    """The twenty-four points, as things to touch."""
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
            for place in range(min(count, STACK)):
                above = is_above(point)
                last = place == STACK - 1 and count > STACK
                down = MAN + place * 2 * MAN
                found.append(
                    Piece(
                        f"{COLOURS[seat]}-{own}-{place}",
                        f"man-{COLOURS[seat]}",
                        left_of(point),
                        TOP + down if above else TOP + FIELD - down,
                        face=str(count) if last else "",
                        z=2,
                        glyph=f"{count:>2}" if last else f" {GLYPHS[seat]}",
                        cell=(column_of(point), TOP_ROW + place if above else BOTTOM_ROW - place),
                    )
                )
    return found


def dice(v: State, me: Seat) -> list[Piece]:
    """The last roll, on the side of who rolled it; dice that are played, or cannot be, are pale."""
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
    """Each player's strip: who, how far to go, how many off, the match, and whose turn it is."""
    found = []
    for seat in (me, 1 - me):
        mine = seat == me
        y = HEIGHT - STRIP / 2 if mine else STRIP / 2
        row = BOTTOM_ROW + 4 if mine else 0
        off, pips = standing[seat][OFF], pips_of(standing[seat])
        colour, name = COLOURS[seat], SEAT_NAMES[seat]
        in_match = f"match {v.points[seat]} of {v.match}" if v.match > 1 else ""
        found += [
            Piece(f"disc-{colour}", f"small-{colour}", EDGE + 12, y, z=1, glyph=GLYPHS[seat], cell=(2, row)),
            Piece(f"name-{colour}", "name", EDGE + 34, y, face=name, glyph=name, cell=(4, row)),
            Piece(
                f"pips-{colour}", "note", EDGE + 112, y, face=f"{pips} to go", glyph=f"{pips:>3} to go", cell=(11, row)
            ),
            Piece(
                f"off-{colour}",
                "tray",
                WIDTH - EDGE - 15 * 11 - 38,
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
                    EDGE + 204,
                    y,
                    label=f"{name}: {in_match} points",
                    face=in_match,
                    glyph=in_match,
                    cell=(HALF_LINE, row),
                )
            )
        for place in range(off):
            found.append(
                Piece(f"{colour}-off-{place}", f"slip-{colour}", WIDTH - EDGE - 15 * 11 + place * 11 + 4, y, z=1)
            )
        if seat == int(v.turn) and not v.opening and not is_over(v):
            found.append(
                Piece(
                    "turn",
                    "turn",
                    EDGE + 12,
                    y,
                    label=f"{name} to {'move' if v.left.any() else 'roll'}",
                    glyph=">",
                    cell=(0, row),
                )
            )
    return found


def pips_of(standing: list[int]) -> int:
    """How many points a seat's men still have to go, all together."""
    return sum((OFF - point) * standing[point] for point in range(1, OFF))


@cache
def board(me: Seat) -> Board:
    """The board as a seat looks at it."""
    out = [f'<rect width="{WIDTH}" height="{HEIGHT}" rx="12" fill="{FRAME}"/>']
    for half in (EDGE, EDGE + 6 * POINT + BAR):
        out.append(f'<rect x="{half}" y="{TOP}" width="{6 * POINT}" height="{FIELD}" fill="{CLOTH}"/>')
    for point in range(1, POINTS + 1):
        x, above = left_of(point), is_above(point)
        base = TOP if above else TOP + FIELD
        tip = base + (REACH - 8 if above else 8 - REACH)
        fill = LIGHT if point % 2 else DARK
        out.append(f'<path d="M{x - POINT / 2:g} {base}h{POINT}L{x:g} {tip}z" fill="{fill}"/>')
        numbers = ((point, 18, INK, TOP - 6, TOP + FIELD + 18), (opposite(point), 13, PALE, TOP - 24, TOP + FIELD + 33))
        for number, size, ink, high, low in numbers:
            out.append(
                f'<text x="{x:g}" y="{high if above else low}" text-anchor="middle" font-size="{size}" '
                f'font-weight="600" fill="{ink}">{number}</text>'
            )
    mine, theirs = SEAT_NAMES[me], SEAT_NAMES[1 - me]
    quarters = ((4, f"{mine}’s mother"), (10, f"{theirs}’s home"), (15, f"{theirs}’s mother"), (21, f"{mine}’s home"))
    for point, words in quarters:
        x = left_of(point) + POINT / 2
        y = TOP + REACH + (14 if is_above(point) else MIDDLE - 5)
        out.append(
            f'<text x="{x:g}" y="{y}" text-anchor="middle" font-size="13" fill="{DARK}" opacity=".8">{words}</text>'
        )
    return Board(NAME, WIDTH, HEIGHT, "".join(out), _text(), _shapes())


def _text() -> str:
    """The board for a terminal: one's own numbers are pieces, written over it; the other's stand outside them."""
    rule = " " + "-" * (6 * COLUMN) + "+" + "-" * (6 * COLUMN + 1)
    blank = " " * (6 * COLUMN + 1) + "|"
    theirs = {above: list(" " * (HALF_LINE + 6 * COLUMN)) for above in (True, False)}
    for point in range(1, POINTS + 1):
        at = column_of(point)
        theirs[is_above(point)][at : at + 2] = f"{opposite(point):>2}"
    rows = ["", "".join(theirs[True]), "", rule, *[blank] * 13, rule, "", "".join(theirs[False]), ""]
    return "\n".join(rows)


def _shapes() -> dict[str, Shape]:
    middle = 'text-anchor="middle" dominant-baseline="central"'
    left = 'dominant-baseline="central"'
    tray = f'x="22" y="-15" width="{15 * 11 + 4}" height="30" rx="4"'
    off = f'{left} text-anchor="end" x="16" font-size="17" font-weight="600" fill="{INK}"'
    shapes = {
        "point": Shape(f'<rect x="{-POINT / 2:g}" width="{POINT}" height="{REACH}" fill="transparent"/>', "dim"),
        "point-lit": Shape(
            f'<path d="M{-POINT / 2 + 2:g} 1h{POINT - 4}L0 {REACH - 10}z" fill="{GOLD}" fill-opacity=".35" '
            f'stroke="{GOLD}" stroke-width="3" stroke-linejoin="round"/>'
        ),
        "turn": Shape(f'<circle r="16" fill="none" stroke="{GOLD}" stroke-width="3"/>', "bold yellow"),
        "name": Shape("", "bold", f'{left} font-size="19" font-weight="600" fill="{INK}"'),
        "note": Shape("", "dim", f'{left} font-size="15" fill="{PALE}"'),
        "tray": Shape(f'<rect {tray} fill="#000" fill-opacity=".25"/>', "", off),
        "tray-lit": Shape(f'<rect {tray} fill="{GOLD}" fill-opacity=".3" stroke="{GOLD}" stroke-width="3"/>', "", off),
    }
    for seat, colour in enumerate(COLOURS):
        fill, line = MAN_FILL[seat], MAN_LINE[seat]
        style = "bold" if seat == 0 else "bold cyan"
        shapes[f"man-{colour}"] = Shape(
            f'<circle r="{MAN - 1}" fill="{fill}" stroke="{line}" stroke-width="1.5"/>'
            f'<circle r="{MAN - 6}" fill="none" stroke="{MAN_FILL[1 - seat]}" stroke-opacity=".35"/>',
            style,
            f'{middle} font-size="19" font-weight="700" fill="{MAN_FILL[1 - seat]}"',
        )
        shapes[f"small-{colour}"] = Shape(f'<circle r="11" fill="{fill}" stroke="{line}" stroke-width="1.5"/>', style)
        shapes[f"slip-{colour}"] = Shape(
            f'<rect x="-4" y="-11" width="8" height="22" rx="2" fill="{fill}" stroke="{line}"/>', style
        )
    for face, spots in PIPS.items():
        dots = "".join(f'<circle cx="{x * 10}" cy="{y * 10}" r="3.6" fill="{FRAME}"/>' for x, y in spots)
        die = f'<rect x="-19" y="-19" width="38" height="38" rx="7" fill="#fffdf7" stroke="{FRAME}"/>{dots}'
        shapes[f"die-{face}"] = Shape(die, "bold yellow")
        shapes[f"die-{face}-played"] = Shape(f'<g opacity=".38">{die}</g>', "dim")
    return shapes

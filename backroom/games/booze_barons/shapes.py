"""The table of Booze Barons as it is drawn: measures, the six locations, symbols of boozes, shapes of pieces.

Three locations stand above three, so that the ring of §1.2 is followed clockwise. Then comes a sheet with a row for
each player and a column for each booze; a delivery that can be seen is a line in its player's row, with a dash in each
of its six columns. At the end are the player's own booze and the possible answers.
"""

from functools import cache

from backroom.scene import Shape
from backroom.scene.palette import CREAM, CREAM_DIM, GOLD, INK, OXBLOOD, PAPER, RED, WOOD
from backroom.scene.pieces import LEFT, MIDDLE, RIGHT, buttons, card_back, lettering, pawn

from .pieces import (
    BOOZE_CODES,
    BOOZE_NAMES,
    BOOZES,
    CARDS,
    EVENT_WORDS,
    IN_MOB,
    LOCATIONS,
    MOB_NAMES,
    SEAT_COLOURS,
    SHOWS,
)
from .rules.state import NAME, SEAT_NAMES

WIDTH = 400
TOP = 24
"""The strip above the locations."""
PANEL, PANEL_HIGH, GAP = 128, 140, 5
CHIP, CHIP_HIGH = 120, 27
TILE = CHIP // 6
CHIPS = 3
"""The number of deliveries that fit at a location; more overlap."""
CHIPS_Y = 55
"""Where deliveries begin in a location's panel."""
RING_HIGH = 2 * PANEL_HIGH + GAP
HEAD, ROW = 34, 26
SHEET_X, COLUMN = 152, 20
ANSWERS = 104
EVENT_LETTERS = 17
"""An event with more letters is written narrower."""
NARROW = set("li")
"""A code with one of these letters is no wider than a tile; others are condensed to fit."""
NAME_LETTERS = 6
"""A player's name with more letters is condensed, since the coins are beside it."""
NAMED = 47
"""The width of a booze that can be named."""

PLACES = [(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1)]
"""Column and row of each location."""

FILL = ("#f0bf55", "#8fd0c8", "#d9a3c4")
LINE = ("#8a5a08", "#0f5f5a", "#7b2459")

# The terminal's measures
T_COLUMN, T_PANEL, T_ROWS = 26, 9, 6
T_SHEET, T_SHEET_X, T_WIDTH = 1 + 2 * T_PANEL, 42, 80


def sheet_y() -> int:
    """Where the sheet begins."""
    return TOP + RING_HIGH + 3 + GAP


def row_y(row: int) -> int:
    """The top of a player's row."""
    return sheet_y() + HEAD + row * ROW


def answers_y(seats: int) -> int:
    return row_y(seats) + 4 + GAP


def height(seats: int) -> int:
    return answers_y(seats) + ANSWERS


def panel_at(place: int) -> tuple[int, int]:
    """The left upper corner of a location."""
    column, row = PLACES[place]
    return 3 + column * (PANEL + GAP), TOP + row * (PANEL_HIGH + GAP)


def column_x(booze: int) -> float:
    """The middle of a booze's column, with a little room between mobs."""
    return SHEET_X + (booze + 0.5) * COLUMN + (booze // IN_MOB) * 2


ON_CARD = tuple(tuple(booze for booze in range(BOOZES) if shown >> booze & 1) for shown in SHOWS.tolist())
"""The boozes that each delivery shows."""


# symbols, each in a square from -8 to 8

SYMBOLS = (
    '<path d="M0-8v3M-3.5-5h7v9a3.5 3.5 0 0 1-7 0z"/>',  # a punching bag
    '<path d="M0 0L-7-5V5zM0 0L7-5V5z"/><circle r="2"/>',  # a bow
    '<path d="M-8 4H8M-5 4V-2Q0-6 5-2V4z"/>',  # a hat pulled down
    '<circle r="6.5"/><path d="M0-6.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/>',  # good and bad
    '<circle cy="2" r="5"/><path d="M2-3Q4-8 7-6"/><path d="M-2 0a3 3 0 0 0-1 3"/>',  # a bomb
    '<path d="M0.0 -7.8L1.9 -2.6L7.4 -2.4L3.0 1.0L4.6 6.3L0.0 3.2L-4.6 6.3L-3.0 1.0L-7.4 -2.4L-1.9 -2.6z"/>',  # a star
    '<path d="M-7-5H7V5H-7zM-7 0H7M0-5V0M-3.5 0V5M3.5 0V5"/>',  # bricks
    '<path d="M2-8L-5 1H0L-2 8 5-1.5H0z" fill="currentColor"/>',  # lightning
    '<circle r="5"/><path d="M0-8V8M-8 0H8"/>',  # a sight
    '<path d="M-6-7H6V7H-6zM-2-7V7M2-7V7"/>',  # bars
    '<circle cx="-3" cy="3" r="3.6"/><circle cx="3.5" cy="-1" r="2.6"/><circle cx="-1" cy="-5.5" r="1.8"/>',  # bubbles
    '<path d="M-8 0Q0-8 8 0 0 8-8 0z"/><circle r="2.6" fill="currentColor"/>',  # an eye
)
assert len(SYMBOLS) == BOOZES


def symbol(booze: int, x: float, y: float, scale: float = 1.0) -> str:
    """A booze's symbol; its line width does not scale."""
    ink = LINE[booze // IN_MOB]
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})" fill="none" stroke="{ink}" color="{ink}" '
        f'stroke-width="{1.5 / scale:.2f}" stroke-linejoin="round">{SYMBOLS[booze]}</g>'
    )


def backing(mob: int, w: float, h: float) -> str:
    """The background of a mob's symbols: a square, a hexagon or an oval."""
    look = f'fill="{FILL[mob]}" stroke="{LINE[mob]}" stroke-width=".7"'
    if mob == 0:
        return f'<rect x="{-w / 2:g}" y="{-h / 2:g}" width="{w:g}" height="{h:g}" rx="2" {look}/>'
    if mob == 1:
        cut = 4
        return (
            f'<path d="M{-w / 2:g} {cut - h / 2:g}l{cut}-{cut}h{w - 2 * cut:g}l{cut} {cut}v{h - 2 * cut:g}l-{cut} {cut}'
            f'h{2 * cut - w:g}l-{cut}-{cut}z" {look}/>'
        )
    return f'<rect x="{-w / 2:g}" y="{-h / 2:g}" width="{w:g}" height="{h:g}" rx="{w / 2:g}" {look}/>'


def words(x: float, y: float, text: str, more: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {more}>{text}</text>'


def tile(booze: int) -> str:
    """A booze on a delivery: its symbol over its code."""
    squeezed = "" if NARROW & set(BOOZE_CODES[booze]) else f' textLength="{TILE - 3}" lengthAdjust="spacingAndGlyphs"'
    code = words(0, 10.6, BOOZE_CODES[booze], f'font-size="12.5" font-weight="700" fill="{INK}"{squeezed}')
    return backing(booze // IN_MOB, TILE - 1, CHIP_HIGH - 3) + symbol(booze, 0, -5.4, 0.66) + code


# shapes


def _common_shapes(seats: int) -> dict[str, Shape]:
    """The shapes that exist once."""
    light = f'fill="{CREAM}"'
    glow = f'fill="{GOLD}" fill-opacity=".3" stroke="{GOLD}" stroke-width="3"'
    panel = f'width="{PANEL}" height="{PANEL_HIGH}" rx="7"'
    line = f'x="3" y="1" width="{WIDTH - 6}" height="{ROW - 2}" rx="4"'
    return {
        "place": Shape(f'<rect {panel} fill="transparent"/>'),
        "place-lit": Shape(f'<rect {panel} fill="none" stroke="{GOLD}" stroke-width="4"/>'),
        "title": Shape("", "bold", lettering(13, CREAM, LEFT)),
        "note": Shape("", "", lettering(12.5, CREAM_DIM, LEFT, 400)),
        "told": Shape("", "", lettering(13, CREAM, LEFT, 400)),
        "ledger": Shape(f'<rect width="{WIDTH - 6}" height="{RING_HIGH}" rx="7" fill="{PAPER}" stroke="{WOOD}"/>'),
        "reckoned": Shape("", "", lettering(12.5, INK, LEFT, 400)),
        "row": Shape(f'<rect {line} fill="transparent"/>'),
        "row-lit": Shape(f"<rect {line} {glow}/>"),
        "turn": Shape(f'<rect {line} fill="{GOLD}" fill-opacity=".16"/>', "bold yellow"),
        "name": Shape("", "bold", lettering(12.5, CREAM, LEFT)),
        "long-name": Shape(
            "", "bold", f'{lettering(12.5, CREAM, LEFT)} textLength="54" lengthAdjust="spacingAndGlyphs"'
        ),
        "coins": Shape("", "", lettering(12.5, CREAM, RIGHT, 700)),
        "mine": Shape(
            f'<rect x="-10" width="20" height="{HEAD + seats * ROW}" rx="3" fill="{GOLD}" fill-opacity=".25" '
            f'stroke="{GOLD}" stroke-width="1.5"/>'
        ),
        "fit": Shape(
            f'<rect x="-10" y="-13" width="20" height="26" rx="4" fill="none" stroke="{RED}" stroke-width="2.6"/>'
        ),
        "crown": Shape(
            f'<path d="M-7 5L-8-4-3.5 0 0-6 3.5 0 8-4 7 5z" fill="{GOLD}" stroke="{INK}" stroke-width=".8"/>', "yellow"
        ),
        "snitch": Shape(
            f'<circle r="7" fill="{CREAM_DIM}" stroke="{INK}"/>'
            f'<path d="M-3-3L3 3M3-3L-3 3" stroke="{INK}" stroke-width="2"/>',
            "cyan",
        ),
        "backs": Shape(
            f'<g transform="translate(-3 1)">{card_back(15, 20)}</g><g transform="translate(1 -1)">{card_back(16, 21)}'
            f'</g><circle cx="1" cy="-1" r="7" fill="{OXBLOOD}"/>',
            "",
            lettering(12.5, "#ffffff", f'{MIDDLE} x="1" y="-1"', 700),
        ),
        "chosen": Shape(f'<path d="M-6 0L-2 4 6-5" fill="none" stroke="{GOLD}" stroke-width="3"/>', "green"),
        "denied": Shape(f'<path d="M-5-5L5 5M5-5L-5 5" stroke="{RED}" stroke-width="2.4"/>', "red"),
        "could": Shape(f'<circle r="3" {light}/>', "dim"),
        **buttons(96, 34, 15),
    }


@cache
def shapes(seats: int, sides: int, looks: tuple[int, ...]) -> dict[str, Shape]:
    """Every kind of piece; each event, seat, delivery and booze has its own."""
    found = _common_shapes(seats)
    for booze in range(BOOZES):
        found |= _booze_shapes(booze)
    for card in range(CARDS):
        found |= _card_shapes(card)
    for seat, look in enumerate(looks):
        found |= _seat_shapes(seat, SEAT_COLOURS[look])
    for place in range(1, LOCATIONS):
        event = EVENT_WORDS[place][sides >> place & 1]
        squeezed = f' textLength="{PANEL - 14}" lengthAdjust="spacingAndGlyphs"' if len(event) > EVENT_LETTERS else ""
        text = words(4, 13.5, event, f'font-size="12.5" fill="{INK}"{squeezed}', "start")
        box = f'<rect x="0" y="1" width="{PANEL - 6}" height="17" rx="4" '
        found[f"event-{place}"] = Shape(f'{box}fill="{FILL[0]}" fill-opacity=".45"/>{text}', "italic")
        found[f"event-{place}-lit"] = Shape(f'{box}fill="{GOLD}" stroke="{RED}" stroke-width="2"/>{text}', "italic")
    return found


def _booze_shapes(booze: int) -> dict[str, Shape]:
    """A booze on a delivery, as one's own, exposed in the sheet, and as what can be named."""
    mob = booze // IN_MOB
    *_, last = BOOZE_NAMES[booze].split(" ")
    bold = f'font-weight="700" fill="{INK}"'
    own = (
        f'<rect width="96" height="62" rx="7" fill="{FILL[mob]}" stroke="{GOLD}" stroke-width="3"/>'
        + symbol(booze, 20, 22, 1.6)
        + words(92, 17, BOOZE_CODES[booze], f'font-size="17" {bold}', "end")
        + words(92, 34, MOB_NAMES[mob], f'font-size="12.5" fill="{INK}"', "end")
        + words(48, 54, last, f'font-size="14" {bold}')
    )
    text = symbol(booze, 13, 0, 0.95) + words(33, 4.5, BOOZE_CODES[booze], f'font-size="13.5" {bold}')
    tag = f'<rect y="-16" width="{NAMED - 3}" height="32" rx="5" fill="{FILL[mob]}" '
    shown = f"<g>{backing(mob, COLUMN, ROW - 4)}{symbol(booze, 0, 0)}</g>"
    return {
        f"tile-{booze}": Shape(tile(booze)),
        f"own-{booze}": Shape(own, "bold"),
        f"shown-{booze}": Shape(shown, "bold magenta"),
        f"say-{booze}": Shape(f'{tag}stroke="{INK}"/>{text}'),
        f"say-{booze}-lit": Shape(f'{tag}stroke="{GOLD}" stroke-width="3"/>{text}'),
    }


def _card_shapes(card: int) -> dict[str, Shape]:
    """A delivery at a location, and as a line of the sheet."""
    shown = ON_CARD[card]
    tiles = "".join(
        f'<use href="#{NAME}-tile-{booze}" x="{(place + 0.5) * TILE:g}" y="{CHIP_HIGH / 2:g}"/>'
        for place, booze in enumerate(shown)
    )
    paper = f'<rect width="{CHIP}" height="{CHIP_HIGH - 1}" rx="3" fill="#fffaf0" '
    dashes = "".join(f"M{column_x(booze) - 7:g} 0h14" for booze in shown)
    return {
        f"chip-{card}": Shape(f'{paper}stroke="{WOOD}"/>{tiles}'),
        f"chip-{card}-lit": Shape(f'{paper}stroke="{GOLD}" stroke-width="4"/>{tiles}', "bold"),
        f"line-{card}": Shape(f'<path d="{dashes}" stroke="{PAPER}" stroke-width="3"/>'),
    }


def _seat_shapes(seat: int, colour: str) -> dict[str, Shape]:
    """A pawn: in a location, a ghost of it where its seat will go, and a movement card of it that was captured."""
    letter = words(0, 4.2, SEAT_NAMES[seat][0], 'font-size="12.5" font-weight="700" fill="#fff"')
    figure = pawn(colour)
    card = f'<rect x="-6" y="-7" width="12" height="14" rx="2" fill="{colour}" stroke="{PAPER}"/>'
    bar = f'<path d="M-8 8L8-8" stroke="{RED}" stroke-width="3"/>'
    return {
        f"pawn-{seat}": Shape(figure + letter, "bold"),
        f"ghost-{seat}": Shape(f'<g opacity=".55">{figure}{letter}</g>', "italic"),
        f"captured-{seat}": Shape(card + letter, "red"),
        f"closed-{seat}": Shape(f"{card}{letter}{bar}", "dim"),
    }

"""The picture of Rummy Runners: opponents above, the land in the middle, the player's own cards and hand below."""

from functools import cache
from typing import NamedTuple

from backroom.engine.kernel import UNKNOWN
from backroom.engine.marks import plain
from backroom.engine.protocol import Move, Seat, State
from backroom.scene import BOARD, HAND, PLAYERS, Board, Pane, Piece, Region, Scene
from backroom.scene.palette import FELT
from backroom.scene.pieces import box, panel

from .pieces import CANVAS, CARDS, HEXES, MIDDLE, NULL, PLANE, SPACES, SUITS
from .rules.land import space_of, spread_spaces, tile_of
from .rules.melds import is_set, lay
from .rules.state import BACK, DRAW, LAY, MELDING, NAME, OVER, PASS, PLACING, SEAT_NAMES, TAKE
from .shapes import CARD_HEIGHT, CARD_WIDTH, CHIP_WIDTH, RACK, SIZES, patterns, shapes
from .words import (
    CARD_NAMES,
    COLOUR_LETTERS,
    SUIT_LETTERS,
    TILE_NAMES,
    called,
    in_order,
    members,
    question,
    space_name,
    suit_of,
    whereabouts,
)

# The picture's measures
WIDTH, EDGE, GAP = 560, 10, 8
ROW = 64
"""The height of a player's row."""
LAND_HEIGHT = (412, 452)
"""The height of hexes in rows of 4, 5, 6, 5, 4, with the deck in a corner; and of squares, with the deck below them."""
GROWN_HEIGHT = 500
"""The height of hexes in any shape, with the deck below them."""
SHELF = 96
"""The height of the deck below the land, if it has no corner."""
HAND_HEIGHT = 126
BACKS_X, CARDS_X = 268, 324
"""In a player's row: the middles of the first card face down and of the first face up."""
IN_A_ROW = 15
"""The number of cards in one fan; more make a second behind it."""

# The terminal's measures
TILE_TEXT, CELL_TEXT, PANEL_TEXT = 6, 6, 40
LAND_TEXT = (5, 4, 15)
DECK_TEXT = 60
CARDS_TEXT = 18
CANVAS_TEXT, HANDS_TEXT = 160, 4
"""The largest width of a land, and the largest height of a hand."""


class Layout(NamedTuple):
    """What the layout depends on, constant in a game: the viewer, the number of players, and the land."""

    me: Seat
    seats: int
    land: int
    grown: bool

    @property
    def others(self) -> list[Seat]:
        return [(self.me + n) % self.seats for n in range(1, self.seats)]

    @property
    def land_height(self) -> int:
        return GROWN_HEIGHT if self.grown else LAND_HEIGHT[self.land]

    @property
    def has_corner(self) -> bool:
        """Whether the deck lies in a corner beside the land."""
        return self.land == HEXES and not self.grown

    @property
    def land_top(self) -> int:
        return (self.seats - 1) * (ROW + GAP)

    @property
    def mine_top(self) -> int:
        return self.land_top + self.land_height + GAP

    @property
    def hand_top(self) -> int:
        return self.mine_top + ROW

    @property
    def height(self) -> int:
        return self.hand_top + HAND_HEIGHT

    @property
    def land_rows(self) -> int:
        return LAND_TEXT[2 if self.grown else self.land]

    @property
    def hand_row(self) -> int:
        return self.land_rows + 1 + 6 * ((self.seats + 1) // 2)

    def row_top(self, seat: Seat) -> int:
        return self.mine_top if seat == self.me else self.others.index(seat) * (ROW + GAP)

    def panel_text(self, seat: Seat) -> tuple[int, int]:
        """The column and row of a panel in a terminal: others first, two side by side."""
        place = self.seats - 1 if seat == self.me else self.others.index(seat)
        return place % 2 * PANEL_TEXT, self.land_rows + 1 + place // 2 * 6


LEGEND = (
    ("s3", "a space of the land, the 3 of suns: s suns, m moons, a arms, c crowns; s0 the null"),
    ("s3G", "Green has claimed it (V Violet, B Black, W White)"),
    ("s3G#", "and has locked it"),
    ("s3x", "turned down"),
    ("*s3", "what you have picked would claim it"),
    ("s3r", "a card, the red 3 of suns: r red, y yellow, b blue"),
    ("1r.b", "the red and the blue 1 lie before this player"),
    ("[1]", "a tile still to be placed"),
    ("(n12)", "a free space for a tile"),
    (">", "whose turn it is"),
)


def draw(v: State, seat: Seat) -> Scene:
    """The scene of a view. Spectators see it from the side of seat 0, without hands."""
    layout = Layout(max(seat, 0), int(v.seats), int(v.land), bool(v.zoning) and int(v.land) == HEXES)
    pieces = [*land(v, seat, layout), *table(v, seat, layout)]
    for who in range(layout.seats):
        pieces += [*row(v, who, layout), *rack(v, who, layout), *before(v, who, layout)]
    if seat >= 0:
        pieces += hand(v, layout)
    return Scene(board(layout), plain(question(v, seat), SEAT_NAMES), pieces)


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """A card to take it, the deck to draw or pass, a button to lay or go back; a tile, then the space for it."""
    if TAKE <= move < LAY:
        return [f"card-{CARD_NAMES[move - TAKE]}"]
    if move in (DRAW, PASS):
        return ["deck"]
    if move in (LAY, BACK):
        return ["lay" if move == LAY else "back"]
    if move > PASS:
        space = space_name(int(v.land), int(space_of(move)))
        return [f"tile-{TILE_NAMES[int(tile_of(move))]}", f"space-{space}"]
    return []


# the land


class Surface:
    """The scale of the land: as large as everything that lies, or can be placed, allows."""

    def __init__(self, layout: Layout, spaces: list[int]) -> None:
        self.layout = layout
        at = [unit(layout.land, space) for space in spaces] or [(0.0, 0.0)]
        left, right = min(x for x, _ in at), max(x for x, _ in at)
        top, bottom = min(y for _, y in at), max(y for _, y in at)
        self.centre = (left + right) / 2, (top + bottom) / 2
        high = layout.land_height - (0 if layout.has_corner else SHELF)
        room, sizes = (WIDTH - 2 * EDGE, high), SIZES if layout.grown else SIZES[:1]
        self.size = next(
            (size for size in sizes if (right - left + 1) * size <= room[0] and (bottom - top + 1.2) * size <= room[1]),
            sizes[-1],
        )
        self.origin = WIDTH / 2, layout.land_top + high / 2
        self.row = round(min(y for _, y in at) / RISE[layout.land])
        self.column = round(TILE_TEXT * left)

    def middle(self, space: int) -> tuple[float, float]:
        x, y = unit(self.layout.land, space)
        (left, top), (dx, dy) = self.origin, self.centre
        return round(left + (x - dx) * self.size, 1), round(top + (y - dy) * self.size, 1)

    def cell(self, space: int) -> tuple[int, int]:
        x, y = unit(self.layout.land, space)
        return 2 + round(TILE_TEXT * x) - self.column, round(y / RISE[self.layout.land]) - self.row


RISE = (0.866, 1.0)
"""The vertical distance between rows of hexes or squares, in widths of a tile."""


def unit(land: int, space: int) -> tuple[float, float]:
    """The middle of a space, in widths of a tile."""
    column, row = space // CANVAS - MIDDLE // CANVAS, space % CANVAS - MIDDLE % CANVAS
    return (column + row / 2, row * RISE[HEXES]) if land == HEXES else (float(column), float(row))


def land(v: State, seat: Seat, layout: Layout) -> list[Piece]:
    """The tiles of the land, and the spaces where one may be placed."""
    spots = {tile: spot for tile, spot in enumerate(v.spot.tolist()) if spot != UNKNOWN}
    free = free_spaces(v) if v.stage == PLACING else []
    whole = [] if layout.grown else [int(space) for space in SPACES[layout.land]]
    surface = Surface(layout, whole or [*spots.values(), *free])
    owner = {tile: who for who in range(layout.seats) for tile in members(v.owned[who])}
    would = would_claim(v, seat)
    locked, dead = int(v.locked), int(v.dead)
    found = []
    for tile, spot in spots.items():
        covers = bool(locked >> tile & 1), bool(dead >> tile & 1), bool(would >> tile & 1)
        found += tile_pieces(tile, spot, surface, owner.get(tile), *covers)
    for space in free:
        name, (x, y) = space_name(layout.land, space), surface.middle(space)
        found.append(
            Piece(
                *(f"space-{name}", f"space-{surface.size}", x, y, f"the space {whereabouts(v, space)}"),
                glyph=f"({name})",
                cell=surface.cell(space),
            )
        )
    return found


def tile_pieces(
    tile: int, spot: int, at: Surface, who: Seat | None, locked: bool, dead: bool, would: bool
) -> list[Piece]:
    """A tile on the land, and what lies on it."""
    name, (x, y), (column, row) = TILE_NAMES[tile], at.middle(spot), at.cell(spot)
    state = "dead" if dead else f"{SEAT_NAMES[who]}’s{', locked' if locked else ''}" if who is not None else "free"
    state += ", would be claimed" if would else ""
    glyph = name if who is None else f"{name}{SEAT_NAMES[who][0]}{'#' if locked else ''}"
    kind = tile_kind(tile, at.size)
    label = f"{called(tile)}: {state}"
    found = [Piece(f"tile-{name}", kind, x, y, label, tile_face(tile), glyph=name, cell=(column, row))]
    if who is not None:
        found.append(Piece(f"claim-{name}", f"claim-{who}-{at.size}", x, y, z=1, glyph=glyph, cell=(column, row)))
    if locked:
        found.append(Piece(f"lock-{name}", f"lock-{at.size}", x, y, z=2))
    if dead:
        found.append(Piece(f"dead-{name}", f"dead-{at.size}", x, y, z=2, glyph=f"{name}x", cell=(column, row)))
    if would:
        light = Piece(f"would-{name}", f"would-{at.size}", x, y, z=3, glyph=f"*{glyph}", cell=(column - 1, row))
        found.append(light)
    return found


def tile_kind(tile: int, size: int) -> str:
    return f"null-{SUIT_LETTERS[tile - NULL]}-{size}" if tile >= NULL else f"tile-{TILE_NAMES[tile][0]}-{size}"


def tile_face(tile: int) -> str:
    return "" if tile >= NULL else str(tile % 5 + 1)


def free_spaces(v: State) -> list[int]:
    """The spaces where the next tile may be placed."""
    s = v.copy()
    spread_spaces(s)
    return [column * CANVAS + row for column in range(CANVAS) for row in members(s.work[column + 1])]


def would_claim(v: State, seat: Seat) -> int:
    """The tiles that the picked cards would claim or lock if they were laid now."""
    if not v.picked or seat != v.turn:
        return 0
    s = v.copy()
    lay(s, seat)
    return (int(s.owned[seat]) & ~int(v.owned[seat])) | (int(s.locked) & ~int(v.locked))


# Beside the land: the deck and the buttons


def table(v: State, seat: Seat, layout: Layout) -> list[Piece]:
    """The deck, and what can be done with the picked cards."""
    bottom = layout.land_top + layout.land_height
    left, x, y = int(v.deck), WIDTH - EDGE - 40, bottom - 56
    words = f"{left} left" if left else "empty"
    found = [
        Piece(
            *("deck", "deck" if left else "empty", x, y, f"the deck: {words}"),
            face=str(left),
            glyph=f"deck: {words}",
            cell=(DECK_TEXT, 0),
        )
    ]
    if v.stage == MELDING and seat == v.turn and v.picked:
        x, off = EDGE + 46, (0, -60) if layout.has_corner else (106, 0)
        if is_set(v, seat):
            found.append(
                Piece(
                    *("lay", "lay", x + off[0], bottom - 36 + off[1], "lay the set", "Lay"),
                    glyph="[lay]",
                    cell=(DECK_TEXT, 2),
                )
            )
        found.append(
            Piece("back", "step", x, bottom - 36, "put the last card back", "Back", glyph="[back]", cell=(DECK_TEXT, 3))
        )
    return found


# the players


def row(v: State, who: Seat, layout: Layout) -> list[Piece]:
    """A player's row: the mark, the name, the numbers of spaces and cards, and the cards that are face down."""
    y = layout.row_top(who) + ROW / 2
    column, line = layout.panel_text(who)
    held, name = int(v.held[who]), SEAT_NAMES[who]
    spaces = int(v.owned[who]).bit_count()
    words = f"{held} {'card' if held == 1 else 'cards'}, {spaces} {'space' if spaces == 1 else 'spaces'}"
    found = [
        Piece(f"mark-{who}", f"mark-{who}", 32, y, z=1),
        Piece(f"name-{who}", "name", 62, y - 14, face=name, glyph=name, cell=(column + 2, line)),
        Piece(f"note-{who}", "note", 62, y + 14, face=words, glyph=words, cell=(column + 9, line)),
    ]
    if who == int(v.turn) and v.first != UNKNOWN and v.stage != OVER:
        found.append(Piece("turn", "turn", 32, y, f"{name}’s turn", z=2, glyph=">", cell=(column, line)))
    if int(v.hand[who]) < 0 or who != layout.me:
        step = min(5.0, 30 / max(held, 1))
        found += [Piece(f"back-{who}-{n}", "back", BACKS_X + n * step, y, z=n) for n in range(held)]
    return found


def rack(v: State, who: Seat, layout: Layout) -> list[Piece]:
    """Tiles still to be placed; the player's own are large, in the place of the hand."""
    column, line = layout.panel_text(who)
    mine = who == layout.me
    tiles = members(v.tiles[who])
    in_line = -(-len(tiles) // 2) if mine else len(tiles)
    first, last = (EDGE + 44, WIDTH - EDGE - 44) if mine else (BACKS_X, WIDTH - EDGE - 30)
    step = min(RACK + 4.0, (last - first) / max(in_line - 1, 1))
    found = []
    for n, tile in enumerate(tiles):
        number = 0 if tile >= NULL else tile % 5 + 1
        suit_row = tile - NULL if tile >= NULL else suit_of(tile)
        y = layout.hand_top + 32 + n // in_line * 62 if mine else layout.row_top(who) + ROW / 2
        cell = (column + 2 + number * CELL_TEXT, line + 1 + suit_row)
        found.append(
            Piece(
                *(f"tile-{TILE_NAMES[tile]}", tile_kind(tile, RACK), round(first + n % in_line * step, 1), y),
                *(called(tile), tile_face(tile)),
                z=5 + n,
                glyph=f"[{number}] ",
                cell=cell,
            )
        )
    return found


def before(v: State, who: Seat, layout: Layout) -> list[Piece]:
    """The cards face up before a player, by suit and number; many overlap."""
    y = layout.row_top(who) + ROW / 2
    column, line = layout.panel_text(who)
    chosen = int(v.chosen)
    cards = in_order(int(v.before[who]))
    step = min(CHIP_WIDTH + 4.0, (WIDTH - EDGE - CHIP_WIDTH / 2 - CARDS_X) / max(len(cards) - 1, 1))
    found = []
    for n, card in enumerate(cards):
        sort, number, colour = suit_of(card), card % 5, card // PLANE
        name, picked = CARD_NAMES[card], chosen >> card & 1
        found.append(
            Piece(
                f"card-{name}",
                f"chip-{name[0]}{name[2]}{'-picked' if picked else ''}",
                round(CARDS_X + n * step, 1),
                y - (4 if picked else 0),
                CARD_LABELS[card],
                str(number + 1),
                z=6 + n,
                glyph=COLOUR_LETTERS[colour],
                cell=(column + 3 + (number + 1) * CELL_TEXT + colour, line + 1 + sort),
            )
        )
    return found


def hand(v: State, layout: Layout) -> list[Piece]:
    """The player's own cards in a fan, sorted, with the picked ones raised."""
    cards = in_order(int(v.hand[layout.me]))
    chosen = int(v.chosen)
    top, line = layout.hand_top + 10 + CARD_HEIGHT / 2, layout.hand_row
    fans = max(1, -(-len(cards) // IN_A_ROW))
    length = -(-len(cards) // fans)
    found = []
    for n, card in enumerate(cards):
        fan, place = divmod(n, max(length, 1))
        wide = min(length, len(cards) - fan * length)
        off = place - (wide - 1) / 2
        step = min(CARD_WIDTH - 4.0, (WIDTH - 2 * EDGE - CARD_WIDTH - 8) / max(wide - 1, 1))
        picked = chosen >> card & 1
        y = top + off * off * 14 / (IN_A_ROW * IN_A_ROW / 4) + fan * 22 / max(fans - 1, 1)
        name = CARD_NAMES[card]
        found.append(
            Piece(
                f"card-{name}",
                f"card-{name[0]}{name[2]}{'-picked' if picked else ''}",
                round(WIDTH / 2 + off * step, 1),
                round(y - (14 if picked else 0) + (4 if fans == 1 else 0), 1),
                CARD_LABELS[card],
                name[1],
                round(off * 1.6, 1),
                z=10 + n,
                glyph=name,
                cell=(6 + n % CARDS_TEXT * 4, line + n // CARDS_TEXT),
            )
        )
    return found


CARD_LABELS = [f"{('red', 'yellow', 'blue')[card // PLANE]} {called(card % PLANE)[4:]}" for card in range(CARDS)]


# the board


@cache
def board(layout: Layout) -> Board:
    """The table as a seat sees it."""
    regions = [Region(PLAYERS, 0, layout.row_top(who), WIDTH, ROW, _row_svg(layout, who)) for who in layout.others]
    land_svg = box(0, layout.land_top, WIDTH, layout.land_height, 14, f'fill="{FELT}"')
    regions.append(Region(BOARD, 0, layout.land_top, WIDTH, layout.land_height, land_svg))
    mine = panel(0, layout.mine_top, WIDTH, ROW + HAND_HEIGHT)
    regions.append(Region(HAND, 0, layout.mine_top, WIDTH, ROW + HAND_HEIGHT, mine))
    look = shapes(layout.land, _sizes(layout))
    return Board(NAME, WIDTH, layout.height, "", _text(layout), look, tuple(regions), patterns(), _panes(layout))


def _panes(layout: Layout) -> tuple[Pane, ...]:
    """The parts of the text: the land with the deck, each player's panel, the hand."""
    panels = [(who, *layout.panel_text(who)) for who in (*layout.others, layout.me)]
    return (
        Pane(BOARD, 0, 0, CANVAS_TEXT, layout.land_rows + 1),
        *(Pane(HAND if who == layout.me else PLAYERS, column, row, PANEL_TEXT, 6) for who, column, row in panels),
        Pane(HAND, 0, layout.hand_row, CANVAS_TEXT, HANDS_TEXT),
    )


def _row_svg(layout: Layout, who: Seat) -> str:
    return panel(0, layout.row_top(who), WIDTH, ROW)


def _sizes(layout: Layout) -> tuple[int, ...]:
    """The sizes of tiles on the land, and of those before a player."""
    return (*SIZES, RACK) if layout.grown else (SIZES[0], RACK)


def _text(layout: Layout) -> str:
    """The table for a terminal: panels of dots, over which cards are written."""
    rows = [""] * (layout.hand_row + 1)
    dots = "  ".join(f"{number}..." for number in range(1, 6))
    for seat in [*layout.others, layout.me]:
        column, row = layout.panel_text(seat)
        for sort, word in enumerate(SUITS):
            rows[row + 1 + sort] = rows[row + 1 + sort].ljust(column) + word.ljust(CELL_TEXT + 2) + dots
    rows[layout.hand_row] = "Hand:"
    return "\n".join(rows)

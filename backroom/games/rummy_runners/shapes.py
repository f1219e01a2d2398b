"""The shapes of Rummy Runners: suits are shapes, colours are patterns too, each seat has its mark."""

import math

from backroom.scene import Shape
from backroom.scene.palette import BLUE as BLUE_CARD
from backroom.scene.palette import CREAM, CREAM_DIM, FELT_DARK, GOLD, INK, OXBLOOD, PAPER, WOOD
from backroom.scene.palette import RED as RED_CARD
from backroom.scene.palette import YELLOW as YELLOW_CARD
from backroom.scene.pieces import LEFT, card, card_back, lettering, ring

from .pieces import HEXES, SUITS
from .rules.state import NAME, SEAT_NAMES
from .words import COLOUR_LETTERS, SUIT_LETTERS

SAND = "#ecdfc2"
COLOUR_FILL = (RED_CARD, YELLOW_CARD, BLUE_CARD)
COLOUR_INK = ("#ffffff", "#3a2f00", "#ffffff")
COLOUR_STYLE = ("bold red", "bold yellow", "bold blue")
SEAT_FILL = ("#3fa35c", "#9a66dd", "#1f2126", "#fbf8f0")
SEAT_LINE = ("#173f22", "#3d2163", "#f4efe2", "#55524a")
SEAT_INK = ("#ffffff", "#ffffff", "#f4efe2", "#33312b")
SEAT_STYLE = ("bold green", "bold magenta", "bold white on black", "bold black on white")
SIZES = (84, 62, 46, 34)
"""The possible widths of a tile, as the land needs it."""
RACK = 54
"""The width of a tile before a player who has still to place it."""
CARD_WIDTH, CARD_HEIGHT, CHIP_WIDTH, CHIP_HEIGHT = 66, 96, 42, 58

_CENTRED = 'text-anchor="middle" dominant-baseline="central"'
_RAYS = "".join(
    f"M{5.6 * math.cos(a):.1f} {5.6 * math.sin(a):.1f}L{10 * math.cos(a):.1f} {10 * math.sin(a):.1f}"
    for a in (math.pi * k / 4 for k in range(8))
)
SUIT_SVG = (
    f'<circle r="4.6"/><path d="{_RAYS}" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/>',
    '<path d="M4 -9A9.6 9.6 0 1 0 4 9A7.6 7.6 0 1 1 4 -9z"/>',
    '<path fill-rule="evenodd" d="M-8 -9H8V-1C8 5 4 8 0 10C-4 8 -8 5 -8 -1zM-5 -6V-2H5V-6z"/>',
    '<path d="M-8 8H8L10 -6L4.6 -1L0 -9L-4.6 -1L-10 -6z"/>',
)
"""Sun, crescent, shield and crown, ten units to each side."""
MARK_SVG = (
    '<circle r="10"{}/>',
    '<rect x="-9" y="-9" width="18" height="18" rx="2"{}/>',
    '<path d="M0 -12L12 0L0 12L-12 0z"{}/>',
    '<path d="M0 -15L14 9H-14z"{}/>',
)
"""The marks of the four seats: a disc, a square, a diamond, a triangle."""


def suit(number: int, scale: float, x: float = 0, y: float = 0, fill: str = INK) -> str:
    """A suit's sign at a position."""
    at = f"translate({x:g} {y:g}) scale({scale:g})"
    return f'<use href="#{NAME}-suit-{SUIT_LETTERS[number]}" transform="{at}" fill="{fill}" color="{fill}"/>'


def mark(seat: int, scale: float = 1, x: float = 0, y: float = 0, has_letter: bool = True) -> str:
    """A seat's mark, with its letter if there is room for it."""
    look = f' fill="{SEAT_FILL[seat]}" stroke="{SEAT_LINE[seat]}" stroke-width="2"'
    down, size = (2, 15) if seat == 3 else (0, 16)
    letter = f'<text y="{down}" {lettering(size, SEAT_INK[seat], weight=700)}>{SEAT_NAMES[seat][0]}</text>'
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})">{MARK_SVG[seat].format(look)}'
        f"{letter if has_letter else ''}</g>"
    )


def outline(land: int, width: float) -> str:
    """The outline of a tile of this width, as the start of an element."""
    if land != HEXES:
        return f'<rect x="{-width / 2:g}" y="{-width / 2:g}" width="{width:g}" height="{width:g}" rx="{width / 14:g}" '
    half, side = width / 2, width / math.sqrt(3)
    points = ((0, -side), (half, -side / 2), (half, side / 2), (0, side), (-half, side / 2), (-half, -side / 2))
    return f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}z" '


def _box(width: float, height: float, more: str) -> str:
    return f'<rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width:g}" height="{height:g}" rx="5" {more}/>'


def patterns() -> str:
    """Stripes for yellow, dots for blue, nothing for red; and hatching for cards face down."""
    return (
        f'<defs><pattern id="{NAME}-stripes" width="7" height="7" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path d="M0 0V7" stroke="#8a6a00" stroke-width="4" opacity=".55"/></pattern>'
        f'<pattern id="{NAME}-dots" width="7" height="7" patternUnits="userSpaceOnUse">'
        '<circle cx="3.5" cy="3.5" r="1.7" fill="#fff" opacity=".75"/></pattern>'
        f'<pattern id="{NAME}-hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path d="M0 0V6" stroke="#000" stroke-width="2.5" opacity=".3"/></pattern>'
        "</defs>"
    )


def _patterned(colour: int, element: str) -> str:
    """An unclosed element, filled with a colour and its pattern."""
    over = ("", f"url(#{NAME}-stripes)", f"url(#{NAME}-dots)")[colour]
    return f'{element}fill="{COLOUR_FILL[colour]}"/>' + (f'{element}fill="{over}"/>' if over else "")


def shapes(land: int, sizes: tuple[int, ...]) -> dict[str, Shape]:
    """Everything there is to draw, by its kind."""
    found = {f"suit-{SUIT_LETTERS[n]}": Shape(SUIT_SVG[n]) for n in range(len(SUITS))}
    found |= {
        "name": Shape("", "bold", lettering(22, CREAM, LEFT, 700)),
        "note": Shape("", "dim", lettering(19, CREAM_DIM, LEFT, 500)),
        "turn": Shape(ring(21), "bold yellow"),
        "back": Shape(card_back(30, 44)),
    }
    for seat in range(len(SEAT_NAMES)):
        found[f"mark-{seat}"] = Shape(mark(seat, 1.2), SEAT_STYLE[seat])
    return found | _card_shapes() | _button_shapes() | _tile_shapes(land, sizes)


def _card_shapes() -> dict[str, Shape]:
    found = {}
    half = CARD_WIDTH / 2
    for colour, letter in enumerate(COLOUR_LETTERS):
        band = f'<rect x="{-half + 4:g}" y="{CARD_HEIGHT / 2 - 28:g}" width="{CARD_WIDTH - 8}" height="24" rx="4" '
        named = (
            f'<g transform="translate({-half + 15:g} {CARD_HEIGHT / 2 - 16:g})">'
            f'<circle r="11" fill="{COLOUR_FILL[colour]}"/>'
            f'<text {_CENTRED} font-size="19" font-weight="700" fill="{COLOUR_INK[colour]}">{letter.upper()}</text></g>'
        )
        for number, sign in enumerate(SUIT_LETTERS):
            whole = (
                card(CARD_WIDTH, CARD_HEIGHT, edge=COLOUR_FILL[colour], thick=3)
                + _patterned(colour, band)
                + named
                + suit(number, 1.1, -half + 17, 3)
                + suit(number, 1.4, half - 20, -25, COLOUR_FILL[colour])
            )
            face = f'x="{-half + 17:g}" y="-27" {_CENTRED} font-size="30" font-weight="800" fill="{INK}"'
            for state, rim in (("", ""), ("-lit", _rim(CARD_WIDTH, CARD_HEIGHT, 4)), ("-picked", _picked(70, 100))):
                style = f"{COLOUR_STYLE[colour]}{' underline' if state == '-picked' else ''}"
                found[f"card-{sign}{letter}{state}"] = Shape(whole + rim, style, face)
        for number, sign in enumerate(SUIT_LETTERS):
            found |= _chip_shapes(colour, number, f"{sign}{letter}")
    return found


def _chip_shapes(colour: int, number: int, name: str) -> dict[str, Shape]:
    """A small card before a player: number and suit at its left, since the next card may cover the rest."""
    x = 11 - CHIP_WIDTH / 2
    chip = _patterned(colour, f'<rect x="{-CHIP_WIDTH / 2:g}" y="-29" width="{CHIP_WIDTH}" height="58" rx="5" ')
    plate = f'<rect x="{-CHIP_WIDTH / 2 + 1:g}" y="-28" width="21" height="56" rx="4" fill="{COLOUR_FILL[colour]}"/>'
    edge = f'fill="none" stroke="{PAPER}" stroke-width="1.5"'
    whole = chip + plate + _box(CHIP_WIDTH, CHIP_HEIGHT, edge) + suit(number, 0.85, x, 14, COLOUR_INK[colour])
    look = f'x="{x:g}" y="-12" {_CENTRED} font-size="24" font-weight="800" fill="{COLOUR_INK[colour]}"'
    states = (("", ""), ("-lit", _rim(CHIP_WIDTH, CHIP_HEIGHT, 4)), ("-picked", _picked(CHIP_WIDTH, CHIP_HEIGHT)))
    underline = {"-picked": " underline"}
    return {
        f"chip-{name}{state}": Shape(whole + rim, COLOUR_STYLE[colour] + underline.get(state, ""), look)
        for state, rim in states
    }


def _rim(width: float, height: float, thick: float) -> str:
    return _box(width + 2, height + 2, f'fill="none" stroke="{GOLD}" stroke-width="{thick}"')


def _picked(width: float, height: float) -> str:
    """A rim and a tick: picked for the current meld."""
    tick = f'<g transform="translate({width / 2 - 8:g} {-height / 2 + 6:g})"><circle r="11" fill="{GOLD}"/>'
    tick += f'<path d="M-5 0L-1.5 4L5 -4" fill="none" stroke="{INK}" stroke-width="3"/></g>'
    return _box(width, height, f'fill="none" stroke="{GOLD}" stroke-width="6"') + tick


def _button_shapes() -> dict[str, Shape]:
    found = {}
    for kind, fill, ink in (("lay", GOLD, INK), ("step", WOOD, CREAM)):
        face = f'{_CENTRED} font-size="22" font-weight="700" fill="{ink}"'
        for state, line in (("", CREAM_DIM), ("-lit", CREAM)):
            box = _box(92, 54, f'fill="{fill}" stroke="{line}" stroke-width="3"')
            found[f"{kind}{state}"] = Shape(box, "bold", face)
    plate = f'<circle r="22" fill="{OXBLOOD}" stroke="{CREAM}" stroke-width="1.5"/>'
    pile = f'<g transform="translate(2 3)">{card_back(66, 92)}</g>{card_back(66, 92, inside=plate)}'
    none = _box(66, 92, f'fill="{FELT_DARK}" stroke="{CREAM_DIM}" stroke-width="2" stroke-dasharray="6 5"')
    face = f'{_CENTRED} font-size="28" font-weight="800" fill="{CREAM}"'
    for kind, svg in (("deck", pile), ("empty", none)):
        found[kind] = Shape(svg, "bold", face)
        found[f"{kind}-lit"] = Shape(svg + _rim(68, 94, 5), "bold", face)
    return found


def _tile_shapes(land: int, sizes: tuple[int, ...]) -> dict[str, Shape]:
    found = {}
    for width in sizes:
        edge, scale = outline(land, width - 3), width / 84
        number = f'y="{20 * scale:g}" {_CENTRED} font-size="{29 * scale:g}" font-weight="800" fill="{INK}"'
        for n, sign in enumerate(SUIT_LETTERS):
            with_number = suit(n, 1.45 * scale, 0, -17 * scale)
            null = f'<circle r="{25 * scale:g}" fill="none" stroke="{INK}" stroke-width="{2.5 * scale:g}" '
            null += f'stroke-dasharray="{5 * scale:g} {4 * scale:g}"/>{suit(n, 1.6 * scale)}'
            for kind, sign_svg in ((f"tile-{sign}", with_number), (f"null-{sign}", null)):
                plain = f'{edge}fill="{SAND}" stroke="#8d7f60" stroke-width="1.5"/>{sign_svg}'
                lit = f'{edge}fill="none" stroke="{GOLD}" stroke-width="{max(3, 6 * scale):g}"/>'
                found[f"{kind}-{width}"] = Shape(plain, "", number)
                found[f"{kind}-{width}-lit"] = Shape(plain + lit, "", number)
        for seat in range(len(SEAT_NAMES)):
            rim = outline(land, width - 3 - 7 * scale)
            inside = f'{rim}fill="{SEAT_FILL[seat]}" fill-opacity=".2" '
            svg = f'{inside}stroke="{SEAT_LINE[seat]}" stroke-width="{11 * scale:g}"/>'
            svg += f'{rim}fill="none" stroke="{SEAT_FILL[seat]}" stroke-width="{7 * scale:g}"/>'
            svg += mark(seat, 1.05 * scale, 26 * scale, 2 * scale if land == HEXES else 24 * scale, False)
            found[f"claim-{seat}-{width}"] = Shape(svg, SEAT_STYLE[seat])
        found |= _covers(land, width, scale)
    return found


def _covers(land: int, width: int, scale: float) -> dict[str, Shape]:
    """Overlays of a tile: a lock, a cross, the glow of a possible claim; and an empty space."""
    edge = outline(land, width - 3)
    x, y = -26 * scale, (2 if land == HEXES else 24) * scale
    lock = f'{edge}fill="url(#{NAME}-hatch)"/><g transform="translate({x:g} {y:g}) scale({scale:g})">'
    lock += f'<circle r="13" fill="{PAPER}" stroke="{INK}" stroke-width="1.5"/>'
    lock += f'<rect x="-6" y="-2" width="12" height="9" rx="1.5" fill="{INK}"/>'
    lock += f'<path d="M-4 -2V-5A4 4 0 0 1 4 -5V-2" fill="none" stroke="{INK}" stroke-width="2.4"/></g>'
    reach = 24 * scale
    cross = f"M{-reach:g} {-reach:g}L{reach:g} {reach:g}M{-reach:g} {reach:g}L{reach:g} {-reach:g}"
    dead = f'{edge}fill="#1b2724" fill-opacity=".82"/>'
    dead += f'<path d="{cross}" stroke="{CREAM_DIM}" stroke-width="{7 * scale:g}" stroke-linecap="round"/>'
    would = f'{edge}fill="{GOLD}" fill-opacity=".28" stroke="{GOLD}" stroke-width="{max(4, 8 * scale):g}"/>'
    space = f'{edge}fill="{FELT_DARK}" stroke="{CREAM_DIM}" stroke-width="2" stroke-dasharray="5 4"/>'
    lit = f'{edge}fill="{GOLD}" fill-opacity=".3" stroke="{GOLD}" stroke-width="3"/>'
    face = f'{_CENTRED} font-size="{max(13, 21 * scale):g}" fill="{CREAM_DIM}"'
    return {
        f"lock-{width}": Shape(lock, "bold"),
        f"dead-{width}": Shape(dead, "dim strike"),
        f"would-{width}": Shape(would, "bold yellow"),
        f"space-{width}": Shape(space, "dim", face),
        f"space-{width}-lit": Shape(lit, "bold", face),
    }

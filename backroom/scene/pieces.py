"""The pieces that games share: panels, cards, dice, men, pawns, coins, buttons, tokens with pips."""

from backroom.scene.palette import (
    BRASS,
    CREAM,
    CREAM_DIM,
    GOLD,
    INK,
    OXBLOOD,
    PAPER,
    WOOD,
    WOOD_DARK,
    WOOD_LIGHT,
)
from backroom.scene.scene import Shape

MIDDLE = 'text-anchor="middle" dominant-baseline="central"'
LEFT = 'dominant-baseline="central"'
RIGHT = 'text-anchor="end" dominant-baseline="central"'
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
"""The positions of a number's pips, in steps from the middle."""


def lettering(size: float, fill: str, at: str = MIDDLE, weight: int = 600) -> str:
    """The SVG attributes of text on a piece."""
    return f'{at} font-size="{size:g}" font-weight="{weight}" fill="{fill}"'


def box(x: float, y: float, width: float, height: float, round: float, look: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round:g}" {look}/>'


def centred(width: float, height: float, round: float, look: str) -> str:
    """A box centred on (0, 0)."""
    return box(-width / 2, -height / 2, width, height, round, look)


def panel(x: float, y: float, width: float, height: float, fill: str = WOOD, round: float = 12) -> str:
    """A wooden panel with a light upper edge."""
    edge = box(x + 1, y + 1, width - 2, height - 2, round - 1, f'fill="none" stroke="{CREAM}" stroke-opacity=".14"')
    return box(x, y, width, height, round, f'fill="{fill}"') + edge


def well(x: float, y: float, width: float, height: float, round: float = 6) -> str:
    """A recess in a panel that holds pieces."""
    return box(x, y, width, height, round, 'fill="#000" fill-opacity=".26"')


def card(width: float, height: float, inside: str = "", edge: str = WOOD_LIGHT, thick: float = 1.4) -> str:
    """A card's face with what is printed on it."""
    return (
        centred(width, height, width / 9, f'fill="#000" fill-opacity=".22" transform="translate(0 {height / 40:g})"')
        + centred(width, height, width / 9, f'fill="{PAPER}" stroke="{edge}" stroke-width="{thick:g}"')
        + inside
    )


def card_back(width: float, height: float, fill: str = OXBLOOD, inside: str = "") -> str:
    """The back of a card: a framed lozenge."""
    high, wide = height / 2 - height / 9, width / 2 - width / 6
    return (
        centred(width, height, width / 9, f'fill="{fill}" stroke="{CREAM}" stroke-width="{width / 22:.3g}"')
        + f'<path d="M0 {-high:g}L{wide:g} 0L0 {high:g}L{-wide:g} 0z" fill="none" stroke="{CREAM}" '
        f'stroke-opacity=".55" stroke-width="{width / 26:.3g}"/>' + inside
    )


def pips(number: int, step: float, radius: float, fill: str) -> str:
    dots = "".join(f'<circle cx="{x * step:g}" cy="{y * step:g}" r="{radius:g}"/>' for x, y in PIPS[number])
    return f'<g fill="{fill}">{dots}</g>'


def die(number: int, size: float = 40) -> str:
    """A bone die."""
    return (
        centred(size, size, size / 5, f'fill="#000" fill-opacity=".3" transform="translate(0 {size / 18:g})"')
        + centred(size, size, size / 5, f'fill="{PAPER}" stroke="{WOOD_LIGHT}"')
        + pips(number, size / 4, size / 10.5, INK)
    )


def man(radius: float, fill: str, line: str, ring: str) -> str:
    """A turned disc with a shadow, a groove and a highlight on its upper edge."""
    return (
        f'<circle cy="1.5" r="{radius:g}" fill="#000" fill-opacity=".35"/>'
        f'<circle r="{radius:g}" fill="{fill}" stroke="{line}" stroke-width="1.2"/>'
        f'<circle r="{radius * 0.66:.3g}" fill="none" stroke="{ring}" stroke-opacity=".3" stroke-width="1.6"/>'
        f'<path d="M{-radius * 0.8:.3g} {-radius * 0.28:.3g}A{radius * 0.85:.3g} {radius * 0.85:.3g} 0 0 1 '
        f'{radius * 0.8:.3g} {-radius * 0.28:.3g}" fill="none" stroke="#fff" stroke-opacity=".4" stroke-width="1.4"/>'
    )


def coin(radius: float) -> str:
    """A brass coin."""
    return (
        f'<circle r="{radius:g}" fill="{GOLD}" stroke="{BRASS}" stroke-width="{radius / 6:.2g}"/>'
        f'<circle r="{radius * 0.62:.3g}" fill="none" stroke="{BRASS}" stroke-width="{radius / 9:.2g}"/>'
    )


def pawn(fill: str, line: str = "#fff") -> str:
    """A pawn around (0, 0), 18 units high."""
    return (
        '<ellipse cy="9.5" rx="8" ry="2.2" fill="#000" fill-opacity=".3"/>'
        f'<path d="M0-9a6 6 0 0 1 5 9Q7.5 4 7.5 9h-15Q-7.5 4-5 0a6 6 0 0 1 5-9z" fill="{fill}" stroke="{line}"/>'
    )


def ring(radius: float, thick: float = 3.5) -> str:
    """The ring that marks whose turn it is."""
    return f'<circle r="{radius:g}" fill="none" stroke="{GOLD}" stroke-width="{thick:g}"/>'


def glow(width: float, height: float, round: float, thick: float = 4) -> str:
    """The outline of something that can be touched, around (0, 0)."""
    return centred(width, height, round, f'fill="none" stroke="{GOLD}" stroke-width="{thick:g}"')


def buttons(width: float, height: float, size: float) -> dict[str, Shape]:
    """A button on the board in its three states: plain, touchable and chosen.

    Its text is dark on gold and light on wood.
    """
    round = height / 3.6

    def shape(fill: str, edge: str, thick: float, ink: str, style: str) -> Shape:
        look = f'fill="{fill}" stroke="{edge}" stroke-width="{thick:g}"'
        return Shape(centred(width, height, round, look), style, lettering(size, ink, weight=700))

    return {
        "button": shape(WOOD_DARK, WOOD_LIGHT, 1.5, CREAM_DIM, ""),
        "button-lit": shape(GOLD, CREAM, 2.5, INK, "bold yellow"),
        "sealed-button": shape(CREAM, GOLD, 3, INK, "bold"),
        "sealed-button-lit": shape(CREAM, GOLD, 4, INK, "bold"),
    }

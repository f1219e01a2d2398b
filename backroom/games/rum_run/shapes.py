"""The shapes of Rum Run: the static board, and everything that moves on it."""

from dataclasses import dataclass

from backroom.scene import BOARD, HAND, PLAYERS, STATE, Pane, Region, Shape
from backroom.scene.palette import CREAM, CREAM_DIM, GOLD, INK, PAPER, WOOD_DARK, WOOD_LIGHT
from backroom.scene.pieces import LEFT as START
from backroom.scene.pieces import MIDDLE, PIPS, centred, lettering

from .pieces import (
    COLOURS,
    FAR,
    NEAR,
    PAIRS,
    SIDE,
    STAR_STAR,
    VARIANT_TOKEN,
    VARIANTS,
)
from .rules import NAME

# The picture's measures
WIDTH, MARGIN, FIELD = 720, 26, 668
GAP, STRIP, CHIP, ROW, BUTTON_ROW = 8, 84, 36, 56, 50
"""Heights: between regions; of a player's strip; of a row of objectives, of the player's own tokens, and of buttons."""
HAND_COLUMNS, GOAL_COLUMNS, STOCK_COLUMNS = 10, 3, 14
HAND_EDGE = 8
"""The margin at both sides of the player's own tokens."""

# The terminal's measures
CELL, LEFT, TEXT_HAND = 5, 3, 10
"""Characters for a node, the first column, and the number of the player's tokens in a line."""

TEXT_WIDTH = 80

FOREST, LINE = "#dde2c4", "#bcc49a"
WOOD, HOOP, STONE, WATER, SOIL = "#9a6234", "#4c2f17", "#8d8a83", "#5f93b5", "#7a5a3a"
FILL = dict(zip(COLOURS, ("#1d5fa6", "#b5242b", "#b35900", "#6a3d9c"), strict=True))
STYLE = dict(zip(COLOURS, ("bright_blue", "bright_red", "dark_orange", "medium_purple"), strict=True))


@dataclass(frozen=True, slots=True)
class Layout:
    """What the layout of the board depends on; the key of the cache of boards."""

    size: int
    town: int
    ground: tuple[tuple[int, int], ...]
    """Nodes under stills and obstacles, and what lies there."""
    colours: int
    goals: int
    tokens: int
    mine: tuple[int, ...]
    """The colours of the viewer; none for a spectator."""

    @property
    def name(self) -> str:
        """The board's name, with its size: boards of other sizes may be on the same page."""
        return f"{NAME}-{self.size}"

    @property
    def cell(self) -> float:
        return FIELD / self.size

    def x(self, node: int) -> float:
        return MARGIN + (node % SIDE + 0.5) * self.cell

    def y(self, node: int) -> float:
        return MARGIN + (node // SIDE + 0.5) * self.cell

    def at(self, node: int) -> tuple[int, int]:
        """The terminal's cell of a node."""
        return LEFT + node % SIDE * CELL, 1 + node // SIDE

    @property
    def goal_rows(self) -> int:
        return -(-bin(self.goals).count("1") // GOAL_COLUMNS)

    @property
    def below(self) -> float:
        """Where the forest ends and the player's own region begins: buttons, then tokens."""
        return WIDTH + GAP

    @property
    def hand_top(self) -> float:
        return self.below + BUTTON_ROW

    @property
    def hand_rows(self) -> int:
        return -(-bin(self.tokens).count("1") // HAND_COLUMNS) if self.mine else 0

    @property
    def strips_top(self) -> float:
        """Where the players begin."""
        return self.hand_top + self.hand_rows * ROW + GAP if self.mine else self.below

    @property
    def goals_top(self) -> float:
        """Where the objectives begin."""
        return self.strips_top + self.colours * STRIP + GAP

    @property
    def height(self) -> int:
        return int(self.goals_top + (self.goal_rows + 1) * CHIP)

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions of the picture but the forest."""
        hand = Region(HAND, 0, self.below, WIDTH, self.strips_top - GAP - self.below)
        players = Region(PLAYERS, 0, self.strips_top, WIDTH, self.colours * STRIP)
        state = Region(STATE, 0, self.goals_top, WIDTH, self.height - self.goals_top)
        return (*((hand,) if self.mine else ()), players, state)

    @property
    def text_rows(self) -> tuple[int, int, int]:
        """The terminal's rows for players, the player's own tokens, objectives."""
        players = self.size + 2
        return players, players + self.colours, players + self.colours + 3

    @property
    def panes(self) -> tuple[Pane, ...]:
        """The parts of the text: the forest, then players, the player's own tokens, and objectives."""
        players, hand, goals = self.text_rows
        return (
            Pane(BOARD, 0, 0, LEFT + self.size * CELL, self.size + 1),
            Pane(PLAYERS, 0, players, TEXT_WIDTH, hand - players),
            Pane(HAND, 0, hand, TEXT_WIDTH, goals - hand),
            Pane(STATE, 0, goals, TEXT_WIDTH, self.goal_rows + 1),
        )


def _half(number: int, is_star: bool, scale: float) -> str:
    """One end of a token around its own middle: pips, on gold if a star was given the number."""
    under = '<rect x="-9.5" y="-9.5" width="19" height="19" rx="5" fill="#f2b01e"/>' if is_star else ""
    pips = "".join(f'<circle cx="{x * 5.4:g}" cy="{y * 5.4:g}" r="2.5"/>' for x, y in PIPS[number])
    return f'<g transform="scale({scale:.3g})" fill="{INK if is_star else "#fff"}">{under}{pips}</g>'


PATTERN = {
    "blue": "",
    "red": "M-7 -22l14 14M-7 -8l14 14M-7 6l14 14",
    "orange": "M-11 -17h22M-11 -6h22M-11 6h22M-11 17h22",
    "purple": "M-7 -20l14 14M7 -20l-14 14M-7 6l14 14M7 6l-14 14",
}
"""Patterns that tell colours apart: plain, slanted, barred, crossed; dark, so that pips stand out."""


def base(colour: str, is_double: bool = False, scale: float = 1) -> str:
    """A token of this colour without its pips."""
    box, middle = '<rect x="-12" y="-23" width="24" height="46" rx="5"/>', "M-8 0h16"
    if is_double:
        box, middle = '<path d="M-12 -23h24v11h11v24h-11v11h-24v-11h-11v-24h11z" stroke-linejoin="round"/>', ""
    return (
        f'<g transform="scale({scale:.3g})" fill="{FILL[colour]}" stroke="#fff" stroke-width="1.6">{box}'
        f'<path d="{PATTERN[colour]}" fill="none" stroke="#000" stroke-opacity=".3" stroke-width="2.6"/>'
        f'<path d="{middle}"/></g>'
    )


def face_kind(colour: str, variant: int) -> str:
    return f"{colour}-{variant}"


def _token(layout: Layout, colour: str, variant: int) -> str:
    """A token with its near end up, composed of shapes."""
    token, near, far = int(VARIANT_TOKEN[variant]), int(NEAR[variant]), int(FAR[variant])
    if near == far:
        return _use(layout, f"{colour}-cross") + _use(layout, f"{'s' if token == STAR_STAR else 'n'}{near}")
    has_star = PAIRS[token][0] == 0
    first = "s" if has_star and near != PAIRS[token][1] else "n"
    second = "s" if has_star and near == PAIRS[token][1] else "n"
    off = 11.5 * layout.cell / 48
    return _use(layout, f"{colour}-bar") + _use(layout, f"{first}{near}", -off) + _use(layout, f"{second}{far}", off)


def _use(layout: Layout, kind: str, y: float = 0) -> str:
    return f'<use href="#{layout.name}-{kind}"' + (f' y="{y:.3g}"' if y else "") + "/>"


def shapes(layout: Layout) -> dict[str, Shape]:
    """Everything that can lie on a board of this layout, and below it."""
    scale = layout.cell / 48
    found: dict[str, Shape] = {}
    for number in range(1, 7):
        found[f"n{number}"] = Shape(_half(number, False, scale))
        found[f"s{number}"] = Shape(_half(number, True, scale))
    for colour in COLOURS[: layout.colours]:
        found[f"{colour}-bar"] = Shape(base(colour, False, scale))
        found[f"{colour}-cross"] = Shape(base(colour, True, scale))
        for variant in range(VARIANTS):
            if layout.tokens >> int(VARIANT_TOKEN[variant]) & 1:
                found[face_kind(colour, variant)] = Shape(_token(layout, colour, variant), STYLE[colour])
    return found | _ground_shapes(layout) | _panel_shapes(layout) | _hand_shapes(layout)


def _ground_shapes(layout: Layout) -> dict[str, Shape]:
    cell = layout.cell
    half = cell / 2 - 1.5
    box = f'x="{-half:g}" y="{-half:g}" width="{2 * half:g}" height="{2 * half:g}" rx="8"'
    still = f'x="{-cell / 2 + 3:g}" y="{-cell / 2 + 3:g}" width="{2 * cell - 6:g}" height="{2 * cell - 6:g}" rx="10"'
    lit = f'fill="{GOLD}" fill-opacity=".3" stroke="{GOLD}" stroke-width="4"'
    name = f'{MIDDLE} x="{cell / 2:g}" font-size="18" font-weight="600" fill="#fff"'
    squeezed = f'{name} textLength="{2 * cell - 12:g}" lengthAdjust="spacingAndGlyphs"'
    cask = (
        f'<ellipse rx="12" ry="14" fill="{WOOD}" stroke="{HOOP}" stroke-width="2"/>'
        f'<path d="M-11 -6h22M-11 6h22" stroke="{HOOP}" stroke-width="2"/>'
    )
    count = (
        f'{MIDDLE} font-size="19" font-weight="700" fill="#fff" stroke="{HOOP}" stroke-width="3" paint-order="stroke"'
    )
    shapes = {
        "node": Shape(f'<rect {box} fill="transparent"/>'),
        "node-lit": Shape(f"<rect {box} {lit}/>"),
        "chosen": Shape(f'<rect {box} fill="{GOLD}" fill-opacity=".35" stroke="{INK}" stroke-width="3"/>'),
        "ring": Shape(f'<rect {box} fill="transparent"/>'),
        "ring-lit": Shape(f'<rect {box} fill="transparent" stroke="{GOLD}" stroke-width="4"/>'),
        "still": Shape(f'<rect {still} fill="#54452f"/>', "yellow"),
        "still-lit": Shape(f'<rect {still} fill="#54452f" stroke="{GOLD}" stroke-width="5"/>', "yellow"),
        "still-name": Shape("", "yellow", name),
        "still-name-long": Shape("", "yellow", squeezed),
        "supply": Shape("", "yellow", f'{MIDDLE} x="{cell / 2:g}" font-size="20" font-weight="700" fill="#ffd98a"'),
        "tap": Shape(
            f'<g transform="scale({cell / 48:.3g})"><path d="M-6 -23h12v8h-12zM-10 -15h20l-10 9z" fill="{WOOD}" '
            f'stroke="{HOOP}" stroke-width="1.5"/></g>',
            "yellow",
        ),
        "fog": Shape(
            f'<g transform="scale({cell / 48:.3g})"><circle r="19" fill="#aab4b8"/>'
            '<path d="M-13 -6h20M-9 1h22M-13 8h18" stroke="#fff" stroke-width="4" stroke-linecap="round"/></g>',
            "bright_black",
        ),
        "mud": Shape(f'<rect {box} fill="{SOIL}" fill-opacity=".75"/>', "rgb(150,110,60)"),
        "cask": Shape(cask, "bold", count),
        "cask-lit": Shape(f'<circle r="20" {lit}/>{cask}', "bold", count),
        "halo": Shape(f'<circle r="20" fill="{GOLD}" stroke="{INK}" stroke-width="2"/>'),
    }
    for ends in range(1, 16):
        arms = "".join(
            f'<rect x="-13" y="-24" width="26" height="37" transform="rotate({90 * side})"/>'
            for side in range(4)
            if ends >> side & 1
        )
        shapes[f"paved-{ends}"] = Shape(
            f'<g transform="scale({cell / 48:.3g})" fill="#6f6f74"><rect x="-13" y="-13" width="26" height="26"/>{arms}'
            '<path d="M0 -9V9M-9 0H9" stroke="#fff" stroke-width="2" stroke-dasharray="4 3"/></g>'
        )
    return shapes


def _panel_shapes(layout: Layout) -> dict[str, Shape]:
    chip = f'x="0" y="-15" width="{(WIDTH - 2 * MARGIN) / GOAL_COLUMNS - 6:g}" height="30" rx="8"'
    strip = f'x="0" y="2" width="{WIDTH - 12}" height="{STRIP - 4}" rx="10"'
    lit = f'stroke="{GOLD}" stroke-width="4"'
    goal = lettering(20, CREAM, f'{START} x="26"', 500)
    shapes = {
        "goal": Shape(f'<rect {chip} fill="{WOOD_DARK}"/>', "", goal),
        "goal-lit": Shape(f'<rect {chip} fill="{GOLD}"/>', "bold", lettering(20, INK, f'{START} x="26"')),
        "note": Shape("", "", lettering(22, CREAM_DIM, START, 500)),
        "bold": Shape("", "bold", lettering(24, CREAM, START, 700)),
        "half": Shape('<rect x="-18" y="-22" width="36" height="44" rx="8" fill="transparent"/>'),
        "half-lit": Shape(f'<rect x="-17" y="-20" width="34" height="40" rx="8" fill="transparent" {lit}/>'),
        "turn": Shape(f'<path d="M-9 -10L8 0L-9 10z" fill="{GOLD}" stroke="{INK}" stroke-width="1.5"/>', "bold"),
    }
    for kind, width in (("button", 118), ("number", 66)):
        plain = f'fill="{WOOD_DARK}" stroke="{WOOD_LIGHT}" stroke-width="1.5"'
        shapes[kind] = Shape(centred(width, 42, 10, plain), "", lettering(22, CREAM_DIM))
        shapes[f"{kind}-lit"] = Shape(
            centred(width, 42, 10, f'fill="{GOLD}" stroke="{CREAM}" stroke-width="2"'), "bold", lettering(22, INK)
        )
    for colour in COLOURS[: layout.colours]:
        tint = f'fill="{FILL[colour]}" fill-opacity=".35" stroke="{FILL[colour]}" stroke-width="2"'
        shapes[f"strip-{colour}"] = Shape(f"<rect {strip} {tint}/>", STYLE[colour])
        shapes[f"strip-{colour}-lit"] = Shape(f'<rect {strip} fill="{FILL[colour]}" {lit}/>', STYLE[colour])
        shapes[f"mark-{colour}"] = Shape(f'<g transform="scale(.5)">{base(colour)}</g>', STYLE[colour])
        small = f'fill="{FILL[colour]}" stroke="{PAPER}" stroke-width="1.2"'
        shapes[f"stock-{colour}"] = Shape(
            centred(44, 24, 6, small), STYLE[colour], lettering(22, "#ffffff", weight=700)
        )
    return shapes


def _hand_shapes(layout: Layout) -> dict[str, Shape]:
    """The player's own tokens, large, lying on their side; the touch target is as large as one."""
    scale = layout.cell / 48
    glow = centred(72, 42, 9, f'fill="none" stroke="{GOLD}" stroke-width="4"')
    shapes = {"glow": Shape(glow)}
    for colour in (COLOURS[number] for number in layout.mine):
        for token, (a, b) in enumerate(PAIRS):
            if layout.tokens >> token & 1:
                ends = _in_hand(layout, a, -11.5 * scale) + _in_hand(layout, b, 11.5 * scale)
                kind = f"hand-{colour}-{token}"
                turned = (
                    f'<g transform="rotate(-90) scale({1.4 / scale:.3g})">{_use(layout, f"{colour}-bar")}{ends}</g>'
                )
                room = centred(72, ROW, 0, 'fill="transparent"')
                shapes[kind] = Shape(room + turned, STYLE[colour])
                shapes[f"{kind}-lit"] = Shape(_use(layout, kind) + _use(layout, "glow"), STYLE[colour])
    return shapes


def _in_hand(layout: Layout, end: int, y: float) -> str:
    """One end of a token in the hand; a star stays a star."""
    if end:
        return _use(layout, f"n{end}", y)
    star = "M0 -8L2.2 -2.6L8 -2.2L3.6 1.6L5 7.2L0 4.2L-5 7.2L-3.6 1.6L-8 -2.2L-2.2 -2.6z"
    return f'<path d="{star}" fill="{GOLD}" transform="translate(0 {y:.3g}) rotate(90) scale({layout.cell / 48:.3g})"/>'

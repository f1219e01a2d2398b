"""The forest of Rum Run: the static background under the pieces, in the browser and in the terminal."""

from dataclasses import replace
from functools import cache

from backroom.scene import BOARD, Board, Region
from backroom.scene.palette import CREAM_DIM, INK
from backroom.scene.pieces import lettering, panel

from .pieces import COLUMNS, OBSTACLES, SIDE
from .rules.state import OBSTACLE
from .setup_file import node_name
from .shapes import CELL, FIELD, FOREST, LINE, MARGIN, SOIL, STONE, WATER, WIDTH, Layout, shapes

NARROW = f' textLength="{MARGIN - 6}" lengthAdjust="spacingAndGlyphs"'
"""Numbers of two digits get no more room in the frame than others."""


@cache
def board(layout: Layout) -> Board:
    """The board of a layout, with everything that never moves."""
    out = forest(layout)
    for node, what in layout.ground:
        if what >= OBSTACLE:
            out.append(_obstacle(layout, node, OBSTACLES[what - OBSTACLE]))
    x, y = layout.x(layout.town), layout.y(layout.town)
    out.append(f'<g transform="translate({x:g} {y:g})"><title>Town Center</title>{town_figure(layout)}</g>')
    regions = regions_of(layout, "".join(out))
    return Board(layout.name, WIDTH, layout.height, "", text_of(layout), shapes(layout), regions, panes=layout.panes)


def regions_of(layout: Layout, woods: str) -> tuple[Region, ...]:
    """The forest, as it is drawn, and the layout's other parts on wood."""
    others = (replace(part, svg=panel(part.x, part.y, part.width, part.height, round=14)) for part in layout.regions)
    return Region(BOARD, 0, 0, WIDTH, WIDTH, woods), *others


def forest(layout: Layout) -> list[str]:
    """The frame and the grid, with nothing on it."""
    cell = layout.cell
    out = [
        panel(0, 0, WIDTH, WIDTH, round=14),
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{FIELD}" height="{FIELD}" rx="8" fill="{FOREST}"/>',
    ]
    for n in range(layout.size):
        middle, low, high = MARGIN + (n + 0.5) * cell, MARGIN + 4, MARGIN + FIELD - 4
        out.append(
            f'<path d="M{middle:g} {low}V{high}M{low} {middle:g}H{high}" stroke="{LINE}" stroke-width="1.5"/>'
            f'<text x="{middle:g}" y="14" {lettering(20, CREAM_DIM)}>{COLUMNS[n]}</text>'
            f'<text x="{MARGIN / 2}" y="{middle:g}" {lettering(20, CREAM_DIM)}{NARROW if n > 8 else ""}>{n + 1}</text>'
        )
    return out


def _obstacle(layout: Layout, node: int, name: str) -> str:
    """One node of an obstacle, where it lies."""
    return (
        f'<g transform="translate({layout.x(node):g} {layout.y(node):g})"><title>{name} at {node_name(node)}</title>'
        f"{obstacle_figure(layout, name)}</g>"
    )


def colour_of(obstacle: str) -> str:
    """The material of an obstacle."""
    known = {"lake": WATER, "river": WATER, "swamp": "#6f8f6a", "log": SOIL, "fallen": SOIL}
    return known.get(obstacle.split()[0], STONE)


def obstacle_figure(layout: Layout, name: str) -> str:
    """The drawing of one node of an obstacle, by its kind."""
    half = 24 - 96 / layout.cell
    fill = colour_of(name)
    mark = {
        WATER: "M-12 -5q6 -7 12 0t12 0M-12 7q6 -7 12 0t12 0",
        "#6f8f6a": "M-9 9v-13M0 9v-18M9 9v-13",
        SOIL: "M-13 -6h26M-13 2h26M-13 10h26",
        STONE: "M-13 10l9 -18l7 9l5 -7l6 16z",
    }[fill]
    return (
        f'<g transform="scale({layout.cell / 48:g})"><rect x="{-half:g}" y="{-half:g}" width="{2 * half:g}" '
        f'height="{2 * half:g}" rx="7" fill="{fill}"/>'
        f'<path d="{mark}" fill="none" stroke="#fff" stroke-opacity=".75" stroke-width="3"/></g>'
    )


def town_figure(layout: Layout) -> str:
    return (
        f'<g transform="scale({layout.cell / 48:g})">'
        f'<circle r="23" fill="#fff8e6" stroke="{INK}" stroke-width="2.5"/>'
        f'<path d="M-13 13V-3L-4 -11L5 -3V13zM5 13V1h9V13zM-7 13v-7h6v7" fill="none" stroke="{INK}" '
        'stroke-width="2.4"/></g>'
    )


def text_of(layout: Layout) -> str:
    """The board for a terminal."""
    lines = ["   " + "".join(f"{COLUMNS[n]:^{CELL}}" for n in range(layout.size)).rstrip()]
    ground = dict(layout.ground)
    for row in range(layout.size):
        cells = []
        for column in range(layout.size):
            node = row * SIDE + column
            what = ground.get(node, 0)
            cells.append("[TWN]" if node == layout.town else "#####" if what >= OBSTACLE else "  ·  ")
        lines.append(f"{row + 1:>2} " + "".join(cells))
    return "\n".join(lines)

"""How the pieces of RunAway Train are drawn: cards, suitcases, dice, a locomotive; a colour and a sign a player."""

from functools import cache

from backroom.scene import Shape

from .rules.state import SEAT_NAMES

CREAM, PANEL, INK, PALE = "#efe6d2", "#33302f", "#f4ead6", "#7a6a58"
RAIL, TIE, YELLOW, RED, BRASS, GOLD = "#463a32", "#b3926b", "#f7cb45", "#c8371f", "#b89a5e", "#f5b52e"
LEATHER, STRAP = "#c98b4e", "#7b4d25"
COLOURS = ("#d1442b", "#3b7dd8", "#2f9e62", "#d76aa8", "#e39a1f", "#9a9a9a")
STYLES = ("bold red", "bold blue", "bold green", "bold magenta", "bold yellow", "bold white")
GLYPHS = ("●", "■", "▲", "◆", "★", "✚")
SIGNS = (
    '<circle r="6"/>',
    '<rect x="-5.5" y="-5.5" width="11" height="11"/>',
    '<path d="M0-7 7 5.5H-7z"/>',
    '<path d="M0-8 7 0 0 8-7 0z"/>',
    '<path d="M0-8 2.2-2.6 8-2.4 3.5 1.2 5 7 0 3.8-5 7-3.5 1.2-8-2.4-2.2-2.6z"/>',
    '<path d="M-2.5-7h5v4.5H7v5H2.5V7h-5V2.5H-7v-5h4.5z"/>',
)
"""A shape beside each colour."""
MIDDLE = 'text-anchor="middle" dominant-baseline="central"'
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}

PERSON = '<circle cy="-6" r="5"/><path d="M-9 11c0-14 18-14 18 0z"/>'
CAP = f'<path d="M-7-9c0-7 14-7 14 0h2v2.5H-9V-9z" fill="{RED}"/>'
CASE = (
    f'<path d="M-4-8v-3.5h8V-8" fill="none" stroke="{STRAP}" stroke-width="2"/>'
    f'<rect x="-10.5" y="-8" width="21" height="17" rx="3" fill="{LEATHER}" stroke="{STRAP}" stroke-width="1.3"/>'
)
ENGINE = (
    f'<path d="M-16 5V-13h11v8H8v-7h5v7c4 1 5 4 5 10z" fill="{RED}" stroke="{RAIL}" stroke-width="1.6"/>'
    f'<path d="M-13-10h5v5h-5z" fill="{CREAM}"/><path d="M16 6l6 6H13z" fill="{RAIL}"/>'
    f'<g fill="{RAIL}" stroke="{CREAM}" stroke-width="1.4"><circle cx="-9" cy="8" r="5.5"/>'
    '<circle cx="5" cy="8" r="5.5"/></g>'
)


def badge(seat: int) -> str:
    """A player's colour and sign."""
    return f'<circle r="13" fill="{COLOURS[seat]}"/><g fill="#fff">{SIGNS[seat]}</g>'


def _card(width: float, height: float, inside: str, fill: str = "#fffdf7", edge: str = RAIL, thick: float = 1.3) -> str:
    return (
        f'<rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width:g}" height="{height:g}" rx="5" '
        f'fill="{fill}" stroke="{edge}" stroke-width="{thick:g}"/>{inside}'
    )


def _button(fill: str, edge: str) -> str:
    return f'<rect x="-54" y="-19" width="108" height="38" rx="9" fill="{fill}" stroke="{edge}" stroke-width="2"/>'


@cache
def shapes() -> dict[str, Shape]:
    left = 'dominant-baseline="central"'
    person = f'<g fill="{RAIL}">{PERSON}</g>'
    on_case = f'{MIDDLE} y="1" font-size="15" font-weight="700" fill="#fff"'
    big_case = f'<g transform="scale(1.9)">{CASE}</g>'
    on_big_case = f'{MIDDLE} y="2" font-size="25" font-weight="700" fill="#fff"'
    on_button = f'{MIDDLE} font-size="18" font-weight="600"'
    found = {
        "train": Shape(ENGINE, "bold reverse yellow"),
        "train-back": Shape(f'<g transform="scale(-1 1)">{ENGINE}</g>', "bold reverse yellow"),
        "wreck": Shape(f'<g transform="rotate(65) translate(14 0)">{ENGINE}</g>', "bold reverse red"),
        "speed": Shape(
            f'<rect x="-17" y="-17" width="34" height="34" rx="6" fill="{RAIL}"/>',
            "bold",
            f'{MIDDLE} y="1" font-size="19" font-weight="700" fill="{YELLOW}"',
        ),
        "times": Shape(
            f'<rect x="-26" y="-19" width="52" height="38" rx="8" fill="{YELLOW}" stroke="{RAIL}" stroke-width="1.5"/>',
            "bold",
            f'{MIDDLE} y="1" font-size="25" font-weight="700" fill="{RAIL}"',
        ),
        "needed": Shape(
            f'<rect x="-14" y="-24" width="28" height="48" rx="5" fill="{YELLOW}" fill-opacity=".28" '
            f'stroke="{RAIL}" stroke-width="2"/>'
        ),
        "needed-narrow": Shape(
            f'<rect x="-10" y="-24" width="20" height="48" rx="4" fill="{YELLOW}" fill-opacity=".28" '
            f'stroke="{RAIL}" stroke-width="1.5"/>'
        ),
        "sign": Shape(
            f'<rect x="-36" y="-13" width="72" height="26" rx="6" fill="{RAIL}"/>',
            "",
            f'{MIDDLE} y="1" font-size="16" font-weight="600" fill="{INK}"',
        ),
        "sign-lit": Shape(
            f'<rect x="-40" y="-16" width="80" height="32" rx="8" fill="{GOLD}" stroke="{RAIL}" stroke-width="2"/>',
            "bold yellow",
            f'{MIDDLE} y="1" font-size="18" font-weight="700" fill="{RAIL}"',
        ),
        "engineer": Shape(f'<circle r="17" fill="none" stroke="{GOLD}" stroke-width="3.5"/>', "bold yellow"),
        "aboard": Shape(f'<g fill="{INK}">{PERSON}</g>', "bold"),
        "off": Shape(
            f'<g fill="{INK}" opacity=".35">{PERSON}</g><path d="M-10 12 10-12" stroke="{RED}" stroke-width="3"/>',
            "dim",
        ),
        "case": Shape(CASE, "", on_case),
        "case-lost": Shape(f'<g opacity=".3">{CASE}</g>', "dim", f'{on_case} opacity=".4"'),
        "points": Shape("", "bold", f'{MIDDLE} font-size="21" font-weight="700" fill="{INK}"'),
        "good": Shape("", "bold green", f'{left} font-size="19" font-weight="700" fill="#8fdc8f"'),
        "bad": Shape("", "bold red", f'{left} font-size="19" font-weight="700" fill="#f2957f"'),
        "note": Shape("", "", f'{left} font-size="17" fill="{INK}"'),
        "past": Shape("", "dim", f'{left} font-size="17" fill="{INK}" fill-opacity=".55"'),
        "button": Shape(_button("#4a4644", "#6d6763"), "", f'{on_button} fill="{INK}"'),
        "button-lit": Shape(_button(GOLD, INK), "bold yellow", f'{on_button} fill="{RAIL}"'),
        "sealed-button": Shape(_button(INK, GOLD), "bold", f'{on_button} fill="{RAIL}"'),
    }
    faces = {
        "passenger": (person, f'<g transform="translate(0 2) scale(1.7)">{person}</g>', "", ""),
        "conductor": (person + CAP, f'<g transform="translate(0 4) scale(1.7)">{person}{CAP}</g>', "", ""),
        "suitcase": (CASE, big_case, on_case, on_big_case),
    }
    for name, (small, big, on_small, on_big) in faces.items():
        found[f"shown-{name}"] = Shape(_card(30, 38, small), "", on_small)
        faint = f'{on_small} opacity=".7"' if on_small else ""
        found[f"past-{name}"] = Shape(f'<g opacity=".5">{_card(30, 38, small)}</g>', "", faint)
        found[f"held-{name}"] = Shape(_card(46, 66, big), "", on_big)
        found[f"held-{name}-lit"] = Shape(_card(46, 66, big, edge=GOLD, thick=4), "bold yellow", on_big)
    hatching = "M-11-8 11 14M-11-15 11 7M-4-15l15 15M-11 2 0 13"
    lines = f'<path d="{hatching}" stroke="#fff" stroke-opacity=".35" stroke-width="2"/>'
    for seat, colour in enumerate(SEAT_NAMES):
        sign = f'<g fill="#fff">{SIGNS[seat]}</g>'
        found[f"back-{colour.lower()}"] = Shape(_card(30, 38, lines + sign, COLOURS[seat], "#fff"), STYLES[seat])
        found[f"sign-{colour.lower()}"] = Shape("", STYLES[seat])
    for face, spots in PIPS.items():
        dots = "".join(f'<circle cx="{x * 10}" cy="{y * 10}" r="3.6" fill="{RAIL}"/>' for x, y in spots)
        die = f'<rect x="-19" y="-19" width="38" height="38" rx="7" fill="#fffdf7" stroke="{RAIL}"/>{dots}'
        found[f"die-{face}"] = Shape(die, "bold yellow")
    return found

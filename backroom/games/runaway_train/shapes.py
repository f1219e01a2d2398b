"""How the pieces of RunAway Train are drawn: cards, suitcases, dice, a locomotive, and a sign for each player."""

from functools import cache

from backroom.scene import Shape
from backroom.scene.palette import BAD, CREAM, GOLD, GOOD, PAPER_DIM, RED, WOOD, YELLOW
from backroom.scene.pieces import LEFT, MIDDLE, buttons, card, card_back, die, lettering, ring

from .pieces import CHIPS
from .rules.state import SEAT_NAMES

TIE = "#b3926b"
PAST = "#b3a48d"
"""Text about the round before, on wood."""
LEATHER, STRAP = "#96602c", "#5c3818"
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
"""A sign for each colour."""
PERSON = '<circle cy="-6" r="5"/><path d="M-9 11c0-14 18-14 18 0z"/>'
CAP = f'<path d="M-7-9c0-7 14-7 14 0h2v2.5H-9V-9z" fill="{RED}"/>'
CASE = (
    f'<path d="M-4-8v-3.5h8V-8" fill="none" stroke="{STRAP}" stroke-width="2"/>'
    f'<rect x="-10.5" y="-8" width="21" height="17" rx="3" fill="{LEATHER}" stroke="{STRAP}" stroke-width="1.3"/>'
)
ENGINE = (
    f'<path d="M-16 5V-13h11v8H8v-7h5v7c4 1 5 4 5 10z" fill="{RED}" stroke="{WOOD}" stroke-width="1.6"/>'
    f'<path d="M-13-10h5v5h-5z" fill="{PAPER_DIM}"/><path d="M16 6l6 6H13z" fill="{WOOD}"/>'
    f'<g fill="{WOOD}" stroke="{PAPER_DIM}" stroke-width="1.4"><circle cx="-9" cy="8" r="5.5"/>'
    '<circle cx="5" cy="8" r="5.5"/></g>'
)


def badge(seat: int) -> str:
    """A player's colour and sign."""
    return f'<circle r="13" fill="{COLOURS[seat]}"/><g fill="#fff">{SIGNS[seat]}</g>'


@cache
def shapes() -> dict[str, Shape]:
    person = f'<g fill="{WOOD}">{PERSON}</g>'
    on_case = f'{MIDDLE} y="1" font-size="19" font-weight="700" fill="#fff"'
    big_case = f'<g transform="scale(1.9)">{CASE}</g>'
    on_big_case = f'{MIDDLE} y="2" font-size="25" font-weight="700" fill="#fff"'
    found = {
        "train": Shape(ENGINE, "bold reverse yellow"),
        "train-back": Shape(f'<g transform="scale(-1 1)">{ENGINE}</g>', "bold reverse yellow"),
        "wreck": Shape(f'<g transform="rotate(65) translate(14 0)">{ENGINE}</g>', "bold reverse red"),
        "speed": Shape(
            f'<rect x="-30" y="-26" width="60" height="52" rx="9" fill="{WOOD}"/>',
            "bold",
            f'{MIDDLE} y="1" font-size="34" font-weight="700" fill="{YELLOW}"',
        ),
        "times": Shape(
            f'<rect x="-29" y="-26" width="58" height="52" rx="9" fill="{YELLOW}" stroke="{WOOD}" stroke-width="1.5"/>',
            "bold",
            f'{MIDDLE} y="1" font-size="31" font-weight="700" fill="{WOOD}"',
        ),
        "needed": Shape(
            f'<rect x="-18" y="-24" width="36" height="48" rx="5" fill="none" stroke="{WOOD}" stroke-width="2.5"/>'
        ),
        "needed-narrow": Shape(
            f'<rect x="-10" y="-24" width="20" height="48" rx="4" fill="none" stroke="{WOOD}" stroke-width="2"/>'
        ),
        "sign": Shape(
            f'<rect x="-42" y="-16" width="84" height="32" rx="7" fill="{WOOD}"/>',
            "",
            f'{MIDDLE} y="1" font-size="19" font-weight="600" fill="{CREAM}"',
        ),
        "sign-lit": Shape(
            f'<rect x="-46" y="-24" width="92" height="48" rx="10" fill="{GOLD}" stroke="{WOOD}" stroke-width="2"/>',
            "bold yellow",
            f'{MIDDLE} y="1" font-size="21" font-weight="700" fill="{WOOD}"',
        ),
        "engineer": Shape(ring(17), "bold yellow"),
        "aboard": Shape(f'<g fill="{CREAM}">{PERSON}</g>', "bold"),
        "off": Shape(
            f'<g fill="{CREAM}" opacity=".35">{PERSON}</g><path d="M-10 12 10-12" stroke="{RED}" stroke-width="3"/>',
            "dim",
        ),
        "case": Shape(CASE, "", on_case),
        "case-lost": Shape(f'<g opacity=".3">{CASE}</g>', "dim", f'{on_case} opacity=".4"'),
        "points": Shape("", "bold", lettering(22, CREAM, weight=700)),
        **{
            f"chip-{worth}": Shape(
                f'<circle r="5" fill="{fill}" stroke="{WOOD}"/><circle r="2.4" fill="{WOOD}" opacity=".3"/>'
            )
            for worth, fill in zip(CHIPS, ("#3f78c4", "#c8473a", "#fffdf7"), strict=True)
        },
        "good": Shape("", "bold green", lettering(20, GOOD, LEFT, 700)),
        "bad": Shape("", "bold red", lettering(20, BAD, LEFT, 700)),
        "note": Shape("", "", lettering(19, CREAM, LEFT, 500)),
        "past": Shape("", "dim", lettering(19, PAST, LEFT, 500)),
        **buttons(116, 42, 21),
    }
    faces = {
        "passenger": (person, f'<g transform="translate(0 2) scale(1.7)">{person}</g>', "", ""),
        "conductor": (person + CAP, f'<g transform="translate(0 4) scale(1.7)">{person}{CAP}</g>', "", ""),
        "suitcase": (CASE, big_case, on_case, on_big_case),
    }
    for name, (small, big, on_small, on_big) in faces.items():
        found[f"shown-{name}"] = Shape(card(30, 38, small), "", on_small)
        faint = f'{on_small} opacity=".7"' if on_small else ""
        found[f"past-{name}"] = Shape(f'<g opacity=".5">{card(30, 38, small)}</g>', "", faint)
        found[f"held-{name}"] = Shape(card(48, 72, big), "", on_big)
        found[f"held-{name}-lit"] = Shape(card(48, 72, big, edge=GOLD, thick=5), "bold yellow", on_big)
    for seat, colour in enumerate(SEAT_NAMES):
        sign = f'<g fill="#fff">{SIGNS[seat]}</g>'
        found[f"back-{colour.lower()}"] = Shape(card_back(30, 38, COLOURS[seat], sign), STYLES[seat])
        found[f"sign-{colour.lower()}"] = Shape("", STYLES[seat])
    for number in range(1, 7):
        found[f"die-{number}"] = Shape(die(number, 46), "bold yellow")
    return found

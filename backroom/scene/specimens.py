"""Specimens of the house style: each colour by its role, each shared piece in each of its states."""

from backroom.scene import palette
from backroom.scene.palette import BLUE, EBONY, FELT, GREEN, INK, IVORY, OXBLOOD, RED, WOOD
from backroom.scene.pieces import (
    MIDDLE,
    buttons,
    card,
    card_back,
    coin,
    die,
    glow,
    lettering,
    man,
    panel,
    pawn,
    pips,
    ring,
    well,
)

Specimen = tuple[str, str]
"""A name, and an SVG picture."""


def picture(width: float, height: float, inside: str, ground: str = FELT) -> str:
    """Things around the middle of a background."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-width / 2:g} {-height / 2:g} {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" aria-hidden="true">'
        f'<rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width:g}" height="{height:g}" rx="8" fill="{ground}"/>'
        f"{inside}</svg>"
    )


def colours() -> list[Specimen]:
    """Every colour of the palette."""
    found = {name: value for name, value in vars(palette).items() if name.isupper() and isinstance(value, str)}
    return [(f"{name.lower().replace('_', ' ')} {value}", picture(90, 60, "", value)) for name, value in found.items()]


def pieces() -> list[Specimen]:
    """Every shared piece: plain, touchable and chosen."""
    number = f'<text y="-4" {lettering(30, INK, MIDDLE, 800)}>7</text>'
    face = card(66, 96, number)
    found = [
        ("panel with a well", picture(120, 80, panel(-52, -32, 104, 64) + well(-44, -20, 88, 40))),
        ("card", picture(100, 120, face)),
        ("card to be touched", picture(100, 120, face + glow(68, 98, 8))),
        ("card face down", picture(100, 120, card_back(66, 96))),
        ("die", picture(80, 80, die(5))),
        ("die that is played", picture(80, 80, f'<g opacity=".4">{die(3)}</g>')),
        ("men", picture(130, 80, _beside((man(20, IVORY, "#8b7355", EBONY), man(20, EBONY, "#0a090d", IVORY))))),
        (
            "pawns",
            picture(130, 80, _beside(tuple(f'<g transform="scale(2)">{pawn(c)}</g>' for c in (RED, BLUE, GREEN)))),
        ),
        ("coin", picture(80, 80, coin(20))),
        ("pips", picture(80, 80, pips(6, 14, 6, IVORY), OXBLOOD)),
        ("whose turn it is", picture(80, 80, man(17, IVORY, "#8b7355", EBONY) + ring(24), WOOD)),
    ]
    for kind, shape in buttons(110, 42, 20).items():
        words = f"<text {shape.face}>pass</text>"
        found.append((kind.replace("-", ", "), picture(140, 70, shape.svg + words, WOOD)))
    return found


def _beside(things: tuple[str, ...]) -> str:
    """Things in a row around the middle."""
    first = -(len(things) - 1) * 22
    return "".join(f'<g transform="translate({first + n * 44} 0)">{thing}</g>' for n, thing in enumerate(things))

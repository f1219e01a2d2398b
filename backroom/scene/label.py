"""Glyphs: small pictures of a game's pieces, shown in buttons, questions and the story."""

from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape


@dataclass(frozen=True, slots=True)
class Glyph:
    """A small picture that stands for some words, as high as a line of text."""

    svg: str
    box: tuple[float, float, float, float]
    """The visible part: x, y, width and height."""


def sheet(glyphs: Mapping[str, Glyph]) -> str:
    """All glyphs of a game as SVG symbols in a hidden element of the page, for `picture` to use."""
    symbols = "".join(
        f'<symbol id="glyph-{name}" viewBox="{" ".join(f"{n:g}" for n in glyph.box)}">{glyph.svg}</symbol>'
        for name, glyph in glyphs.items()
    )
    return f'<svg class="glyphs" width="0" height="0" aria-hidden="true">{symbols}</svg>' if symbols else ""


def picture(name: str, words: str, glyphs: Mapping[str, Glyph]) -> str:
    """One glyph, as wide as its box; its title has its words for screen readers, which skip it if it has none.

    Attributes have single quotes, which are shorter in the JSON of messages.
    """
    _, _, width, height = glyphs[name].box
    said = "role='img'" if words else "aria-hidden='true'"
    title = f"<title>{escape(words)}</title>" if words else ""
    return f"<svg class='glyph' {said} viewBox='0 0 {width:g} {height:g}'>{title}<use href='#glyph-{name}'/></svg>"


def sign(seat: int, glyphs: Mapping[str, Glyph]) -> str:
    """What the pieces of a seat look like, for beside its player's name; empty if the game has no glyph for it."""
    name = f"seat-{seat}"
    return picture(name, "", glyphs) if name in glyphs else ""

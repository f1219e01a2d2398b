"""Rulebooks as pages: every § has an anchor, and every § in a sentence a link to it."""

import re
from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from backroom.engine.marks import Part
from backroom.engine.registry import game
from backroom.scene.label import picture

PARAGRAPH = re.compile(r"§(\d+(?:\.\d+)?)")


def anchor(number: str) -> str:
    return f"s{number}"


def linked(said: str | Sequence[Part], name: str) -> Markup:
    """A sentence in which every § leads to the rulebook, and in whose parts glyphs are drawn. All else is text."""
    out = Markup("")
    for part in [said] if isinstance(said, str) else said:
        out += _with_links(part, name) if isinstance(part, str) else Markup(picture(*part, game(name).rules.GLYPHS))
    return out


def _with_links(text: str, name: str) -> Markup:
    out = Markup("")
    for at, part in enumerate(PARAGRAPH.split(text)):
        if at % 2:
            out += Markup('<a href="/rules/{}#{}">§{}</a>').format(name, anchor(part), part)
        else:
            out += escape(part)
    return out


@cache
def page(name: str) -> Markup:
    """A game's rulebook as HTML, without its last part, which is for testers."""
    text = re.split(r"^(?:## )?Facts to test against", game(name).rulebook, flags=re.M)[0]
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    seen: set[str] = set()

    def mark(found: re.Match[str]) -> str:
        number = found[2]
        if number in seen:
            return f'{found[1]}<a href="#{anchor(number)}">§{number}</a>'
        seen.add(number)
        return f'{found[1]}<a class="paragraph" id="{anchor(number)}" href="#{anchor(number)}">§{number}</a>'

    html = re.sub(r"(<(?:h2|li|p)>\s*(?:<p>)?)§(\d+(?:\.\d+)?)", mark, html)
    html = re.sub(
        r"(?<![\"#>])§(\d+(?:\.\d+)?)",
        lambda found: f'<a href="#{anchor(found[1])}">{found[0]}</a>' if found[1] in seen else found[0],
        html,
    )
    html = html.replace("<table>", '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>')
    return Markup(html.replace("</table>", "</table></div>"))

"""Rulebooks as pages: every § has an anchor, every mention of one a link to it, and positions are drawn."""

import re
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from backroom.engine import registry
from backroom.engine.diagrams import INFO, diagrams
from backroom.server.markup import anchor


def contents(name: str) -> list[tuple[str, str]]:
    """The chapters of a rulebook: the anchor and the title of each."""
    return [
        (anchor(number), title) for number, title in re.findall(r"^## §(\d+) (.*)$", registry.game(name).rulebook, re.M)
    ]


def _fence(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    """A position as a picture with a button to play from there; other fences unchanged."""
    if not tokens[at].info.startswith(INFO):
        return str(self.fence(tokens, at, options, env))
    number, name = env.get("diagrams", 0), env["game"]
    env["diagrams"] = number + 1
    said = diagrams(registry.game(name))[number].caption
    return Markup(
        '<figure class="diagram"><img src="/rules/{game}/{number}.svg" alt="" loading="lazy"><figcaption>{said}'
        '<form method="post" action="/rules/{game}/{number}" data-waits="{game}"><button>Try it</button></form>'
        "</figcaption></figure>\n"
    ).format(game=name, number=number, said=said)


@cache
def page(name: str) -> Markup:
    """A game's rulebook as HTML, without its last part, which is for testers."""
    text = re.split(r"^(?:## )?Facts to test against", registry.game(name).rulebook, flags=re.M)[0]
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("fence", _fence)
    html = reader.render(text, {"game": name})
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
    html = html.replace("<th></th>", "<td></td>")  # a header without words would be announced as one
    html = html.replace("<table>", '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
    return Markup(html.replace("</table>", "</table></div>"))

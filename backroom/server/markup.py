"""Texts for people as HTML: glyphs are drawn, and every § links to the rulebook. Pages and messages use the same."""

import re
from collections.abc import Sequence
from functools import lru_cache
from xml.sax.saxutils import escape

from backroom.engine.game import Game
from backroom.engine.marks import Part, words
from backroom.scene.label import picture

PARAGRAPH = re.compile(r"§(\d+(?:\.\d+)?)")


def anchor(number: str) -> str:
    """The id of a § in the rulebook's page."""
    return f"s{number}"


def html(said: str | Sequence[Part], game: Game) -> str:
    """A text, or its parts, as HTML. Everything but glyphs and links is escaped."""
    return _html((said,) if isinstance(said, str) else tuple(said), game)


@lru_cache(1 << 14)
def _html(said: tuple[Part, ...], game: Game) -> str:
    """Cached, since all tables of a game use the same texts again and again."""
    found = (
        _with_links(escape(part), game) if isinstance(part, str) else picture(*part, game.rules.GLYPHS) for part in said
    )
    return "".join(found)


def _with_links(text: str, game: Game) -> str:
    """Links open in a tab of their own: nobody leaves a game, or a form, to read a rule."""
    return PARAGRAPH.sub(
        lambda found: f'<a href="/rules/{game.name}#{anchor(found[1])}" target="_blank">{found[0]}</a>', text
    )


def worded(what: str, said: Sequence[Part], game: Game) -> dict[str, str]:
    """A text as plain words, and as `html` if that is more than the words."""
    plain = words(said)
    is_plain = "§" not in plain and all(isinstance(part, str) for part in said)
    return {what: plain} if is_plain else {what: plain, "html": html(said, game)}

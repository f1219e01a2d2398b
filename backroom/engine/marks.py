"""Marks in texts for people: placeholders for players' names, and glyphs, small pictures with alternative words.

A game writes `who(0)` for the player at a seat, and `glyph("die-6", "6")` where a picture is shorter than words. The
browser and the terminal replace the first with the player's name, and the second with the picture or the words.
Replaced text is never parsed again, so a player may have any name.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from backroom.engine.protocol import Seat

Part = str | tuple[str, str]
"""Text, or the name of a glyph and its alternative words."""

_MARK = re.compile(r"@([0-9]+)@|\[\[([a-z0-9-]+)\|(.*?)\]\]")
_BY_READER = re.compile(r"\{\{(.*?)\}\}")
_SUBJECT = re.compile(r"@([0-9]+)@ ")


def who(seat: Seat) -> str:
    """The mark for the player at this seat."""
    return f"@{int(seat)}@"


def glyph(name: str, words: str) -> str:
    """The mark for a small picture from the game's GLYPHS, with the words to use where it cannot be shown.

    The words are empty if the picture only decorates the words after it.
    """
    return f"[[{name}|{words}]]"


def by_reader(words: Sequence[str]) -> str:
    """The mark for words that depend on whose eyes read them: one entry for each seat; spectators read the first."""
    return "{{" + "|".join(words) + "}}"


def as_read_by(reader: Seat, text: str) -> str:
    """A marked text with the words for this reader in place of each `by_reader`."""
    return _BY_READER.sub(lambda mark: mark[1].split("|")[max(reader, 0)], text) if "{{" in text else text


def parts(text: str, names: Sequence[str]) -> list[Part]:
    """A marked text in parts, with these names for the seats."""
    found = _split(text)
    if len(found) == 1 and isinstance(found[0], str):
        return [found[0]]
    return list(_joined(names[part] if isinstance(part, int) else _said(part, names) for part in found))


@functools.lru_cache(1 << 14)
def _split(text: str) -> tuple[str | Seat | tuple[str, str], ...]:
    """Split a marked text at its marks into words, seats, and glyphs with their words.

    Cached, since all tables of a game use the same texts again and again.
    """
    found: list[str | Seat | tuple[str, str]] = []
    end = 0
    for mark in _MARK.finditer(text):
        found.append(text[end : mark.start()])
        found.append(int(mark[1]) if mark[1] else (mark[2], mark[3]))
        end = mark.end()
    return tuple(part for part in (*found, text[end:]) if part != "")


def _said(part: Part, names: Sequence[str]) -> Part:
    return part if isinstance(part, str) else (part[0], plain(part[1], names))


def _joined(found: Iterable[Part]) -> Iterator[Part]:
    """The same parts with adjacent texts joined and empty ones left out."""
    text = ""
    for part in found:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        yield part
        text = ""
    if text:
        yield text


def words(found: Iterable[Part]) -> str:
    """A text in parts as plain words."""
    return "".join([part if isinstance(part, str) else part[1] for part in found])


def plain(text: str, names: Sequence[str]) -> str:
    """A marked text as plain words."""
    found = _split(text)
    if len(found) == 1 and isinstance(found[0], str):
        return found[0]
    return "".join(
        [
            part if isinstance(part, str) else names[part] if isinstance(part, int) else plain(part[1], names)
            for part in found
        ]
    )


def glyphs_in(text: str) -> list[str]:
    """The names of the glyphs that a marked text shows."""
    return [mark[2] for mark in _MARK.finditer(text) if mark[2]]


def subject(text: str) -> tuple[Seat | None, str]:
    """The seat that a sentence begins with, if any, and the rest of the sentence without its full stop."""
    found = _SUBJECT.match(text)
    return (None, text) if found is None else (int(found[1]), text[found.end() :].removesuffix("."))


def turns(sentences: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Numbered sentences, with successive ones about the same player joined: "Ann rolls 4-2, moves 1 → 5."."""
    last: tuple[int, Seat, str] | None = None
    for number, text in sentences:
        seat, rest = subject(text)
        if last is not None and seat == last[1]:
            last = last[0], last[1], f"{last[2]}, {rest}"
            continue
        if last is not None:
            yield last[0], f"{who(last[1])} {last[2]}."
        last = None if seat is None else (number, seat, rest)
        if last is None:
            yield number, text
    if last is not None:
        yield last[0], f"{who(last[1])} {last[2]}."


def told_apart(names: Sequence[str], seats: Sequence[str]) -> list[str]:
    """The players' names, with the seat's name added where two are the same, or in place of an empty one."""
    return [
        seat if not name else f"{name} ({seat})" if names.count(name) > 1 else name
        for name, seat in zip(names, seats, strict=False)
    ]

"""Marks in what is said to people: who sits at a seat, and a small picture with the words for it.

A game writes `who(0)` where it means a seat, and `glyph("die-6", "6")` where a picture is shorter than a word. Doors
put the player's name for the one, and a picture or the words for the other. What is put in is never read again, so a
player may be called anything.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from backroom.engine.protocol import Seat

Part = str | tuple[str, str]
"""Text, or the name of a glyph and the words for it."""

_MARK = re.compile(r"@([0-9]+)@|\[\[([a-z0-9-]+)\|(.*?)\]\]")
_SUBJECT = re.compile(r"@([0-9]+)@ ")


def who(seat: Seat) -> str:
    """The mark of whoever sits there."""
    return f"@{int(seat)}@"


def glyph(name: str, words: str) -> str:
    """The mark of a small picture from the game's GLYPHS, and what is said where it cannot be shown; nothing where it
    only adorns the words after it.
    """
    return f"[[{name}|{words}]]"


def parts(text: str, names: Sequence[str]) -> list[Part]:
    """A marked text in parts, with these names for the seats."""
    found = _split(text)
    if len(found) == 1 and isinstance(found[0], str):
        return [found[0]]
    return list(_joined(names[part] if isinstance(part, int) else _said(part, names) for part in found))


@functools.lru_cache(1 << 14)
def _split(text: str) -> tuple[str | Seat | tuple[str, str], ...]:
    """A marked text at its marks: words, seats, and glyphs with their words. All tables of a game say the same texts
    again and again.
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
    """The same with neighbouring texts as one, and none empty."""
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


def plain(text: str, names: Sequence[str]) -> str:
    """A marked text in words alone."""
    found = _of_nobody(text)
    return _with_names(text, names) if found is None else found


def _with_names(text: str, names: Sequence[str]) -> str:
    return "".join(
        [
            part if isinstance(part, str) else names[part] if isinstance(part, int) else plain(part[1], names)
            for part in _split(text)
        ]
    )


@functools.lru_cache(1 << 14)
def _of_nobody(text: str) -> str | None:
    """A marked text in words alone, where it names nobody."""
    return None if any(mark[1] or "@" in mark[3] for mark in _MARK.finditer(text)) else _with_names(text, ())


def glyphs_in(text: str) -> list[str]:
    """The names of the glyphs that a marked text shows."""
    return [mark[2] for mark in _MARK.finditer(text) if mark[2]]


def subject(text: str) -> tuple[Seat | None, str]:
    """The seat that a sentence begins with, if it does, and the rest of it without its full stop."""
    found = _SUBJECT.match(text)
    return (None, text) if found is None else (int(found[1]), text[found.end() :].removesuffix("."))


def turns(sentences: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Numbered sentences, with those in a row about one seat's doings as one: "Ann rolls 4-2, moves 1 → 5."."""
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
    """The players' names, each with its seat's where two are called alike; the seat's alone where there is none."""
    return [
        seat if not name else f"{name} ({seat})" if names.count(name) > 1 else name
        for name, seat in zip(names, seats, strict=False)
    ]

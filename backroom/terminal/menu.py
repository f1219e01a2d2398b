"""The list of open moves: the signs to choose them by, and how it is shown in the room that there is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, product, takewhile
from string import ascii_lowercase

from rich.columns import Columns
from rich.console import RenderableType
from rich.text import Text

from backroom.terminal.show import console

RESERVED = ("h", "q")
"""Letters that are commands."""
FEW = 6
"""So few moves are always listed in words."""
MANY = 40
"""Of more moves than this that are said alike, only the first and the last are shown."""


def words_in(text: str) -> list[str]:
    """The words and the numbers of a text, in small letters."""
    return re.findall(r"\d+|[^\W\d_]+", text.lower())


@dataclass(frozen=True)
class Menu:
    """The moves that are open to a seat: in notation, and as people say them."""

    names: list[str]
    labels: list[str]

    @property
    def signs(self) -> list[str]:
        """What each is chosen by: numbers, or letters where a number might be meant as a word of the game."""
        numbers = [str(number) for number in range(1, len(self.names) + 1)]
        spoken = {word for text in (*self.names, *self.labels) for word in words_in(text)}
        return numbers if spoken.isdisjoint(numbers) else self.letters

    @property
    def letters(self) -> list[str]:
        """The same as letters, which do for any list."""
        taken = {*RESERVED, *(name.lower() for name in self.names)}
        letters = ("".join(word) for length in (1, 2, 3) for word in product(ascii_lowercase, repeat=length))
        free = (word for word in letters if word not in taken)
        return [next(free) for _ in self.names]

    def chosen(self, sign: str) -> str | None:
        """The name of the move with that sign, or with that letter."""
        known = dict(zip([*self.letters, *self.signs], self.names * 2, strict=True))
        return known.get(sign.strip().lower())

    def matching(self, text: str) -> list[str]:
        """The moves that a part of their name, or of what people call them, may stand for.

        Numbers have to be whole, words may be cut short after three letters. What begins like a name comes first.
        """
        typed = words_in(text)
        if not typed or "".join(typed) != re.sub(r"[\W_]", "", text.lower()):
            return []
        found = [
            name
            for name, label in zip(self.names, self.labels, strict=True)
            if all(any(_fits(word, known) for known in words_in(f"{name} {label}")) for word in typed)
        ]
        return [name for name in found if words_in(name)[: len(typed)] == typed] or found

    def show(self, room: int, only: str = "") -> None:
        """The list: in words if the room, in lines, is large enough; else grouped, and in notation. `only` narrows it
        to what it matches, which is always said in words.
        """
        entries = list(zip(self.signs, self.labels, self.names, strict=True))
        if only:
            wanted = self.matching(only)
            entries = [entry for entry in entries if entry[2] in wanted]
        if not entries:
            console.print(f"No move here is called {only!r}." if only else "There is nothing to choose.", style="dim")
            return
        whole = in_columns([_entry(*entry) for entry in entries])
        if only or lines_of(whole) <= room:
            console.print(whole)
            return
        if len(entries) <= FEW:
            console.print(flowing([_entry_in_words(sign, label) for sign, label, _ in entries]))
            return
        for part in grouped(entries):
            console.print(part)


def _fits(typed: str, word: str) -> bool:
    return typed == word or (len(typed) >= 3 and not typed.isdecimal() and word.startswith(typed))


def _entry(sign: str, label: str, name: str) -> Text:
    return Text.assemble((f"{sign:>3} ", "bold cyan"), label, (f"  {name}", "dim"))


def _entry_in_words(sign: str, words: str) -> Text:
    return Text.assemble((f"{sign:>3} ", "bold cyan"), words)


def in_columns(entries: list[Text]) -> RenderableType:
    return Columns(entries, padding=(0, 2)) if len(entries) > 1 else entries[0]


def flowing(entries: list[Text]) -> Text:
    """Entries one after the other, as many on each line as fit."""
    lines = [entries[0].copy()]
    for entry in entries[1:]:
        if len(lines[-1]) + 1 + len(entry) <= console.width:
            lines[-1].append(" ").append(entry)
        else:
            lines.append(entry.copy())
    return Text("\n").join(lines)


def lines_of(thing: RenderableType) -> int:
    return len(console.render_lines(thing, console.options, pad=False))


def grouped(entries: list[tuple[str, str, str]]) -> Iterator[RenderableType]:
    """Moves that are said alike under what they have in common, in notation; the others in words."""
    alone: list[Text] = []
    for _, run in groupby(sorted(entries, key=lambda entry: _verb(entry[1])), key=lambda entry: _verb(entry[1])):
        alike = list(run)
        if len(alike) < 3:
            alone += [_entry_in_words(sign, label) for sign, label, _ in alike]
            continue
        yield Text(f"{_common([label for _, label, _ in alike])} …", "italic")
        if len(alike) > MANY:
            (first, _, name), (last, _, other) = alike[0], alike[-1]
            said = f"  {len(alike)} moves, {name} ({first}) to {other} ({last}); all of them: "
            yield Text.assemble(said, (f"moves {_verb(alike[0][1]).lower()}", "bold"))
        else:
            yield flowing([_entry_in_words(sign, name) for sign, _, name in alike])
    if alone:
        yield flowing(alone)


def _verb(label: str) -> str:
    return label.split(" ", 1)[0]


def _common(labels: list[str]) -> str:
    """The words that all labels begin with."""
    together = takewhile(lambda words: len(set(words)) == 1, zip(*(label.split(" ") for label in labels), strict=False))
    return " ".join(words[0] for words in together)

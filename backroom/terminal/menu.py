"""The list of open moves: the signs that choose them, and how it is shown in the available space."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, product, takewhile
from string import ascii_lowercase

from rich.columns import Columns
from rich.console import RenderableType
from rich.text import Text

from backroom.terminal.show import console

INDENT = 4
"""The width of a move's sign, with its space."""
RESERVED = ("h", "q")
"""Letters that are commands."""
FEW = 6
"""This many moves are always listed in words."""
MANY = 40
"""If more moves than this have a similar label, only the first and the last are shown."""
FEWEST = 2
"""The same limit if there is hardly any space."""
ODD = re.compile(r"[\W_].*|.*\d[\W_]+|.*\d[.]\d.*")
"""What may be typed by mistake for a number or a letter of the list: a sign before a word, or at a number."""


def words_in(text: str) -> list[str]:
    """The words and numbers of a text, in lower case."""
    return re.findall(r"\d+|[^\W\d_]+", text.lower())


@dataclass(frozen=True)
class Menu:
    """The moves open to a seat: in notation, and as labels."""

    names: list[str]
    labels: list[str]

    @property
    def signs(self) -> list[str]:
        """The sign of each move: a number, or a letter if numbers could be words of the game."""
        numbers = [str(number) for number in range(1, len(self.names) + 1)]
        spoken = {word for text in (*self.names, *self.labels) for word in words_in(text)}
        return numbers if spoken.isdisjoint(numbers) else self.letters

    @property
    def letters(self) -> list[str]:
        """Letters as signs, for a list of any length."""
        taken = {*RESERVED, *(name.lower() for name in self.names)}
        letters = ("".join(word) for length in (1, 2, 3) for word in product(ascii_lowercase, repeat=length))
        free = (word for word in letters if word not in taken)
        return [next(free) for _ in self.names]

    def chosen(self, text: str) -> str | None:
        """The name of the move with this sign, this letter or exactly this label."""
        said = [label.lower() for label in self.labels]
        known = dict(zip([*said, *self.letters, *self.signs], self.names * 3, strict=True))
        found = known.get(text.strip().lower())
        return found if said.count(text.strip().lower()) < 2 else None

    def matching(self, text: str) -> list[str]:
        """The moves that an abbreviation of their name or label may stand for.

        Numbers must be complete, words may be cut short after three letters. Matches at the beginning of a name come
        first. A sign before a word, or at a number, must be written so in the move: -1 and 1.5 are no card with a 1.
        """
        typed = words_in(text)
        if not typed or "".join(typed) != re.sub(r"[\W_]", "", text.lower()):
            return []
        found = [
            name
            for name, label in zip(self.names, self.labels, strict=True)
            if all(any(_fits(word, known) for known in words_in(f"{name} {label}")) for word in typed)
            and all(_is_written_in(f"{name} {label}", part) for part in text.split() if ODD.fullmatch(part))
        ]
        return [name for name in found if words_in(name)[: len(typed)] == typed] or found

    def show(self, room: int, only: str = "") -> None:
        """Print the list, in this number of lines if possible."""
        for part in self.parts(room, only):
            console.print(part)

    def parts(self, room: int, only: str = "") -> list[RenderableType]:
        """The list in as much detail as fits into `room` lines.

        The moves in words; else grouped, in notation; else notation alone; else the kinds of moves, or just their
        number. `only` narrows the list to what it matches, which is always shown in words.
        """
        entries = list(zip(self.signs, self.labels, self.names, strict=True))
        if only:
            wanted = self.matching(only)
            entries = [entry for entry in entries if entry[2] in wanted]
        if not entries:
            return [Text(f"No move here is called {only!r}." if only else "There is nothing to choose.", "dim")]
        in_words: list[RenderableType] = [in_columns([_entry(*entry) for entry in entries])]
        if only or lines_of(in_words) <= room:
            return in_words
        if len(entries) <= FEW:
            shorter: list[list[RenderableType]] = [
                [flowing([_entry_in_words(sign, label) for sign, label, _ in entries])]
            ]
        else:
            shorter = [
                list(grouped(entries, MANY, in_words=True)),
                list(grouped(entries, MANY, in_words=False)),
                [in_a_row(entries)],
                list(grouped(entries, FEWEST, in_words=False)),
            ]
        fitting = (parts for parts in shorter if lines_of(parts) <= room)
        return next(fitting, [Text(f"{len(entries)} moves are open. Press Enter to see them all.", "dim")])


def _fits(typed: str, word: str) -> bool:
    return typed == word or (len(typed) >= 3 and not typed.isdecimal() and word.startswith(typed))


def _is_written_in(move: str, part: str) -> bool:
    return re.search(rf"(?<!\d){re.escape(part.lower())}(?!\d)", move.lower()) is not None


def _entry(sign: str, label: str, name: str) -> Text:
    return Text.assemble((f"{sign:>3} ", "bold cyan"), label, (f"  {name}", "dim"))


def _entry_in_words(sign: str, words: str) -> Text:
    return Text.assemble((f"{sign:>3} ", "bold cyan"), words)


def in_columns(entries: list[Text]) -> RenderableType:
    """Entries in columns of equal width; one below the other if some are longer than a line."""
    if any(len(entry) > console.width for entry in entries):
        return Text("\n").join(flowing([entry]) for entry in entries)
    return Columns(entries, padding=(0, 2)) if len(entries) > 1 else entries[0]


def flowing(entries: list[Text]) -> Text:
    """Entries one after the other, as many on each line as fit; a wrapped entry is indented under its words."""
    lines: list[Text] = []
    for entry in entries:
        if lines and len(lines[-1]) + 1 + len(entry) <= console.width:
            lines[-1].append(" ").append(entry)
        else:
            first, *more = entry.wrap(console, console.width - INDENT)
            lines += [first, *(Text(" " * INDENT).append(line) for line in more)]
    return Text("\n").join(lines)


def lines_of(things: list[RenderableType]) -> int:
    return sum(len(console.render_lines(thing, console.options, pad=False)) for thing in things)


def grouped(entries: list[tuple[str, str, str]], many: int, in_words: bool) -> Iterator[RenderableType]:
    """Group moves with similar labels under their common words, each by the words that differ or in notation.

    The other moves are listed in words. Of more than `many` in a group, only the first and the last are shown.
    """
    alone: list[Text] = []
    for _, run in groupby(sorted(entries, key=lambda entry: _verb(entry[1])), key=lambda entry: _verb(entry[1])):
        alike = list(run)
        if len(alike) < 3:
            alone += [_entry_in_words(sign, label) for sign, label, _ in alike]
            continue
        labels = [label for _, label, _ in alike]
        common, differing = told_apart(labels)
        if len(alike) > many:
            (first, _, name), (last, _, other) = alike[0], alike[-1]
            said = f" {name} ({first}) to {other} ({last}); for all {len(alike)} type: "
            yield Text.assemble((common, "italic"), said, (f"moves {_verb(labels[0]).lower()}", "bold"))
            continue
        words = differing if in_words else [name for _, _, name in alike]
        yield Text(common, "italic")
        yield flowing([_entry_in_words(sign, word) for (sign, _, _), word in zip(alike, words, strict=True)])
    if alone:
        yield flowing(alone)


def in_a_row(entries: list[tuple[str, str, str]]) -> Text:
    """Moves in notation, one after the other; several of the same kind follow their verb."""
    found: list[Text] = []
    alone: list[Text] = []
    for verb, run in groupby(sorted(entries, key=lambda entry: _verb(entry[1])), key=lambda entry: _verb(entry[1])):
        alike = [_entry_in_words(sign, name) for sign, _, name in run]
        if len(alike) < 3:
            alone += alike
        else:
            found += [Text(f"{verb}:", "italic"), *alike]
    return flowing([*found, *alone])


def _verb(label: str) -> str:
    return label.split(" ", 1)[0]


def told_apart(labels: list[str]) -> tuple[str, list[str]]:
    """The common words of labels, with … for the rest, and the rest of each."""
    split = [label.split(" ") for label in labels]
    before = min(len(_common(split)), *(len(words) - 1 for words in split))
    after = len(_common([words[:before:-1] for words in split]))
    first = split[0]
    said = " ".join([*first[:before], "…", *first[len(first) - after :]])
    return said, [" ".join(words[before : len(words) - after]) for words in split]


def _common(split: list[list[str]]) -> list[str]:
    """The words that all of them begin with."""
    together = takewhile(lambda words: len(set(words)) == 1, zip(*split, strict=False))
    return [words[0] for words in together]

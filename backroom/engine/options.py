"""Options: the choices made before a game, from which come flags, forms and the header of a log."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backroom.engine.phrases import listing


class BadOption(ValueError):
    """A game, a number of seats or an option that there is not: says what there is."""


@dataclass(frozen=True, slots=True)
class Option:
    """One choice made before a game: from these come the command's flags, the form and the log's header."""

    name: str
    values: tuple[str, ...]
    """The values that have a name, as people write them; the first is the default. Forms offer them, laws try them."""
    says: str
    """One sentence for whoever has to choose."""
    other: str = ""
    """What else it can be, in words: "5 to 120", "six letters A or B", "a track file". Nothing: only the values."""
    read: Callable[[str], str] | None = None
    """Turns other text into the one line that stands in the log, and reads that line as itself; ValueError says what
    was expected.
    """
    numbers: Callable[[str], Sequence[int]] | None = None
    """What kernels are told of a value, always as many numbers. None: its place among the values."""
    is_file: bool = False
    """Other text is what a file says: the door that is given its name reads it, never the game."""
    may_be_file: bool = False
    """Other text is typed, and a door that is given the name of a file instead reads it."""
    may_be_unsaid: bool = False
    """Logs that are older than the option do not say it: there it is the default. Only for what changes no play."""
    is_rule: bool = True
    """Whether kernels are told. Otherwise it is the table's matter, like a countdown."""
    series: tuple[str, ...] = ()
    """Words that make a new value with any number of up to nine digits, always the same one: `hard 17`. Named values
    that begin like `hard-` belong to that word.
    """
    title: str = ""
    """What is chosen, as a form says it: "Length"."""
    titles: tuple[str, ...] = ()
    """Each of the values as people say it, in their order: "Match to 3 points". Nothing: as they are written."""
    other_title: str = "{}"
    """What else it can be, as people say it: "{} seconds"."""

    @property
    def default(self) -> str:
        return self.values[0]

    def called(self, value: str) -> str:
        """A value as people say it."""
        if value not in self.values:
            return self.other_title.format(value)
        return self.titles[self.values.index(value)] if self.titles else value

    def settle(self, value: object) -> str:
        """The value as the log has it; BadOption says what it can be."""
        text = ("no", "yes")[value] if isinstance(value, bool) else str(value)
        if text in self.values:
            return text
        if self.read is None:
            raise BadOption(f"option {self.name} cannot be {text!r}; it can be {self.choices}")
        try:
            settled = self.read(text)
            if self.read(settled) != settled or not settled or settled != " ".join(settled.split()):
                raise ValueError(f"{settled!r} cannot stand on one line of a log")
        except ValueError as error:
            raise BadOption(f"option {self.name}: {error}; it can be {self.choices}") from None
        return settled

    @property
    def choices(self) -> str:
        """What it can be, in words."""
        return listing([*self.values, self.other] if self.other else self.values)

    def encode(self, text: str) -> Sequence[int]:
        """A settled value as kernels know it."""
        return self.numbers(text) if self.numbers else (self.values.index(text),)

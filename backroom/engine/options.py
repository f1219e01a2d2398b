"""Options: the choices made before a game, which become command-line flags, forms and the header of a log."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backroom.engine.phrases import listing

LONGEST = 10_000
"""Most characters of a value: reading TOML takes time that grows with the square of its length."""


class BadOption(ValueError):
    """An unknown game, option or number of seats; the message says what there is."""


@dataclass(frozen=True, slots=True)
class Option:
    """One choice made before a game, which becomes a command-line flag, a form field and a line in the log's header."""

    name: str
    values: tuple[str, ...]
    """The named values, as people write them; the first is the default. Forms offer them, and the laws try them."""
    says: str
    """One sentence for the person who chooses."""
    other: str = ""
    """The other possible values, in words: "5 to 120", "six letters A or B", "a track file". Empty: there are none."""
    read: Callable[[str], str] | None = None
    """Turns any other text into the one line that the log has; ValueError says what was expected.

    It leaves such a line as it is.
    """
    numbers: Callable[[str], Sequence[int]] | None = None
    """The numbers that kernels get for a value, always equally many. None: the index of the value."""
    is_file: bool = False
    """Whether other text is the contents of a file. The command or form that gets the file reads it, never the game."""
    may_be_file: bool = False
    """Whether other text may also be read from a file, as with `is_file`, instead of being typed."""
    may_be_unsaid: bool = False
    """Whether logs older than the option omit it, which means the default. Only for options that do not affect play."""
    is_rule: bool = True
    """Whether kernels are told. If not, it is a setting of the table, like a countdown."""
    series: tuple[str, ...] = ()
    """Words that make a value together with a number of up to nine digits: `hard 17` is always the same value.

    Named values that begin with `hard-` belong to that word.
    """
    title: str = ""
    """The label of the form field: "Length"."""
    titles: tuple[str, ...] = ()
    """The values as people say them, in order: "Match to 3 points". Empty: as they are written."""
    other_title: str = "{}"
    """Any other value as people say it: "{} seconds"."""

    @property
    def default(self) -> str:
        return self.values[0]

    def called(self, value: str) -> str:
        """A value as people say it."""
        if value not in self.values:
            return self.other_title.format(value)
        return self.titles[self.values.index(value)] if self.titles else value

    def settle(self, value: object) -> str:
        """The value as it is written in the log; BadOption says what is possible."""
        text = ("no", "yes")[value] if isinstance(value, bool) else str(value)
        if text in self.values:
            return text
        if len(text) > LONGEST:
            raise BadOption(f"option {self.name} has {len(text):,} characters, which is more than {LONGEST:,}")
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
        """The possible values, in words."""
        return listing([*self.values, self.other] if self.other else self.values)

    def encode(self, text: str) -> Sequence[int]:
        """A settled value as the numbers that kernels get."""
        return self.numbers(text) if self.numbers else (self.values.index(text),)

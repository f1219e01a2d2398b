"""The list of moves on the screen, in as many columns as fit, with one move highlighted."""

from collections.abc import Iterator

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Static

from backroom.terminal.menu import Menu

SIGN = 4
"""The width of a move's sign, with its space."""
GAP = 2
"""Spaces between columns."""
LEAST_COLUMN, MOST_COLUMNS = 24, 8
"""The least width of a column whose labels need it, and the most columns."""
HIGHLIGHT = "black on yellow"


class MovesView(VerticalScroll, can_focus=False):
    """The moves of a menu, or those that are left after narrowing it down."""

    class Chosen(Message):
        """A move was clicked."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self) -> None:
        super().__init__(id="moves")
        self.menu = Menu([], [])
        self.shown: list[int] = []
        """The indices in the menu of the listed moves."""
        self.at: int | None = None
        """The index in `shown` of the highlighted move."""
        self.columns, self.rows = 1, [range(0)]
        """The number of columns, and the lines of each row of moves."""
        self.wide = 0

    def compose(self) -> ComposeResult:
        yield Static(id="entries")

    def fill(self, menu: Menu, shown: list[int], at: int | None) -> None:
        """List these moves of a menu."""
        self.menu, self.shown, self.at = menu, shown, at

    @property
    def place(self) -> int | None:
        """The index in the menu of the highlighted move."""
        return None if self.at is None else self.shown[self.at]

    def lines_for(self, width: int) -> int:
        """Lay out the list for this width; returns its number of lines."""
        width -= 1  # the width of the scroll bar
        labels = [self.menu.labels[place] for place in self.shown]
        _, self.columns, self.wide = min(_ways_to_lay_out(labels, width))
        signs, entries = self.menu.signs, []
        for place, label in zip(self.shown, labels, strict=True):
            lines = _wrapped(label, self.wide - SIGN)
            entries.append([Text.assemble((f"{signs[place]:>3} ", "bold cyan"), lines[0])])
            entries[-1] += [Text(" " * SIGN + line) for line in lines[1:]]
        text, self.rows, line = [], [], 0
        for first in range(0, len(entries), self.columns):
            row = entries[first : first + self.columns]
            high = max(map(len, row))
            self.rows.append(range(line, line + high))
            line += high
            for n in range(high):
                together = Text()
                for column, entry in enumerate(row):
                    part = entry[n].copy() if n < len(entry) else Text()
                    part.pad_right(self.wide - len(part))
                    if first + column == self.at:
                        part.stylize(HIGHLIGHT)
                    together.append(part)
                    together.append(" " * GAP if column < len(row) - 1 else "")
                text.append(together)
        self.query_one("#entries", Static).update(Text("\n").join(text))
        return line

    def step(self, columns: int, rows: int) -> None:
        """Move the highlight."""
        if not self.shown:
            return
        if self.at is None:
            self.at = 0
        else:
            self.at = min(max(self.at + columns + rows * self.columns, 0), len(self.shown) - 1)

    def show_highlight(self) -> None:
        """Scroll to the highlighted move."""
        if self.at is None or not self.rows:
            return
        lines = self.rows[self.at // self.columns]
        if not self.scroll_y <= lines[0] <= lines[-1] < self.scroll_y + self.size.height:
            above = lines[0] < self.scroll_y
            self.scroll_to(y=lines[0] if above else lines[-1] - self.size.height + 1, animate=False)

    def on_click(self, event: events.Click) -> None:
        at = event.screen_offset - self.query_one("#entries").region.offset
        column = at.x // (self.wide + GAP)
        for row, lines in enumerate(self.rows):
            place = row * self.columns + column
            if at.y in lines and column < self.columns and place < len(self.shown):
                self.post_message(self.Chosen(self.shown[place]))


def _ways_to_lay_out(labels: list[str], width: int) -> Iterator[tuple[int, int, int]]:
    """Yields lines, columns and the width of each column, for one column and more."""
    longest = SIGN + max(map(len, labels), default=0)
    for columns in range(1, MOST_COLUMNS + 1):
        wide = min((width + GAP) // columns - GAP, longest)
        if columns == 1 or wide >= min(LEAST_COLUMN, longest):
            high = [len(_wrapped(label, wide - SIGN)) for label in labels]
            yield sum(max(high[first : first + columns]) for first in range(0, len(high), columns)), columns, wide


def _wrapped(label: str, width: int) -> list[str]:
    """A label in lines of this width, broken between words."""
    lines = [""]
    for word in label.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines

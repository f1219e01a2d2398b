"""Overlays of a table: a sheet to read, and the curtain that hides the screen between two people with secrets."""

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Static


class TextScreen(Screen[None]):
    """A text over the whole screen that can be scrolled and dismissed."""

    BINDINGS = [  # noqa: RUF012 (as Textual has it)
        Binding("escape,enter,q,space", "put_away", "Back to the table", key_display="Enter"),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", "Scroll", key_display="↑↓"),
    ]

    def __init__(self, text: Text) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="sheet"):
            yield Static(self.text)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#sheet").focus()

    def action_put_away(self) -> None:
        self.dismiss()

    def action_scroll(self, lines: int) -> None:
        self.query_one("#sheet").scroll_relative(y=lines, animate=False)

    def on_click(self) -> None:
        self.dismiss()


class Curtain(Screen[None]):
    """Shows only whose turn it is to look, until that person presses Enter."""

    BINDINGS = [Binding("enter,space", "lift", "It is me", key_display="Enter")]  # noqa: RUF012 (as Textual has it)

    def __init__(self, says: str) -> None:
        super().__init__()
        self.says = says

    def compose(self) -> ComposeResult:
        yield Static(Text(self.says, "bold"), id="curtain")
        yield Footer()

    def action_lift(self) -> None:
        self.dismiss()

    def on_click(self) -> None:
        self.dismiss()

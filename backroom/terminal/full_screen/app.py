"""The screen of a table: board, story, question, moves and an input line, side by side or stacked."""

from collections.abc import Callable
from typing import Any, ClassVar

from rich.console import Console
from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.widgets import Footer, Input, Static
from textual.worker import Worker, WorkerState

from backroom.scene.text import placed
from backroom.terminal.full_screen.board import BoardView, as_text
from backroom.terminal.full_screen.frame import Frame
from backroom.terminal.full_screen.moves import MovesView
from backroom.terminal.full_screen.sheets import Curtain, TextScreen
from backroom.terminal.play import Left

GAP = 1
"""Columns between the board and what is beside it, for a scroll bar."""
SIDE = 28
"""The conversation goes below the board if it would have fewer columns than this beside it."""
LEAST_MOVES, LEAST_STORY = 4, 2
"""The least number of lines for the list of moves and for the story, if they need them."""
_measure = Console()
STORY = "F5: all news; "
LONGEST_NOTICE = 3
"""A longer message is shown on a sheet."""


class TableApp(App[int]):
    """Shows frames of a table, and passes on what people type, choose, click and touch."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "command('help')", "Help"),
        Binding("f2", "command('hint')", "Hint"),
        Binding("f3", "command('undo')", "Undo"),
        Binding("f4", "command('rules')", "Rules"),
        Binding("f5", "command('log')", "Story"),
        Binding("f6", "zoom", "Board"),
        Binding("ctrl+q", "leave(0)", "Quit", priority=True),
        Binding("ctrl+c", "leave(130)", show=False, priority=True),
        Binding("escape", "clear", show=False),
        Binding("up", "step(0, -1)", show=False),
        Binding("down", "step(0, 1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]
    CSS = """
    #table { layout: horizontal; height: 1fr; }
    #table.stacked { layout: vertical; }
    #talk { width: 1fr; height: 1fr; }
    VerticalScroll { scrollbar-size-vertical: 1; height: auto; }
    #story { height: 1fr; }
    #question { text-style: bold; height: auto; }
    #notice { color: $text-warning; height: auto; }
    #line { height: 1; border: none; padding: 0; background: $surface; }
    #sheet { height: 1fr; padding: 0 1; }
    #curtain { width: 100%; height: 1fr; content-align: center middle; }
    """

    def __init__(self, title: str, converse: Callable[[], int], answer: Callable[[str | Left], None]) -> None:
        super().__init__()
        self.title = title
        self.converse, self.answer = converse, answer
        self.frame: Frame | None = None
        self.touched: list[str] = []
        self.is_asked = False
        """Whether the conversation waits for a line."""
        self.questions = 0
        """The number of times that the conversation has waited for a line or for another person."""
        self.has_stepped = False
        """Whether a move was highlighted by hand, which Enter then plays."""
        self.widest = 0
        """The widest board since the screen was last resized."""
        self.news = Text()
        """The new part of the story."""

    def compose(self) -> ComposeResult:
        with Container(id="table"):
            yield BoardView()
            with Vertical(id="talk"):
                with VerticalScroll(id="story", can_focus=False):
                    yield Static(id="told")
                yield Static(id="question")
                yield MovesView()
                yield Static(id="notice")
                yield Input(id="line", compact=True)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.line.focus()
        self.run_worker(self.converse, thread=True)

    def on_unmount(self) -> None:
        self.answer(Left(1))  # unblocks a thread that still waits for a line when the screen closes for another reason

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.SUCCESS:
            self.exit(event.worker.result)

    @property
    def line(self) -> Input:
        return self.query_one("#line", Input)

    @property
    def moves(self) -> MovesView:
        return self.query_one("#moves", MovesView)

    @property
    def board(self) -> BoardView:
        return self.query_one("#board", BoardView)

    @property
    def sheet_width(self) -> int:
        """The width of a sheet in columns."""
        return self.size.width - 3

    # Called by the conversation, from its thread

    def present(self, frame: Frame) -> None:
        """Show the table as it is now."""
        self.frame, self.touched = frame, []
        self.has_stepped = False
        self.fill_moves()
        self.arrange()

    def tell(self, known: list[str], news: list[str]) -> None:
        """Show the story with its new part highlighted."""
        self.news = Text("\n").join(map(Text.from_ansi, news))
        parts = [*(Text(each, "dim") for each in known), *([self.news] if news else [])]
        self.query_one("#told", Static).update(Text("\n").join(parts))
        self.call_after_refresh(self.query_one("#story").scroll_end, animate=False)

    def ask(self, prompt: str, said: str, on_sheet: bool) -> None:
        """Wait for a line. What was said before it is shown as a notice, or on a sheet if it is long or wanted so."""
        self.is_asked, self.questions = True, self.questions + 1
        text = Text.from_ansi(said.strip("\n"))
        is_long = on_sheet or len(text.wrap(self.console, self.size.width)) > LONGEST_NOTICE
        self.notice("" if is_long else text)
        if is_long:
            self.push_screen(TextScreen(text))
        self.line.placeholder = f"{prompt.strip().rstrip('>').strip()}: {self.manual}"
        self.call_after_refresh(self.point_to_story)
        self.line.disabled = False
        self.line.focus()

    def point_to_story(self) -> None:
        """Point to where new sentences can be read, if the story's area is too small for them."""
        room = self.query_one("#story").size
        if self.is_asked and self.news and len(self.news.wrap(self.console, max(room.width - 1, 1))) > room.height:
            who, colon, manual = self.line.placeholder.partition(": ")
            self.line.placeholder = f"{who}{colon}{STORY}{manual}"

    @property
    def manual(self) -> str:
        """How to answer, in a few words."""
        if self.frame is None or not self.frame.menu.names:
            return "press Enter"
        if self.frame.may_wait:
            return "Enter lets the others go on"
        return "↑↓ Enter, click or type"

    def close_curtain(self, says: str) -> None:
        """Clear the screen until the next person is there."""
        self.frame, self.questions = None, self.questions + 1
        self.tell([], [])
        self.notice("")
        self.arrange()
        self.push_screen(Curtain(says), lambda _: self.answer(""))

    # Layout

    def fill_moves(self) -> None:
        """List the moves that fit what was touched and typed."""
        if self.frame is None:
            return
        menu, typed = self.frame.menu, self.line.value.strip()
        shown = self.frame.fitting(self.touched)
        if typed:
            fitting = set(menu.matching(typed))
            shown = [place for place in shown if menu.names[place] in fitting] or shown
        self.moves.fill(menu, shown, 0 if len(shown) == 1 and not self.frame.may_wait else None)

    def notice(self, text: Text | str) -> None:
        self.query_one("#notice", Static).update(text)
        self.query_one("#notice").display = bool(text)
        self.arrange()

    def on_resize(self) -> None:
        self.widest = 0
        self.call_later(self.arrange)  # the app's own handler, which comes next, sets the new size

    def arrange(self) -> None:
        """Divide the screen: the conversation goes beside the board if it fits there, otherwise below."""
        frame = self.frame
        self.query_one("#table").display = frame is not None
        if frame is None:
            return
        width, height = self.size.width, self.size.height - 1
        self.widest = max(self.widest, _width_of(frame, width - GAP - SIDE))
        is_beside = self.widest + GAP + SIDE <= width
        self.query_one("#table").set_class(not is_beside, "stacked")
        room = self.widest if is_beside else width if _width_of(frame, width) < width else width - 1
        talk = width - self.widest - GAP if is_beside else width
        chosen = self.moves.place
        lit = frame.next_ids(self.touched) | set(frame.marked)
        self.board.draw(frame.scene, room, lit, {*self.touched, *([] if chosen is None else frame.ways[chosen])})
        self.query_one("#question", Static).update(frame.question)
        notice: Any = self.query_one("#notice", Static)
        said = _lines_of(frame.question, talk) + (_lines_of(str(notice.content), talk) if notice.display else 0) + 1
        needed, board = self.moves.lines_for(talk), len(self.board.cells)
        left = height - said - LEAST_STORY
        if is_beside:
            self.board.styles.width, self.board.styles.height = self.widest + GAP, height
            self.moves.styles.height = min(needed, left - LEAST_STORY)
        else:
            moves = min(needed, max(left - board, LEAST_MOVES))
            self.board.styles.width, self.board.styles.height = width, min(board, left - moves)
            self.moves.styles.height = moves
        self.call_after_refresh(self.moves.show_highlight)
        self.call_after_refresh(self.board.show_pieces, lit)

    # Input

    def send(self, text: str) -> None:
        """Pass a line on, and wait."""
        if not self.is_asked:
            return
        self.is_asked, self.touched, self.has_stepped = False, [], False
        self.line.value = ""
        self.line.placeholder = "…"
        self.answer(text)

    @on(Input.Submitted)
    def enter(self, event: Input.Submitted) -> None:
        """Enter plays what was typed, or the highlighted move."""
        place, typed = self.moves.place, event.value.strip()
        if place is None or self.frame is None or (typed and not self.has_stepped):
            self.send(typed)
        else:
            self.send(self.frame.menu.names[place])

    @on(Input.Changed)
    def narrow(self) -> None:
        """Typing narrows the list."""
        self.has_stepped = False
        self.fill_moves()
        self.arrange()

    @on(MovesView.Chosen)
    def choose(self, event: MovesView.Chosen) -> None:
        if self.frame is not None:
            self.send(self.frame.menu.names[event.place])

    @on(BoardView.Touched)
    def touch(self, event: BoardView.Touched) -> None:
        """A clicked piece narrows the list down; when all pieces of a move have been touched, it is played."""
        frame = self.frame
        if frame is None or not self.is_asked:
            return
        if self.touched[-1:] == [event.piece]:
            whole = [place for place in frame.fitting(self.touched) if frame.ways[place] == self.touched]
            if len(whole) == 1:
                self.send(frame.menu.names[whole[0]])
                return
            self.touched.pop()
        else:
            ways = ([*self.touched, event.piece], [event.piece])
            self.touched = next((way for way in ways if frame.fitting(way)), self.touched)
        found = frame.fitting(self.touched)
        if len(found) == 1 and frame.ways[found[0]] == self.touched:
            self.send(frame.menu.names[found[0]])
            return
        self.fill_moves()
        self.arrange()

    def action_step(self, columns: int, rows: int) -> None:
        self.moves.step(columns, rows)
        self.has_stepped = True
        self.arrange()

    def on_key(self, event: events.Key) -> None:
        """Left and right step through the list, unless there is typed text to move the cursor in."""
        if event.key in ("left", "right") and not self.line.value:
            self.action_step(-1 if event.key == "left" else 1, 0)

    def action_clear(self) -> None:
        self.touched = []
        self.line.value = ""
        self.fill_moves()
        self.arrange()

    def action_page(self, pages: int) -> None:
        """Scroll the board, or the story if the whole board is visible."""
        view = self.board if self.board.max_scroll_y else self.query_one("#story")
        view.scroll_relative(y=pages * max(view.size.height - 1, 1), animate=False)

    def action_zoom(self) -> None:
        """Show the board on a sheet of its own."""
        if self.frame is not None:
            self.push_screen(TextScreen(as_text(placed(self.frame.scene, self.size.width - 1))))

    def action_command(self, text: str) -> None:
        self.send(text)

    def action_leave(self, code: int) -> None:
        """Leave when no bot is thinking any more."""
        self.is_asked = False
        self.line.placeholder = "Leaving …"
        self.answer(Left(code))


def _width_of(frame: Frame, width: int) -> int:
    """The width of a board that was laid out for this width."""
    return max((len("".join(cell.char for cell in line).rstrip()) for line in placed(frame.scene, width)), default=0)


def _lines_of(text: str, width: int) -> int:
    """The number of lines that a text takes."""
    return len(Text(text).wrap(_measure, width)) if text else 0

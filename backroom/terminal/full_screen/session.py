"""A sitting at one table on the whole screen: what is said there is said as in `play`, in a thread of its own."""

import sys
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from rich.console import RenderableType

from backroom.engine.protocol import IllegalMove, Seat
from backroom.terminal.answers import menu_of
from backroom.terminal.full_screen.app import TableApp
from backroom.terminal.full_screen.frame import Frame
from backroom.terminal.play import Left, Session
from backroom.terminal.show import console, moment, show_result

PAUSE = 0.5
"""Seconds for which the screen stands still after each turn of a bot."""


@dataclass
class FullScreen(Session):
    """The conversation of a Session: what it prints becomes sheets and notices of an app, what it reads comes from
    there.
    """

    answers: "SimpleQueue[str | Left]" = field(default_factory=SimpleQueue)
    """Lines that were typed or chosen, or that somebody leaves."""
    stories: dict[Seat, list[tuple[int, str]]] = field(default_factory=dict)
    """All that each reader has been told: the number of the first line of each turn, and what it was."""
    known: dict[Seat, int] = field(default_factory=dict)
    """How much of it was there when the reader last answered."""
    unsaid: str = ""
    """What was printed and is not shown yet."""
    is_end: bool = False
    """Whether it is to be said now how the game ended."""
    pause: float = PAUSE

    def __post_init__(self) -> None:
        self.app = TableApp(self.table.game.title, self.converse, self.answers.put)

    def run(self) -> int:
        """Play to the end, or until everybody leaves; says the exit code."""
        code = self.app.run()
        if sys.stdout is not None:
            sys.stdout.write(self.unsaid)
        return 1 if code is None else code

    def converse(self) -> int:
        """The whole conversation, in a thread of its own."""
        console.begin_capture()
        console.width = self.app.sheet_width
        try:
            return super().run()
        finally:
            self.unsaid += console.end_capture()
            console.width = None  # type: ignore[assignment]  # as wide as the screen again

    def said(self) -> str:
        """What was printed since this was last asked."""
        found = self.unsaid + console.end_capture()
        console.begin_capture()
        self.unsaid = ""
        return found

    # what a Session asks of a screen

    def say(self, thing: RenderableType) -> None:
        """What is said becomes a sheet, or a notice."""
        console.print(thing)

    def print_long(self, *things: RenderableType) -> None:
        """A sheet scrolls."""
        for thing in things:
            console.print(thing)

    def read(self, prompt: str) -> str:
        self.app.call_from_thread(self.app.ask, prompt, self.said(), self.is_end)
        self.is_end = False
        answer = self.answers.get()
        console.width = self.app.sheet_width
        if isinstance(answer, Left):
            raise answer
        if self.looking is not None:
            reader = self.reader(self.looking)
            self.known[reader] = len(self.stories.get(reader, ()))
        return answer

    def turn_to(self, seat: Seat) -> None:
        if self.looking not in (None, seat) and self.table.game.rules.SECRETS:
            self.app.call_from_thread(
                self.app.close_curtain, f"Hand over to {self.table.names[seat]}, who presses Enter."
            )
            self.look_for_leavers(wait=True)
        self.looking = seat

    def tell(self, seat: Seat) -> None:
        reader = self.reader(seat)
        story = self.stories.setdefault(reader, [])
        since, self.told[reader] = self.told.get(reader, 0), len(self.table.lines)
        began = 0
        if story:  # the last turn may have gone on
            began = story.pop()[0] - 1
        elif since:  # in an earlier sitting
            self.known[reader] = sum(1 for _ in self.table.turns(seat))
        story += self.table.turns(seat, since=began)
        self.unsaid = self.said()
        for number in range(since + 1, len(self.table.lines) + 1):
            for part in moment(self.table, number, seat):
                console.print(part, soft_wrap=True)
        if glimpse := console.end_capture().rstrip():
            story.append((len(self.table.lines) + 1, glimpse))
        console.begin_capture()
        told, known = [sentence for _, sentence in story], self.known.get(reader, 0)
        self.app.call_from_thread(self.app.tell, told[:known], told[known:])

    def reader(self, seat: Seat) -> Seat:
        """Whose story a person reads: where nothing is secret there is one for all."""
        return seat if self.table.game.rules.SECRETS else self.people[0]

    def show(self, seat: Seat, may_wait: bool = False) -> None:
        scene = self.table.game.rules.draw(self.table.view(seat), seat)
        menu, ways = menu_of(self.table, seat), self.ways(seat)
        tips = self.tip(seat)
        self.present(Frame(scene, self.table.question(seat), menu, ways, may_wait))
        for tip in tips:
            console.print(tip)
        if self.notice:
            self.unsaid = f"{self.said()}{self.notice}\n"
            self.notice = ""

    def present(self, frame: Frame) -> None:
        self.app.call_from_thread(self.app.present, frame)

    # what happens while nobody is asked

    def go_on(self) -> None:
        if self.looking is None and (len(self.people) == 1 or not self.table.game.rules.SECRETS):
            self.looking = self.people[0]
        if self.looking is not None and not set(self.table.asked) & set(self.people):
            story = self.stories.setdefault(self.reader(self.looking), [])
            told = story[-1:]
            self.tell(self.looking)
            self.watch(self.looking)
            self.look_for_leavers(self.pause if story[-1:] != told else 0)
        super().go_on()

    def watch(self, seat: Seat) -> None:
        """Show a person the table while others think."""
        scene = self.table.game.rules.draw(self.table.view(seat), seat)
        self.present(Frame(scene, self.table.question(seat)))

    def look_for_leavers(self, seconds: float = 0, wait: bool = False) -> None:
        """Stand still for a moment, or until somebody answers; whoever wants to leave does so now."""
        try:
            answer = (
                self.answers.get()
                if wait
                else self.answers.get(timeout=seconds)
                if seconds
                else self.answers.get_nowait()
            )
        except Empty:
            return
        if isinstance(answer, Left):
            raise answer

    def do_undo(self, seat: Seat, rest: str) -> bool:
        if self.table.is_over:
            raise IllegalMove("the game is over, and stays as it was played")
        done = super().do_undo(seat, rest)
        self.stories.clear()
        return done

    def show_end(self, seat: Seat) -> None:
        self.watch(seat)
        self.is_end = True
        self.unsaid = self.said()
        show_result(self.table)
        self.unsaid += console.end_capture()
        console.begin_capture()
        while line := self.read("Enter to leave > ").strip():
            self.obey(seat, line)

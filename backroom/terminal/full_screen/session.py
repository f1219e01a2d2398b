"""A session at one table on the whole screen, with the same texts as `play`."""

from dataclasses import dataclass, field

from rich.console import RenderableType

from backroom.engine.protocol import IllegalMove, Seat
from backroom.terminal.answers import menu_of
from backroom.terminal.full_screen.app import TableApp
from backroom.terminal.full_screen.conversation import Conversation
from backroom.terminal.full_screen.frame import Frame
from backroom.terminal.play import Session
from backroom.terminal.show import console, glimpse, show_result

PAUSE = 0.5
"""Seconds for which the screen pauses after each turn of a bot."""


@dataclass
class FullScreen(Session):
    """The conversation of a Session, on the whole screen."""

    stories: dict[Seat, list[tuple[int, str]]] = field(default_factory=dict)
    """What each reader has been told: the number of each turn's first line, and the sentence about it."""
    known: dict[Seat, int] = field(default_factory=dict)
    """How many sentences of `stories` each reader had been told at the last answer."""
    is_end: bool = False
    """Whether to show the end of the game now."""
    pause: float = PAUSE

    def __post_init__(self) -> None:
        self.conversation = Conversation(self.table.game.title, super().run)

    @property
    def app(self) -> TableApp:
        return self.conversation.app

    def run(self) -> int:
        """Play to the end, or until everybody leaves; returns the exit code."""
        return self.conversation.run()

    # The interface that a Session expects of a screen

    def say(self, thing: RenderableType) -> None:
        """Show a message on a sheet or as a notice."""
        console.print(thing)

    def print_long(self, *things: RenderableType) -> None:
        """Show a long text on a sheet, which scrolls."""
        for thing in things:
            console.print(thing)

    def read(self, prompt: str) -> str:
        on_sheet, self.is_end = self.is_end, False
        answer = self.conversation.ask(prompt, on_sheet)
        if self.looking is not None:
            reader = self.reader(self.looking)
            self.known[reader] = len(self.stories.get(reader, ()))
        return answer

    def turn_to(self, seat: Seat) -> None:
        if self.needs_curtain(seat):
            self.conversation.close_curtain(f"Hand over to {self.table.names[seat]}, who presses Enter.")
        self.looking = seat

    def tell(self, seat: Seat) -> None:
        reader = self.reader(seat)
        story = self.stories.setdefault(reader, [])
        since, self.told[reader] = self.told.get(reader, 0), len(self.table.lines)
        began = 0
        if story:  # the last turn may have continued
            began = story.pop()[0] - 1
        elif since:  # in an earlier session
            self.known[reader] = sum(1 for _ in self.table.turns(seat))
        story += self.table.turns(seat, since=began)
        self.conversation.unsaid = self.conversation.said()
        for number in range(since + 1, len(self.table.lines) + 1):
            for part in glimpse(self.table, number, seat):
                console.print(part, soft_wrap=True)
        if printed := console.end_capture().rstrip():
            story.append((len(self.table.lines) + 1, printed))
        console.begin_capture()
        told, known = [sentence for _, sentence in story], self.known.get(reader, 0)
        self.conversation.tell(told[:known], told[known:])

    def reader(self, seat: Seat) -> Seat:
        """The seat whose story a person reads: in a game without secrets there is one for all."""
        return seat if self.table.game.rules.SECRETS else self.people[0]

    def show(self, seat: Seat, may_wait: bool = False) -> None:
        menu, ways = menu_of(self.table, seat), self.ways(seat)
        self.conversation.present(Frame(self.scene(seat), self.table.question(seat), menu, ways, may_wait))
        for tip in self.tip(seat):
            console.print(tip)
        if self.notice:
            self.conversation.unsaid = f"{self.conversation.said()}{self.notice}\n"
            self.notice = ""

    # While nobody is asked

    def go_on(self) -> None:
        if self.looking is None and (len(self.people) == 1 or not self.table.game.rules.SECRETS):
            self.looking = self.people[0]
        if self.looking is not None and not set(self.table.asked) & set(self.people):
            story = self.stories.setdefault(self.reader(self.looking), [])
            told = story[-1:]
            self.tell(self.looking)
            self.watch(self.looking)
            self.stand_still(self.pause if story[-1:] != told else 0)
        super().go_on()

    def watch(self, seat: Seat) -> None:
        """Show a person the table while others think."""
        self.conversation.present(Frame(self.scene(seat), self.table.question(seat)))

    def stand_still(self, seconds: float) -> None:
        """Pause so that a person can see what others did."""
        self.conversation.stand_still(seconds)

    def do_undo(self, seat: Seat, rest: str) -> bool:
        if self.table.is_over:
            raise IllegalMove("the game is over, and stays as it was played")
        done = super().do_undo(seat, rest)
        self.stories.clear()
        return done

    def show_end(self, seat: Seat) -> None:
        self.watch(seat)
        self.is_end = True
        self.conversation.unsaid = self.conversation.said()
        show_result(self.table)
        self.conversation.unsaid += console.end_capture()
        console.begin_capture()
        while line := self.read("To leave > ").strip():
            self.obey(seat, line)

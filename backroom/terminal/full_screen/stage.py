"""A conversation on the whole screen: what it prints becomes sheets and notices, what it reads comes from the app.

It is held in a thread of its own, in the same words as line by line.
"""

import sys
from collections.abc import Callable
from queue import Empty, SimpleQueue

from backroom.terminal.full_screen.app import TableApp
from backroom.terminal.full_screen.frame import Frame
from backroom.terminal.play import Left
from backroom.terminal.show import console


class Stage:
    """An app, and what is said and answered on it."""

    def __init__(self, title: str, talk: Callable[[], int]) -> None:
        self.answers: SimpleQueue[str | Left] = SimpleQueue()
        """Lines that were typed or chosen, or that somebody leaves."""
        self.unsaid = ""
        """What was printed and is not shown yet."""
        self.talk = talk
        self.app = TableApp(title, self.converse, self.answers.put)

    def run(self) -> int:
        """Hold the conversation; says the exit code. What was not shown is printed when the screen is gone."""
        code = self.app.run()
        if sys.stdout is not None:
            sys.stdout.write(self.unsaid)
        return 1 if code is None else code

    def converse(self) -> int:
        """The whole conversation, in a thread of its own."""
        console.begin_capture()
        console.width = self.app.sheet_width
        try:
            return self.talk()
        finally:
            self.unsaid += console.end_capture()
            console.width = None  # type: ignore[assignment]  # as wide as the screen again

    def said(self) -> str:
        """What was printed since this was last asked."""
        found = self.unsaid + console.end_capture()
        console.begin_capture()
        self.unsaid = ""
        return found

    def ask(self, prompt: str, on_sheet: bool = False) -> str:
        """Show what was said, and wait for a line; raises Left if somebody leaves instead."""
        self.show_prompt(prompt, on_sheet)
        answer = self.answers.get()
        console.width = self.app.sheet_width
        if isinstance(answer, Left):
            raise answer
        return answer

    def show_prompt(self, prompt: str, on_sheet: bool = False) -> None:
        """Show what was said, and that a line may be typed."""
        self.app.call_from_thread(self.app.ask, prompt, self.said(), on_sheet)

    def stand_still(self, seconds: float) -> str | None:
        """Wait that many seconds, or until somebody answers; whoever wants to leave does so now."""
        try:
            answer = self.answers.get(timeout=seconds) if seconds else self.answers.get_nowait()
        except Empty:
            return None
        if isinstance(answer, Left):
            raise answer
        return answer

    def present(self, frame: Frame) -> None:
        self.app.call_from_thread(self.app.present, frame)

    def tell(self, known: list[str], news: list[str]) -> None:
        self.app.call_from_thread(self.app.tell, known, news)

    def close_curtain(self, says: str) -> None:
        """Take everything off the screen, and wait until somebody else looks at it."""
        self.app.call_from_thread(self.app.close_curtain, says)
        answer = self.answers.get()
        if isinstance(answer, Left):
            raise answer

"""A conversation on the whole screen: its output becomes sheets and notices, its input comes from the app.

It runs in a thread of its own, with the same texts as line by line.
"""

import sys
from collections.abc import Callable
from queue import Empty, SimpleQueue

from backroom.terminal.full_screen.app import TableApp
from backroom.terminal.full_screen.frame import Frame
from backroom.terminal.play import Left
from backroom.terminal.show import console


class Conversation:
    """An app, with the output and input of a conversation."""

    def __init__(self, title: str, talk: Callable[[], int]) -> None:
        self.answers: SimpleQueue[str | Left] = SimpleQueue()
        """Lines that were typed or chosen, or Left if somebody leaves."""
        self.unsaid = ""
        """Printed text that has not been shown yet."""
        self.talk = talk
        self.app = TableApp(title, self.converse, self.answers.put)

    def run(self) -> int:
        """Run the conversation; returns the exit code. Text not shown yet is printed when the screen has closed."""
        code = self.app.run()
        if sys.stdout is not None:
            sys.stdout.write(self.unsaid)
        return 1 if code is None else code

    def converse(self) -> int:
        """Run the whole conversation, in a thread of its own."""
        console.begin_capture()
        console.width = self.app.sheet_width
        try:
            return self.talk()
        finally:
            self.unsaid += console.end_capture()
            console.width = None  # type: ignore[assignment]  # as wide as the screen again

    def said(self) -> str:
        """The text printed since the last call."""
        found = self.unsaid + console.end_capture()
        console.begin_capture()
        self.unsaid = ""
        return found

    def ask(self, prompt: str, on_sheet: bool = False) -> str:
        """Show the printed text and wait for a line; raises Left if somebody leaves instead."""
        self.show_prompt(prompt, on_sheet)
        answer = self.answers.get()
        console.width = self.app.sheet_width
        if isinstance(answer, Left):
            raise answer
        return answer

    def show_prompt(self, prompt: str, on_sheet: bool = False) -> None:
        """Show the printed text, and that a line may be typed."""
        self.app.call_from_thread(self.app.ask, prompt, self.said(), on_sheet)

    def stand_still(self, seconds: float) -> str | None:
        """Wait this many seconds or until somebody answers; raises Left if somebody wants to leave."""
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
        """Clear the screen, and wait until the next person is there."""
        self.app.call_from_thread(self.app.close_curtain, says)
        answer = self.answers.get()
        if isinstance(answer, Left):
            raise answer

"""Bots against each other on the whole screen, with a person watching."""

from pathlib import Path

from rich.text import Text

from backroom.bots import Bot, seated
from backroom.engine.kernel import SPECTATOR
from backroom.engine.phrases import listing
from backroom.engine.protocol import Seat
from backroom.engine.table import Table
from backroom.terminal.files import write
from backroom.terminal.full_screen.session import FullScreen
from backroom.terminal.play import check_company
from backroom.terminal.show import console, legend

PROMPT = "Go on at once >"
COMMANDS = ("help", "rules", "log")
"""The commands of a spectator."""
HELP = "You look on. Enter goes on at once, F4 has the rules, F5 the story, F6 the board, Ctrl-Q leaves."


class Watching(FullScreen):
    """A session in which nobody is asked anything."""

    keeps: Path | None = None
    """Where the log is kept, if anywhere."""

    @property
    def people(self) -> list[Seat]:
        return [SPECTATOR]

    def welcome(self) -> None:
        game = self.table.game
        who = [f"{game.seat_name(seat)} is {bot.name}" for seat, bot in self.bots.items()]
        console.print(Text.assemble((game.title, "bold"), f": {game.summary}"))
        console.print(f"{listing(who, 'and')}. {HELP}")
        if signs := legend(game):
            console.print(signs)
        self.looking = SPECTATOR
        self.tell(SPECTATOR)
        self.watch(SPECTATOR)
        self.conversation.ask("To begin >", on_sheet=True)

    def offer_claims(self) -> bool:
        return False

    def stand_still(self, seconds: float) -> None:
        """Pause as long as requested; if the spectator asks for something, it is shown until Enter is pressed."""
        if not seconds:
            super().stand_still(0)
            return
        self.conversation.show_prompt(PROMPT)
        while line := self.conversation.stand_still(seconds):
            self.obey(SPECTATOR, line)
            self.conversation.ask("Go on >")
            self.conversation.show_prompt(PROMPT)

    def obey(self, seat: Seat, line: str) -> bool:
        word, _, rest = line.partition(" ")
        if word not in COMMANDS:
            console.print(HELP)
            return False
        return bool(getattr(self, f"do_{word}")(seat, rest.strip()))

    def do_help(self, seat: Seat, rest: str) -> bool:
        signs = legend(self.table.game)
        self.print_long(HELP, *([signs] if signs else []))
        return False

    def save(self) -> None:
        if self.keeps is not None:
            write(self.keeps, str(self.table.save))

    def say_where_it_is(self) -> None:
        if self.keeps is not None:
            console.print(f"The log is in {self.keeps}", soft_wrap=True)

    def finish(self) -> None:
        self.tell(SPECTATOR)
        self.show_end(SPECTATOR)
        self.say_where_it_is()


def watching(table: Table, bots: list[Bot], delay: float, path: Path | None) -> Watching:
    """A session with bots in all seats and a spectator at the screen."""
    check_company(bots, table.seats)
    players = {seat: seated(bots[seat % len(bots)], seat, table) for seat in range(table.seats)}
    found = Watching(table, players, Path(), pause=delay)
    found.keeps = path
    return found

"""Playing in the terminal: one person or several on one keyboard, with bots in the other seats."""

import os
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs
from rich.text import Text

from backroom.bots import Bot
from backroom.engine.game import BadOption, IllegalMove, Seat, listing
from backroom.engine.table import Table
from backroom.terminal.show import console, show_moves, show_result, show_rules, show_scene

HELP = """\
Type a move by its name or by its number in the list; several with commas between. Enter plays the only one. Or:
  why MOVE      why that move is not allowed
  rules [§]     the rulebook, or one paragraph of it, like: rules 3.7
  undo          take back the last move made at this keyboard
  board         show the board again
  log           the game so far, in sentences
  position      the position on one line, to begin from it another time
  save [FILE]   write the game to a file (it is saved after every move anyway)
  quit          stop; the game can be gone on with later\
"""


class Left(Exception):
    """The player is gone: by quit (0), by the end of input (1) or by Ctrl-C (130)."""

    def __init__(self, code: int) -> None:
        self.code = code


def new_path(game: str) -> Path:
    """A file of its own for a new game."""
    folder = Path(os.environ.get("BACKROOM_GAMES") or Path(platformdirs.user_data_dir("backroom"), "games"))
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (path := folder / f"{game}-{number}.log").exists():
        number += 1
    return path


def write(path: Path, text: str) -> None:
    """Replace a file in one step, so that it is never half written."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.name)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(name, path)


@dataclass
class Session:
    """One sitting at one table."""

    table: Table
    bots: dict[Seat, Bot]
    """Who plays the seats that nobody at the keyboard has."""
    path: Path
    told: dict[Seat, int] = field(default_factory=dict)
    """How much of the log each person has been told."""
    looking: Seat | None = None
    """Who sits before the screen."""

    @property
    def people(self) -> list[Seat]:
        return [seat for seat in range(self.table.seats) if seat not in self.bots]

    def run(self) -> int:
        """Play to the end, or until the player leaves; says the exit code."""
        self.save()
        try:
            while not self.table.is_over:
                self.go_on()
        except Left as left:
            if left.code:
                console.print()
            console.print(f"The game is saved. Go on with: backroom play --resume {self.path}")
            return left.code
        self.finish()
        return 0

    def go_on(self) -> None:
        """One move of somebody."""
        for seat in self.table.asked:
            if seat in self.bots:
                self.offer_claims()
                move = self.bots[seat].answer(self.table.view(seat), seat, secrets.randbits(63))
                self.play(seat, self.table.game.rules.name(self.table.view(seat), move))
                return
        self.ask(self.table.asked[0])

    def offer_claims(self) -> None:
        """Whoever is not asked but could move is asked whether he wants to."""
        for seat in self.people:
            if seat not in self.table.asked and self.table.moves(seat):
                self.ask(seat, may_wait=True)

    def play(self, seat: Seat, name: str) -> None:
        """Make a move; it is stored before anybody sees it."""
        self.table.play(seat, name)
        self.save()

    def save(self) -> None:
        write(self.path, str(self.table.save))

    # talking to a person

    def ask(self, seat: Seat, may_wait: bool = False) -> None:
        """Show a person the table, and take an answer."""
        self.turn_to(seat)
        self.tell(seat)
        self.show(seat)
        while True:
            line = self.read(f"{self.table.game.seat_name(seat)}> ").strip()
            if may_wait and not line:
                return
            names = self.table.moves(seat)
            if not line and len(names) == 1:
                line = names[0]
            if not line:
                console.print("Type a move, its number, or help.", style="dim")
            elif self.obey(seat, line):
                return

    def turn_to(self, seat: Seat) -> None:
        """Hide the screen when it changes hands at a table with secrets."""
        if self.looking not in (None, seat) and self.table.game.rules.SECRETS:
            console.clear()
            self.read(f"Hand over to {self.table.game.seat_name(seat)}, who presses Enter ")
        self.looking = seat

    def tell(self, seat: Seat) -> None:
        """What has happened since this person last looked."""
        since = self.told.get(seat, 0)
        for sentence in self.table.story(seat, since=min(since, len(self.table.lines))):
            console.print(sentence)
        self.told[seat] = len(self.table.lines)

    def show(self, seat: Seat) -> None:
        rules = self.table.game.rules
        v = self.table.view(seat)
        moves = self.table.game.moves(v, seat)
        touched = [rules.touch(v, seat, move) for move in moves]
        console.print()
        show_scene(self.table.game, v, seat, {ways[0] for ways in touched if ways})
        console.print(Text(rules.question(v, seat), "bold"))
        show_moves([rules.name(v, move) for move in moves])

    def read(self, prompt: str) -> str:
        try:
            return console.input(Text(prompt, "bold"))
        except EOFError:
            raise Left(1) from None
        except KeyboardInterrupt:
            raise Left(130) from None

    def obey(self, seat: Seat, line: str) -> bool:
        """Do what a person typed; says whether the person has to be asked anew."""
        word, _, rest = line.partition(" ")
        command = getattr(self, f"do_{word.lower()}", None)
        played = len(self.table.lines)
        try:
            if command is not None:
                return bool(command(seat, rest.strip()))
            for one in line.split(","):
                self.play(seat, self.named(seat, one.strip()))
                if self.table.asked != (seat,):
                    break
        except (IllegalMove, BadOption, OSError) as refusal:
            console.print(Text(str(refusal), "red"))
            return len(self.table.lines) > played
        return True

    def named(self, seat: Seat, text: str) -> str:
        """A move's name, from its name or its number in the list."""
        names = self.table.moves(seat)
        if not text.isdecimal():
            return text
        if not 1 <= int(text) <= len(names):
            raise IllegalMove(f"there is no move number {text}; they are numbered 1 to {len(names)}")
        return names[int(text) - 1]

    def do_help(self, seat: Seat, rest: str) -> bool:
        console.print(HELP)
        return False

    def do_why(self, seat: Seat, rest: str) -> bool:
        if not rest:
            console.print("Say which move, like: why " + self.table.moves(seat)[0])
        else:
            console.print(self.table.why(seat, rest) or f"{rest} is allowed.")
        return False

    def do_rules(self, seat: Seat, rest: str) -> bool:
        show_rules(self.table.game, rest or None)
        return False

    def do_board(self, seat: Seat, rest: str) -> bool:
        self.show(seat)
        return False

    def do_log(self, seat: Seat, rest: str) -> bool:
        for number, sentence in enumerate(self.table.story(seat), 1):
            console.print(Text.assemble((f"{number:>4}  ", "dim"), sentence))
        return False

    def do_position(self, seat: Seat, rest: str) -> bool:
        console.print(self.table.game.rules.position(self.table.view(seat)))
        return False

    def do_undo(self, seat: Seat, rest: str) -> bool:
        mine = [number for number, at in enumerate(self.table.lines) if at.seat in self.people]
        if not mine:
            raise IllegalMove("there is no move of yours to take back")
        name = self.table.lines[mine[-1]].name
        self.table.rewind(mine[-1])
        self.save()
        self.told = {reader: min(told, mine[-1]) for reader, told in self.told.items()}
        console.print(f"{name} is taken back.")
        return True

    def do_save(self, seat: Seat, rest: str) -> bool:
        path = Path(rest).expanduser() if rest else self.path
        write(path, str(self.table.save))
        console.print(f"Saved to {path}")
        return False

    def do_quit(self, seat: Seat, rest: str) -> bool:
        raise Left(0)

    def finish(self) -> None:
        """Tell everybody how it ended."""
        for seat in self.people:
            self.turn_to(seat)
            self.tell(seat)
            if not self.table.game.rules.SECRETS:
                break
        console.print()
        seat = self.people[0] if self.people else 0
        show_scene(self.table.game, self.table.view(seat), seat)
        score = self.table.score
        assert score is not None
        show_result(self.table.game, score)
        console.print(f"The game is kept in {self.path}; look at it with: backroom replay {self.path}", style="dim")


def seat_bots(table: Table, bots: list[Bot], seat: Seat | None) -> dict[Seat, Bot]:
    """Put bots into the seats that the person at the keyboard does not take; with none, all are at the keyboard."""
    if seat is not None and seat not in range(table.seats):
        raise BadOption(f"there is no seat {seat}; this table has {listing(map(str, range(table.seats)))}")
    if not bots:
        return {}
    others = [other for other in range(table.seats) if other != (seat or 0)]
    return {other: bots[place % len(bots)] for place, other in enumerate(others)}

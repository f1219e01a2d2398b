"""Playing in the terminal: one or more people at one keyboard, with bots in the other seats."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.text import Text

from backroom.bots import Bot, SeatedBot, ends_of_turns, hint, is_bot, judge_of, next_seat, seated
from backroom.engine.lessons import lessons
from backroom.engine.marks import plain
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import IllegalMove, Move, Product, Seat, State
from backroom.engine.table import Table
from backroom.scene.scene import Scene
from backroom.terminal.answers import leaves_the_game, menu_of, read
from backroom.terminal.doubts import MUCH, Doubter, note_that_it_is_compiled
from backroom.terminal.files import command, free_path, new_path, write
from backroom.terminal.pages import GO_ON, Prompt, as_lines, cut, show_prompt
from backroom.terminal.settings import Settings
from backroom.terminal.show import console, glimpse, legend, numbered, result, rules

HELP = """\
Type a move by its name, a part of it, or its sign in the list; several in a row. Enter plays the only one. Or:
  hint          what a strong bot would do
  moves [WORD]  all moves that are open, or those with that word; Enter lists them too
  why MOVE      why that move is not allowed
  rules [§]     the rulebook, or one paragraph of it, like: rules 3.7
  undo          take back the last move (dice fall the same way again)
  board         show the board again, with what its signs mean
  log           the game so far, in sentences
  position      the position on one line, to begin from it another time
  tips off      do not explain what is new; tips on explains everything again
  doubts off    do not ask again before a move that gives much away
  save FILE     write the game to another file too (it is saved after every move anyway)
  quit          stop; the game can be gone on with later\
"""
EXPORT = "  export [FILE] write what you are making to a file; when you are done it is written there again"
SHORT = {"?": "help", "h": "help", "q": "quit", "exit": "quit"}
HINT_EFFORT = 0.25
"""The effort of a hint, relative to an analysis."""
LONGEST_CHOICE = 64
"""The most steps in one choice."""
TIPS_OFF = " (No more of these: tips off.)"
READ_ON = "Enter: more, q: enough > "
WAITING = "This is not your turn: you may do one of these, or press Enter and let the others go on."


class Left(Exception):
    """The person at the keyboard has left: by quit (0), by the end of input (1) or by Ctrl-C (130)."""

    def __init__(self, code: int) -> None:
        self.code = code


@dataclass
class Session:
    """One session at one table."""

    table: Table
    bots: dict[Seat, SeatedBot]
    """The bots, by seat; all other seats are played at the keyboard."""
    path: Path
    told: dict[Seat, int] = field(default_factory=dict)
    """How many lines of the log each person has been told about."""
    looking: Seat | None = None
    """The person at the screen."""
    news: list[RenderableType] = field(default_factory=list)
    """What must be read before the next board."""
    is_own_news: bool = True
    """Whether all of `news` was done by the person who reads it."""
    ahead: list[str] = field(default_factory=list)
    """Lines that were typed when only Enter was expected: they answer the next questions."""
    kept: bytes | None = None
    """What was last written to the file, to notice if another program writes there too."""
    notice: str = ""
    """A message to show below the next board."""
    product: Path | None = None
    """The file that the game makes, written whenever it changes."""
    doubted: tuple[int, Seat, str] | None = None
    """The move that a person was asked to confirm, with its seat and the number of lines before it."""
    settings: Settings = field(default_factory=Settings)
    """The settings of this machine."""
    doubter: Doubter | None = None
    """Says what a move gives away; None if there is no person to ask."""

    @property
    def people(self) -> list[Seat]:
        return [seat for seat in range(self.table.seats) if seat not in self.bots]

    def run(self) -> int:
        """Play to the end, or until everybody leaves; returns the exit code."""
        who = {seat: name for seat, name in self.table.who.items() if seat in self.people}
        names = {seat: name for seat, name in who.items() if not is_bot(name, self.table.game)}
        self.table.who = names | {seat: bot.name for seat, bot in self.bots.items()}
        self.table.nameless = frozenset(self.bots)
        try:
            if not self.table.is_over:
                self.save()
                self.welcome()
            while not self.table.is_over:
                self.go_on()
            self.finish()
        except Left as left:
            return self.leave(left.code)
        except KeyboardInterrupt:  # while nobody is asked
            return self.leave(130)
        return 0

    def leave(self, code: int) -> int:
        """Say how to continue another time."""
        if code:
            console.print()
        self.say_where_it_is()
        return code

    def welcome(self) -> None:
        """What the game is, and who plays which seat."""
        game = self.table.game
        people = [game.seat_name(seat) for seat in self.people]
        others = []
        for name in dict.fromkeys(bot.name for bot in self.bots.values()):
            seats = [game.seat_name(seat) for seat, bot in self.bots.items() if bot.name == name]
            others.append(f"{listing(seats, 'and')} {'is' if len(seats) == 1 else 'are'} played by {name}")
        here = f"You are {people[0]}" if len(people) == 1 else f"{listing(people, 'and')} play at this keyboard"
        self.say(Text.assemble((game.title, "bold"), ": ", game.summary))
        self.say(f"{'. '.join([here, *others])}. Type help at any time.")
        if lessons(game):
            self.say(f"New to it? Its first three minutes are played by: {command('learn', game.name)}")
        if signs := legend(game):
            self.say(signs)
        self.is_own_news = False

    def say(self, thing: RenderableType) -> None:
        """Show something before the next board."""
        self.news.append(thing)

    def go_on(self) -> None:
        """Make the next move."""
        seat = next_seat(self.table, self.bots)
        if seat is None:
            self.ask(self.table.asked[0])
        elif not self.offer_claims():
            self.play(seat, self.bots[seat].move(self.table))

    def offer_claims(self) -> bool:
        """Let people who are not asked but can move do so, or press Enter; returns whether somebody moved."""
        before = len(self.table.lines)
        for seat in self.people:
            if seat not in self.table.asked and self.table.moves(seat):
                self.ask(seat, may_wait=True)
        return len(self.table.lines) != before

    def play(self, seat: Seat, name: str) -> None:
        """Make a move; it is stored before anybody sees it."""
        self.table.play(seat, name)
        self.save()

    @property
    def making(self) -> Product | None:
        """The file that this game is played to make."""
        found: Product | None = getattr(self.table.game.rules, "MAKES", None)
        return found

    def do_export(self, seat: Seat, rest: str) -> bool:
        """Write the file as it stands."""
        if self.making is None:
            raise IllegalMove(f"nothing is made in {self.table.game.title} that could be written to a file")
        path = free_path(rest) if rest else self.product or free_path(self.making.file)
        write(path, self.making.write(self.table.view(seat)))
        self.product = path
        console.print(f"Written to {path}", soft_wrap=True)
        return False

    def save(self) -> None:
        """Write the log. If that fails, say so and play on; if another program wrote to the file, take another one."""
        text = str(self.table.save)
        try:
            if self.kept is not None and self.path.exists() and self.path.read_bytes() != self.kept:
                taken, self.path = self.path, new_path(self.table.game.name)
                self.notice = f"{taken} was changed by somebody else; this game goes on in {self.path}"
            write(self.path, text)
            self.kept = text.encode()
        except OSError as error:
            self.kept = None
            self.notice = f"This game cannot be saved in {self.path} ({error.strerror}). Type: save FILE"

    def say_where_it_is(self) -> None:
        """Say how to continue later; as a last resort print the log itself."""
        if self.kept is None:
            self.save()
        if self.kept is None:
            console.print(self.notice, soft_wrap=True)
            console.print(str(self.table.save), soft_wrap=True)
        else:
            again = command("play", "--resume", self.path.absolute())
            console.print(f"The game is saved. Go on with: {again}", soft_wrap=True)

    # Talking to a person

    def ask(self, seat: Seat, may_wait: bool = False) -> None:
        """Show a person the table, and read an answer."""
        self.turn_to(seat)
        self.tell(seat)
        self.show(seat, may_wait)
        while True:
            line = self.ahead.pop() if self.ahead else self.read(f"{self.table.game.seat_name(seat)}> ").strip()
            names = self.table.moves(seat)
            if not line and may_wait:
                return
            if not line and len(names) == 1:
                line = names[0]
            if not line:
                self.do_moves(seat, "")
                console.print(f"Type a move, like {names[0]}, its sign in the list, or help.", style="dim")
            elif self.obey(seat, line):
                return

    def turn_to(self, seat: Seat) -> None:
        """Hide the screen when it changes hands in a game with secrets, and before the first person looks."""
        if self.needs_curtain(seat):
            console.clear()
            self.read(f"Hand over to {self.table.game.seat_name(seat)}, who presses Enter ")
        self.looking = seat

    def needs_curtain(self, seat: Seat) -> bool:
        """Whether others may be at the screen who must not see what this person sees."""
        return self.table.game.rules.SECRETS and len(self.people) > 1 and self.looking != seat

    def tell(self, seat: Seat) -> None:
        """What has happened since this person last looked, or since anybody did in a game without secrets."""
        reader = seat if self.table.game.rules.SECRETS else self.people[0]
        since, self.told[reader] = self.told.get(reader, 0), len(self.table.lines)
        self.is_own_news &= all(at.seat == seat for at in self.table.lines[since:])
        for _, sentence in self.table.turns(seat, since=since):
            self.say(sentence)
        for number in range(since + 1, len(self.table.lines) + 1):
            for part in glimpse(self.table, number, seat):
                self.say(part)

    def show(self, seat: Seat, may_wait: bool = False) -> None:
        """What has happened, the board, the question and the moves; and how to decline, if that is possible."""
        for tip in self.tip(seat):
            self.say(tip)
            self.is_own_news = False
        question = Text(self.table.question(seat), "bold")
        notes = [Text(WAITING, "dim")] if may_wait else []
        notes += [Text(self.notice, "red")] if self.notice else []
        lit = {ways[0] for ways in self.ways(seat) if ways}
        self.show_prompt(Prompt(self.scene(seat), question, menu_of(self.table, seat), self.news, notes, lit))
        self.notice = ""

    def tip(self, seat: Seat) -> list[Text]:
        """An explanation of something this person has not met before: one at a time, each once."""
        game = self.table.game
        found = self.settings.newest(game, self.table.view(seat), seat)
        if found is None:
            return []
        is_first = not self.settings.told.get(game.name)
        try:
            self.settings.remember(game, found)
        except OSError as error:
            self.notice = f"What was explained cannot be remembered in {self.settings.path} ({error.strerror})."
        said = f"{plain(found.says, self.table.names)}{TIPS_OFF if is_first else ''}"
        return [Text.assemble(("New: ", "bold cyan"), (said, "cyan"))]

    def scene(self, seat: Seat) -> Scene:
        drawn: Scene = self.table.game.rules.draw(self.table.view(seat), seat)
        return drawn

    def show_prompt(self, turn: Prompt) -> None:
        """Show the turn on one page or several, waiting before each unless the person knows what is on the last one."""
        show_prompt(turn, (lambda: None) if self.is_own_news else self.wait)
        self.news, self.is_own_news = [], True

    def wait(self) -> None:
        """Let a person read. A line typed here answers the next question."""
        if not self.ahead:
            self.ahead = list(filter(None, [self.read(GO_ON).strip()]))

    def print_long(self, *things: RenderableType) -> None:
        """Print a long text, one screen at a time."""
        if not console.is_terminal:
            for thing in things:
                console.print(thing, soft_wrap=False if isinstance(thing, Markdown) else None)
            return
        for number, page in enumerate(cut(as_lines(things), console.height - 1)):
            if number and (typed := self.read(READ_ON).strip()):
                self.ahead = [typed] if typed not in ("q", "quit") else []
                return
            for line in page:
                console.print(line, soft_wrap=True)

    def ways(self, seat: Seat) -> list[list[str]]:
        """The ids to touch for each of the open moves."""
        v = self.table.view(seat)
        return [self.table.game.rules.touch(v, seat, move) for move in self.table.game.moves(v, seat)]

    def read(self, prompt: str) -> str:
        """Read a line from the keyboard."""
        try:
            return input(prompt)
        except (EOFError, RuntimeError):  # RuntimeError: there is no input at all
            raise Left(1) from None
        except KeyboardInterrupt:
            raise Left(130) from None

    def obey(self, seat: Seat, line: str) -> bool:
        """Do what a person typed; returns whether the question has to be asked again."""
        word, _, rest = line.partition(" ")
        command = getattr(self, f"do_{SHORT.get(word.lower(), word.lower())}", None)
        played = len(self.table.lines)
        try:
            if command is not None and line not in self.table.moves(seat):
                return bool(command(seat, rest.strip()))
            for one in self.said(seat, line):
                if len(self.table.lines) > played and self.table.lines[-1].seat != seat:
                    raise IllegalMove(f"{one} is not played: something else has happened first")
                answer = read(self.table, seat, one)
                for name in answer.moves:
                    self.make_sure(seat, name)
                    self.play(seat, name)
                if answer.unclear:
                    raise IllegalMove(answer.unclear)
        except (IllegalMove, BadOption, OSError) as refusal:
            if len(self.table.lines) > played:
                self.notice = str(refusal)
                return True
            console.print(str(refusal), style="red")
            return False
        return True

    def said(self, seat: Seat, line: str) -> list[str]:
        """The parts of a line between commas, unless the whole line is the label of a move."""
        is_one = menu_of(self.table, seat).chosen(line) is not None
        return [line] if is_one else list(filter(None, (part.strip() for part in line.split(","))))

    def make_sure(self, seat: Seat, name: str) -> None:
        """Refuse a move once that the person probably does not mean; typed again, it is played."""
        game, v = self.table.game, self.table.view(seat)
        moves = game.moves(v, seat)
        doubt = (len(self.table.lines), seat, name)
        if len(moves) < 2 or self.doubted == doubt or self.table.why(seat, name) is not None:
            return
        move = game.rules.parse(v, name)
        label = self.table.labels(seat)[moves.index(move)]
        if leaves_the_game(game, v, seat, move):
            self.doubted = doubt
            raise IllegalMove(
                f"{label}: after this you are not asked again, and others play on. Sure? Say it again to play it"
            )
        lost = self.loss(seat, v, move)
        if lost >= MUCH:
            self.doubted = doubt
            raise IllegalMove(
                f"{label}: a strong bot knows a move that wins about {100 * lost:.0f} more of 100 games; hint says "
                "which. Sure? Say it again to play it"
            )

    def loss(self, seat: Seat, v: State, move: Move) -> float:
        """What a move gives away, if people want to know."""
        if self.doubter is None or not self.settings.doubts or seat not in self.table.asked:
            return 0.0
        return self.doubter.loss(v, seat, move, ends_of_turns(self.table, seat))

    def do_tips(self, seat: Seat, rest: str) -> bool:
        """Switch explanations on, from the beginning, or off."""
        if self.switch("tips", rest):
            self.settings.told.pop(self.table.game.name, None)
            self.settings.save()
        return False

    def do_doubts(self, seat: Seat, rest: str) -> bool:
        self.switch("doubts", rest)
        return False

    def switch(self, name: str, word: str) -> bool:
        """Switch a setting on or off, for this and later games; returns whether it is on now."""
        if word not in ("on", "off"):
            is_now = "on" if getattr(self.settings, name) else "off"
            raise IllegalMove(f"{name} are {is_now}; say: {name} on, or {name} off")
        setattr(self.settings, name, word == "on")
        self.settings.save()
        console.print(f"{name} {word}: so it stays on this machine.")
        return word == "on"

    def do_help(self, seat: Seat, rest: str) -> bool:
        export = [EXPORT] if self.making is not None else []
        signs = legend(self.table.game)
        self.print_long(HELP, *export, *([signs] if signs else []))
        return False

    def do_why(self, seat: Seat, rest: str) -> bool:
        if not rest:
            console.print("Say which move, like: why " + self.table.moves(seat)[0])
        else:
            name = menu_of(self.table, seat).chosen(rest) if self.table.why(seat, rest) else rest
            console.print(self.table.why(seat, name or rest) or f"{name} is allowed.")
        return False

    def do_rules(self, seat: Seat, rest: str) -> bool:
        self.print_long(rules(self.table.game, rest or None))
        return False

    def do_board(self, seat: Seat, rest: str) -> bool:
        if signs := legend(self.table.game):
            self.say(signs)
            self.is_own_news = False
        self.show(seat)
        return False

    def do_moves(self, seat: Seat, rest: str) -> bool:
        self.print_long(*menu_of(self.table, seat).parts(sys.maxsize, rest))
        return False

    def do_hint(self, seat: Seat, rest: str) -> bool:
        """What a strong bot would do and why, knowing no more than the person."""
        game, v = self.table.game, self.table.view(seat)
        if not game.moves(v, seat):
            raise IllegalMove("there is nothing to choose")
        console.print("A moment …", style="dim")
        found = hint(game, judge_of(game, HINT_EFFORT), v, seat, been=ends_of_turns(self.table, seat))
        note_that_it_is_compiled(game)
        console.print(plain(found.says, self.table.names))
        return False

    def do_log(self, seat: Seat, rest: str) -> bool:
        """Print the log with the reader's own line numbers: gaps would reveal hidden steps of others."""
        self.print_long(*(numbered(number, said) for number, (_, said) in enumerate(self.table.turns(seat), 1)))
        return False

    def do_position(self, seat: Seat, rest: str) -> bool:
        console.print(self.table.game.rules.position(self.table.view(seat)), soft_wrap=True)
        return False

    def do_undo(self, seat: Seat, rest: str) -> bool:
        """Take back: bots agree to everything; among people with secrets, only moves that nobody has learned from."""
        if len(self.people) > 1 and self.table.game.rules.SECRETS:
            name = next((at.name for at in reversed(self.table.lines) if at.seat == seat), "")
            self.table.take_back(seat)
        else:
            mine = [number for number, at in enumerate(self.table.lines) if at.seat in self.people]
            if not mine:
                raise IllegalMove("there is no move of yours to take back")
            first = self.begins(mine[-1])
            names = listing([at.name for at in self.table.lines[first : mine[-1] + 1]], "and")
            who = self.table.game.seat_name(self.table.lines[first].seat)
            name = f"{who}'s {names}" if len(self.people) > 1 else names
            self.table.rewind(first)
        for bot in self.bots.values():
            bot.recall(self.table)
        self.save()
        self.told = {reader: min(told, len(self.table.lines)) for reader, told in self.told.items()}
        self.say(f"{name} {'are' if ' and ' in name else 'is'} taken back.")
        return True

    def begins(self, number: int) -> int:
        """The first line of the choice that ends with this line; it includes steps without a sentence."""
        at = self.table.lines[number]
        told = {line for line, _ in self.table.chronicle(at.seat, since=max(0, number - LONGEST_CHOICE))}
        first = number
        while number + 1 in told and first > 0 and self.table.lines[first - 1].seat == at.seat and first not in told:
            first -= 1
        return first

    def do_save(self, seat: Seat, rest: str) -> bool:
        if not rest:
            self.save()
            console.print(self.notice or f"Saved to {self.path}", soft_wrap=True)
            self.notice = ""
        else:
            path = free_path(rest)
            write(path, str(self.table.save))
            console.print(f"Saved to {path}", soft_wrap=True)
            if self.kept is None:
                self.path, self.kept = path, str(self.table.save).encode()
        return False

    def do_quit(self, seat: Seat, rest: str) -> bool:
        raise Left(0)

    def finish(self) -> None:
        """Tell everybody how the game ended."""
        game = self.table.game
        for seat in self.people if game.rules.SECRETS else self.people[:1]:
            self.turn_to(seat)
            self.tell(seat)
        seat = self.people[0] if self.people else 0
        self.show_end(seat)
        if self.product is not None:
            self.do_export(seat, "")
        if self.notice:
            console.print(self.notice, style="red", soft_wrap=True)
        console.print(f"Look at it again with: {command('replay', self.path.absolute())}", style="dim", soft_wrap=True)

    def show_end(self, seat: Seat) -> None:
        """The last board, and who has won."""
        self.is_own_news = False
        self.show_prompt(Prompt(self.scene(seat), Group(*result(self.table)), story=self.news))


def sitting(
    table: Table, bots: dict[Seat, SeatedBot], path: Path, kind: type[Session] = Session, **kept: Any
) -> Session:
    """A session with the settings of this machine. At a screen there is somebody to ask for confirmation."""
    doubter = Doubter(table.game) if console.is_terminal and bots else None
    return kind(table, bots, path, settings=Settings.read(), doubter=doubter, **kept)


def resumed(table: Table, bots: dict[Seat, SeatedBot], path: Path, kind: type[Session] = Session) -> Session:
    """A session that continues a saved game: people are told what has happened since their last move."""
    for bot in bots.values():
        bot.recall(table)
    people = [seat for seat in range(table.seats) if seat not in bots]
    last = {seat: max((n for n, at in enumerate(table.lines, 1) if at.seat == seat), default=0) for seat in people}
    told = last if table.game.rules.SECRETS else dict.fromkeys(people, max(last.values(), default=0))
    return sitting(table, bots, path, kind, told=told, kept=path.read_bytes())


def seat_bots(table: Table, bots: list[Bot], seat: Seat) -> dict[Seat, SeatedBot]:
    """Put bots into the seats that the person at the keyboard does not take.

    Without bots, all seats are played at the keyboard.
    """
    if seat not in range(table.seats):
        named = (f"{other} ({table.game.seat_name(other)})" for other in range(table.seats))
        raise BadOption(f"there is no seat {seat}; this table has {listing(named)}")
    others = [other for other in range(table.seats) if other != seat]
    check_company(bots, len(others))
    if not bots:
        return {}
    return {other: seated(bots[place % len(bots)], other, table) for place, other in enumerate(others)}


def check_company(bots: list[Bot], seats: int) -> None:
    """Raise BadOption unless there is a seat for every bot."""
    if len(bots) > seats:
        who = "1 bot wants" if len(bots) == 1 else f"{len(bots)} bots want"
        where = "is no seat for any" if seats == 0 else "is 1 seat" if seats == 1 else f"are {seats} seats"
        raise BadOption(f"{who} to sit, and there {where}")

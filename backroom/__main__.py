"""The command line."""

import contextlib
import inspect
import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional, TextIO

import typer
from numba.core.errors import TypingError
from typer.core import TyperGroup

import backroom
from backroom.engine.game import Game
from backroom.engine.kernel import SPECTATOR, cache_folder, mark
from backroom.engine.log import BadLog, Unfair
from backroom.engine.options import BadOption, Option
from backroom.engine.phrases import listing
from backroom.engine.protocol import BadPosition, IllegalMove
from backroom.engine.registry import LeftOut, faults, is_registered
from backroom.engine.shape import BadShape
from backroom.terminal.files import read_value
from backroom.terminal.show import console, errors, show_rules

if TYPE_CHECKING:
    from backroom.terminal.play import Session

as_python_shows_it = warnings.showwarning

# ruff: noqa: UP045 (typer reads these annotations at run time, and wants Optional)


class PerGame(TyperGroup):
    """A command with a subcommand for each game, which has that game's own options; made on demand."""

    make: Callable[..., Any]

    def list_commands(self, ctx: Any) -> list[str]:
        return list(backroom.names())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        game = find(cmd_name)
        command = typer.Typer(add_completion=False)
        says = (inspect.getdoc(type(self).make) or "").format(game.title, company_of(game))
        command.command(name=game.name, help=says, epilog=bots_for(game, type(self).make))(
            with_options_of(game, type(self).make)
        )
        return typer.main.get_command(command)


def company_of(game: Game) -> str:
    """With whom a game is played in the terminal, for its help text."""
    return "alone" if max(game.seats) == 1 else "against bots, or several at one keyboard"


def bots_for(game: Game, function: Callable[..., Any]) -> str | None:
    """The names of the bots of a game, for the help text of a command that seats bots."""
    if {"bot", "bots"}.isdisjoint(inspect.signature(function).parameters):
        return None
    return f"The bots, from weak to strong: {listing(backroom.bots.offered(game), 'and')}."


def seats_of(game: Game) -> str:
    """The numbers of seats of a game, for its help text."""
    numbers = listing(map(str, game.seats))
    return f"The number of seats: {numbers}." + (f" Default: {game.seats[0]}." if len(game.seats) > 1 else "")


def find(name: str) -> Game:
    """The game with this name, or a usage error."""
    return backroom.game(name.lower())


def per_game(function: Callable[..., Any]) -> type[PerGame]:
    """The group of a command whose options depend on the game."""
    return type("PerGame", (PerGame,), {"make": staticmethod(function)})


def is_name_of_file(option: Option, value: str) -> bool:
    """Whether the value of an option is the name of a file."""
    if value in option.values:
        return False
    return option.is_file or (option.may_be_file and os.path.isfile(value))


def with_options_of(game: Game, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose parameter `chosen` has become the flags of a game's options, and `game` the game."""
    flags = {option.name: option for option in game.options}

    def command(**given: Any) -> Any:
        chosen = {name: value for name in flags if (value := given.pop(name)) is not None}
        for pair in given.pop("option", None) or []:
            name, equals, value = pair.partition("=")
            if not equals or not name:
                raise BadOption(f"--option {pair!r}; expected --option NAME=VALUE")
            if name in chosen:
                raise BadOption(f"option {name} is given twice")
            chosen[name] = value
        for name, value in chosen.items():
            if name in flags and is_name_of_file(flags[name], value):
                chosen[name] = read_value(flags[name], value)
        say_that_kernels_compile(game)
        return function(game=game, chosen=chosen, **given)

    def flag(name: str, kind: Any, *words: str, **says: Any) -> inspect.Parameter:
        annotation = Annotated[Optional[kind], typer.Option(*words, **says)]
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)

    own = [
        flag("seats", int, "--seats", help=seats_of(game)) if p.name == "seats" else p
        for p in inspect.signature(function).parameters.values()
        if p.name not in ("game", "chosen")
    ]
    parameters = [
        *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own),
        *(
            flag(
                name,
                str,
                f"--{name.replace('_', '-')}",
                help=f"{option.says} Default: {option.default}."
                + (f" A file is checked by `backroom {name} check`." if option.is_file else ""),
                metavar="|".join([*option.values, *filter(None, [option.other])]),
            )
            for name, option in flags.items()
        ),
        flag("option", list[str], "--option", "-o", help="An option as NAME=VALUE.", metavar="NAME=VALUE"),
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


class Commands(TyperGroup):
    """The commands below, and two kinds that depend on the games.

    The name of a game plays it; the name of an option that is a file checks and draws such files.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        games = [game for game in map(backroom.game, backroom.names()) if not hasattr(game.rules, "MAKES")]
        files = dict.fromkeys(option.name for game in games for option in game.options if option.is_file)
        return [*super().list_commands(ctx), *files]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        known = super().get_command(ctx, cmd_name)
        if known is not None or cmd_name.startswith("-"):
            return known
        if is_registered(cmd_name):
            return typer.main.get_command(play_app).get_command(ctx, cmd_name)  # type: ignore[attr-defined]
        from backroom.terminal.parts import commands_for, games_with

        return commands_for(cmd_name) if any(games_with(cmd_name)) else None


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, cls=Commands)

Seats = Annotated[Optional[int], typer.Option(help="The number of seats.")]
Seat = Annotated[int, typer.Option(help="Your seat; seats are numbered from 0.")]
Bots = Annotated[
    Optional[list[str]],
    typer.Option(help="The bot in the other seats; give it once for all, or once for each."),
]
HotSeat = Annotated[bool, typer.Option("--hot-seat", help="No bots: all seats play at this keyboard.")]
Seed = Annotated[Optional[str], typer.Option(help="The seed that all chance is drawn from. Default: a secret one.")]
From = Annotated[
    Optional[str],
    typer.Option("--from", help="The position to begin from, as `position` prints it.", metavar="POSITION"),
]
Save = Annotated[Optional[Path], typer.Option(help="A new file to keep the game in.", metavar="FILE")]
FullScreen = Annotated[
    bool, typer.Option("--full-screen", help="Use the whole screen, with keys and mouse; the board stays in place.")
]
Picture = Annotated[Optional[Path], typer.Option(help="Write the board as a picture.", metavar="FILE.svg")]
LogFile = Annotated[Path, typer.Argument(help="The log of a game.", metavar="LOG")]
GameName = Annotated[str, typer.Argument(help="The game.", metavar="GAME")]


@app.callback(invoke_without_command=True)
def backroom_itself(
    ctx: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    """Backroom: the digital home of the run games. Without a command, in a terminal, the table in the browser opens.

    Games are kept in the user's data folder, or where BACKROOM_GAMES says; compiled rules in the user's cache folder,
    or where BACKROOM_CACHE says.
    """
    from backroom.terminal.files import command

    if version:
        console.print(f"backroom {backroom.__version__}")
    elif ctx.invoked_subcommand is None and sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("CI"):
        serve(open_page=True)
    elif ctx.invoked_subcommand is None:
        console.print("Backroom, the digital home of the run games. There is:\n")
        for name in backroom.names():
            game = backroom.game(name)
            few, many = min(game.seats), max(game.seats)
            seats = f"{few} to {many} players" if few < many else "1 player" if few == 1 else f"{few} players"
            console.print(f"  {name}: for {seats}. {game.summary}\n")
        first = next(backroom.names())
        starts = {"Browser": ("serve",), "Play": ("play", first), "Read": ("rules", first), "More": ("--help",)}
        for what, words in starts.items():
            console.print(f"{what}:  {command(*words)}", soft_wrap=True)


# serve


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 for the whole network.")] = "127.0.0.1",
    port: Annotated[
        Optional[int], typer.Option(help="The port; 0 for any free one. Default: 8642 if it is free.", min=0, max=65535)
    ] = None,
    db: Annotated[
        Optional[str],
        typer.Option(help="Where tables are kept: a file, or postgresql://… Default: the user's data folder."),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = False,
    processes: Annotated[
        Optional[int],
        typer.Option(help="The number of server processes. Default: one for each core, at most two.", min=1, max=64),
    ] = None,
    fd: Annotated[Optional[int], typer.Option(help="A socket that is already listening.", hidden=True)] = None,
) -> None:
    """The table in the browser: friends, bots, chat, clocks and replays."""
    from backroom.server.launch import launch

    raise typer.Exit(launch(host, port, db, open_page, processes=processes, fd=fd))


Db = Annotated[Optional[str], typer.Option(help="The database, as serve has it. Default: the user's data folder.")]


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to write.", metavar="FILE")], db: Db = None) -> None:
    """Write everything that a server keeps to a file, while it runs."""
    from backroom.server.backup import backup as write
    from backroom.server.storage.database import default_url

    head = write(db or default_url(), file)
    console.print(f"{file}: {head.rows['tables']} tables, {head.rows['entries']} entries, {head.rows['people']} people")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that backup wrote.", metavar="FILE")], db: Db = None
) -> None:
    """Read a backup into an empty database, and replay every table of it."""
    from backroom.server.backup import restore as read
    from backroom.server.storage.database import default_url

    found = read(file, db or default_url())
    console.print(f"{found.tables} tables, {found.lines} lines played through")
    for table, rules in found.old.items():
        console.print(f"table {table} can only be read: it was made with {rules}", markup=False)
    for table, why in found.wrong.items():
        console.print(f"table {table} cannot be opened: {why}", markup=False)
    raise typer.Exit(1 if found.wrong else 0)


@app.command()
def doctor(db: Db = None) -> None:
    """Check a server's database, journals, clock, disk and limits."""
    from backroom.server.doctor import examine
    from backroom.server.storage.database import default_url

    is_well = True
    for finding in examine(db or default_url()):
        is_well = is_well and finding.is_well
        console.print(f"{'well ' if finding.is_well else 'WRONG'} {finding.what}: {finding.says}", markup=False)
    raise typer.Exit(0 if is_well else 1)


# play


def play_game(
    game: Game,
    chosen: dict[str, Any],
    seats: Seats = None,
    seat: Seat = 0,
    bot: Bots = None,
    hot_seat: HotSeat = False,
    seed: Seed = None,
    start: From = None,
    save: Save = None,
    full_screen: FullScreen = False,
    resume: Annotated[Optional[Path], typer.Option(hidden=True)] = None,
) -> None:
    """Play {}: {}."""
    from backroom.terminal.files import free_path, new_path
    from backroom.terminal.play import seat_bots, sitting

    if resume is not None:
        raise BadOption(f"a saved game knows which game it is: say play --resume {resume}, without a name")
    kind = kind_of_session(full_screen)
    path = free_path(save) if save is not None else None
    bots = company(game, bot, hot_seat)
    table = backroom.Table(game, seats=seats, seed=seed, start=start, options=chosen)
    if not bots and not hot_seat and table.seats > 1:
        bots = [backroom.bots.bot(backroom.bots.DEFAULT, game)]
    seated = seat_bots(table, bots, seat)
    raise typer.Exit(sitting(table, seated, path or new_path(game.name), kind).run())


def kind_of_session(full_screen: bool) -> "type[Session]":
    """The kind of session for this terminal: line by line, or on the whole screen."""
    from backroom.terminal.play import Session

    if not full_screen:
        return Session
    check_full_screen()
    from backroom.terminal.full_screen.session import FullScreen

    return FullScreen


def check_full_screen() -> None:
    """Raise BadOption unless there is a terminal, and Textual to draw on it."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise BadOption("--full-screen needs a terminal; without it the game is played line by line")
    try:
        import textual  # noqa: F401 (only to see whether it is there)
    except ModuleNotFoundError:
        raise BadOption("--full-screen needs Textual, which is not installed: pip install 'backroom[tui]'") from None


def company(game: Game, bot: list[str] | None, hot_seat: bool) -> list[Any]:
    """The bots that were asked for."""
    if hot_seat and bot:
        raise BadOption("with --hot-seat there are no bots: say --hot-seat or --bot, not both")
    return [backroom.bots.bot_or_file(name, game) for name in bot or []]


def say_that_kernels_compile(game: Game | None = None) -> None:
    """Say once, for each game or for a file of any game, that compiling takes a while."""
    said = mark(f"said-{game.name}" if game else "said")
    if said is None or not said.exists():
        whose = f"The rules of {game.title}" if game else "The rules"
        errors.print(f"{whose} are compiled first: once, and up to a minute.", style="dim")
        if said is not None:
            said.touch()


play_app = typer.Typer(cls=per_game(play_game))
app.add_typer(play_app, name="play")


@play_app.callback(invoke_without_command=True)
def play(
    ctx: typer.Context,
    resume: Annotated[Optional[Path], typer.Option(help="Continue a saved game.", metavar="LOG")] = None,
    seat: Annotated[Optional[int], typer.Option(help="Your seat, if not the one you had.")] = None,
    bot: Bots = None,
    hot_seat: HotSeat = False,
    full_screen: FullScreen = False,
) -> None:
    """Play a game; each has its own options: see `play GAME --help`."""
    from backroom.terminal.play import resumed, seat_bots

    if ctx.invoked_subcommand is not None:
        if resume is not None:
            raise BadOption(f"a saved game knows which game it is: say play --resume {resume}, without a name")
        if seat is not None or bot or hot_seat or full_screen:
            raise BadOption(f"say the options after the game: play {ctx.invoked_subcommand} …")
        return
    if resume is None:
        chosen = choose_game()
        say_that_kernels_compile(chosen)
        play_game(chosen, {}, bot=bot, hot_seat=hot_seat, seat=seat or 0, full_screen=full_screen)
        return
    say_that_kernels_compile()
    table = backroom.replay(resume)
    if not table.is_over and table.seed is None:
        raise BadLog(f"{resume} holds no seed, so its dice cannot go on; it can be looked at with replay")
    seated = known_bots(table)
    free = [other for other in range(table.seats) if other not in seated]
    if hot_seat or bot or seat is not None:
        bots = company(table.game, bot, hot_seat) or (
            [] if hot_seat else [one.bot for one in seated.values()][: table.seats - 1]
        )
        seated = seat_bots(table, bots, seat if seat is not None else (free or [0])[0])
    elif not free:
        raise BadOption(f"{resume}: bots have all seats; say where you sit with --seat, or --hot-seat")
    raise typer.Exit(resumed(table, seated, resume, kind_of_session(full_screen)).run())


def known_bots(table: backroom.Table) -> dict[int, Any]:
    """The bots that a log names, by seat."""
    bots = backroom.bots
    names = {seat: name for seat, name in table.who.items() if bots.is_bot(name, table.game)}
    return {seat: bots.seated(bots.bot(name, table.game), seat, table) for seat, name in names.items()}


def choose_game() -> Game:
    """The only game there is, or the one that the person picks."""
    names = list(backroom.names())
    if len(names) == 1:
        return backroom.game(names[0])
    for number, name in enumerate(names, 1):
        console.print(f"{number:>3}  {backroom.game(name).title}")
    try:
        word = input("Which game? ").strip()
    except EOFError:
        raise BadOption("no game was chosen; say which: play GAME") from None
    return find(dict(zip(map(str, range(1, len(names) + 1)), names, strict=True)).get(word, "-".join(word.split())))


# watch, replay, verify


def watch_game(
    game: Game,
    chosen: dict[str, Any],
    seats: Seats = None,
    names: Annotated[
        Optional[list[str]],
        typer.Argument(help="The bots by name: one for all seats, or one for each.", metavar="BOT"),
    ] = None,
    bot: Annotated[Optional[list[str]], typer.Option(help="The same.", hidden=True)] = None,
    seed: Seed = None,
    start: From = None,
    delay: Annotated[float, typer.Option(help="Seconds between moves.", min=0, max=60)] = 0.5,
    save: Save = None,
    full_screen: FullScreen = False,
) -> None:
    """Watch bots play {}."""
    from backroom.terminal.files import free_path
    from backroom.terminal.watch import watch

    path = free_path(save) if save is not None else None
    table = backroom.Table(game, seats=seats, seed=seed, start=start, options=chosen)
    bots = company(game, [*(names or []), *(bot or [])] or [backroom.bots.DEFAULT], False)
    if not full_screen:
        raise typer.Exit(watch(table, bots, delay, path))
    check_full_screen()
    from backroom.terminal.full_screen.watching import watching

    raise typer.Exit(watching(table, bots, delay, path).run())


app.add_typer(typer.Typer(cls=per_game(watch_game)), name="watch", help="Watch bots play a game.")


@app.command()
def replay(
    log: LogFile,
    at: Annotated[Optional[int], typer.Option(help="Only the board after this number of moves.")] = None,
    seat: Annotated[int, typer.Option(help="The seat whose view is shown; -1: a spectator's.")] = SPECTATOR,
    svg: Picture = None,
) -> None:
    """Show a game that was played."""
    from backroom.terminal.watch import replay

    say_that_kernels_compile()
    raise typer.Exit(replay(backroom.replay(log), at, seat, svg))


@app.command()
def verify(log: LogFile) -> None:
    """Check that all chance in a log was drawn from the seed it committed to."""
    from backroom.engine.table import verify

    say_that_kernels_compile()
    try:
        checked = verify(log)
    except Unfair as finding:
        errors.print(f"backroom: not fair: {finding}", style="red")
        raise typer.Exit(1) from None
    console.print(f"{log}: fair. All {checked} chance moves were drawn from the seed that the header commits to.")


# the arena


def arena_game(
    game: Game,
    chosen: dict[str, Any],
    bots: Annotated[
        list[str],
        typer.Argument(help="Two bots or more, by name, or by a file that train/ppo.py wrote.", metavar="BOT"),
    ],
    games: Annotated[int, typer.Option(help="Games for each pair of bots.", min=2)] = 200,
    seats: Seats = None,
    seed: Annotated[int, typer.Option(help="The first seed; each is played twice, with the seats swapped.")] = 0,
    threads: Annotated[
        int, typer.Option(help="Games at once. Default: one for each core.", min=1, show_default=False)
    ] = os.cpu_count() or 1,
    until_sure: Annotated[bool, typer.Option("--until-sure", help="Stop when it is certain which is better.")] = False,
    opening: Annotated[int, typer.Option(help="Begin with this number of random moves, the same for both.", min=0)] = 0,
    json_file: Annotated[
        Optional[Path], typer.Option("--json", help="Write the results as JSON.", metavar="FILE")
    ] = None,
) -> None:
    """Let bots play {} against each other, with a confidence interval."""
    from backroom.terminal.contests import contests

    how = {"seats": seats, "seed": seed, "threads": threads, "until_sure": until_sure, "opening": opening}
    contests(game, chosen, bots, json_file, games=games, **how)


app.add_typer(typer.Typer(cls=per_game(arena_game)), name="arena", help="Let bots play against each other.")


@app.command()
def analyse(
    log: LogFile,
    effort: Annotated[float, typer.Option(help="2: think twice as long about each decision.", min=0.01)] = 1,
    bot: Annotated[
        str, typer.Option(help="The level that judges: hard, or the slower expert in games that have it.")
    ] = "hard",
    json_file: Annotated[
        Optional[Path], typer.Option("--json", help="Write the whole analysis as JSON.", metavar="FILE")
    ] = None,
) -> None:
    """Analyse a finished game: what each decision cost, and who was lucky."""
    from backroom.terminal.contests import report

    say_that_kernels_compile()
    report(backroom.replay(log), effort, bot, json_file)


# rules, counts, compiling


@app.command()
def learn(
    game: GameName,
    lesson: Annotated[Optional[str], typer.Argument(help="The lesson. Default: all.", metavar="LESSON")] = None,
    full_screen: FullScreen = False,
) -> None:
    """Learn a game by playing: its first three minutes, step by step."""
    from backroom.terminal.learn import chosen, learn

    say_that_kernels_compile(find(game))
    if not full_screen:
        raise typer.Exit(learn(find(game), lesson))
    check_full_screen()
    from backroom.terminal.full_screen.lessons import Lessons

    raise typer.Exit(Lessons(find(game), chosen(find(game), lesson)).run())


@app.command()
def rules(
    game: GameName,
    section: Annotated[Optional[str], typer.Argument(help="One paragraph, like 3.7.", metavar="§")] = None,
) -> None:
    """Read the rules of a game."""
    show_rules(find(game), section)


def perft_game(
    game: Game,
    chosen: dict[str, Any],
    depth: Annotated[int, typer.Option(help="The depth in moves.", min=0, max=60)] = 4,
    seats: Seats = None,
    start: From = None,
    split: Annotated[bool, typer.Option("--split", help="Split the count by first move.")] = False,
) -> None:
    """Count the ways in which {} can go on."""
    from backroom.engine import count

    table = backroom.Table(game, seats=seats, start=start, nature=False, options=chosen)
    if split and depth:
        for name, ways in count.split(game, table.state, depth).items():
            console.print(f"{name}: {ways}")
    for level in range(depth + 1):
        console.print(f"{level} {count.perft(game, table.state, level)}")


app.add_typer(typer.Typer(cls=per_game(perft_game)), name="perft", help="Count the ways in which a game can go on.")


@app.command()
def signature(
    game: Annotated[Optional[str], typer.Argument(help="The game. Default: all.", metavar="GAME")] = None,
) -> None:
    """Print one line that fingerprints how a game behaves."""
    from backroom.engine.count import signature

    say_that_kernels_compile()
    for name in [game] if game else backroom.names():
        console.print(signature(find(name)))


@app.command()
def warm(
    games: Annotated[Optional[list[str]], typer.Argument(help="The games. Default: all.", metavar="GAME")] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="One game after the other, with a line for each step, for programs.")
    ] = False,
    gym: Annotated[bool, typer.Option("--gym", help="Compile the gym's environments too.")] = False,
) -> None:
    """Compile all rules now, so that nothing has to wait for it later."""
    from backroom.arena.warm import in_order
    from backroom.terminal.warming import warm_plainly, warm_side_by_side

    if cache_folder() is None:
        raise BadOption("there is nowhere to keep compiled rules; say where in BACKROOM_CACHE")
    wanted = [find(name) for name in games] if games else in_order(map(backroom.game, backroom.names()))
    (warm_plainly if plain else warm_side_by_side)(wanted, gym)
    for word in [*([] if games else ["said"]), *(f"said-{game.name}" for game in wanted)]:
        if said := mark(word):
            said.touch()


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The name of the game, like liars-dice.", metavar="NAME")],
    package: Annotated[bool, typer.Option("--package", help="As a package of its own, in a new folder here.")] = False,
) -> None:
    """Start a game of your own: writes a small, complete one, with rulebook, rules, pictures, bots and tests."""
    from backroom.new import check_name, write_in_house, write_package
    from backroom.terminal.files import shown

    check_name(name, taken=typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    files = write_package(name, Path.cwd()) if package else write_in_house(name)
    home = Path(os.path.commonpath(files))
    console.print(f"{name} is in {shown(home)}, {len(files)} files; begin with rules.md.")
    if package:
        console.print(f'Install it:  pip install --editable "{shown(home)}[test]"', markup=False)
    console.print(f"Play it:     backroom play {name}")
    console.print(f"Test it:     pytest {shown(home)}")


@app.command()
def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP, for several agents, instead of stdin and stdout.")
    ] = False,
    host: Annotated[str, typer.Option(help="The address to listen at, with --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port, with --http.", min=1, max=65535)] = 8643,
    server: Annotated[
        Optional[str], typer.Option(help="Play at the tables of a running server, among people.", metavar="URL")
    ] = None,
) -> None:
    """Serve tables to language models over the Model Context Protocol."""
    try:
        from backroom.mcp.server import run
    except ModuleNotFoundError:
        raise BadOption("the Model Context Protocol is not installed; expected pip install 'backroom[mcp]'") from None
    if http:
        from backroom.server.launch import listen

        listen(host, port).close()  # a refusal in our words, before uvicorn tries
    run(http, host, port, server)


def main() -> None:
    """Run a command. Usage errors print one line and exit with 2, Ctrl-C with 130."""
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    warnings.showwarning = show_warning
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if sys.stdin is not None and sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 (gives input() its line editing)
    try:
        code = app(standalone_mode=False)
    except (BadLog, BadOption, BadPosition, BadShape, IllegalMove) as error:
        code = refuse(str(error))
    except BrokenPipeError:  # the reader of our output has gone, which is not an error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except OSError as error:
        code = refuse(": ".join(filter(None, [str(error.filename or ""), error.strerror or str(error)])))
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except Exception as error:
        if interrupted:  # while Numba compiles, Ctrl-C surfaces as errors of all kinds
            code = 130
        elif hasattr(error, "format_message"):  # typer's own refusals
            why = error.format_message().replace("\n", " ").rstrip(".")
            why = missing(error) if why == "Missing command" else why
            code = refuse(f"{why}{'' if why.endswith('?') else '.'} See --help.")
        elif isinstance(error, (TypingError, KeyError)) and (fault := next(faults(), "")):  # a game under development
            code = refuse(fault)
        else:
            raise
    sys.exit(code or 0)


def missing(error: Any) -> str:
    """The message for a command that needs another word."""
    if isinstance(error.ctx.command, PerGame):
        return f"which game? There is {listing(backroom.names(), 'and')}"
    return f"say {listing(error.ctx.command.list_commands(error.ctx))}"


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning: that a game is left out in one line for people, any other as Python does."""
    if issubclass(category, LeftOut):
        say_in_a_line(str(message))
    else:
        as_python_shows_it(message, category, filename, lineno, file, line)


def refuse(why: str) -> int:
    """Print one line and exit with 2."""
    say_in_a_line(why)
    return 2


def say_in_a_line(why: str) -> None:
    """Print one line to standard error, whatever a given file contains."""
    shown = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in why)
    errors.print(f"backroom: {shown}", style="red")


if __name__ == "__main__":
    main()

"""The commands: every door of the house has its own."""

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.progress import Progress
from typer.core import TyperGroup

import backroom
from backroom.engine.game import BadOption, BadPosition, Game, IllegalMove
from backroom.engine.kernel import SPECTATOR
from backroom.engine.log import BadLog
from backroom.terminal.show import console, errors, show_rules


class PerGame(TyperGroup):
    """A command with a sub-command for each game, which has that game's own options; made when it is asked for."""

    make: Callable[[Game], Any]

    def list_commands(self, ctx: Any) -> list[str]:
        return list(backroom.names())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        game = backroom.game(cmd_name)
        command = typer.Typer(add_completion=False)
        command.command(name=game.name, help=f"{self.help} {game.rules.TITLE}.")(type(self).make(game))
        return typer.main.get_command(command)


def with_options_of(game: Game, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose parameter `chosen` has become the flags of a game's options, and `game` the game."""

    def command(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in flags}
        chosen = {name: value for name, value in chosen.items() if value is not None}
        for pair in given.pop("option", None) or []:
            name, equals, value = pair.partition("=")
            if not equals:
                raise BadOption(f"--option {pair!r}; expected --option NAME=VALUE")
            chosen[name] = value
        return function(game=game, chosen=chosen, **given)

    flags = {option.name: option for option in game.rules.OPTIONS}
    own = [p for p in inspect.signature(function).parameters.values() if p.name not in ("game", "chosen")]
    kind = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(
            name,
            kind,
            default=None,
            annotation=Annotated[
                Optional[str],  # noqa: UP045 (typer reads this at run time)
                typer.Option(
                    f"--{name.replace('_', '-')}",
                    help=f"{option.says} Default: {option.default}.",
                    metavar="|".join(option.values),
                ),
            ],
        )
        for name, option in flags.items()
    ]
    pairs = inspect.Parameter(
        "option",
        kind,
        default=None,
        annotation=Annotated[
            Optional[list[str]],  # noqa: UP045
            typer.Option("--option", "-o", help="An option as NAME=VALUE.", metavar="NAME=VALUE"),
        ],
    )
    parameters = [*(p.replace(kind=kind) for p in own), *added, pairs]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def per_game(function: Callable[..., Any]) -> type[PerGame]:
    """The group of a command whose options depend on the game."""
    return type("PerGame", (PerGame,), {"make": staticmethod(lambda game: with_options_of(game, function))})


app = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    help="Backroom: the digital home of the run games.",
)

Seats = Annotated[Optional[int], typer.Option(help="How many seats the table has.")]  # noqa: UP045
Seed = Annotated[Optional[str], typer.Option(help="The word that all chance is drawn from. Default: a secret.")]  # noqa: UP045
From = Annotated[Optional[str], typer.Option("--from", help="The position to begin from.", metavar="POSITION")]  # noqa: UP045
LogFile = Annotated[Path, typer.Argument(help="The log of a game.", metavar="LOG")]
GameName = Annotated[str, typer.Argument(help="Which game.", metavar="GAME")]


@app.callback(invoke_without_command=True)
def backroom_itself(
    ctx: typer.Context, version: Annotated[bool, typer.Option("--version", help="Say the version.")] = False
) -> None:
    if version:
        console.print(f"backroom {backroom.__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        console.print("Backroom, the digital home of the run games. There is:\n")
        for name in backroom.names():
            game = backroom.game(name)
            seats = (
                f"{min(game.rules.SEATS)}–{max(game.rules.SEATS)}" if len(game.rules.SEATS) > 1 else game.rules.SEATS[0]
            )
            console.print(f"  [bold]{name}[/]  {game.rules.TITLE}, for {seats} players")
        first = next(backroom.names())
        console.print(f"\nPlay:   backroom play {first}\nRead:   backroom rules {first}\nMore:   backroom --help")


# play


def play_game(
    game: Game,
    chosen: dict[str, Any],
    seats: Seats = None,
    seat: Annotated[int, typer.Option(help="Where you sit.")] = 0,
    bot: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Who plays the other seats: random or greedy. Several times: one after the other."),
    ] = None,
    hot_seat: Annotated[bool, typer.Option("--hot-seat", help="No bots: all seats play at this keyboard.")] = False,
    seed: Seed = None,
    start: From = None,
    save: Annotated[Optional[Path], typer.Option(help="Where to keep the game.", metavar="FILE")] = None,  # noqa: UP045
) -> None:
    from backroom.terminal.play import Session, new_path, seat_bots

    if hot_seat and bot:
        raise BadOption("with --hot-seat there are no bots: say --hot-seat or --bot, not both")
    bots = [] if hot_seat else [backroom.bots.bot(name, game) for name in bot or ["greedy"]]
    table = backroom.Table(game, seats=seats, seed=seed, start=start, options=chosen)
    seated = seat_bots(table, bots, seat)
    raise typer.Exit(Session(table, seated, save or new_path(game.name)).run())


play_app = typer.Typer(cls=per_game(play_game), help="Play", invoke_without_command=True)
app.add_typer(play_app, name="play")


@play_app.callback(invoke_without_command=True, help="Play")
def play(
    ctx: typer.Context,
    resume: Annotated[Optional[Path], typer.Option(help="Go on with a saved game.", metavar="LOG")] = None,  # noqa: UP045
    seat: Annotated[int, typer.Option(help="Where you sit.")] = 0,
    bot: Annotated[Optional[list[str]], typer.Option(help="Who plays the other seats.")] = None,  # noqa: UP045
    hot_seat: Annotated[bool, typer.Option("--hot-seat", help="No bots: all seats play at this keyboard.")] = False,
) -> None:
    from backroom.terminal.play import Session, seat_bots

    if ctx.invoked_subcommand is not None:
        if resume is not None:
            raise BadOption("a saved game knows which game it is: say --resume LOG without a name")
        return
    if resume is None:
        play_game(choose_game(), {}, bot=bot, hot_seat=hot_seat, seat=seat)
        return
    table = backroom.replay(resume)
    if not table.is_over and table.seed is None:
        raise BadLog(f"{resume} holds no seed, so its dice cannot go on; look at it with: backroom replay {resume}")
    bots = [] if hot_seat else [backroom.bots.bot(name, table.game) for name in bot or ["greedy"]]
    raise typer.Exit(Session(table, seat_bots(table, bots, seat), resume).run())


def choose_game() -> Game:
    """The only game there is, or the one that the person picks."""
    names = list(backroom.names())
    if len(names) == 1:
        return backroom.game(names[0])
    for number, name in enumerate(names, 1):
        console.print(f"{number:>3}  {backroom.game(name).rules.TITLE}")
    try:
        word = console.input("Which game? ").strip()
    except EOFError:
        raise BadOption("no game was chosen; say which: backroom play GAME") from None
    return backroom.game(names[int(word) - 1] if word.isdecimal() and 1 <= int(word) <= len(names) else word)


# watch, replay, verify


def watch_game(
    game: Game,
    chosen: dict[str, Any],
    seats: Seats = None,
    bot: Annotated[Optional[list[str]], typer.Option(help="Who plays; several times: seat by seat.")] = None,  # noqa: UP045
    seed: Seed = None,
    start: From = None,
    delay: Annotated[float, typer.Option(help="Seconds between moves.", min=0)] = 0.5,
    save: Annotated[Optional[Path], typer.Option(help="Where to write the log.", metavar="FILE")] = None,  # noqa: UP045
) -> None:
    from backroom.terminal.watch import watch

    table = backroom.Table(game, seats=seats, seed=seed, start=start, options=chosen)
    bots = [backroom.bots.bot(name, game) for name in bot or ["greedy"]]
    raise typer.Exit(watch(table, bots, delay, save))


app.add_typer(typer.Typer(cls=per_game(watch_game), help="Watch bots play"), name="watch")


@app.command()
def replay(
    log: LogFile,
    at: Annotated[Optional[int], typer.Option(help="Only the board after so many moves.")] = None,  # noqa: UP045
    seat: Annotated[int, typer.Option(help="Through whose eyes; -1: a spectator's.")] = SPECTATOR,
    svg: Annotated[Optional[Path], typer.Option(help="Write the board as a picture.", metavar="FILE")] = None,  # noqa: UP045
) -> None:
    """Look at a game that was played."""
    from backroom.terminal.watch import replay

    replay(backroom.replay(log), at, seat, svg)


@app.command()
def verify(log: LogFile) -> None:
    """Check that all chance in a log was drawn from the seed that it committed to."""
    from backroom.engine.table import verify

    try:
        checked = verify(log)
    except BadLog as finding:
        errors.print(f"backroom: {log}: {finding}", style="red")
        raise typer.Exit(1) from None
    console.print(f"{log}: fair. All {checked} chance moves were drawn from the seed that the header commits to.")


# rules, counts, compiling


@app.command()
def rules(
    game: GameName,
    section: Annotated[Optional[str], typer.Argument(help="One paragraph, like 3.7.", metavar="§")] = None,  # noqa: UP045
) -> None:
    """Read the rules of a game."""
    show_rules(backroom.game(game), section)


def perft_game(
    game: Game,
    chosen: dict[str, Any],
    depth: Annotated[int, typer.Option(help="How many moves deep.", min=0, max=60)] = 4,
    seats: Seats = None,
    start: From = None,
    split: Annotated[bool, typer.Option("--split", help="By first move.")] = False,
) -> None:
    from backroom.engine import count

    table = backroom.Table(game, seats=seats, start=start, nature=False, options=chosen)
    if split and depth:
        for name, ways in count.split(game, table.state, depth).items():
            console.print(f"{name}: {ways}")
    for level in range(depth + 1):
        console.print(f"{level} {count.perft(game, table.state, level)}")


app.add_typer(typer.Typer(cls=per_game(perft_game), help="Count the ways to go on in"), name="perft")


@app.command()
def signature(
    game: Annotated[Optional[str], typer.Argument(help="Which game; all, if none is said.", metavar="GAME")] = None,  # noqa: UP045
) -> None:
    """Print one line that fingerprints how a game behaves."""
    from backroom.engine.count import signature

    for name in [game] if game else backroom.names():
        console.print(signature(backroom.game(name)))


@app.command()
def warm() -> None:
    """Compile all kernels now, so that nothing has to wait for it later."""
    from backroom.arena.warm import steps
    from backroom.engine.kernel import cache_folder

    todo = [(name, *step) for name in backroom.names() for step in steps(backroom.game(name))]
    with Progress(console=console) as progress:
        bar = progress.add_task("compiling", total=len(todo))
        for name, what, compile_ in todo:
            progress.update(bar, description=f"{name}: {what}")
            compile_()
            progress.advance(bar)
        progress.update(bar, description="all kernels are compiled")
    console.print(f"They are kept in {cache_folder()}")


def main() -> None:
    """Run a command; what people get wrong is said in one line, with exit code 2."""
    try:
        app()
    except (BadLog, BadOption, BadPosition, IllegalMove) as error:
        errors.print(f"backroom: {error}", style="red", markup=False)
        sys.exit(2)
    except OSError as error:
        errors.print(f"backroom: {error.filename or ''}: {error.strerror}", style="red", markup=False)
        sys.exit(2)


if __name__ == "__main__":
    main()

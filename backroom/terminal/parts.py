"""Commands for the files that a table may play with instead of the game's own: check, draw and edit."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from backroom.engine import registry
from backroom.engine.game import Game
from backroom.engine.kernel import SPECTATOR
from backroom.engine.options import BadOption, Option
from backroom.engine.phrases import listing
from backroom.engine.protocol import Product
from backroom.engine.table import Table, named_after
from backroom.terminal.files import draw_to, free_path, new_path, read_value
from backroom.terminal.play import Session
from backroom.terminal.show import console, show_scene

# ruff: noqa: UP045 (typer reads these annotations at run time, and wants Optional)

Seats = Annotated[Optional[int], typer.Option(help="How many seats the table has.")]
Picture = Annotated[Optional[Path], typer.Option(help="Write the board as a picture.", metavar="FILE.svg")]


def commands_for(name: str) -> Any:
    """`check` and `draw` for the files that an option of this name reads, and `edit` if a game makes them."""
    (game, option), *others = games_with(name)
    deeds = ["check one", "draw the table it makes", *(["make one"] if maker_of(game, option) else [])]
    group = typer.Typer(add_completion=False)

    @group.callback(help=f"Files for the option {name}: {listing(deeds)}.")
    def refuse_if_several() -> None:
        if others:
            titles = listing((game.title, *(other.title for other, _ in others)), "and")
            raise BadOption(f"{titles} have files for the option {name}; say play GAME --{name} FILE")

    word = Annotated[str, typer.Argument(help=f"The file, or one of {listing(option.values, 'and')}.", metavar="FILE")]

    def check(file: word) -> None:
        show_check(game, option, file)

    def draw(file: word, seats: Seats = None, svg: Picture = None) -> None:
        show_start(game, option, file, seats, svg)

    def edit(file: word) -> None:
        raise typer.Exit(made(game, option, file))

    group.command(help="Say whether a file can be played with, and what is wrong if not.")(check)
    group.command(help="Show the table as it begins, or write it as a picture.")(draw)
    if maker_of(game, option):
        group.command(help="Make a file, or go on with one; it is written when you are done.")(edit)
    command = typer.main.get_command(group)
    command.name = name
    return command


def games_with(name: str) -> Iterator[tuple[Game, Option]]:
    """The games that have a file option of this name."""
    for game in map(registry.game, registry.names()):
        for option in game.options:
            if option.is_file and option.name == name:
                yield game, option


def fitting_seats(game: Game, option: Option, value: str) -> list[int]:
    """The numbers of seats that can play with this value; BadOption says why none can."""
    found, why = [], ""
    for seats in game.seats:
        try:
            game.settle(seats, {option.name: value})
            found.append(seats)
        except BadOption as refusal:
            why = why or str(refusal)
    if not found:
        raise BadOption(why)
    return found


def check(game: Game, option: Option, file: str) -> tuple[str, list[int]]:
    """The value that a file or a known name stands for, and the numbers of seats that can play with it."""
    if file in option.values:
        value = file
    else:
        text = read_value(option, file)
        with named_after(Path(file)):
            value = option.settle(text)
    return value, fitting_seats(game, option, value)


def maker_of(game: Game, option: Option) -> tuple[Game, Product] | None:
    """The game in which such files are made, if there is one."""
    for other in map(registry.game, registry.names()):
        made = getattr(other.rules, "MAKES", None)
        if made is not None and (made.game, made.option) == (game.name, option.name):
            return other, made
    return None


def made(game: Game, option: Option, file: str) -> int:
    """Make such a file, or edit one: it is written at the end and on `export`."""
    found = maker_of(game, option)
    assert found is not None
    maker, product = found
    path = Path(file)
    is_named = file in option.values
    begun = file if is_named else None
    with named_after(path):
        if not is_named and path.exists():
            begun = path.read_text("utf-8-sig")
        elif not is_named:
            free_path(path)
        table = Table(maker, options={} if begun is None else {product.draft: begun})
    return Session(table, {}, new_path(maker.name), product=None if is_named else path).run()


def show_check(game: Game, option: Option, file: str) -> None:
    """Say that a file is valid, and for how many seats."""
    _, seats = check(game, option, file)
    who = "1 player" if seats == [1] else f"{listing(map(str, seats), 'or')} players"
    console.print(f"{file}: a {option.name} of {game.title}, for {who}.")


def show_start(game: Game, option: Option, file: str, seats: int | None, svg: Path | None) -> None:
    """Draw the start of a game."""
    value, fitting = check(game, option, file)
    seats, options = game.settle(fitting[0] if seats is None else seats, {option.name: value})
    v = game.view(game.start(seats, options), SPECTATOR)
    if svg is None:
        show_scene(game, v, SPECTATOR)
    else:
        draw_to(svg, game.rules.draw(v, SPECTATOR).svg())

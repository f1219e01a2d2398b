"""Files that a table may play with instead of the game's own: checked and drawn before anybody sits down."""

from collections.abc import Iterator
from pathlib import Path

from backroom.engine import game as registry
from backroom.engine.game import BadOption, Game, Option, listing
from backroom.engine.kernel import SPECTATOR
from backroom.engine.table import named_after
from backroom.terminal.files import draw_to
from backroom.terminal.show import console, show_scene


def games_with(name: str) -> Iterator[tuple[Game, Option]]:
    """The games that have a file option of that name."""
    for game in map(registry.game, registry.names()):
        for option in game.rules.OPTIONS:
            if option.is_file and option.name == name:
                yield game, option


def fitting_seats(game: Game, option: Option, value: str) -> list[int]:
    """The numbers of seats that can play with it; BadOption says why none can."""
    found, why = [], ""
    for seats in game.rules.SEATS:
        try:
            game.settle(seats, {option.name: value})
            found.append(seats)
        except BadOption as refusal:
            why = why or str(refusal)
    if not found:
        raise BadOption(why)
    return found


def check(game: Game, option: Option, file: str) -> tuple[str, list[int]]:
    """The value that a file, or a name that the game knows, stands for, and who can play with it."""
    if file in option.values:
        value = file
    else:
        with named_after(Path(file)):
            value = option.settle(Path(file).read_text("utf-8-sig"))
    return value, fitting_seats(game, option, value)


def show_check(game: Game, option: Option, file: str) -> None:
    """Say that a file is good, and for whom."""
    _, seats = check(game, option, file)
    console.print(f"{file}: a {option.name} of {game.rules.TITLE}, for {listing(map(str, seats), 'or')} players.")


def show_start(game: Game, option: Option, file: str, seats: int | None, svg: Path | None) -> None:
    """Draw the table as it begins."""
    value, fitting = check(game, option, file)
    seats, options = game.settle(fitting[0] if seats is None else seats, {option.name: value})
    v = game.view(game.start(seats, options), SPECTATOR)
    if svg is None:
        show_scene(game, v, SPECTATOR)
    else:
        draw_to(svg, game.rules.draw(v, SPECTATOR).svg())

"""How the terminal shows things: scenes in colour, results, rules by §."""

import re
import sys
from collections.abc import Collection, Sequence

from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.table import Table as Grid
from rich.text import Text

from backroom.engine.diagrams import without_diagrams
from backroom.engine.game import Game
from backroom.engine.marks import plain
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import Seat, State
from backroom.engine.table import Table
from backroom.scene.scene import BOARD
from backroom.scene.text import laid_out, parts

# Nothing that people type is markup. Sentences wrap at the edge of a screen but not in a pipe; rulebooks always wrap.
console = Console(highlight=False, markup=False, soft_wrap=not sys.stdout.isatty() if sys.stdout else True)
errors = Console(highlight=False, markup=False, soft_wrap=True, stderr=True)


PIPE_LINES = 60
"""The space for a list if the output is not a screen."""


def show_scene(game: Game, v: State, seat: Seat, lit: Collection[str] = ()) -> int:
    """The board as the seat sees it, with its parts placed to fit the screen; returns its height."""
    lines = laid_out(game.rules.draw(v, seat), console.width, lit)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)
    wide = max((sum(len(text) for text, _ in line) for line in lines), default=0)
    if wide > console.width and console.is_terminal:
        console.print(f"This screen has {console.width} columns; the board needs {wide}.", style="yellow")
    return len(lines)


def glimpse(table: Table, number: int, seat: Seat) -> list[Text]:
    """The last intermediate picture of a line, if it shows pieces that are gone afterwards.

    Earlier ones are covered by the sentence, and where pieces were before they moved on need not be shown in a terminal
    that scrolls: the board is printed below.
    """
    stages = table.way(number, seat)
    if not stages:
        return []
    draw = table.game.rules.draw
    after = parts(draw(table.game.view(table.state_at(number), seat), seat))
    gone = [(role, part) for role, part in parts(draw(stages[-1], seat)) if (role, part) not in after]
    if not gone or any(role == BOARD for role, _ in gone):
        return []
    return [Text("For a moment there was to be seen:", "dim"), *(Text(part) for _, part in gone)]


def legend(game: Game) -> RenderableType | None:
    """The meaning of the signs on a game's board, if the game explains them."""
    entries: Sequence[tuple[str, str]] = getattr(game.rules, "LEGEND", ())
    if not entries:
        return None
    table = Grid.grid(padding=(0, 2, 0, 0))
    for sign, words in entries:
        table.add_row(Text.assemble((sign, "bold")), words)
    return table


def show_sentence(number: int, sentence: str) -> None:
    """Print a line of the log with its number."""
    console.print(numbered(number, sentence))


def numbered(number: int, sentence: str) -> Text:
    """A line of the log with its number."""
    return Text.assemble((f"{number:>4}  ", "dim"), sentence)


def show_result(table: Table) -> None:
    """Print how a game ended, below what was there."""
    for thing in result(table):
        console.print(thing)


def result(table: Table) -> list[Text]:
    """How a game ended: who has won and why, what each seat has, and the final reckoning."""
    told = table.result
    if told is None:
        return [Text("\nThe game ended without a result.", "bold green")] if table.is_ended else []
    wide = max(map(len, table.names))
    lines = [Text(f"\nThe game is over. {plain(told.headline, table.names)}", "bold green")]
    for seat, said in enumerate(told.seats):
        mark, name = "*" if seat in told.winners else " ", f"{table.names[seat]:<{wide}}"
        lines.append(Text.assemble((f" {mark} ", "bold yellow"), (name, "bold"), f"  {plain(said, table.names)}"))
    return [*lines, *(Text(f"   {plain(line, table.names)}") for line in told.lines)]


def show_rules(game: Game, section: str | None) -> None:
    """Print the whole rulebook, or one § of it."""
    console.print(rules(game, section), soft_wrap=False)


def rules(game: Game, section: str | None) -> Markdown:
    """The whole rulebook, or one § of it."""
    text = for_players(game) if section is None else "\n\n".join([passage(game, section), *credit(game)])
    return Markdown(without_diagrams(text))


def for_players(game: Game) -> str:
    """The rulebook without its last part, which is for testers."""
    return re.split(r"^(?:## )?Facts to test against", game.rulebook, flags=re.M)[0]


def credit(game: Game) -> list[str]:
    """The author and licence of a game, if its rulebook names them: the quotations (`> `) in its introduction."""
    return re.findall(r"^> .*(?:\n> .*)*", game.rulebook.split("\n## ")[0], re.M)


def passage(game: Game, section: str) -> str:
    """The text of one §: `3` for a chapter, `3.7` for a paragraph."""
    number = section.strip().lstrip("§").strip().rstrip(".")
    text = game.rulebook
    if "." in number:
        found = re.search(rf"^- §{re.escape(number)} .*(?:\n(?!- §|#|\n).*)*", text, re.M)
    else:
        found = re.search(rf"^## §{re.escape(number)} .*(?:\n(?!## ).*)*", text, re.M)
    if found is None:
        there = re.findall(r"^(?:- |## )§([\d.]+) ", text, re.M)
        raise BadOption(f"the rules of {game.title} have no §{number}; they have {listing(there, 'and')}")
    return found[0].strip()

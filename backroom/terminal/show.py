"""How the terminal shows things: scenes in colour, results, rules by their §."""

import re
import sys
from collections.abc import Collection, Sequence

from rich.columns import Columns
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from backroom.engine.diagrams import without_diagrams
from backroom.engine.game import Game
from backroom.engine.marks import plain
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import Seat, State
from backroom.engine.table import Table
from backroom.scene.text import laid_out, parts

# Nothing that people type is markup. Sentences wrap at the edge of a screen and not in a pipe; rulebooks always do.
console = Console(highlight=False, markup=False, soft_wrap=not sys.stdout.isatty() if sys.stdout else True)
errors = Console(highlight=False, markup=False, soft_wrap=True, stderr=True)


PIPE_LINES = 60
"""The room for a list where nobody has a screen."""


def show_scene(game: Game, v: State, seat: Seat, lit: Collection[str] = ()) -> int:
    """The board, as the seat sees it, its parts beside or below each other as the screen allows; says how high."""
    lines = laid_out(game.rules.draw(v, seat), console.width, lit)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)
    wide = max((sum(len(text) for text, _ in line) for line in lines), default=0)
    if wide > console.width and console.is_terminal:
        console.print(f"This screen has {console.width} columns; the board needs {wide}.", style="yellow")
    return len(lines)


def show_moment(table: Table, number: int, seat: Seat) -> None:
    """What could be seen for a moment while a line was played: the last stage of its way, where parts of it are gone.

    Stages before it are told by the sentence; a screen that scrolls needs them not.
    """
    stages = table.way(number, seat)
    if not stages:
        return
    draw = table.game.rules.draw
    after = parts(draw(table.game.view(table.state_at(number), seat), seat))
    if gone := [part for part in parts(draw(stages[-1], seat)) if part not in after]:
        console.print("For a moment there was to be seen:", style="dim")
        for part in gone:
            console.print(part, soft_wrap=True)


def room_below(lines: int) -> int:
    """How many lines a screen has left."""
    return max(console.height - lines, 1) if console.is_terminal else PIPE_LINES


def show_legend(game: Game) -> None:
    """What the signs on a game's board mean, where it says so."""
    legend: Sequence[tuple[str, str]] = getattr(game.rules, "LEGEND", ())
    if legend:
        entries = [Text.assemble((sign, "bold"), f"  {words}") for sign, words in legend]
        console.print(Columns(entries, padding=(0, 3)))


def show_sentence(number: int, sentence: str) -> None:
    """A line of the log, numbered."""
    console.print(Text.assemble((f"{number:>4}  ", "dim"), sentence))


def show_result(table: Table) -> None:
    """How a game ended: who has won and why, what each has, and how that was reckoned."""
    told = table.result
    if told is None:
        if table.is_ended:
            console.print("\nThe game ended without a result.", style="bold green")
        return
    console.print()
    console.print(f"The game is over. {plain(told.headline, table.names)}", style="bold green")
    wide = max(map(len, table.names))
    for seat, said in enumerate(told.seats):
        mark, name = "*" if seat in told.winners else " ", f"{table.names[seat]:<{wide}}"
        console.print(Text.assemble((f" {mark} ", "bold yellow"), (name, "bold"), f"  {plain(said, table.names)}"))
    for line in told.lines:
        console.print(f"   {plain(line, table.names)}")


def show_rules(game: Game, section: str | None) -> None:
    """The whole rulebook, or one § of it."""
    text = for_players(game) if section is None else "\n\n".join([passage(game, section), *credit(game)])
    console.print(Markdown(without_diagrams(text)), soft_wrap=False)


def for_players(game: Game) -> str:
    """The rulebook without its last part, which is for testers."""
    return re.split(r"^(?:## )?Facts to test against", game.rulebook, flags=re.M)[0]


def credit(game: Game) -> list[str]:
    """Whose game it is, and by what licence, where a rulebook says so: the quotations (`> `) in its head."""
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

"""How the terminal shows things: scenes in colour, moves in columns, rules by their §."""

import re
import sys
from collections.abc import Collection
from itertools import groupby

from rich.columns import Columns
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import Seat, State
from backroom.scene.text import runs

# Nothing that people type is markup. Sentences wrap at the edge of a screen and not in a pipe; rulebooks always do.
console = Console(highlight=False, markup=False, soft_wrap=not sys.stdout.isatty() if sys.stdout else True)
errors = Console(highlight=False, markup=False, soft_wrap=True, stderr=True)


def show_scene(game: Game, v: State, seat: Seat, lit: Collection[str] = ()) -> None:
    """The board, as the seat sees it."""
    for line in runs(game.rules.draw(v, seat), lit):
        console.print(Text.assemble(*line), soft_wrap=True)


MANY = 60
"""More moves than this are not listed one by one."""


def show_moves(names: list[str], labels: list[str]) -> None:
    """The moves, numbered, in words and in notation; of very many, those that begin with the same word in short."""
    numbered, number = [], 1
    for _, run in groupby(zip(names, labels, strict=True), key=lambda move: move[0].split(" ")[0]):
        alike = list(run)
        if len(names) > MANY and len(alike) > MANY // 2:
            (name, label), (last_name, last_label) = alike[0], alike[-1]
            said = [(f"{number}…{number + len(alike) - 1}", f"{label} … {last_label}", f"{name} … {last_name}")]
        else:
            said = [(f"{place:>3}", label, name) for place, (name, label) in enumerate(alike, number)]
        numbered += [Text.assemble((f"{place} ", "dim"), label, (f"  {name}", "dim")) for place, label, name in said]
        number += len(alike)
    console.print(Columns(numbered, padding=(0, 2)) if len(numbered) > 1 else numbered[0])


def show_sentence(number: int, sentence: str) -> None:
    """A line of the log, numbered."""
    console.print(Text.assemble((f"{number:>4}  ", "dim"), sentence))


def show_rules(game: Game, section: str | None) -> None:
    """The whole rulebook, or one § of it."""
    text = for_players(game) if section is None else "\n\n".join([passage(game, section), *credit(game)])
    console.print(Markdown(text), soft_wrap=False)


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

"""How the terminal shows things: scenes in colour, moves in columns, rules by their §."""

import re
from collections.abc import Collection

from rich.columns import Columns
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from backroom.engine.game import BadOption, Game, Seat, State, listing
from backroom.scene.text import runs

console = Console(highlight=False, soft_wrap=True)
errors = Console(highlight=False, soft_wrap=True, stderr=True)


def show_scene(game: Game, v: State, seat: Seat, lit: Collection[str] = ()) -> None:
    """The board, as the seat sees it."""
    for line in runs(game.rules.draw(v, seat), lit):
        console.print(Text.assemble(*line))


def show_moves(names: list[str]) -> None:
    """The moves, numbered."""
    numbered = [Text.assemble((f"{number:>3} ", "dim"), name) for number, name in enumerate(names, 1)]
    console.print(Columns(numbered, padding=(0, 2)) if len(numbered) > 1 else numbered[0])


def show_result(game: Game, score: tuple[float, ...]) -> None:
    """Who won, and all results."""
    best = [game.seat_name(seat) for seat, result in enumerate(score) if result == max(score)]
    who = f"{listing(best, 'and')} {'wins' if len(best) == 1 else 'share it'}"
    results = ", ".join(f"{game.seat_name(seat)} {result:g}" for seat, result in enumerate(score))
    console.print(Text.assemble((f"{who}.", "bold green"), f"  {results}"))


def show_rules(game: Game, section: str | None) -> None:
    """The whole rulebook, or one § of it."""
    console.print(Markdown(game.rulebook if section is None else passage(game, section)), soft_wrap=False)


def passage(game: Game, section: str) -> str:
    """The text of one §: `3` for a chapter, `3.7` for a paragraph."""
    number = section.strip().lstrip("§").strip()
    text = game.rulebook
    if "." in number:
        found = re.search(rf"^- §{re.escape(number)} .*(?:\n(?!- §|#|\n).*)*", text, re.M)
    else:
        found = re.search(rf"^## §{re.escape(number)} .*(?:\n(?!## ).*)*", text, re.M)
    if found is None:
        there = re.findall(r"^(?:- |## )§([\d.]+) ", text, re.M)
        raise BadOption(f"the rules of {game.rules.TITLE} have no §{number}; they have {listing(there, 'and')}")
    return found[0].strip()

"""Two plans of the generic search against each other: what is worth how much in which game.

    python bench/plans.py GAME FIRST SECOND [--games 400] [--seats N] [--seed 2026] [--opening N]
                          [--option NAME=VALUE ...]

A plan is fields of `search.Plan`, as in `iterations=300,regret=1`; `-` is the plan that `search` has. The same chance
again with the seats changed; intervals of 95 %.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import fields, replace
from os import cpu_count
from typing import Any

import backroom
from backroom.arena.match import match
from backroom.bots import Bot, search
from backroom.engine.game import Game

KINDS: dict[Any, Callable[[str], object]] = {int: int, float: float, bool: lambda text: bool(int(text))}


def player(game: Game, text: str) -> Bot:
    kinds = {field.name: KINDS[field.type] for field in fields(search.Plan)}
    said = dict(part.split("=", 1) for part in text.split(",")) if text != "-" else {}
    plan = replace(search.Plan(), **{name: kinds[name](value) for name, value in said.items()})
    return Bot(text, game, *search.make(game, plan))


def main() -> None:
    parser = argparse.ArgumentParser(description="Two plans of the generic search against each other.")
    parser.add_argument("game")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--threads", type=int, default=cpu_count() or 1)
    parser.add_argument("--opening", type=int, default=0, help="begin with so many moves by chance")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    said = parser.parse_args()
    game = backroom.game(said.game)
    try:
        first, second = player(game, said.first), player(game, said.second)
    except (KeyError, ValueError):
        names = ", ".join(field.name for field in fields(search.Plan))
        parser.error(
            f"expected plans like iterations=300,regret=1, not {said.first} and {said.second}; there is {names}"
        )
    options = dict(option.split("=", 1) for option in said.option)
    begin = time.perf_counter()
    result = match(first, second, said.games, said.seats, said.seed, said.threads, opening=said.opening, **options)
    low, high = result.interval
    print(
        f"{game.name}: {first.name} wins {result.share:.1%} of {result.games} games against {second.name}, "
        f"{low:.1%} to {high:.1%} ({time.perf_counter() - begin:.0f} s)"
    )


if __name__ == "__main__":
    main()

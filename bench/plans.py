"""Two plans against each other: what is worth how much in which game.

    python bench/plans.py GAME FIRST SECOND [--games 400] [--seats N] [--seed 2026] [--opening N]
                          [--option NAME=VALUE ...]

A plan is a level or a strategy, and what is otherwise in it: `hard`, `hard:width=32`, `search:iterations=300`. The
same chance again with the seats changed; intervals of 95 %.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import fields, replace
from os import cpu_count
from typing import Any

import backroom
from backroom.arena.match import match
from backroom.bots import Bot
from backroom.bots.levels import LEVELS, STRATEGIES, plan_of
from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing

KINDS: dict[Any, Callable[[str], object]] = {int: int, float: float, bool: lambda text: bool(int(text))}


def player(game: Game, text: str) -> Bot:
    who, _, changes = text.partition(":")
    if who not in (*LEVELS, *STRATEGIES):
        raise BadOption(
            f"expected a level or a strategy, not {who!r}; there is {listing([*LEVELS, *STRATEGIES], 'and')}"
        )
    strategy, plan = plan_of(game, who) if who in LEVELS else (who, STRATEGIES[who].Plan())
    kinds = {field.name: KINDS[field.type] for field in fields(plan)}
    try:
        said = dict(part.split("=", 1) for part in changes.split(",")) if changes else {}
        plan = replace(plan, **{name: kinds[name](value) for name, value in said.items()})
    except (KeyError, ValueError):
        raise BadOption(f"expected {who}:NAME=NUMBER,… with {listing(kinds)}, not {text!r}") from None
    try:
        return Bot(text, game, *STRATEGIES[strategy].make(game, plan))
    except AttributeError as missing:
        if missing.obj is not game.rules:
            raise
        raise BadOption(
            f"{game.name} cannot be thought about by {strategy}: it has no kernel {missing.name!r}"
        ) from None


def main() -> None:
    parser = argparse.ArgumentParser(description="Two plans against each other.")
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
    try:
        game = backroom.game(said.game)
        first, second = player(game, said.first), player(game, said.second)
        options = dict(option.partition("=")[::2] for option in said.option)
        begin = time.perf_counter()
        result = match(first, second, said.games, said.seats, said.seed, said.threads, opening=said.opening, **options)
    except BadOption as error:
        parser.error(str(error))
    low, high = result.interval
    print(
        f"{game.name}: {first.name} wins {result.share:.1%} of {result.games} games against {second.name}, "
        f"{low:.1%} to {high:.1%} ({time.perf_counter() - begin:.0f} s)"
    )


if __name__ == "__main__":
    main()

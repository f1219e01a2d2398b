"""Two plans against each other, to measure what a change of a plan is worth in a game.

    python bench/plans.py GAME FIRST SECOND [--games 400] [--seats N] [--seed 2026] [--opening N]
                          [--option NAME=VALUE ...]

A plan is a level or a strategy, with changed parameters if any: `hard`, `hard:width=32`, `search:iterations=300`. Each
seed is played again with the seats swapped; intervals are 95 %.
"""

import argparse
import time
from os import cpu_count

import backroom
from backroom.arena.match import match
from backroom.bots import bot
from backroom.engine.options import BadOption


def main() -> None:
    parser = argparse.ArgumentParser(description="Two plans against each other.")
    parser.add_argument("game")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--threads", type=int, default=cpu_count() or 1)
    parser.add_argument("--opening", type=int, default=0, help="begin with this number of random moves")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    said = parser.parse_args()
    try:
        game = backroom.game(said.game)
        first, second = bot(said.first, game), bot(said.second, game)
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

"""Regret matching beside decoupled UCT: two ways for the generic search to move seats that are asked together.

    python bench/sealed.py GAME [--iterations 1000] [--games 400] [--seats N] [--seed 2026]

Both think with the same number of iterations and the same value; the same chance again with the seats changed.
"""

import argparse
import time
from os import cpu_count

import backroom
from backroom.arena.match import match
from backroom.bots import Bot, search


def main() -> None:
    parser = argparse.ArgumentParser(description="Regret matching beside decoupled UCT.")
    parser.add_argument("game")
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--threads", type=int, default=cpu_count() or 1)
    said = parser.parse_args()
    game = backroom.game(said.game)
    regret, uct = (
        Bot(name, game, *search.make(game, search.Plan(iterations=said.iterations, regret=name == "regret")))
        for name in ("regret", "uct")
    )
    begin = time.perf_counter()
    result = match(regret, uct, said.games, said.seats, said.seed, said.threads)
    low, high = result.interval
    print(
        f"{game.name}: regret matching wins {result.share:.1%} of {result.games} games against decoupled UCT, "
        f"{low:.1%} to {high:.1%} ({said.iterations} iterations; {time.perf_counter() - begin:.0f} s)"
    )


if __name__ == "__main__":
    main()

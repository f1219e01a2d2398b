"""How games of Rum Run end, on every setup and with every number of seats.

    python train/rum_run_measure.py PLAYER [PLAYER …] [--games 20] [--seed 2029] [--opening 4] [--threads 1]
                                    [--setup NAME …] [--seats N …]

The players sit in turn; a player is a bot's name or `frozen:LEVEL` (`train/players.py`). Each game begins with some
moves of each seat by chance, else two bots might play one game again and again. A quiet end is one by §7.2.
"""

import argparse
import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from players import player

import backroom
from backroom.arena.match import contest_of, ring_for
from backroom.bots.luck import luck_of
from backroom.engine.kernel import dice_from
from backroom.games.rum_run.brain import goal_of
from backroom.games.rum_run.rules.objectives import total

GAME = backroom.game("rum-run")
SETUPS = ("first", "standard", "small", "moonless", "badlands", "duel")


def ends(
    names: list[str], setup: str, seats: int, games: int, seed: int, opening: int, threads: int
) -> dict[str, object]:
    """How many games end quietly, and how many turns and answers they take."""
    colours = {"colours": 2} if setup == "duel" else {}
    _, chosen = GAME.settle(seats, {"setup": setup, **colours})
    numbers = GAME.encoded(chosen)

    def one(number: int) -> tuple[bool, int, float]:
        first, second = (player(name, GAME) for name in (names * 2)[:2])
        ring = ring_for(GAME)
        begin = time.thread_time()
        luck = np.uint64(luck_of(str(number)))
        contest = contest_of(GAME, first.choose, second.choose)
        played = contest(
            ring, seats, numbers, 0b0101, opening * seats, dice_from(number), luck, first.work, second.work
        )
        s = ring.s[0]
        quiet = max(total(s, seat) for seat in range(seats)) < goal_of(s)
        return quiet, int(played), time.thread_time() - begin

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(one, range(seed * 1000, seed * 1000 + games)))
    quiet, played, spent = (np.array(column, float) for column in zip(*found, strict=True))
    return {
        "players": names, "setup": setup, "seats": seats, "games": games, "quiet": int(quiet.sum()),
        "answers": round(float(played.mean())), "ms": round(1000 * float(spent.sum() / played.sum()), 2),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="+")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=2029)
    parser.add_argument("--opening", type=int, default=4, help="moves of each seat by chance before the bots begin")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--setup", nargs="+", default=SETUPS)
    parser.add_argument("--seats", nargs="+", type=int, default=(2, 3, 4))
    said = parser.parse_args()
    for setup, seats in itertools.product(said.setup, said.seats):
        if setup != "duel" or seats == 2:
            found = ends(said.players, setup, seats, said.games, said.seed, said.opening, said.threads)
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()

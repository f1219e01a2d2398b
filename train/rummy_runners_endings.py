"""Measure what bots lose in endings of Rummy Runners that are solved exactly.

    python train/rummy_runners_endings.py BOT … [--positions 100] [--seats 3 4] [--seed 2026] [--seconds S]

`backroom/games/rummy_runners/tests/endings.py` says what an ending is, and solves it. They are from games of `medium`
with itself, one of a game: the first in which a turn makes a difference, and none wins at once by §5.1 or §5.2, which
every bot finds. Prints for each bot the share of the win that it loses on average, how often it loses any, and the loss
of passing and of a random turn.
"""

import argparse
import itertools
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from backroom.bots import bot, seated
from backroom.games.rummy_runners.brain import winning_meld
from backroom.games.rummy_runners.tests.boards import GAME
from backroom.games.rummy_runners.tests.endings import is_ending, laid_by, turns_of


def endings(seats: int, seed: int) -> Iterator[Any]:
    """The first such ending in each game of `medium` with itself."""
    medium = bot("medium", GAME)
    for number in itertools.count(seed):
        table = GAME.table(seats, seed=number)
        players = [seated(medium, seat, table) for seat in range(seats)]
        while not table.is_over:
            s, (seat,) = table.state, table.asked
            if is_ending(s) and not winning_meld(s, seat) and np.ptp(turns_of(s).worths) > 1e-9:
                yield GAME.copy(s)
                break
            table.play(seat, players[seat].move(table))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="+", metavar="BOT")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--seats", type=int, nargs="+", default=[3, 4])
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--seconds", type=float, default=math.inf, help="after which no ending is begun")
    said = parser.parse_args()
    players, begin = {name: bot(name, GAME) for name in said.bots}, time.time()
    for seats in said.seats:
        lost: dict[str, list[float]] = {name: [] for name in (*players, "pass", "a random turn")}
        for number, s in enumerate(itertools.islice(endings(seats, said.seed), said.positions)):
            turns = turns_of(s)
            best, worths = turns.worths.max(), dict(zip(turns.cards.tolist(), turns.worths.tolist(), strict=True))
            for name, player in players.items():
                lost[name].append(best - worths[laid_by(player, s, number)])
            lost["pass"].append(best - worths[0])
            lost["a random turn"].append(best - turns.worths.mean())
            if time.time() - begin > said.seconds * (1 + said.seats.index(seats)) / len(said.seats):
                break
        for name, each in lost.items():
            off = 1.96 * np.std(each) / math.sqrt(len(each))
            wrong = sum(one > 1e-9 for one in each)
            print(
                f"{seats} seats, {len(each)} endings: {name} loses {np.mean(each):.4f} ± {off:.4f}, in {wrong}",
                flush=True,
            )


if __name__ == "__main__":
    main()

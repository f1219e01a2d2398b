"""Compare strategies for a sealed round of RunAway Train: regret matching with decoupled UCT, or with another net.

    python train/runaway_train_measure.py time [--uct 44] [--seats 3]
    python train/runaway_train_measure.py match [--uct 44 | --net FILE] [--games 1000] [--seats 3] [--seed 2026]

`time` says how long UCT and each level think about sealed choices, those of games that `hard` plays; `match` lets
`hard` play against UCT with the same net, or against `hard` with the net of a file, the same dice again with the seats
changed.
"""

import argparse
import statistics
import time
from os import cpu_count
from pathlib import Path

import backroom
from backroom.arena.match import match
from backroom.bots import Bot, bot, levels, rounds
from backroom.games.runaway_train.net import read_net
from backroom.games.runaway_train.rules.state import CHOOSING

GAME = backroom.game("runaway-train")


def milliseconds(bots: list[Bot], games: int, seats: int, seed: int) -> list[list[float]]:
    """CPU milliseconds for each bot and each sealed choice, in games that the first of them plays."""
    found: list[list[float]] = [[] for _ in bots]
    for number in range(games):
        table = GAME.table(seats, seed=seed + number)
        while not table.is_over:
            seat = table.asked[0]
            v = table.view(seat)
            if v.ask == CHOOSING:
                for spent, each in zip(found, bots, strict=True):
                    spent.append(timed(each, v, seat))
            table.play(seat, GAME.rules.name(v, bots[0].answer(v, seat, int(v.at))))
    return found


def timed(each: Bot, v, seat: int) -> float:
    begin = time.process_time()
    each.answer(v, seat, int(v.at))
    return 1000 * (time.process_time() - begin)


def with_net(path: Path) -> Bot:
    """`hard` with another net."""
    _, plan = levels.plan_of(GAME, "hard")
    return Bot(str(path), GAME, rounds.choose_of(GAME), lambda: rounds.workspace_for(GAME, plan, read_net(path)[0]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["time", "match"])
    parser.add_argument("--uct", type=int, default=44, help="iterations of UCT")
    parser.add_argument("--net", type=Path, help="a file like net.npz")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    hard, uct = bot("hard", GAME), bot(f"search:{args.uct}", GAME)
    if args.what == "time":
        bots = [hard, bot("medium", GAME), bot("easy", GAME), uct]
        milliseconds(bots, 1, args.seats, args.seed)  # compiles before the measurement
        for each, spent in zip(bots, milliseconds(bots, 12, args.seats, args.seed), strict=True):
            print(
                f"{each.name}: {statistics.mean(spent):.2f} ms a choice, the slowest of {len(spent)} {max(spent):.1f}"
            )
    else:
        rival = with_net(args.net) if args.net else uct
        result = match(hard, rival, args.games, args.seats, args.seed, cpu_count() or 1)
        low, high = result.interval
        print(f"hard wins {result.share:.1%} of {result.games} against {rival.name}, {low:.1%} to {high:.1%}")


if __name__ == "__main__":
    main()

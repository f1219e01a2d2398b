"""Measure two ways to think about a sealed round of RunAway Train with the same value: regret matching, decoupled UCT.

    python train/runaway_train_measure.py time [--regret 150] [--uct 34]
    python train/runaway_train_measure.py match [--regret 150] [--uct 34] [--games 600] [--seats 3] [--seed 2026]

`time` says how long each thinks about sealed choices, those of games that regret matching plays; `match` lets them
play, the same dice again with the seats changed.
"""

import argparse
import statistics
import time

import backroom
from backroom.arena.match import match
from backroom.bots import Bot, rounds, search
from backroom.games.runaway_train.rules.state import CHOOSING

GAME = backroom.game("runaway-train")


def milliseconds(bots: list[Bot], games: int, seats: int, seed: int) -> list[list[float]]:
    """Of one core, for each bot and each sealed choice of games that the first of them plays."""
    found: list[list[float]] = [[] for _ in bots]
    for number in range(games):
        table = GAME.table(seats, seed=seed + number)
        while not table.is_over:
            seat = table.asked[0]
            v = table.view(seat)
            if v.ask == CHOOSING:
                for spent, bot in zip(found[1:], bots[1:], strict=True):
                    spent.append(timed(bot, v, seat)[1])
            move, took = timed(bots[0], v, seat)
            if v.ask == CHOOSING:
                found[0].append(took)
            table.play(seat, GAME.rules.name(v, move))
    return found


def timed(bot: Bot, v, seat: int) -> tuple[int, float]:
    begin = time.process_time()
    move = bot.answer(v, seat, int(v.at))
    return move, 1000 * (time.process_time() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["time", "match"])
    parser.add_argument("--regret", type=int, default=150, help="iterations of regret matching")
    parser.add_argument("--uct", type=int, default=34, help="iterations of UCT")
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    regret = Bot("regret", GAME, *rounds.make(GAME, rounds.Plan(iterations=args.regret)))
    uct = Bot("uct", GAME, *search.make(GAME, search.Plan(iterations=args.uct)))
    if args.what == "time":
        milliseconds([regret, uct], 1, args.seats, args.seed)  # compiled before the clock starts
        for name, spent in zip(("regret", "uct"), milliseconds([regret, uct], 12, args.seats, args.seed), strict=True):
            print(f"{name}: {statistics.mean(spent):.2f} ms a choice, the slowest of {len(spent)}: {max(spent):.1f}")
    else:
        result = match(regret, uct, args.games, args.seats, args.seed)
        low, high = result.interval
        print(f"regret matching wins {result.share:.1%} of {result.games}, {low:.1%} to {high:.1%}")


if __name__ == "__main__":
    main()

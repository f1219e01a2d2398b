"""Compare strategies for a sealed round of RunAway Train, and measure what a seat gains by knowing the others'.

    python train/runaway_train_measure.py time [--uct 44] [--seats 3]
    python train/runaway_train_measure.py match [--uct 44 | --net FILE] [--games 1000] [--seats 3] [--seed 2026]
    python train/runaway_train_measure.py exploit BOT … [--games 20] [--seats 3] [--seed 2026] [--seconds S]

`time` prints the CPU time of UCT and of each level for sealed choices in games that `hard` plays. `match` lets `hard`
play against UCT with the same net, or against `hard` with the net of a file, each seed twice with the seats swapped.
`exploit` measures, in rounds of games that `hard` plays, how much more of a win a seat would have by its best choice
against the others' strategies, if they all play as BOT does: 0 in an equilibrium. A strategy is the mean over MANY
dice, and the value of a choice is the net's value of the positions after the reveal, or exact where the next roll ends
the game; so this measures how well the round is solved, not how accurate the net is. The best choice is found by one
half of DRAWS answers of the others, and its gain measured by the other half.
"""

import argparse
import math
import statistics
import time
from collections.abc import Iterator
from functools import cache
from os import cpu_count
from pathlib import Path
from typing import Any

import numpy as np

import backroom
from backroom.arena.match import match
from backroom.bots import Bot, bot, levels, rounds
from backroom.bots.bot import strategy_of
from backroom.engine.kernel import dice_from, kernel
from backroom.games.runaway_train.net import read_net
from backroom.games.runaway_train.rules.state import CHOOSING

GAME = backroom.game("runaway-train")
MANY = 24
"""Dice over which a strategy is averaged."""
DRAWS = 2000
"""Answers of the others against which choices are measured."""


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


@cache
def measured_of() -> Any:
    """The kernel `measured(work, chances, draws, dice, out)`."""
    look_behind, most_seats = rounds.look_behind_of(GAME), max(GAME.rules.SEATS)

    @kernel
    def measured(work, chances, draws, dice, out):
        """Write the mean value of each answer of each seat against answers drawn for the others."""
        out[:] = 0.0
        for _ in range(draws):
            for seat in range(most_seats):
                if work.counts[seat]:
                    work.drawn[seat] = rounds.draw(dice, chances[seat], work.counts[seat])
            for seat in range(most_seats):
                for i in range(work.counts[seat]):
                    out[seat, i] += look_behind(work, seat, i) / draws

    return measured


class Round:
    """A round in which all seats aboard are still to choose."""

    def __init__(self, s, number: int) -> None:
        self.s, self.number = s, number
        self.seats = GAME.asked(s)

    def gains(self, plan: rounds.Plan) -> list[float]:
        """What each seat would win more by its best choice against the others' mean strategies."""
        work, solve, measured = rounds.workspace_for(GAME, plan), rounds.solve_of(GAME), measured_of()
        chances = np.zeros_like(work.strategy)
        for seat in self.seats:
            for nth in range(MANY):
                dice = dice_from(self.number * MANY + nth)
                solve(GAME.view(self.s, seat), seat, dice, work)
                rounds.settle(work, seat, dice)
                chances[seat] += work.strategy[seat] / MANY
        halves = np.zeros((2, *chances.shape))
        for half in range(2):
            measured(work, chances, DRAWS // 2, dice_from(~(2 * self.number + half) % 2**31), halves[half])
        found = []
        for seat in self.seats:
            n = int(work.counts[seat])
            chosen, checked = halves[:, seat, :n]
            found.append(float(checked[chosen.argmax()] - checked @ chances[seat, :n]))
        return found


def rounds_of_hard(games: int, seats: int, seed: int, least: int) -> Iterator[Round]:
    """The rounds of games of `hard` in which at least this many are aboard."""
    hard = bot("hard", GAME)
    for number in range(games):
        table = GAME.table(seats, seed=seed + number)
        while not table.is_over:
            seat = table.asked[0]
            v = table.view(seat)
            if v.ask == CHOOSING and len(table.asked) >= least and not any(v.choice):
                yield Round(GAME.copy(table.state), 1000 * number + len(table.lines))
            table.play(seat, GAME.rules.name(v, hard.answer(v, seat, len(table.lines))))


def exploit(names: list[str], games: int, seats: int, seed: int, seconds: float) -> None:
    """Print what is gained by seeing through each bot, in rounds of three and more."""
    plans = {name: strategy_of(name, GAME)[1] for name in names}
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    begin = time.time()
    for each in rounds_of_hard(games, seats, seed, 3):
        for name, plan in plans.items():
            found[name].append(each.gains(plan))
        if time.time() - begin > seconds:
            break
    for name, gains in found.items():
        means = np.array([statistics.mean(one) for one in gains])
        off = 1.96 * means.std() / np.sqrt(len(means))
        print(
            f"{name}: a seat gains {means.mean():.4f} ± {off:.4f} of a game a round, in {len(means)} rounds of {seats} "
            f"seats; p95 {np.quantile(means, 0.95):.4f}, at most {max(map(max, gains)):.4f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["time", "match", "exploit"])
    parser.add_argument("bots", nargs="*", default=["hard"], metavar="BOT")
    parser.add_argument("--uct", type=int, default=44, help="iterations of UCT")
    parser.add_argument("--net", type=Path, help="a file like net.npz")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--seconds", type=float, default=math.inf, help="after which no round is begun")
    args = parser.parse_args()
    hard, uct = bot("hard", GAME), bot(f"search:{args.uct}", GAME)
    if args.what == "exploit":
        exploit(args.bots, args.games, args.seats, args.seed, args.seconds)
    elif args.what == "time":
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

"""Learn an evaluation of Rum Run by self-play, from the terms of positions (`rum_run_terms.py`) and results of games.

    python train/rum_run_value.py learn FOLDER [--rounds 3] [--games 1000] [--seed 1]
    python train/rum_run_value.py match FOLDER [--games 40] [--seed 5000] [--setup NAME …] [--seats N …]

`learn` plays greedy games, in which every seat makes the step with the best evaluation: in the first round that of
`brain.py`, in later rounds the one learned before. Games are on every setup, with two to four seats, and with the
setup's or random extras; most begin with random moves, evaluations have noise, and one answer in a hundred is random.
It fits each seat's share of the win to the results of the latest rounds: a softmax over the values of the seats' terms,
and one more for the end by §7.2, which counts half for its winner. Positions and weights are in FOLDER; a second call
continues with them. It needs only NumPy and one core.

`match` plays the weights against the evaluation of `brain.py`, both greedily. Its seeds must differ from those of
`learn`.
"""

import argparse
import copy
import itertools
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic
from rum_run_terms import MOODS, TERMS, UNITS, goal_of, moods, share_of, terms

import backroom
from backroom.arena.match import match
from backroom.bots import Bot, rollouts
from backroom.bots.bot import pooled
from backroom.bots.rollouts import follow_of
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, bit_count, dice_from, kernel, lowest, pick, without_back
from backroom.games.rum_run.rules.objectives import total

GAME = backroom.game("rum-run")
ROWS, COLUMNS = TERMS + 2, UNITS + 1
WEIGHTS = np.zeros(ROWS * COLUMNS + MOODS)
"""The learner's weights. Kernels read them by address, so they can change between games without recompiling."""
ADDRESS = WEIGHTS.ctypes.data
SETUPS = {"first": 4, "standard": 5, "small": 2, "moonless": 4, "badlands": 5, "duel": 2}
"""How often each setup is played in 22 games."""
EXTRAS = 0.15
"""The probability that extras are drawn at random."""
QUIET = 0.5
"""The value of a win by §7.2."""
BLUR = 1.0
"""The largest noise on one-step evaluations, in log-odds; each game has its own."""
KEPT, MOST_KEPT, LONGEST = 0.3, 400, 1200
"""The fraction of a game's positions that is learned from, the most of them, and the answers after which a game counts
as won by nobody.
"""
ROUNDS = 3
"""The number of latest rounds whose games are learned from."""
EPOCHS, BATCH, RATE, DECAY = 12, 2048, 3e-3, 1e-5
STATIC = {"worlds": 0, "blur": 0.02}


@intrinsic
def pointer(typing, address):  # type: ignore[no-untyped-def]
    """An integer as a pointer."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@kernel
def value(s, seat):  # type: ignore[no-untyped-def]
    """A seat's expected share of the win by the current weights."""
    if s.over:
        return (int(s.winners) >> seat & 1) / bit_count(int(s.winners))
    kept = carray(pointer(ADDRESS), (ROWS * COLUMNS + MOODS,), np.float64)
    return share_of(s, seat, kept[: ROWS * COLUMNS].reshape((ROWS, COLUMNS)), kept[ROWS * COLUMNS :])


def learners_game() -> Game:
    """The game with the learner's evaluation."""
    rules: Any = copy.copy(GAME.rules)
    rules.value = value
    return Game(rules)


LEARNER = learners_game()


def self_play_of(game: Game) -> Any:
    """The kernel `self_play(s, seats, options, opening, blur, dice, out, spare, rows, tables)`."""
    setup, asked, moves, odds, play = (getattr(game.rules, k) for k in ("setup", "asked", "moves", "odds", "play"))
    back, follow = game.rules.BACK, follow_of(game)

    @kernel
    def self_play(s, seats, options, opening, blur, dice, out, spare, rows, tables):  # type: ignore[no-untyped-def]
        """Play one game greedily after some random moves; returns the number of its positions in `rows`."""
        setup(s, seats, options)
        kept, answers = 0, 0
        mask = asked(s)
        while mask and answers < LONGEST:
            if mask == 1 << NATURE:
                place = pick(dice, out, odds(s, out))
                moves(s, NATURE, out)
                play(s, NATURE, out[place])
            else:
                seat = lowest(mask)
                n = without_back(out, moves(s, seat, out), back)
                place = 0
                if answers < opening or below(dice, 100) == 0:
                    place = below(dice, n)
                elif n > 1:
                    place = follow(s, seat, out, n, dice, spare, blur)
                play(s, seat, out[place])
                answers += 1
                is_told = answers > opening and s.over == 0 and s.node < 0 and kept < MOST_KEPT
                if is_told and below(dice, 1000) < 1000 * KEPT:
                    for each in range(seats):
                        numbers = terms(s, each)
                        for k in range(TERMS):
                            rows[kept, each, k] = numbers[k]
                    of_table = moods(s)
                    for k in range(MOODS):
                        tables[kept, k] = of_table[k]
                    kept += 1
            mask = asked(s)
        return kept

    return self_play


@dataclass
class Positions:
    """Training data, with a row for each position."""

    rows: Any
    """(positions, 4, TERMS) The terms of each seat."""
    tables: Any
    """(positions, MOODS) The terms of the table."""
    seats: Any
    """The number of seats."""
    shares: Any
    """(positions, 5) Each seat's share of the win at the end, and nobody's."""
    game: Any
    """The number of the game in its round; games are split between training and test as a whole."""


def settings(dice: Any) -> tuple[int, dict[str, str]]:
    """Random seats and options for a game."""
    odds = np.array(list(SETUPS.values()), float)
    setup = list(SETUPS)[dice.choice(len(SETUPS), p=odds / odds.sum())]
    seats = int(dice.choice([2, 3, 4], p=[0.5, 0.25, 0.25]))
    chosen = {"setup": setup}
    if setup == "duel":
        seats, chosen["colours"] = 2, "2"
    if dice.random() < EXTRAS:
        for name in ("events", "objectives"):
            chosen[name] = str(dice.choice(["yes", "no"]))
        chosen["claims"] = str(dice.choice(["automatic", "noticed"]))
    return seats, chosen


def shares_of(s: Any, seats: int) -> tuple[Any, bool]:
    """Each seat's share of a game's win, and nobody's; and whether the game ended by §7.2, or not at all."""
    shares = np.zeros(5, np.float32)
    is_quiet = not s.over or max(total(s, seat) for seat in range(seats)) < goal_of(s)
    winners = [seat for seat in range(seats) if s.over and int(s.winners) >> seat & 1]
    for seat in winners:
        shares[seat] = (QUIET if is_quiet else 1.0) / len(winners)
    shares[4] = 1 - shares.sum()
    return shares, is_quiet


def gather(play: Any, games: int, seed: int) -> Positions:
    """Play games and return their positions with the results; prints the quiet ends for each setup."""
    dice = np.random.default_rng(seed)
    s, spare = np.zeros(1, GAME.rules.STATE), np.zeros(3, GAME.rules.STATE)
    out = np.zeros(3 * GAME.rules.MOST_MOVES, np.int32)
    rows, tables = np.zeros((MOST_KEPT, 4, TERMS), np.float32), np.zeros((MOST_KEPT, MOODS), np.float32)
    found: list[tuple[Any, ...]] = []
    ended: dict[str, list[int]] = {}
    begin = time.process_time()
    for number in range(games):
        seats, chosen = settings(dice)
        _, settled = GAME.settle(seats, chosen)
        opening, blur = int(dice.choice([0, 2, 4, 6])) * seats, BLUR * dice.random()
        luck = dice_from(int(dice.integers(1 << 62)))
        n = play(s[0], seats, GAME.encoded(settled), opening, blur, luck, out, spare, rows, tables)
        shares, is_quiet = shares_of(s[0], seats)
        some = rows[:n].copy(), tables[:n].copy(), np.full(n, seats), np.tile(shares, (n, 1)), np.full(n, number)
        found.append(some)
        tally = ended.setdefault(f"{chosen['setup']} {seats}", [0, 0])
        tally[0] += is_quiet
        tally[1] += 1
    positions = Positions(*(np.concatenate(column) for column in zip(*found, strict=True)))
    quiet = {where: f"{tally[0]} of {tally[1]}" for where, tally in sorted(ended.items())}
    spent = round(time.process_time() - begin)
    print(json.dumps({"games": games, "positions": len(positions.rows), "seconds": spent, "quiet": quiet}), flush=True)
    return positions


def joined(some: list[Positions]) -> Positions:
    """All positions as one."""
    return Positions(*(np.concatenate([getattr(each, name) for each in some]) for name in Positions.__annotations__))


def fresh(seed: int) -> tuple[Any, Any]:
    """Initial weights: random units with small output weights."""
    dice = np.random.default_rng(seed)
    weights = np.zeros((ROWS, COLUMNS))
    weights[:TERMS, 1:] = dice.normal(0, 0.3, (TERMS, UNITS))
    weights[TERMS + 1, 1:] = dice.normal(0, 0.1, UNITS)
    return weights, np.zeros(MOODS)


def chances(data: Positions, weights: Any, of_table: Any, which: Any) -> tuple[Any, Any]:
    """(positions, 5) The expected share of each seat and of nobody, as in `share_of`; and the units' outputs."""
    sums = data.rows[which] @ weights[:TERMS] + weights[TERMS]
    units = np.maximum(sums[..., 1:], 0)
    standing = sums[..., 0] + units @ weights[TERMS + 1, 1:]
    standing = np.where(np.arange(4) < data.seats[which, None], standing, -1e9)
    logits = np.concatenate([standing, (data.tables[which] @ of_table)[:, None]], 1)
    likely = np.exp(logits - logits.max(1, keepdims=True))
    return likely / likely.sum(1, keepdims=True), units


def loss(data: Positions, weights: Any, of_table: Any, which: Any) -> float:
    """The mean cross entropy."""
    likely, _ = chances(data, weights, of_table, which)
    return float(-(data.shares[which] * np.log(likely + 1e-9)).sum() / len(which))


def slope(data: Positions, weights: Any, of_table: Any, which: Any) -> tuple[Any, Any]:
    """The gradient of the mean cross entropy."""
    likely, units = chances(data, weights, of_table, which)
    off = (likely - data.shares[which]) / len(which)
    seats = off[:, :4, None]
    sums = np.concatenate([seats, seats * weights[TERMS + 1, 1:] * (units > 0)], 2).reshape(-1, COLUMNS)
    found = np.zeros_like(weights)
    found[:TERMS] = data.rows[which].reshape(-1, TERMS).T @ sums
    found[TERMS] = sums.sum(0)
    found[TERMS + 1, 1:] = (seats * units).sum((0, 1))
    return found + DECAY * weights, data.tables[which].T @ off[:, 4] + DECAY * of_table


def fit(data: Positions, weights: Any, of_table: Any, seed: int) -> tuple[Any, Any]:
    """Fit the weights by Adam with a cosine schedule; one game in ten is held out for testing."""
    dice = np.random.default_rng(seed)
    is_test = data.game % 10 == 0
    learned, tested = np.nonzero(~is_test)[0], np.nonzero(is_test)[0]
    parts = [weights.astype(np.float32), of_table.astype(np.float32)]
    means, squares = [np.zeros_like(part) for part in parts], [np.zeros_like(part) for part in parts]
    batch, step = min(BATCH, len(learned)), 0
    steps = EPOCHS * (len(learned) // batch)
    for _ in range(EPOCHS):
        order = dice.permutation(learned)
        for at in range(0, len(order) - batch + 1, batch):
            step += 1
            rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
            found = slope(data, *parts, order[at : at + batch])
            for i, grown in enumerate(found):
                means[i] += 0.1 * (grown - means[i])
                squares[i] += 0.01 * (grown * grown - squares[i])
                parts[i] -= rate * (means[i] / (1 - 0.9**step)) / (np.sqrt(squares[i] / (1 - 0.99**step)) + 1e-8)
    said = {"positions": len(learned), "loss": loss(data, *parts, learned), "tested": loss(data, *parts, tested)}
    print(json.dumps(said), flush=True)
    return parts[0].astype(float), parts[1].astype(float)


def play_by(weights: Any, of_table: Any) -> None:
    """Set the weights of the learner."""
    WEIGHTS[:] = np.concatenate([weights.ravel(), of_table])


def learn(folder: Path, rounds: int, games: int, seed: int) -> None:
    """Play and learn some more rounds."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = sorted(folder.glob("games-*.npz"))
    some = [Positions(**np.load(path)) for path in kept[-ROUNDS:]]
    weights, of_table = fresh(seed)
    if (folder / "value.npz").exists():
        with np.load(folder / "value.npz") as file:
            weights, of_table = file["weights"], file["of_table"]
    by_hand, by_learned = self_play_of(GAME), self_play_of(LEARNER)
    for number in range(len(kept), len(kept) + rounds):
        play_by(weights, of_table)
        found = gather(by_learned if number else by_hand, games, seed * 1000 + number)
        np.savez_compressed(folder / f"games-{number:03}.npz", **vars(found))
        some = [*some, found][-ROUNDS:]
        weights, of_table = fit(joined(some), weights, of_table, number)
        np.savez_compressed(folder / "value.npz", weights=weights, of_table=of_table)


def meet(folder: Path, games: int, seed: int, setups: list[str], seats: list[int]) -> None:
    """Play the learned evaluation against the hand-written one, both greedily."""
    with np.load(folder / "value.npz") as file:
        play_by(file["weights"], file["of_table"])
    plan = rollouts.Plan(**STATIC)  # type: ignore[arg-type]
    first, second = (
        Bot(name, GAME, rollouts.choose_of(seen), lambda seen=seen: pooled(rollouts, seen, plan))  # type: ignore[misc]
        for name, seen in (("learned", LEARNER), ("by hand", GAME))
    )
    for setup, number in itertools.product(setups, seats):
        if setup == "duel" and number != 2:
            continue
        options = {"setup": setup} | ({"colours": "2"} if setup == "duel" else {})
        found = match(first, second, games, number, seed, opening=4 * number, **options)
        low, high = found.interval
        line = {"setup": setup, "seats": number, "games": found.games, "share": round(found.share, 3)}
        print(json.dumps(line | {"interval": [round(low, 3), round(high, 3)]}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("learn", "match"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--setup", nargs="+", default=list(SETUPS))
    parser.add_argument("--seats", nargs="+", type=int, default=[2, 3, 4])
    said = parser.parse_args()
    if said.what == "learn":
        learn(said.folder, said.rounds, said.games or 1000, 1 if said.seed is None else said.seed)
    else:
        seed = 5000 if said.seed is None else said.seed
        meet(said.folder, said.games or 40, seed, said.setup, said.seats)


if __name__ == "__main__":
    main()

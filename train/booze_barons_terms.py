"""Tune the terms of Booze Barons' ratings (`brain/terms.toml`) for one number of seats, by CMA-ES.

    python train/booze_barons_terms.py tune FOLDER --seats 9 [--seconds 400] [--threads 1] [--games 400] [--seed 1]
    python train/booze_barons_terms.py match FOLDER [--seats 3 …] [--games 20000] [--seed 900000]
    python train/booze_barons_terms.py pack FOLDER [--seats 3 …] [--part 1]

`tune` plays whole games between bots that only rate their moves, with estimated odds: every seed twice, every other
seat the candidate's, as in the arena. All candidates of a generation get the same seeds. Half of the games are against
the terms in force when the tuning began, half against the mean of the search, so that it does not fit one opponent.
FOLDER/terms-SEATS.npz has the whole state of the search, written every few seconds; the same call again continues.
`match` plays what was found against the terms in force. `pack` prints `terms.toml` with what was found for these
numbers of seats, or what is that part of the way from the plain terms to it.
"""

import argparse
import math
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import backroom
from backroom.engine.kernel import NATURE, kernel, lowest, pick
from backroom.games.booze_barons.brain.ratings import BOX, COUNT, NAMES, PLAIN, TERMS, best_rated
from backroom.games.booze_barons.rules.course import asked, moves, odds, play
from backroom.games.booze_barons.rules.reckoning import score
from backroom.games.booze_barons.rules.state import MOST_MOVES, STATE, setup

GAME = backroom.game("booze-barons")
FLOOR = 0.15
"""The least width of the search at first, in coins; otherwise a third of a term."""
FIXED = ("petes_liking", "coin", "heat")
"""Terms that are not tuned: only differences between locations matter, and ratings alone do not use the last two."""
FREE = [name not in FIXED for name in NAMES]
SAVED = 5.0
"""Seconds between two states of the search that are kept."""


@kernel
def share(s, out, results, dice, seats, options, firsts, first, second):  # type: ignore[no-untyped-def]
    """Play one game; returns the share of the win of the seats in `firsts`, which are rated by the terms `first`."""
    setup(s, seats, options)
    mask = asked(s)
    while mask:
        if mask == 1 << NATURE:
            place = pick(dice, out, odds(s, out))
            moves(s, NATURE, out)
            play(s, NATURE, out[place])
        else:
            seat = lowest(mask)
            n = moves(s, seat, out)
            place = 0
            if n > 1:
                place = best_rated(s, seat, out, n, dice, first if firsts >> seat & 1 else second)
            play(s, seat, out[place])
        mask = asked(s)
    score(s, results)
    best, winners, own = -1e9, 0, 0
    for seat in range(seats):
        best = max(best, results[seat])
    for seat in range(seats):
        if results[seat] == best:
            winners += 1
            own += firsts >> seat & 1
    return own / winners


@kernel
def shares(s, out, results, dice, seats, options, seed, games, first, second):  # type: ignore[no-untyped-def]
    """The sum of shares, and of squared shares, over `games` seeds, each played twice with the seats swapped."""
    total, squares = 0.0, 0.0
    for k in range(games):
        found = 0.0
        for parity in range(2):
            firsts = 0
            for seat in range(parity, seats, 2):
                firsts |= 1 << seat
            dice[0] = np.uint64(seed + k) * np.uint64(0xD1342543DE82EF95)
            found += 0.5 * share(s, out, results, dice, seats, options, firsts, first, second)
        total += found
        squares += found * found
    return total, squares


class Room:
    """The arrays that one thread plays in."""

    def __init__(self, seats: int) -> None:
        self.seats, self.options = seats, GAME.encoded(GAME.settle(seats, {})[1])
        self.s = np.zeros(64, STATE)[:1]
        self.out = np.zeros(MOST_MOVES + 64, np.int32)
        self.results, self.dice = np.zeros(64), np.zeros(64, np.uint64)

    def shares(self, seed: int, games: int, first: Any, second: Any) -> tuple[float, float]:
        args = self.s[0], self.out, self.results, self.dice, self.seats, self.options
        return shares(*args, seed, games, first, second)  # type: ignore[no-any-return]


class Search:
    """CMA-ES with the usual parameters (Hansen, "The CMA Evolution Strategy: A Tutorial", 2016)."""

    def __init__(self, mean: Any, widths: Any, seed: int) -> None:
        n = self.n = len(mean)
        self.widths, self.mean, self.sigma = widths, mean / widths, 1.0
        self.lot = 4 + int(3 * math.log(n)) + 8
        self.lot += self.lot % 2
        mu = self.lot // 2
        weights = np.log(mu + 0.5) - np.log(np.arange(1, mu + 1))
        self.weights = weights / weights.sum()
        self.mass = 1 / (self.weights**2).sum()
        self.cc = (4 + self.mass / n) / (n + 4 + 2 * self.mass / n)
        self.cs = (self.mass + 2) / (n + self.mass + 5)
        self.c1 = 2 / ((n + 1.3) ** 2 + self.mass)
        self.cmu = min(1 - self.c1, 2 * (self.mass - 2 + 1 / self.mass) / ((n + 2) ** 2 + self.mass))
        self.damping = 1 + 2 * max(0, math.sqrt((self.mass - 1) / (n + 1)) - 1) + self.cs
        self.length = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self.pc, self.ps, self.cov = np.zeros(n), np.zeros(n), np.eye(n)
        self.generation, self.seed, self.slow = 0, seed, self.mean.copy()

    KEPT = ("widths", "mean", "sigma", "pc", "ps", "cov", "generation", "seed", "slow")

    def save(self, path: Path) -> None:
        draft = path.with_name(f"draft-{path.name}")
        np.savez(draft, names=np.array(NAMES), free=np.array(FREE), **{name: getattr(self, name) for name in self.KEPT})
        draft.rename(path)

    def load(self, path: Path) -> None:
        with np.load(path) as kept:
            for name in self.KEPT:
                value = kept[name]
                setattr(self, name, value if value.ndim else value.item())

    def candidates(self) -> Any:
        """Steps in pairs of opposite direction, and the candidates there."""
        rng = np.random.default_rng([self.seed, self.generation])
        values, axes = np.linalg.eigh(self.cov)
        self.axes, self.scales = axes, np.sqrt(np.maximum(values, 1e-12))
        half = rng.standard_normal((self.lot // 2, self.n))
        self.steps = np.concatenate([half, -half]) * self.scales @ axes.T
        return (self.mean + self.sigma * self.steps) * self.widths

    def learn(self, marks: Any) -> None:
        """Move on, by the mark of each candidate."""
        best = np.argsort(-np.asarray(marks))[: len(self.weights)]
        step = self.weights @ self.steps[best]
        self.mean = self.mean + self.sigma * step
        self.ps = (1 - self.cs) * self.ps + math.sqrt(self.cs * (2 - self.cs) * self.mass) * (
            self.axes @ ((self.axes.T @ step) / self.scales)
        )
        self.generation += 1
        norm = float(np.linalg.norm(self.ps))
        rise = norm / math.sqrt(1 - (1 - self.cs) ** (2 * self.generation)) < (1.4 + 2 / (self.n + 1)) * self.length
        self.pc = (1 - self.cc) * self.pc + rise * math.sqrt(self.cc * (2 - self.cc) * self.mass) * step
        old = self.c1 * (1 - rise) * self.cc * (2 - self.cc)
        self.cov = (1 - self.c1 - self.cmu + old) * self.cov + self.c1 * np.outer(self.pc, self.pc)
        for weight, which in zip(self.weights, best, strict=True):
            self.cov += self.cmu * weight * np.outer(self.steps[which], self.steps[which])
        self.sigma = min(self.sigma * math.exp((self.cs / self.damping) * (norm / self.length - 1)), 2.0)
        rate = max(0.02, 1 / self.generation)
        self.slow = (1 - rate) * self.slow + rate * self.mean

    @property
    def found(self) -> Any:
        """The mean of the search over its last generations, as terms."""
        return self.slow * self.widths


def whole(free: Any, start: Any) -> Any:
    """All terms, from those that are tuned."""
    found = start.copy()
    found[FREE] = free
    return found


def tune(
    folder: Path, seats: int, seconds: float, threads: int, games: int, seed: int, begin_with: Path | None
) -> None:
    """Search for a while, and say how strong what was found is."""
    begin = saved = time.monotonic()
    start = TERMS[seats].copy()
    free = np.array(FREE)
    search = Search(start[free], np.maximum(np.abs(start[free]) / 3, FLOOR), seed)
    path = folder / f"terms-{seats}.npz"
    if path.exists():
        search.load(path)
    elif begin_with:
        search.mean = search.slow = by_name(begin_with / path.name, start)[free] / search.widths
        search.sigma = 0.5
    rooms = [Room(seats) for _ in range(threads)]
    pool = ThreadPoolExecutor(threads)
    while time.monotonic() - begin < seconds:
        found = search.candidates()
        first_seed = 1_000_000_000 + search.generation * games
        mean = whole(search.mean * search.widths, start)

        def rate(work: tuple[int, Any], at: int = first_seed, mean: Any = mean) -> list[float]:
            room, marks = rooms[work[0]], []
            for candidate in work[1]:
                first = whole(candidate, start)
                total = room.shares(at, games // 2, first, start)[0]
                total += room.shares(at + games // 2, games - games // 2, first, mean)[0]
                marks.append(total / games)
            return marks

        parts = np.array_split(found, threads)
        marks = [mark for part in pool.map(rate, enumerate(parts)) for mark in part]
        search.learn(marks)
        if time.monotonic() - saved > SAVED or time.monotonic() - begin >= seconds:
            saved = time.monotonic()
            search.save(path)
    total, squares = rooms[0].shares(7, 2000, whole(search.found, start), start)
    off = 1.96 * math.sqrt(max(squares / 2000 - (total / 2000) ** 2, 0) / 2000)
    print(
        f"{seats} seats: generation {search.generation}, sigma {search.sigma:.3f},"
        f" {total / 2000:.1%} +- {off:.1%} of 4000 games against the terms at first",
        flush=True,
    )


def by_name(path: Path, start: Any) -> Any:
    """The terms that a search has found, by their names; those in `start` where it had none."""
    with np.load(path) as kept:
        names = [str(name) for name in kept["names"]]
        tuned = [name for name, is_free in zip(names, kept["free"], strict=True) if is_free]
        found = dict(zip(tuned, kept["slow"] * kept["widths"], strict=True))
    return np.array([found.get(name, old) for name, old in zip(NAMES, start, strict=True)])


def found_in(folder: Path, seats: int) -> Any:
    """The terms that were found for a number of seats; those in force if there are none."""
    path = folder / f"terms-{seats}.npz"
    return by_name(path, TERMS[seats]) if path.exists() else TERMS[seats].copy()


def match(folder: Path, seats: int, games: int, seed: int) -> None:
    total, squares = Room(seats).shares(seed, games // 2, found_in(folder, seats), TERMS[seats])
    n = games // 2
    off = 1.96 * math.sqrt(max(squares / n - (total / n) ** 2, 0) / n)
    low, high = total / n - off, total / n + off
    print(f"{seats} seats: {total / n:.1%} of {games} games ({low:.1%} to {high:.1%})", flush=True)


def pack(folder: Path, numbers_of_seats: list[int], part: float) -> None:
    """Print `terms.toml`."""
    found = TERMS[3:].copy()
    for seats in numbers_of_seats:
        found[seats - 3][FREE] = (PLAIN + part * (found_in(folder, seats) - PLAIN))[FREE]
    print("# The terms of the ratings in `ratings.py`, in coins if nothing else is said: with 3 to 9 seats.")
    for k, term in enumerate(BOX):
        numbers = ", ".join(f"{number:.3f}" for number in found[:, k])
        print(f'\n[[terms]]\nname = "{term["name"]}"\nmeaning = "{term["meaning"]}"')
        print(f"plain = {term['plain']}\nby_seats = [{numbers}]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("tune", "match", "pack"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seats", type=int, nargs="+", default=list(GAME.rules.SEATS))
    parser.add_argument("--begin", type=Path, help="a folder with terms to begin with, which may be fewer")
    parser.add_argument("--seconds", type=float, default=400.0)
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--games", type=int, default=0, help="seeds of a candidate, or games of a match")
    parser.add_argument("--seed", type=int, default=0)
    said = parser.parse_args()
    assert len(NAMES) == COUNT
    said.folder.mkdir(parents=True, exist_ok=True)
    if said.what == "pack":
        pack(said.folder, said.seats, said.part)
    for seats in said.seats if said.what != "pack" else ():
        if said.what == "tune":
            tune(said.folder, seats, said.seconds, said.threads, said.games or 400, said.seed or 1, said.begin)
        else:
            match(said.folder, seats, said.games or 20000, said.seed or 900000)


if __name__ == "__main__":
    main()

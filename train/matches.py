"""Many matches in parallel, a few games at a time: results are stored, and a later call continues from there.

    python train/matches.py KEPT.jsonl LIST.txt … [--processes N] [--seconds S]

Each line of a list is a match with the arguments of the arena, and players of `train/players.py`:

    rummy-runners hard frozen:hard --seats=3 --games=1000 --seed=2031 --sets=hard

All matches progress evenly, those with few games ahead of those with many. Each seed is played again with the seats
swapped, so the result is that of `backroom arena` with the same seed and number of games. KEPT.jsonl has a line for
each part that was played; the same call again plays what is missing. After `--seconds` no part is started. Prints each
match with the share of the first player, its 95 % interval, and the CPU time per game.
"""

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import astuple, dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from players import player

import backroom
from backroom.arena.match import pairs
from backroom.arena.result import MatchResult
from backroom.bots import Bot

AIM = 4.0
"""The intended duration of a part in seconds."""
EVERY = 60.0
"""Seconds between lines of progress."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match to be played."""

    game: str
    first: str
    second: str
    seats: int
    games: int = 400
    seed: int = 2026
    opening: int = 0
    options: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """The identity of the match, which does not depend on the number of games."""
        told = [self.game, self.first, self.second, self.seats, self.seed, self.opening, dict(self.options)]
        return json.dumps(told)

    def __str__(self) -> str:
        told = {"seats": self.seats, "opening": self.opening or None, **dict(self.options), "seed": self.seed}
        return " ".join([self.game, self.first, self.second, *(f"--{k}={v}" for k, v in told.items() if v is not None)])

    @property
    def told(self) -> str:
        """The match as a line of a list."""
        return f"{self} --games={self.games}"


@dataclass(slots=True)
class Progress:
    """The progress of a match."""

    match: Match
    parts: dict[int, int] = field(default_factory=dict)
    """The number of seeds in each part, by its first seed."""
    result: MatchResult = field(default_factory=MatchResult)
    spent: float = 0.0
    """CPU time in seconds."""
    begun: int = 0
    """Seeds that are being played."""

    def add(self, start: int, count: int, spent: float, result: MatchResult) -> None:
        """Add the result of `count` seeds from `start` on."""
        self.parts[start] = count
        self.result += result
        self.spent += spent

    @property
    def seconds_a_seed(self) -> float:
        return self.spent / self.result.seeds if self.result.seeds else AIM

    @property
    def share_begun(self) -> float:
        return (self.result.games + 2 * self.begun) / self.match.games

    def next_part(self, taken: set[int]) -> range:
        """The first seeds not played yet, as many as take a few seconds."""
        start = self.match.seed
        while start in self.parts or start in taken:
            start += self.parts.get(start, 1)
        later = [other for other in (*self.parts, *taken) if other > start]
        count = max(1, min(64, int(AIM / max(self.seconds_a_seed, 1e-3))))
        end = self.match.seed + (self.match.games + 1) // 2
        return range(start, min(start + count, end, *later))

    def line(self) -> str:
        result = self.result
        low, high = result.interval
        spent = 500 * self.seconds_a_seed
        return f"{self.match}: {result.share:.1%} of {result.games} ({low:.1%} to {high:.1%}), {spent:.0f} ms a game"


def match_of(text: str) -> Match:
    """A match from a line of a list."""
    words = shlex.split(text, comments=True)
    options = dict(word.removeprefix("--").split("=", 1) for word in words if word.startswith("--"))
    game, first, second = (word for word in words if not word.startswith("--"))
    numbers: dict[str, Any] = {
        name: int(options.pop(name)) for name in ("seats", "games", "seed", "opening") if name in options
    }
    numbers["seats"], _ = backroom.game(game).settle(numbers.get("seats"), options)
    return Match(game, first, second, **numbers, options=tuple(sorted(options.items())))


def read(paths: Iterable[Path]) -> list[Match]:
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [match_of(line) for line in lines if line.split("#")[0].strip()]


@cache
def players_of(match: Match) -> tuple[Bot, Bot, int, Any]:
    game = backroom.game(match.game)
    _, options = game.settle(match.seats, dict(match.options))
    return player(match.first, game), player(match.second, game), match.seats, game.encoded(options)


def played(match: Match, seeds: range) -> tuple[MatchResult, float]:
    """The result of some seeds, and the CPU time."""
    first, second, seats, options = players_of(match)
    list(pairs(first, second, seats, options, match.opening, []))
    begin = time.thread_time()
    result = sum(pairs(first, second, seats, options, match.opening, seeds), MatchResult())
    return result, time.thread_time() - begin


def play_all(found: list[Progress], kept: Path, processes: int, seconds: float) -> None:
    """Play what is missing, until all is done or the time is over."""
    begin = told = time.monotonic()
    running: dict[Future[tuple[MatchResult, float]], tuple[Progress, range]] = {}
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool, kept.open("a") as file:
        while True:
            while len(running) < processes and time.monotonic() - begin < seconds:
                taken = {id(p): {seed for q, seeds in running.values() if q is p for seed in seeds} for p in found}
                waiting = [p for p in found if p.share_begun < 1]
                if not waiting:
                    break
                chosen = min(waiting, key=lambda p: p.share_begun)
                seeds = chosen.next_part(taken[id(chosen)])
                chosen.begun += len(seeds)
                running[pool.submit(played, chosen.match, seeds)] = chosen, seeds
            if not running:
                break
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                progress, seeds = running.pop(done)
                result, spent = done.result()
                progress.begun -= len(seeds)
                progress.add(seeds.start, len(seeds), spent, result)
                part = [progress.match.key, seeds.start, len(seeds), round(spent, 4), *astuple(result)]
                file.write(json.dumps(part) + "\n")
                file.flush()
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                print(*(progress.line() for progress in found), "", sep="\n", file=sys.stderr, flush=True)


def take_up(found: list[Progress], kept: Path) -> None:
    """Load the results of earlier calls."""
    by_key = {progress.match.key: progress for progress in found}
    for line in kept.read_text(encoding="utf-8").splitlines() if kept.exists() else ():
        key, start, count, spent, *result = json.loads(line)
        if key in by_key:
            by_key[key].add(start, count, spent, MatchResult(*result))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path)
    parser.add_argument("lists", type=Path, nargs="+")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    said = parser.parse_args()
    found = [Progress(match) for match in dict.fromkeys(read(said.lists))]
    take_up(found, said.kept)
    play_all(found, said.kept, said.processes, said.seconds)
    for progress in found:
        print(progress.line())


if __name__ == "__main__":
    main()

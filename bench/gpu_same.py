"""Whether an NVIDIA GPU gives the same bytes as a core: all settings of all games, several processes side by side.

    python bench/gpu_same.py [GAME ...] [--n 1024] [--steps 300] [--workers 16] [--minutes 8] [--memcheck] [--json FILE]

The settings are each number of seats with each value of an option, one at a time, and a selection of combinations
(`Game.settings`). A process compiles the kernels for one number of seats once and plays its settings one after the
other. It says which it begins, so a fault of the GPU names its setting; another process goes on with the rest. With
--memcheck every setting that failed is played again under compute-sanitizer, and so are a few that did not.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import backroom
from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.gym import Batch

Setting = dict[str, Any]
"""Arguments of `Batch`: seats, options, and how actions are given."""

COMPARED = ("observation", "mask", "rows", "seat", "reward", "ended", "truncated", "asked", "illegal")
"""Outputs of a batch that must be the same."""
SIMULTANEOUS = ("runaway-train", "booze-barons")
SHARES = {"rum-run": 3}
"""Processes for each number of seats; 1 for others."""
MEMCHECK = ("compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "9", "--print-limit", "20")
MEMCHECK_N, MEMCHECK_STEPS = 64, 60
MEMCHECKED: dict[str, list[Setting]] = {
    "run": [{"seats": 2}],
    "rummy-runners": [{"seats": 3}],
    "rum-run": [{"seats": 2}, {"seats": 4, "setup": "standard", "events": "yes", "objectives": "yes"}],
}
"""Settings that are always played under compute-sanitizer, if it is asked for: it finds errors that do no harm, too."""
MOST_RESTARTS = 6


def settings_of(game: Game) -> Iterator[Setting]:
    """All settings that are compared: each is given by what differs from the default."""
    known: set[str] = set()
    base = {option.name: option.default for option in game.options}
    every: list[tuple[int, dict[str, str]]] = [(seats, {}) for seats in game.seats]
    every += [
        (seats, {option.name: value})
        for seats in game.seats
        for option in game.options
        for value in option.values
        if option.is_rule
    ]
    for seats, options in [*every, *game.settings()]:
        chosen = {name: value for name, value in options.items() if value != base[name]}
        try:
            game.settle(seats, chosen)
        except BadOption:
            continue
        setting = {"seats": seats, **chosen}
        if (said := json.dumps(setting)) not in known:
            known.add(said)
            yield setting


def shares_of(game: Game) -> Iterator[list[Setting]]:
    """The settings of each process: kernels are compiled for a number of seats."""
    every = list(settings_of(game))
    many = SHARES.get(game.name, 1)
    for seats in game.seats:
        mine = [setting for setting in every if setting["seats"] == seats]
        for first in range(many):
            yield mine[first::many]
    yield [{"seats": game.seats[0], "observe": False}]
    yield [{"seats": game.seats[-1], "actions": "numbers" if Batch(game, 1).has_slots else "slots"}]
    if game.name in SIMULTANEOUS:
        yield [{"seats": game.seats[-1], "together": True}]


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def difference(game: Game, setting: Setting, n: int, steps: int, warm: Path | None) -> str:
    """Play a setting on both; returns what is not the same, or nothing."""
    card = Batch(game, n, device="cuda", logs=4, **setting)
    card.reset(7)
    card.step(card.sample())
    card.check()  # waits for the GPU
    while warm is not None and not warm.exists():
        time.sleep(0.2)  # another process compiles the kernels for cores
    core = Batch(game, n, threads=1, logs=4, **setting)
    core.reset(7)
    core.step(core.sample())
    every = max(1, steps // 6)
    for step in range(steps):
        core.step(core.sample())
        card.step(card.sample())
        if (step + 1) % every == 0:
            for what in COMPARED:
                mine, theirs = getattr(core, what), getattr(card, what).copy_to_host()
                if not np.array_equal(mine, theirs):
                    wrong = np.flatnonzero((mine != theirs).reshape(n, -1).any(axis=1))
                    return f"{what} after {step + 2} steps, in {len(wrong)} games, the first {int(wrong[0])}"
    states = card._runner.on_host("states")
    others = [i for i in range(n) if game.key(states[i]) != game.key(core.arrays.states[i])]
    if others:
        return f"states in {len(others)} games, the first {others[0]}"
    return "" if all(core.logs(i) == card.logs(i) for i in range(min(n, 4))) else "logs"


def work(name: str, n: int, steps: int, warm: Path | None) -> int:
    """A process: settings from standard input, and what was found on standard output."""
    game, failed = backroom.game(name), False
    for line in sys.stdin:
        setting, start = json.loads(line), time.perf_counter()
        say(begins=setting)
        found = difference(game, setting, n, steps, warm)
        failed |= bool(found)
        say(ends=setting, differs=found, seconds=round(time.perf_counter() - start, 1))
    return int(failed)


def warm_up(name: str) -> None:
    """Compile the kernels for cores, for all kinds of batches that are compared."""
    game = backroom.game(name)
    for setting in {
        json.dumps({k: v for k, v in share[0].items() if k in ("actions", "together", "observe")})
        for share in shares_of(game)
    }:
        batch = Batch(game, 2, **json.loads(setting))
        batch.reset(0)
        batch.step(batch.sample())


@dataclass
class Comparison:
    """All processes, and what they have found."""

    n: int
    steps: int
    end: float
    folder: Path
    same: list[tuple[str, Setting]] = field(default_factory=list)
    failed: list[dict[str, Any]] = field(default_factory=list)
    left: list[tuple[str, Setting]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, name: str, settings: list[Setting]) -> None:
        """Play settings of a game in a process; after a fault, those that are left in another."""
        for _ in range(MOST_RESTARTS):
            if not settings or time.monotonic() > self.end:
                break
            settings = self._in_process(name, settings)
        with self.lock:
            self.left += [(name, setting) for setting in settings]

    def _in_process(self, name: str, settings: list[Setting]) -> list[Setting]:
        """Returns the settings that were not played."""
        warm = self.folder / name
        command = [sys.executable, __file__, name, "--work", str(warm), "--n", str(self.n), "--steps", str(self.steps)]
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, bufsize=1
            )
            clock = threading.Timer(max(self.end - time.monotonic(), 1.0), process.kill)
            clock.start()
            assert process.stdin is not None
            assert process.stdout is not None
            begun: Setting | None = None
            rest = list(settings)
            process.stdin.write("".join(f"{json.dumps(setting)}\n" for setting in settings))
            process.stdin.close()
            for line in process.stdout:
                said = json.loads(line)
                if "begins" in said:
                    begun = rest.pop(0)
                else:
                    self._note(name, said["ends"], said["differs"], said["seconds"])
                    begun = None
            process.wait()
            clock.cancel()
            errors.seek(0)
            if process.returncode and time.monotonic() > self.end:
                return [begun, *rest] if begun else rest
            if process.returncode and begun is None and rest:
                print(f"{name}: a process could not begin: {errors.read()[-1500:]}", flush=True)
            if begun is not None:
                self._note(name, begun, f"ended with {process.returncode}: {errors.read()[-1500:]}", 0.0)
        return rest

    def _note(self, name: str, setting: Setting, differs: str, seconds: float) -> None:
        with self.lock:
            if differs:
                self.failed.append({"game": name, "setting": setting, "what": differs})
                print(f"FAILED {name} {json.dumps(setting)}: {differs}", flush=True)
            else:
                self.same.append((name, setting))
                if seconds > 20:
                    print(f"{name} {json.dumps(setting)}: the same, {seconds:.0f} s with compiling", flush=True)


def memcheck(name: str, setting: Setting, n: int, steps: int, seconds: float) -> tuple[int, str]:
    """Play a setting under compute-sanitizer. Returns its exit status (9: errors were found) and what it printed."""
    command = [*MEMCHECK, sys.executable, __file__, name, "--work", "", "--n", str(n), "--steps", str(steps)]
    try:
        ran = subprocess.run(
            command,
            input=f"{json.dumps(setting)}\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=max(seconds, 1.0),
        )
    except subprocess.TimeoutExpired:
        return 124, f"not finished in {seconds:.0f} s"
    return ran.returncode, f"{ran.stdout[-6000:]}{ran.stderr[-1500:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Whether a GPU gives the same bytes as a core.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--n", type=int, default=1024, help="games of a batch")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=8.0, help="after which what is left is listed and left out")
    parser.add_argument("--memcheck", action="store_true", help="play those that failed, and some others, once more")
    parser.add_argument("--work", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--warm", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    if chosen.work is not None:
        return work(chosen.games[0], chosen.n, chosen.steps, Path(chosen.work) if chosen.work else None)
    if chosen.warm:
        warm_up(chosen.games[0])
        return 0
    start = time.monotonic()
    names = chosen.games or ["rum-run", "booze-barons", "rummy-runners", "run", "runaway-train"]
    with tempfile.TemporaryDirectory() as folder:
        until = start + 60.0 * chosen.minutes
        # The sanitizer runs beside the comparison, and what has failed after it.
        found = Comparison(chosen.n, chosen.steps, until - (90.0 if chosen.memcheck else 0.0), Path(folder))

        def warm(name: str) -> None:
            subprocess.run([sys.executable, __file__, name, "--warm"], check=True)
            (Path(folder) / name).touch()

        checked: dict[str, Any] = {}

        def check(name: str, setting: Setting, n: int, steps: int, of: list[Any]) -> None:
            for job in of:
                job.result()
            label = f"{name} {json.dumps(setting)} n={n}"
            status, text = memcheck(name, setting, n, steps, until - time.monotonic())
            checked[label] = status
            said = text if status not in (0,) else text.splitlines()[-1]
            print(f"memcheck {label}: {status}\n{said}", flush=True)

        with ThreadPoolExecutor(chosen.workers) as pool, ThreadPoolExecutor(16) as others:
            warming = {name: others.submit(warm, name) for name in names}
            jobs = [pool.submit(found.run, name, share) for name in names for share in shares_of(backroom.game(name))]
            sanitizer = chosen.memcheck and shutil.which(MEMCHECK[0])
            if sanitizer:
                for name in names:
                    for setting in MEMCHECKED.get(name, []):
                        others.submit(check, name, setting, MEMCHECK_N, MEMCHECK_STEPS, [warming[name]])
            for job in [*warming.values(), *jobs]:
                job.result()
            spent = time.monotonic() - start
            if sanitizer:
                for one in found.failed[:6]:
                    others.submit(check, one["game"], one["setting"], 2 * MEMCHECK_N, 2 * MEMCHECK_STEPS, [])
    for name in names:
        same = sum(each == name for each, _ in found.same)
        failed = sum(one["game"] == name for one in found.failed)
        left = sum(each == name for each, _ in found.left)
        print(f"{name}: {same} settings give the same bytes, {failed} do not, {left} were not played")
    print(f"{spent:.0f} s; compute-sanitizer: {checked if sanitizer else 'not run'}")
    if chosen.json:
        report: dict[str, Any] = {"same": found.same, "failed": found.failed, "left": found.left, "memcheck": checked}
        chosen.json.write_text(json.dumps(report) + "\n", "utf-8")
    return int(bool(found.failed or found.left or any(checked.values())))


if __name__ == "__main__":
    sys.exit(main())

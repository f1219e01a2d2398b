"""How a batch scales over cores: steps per second by games for each core and by threads.

    python bench/gym_cores.py [GAME ...] [--each 1024 4096 16384] [--seconds 0.4] [--json FILE]

Threads run on distinct physical cores as long as there are enough. Beside them are processes: as many batches with one
thread each, pinned to the same cores. What processes reach and threads do not is lost to waking and waiting; what
processes do not reach either is lost to memory or to the clock of the processor.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import backroom
from backroom.gym import Batch

GAMES = ("run", "runaway-train", "rummy-runners", "booze-barons", "rum-run")
CALLS = 200
"""Calls that measure what a call costs, of a batch so small that hardly anything else is done."""


def physical_first(every: list[int]) -> list[int]:
    """The processors of this process: one of each physical core first, then their siblings."""
    first: dict[str, int] = {}
    for cpu in every:
        try:
            siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text("utf-8")
        except OSError:
            siblings = str(cpu)
        first.setdefault(siblings, cpu)
    chosen = list(first.values())
    return chosen + [cpu for cpu in every if cpu not in chosen]


def speed_of(batch: Batch, seconds: float) -> float:
    steps, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        for _ in range(4):
            batch.step(batch.sample())
        steps += 4 * batch.n
    return steps / spent


def begun(name: str, n: int, threads: int) -> Batch:
    batch = Batch(name, n, threads=threads)
    batch.reset(0)
    for _ in range(20):
        batch.step(batch.sample())
    return batch


def by_threads(name: str, each: int, cpus: list[int], seconds: float) -> float:
    os.sched_setaffinity(0, cpus)
    batch = begun(name, each * len(cpus), len(cpus))
    return max(speed_of(batch, seconds / 2) for _ in range(2))


def by_processes(name: str, each: int, cpus: list[int], seconds: float) -> float:
    """As many processes as processors, which begin together."""
    start = time.time() + 4.0
    command = [sys.executable, __file__, name, "--each", str(each), "--seconds", str(seconds), "--at", str(start)]
    many = [subprocess.Popen([*command, "--cpu", str(cpu)], stdout=subprocess.PIPE, text=True) for cpu in cpus]
    return sum(float(process.communicate()[0]) for process in many)


def main() -> int:
    parser = argparse.ArgumentParser(description="How a batch scales over cores.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--each", type=int, nargs="+", default=[1024, 4096, 16384], help="games for each core")
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--at", type=float, default=0.0, help=argparse.SUPPRESS)
    parser.add_argument("--cpu", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    if chosen.cpu is not None:
        os.sched_setaffinity(0, [chosen.cpu])
        batch = begun(chosen.games[0], chosen.each[0], 1)
        time.sleep(max(0.0, chosen.at - time.time()))
        print(speed_of(batch, chosen.seconds))
        return 0
    cpus = physical_first(sorted(os.sched_getaffinity(0)))
    counts = [many for many in (1, 2, 4, 8, 16, 32) if many <= len(cpus)]
    rows: list[dict[str, Any]] = []
    table = Table("game", "games a core", *(f"{many} cores" for many in counts), f"{counts[-1]} processes")
    print(f"processors, distinct physical cores first: {cpus}")
    for name in chosen.games or GAMES:
        backroom.game(name)
        begun(name, 64, 1)  # compiles
        for each in chosen.each:
            found = [by_threads(name, each, cpus[:many], chosen.seconds) for many in counts]
            apart = by_processes(name, each, cpus[: counts[-1]], chosen.seconds) if each == 4096 else None
            rows += [
                {"game": name, "each": each, "cores": many, "steps_per_s": speed}
                for many, speed in zip(counts, found, strict=True)
            ]
            said = [f"{speed / 1e6:.2f} M ({speed / found[0]:.2f})" for speed in found]
            print(name, each, *said, flush=True)
            if apart is not None:
                rows.append({"game": name, "each": each, "processes": counts[-1], "steps_per_s": apart})
            table.add_row(name, f"{each:,}", *said, f"{apart / 1e6:.2f} M ({apart / found[0]:.2f})" if apart else "")
    Console(width=160).print(table)
    calls = {}
    for many in counts:
        os.sched_setaffinity(0, cpus[:many])
        batch = begun("run", 64 * many, many)
        start = time.perf_counter()
        for _ in range(CALLS):
            batch.sample()
        calls[many] = (time.perf_counter() - start) / CALLS * 1e6
    print("one call of `sample` for 64 games a core, µs:", {many: round(spent, 1) for many, spent in calls.items()})
    if chosen.json:
        chosen.json.write_text(json.dumps({"rows": rows, "calls": calls}) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

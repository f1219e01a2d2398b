"""Time from the command to the first page, with a warm and with a cold cache of compiled rules.

    python bench/start.py [--rounds 3] [--json FILE]

The first page should be there in 2 seconds with a warm cache, and in 10 with a cold one, with a line that shows the
progress of compiling in the background. Then the memory (PSS) of a server with one process and with two, at first and
with the rules and bots of all games loaded in each.
"""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from rich.console import Console
from rich.table import Table
from server import Refusal, Server, connect

import backroom

SETTLED = 15.0
"""Seconds after which a server has loaded all bots in the background."""
BARS = {"warm": 2.0, "cold": 10.0}


def first_page(cache: str | None, folder: str) -> tuple[float, float, bool]:
    """Seconds until the command's first output and until the whole page, and whether the page mentions compiling."""
    env = {**os.environ, **({"BACKROOM_CACHE": cache} if cache else {})}
    words = [sys.executable, "-m", "backroom", "serve", "--port", "0", "--db", str(Path(folder) / f"{time.time()}.db")]
    start = time.perf_counter()
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=env)
    assert child.stdout is not None
    url = child.stdout.readline().split()[-1]
    said = time.perf_counter() - start
    page = urllib.request.urlopen(url, timeout=60).read().decode()
    spent = time.perf_counter() - start
    child.send_signal(signal.SIGINT)
    child.wait(30)
    return said, spent, "data-compiling" in page


def memory(processes: int, folder: str) -> dict[str, float]:
    """The memory of a server in MB, at first and with tables of all games in each process."""
    server = Server(str(Path(folder) / f"memory{processes}.db"), processes=processes)
    try:
        time.sleep(SETTLED)
        at_first = server.memory() / 1000
        asyncio.run(tables_of_all_games(server))
        time.sleep(SETTLED)
        return {"at first, MB": at_first, "all games, MB": server.memory() / 1000}
    finally:
        server.stop()


async def tables_of_all_games(server: Server) -> None:
    """Make tables of each game, enough of them that every process gets some, and look at each."""
    wire = await connect(server.port)
    token = (await wire.ask("POST", "/api/guests", "", {"name": "M"}))["token"]
    for game in map(backroom.game, backroom.names()):
        bots = {str(seat): "easy" for seat in range(1, min(game.seats))}
        new = {"game": game.name, "seats": min(game.seats), "sit": 0, "bots": bots, "rated": False}
        for _ in range(4 * server.processes):
            with contextlib.suppress(Refusal):  # an editor has no bots, and a puzzle needs a number
                made = (await wire.ask("POST", "/api/tables", token, new))["table"]
                await wire.ask("GET", f"/api/tables/{made}/decision", token)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    subprocess.run([sys.executable, "-m", "backroom", "warm", "--plain"], check=True, stdout=subprocess.DEVNULL)
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in BARS:
            rounds = [
                first_page(str(Path(folder) / f"cache{n}") if kind == "cold" else None, folder)
                for n in range(args.rounds)
            ]
            found[kind] = {
                "says something, s": statistics.median(said for said, _, _ in rounds),
                "first page, s": statistics.median(spent for _, spent, _ in rounds),
                "tells of compiling": float(all(tells for *_, tells in rounds)),
                "bar, s": BARS[kind],
            }
        used = {f"processes: {count}": memory(count, folder) for count in (1, 2)}
    for title, rows in (("cache", found), ("memory", used)):
        table = Table(title, *next(iter(rows.values())))
        for kind, row in rows.items():
            table.add_row(kind, *(f"{value:.2f}" for value in row.values()))
        Console().print(table)
    found |= used
    if args.json:
        args.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()

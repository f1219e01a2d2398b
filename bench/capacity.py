"""Capacity planning: what a number of tables needs, from the measured costs of a move and a simulation of servers.

    python bench/capacity.py [--tables 1000000] [--pace SECONDS_A_MOVE] [--listeners 4] [--figures FILE] [--json FILE]

First the costs visible within one process are measured: CPU time to validate and apply a move, and to make its messages
with their pictures; bytes written and sent; a transaction and its rows. The other costs of a whole server (HTTP,
sockets, memory) are measured by `bench/server.py`, whose `--json` file can be given as `--figures`; costs not measured
in a run have the values of earlier measurements (`Costs`).

Then one process and its database are simulated with more and more tables, event by event, until a move takes too long:
moves arrive at random at the pace of people, the event loop serves one request at a time, and the writer puts all that
waits into one transaction. Tables are independent, so when they are split by id each of many processes holds as many as
one; costs that cannot be split are counted separately, and named.
"""

import argparse
import heapq
import json
import math
import random
import sqlite3
import statistics
import tempfile
import time
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table as Grid

import backroom
from backroom.server.storage.journal import SIT, Entry
from backroom.server.storage.store import Store
from backroom.server.tables import messages
from backroom.server.tables.audience import Audience
from backroom.server.tables.config import Terms, config
from backroom.server.tables.state import TableState

P99_MS = 100.0
"""The bar for the 99th percentile of a person's move."""
HEADROOM = 0.6
"""The planned utilization; the rest is for peaks, restarts and a lost machine."""


@dataclass
class Costs:
    """The costs of a move in seconds of one core and in bytes. The defaults were measured on two shared cores."""

    judge: float = 150e-6
    """Validating and applying a move."""
    message: float = 60e-6
    """Making the message for one subscriber."""
    serve: float = 300e-6
    """Everything else that a server does for a move: HTTP, sockets, tasks, threads."""
    commit: float = 1.5e-3
    """A transaction, regardless of its content; mostly the disk."""
    row: float = 15e-6
    """Each entry in a transaction."""
    hear: float = 9e-6
    """Receiving a notification (LISTEN, psycopg) of a move at a table of another process."""
    entries_a_move: float = 1.5
    """Journal entries for each move, including nature's."""
    bytes_kept: float = 120.0
    """Bytes of an entry in the database, with its indexes."""
    bytes_told: float = 1500.0
    """Bytes sent to one subscriber for a move."""
    table_bytes: float = 15_000.0
    """Bytes of a table in memory."""
    stream_bytes: float = 20_000.0
    """Bytes of an open stream."""


def measured() -> Costs:
    """The costs that can be measured in one process, for one game with four seats."""
    found = Costs()
    game = max(map(backroom.game, backroom.names()), key=lambda each: max((n for n in each.seats if n <= 4), default=0))
    times = {"judge": [], "message": []}
    kept, told, entries, moves = [], [], 0, 0
    rng = random.Random(1)
    for turn in range(6):
        state = TableState(config(game.name, 4, {}, Terms(rated=False), is_public=False, maker="p", made=0))
        number = 0
        drafts = [*(Entry(SIT, seat, f"P{seat}", f"p{seat}") for seat in range(4))]
        for draft in (*drafts, *state.begun()):
            number += 1
            state.apply([msgspec.structs.replace(draft, number=number, at=number)])
        audiences = [Audience(state, seat, for_programs=False) for seat in range(4)]
        while state.asked and moves < 150 * (turn + 1):
            seat = rng.choice(state.asked)
            name = game.rules.name(state.view(seat), rng.choice(state.moves(seat)))
            before, start = list(state.counts), time.thread_time()
            drafts = state.move_entries(seat, name)
            new = [msgspec.structs.replace(d, number=number + n, at=number + n) for n, d in enumerate(drafts, 1)]
            change = state.apply(new)
            middle = time.thread_time()
            head = msgspec.Raw(messages.encode(messages.heading(state, set(), 0, 0, None)))
            for audience in audiences:
                audience.publish(state, change, head, before[audience.reader])
            end = time.thread_time()
            number += len(new)
            moves, entries = moves + 1, entries + len(new)
            times["judge"].append(middle - start)
            times["message"].append((end - middle) / 4)
            told += [len(audience.recent[-1][2]) for audience in audiences if audience.recent]
            kept += new
    found.judge, found.message = (statistics.median(times[name]) for name in ("judge", "message"))
    found.entries_a_move, found.bytes_told = entries / moves, statistics.mean(told)
    found.bytes_kept, found.row, found.commit = written(kept)
    return found


def written(kept: list[Entry]) -> tuple[float, float, float]:
    """Bytes of an entry in SQLite, seconds for each row of a transaction, and seconds for the transaction itself."""
    rows = [("t" * 12, n, e.at, e.kind, e.seat, e.text, "p" * 24, f"{'p' * 12}:{n}") for n, e in enumerate(kept, 1)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.db"
        Store(str(path)).close()
        conn = sqlite3.connect(path, isolation_level=None)
        conn.execute("pragma synchronous = full")
        before = path.stat().st_size
        took: dict[int, list[float]] = {1: [], 64: []}
        for name in range(40):
            for size, list_of_times in took.items():
                start = time.perf_counter()
                conn.execute("begin")
                conn.executemany(
                    "insert into entries values (?, ?, ?, ?, ?, ?, ?, ?)",
                    [(f"{name:04}{size:04}{n % 27:04}", *row[1:]) for n, row in enumerate(rows[:size])],
                )
                conn.execute("commit")
                list_of_times.append(time.perf_counter() - start)
        conn.execute("begin")
        many = 20_000
        conn.executemany(
            "insert into entries values (?, ?, ?, ?, ?, ?, ?, ?)",
            [(f"many{n // len(rows):08}", *rows[n % len(rows)][1:]) for n in range(many)],
        )
        conn.execute("commit")
        conn.execute("pragma wal_checkpoint(truncate)")
        conn.close()
        size = (path.stat().st_size - before) / (many + 40 * 65)
    one, more = statistics.median(took[1]), statistics.median(took[64])
    return size, max(1e-6, (more - one) / 63), one


# one process and its database


def simulated(costs: Costs, tables: int, pace: float, listeners: int, seconds: float = 20.0) -> dict[str, float]:
    """Simulate one process with this number of tables: latency of moves, and load of the event loop and the writer."""
    rng, rate = random.Random(7), tables / pace
    judge, tell = costs.judge + costs.serve / 2, costs.serve / 2 + listeners * costs.message
    events: list[tuple[float, int, str, Any]] = []  # time, sequence number, kind, subject
    order = 0
    loop: deque[tuple[str, float]] = deque()
    waiting: list[float] = []
    is_loop_busy = is_writer_busy = False
    loop_time = writer_time = 0.0
    took: list[float] = []

    def at(when: float, what: str, whom: Any = None) -> None:
        nonlocal order
        order += 1
        heapq.heappush(events, (when, order, what, whom))

    at(rng.expovariate(rate), "come")
    while events and events[0][0] < seconds:
        now, _, what, whom = heapq.heappop(events)
        if what == "come":
            loop.append(("judge", now))
            at(now + rng.expovariate(rate), "come")
        elif what == "judged":
            waiting.append(whom)
            is_loop_busy = False
        elif what == "told":
            took.append(now - whom)
            is_loop_busy = False
        elif what == "written":
            loop.extend(("tell", came) for came in whom)
            is_writer_busy = False
        if loop and not is_loop_busy:
            job, came = loop.popleft()
            cost = judge if job == "judge" else tell
            is_loop_busy, loop_time = True, loop_time + cost
            at(now + cost, "judged" if job == "judge" else "told", came)
        if waiting and not is_writer_busy:
            cost = costs.commit + len(waiting) * costs.entries_a_move * costs.row
            is_writer_busy, writer_time = True, writer_time + cost
            at(now + cost, "written", waiting)
            waiting = []
    settled = sorted(took[len(took) // 5 :])
    p99 = 1000 * settled[min(len(settled) - 1, len(settled) * 99 // 100)] if settled else math.inf
    backlog = len(loop) + len(waiting)
    return {
        "p99": math.inf if backlog > rate else p99,
        "loop": loop_time / seconds,
        "writer": writer_time / seconds,
        "moves_a_second": len(took) / seconds,
    }


def most_tables(costs: Costs, pace: float, listeners: int) -> int:
    """The most tables that one process holds before moves take too long."""
    low, high = 0, 1000
    while simulated(costs, high, pace, listeners)["p99"] <= P99_MS:
        low, high = high, 2 * high
    while high - low > max(50, low // 20):
        middle = (low + high) // 2
        if simulated(costs, middle, pace, listeners)["p99"] <= P99_MS:
            low = middle
        else:
            high = middle
    return low


# many processes


def needs_of(costs: Costs, tables: int, pace: float, listeners: int, held: int) -> list[tuple[str, float, str]]:
    """The needs of this number of tables: each with its figure and unit, including those that cannot be split."""
    rate, each = tables / pace, held * HEADROOM
    processes = math.ceil(tables / each)
    gigabytes = tables * (costs.table_bytes + listeners * costs.stream_bytes) / 1e9
    rows = rate * costs.entries_a_move
    heard_by_all = rate * costs.hear
    a_database = HEADROOM / costs.row
    return [
        ("moves", rate, "a second"),
        ("processes, each on a core of its own", processes, "processes"),
        ("memory of tables and streams", gigabytes, "GB"),
        ("sent to listeners", rate * listeners * costs.bytes_told * 8 / 1e9, "Gbit/s"),
        ("entries written", rows, "a second"),
        ("databases, split by table id", math.ceil(rows / a_database), "databases"),
        ("kept in a day", rows * costs.bytes_kept * 86_400 / 1e9, "GB"),
        ("of each process, to hear of everybody's moves by NOTIFY", heard_by_all, "cores"),
    ]


def bottleneck(costs: Costs, tables: int, pace: float, held: int) -> str:
    """The resource that runs out first as the number of tables grows."""
    rate = tables / pace
    if tables <= held * HEADROOM:
        return "nothing: one process does it"
    if rate * costs.hear > 1 - HEADROOM:
        return "every process hears of every move: tables have to be sent to processes by their ids"
    if rate * costs.entries_a_move * costs.row > HEADROOM:
        return "one database writes it all: tables have to be split over databases by their ids"
    return "the event loop of a process: more processes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1_000_000)
    parser.add_argument("--pace", type=float, default=10.0, help="seconds between two moves at a table")
    parser.add_argument("--listeners", type=int, default=4)
    parser.add_argument("--figures", type=Path, help="what bench/server.py --bars --json wrote")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    costs = measured()
    if args.figures:
        take_over(costs, json.loads(args.figures.read_text()), args.listeners)
    held = most_tables(costs, args.pace, args.listeners)
    console = Console(width=100)
    console.print("costs:", {name: round(value, 7) for name, value in asdict(costs).items()})
    console.print(f"one process holds {held:,} tables at a move every {args.pace:g} s each (p99 ≤ {P99_MS:g} ms)")
    grid = Grid("tables", "moves/s", "p99 ms", "loop", "writer", title="one process and its database")
    for share in (0.25, 0.5, 0.75, 1.0, 1.25):
        found = simulated(costs, round(held * share), args.pace, args.listeners)
        grid.add_row(
            f"{round(held * share):,}", f"{found['moves_a_second']:,.0f}", f"{found['p99']:,.1f}",
            f"{found['loop']:.0%}", f"{found['writer']:.0%}",
        )  # fmt: skip
    console.print(grid)
    size = 1000
    while size <= args.tables:
        console.print(f"{size:>9,} tables: {bottleneck(costs, size, args.pace, held)}")
        size *= 10
    needs = needs_of(costs, args.tables, args.pace, args.listeners, held)
    grid = Grid("what", "figure", title=f"{args.tables:,} tables")
    for what, figure, unit in needs:
        grid.add_row(what, f"{figure:,.2f} {unit}" if figure < 10 else f"{figure:,.0f} {unit}")
    console.print(grid)
    if args.json:
        args.json.write_text(json.dumps({"costs": asdict(costs), "held": held, "needs": needs}, indent=2))


def take_over(costs: Costs, figures: dict[str, dict[str, float]], listeners: int) -> None:
    """Take the costs measured on whole servers: memory, and the cost of a move besides validation and messages."""
    if "memory" in figures:
        costs.table_bytes = 1000 * figures["memory"]["kb_a_live_table"]
    if "streams" in figures:
        costs.stream_bytes = 1000 * figures["streams"]["kb_a_stream"]
    if "paced" in figures:
        whole = figures["paced"]["cpu_us_a_move"] / 1e6
        costs.serve = max(50e-6, whole - costs.judge - listeners * costs.message - costs.entries_a_move * costs.row)


if __name__ == "__main__":
    main()

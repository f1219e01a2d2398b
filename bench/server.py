"""A server under load: throughput of moves, latency from a POST to the last subscriber's event, memory, fan-out.

    python bench/server.py [--tables 50] [--games 12] [--listeners 4] [--seconds 10] [--pace MOVES_A_SECOND]
                           [--door api|page] [--spectators 1000] [--db URL] [--beside boardgame.io] [--json FILE]
                           [--server direct|uvicorn] [--processes N]
    python bench/server.py --bars [--short] [--only ROW …] [--processes N] [--minutes 30] [--kills 100]

`--bars` measures all rows that have a bar (`server_bars.py`) in turn, and prints each figure with its bar. It takes an
hour, half of it for the soak test, on an idle machine; `--short` takes ten minutes, without the soak, with fewer kills
and seconds, which the figures say; `--only ROW` measures one row, in a minute or two. A row that fails says why, or is
ended if it takes too long, and the others are measured all the same; then, or if a bar is missed, the exit status is 1.
`--server` selects the HTTP path: our fast path (direct, the default) or plain uvicorn.

`backroom serve` runs with its defaults or with `--processes N`, and has every acknowledged move on disk. A few rows
need a certain number of processes, and have it. One more process plays. At each table the game's seats play, and
spectators make up the remaining listeners. A move is complete when every listener at its table has received it. With
`--beside boardgame.io` (installed by npm) our rounds and the peer's alternate, and the ratio is the median over them.
"""

import argparse
import asyncio
import contextlib
import gc
import json
import multiprocessing
import os
import queue
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from sqlalchemy import select

import backroom
from backroom.scene.lines import whole
from backroom.server.launch import usual_processes
from backroom.server.storage.database import engine_of, whole_url
from backroom.server.storage.schema import entries

try:
    import uvloop
except ImportError:
    uvloop = None  # type: ignore[assignment]

decode = msgspec.json.decode


class Choice(msgspec.Struct):
    name: str


class Event(msgspec.Struct):
    """The part of an event that a player needs."""

    n: int
    asked: bool = False
    ask: int = 0
    moves: msgspec.Raw = msgspec.Raw(b"[]")
    """Not decoded, because only the seats that are asked need them."""


event_of = msgspec.json.Decoder(Event).decode
moves_of = msgspec.json.Decoder(list[Choice | str]).decode
OVER = b'"stage":"over"'
"""What the last event of a game contains."""
WARM_UP = 1.5
"""Seconds of play before the measurement."""


LATENESS = 0.5
"""Seconds by which events may be late with several processes, each of which publishes to its own listeners."""
LONGEST_WAIT = 30.0
"""Seconds after the end of a measurement in which its last moves must have reached all listeners."""

STOPPING = 30.0
"""Most seconds for a server to stop."""


class Refusal(RuntimeError):
    """A request that the server refused, and why."""

    def __init__(self, status: int, says: str) -> None:
        super().__init__(says)
        self.status = status


class Wire(asyncio.Protocol):
    """A persistent HTTP/1.1 connection for requests in sequence, or for a stream."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.buffer = b""
        self.waiting: asyncio.Future[tuple[int, bytes, bytes]] | None = None
        self.on_event: Any = None
        self.losses = 0
        """How often the connection was closed, also while nothing was asked."""

    def connection_lost(self, exc: Exception | None) -> None:
        self.losses += 1
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(ConnectionError("the server has gone"))

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.buffer:
            data = self.buffer + data
        if self.on_event is not None:
            start = 0
            while (end := data.find(b"\n\n", start)) >= 0:
                at = data.find(b"data: ", start, end)
                if at >= 0 and data.find(b"event: here", start, at) < 0:
                    self.on_event(data[at + 6 : end])
                start = end + 2
            self.buffer = data[start:]
            return
        self.buffer = data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0 or self.waiting is None:
            return
        whole = self.buffer[:end]
        head = whole.lower()
        at = head.find(b"content-length: ")
        length = int(head[at + 16 :].split(b"\r\n")[0]) if at >= 0 else 0
        if len(self.buffer) >= end + 4 + length:
            status, body = int(head[9:12]), self.buffer[end + 4 : end + 4 + length]
            self.buffer = self.buffer[end + 4 + length :]
            waiting, self.waiting = self.waiting, None
            if not waiting.done():
                waiting.set_result((status, whole, body))

    async def ask(self, method: str, path: str, token: str, message: Any = None) -> Any:
        """Send a JSON request and return the decoded response."""
        body = b"" if message is None else msgspec.json.encode(message)
        status, _, found = await self.exchange(method, path, token, body, "application/json")
        if status >= 400:
            raise Refusal(status, f"{method} {path}: {status} {found.decode()}")
        return decode(found)

    async def exchange(self, method: str, path: str, token: str, body: bytes, kind: str) -> tuple[int, bytes, bytes]:
        """Status, head and body of a response. If the connection was closed because it was idle, it is reopened."""
        if self.transport.is_closing():
            self.buffer = b""
            await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", self.port)
        self.waiting = asyncio.get_running_loop().create_future()
        self.transport.write(
            f"{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n"
            f"content-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
            + body
        )
        return await self.waiting

    def listen(self, path: str, token: str, on_event: Any) -> None:
        self.on_event = on_event
        self.transport.write(f"GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n".encode())


async def connect(port: int) -> Wire:
    _, wire = await asyncio.get_running_loop().create_connection(lambda: Wire(port), "127.0.0.1", port)
    return wire


@dataclass
class LoadedTable:
    """One table under load."""

    id: str
    tokens: list[str]
    wires: list[Wire]
    turns: list[Any]
    counts: list[int]
    latencies: list[float] = field(default_factory=list)
    moves: int = 0
    key: int = 0
    streams: list[Wire] = field(default_factory=list)
    untold: set[int] = field(default_factory=set)
    """Listeners that have not received the last move."""
    sent_again: int = 0
    """Moves whose connection was closed by the server before it answered."""
    all_told: asyncio.Event = field(default_factory=asyncio.Event)
    lateness: float = 0.0
    last: bytes = b""
    """The last event of a seat."""

    def hear(self, listener: int, data: bytes) -> None:
        before = self.counts[listener]
        if listener < len(self.turns):
            self.last = data
            self.turns[listener] = event_of(data)
            self.counts[listener] = self.turns[listener].n
        else:
            self.counts[listener] += 1
        if self.counts[listener] > before:
            self.untold.discard(listener)
            if not self.untold:
                self.all_told.set()

    def wait_for_all(self) -> None:
        """Start waiting for every listener to receive a new event."""
        self.untold = set(range(len(self.counts)))
        self.all_told.clear()

    async def told(self) -> None:
        await self.all_told.wait()

    def close(self) -> None:
        for wire in [*self.wires, *self.streams]:
            wire.transport.close()

    async def seat_to_move(self) -> int | None:
        """The seat that is asked, after waiting a moment for late events; None if the game is over."""
        until = time.perf_counter() + self.lateness
        while True:
            for seat, turn in enumerate(self.turns):
                if turn.asked:
                    return seat
            if time.perf_counter() >= until or OVER in self.last:
                return None
            await asyncio.sleep(0.005)

    async def play(self, end: float, pace: float, rng: random.Random) -> None:
        due = time.perf_counter() + rng.random() / pace if pace else 0.0
        while time.perf_counter() < end:
            if pace:
                await asyncio.sleep(max(0, due - time.perf_counter()))
                due += 1 / pace
            seat = await self.seat_to_move()
            if seat is None:
                return
            turn, start = self.turns[seat], time.perf_counter()
            self.wait_for_all()
            move = {"name": rng.choice(names_of(turn.moves)), "ask": turn.ask, "key": f"{self.key}.{self.moves}"}
            path = f"/tables/{self.id}/moves"
            try:
                await self.send(seat, path, move)
            except Refusal as refusal:
                if refusal.status != 409 or not self.lateness:
                    raise
                await asyncio.sleep(0.005)  # another process is ahead of what this seat has received
                continue
            await self.told()
            self.latencies.append(time.perf_counter() - start)
            self.moves += 1

    async def send(self, seat: int, path: str, move: dict[str, Any]) -> None:
        """Make a move. If the server has closed the idle connection, it is sent again with the same key."""
        for is_last in (False, True):
            try:
                await self.wires[seat].ask("POST", path, self.tokens[seat], move)
                return
            except ConnectionError:
                if is_last:
                    raise
                self.sent_again += 1


def names_of(moves: bytes) -> list[str]:
    """The names of an event's moves. Pages get long lists in a compact form, of which the first text has the names."""
    found = moves_of(moves)
    return whole(found[0]) if isinstance(found[0], str) else [move.name for move in found if not isinstance(move, str)]


async def play_on(
    games: Iterable[LoadedTable],
    end: float,
    pace: float,
    rng: random.Random,
    another: Callable[[], Awaitable[LoadedTable]],
) -> None:
    """Play games in sequence, so that the number of tables stays constant; if there are too few, make more."""
    for game in games:
        await game.play(end, pace, rng)
        if time.perf_counter() >= end:
            return
    while not pace and time.perf_counter() < end:
        await (await another()).play(end, pace, rng)


async def set_up(port: int, game: str, seats: int, listeners: int, options: dict[str, str], door: str) -> LoadedTable:
    wires = [await connect(port) for _ in range(seats)]
    tokens = [(await wire.ask("POST", "/api/guests", "", {"name": f"P{n}"}))["token"] for n, wire in enumerate(wires)]
    new = {"game": game, "seats": seats, "sit": None, "rated": False, "options": options}
    made = (await wires[0].ask("POST", "/api/tables", tokens[0], new))["table"]
    for wire, token in zip(wires, tokens, strict=True):
        await wire.ask("POST", f"/api/tables/{made}/seats", token, {})
    found = LoadedTable(made, tokens, wires, [Event(0)] * seats, [0] * listeners)
    found.wait_for_all()
    for n in range(listeners):
        token = tokens[n] if n < seats else (await wires[0].ask("POST", "/api/guests", "", {"name": "W"}))["token"]
        await listen(port, found, n, token, door)
    await found.told()
    return found


async def listen(port: int, game: LoadedTable, listener: int, token: str, door: str) -> None:
    """Open another stream of a table."""
    wire = await connect(port)
    game.streams.append(wire)
    path = f"{'/api' if door == 'api' else ''}/tables/{game.id}/events"
    wire.listen(path, token, lambda data: game.hear(listener, data))


class Server:
    """Our server, in this number of processes; None: as many as it has by default."""

    def __init__(self, db: str, http: str = "direct", processes: int | None = None, bot_pace: float = 0.6) -> None:
        self.db = db
        # All connections come from one address here. As a trusted proxy it is exempt from the limit by address.
        self.processes = processes or usual_processes(db)
        proxy = {"BACKROOM_PROXIES": "127.0.0.1"}
        env = {**os.environ, **proxy, "BACKROOM_LIMITS": "100000", "BACKROOM_LOG": "error", "BACKROOM_HTTP": http}
        env["BACKROOM_BOT_PACE"] = str(bot_pace)
        words = [sys.executable, "-m", "backroom", "serve", "--port", "0", "--db", db]
        words += ["--processes", str(processes)] if processes else []
        self.child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=env)
        try:
            self._wait()
        except BaseException:
            self.child.kill()
            raise

    def _wait(self) -> None:
        assert self.child.stdout is not None
        self.port = int(self.child.stdout.readline().rstrip("/\n").rsplit(":", 1)[1])
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                break
            time.sleep(0.05)
        self.wait_for_kernels()
        self.wait_for_all()

    def wait_for_kernels(self) -> None:
        """With a cold cache, wait until the server's child process has compiled all kernels."""
        for _ in range(6000):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/compiling", timeout=30) as answer:
                if json.load(answer)["over"]:
                    return
            time.sleep(0.1)
        raise RuntimeError("the rules are still being compiled after ten minutes")

    def wait_for_all(self) -> None:
        """Wait until all processes are ready: then one of them tells the metrics of each."""
        for _ in range(600):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as answer:
                if sum(line.startswith(b"backroom_started_seconds") for line in answer) >= self.processes:
                    return
            time.sleep(0.1)
        raise RuntimeError("not all processes have been started after a minute")

    def pids(self) -> list[int]:
        """The processes that serve: the one that was started, or its children."""
        if self.processes == 1:
            return [self.child.pid]
        children = Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children").read_text()
        return list(map(int, children.split()))

    def memory(self) -> int:
        """Memory in KB; what processes share counts once."""
        pids = {self.child.pid, *self.pids()}
        texts = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in pids]
        return sum(int(text.partition("Pss:")[2].split()[0]) for text in texts)

    def cpu(self) -> dict[tuple[int, int], float]:
        """The CPU seconds of each thread of each process, which depend on other load less than the time does."""
        return {
            (pid, int(path.name)): cpu_seconds(path / "stat")
            for pid in self.pids()
            for path in Path(f"/proc/{pid}/task").iterdir()
        }

    def stop(self) -> None:
        self.child.send_signal(signal.SIGINT)
        try:
            self.child.wait(STOPPING)
        except subprocess.TimeoutExpired:
            self.child.kill()  # its processes end with it
            raise RuntimeError(f"the server has not stopped after {STOPPING:.0f} seconds") from None


def cpu_seconds(stat: Path) -> float:
    """The CPU seconds of a process or a thread, from its file `stat`."""
    fields = stat.read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_a_move(
    before: dict[tuple[int, int], float], after: dict[tuple[int, int], float], moves: int
) -> dict[str, float]:
    """CPU microseconds a move: of all, of the event loops, of the writers (each process's busiest other thread)."""
    spent = {thread: 1e6 * (seconds - before.get(thread, 0.0)) / moves for thread, seconds in after.items()}
    writers = [
        max((spent[of, thread] for of, thread in spent if of == pid != thread), default=0.0)
        for pid in {pid for pid, _ in spent}
    ]
    loops = sum(spent[pid, thread] for pid, thread in spent if pid == thread)
    return {"cpu_us_a_move": sum(spent.values()), "loop_us_a_move": loops, "writer_us_a_move": sum(writers)}


def spread(latencies: list[float]) -> dict[str, float]:
    """Percentiles in milliseconds."""
    cut = sorted(latencies)
    return {f"p{p}": 1000 * cut[min(len(cut) - 1, len(cut) * p // 100)] for p in (50, 95, 99)}


async def load(
    server: "Server | Elsewhere",
    args: argparse.Namespace,
    tables: int,
    pace: float,
    all_are_set_up: Callable[[], object] = lambda: None,
) -> dict[str, float]:
    """Play at many tables at once. When all seats are taken, `all_are_set_up` waits for the other programs that play.

    It waits in a thread, so that connections which the server closes meanwhile are noticed.
    """
    game = backroom.game(args.game) if args.game else most_seats()
    seats = max(n for n in game.seats if n <= args.listeners)
    longest = {o.name: o.values[-1] for o in game.options if all(value.isdecimal() for value in o.values)}
    games: list[LoadedTable] = []

    async def another() -> LoadedTable:
        one = await set_up(server.port, game.name, seats, args.listeners, longest, args.door)
        one.lateness = LATENESS if server.processes > 1 else 0.0
        games.append(one)
        return one

    places = [await asyncio.gather(*(another() for _ in range(tables))) for _ in range(1 if pace else args.games)]
    await asyncio.to_thread(all_are_set_up)
    rng = random.Random(1)
    async with asyncio.timeout(WARM_UP + LONGEST_WAIT):
        await asyncio.gather(*(one.play(time.perf_counter() + WARM_UP, pace, rng) for one in places[0]))
    for one in games:
        one.moves, one.latencies, one.sent_again = 0, [], 0
        one.key += 1
    gc.freeze()
    start, cpu, own = time.perf_counter(), server.cpu(), time.process_time()
    end = start + args.seconds
    async with asyncio.timeout(args.seconds + LONGEST_WAIT):
        await asyncio.gather(*(play_on(in_turn, end, pace, rng, another) for in_turn in zip(*places, strict=True)))
    spent, after, played = time.perf_counter() - start, server.cpu(), time.process_time()
    moves, all_latencies = sum(one.moves for one in games), [ms for one in games for ms in one.latencies]
    for one in games:
        one.close()
    costs = cpu_a_move(cpu, after, moves)
    costs["player_us_a_move"] = 1e6 * (played - own) / moves
    found = {"moves_a_second": moves / spent, **spread(all_latencies)}
    if server.db:
        found |= {"moves": moves, "lost": await asyncio.to_thread(missing, server.db, games)}
    again = sum(one.sent_again for one in games)
    return {**found, **costs, "sent_again": again, "seconds": args.seconds}


def missing(db: str, games: list[LoadedTable]) -> int:
    """How many moves that every listener has received are not in the database."""
    engine = engine_of(whole_url(db))
    with engine.connect() as conn:
        stored = conn.execute(select(entries.c.table_id, entries.c.key).where(entries.c.key.is_not(None))).all()
    engine.dispose()
    keys = {(table, key.partition(":")[2]) for table, key in stored}  # before it stands who has sent it
    return sum((one.id, f"{one.key}.{move}") not in keys for one in games for move in range(one.moves))


class Elsewhere:
    """A server that another program has started."""

    def __init__(self, port: int, processes: int) -> None:
        self.port, self.processes, self.db = port, processes, ""

    def cpu(self) -> dict[tuple[int, int], float]:
        return {}


def _driver(port: int, processes: int, args: argparse.Namespace, tables: int, barrier: Any, found: Any) -> None:
    if uvloop is not None:
        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    found.put(asyncio.run(load(Elsewhere(port, processes), args, tables, 0.0, barrier.wait)))


def load_by(drivers: int, server: Server, args: argparse.Namespace, tables: int) -> dict[str, float]:
    """Generate load from several programs at once, if one is not enough for the server; the sum of their moves."""
    context = multiprocessing.get_context("spawn")
    barrier, found = context.Barrier(drivers), context.Queue()
    each_args = argparse.Namespace(**{**vars(args), "games": max(1, args.games // drivers)})  # connections are limited
    more = (each_args, tables // drivers, barrier, found)
    children = [context.Process(target=_driver, args=(server.port, server.processes, *more)) for _ in range(drivers)]
    for child in children:
        child.start()
    results: list[dict[str, float]] = []
    while len(results) < drivers:
        with contextlib.suppress(queue.Empty):
            results.append(found.get(timeout=1))
        if any(child.exitcode for child in children):
            for child in children:
                child.kill()
            raise RuntimeError("a program that plays has failed")
    for child in children:
        child.join()
    rate, slowest = sum(each["moves_a_second"] for each in results), max(each["p99"] for each in results)
    return {"moves_a_second": rate, "p99": slowest, "sent_again": sum(each["sent_again"] for each in results)}


def most_seats() -> Any:
    """The game with the most seats up to four: tables of four, if there is one."""
    games = [backroom.game(name) for name in backroom.names()]
    return max(games, key=lambda game: max((n for n in game.seats if n <= 4), default=0))


async def fan_out(port: int, args: argparse.Namespace) -> dict[str, float]:
    """One table with many spectators."""
    game = backroom.game(args.game) if args.game else most_seats()
    one = await set_up(port, game.name, game.seats[0], args.spectators + game.seats[0], {}, "page")
    await one.play(time.perf_counter() + 5, 4, random.Random(2))
    return {"spectators": args.spectators, **spread(one.latencies)}


async def memory(server: Server, args: argparse.Namespace, tables: int = 400) -> dict[str, float]:
    """The memory for each live table."""
    game = backroom.game(args.game) if args.game else most_seats()
    wire = await connect(server.port)
    token = (await wire.ask("POST", "/api/guests", "", {"name": "M"}))["token"]
    seats = game.seats[0]
    bots = {str(seat): next(iter(backroom.bots.BOTS)) for seat in range(1, seats)}
    new = {"game": game.name, "seats": seats, "sit": 0, "bots": bots, "rated": False, "public": False}
    for _ in range(100):
        await wire.ask("POST", "/api/tables", token, new)
    before = server.memory()
    for _ in range(tables):
        await wire.ask("POST", "/api/tables", token, new)
    return {"kb_a_live_table": (server.memory() - before) / tables}


def ours(args: argparse.Namespace, tables: int, pace: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(args.db or str(Path(folder) / "tables.db"), args.server, args.processes)
        try:
            return asyncio.run(load(server, args, tables, pace))
        finally:
            server.stop()


def peer(args: argparse.Namespace) -> dict[str, float]:
    """boardgame.io with the same numbers of matches, listeners and seconds, stored to files."""
    here = Path(__file__).parent / "boardgame_io.cjs"
    folder = Path(tempfile.gettempdir()) / "backroom-bench-boardgame-io"
    if not (folder / "node_modules" / "boardgame.io").exists():
        folder.mkdir(exist_ok=True)
        subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "boardgame.io@0.50.2", "node-persist@3"],
            cwd=folder,
            check=True,
        )
    words = ["node", str(here), str(args.tables), str(args.listeners), str(args.seconds)]
    env = {**os.environ, "NODE_PATH": str(folder / "node_modules")}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game")
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--listeners", type=int, default=4)
    parser.add_argument("--games", type=int, default=12, help="games for each table; when one is over the next begins")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--pace", type=float, default=0)
    parser.add_argument("--door", choices=["api", "page"], default="api")
    parser.add_argument("--spectators", type=int, default=0)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--db")
    parser.add_argument("--beside", choices=["boardgame.io"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--server", choices=["direct", "uvicorn"], default="direct")
    parser.add_argument("--processes", type=int, help="default: as many as plain `backroom serve` has")
    parser.add_argument("--bars", action="store_true")
    parser.add_argument("--only", nargs="*", help="rows of --bars, by their names")
    parser.add_argument("--minutes", type=float, default=30, help="how long the soak of --bars takes")
    parser.add_argument("--kills", type=int, default=100, help="how often --bars kills a server, with each database")
    parser.add_argument("--short", action="store_true", help="--bars in ten minutes: less of everything, and no soak")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if uvloop is not None:
        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    found: dict[str, Any] = {}
    if args.bars:
        from server_bars import all_bars

        return all_bars(args)
    if args.spectators or args.memory:
        with tempfile.TemporaryDirectory() as folder:
            server = Server(args.db or str(Path(folder) / "tables.db"), args.server, args.processes or 1)
            with contextlib.ExitStack() as stack:
                stack.callback(server.stop)
                if args.memory:
                    found["memory"] = asyncio.run(memory(server, args))
                if args.spectators:
                    found["fan-out"] = asyncio.run(fan_out(server.port, args))
    else:
        rounds = args.rounds if args.beside else 1
        for number in range(rounds):
            found[f"ours {number + 1}"] = ours(args, args.tables, args.pace)
            if args.beside:
                found[f"{args.beside} {number + 1}"] = theirs = peer(args)
                mine = found[f"ours {number + 1}"]
                found[f"ratio {number + 1}"] = {key: mine[key] / theirs[key] for key in mine if key in theirs}
        if args.beside:
            keys = found["ratio 1"]
            found["ratio"] = {k: statistics.median(found[f"ratio {n + 1}"][k] for n in range(rounds)) for k in keys}
    bars = bars_of(args)
    show(found, bars)
    if args.json:
        args.json.write_text(json.dumps(found, indent=2))
    missed = [name for name, key, is_reached, _ in bars if name in found and not is_reached(found[name][key])]
    return int(bool(missed))


Bar = tuple[str, str, Callable[[float], bool], str]


def bars_of(args: argparse.Namespace) -> list[Bar]:
    """The bars: for each the row, the figure, and a description."""
    bars: list[Bar] = [
        ("ratio", "moves_a_second", lambda ratio: ratio >= 5, "≥ 5 × the peer's moves"),
        ("ratio", "p99", lambda ratio: ratio <= 1 / 4, "p99 ≤ a quarter of the peer's"),
        ("memory", "kb_a_live_table", lambda kb: kb <= 30, "≤ 30 KB a table"),
    ]
    if args.pace:
        bars.append(("ours 1", "p99", lambda ms: ms <= 5, "p99 ≤ 5 ms"))
    return bars


def show(found: dict[str, Any], bars: list[Bar]) -> None:
    keys = list(dict.fromkeys(key for row in found.values() for key in row))
    table = Table("what", *(key.replace("_", " ") for key in keys))
    for name, row in found.items():
        table.add_row(name, *(f"{row[key]:,.2f}" if key in row else "" for key in keys))
    Console(width=100).print(table)
    for name, key, is_reached, words in bars:
        if name in found:
            print(f"{words}: {found[name][key]:,.2f}, {'reached' if is_reached(found[name][key]) else 'MISSED'}")


if __name__ == "__main__":
    sys.exit(main())

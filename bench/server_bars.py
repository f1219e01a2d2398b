"""The bars that a server must reach: each row is measured on a server of its own and printed with its bar.

Run by `bench/server.py --bars`. Rows that need PostgreSQL start one of their own, from the wheel that the tests use, or
take the one that `--db postgresql://…` names.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import signal
import statistics
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from apart import apart
from server import (
    LATENESS,
    LoadedTable,
    Server,
    Wire,
    connect,
    listen,
    load,
    load_by,
    memory,
    most_seats,
    peer,
    set_up,
    spread,
    uvloop,
)

import backroom

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
"""For the kill test and the PostgreSQL of the tests."""

Figures = dict[str, float]
Args = argparse.Namespace

CORES_OF_FOUR = 6
"""The least cores for four processes, their database and the load generators."""


SHORT = 6.0, 1, 20
"""Seconds of each measurement, rounds beside the peer, and kills with each database, for `--short`."""
KILLS_IN_DRILL = 5
"""Kills on one database."""


@contextlib.contextmanager
def a_database(args: Args, kind: str) -> Iterator[str]:
    """A new database of that kind."""
    from databases import database

    with tempfile.TemporaryDirectory() as folder:
        if kind == "postgresql" and args.db:
            yield args.db
        else:
            with database(kind, Path(folder)) as db:
                yield db


def served(
    args: Args,
    work: Callable[[Server], Any],
    *,
    kind: str = "sqlite",
    processes: int | None = None,
    bot_pace: float = 0.6,
) -> Figures:
    """Run a measurement on a server of its own, with this number of processes; None: with its default."""
    with a_database(args, kind) as db:
        server = Server(db, args.server, processes, bot_pace)
        try:
            return asyncio.run(work(server))
        finally:
            server.stop()


# moves


def throughput(args: Args) -> Figures:
    """The most moves per second, and those of boardgame.io stored to files; medians of alternating rounds.

    `moves` and `lost` are those of all rounds: moves that everybody was shown, and how many of them are not stored.
    `most_ratio` is what two cores could do at most: if all that the server and the players compute for a move were
    spread evenly over both, and nothing ever waited.
    """
    rounds = []
    for _ in range(args.rounds):
        mine = served(args, lambda server: load(server, args, 50, 0.0), processes=args.processes)
        theirs = peer(args)
        most = 2e6 / (mine["cpu_us_a_move"] + mine["player_us_a_move"])
        ratios = {
            "ratio": mine["moves_a_second"] / theirs["moves_a_second"],
            "p99_ratio": mine["p99"] / theirs["p99"],
            "most_ratio": most / theirs["moves_a_second"],
        }
        rounds.append({**ratios, **mine, "their_moves_a_second": theirs["moves_a_second"], "their_p99": theirs["p99"]})
        print(f"throughput: {ratios['ratio']:.2f} x, p99 {ratios['p99_ratio']:.2f} of theirs", flush=True)
    found = {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
    return {**found, **{key: sum(each[key] for each in rounds) for key in ("moves", "lost")}}


def paced(args: Args) -> Figures:
    """200 tables at a move per second."""
    return served(args, lambda server: load(server, args, 200, 1.0), processes=args.processes)


# people during other work of the server


@dataclass
class Crowd:
    """People who move once a second, and requests to the server meanwhile."""

    server: Server
    games: list[LoadedTable]
    lobby: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)

    async def measure(self, seconds: float) -> Figures:
        end = time.perf_counter() + seconds
        looks = [self._look("/", self.lobby, end, 0.5), self._look("/healthz", self.health, end, 0.25)]
        await asyncio.gather(*looks, *(one.play(end, 1.0, random.Random(n)) for n, one in enumerate(self.games)))
        latencies = [ms for one in self.games for ms in one.latencies]
        moves = spread(latencies)
        return {
            "p50": moves["p50"],
            "p99": moves["p99"],
            "lobby_ms": spread(self.lobby)["p99"],
            "health_ms": spread(self.health)["p99"],
            "moves": len(latencies),
            "seconds": seconds,
        }

    async def _look(self, path: str, took: list[float], end: float, pause: float) -> None:
        while time.perf_counter() < end:
            wire, start = await connect(self.server.port), time.perf_counter()
            await wire.exchange("GET", path, "", b"", "text/plain")
            took.append(time.perf_counter() - start)
            wire.transport.close()
            await asyncio.sleep(pause)


async def tables_of_bots(server: Server, name: str, bot: str, count: int) -> None:
    """Tables at which only bots play."""
    wire = await connect(server.port)
    token = (await wire.ask("POST", "/api/guests", "", {"name": "B"}))["token"]
    seats = backroom.game(name).seats[0]
    bots = {str(seat): bot for seat in range(seats)}
    new = {"game": name, "seats": seats, "sit": None, "bots": bots, "rated": False, "public": False}
    for _ in range(count):
        await wire.ask("POST", "/api/tables", token, new)


async def beside_bots(server: Server, args: Args, tables: int, bot: str, people: int) -> Figures:
    """People who move once a second, with tables of bots in the background. The people sit down first."""
    game = backroom.game(args.game) if args.game else most_seats()
    seats = game.seats[0]
    games = [await set_up(server.port, game.name, seats, seats, {}, "api") for _ in range(people // seats)]
    for one in games:
        one.lateness = LATENESS if server.processes > 1 else 0.0
    await tables_of_bots(server, game.name, bot, tables)
    return await Crowd(server, games).measure(args.seconds)


def bots(args: Args) -> Figures:
    """1,000 tables of `medium` bots, 200 people."""
    return served(args, lambda server: beside_bots(server, args, 1000, "medium", 200), processes=args.processes)


# thinking


async def beside_thought(server: Server, args: Args, thinkers: int = 4) -> Figures:
    """People during 50 games of `hard` bots, four people who analyse finished games, and four who ask for hints."""
    game = backroom.game(args.game) if args.game else most_seats()
    done = {"analyses": 0, "hints": 0}
    games = [str(played_out(game, seed).save) for seed in range(thinkers * 6)]
    work = [asyncio.create_task(analyse(server, games[n::thinkers], done)) for n in range(thinkers)] + [
        asyncio.create_task(ask_for_hints(server, game, done)) for _ in range(thinkers)
    ]
    for _ in range(300):  # kernels are loaded at their first use, which is not measured
        if done["analyses"] and done["hints"] >= thinkers:
            break
        await asyncio.sleep(0.1)
    found = await beside_bots(server, args, 50, "hard", 40)
    for task in work:
        if task.done():
            await task  # it should never end: raise its error
        task.cancel()
    await asyncio.gather(*work, return_exceptions=True)
    return {**found, **done}


def played_out(game: Any, seed: int) -> Any:
    """A finished game of random moves."""
    table, rng = game.table(seed=seed), random.Random(seed)
    while not table.is_over:
        seat = table.asked[0]
        table.play(seat, rng.choice(table.moves(seat)))
    return table


async def analyse(server: Server, logs: list[str], done: dict[str, int]) -> None:
    """Import games and request their analyses, in turn, again and again."""
    wire = await connect(server.port)
    token = (await wire.ask("POST", "/api/guests", "", {"name": "A"}))["token"]
    while True:
        for log in logs:
            form = urllib.parse.urlencode({"log": log}).encode()
            status, head, _ = await wire.exchange("POST", "/import", token, form, "application/x-www-form-urlencoded")
            if status != 303:
                raise RuntimeError(f"a log cannot be brought: {status}")
            place = head.split(b"location: ", 1)[1].split(b"\r\n", 1)[0].decode()
            await wire.ask("GET", place.replace("/replay", "/analysis"), token)
            done["analyses"] += 1


async def ask_for_hints(server: Server, game: Any, done: dict[str, int]) -> None:
    """Ask for hints and play them, in turn."""
    wire = await connect(server.port)
    token = (await wire.ask("POST", "/api/guests", "", {"name": "H"}))["token"]
    bots = dict.fromkeys(map(str, range(1, game.seats[0])), "random")
    new = {"game": game.name, "seats": game.seats[0], "sit": 0, "bots": bots, "rated": False, "public": False}
    while True:
        table = (await wire.ask("POST", "/api/tables", token, new))["table"]
        while True:
            now = await wire.ask("GET", f"/api/tables/{table}/decision", token)
            if now["stage"] == "over":
                break
            if not now["asked"]:
                await asyncio.sleep(0.2)
                continue
            hint = await wire.ask("GET", f"/tables/{table}/hint", token)
            done["hints"] += 1
            with contextlib.suppress(RuntimeError):  # a hint may be too late for its question
                said = {"name": hint["move"], "ask": now["ask"]}
                await wire.ask("POST", f"/api/tables/{table}/moves", token, said)


def thought(args: Args) -> Figures:
    return served(args, lambda server: beside_thought(server, args), processes=args.processes)


# streams and memory


async def many_streams(server: Server, args: Args, streams: int = 5000) -> Figures:
    """One table with many streams: the time until the last has received a move, and the memory of a stream."""
    game = backroom.game(args.game) if args.game else most_seats()
    seats = game.seats[0]
    one = await set_up(server.port, game.name, seats, seats + 200, {}, "page")
    await one.play(time.perf_counter() + 2, 4, random.Random(1))
    before = server.memory()
    one.counts += [0] * streams
    one.wait_for_all()
    one.untold -= set(range(seats + 200))
    for n in range(streams):
        await listen(server.port, one, seats + 200 + n, one.tokens[0], "page")
    await one.told()
    one.latencies.clear()
    await one.play(time.perf_counter() + args.seconds, 2, random.Random(2))
    size = (server.memory() - before) / streams
    return {"p95": spread(one.latencies)["p95"], "kb_a_stream": size, "seconds": args.seconds}


def streams(args: Args) -> Figures:
    """5,000 spectators of one table."""
    return served(args, lambda server: many_streams(server, args), processes=1)


def live_tables(args: Args) -> Figures:
    """The memory for each live table."""
    return served(args, lambda server: memory(server, args), processes=1)


async def soaked(server: Server, args: Args) -> Figures:
    """Memory over time at half load: the last quarter compared with the first after a warm-up, in per cent."""
    game = backroom.game(args.game) if args.game else most_seats()
    seats = max(n for n in game.seats if n <= args.listeners)
    most = await load(server, argparse.Namespace(**{**vars(args), "seconds": 3.0}), 20, 0.0)
    pace, end, sizes = most["moves_a_second"] / 2 / 20, time.perf_counter() + 60 * args.minutes, []
    moves: list[int] = []

    async def play(place: int) -> None:
        while time.perf_counter() < end:
            one = await set_up(server.port, game.name, seats, args.listeners, {}, "page")
            one.lateness = LATENESS  # a countdown may end first on a busy machine
            await one.play(end, pace, random.Random(place))
            one.close()
            moves.append(one.moves)

    async def look() -> None:
        while time.perf_counter() < end:
            await asyncio.sleep(60 * args.minutes / 40)
            sizes.append(server.memory())

    await asyncio.gather(look(), *(play(place) for place in range(20)))
    warm = sizes[len(sizes) // 5 :]
    quarter = max(1, len(warm) // 4)
    first, last = statistics.median(warm[:quarter]), statistics.median(warm[-quarter:])
    rate = sum(moves) / (60 * args.minutes)
    return {
        "growth_percent": 100 * (last / first - 1),
        "mb": last / 1000,
        "moves_a_second": rate,
        "minutes": args.minutes,
    }


def soak(args: Args) -> Figures:
    return served(args, lambda server: soaked(server, args), processes=args.processes)


# faults


def processes(args: Args) -> Figures:
    """Four processes on one PostgreSQL compared with one, with 50 tables for each, played by four programs.

    Then one of the four is killed while people play.
    """

    async def by_four(server: Server) -> Figures:
        return await asyncio.to_thread(load_by, 4, server, args, 4 * args.tables)

    found = {}
    for count in (1, 4):
        found[count] = served(args, by_four, kind="postgresql", processes=count)
        print(f"processes: {count} make {found[count]['moves_a_second']:,.0f} moves a second", flush=True)
    one, four = found[1], found[4]
    # Bots answer without a pause: with one, people would in any case move only every three seconds.
    lost = served(args, lambda server: moving_again(server, args), kind="postgresql", processes=4, bot_pace=0.0)
    rates = {"one_moves_a_second": one["moves_a_second"], "four_moves_a_second": four["moves_a_second"]}
    tails = {"one_p99": one["p99"], "four_p99": four["p99"], "sent_again": one["sent_again"] + four["sent_again"]}
    return {"ratio": four["moves_a_second"] / one["moves_a_second"], **rates, **tails, **lost}


async def moving_again(server: Server, args: Args, people: int = 24) -> Figures:
    """Kill a process while people play: the time until all those it served have made a move again."""
    game = backroom.game(args.game) if args.game else most_seats()
    players = [Stubborn(server.port, game) for _ in range(people)]
    tasks = [asyncio.create_task(player.play()) for player in players]
    async with asyncio.timeout(60):
        while not all(player.moved for player in players):
            await asyncio.sleep(0.1)
    await asyncio.sleep(1)
    children = Path(f"/proc/{server.child.pid}/task/{server.child.pid}/children").read_text().split()
    os.kill(int(max(children, key=sockets)), signal.SIGKILL)
    start = time.perf_counter()
    while min(player.moved for player in players) < start and time.perf_counter() < start + 30:
        await asyncio.sleep(0.02)
    hit = [player for player in players if player.losses]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if not hit:
        raise RuntimeError("the process that was killed had no connection of anybody")
    again = max(player.moved_after(start) for player in hit) - start
    return {"again_seconds": again, "people_who_lost_it": len(hit)}


def sockets(pid: str) -> int:
    """The number of a process's open sockets; the system decides which process serves whom."""
    return sum(os.path.basename(link.readlink()).startswith("socket:") for link in Path(f"/proc/{pid}/fd").iterdir())


class Stubborn:
    """Plays against bots, and reconnects immediately whenever the connection is lost."""

    def __init__(self, port: int, game: Any) -> None:
        self.port, self.game = port, game
        self.times: list[float] = [0.0]
        self.wires: list[Wire] = []

    @property
    def losses(self) -> int:
        """How often a connection was lost."""
        return sum(wire.losses for wire in self.wires)

    @property
    def moved(self) -> float:
        return self.times[-1]

    def moved_after(self, start: float) -> float:
        return next((at for at in self.times if at >= start), start + 30)

    async def play(self) -> None:
        token = table = ""
        while True:
            try:
                wire = await connect(self.port)
                self.wires.append(wire)
                token = token or (await wire.ask("POST", "/api/guests", "", {"name": "S"}))["token"]
                while True:
                    table = await self._move(wire, token, table)
            except OSError:
                await asyncio.sleep(0.05)

    async def _move(self, wire: Wire, token: str, table: str) -> str:
        """Make a move at the table, or at a new one; returns its id."""
        if not table:
            seats = self.game.seats[0]
            new = {"game": self.game.name, "seats": seats, "sit": 0, "rated": False, "public": False}
            bots = dict.fromkeys(map(str, range(1, seats)), "random")
            table = (await wire.ask("POST", "/api/tables", token, {**new, "bots": bots}))["table"]
        now = await wire.ask("GET", f"/api/tables/{table}/decision", token)
        if now["stage"] == "over":
            return ""
        if now["asked"]:
            said = {"name": now["moves"][0]["name"], "ask": now["ask"]}
            with contextlib.suppress(RuntimeError):  # another move came first: look again
                await wire.ask("POST", f"/api/tables/{table}/moves", token, said)
                self.times.append(time.perf_counter())
        await asyncio.sleep(0.1)
        return table


def kills(args: Args) -> Figures:
    """kill -9 under load, with each database: moves acknowledged and shown, and how many of each are not stored.

    Several drills run side by side, each with servers and a database of its own.
    """
    counted = ("acknowledged", "lost", "shown", "shown_not_stored")
    found = dict.fromkeys([*counted, "kills_sqlite", "kills_postgresql"], 0.0)
    drills = [
        (kind, min(KILLS_IN_DRILL, args.kills - done), done)
        for done in range(0, args.kills, KILLS_IN_DRILL)
        for kind in ("sqlite", "postgresql")
    ]
    pool = multiprocessing.get_context("spawn").Pool(os.cpu_count() or 1)
    for kind, times, done in pool.imap_unordered(one_drill, drills):
        for what in counted:
            found[what] += getattr(done, what)
        found[f"kills_{kind}"] += times
        done_so_far = f"{found['kills_sqlite']:.0f} and {found['kills_postgresql']:.0f}"
        print(f"kills: {done_so_far}, {', '.join(f'{found[what]:.0f} {what}' for what in counted)}", flush=True)
    pool.close()
    pool.join()  # its processes end the databases that they have started
    return found


def one_drill(what: tuple[str, int, int]) -> Any:
    """A drill in a process of its own, with a database of its own: its kind, the kills, and a seed."""
    from kills import drill

    kind, times, seed = what
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # if root runs this, another user runs PostgreSQL
        return kind, times, drill(kind, Path(folder), times, seed)


@dataclass(frozen=True)
class Row:
    """A measurement, the bars of its figures, and the seconds after which it is ended."""

    measure: Callable[[Args], Figures]
    bars: dict[str, tuple[str, float]]
    seconds: float
    """Several times what it takes on two idle cores, without what `--kills` and `--minutes` ask for."""


ROWS = {
    "throughput": Row(throughput, {"ratio": (">=", 5), "p99_ratio": ("<=", 0.25), "lost": ("<=", 0)}, 600),
    "paced": Row(paced, {"p99": ("<=", 5)}, 180),
    "bots": Row(bots, {"p99": ("<=", 100), "lobby_ms": ("<=", 150), "health_ms": ("<=", 20)}, 300),
    "thought": Row(thought, {"p99": ("<=", 60), "analyses": (">=", 1), "hints": (">=", 1)}, 300),
    "streams": Row(streams, {"p95": ("<=", 250), "kb_a_stream": ("<=", 20)}, 240),
    "memory": Row(live_tables, {"kb_a_live_table": ("<=", 30)}, 120),
    "processes": Row(processes, {"ratio": (">=", 2.5), "again_seconds": ("<=", 3)}, 480),
    "kills": Row(kills, {"lost": ("<=", 0), "shown": (">=", 1), "shown_not_stored": ("<=", 0)}, 120),
    "soak": Row(soak, {"growth_percent": ("<=", 5)}, 180),
}
"""The rows by name. Figures without a bar are printed too."""
SECONDS_A_KILL = 20.0
"""For a kill with each database."""


def most_seconds(name: str, args: Args) -> float:
    """The seconds after which a row is ended."""
    more = {"kills": SECONDS_A_KILL * args.kills, "soak": 60 * args.minutes}
    return ROWS[name].seconds + more.get(name, 0.0)


def all_bars(args: Args) -> int:
    """Measure the requested rows, and print each figure with its bar; returns whether one was missed or failed."""
    if unknown := set(args.only or ()) - set(ROWS):
        raise SystemExit(f"there is no row {sorted(unknown)[0]!r}; rows are {', '.join(ROWS)}")
    if args.short:
        args.seconds, args.rounds, args.kills = SHORT
    failed, found = [], {}
    for name in args.only or [name for name in ROWS if name != "soak" or not args.short]:
        start = time.perf_counter()
        figures, why = apart(name, most_seconds(name, args), measure, ROWS[name].measure, args)
        figures = figures or {}
        if why:
            print(f"{name}: could not be measured: {why}", flush=True)
        missed = [print_figure(name, *figure, ROWS[name].bars.get(figure[0])) for figure in figures.items()]
        failed += [name] if why or any(missed) else []
        found[name] = figures
        print(f"{name} took {time.perf_counter() - start:.0f} seconds", flush=True)
        if args.json:
            args.json.write_text(json.dumps(found, indent=2))
    print(f"missed or not measured: {', '.join(failed)}" if failed else "all bars are reached", flush=True)
    return int(bool(failed))


def measure(row: Callable[[Args], Figures], args: Args) -> Figures:
    """Measure a row, in a process of its own."""
    if uvloop is not None:
        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    return row(args)


def print_figure(row: str, key: str, figure: float, bar: tuple[str, float] | None) -> bool:
    """Print a figure, with its bar if it has one; returns whether that was missed."""
    if bar is None:
        print(f"{row} {key}: {figure:,.2f}", flush=True)
        return False
    sign, limit = bar
    is_reached = figure >= limit if sign == ">=" else figure <= limit
    cores = os.cpu_count() or 1
    if row == "processes" and key == "ratio" and cores < CORES_OF_FOUR:
        print(f"{row} {key} {sign} {limit:g}: {figure:,.2f}, not judged on {cores} cores", flush=True)
        return False
    print(f"{row} {key} {sign} {limit:g}: {figure:,.2f}, {'reached' if is_reached else 'MISSED'}", flush=True)
    return not is_reached

"""Steps per second of the gym: batches on one core, all cores and a GPU, compared with PettingZoo, OpenSpiel and pgx.

    python bench/gym.py --bars [--short] [--only NAME ...] [--seconds 3] [--rounds 5] [--json FILE]
    python bench/gym.py [GAME ...] [--n 4096] [--gpu N] [--seconds 3] [--rounds 5] [--beside PEER] [--ppo] [--json FILE]

The first measures everything that has a bar, each measurement in a process of its own (`bench/gym_bars.py`); the second
measures one thing.

A step is one answer of a seat: looking up and playing its action, nature's moves, starting a new game when one ends,
hiding the view for the next seat, and writing its features and mask. Actions are drawn at random by the batch, which is
included. Speeds are compared as ratios to something measured in the same minutes.
"""

import argparse
import importlib
import importlib.util
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import backroom
from backroom.engine.registry import game as registered
from backroom.gym import Batch
from backroom.gym.batch import cores

MILLIONS = {"run": 5.0, "runaway-train": 5.0, "rummy-runners": 1.5, "booze-barons": 2.5, "rum-run": 0.3}
"""Bars on one core, in millions of steps per second (NUMBERS)."""
CORES_BAR, GPU_BAR, PEER_BAR, EMPTY_BAR, SPIEL_BAR, PGX_BAR, PGX_GPU_BAR = 0.8, 100.0, 10.0, 1 / 3, 0.5, 100.0, 10.0
GPU_MILLIONS = {"run": 200.0}
"""Bars on a GPU, in millions of steps per second."""
PPO_MILLIONS = {"run": 4.0}
"""Bars for training on an H200, in millions of answers per second."""
PGX_GAMES, PGX_GPU_GAMES = (64, 256, 1024), (131_072,)
"""Batch sizes tried with pgx: on a CPU larger ones are slower, on a GPU not faster."""
OUR_GAMES = (512, 1024, 2048, 4096)
"""Games for each core tried beside pgx on a CPU: with more than a thousand not all arrays are in the second cache."""

COMPILE_SECONDS = 90.0
"""The most seconds for compiling a game's kernels for a GPU."""

NOT_HERE = "not measured here: "
CLASSIC = f"{NOT_HERE}it needs more than is installed: pip install 'pettingzoo[classic]'"


WIDTH = 160
"""Columns of a table that is not written to a terminal."""


class NotHere(Exception):
    """Why something cannot be measured on this machine."""


@dataclass(frozen=True)
class Row:
    """A speed, and a figure made of it that is compared with a bar."""

    game: str
    key: str
    """What it is, in a word."""
    what: str
    steps_per_s: float | None
    figure: float | None = None
    unit: str = "×"
    bar: float | None = None
    sign: str = ">="
    why: str = ""
    """Why it was not measured."""

    @property
    def is_missed(self) -> bool:
        if self.bar is None or self.figure is None:
            return False
        return self.figure < self.bar if self.sign == ">=" else self.figure > self.bar

    @property
    def verdict(self) -> str:
        """Whether the bar is reached, or why that was not measured."""
        if self.why:
            return self.why
        return "" if self.bar is None else "MISSED" if self.is_missed else "reached"

    def told(self, figure: float | None) -> str:
        """A figure or a bar with its unit."""
        return "" if figure is None else f"{figure:,.2f} {self.unit}"


def must_have(what: str, *modules: str) -> None:
    """Raise NotHere if one of these is not installed."""
    if any(importlib.util.find_spec(module) is None for module in modules):
        raise NotHere(f"{' or '.join(modules)} is not installed: pip install {what}")


def steps_per_second(batch: Batch, seconds: float) -> float:
    """Play a batch at random for this number of seconds."""
    steps, start = 0, time.perf_counter()
    each = 32 if batch.device == "cuda" else 4
    while (spent := time.perf_counter() - start) < seconds:
        for _ in range(each):
            batch.step(batch.sample())
        if batch.device == "cuda":
            batch.check()  # waits for the GPU
        steps += each * batch.n
    return steps / spent


def of_cores(name: str, n: int, seconds: float, rounds: int) -> list[Row]:
    """One core, and all cores with as many games for each of them, in alternating rounds."""
    many = cores()
    batches = [Batch(name, n * threads, threads=threads) for threads in sorted({1, many})]
    for batch in batches:
        batch.reset(0)
        batch.step(batch.sample())
    found = [[steps_per_second(batch, seconds) for batch in batches] for _ in range(rounds)]
    core = statistics.median(speeds[0] for speeds in found)
    rows = [Row(name, "core", "batch, one core", core, core / 1e6, "M steps/s", MILLIONS.get(name))]
    if many > 1:
        every = statistics.median(speeds[1] for speeds in found)
        ratio = statistics.median(speeds[1] / speeds[0] for speeds in found)
        rows.append(Row(name, "cores", f"batch, {many} cores", every, ratio, "× a core", CORES_BAR * many))
    return rows


def of_gpu(name: str, n: int, seconds: float) -> list[Row]:
    """A GPU and one core; both must play the same games."""
    start = time.perf_counter()
    few = Batch(name, 256, device="cuda")
    few.reset(0)
    few.step(few.sample())
    few.check()  # waits for the GPU
    compiled = time.perf_counter() - start
    card, core, same = Batch(name, n, device="cuda"), Batch(name, 4096, threads=1), Batch(name, 256, threads=1)
    for batch in (few, card, core, same):
        batch.reset(0)
    for _ in range(100):
        few.step(few.sample())
        same.step(same.sample())
    for what in ("observation", "mask", "rows", "seat", "reward", "ended"):
        if not (getattr(few, what).copy_to_host() == getattr(same, what)).all():
            raise SystemExit(f"{name}: {what} is not the same on the GPU as on a core")
    fast, slow = steps_per_second(card, seconds), steps_per_second(core, seconds)
    rows = [Row(name, "gpu", f"batch of {n:,}, one GPU", fast, fast / slow, "× a core", GPU_BAR)]
    if name in GPU_MILLIONS:
        rows.append(Row(name, "millions", "the same", fast, fast / 1e6, "M steps/s", GPU_MILLIONS[name]))
    rows.append(Row(name, "its core", "batch, one core of its machine", slow))
    return [*rows, Row(name, "compile", "its GPU kernels, compiled", None, compiled, "s", COMPILE_SECONDS, "<=")]


def aec(env: Any, seconds: float) -> float:
    """Play an AEC environment at random, reading its masks."""
    env.reset(seed=0)  # loads the compiled kernels
    steps, start, seed = 0, time.perf_counter(), 0
    while (spent := time.perf_counter() - start) < seconds:
        env.reset(seed=seed)
        seed += 1
        for agent in env.agent_iter():
            observation, _, ended, cut, _ = env.last()
            if ended or cut:
                env.step(None)
                continue
            mask = observation["action_mask"]
            action = int(random.choice(mask.nonzero()[0])) if mask is not None else env.action_space(agent).sample()
            env.step(action)
            steps += 1
            if time.perf_counter() - start > seconds:
                break
    return steps / spent


CLASSICS = {"hanabi": "hanabi_v5", "texas_holdem": "texas_holdem_v4"}
"""PettingZoo's own card games."""


def beside_pettingzoo(name: str, seconds: float, rounds: int) -> list[Row]:
    """Our game, PettingZoo's own card games, and an environment that only copies its observations."""
    must_have("'backroom[gym]'", "pettingzoo", "gymnasium")
    from backroom.gym.pettingzoo import env

    peers: dict[str, Callable[[], Any]] = {"empty": Empty}
    missing = []
    for key in ("hanabi", "texas_holdem"):
        try:
            found = importlib.import_module(f"pettingzoo.classic.{CLASSICS[key]}")
            found.env()
        except ImportError:
            missing.append(key)
            continue
        peers[key] = found.env
    mine: list[float] = []
    theirs: dict[str, list[float]] = {peer: [] for peer in peers}
    for _ in range(rounds):
        mine.append(aec(env(name), seconds))
        for peer, make in peers.items():
            theirs[peer].append(aec(make(), seconds))
    rows = [Row(name, "aec", "PettingZoo AEC from Python", statistics.median(mine))]
    for peer, speeds in theirs.items():
        ratio = statistics.median(a / b for a, b in zip(mine, speeds, strict=True))
        what = f"PettingZoo {CLASSICS[peer]}" if peer in CLASSICS else "an AEC environment that only copies"
        bar = PEER_BAR if peer in CLASSICS else EMPTY_BAR
        rows.append(Row(name, peer, what, statistics.median(speeds), ratio, bar=bar))
    return [*rows, *(Row(name, key, f"PettingZoo {CLASSICS[key]}", None, bar=PEER_BAR, why=CLASSIC) for key in missing)]


class Empty:
    """An AEC environment in which two agents alternate, to measure the interface itself. Nothing happens but that an
    observation and a mask are copied, as ours are.
    """

    def __new__(cls) -> Any:
        import numpy as np
        from gymnasium import spaces
        from pettingzoo import AECEnv

        class Nothing(AECEnv):  # type: ignore[misc, type-arg]
            possible_agents = ("a", "b")
            seen = {"observation": np.zeros(200, np.float32), "action_mask": np.ones(144, np.int8)}  # noqa: RUF012
            space = spaces.Discrete(144)

            def action_space(self, agent: str) -> Any:
                return self.space

            def observe(self, agent: str) -> Any:
                return {"observation": self.seen["observation"].copy(), "action_mask": self.seen["action_mask"].copy()}

            def reset(self, seed: int | None = None, options: Any = None) -> None:
                self.agents = list(self.possible_agents)
                self.rewards, self._cumulative_rewards = (
                    dict.fromkeys(self.agents, 0.0),
                    dict.fromkeys(self.agents, 0.0),
                )
                self.terminations, self.truncations = (
                    dict.fromkeys(self.agents, False),
                    dict.fromkeys(self.agents, False),
                )
                self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
                self.agent_selection = "a"

            def step(self, action: Any) -> None:
                self._cumulative_rewards[self.agent_selection] = 0.0
                self.agent_selection = "b" if self.agent_selection == "a" else "a"

        return Nothing()


def beside_openspiel(name: str, seconds: float, rounds: int) -> list[Row]:
    """Our game through OpenSpiel's interface, and its own C++ games from Python."""
    must_have("'backroom[openspiel]'", "pyspiel")
    import pyspiel

    import backroom.gym.openspiel

    def moves(which: str) -> float:
        game, lot = pyspiel.load_game(which), random.Random(1)
        made, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            state = game.new_initial_state()
            while not state.is_terminal() and time.perf_counter() - start < seconds:
                if state.is_chance_node():
                    actions, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(lot.choices(actions, odds)[0])
                else:
                    state.apply_action(lot.choice(state.legal_actions()))
                made += 1
        return made / spent

    own = backroom.gym.openspiel.name_of(registered(name))
    mine, theirs = [], {peer: [] for peer in ("gin_rummy", "backgammon")}  # type: ignore[var-annotated]
    for _ in range(rounds):
        mine.append(moves(own))
        for peer, speeds in theirs.items():
            speeds.append(moves(peer))
    rows = [Row(name, "openspiel", "OpenSpiel interface from Python, moves", statistics.median(mine))]
    for peer, speeds in theirs.items():
        ratio = statistics.median(a / b for a, b in zip(mine, speeds, strict=True))
        what = f"OpenSpiel C++ {peer} from Python, moves"
        rows.append(Row(name, peer, what, statistics.median(speeds), ratio, bar=SPIEL_BAR))
    return rows


def beside_pgx(name: str, seconds: float, rounds: int, gpu: int = 0) -> list[Row]:
    """A batch and pgx's backgammon, both on all cores of this machine (`taskset -c 0`: on one) or both on its GPU.

    Both run at the fastest of the batch sizes tried. In pgx drawing an action and a step are one compiled function.
    """
    must_have("pgx 'jax[cuda13]'" if gpu else "pgx", "jax", "pgx")
    import jax
    import pgx

    if gpu and jax.default_backend() != "gpu":
        raise NotHere("JAX has no GPU: pip install 'jax[cuda13]'")
    env = pgx.make("backgammon")
    begin = jax.jit(jax.vmap(env.init))

    @jax.jit
    def go(state: Any, key: Any) -> tuple[Any, Any]:
        key, one, other = jax.random.split(key, 3)
        scores = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        actions = jax.random.categorical(one, scores, axis=-1)
        return jax.vmap(env.step)(state, actions, jax.random.split(other, len(actions))), key

    def theirs(n: int, seconds: float) -> float:
        key = jax.random.PRNGKey(n)
        state = begin(jax.random.split(key, n))
        jax.block_until_ready(go(state, key))  # compiles
        steps, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            state, key = go(state, key)
            jax.block_until_ready(state.rewards)
            steps += n
        return steps / spent

    tried = {n: theirs(n, seconds) for n in (PGX_GPU_GAMES if gpu else PGX_GAMES)}
    best = max(tried, key=lambda n: tried[n])
    ours: dict[int, float] = {}
    for n in [gpu] if gpu else [each * cores() for each in OUR_GAMES]:
        batch = Batch(name, n, device="cuda" if gpu else "cpu")
        batch.reset(0)
        steps_per_second(batch, seconds / 4)
        ours[n] = steps_per_second(batch, seconds)
    fastest = max(ours, key=lambda n: ours[n])
    batch = Batch(name, fastest, device="cuda" if gpu else "cpu")
    batch.reset(0)
    steps_per_second(batch, seconds / 4)
    pairs = [(steps_per_second(batch, seconds), theirs(best, seconds)) for _ in range(rounds)]
    ratio = statistics.median(a / b for a, b in pairs)
    where, bar = ("GPU", PGX_GPU_BAR) if gpu else ("CPU", PGX_BAR)
    what = f"pgx backgammon on the same {where}, {best:,} games"
    return [
        Row(name, "ours", f"batch on the same {where}, {fastest:,} games", statistics.median(a for a, _ in pairs)),
        Row(name, "pgx", what, statistics.median(b for _, b in pairs), ratio, bar=bar),
    ]


def of_ppo(name: str, seconds: float) -> list[Row]:
    """Answers per second that `train/ppo.py` plays and learns from, with a net of two layers of 256."""
    must_have("'backroom[train]'", "torch")
    script = Path(__file__).parent.parent / "train" / "ppo.py"
    with tempfile.TemporaryDirectory() as folder:
        setting = ["--minutes", str(seconds / 60), "--games", "32768", "--epochs", "1", "--parts", "4", "--against"]
        said = subprocess.run(
            [sys.executable, str(script), name, folder, *setting], stdout=subprocess.PIPE, text=True, check=True
        )
    speed = json.loads(said.stdout.splitlines()[-1])["answers_per_s"]
    return [Row(name, "ppo", "PPO, end to end", speed, speed / 1e6, "M answers/s", PPO_MILLIONS.get(name))]


PEERS = {"pettingzoo": beside_pettingzoo, "openspiel": beside_openspiel, "pgx": beside_pgx}


def measured(chosen: argparse.Namespace, name: str) -> list[Row]:
    """Measure for one game what was asked for."""
    if chosen.ppo:
        return of_ppo(name, chosen.seconds)
    if chosen.gpu and chosen.beside == "pgx":
        return beside_pgx(name, chosen.seconds, chosen.rounds, chosen.gpu)
    if chosen.gpu:
        return of_gpu(name, chosen.gpu, chosen.seconds)
    if chosen.beside:
        return PEERS[chosen.beside](name, chosen.seconds, chosen.rounds)
    return of_cores(name, chosen.n, chosen.seconds, chosen.rounds)


def show(rows: list[Row]) -> int:
    """Print a table; returns whether a bar was missed."""
    has_speeds = any(one.steps_per_s is not None for one in rows)
    table = Table("game", "what", *(["steps/s"] if has_speeds else []), "ours is", "bar", "")
    for one in rows:
        speed = "" if one.steps_per_s is None else f"{one.steps_per_s:,.0f}"
        bar = "" if one.bar is None else f"{'≥' if one.sign == '>=' else '≤'} {one.told(one.bar)}"
        table.add_row(one.game, one.what, *([speed] if has_speeds else []), one.told(one.figure), bar, one.verdict)
    Console(width=None if sys.stdout.isatty() else WIDTH, markup=False).print(table)
    return int(any(one.is_missed for one in rows))


def as_json(rows: list[Row]) -> str:
    return json.dumps([asdict(one) for one in rows])


def main() -> int:
    parser = argparse.ArgumentParser(description="Steps a second of the gym.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--n", type=int, default=4096, help="games of a batch, for each core")
    parser.add_argument("--gpu", type=int, default=0, metavar="N", help="games of a batch on a GPU; 0 for none")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each run")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--beside", choices=PEERS)
    parser.add_argument("--ppo", action="store_true", help="training, on a GPU if there is one")
    parser.add_argument("--bars", action="store_true", help="everything that has a bar, on a GPU too if there is one")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="measurements of --bars, by their names")
    parser.add_argument("--short", action="store_true", help="--bars in a few minutes: one short round of each")
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    if chosen.bars:
        if chosen.games or chosen.beside or chosen.ppo:
            parser.error("--bars measures everything that has a bar; expected --only to choose from that")
        from gym_bars import all_bars

        return all_bars(chosen)
    rows: list[Row] = []
    try:
        for name in chosen.games or [name for name in backroom.names() if name in MILLIONS]:
            rows += measured(chosen, name)
            print(f"{name}: measured", file=sys.stderr)
    except NotHere as why:
        parser.error(str(why))
    is_missed = show(rows)
    if chosen.json:
        chosen.json.write_text(as_json(rows) + "\n", "utf-8")
    else:
        print(as_json(rows))
    return is_missed


if __name__ == "__main__":
    sys.exit(main())

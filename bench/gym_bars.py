"""The bars that the gym must reach: each measurement has a process of its own, and one table at the end has all bars.

Run by `bench/gym.py --bars`.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import gpu
from apart import apart
from gym import (
    CLASSICS,
    COMPILE_SECONDS,
    CORES_BAR,
    EMPTY_BAR,
    GPU_BAR,
    GPU_MILLIONS,
    MILLIONS,
    NOT_HERE,
    PEER_BAR,
    PGX_BAR,
    PGX_GPU_BAR,
    PPO_MILLIONS,
    SPIEL_BAR,
    NotHere,
    Row,
    as_json,
    beside_openspiel,
    beside_pettingzoo,
    beside_pgx,
    must_have,
    of_cores,
    of_gpu,
    of_ppo,
    show,
)
from numba import cuda

import backroom
from backroom.gym.batch import cores

Args = argparse.Namespace

SHORT = 0.5, 1
"""Seconds of each run, and rounds, for `--short`."""
GPU_GAMES = 1 << 20
"""Games of a batch on a GPU, unless `--gpu` says how many."""
THREADS, EACH = 1 << 17, 8
"""Threads of random playouts on a GPU, and games for each of them."""
PPO_SECONDS = 20.0
"""Seconds of training."""
NO_GPU = "no NVIDIA GPU, or no numba-cuda for it (pip install numba-cuda)"
RUM_RUN = "rum-run"


def batch(name: str, args: Args) -> list[Row]:
    return of_cores(name, args.n, args.seconds, args.rounds)


def pgx(name: str, args: Args) -> list[Row]:
    return beside_pgx(name, args.seconds, args.rounds)


def on_gpu(name: str, args: Args) -> list[Row]:
    return of_gpu(name, args.gpu or GPU_GAMES, args.seconds)


def pgx_on_gpu(name: str, args: Args) -> list[Row]:
    return beside_pgx(name, args.seconds, args.rounds, args.gpu or GPU_GAMES)


def pettingzoo(name: str, args: Args) -> list[Row]:
    return beside_pettingzoo(name, args.seconds, args.rounds)


def openspiel(name: str, args: Args) -> list[Row]:
    return beside_openspiel(name, args.seconds, args.rounds)


def ppo(name: str, args: Args) -> list[Row]:
    must_have("'backroom[train]'", "torch")
    import torch

    if not torch.cuda.is_available():
        raise NotHere("PyTorch has no GPU: see https://pytorch.org for the PyTorch of this card")
    return of_ppo(name, PPO_SECONDS)


def playouts(name: str, args: Args) -> list[Row]:
    found = gpu.measure(backroom.game(name), THREADS, EACH)
    return [
        Row(name, "playouts", "random playouts", found["gpu_moves_per_s"], found["ratio"]),
        Row(name, "compile", "their kernels", None, found["compile_s"]),
    ]


@dataclass(frozen=True)
class Measurement:
    """Something that is measured for a game."""

    work: Callable[[str, Args], list[Row]]
    needs_gpu: bool = False


MEASUREMENTS = {
    "batch": Measurement(batch),
    "pgx": Measurement(pgx),
    "gpu": Measurement(on_gpu, needs_gpu=True),
    "pgx-gpu": Measurement(pgx_on_gpu, needs_gpu=True),
    "pettingzoo": Measurement(pettingzoo),
    "openspiel": Measurement(openspiel),
    "ppo": Measurement(ppo, needs_gpu=True),
    "playouts": Measurement(playouts, needs_gpu=True),
}
"""The measurements by name."""


@dataclass(frozen=True)
class Line:
    """A line of the table: a row of a measurement."""

    of: str
    row: Row
    """The row without what is measured."""


def all_lines() -> list[Line]:
    """All bars, in the order in which they were set."""

    def line(of: str, name: str, key: str, what: str, bar: float, unit: str = "×", sign: str = ">=") -> Line:
        return Line(of, Row(name, key, what, None, unit=unit, bar=bar, sign=sign))

    many, core = cores(), "× a core"
    return [
        *(line("batch", name, "core", "batch, one core", bar, "M steps/s") for name, bar in MILLIONS.items()),
        line("pgx", "run", "pgx", "batch beside pgx backgammon, same CPU", PGX_BAR),
        *(line("batch", name, "cores", f"batch, all {many} cores", CORES_BAR * many, core) for name in MILLIONS),
        *(line("gpu", name, "millions", "batch, one GPU", bar, "M steps/s") for name, bar in GPU_MILLIONS.items()),
        line("pgx-gpu", "run", "pgx", "batch beside pgx backgammon, same GPU", PGX_GPU_BAR),
        *(line("gpu", name, "gpu", "batch, one GPU", GPU_BAR, core) for name in MILLIONS if name not in GPU_MILLIONS),
        *(
            line("pettingzoo", "run", key, f"PettingZoo AEC beside its {module}", PEER_BAR)
            for key, module in CLASSICS.items()
        ),
        line("pettingzoo", "run", "empty", "PettingZoo AEC beside one that only copies observations", EMPTY_BAR),
        *(
            line("openspiel", "run", key, f"OpenSpiel interface beside its C++ {key}", SPIEL_BAR)
            for key in ("gin_rummy", "backgammon")
        ),
        *(line("ppo", name, "ppo", "PPO, one GPU", bar, "M answers/s") for name, bar in PPO_MILLIONS.items()),
        line("playouts", RUM_RUN, "playouts", "random playouts, one GPU", gpu.BARS[RUM_RUN], core),
        line("playouts", RUM_RUN, "compile", "kernels of playouts, compiled", COMPILE_SECONDS, "s", "<="),
        line("gpu", RUM_RUN, "compile", "kernels of a batch, compiled", COMPILE_SECONDS, "s", "<="),
    ]


def all_bars(args: Args) -> int:
    """Measure what was asked for, and print all its bars; returns whether one was missed or could not be measured."""
    if unknown := set(args.only or ()) - set(MEASUREMENTS):
        raise SystemExit(f"there is no measurement {sorted(unknown)[0]!r}; they are {', '.join(MEASUREMENTS)}")
    if args.short:
        args.seconds, args.rounds = SHORT
    lines = [line for line in all_lines() if line.of in (args.only or MEASUREMENTS)]
    found: dict[tuple[str, str], list[Row]] = {}
    failed = set()
    for of, name in dict.fromkeys((line.of, line.row.game) for line in lines):
        start = time.perf_counter()
        found[of, name], is_failed = measured(of, name, args)
        failed |= {f"{of} {name}"} if is_failed else set()
        spent = time.perf_counter() - start
        for row in (completed(line, found) for line in lines if (line.of, line.row.game) == (of, name)):
            said = f"{row.told(row.figure)}, " if row.figure is not None else ""
            print(f"{of} {name}, {spent:.0f} s: {row.what}: {said}{row.verdict}", flush=True)
            failed |= {f"{of} {name}"} if row.is_missed else set()
    rows = [completed(line, found) for line in lines]
    show(rows)
    if args.json:
        args.json.write_text(as_json(rows) + "\n", "utf-8")
    missing = sum(row.figure is None for row in rows)
    print(f"missed or failed: {', '.join(sorted(failed))}" if failed else "no bar is missed")
    print(f"{missing} of {len(rows)} bars were not measured" if missing else "all were measured", flush=True)
    return int(bool(failed))


def measured(of: str, name: str, args: Args) -> tuple[list[Row], bool]:
    """The rows of a measurement, and whether it failed. A row without a key says why there is no other."""
    if MEASUREMENTS[of].needs_gpu and not cuda.is_available():
        return [Row(name, "", "", None, why=NOT_HERE + NO_GPU)], False
    rows, why = apart(f"{of}-{name}", 900 + 40 * args.rounds * args.seconds, measure, MEASUREMENTS[of].work, name, args)
    return ([Row(name, "", "", None, why=f"could not be measured: {why}")], True) if why else (rows, False)


def measure(work: Callable[[str, Args], list[Row]], name: str, args: Args) -> list[Row]:
    """Measure something in this process."""
    try:
        return work(name, args)
    except NotHere as why:
        return [Row(name, "", "", None, why=f"{NOT_HERE}{why}")]


def completed(line: Line, found: dict[tuple[str, str], list[Row]]) -> Row:
    """The row of a line with what was measured."""
    rows = {row.key: row for row in found[line.of, line.row.game]}
    row = rows.get(line.row.key) or rows.get("") or Row("", "", "", None, why=f"{NOT_HERE}there is one core")
    return replace(line.row, figure=row.figure, why=row.why)

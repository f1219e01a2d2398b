"""What NVIDIA's compiler makes of the kernels of a batch and of random playouts, on a machine without a GPU.

    python bench/gpu_compile.py [GAME ...] [--json FILE]

Prints for each kernel how long compiling takes, and what it needs of an H200: registers of a thread, bytes of local
memory and of those registers that did not fit (spilled), bytes of shared memory of a block, and bytes of machine code,
tables included. Needs NVIDIA's compiler (pip install 'numba-cuda[cu12]'). A kernel that does not compile ends it with
the compiler's error. Playouts of a large game are a batch (bench/gpu.py).
"""

import argparse
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpu
import numba
import numpy as np
from numba import cuda, types
from rich.console import Console
from rich.table import Table

import backroom
from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.gym import Batch, compiler, device

ARCH = (9, 0)
"""The compute capability of an H200."""
GAMES = 4
"""Games of a batch: their number is not compiled in."""


@dataclass(frozen=True)
class Compiled:
    """A kernel that was compiled."""

    game: str
    kernel: str
    seconds: float
    registers: int
    local: int
    spilled: int
    shared: int
    code: int


def assembler() -> str:
    """NVIDIA's assembler, which comes with its compiler or with a CUDA toolkit; BadOption if it is not here."""
    spec = importlib.util.find_spec("nvidia")  # a namespace package, of which the compiler is a part
    folders = (spec.submodule_search_locations if spec else None) or ()
    found = [shutil.which("ptxas"), *(str(file) for folder in folders for file in Path(folder).glob("**/bin/ptxas"))]
    program = next(filter(None, found), None)
    if program is None or importlib.util.find_spec("numba_cuda") is None:
        raise BadOption("NVIDIA's compiler is not installed; expected: pip install 'numba-cuda[cu12]'")
    return program


def pretend() -> None:
    """Let numba-cuda compile for an H200 that is not there. Nothing can be run."""
    from numba.cuda import api, dispatcher

    absent = SimpleNamespace(compute_capability=ARCH)
    api.get_current_device = dispatcher.get_current_device = lambda: absent
    compiler.cuda.is_available = lambda: True
    device.cuda.to_device = np.array


def type_on_device(argument: Any) -> types.Type:
    """The type of an argument of a kernel, of an array as it is on a GPU."""
    kind = numba.typeof(argument)
    return types.Array(kind.dtype, kind.ndim, "C") if isinstance(kind, types.Array) else kind


def calls(game: Game) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """The kernels of a game's batch and of its playouts, and what they are called with."""
    found: dict[str, tuple[Any, tuple[Any, ...]]] = Batch(game, GAMES, device="cuda")._runner.calls
    if compiler.is_large(game):
        return found
    seats, chosen = game.settle(None, {})
    counts = (np.zeros(GAMES, np.int64) for _ in range(3))
    return found | {"playouts": (gpu.player_of(game, seats, gpu.SMALL), (game.encoded(chosen), *counts))}


def compiled(game: Game, folder: Path, program: str) -> Iterator[Compiled]:
    """Compile the kernels of a game."""
    for kernel, (launch, arguments) in calls(game).items():
        start = time.perf_counter()
        with compiler.compiling(game):
            kinds = tuple(map(type_on_device, arguments))
            assembly, _ = cuda.compile(launch.py_func, kinds, cc=ARCH, device=False, abi="numba", output="ptx")
        source = folder / f"{game.name}-{kernel}.ptx"
        source.write_text(assembly, "utf-8")
        most = launch.targetoptions.get("max_registers")
        limit = [f"--maxrregcount={most}"] if most else []
        binary = source.with_suffix(".bin")
        command = [program, "-v", *limit, f"-arch=sm_{ARCH[0]}{ARCH[1]}", source, "-o", binary]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        registers, local, spilled, shared = (
            sum(map(int, re.findall(rf"(\d+) {what}", told)))
            for what in ("registers", "bytes cumulative stack", "bytes spill stores", "bytes smem")
        )
        seconds, code = round(time.perf_counter() - start, 1), binary.stat().st_size
        yield Compiled(game.name, kernel, seconds, registers, local, spilled, shared, code)


def main() -> int:
    parser = argparse.ArgumentParser(description="What NVIDIA's compiler makes of kernels for a GPU.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    try:
        games, program = [backroom.game(name) for name in chosen.games or backroom.names()], assembler()
    except BadOption as wrong:
        parser.error(str(wrong))
    pretend()
    found = []
    table = Table(*(field.name for field in fields(Compiled)))
    with tempfile.TemporaryDirectory() as folder:
        for game in games:
            for made in compiled(game, Path(folder), program):
                found.append(made)
                table.add_row(*map(str, asdict(made).values()))
                print(f"{game.name} {made.kernel}: {made.seconds} s", flush=True)
    Console().print(table)
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(made) for made in found]) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Random playouts a second on one NVIDIA GPU, beside one core of its machine: the very same kernels, compiled for both.

    python bench/gpu.py [GAME ...] [--threads 262144] [--games 4] [--json FILE]

Needs numba-cuda and an NVIDIA GPU. Games are checked too: both machines must play the same games from the same seeds.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import backroom
from backroom.arena.playouts import playout_of, playouts
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from

BAR = 100
"""How many times one core a GPU has to be (NUMBERS)."""
BLOCK = 64
"""Threads a block: more only wait for registers."""


def batch_of(game: Game, seats: int) -> Any:
    """A CUDA kernel that plays games on every thread; each keeps its state in local memory."""
    from numba import cuda, from_dtype, int32, uint64

    from backroom.gym.device import ALIGNED, must_be_there

    must_be_there()
    playout, record, most = playout_of(game), from_dtype(game.rules.STATE), game.rules.MOST_MOVES

    @cuda.jit  # type: ignore[untyped-decorator]
    def batch(seeds, options, games, played, choices):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < seeds.size:
            s = cuda.local.array(1, record, ALIGNED)
            throw = cuda.local.array(1, uint64)
            out = cuda.local.array(most, int32)
            weights = cuda.local.array(most, int32)
            throw[0] = seeds[i]
            for _ in range(games):
                moves, chosen = playout(s[0], seats, options, throw, out, weights)
                played[i] += moves
                choices[i] += chosen

    return batch


def measure(game: Game, threads: int, games: int) -> dict[str, Any]:
    """Games and moves a second on the GPU and on a core, after a check that they agree."""
    from numba import cuda

    seats, chosen = game.settle(None, {})
    options = cuda.to_device(game.encoded(chosen))
    batch = batch_of(game, seats)

    def run(seeds: Any, games: int) -> tuple[Any, Any, float]:
        played, choices = (cuda.to_device(np.zeros(len(seeds), np.int64)) for _ in range(2))
        on_device = cuda.to_device(seeds)
        cuda.synchronize()
        start = time.perf_counter()
        batch[-(-len(seeds) // BLOCK), BLOCK](on_device, options, games, played, choices)
        cuda.synchronize()
        spent = time.perf_counter() - start
        return played.copy_to_host(), choices.copy_to_host(), spent

    few = np.arange(256, dtype=np.uint64)
    played, choices, _ = run(few, 1)
    for seed in few:
        one = playouts(game, 1, seed=int(dice_from(int(seed))[0]))
        if (one.moves, one.choices) != (played[seed], choices[seed]):
            raise SystemExit(f"{game.name}: seed {seed} plays {one.moves} moves on the CPU, {played[seed]} on the GPU")
    played, choices, spent = run(np.arange(threads, dtype=np.uint64), games)
    start, batch_size = time.perf_counter(), 2000
    core = playouts(game, batch_size)
    core_spent = time.perf_counter() - start
    return {
        "game": game.name,
        "gpu_games_per_s": threads * games / spent,
        "gpu_moves_per_s": float(choices.sum() / spent),
        "core_games_per_s": batch_size / core_spent,
        "core_moves_per_s": core.choices / core_spent,
        "ratio": float(choices.sum() / spent) / (core.choices / core_spent),
        "bar": BAR,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Random playouts a second on a GPU.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--threads", type=int, default=1 << 18)
    parser.add_argument("--games", type=int, default=4, dest="each", help="games on each thread")
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    try:
        from numba import cuda

        if not cuda.is_available():
            parser.error("there is no NVIDIA GPU here")
    except ImportError:
        parser.error("numba-cuda is not installed; expected: pip install numba-cuda")
    rows = [measure(backroom.game(name), chosen.threads, chosen.each) for name in chosen.games or backroom.names()]
    for row in rows:
        print(
            f"{row['game']}: GPU {row['gpu_games_per_s']:,.0f} games/s, {row['gpu_moves_per_s']:,.0f} moves/s; "
            f"a core {row['core_games_per_s']:,.0f} games/s, {row['core_moves_per_s']:,.0f} moves/s; "
            f"{row['ratio']:,.0f} × (bar {BAR} ×: {'reached' if row['ratio'] >= BAR else 'MISSED'})"
        )
    text = json.dumps(rows)
    if chosen.json:
        chosen.json.write_text(text + "\n", "utf-8")
    else:
        print(text)
    return int(any(row["ratio"] < BAR for row in rows))


if __name__ == "__main__":
    sys.exit(main())

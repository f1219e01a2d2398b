"""Random playouts per second on one NVIDIA GPU and on one core of its machine: the same kernels, compiled for both.

    python bench/gpu.py [GAME ...] [--threads 131072] [--games 8] [--small 256] [--json FILE]

Needs numba-cuda and an NVIDIA GPU. Also checks that both play the same games from the same seeds. Rum Run is played as
a batch without observations, whose kernels sort games by the moves that are played.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import cuda  # the simulator looks for this name among a kernel's globals

import backroom
from backroom.arena.playouts import playouts, random_moves_of
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE
from backroom.gym import Batch
from backroom.gym.compiler import ALIGNED, compiling, is_large, local_type, must_be_there
from backroom.gym.device import overlaid

BAR = 200
"""The least speed of a GPU as a multiple of one core (NUMBERS)."""
BARS = {"rum-run": 100}
"""Games with another bar."""
COMPILE_BAR = 90
"""Most seconds for compiling a game's kernels."""
MOVES_BARS = {"run": 2e9}
"""The least moves per second on an H200."""
BLOCK = 64
"""Threads per block; more would only wait for registers."""
SMALL = 256
"""The largest state, in bytes, that is in shared memory, unless `--small` says another: with larger ones fewer threads
run at once.
"""
SETTLING, MEASURED = 200, 200
"""Steps of a batch before it is measured, since its games begin at the same time; and steps that are measured."""


def player_of(game: Game, seats: int, small: int) -> Any:
    """A CUDA kernel that plays games in sequence on every thread. States of up to `small` bytes are in shared memory,
    others in local.

    Games are of different lengths, and threads of a warp run in step: so a thread whose game is over takes the next
    game at once, and goes on beside its neighbours. In each round nature moves first where it has to, so that every
    seat can move: with one move a round, half of a warp would wait for the other half.
    """
    must_be_there()
    setup, asked, longest = game.rules.setup, game.rules.asked, game.rules.LONGEST
    of_nature, of_seat = random_moves_of(game)
    record, word, number = (local_type(np.dtype(kind)) for kind in (game.rules.STATE, np.uint64, np.int32))
    most = game.rules.MOST_MOVES
    is_shared, together = game.rules.STATE.itemsize <= small, local_type(overlaid(game.rules.STATE))

    @cuda.jit  # type: ignore[untyped-decorator]
    def play(options, taken, moves, choices):  # type: ignore[no-untyped-def]
        """Game i uses seed i. Writes its number of moves, and how many of them were made by seats."""
        if is_shared:
            every = cuda.shared.array(BLOCK, together, ALIGNED)
            s = every[cuda.threadIdx.x].record
        else:
            own = cuda.local.array(1, record, ALIGNED)
            s = own[0]
        dice = cuda.local.array(1, word)
        out = cuda.local.array(most, number)
        weights = cuda.local.array(most, number)
        game = cuda.atomic.add(taken, 0, 1)
        played = 0
        chosen = 0
        while game < moves.size:
            if played == 0:
                dice[0] = game
                setup(s, seats, options)
            mask = asked(s)
            if mask == 1 << NATURE:
                of_nature(s, dice, out, weights)
                played += 1
                mask = asked(s)
            if mask != 0 and mask != 1 << NATURE and played < longest:
                of_seat(s, mask, dice, out)
                played += 1
                chosen += 1
            if mask == 0 or played == longest:
                moves[game] = played
                choices[game] = chosen
                played = 0
                chosen = 0
                game = cuda.atomic.add(taken, 0, 1)

    return play


def measure_games(game: Game, threads: int, games: int, small: int) -> tuple[float, float, float]:
    """Seconds to compile, games and moves per second on the GPU, after checking that a core plays the same games."""
    seats, chosen = game.settle(None, {})
    options = cuda.to_device(game.encoded(chosen))
    play = player_of(game, seats, small)

    def run(games: int) -> tuple[Any, Any, float]:
        lengths, choices = (cuda.to_device(np.zeros(games, np.int64)) for _ in range(2))
        taken = cuda.to_device(np.zeros(1, np.int64))
        cuda.synchronize()
        start = time.perf_counter()
        play[-(-min(threads, games) // BLOCK), BLOCK](options, taken, lengths, choices)
        cuda.synchronize()
        spent = time.perf_counter() - start
        return lengths.copy_to_host(), choices.copy_to_host(), spent

    start = time.perf_counter()
    with compiling(game):
        lengths, choices, _ = run(256)
    compiled = time.perf_counter() - start
    for i in range(256):
        one = playouts(game, 1, seed=i)
        if (one.moves, one.choices) != (lengths[i], choices[i]):
            raise SystemExit(f"{game.name}: game {i} has {one.moves} moves on the CPU, {lengths[i]} on the GPU")
    _, choices, spent = run(threads * games)
    return compiled, threads * games / spent, float(choices.sum() / spent)


def measure_batch(game: Game, n: int) -> tuple[float, float, float]:
    """The same for a large game, by a batch without observations."""
    start = time.perf_counter()
    card, core = Batch(game, 256, device="cuda", observe=False), Batch(game, 256)
    card.reset(0)
    card.step(card.sample())
    cuda.synchronize()
    compiled = time.perf_counter() - start
    card.reset(0)
    core.reset(0)
    for _ in range(100):
        card.step(card.sample())
        core.step(core.sample())
    if not all(
        (getattr(card, what).copy_to_host() == getattr(core, what)).all() for what in ("rows", "seat", "reward")
    ):
        raise SystemExit(f"{game.name}: the GPU plays other games than the CPU")
    batch = Batch(game, n, device="cuda", observe=False)
    batch.reset(0)

    def run(steps: int) -> int:
        """Returns the number of games that were finished so far."""
        for _ in range(steps):
            batch.step(batch.sample())
        return int(batch.arrays.cells.copy_to_host()["games"].sum())

    before, start = run(SETTLING), time.perf_counter()
    after = run(MEASURED)
    spent = time.perf_counter() - start
    return compiled, (after - before) / spent, MEASURED * n / spent


def measure(game: Game, threads: int, games: int, small: int = SMALL) -> dict[str, Any]:
    """Games and moves per second on the GPU and on a core."""
    found = measure_batch(game, threads * games) if is_large(game) else measure_games(game, threads, games, small)
    playouts(game, 1)  # compiles, if need be
    start, batch_size = time.perf_counter(), 2000
    core = playouts(game, batch_size)
    core_spent = time.perf_counter() - start
    return {
        "game": game.name,
        "compile_s": found[0],
        "gpu_games_per_s": found[1],
        "gpu_moves_per_s": found[2],
        "core_games_per_s": batch_size / core_spent,
        "core_moves_per_s": core.choices / core_spent,
        "ratio": found[2] / (core.choices / core_spent),
        "bar": BARS.get(game.name, BAR),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Random playouts a second on a GPU.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--threads", type=int, default=1 << 17)
    parser.add_argument("--games", type=int, default=8, dest="each", help="games for each thread, on average")
    parser.add_argument("--small", type=int, default=SMALL, metavar="BYTES", help="the largest state in shared memory")
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    if not cuda.is_available():
        parser.error("there is no NVIDIA GPU here, or no numba-cuda for it; expected: pip install numba-cuda")
    names = chosen.games or backroom.names()
    rows = [measure(backroom.game(name), chosen.threads, chosen.each, chosen.small) for name in names]
    is_missed = False
    for row in rows:
        print(
            f"{row['game']}: GPU {row['gpu_games_per_s']:,.0f} games/s, {row['gpu_moves_per_s']:,.0f} moves/s; "
            f"a core {row['core_games_per_s']:,.0f} games/s, {row['core_moves_per_s']:,.0f} moves/s"
        )
        bars = [("× a core", row["ratio"], row["bar"], row["ratio"] >= row["bar"])]
        bars.append(("s to compile", row["compile_s"], COMPILE_BAR, row["compile_s"] <= COMPILE_BAR))
        if least := MOVES_BARS.get(row["game"]):
            bars.append(("moves/s", row["gpu_moves_per_s"], least, row["gpu_moves_per_s"] >= least))
        for what, found, bar, is_reached in bars:
            print(f"    {found:,.0f} {what} (bar {bar:,.0f}: {'reached' if is_reached else 'MISSED'})")
            is_missed |= not is_reached
    text = json.dumps(rows)
    if chosen.json:
        chosen.json.write_text(text + "\n", "utf-8")
    else:
        print(text)
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())

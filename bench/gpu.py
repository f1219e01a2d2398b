"""Random playouts a second on one NVIDIA GPU, beside one core of its machine: the very same kernels, compiled for both.

    python bench/gpu.py [GAME ...] [--threads 262144] [--games 4] [--json FILE]

Needs numba-cuda and an NVIDIA GPU. Games are checked too: both machines must play the same games from the same seeds.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numba import cuda  # the simulator looks for this name among a kernel's globals

import backroom
from backroom.arena.playouts import playouts, random_move_of
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, lowest, pick, without_back
from backroom.gym.device import (
    ALIGNED,
    WARP,
    fetch_apart,
    is_large,
    kept_apart,
    local_type,
    must_be_there,
    overlaid,
    sort,
    words_of,
)

BAR = 200
"""How many times one core a GPU has to be (NUMBERS)."""
BARS = {"rum-run": 100}
"""Where that is another number."""
COMPILE_BAR = 90
"""Seconds in which a game's kernels have to be compiled."""
MOVES_BARS = {"run": 2e9}
"""Moves a second that are to be reached on an H200."""
BLOCK = 64
"""Threads a block: more only wait for registers."""
APART = 600
"""Kernels of a large game that are as large are kept apart, so that it compiles in time."""
MOVES_EACH = 400
"""Moves of each slot that a large game is measured by; its slots never run out of games."""


def player_of(game: Game, seats: int) -> Any:
    """A CUDA kernel that plays games one after the other on every thread; each keeps its state in local memory.

    Games are of different lengths, and threads of a warp run in step: so a thread whose game is over takes the next
    game at once, and goes on move by move beside its neighbours.
    """
    must_be_there()
    setup, random_move, longest = game.rules.setup, random_move_of(game), game.rules.LONGEST
    record, word, number = (local_type(np.dtype(kind)) for kind in (game.rules.STATE, np.uint64, np.int32))
    most = game.rules.MOST_MOVES

    @cuda.jit  # type: ignore[untyped-decorator]
    def play(options, taken, moves, choices):  # type: ignore[no-untyped-def]
        """Game i has the dice i. Writes its moves, and how many of them were seats'."""
        s = cuda.local.array(1, record, ALIGNED)
        dice = cuda.local.array(1, word)
        out = cuda.local.array(most, number)
        weights = cuda.local.array(most, number)
        game = cuda.atomic.add(taken, 0, 1)
        played = 0
        chosen = 0
        while game < moves.size:
            if played == 0:
                dice[0] = game
                setup(s[0], seats, options)
            whose = random_move(s[0], dice, out, weights)
            if whose >= 0:
                played += 1
                chosen += whose
            if whose < 0 or played == longest:
                moves[game] = played
                choices[game] = chosen
                played = 0
                chosen = 0
                game = cuda.atomic.add(taken, 0, 1)

    return play


def steps_of(game: Game, seats: int) -> tuple[Any, Any]:
    """Two CUDA kernels for a large game, by which all games make one move after the other.

    Games in which the same verb is played are put side by side in between: threads of a warp that do different things
    wait for each other, and here there are many.
    """
    must_be_there()
    setup, asked, moves, odds, play = (getattr(game.rules, k) for k in ("setup", "asked", "moves", "odds", "play"))
    record = local_type(overlaid(game.rules.STATE))
    number, word, square = local_type(np.dtype(np.int32)), local_type(np.dtype("u4")), (WARP, WARP + 1)
    most, longest, back = game.rules.MOST_MOVES, game.rules.LONGEST, game.rules.BACK

    @cuda.jit  # type: ignore[untyped-decorator]
    def go_on(states, options, order, dice, slots, taken, played, chosen):  # type: ignore[no-untyped-def]
        """Play the move of each slot, and what nature answers; begin the next game where one is over."""
        if cuda.grid(1) < order.size:
            i = order[cuda.grid(1)]
            s, which, who, what = states[i], slots[i, 0], slots[i, 1], slots[i, 2]
            out, weights = cuda.local.array(most, number), cuda.local.array(most, number)
            while which < played.size:
                if what >= 0:
                    play(s, who, what)
                    played[which] += 1
                    chosen[which] += who != NATURE
                mask = int(asked(s)) if which >= 0 else 0
                if mask == 0 or played[which] == longest:
                    which = cuda.atomic.add(taken, 0, 1)
                    dice[i, 0] = which
                    setup(s, seats, options)
                    what = -1
                elif mask == 1 << NATURE:
                    place = pick(dice[i], weights, odds(s, weights))
                    moves(s, NATURE, out)
                    who, what = NATURE, out[place]
                else:
                    who = lowest(mask)
                    break
            slots[i, 0], slots[i, 1] = which, who

    @cuda.jit  # type: ignore[untyped-decorator]
    def choose(words, order, dice, slots, starts, kinds, games):  # type: ignore[no-untyped-def]
        """Draw a move for each slot; its kind is its verb."""
        tile = cuda.shared.array(square, word)
        held = cuda.local.array(1, record, ALIGNED)
        fetch_apart(tile, held[0].words, words, order, 1)
        if cuda.grid(1) < order.size:
            i = order[cuda.grid(1)]
            kinds[i] = 0
            if slots[i, 0] < games:
                out = cuda.local.array(most, number)
                n = without_back(out, moves(held[0].record, slots[i, 1], out), back)
                what = out[below(dice[i], n)]
                kind = 0
                while kind < starts.size and what >= starts[kind]:
                    kind += 1
                slots[i, 2] = what
                kinds[i] = kind

    return go_on, choose


def sorted_runner(game: Game, seats: int, chosen: Mapping[str, str]) -> Any:
    """A function that plays games so, as many side by side as there are threads: all of them, or some moves of each."""
    go_on, choose = steps_of(game, seats)
    options = cuda.to_device(game.encoded(chosen))
    starts = np.array([first for first, _ in game.rules.verbs(chosen)], np.int32)

    def run(games: int, threads: int, moves: int = 0) -> tuple[Any, Any, float]:
        states = cuda.to_device(np.zeros(threads, game.rules.STATE))
        order = cuda.to_device(np.arange(threads, dtype=np.int32))
        slots = cuda.to_device(np.full((threads, 3), -1, np.int32))
        dice, kinds = cuda.to_device(np.zeros((threads, 1), np.uint64)), cuda.device_array(threads, np.int32)
        firsts, ends = cuda.to_device(starts), cuda.to_device(np.zeros(1 + len(starts), np.int32))
        taken, played, chosen = (cuda.to_device(np.zeros(n, np.int32)) for n in (1, games, games))
        grid = -(-threads // WARP), WARP
        cuda.synchronize()
        start, made = time.perf_counter(), 0
        while made < moves or not moves:
            go_on[grid](states, options, order, dice, slots, taken, played, chosen)
            choose[grid](words_of(states), order, dice, slots, firsts, kinds, games)
            sort(kinds, ends, order)
            made += 1
            if not moves and made % 64 == 0 and slots.copy_to_host()[:, 0].min() >= games:
                break
        cuda.synchronize()
        return played.copy_to_host(), chosen.copy_to_host(), time.perf_counter() - start

    return run


def runner(game: Game, seats: int, chosen: Mapping[str, str]) -> Any:
    """The same for a game that is not large: each thread plays whole games."""
    play = player_of(game, seats)
    options = cuda.to_device(game.encoded(chosen))

    def run(games: int, threads: int, moves: int = 0) -> tuple[Any, Any, float]:
        played, chosen = (cuda.to_device(np.zeros(games, np.int64)) for _ in range(2))
        taken = cuda.to_device(np.zeros(1, np.int64))
        cuda.synchronize()
        start = time.perf_counter()
        play[-(-min(threads, games) // BLOCK), BLOCK](options, taken, played, chosen)
        cuda.synchronize()
        spent = time.perf_counter() - start
        return played.copy_to_host(), chosen.copy_to_host(), spent

    return run


def measure(game: Game, threads: int, games: int) -> dict[str, Any]:
    """Games and moves a second on the GPU and on a core, after a check that they agree."""
    seats, chosen = game.settle(None, {})
    run = (sorted_runner if is_large(game) else runner)(game, seats, chosen)
    start = time.perf_counter()
    with kept_apart(game, APART):
        moves, choices, _ = run(256, 256)
    compiled = time.perf_counter() - start
    for i in range(256):
        one = playouts(game, 1, seed=i)
        if (one.moves, one.choices) != (moves[i], choices[i]):
            raise SystemExit(f"{game.name}: game {i} has {one.moves} moves on the CPU, {moves[i]} on the GPU")
    _, choices, spent = run(threads * games, threads, MOVES_EACH)
    going = threads if is_large(game) else 0
    start, batch_size = time.perf_counter(), 2000
    core = playouts(game, batch_size)
    core_spent = time.perf_counter() - start
    return {
        "game": game.name,
        "compile_s": compiled,
        "gpu_games_per_s": float(((choices > 0).sum() - going) / spent),
        "gpu_moves_per_s": float(choices.sum() / spent),
        "core_games_per_s": batch_size / core_spent,
        "core_moves_per_s": core.choices / core_spent,
        "ratio": float(choices.sum() / spent) / (core.choices / core_spent),
        "bar": BARS.get(game.name, BAR),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Random playouts a second on a GPU.")
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--threads", type=int, default=1 << 18)
    parser.add_argument("--games", type=int, default=4, dest="each", help="games for each thread, on average")
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    if not cuda.is_available():
        parser.error("there is no NVIDIA GPU here, or no numba-cuda for it; expected: pip install numba-cuda")
    rows = [measure(backroom.game(name), chosen.threads, chosen.each) for name in chosen.games or backroom.names()]
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

"""Tunes the weights of Rum Run's judgement (`brain.py`) by games between two that differ from it, each a little and the
opposite way (SPSA).

    python train/rum_run_tune.py FOLDER [--player NAME] [--processes 2] [--seconds 300] [--seed 1] [--rate 0.01]

Each process again and again throws a sign for every weight, plays a seed twice, the seats changed, between the weights
moved by the signs and those moved the other way, and moves all of them toward who won. Setups and seats are by lot; each
game begins with moves by chance. FOLDER gets `games-N.jsonl`, a line for each seed with the signs and what came of it,
and `weights.json`, the weights of the moment with their mean over the second half; a second call goes on with them.
"""

import argparse
import copy
import json
import multiprocessing
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic

import backroom
from backroom.bots.bot import strategy_of
from backroom.bots.luck import dice_of, luck_of
from backroom.bots.memory import memories
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, pick, without_back
from backroom.games.rum_run.brain import TERMS, WEIGHTS, all_values_by, value_by

GAME = backroom.game("rum-run")
COUNT = len(TERMS)
CHANGED = WEIGHTS.copy()
"""What whoever decides plays by. Kernels read it where it lies: it changes with the seat, and nothing is compiled again."""
ADDRESS = CHANGED.ctypes.data
SETUPS = {"first": 4, "standard": 4, "small": 4, "moonless": 3, "badlands": 4, "duel": 1}
"""How often each is played, of 20 seeds."""
STEPS = {"near": 0.25, "shaky": 0.25, "doubles": 0.06, "strong": 0.04}
"""How much a weight that begins at 0 is moved at once; the others by a factor."""
MOVED = 0.3
"""By how much a weight is moved in a game: the logarithm of that factor, or a part of its step."""
LONGEST = 2_000
"""How many answers a game has before nobody has won it."""


@intrinsic
def pointer(typing, address):  # type: ignore[no-untyped-def]
    """A number as an address."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@kernel
def value(s, seat):  # type: ignore[no-untyped-def]
    """By the weights of the moment."""
    return value_by(s, seat, carray(pointer(ADDRESS), (COUNT,), np.float64))


@kernel
def all_values(s, out):  # type: ignore[no-untyped-def]
    """By the weights of the moment."""
    all_values_by(s, out, carray(pointer(ADDRESS), (COUNT,), np.float64))


def tuned_game() -> Game:
    """The game as it is judged by the weights of the moment."""
    rules: Any = copy.copy(GAME.rules)
    rules.value, rules.all_values = value, all_values
    return Game(rules)


def weights_at(x: Any) -> Any:
    """The weights, by how far each was moved from `brain.py`'s."""
    found = WEIGHTS * np.exp(x)
    for i, name in enumerate(TERMS):
        if name.endswith("turn"):  # what is left after a turn: what is lost is moved
            found[i] = 1 - min(0.98, (1 - WEIGHTS[i]) * np.exp(x[i]))
        if WEIGHTS[i] == 0:
            found[i] = STEPS[name] * x[i]
    return found


def play(choose: Any, work: Any, by: list[Any], numbers: Any, opening: int, seed: int) -> Any:
    """What each seat has of the win when seats play by weights of their own; nobody has any of a quiet end."""
    rules, seats = GAME.rules, len(by)
    (s, v), out = np.zeros((2, 1), rules.STATE), np.empty(rules.MOST_MOVES, np.int32)
    chance, luck, remembered, made = dice_from(seed), np.uint64(luck_of(str(seed))), memories(seats), [0] * seats
    rules.setup(s[0], seats, numbers)
    while (mask := rules.asked(s[0])) and sum(made) < LONGEST:
        seat = lowest(mask)
        if mask == 1 << NATURE:
            place = pick(chance, out, rules.odds(s[0], out))
            rules.moves(s[0], NATURE, out)
            move = int(out[place])
        else:
            v[0] = s[0]
            rules.hide(v[0], seat)
            n = without_back(out, rules.moves(v[0], seat, out), rules.BACK)
            if sum(made) < opening:
                move = int(out[below(chance, n)])
            else:
                CHANGED[:] = by[seat]
                move = int(choose(v[0], seat, dice_from(int(dice_of(luck, seat, made[seat]))), work, remembered[seat]))
            made[seat] += 1
        rules.play(s[0], seat, move)
    won = np.zeros(seats)
    if s[0].over:
        winners = GAME.winners(s[0], seats)
        won[list(winners)] = 1 / len(winners)
    return won


def settings(dice: Any) -> tuple[int, dict[str, str]]:
    """Seats and options of a game, by lot."""
    odds = np.array(list(SETUPS.values()), float)
    setup = list(SETUPS)[dice.choice(len(SETUPS), p=odds / odds.sum())]
    if setup == "duel":
        return 2, {"setup": setup, "colours": "2"}
    return int(dice.choice([2, 3, 4], p=[0.5, 0.2, 0.3])), {"setup": setup}


def tune(number: int, shared: Any, said: argparse.Namespace, choose: Any, module: Any, plan: Any) -> None:
    """One process."""
    dice = np.random.default_rng([said.seed, number])
    x = np.frombuffer(shared.get_obj())
    work, until = module.workspace_for(GAME, plan), time.monotonic() + said.seconds
    with (said.folder / f"games-{number}.jsonl").open("a") as file:
        while time.monotonic() < until:
            seats, chosen = settings(dice)
            numbers = GAME.encoded(GAME.settle(seats, chosen)[1])
            signs, seed = dice.choice([-1, 1], COUNT), int(dice.integers(1 << 40))
            here = x[:COUNT].copy()
            plus, minus = weights_at(here + MOVED * signs), weights_at(here - MOVED * signs)
            found = 0.0
            for turned in range(2):
                by = [plus if (seat + turned) % 2 == 0 else minus for seat in range(seats)]
                won = play(choose, work, by, numbers, 4 * seats, seed)
                mine = [(seat + turned) % 2 == 0 for seat in range(seats)]
                found += sum(share if is_mine else -share for share, is_mine in zip(won, mine, strict=True)) / 2
            with shared.get_lock():
                x[:COUNT] += said.rate * found * signs
                x[COUNT] += 1
                x[COUNT + 1 :] += x[:COUNT]
            line = {"setup": chosen["setup"], "seats": seats, "found": round(found, 3), "signs": signs.tolist()}
            print(json.dumps(line | {"at": [round(float(each), 3) for each in here]}), file=file, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--player", default="rollouts:worlds=1,width=6,turns=1,blur=0.1")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=0.01)
    said = parser.parse_args()
    said.folder.mkdir(parents=True, exist_ok=True)
    kept = said.folder / "weights.json"
    fork = multiprocessing.get_context("fork")
    shared = fork.Array("d", 2 * COUNT + 1)
    if kept.exists():
        shared[:COUNT] = json.loads(kept.read_text())["moved"]
    module, plan = strategy_of(said.player, GAME)
    choose, begin = module.choose_of(tuned_game()), time.monotonic()
    play(choose, module.workspace_for(GAME, plan), [WEIGHTS] * 2, GAME.encoded(GAME.settle(2, {"setup": "small"})[1]), 8, 1)
    print(f"compiled in {time.monotonic() - begin:.0f} s", flush=True)
    workers = [fork.Process(target=tune, args=(i, shared, said, choose, module, plan)) for i in range(said.processes)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        time.sleep(2)
        x = np.array(shared[:])
        mean = x[COUNT + 1 :] / max(x[COUNT], 1)
        line = {"seeds": int(x[COUNT]), "moved": x[:COUNT].round(3).tolist(), "mean": mean.round(3).tolist()}
        line["weights"] = dict(zip(TERMS, weights_at(x[:COUNT]).round(4).tolist(), strict=True))
        kept.write_text(json.dumps(line))
    print(kept.read_text())


if __name__ == "__main__":
    main()

"""Fit what a mob's coins, secrets and hopes are worth in Booze Barons to games that bots play with themselves.

    python train/booze_barons_value.py FILE.npz --seats 3 [--bot hard:worlds=24] [--seconds 120] [--seed 1]

Plays games of one number of seats and takes whole states out of them, as rollouts judge them: the terms of each mob
(`terms` in `backroom/games/booze_barons/brain.py`), how full the deck is, and how many are hidden. Fits the chance of
each mob to win, a logistic model in which each term counts more or less with the deck and with those who are hidden,
and writes the weights of that number of seats into FILE, leaving the others. A quarter of the games is kept apart:
prints how far off a judgement was there from what came (the mean logarithm): the frozen one, that of today, and the
one that was fitted, beside always saying a third.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from players import booze_barons_2026_11

import backroom
from backroom.bots import bot
from backroom.bots.luck import dice_of
from backroom.bots.memory import forget, memories
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, pick
from backroom.games.booze_barons.brain import TERMS, terms, value
from backroom.games.booze_barons.pieces import MOBS, MOST_SEATS
from backroom.games.booze_barons.rules.course import asked, moves, play
from backroom.games.booze_barons.rules.reckoning import mob_result
from backroom.games.booze_barons.rules.secrets import hide
from backroom.games.booze_barons.rules.state import mob_of, unexposed

GAME = backroom.game("booze-barons")
MOST = 400_000
"""States that are kept."""
RIDGE = 1e-3
"""Holds weights of terms that hardly vary near 0."""
setup, odds, frozen_value = GAME.rules.setup, GAME.rules.odds, booze_barons_2026_11.value


@kernel
def play_game(choose, work, remembered, s, v, out, chance, luck, seats, options, dice, made, rows, came, judged, n):
    """One game; of every few decisions, the state before it. Says how many states there are then."""
    setup(s[0], seats, options)
    made[:] = 0
    for seat in range(seats):
        forget(remembered[seat])
    first = n
    mask = asked(s[0])
    while mask:
        seat = lowest(mask)
        if mask == 1 << NATURE:
            place = pick(chance, out, odds(s[0], out))
            moves(s[0], NATURE, out)
            play(s[0], NATURE, out[place])
        else:
            if below(chance, max(2, seats // 2)) == 0 and n < len(rows):
                for mob in range(MOBS):
                    found = terms(s[0], mob)
                    for k in range(TERMS):
                        rows[n, mob, 3 * k] = found[k]
                        rows[n, mob, 3 * k + 1] = found[k] * s[0].deck / 27.0
                        rows[n, mob, 3 * k + 2] = found[k] * unexposed(s[0]) / seats
                for other in range(seats):
                    judged[n, 0, mob_of(s[0], other)] = frozen_value(s[0], other)
                    judged[n, 1, mob_of(s[0], other)] = value(s[0], other)
                n += 1
            v[0] = s[0]
            hide(v[0], seat)
            dice[0] = dice_of(luck, seat, made[seat])
            play(s[0], seat, choose(v[0], seat, dice, work, remembered[seat]))
            made[seat] += 1
        mask = asked(s[0])
    best, equal = -1e9, 0
    for mob in range(MOBS):
        best = max(best, mob_result(s[0], mob))
    for mob in range(MOBS):
        equal += mob_result(s[0], mob) == best
    for i in range(first, n):
        for mob in range(MOBS):
            came[i, mob] = (1.0 if mob_result(s[0], mob) == best else 0.0) / equal
    return n


def chances(rows: Any, weights: Any) -> Any:
    marks = rows @ weights
    parts = np.exp(marks - marks.max(1, keepdims=True))
    return parts / parts.sum(1, keepdims=True)


def fitted(rows: Any, came: Any) -> Any:
    """The likeliest weights, by Newton's method."""
    spread = rows.std((0, 1)) + 1e-9
    scaled, weights = rows / spread, np.zeros(rows.shape[-1])
    for _ in range(30):
        said = chances(scaled, weights)
        slope = np.einsum("nmk,nm->k", scaled, came - said) / len(rows) - RIDGE * weights
        middle = np.einsum("nmk,nm->nk", scaled, said)
        curve = np.einsum("nmk,nm,nml->kl", scaled, said, scaled) - middle.T @ middle
        weights += np.linalg.solve(curve / len(rows) + RIDGE * np.eye(len(weights)), slope)
    return weights / spread


def off(said: Any, came: Any) -> float:
    return float(-(came * np.log(np.clip(said, 1e-9, 1))).sum(1).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--bot", default="hard:worlds=24")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    player, seats = bot(said.bot, GAME), said.seats
    options = GAME.encoded(GAME.settle(seats, {})[1])
    s, v = (np.zeros(1, GAME.rules.STATE) for _ in range(2))
    out, dice, made = np.zeros(2 * GAME.rules.MOST_MOVES, np.int32), np.zeros(1, np.uint64), np.zeros(16, np.int64)
    rows, came, judged = np.zeros((MOST, MOBS, 3 * TERMS)), np.zeros((MOST, MOBS)), np.zeros((MOST, 2, MOBS))
    number, n, games, begin = np.zeros(MOST, np.int64), 0, 0, 0.0
    while n < MOST and (not begin or time.monotonic() - begin < said.seconds):
        chance, luck = dice_from(said.seed * 1_000_000 + games), np.uint64(said.seed * 1_000_000 + games)
        kept = memories(NATURE), s, v, out, chance, luck, seats, options, dice, made, rows, came, judged
        after = play_game(player.choose, player.work, *kept, n)
        number[n:after] = games
        n, games, begin = after, games + 1, begin or time.monotonic()
    rows, came, judged, is_kept_apart = rows[:n], came[:n], judged[:n], number[:n] % 4 == 0
    weights = fitted(rows[~is_kept_apart], came[~is_kept_apart])
    told = {"seats": seats, "games": games, "states": n}
    frozen, today = (judged[:, i] / judged[:, i].sum(1, keepdims=True) for i in range(2))
    for word, of in (("frozen", frozen), ("today", today), ("fitted", chances(rows, weights))):
        told[word] = round(off(of[is_kept_apart], came[is_kept_apart]), 4)
    print(json.dumps(told | {"a third": round(float(np.log(3)), 4), "weights": weights.round(4).tolist()}), flush=True)
    every = np.zeros((MOST_SEATS + 1, TERMS, 3))
    if said.file.exists():
        with np.load(said.file) as file:
            every = file["weights"].astype(np.float64)
    every[seats] = weights.reshape(TERMS, 3)
    np.savez(said.file, weights=every)


if __name__ == "__main__":
    main()

"""Train the small net of `backroom/games/runaway_train` by self-play: kernels play sealed rounds, NumPy learns.

    python train/runaway_train_net.py play FOLDER --seconds 180 --seed 1     # games-1.npz, with the net there is
    python train/runaway_train_net.py learn FOLDER                           # brain.npz, from all games there

Copy what was learned to `backroom/games/runaway_train/brain.npz` and play again: a few rounds of this are enough. Now
and then somebody plays any card at all, and a third of the games have a track drawn by lot, so that the net sees more
than good games. It learns what part of the win each seat had at last: from its numbers to a strength, and from all
strengths, to the e, to parts. A game in which all plunge is shared.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import backroom
from backroom.bots import rounds
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest
from backroom.games.runaway_train.brain import INPUTS, ahead, look
from backroom.games.runaway_train.pieces import Part, Track
from backroom.games.runaway_train.rules.state import CHOOSING, MOST_SEATS, ROLLING, SWITCHING

GAME = backroom.game("runaway-train")
NOISES = (0.0, 0.0, 0.06, 0.06, 0.2)
SEATS = (3, 3, 3, 3, 4, 4, 5, 6)
MOST_ROUNDS = 60
HIDDEN = 16
BATCH, RATE = 512, 3e-3
asked, moves, play, hide, setup = (getattr(GAME.rules, k) for k in ("asked", "moves", "play", "hide", "setup"))
solve, choose = rounds.kernels_of(GAME)
settle = rounds.settle


@kernel
def look_at_all(s, out):
    rounds_left, cliff, later = ahead(s)
    for seat in range(s.seats):
        look(s, seat, s.aboard, 0, 0, rounds_left, cliff, later)
        for k in range(INPUTS):
            out[seat, k] = s.work[k]


@kernel
def self_play(s, v, seats, options, dice, room, seen, out, noises):
    """A game, everyone by the same strategies; `seen` gets what stood there before each roll. Says how many."""
    setup(s[0], seats, options)
    n, mask = 0, asked(s[0])
    while mask:
        if (s[0].ask == ROLLING or s[0].ask == SWITCHING) and n < MOST_ROUNDS:
            look_at_all(s[0], seen[n])
            n += 1
        if mask == 1 << NATURE:
            play(s[0], NATURE, out[below(dice, moves(s[0], NATURE, out))])
        else:
            seat = lowest(mask)
            v[0] = s[0]
            hide(v[0], seat)
            if s[0].ask == CHOOSING:
                solve(v[0], seat, dice, room)
                for other in range(seats):
                    if mask >> other & 1:
                        place = settle(room, other, dice)
                        if below(dice, 1000) < 1000 * noises[other]:
                            place = below(dice, room.counts[other])
                        play(s[0], other, room.answers[other, place])
            else:
                play(s[0], seat, choose(v[0], seat, dice, room))
        mask = asked(s[0])
    return n


def random_track(rng):
    """A track as a table might have it, and often one on which the train always stops."""

    def spaces(start, end, kinds):
        count = min(int(rng.integers(0, 4)), end - start - 1)
        at = sorted(rng.choice(np.arange(start + 1, end), count, replace=False)) if count else []
        return tuple((int(space), int(rng.choice(kinds))) for space in at)

    def branch(least, most):
        end, speeds = switch + int(rng.integers(least, most)), int(rng.integers(3, 10))
        stops = tuple(int(roll) for roll in sorted(rng.integers(1, 7, speeds)))
        stops = stops if rng.random() < 0.75 else (1,) * speeds
        return Part(spaces(switch, end, [-1, -2, 2, 3, 4, 4, 5]), end, stops, int(rng.integers(1, 9)))

    switch = int(rng.integers(4, 36))
    before = Part(spaces(0, switch, [-2, -1, 2, 2, 3]), switch)
    return Track((before, branch(4, 24), branch(8, 40))).numbers()


def play_games(folder: Path, seconds: float, seed: int, iterations: int) -> None:
    rng = np.random.default_rng(seed)
    room = rounds.room_for(GAME, rounds.Plan(iterations=iterations))
    s, v = np.zeros((2, 1), GAME.rules.STATE)
    out, seen = np.zeros(64, np.int32), np.zeros((MOST_ROUNDS, MOST_SEATS, INPUTS), np.float32)
    inputs, shares, seats_of = [], [], []
    end = None
    while end is None or time.time() < end:
        seats, last_gasp = int(rng.choice(SEATS)), bool(rng.random() < 0.1)
        options = np.array(GAME.encoded(GAME.settle(seats, {"last_gasp": last_gasp})[1])).copy()
        if rng.random() < 0.35:
            numbers = random_track(rng)
            options[: len(numbers)] = numbers
        seen[:] = 0
        dice = dice_from(int(rng.integers(1 << 60)))
        n = self_play(s, v, seats, options, dice, room, seen, out, rng.choice(NOISES, MOST_SEATS))
        end = end or time.time() + seconds  # the first game is compiled before the clock starts
        score = np.array(GAME.score(s[0], seats))
        share = np.zeros(MOST_SEATS, np.float32)
        share[:seats] = (score == score.max()) / (score == score.max()).sum()
        inputs.append(seen[:n].copy())
        shares += [share] * n
        seats_of += [seats] * n
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / f"games-{seed}.npz", inputs=np.concatenate(inputs), shares=shares, seats=seats_of)
    print(f"{len(inputs)} games, {len(shares)} positions")


def learn(folder: Path, epochs: int) -> None:
    """Adam, on what the parts of the win were."""
    kept = [np.load(path) for path in sorted(folder.glob("games-*.npz"))]
    inputs, shares, seats = (np.concatenate([games[key] for games in kept]) for key in ("inputs", "shares", "seats"))
    is_there = np.arange(MOST_SEATS)[None] < seats[:, None]
    rng = np.random.default_rng(0)
    cut = int(len(inputs) * 0.93)
    weights = [rng.normal(0, (2 / INPUTS) ** 0.5, (INPUTS, HIDDEN)), np.zeros(HIDDEN), rng.normal(0, 0.1, HIDDEN)]
    means, squares = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]

    def parts(some):
        hidden = np.maximum(inputs[some] @ weights[0] + weights[1], 0)
        marks = np.where(is_there[some], hidden @ weights[2], -1e9)
        strength = np.exp(marks - marks.max(1, keepdims=True))
        return hidden, strength / strength.sum(1, keepdims=True)

    step, steps = 0, epochs * (cut // BATCH)
    for epoch in range(epochs):
        order = rng.permutation(cut)
        for some in (order[at : at + BATCH] for at in range(0, cut - BATCH, BATCH)):
            hidden, found = parts(some)
            wrong = (found - shares[some]) / BATCH
            below_it = (wrong[..., None] * weights[2] * (hidden > 0)).reshape(-1, HIDDEN)
            down = inputs[some].reshape(-1, INPUTS).T @ below_it + 1e-4 * weights[0]
            step += 1
            for k, slope in enumerate((down, below_it.sum(0), np.einsum("bs,bsh->h", wrong, hidden))):
                means[k] = 0.9 * means[k] + 0.1 * slope
                squares[k] = 0.999 * squares[k] + 0.001 * slope**2
                reach = np.sqrt(squares[k] / (1 - 0.999**step)) + 1e-8
                weights[k] = weights[k] - (RATE * (1 - step / steps) + 1e-5) * means[k] / (1 - 0.9**step) / reach
        last = np.arange(cut, len(inputs))
        loss = -(shares[last] * np.log(np.maximum(parts(last)[1], 1e-9))).sum(1).mean()
        print(f"epoch {epoch + 1}: loss on games not learned from {loss:.4f}")
    first, bias, summed = (w.astype(np.float32) for w in (weights[0].T, weights[1], weights[2]))
    np.savez(folder / "brain.npz", first=np.ascontiguousarray(first), bias=bias, last=summed)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the net of RunAway Train.")
    parser.add_argument("what", choices=["play", "learn"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=20, help="of each round's regret matching")
    parser.add_argument("--epochs", type=int, default=12)
    chosen = parser.parse_args()
    if chosen.what == "play":
        play_games(chosen.folder, chosen.seconds, chosen.seed, chosen.iterations)
    else:
        learn(chosen.folder, chosen.epochs)


if __name__ == "__main__":
    main()

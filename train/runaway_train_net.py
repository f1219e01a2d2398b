"""Train the small net of `backroom/games/runaway_train` by self-play: kernels play sealed rounds, NumPy learns.

    python train/runaway_train_net.py FOLDER --minutes 20 [--threads 1] [--resume]
    python train/runaway_train_net.py FOLDER --calibration 2000 [--seats 3]

FOLDER gets `checkpoint.npz` (everything needed to go on), `net.npz` (what the game plays with) and `log.jsonl`.
`--resume` goes on from the checkpoint in FOLDER. `--calibration` plays games with the net of FOLDER and prints its
predictions for a seat beside the results.

All seats play by a few iterations of regret matching, and sometimes a random card. A third of the games have a
random track; in some the first rounds are played at random, and hands are reduced as if more had been played, so that
the net sees more than good games. The target of each position before cards or a roll combines the net's values of the
later positions and each seat's share of the win (TD(λ)). The net's shares add up to 1, so if all plunge and
nobody wins, it learns that all share the win.
"""

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import backroom
from backroom.bots import rounds
from backroom.bots.memory import memories
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, scratch
from backroom.games.runaway_train.brain import may_end, values
from backroom.games.runaway_train.net import HIDDEN, INPUTS, NET, SECOND, ahead, look
from backroom.games.runaway_train.pieces import SUITCASES, Part, Track
from backroom.games.runaway_train.rules.state import CHOOSING, MOST_SEATS, ROLLING

GAME = backroom.game("runaway-train")
NOISES = (0.0, 0.0, 0.05, 0.05, 0.15)
SEATS = (3, 3, 3, 3, 4, 4, 5, 6)
LONGEST_GAME = 200
IDENTITY = np.eye(INPUTS, dtype=np.float32)
asked, moves, play, hide, setup = (getattr(GAME.rules, k) for k in ("asked", "moves", "play", "hide", "setup"))
solve, choose = rounds.solve_of(GAME), rounds.choose_of(GAME)
settle = rounds.settle


@kernel
def note(s, weights, identity, inputs, worth):
    """Record the net's inputs and outputs for every seat. False if the net is used only after the next roll."""
    values(s, weights, worth)
    if may_end(s):
        return False
    train = ahead(s)
    for seat in range(s.seats):
        inputs[seat, :] = np.float32(0)
        look(s, seat, s.aboard, 0, 0, train, identity, inputs[seat])
    return True


@kernel
def thin_out(s, dice):
    """Imitate a later position: some suitcases, and sometimes a passenger, have been exchanged for points."""
    keeping = 2 + below(dice, 6)
    for seat in range(s.seats):
        for suitcase in range(1, SUITCASES + 1):
            if s.suitcases[seat] >> suitcase & 1 and below(dice, 8) >= keeping:
                s.suitcases[seat] &= ~(1 << suitcase)
                times = 1 + below(dice, s.multiplier)
                s.points[seat] += suitcase * times - (suitcase - 1 if below(dice, 2) else 0)
        is_alone = s.aboard & ~(1 << seat) == 0
        if below(dice, 5) == 0 and not is_alone and s.engineer != seat:
            s.aboard &= ~(1 << seat)


@kernel
def choose_cards(s, v, seats, dice, work, out, noises, is_blind):
    """Choose for every seat that is asked, by the strategy of the round or at random."""
    mask = asked(s[0])
    if not is_blind:
        v[0] = s[0]
        hide(v[0], lowest(mask))
        solve(v[0], lowest(mask), dice, work)
    for seat in range(seats):
        if mask >> seat & 1:
            if is_blind or below(dice, 1000) < 1000 * noises[seat]:
                play(s[0], seat, out[below(dice, moves(s[0], seat, out))])
            else:
                play(s[0], seat, work.answers[seat, settle(work, seat, dice)])


@kernel
def self_play(
    s, v, seats, options, dice, work, identity, inputs, worth, is_learned, out, noises, blind, is_thin, memory
):
    """Play a game, the first rounds at random; returns the number of positions recorded before cards and rolls."""
    setup(s[0], seats, options)
    n, mask, is_thin_now = 0, asked(s[0]), False
    while mask:
        is_mine = s[0].ask == CHOOSING or (s[0].ask == ROLLING and blind <= 0)
        if blind <= 0 and is_thin and not is_thin_now and s[0].ask == ROLLING:
            thin_out(s[0], dice)
            is_thin_now = True
        if is_mine and blind <= 0 and n < LONGEST_GAME - 1:
            is_learned[n] = note(s[0], work.weights, identity, inputs[n], worth[n])
            n += 1
        if mask == 1 << NATURE:
            play(s[0], NATURE, out[below(dice, moves(s[0], NATURE, out))])
        elif s[0].ask == CHOOSING:
            choose_cards(s, v, seats, dice, work, out, noises, blind > 0)
            blind -= 1
        else:
            seat = lowest(mask)
            v[0] = s[0]
            hide(v[0], seat)
            play(s[0], seat, choose(v[0], seat, dice, work, memory[0]))
        mask = asked(s[0])
    return n


def random_track(rng):
    """A random track such as players might build, often one on which the train always stops."""

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


class Actor:
    """One thread's games."""

    def __init__(self, number: int, iterations: int, is_plain: bool = False) -> None:
        self.rng = np.random.default_rng(number)
        self.plan = rounds.Plan(iterations=iterations)
        self.is_plain = is_plain
        self.work = None
        self.memory = memories(1)
        self.s, self.v = scratch(1, GAME.rules.STATE), scratch(1, GAME.rules.STATE)
        self.out = scratch(64, np.int32)
        self.inputs = scratch((LONGEST_GAME, MOST_SEATS, INPUTS), np.float32)
        self.worth = scratch((LONGEST_GAME, 3 * MOST_SEATS), np.float64)
        self.is_learned = scratch(LONGEST_GAME, np.bool_)

    def game(self, seats=None):
        """Play a game; returns the number of seats and positions, and each seat's share of the win."""
        rng = self.rng
        seats, last_gasp = seats or int(rng.choice(SEATS)), not self.is_plain and bool(rng.random() < 0.1)
        options = np.array(GAME.encoded(GAME.settle(seats, {"last_gasp": last_gasp})[1])).copy()
        noises, blind, is_thin = np.zeros(MOST_SEATS), 0, False
        if not self.is_plain:
            noises = rng.choice(NOISES, MOST_SEATS)
            blind = int(rng.integers(1, 12)) if rng.random() < 0.3 else 0
            is_thin = bool(rng.random() < 0.25)
            if rng.random() < 0.35:
                numbers = random_track(rng)
                options[: len(numbers)] = numbers
        dice = dice_from(int(rng.integers(1 << 60)))
        self.worth[:] = 0
        n = self_play(
            self.s, self.v, seats, options, dice, self.work, IDENTITY, self.inputs, self.worth, self.is_learned,
            self.out, noises, blind, is_thin, self.memory,
        )  # fmt: skip
        score = np.array(GAME.score(self.s[0], seats))
        share = np.zeros(MOST_SEATS)
        share[:seats] = (score == score.max()) / (score == score.max()).sum()
        return seats, n, share

    def play(self, weights, games, trace):
        self.work = (
            rounds.workspace_for(GAME, self.plan, weights) if self.work is None else self.work._replace(weights=weights)
        )
        inputs, targets, seats_of = [], [], []
        for _ in range(games):
            seats, n, share = self.game()
            goals, goal = np.zeros((n, MOST_SEATS)), share
            for at in range(n - 1, -1, -1):
                goals[at] = goal
                worth = self.worth[at, :MOST_SEATS]
                whole = worth.sum()  # less than 1 if all may plunge
                goal = trace * goal + (1 - trace) * worth / whole if whole > 0 else goal
            kept = self.is_learned[:n]
            inputs.append(self.inputs[:n][kept].astype(np.float16))
            targets.append(goals[kept].astype(np.float32))
            seats_of += [seats] * int(kept.sum())
        return np.concatenate(inputs), np.concatenate(targets), np.array(seats_of, np.int8)


class Learner:
    """Adam on the shares of the win; self-play uses a running mean of its weights."""

    def __init__(self, ring: int) -> None:
        rng = np.random.default_rng(0)
        self.now = {
            "first": rng.normal(0, (2 / INPUTS) ** 0.5, (INPUTS, HIDDEN)),
            "first_bias": np.zeros(HIDDEN),
            "second": rng.normal(0, (2 / HIDDEN) ** 0.5, (SECOND, HIDDEN)),
            "second_bias": np.zeros(SECOND),
            "last": rng.normal(0, 0.1, SECOND),
        }
        self.now = {name: value.astype(np.float32) for name, value in self.now.items()}
        self.mean, self.slopes, self.squares = (
            {name: value * of for name, value in self.now.items()} for of in np.float32((1, 0, 0))
        )
        self.rng = rng
        self.inputs = np.zeros((ring, MOST_SEATS, INPUTS), np.float16)
        self.targets = np.zeros((ring, MOST_SEATS), np.float32)
        self.seats = np.zeros(ring, np.int8)
        self.size, self.at, self.steps = 0, 0, 0

    def add(self, inputs, targets, seats):
        places = np.arange(self.at, self.at + len(inputs)) % len(self.seats)
        self.inputs[places], self.targets[places], self.seats[places] = inputs, targets, seats
        self.at = (self.at + len(inputs)) % len(self.seats)
        self.size = min(self.size + len(inputs), len(self.seats))

    def step(self, batch: int, rate: float) -> float:
        some = self.rng.integers(0, self.size, batch)
        is_there = np.arange(MOST_SEATS)[None] < self.seats[some][:, None]
        told, w = self.inputs[some][is_there].astype(np.float32), self.now
        first = np.maximum(told @ w["first"] + w["first_bias"], 0)
        second = np.maximum(first @ w["second"].T + w["second_bias"], 0)
        marks = np.full((batch, MOST_SEATS), -1e9, np.float32)
        marks[is_there] = second @ w["last"]
        parts = np.exp(marks - marks.max(1, keepdims=True))
        parts /= parts.sum(1, keepdims=True)
        loss = -(self.targets[some] * np.log(np.maximum(parts, 1e-9))).sum(1).mean()
        wrong = ((parts - self.targets[some]) / batch)[is_there]
        at_second = wrong[:, None] * w["last"] * (second > 0)
        at_first = (at_second @ w["second"]) * (first > 0)
        slopes = {
            "first": told.T @ at_first,
            "first_bias": at_first.sum(0),
            "second": at_second.T @ first,
            "second_bias": at_second.sum(0),
            "last": second.T @ wrong,
        }
        self.steps += 1
        decay = min(0.998, self.steps / (self.steps + 10))
        for name, slope in slopes.items():
            self.slopes[name] += 0.1 * (slope - self.slopes[name])
            self.squares[name] += 0.001 * (slope**2 - self.squares[name])
            reach = np.sqrt(self.squares[name] / (1 - 0.999**self.steps)) + 1e-8
            w[name] -= np.float32(rate) * self.slopes[name] / (1 - 0.9**self.steps) / reach
            self.mean[name] += np.float32(1 - decay) * (w[name] - self.mean[name])
        return float(loss)

    def weights(self):
        """The averaged weights, in the kernels' format."""
        found = np.zeros(1, NET)
        for name, value in self.mean.items():
            found[name][0] = value
        return found[0]

    def kept(self):
        parts = {"now": self.now, "mean": self.mean, "slopes": self.slopes, "squares": self.squares}
        return {f"{part}.{name}": value for part, of in parts.items() for name, value in of.items()}

    def take_up(self, kept):
        for part in ("now", "mean", "slopes", "squares"):
            setattr(self, part, {name: kept[f"{part}.{name}"] for name in NET.names})
        self.steps = int(kept["steps"])


def save(path: Path, **arrays) -> None:
    draft = path.with_suffix(".draft.npz")
    np.savez_compressed(draft, **arrays)
    draft.replace(path)


def train(args: argparse.Namespace) -> None:
    args.folder.mkdir(parents=True, exist_ok=True)
    learner = Learner(args.ring)
    spent = {"games": 0, "positions": 0, "seconds": 0.0, "rounds": 0}
    if args.resume:
        with np.load(args.folder / "checkpoint.npz") as kept:
            learner.take_up(kept)
            spent = {name: kept[name].item() for name in spent}
    actors = [Actor(number + 1000 * (spent["rounds"] + 1), args.iterations) for number in range(args.threads)]
    actors[0].play(learner.weights(), 1, 1.0)
    begin, before, jobs = time.time(), spent["seconds"], []

    def keep():
        spent["seconds"] = before + time.time() - begin
        save(args.folder / "checkpoint.npz", **learner.kept(), steps=learner.steps, **spent)
        save(args.folder / "net.npz", **learner.mean)

    last = begin
    with ThreadPoolExecutor(args.threads) as pool, (args.folder / "log.jsonl").open("a") as log:
        while True:
            done = min((time.time() - begin) / (60 * args.minutes), 1)
            rate = args.rates[1] + (args.rates[0] - args.rates[1]) * 0.5 * (1 + np.cos(np.pi * done))
            trace = args.traces[0] + (args.traces[1] - args.traces[0]) * min(4 * done, 1)
            made = [job.result() for job in jobs]
            if done >= 1:
                break
            weights = learner.weights()
            jobs = [pool.submit(actor.play, weights, args.round, trace) for actor in actors]
            for each in made:
                learner.add(*each)
            fresh = sum(len(inputs) for inputs, _, _ in made)
            spent["games"] += args.round * len(made)
            spent["positions"] += fresh
            spent["rounds"] += 1
            losses = [learner.step(args.batch, rate) for _ in range(args.passes * fresh // args.batch)]
            if time.time() - last > args.every:
                last = time.time()
                keep()
                loss = float(np.mean(losses)) if losses else None
                line = json.dumps(spent | {"loss": loss, "rate": float(rate), "trace": float(trace)})
                log.write(line + "\n")
                log.flush()
                print(line, flush=True)
    keep()
    print(json.dumps(spent), flush=True)


def calibration(args: argparse.Namespace) -> None:
    """Compare the net's prediction for a seat before each round with the seat's share of the win at the end."""
    learner = Learner(1)
    with np.load(args.folder / "net.npz") as kept:
        learner.mean = dict(kept)
    actor = Actor(args.seed, args.iterations, is_plain=True)
    actor.work = rounds.workspace_for(GAME, actor.plan, learner.weights())
    said, came = [], []
    for _ in range(args.calibration):
        seats, n, share = actor.game(args.seats)
        said.append(actor.worth[:n, :seats].ravel().copy())
        came.append(np.tile(share[:seats], n))
    said, came = np.concatenate(said), np.concatenate(came)
    print(f"{args.calibration} games, {len(said)} judgements")
    for low in np.arange(0, 1, 0.1):
        here = (said >= low) & (said < low + 0.1 if low < 0.85 else said <= 1.01)
        print(f"{low:.1f} to {low + 0.1:.1f} | {here.sum():7d} | {said[here].mean():.3f} | {came[here].mean():.3f}")
    print(f"squared error {((said - came) ** 2).mean():.4f}, of the mean {((came - came.mean()) ** 2).mean():.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--threads", type=int, default=1, help="that play; one more learns")
    parser.add_argument("--iterations", type=int, default=12, help="of each round's regret matching")
    parser.add_argument("--round", type=int, default=64, help="games of a thread and round")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--ring", type=int, default=400_000, help="positions that are remembered")
    parser.add_argument("--passes", type=int, default=5, help="how often each is learned from")
    parser.add_argument("--rates", type=float, nargs=2, default=(3e-3, 1e-4), help="how fast it learns, first and last")
    parser.add_argument("--traces", type=float, nargs=2, default=(1.0, 0.8), help="λ, first and after a quarter")
    parser.add_argument("--every", type=float, default=30, help="seconds between checkpoints")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument(
        "--calibration", type=int, help="play this number of games, and compare predicted and actual results"
    )
    parser.add_argument("--seats", type=int, default=3, help="at the table, for --calibration")
    parser.add_argument("--seed", type=int, default=2026, help="for --calibration")
    args = parser.parse_args()
    if args.calibration:
        calibration(args)
    else:
        train(args)


if __name__ == "__main__":
    main()

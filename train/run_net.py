"""Train the net of `backroom/games/run` by self-play: threads of kernels play, PyTorch learns beside them.

    python train/run_net.py FOLDER --minutes 10 [--threads 15] [--resume]

FOLDER gets `checkpoint.npz` (everything needed to go on), `net.npz` (what the game plays with), `log.jsonl`, and
`net-N.npz` now and then, to play against later. `--resume` goes on from the checkpoint in FOLDER.

Each round, threads play games against themselves with the averaged weights, every turn the ending that looks best;
what came after each position, the longer after the less (TD(λ)), is what is learned. Where both players are home the
bear-off tables say the truth, and the game is not played on.
"""

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

import backroom
from backroom.bots import plies
from backroom.engine.kernel import NATURE, dice_from, kernel, pick, scratch
from backroom.games.run import net
from backroom.games.run.net import BORNE, HIDDEN, LEAD, ROWS, SCALE, SECOND, TO_GO, WALL, WEIGHTS, foresee, look
from backroom.games.run.pieces import MEN, POINTS
from backroom.games.run.rules import asked, is_home, moves, odds, play, setup

GAME = backroom.game("run")
LONGEST_GAME = 600
MOST_ROWS = 80
scan = plies.scan_of(GAME)


@kernel
def take_turn(s, seat, work):
    """Play the seat's turn as it looks best; `s` is the first of an array of one."""
    work.worlds[0] = s[0]
    scan(work, 0, seat, 1)
    s[0] = work.kept[0]


@kernel
def self_play(games, dice, trace, options, s, work, turns, movers, first_rows, lengths, rows, counts, targets):
    """Fill rows and targets with positions, until so many games are over or there is no more room; says how many."""
    n = 0
    for _ in range(games):
        if n + LONGEST_GAME > len(rows):
            break
        setup(s[0], 2, options)
        t, is_done = 0, False
        while not is_done and t < LONGEST_GAME:
            place = pick(dice, first_rows, odds(s[0], first_rows))
            moves(s[0], NATURE, first_rows)
            was = s[0].turn
            was_opening = s[0].opening
            play(s[0], NATURE, first_rows[place])
            mask = asked(s[0])
            if mask != 1 << NATURE:
                was = s[0].turn
                take_turn(s, was, work)
            elif was_opening:
                was = 1 - s[0].turn
            is_done = s[0].fresh == 1 or (is_home(s[0], 0) and is_home(s[0], 1))
            count = look(s[0], was, work.weights.seen)
            if s[0].fresh == 0:
                for k in range(min(count, MOST_ROWS)):
                    rows[n + t, k] = work.weights.seen[k]
                counts[n + t] = min(count, MOST_ROWS)
            foresee(s[0], was, work.weights)
            for end in range(4):
                turns[t, end] = work.weights.ends[end]
            movers[t] = was
            t += 1
        if not is_done:
            continue
        last = t - 1 if s[0].fresh == 0 else t - 2
        for end in range(4):
            targets[n + t - 1, end] = turns[t - 1, end]
        for at in range(t - 2, -1, -1):
            for end in range(4):
                from_end = end if movers[at] == movers[at + 1] else 3 - end
                targets[n + at, end] = trace * targets[n + at + 1, from_end] + (1 - trace) * turns[at + 1, from_end]
        n += last + 1
        lengths[0] += 1
        lengths[1] += t
        lengths[2] += turns[t - 1, 0] + turns[t - 1, 3] > 0.5
    return n


class Actor:
    """One thread's games."""

    def __init__(self, number: int) -> None:
        self.dice = scratch(1, np.uint64)
        self.dice[:] = dice_from((number + 1) * 0x9E3779B97F4A7C15)
        self.s = scratch(1, GAME.rules.STATE)
        self.options = GAME.encoded(GAME.settle(2, {"match": 3})[1])
        self.rows = np.zeros((1 << 17, MOST_ROWS), np.int16)
        self.counts = np.zeros(1 << 17, np.int32)
        self.targets = np.zeros((1 << 17, 4), np.float32)
        self.scratch = (np.zeros((LONGEST_GAME, 4)), np.zeros(LONGEST_GAME, np.int64), scratch(64, np.int32))
        self.lengths = scratch(3, np.int64)
        self.work = None

    def play(self, weights, games, trace):
        weights = net.weights(weights, for_points=True)
        if self.work is None:
            self.work = plies.workspace_for(GAME, plies.Plan(plies=1), weights)
        self.work = self.work._replace(weights=weights)
        self.lengths[:] = 0
        self.rows[:] = ROWS
        n = self_play(
            games, self.dice, trace, self.options, self.s, self.work, *self.scratch[:2], self.scratch[2],
            self.lengths, self.rows, self.counts, self.targets,
        )  # fmt: skip
        return self.rows[:n].copy(), self.targets[:n].copy(), self.lengths.copy()


class Net(torch.nn.Module):
    """The same net; heaps and counts are learned as steps from one number to the next."""

    def __init__(self) -> None:
        super().__init__()
        start = torch.randn(ROWS, HIDDEN) * 0.02
        start[:BORNE].view(2, POINTS, MEN, HIDDEN)[:, :, 0] *= 6
        self.rows = torch.nn.Parameter(start)
        self.bias = torch.nn.Parameter(torch.randn(HIDDEN) * 0.1)
        self.weights = torch.nn.Parameter(torch.randn(HIDDEN, SECOND) * (2 / HIDDEN) ** 0.5)
        self.second_bias = torch.nn.Parameter(torch.zeros(SECOND))
        self.last = torch.nn.Parameter(torch.randn(SECOND, 4) * (1 / SECOND) ** 0.5)
        self.last_bias = torch.nn.Parameter(torch.zeros(4))

    def table(self):
        """The rows as the kernel adds them up."""
        rows = self.rows
        return torch.cat([
            rows[:BORNE].view(2, POINTS, MEN, HIDDEN).cumsum(2).reshape(-1, HIDDEN),
            rows[BORNE:TO_GO].view(2, MEN, HIDDEN).cumsum(1).reshape(-1, HIDDEN),
            rows[TO_GO:WALL].view(2, -1, HIDDEN).cumsum(1).reshape(-1, HIDDEN),
            rows[WALL:LEAD],
            rows[LEAD:].cumsum(0),
            torch.zeros(1, HIDDEN, device=rows.device),
        ])  # fmt: skip

    def forward(self, seen):
        if seen.is_cuda:  # a product with many zeros is faster there than adding up rows, and the other way round here
            hidden = torch.zeros(len(seen), ROWS + 1, device=seen.device).scatter_(1, seen, 1.0) @ self.table()
        else:
            hidden = torch.nn.functional.embedding_bag(seen, self.table(), mode="sum", padding_idx=ROWS)
        hidden = hidden + self.bias
        second = hidden.relu() @ self.weights + self.second_bias
        return second.relu() @ self.last + self.last_bias

    @torch.no_grad()
    def exported(self):
        """As `net.npz` holds them."""
        parts = (self.table()[:ROWS], self.bias, self.weights, self.second_bias, self.last, self.last_bias)
        rows, bias, weights, *rest = (part.detach().cpu().numpy() for part in parts)
        most = np.iinfo(np.int16).max
        rows = np.clip(np.rint(rows * SCALE), -most, most).astype(np.int16)
        return rows, np.rint(bias * SCALE).astype(np.int32), weights / np.float32(SCALE), *rest


class Learner:
    def __init__(self, device: str, ring: int) -> None:
        self.device = device
        self.net = Net().to(device)
        self.mean = Net().to(device)
        self.mean.load_state_dict(self.net.state_dict())
        self.best = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.rows = torch.full((ring, MOST_ROWS), ROWS, dtype=torch.int16, device=device)
        self.targets = torch.zeros((ring, 4), device=device)
        self.size, self.at, self.steps = 0, 0, 0

    def add(self, rows, targets):
        for begin in range(0, len(rows), 1 << 16):
            part = torch.from_numpy(rows[begin : begin + (1 << 16)]).to(self.device)
            goal = torch.from_numpy(targets[begin : begin + (1 << 16)]).to(self.device)
            places = torch.arange(self.at, self.at + len(part), device=self.device) % len(self.rows)
            self.rows[places], self.targets[places] = part, goal
            self.at = (self.at + len(part)) % len(self.rows)
            self.size = min(self.size + len(part), len(self.rows))

    def step(self, batch: int, rate: float):
        for group in self.best.param_groups:
            group["lr"] = rate
        places = torch.randint(self.size, (batch,), device=self.device)
        said = torch.log_softmax(self.net(self.rows[places].to(torch.int64)), 1)
        loss = -(self.targets[places] * said).sum(1).mean()
        self.best.zero_grad(set_to_none=True)
        loss.backward()
        self.best.step()
        self.steps += 1
        decay = min(0.999, self.steps / (self.steps + 10))
        with torch.no_grad():
            for mean, now in zip(self.mean.parameters(), self.net.parameters(), strict=True):
                mean.lerp_(now, 1 - decay)
        return loss.detach()

    def kept(self):
        """Everything, as arrays."""
        found = {f"net.{name}": value for name, value in self.net.state_dict().items()}
        found |= {f"mean.{name}": value for name, value in self.mean.state_dict().items()}
        for number, state in self.best.state_dict()["state"].items():
            found |= {f"best.{number}.{name}": value for name, value in state.items()}
        return {name: np.asarray(torch.as_tensor(value).cpu()) for name, value in found.items()} | {"steps": self.steps}

    def take_up(self, kept):
        def part(name):
            return {
                key.removeprefix(f"{name}."): torch.from_numpy(kept[key]) for key in kept.files if key.startswith(name)
            }

        self.net.load_state_dict(part("net"))
        self.mean.load_state_dict(part("mean"))
        self.steps = int(kept["steps"])
        best = self.best.state_dict()
        for key, value in part("best").items():
            number, name = key.split(".")
            best["state"].setdefault(int(number), {})[name] = value
        self.best.load_state_dict(best)


def save(path, **arrays):
    draft = path.with_suffix(".draft.npz")
    np.savez(draft, **arrays)
    draft.replace(path)


def save_net(path, weights):
    draft = path.with_suffix(".draft.npz")
    np.savez_compressed(draft, **dict(zip(WEIGHTS, weights, strict=True)))
    draft.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=int, default=15)
    parser.add_argument("--round", type=int, default=800, help="games of a thread and round")
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--ring", type=int, default=8_000_000, help="positions that are remembered")
    parser.add_argument("--passes", type=int, default=5, help="how often each is learned from")
    parser.add_argument(
        "--rates", type=float, nargs=2, default=(1.5e-3, 5e-5), help="how fast it learns, first and last"
    )
    parser.add_argument("--traces", type=float, nargs=2, default=(0.98, 0.9), help="λ, first and after a quarter")
    parser.add_argument("--every", type=float, default=60, help="seconds between checkpoints")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    learner = Learner("cuda" if torch.cuda.is_available() else "cpu", args.ring)
    games, seconds, rounds = 0, 0.0, 0
    if args.resume:
        with np.load(args.folder / "checkpoint.npz") as kept:
            learner.take_up(kept)
            games, seconds, rounds = int(kept["games"]), float(kept["seconds"]), int(kept["rounds"])
    actors = [Actor(number + 1000 * rounds) for number in range(args.threads)]
    begin = time.time()
    with ThreadPoolExecutor(args.threads) as pool, (args.folder / "log.jsonl").open("a") as log:
        actors[0].play(learner.mean.exported(), 1, 0.9)
        print(f"compiling and tables: {time.time() - begin:.0f} s", flush=True)
        begin = last = time.time()
        jobs = []
        while True:
            done = min((time.time() - begin) / (60 * args.minutes), 1)
            rate = args.rates[1] + (args.rates[0] - args.rates[1]) * 0.5 * (1 + np.cos(np.pi * done))
            trace = args.traces[0] + (args.traces[1] - args.traces[0]) * min(4 * done, 1)
            weights = learner.mean.exported()
            made = [job.result() for job in jobs]
            if done >= 1:
                break
            jobs = [pool.submit(actor.play, weights, args.round, trace) for actor in actors]
            for rows, targets, _ in made:
                learner.add(rows, targets)
            counts = sum((counts for _, _, counts in made), np.zeros(3, np.int64))
            games += int(counts[0])
            rounds += 1
            loss, steps = 0.0, 0
            for _ in range(args.passes * sum(len(rows) for rows, _, _ in made) // args.batch):
                loss += learner.step(args.batch, rate)
                steps += 1
            line = {
                "seconds": round(seconds + time.time() - begin, 1),
                "games": games,
                "round": rounds,
                "turns": round(float(counts[1] / max(counts[0], 1)), 1),
                "doubles": round(float(counts[2] / max(counts[0], 1)), 3),
                "loss": round(float(loss) / max(steps, 1), 4),
                "steps": steps,
                "rate": float(rate),
                "trace": float(trace),
            }
            log.write(json.dumps(line) + "\n")
            if time.time() - last > args.every:
                last = time.time()
                log.flush()
                print(json.dumps(line), flush=True)
                spent = {"games": games, "seconds": seconds + time.time() - begin, "rounds": rounds}
                save(args.folder / "checkpoint.npz", **learner.kept(), **spent)
                save_net(args.folder / f"net-{games}.npz", learner.mean.exported())
    save(
        args.folder / "checkpoint.npz",
        **learner.kept(),
        games=games,
        seconds=seconds + time.time() - begin,
        rounds=rounds,
    )
    save_net(args.folder / "net.npz", learner.mean.exported())
    print(json.dumps({"games": games, "seconds": round(seconds + time.time() - begin)}), flush=True)


if __name__ == "__main__":
    main()

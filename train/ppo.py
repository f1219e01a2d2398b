"""Train a policy for any game by self-play: PPO in PyTorch over `backroom.gym.Batch`, on one GPU.

    python train/ppo.py GAME FOLDER --minutes 8 [--resume] [--against easy] [--games 32768] [--device cuda]
                        [--tables seats=3 seats=4,OPTION=VALUE …] [--begin FILE.npz]

FOLDER gets `ppo.npz` (what `backroom arena GAME FOLDER/ppo.npz medium` plays), `checkpoint.pt` (what is needed to go
on) and `log.jsonl`. With `--resume` it goes on for as many minutes more, with the same settings; learning rate, entropy
bonus and pay fall over all minutes, those before included. Without a GPU the same loop runs on cores, for trials.

With `--tables` one policy learns several numbers of seats and options, the games spread over them; a table that is
named twice has twice as many. `--begin` starts from the weights of a policy, with nothing else of it.

The loop has three parts. *Play*: all games advance by some steps, each one answer of the seat that is asked; nothing
leaves the GPU. *Judge*: the advantage of each answer (GAE), computed for each seat of each game from one of its answers
to the next. *Learn*: a few epochs of PPO's clipped loss over all answers.

In some of the games the learner has one seat, and an earlier policy from a pool plays the others, so that the learner
does not forget how to beat earlier policies.

If random games have no winner there is nothing to learn from. `--pay FEATURE=AMOUNT` rewards a seat for gains in a
feature of its view; the reward falls to zero by half of the run.
"""

import argparse
import json
import math
import pickle
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from backroom.arena.match import match
from backroom.bots import bot, bot_of_file, policy
from backroom.bots.sight import sighted
from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.registry import game as registered
from backroom.engine.tokens import starts_of, tokens_of
from backroom.gym import Batch

BEGIN = time.monotonic()
NEVER = -1e9
"""The logit of an action that is not open."""
PARTS = ("first", "second", "last", "value")
"""The layers of a policy."""
SEEN = {"seen": "observation", "is_open": "mask", "rows": "rows", "seat": "seat"}
"""What is stored before an answer, with the name of the batch's array."""
CAME = {"reward": "reward", "ended": "ended", "truncated": "truncated"}
"""What is stored after an answer, with the name of the batch's array."""
RANGES = {
    **dict.fromkeys(("games", "steps", "hidden", "epochs", "parts"), (1, math.inf)),
    **dict.fromkeys(("rate", "entropy"), (0, math.inf)),
    **dict.fromkeys(("clip", "discount", "trace", "against_pool"), (0, 1)),
    "pool": (2, math.inf),
    "seed": (0, 1 << 62),
}
"""The least and the largest value of a setting."""


@dataclass(frozen=True)
class Setting:
    """The hyperparameters of a run; stored in its checkpoint."""

    game: str
    seats: int | None = None
    games: int = 32768
    """Games played in parallel."""
    steps: int = 32
    """Answers played in each game between two updates."""
    hidden: int = 256
    """Units in each of the two layers."""
    rate: float = 1e-3
    """Initial learning rate; it falls to a tenth by a cosine schedule over the time of the run."""
    epochs: int = 2
    parts: int = 16
    """Minibatches per epoch."""
    clip: float = 0.2
    entropy: float = 0.01
    """Initial entropy bonus; it falls with the learning rate."""
    discount: float = 1.0
    trace: float = 0.95
    """The λ of GAE."""
    against_pool: float = 0.25
    """The fraction of the games played against earlier policies."""
    pool: int = 8
    """The number of earlier policies in the pool."""
    seed: int = 1
    pay: tuple[tuple[int, float], ...] = ()
    """Features whose gains are rewarded, with the amount; the reward falls to zero by half of the run."""
    tables: tuple[str, ...] = ()
    """The kinds of tables, such as `seats=3,sets=hard`; if empty, tables of `seats`."""

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            must_be_within(name, getattr(self, name), low, high)
        must_be_within("games", self.games, len(self.tables), math.inf)

    def kinds(self) -> list[tuple[dict[str, Any], slice]]:
        """The arguments of the batch for each kind of table, and the slice of the games played there."""
        shares = Counter(self.tables or [f"seats={self.seats}" if self.seats else ""])
        found, start, told = [], 0, 0
        for text, share in shares.items():
            told += share
            end = self.games * told // shares.total()
            found.append((table_of(text), slice(start, end)))
            start = end
        return found


class Policy(nn.Module):
    """Two layers, with a logit for each token of a move (see `backroom/bots/policy.py`) and the seat's value."""

    def __init__(self, batch: Batch, hidden: int) -> None:
        super().__init__()
        starts = starts_of(batch.verbs)
        tokens = int(tokens_of(batch.verbs, batch.has_slots).max()) + 1
        self.first, self.second = nn.Linear(batch.game.rules.FEATURES, hidden), nn.Linear(hidden, hidden)
        self.last, self.value = nn.Linear(hidden, tokens), nn.Linear(hidden, 1)
        self.register_buffer("starts", torch.from_numpy(starts), persistent=False)
        with torch.no_grad():  # initially all moves are about equally likely
            self.last.weight *= 0.01
            self.value.weight *= 0.01

    def forward(self, seen: Tensor, is_open: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The logits of all actions, and the value for the seat."""
        units = functional.relu(self.second(functional.relu(self.first(seen))))
        logits = self.last(units)
        if rows.numel():
            width = int(is_open.any(0).sum())  # slots are filled from the first
            rows, is_open = rows[:, :width], is_open[:, :width]
            verbs, digits = rows[..., :1].long(), rows.long()
            digits = torch.cat([torch.zeros_like(verbs), digits[..., 1:]], -1)
            tokens = self.starts[verbs.squeeze(-1)] + digits
            worth = logits.gather(1, tokens.clamp(min=0).flatten(1)).view(tokens.shape)
            logits = worth.masked_fill(digits < 0, 0.0).sum(-1)
        return logits.float().masked_fill(~is_open, NEVER), self.value(units).float().squeeze(-1)

    def layers(self) -> dict[str, Any]:
        """The layers in the bot's format, with a row for each input."""
        found = {}
        for name in PARTS:
            layer = getattr(self, name)
            found[name] = layer.weight.detach().T.float().cpu().numpy()
            found[f"{name}_bias"] = layer.bias.detach().float().cpu().numpy()
        return found

    @torch.no_grad()
    def take(self, path: Path, game: Game) -> None:
        """Load the layers of a policy for this game from a file; BadOption says why they do not fit."""
        policy.read(path, game)
        with np.load(path, allow_pickle=False) as file:
            kept = dict(file)
        for name, layer in self.layers().items():
            if name not in kept or kept[name].shape != layer.shape:
                found = f"layer {name!r} of {kept[name].shape}" if name in kept else f"no layer {name!r}"
                raise BadOption(f"{path} has {found}; expected one of {layer.shape}")
        for name in PARTS:
            layer = getattr(self, name)
            layer.weight.copy_(torch.from_numpy(kept[name].astype(np.float32).T))
            layer.bias.copy_(torch.from_numpy(kept[f"{name}_bias"].astype(np.float32)))


def draw(logits: Tensor) -> Tensor:
    """Sample an action for each row of logits."""
    noise = torch.empty_like(logits).exponential_().log_()
    return (logits - noise).argmax(-1)


@dataclass
class Played:
    """A rollout: each array has an axis for steps and one for games."""

    seen: Tensor
    is_open: Tensor
    rows: Tensor
    actions: Tensor
    likely: Tensor
    """The log-probability of the action."""
    values: Tensor
    seats: Tensor
    rewards: Tensor
    is_over: Tensor
    is_mine: Tensor
    """Whether the answer is the learner's and not an earlier policy's."""


class Trainer:
    """A policy, its games, and its optimizer."""

    def __init__(self, setting: Setting, device: str) -> None:
        torch.manual_seed(setting.seed)
        torch.set_float32_matmul_precision("high")
        self.setting, self.device = setting, device
        kinds = setting.kinds()
        self.games = [part for _, part in kinds]
        """The slice of the games in each batch."""
        game = sighted(registered(setting.game))
        self.batches = [Batch(game, part.stop - part.start, device=device, **kind) for kind, part in kinds]
        self.batch = self.batches[0]
        if any(batch.verbs != self.batch.verbs for batch in self.batches):
            raise BadOption("the tables have different vocabularies; expected one for all of them")
        self.reset(setting.seed)
        self.policy, self.earlier = (Policy(self.batch, setting.hidden).to(device) for _ in range(2))
        self.earlier.load_state_dict(self.policy.state_dict())
        self.optimiser = torch.optim.Adam(self.policy.parameters(), setting.rate, eps=1e-5, fused=device == "cuda")
        self.pool: list[dict[str, Tensor]] = []
        self.answers, self.rounds, self.seconds = 0, 0, 0.0
        self.shown = [
            {name: as_tensor(getattr(batch, of)) for name, of in (SEEN | CAME).items()} for batch in self.batches
        ]
        if not self.batch.has_slots:
            for shown in self.shown:
                shown["rows"] = torch.empty((len(shown["seat"]), 0), dtype=torch.int16, device=device)
        self.pay = torch.zeros(self.batch.game.rules.FEATURES, device=device)
        for feature, amount in setting.pay:
            if feature not in range(len(self.pay)):
                raise BadOption(f"{setting.game} has no feature {feature}; expected 0 to {len(self.pay) - 1}")
            self.pay[feature] = amount
        is_against, own_seat = (
            torch.zeros(setting.games, dtype=torch.bool),
            torch.zeros(setting.games, dtype=torch.int32),
        )
        for batch, part in zip(self.batches, self.games, strict=True):
            count = int(batch.n * setting.against_pool) if batch.seats > 1 else 0
            is_against[part.start : part.start + count] = True
            own_seat[part] = torch.arange(batch.n) % batch.seats
        self.others = is_against.nonzero()[:, 0].to(device)
        """The games that are played against the pool."""
        self.own_seat = own_seat.to(device)[self.others]
        most = max(batch.seats for batch in self.batches)
        self.kept = {}
        for name, shown in self.shown[0].items():
            shape = (setting.games, most) if name == "reward" else (setting.games, *shown.shape[1:])
            self.kept[name] = torch.zeros((setting.steps + 1, *shape), dtype=shown.dtype, device=device)

    def reset(self, seed: int) -> None:
        """Begin all games."""
        for batch, part in zip(self.batches, self.games, strict=True):
            batch.reset(seed + part.start)

    def keep(self, names: dict[str, str], step: int) -> None:
        """Copy the current arrays of all batches into the rollout."""
        for shown, part in zip(self.shown, self.games, strict=True):
            for name in names:
                kept = self.kept[name][step, part]
                kept[:, : shown[name].shape[1]].copy_(shown[name]) if name == "reward" else kept.copy_(shown[name])

    # play

    @torch.no_grad()
    def play(self) -> Played:
        """Play a rollout: some answers in every game."""
        setting, kept = self.setting, self.kept
        actions, likely, values, mine = [], [], [], []
        if self.pool:
            self.earlier.load_state_dict(self.pool[self.rounds % len(self.pool)])
        for step in range(setting.steps):
            self.keep(SEEN, step)
            seen, is_open, rows, seat = (kept[name][step] for name in SEEN)
            logits, value = self.policy(seen, is_open, rows)
            action, is_mine = draw(logits), torch.ones(setting.games, dtype=torch.bool, device=self.device)
            if len(self.others) and self.pool:
                which = self.others
                theirs, _ = self.earlier(seen[which], is_open[which], rows[which])
                is_own = seat[which] == self.own_seat
                is_mine[which] = is_own
                action[which] = torch.where(is_own, action[which], draw(theirs))
            actions.append(action)
            likely.append(log_likely(logits, action))
            values.append(value)
            mine.append(is_mine)
            for batch, part in zip(self.batches, self.games, strict=True):
                batch.step(action[part].int() if self.device == "cuda" else action[part].int().numpy())
            self.keep(CAME, step)
        self.keep(SEEN, setting.steps)
        played = {name: part[: setting.steps] for name, part in kept.items()}
        return Played(
            *(played[name] for name in ("seen", "is_open", "rows")),
            *(torch.stack(each) for each in (actions, likely, values)),
            played["seat"].long(),
            played["reward"],
            played["ended"] | played["truncated"],
            torch.stack(mine),
        )

    # judge

    @torch.no_grad()
    def judge(self, played: Played, pay: float) -> tuple[Tensor, Tensor]:
        """The advantage of each answer (GAE), and whether it is known. Rewards for features are scaled by `pay`.

        A seat's next answer is not the next of its game: other seats answer in between. So we go backwards and keep,
        for each seat of each game, the value and the advantage of its next answer, and what it was paid until then. Of
        an answer after which a seat is neither asked again nor paid before the steps end, nothing is known.
        """
        setting, shown = self.setting, {name: self.kept[name][self.setting.steps] for name in SEEN}
        advantages, is_known = torch.zeros_like(played.values), torch.zeros_like(played.is_mine)
        ahead = torch.zeros_like(played.rewards[0])
        traced, paid, is_told = ahead.clone(), ahead.clone(), torch.zeros_like(ahead, dtype=torch.bool)
        _, value = self.policy(shown["seen"], shown["is_open"], shown["rows"])
        seat = shown["seat"].long()[:, None]
        ahead.scatter_(1, seat, value[:, None])
        is_told.scatter_(1, seat, True)
        later, is_later = torch.zeros_like(ahead), is_told.clone()
        later.scatter_(1, seat, pay * (shown["seen"] @ self.pay)[:, None])
        for step in reversed(range(setting.steps)):
            over, seat = played.is_over[step][:, None], played.seats[step][:, None]
            paid = torch.where(over, played.rewards[step], paid)
            ahead, traced = ahead.masked_fill(over, 0.0), traced.masked_fill(over, 0.0)
            is_told |= over
            is_later &= ~over
            expected, has = played.values[step][:, None], pay * (played.seen[step] @ self.pay)[:, None]
            gained = torch.where(is_later.gather(1, seat), later.gather(1, seat) - has, 0.0)
            surprise = paid.gather(1, seat) + gained + setting.discount * ahead.gather(1, seat) - expected
            advantage = surprise + setting.discount * setting.trace * traced.gather(1, seat)
            advantages[step], is_known[step] = advantage[:, 0], is_told.gather(1, seat)[:, 0]
            ahead.scatter_(1, seat, expected)
            traced.scatter_(1, seat, advantage)
            paid.scatter_(1, seat, torch.zeros_like(expected))
            later.scatter_(1, seat, has)
            for known in (is_told, is_later):
                known.scatter_(1, seat, True)
        return advantages, is_known

    # learn

    def learn(self, played: Played, progress: float) -> dict[str, float]:
        """Minimize PPO's clipped loss over the learner's answers."""
        setting = self.setting
        advantages, is_known = self.judge(played, max(0.0, 1 - 2 * progress))
        falling = 0.1 + 0.45 * (1 + math.cos(math.pi * min(progress, 1.0)))
        self.optimiser.param_groups[0]["lr"] = setting.rate * falling
        which = (is_known & played.is_mine).flatten().nonzero()[:, 0]
        flat = {name: part.flatten(0, 1) for name, part in vars(played).items()}
        advantages, goals = advantages.flatten(), (advantages + played.values).flatten()
        told: list[Tensor] = []
        for part in self.parts_of(which):
            logits, values = self.policy(flat["seen"][part], flat["is_open"][part], flat["rows"][part])
            chances = logits.softmax(-1)
            ratio = (log_likely(logits, flat["actions"][part]) - flat["likely"][part]).exp()
            gain = advantages[part]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = ratio.clamp(1 - setting.clip, 1 + setting.clip)
            loss = -torch.minimum(ratio * gain, clipped * gain).mean()
            error = (values - goals[part]).square().mean()
            doubt = -(chances * logits.clamp(min=-50).log_softmax(-1)).sum(-1).mean()
            self.optimiser.zero_grad(set_to_none=True)
            (loss + 0.5 * error - setting.entropy * falling * doubt).backward()
            nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
            self.optimiser.step()
            told.append(torch.stack([error.detach(), doubt.detach(), (ratio - 1).abs().mean().detach()]))
        error, doubt, moved = torch.stack(told).mean(0).tolist() if told else (0.0, 0.0, 0.0)
        self.answers += setting.steps * setting.games
        self.rounds += 1
        return {"value_error": error, "entropy": doubt, "moved": moved}

    def parts_of(self, which: Tensor) -> Iterator[Tensor]:
        """Minibatches: for each epoch all answers in a random order, in equal parts of at least two."""
        parts = min(self.setting.parts, len(which) // 2)
        for _ in range(self.setting.epochs if parts else 0):
            yield from which[torch.randperm(len(which), device=self.device)].tensor_split(parts)

    def remember(self) -> None:
        """Add the current policy to the pool; if it is full, the second oldest is removed."""
        if len(self.pool) == self.setting.pool:
            self.pool.pop(1)
        self.pool.append({name: weight.detach().clone() for name, weight in self.policy.state_dict().items()})

    # files

    def save(self, folder: Path) -> Path:
        """Write the policy and the checkpoint; returns the path of the policy."""
        kept = {"setting": asdict(self.setting), "policy": self.policy.state_dict(), "pool": self.pool}
        kept |= {"optimiser": self.optimiser.state_dict(), "answers": self.answers, "rounds": self.rounds}
        kept |= {"seconds": self.seconds}
        torch.save(kept, folder / "checkpoint.draft")
        (folder / "checkpoint.draft").replace(folder / "checkpoint.pt")
        path, batch = folder / "ppo.npz", self.batch
        policy.write(path, batch.game, batch.verbs, batch.has_slots, self.policy.layers())
        return path

    def load(self, folder: Path) -> None:
        """Resume from a checkpoint: everything except the games, which start afresh. BadOption says why not."""
        path = folder / "checkpoint.pt"
        try:
            with zipfile.ZipFile(path) as file:  # which compares checksums
                if file.testzip():
                    raise zipfile.BadZipFile
            kept = torch.load(path, map_location=self.device, weights_only=True)
            before = kept["setting"]
        except (OSError, KeyError, RuntimeError, TypeError, pickle.UnpicklingError, zipfile.BadZipFile):
            raise BadOption(f"{path} is not a checkpoint that train/ppo.py has written, or is damaged") from None
        now = asdict(self.setting)
        if wrong := [
            f"{name} {before.get(name)}, not {value}" for name, value in now.items() if before.get(name) != value
        ]:
            raise BadOption(f"{path} is of a run with {'; '.join(wrong)}: expected the same settings, or --begin")
        try:
            self.policy.load_state_dict(kept["policy"])
        except RuntimeError:
            raise BadOption(f"{path} is of a run with other tables or rules; expected the same --tables") from None
        self.optimiser.load_state_dict(kept["optimiser"])
        self.pool, self.answers, self.rounds = kept["pool"], kept["answers"], kept["rounds"]
        self.seconds = kept["seconds"]
        self.reset(self.setting.seed + self.rounds)


def must_be_within(name: str, value: float, low: float, high: float) -> None:
    """Raise BadOption if the value of a setting is not possible."""
    if not low <= value <= high:
        expected = f"at least {low}" if high == math.inf else f"from {low} to {high}"
        raise BadOption(f"--{name.replace('_', '-')} cannot be {value}; it is {expected}")


def as_tensor(array: Any) -> Tensor:
    """An array as a tensor that shares its memory."""
    return torch.from_numpy(array) if isinstance(array, np.ndarray) else torch.from_dlpack(array)


def log_likely(logits: Tensor, actions: Tensor) -> Tensor:
    return logits.log_softmax(-1).gather(-1, actions[..., None])[..., 0]


def table_of(text: str) -> dict[str, Any]:
    """The arguments of a batch for `seats=3,sets=hard`."""
    found: dict[str, Any] = {"seats": None}
    for each in filter(None, text.split(",")):
        name, _, value = each.partition("=")
        if not value or (name == "seats" and not value.isdecimal()):
            raise BadOption(f"--tables cannot have {each!r}; expected seats=NUMBER or OPTION=VALUE")
        found[name] = int(value) if name == "seats" else value
    return found


def evaluate(
    path: Path, setting: Setting, opponent: str, games: int, threads: int, kind: dict[str, Any]
) -> dict[str, Any]:
    """The result in the arena of the policy in a file against a bot, at one kind of table."""
    of = registered(setting.game)
    found = match(bot_of_file(path, of), bot(opponent, of), games, seed=1_000_000, threads=threads, **kind)
    low, high = found.interval
    return {"against": opponent, "games": found.games, "share": found.share, "low": low, "high": high, **kind}


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a policy for any game by self-play (PPO).")
    parser.add_argument("game")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--whole", action="store_true", help="the minutes count from the start, compiling included")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    begins = parser.add_mutually_exclusive_group()
    begins.add_argument("--resume", action="store_true", help="go on from FOLDER/checkpoint.pt, for --minutes more")
    begins.add_argument("--begin", type=Path, metavar="FILE", help="a policy to begin with")
    parser.add_argument("--against", nargs="*", default=["easy"], metavar="BOT", help="bots to be measured against")
    parser.add_argument("--measured", type=int, default=400, metavar="GAMES", help="games against each of them")
    parser.add_argument("--threads", type=int, default=8, help="of the arena")
    parser.add_argument("--pay", nargs="*", default=[], metavar="FEATURE=AMOUNT", type=payment)
    parser.add_argument("--tables", nargs="*", default=[], metavar="NAME=VALUE,…", help="numbers of seats and options")
    for name, kind in Setting.__annotations__.items():
        if name not in ("game", "pay", "tables"):
            default = getattr(Setting, name)
            parser.add_argument(f"--{name.replace('_', '-')}", type=float if kind is float else int, default=default)
    chosen = parser.parse_args()
    chosen.pay, chosen.tables = tuple(chosen.pay), tuple(chosen.tables)
    try:
        trainer = begun(chosen)
    except BadOption as error:
        parser.error(str(error))
    setting = trainer.setting
    before, start, told_at = trainer.answers, time.monotonic(), 0.0
    earlier_seconds = trainer.seconds

    def tell(line: dict[str, Any]) -> None:
        text = json.dumps({"minutes": round(trainer.seconds / 60, 2), "answers": trainer.answers, **line})
        print(text, flush=True)
        with (chosen.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(text + "\n")

    limit = 60 * chosen.minutes - (start - BEGIN if chosen.whole else 0.0)
    while (spent := time.monotonic() - start) < limit:
        if is_remembered(trainer.rounds):
            trainer.remember()
        found = trainer.learn(trainer.play(), (earlier_seconds + spent) / (earlier_seconds + limit))
        trainer.seconds = earlier_seconds + time.monotonic() - start
        if spent - told_at > min(30.0, limit / 8):
            told_at = spent
            speed = (trainer.answers - before) / (time.monotonic() - start)
            tell({"answers_per_s": round(speed), **{name: round(of, 4) for name, of in found.items()}})
            trainer.save(chosen.folder)
    path = trainer.save(chosen.folder)
    tell({"answers_per_s": round((trainer.answers - before) / (time.monotonic() - start))})
    for opponent in chosen.against:
        for kind, _ in setting.kinds():
            tell(evaluate(path, setting, opponent, chosen.measured, chosen.threads, kind))


def begun(chosen: argparse.Namespace) -> Trainer:
    """The trainer for the arguments of a call; BadOption says what is wrong with them, before anything is compiled."""
    for name, low in {"minutes": 0, "measured": 1, "threads": 1}.items():
        must_be_within(name, getattr(chosen, name), low, math.inf)
    setting = Setting(**{name: getattr(chosen, name) for name in Setting.__annotations__})
    game = registered(setting.game)
    for kind, _ in setting.kinds():
        seats, _ = game.settle(kind["seats"], {name: value for name, value in kind.items() if name != "seats"})
        if seats == 1 and chosen.against:
            raise BadOption(f"{game.name} with one seat has nobody to play against; expected --against without a bot")
    for opponent in chosen.against:
        bot(opponent, game)
    if chosen.device == "cuda" and not torch.cuda.is_available():
        raise BadOption("--device cannot be cuda: PyTorch has no GPU here; it can be cpu")
    if chosen.resume and not (chosen.folder / "checkpoint.pt").exists():
        raise BadOption(f"there is no checkpoint.pt in {chosen.folder}; expected the folder of an earlier run")
    try:
        chosen.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadOption(f"{chosen.folder} cannot be a folder: {error.strerror}") from None
    trainer = Trainer(setting, chosen.device)
    if chosen.begin:
        trainer.policy.take(chosen.begin, trainer.batch.game)
    if chosen.resume:
        trainer.load(chosen.folder)
    return trainer


def payment(text: str) -> tuple[int, float]:
    """The feature and the reward for its gain in `4=0.5`."""
    feature, _, amount = text.partition("=")
    try:
        return int(feature), float(amount)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not the number of a feature and an amount, as in 4=0.5"
        ) from None


def is_remembered(rounds: int) -> bool:
    """Whether the policy joins the pool after this number of rounds: at first often, then every hundredth."""
    return rounds in (10, 25, 50) or rounds % 100 == 0


if __name__ == "__main__":
    main()

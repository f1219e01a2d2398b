"""Train the policy of Rum Run on all setups and numbers of seats at once: PPO in PyTorch over `backroom.gym.Batch`.

    python train/rum_run_ppo.py FOLDER --seconds 360 [--begin FILE.npz] [--games 32768] [--device cuda]

FOLDER gets `policy.npz`, every half minute, and `log.jsonl`. The net sees the features of the gym and some more of the
state (`Observer`; in play `backroom/games/rum_run/net.py` computes the same), and has three outputs: a logit for each
token of a move, as in `train/ppo.py`, and what each seat may expect, from the one that is asked on.

All games are in one batch: game i is played at the table with the number i modulo their number. The advantage of an
answer is computed from the values of all seats at all answers (GAE), as each position tells what each seat may expect.
"""

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from ppo import NEVER, as_tensor, draw, log_likely
from torch import Tensor, nn
from torch.nn import functional

from backroom.engine.registry import game as registered
from backroom.engine.tokens import starts_of, tokens_of
from backroom.games.rum_run import net
from backroom.games.rum_run.brain import EACH, FEATURES, SEAT_AT
from backroom.games.rum_run.net import INPUTS, KINDS_AT, PLANES_AT, SETUPS, SETUPS_AT, STEPS
from backroom.games.rum_run.pieces import (
    ANY,
    ARMS,
    FACE_TOKEN,
    FITS,
    KINDS,
    MOST_STILLS,
    MOST_SUPPLIES,
    NODES,
    OBJECTIVES,
    SIDE,
    STRENGTH,
    TOKENS,
)
from backroom.games.rum_run.rules.state import FOGGY, MUD, STATE
from backroom.gym import Batch

BEGIN = time.monotonic()
SEATS = 4
ALL_TABLES = [(setup, seats) for setup in SETUPS for seats in (2, 3, 4) if setup != "duel" or seats == 2]
"""All setups, with each number of seats."""
TABLES = ALL_TABLES + [table for table in ALL_TABLES if table[0] == "standard" or table[1] == 4]
"""The tables of the batch: *standard* and four seats come twice."""
EVENTS_IN_DECK = net.LOAD_AT - net.DECK_AT
TAPS = (net.HANDS_AT - net.TAPPED_AT) // SEATS


QUIET_AT, NEARLY = SEAT_AT + 5, 0.97
"""The feature that tells how near the end by §7.2 is, and its value from which on the next turn can be the last."""


KIND_OF = {"u1": "uint8", "i1": "int8", "i2": "int16", "i4": "int32"}
"""The types of the fields of a state."""


class TableBatch(Batch):
    """A batch in which game i is played at the table with the number i modulo their number."""

    def _shared(self) -> Any:
        seats, options, found = self.seats, self.options, []
        for setup, self.seats in TABLES:
            colours = {"colours": "2"} if setup == "duel" else {}
            _, self.options = self.game.settle(self.seats, {"setup": setup, **colours})
            found.append(super()._shared())
        self.seats, self.options = seats, options
        return np.concatenate(found)


class Observer:
    """Computes the inputs of the net from a batch, on its device."""

    def __init__(self, batch: Batch) -> None:
        n = batch.n
        if batch.device == "cuda":
            from backroom.gym.device import DeviceArray

            words = DeviceArray(batch.arrays.states, np.empty((n, STATE.itemsize // 4), np.int32))
            self.bytes = as_tensor(words).view(torch.uint8)
        else:
            self.bytes = torch.from_numpy(batch.arrays.states.view(np.uint8).reshape(n, -1))
        device = self.bytes.device
        self.observation, self.seat = as_tensor(batch.observation), as_tensor(batch.seat)
        self.strength = torch.from_numpy(STRENGTH[FACE_TOKEN].astype(np.float32)).to(device)
        self.strength[0] = 0.0
        self.strong = torch.from_numpy(STRENGTH + 1).int().to(device)
        self.arms = torch.from_numpy(ARMS.T.astype(np.int32)).to(device)
        self.fits = torch.from_numpy(FITS[:, None] >> np.arange(TOKENS) & 1).int().to(device)
        self.bits = torch.arange(TOKENS, device=device, dtype=torch.int32)
        self.ahead = torch.arange(SEATS, device=device, dtype=torch.int32)
        table = torch.arange(n, device=device) % len(TABLES)
        setups = torch.tensor([SETUPS.index(setup) for setup, _ in TABLES], device=device)[table]
        self.seats = torch.tensor([seats for _, seats in TABLES], device=device)[table]
        self.colours = torch.tensor([4 if setup == "duel" else seats for setup, seats in TABLES], device=device)[table]
        self.fixed = torch.cat(
            [functional.one_hot(setups, len(SETUPS)), functional.one_hot(self.seats - 2, 3)], -1
        ).float()

    def field(self, name: str) -> Tensor:
        """A field of the states, with a row for each game."""
        kind, at = STATE.fields[name][:2]  # type: ignore[index]
        of = getattr(torch, KIND_OF[kind.base.str[1:]])
        return self.bytes[:, at : at + kind.itemsize].contiguous().view(of).flatten(1)

    def nodes(self, name: str) -> Tensor:
        return self.field(name)[:, :NODES]

    def look(self, out: Tensor) -> None:
        """Write the inputs for the seats that are asked."""
        out[:, :FEATURES] = self.observation
        out[:, SETUPS_AT:KINDS_AT] = self.fixed
        out[:, KINDS_AT:PLANES_AT] = functional.one_hot(self.field("kind").long() + 1, KINDS + 1).flatten(1)
        owner = self.nodes("owner").int() - 1
        is_token = owner >= 0
        seat, seats, colours = self.seat[:, None].int(), self.seats[:, None].int(), self.colours[:, None].int()
        is_own = is_token & (owner % seats == seat)
        steps = self.nodes("dist").int()
        strength = self.strength[self.nodes("face").long()]
        planes = out[:, PLANES_AT : net.HAULS_AT].view(-1, 4, NODES)
        for k, of in enumerate((steps / 20.0, strength / 12.0)):
            planes[:, 2 * k] = of * is_own
            planes[:, 2 * k + 1] = of * (is_token & ~is_own)
        barrels = self.nodes("barrels") * is_token / 4.0
        row = (owner - seat) % seats * STEPS + steps.clamp(max=STEPS - 1)
        hauls = torch.zeros(len(out), SEATS * STEPS, device=out.device).scatter_add_(1, row.long(), barrels)
        out[:, net.HAULS_AT : net.GOALS_AT] = hauls
        self.look_at_seats(out, seat, seats)
        hand = self.field("hand")
        ahead = (self.ahead[None] + seat) % colours
        is_there = self.ahead[None] < colours
        keeper, tapped = self.field("keeper").int(), self.field("tapped")
        out[:, net.KEEPER_AT : net.DECK_AT] = (keeper == ahead) & is_there
        bits = tapped.gather(1, ahead.long())[:, :, None] >> self.bits[:TAPS] & 1
        out[:, net.TAPPED_AT : net.HANDS_AT] = (bits * is_there[:, :, None]).flatten(1)
        held = (hand[:, :, None] >> self.bits[:TOKENS] & 1) * (self.ahead[None] < colours)[:, :, None]
        counts, strongest = [], [torch.zeros_like(hand)]
        for number in range(1, ANY + 1):
            fit = held * self.fits[number]
            counts.append(fit.sum(-1) / 8.0)
            strongest.append((fit * self.strong).amax(-1).int())
        each = torch.stack([strongest[ANY] / 13.0, *counts[:-1]], -1)
        each = each.gather(1, ahead.long()[:, :, None].expand(-1, -1, ANY)) * is_there[:, :, None]
        out[:, net.HANDS_AT : net.SAFE_AT] = each.flatten(1)
        ground = self.nodes("ground")
        out[:, net.GROUND_AT : net.GROUND_AT + NODES] = ground == FOGGY
        out[:, net.GROUND_AT + NODES : net.COLOURS_AT] = ground == MUD
        colour_ahead = (owner - seat) % colours
        for k in (2, 3):
            at = net.COLOURS_AT + (k - 2) * NODES
            out[:, at : at + NODES] = is_token & (colour_ahead == k)
        self.look_at_reach(out, torch.stack(strongest, -1), owner, is_own, steps, strength, ground)

    def look_at_seats(self, out: Tensor, seat: Tensor, seats: Tensor) -> None:
        """Write what seats have, what stills have left, and the events to come."""
        holder, goals = self.field("holder").int(), self.field("goals").int()
        place = torch.where(holder >= 0, (holder - seat) % seats, SEATS)
        is_used = goals >> self.bits[: len(OBJECTIVES)] & 1
        found = functional.one_hot(place.long(), SEATS + 1) * is_used[:, :, None]
        out[:, net.GOALS_AT : net.SUPPLIES_AT] = found.flatten(1)
        supply = self.field("supply").view(-1, MOST_STILLS, MOST_SUPPLIES)
        is_left = self.bits[:MOST_SUPPLIES] < self.field("supplies").int()[:, :, None]
        left = (supply * is_left).sum(-1)
        each = torch.stack([supply[:, :, 0] * (left > 0) / 5.0, left / 6.0], -1)
        out[:, net.SUPPLIES_AT : net.TAPPED_AT] = each.flatten(1)
        safe = self.field("safe").gather(1, ((self.ahead[None] + seat) % seats).long())
        out[:, net.SAFE_AT : net.KEEPER_AT] = (safe != 0) & (self.ahead[None] < seats)
        out[:, net.DECK_AT : net.LOAD_AT] = self.field("deck") >> self.bits[:EVENTS_IN_DECK] & 1
        out[:, net.LOAD_AT] = self.field("load")[:, 0] / 5.0
        out[:, net.LOAD_AT + 1] = self.field("reserve")[:, 0] / 10.0

    def look_at_reach(
        self,
        out: Tensor,
        strongest: Tensor,
        owner: Tensor,
        is_own: Tensor,
        steps: Tensor,
        strength: Tensor,
        ground: Tensor,
    ) -> None:
        """Write what can be placed on each node next, and what can be broken."""
        n, seats = len(out), self.seats[:, None].int()
        colour = self.ahead[None].expand(n, -1)
        is_mine = colour % seats == self.seat[:, None].int()
        reach = torch.zeros(2, n, NODES, dtype=torch.int32, device=out.device)
        town = self.field("town").long()
        for whose, mask in enumerate((is_mine, ~is_mine)):
            most = (strongest[:, :, ANY] * mask).amax(-1, keepdim=True)
            beside = town + torch.tensor([[-SIDE, 1, SIDE, -1]], device=out.device)
            reach[whose].scatter_(1, beside, most.expand(-1, 4).contiguous())
        flat, face = strongest.flatten(1), self.nodes("face").long()
        is_joined = (owner >= 0) & (steps > 0)
        for side in range(4):
            number = self.arms[side][face]
            code = (owner.clamp(min=0) * (ANY + 1) + number) * is_joined
            found = flat.gather(1, code.long()) * is_joined
            for whose, mask in enumerate((is_own, ~is_own)):
                moved = torch.zeros(n, SIDE, SIDE, dtype=torch.int32, device=out.device)
                grid = (found * mask).view(n, SIDE, SIDE)
                if side == 0:
                    moved[:, :-1] = grid[:, 1:]
                elif side == 1:
                    moved[:, :, 1:] = grid[:, :, :-1]
                elif side == 2:
                    moved[:, 1:] = grid[:, :-1]
                else:
                    moved[:, :, :-1] = grid[:, :, 1:]
                reach[whose] = torch.maximum(reach[whose], moved.flatten(1))
        reach *= (ground <= MUD)[None]
        safe = self.field("safe")
        is_safe = safe.gather(1, (owner.clamp(min=0) % seats).long()) != 0
        is_open = (owner >= 0) & ~is_safe
        planes = out[:, net.REACH_AT :].view(-1, 4, NODES)
        for whose, mask in enumerate((~is_own, is_own)):
            planes[:, whose] = reach[whose] / 13.0
            planes[:, 3 - whose] = is_open & mask & (reach[whose] - 1 > strength)


class Policy(nn.Module):
    """Two layers, a logit for each token of a move, and the values of the seats from the one that is asked on."""

    def __init__(self, batch: Batch, wide: int, hidden: int) -> None:
        super().__init__()
        self.tokens = int(tokens_of(batch.verbs, True).max()) + 1
        self.first, self.second = nn.Linear(INPUTS, wide), nn.Linear(wide, hidden)
        self.last, self.value = nn.Linear(hidden, self.tokens), nn.Linear(hidden, SEATS)
        self.register_buffer("starts", torch.from_numpy(starts_of(batch.verbs)), persistent=False)
        with torch.no_grad():
            self.last.weight *= 0.01
            self.value.weight *= 0.01

    def forward(self, seen: Tensor, is_open: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The logits of all slots, and the values of the seats."""
        units = functional.relu(self.second(functional.relu(self.first(seen.float()))))
        of_tokens = self.last(units)
        games, slots = is_open.nonzero(as_tuple=True)
        digits = rows[games, slots].long()
        verbs, digits = digits[:, 0], torch.cat([torch.zeros_like(digits[:, :1]), digits[:, 1:]], -1)
        tokens = (self.starts[verbs] + digits).clamp(min=0) + games[:, None] * self.tokens
        worth = of_tokens.flatten().gather(0, tokens.flatten()).view(tokens.shape)
        worth = worth.masked_fill(digits < 0, 0.0).sum(-1)
        logits = torch.full(is_open.shape, NEVER, device=seen.device).index_put((games, slots), worth)
        return logits, self.value(units)

    def values(self, seen: Tensor) -> Tensor:
        return self.value(functional.relu(self.second(functional.relu(self.first(seen.float())))))

    def write(self, path: Path) -> None:
        """Write the weights in half precision; a layer has a row for each input."""
        found: dict[str, Any] = {}
        for name in ("first", "second", "last", "value"):
            layer = getattr(self, name)
            found[name] = layer.weight.detach().T.half().cpu().numpy()
            found[f"{name}_bias"] = layer.bias.detach().float().cpu().numpy()
        draft = path.with_suffix(".draft")
        with draft.open("wb") as file:
            np.savez_compressed(file, **found)
        draft.replace(path)

    @torch.no_grad()
    def take(self, path: Path, calmer: float) -> None:
        """Load weights; a policy of `train/ppo.py` has fewer inputs, and the value of one seat only."""
        with np.load(path, allow_pickle=False) as file:
            for name in (name for name in ("first", "second", "last", "value") if name in file):
                layer, weight = getattr(self, name), torch.from_numpy(file[name].astype(np.float32).T)
                bias = torch.from_numpy(file[f"{name}_bias"].astype(np.float32))
                if name == "first":
                    layer.weight[: len(weight)] = 0.0
                if name != "value" or len(weight) == SEATS:
                    layer.weight[: len(weight), : weight.shape[1]] = weight.to(layer.weight)
                    layer.bias[: len(bias)] = bias.to(layer.bias)
            self.last.weight *= calmer
            self.last.bias *= calmer


class Trainer:
    """A policy, its games, and its optimizer."""

    def __init__(self, said: argparse.Namespace) -> None:
        torch.manual_seed(said.seed)
        torch.set_float32_matmul_precision("high")
        self.said, self.device = said, said.device
        self.batch = TableBatch(registered("rum-run"), said.games, device=said.device, seats=SEATS)
        self.batch.reset(said.seed << 24)
        self.observer = Observer(self.batch)
        self.policy, self.earlier = (Policy(self.batch, said.wide, said.hidden).to(self.device) for _ in range(2))
        if said.begin:
            self.policy.take(said.begin, said.calmer)
        self.optimiser = torch.optim.Adam(self.policy.parameters(), said.rate, eps=1e-5)
        self.pool: list[dict[str, Tensor]] = []
        self.answers, self.rounds = 0, 0
        t, n, most = said.steps, said.games, self.batch.actions
        self.rows, self.mask = as_tensor(self.batch.rows), as_tensor(self.batch.mask)
        self.came = {name: as_tensor(getattr(self.batch, name)) for name in ("reward", "ended", "truncated")}

        def room(*shape: int, dtype: Any = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=self.device)

        self.seen = room(t + 1, n, INPUTS, dtype=torch.half)
        self.kept_rows = room(t, n, *self.rows.shape[1:], dtype=torch.int16)
        self.kept_mask = room(t, n, most, dtype=torch.bool)
        self.seat = room(t + 1, n, dtype=torch.long)
        self.action, self.likely = room(t, n, dtype=torch.long), room(t, n)
        self.value, self.reward, self.over = room(t + 1, n, SEATS), room(t, n, SEATS), room(t, n, dtype=torch.bool)
        self.is_mine, self.quiet = room(t, n, dtype=torch.bool), room(t, n, dtype=torch.bool)
        seats = self.observer.seats
        ahead = torch.arange(SEATS, device=self.device)
        self.is_there = ahead[None] < seats[:, None]
        """Whether a game has the seat."""
        at = torch.arange(n, device=self.device)
        self.made = torch.zeros_like(at)
        """The answers in each game so far."""
        self.by_chance = torch.where((at // len(TABLES)) % 2 == 1, said.opening * seats, 0)
        """The answers that a game begins with by chance."""
        self.others = at[(at // len(TABLES)) % 4 == 0]
        """The games that are played against an earlier policy."""
        self.own = (at // (4 * len(TABLES)) % seats)[self.others]

    def absolute(self, relative: Tensor, seat: Tensor) -> Tensor:
        """Numbers of seats from the one that is asked on, as numbers of seats from the first on."""
        ahead = torch.arange(SEATS, device=self.device)
        place = (ahead - seat[..., None]) % self.observer.seats[:, None]
        return relative.gather(-1, place) * self.is_there

    def promise(self, step: int) -> Tensor:
        """What is paid for on the way, for each seat: barrels scored and on the road, stills; others' barrels less."""
        each = self.seen[step][:, : SEATS * EACH].float().view(-1, SEATS, EACH)
        scored = each[..., 0]
        found = 2 * scored + 2 * each[..., 1] + 4 * each[..., 4]
        found = found - 2 * (scored.sum(-1, keepdim=True) - scored) / (self.observer.seats[:, None] - 1)
        return self.absolute(found, self.seat[step])

    @torch.no_grad()
    def play(self) -> None:
        """Some answers in every game."""
        said = self.said
        if self.pool:
            self.earlier.load_state_dict(self.pool[self.rounds % len(self.pool)])
        for t in range(said.steps + 1):
            self.observer.look(self.seen[t])
            self.seat[t] = self.observer.seat
            if t == said.steps:
                self.value[t] = self.absolute(self.policy.values(self.seen[t]), self.seat[t])
                break
            self.kept_rows[t], self.kept_mask[t] = self.rows, self.mask
            logits, value = self.policy(self.seen[t], self.mask, self.rows)
            self.value[t] = self.absolute(value, self.seat[t])
            action = draw(logits)
            self.is_mine[t] = True
            if self.pool:
                which = self.others
                theirs, _ = self.earlier(self.seen[t][which], self.mask[which], self.rows[which])
                is_own = self.seat[t][which] == self.own
                self.is_mine[t, which] = is_own
                action[which] = torch.where(is_own, action[which], draw(theirs))
            is_opening = self.made < self.by_chance
            action = torch.where(is_opening, draw(torch.zeros_like(logits).masked_fill(~self.mask, NEVER)), action)
            self.is_mine[t] &= ~is_opening
            self.made += 1
            self.action[t], self.likely[t] = action, log_likely(logits, action)
            self.batch.step(action.int() if self.device == "cuda" else action.int().numpy())
            self.over[t] = self.came["ended"] | self.came["truncated"]
            self.made[self.over[t]] = 0
            is_quiet = self.over[t] & (self.seen[t][:, QUIET_AT] > NEARLY)
            self.reward[t] = self.came["reward"]
            self.reward[t][is_quiet] = said.quiet * self.reward[t][is_quiet] - said.dull
            self.quiet[t] = is_quiet

    @torch.no_grad()
    def judge(self, pay: float) -> tuple[Tensor, Tensor]:
        """The advantage of each answer for the seat that gave it, and the goals of the values of all seats."""
        said = self.said
        goals, traced = torch.zeros_like(self.reward), self.value[said.steps]
        later = self.promise(said.steps) if pay else None
        for t in reversed(range(said.steps)):
            over = self.over[t][:, None]
            gained = self.reward[t] * over
            if later is not None:
                now = self.promise(t)
                gained = gained + pay * (later - now) * ~over
                later = now
            ahead = (1 - said.trace) * self.value[t + 1] + said.trace * traced
            traced = gained + said.discount * ahead.masked_fill(over, 0.0)
            goals[t] = traced
        surprise = goals - self.value[: said.steps]
        return surprise.gather(-1, self.seat[: said.steps, :, None])[..., 0], goals

    def learn(self, progress: float) -> dict[str, float]:
        """Minimize PPO's clipped loss over the learner's answers."""
        said = self.said
        advantages, goals = self.judge(said.pay * max(0.0, 1 - progress / 0.4))
        falling = 0.1 + 0.45 * (1 + math.cos(math.pi * min(progress, 1.0)))
        self.optimiser.param_groups[0]["lr"] = said.rate * falling
        which = self.is_mine.flatten().nonzero()[:, 0]
        ahead = torch.arange(SEATS, device=self.device)
        turned = (ahead + self.seat[: said.steps, :, None]) % self.observer.seats[:, None]
        goals = goals.gather(-1, turned).flatten(0, 1)
        seen, rows, mask = (
            self.seen[: said.steps].flatten(0, 1),
            self.kept_rows.flatten(0, 1),
            self.kept_mask.flatten(0, 1),
        )
        action, likely, gains = self.action.flatten(), self.likely.flatten(), advantages.flatten()
        told = []
        for _ in range(said.epochs):
            for part in which[torch.randperm(len(which), device=self.device)].chunk(said.parts):
                logits, values = self.policy(seen[part], mask[part], rows[part])
                log_chances = logits.log_softmax(-1)
                ratio = (log_chances.gather(-1, action[part][:, None])[:, 0] - likely[part]).exp()
                gain = gains[part]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = ratio.clamp(1 - said.clip, 1 + said.clip)
                loss = -torch.minimum(ratio * gain, clipped * gain).mean()
                is_there = self.is_there[part % said.games]
                error = ((values - goals[part]).square() * is_there).sum() / is_there.sum()
                doubt = -(log_chances.exp() * log_chances.clamp(min=-50)).sum(-1).mean()
                self.optimiser.zero_grad(set_to_none=True)
                (loss + error - said.entropy * falling * doubt).backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
                self.optimiser.step()
                told.append(torch.stack([error.detach(), doubt.detach(), (ratio - 1).abs().mean().detach()]))
        error, doubt, moved = torch.stack(told).mean(0).tolist()
        self.answers += said.steps * said.games
        self.rounds += 1
        return {"value_error": error, "entropy": doubt, "moved": moved}

    def remember(self) -> None:
        """Add the policy to the pool; if it is full, the second oldest is removed."""
        if len(self.pool) == 8:
            self.pool.pop(1)
        self.pool.append({name: weight.detach().clone() for name, weight in self.policy.state_dict().items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=360.0, help="of training, after compiling")
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds after the start, compiling included")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--begin", type=Path, metavar="FILE")
    parser.add_argument("--calmer", type=float, default=1.0, help="the factor for the logits to begin with")
    for name, default in {
        "games": 32768,
        "steps": 48,
        "wide": 384,
        "hidden": 256,
        "epochs": 2,
        "parts": 32,
        "seed": 1,
        "opening": 4,
    }.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    numbers = {"rate": 1e-3, "clip": 0.2, "entropy": 0.01, "discount": 1.0, "trace": 0.985, "pay": 1.0}
    numbers |= {"quiet": 0.5, "dull": 0.25}  # an end by §7.2: the factor for its reward, and what everybody loses
    for name, number in numbers.items():
        parser.add_argument(f"--{name}", type=float, default=number)
    said = parser.parse_args()
    said.folder.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(said)
    start, told_at = time.monotonic(), 0.0
    limit = min(said.seconds, said.until - (start - BEGIN))

    def tell(line: dict[str, Any]) -> None:
        text = json.dumps({name: round(of, 4) for name, of in line.items()})
        print(text, flush=True)
        with (said.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(text + "\n")

    tell({"compiled": start - BEGIN, "limit": limit})
    while (spent := time.monotonic() - start) < limit:
        if trainer.rounds in (0, 10, 25, 50) or trainer.rounds % 50 == 0:
            trainer.remember()
        trainer.play()
        if said.device == "cuda":
            torch.cuda.synchronize()
        played = time.monotonic() - start - spent
        found = trainer.learn(spent / limit)
        if spent - told_at > min(20.0, limit / 8) or trainer.rounds < 3:
            told_at = spent
            over, quiet = (each.float().mean().item() for each in (trainer.over, trainer.quiet))
            speed = trainer.answers / (time.monotonic() - start)
            tell(
                {
                    "seconds": spent,
                    "answers": trainer.answers,
                    "speed": speed,
                    **found,
                    "played": played,
                    "over": over,
                    "quiet": quiet / max(over, 1e-9),
                }
            )
            trainer.policy.write(said.folder / "policy.npz")
    trainer.policy.write(said.folder / "policy.npz")
    tell({"seconds": time.monotonic() - start, "answers": trainer.answers})


if __name__ == "__main__":
    main()

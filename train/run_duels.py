"""Measure points per game of Run on a GPU: what `train/run_measure.py points … --luck` does, for thousands of games.

    python train/run_duels.py FIRST SECOND --games 2000 [--seed 1] [--at-once 500] [--seconds 500] [--kept FILE]

Players are nets as `run_measure.py` names them: `net:hard`, `net:medium`, `train/frozen/run-2026-11.npz:3`,
`net:3,width=8`; and `expert`. The games are the same: single games for points, each seed twice with the seats swapped,
with the same dice, and the luck of the dice subtracted. The search is that of `backroom/bots/plies.py`, for all games
at once: the endings of all turns are listed by the game's kernels, and evaluated in one product. The first layer is
exact, as there; the later ones differ by rounding, so now and then another turn of the same value is played. The
rollouts of `expert` are those of `backroom/bots/truncated.py`, with other dice; endings are dropped after every dozen
of them, not after each. The errors of weaker levels (`blur`) have other dice, too. Beside the points it prints the
share of games won, from which luck is not subtracted.

Games are played in waves of `--at-once`, and a wave that the time does not allow is dropped as a whole, so that short
games do not count more than long ones. `--kept` is as in `run_measure.py`, and a later call goes on from there.
"""

import argparse
import json
import math
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from run_measure import EXPERT, Kept, interval, plan_of, plan_of_expert, weights_of
from run_net import ALL_ROLLS, ENDINGS, INPUTS, carry_out, jobs_here, jobs_there, unpack

from backroom.arena.result import MatchResult
from backroom.bots import truncated
from backroom.engine.kernel import kernel
from backroom.games.run import bearoff
from backroom.games.run.bearoff import number_of
from backroom.games.run.net import HIDDEN, PHASES, SECOND, trained
from backroom.games.run.pieces import MEN, POINTS, ROLLS
from backroom.games.run.rules import STATE, is_home, put_up

SPLIT = 64
"""Rows are split into multiples of this number and a rest, both exact in TF32."""
FEW = 48
"""Endings of a turn, the best at one ply, among which equal ones are removed."""
WORLDS = 1 << 17
"""Positions with a roll that are searched at once."""
LINES = 1 << 18
"""Endings that are evaluated at once."""
DOZEN = truncated.FEWEST
"""Rollouts of an ending between two decisions about which endings to drop."""
ALIKE = 2 * truncated.ALIKE
STRATA, STEP = 36, 19
"""The number of equally likely rolls, and the distance between those with which successive rollouts begin."""
WORTH = (-2.0, -1.0, 1.0, 2.0)


@kernel
def settle(i, s, men, movers, steps, wins, after, known):
    """Play the steps of an ending: writes the men after it, and whether its value is known exactly."""
    unpack(s, men[i])
    carry_out(s, movers[i], steps[i])
    for point in range(POINTS):
        after[i, point] = s.men[0, point + 1]
        after[i, POINTS + point] = s.men[1, point + 1]
    known[i] = 1 if s.held[0] == 0 or s.held[1] == 0 else 0
    if is_home(s, 0) and is_home(s, 1) and max(number_of(s.men, 0), number_of(s.men, 1)) < len(wins):
        known[i] = 1


def settle_here():
    """The job, for the CPU."""
    from numba import njit

    s = np.zeros(1, STATE)

    @njit(nogil=True)
    def loop(n, s, men, movers, steps, wins, after, known):
        for i in range(n):
            settle(i, s[0], men, movers, steps, wins, after, known)

    def run(n, *rest):
        loop(n, s, *(part.numpy() for part in rest))

    return run


def settle_there():
    """The job, for a GPU."""
    from backroom.gym.compiler import local_type, must_be_there

    must_be_there()
    from numba import cuda

    record = local_type(STATE)

    @cuda.jit
    def settle_all(n, men, movers, steps, wins, after, known):
        i = cuda.grid(1)
        if i < n:
            s = cuda.local.array(1, record)
            settle(i, s[0], men, movers, steps, wins, after, known)

    def run(n, *rest):
        if n:
            settle_all[-(-n // 64), 64](n, *(cuda.as_cuda_array(part) for part in rest))

    return run


class Player(NamedTuple):
    """A net and the plan of its search."""

    table: torch.Tensor
    """The rows of the first layer: their multiples of SPLIT, then the rest."""
    bias: torch.Tensor
    weights: torch.Tensor
    second_bias: torch.Tensor
    last: torch.Tensor
    last_bias: torch.Tensor
    plan: object

    @classmethod
    def of(cls, text: str, device: str) -> "Player":
        """A player such as `net:hard` or `expert`."""
        word, _, rest = text.partition(":")
        rows, bias, weights, *others = weights_of(word) or trained()
        whole = np.zeros((INPUTS, HIDDEN), np.int64)
        whole[: len(rows)] = rows
        table = np.concatenate([whole // SPLIT, whole % SPLIT], 1)
        weights = weights.transpose(1, 0, 2).reshape(HIDDEN, PHASES * SECOND)
        parts = (torch.from_numpy(np.array(part, np.float32)).to(device) for part in (table, bias, weights, *others))
        return cls(*parts, plan_of_expert() if word == EXPERT else plan_of(rest))

    def logits(self, inputs: torch.Tensor, phases: torch.Tensor) -> torch.Tensor:
        """The logits of the four ends for each line."""
        torch.set_float32_matmul_precision("high")  # exact for these whole numbers
        parts = inputs @ self.table
        torch.set_float32_matmul_precision("highest")
        hidden = (parts[:, :HIDDEN] * SPLIT + parts[:, HIDDEN:] + self.bias).relu()
        second = torch.addmm(self.second_bias.flatten(), hidden, self.weights).relu().view(-1, PHASES, SECOND)
        mine = second.gather(1, phases[:, None, None].expand(-1, 1, SECOND))
        return torch.bmm(mine, self.last[phases])[:, 0] + self.last_bias[phases]


class Endings(NamedTuple):
    """The endings of some turns: those of turn w are `counts[w]` lines from `starts[w]` on."""

    starts: torch.Tensor
    counts: torch.Tensor
    movers: torch.Tensor
    steps: torch.Tensor
    values: torch.Tensor
    """The expected points of each ending for the mover, at one ply."""
    best: torch.Tensor
    """The line of each turn's best ending."""


class Board:
    """The kernels, the tables and the memory that all games share."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.jobs = jobs_there() if device == "cuda" else jobs_here()
        self.settle = settle_there() if device == "cuda" else settle_here()
        self.tables = tuple(torch.from_numpy(np.array(part)).to(device) for part in bearoff.tables())
        self.inputs = torch.zeros(LINES if device == "cuda" else 1 << 12, INPUTS, device=device)
        self.phases, self.known = (self.zeros(len(self.inputs)) for _ in range(2))
        self.endings = self.zeros((WORLDS if device == "cuda" else 1 << 12) * ENDINGS)
        odds = np.where(ROLLS[:, 0] == ROLLS[:, 1], 1.0, 2.0) / 36.0
        self.odds = torch.from_numpy(odds).to(device)
        self.strata = torch.arange(ALL_ROLLS, device=device).repeat_interleave((self.odds * STRATA).round().long())
        self.worth = torch.tensor(WORTH, device=device)
        self.dice = torch.Generator(device)
        """The dice of rollouts."""
        self.evaluated, self.cut = 0, 0
        """Endings evaluated so far, and turns with too many endings to list."""

    def zeros(self, *shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
        return torch.zeros(shape, dtype=dtype, device=self.device)

    def endings_of(self, player: Player, rolls: int, men, turn, opening, drawn) -> Endings:
        """The endings of the turns in some positions, for the roll drawn in each or for all rolls."""
        n = len(men) * rolls
        movers, counts, best = self.zeros(n, dtype=torch.int8), self.zeros(n), self.zeros(n)
        self.jobs.spread(n, rolls, men, turn, opening, drawn, movers, counts, self.endings)
        starts = counts.cumsum(0) - counts
        total = int(counts.sum())
        owner = torch.arange(n, device=self.device).repeat_interleave(counts, output_size=total)
        places = owner * ENDINGS + torch.arange(total, device=self.device) - starts[owner]
        values = torch.empty(total, device=self.device)
        for first in range(0, total, len(self.inputs)):
            many = min(len(self.inputs), total - first)
            inputs, phases, known = self.inputs[:many], self.phases[:many], self.known[:many]
            inputs.zero_()
            exact = torch.zeros(many, 4, device=self.device)
            self.jobs.show(
                many, first, rolls, men, movers, owner, places, self.endings, *self.tables, inputs, phases, known, exact
            )
            lost_two, lost, won, won_two = torch.softmax(player.logits(inputs, phases), 1).unbind(1)
            no_won_two, no_lost_two = (known == 1) | (known == 5), known >= 4
            points = won - lost + torch.where(no_won_two, 1.0, 2.0) * won_two
            points -= torch.where(no_lost_two, 1.0, 2.0) * lost_two
            values[first : first + many] = torch.where(known == 3, exact @ self.worth, points)
        self.jobs.find_best(n, starts, counts, values, best)
        self.evaluated += total
        self.cut += int((counts == ENDINGS).sum())
        return Endings(starts, counts, movers, self.endings[places], values, best)

    def after(self, men, movers, steps):
        """The men after some endings, and whether their values are known exactly."""
        found, known = torch.empty_like(men), self.zeros(len(men), dtype=torch.int8)
        self.settle(len(men), men, movers, steps, self.tables[2], found, known)
        return found, known.bool()

    def outlook(self, player: Player, men, turn, deeper: bool):
        """The value of positions for the player who has just moved, over all rolls and the best replies at one ply; if
        `deeper`, the replies to those are searched in the same way.
        """
        found = torch.empty(len(men), dtype=torch.float64, device=self.device)
        some = len(self.endings) // ENDINGS // ALL_ROLLS
        for first in range(0, len(men), some):
            here, whose = men[first : first + some].contiguous(), turn[first : first + some].contiguous()
            none = self.zeros(len(here))
            ends = self.endings_of(player, ALL_ROLLS, here, whose, none.to(torch.int8), none)
            values = ends.values[ends.best].double()
            if deeper:
                before = here.repeat_interleave(ALL_ROLLS, 0)
                after, known = self.after(before, ends.movers, ends.steps[ends.best])
                open_ones = (~known).nonzero()[:, 0]
                later = self.outlook(player, after[open_ones], 1 - ends.movers[open_ones], False)
                values[open_ones] = later
            found[first : first + some] = -(values.view(-1, ALL_ROLLS) @ self.odds)
        return found

    def decide(self, player: Player, men, ends: Endings, which):
        """The men after the turns that a player chooses, for those of `ends` in `which`."""
        plan, turns = player.plan, torch.arange(len(which), device=self.device)
        counts, starts, movers = ends.counts[which], ends.starts[which], ends.movers[which]
        owner = turns.repeat_interleave(counts)
        place = torch.arange(len(owner), device=self.device) - (counts.cumsum(0) - counts)[owner]
        marks = torch.full((len(which), ENDINGS), -math.inf, device=self.device)
        marks[owner, place] = ends.values[starts[owner] + place]
        if plan.blur:
            steps = ends.steps[starts[owner] + place].contiguous()
            marks[owner, place] += self.errors(plan.blur, owner, men[which][owner], movers[owner], steps)
        marks, order = marks.sort(dim=1, descending=True, stable=True)
        marks, order = marks[:, :FEW].double(), order[:, :FEW]
        lines = (starts[:, None] + order).clamp(max=len(ends.steps) - 1)
        every = men[which].repeat_interleave(FEW, 0)
        after, known = self.after(every, movers.repeat_interleave(FEW), ends.steps[lines.flatten()].contiguous())
        after, known = after.view(-1, FEW, 2 * POINTS), known.view(-1, FEW)
        for later in range(1, FEW):  # orders of steps that lead to the same position are one ending
            is_met = (after[:, :later] == after[:, later : later + 1]).all(2) & (marks[:, :later] > -math.inf)
            marks[:, later] = marks[:, later].masked_fill(is_met.any(1), -math.inf)
        n = torch.full_like(turns, plan.width if plan.plies > 1 else 1)
        for ply in range(1, plan.plies + 1):
            marks, order = marks.sort(dim=1, descending=True, stable=True)
            after, known = after[turns[:, None], order], known.gather(1, order)
            if ply == plan.plies:
                break
            margin = plan.margin if ply == 1 else plan.close
            n = torch.minimum(n, (marks >= marks[:, :1] - margin).sum(1))
            if ply == 2:
                n = n.clamp(max=plan.finalists)
            n = torch.where(n > 1, n, 0)
            is_looked_at = torch.arange(FEW, device=self.device) < n[:, None]
            row, column = (is_looked_at & ~known).nonzero().unbind(1)
            marks[row, column] = self.outlook(player, after[row, column], 1 - movers[row], ply == 2)
            dropped = (n[:, None] > 0) & ~is_looked_at
            marks = marks.masked_fill(dropped, -math.inf)
            n = n.clamp(min=1)
        if isinstance(plan, truncated.Plan):
            n = torch.minimum(n, (marks >= marks[:, :1] - plan.near).sum(1))
            return after[turns, self.roll_out(player, after, known, marks, n, movers)]
        return after[:, 0]

    def errors(self, blur: float, owner, men, movers, steps):
        """A random error for each ending, the same for all orders of steps that lead to a position; none if the game is
        over there.
        """
        after, _ = self.after(men, movers, steps)
        salt = torch.randint(-(1 << 61), 1 << 61, (2 * POINTS + 1,), device=self.device, generator=self.dice)
        key = (after.long() * salt[1:]).sum(1) + owner * salt[0]
        is_over = (after.view(-1, 2, POINTS).sum(2) == 0).any(1)
        return (blur * ((key >> 11 & (1 << 53) - 1) / (1 << 53) - 0.5)).masked_fill(is_over, 0.0).float()

    def roll_out(self, player: Player, after, known, marks, n, movers):
        """The place of the best of each turn's first n endings, by rollouts if there are several."""
        plan, best = player.plan, torch.zeros_like(n)
        turn, place = ((torch.arange(FEW, device=self.device) < n[:, None]) & (n > 1)[:, None]).nonzero().unbind(1)
        if len(turn) == 0:
            return best
        seat, prior, known = movers[turn], marks[turn, place], known[turn, place]
        values, then, known_then = self.replies(player, after[turn, place], 1 - seat)
        begun, known_then = values @ self.odds, known_then | known[:, None]
        results = torch.zeros(len(turn), plan.games, dtype=torch.float64, device=self.device)
        offset = torch.randint(STRATA, n.shape, device=self.device, generator=self.dice)[turn]
        many = len(n) * plan.games * plan.turns
        rolls = torch.multinomial(self.odds, many, replacement=True, generator=self.dice)
        rolls = rolls.view(len(n), plan.games, plan.turns)
        every = torch.arange(len(turn), device=self.device)
        is_left = is_open = torch.ones_like(known)
        for first in range(0, plan.games, DOZEN):
            nth, rows = torch.arange(first, first + DOZEN, device=self.device), is_open.nonzero()
            opening = self.strata[(nth * STEP + offset[rows]) % STRATA]
            found = self.rolled_out(
                player,
                then[rows, opening].flatten(0, 1),
                values[rows, opening].flatten(),
                known_then[rows, opening].flatten(),
                seat[rows].expand_as(opening).flatten(),
                rolls[turn[rows], nth].flatten(0, 1),
            )
            results[rows, nth] = begun[rows] + found.view(-1, DOZEN)
            done = first + DOZEN
            weight = done / (done + plan.trust)
            total = weight * results[:, :done].mean(1) + (1 - weight) * prior
            total = total.masked_fill(~is_left, -math.inf)
            top = torch.full(n.shape, -math.inf, dtype=torch.float64, device=self.device)
            top = top.scatter_reduce(0, turn, total, "amax")[turn]
            leader = torch.full_like(n, len(turn))
            leader = leader.scatter_reduce(0, turn, every.masked_fill(total < top, len(turn)), "amin")[turn]
            error = (results[leader, :done] - results[:, :done]).std(1) / math.sqrt(done)
            is_left = is_left & ((every == leader) | (top - total + ALIKE <= plan.surely * error * weight))
            is_open = is_left & (torch.zeros_like(n).scatter_add(0, turn, is_left.long())[turn] > 1)
            best[turn] = place[leader]
            if not is_open.any():
                break
        return best

    def rolled_out(self, player: Player, men, mark, known, seat, rolls):
        """The sum of the corrections that two plies make to one ply in each rollout, from positions in which the seat
        rolls, with these values at one ply.
        """
        found, whose = torch.zeros_like(mark), seat
        for turn in range(rolls.shape[1]):
            going = (~known).nonzero()[:, 0]
            if len(going) == 0:
                break
            values, then, known_then = self.replies(player, men[going], whose[going])
            values = torch.where((whose == seat)[going, None], -values, values)
            found[going] += values @ self.odds - mark[going]
            chosen = torch.arange(len(going), device=self.device), rolls[going, turn]
            men[going], mark[going], known[going] = then[chosen], values[chosen], known_then[chosen]
            whose = 1 - whose
        return found

    def replies(self, player: Player, men, whose):
        """The best replies at one ply to all rolls of a player: their values for the other one, the positions after
        them, and whether the values are exact.
        """
        values = torch.empty(len(men), ALL_ROLLS, dtype=torch.float64, device=self.device)
        then = torch.empty(len(men), ALL_ROLLS, 2 * POINTS, dtype=men.dtype, device=self.device)
        known = torch.empty(len(men), ALL_ROLLS, dtype=torch.bool, device=self.device)
        some = len(self.endings) // ENDINGS // ALL_ROLLS
        for first in range(0, len(men), some):
            part = slice(first, first + some)
            here, none = men[part].contiguous(), self.zeros(len(men[part]))
            ends = self.endings_of(player, ALL_ROLLS, here, whose[part].contiguous(), none.to(torch.int8), none)
            after, is_known = self.after(here.repeat_interleave(ALL_ROLLS, 0), ends.movers, ends.steps[ends.best])
            values[part] = -ends.values[ends.best].double().view(-1, ALL_ROLLS)
            then[part], known[part] = after.view(-1, ALL_ROLLS, 2 * POINTS), is_known.view(-1, ALL_ROLLS)
        return values, then, known

    def duel(self, first: Player, second: Player, judge: Player, seeds: list[int]):
        """For each pair of games: the first player's points, with the luck of the dice taken off, and its wins."""
        games = 2 * len(seeds)
        self.dice.manual_seed(seeds[0])
        s = np.zeros(1, STATE)
        put_up(s[0])
        start = torch.from_numpy(s[0]["men"][:, 1 : POINTS + 1].astype(np.int8).reshape(-1)).to(self.device)
        men = start.repeat(games, 1)
        turn, opening = self.zeros(games, dtype=torch.int8), self.zeros(games, dtype=torch.int8) + 1
        dice = torch.tensor(seeds, device=self.device).repeat_interleave(2)
        seat = torch.arange(games, device=self.device) % 2
        """The first player's seat."""
        points, won = torch.zeros(2, games, dtype=torch.float64, device=self.device)
        going = torch.arange(games, device=self.device)
        while len(going):
            here, whose, opens, throw = men[going], turn[going], opening[going], dice[going]
            drawn = self.zeros(len(going))
            self.jobs.draw(len(going), throw, here, whose, opens, drawn)
            dice[going] = throw
            for part in torch.arange(len(going), device=self.device).split(len(self.endings) // ENDINGS // ALL_ROLLS):
                self.turn_of(part, going, here, whose, opens, drawn, seat, points, men, (first, second), judge)
            turn[going] = 1 - self.mover[: len(going)]
            opening[going] = 0
            over = (men[going].view(-1, 2, POINTS).sum(2) == 0).any(1)
            ended = going[over]
            left = men[ended].view(-1, 2, POINTS).sum(2)
            winner = (left[:, 1] == 0).long()
            worth = torch.where(left.max(1).values == MEN, 2.0, 1.0).double()
            points[ended] += torch.where(winner == seat[ended], worth, -worth)
            won[ended] = (winner == seat[ended]).double()
            going = going[~over]
        return torch.cat([points.view(-1, 2).mean(1, keepdim=True), won.view(-1, 2)], 1).tolist()

    mover: torch.Tensor

    def turn_of(self, part, going, here, whose, opens, drawn, seat, points, men, players, judge) -> None:
        """Play a turn in some of the games that go on, and take the luck of its roll off the points."""
        at, here, whose = going[part], here[part].contiguous(), whose[part].contiguous()
        opens, drawn = opens[part].contiguous(), drawn[part].contiguous()
        ends = self.endings_of(judge, 1, here, whose, opens, drawn)
        if part[0] == 0:
            self.mover = self.zeros(len(going), dtype=torch.int8)
        self.mover[part] = ends.movers
        is_mine = ends.movers == seat[at]
        worth = ends.values[ends.best].double()
        points[at] -= torch.where(is_mine, worth, -worth)
        rolling = (opens == 0).nonzero()[:, 0]
        mean = -self.outlook(judge, here[rolling], whose[rolling], False)
        points[at[rolling]] += torch.where(is_mine[rolling], mean, -mean)
        for player, which in zip(players, (is_mine.nonzero()[:, 0], (~is_mine).nonzero()[:, 0]), strict=True):
            if len(which):
                own = [each[which].contiguous() for each in (here, whose, opens, drawn)]
                found = self.endings_of(player, 1, *own)
                men[at[which]] = self.decide(player, own[0], found, torch.arange(len(which), device=self.device))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf, help="after which no wave is begun")
    parser.add_argument("--kept", type=Path, help="a file for the points of each pair of games")
    said = parser.parse_args()
    device, begin = "cuda" if torch.cuda.is_available() else "cpu", time.time()
    board, judge = Board(device), Player.of("net:1", device)
    first, second = Player.of(said.first, device), Player.of(said.second, device)
    kept = Kept(said.kept, "points", said.first, said.second, said.seed, True)
    found, longest = kept.first_ones(), 0.0
    while 2 * len(found) < said.games and time.time() - begin + longest < said.seconds:
        since, pairs = time.time(), range(len(found), min(len(found) + said.at_once // 2, said.games // 2))
        wave = board.duel(first, second, judge, [said.seed * 10_000_000 + pair for pair in pairs])
        for pair, one in zip(pairs, wave, strict=True):
            kept.keep(pair, one)
        found += wave
        points = np.array([one for one, *_ in found])
        result = sum((MatchResult.of_seed([(won, 0.0) for won in wins]) for _, *wins in found), MatchResult())
        longest = max(longest, time.time() - since)
        line = {
            "first": said.first,
            "second": said.second,
            "games": 2 * len(found),
            "points": round(float(points.mean()), 4),
            "interval": round(interval(points), 4),
            "share": round(result.share, 4),
            "95%": [round(each, 4) for each in result.interval],
            "seconds": round(time.time() - begin, 1),
            "seed": said.seed,
            "luck": "taken off",
            "endings evaluated": board.evaluated,
            "turns cut": board.cut,
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()

"""Train the net of `backroom/games/run` by self-play, entirely on a GPU: the game's kernels play, PyTorch learns.

    python train/run_net.py FOLDER --minutes 9 [--games 65536] [--rolls 1] [--resume]

FOLDER gets `checkpoint.pt` (what is needed to go on), `net.npz` (what the game plays with) and `log.jsonl`. `--resume`
goes on from the checkpoint in FOLDER. Without a GPU the same loop runs on one core, for trials.

Many games are played in parallel. In each round every game advances by one turn: all endings of the turn are listed,
the averaged net evaluates all of them in one product, and the best is played. The target of a position after a turn
combines what the net expects after the next turn and the result of the game (TD(λ)). With `--rolls 21` all rolls of the
next turn are evaluated, not only the actual one: the target is the mean over all of them, and the luck of the dice is
subtracted from later values. The expectation is the same, with far less noise, for about twenty times the work.

Where both players are home the bear-off tables are exact, and the game is not played on.
"""

import argparse
import json
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from backroom.engine.kernel import below, kernel, pick
from backroom.games.run import bearoff
from backroom.games.run.net import (
    BEHIND,
    BORNE,
    HIDDEN,
    LAST,
    LEAD,
    LOOSE,
    MANY,
    MOBILITY,
    MOST_LOOSE,
    MOST_MOVERS,
    MOST_ROWS,
    PHASES,
    PRIME,
    ROWS,
    SCALE,
    SECOND,
    SPARE,
    TO_GO,
    WALL,
    WEIGHTS,
    WON,
    WON_TWO,
    look,
    phase,
    race,
)
from backroom.games.run.pieces import LENGTHS, MEN, OFF, POINTS, ROLLS
from backroom.games.run.rules import (
    OPEN,
    ROLL,
    STATE,
    asked,
    distance_of,
    is_home,
    is_running,
    moves,
    odds,
    play,
    point_of,
    put_up,
    shift,
)
from backroom.games.run.rules import roll as roll_dice

LONGEST = 320
"""Most turns of a game; longer games are discarded."""
ENDINGS = 2048
"""Most endings of a turn that are considered."""
INPUTS = -(-(ROWS + 1) // 64) * 64
"""Columns of the first product, rounded up for tensor cores."""
ALL_ROLLS = len(ROLLS)
EXPLORERS = 4
"""One game in this number makes a random move now and then."""
EXPLORES = 0.08
"""How often such a game makes a random move."""
TRIES = 0.3
"""The largest loss of a random move compared with the best, in points."""


# The work of one GPU thread, for one game, world, ending or position. A world is a game with one of the rolls.


@kernel
def unpack(s, men):
    """A state from its men, of seat 0 and of seat 1; nobody has rolled."""
    for seat in range(2):
        held, off = 0, MEN
        s.men[seat, 0] = 0
        for point in range(1, OFF):
            here = men[seat * POINTS + point - 1]
            s.men[seat, point] = here
            off -= here
            if here:
                held |= 1 << point
        s.men[seat, OFF] = off
        s.held[seat] = held
    s.left[0], s.left[1] = 0, 0
    s.points[0], s.points[1] = 0, 0
    s.match = LENGTHS[-1]
    s.must_open, s.winner_starts, s.unwalled = 0, 0, 0
    s.fresh, s.opening = 0, 0


@kernel
def set_up(s, men, turn, opening):
    """The state of a game before nature's move."""
    unpack(s, men)
    s.turn = turn
    s.opening = opening


@kernel
def carry_out(s, seat, steps):
    """Play the steps of an ending, packed by `list_endings`."""
    while steps:
        shift(s, seat, steps & 31, steps >> 5 & 31)
        steps >>= 10


@kernel
def draw(g, s, out, throw, dice, men, turn, opening, drawn):
    """Draw nature's next move in a game."""
    set_up(s, men[g], turn[g], opening[g])
    throw[0] = np.uint64(dice[g])
    drawn[g] = pick(throw, out, odds(s, out))
    dice[g] = np.int64(throw[0])


@kernel
def place_of(move, moves):
    """The index of a move in a list, or the length of the list if it is missing."""
    at = 0
    while at < len(moves) and moves[at] != move:
        at += 1
    return at


@kernel
def list_endings(worlds, seat, out, tried, count, points, steps, endings, first):
    """List every ending of the seat's turn at `worlds[0]`, as steps packed into a number; returns how many there are.

    Orders of the same steps are left out where that is easily seen: a double is played from the last man on, and of two
    different dice none is played after the other that was tried before it.
    """
    is_double, was_running = worlds[0].dice[0] == worlds[0].dice[1], is_running(worlds[0], seat)
    n, depth = 0, 0
    tried[0], count[0], steps[0] = 0, -1, 0
    while depth >= 0:
        if count[depth] < 0:
            tried[depth], count[depth] = 0, moves(worlds[depth], seat, out[depth])
        if tried[depth] == count[depth]:
            depth -= 1
            continue
        move = out[depth, tried[depth]]
        tried[depth] += 1
        point = point_of(move)
        if depth and not was_running:
            if is_double and point < points[depth - 1]:
                continue
            if not is_double and place_of(move, out[0, : count[0]]) < tried[0] - 1:
                continue
        points[depth] = point
        made = steps[depth] | (point | (point + distance_of(move)) << 5) << 10 * depth
        worlds[depth + 1] = worlds[depth]
        play(worlds[depth + 1], seat, move)
        if asked(worlds[depth + 1]) == 1 << seat:
            depth += 1
            steps[depth] = made
            count[depth] = -1
        else:
            endings[first + n] = made
            n += 1
            if n == ENDINGS:
                return n
    return n


@kernel
def spread(w, worlds, out, tried, count, points, steps, rolls, men, turn, opening, drawn, movers, counts, endings):
    """Roll in a world, and list the endings of the turn. A seat that cannot move has one, without steps."""
    g, roll = w // rolls, w % rolls
    counts[w] = 0
    if rolls == 1 or opening[g]:
        if roll:
            return
        roll = drawn[g]
    set_up(worlds[0], men[g], turn[g], opening[g])
    roll_dice(worlds[0], (OPEN if opening[g] else ROLL) + roll)
    seat = worlds[0].turn
    if asked(worlds[0]) == 1 << seat:
        movers[w] = seat
        counts[w] = list_endings(worlds, seat, out, tried, count, points, steps, endings, w * ENDINGS)
    else:
        movers[w] = 1 - seat
        counts[w] = 1
        endings[w * ENDINGS] = 0


@kernel
def show(
    j, s, seen, first, rolls, men, movers, owner, places, endings, turns, waits, wins, inputs, phases, known, ends
):
    """Write the rows of an ending as a line of zeros and ones, or its exact value if known."""
    w = owner[first + j]
    mover = movers[w]
    unpack(s, men[w // rolls])
    carry_out(s, mover, endings[places[first + j]])
    phases[j] = 0
    if s.men[mover, OFF] == MEN:
        known[j] = 3
        for end in range(4):
            ends[j, end] = 0.0
        ends[j, WON_TWO if s.men[1 - mover, OFF] == 0 else WON] = 1.0
    elif is_home(s, 0) and is_home(s, 1):
        known[j] = 3
        race(s, mover, turns, waits, wins, ends[j])
    else:
        for k in range(look(s, mover, seen)):
            inputs[j, seen[k]] = 1.0
        phases[j] = phase(s, mover)
        known[j] = (1 if s.men[1 - mover, OFF] else 0) + (4 if s.men[mover, OFF] else 0)


@kernel
def find_best(w, starts, counts, values, best):
    """Find the best ending of a world."""
    best[w] = -1
    for j in range(starts[w], starts[w] + counts[w]):
        if best[w] < 0 or values[j] > values[best[w]]:
            best[w] = j


@kernel
def go_on(
    g, s, throw, rolls, dice, men, turn, opening, drawn, movers, starts, counts, places, endings, ends, values, best,
    length, done, past, past_ends, past_means, past_tries,
):  # fmt: skip
    """Play a game's turn and record it; the mean value over the rolls is recorded with the turn before."""
    t = length[g]
    if t:
        for end in range(4):
            past_means[g, t - 1, end] = 0.0
        for roll in range(rolls):
            weight = 1.0
            if rolls > 1:
                weight = (1.0 if ROLLS[roll, 0] == ROLLS[roll, 1] else 2.0) / 36.0
            j = best[g * rolls + roll]
            for end in range(4):
                past_means[g, t - 1, end] += weight * ends[j, 3 - end]
    w = g * rolls
    if rolls > 1 and not opening[g]:
        w += drawn[g]
    mover, chosen = movers[w], best[w]
    past_tries[g, t] = 0
    throw[0] = np.uint64(dice[g])
    if g % EXPLORERS == 0 and below(throw, 1 << 20) < EXPLORES * (1 << 20):
        other = starts[w] + below(throw, counts[w])
        if values[other] > values[chosen] - TRIES and other != chosen:
            chosen = other
            past_tries[g, t] = 1
    dice[g] = np.int64(throw[0])
    unpack(s, men[g])
    carry_out(s, mover, endings[places[chosen]])
    for point in range(POINTS):
        men[g, point] = s.men[0, point + 1]
        men[g, POINTS + point] = s.men[1, point + 1]
        past[g, t, point] = s.men[mover, point + 1]
        past[g, t, POINTS + point] = s.men[1 - mover, point + 1]
    for end in range(4):
        past_ends[g, t, end] = ends[chosen, end]
    length[g] = t + 1
    turn[g] = 1 - mover
    opening[g] = 0
    done[g] = 0
    if s.men[mover, OFF] == MEN or (is_home(s, 0) and is_home(s, 1)):
        done[g] = 1
    elif t + 1 == LONGEST:
        done[g] = 2


@kernel
def harvest(
    g, s, trace, size, men, turn, opening, length, done, past, past_ends, past_means, past_tries, offsets, ring, goals
):
    """Write the targets of a finished game's positions, except the last, and begin a new game."""
    if done[g] == 0:
        return
    if done[g] == 1:
        last = length[g] - 1
        for t in range(last - 1, -1, -1):
            to, after = (offsets[g] + t) % size, (offsets[g] + t + 1) % size
            for k in range(2 * POINTS):
                ring[to, k] = past[g, t, k]
            for end in range(4):
                goal = past_means[g, t, end]
                if t + 1 < last and past_tries[g, t + 1] == 0:
                    goal += trace * (goals[after, 3 - end] - past_ends[g, t + 1, 3 - end])
                goals[to, end] = goal
    put_up(s)
    for point in range(POINTS):
        men[g, point] = s.men[0, point + 1]
        men[g, POINTS + point] = s.men[1, point + 1]
    turn[g] = 0
    opening[g] = 1
    length[g] = 0
    done[g] = 0


@kernel
def show_again(b, s, seen, which, ring, inputs, phases):
    """Write the rows of a recorded position, and its phase."""
    unpack(s, ring[which[b]])
    for k in range(look(s, 0, seen)):
        inputs[b, seen[k]] = 1.0
    phases[b] = phase(s, 0)


# The same on all threads of a GPU, or in a loop on the CPU.


class Jobs(NamedTuple):
    """Functions that process all games, worlds, endings or positions; the first argument is their number."""

    draw: object
    spread: object
    show: object
    find_best: object
    go_on: object
    harvest: object
    show_again: object


def jobs_here():
    """The jobs, for the CPU."""
    from numba import njit

    s, worlds, throw = np.zeros(1, STATE), np.zeros(5, STATE), np.zeros(1, np.uint64)
    out, tried, seen = np.zeros((5, 30), np.int32), np.zeros((4, 5), np.int64), np.zeros(MOST_ROWS, np.int32)

    def every(job, space):
        @njit(nogil=True)
        def loop(n, space, rest):
            for i in range(n):
                job(i, *space, *rest)

        @njit(nogil=True)
        def loop_one(n, s, space, rest):
            for i in range(n):
                job(i, s[0], *space, *rest)

        def run(n, *rest):
            rest = tuple(part.numpy() if isinstance(part, torch.Tensor) else part for part in rest)
            if space and space[0] is s:
                loop_one(n, s, space[1:], rest)
            else:
                loop(n, space, rest)

        return run

    return Jobs(
        draw=every(draw, (s, out[0], throw)),
        spread=every(spread, (worlds, out, *tried)),
        show=every(show, (s, seen)),
        find_best=every(find_best, ()),
        go_on=every(go_on, (s, throw)),
        harvest=every(harvest, (s,)),
        show_again=every(show_again, (s, seen)),
    )


def jobs_there():
    """The jobs, for a GPU."""
    from backroom.gym.compiler import local_type, must_be_there

    must_be_there()
    from numba import cuda, int32, int64, uint64

    record = local_type(STATE)

    @cuda.jit
    def draw_all(n, dice, men, turn, opening, drawn):
        i = cuda.grid(1)
        if i < n:
            s = cuda.local.array(1, record)
            out = cuda.local.array(30, int32)
            throw = cuda.local.array(1, uint64)
            draw(i, s[0], out, throw, dice, men, turn, opening, drawn)

    @cuda.jit
    def spread_all(n, rolls, men, turn, opening, drawn, movers, counts, endings):
        i = cuda.grid(1)
        if i < n:
            worlds = cuda.local.array(5, record)
            out = cuda.local.array((5, 30), int32)
            tried = cuda.local.array(5, int64)
            count = cuda.local.array(5, int64)
            points = cuda.local.array(5, int64)
            steps = cuda.local.array(5, int64)
            spread(
                i, worlds, out, tried, count, points, steps, rolls, men, turn, opening, drawn, movers, counts, endings
            )

    @cuda.jit
    def show_all(n, first, rolls, men, movers, owner, places, endings, turns, waits, wins, inputs, phases, known, ends):
        i = cuda.grid(1)
        if i < n:
            s = cuda.local.array(1, record)
            seen = cuda.local.array(MOST_ROWS, int32)
            show(
                i, s[0], seen, first, rolls, men, movers, owner, places, endings, turns, waits, wins, inputs, phases,
                known, ends,
            )  # fmt: skip

    @cuda.jit
    def find_best_all(n, starts, counts, values, best):
        i = cuda.grid(1)
        if i < n:
            find_best(i, starts, counts, values, best)

    @cuda.jit
    def go_on_all(
        n, rolls, dice, men, turn, opening, drawn, movers, starts, counts, places, endings, ends, values, best,
        length, done, past, past_ends, past_means, past_tries,
    ):  # fmt: skip
        i = cuda.grid(1)
        if i < n:
            s = cuda.local.array(1, record)
            throw = cuda.local.array(1, uint64)
            go_on(
                i, s[0], throw, rolls, dice, men, turn, opening, drawn, movers, starts, counts, places, endings, ends,
                values, best, length, done, past, past_ends, past_means, past_tries,
            )  # fmt: skip

    @cuda.jit
    def harvest_all(
        n, trace, size, men, turn, opening, length, done, past, past_ends, past_means, past_tries, offsets, ring, goals
    ):
        i = cuda.grid(1)
        if i < n:
            s = cuda.local.array(1, record)
            harvest(
                i, s[0], trace, size, men, turn, opening, length, done, past, past_ends, past_means, past_tries,
                offsets, ring, goals,
            )  # fmt: skip

    @cuda.jit
    def show_again_all(n, which, ring, inputs, phases):
        i = cuda.grid(1)
        if i < n:
            s = cuda.local.array(1, record)
            seen = cuda.local.array(MOST_ROWS, int32)
            show_again(i, s[0], seen, which, ring, inputs, phases)

    def every(job, block=64):
        def run(n, *rest):
            if n:
                parts = (cuda.as_cuda_array(part) if isinstance(part, torch.Tensor) else part for part in rest)
                job[-(-n // block), block](n, *parts)

        return run

    return Jobs(
        every(draw_all),
        every(spread_all),
        every(show_all, 128),
        every(find_best_all),
        every(go_on_all),
        every(harvest_all),
        every(show_again_all, 128),
    )


class Net(torch.nn.Module):
    """The net in PyTorch; rows for counts, such as numbers of men, are learned as differences between neighbours."""

    def __init__(self) -> None:
        super().__init__()
        start = torch.randn(ROWS, HIDDEN) * 0.02
        start[:BORNE].view(2, POINTS, MEN, HIDDEN)[:, :, 0] *= 6
        self.rows = torch.nn.Parameter(start)
        self.bias = torch.nn.Parameter(torch.randn(HIDDEN) * 0.1)
        self.weights = torch.nn.Parameter((torch.randn(HIDDEN, SECOND) * (2 / HIDDEN) ** 0.5).repeat(PHASES, 1, 1))
        self.second_bias = torch.nn.Parameter(torch.zeros(PHASES, SECOND))
        self.last = torch.nn.Parameter((torch.randn(SECOND, 4) * (1 / SECOND) ** 0.5).repeat(PHASES, 1, 1))
        self.last_bias = torch.nn.Parameter(torch.zeros(PHASES, 4))

    def table(self):
        """The rows in the kernel's format."""
        rows = self.rows

        def steps(begin, end, *shape):
            return rows[begin:end].view(*shape, HIDDEN).cumsum(len(shape) - 1).reshape(-1, HIDDEN)

        return torch.cat([
            steps(0, BORNE, 2, POINTS, MEN),
            steps(BORNE, TO_GO, 2, MEN),
            steps(TO_GO, WALL, 2, -1),
            rows[WALL:LEAD],
            steps(LEAD, MOBILITY, -1),
            steps(MOBILITY, LOOSE, 12, MOST_MOVERS + 1),
            steps(LOOSE, BEHIND, 12, MOST_LOOSE + 1),
            steps(BEHIND, PRIME, 6, MEN),
            rows[PRIME:SPARE],
            steps(SPARE, MANY, 2, -1),
            steps(MANY, LAST, 6, MEN + 1),
            steps(LAST, ROWS, 2, POINTS),
            torch.zeros(INPUTS - ROWS, HIDDEN, device=rows.device),
        ])  # fmt: skip

    def layers(self, kind):
        """The matrices for `logits_of`."""
        return (
            self.table().to(kind),
            self.bias.to(kind),
            self.weights.permute(1, 0, 2).reshape(HIDDEN, PHASES * SECOND).to(kind),
            self.second_bias.reshape(-1).to(kind),
            self.last.reshape(PHASES * SECOND, 4).to(kind),
            self.last_bias,
        )

    @torch.no_grad()
    def exported(self):
        """The arrays of `net.npz`."""
        parts = (self.table()[:ROWS], self.bias, self.weights, self.second_bias, self.last, self.last_bias)
        rows, bias, weights, *rest = (part.detach().float().cpu().numpy() for part in parts)
        most = np.iinfo(np.int16).max - 1
        rows = 2 * np.clip(np.rint(rows * (SCALE // 2)), -(most // 2), most // 2).astype(np.int16)
        weights = np.ascontiguousarray(weights / np.float32(SCALE))
        bits = weights.view(np.int32)
        bits[:] = bits + (1 << 11) & ~0xFFF  # eleven bits of mantissa are enough, and make the file smaller
        return rows, np.rint(bias * SCALE).astype(np.int32), weights, *rest


def logits_of(layers, inputs, phases):
    """The logits of the four ends for each line."""
    table, bias, weights, second_bias, last, last_bias = layers
    hidden = torch.addmm(bias, inputs, table).relu()
    second = torch.addmm(second_bias, hidden, weights).relu()
    mine = torch.arange(PHASES, device=phases.device) == phases[:, None]
    second = (second.view(-1, PHASES, SECOND) * mine[:, :, None]).view(-1, PHASES * SECOND)
    return (second @ last).float() + last_bias[phases]


class Field:
    """Parallel games, and the positions recorded from them."""

    def __init__(self, games: int, rolls: int, ring: int, chunk: int, device: str, seed: int) -> None:
        def zeros(*shape, dtype=torch.int64):
            return torch.zeros(shape, dtype=dtype, device=device)

        self.games, self.chunk, self.device = games, chunk, device
        self.half = torch.float16 if device == "cuda" else torch.float32
        self.jobs = jobs_there() if device == "cuda" else jobs_here()
        torch.manual_seed(seed)
        self.dice = torch.randint(-(2**62), 2**62, (games,)).to(device)
        self.men = zeros(games, 2 * POINTS, dtype=torch.int8)
        self.turn, self.opening = zeros(games, dtype=torch.int8), zeros(games, dtype=torch.int8)
        self.drawn, self.length = zeros(games), zeros(games)
        self.done = zeros(games, dtype=torch.int8)
        self.movers = zeros(games * rolls, dtype=torch.int8)
        self.counts, self.best = zeros(games * rolls), zeros(games * rolls)
        self.endings = zeros(games * rolls * ENDINGS)
        self.past = zeros(games, LONGEST, 2 * POINTS, dtype=torch.int8)
        self.past_ends = zeros(games, LONGEST, 4, dtype=torch.float32)
        self.past_means = zeros(games, LONGEST, 4, dtype=torch.float32)
        self.past_tries = zeros(games, LONGEST, dtype=torch.int8)
        self.ring, self.goals = zeros(ring, 2 * POINTS, dtype=torch.int8), zeros(ring, 4, dtype=torch.float32)
        self.at = zeros(1)
        self.over, self.long = zeros(1), zeros(1)
        self.inputs = zeros(chunk, INPUTS, dtype=self.half)
        self.phases, self.known = zeros(chunk), zeros(chunk)
        self.tables = tuple(torch.from_numpy(np.array(part)).to(device) for part in bearoff.tables())
        self.done[:] = 2
        self.finish(0.0)
        self.over[:], self.long[:] = 0, 0
        self.worth = torch.tensor([-2.0, -1.0, 1.0, 2.0], device=device)
        self.looked = 0
        self.spent, self.since = None, 0.0

    def clock(self, word: str) -> None:
        """Record the time of each stage, if profiling is on."""
        if self.spent is not None:
            if self.device == "cuda":
                torch.cuda.synchronize()
            self.spent[word] = round(self.spent.get(word, 0.0) + time.time() - self.since, 4)
            self.since = time.time()

    @torch.no_grad()
    def turn_of_all(self, layers, rolls: int, trace: float) -> None:
        """Advance every game by a turn."""
        worlds = self.games * rolls
        seats = (self.men, self.turn, self.opening)
        self.jobs.draw(self.games, self.dice, *seats, self.drawn)
        self.jobs.spread(worlds, rolls, *seats, self.drawn, self.movers, self.counts, self.endings)
        self.clock("listing")
        counts = self.counts[:worlds]
        starts = counts.cumsum(0) - counts
        total = int(counts.sum())
        numbers = torch.arange(worlds, device=self.device)
        owner = numbers.repeat_interleave(counts, output_size=total)
        places = owner * ENDINGS + torch.arange(total, device=self.device) - starts[owner]
        ends = torch.empty(total, 4, device=self.device)
        self.clock("sorting")
        for first in range(0, total, self.chunk):
            n = min(self.chunk, total - first)
            inputs, phases, known, said = self.inputs[:n], self.phases[:n], self.known[:n], ends[first : first + n]
            inputs.zero_()
            self.jobs.show(
                n, first, rolls, self.men, self.movers, owner, places, self.endings, *self.tables, inputs, phases,
                known, said,
            )  # fmt: skip
            self.clock("showing")
            thought = torch.softmax(logits_of(layers, inputs, phases), 1)
            lost_two, lost, won, won_two = thought.unbind(1)
            no_won_two, no_lost_two = (known == 1) | (known == 5), known >= 4
            thought = torch.stack([
                torch.where(no_lost_two, 0.0, lost_two),
                torch.where(no_lost_two, lost + lost_two, lost),
                torch.where(no_won_two, won + won_two, won),
                torch.where(no_won_two, 0.0, won_two),
            ], 1)  # fmt: skip
            said.copy_(torch.where((known == 3)[:, None], said, thought))
            self.clock("thinking")
        values = ends @ self.worth
        self.jobs.find_best(worlds, starts, counts, values, self.best)
        self.jobs.go_on(
            self.games, rolls, self.dice, *seats, self.drawn, self.movers, starts, counts, places, self.endings, ends,
            values, self.best, self.length, self.done, self.past, self.past_ends, self.past_means, self.past_tries,
        )  # fmt: skip
        self.clock("going on")
        self.finish(trace)
        self.clock("harvest")
        self.looked += total

    def finish(self, trace: float) -> None:
        """Store the positions of finished games, and begin new ones."""
        new = torch.where(self.done == 1, self.length - 1, 0)
        offsets = new.cumsum(0) - new + self.at
        self.over += (self.done == 1).sum()
        self.long += (self.done == 2).sum()
        self.jobs.harvest(
            self.games, trace, len(self.ring), self.men, self.turn, self.opening, self.length, self.done, self.past,
            self.past_ends, self.past_means, self.past_tries, offsets, self.ring, self.goals,
        )  # fmt: skip
        self.at += new.sum()

    def sample(self, batch: int):
        """A batch of recorded positions: inputs, phases and targets."""
        size = self.at.clamp(max=len(self.ring))
        which = (torch.rand(batch, device=self.device, dtype=torch.float64) * size).long()
        inputs = torch.zeros(batch, INPUTS, device=self.device)
        phases = torch.zeros(batch, dtype=torch.int64, device=self.device)
        self.jobs.show_again(batch, which, self.ring, inputs, phases)
        return inputs, phases, self.goals[which]


WARM_UP = 500
"""Steps until the full learning rate, because the optimizer has no statistics at first."""


class Learner:
    def __init__(self, device: str) -> None:
        self.net, self.mean = Net().to(device), Net().to(device)
        self.mean.load_state_dict(self.net.state_dict())
        self.best = torch.optim.Adam(self.net.parameters(), lr=1e-3, eps=1e-7, fused=True)
        self.steps, self.made = 0, 0

    def step(self, inputs, phases, goals, rate: float, decay: float):
        for group in self.best.param_groups:
            group["lr"] = rate * min(1.0, (self.made + 1) / WARM_UP)
        said = torch.log_softmax(logits_of(self.net.layers(torch.float32), inputs, phases), 1)
        loss = -(goals * said).sum(1).mean()
        self.best.zero_grad(set_to_none=True)
        loss.backward()
        self.best.step()
        self.steps += 1
        self.made += 1
        decay = min(decay, self.steps / (self.steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.mean.parameters()), list(self.net.parameters()), 1 - decay)
        return loss.detach()


def save_net(path, weights):
    draft = path.with_suffix(".draft.npz")
    np.savez_compressed(draft, **dict(zip(WEIGHTS, weights, strict=True)))
    draft.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--games", type=int, default=1 << 16, help="games side by side")
    parser.add_argument("--rolls", type=int, choices=[1, ALL_ROLLS], default=1, help="rolls looked at after each turn")
    parser.add_argument("--idle", type=int, default=150, help="rounds before it learns, so that games are of every age")
    parser.add_argument("--batch", type=int, default=1 << 14)
    parser.add_argument("--passes", type=float, default=4, help="how often each position is learned from")
    parser.add_argument("--ring", type=int, default=16_000_000, help="positions that are remembered")
    parser.add_argument("--chunk", type=int, default=1 << 20, help="endings judged at once")
    parser.add_argument("--rates", type=float, nargs=2, default=(1e-3, 1e-5), help="how fast it learns, first and last")
    parser.add_argument("--traces", type=float, nargs=2, default=(0.9, 0.7), help="λ, first and after a quarter")
    parser.add_argument("--decay", type=float, default=0.999, help="of the running mean of the weights")
    parser.add_argument("--every", type=float, default=30, help="seconds between lines of the log and checkpoints")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    begin = time.time()
    field = Field(args.games, args.rolls, args.ring, args.chunk, device, args.seed)
    learner = Learner(device)
    games, seconds = 0, 0.0
    if args.resume:
        kept = torch.load(args.folder / "checkpoint.pt", map_location=device)
        learner.net.load_state_dict(kept["mean"])
        learner.mean.load_state_dict(kept["mean"])
        learner.steps, games, seconds = kept["steps"], kept["games"], kept["seconds"]
    print(f"set up in {time.time() - begin:.0f} s", flush=True)

    def save():
        spent = {"steps": learner.steps, "games": games + int(field.over), "seconds": seconds + time.time() - begin}
        draft = args.folder / "checkpoint.draft"
        torch.save({"mean": learner.mean.state_dict()} | spent, draft)
        draft.replace(args.folder / "checkpoint.pt")
        save_net(args.folder / "net.npz", learner.mean.exported())

    begin = last = time.time()
    rounds, owed, losses, looked = 0, 0.0, [], 0
    with (args.folder / "log.jsonl").open("a") as log:
        while True:
            done = min((time.time() - begin) / (60 * args.minutes), 1)
            if done == 1:
                break
            rate = args.rates[1] + (args.rates[0] - args.rates[1]) * 0.5 * (1 + np.cos(np.pi * done))
            trace = args.traces[0] + (args.traces[1] - args.traces[0]) * min(4 * done, 1)
            with torch.no_grad():
                layers = learner.mean.layers(field.half)
            field.clock("other")
            field.turn_of_all(layers, args.rolls if rounds >= args.idle else 1, trace)
            rounds += 1
            if rounds == args.idle and args.rolls > 1:
                field.at.zero_()  # discard positions with targets from a single roll
            if rounds > (args.idle if args.rolls == 1 else 2 * args.idle):
                owed += args.passes * args.games / args.batch
            while owed >= 1:
                owed -= 1
                losses.append(learner.step(*field.sample(args.batch), rate, args.decay))
            field.clock("learning")
            if time.time() - last > args.every or rounds in (1, 20, args.idle, args.idle + 20):
                line = {
                    "seconds": round(seconds + time.time() - begin, 1),
                    "games": games + int(field.over),
                    "thrown away": int(field.long),
                    "positions": int(field.at),
                    "rounds": rounds,
                    "steps": learner.steps,
                    "endings a second": round((field.looked - looked) / (time.time() - last)),
                    "loss": round(float(torch.stack(losses).mean()), 4) if losses else None,
                    "rate": float(rate),
                    "trace": float(trace),
                    "spent": field.spent,
                }
                field.spent = {} if rounds in (20, args.idle) else None
                if time.time() - last > args.every:
                    save()
                losses, looked, last = [], field.looked, time.time()
                print(json.dumps(line), flush=True)
                log.write(json.dumps(line) + "\n")
                log.flush()
    save()
    print(json.dumps({"games": games + int(field.over), "seconds": round(seconds + time.time() - begin)}), flush=True)


if __name__ == "__main__":
    main()

"""Experiment: a tree of whole turns for Rum Run."""

from pathlib import Path
from typing import Any, NamedTuple
from functools import cache
from dataclasses import dataclass

import numpy as np

from backroom.bots import plans, rollouts
from backroom.bots.hashing import fingerprint, hashed_words
from backroom.bots.memory import AGAIN, MOST_STEPS, await_there, decide_on, goes_on, has_been, next_step, note
from backroom.bots.plans import number
from backroom.bots.thinking import is_late, let_nature_of, never
from backroom.engine.kernel import NATURE, add_package, below, kernel, lowest, without_back
from backroom.games.rum_run.brain import (
    OTHERS, LATE, LED, LEVEL, goal_of, layout, on_the_way, patience, prospects, value, worth_trying,
)
from backroom.games.rum_run.pieces import QUIET_ROUNDS
from backroom.games.rum_run.reach import ground_of, threats_to
from backroom.games.rum_run.rules.objectives import size_of, total
from backroom.games.rum_run.rules.state import ASK_PICK, CARAVAN, NODE, PICK, RETURN, top

MOST_WIDTH = 64
MOST_BEAM = 32
MOST_NODES = 24_000
DEEP = 64


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    iterations: int = number(100, most=1_000_000)
    width: int = number(12, least=1, most=MOST_WIDTH)
    first: int = number(32, least=1, most=MOST_WIDTH)
    beam: int = number(8, least=1, most=MOST_BEAM)
    trees: int = number(4, least=1, most=1000)
    curious: float = number(0.15, most=100)
    warmth: float = number(0.04, most=100)
    mix: float = number(0.5, most=1)
    oppose: float = number(0.0, most=1)
    blur: float = number(0.0, most=100)
    deep: int = number(60, least=1, most=60)


class Work(NamedTuple):
    rolls: Any
    tree: Any  # states
    parts: Any  # partial turns, two halves
    part_marks: Any
    part_steps: Any
    done: Any
    done_marks: Any
    done_vec: Any
    done_steps: Any
    spare: Any
    words: Any
    vec: Any
    out: Any
    first: Any
    count: Any
    visits: Any
    totals: Any
    vals: Any
    prior: Any
    penal: Any
    mover: Any
    rows: Any  # steps of the root's turns
    path: Any
    root_visits: Any
    root_totals: Any
    size: Any  # nodes used; nature asked
    luck: Any
    plan: Any
    stop: Any


@kernel
def look_at(s, vec, oppose):
    """What each seat may expect."""
    if s.over:
        for seat in range(s.seats):
            vec[seat] = (int(s.winners) >> seat & 1) / size_of(int(s.winners))
        return
    calm = patience(s)
    ground = ground_of(s)
    for seat in range(s.seats):
        threats = threats_to(s, seat)
        roads, outlook = 0.0, 0.0
        for colour in range(seat, s.colours, s.seats):
            roads += on_the_way(s, colour, threats)
            outlook += prospects(s, colour, ground, threats)
        vec[4 + seat] = roads
        vec[8 + seat] = outlook
    late = LATE * (s.quiet / (QUIET_ROUNDS * s.colours)) ** 2
    for seat in range(s.seats):
        mine, best, most = total(s, seat), -9.0, 0
        for other in range(s.seats):
            if other != seat:
                best = max(best, total(s, other) + OTHERS * calm * vec[4 + other])
                most = max(most, total(s, other))
        ahead = mine + calm * (vec[4 + seat] + vec[8 + seat]) - best
        found = 1.0 / (1.0 + np.exp(-8.0 * ahead / goal_of(s)))
        vec[seat] = (1.0 - late) * found + late * (LED if mine > most else LEVEL if mine == most else 0.0)
    if oppose > 0.0:
        for seat in range(s.seats):
            best = 0.0
            for other in range(s.seats):
                if other != seat:
                    best = max(best, vec[other])
            vec[4 + seat] = (1.0 - 0.5 * oppose) * vec[seat] + 0.5 * oppose * (1.0 - best)
        for seat in range(s.seats):
            vec[seat] = vec[4 + seat]


@cache
def parts_of(game):
    asked, moves, play, back = game.rules.asked, game.rules.moves, game.rules.play, game.rules.BACK
    score, imagine = game.rules.score, game.rules.imagine
    let_nature, (_, hashed) = let_nature_of(game), hashed_words(game)
    most = game.rules.MOST_MOVES
    old_choose = rollouts.choose_of(game)

    @kernel
    def put_in(marks, n, room, mark):
        """The place for a mark in a list of the best; -1: none."""
        if n < room:
            return n
        worst = 0
        for i in range(1, n):
            if marks[i] < marks[worst]:
                worst = i
        return worst if mark > marks[worst] else -1

    @kernel
    def consider(work, which, seat, steps, length, parts, half, n, width):
        """Keep the position in `spare[which]`, if it is among the best; says how many partial and whole turns there are."""
        s = work.spare[which]
        mark = value(s, seat)
        if asked(s) == 1 << seat and length < MOST_STEPS - 4:
            base = half * MOST_BEAM
            for i in range(base, base + parts):
                if work.part_marks[i] == mark and layout(work.parts[i]) == layout(s):
                    return parts, n
            at = put_in(work.part_marks[base:], parts, work.plan.beam, mark)
            if at >= 0:
                work.part_marks[base + at] = mark
                work.parts[base + at] = s
                work.part_steps[base + at, 0] = length
                for k in range(length):
                    work.part_steps[base + at, k + 1] = steps[k]
                if at == parts:
                    parts += 1
            return parts, n
        for i in range(n):
            if work.done_marks[i] == mark and layout(work.done[i]) == layout(s):
                return parts, n
        at = put_in(work.done_marks, n, width, mark)
        if at >= 0:
            work.done_marks[at] = mark
            work.done[at] = s
            work.done_steps[at, 0] = length
            for k in range(length):
                work.done_steps[at, k + 1] = steps[k]
            if at == n:
                n += 1
        return parts, n

    @kernel
    def list_turns(work, node, seat, width, is_root):
        """The best whole turns of a seat in a position of the tree: in `done`."""
        work.parts[0] = work.tree[node]
        work.part_steps[0, 0] = 0
        parts, half, n = 1, 0, 0
        out, then, steps = work.out[:most], work.out[most : 2 * most], work.out[2 * most :]
        while parts:
            more = 0
            for p in range(half * MOST_BEAM, half * MOST_BEAM + parts):
                length = work.part_steps[p, 0]
                for k in range(length):
                    steps[k] = work.part_steps[p, k + 1]
                m = without_back(out, moves(work.parts[p], seat, out), back)
                m = worth_trying(work.parts[p], seat, out, m)
                for i in range(m):
                    move = out[i]
                    if PICK <= move < RETURN and not is_root and m > 1:
                        continue
                    work.spare[0] = work.parts[p]
                    play(work.spare[0], seat, move)
                    steps[length] = move
                    if NODE <= move < RETURN:
                        mm = without_back(then, moves(work.spare[0], seat, then), back)
                        for j in range(mm):
                            work.spare[1] = work.spare[0]
                            play(work.spare[1], seat, then[j])
                            steps[length + 1] = then[j]
                            more, n = consider(work, 1, seat, steps, length + 2, more, 1 - half, n, width)
                    else:
                        more, n = consider(work, 0, seat, steps, length + 1, more, 1 - half, n, width)
            parts, half = more, 1 - half
        for i in range(n):
            look_at(work.done[i], work.vec, work.plan.oppose)
            work.done_marks[i] = work.vec[seat]
            for k in range(4):
                work.done_vec[i, k] = work.vec[k]
        return n

    @kernel
    def expand(work, node, is_root, memory):
        """Give a position its children; what it is worth is put into `vec`."""
        s = work.tree[node]
        mask = asked(s)
        while mask == 1 << NATURE:
            let_nature(s, work.luck, work.out, work.out)
            work.size[1] = 1
            mask = asked(s)
        work.first[node], work.count[node] = work.size[0], 0
        if mask == 0:
            look_at(s, work.vec, work.plan.oppose)
            work.mover[node] = -2
            return
        seat = lowest(mask)
        work.mover[node] = seat
        n = list_turns(work, node, seat, work.plan.first if is_root else work.plan.width, is_root)
        best, top_mark, all_of = 0, -1.0, 0.0
        for i in range(n):
            if work.done_marks[i] > top_mark:
                best, top_mark = i, work.done_marks[i]
        base = work.size[0]
        for i in range(n):
            child = base + i
            work.tree[child] = work.done[i]
            work.penal[child] = AGAIN * has_been(memory, layout(work.done[i])) if is_root else 0.0
            work.visits[child], work.mover[child] = 0, -1
            for k in range(4):
                work.totals[child, k] = 0.0
                work.vals[child, k] = work.done_vec[i, k]
            work.prior[child] = np.exp((work.done_marks[i] - top_mark) / work.plan.warmth)
            all_of += work.prior[child]
            if is_root:
                for k in range(work.done_steps[i, 0] + 1):
                    work.rows[i, k] = work.done_steps[i, k]
        for child in range(base, base + n):
            work.prior[child] /= all_of
        work.size[0] += n
        work.count[node] = n
        for k in range(4):
            work.vec[k] = (1.0 - work.plan.mix) * work.vals[node, k] + work.plan.mix * work.vals[base + best, k]

    @kernel
    def select(work, node):
        """The child to look at next."""
        seat = work.mover[node]
        base, n = work.first[node], work.count[node]
        offset, seen = 0.0, 0
        for child in range(base, base + n):
            if work.visits[child]:
                offset += work.totals[child, seat] - work.visits[child] * work.vals[child, seat]
                seen += work.visits[child]
        if seen:
            offset /= seen
        best, most_worth = base, -1e9
        root = np.sqrt(seen + 1.0)
        for child in range(base, base + n):
            v = work.visits[child]
            q = work.totals[child, seat] / v if v else work.vals[child, seat] + offset
            worth = q - work.penal[child] + work.plan.curious * work.prior[child] * root / (1 + v)
            if worth > most_worth:
                best, most_worth = child, worth
        return best

    @kernel
    def iterate(work, memory):
        node, length = 0, 1
        work.path[0] = 0
        while work.mover[node] >= 0 and work.count[node] and length < work.plan.deep:
            node = select(work, node)
            work.path[length] = node
            length += 1
        if work.mover[node] == -1:
            expand(work, node, False, memory)
            if work.mover[node] == -2:
                for k in range(4):
                    work.vals[node, k] = work.vec[k]
        else:
            for k in range(4):
                work.vec[k] = work.vals[node, k]
        for i in range(length):
            work.visits[work.path[i]] += 1
            for k in range(4):
                work.totals[work.path[i], k] += work.vec[k]

    @kernel
    def plant(work, memory):
        """Begin a tree."""
        work.size[0] = 1
        work.visits[0], work.mover[0] = 0, -1
        for k in range(4):
            work.totals[0, k] = 0.0
            work.vals[0, k] = 0.0
        expand(work, 0, True, memory)
        return work.count[0]

    @kernel
    def think(v, seat, dice, work, memory):
        """Which of the root's turns."""
        work.tree[0] = v
        imagine(work.tree[0], seat, dice)
        work.size[1] = 0
        n = plant(work, memory)
        if n < 2:
            return 0
        work.root_visits[:n] = 0
        work.root_totals[:n] = 0.0
        done = 0
        share = max(1, work.plan.iterations // work.plan.trees)
        first = work.first[0]
        while done < work.plan.iterations and not is_late(work):
            if done and done % share == 0 and work.size[1]:
                for i in range(n):
                    work.root_visits[i] += work.visits[first + i]
                    work.root_totals[i] += work.totals[first + i, seat]
                below(dice, 2)
                work.luck[0] = dice[0]
                work.tree[0] = v
                imagine(work.tree[0], seat, dice)
                plant(work, memory)
            if work.size[0] + MOST_WIDTH >= MOST_NODES:
                break
            iterate(work, memory)
            done += 1
        best, most_worth = 0, -1e9
        for i in range(n):
            visits = work.root_visits[i] + work.visits[first + i]
            totals = work.root_totals[i] + work.totals[first + i, seat]
            worth = visits + (totals / visits - work.penal[first + i] if visits else 0.0)
            if worth > most_worth:
                best, most_worth = i, worth
        return best

    @kernel
    def choose(v, seat, dice, work, memory):
        if top(v) == ASK_PICK or asked(v) != 1 << seat:
            return old_choose(v, seat, dice, work.rolls, memory)
        n = without_back(work.out, moves(v, seat, work.out), back)
        work.spare[2] = v
        if n == 1:
            play(work.spare[2], seat, work.out[0])
            if asked(work.spare[2]) != 1 << seat:
                note(memory, layout(work.spare[2]))
            return work.out[0]
        if not goes_on(memory, fingerprint(work.words[2], hashed, seat)):
            best = think(v, seat, dice, work, memory)
            decide_on(memory, work.rows[best, 1:], work.rows[best, 0])
        move = next_step(memory)
        work.spare[2] = v
        play(work.spare[2], seat, move)
        if asked(work.spare[2]) != 1 << seat:
            note(memory, layout(work.spare[2]))
        await_there(memory, fingerprint(work.words[2], hashed, seat))
        return move

    return choose, think, plant


def choose_of(game):
    return parts_of(game)[0]


def workspace_for(game, plan):
    most, (word, _) = game.rules.MOST_MOVES, hashed_words(game)
    state = game.rules.STATE
    spare = np.zeros(3, state)
    from backroom.bots.bot import strategy_of
    module, old = strategy_of("hard", game)
    return Work(
        rolls=rollouts.workspace_for(game, old),
        tree=np.zeros(MOST_NODES, state),
        parts=np.zeros(2 * MOST_BEAM, state),
        part_marks=np.zeros(2 * MOST_BEAM),
        part_steps=np.zeros((2 * MOST_BEAM, MOST_STEPS + 2), np.int32),
        done=np.zeros(MOST_WIDTH, state),
        done_marks=np.zeros(MOST_WIDTH),
        done_vec=np.zeros((MOST_WIDTH, 4)),
        done_steps=np.zeros((MOST_WIDTH, MOST_STEPS + 2), np.int32),
        spare=spare,
        words=spare.view(word).reshape(3, -1),
        vec=np.zeros(16),
        out=np.zeros(3 * most, np.int32),
        first=np.zeros(MOST_NODES, np.int32),
        count=np.zeros(MOST_NODES, np.int32),
        visits=np.zeros(MOST_NODES, np.int32),
        totals=np.zeros((MOST_NODES, 4)),
        vals=np.zeros((MOST_NODES, 4)),
        prior=np.zeros(MOST_NODES),
        penal=np.zeros(MOST_NODES),
        mover=np.zeros(MOST_NODES, np.int32),
        rows=np.zeros((MOST_WIDTH, MOST_STEPS + 2), np.int32),
        path=np.zeros(DEEP + 2, np.int32),
        root_visits=np.zeros(MOST_WIDTH, np.int64),
        root_totals=np.zeros(MOST_WIDTH),
        size=np.zeros(2, np.int64),
        luck=np.zeros(1, np.uint64),
        plan=plan.record,
        stop=never(),
    )

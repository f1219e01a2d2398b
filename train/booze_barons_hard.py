"""Matches between variants of Booze Barons' `hard`, given as numbers: none of them has to be compiled.

    python train/booze_barons_hard.py RESULTS.jsonl VARIANTS.json [--seats 3 …] [--seconds S] [--threads N] [--seed 1]

VARIANTS.json is a list of objects: `name`; `seats`, a list (all if it is missing); `rating` and `policy`, each `old` or
a folder of `booze_barons_terms.py` with the terms for the ratings and for rollouts; `rating_part` and `policy_part`,
how far from the plain terms (0) to these (1, the default) to go; `leaf`, numbers of `LEAF` that differ; and numbers of
PLAN that differ from those of the frozen `hard`, or lists of seven, for 3 to 9 seats. Every variant plays against the
frozen one: each seed twice, with every other seat for the variant. All progress evenly; RESULTS.jsonl has a line for
each part, and the same call again counts what is there. Prints the share of each variant, its 95 % interval and the CPU
time of a game.
"""

import argparse
import json
import math
import os
import time
from collections import defaultdict
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from booze_barons_terms import by_name

import backroom
from backroom.bots.rollouts import FEWEST, put_best_first
from backroom.bots.shares import NOBODY, share_out
from backroom.engine.kernel import NATURE, below, bit_count, kernel, lowest, pick
from backroom.games.booze_barons.brain.inference import EVEN, NO_ODDS, SETS, posterior
from backroom.games.booze_barons.brain.ratings import PLAIN, best_rated, whim, worth_of_a_move, worth_of_a_place
from backroom.games.booze_barons.pieces import BOOZES, CASINO, IN_MOB, LOCATIONS, MOBS, MOST_SEATS
from backroom.games.booze_barons.rules.course import asked, moves, odds, play
from backroom.games.booze_barons.rules.reckoning import mob_coins, mob_result, score
from backroom.games.booze_barons.rules.secrets import are_fair, hide, imagine, possible
from backroom.games.booze_barons.rules.state import (
    ACT,
    GO,
    LOOK,
    MOST_MOVES,
    MOVE,
    NAME_BOOZE,
    NOTHING,
    OVER,
    STATE,
    TAKE,
    TAKE_CARD,
    after,
    can_be_exposed,
    fitting,
    is_exposed,
    mob_of,
    open_places,
    setup,
    stealable,
)

GAME = backroom.game("booze-barons")
PLAN = {
    "worlds": 96.0,
    "turns": 5.0,
    "trust": 100.0,
    "coin": 0.04,
    "infer": 0.0,
    "heat": 0.3,
    "slip": 0.2,
    "names": 1.0,
}
LEAF = {
    "suspected": 1.5,
    "fits": 0.9,
    "more": 0.05,
    "casino": 1.3,
    "act": 0.7,
    "take": 0.9,
    "steal": 0.9,
    "guess": 3.0,
    "scale": 4.0,
    "tempo": 1.0,
}


class Side(NamedTuple):
    """A variant, for kernels."""

    plan: Any
    rating: Any
    policy: Any
    leaf: Any
    model: Any
    """The terms by which others are thought to choose where to go; as often as the policy's."""


class Room(NamedTuple):
    """The arrays that one thread plays in."""

    s: Any
    worlds: Any
    out: Any
    marks: Any
    counts: Any
    luck: Any
    results: Any
    dice: Any
    weights: Any
    """How well each booze explains where each seat went, as a logarithm; then the same for choices not yet shown."""


def room() -> Room:
    return Room(
        s=np.zeros(2, STATE),
        worlds=np.zeros(2, STATE),
        out=np.zeros(3 * MOST_MOVES, np.int32),
        marks=np.zeros(MOST_MOVES),
        counts=np.zeros((3, SETS)),
        luck=np.zeros(1, np.uint64),
        results=np.zeros(NATURE),
        dice=np.zeros(2, np.uint64),
        weights=np.zeros((2, MOST_SEATS, BOOZES)),
    )


@kernel
def share_of_place(s, seat, place, t, heat):
    """The probability that a seat goes to a location: a softmax of its ratings."""
    total, own = 0.0, 0.0
    top = -1e9
    for each in range(LOCATIONS):
        if open_places(s, seat) >> each & 1:
            top = max(top, worth_of_a_place(s, seat, each, NO_ODDS, t))
    for each in range(LOCATIONS):
        if open_places(s, seat) >> each & 1:
            worth = np.exp((worth_of_a_place(s, seat, each, NO_ODDS, t) - top) / heat)
            total += worth
            if each == place:
                own = worth
    return own / total


@kernel
def explain(s, seat, place, side, weights):
    """Note how well each booze explains that a seat goes to a location."""
    carried = s.booze[seat]
    heat, slip = side.plan[5], side.plan[6]
    for booze in range(BOOZES):
        if int(s.could[seat]) >> booze & 1:
            s.booze[seat] = booze
            p = 0.5 * share_of_place(s, seat, place, side.model, heat)
            p += 0.5 * share_of_place(s, seat, place, side.policy, heat)
            weights[seat, booze] = np.log(slip / LOCATIONS + (1.0 - slip) * p)
    s.booze[seat] = carried


@kernel
def weighted(s, seat, ways, out, weights):
    """As `posterior`, with a weight for each seat and booze."""
    seats = int(s.seats)
    ways[:, :] = 0
    ways[0, 0] = 1
    for used in range(SETS):
        dealt = bit_count(used)
        if dealt < seats and ways[0, used]:
            free = possible(s, seat, dealt) & ~used
            while free:
                ways[0, used | free & -free] += ways[0, used] * np.exp(weights[dealt, lowest(free)])
                free &= free - 1
    for used in range(SETS - 1, -1, -1):
        dealt = bit_count(used)
        if dealt == seats and are_fair(bit_count(used & 15), bit_count(used >> 4 & 15), bit_count(used >> 8)):
            ways[1, used] = 1
        elif dealt < seats:
            free = possible(s, seat, dealt) & ~used
            while free:
                ways[1, used] += ways[1, used | free & -free] * np.exp(weights[dealt, lowest(free)])
                free &= free - 1
    total = ways[1, 0]
    out[: MOST_SEATS * BOOZES] = 0
    for used in range(SETS):
        dealt = bit_count(used)
        if dealt < seats and ways[0, used]:
            free = possible(s, seat, dealt) & ~used
            while free:
                booze = lowest(free)
                found = ways[0, used] * ways[1, used | free & -free] * np.exp(weights[dealt, booze])
                out[dealt * BOOZES + booze] += found / total
                free &= free - 1
    return total


@kernel
def presume(s, seat, dice, ways, weights):
    """Deal boozes to all seats by the odds of `weighted`."""
    used = 0
    for other in range(s.seats):
        at = ways[1, used] * (below(dice, 1 << 30) + 0.5) / (1 << 30)
        free, booze = possible(s, seat, other) & ~used, -1
        while free:
            each = lowest(free)
            free &= free - 1
            some = ways[1, used | 1 << each] * np.exp(weights[other, each])
            if some > 0.0:
                booze = each
                at -= some
                if at < 0.0:
                    break
        used |= 1 << booze
        if s.booze[other] < 0:
            s.work[other] = booze
    for other in range(s.seats):
        if s.booze[other] < 0:
            s.booze[other] = s.work[other]


@kernel
def outlook(s, seat, leaf):
    """As `outlook` in `evaluation.py`, with the numbers of LEAF."""
    hope = 0.0
    if not is_exposed(s, seat):
        hope -= leaf[0] / max(bit_count(int(s.could[seat])), 1)
    if s.ask == MOVE:
        place = int(s.sealed[seat])
        if 0 <= place < LOCATIONS:
            hope += there_for(s, seat, place, leaf)
    elif s.ask == ACT:
        if after(s, seat, -int(s.turn)) < s.seats - s.acted:
            hope += leaf[4] * there_for(s, seat, int(s.pawn[seat]), leaf)
    elif s.ask == LOOK and s.turn == seat:
        other = int(s.mark)
        gain = leaf[6] if stealable(s, seat, other) else 0.0
        if can_be_exposed(s, other):
            gain = max(gain, leaf[7] / max(bit_count(int(s.could[other])), 1))
        hope += gain
    elif s.ask == TAKE and s.mark == seat and fitting(s, seat, s.among):
        hope += leaf[5]
    return hope


@kernel
def there_for(s, seat, place, leaf):
    fits = bit_count(fitting(s, seat, s.lying[place]))
    hope = leaf[1] + leaf[2] * fits if fits else 0.0
    if place == CASINO and s.deck >= 3:
        hope = max(hope, leaf[3])
    return hope


@kernel
def standing(s, mob, leaf):
    members, hope = 0, 0.0
    for seat in range(s.seats):
        if mob_of(s, seat) == mob:
            members += 1
            hope += outlook(s, seat, leaf)
    doubled = members == 1 and (s.seats == 4 or s.seats == 5)  # §8.2
    return mob_coins(s, mob) + (2 * hope if doubled else hope)


@kernel
def value(s, seat, leaf):
    mine, best = mob_of(s, seat), -1e9
    if s.ask == OVER:
        equal = 1
        for mob in range(MOBS):
            if mob != mine:
                best = max(best, mob_result(s, mob))
                equal += int(mob_result(s, mob) == mob_result(s, mine))
        return 0.0 if best > mob_result(s, mine) else 1.0 / equal
    for mob in range(MOBS):
        if mob != mine:
            best = max(best, standing(s, mob, leaf))
    return 1.0 / (1.0 + np.exp((best - standing(s, mine, leaf)) / leaf[8]))


@kernel
def future(room, seat, side):
    """Roll out `worlds[1]`; returns the seat's share of the win."""
    s, out = room.worlds[1], room.out[MOST_MOVES:]
    mask = asked(s)
    last, turns = seat, 0
    while mask:
        if mask == 1 << NATURE:
            place = pick(room.luck, out, odds(s, out))
            moves(s, NATURE, out)
            play(s, NATURE, out[place])
        else:
            mover = lowest(mask)
            if mover != seat and turns >= side.plan[1]:
                return value(s, seat, side.leaf)
            turns += mover == seat and last != seat
            last = mover
            n = moves(s, mover, out)
            place = best_rated(s, mover, out, n, room.luck, side.policy) if n > 1 else 0
            play(s, mover, out[place])
        mask = asked(s)
    room.results[:] = NOBODY
    score(s, room.results)
    share_out(room.results, NOBODY)
    return room.results[seat]


@kernel
def choose(v, seat, dice, room, side):
    """As `choose` in `backroom/bots/rollouts.py`."""
    n = moves(v, seat, room.out)
    if n == 1:
        return room.out[0]
    room.worlds[0] = v
    if side.plan[4]:
        weighted(room.worlds[0], seat, room.counts[:2], room.counts[2], room.weights[0])
    else:
        posterior(room.worlds[0], seat, EVEN, room.counts[:2], room.counts[2])
    for i in range(n):
        worth = worth_of_a_move(v, seat, room.out[i], room.counts[2], side.rating) + whim(dice)
        room.marks[i] = side.plan[2] * side.plan[3] * worth
    put_best_first(room.out, room.marks, n, 1)
    tried, next_cut = 0, FEWEST
    s, rest = room.worlds[0], room.out[MOST_MOVES:]
    while n > 1 and tried < side.plan[0]:
        room.worlds[0] = v
        if side.plan[4] > 1:
            presume(s, seat, dice, room.counts, room.weights[0])
        imagine(s, seat, dice)
        for other in range(s.seats):
            if other != seat and not asked(s) >> other & 1:
                m = moves(s, other, rest)
                if m > 1:
                    play(s, other, rest[best_rated(s, other, rest, m, dice, side.policy)])
        luck = dice[0]
        for i in range(n):
            room.worlds[1] = room.worlds[0]
            room.luck[0] = luck
            play(room.worlds[1], seat, room.out[i])
            room.marks[i] += future(room, seat, side)
        below(dice, 2)
        tried += 1
        if tried == next_cut:
            n = put_best_first(room.out, room.marks, n, max(2, (n + 1) // 2))
            next_cut *= 2
    put_best_first(room.out, room.marks, n, 1)
    return room.out[0]


@kernel
def contest(room, seats, options, firsts, seed, first, second):
    """Play one game; returns the share of the win of the seats in `firsts`."""
    s, v, out = room.s[0], room.s[1], room.out
    chance, dice = room.dice[:1], room.dice[1:]
    chance[0] = np.uint64(seed) * np.uint64(0xD1342543DE82EF95)
    dice[0] = np.uint64(seed) * np.uint64(0xA0761D6478BD642F)
    setup(s, seats, options)
    room.weights[:] = 0.0
    mask = asked(s)
    while mask:
        if mask == 1 << NATURE:
            place = pick(chance, out, odds(s, out))
            moves(s, NATURE, out)
            play(s, NATURE, out[place])
        else:
            seat = lowest(mask)
            room.s[1] = s
            hide(v, seat)
            move = choose(v, seat, dice, room, first) if firsts >> seat & 1 else choose(v, seat, dice, room, second)
            if s.ask == MOVE and first.plan[4]:
                explain(s, seat, move - GO, first, room.weights[1])
            if NAME_BOOZE <= move < NOTHING and first.plan[4]:
                mob = (move - NAME_BOOZE) // IN_MOB
                for booze in range(mob * IN_MOB, (mob + 1) * IN_MOB):
                    room.weights[0, seat, booze] += np.log(first.plan[7])
            play(s, seat, move)
            if s.ask == ACT and GO <= move < TAKE_CARD:
                room.weights[0] += room.weights[1]
                room.weights[1] = 0.0
        mask = asked(s)
    score(s, room.results)
    best, winners, own = -1e9, 0, 0
    for seat in range(seats):
        best = max(best, room.results[seat])
    for seat in range(seats):
        if room.results[seat] == best:
            winners += 1
            own += firsts >> seat & 1
    return own / winners


def side_of(variant: dict[str, Any], seats: int) -> Side:
    """A variant for a number of seats."""

    def terms(which: str) -> Any:
        name, part = variant.get(which, "old"), variant.get(f"{which}_part", 1.0)
        found = PLAIN if name == "old" else by_name(Path(name) / f"terms-{seats}.npz", PLAIN)
        return PLAIN + part * (found - PLAIN)

    given = {key: value for key, value in variant.items() if key in PLAN}
    plan = {**PLAN, **{key: value[seats - 3] if isinstance(value, list) else value for key, value in given.items()}}
    leaf = {**LEAF, **variant.get("leaf", {})}
    assert len(leaf) == len(LEAF)
    numbers = (np.array(list(map(float, each.values()))) for each in (plan, leaf))
    plan_row, leaf_row = numbers
    rating, policy, model = map(terms, ("rating", "policy", "model"))
    return Side(plan_row, rating, policy, leaf_row, model)


def shares_of(rooms: list[Room], seats: int, first: Side, second: Side, seeds: range) -> tuple[list[float], float]:
    """The share of the first side for each seed, played twice, and the CPU time."""
    begin, here = time.thread_time(), rooms.pop()
    options = GAME.encoded(GAME.settle(seats, {})[1])
    found = []
    for seed in seeds:
        masks = [sum(1 << seat for seat in range(parity, seats, 2)) for parity in range(2)]
        found.append(sum(contest(here, seats, options, mask, seed, first, second) for mask in masks) / 2)
    rooms.append(here)
    return found, time.thread_time() - begin


def told(name: str, seats: int, parts: list[Any]) -> str:
    found = np.array([share for part in parts for share in part["shares"]])
    if len(found) < 2:
        return f"{name} --seats={seats}: too few games"
    off = 1.96 * found.std(ddof=1) / math.sqrt(len(found))
    spent = 500 * sum(part["spent"] for part in parts) / len(found)
    share = found.mean()
    return (
        f"{name} --seats={seats}: {share:.1%} of {2 * len(found)} ({share - off:.1%} to {share + off:.1%}),"
        f" {spent:.0f} ms a game"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("variants", type=Path)
    parser.add_argument("--seats", type=int, nargs="+", default=list(GAME.rules.SEATS))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--wait", type=float, default=0.0, help="seconds before the variants are read")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    begin, quick = time.monotonic(), side_of({"worlds": 1}, 3)
    shares_of([room()], 3, quick, quick, range(1))  # compiles
    time.sleep(max(0.0, said.wait - (time.monotonic() - begin)))
    variants = json.loads(said.variants.read_text("utf-8"))
    jobs = {(v["name"], n): side_of(v, n) for v in variants for n in v.get("seats", said.seats) if n in said.seats}
    frozen = side_of({}, 3)
    parts: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for line in said.results.read_text("utf-8").splitlines() if said.results.exists() else ():
        part = json.loads(line)
        parts[part["name"], part["seats"]].append(part)
    rooms = [room() for _ in range(said.threads)]
    begin = time.monotonic()
    spent = {job: sum(part["spent"] for part in parts[job]) for job in jobs}
    taken = {job: sum(len(part["shares"]) for part in parts[job]) for job in jobs}
    with ThreadPoolExecutor(said.threads) as pool, said.results.open("a") as file:
        running: dict[Any, Any] = {}
        while True:
            while len(running) < said.threads and time.monotonic() - begin < said.seconds:
                job = min(jobs, key=lambda each: spent[each])
                each = spent[job] / taken[job] if taken[job] else 1.0
                seeds = range(said.seed + taken[job], said.seed + taken[job] + max(1, min(32, int(2.0 / each))))
                taken[job] += len(seeds)
                spent[job] += len(seeds) * each
                running[pool.submit(shares_of, rooms, job[1], jobs[job], frozen, seeds)] = job, len(seeds) * each
            if not running:
                break
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                job, guess = running.pop(done)
                found, took = done.result()
                spent[job] += took - guess
                part = {"name": job[0], "seats": job[1], "spent": round(took, 3), "shares": found}
                parts[job].append(part)
                file.write(json.dumps(part) + "\n")
                file.flush()
    for job in jobs:
        print(told(*job, parts[job]), flush=True)


if __name__ == "__main__":
    main()

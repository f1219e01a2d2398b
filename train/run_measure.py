"""Measure the net of `backroom/games/run`: points per game against others, calibration, and error in the bear-off.

    python train/run_measure.py points FIRST SECOND --games 20000 [--threads 16] [--seed 1] [--luck] [--kept FILE]
    python train/run_measure.py calibration NET --games 20000
    python train/run_measure.py bearoff NET --games 20000
    python train/run_measure.py errors BOT BOT … --games 100 [--seed 1] [--seconds 600] [--kept FILE]

A player is `random`, `greedy`, `search` or `search:ITERATIONS`, or a net: `net` is the one in the repository, anything
else a file; earlier nets are in `train/frozen`. `net:1`, `net:2` and `net:3` look one, two and three plies ahead,
`net:hard` thinks as the level does, and `net:3,width=8,close=0.05` changes other parameters; `expert` is the bot of
that name. Games are single games for points (§5.1). Each seed is played twice with the seats swapped; 95 % intervals
are from pairs of games.

With `--luck` the luck of the dice is subtracted from what was won: for each roll, what the net in the repository
expects after it, minus the mean over all rolls. Luck is 0 on average whoever plays, so this changes no mean and removes
most of the noise. `errors` measures the points that bots (`hard`, `net:1`) lose per decision according to `expert`, in
single games, for each phase: this number of positions of each, at most one per game, from games of `net:1` with
itself. A turn that differs from the expert's, and the expert's own, are rolled out again with other dice, so that the
dice that led to the expert's choice do not favour it.

With `--kept` results are stored in a file, and a later call continues from there.
"""

import argparse
import itertools
import json
import math
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

import backroom
from backroom.bots import Bot, bot, plies, truncated
from backroom.bots.memory import forget, memories
from backroom.engine.kernel import NATURE, dice_from, kernel, lowest, pick, scratch
from backroom.games.run import bearoff, net
from backroom.games.run.brain import LEVELS
from backroom.games.run.net import expect, foresee
from backroom.games.run.pieces import HALF
from backroom.games.run.rules import asked, hide, is_home, is_running, moves, odds, play, setup

GAME = backroom.game("run")
EVERY = 30
"""Seconds between lines of progress."""
EXPERT = "expert"
OPTIONS = GAME.encoded(GAME.settle(2, {"match": 3})[1])


def weights_of(word):
    return None if word in ("net", EXPERT) else net.read_weights(Path(word))


def plan_of(text):
    """The plan in a text such as `3,width=8`. Values here are points; those of levels are half, from -1 to 1."""
    word, *rest = text.split(",")
    fields = {"plies": int(word)} if word and word not in LEVELS else {}
    for name, value in LEVELS[word][1].items() if word in LEVELS else ():
        fields[name] = 2 * value if name in ("margin", "close", "blur") else value
    fields |= {name: json.loads(value) for name, value in (each.split("=") for each in rest)}
    return plies.Plan(**fields)


def plan_of_expert():
    """The plan of the bot `expert`. Values here are points; those of bots are half, from -1 to 1."""
    plan = truncated.Plan()
    return replace(plan, near=2 * plan.near, margin=2 * plan.margin, close=2 * plan.close)


def player(text):
    """A bot by name, or a net that plays for points."""
    word, _, number = text.partition(":")
    if word in ("random", "greedy", "search"):
        return bot(text, GAME)
    thinks, plan = (truncated, plan_of_expert()) if word == EXPERT else (plies, plan_of(number))

    def workspace():
        return thinks.workspace_for(GAME, plan, net.weights(weights_of(word), for_points=True))

    return Bot(text, GAME, thinks.choose_of(GAME), workspace)


@kernel
def let_nature(s, chance, out):
    place = pick(chance, out, odds(s, out))
    moves(s, NATURE, out)
    play(s, NATURE, out[place])


@cache
def luck_of():
    """The kernels `mean_of(s, seat, judge)` and `worth_of(s, seat, judge)`."""
    scan, outlook = plies.scan_of(GAME), plies.outlook_of(GAME)

    @kernel
    def mean_of(s, seat, judge):
        """The seat's expectation before a roll."""
        judge.starts[1] = s
        return outlook(judge, seat, 1)

    @kernel
    def worth_of(s, seat, judge):
        """The seat's expectation after a roll."""
        mask = asked(s)
        if mask == 0 or mask == 1 << NATURE:
            return expect(s, seat, judge.weights)
        judge.worlds[0] = s
        scan(judge, 0, lowest(mask), 1)
        return judge.marks[0] if lowest(mask) == seat else -judge.marks[0]

    return mean_of, worth_of


@cache
def duel_of(first, second):
    mean_of, worth_of = luck_of()

    @kernel
    def duel(s, v, pairs, seed, step, dice, out, work, other_work, remembered, judge, is_luck_off, points):
        """Play pairs of games; writes the first player's points of each to `points`."""
        for pair in range(pairs):
            points[pair] = 0.0
            for first_seat in range(2):
                dice[0] = np.uint64(seed + pair * step)
                dice[1] = ~dice[0]
                setup(s[0], 2, OPTIONS)
                forget(remembered[0])
                forget(remembered[1])
                while s[0].points[0] + s[0].points[1] == 0:
                    mask = asked(s[0])
                    if mask == 1 << NATURE and not is_luck_off:
                        let_nature(s[0], dice[:1], out)
                    elif mask == 1 << NATURE:
                        if not s[0].opening:  # before the opening roll the expectation is zero
                            points[pair] += mean_of(s[0], first_seat, judge) / 2.0
                        let_nature(s[0], dice[:1], out)
                        points[pair] -= worth_of(s[0], first_seat, judge) / 2.0
                    else:
                        seat = lowest(mask)
                        v[0] = s[0]
                        hide(v[0], seat)
                        if seat == first_seat:
                            play(s[0], seat, first(v[0], seat, dice[1:], work, remembered[seat]))
                        else:
                            play(s[0], seat, second(v[0], seat, dice[1:], other_work, remembered[seat]))
                points[pair] += (s[0].points[first_seat] - s[0].points[1 - first_seat]) / 2.0

    return duel


def interval(samples):
    return 1.96 * float(np.std(samples)) / math.sqrt(len(samples))


class Kept:
    """The results so far of a measurement, by number, also in a file if there is one. Thread-safe."""

    def __init__(self, path, *about):
        self.path, self.about, self.found, self.lock = path, json.loads(json.dumps(about)), {}, threading.Lock()
        for line in path.read_text(encoding="utf-8").splitlines() if path and path.exists() else ():
            told, number, what = json.loads(line)
            if told == self.about:
                self.found[number] = what
        self.next_numbers = itertools.filterfalse(self.found.copy().__contains__, itertools.count())

    def next_number(self):
        """The first number that is neither done nor in progress."""
        with self.lock:
            return next(self.next_numbers)

    def keep(self, number, what):
        with self.lock:
            self.found[number] = what
            if self.path:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([self.about, number, what]) + "\n")

    def first_ones(self):
        """All results before the first missing one: those that finish early would bias the sample."""
        return [self.found[n] for n in itertools.takewhile(self.found.__contains__, itertools.count())]


def points(first, second, games, threads, seed, seconds, luck, path):
    """Points per game of the first against the second, over this number of games or as many as the time allows."""
    chunk = 1 if luck else 5
    kept = Kept(path, "points", first, second, seed, luck)

    def some(begin):
        one, other = player(first), player(second)
        judge = plies.workspace_for(GAME, plies.Plan(plies=1), net.weights(for_points=True))
        duel = duel_of(one.choose, other.choose)
        s, v = scratch(1, GAME.rules.STATE), scratch(1, GAME.rules.STATE)
        dice, out, won = scratch(2, np.uint64), scratch(64, np.int32), scratch(chunk, np.float64)
        duel(s, v, 0, 0, 1, dice, out, one.work, other.work, memories(2), judge, luck, won)
        while begin and not (seconds and time.time() - begin > seconds):
            place = kept.next_number()
            if place * chunk * 2 >= games:
                break
            number = seed * 10_000_000 + place * chunk
            duel(s, v, chunk, number, 1, dice, out, one.work, other.work, memories(2), judge, luck, won)
            kept.keep(place, won.tolist())

    def result():
        won = np.concatenate(kept.first_ones())
        return {
            "first": first,
            "second": second,
            "games": 2 * len(won),
            "points": round(float(won.mean()), 4),
            "interval": round(interval(won), 4),
            "seconds": round(time.time() - begin, 1),
            "seed": seed,
            "luck": "taken off" if luck else "left in",
        }

    some(0.0)  # compiles
    begin = time.time()
    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(some, begin) for _ in range(threads)]
        while wait(jobs, EVERY).not_done:
            if 0 in kept.found:
                print(json.dumps(result()), file=sys.stderr, flush=True)
        for job in jobs:
            job.result()
    return result()


@kernel
def watch(games, dice, s, out, work, remembered, choose, said, movers, table):
    """Games of a bot with itself. `table[end, bin]`: predictions, sum of their probabilities, and occurrences."""
    for _ in range(games):
        setup(s[0], 2, OPTIONS)
        t = 0
        while s[0].points[0] + s[0].points[1] == 0 and t < len(said):
            was = s[0].turn
            was_opening = s[0].opening
            let_nature(s[0], dice, out)
            mask = asked(s[0])
            if mask != 1 << NATURE:
                was = lowest(mask)
                while asked(s[0]) == mask:
                    play(s[0], was, choose(s[0], was, dice, work, remembered[was]))
            elif was_opening:
                was = 1 - s[0].turn
            if s[0].fresh == 0 and not (is_home(s[0], 0) and is_home(s[0], 1)):
                foresee(s[0], was, work.weights)
                said[t, 0] = work.weights.ends[2] + work.weights.ends[3]
                said[t, 1] = work.weights.ends[3]
                said[t, 2] = work.weights.ends[0]
                movers[t] = was
                t += 1
        for at in range(t):
            mine, theirs = s[0].points[movers[at]], s[0].points[1 - movers[at]]
            for end in range(3):
                came = mine > 0 if end == 0 else (mine == 2 if end == 1 else theirs == 2)
                place = min(int(said[at, end] * 10), 9)
                table[end, place, 0] += 1
                table[end, place, 1] += said[at, end]
                table[end, place, 2] += came


def calibration(name, games, threads, seed, *_):
    """For positions with contact, in ten bins: the predicted probability of each end, and its frequency."""

    def some(thread):
        one = player(name)
        table = np.zeros((3, 10, 3))
        s, out = np.zeros(1, GAME.rules.STATE), np.zeros(64, np.int32)
        scratch = np.zeros((1000, 3)), np.zeros(1000, np.int64)
        watch(
            math.ceil(games / threads),
            dice_from(seed * 1_000_003 + thread),
            s,
            out,
            one.work,
            memories(2),
            one.choose,
            *scratch,
            table,
        )
        return table

    with ThreadPoolExecutor(threads) as pool:
        table = sum(pool.map(some, range(threads)))
    found = {"net": name, "games": math.ceil(games / threads) * threads}
    for end, word in enumerate(("win", "double win", "double loss")):
        found[word] = [
            [int(n), round(said / n, 4), round(came / n, 4)] if n else [0, None, None] for n, said, came in table[end]
        ]
        found[f"{word}, mean gap"] = round(
            float(sum(abs(table[end, :, 1] - table[end, :, 2])) / table[end, :, 0].sum()), 4
        )
    return found


@cache
def bear_of(scan):
    @kernel
    def bear(games, dice, s, out, work, exact, found):
        """Decisions and losses in bear-offs with more men than the bot's table has, judged by a larger table."""
        for _ in range(games):
            setup(s[0], 2, OPTIONS)
            while s[0].points[0] + s[0].points[1] == 0:
                let_nature(s[0], dice, out)
                mask = asked(s[0])
                if mask == 1 << NATURE:
                    continue
                seat = lowest(mask)
                work.worlds[0] = s[0]
                scan(work, 0, seat, 1)
                if is_home(s[0], 0) and is_home(s[0], 1):
                    mine, theirs = bearoff.number_of(s[0].men, 0), bearoff.number_of(s[0].men, 1)
                    if max(mine, theirs) < len(exact.weights.wins) and max(mine, theirs) >= len(work.weights.wins):
                        exact.worlds[0] = s[0]
                        scan(exact, 0, seat, 1)
                        best = exact.marks[0]
                        lost = best - expect(work.kept[0], seat, exact.weights)
                        found[0] += 1
                        found[1] += lost
                        found[2] = max(found[2], lost)
                        found[3] += lost > 1e-6
                        found[4] += abs(
                            expect(work.kept[0], seat, work.weights) - expect(work.kept[0], seat, exact.weights)
                        )
                s[0] = work.kept[0]

    return bear


def bear_off(name, games, threads, seed, *_):
    """Equity lost per decision with 9 or 10 men, where the bot has only the one-sided table."""
    bigger = bearoff.all_wins(10)
    scan = plies.scan_of(GAME)

    def some(thread):
        weights = net.weights(weights_of(name), for_points=True)
        works = [
            plies.workspace_for(GAME, plies.Plan(plies=1), each) for each in (weights, weights._replace(wins=bigger))
        ]
        found = np.zeros(5)
        s, out = np.zeros(1, GAME.rules.STATE), np.zeros(64, np.int32)
        bear_of(scan)(math.ceil(games / threads), dice_from(seed * 1_000_003 + thread), s, out, *works, found)
        return found

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(some, range(threads)))
    n, lost, _, wrong, off = sum(parts)
    most = max(part[2] for part in parts)
    return {
        "net": name, "decisions": int(n), "lost a decision": lost / n, "lost at most": most, "not best": wrong / n,
        "mean error of the value": off / n,
    }  # fmt: skip


PARTS = ("runner", "middle", "race", "bear-off")
"""The phases of a game: a runner is under way; men can be stopped; nobody can be; both are home."""
FRESH, FAR = 144, 8
"""The number of rollouts by which turns are compared, and their length in turns."""


def part_of(s):
    if is_running(s, 0) or is_running(s, 1):
        return 0
    if is_home(s, 0) and is_home(s, 1):
        return 3
    return 1 if (s.held[0] | s.held[1]) & HALF else 2


def turns_to_judge(seed):
    """For each phase of a game of `net:1` with itself that has one: a state in which a turn can end in several ways."""
    table, player, scan = GAME.table(seed=seed), bot("net:1", GAME), plies.scan_of(GAME)
    memories_of, throw = [player.memory() for _ in range(2)], np.random.default_rng(seed)
    work, met, kept = plies.workspace_for(GAME, plies.Plan(plies=1)), [0] * len(PARTS), {}
    was_nature = True
    while not table.is_over:
        (seat,) = table.asked
        s = table.state
        work.worlds[0] = s
        if was_nature and scan(work, 0, seat, 2) > 1:
            part = part_of(s)
            met[part] += 1
            if throw.random() < 1 / met[part]:
                kept[part] = GAME.copy(s)
        lines = len(table.lines)
        table.play(seat, GAME.rules.name(s, player.answer(s, seat, lines, memories_of[seat])))
        was_nature = len(table.lines) > lines + 1
    return kept


def ending_of(player, s, seed):
    """The state after a bot's turn."""
    (seat,) = GAME.asked(s)
    memory = player.memory()
    while GAME.asked(s) == (seat,):
        s = GAME.after(s, seat, player.answer(GAME.view(s, seat), seat, seed, memory))
    return s


def errors(*args):
    """Points that bots lose per decision, according to `expert`."""
    *names, games, threads, seed, seconds, _, path = args
    roll_out, begin = truncated.roll_out_of(GAME), time.time()
    kept = Kept(path, "errors", names, seed)

    def lost_in(number, met, work):
        """The loss of each bot's turn in one game, by phase; phases with enough positions are skipped."""
        players, expert = [bot(name, GAME) for name in names], bot("expert", GAME)
        found = {}
        for place, s in sorted(turns_to_judge(number).items()):
            if met[PARTS[place]] >= games:
                continue
            (seat,) = GAME.asked(s)
            ends = [ending_of(player, s, number) for player in (expert, *players)]
            distinct = list({GAME.key(end): end for end in ends}.values())
            if len(distinct) > 1:
                for i, end in enumerate(distinct):
                    work.kept[i] = end
                roll_out(work, seat, len(distinct), np.uint64(number), False)
            worths = {GAME.key(end): 2 * float(work.looks[i]) for i, end in enumerate(distinct)}
            best = worths[GAME.key(ends[0])]
            found[PARTS[place]] = [best - worths[GAME.key(end)] for end in ends[1:]]
        return found

    def lost():
        rows = {part: [] for part in PARTS}
        for found in kept.first_ones():
            for part, row in found.items():
                rows[part].append(row)
        return rows

    def some():
        work = truncated.workspace_for(GAME, truncated.Plan(games=FRESH, turns=FAR, trust=0))
        while not (seconds and time.time() - begin > seconds):
            met = {part: len(rows) for part, rows in lost().items()}
            if min(met.values()) >= games:
                break
            number = kept.next_number()
            kept.keep(number, lost_in(seed * 1_000_000 + number, met, work))

    def result():
        found = {"games": "single", "seed": seed, "seconds": round(time.time() - begin, 1)}
        for part, rows in lost().items():
            found[part] = {"positions": len(rows)}
            for name, each in zip(names, np.array(rows).T, strict=False):
                found[part][name] = [round(float(each.mean()), 5), round(interval(each), 5), int((each != 0).sum())]
        return found

    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(some) for _ in range(threads)]
        while wait(jobs, EVERY).not_done:
            print(json.dumps(result()), file=sys.stderr, flush=True)
        for job in jobs:
            job.result()
    return result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["points", "calibration", "bearoff", "errors"])
    parser.add_argument("who", nargs="+")
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=0, help="stop after this number of seconds, if there are points to count"
    )
    parser.add_argument("--luck", action="store_true", help="take the luck of the dice off")
    parser.add_argument("--kept", type=Path, help="a file of what was found, to go on from")
    args = parser.parse_args()
    measure = {"points": points, "calibration": calibration, "bearoff": bear_off, "errors": errors}[args.what]
    print(
        json.dumps(measure(*args.who, args.games, args.threads, args.seed, args.seconds, args.luck, args.kept)),
        flush=True,
    )


if __name__ == "__main__":
    main()

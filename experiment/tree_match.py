"""tree_match.py FIRST SECOND --setup --seats --games --seed: python loop."""
import argparse, sys, time
from pathlib import Path
import numpy as np
from backroom.engine.kernel import add_package
add_package(Path(__file__).resolve().parent)
import backroom
from backroom.arena.result import Result
from backroom.bots.bot import Bot, settings_of, pooled
from backroom.bots.luck import dice_of, luck_of
from backroom.bots.memory import memories
from backroom.engine.kernel import NATURE, below, dice_from, lowest, pick, without_back
from backroom.games.rum_run.brain import goal_of
from backroom.games.rum_run.rules.objectives import total
from players import player
import copy, tree_values
from backroom.engine.game import Game
import backroom.bots.tree as tree

GAME = backroom.game("rum-run")
R = GAME.rules
_r = copy.copy(R)
_r.values = tree_values.values
SEEN = Game(_r)

def bot_called(name):
    if name.startswith("tree"):
        plan = tree.Plan().changed(settings_of(tree.Plan, name.partition(":")[2]))
        return Bot(name, GAME, tree.choose_of(SEEN), lambda: tree.workspace_for(SEEN, plan))
    return player(name, GAME)

def one(bots, seats, numbers, opening, seed):
    """bots: one per seat."""
    s, v = np.zeros((2, 1), R.STATE)
    out = np.empty(R.MOST_MOVES, np.int32)
    chance, luck = dice_from(seed), np.uint64(luck_of(str(seed)))
    mem, made = memories(NATURE), np.zeros(16, int)
    spent, asks, slow = {}, {}, {}
    R.setup(s[0], seats, numbers)
    mask, played = R.asked(s[0]), 0
    while mask:
        seat = lowest(mask)
        if mask == 1 << NATURE:
            place = pick(chance, out, R.odds(s[0], out)); R.moves(s[0], NATURE, out); move = int(out[place])
        else:
            v[0] = s[0]; R.hide(v[0], seat)
            if opening > 0:
                move = int(out[below(chance, without_back(out, R.moves(v[0], seat, out), R.BACK))]); opening -= 1
            else:
                b = bots[seat]
                t = time.thread_time()
                move = int(b.choose(v[0], seat, dice_from(int(dice_of(luck, seat, made[seat]))), b.work, mem[seat]))
                t = time.thread_time() - t
                spent[b.name] = spent.get(b.name, 0) + t; asks[b.name] = asks.get(b.name, 0) + 1
                slow[b.name] = max(slow.get(b.name, 0), t)
        R.play(s[0], seat, move); made[seat] += 1; played += 1
        mask = R.asked(s[0])
    quiet = max(total(s[0], x) for x in range(seats)) < goal_of(s[0])
    return s[0], quiet, played, spent, asks, slow

def main():
    p = argparse.ArgumentParser()
    p.add_argument("first"); p.add_argument("second")
    p.add_argument("--setup", default="first"); p.add_argument("--seats", type=int, default=2)
    p.add_argument("--games", type=int, default=20); p.add_argument("--seed", type=int, default=1)
    p.add_argument("--opening", type=int, default=8)
    a = p.parse_args()
    colours = {"colours": 2} if a.setup == "duel" else {}
    _, chosen = GAME.settle(a.seats, {"setup": a.setup, **colours}); numbers = GAME.encoded(chosen)
    first, second = bot_called(a.first), bot_called(a.second)
    tot, quiets, answers = Result(), 0, 0
    spent, asks, slow = {}, {}, {}
    begin = time.time()
    for k in range((a.games + 1) // 2):
        games = []
        for parity in range(2):
            firsts = sum(1 << x for x in range(a.seats) if x % 2 == parity)
            bots = [first if firsts >> x & 1 else second for x in range(a.seats)]
            s, quiet, played, sp, ak, sl = one(bots, a.seats, numbers, a.opening, a.seed * 1000 + k)
            quiets += quiet; answers += played
            for x in sp: spent[x] = spent.get(x, 0) + sp[x]; asks[x] = asks.get(x, 0) + ak[x]; slow[x] = max(slow.get(x, 0), sl[x])
            score = GAME.score(s, a.seats)
            mine = [score[x] for x in range(a.seats) if firsts >> x & 1]; theirs = [score[x] for x in range(a.seats) if not firsts >> x & 1]
            w = GAME.winners(s, a.seats)
            games.append((sum(firsts >> x & 1 for x in w) / len(w), sum(mine) / len(mine) - sum(theirs) / len(theirs)))
        tot += Result.of_seed(games)
        lo, hi = tot.interval
        print(f"{a.first} v {a.second} {a.setup} {a.seats}: {tot.share:.1%} of {tot.games} ({lo:.0%} to {hi:.0%}) quiet {quiets} answers {answers/tot.games:.0f} "
              f"ms {({x: round(1000*spent[x]/asks[x],1) for x in spent})} slowest {({x: round(1000*slow[x]) for x in slow})} {time.time()-begin:.0f}s", flush=True)
main()

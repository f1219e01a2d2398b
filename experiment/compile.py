"""Compile a part of what matches need: rolls, grow or frozen."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "train"))
from players import player

import backroom
from backroom.bots import bot, tree
from backroom.bots.memory import memories
from backroom.engine.kernel import dice_from

begin = time.time()
game = backroom.game("rum-run")
table = game.table(2, seed=0, setup="small")
seat = table.asked[0]
if sys.argv[1] == "rolls":
    bot("medium", game).answer(table.view(seat), seat, 0)
elif sys.argv[1] == "frozen":
    player("frozen:hard", game).answer(table.view(seat), seat, 0)
else:
    for who in (0, 1):
        v = table.view(who)
        table.play(who, game.rules.name(v, game.moves(v, who)[who]))
    (seat,) = table.asked
    work = tree.workspace_for(game, tree.Plan(iterations=2))
    work.states[0] = table.state
    tree.grow_of(game)(work, seat, dice_from(1), memories(1)[0], True)
print(sys.argv[1], time.time() - begin)

"""The editor's kernels and `plain.py` allow the same steps and make the same drafts in random play."""

import random

import pytest

from backroom.games.rum_run.pieces import EVENTS, OBJECTIVES, OBSTACLES, STILLS
from backroom.games.rum_run.setup_file import node_name

from .boards import GAME, begin, made, names
from .plain import Plain

STEPS = 150


@pytest.mark.parametrize("seed", range(12))
def test_a_walk(seed):
    rng, s, plain = random.Random(seed), begin(), Plain()
    for _ in range(STEPS):
        there = names(s)
        assert len(set(there)) == len(there)
        assert set(there) == plain.moves()
        verbs = sorted({name.split()[0] for name in there} - {"done"})
        verb = rng.choice([verb for verb in verbs for _ in range(6 if verb in ("at", "place") else 1)])
        step = rng.choice([name for name in there if name.split()[0] == verb])
        s = GAME.after(s, 0, GAME.rules.parse(s, step))
        plain.play(step)
        assert drawn(made(s)) == drawn_plain(plain)


def drawn(setup):
    lies = {STILLS[still.kind]: (node_name(still.node), still.turn, not still.is_up) for still in setup.stills}
    lies |= {OBSTACLES[o.face]: {node_name(node) for node in o.nodes} for o in setup.obstacles}
    lies["fog"] = [node_name(node) for node in setup.fog]
    lies["town"] = node_name(setup.town) if setup.town >= 0 else ""
    events = {name for place, name in enumerate(EVENTS) if setup.events >> place & 1}
    objectives = {name for place, name in enumerate(OBJECTIVES) if setup.objectives >> place & 1}
    return setup.size, setup.has_folk, events, objectives, lies


def drawn_plain(plain):
    def node(row, column):
        return f"{'abcdefghijklmnop'[column]}{row + 1}"

    lies = {n: (node(*at[:2]), at[2], at[3]) for n, at in plain.lies.items() if n in STILLS}
    lies |= {n: {node(*cell) for cell in plain.cells(n)} for n in plain.lies if n in OBSTACLES}
    lies["fog"] = [node(*plain.lies[n][:2]) for n in plain.fog()]
    lies["town"] = node(*plain.lies["Town Center"][:2]) if "Town Center" in plain.lies else ""
    return plain.size, plain.folk, plain.events, plain.objectives, lies

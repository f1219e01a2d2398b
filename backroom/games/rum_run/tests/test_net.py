"""The net: its file, its kernels beside plain NumPy, and where `hard` thinks with it."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from backroom.bots import bot
from backroom.engine.kernel import dice_from
from backroom.games.rum_run import net
from backroom.games.rum_run.pieces import FACE_TOKEN, KINDS, NODES, STRENGTH
from backroom.games.rum_run.setup_file import called, line, node_called

from .boards import GAME, after, fresh

COLOURS = {"duel": {"colours": 2}}
OTHER = line(replace(called("first"), town=node_called("h8")))
"""The first setup with the Town Center somewhere else."""
TABLES = [(setup, seats) for setup in net.SETUPS for seats in (2, 3, 4) if setup != "duel" or seats == 2]


def strolled(setup, seats, moves=36):
    """A position after some random moves, in which a seat is asked."""
    s = fresh(seats, setup=setup, **COLOURS.get(setup, {}))
    list(itertools.islice(GAME.stroll(s, seats, dice_from(seats)), moves))
    while GAME.asked(s) and not GAME.asked(s)[0] < seats:
        list(itertools.islice(GAME.stroll(s, seats, dice_from(moves)), 1))
    assert not s.over
    return s


def inputs_of(s, seat, setup):
    """The inputs of the net, one by one."""
    out = np.zeros(net.INPUTS, np.float32)
    GAME.rules.features(s, seat, out[: net.SETUPS_AT])
    out[net.SETUPS_AT + net.SETUPS.index(setup)] = 1
    out[net.SEATS_AT + s.seats - 2] = 1
    for still, kind in enumerate(s.kind.tolist()):
        out[net.KINDS_AT + still * (KINDS + 1) + kind + 1] = 1
    planes = out[net.PLANES_AT :].reshape(2, 2, NODES)
    for node in range(NODES):
        if s.owner[node]:
            whose = int((int(s.owner[node]) - 1) % int(s.seats) != seat)
            planes[0, whose, node] = s.dist[node] / 20
            planes[1, whose, node] = STRENGTH[FACE_TOKEN[s.face[node]]] / 12
    return out


def test_the_file_has_less_than_two_megabytes():
    assert net.FILE.stat().st_size < 2_000_000


@pytest.mark.parametrize(("setup", "seats"), TABLES)
def test_kernels_compute_what_the_layers_say(setup, seats):
    s = strolled(setup, seats)
    seat, mind = GAME.asked(s)[0], net.mind()
    assert net.setup_of(s) == net.SETUPS.index(setup)
    units = np.maximum(inputs_of(s, seat, setup) @ mind.first + mind.first_bias, 0)
    units = np.maximum(units @ mind.second + mind.second_bias, 0)
    logits, values = mind.last @ units + mind.last_bias, units @ mind.value + mind.value_bias
    net.ponder(s, seat, mind)
    for move in GAME.moves(s, seat):
        expected = sum(logits[token] for token in mind.tokens[move] if token >= 0)
        assert net.logit(mind, move) == pytest.approx(expected, rel=1e-3, abs=1e-3)
    for ahead in range(seats):
        expected = min(max((values[ahead] * (seats - 1) + 1) / seats, 0), 1)
        assert net.share(mind, (seat + ahead) % seats) == pytest.approx(expected, abs=1e-4)


def test_a_setup_that_it_was_not_trained_on_is_not_known():
    assert net.knows(fresh(2))
    assert not net.knows(fresh(2, setup=OTHER))


def answers(level, s, seeds=3):
    (seat,) = GAME.asked(s)
    return [bot(level, GAME).answer(GAME.view(s, seat), seat, seed) for seed in range(seeds)]


def test_elsewhere_hard_thinks_as_without_it():
    s = after(fresh(2, setup=OTHER), "2|2", "1|1")
    assert answers("hard:iterations=8", s) == answers("hard:iterations=8,learned=0", s)


def test_hard_plays_turns_that_the_net_finds_likely():
    """With `sight=0` and `near=0`, all candidates at the root are sampled from the net and have its priors."""
    s = after(fresh(2), "2|2", "1|1")
    (seat,) = GAME.asked(s)
    player = bot("hard:iterations=8,sight=0,near=0", GAME)
    player.answer(GAME.view(s, seat), seat, 1)
    nodes = player.work.nodes
    turns = nodes[nodes[0].head : nodes[0].head + nodes[0].count]
    assert sum(turn.prior for turn in turns) == pytest.approx(1)
    assert max(turn.prior for turn in turns) > 3 * min(turn.prior for turn in turns)

"""The net: its file, its kernels beside plain NumPy, and where `hard` thinks with it."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from backroom.bots import bot
from backroom.engine.kernel import dice_from
from backroom.games.rum_run import net
from backroom.games.rum_run.pieces import ARMS, DOWN, FACE_TOKEN, KINDS, NODES, PAIRS, RIGHT, SIDE, STRENGTH
from backroom.games.rum_run.rules.state import FOGGY, MUD
from backroom.games.rum_run.setup_file import called, line, node_called

from .boards import GAME, after, fresh

COLOURS = {"duel": {"colours": 2}}
OTHER = line(replace(called("first"), town=node_called("h8")))
"""The first setup with the Town Center somewhere else."""
TABLES = [(setup, seats) for setup in net.SETUPS for seats in (2, 3, 4) if setup != "duel" or seats == 2]


def strolled(setup, seats, moves=36):
    """A position after some random moves, in which a seat is asked."""
    s = fresh(seats, setup=setup, **COLOURS.get(setup, {}))
    for made, _ in enumerate(GAME.stroll(s, seats, dice_from(seats))):
        if made >= moves and GAME.asked(s)[0] < seats:
            break
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
    planes = out[net.PLANES_AT : net.HAULS_AT].reshape(2, 2, NODES)
    for node in range(NODES):
        if s.owner[node]:
            whose = int((int(s.owner[node]) - 1) % int(s.seats) != seat)
            planes[0, whose, node] = s.dist[node] / 20
            planes[1, whose, node] = STRENGTH[FACE_TOKEN[s.face[node]]] / 12
    add_seats(s, seat, out)
    add_colours(s, seat, out)
    add_nodes(s, seat, out)
    return out


def add_seats(s, seat, out):
    """What seats have, what stills have left, and the events to come."""
    seats, goals = int(s.seats), out[net.GOALS_AT : net.SUPPLIES_AT].reshape(-1, 5)
    for objective, holder in enumerate(s.holder.tolist()):
        if s.goals >> objective & 1:
            goals[objective, 4 if holder < 0 else (holder - seat) % seats] = 1
    for still, count in enumerate(s.supplies.tolist()):
        left = s.supply[still, :count].astype(int)
        if left.sum():
            out[net.SUPPLIES_AT + 2 * still : net.SUPPLIES_AT + 2 * still + 2] = left[0] / 5, left.sum() / 6
    for ahead in range(seats):
        out[net.SAFE_AT + ahead] = bool(s.safe[(seat + ahead) % seats])
    out[net.DECK_AT : net.LOAD_AT] = [s.deck >> event & 1 for event in range(net.LOAD_AT - net.DECK_AT)]
    out[net.LOAD_AT : net.LOAD_AT + 2] = s.load / 5, s.reserve / 10


def hand_of(s, colour, number):
    """The strengths of the tokens in an inventory that can show a number at one end; 7: any number."""
    return [a + b for t, (a, b) in enumerate(PAIRS) if s.hand[colour] >> t & 1 and (number in (7, a, b) or a == 0)]


def add_colours(s, seat, out):
    """What each colour has tapped and has in its inventory."""
    colours = int(s.colours)
    for ahead in range(colours):
        colour = (seat + ahead) % colours
        out[net.KEEPER_AT + ahead] = s.keeper == colour
        at = net.TAPPED_AT + 20 * ahead
        out[at : at + 20] = [s.tapped[colour] >> tap & 1 for tap in range(20)]
        at = net.HANDS_AT + 7 * ahead
        out[at] = max((strength + 1 for strength in hand_of(s, colour, 7)), default=0) / 13
        out[at + 1 : at + 7] = [len(hand_of(s, colour, number)) / 8 for number in range(1, 7)]


def add_nodes(s, seat, out):
    """What lies on nodes, barrels by their steps to the Town Center, and what can be placed next."""
    seats, colours = int(s.seats), int(s.colours)
    reach = np.zeros((2, NODES))

    def place(colour, node, side, number):
        row, column = node // SIDE + DOWN[side], node % SIDE + RIGHT[side]
        at = row * SIDE + column
        if 0 <= row < SIDE and 0 <= column < SIDE and s.ground[at] <= MUD:
            whose = int(colour % seats != seat)
            reach[whose, at] = max([reach[whose, at], *(each + 1 for each in hand_of(s, colour, number))])

    for colour, side in itertools.product(range(colours), range(4)):
        place(colour, int(s.town), side, 7)
    for node in range(NODES):
        out[net.GROUND_AT + node], out[net.GROUND_AT + NODES + node] = s.ground[node] == FOGGY, s.ground[node] == MUD
        colour = int(s.owner[node]) - 1
        if colour < 0:
            continue
        out[net.HAULS_AT + (colour - seat) % seats * 12 + min(int(s.dist[node]), 11)] += s.barrels[node] / 4
        ahead = (colour - seat) % colours
        if ahead > 1:
            out[net.COLOURS_AT + (ahead - 2) * NODES + node] = 1
        for side, number in enumerate(ARMS[s.face[node]]):
            if number and s.dist[node]:
                place(colour, node, side, number)
    planes = out[net.REACH_AT :].reshape(4, NODES)
    planes[:2] = reach / 13
    for node in np.flatnonzero(s.owner[:NODES]):
        owner = (int(s.owner[node]) - 1) % seats
        whose = int(owner == seat)
        can_be_broken = reach[whose, node] - 1 > STRENGTH[FACE_TOKEN[s.face[node]]] and not s.safe[owner]
        planes[3 - whose, node] = can_be_broken


def test_the_file_has_less_than_two_megabytes():
    assert net.FILE.stat().st_size < 2_000_000


@pytest.mark.parametrize(("setup", "seats"), TABLES)
def test_kernels_see_every_input(setup, seats):
    """With weights that copy each input to a unit of its own."""
    copies = {"first": np.eye(net.INPUTS, dtype=np.float32), "first_bias": np.zeros(net.INPUTS, np.float32)}
    loaded = net.policy_net()._replace(**copies, units=np.zeros(net.INPUTS, np.float32))
    for moves in (3, 20, 36):
        s = strolled(setup, seats, moves)
        seat = GAME.asked(s)[0]
        net.look(s, seat, loaded)
        assert loaded.units == pytest.approx(inputs_of(s, seat, setup), abs=1e-6)


@pytest.mark.parametrize(("setup", "seats"), TABLES)
def test_kernels_compute_what_the_layers_say(setup, seats):
    s = strolled(setup, seats)
    seat, loaded = GAME.asked(s)[0], net.policy_net()
    assert net.setup_of(s) == net.SETUPS.index(setup)
    units = np.maximum(inputs_of(s, seat, setup) @ loaded.first + loaded.first_bias, 0)
    units = np.maximum(units @ loaded.second + loaded.second_bias, 0)
    logits, values = loaded.last @ units + loaded.last_bias, units @ loaded.value + loaded.value_bias
    net.evaluate(s, seat, loaded)
    for move in GAME.moves(s, seat):
        expected = sum(logits[token] for token in loaded.tokens[move] if token >= 0)
        assert net.logit(loaded, move) == pytest.approx(expected, rel=1e-3, abs=1e-3)
    for ahead in range(seats):
        expected = min(max((values[ahead] * (seats - 1) + 1) / seats, 0), 1)
        assert net.expected_share(loaded, (seat + ahead) % seats) == pytest.approx(expected, abs=1e-4)


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
    s = strolled("small", 4, 20)
    (seat,) = GAME.asked(s)
    player = bot("hard:iterations=8,sight=0,near=0", GAME)
    player.answer(GAME.view(s, seat), seat, 1)
    nodes = player.work.nodes
    turns = nodes[nodes[0].head : nodes[0].head + nodes[0].count]
    assert sum(turn.prior for turn in turns) == pytest.approx(1)
    assert max(turn.prior for turn in turns) > 3 * min(turn.prior for turn in turns)


def turns_at_the_root(name, s):
    """The keys of the positions after the turns that a bot considers."""
    (seat,) = GAME.asked(s)
    player = bot(name, GAME)
    player.answer(GAME.view(s, seat), seat, 1)
    root = player.work.nodes[0]
    return [GAME.key(end) for end in player.work.states[root.head : root.head + root.count]]


@pytest.mark.parametrize("setup", net.SETUPS)
def test_turns_found_by_static_evaluation_stay_however_unlikely_the_net_finds_them(setup):
    """One of them may win, or prevent a loss."""
    s = strolled(setup, 2)
    by_sight = turns_at_the_root("hard:iterations=0,learned=0,first=2", s)
    both = turns_at_the_root("hard:iterations=0,first=4,sight=2,temper=4", s)
    assert 2 < len(both) <= 4
    assert set(by_sight) <= set(both)

"""A net trained by self-play: how likely each step is, and what each seat may expect. `net.md` says how it was trained.

Its inputs are the features for learners and some more of the state; most are 0, and those are skipped. It knows the
setups that come with the game (`knows`).
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from backroom.engine.kernel import kernel, lowest
from backroom.engine.tokens import tokens_of

from .brain import FEATURES, MOST_SEATS, features
from .pieces import (
    ANY,
    ARMS,
    EVENTS,
    FACE_TOKEN,
    FITS,
    KINDS,
    MOST_STILLS,
    MOST_TAPS,
    NODES,
    OBJECTIVES,
    OFF,
    STRENGTH,
)
from .rules.state import FOGGY, MUD, OBSTACLE, next_node, seat_of
from .setup_file import called
from .verbs import verbs

SETUPS = ("first", "standard", "duel", "small", "moonless", "badlands")
"""The setups that it was trained on, the duel with two colours for each player."""
SETUPS_AT = FEATURES
SEATS_AT = SETUPS_AT + len(SETUPS)
KINDS_AT = SEATS_AT + 3
PLANES_AT = KINDS_AT + MOST_STILLS * (KINDS + 1)
HAULS_AT = PLANES_AT + 4 * NODES
STEPS = 12
GOALS_AT = HAULS_AT + MOST_SEATS * STEPS
SUPPLIES_AT = GOALS_AT + len(OBJECTIVES) * (MOST_SEATS + 1)
TAPPED_AT = SUPPLIES_AT + 2 * MOST_STILLS
HANDS_AT = TAPPED_AT + MOST_SEATS * MOST_STILLS * MOST_TAPS
SAFE_AT = HANDS_AT + MOST_SEATS * ANY
KEEPER_AT = SAFE_AT + MOST_SEATS
DECK_AT = KEEPER_AT + MOST_SEATS
LOAD_AT = DECK_AT + len(EVENTS)
GROUND_AT = LOAD_AT + 2
COLOURS_AT = GROUND_AT + 2 * NODES
REACH_AT = COLOURS_AT + 2 * NODES
INPUTS = REACH_AT + 4 * NODES
"""The inputs: features for learners; the setup; the number of seats; the kind of each still; for each node its steps to
the Town Center and the strength of its token, both for the seat's own tokens and for those of others; each seat's
barrels by their steps to the Town Center; who has which objective; the next supply of each still and all that is left;
the taps that each colour has tapped; for each colour the tokens of its inventory by number, and the strongest; who is
safe, who holds the paved road, the events to come, the barrels in hand and in the reserve; for each node whether it has
fog or mud, and whether a token of the third or fourth colour is there; and for each node the strongest token that the
seat and that another can place there next, and whether the seat's token can be broken, and another's by the seat.
"""
FILE = Path(__file__).with_name("net.npz")
LANES = 8
"""Units that are added up side by side, so that the compiler uses vectors."""


def _lies() -> Any:
    """For each setup its size, its Town Center, and where its stills lie."""
    found = np.zeros((len(SETUPS), 2 + 2 * MOST_STILLS), np.int64)
    for row, name in zip(found, SETUPS, strict=True):
        setup = called(name)
        row[:2] = setup.size, setup.town
        for k, still in enumerate(setup.stills):
            row[2 + 2 * k : 4 + 2 * k] = still.node, still.turn
    return found


LIES = _lies()
FIRST, DUEL = SETUPS.index("first"), SETUPS.index("duel")
BLOCKED = called("standard").obstacles[0].nodes[0]
"""A node with an obstacle on *standard*, whose stills lie as on *first*."""


class PolicyNet(NamedTuple):
    """The weights, and the arrays that the kernels work in."""

    first: Any
    first_bias: Any
    second: Any
    second_bias: Any
    last: Any
    """A row for each token of a move."""
    last_bias: Any
    value: Any
    value_bias: Any
    tokens: Any
    """The tokens of each move; -1 where there is none."""
    seen: Any
    strongest: Any
    """For each colour and number the strength of the strongest token in its inventory, plus 1; 0: none."""
    reach: Any
    """For each node the strength of the strongest token that the seat, and that another, can place there, plus 1."""
    units: Any
    more_units: Any
    logits: Any
    """The logits of tokens, where `stamps` has the number of the latest position."""
    stamps: Any
    number: Any
    values: Any
    """What each seat may expect, as a share of the win."""


@cache
def trained(path: Path = FILE) -> dict[str, Any]:
    """The weights from a file, the last layer with a row for each token, and the tokens of each move."""
    with np.load(path, allow_pickle=False) as file:
        found = {name: file[name] for name in file.files}
    for name in ("first", "second", "last", "value"):
        if f"{name}_scale" in found:
            found[name] = found[name].astype(np.float32) * found[f"{name}_scale"]
    found["last"] = found["last"].T
    names = ("first", "first_bias", "second", "second_bias", "last", "last_bias", "value", "value_bias")
    weights = {name: np.ascontiguousarray(found[name], np.float32) for name in names}
    return {**weights, "tokens": tokens_of(verbs({}), True)}


def policy_net(path: Path = FILE) -> PolicyNet:
    """A new workspace with the weights."""
    given = trained(path)
    tokens = len(given["last"])
    return PolicyNet(
        **given,
        seen=np.zeros(FEATURES, np.float32),
        strongest=np.zeros((MOST_SEATS, ANY + 1), np.int64),
        reach=np.zeros((2, NODES), np.int64),
        units=np.zeros(len(given["first_bias"]), np.float32),
        more_units=np.zeros(len(given["second_bias"]), np.float32),
        logits=np.zeros(tokens, np.float32),
        stamps=np.zeros(tokens, np.int64),
        number=np.zeros(1, np.int64),
        values=np.zeros(MOST_SEATS, np.float32),
    )


@kernel
def setup_of(s):
    """The number of the setup among SETUPS; -1 for another one."""
    for which in range(len(SETUPS)):
        is_it = s.width == LIES[which, 0] and s.town == LIES[which, 1] and (which == DUEL) == (s.colours != s.seats)
        for still in range(MOST_STILLS):
            is_it = is_it and s.corner[still] == LIES[which, 2 + 2 * still]
            is_it = is_it and s.turned[still] == LIES[which, 3 + 2 * still]
        if is_it and (which != FIRST or s.ground[BLOCKED] < OBSTACLE):
            return which
    return -1


@kernel
def add_input(net, row, amount):
    """Add an input to the first layer."""
    for unit in range(net.units.size):
        net.units[unit] += amount * net.first[row, unit]


@kernel
def look(s, seat, net):
    """Compute the first layer from the inputs."""
    for unit in range(net.units.size):
        net.units[unit] = net.first_bias[unit]
    net.seen[:] = 0.0
    features(s, seat, net.seen)
    for i in range(FEATURES):
        if net.seen[i] != np.float32(0.0):
            add_input(net, i, net.seen[i])
    one = np.float32(1.0)
    add_input(net, SETUPS_AT + max(setup_of(s), 0), one)
    add_input(net, SEATS_AT + int(s.seats) - 2, one)
    for still in range(MOST_STILLS):
        add_input(net, KINDS_AT + still * (KINDS + 1) + int(s.kind[still]) + 1, one)
    for node in range(NODES):
        if s.owner[node]:
            plane = PLANES_AT + node + (0 if seat_of(s, int(s.owner[node]) - 1) == seat else NODES)
            if s.dist[node]:
                add_input(net, plane, np.float32(s.dist[node] / 20.0))
            if STRENGTH[FACE_TOKEN[s.face[node]]]:
                add_input(net, plane + 2 * NODES, np.float32(STRENGTH[FACE_TOKEN[s.face[node]]] / 12.0))
    look_at_seats(s, seat, net)
    look_at_colours(s, seat, net)
    look_at_nodes(s, seat, net)


@kernel
def look_at_seats(s, seat, net):
    """Add what seats have, what stills have left, and the events to come."""
    seats, one = int(s.seats), np.float32(1.0)
    for objective in range(len(OBJECTIVES)):
        if int(s.goals) >> objective & 1:
            holder = int(s.holder[objective])
            ahead = (holder - seat) % seats if holder >= 0 else MOST_SEATS
            add_input(net, GOALS_AT + objective * (MOST_SEATS + 1) + ahead, one)
    for still in range(MOST_STILLS):
        left = 0
        for k in range(s.supplies[still]):
            left += int(s.supply[still, k])
        if left:
            add_input(net, SUPPLIES_AT + 2 * still, np.float32(int(s.supply[still, 0]) / 5.0))
            add_input(net, SUPPLIES_AT + 2 * still + 1, np.float32(left / 6.0))
    for ahead in range(seats):
        if s.safe[(seat + ahead) % seats]:
            add_input(net, SAFE_AT + ahead, one)
    for event in range(len(EVENTS)):
        if int(s.deck) >> event & 1:
            add_input(net, DECK_AT + event, one)
    if s.load:
        add_input(net, LOAD_AT, np.float32(s.load / 5.0))
    if s.reserve:
        add_input(net, LOAD_AT + 1, np.float32(s.reserve / 10.0))


@kernel
def look_at_colours(s, seat, net):
    """Add what each colour has tapped and has in its inventory; fills `strongest`."""
    colours = int(s.colours)
    net.strongest[:] = 0
    for ahead in range(colours):
        colour = (seat + ahead) % colours
        if s.keeper == colour:
            add_input(net, KEEPER_AT + ahead, np.float32(1.0))
        tapped = int(s.tapped[colour])
        while tapped:
            add_input(net, TAPPED_AT + ahead * MOST_STILLS * MOST_TAPS + lowest(tapped), np.float32(1.0))
            tapped &= tapped - 1
        for number in range(1, ANY + 1):
            fit, count, most = int(s.hand[colour]) & int(FITS[number]), 0, 0
            while fit:
                most = max(most, int(STRENGTH[lowest(fit)]) + 1)
                count += 1
                fit &= fit - 1
            net.strongest[colour, number] = most
            if number < ANY and count:
                add_input(net, HANDS_AT + ahead * ANY + number, np.float32(count / 8.0))
            elif number == ANY and most:
                add_input(net, HANDS_AT + ahead * ANY, np.float32(most / 13.0))


@kernel
def note_reach(s, seat, colour, node, number, net):
    """Note that a colour can place a token that shows a number on a node, if it has one."""
    if node != OFF and s.ground[node] <= MUD:
        whose = 0 if seat_of(s, colour) == seat else 1
        net.reach[whose, node] = max(net.reach[whose, node], net.strongest[colour, number])


@kernel
def look_at_nodes(s, seat, net):
    """Add what lies on nodes, barrels by their steps to the Town Center, and what can be placed next."""
    net.reach[:] = 0
    one, seats, colours = np.float32(1.0), int(s.seats), int(s.colours)
    for colour in range(colours):
        for side in range(4):
            note_reach(s, seat, colour, next_node(s.town, side), ANY, net)
    for node in range(NODES):
        ground = int(s.ground[node])
        if ground in (FOGGY, MUD):
            add_input(net, GROUND_AT + node + (NODES if ground == MUD else 0), one)
        colour = int(s.owner[node]) - 1
        if colour < 0:
            continue
        steps, ahead = int(s.dist[node]), (colour - seat) % colours
        if s.barrels[node]:
            row = HAULS_AT + (colour - seat) % seats * STEPS + min(steps, STEPS - 1)
            add_input(net, row, np.float32(int(s.barrels[node]) / 4.0))
        if ahead > 1:
            add_input(net, COLOURS_AT + (ahead - 2) * NODES + node, one)
        for side in range(4 if steps else 0):
            number = int(ARMS[s.face[node], side])
            if number:
                note_reach(s, seat, colour, next_node(node, side), number, net)
    for node in range(NODES):
        for whose in range(2):
            most = net.reach[whose, node]
            if most == 0:
                continue
            add_input(net, REACH_AT + whose * NODES + node, np.float32(most / 13.0))
            owner = seat_of(s, int(s.owner[node]) - 1) if s.owner[node] else -1
            is_theirs = owner >= 0 and (owner != seat) == (whose == 0) and s.safe[owner] == 0
            if is_theirs and most - 1 > STRENGTH[FACE_TOKEN[s.face[node]]]:
                add_input(net, REACH_AT + (3 - whose) * NODES + node, one)


@kernel
def evaluate(s, seat, net):
    """Look at a position as the seat that is asked: `values` are written, and `logit` tells of its moves."""
    look(s, seat, net)
    zero = np.float32(0.0)
    for unit in range(net.more_units.size):
        net.more_units[unit] = net.second_bias[unit]
    for i in range(net.units.size):
        if net.units[i] > zero:
            amount = net.units[i]
            for unit in range(net.more_units.size):
                net.more_units[unit] += amount * net.second[i, unit]
    for unit in range(net.more_units.size):
        net.more_units[unit] = max(net.more_units[unit], zero)
    seats = int(s.seats)
    for ahead in range(seats):
        found = net.value_bias[ahead]
        for unit in range(net.more_units.size):
            found += net.more_units[unit] * net.value[unit, ahead]
        share = (found * np.float32(seats - 1) + np.float32(1.0)) / np.float32(seats)
        net.values[(seat + ahead) % seats] = min(max(share, zero), np.float32(1.0))
    for ahead in range(seats, MOST_SEATS):
        net.values[ahead] = zero
    net.number[0] += 1


@kernel
def logit_of_token(net, token):
    """The logit of a token, which is computed once for each position."""
    if net.stamps[token] != net.number[0]:
        row, units = net.last[token], net.more_units
        a = b = c = d = e = f = g = h = np.float32(0.0)
        for k in range(0, units.size, LANES):
            a += row[k] * units[k]
            b += row[k + 1] * units[k + 1]
            c += row[k + 2] * units[k + 2]
            d += row[k + 3] * units[k + 3]
            e += row[k + 4] * units[k + 4]
            f += row[k + 5] * units[k + 5]
            g += row[k + 6] * units[k + 6]
            h += row[k + 7] * units[k + 7]
        net.logits[token] = net.last_bias[token] + (((a + b) + (c + d)) + ((e + f) + (g + h)))
        net.stamps[token] = net.number[0]
    return net.logits[token]


@kernel
def logit(net, move):
    """The logit of a move in the position that was evaluated last."""
    total = 0.0
    for k in range(net.tokens.shape[1]):
        if net.tokens[move, k] >= 0:
            total += logit_of_token(net, net.tokens[move, k])
    return total


@kernel
def expected_share(net, seat):
    """What a seat may expect in the position that was evaluated last."""
    return float(net.values[seat])


@kernel
def knows(s):
    """Whether the net knows the setup."""
    return setup_of(s) >= 0

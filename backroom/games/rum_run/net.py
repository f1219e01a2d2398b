"""A net trained by self-play: how likely each step is, and what each seat may expect. `net.md` says how it was trained.

Its inputs are the features for learners and some more of the state; most are 0, and those are skipped. It knows the
setups that come with the game (`knows`).
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from backroom.engine.kernel import kernel
from backroom.engine.tokens import tokens_of

from .brain import FEATURES, MOST_SEATS, features
from .pieces import FACE_TOKEN, KINDS, MOST_STILLS, NODES, STRENGTH
from .rules.state import OBSTACLE, seat_of
from .setup_file import called
from .verbs import verbs

SETUPS = ("first", "standard", "duel", "small", "moonless", "badlands")
"""The setups that it was trained on, the duel with two colours for each player."""
SETUPS_AT = FEATURES
SEATS_AT = SETUPS_AT + len(SETUPS)
KINDS_AT = SEATS_AT + 3
PLANES_AT = KINDS_AT + MOST_STILLS * (KINDS + 1)
INPUTS = PLANES_AT + 4 * NODES
"""The inputs: features for learners; the setup; the number of seats; the kind of each still; and for each node its
steps to the Town Center and the strength of its token, both for the seat's own tokens and for those of others.
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


class Mind(NamedTuple):
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


def mind(path: Path = FILE) -> Mind:
    """A new workspace with the weights."""
    given = trained(path)
    tokens = len(given["last"])
    return Mind(
        **given,
        seen=np.zeros(FEATURES, np.float32),
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
def add_input(mind, row, amount):
    """Add an input to the first layer."""
    for unit in range(mind.units.size):
        mind.units[unit] += amount * mind.first[row, unit]


@kernel
def look(s, seat, mind):
    """Compute the first layer from the inputs."""
    for unit in range(mind.units.size):
        mind.units[unit] = mind.first_bias[unit]
    mind.seen[:] = 0.0
    features(s, seat, mind.seen)
    for i in range(FEATURES):
        if mind.seen[i] != np.float32(0.0):
            add_input(mind, i, mind.seen[i])
    one = np.float32(1.0)
    add_input(mind, SETUPS_AT + max(setup_of(s), 0), one)
    add_input(mind, SEATS_AT + int(s.seats) - 2, one)
    for still in range(MOST_STILLS):
        add_input(mind, KINDS_AT + still * (KINDS + 1) + int(s.kind[still]) + 1, one)
    for node in range(NODES):
        if s.owner[node]:
            plane = PLANES_AT + node + (0 if seat_of(s, int(s.owner[node]) - 1) == seat else NODES)
            if s.dist[node]:
                add_input(mind, plane, np.float32(s.dist[node] / 20.0))
            if STRENGTH[FACE_TOKEN[s.face[node]]]:
                add_input(mind, plane + 2 * NODES, np.float32(STRENGTH[FACE_TOKEN[s.face[node]]] / 12.0))


@kernel
def ponder(s, seat, mind):
    """Look at a position as the seat that is asked: `values` are written, and `logit` tells of its moves."""
    look(s, seat, mind)
    zero = np.float32(0.0)
    for unit in range(mind.more_units.size):
        mind.more_units[unit] = mind.second_bias[unit]
    for i in range(mind.units.size):
        if mind.units[i] > zero:
            amount = mind.units[i]
            for unit in range(mind.more_units.size):
                mind.more_units[unit] += amount * mind.second[i, unit]
    for unit in range(mind.more_units.size):
        mind.more_units[unit] = max(mind.more_units[unit], zero)
    seats = int(s.seats)
    for ahead in range(seats):
        found = mind.value_bias[ahead]
        for unit in range(mind.more_units.size):
            found += mind.more_units[unit] * mind.value[unit, ahead]
        share = (found * np.float32(seats - 1) + np.float32(1.0)) / np.float32(seats)
        mind.values[(seat + ahead) % seats] = min(max(share, zero), np.float32(1.0))
    for ahead in range(seats, MOST_SEATS):
        mind.values[ahead] = zero
    mind.number[0] += 1


@kernel
def logit_of_token(mind, token):
    """The logit of a token, which is computed once for each position."""
    if mind.stamps[token] != mind.number[0]:
        row, units = mind.last[token], mind.more_units
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
        mind.logits[token] = mind.last_bias[token] + (((a + b) + (c + d)) + ((e + f) + (g + h)))
        mind.stamps[token] = mind.number[0]
    return mind.logits[token]


@kernel
def logit(mind, move):
    """The logit of a move in the position that was pondered last."""
    total = 0.0
    for k in range(mind.tokens.shape[1]):
        if mind.tokens[move, k] >= 0:
            total += logit_of_token(mind, mind.tokens[move, k])
    return total


@kernel
def share(mind, seat):
    """What a seat may expect in the position that was pondered last."""
    return float(mind.values[seat])


@kernel
def knows(s):
    """Whether the net knows the setup."""
    return setup_of(s) >= 0

"""What a player of puzzles looks at, and a judgement by hand: the shortest chain of tokens that would reach the barrel.

A chain goes on from one open end, each token linked to the one before it. Nearly every solution is one; what is left
out are stars, the second that a double wants at the barrel, and whatever covers a token of one's own.
"""

import numpy as np

from backroom.engine.kernel import bit_count, kernel, lowest
from backroom.games.rum_run.pieces import (
    ANY,
    DOUBLES,
    FAR,
    FIRST_VARIANT,
    FITS,
    IS_DOUBLE,
    NEAR,
    OFF,
    PLAIN,
    STRAIGHTS,
)
from backroom.games.rum_run.rules.links import arm, is_mine
from backroom.games.rum_run.rules.roads import site
from backroom.games.rum_run.rules.state import ASK_SECOND, next_node, top

from .pieces import PLACINGS
from .rules import BLUE, NOWHERE, at_least, made, steps_between

FEATURES = 8

LEVELS = {
    "easy": ("rollouts", {"worlds": 0, "blur": 2.0}),
    "medium": ("rollouts", {"worlds": 0, "blur": 0.7}),
    "hard": ("search", {"iterations": 10_000, "exploring": 1.0, "width": 4.0}),
}
"""`easy` and `medium` make the step of the best static evaluation, with errors. `hard` searches, because the static
evaluation does not see what a star could be.
"""
TOO_FAR = PLACINGS + 1
TURNS = 3
"""How often a token of a chain is tried: a double for each way on, a straight one for each end."""
NODES_AT, WAYS_AT, NUMBERS_AT, TRIES_AT, LOW_AT, HIGH_AT = range(0, 48, 8)
"""Where in `work` the levels of a chain keep its last node, its way and number, what has been tried, and the hand."""


@kernel
def enter(s, level, node, way, number, hand):
    """A level of a chain: what it can go on from."""
    s.work[NODES_AT + level] = node
    s.work[WAYS_AT + level] = way
    s.work[NUMBERS_AT + level] = number
    s.work[TRIES_AT + level] = 0
    s.work[LOW_AT + level] = hand & 0xFFFF
    s.work[HIGH_AT + level] = hand >> 16


@kernel
def has_chain(s, node, way, number, hand, first, most):
    """Whether `most` tokens of a hand lead from an end to the barrel, the first of them one of `first`."""
    aim = int(s.aim)
    enter(s, 0, node, way, number, hand)
    level = 0
    while level >= 0:
        tried = np.int64(s.work[TRIES_AT + level])
        s.work[TRIES_AT + level] = tried + 1
        token, turn = tried // TURNS, tried % TURNS
        if token >= PLAIN:
            level -= 1
            continue
        number = np.int64(s.work[NUMBERS_AT + level])
        hand = np.int64(s.work[LOW_AT + level]) | np.int64(s.work[HIGH_AT + level]) << 16
        fit = hand & int(FITS[number]) & (first if level == 0 else hand)
        way = np.int64(s.work[WAYS_AT + level])
        at = next_node(s.work[NODES_AT + level], way)
        if fit >> token & 1 == 0 or at == OFF or is_mine(s, BLUE, at):
            continue
        if site(s, BLUE, at, False) >> token & 1 == 0 or steps_between(at, aim) > most - level - 1:
            continue
        if at == aim:
            return True
        near, far = int(NEAR[FIRST_VARIANT[token]]), int(FAR[FIRST_VARIANT[token]])
        if IS_DOUBLE[token]:
            way = (way + (turn if turn < 2 else 3)) % 4
        elif turn == 2 or (number != ANY and number != (near if turn == 0 else far)):
            continue
        elif turn == 1:
            far = near
        enter(s, level + 1, at, way, far, hand & ~(1 << token))
        level += 1
    return False


@kernel
def has_chain_of(s, most):
    """Whether `most` tokens lead from any open end to the barrel; what is chosen already comes first."""
    hand = int(s.hand[BLUE])
    first = 1 << int(s.token) if s.token >= 0 else hand
    waits = int(s.arg[s.depth - 1]) if top(s) == ASK_SECOND else -1
    if waits < 0:
        for way in range(4):
            is_open = s.node < 0 or s.node == next_node(s.town, way)
            if is_open and has_chain(s, int(s.town), way, ANY, hand, first, most):
                return True
    lying = int(s.tokens) & ~hand
    while lying:
        node = int(s.where[BLUE, lowest(lying)])
        lying &= lying - 1
        if node == NOWHERE or s.dist[node] == 0 or (waits >= 0 and node != waits):
            continue
        for way in range(4):
            number = arm(s, node, way)
            is_open = number > 0 and (s.node < 0 or s.node == next_node(node, way))
            if is_open and has_chain(s, node, way, number, hand, first, most):
                return True
    return False


@kernel
def distance(s):
    """The tokens of the shortest chain there is, of those that may still be placed; TOO_FAR if there is none."""
    for most in range(at_least(s), s.reserve + 1):
        if has_chain_of(s, most):
            return most
    return TOO_FAR


@kernel
def features(s, seat, out):
    """The distance, what it is at least, placings made, left and needed, straight tokens and doubles in the inventory,
    and whether it is solved.
    """
    hand = int(s.hand[BLUE])
    out[0] = 0.0 if s.winners else distance(s) / TOO_FAR
    out[1] = at_least(s) / PLACINGS
    out[2] = made(s) / PLACINGS
    out[3] = s.reserve / PLACINGS
    out[4] = s.step / PLACINGS
    out[5] = bit_count(hand & STRAIGHTS) / PLACINGS
    out[6] = bit_count(hand & DOUBLES) / PLACINGS
    out[7] = s.winners


@kernel
def value(s, seat):
    """The less, the farther the barrel is; next to nothing where no chain leads there any more."""
    if s.over:
        if s.winners == 0:
            return 0.0
        return 1.0 if made(s) <= s.step else 0.5
    far = distance(s)
    if far == TOO_FAR:
        return 0.05
    return 0.95 - 0.1 * far if made(s) + far <= s.step else 0.5 - 0.05 * far

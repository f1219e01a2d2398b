"""Rum Run for one player: six tokens, and the shortest road to a barrel. The rules of building are Rum Run's.

A state is a record of Rum Run. Blue builds; red has no seat, only tokens that lie in the way. A few fields mean
something of their own: `aim` is the barrel's node, `reserve` the placings that are left, `step` the fewest that solve
the puzzle; and a token that blue was not given lies at NOWHERE.
"""

from backroom.engine.kernel import EVERYONE, kernel, lowest
from backroom.games.rum_run.pieces import FACE_TOKEN, NODES, SIDE
from backroom.games.rum_run.rules import clear, has_all_measures, lay_ground
from backroom.games.rum_run.rules.links import changed, is_mine, put_down, token_at
from backroom.games.rum_run.rules.roads import placings_anywhere
from backroom.games.rum_run.rules.state import (
    ASK_ACT,
    BUILDING,
    DO_LAND,
    FIRST_TO_DO,
    MUD,
    OBSTACLE,
    PASS,
    PLACE,
    STATE,
    STEP_BACK,
    pop,
    push,
    top,
)
from backroom.games.rum_run.rules.taps import land
from backroom.games.rum_run.rules.turn import answer, build_moves, seat_moves

from .pieces import (
    BARREL,
    FEWEST,
    GIVEN,
    LAID,
    MOST_LAID,
    MOST_ROCKS,
    PLACINGS,
    ROCKS,
    SIZE,
    TOWN_NODE,
)

__all__ = ["STATE"]

NAME = "rum-run-puzzles"
TITLE = "Rum Run Puzzles"
VERSION = 2
SEATS = (1,)
SEAT_NAMES = ("Blue",)
SECRETS = False
BACK = STEP_BACK
MOST_MOVES = 320
LONGEST = 2_000

BLUE, RED = 0, 1
GIVE_UP = PASS
"""The only move when nothing can be placed any more (§3.2)."""
NOWHERE = NODES - 1
"""A node that is off every board as small as a puzzle's."""
BOULDER = 0


@kernel
def setup(s, seats, options):
    clear(s)
    s.seats = 2  # red is an opponent, as in Rum Run, though nobody sits there
    s.colours = 2
    s.width = options[SIZE]
    s.town = options[TOWN_NODE]
    lay_ground(s)
    s.aim = options[BARREL]
    s.barrels[s.aim] = 1
    s.step = options[FEWEST]
    s.reserve = PLACINGS
    for which in range(MOST_ROCKS):
        if options[ROCKS + which] >= 0:
            s.ground[options[ROCKS + which]] = OBSTACLE + BOULDER
    tokens, mine = int(options[GIVEN]), int(options[GIVEN])
    for which in range(MOST_LAID):
        at = LAID + 3 * which
        if options[at] >= 0:
            token = 1 << FACE_TOKEN[options[at + 2]]
            tokens |= token
            if options[at] == BLUE:
                mine |= token
    s.tokens = tokens
    s.hand[BLUE] = mine
    s.hand[RED] = tokens
    foreign = tokens & ~mine
    while foreign:
        s.where[BLUE, lowest(foreign)] = NOWHERE
        foreign &= foreign - 1
    for which in range(MOST_LAID):
        at = LAID + 3 * which
        if options[at] >= 0:
            put_down(s, options[at], options[at + 1], options[at + 2])
    changed(s, BLUE)
    changed(s, RED)
    push(s, ASK_ACT, BUILDING, 0)


@kernel
def asked(s):
    return 1 if s.depth else 0


@kernel
def is_choosing(s):
    """Whether neither a node nor a token is chosen yet."""
    return top(s) == ASK_ACT and s.node < 0 and s.token < 0


@kernel
def moves(s, seat, out):
    """§3: build from the inventory; nothing is taken up again. A player who can place nothing any more gives up."""
    if seat != 0 or s.depth == 0:
        return 0
    if not is_choosing(s):
        return seat_moves(s, seat, out)
    hand = int(s.hand[BLUE])
    n = build_moves(s, BLUE, hand, hand, False, out) if s.reserve > 0 else 0
    if n == 0:
        out[0] = GIVE_UP
        n = 1
    return n


@kernel
def placings(s, out):
    """Every possible placing as a single move, without choosing node and token one after the other; for the solver."""
    if top(s) != ASK_ACT:
        return seat_moves(s, 0, out)
    hand = int(s.hand[BLUE])
    return placings_anywhere(s, BLUE, hand, hand, False, out, 0) if s.reserve > 0 else 0


@kernel
def odds(s, out):
    return 0


@kernel
def play(s, seat, move):
    if move == GIVE_UP:
        pop(s)
        s.over = 1
        return
    answer(s, seat, move)
    if move < PLACE or move == STEP_BACK:
        return
    s.reserve -= 1
    while s.depth and top(s) >= FIRST_TO_DO:
        if top(s) == DO_LAND:
            land(s)
        else:
            pop(s)
    if is_mine(s, BLUE, s.aim):  # §5.1: at once, even with a double
        while s.depth:
            pop(s)
        s.over = 1
        s.winners = 1
    elif s.depth == 0:
        push(s, ASK_ACT, BUILDING, 0)


@kernel
def seen(s, seat, move):
    return EVERYONE


@kernel
def hide(s, seat):
    s.work[:] = 0


@kernel
def imagine(s, seat, dice):
    s.work[:] = 0


@kernel
def made(s):
    """How many tokens have been placed."""
    return PLACINGS - int(s.reserve)


@kernel
def score(s, out):
    """§5.3: the shortest way counts one, a longer one half."""
    out[0] = 0.0
    if s.winners:
        out[0] = 1.0 if made(s) <= s.step else 0.5


@kernel
def steps_between(one, other):
    """Columns plus rows from a node to another."""
    return abs(one // SIDE - other // SIDE) + abs(one % SIDE - other % SIDE)


@kernel
def at_least(s):
    """A lower bound on the placings that reach the barrel: each lies beside the Town Center or a blue token."""
    least = steps_between(int(s.town), int(s.aim))
    lying = int(s.tokens) & ~int(s.hand[BLUE])
    while lying:
        node = int(s.where[BLUE, lowest(lying)])
        lying &= lying - 1
        if node != NOWHERE:
            least = min(least, steps_between(node, int(s.aim)))
    return least


@kernel
def is_whole(s):
    """Whether every token is on one node, in an inventory, or was never given; and distances and the barrel agree."""
    lying = 0
    for node in range(NODES + 1):
        if s.owner[node]:
            colour, token = int(s.owner[node]) - 1, token_at(s, node)
            if s.where[colour, token] != node or int(s.hand[colour]) >> token & 1 or s.ground[node] > MUD:
                return False
            lying += 1
        elif s.face[node]:
            return False
    for colour in range(2):
        left = int(s.tokens) & ~int(s.hand[colour])
        if int(s.hand[colour]) & ~int(s.tokens):
            return False
        while left:
            if colour == RED or s.where[colour, lowest(left)] != NOWHERE:
                lying -= 1
            left &= left - 1
    return lying == 0 and s.barrels[s.aim] == 1 and has_all_measures(s)

"""What a first game of Rum Run explains, each once, when it first arises."""

from backroom.engine.protocol import Seat, Situation, State

from .pieces import GOAL, NODES, QUIET_ROUNDS, SIDE, STRENGTH, TOKENS
from .rules import asked
from .rules.objectives import total
from .rules.state import (
    ASK_ACT,
    ASK_PICK,
    ASK_SECOND,
    ASK_TO,
    FREELY,
    seat_of,
    top,
)

STRONG = 10
"""The number of dots from which a token is hardly ever broken."""
QUIET = 15
"""The number of uneventful rounds worth explaining."""


def is_asked(v: State, seat: Seat) -> bool:
    return bool(int(asked(v)) >> seat & 1)


def acts(v: State, seat: Seat) -> bool:
    return is_asked(v, seat) and int(top(v)) == ASK_ACT


def barrels(v: State, seat: Seat) -> list[int]:
    """The nodes of a seat's road that hold barrels."""
    return [
        node
        for node in range(NODES)
        if v.barrels[node] and v.owner[node] and int(seat_of(v, int(v.owner[node]) - 1)) == seat
    ]


def is_obliged(v: State, seat: Seat) -> bool:
    """Whether a token holds more barrels than it has steps to go."""
    return acts(v, seat) and any(int(v.barrels[node]) > int(v.dist[node]) > 0 for node in barrels(v, seat))


def is_cut_off(v: State, seat: Seat) -> bool:
    return any(int(v.dist[node]) == 0 for node in _tokens(v, seat))


def _tokens(v: State, seat: Seat) -> list[int]:
    return [node for node in range(NODES) if v.owner[node] and int(seat_of(v, int(v.owner[node]) - 1)) == seat]


def has_scored(v: State, seat: Seat) -> bool:
    return acts(v, seat) and bool(int(v.arg[v.depth - 1]) & FREELY)


def meets_an_opponent(v: State, seat: Seat) -> bool:
    """Whether an opponent's token lies beside one of the seat's."""
    own = set(_tokens(v, seat))
    beside = {node + step for node in own for step in (-SIDE, -1, 1, SIDE)}
    return any(0 <= node < NODES and v.owner[node] and node not in own for node in beside)


SITUATIONS = (
    Situation(
        "beginning",
        "Whoever first brings enough barrels to the Town Center wins (§7.1). To begin, everybody picks a token in "
        "secret: the one with the fewest dots is first, and each has to place the token he picked first (§2.4).",
        lambda v, seat: is_asked(v, seat) and int(top(v)) == ASK_PICK,
    ),
    Situation(
        "building",
        "One action a turn: build, or move barrels (§3). A token links where it shows the same number as its "
        "neighbour; the Town Center takes any (§4.1). Choose one of the places shown.",
        acts,
    ),
    Situation(
        "double",
        "A double has four arms: only it turns or branches a road (§1.3), and it needs a second token at once, on "
        "another of its arms (§4.3).",
        lambda v, seat: is_asked(v, seat) and int(top(v)) == ASK_SECOND,
    ),
    Situation(
        "loaded",
        "Barrels lie on your road. To move them, pick up all of one token and put one on each token on the way home "
        "(§6.1). What reaches the Town Center is scored (§6.4).",
        lambda v, seat: acts(v, seat) and bool(barrels(v, seat)),
    ),
    Situation(
        "free action",
        "Your caravan has scored, so you have a free action at once (§6.5).",
        has_scored,
    ),
    Situation(
        "obliged",
        "A token of yours holds more barrels than it has steps to go: it must be moved now, and the rest goes on past "
        "the Town Center (§6.6, §6.8).",
        is_obliged,
    ),
    Situation(
        "overshoot",
        "You have barrels left past the Town Center, and they go on along a road of your choice. If the last lands on "
        "barrels, you take them all; if not, they are his (§6.6).",
        lambda v, seat: is_asked(v, seat) and int(top(v)) == ASK_TO,
    ),
    Situation(
        "neighbour",
        "An opponent’s token lies beside your road. A stronger token, counted in dots, breaks it, and barrels on it "
        "are yours then (§4.5). The same can happen to you.",
        meets_an_opponent,
    ),
    Situation(
        "cut off",
        "Part of your road is cut off. It keeps its barrels, and cannot be built on until it is linked again (§4.7).",
        is_cut_off,
    ),
    Situation(
        "nearly won",
        "Somebody needs only two more barrels to win (§7.1).",
        lambda v, seat: any(
            int(GOAL[int(v.seats) if v.colours == v.seats else 5]) - int(total(v, each)) <= 2
            for each in range(int(v.seats))
        ),
    ),
    Situation(
        "quiet",
        f"No barrel was tapped, scored or stolen for {QUIET} rounds. After {QUIET_ROUNDS} of them the game ends, and "
        "most barrels win (§7.2).",
        lambda v, seat: is_asked(v, seat) and int(v.quiet) >= QUIET * int(v.colours),
    ),
    Situation(
        "strength",
        f"Your strongest tokens, {STRONG} dots and more, are hard to break: they are best where much depends on them "
        "(§4.5).",
        lambda v, seat: (
            acts(v, seat)
            and int(v.node) >= 0
            and any(int(v.hand[int(v.turn)]) >> token & 1 and STRENGTH[token] >= STRONG for token in range(TOKENS))
        ),
    ),
)

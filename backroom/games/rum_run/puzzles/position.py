"""Positions of a puzzle on one line: parts between bars, in any order.

    blue c4:3|5v c3:3|1v | red e2:4|6< | left 5

Tokens lie as §7.1 says, and no others do. `left` is how many placings are left, `broken` how many red
tokens were broken. `chosen c2` or `chosen 1|2`: the first half of a choice. `second c3v`: the double that wants one,
and the sides by which it was placed; without arrows, all those on which it links.
"""

import numpy as np

from backroom.engine.protocol import State
from backroom.games.rum_run.pieces import ARROWS, COLOURS, FACE_TOKEN, IS_DOUBLE, NODES, TOKENS
from backroom.games.rum_run.rules.links import changed, put_down, take_up
from backroom.games.rum_run.rules.roads import hung_by
from backroom.games.rum_run.rules.state import ASK_SECOND, DO_DRAWS, MUD, pop, push
from backroom.games.rum_run.setup_file import node_called, node_name
from backroom.games.rum_run.words import token_called, token_name

from .notation import lying_called, lying_name, number_called, split
from .pieces import PLACINGS
from .rules import BLUE, MOST_MOVES, NOWHERE, RED, moves


def position(v: State) -> str:
    """The state on one line."""
    parts = []
    for colour in (BLUE, RED):
        lying = [
            lying_name(int(v.where[colour, token]), int(v.face[v.where[colour, token]]))
            for token in range(TOKENS)
            if (int(v.tokens) & ~int(v.hand[colour])) >> token & 1 and v.where[colour, token] != NOWHERE
        ]
        if lying:
            parts.append(f"{COLOURS[colour]} {' '.join(lying)}")
    parts.append(f"left {v.reserve}")
    if v.broken[BLUE]:
        parts.append(f"broken {v.broken[BLUE]}")
    if v.node >= 0 or v.token >= 0:
        parts.append(f"chosen {node_name(int(v.node)) if v.node >= 0 else token_name(int(v.token))}")
    if v.depth and v.ask[v.depth - 1] == ASK_SECOND:
        hung = "".join(ARROWS[side] for side in range(4) if int(v.who[v.depth - 1]) >> side & 1)
        parts.append(f"second {node_name(int(v.arg[v.depth - 1]))}{hung}")
    if v.over:
        parts.append("over")
    return " | ".join(parts)


_PARTS = (*COLOURS[:2], "left", "broken", "chosen", "second", "over")


def place(s: State, text: str) -> None:
    """Put a puzzle into a position; ValueError says what is impossible about it."""
    said = split(text, _PARTS)
    if "over" in said:
        raise ValueError("nothing goes on from a position that is over (§5)")
    for node in range(NODES):
        if s.owner[node]:
            take_up(s, node)
    for colour in (BLUE, RED):
        for word in said.get(COLOURS[colour], "").split():
            _lay(s, colour, word)
    changed(s, BLUE)
    changed(s, RED)
    s.reserve = number_called(said.get("left", str(PLACINGS)), "left", -2, PLACINGS)
    s.broken[BLUE] = number_called(said.get("broken", "0"), "broken", 0, PLACINGS)
    if "chosen" in said:
        _choose(s, said["chosen"])
    if "second" in said:
        _want_second(s, said["second"])


def _choose(s: State, word: str) -> None:
    if "|" not in word:
        s.node = node_called(word)
    elif int(s.hand[BLUE]) >> token_called(word) & 1:
        s.token = token_called(word)
    else:
        raise ValueError(f"chosen {word!r}: that token is not in the inventory (§3.1)")


def _want_second(s: State, word: str) -> None:
    node = node_called(word.rstrip(ARROWS))
    if s.owner[node] != BLUE + 1 or not IS_DOUBLE[FACE_TOKEN[s.face[node]]] or s.node >= 0 or s.token >= 0:
        raise ValueError(f"second {word!r}: no double of yours wants one there (§4.3)")
    pop(s)
    push(s, DO_DRAWS, 0, 0)
    hung = sum(1 << side for side, arrow in enumerate(ARROWS) if arrow in word)
    push(s, ASK_SECOND, node, hung or int(hung_by(s, BLUE, node, s.face[node])))
    if not moves(s, 0, np.empty(MOST_MOVES, np.int32)):
        raise ValueError(f"second {word!r}: no second token could follow (§4.3)")


def _lay(s: State, colour: int, word: str) -> None:
    node, face = lying_called(word)
    token = int(FACE_TOKEN[face])
    if s.ground[node] > MUD or s.owner[node] or (colour == BLUE and node == s.aim):
        raise ValueError(f"{word!r}: no token can lie there (§2.1)")
    if not int(s.hand[colour]) >> token & 1:
        raise ValueError(f"{word!r}: {COLOURS[colour]} does not have that token, or not twice (§2.1)")
    put_down(s, colour, node, face)

"""The words of the puzzles. Moves are called as in Rum Run; `give up` is all that is left when nothing fits any more.

A position is parts between bars, in any order:

    blue c4:3|5v c3:3|1v | red e2:4|6< | left 5

Tokens lie as §7.1 says, and no others do. `left` is how many placings are left, `broken` how many red
tokens were broken. `chosen c2` or `chosen 1|2`: the first half of a choice. `second c3`: the double that wants one; an
arrow says from which side it was reached, if it was a second itself.
"""

import numpy as np

from backroom.engine.protocol import Move, Seat, State
from backroom.games.rum_run import reasons
from backroom.games.rum_run import words as rum_run
from backroom.games.rum_run.pieces import ARROWS, COLOURS, FACE_TOKEN, IS_DOUBLE, NODES, TOKENS
from backroom.games.rum_run.rules.links import changed, put_down, take_up
from backroom.games.rum_run.rules.state import ASK_ACT, ASK_SECOND, DO_DRAWS, MUD, PICK, PLACE, pop, push
from backroom.games.rum_run.rules.taps import NO_SIDE
from backroom.games.rum_run.setups import node_called, node_name
from backroom.games.rum_run.words import token_called, token_name

from .notation import lying_called, lying_name, number_called, split
from .pieces import PLACINGS
from .rules import BLUE, GIVE_UP, MOST_MOVES, NOWHERE, RED, asked, made, moves

_GIVE_UP = "give up"


def name(v: State, move: Move) -> str:
    """The move in the notation."""
    return _GIVE_UP if move == GIVE_UP else rum_run.name(v, move)


def parse(v: State, text: str) -> Move:
    """The move of that name; capitals do not matter."""
    if text.lower() == _GIVE_UP:
        return GIVE_UP
    try:
        move = rum_run.parse(v, text)
    except ValueError as error:
        if str(error).startswith("a move is written"):
            raise ValueError(
                "a move is written like c4 (a node), 3|5 (a token), c4 3|5 (both, the end that links first) or back"
            ) from None
        raise
    if move == GIVE_UP:
        raise ValueError("nobody passes here; when nothing fits any more, one can give up (§3.2)")
    return move


def placings(number: int) -> str:
    return "1 placing" if number == 1 else f"{number} placings"


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the log."""
    if move == GIVE_UP:
        return "Blue gives up."
    text = rum_run.say(v, seat, move, v)  # what comes of a move in Rum Run is not what comes of it here
    if then.winners:
        text = f"{text[:-1]}, where the barrel is: solved in {placings(int(made(then)))}."
    return text


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a move is not allowed."""
    if not asked(v):
        return "the puzzle is over (§5)"
    if move == GIVE_UP:
        return "as long as a token can be placed, nobody gives up (§3.2)"
    if v.reserve <= 0 and v.ask[v.depth - 1] == ASK_ACT:
        return "no more than six tokens are placed (§2.2)"
    if move >= PLACE or v.node >= 0 or v.token >= 0 or move < PICK:
        return reasons.why(v, seat, move)
    return "nothing is taken up once it lies; choose a node and a token (§3.1)"


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if v.winners:
        best = f"but it takes only {v.step}" if made(v) > v.step else "as few as can be"
        return f"The game is over: solved in {placings(int(made(v)))}, {best} (§5.3)."
    if v.over:
        return f"The game is over: not solved. It takes {placings(int(v.step))} (§5.2)."
    goal = f"Reach the barrel on {node_name(int(v.aim))}; it takes {placings(int(v.step))}"
    left = f"{v.reserve} of {PLACINGS} left"
    if v.ask[v.depth - 1] == ASK_SECOND:
        return f"{goal}. The double wants a second token (§4.3); {left}."
    if v.token >= 0:
        return f"{goal}. Where does {token_name(int(v.token))} go? {left.capitalize()}."
    if v.node >= 0:
        return f"{goal}. Which token for {node_name(int(v.node))}? {left.capitalize()}."
    if is_stuck(v):
        return f"{goal}. Nothing can be placed any more (§3.2): take back, or give up."
    return f"{goal}, {left}."


def is_stuck(v: State) -> bool:
    """Whether nothing is left but to give up."""
    out = np.empty(MOST_MOVES, np.int32)
    return int(moves(v, 0, out)) == 1 and int(out[0]) == GIVE_UP


# positions


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
        back = int(v.who[v.depth - 1])
        parts.append(f"second {node_name(int(v.arg[v.depth - 1]))}{'' if back == NO_SIDE else ARROWS[back]}")
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
    push(s, ASK_SECOND, node, ARROWS.index(word[-1]) if word[-1] in ARROWS else NO_SIDE)
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

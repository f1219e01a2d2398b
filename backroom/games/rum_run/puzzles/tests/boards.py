"""Puzzles for tests: `at` sets one up, `after` plays on, `names` lists the open moves."""

import backroom
from backroom.engine.protocol import State
from backroom.games.rum_run.puzzles.notation import read_puzzle
from backroom.games.rum_run.puzzles.solver import begin
from backroom.games.rum_run.setup_file import node_called

GAME = backroom.game("rum-run-puzzles")

PLAIN = "size 6 | town c5 | barrel c1 | in 4 | tokens 1|2 1|4 2|3 2|5 3|3 5|6"
"""A puzzle to which tests add parts; its `in` is not proved."""


def at(more: str = "", puzzle: str = PLAIN) -> State:
    """The start of a puzzle with additional parts."""
    s = begin(read_puzzle(f"{puzzle} | {more}" if more else puzzle))
    assert GAME.rules.is_whole(s)
    return s


def names(s: State) -> list[str]:
    """The names of the open moves."""
    return [GAME.rules.name(s, move) for move in GAME.moves(s, 0)]


def after(s: State, *moves: str) -> State:
    """The state after these moves, each of them legal. `c4 3|5` is both steps of a placing."""
    for text in moves:
        if "|" in text and " " in text and text.split()[0] in names(s):
            s = after(s, text.split()[0])
        move = GAME.rules.parse(s, text)
        assert move in GAME.moves(s, 0), f"{text} is not among {names(s)}"
        s = GAME.after(s, 0, move)
        assert GAME.rules.is_whole(s), text
    return s


def can(s: State, text: str) -> bool:
    """Whether this may be played, a placing in two steps."""
    node, _, token = text.partition(" ")
    if token and node in names(s):
        s = after(s, node)
    return GAME.rules.parse(s, text) in GAME.moves(s, 0)


def why(s: State, text: str) -> str:
    """Why a move may not be made."""
    move = GAME.rules.parse(s, text)
    assert move not in GAME.moves(s, 0)
    return GAME.plain(GAME.rules.why(s, 0, move))


def holder(s: State, node: str) -> str:
    """Whose token lies on a node."""
    return ("nobody", "blue", "red")[int(s.owner[node_called(node)])]

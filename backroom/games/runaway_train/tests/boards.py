"""Positions for tests: `at` sets one up, `shows` lets all aboard choose, `after` makes moves."""

import numpy as np

import backroom
from backroom.engine.kernel import NATURE
from backroom.engine.protocol import State

GAME = backroom.game("runaway-train")

LITTLE = """
switch = 4
[before]
1 = "brake 1/2"
2 = "x3"
3 = "brake 1"
[short]
end = 6
stop = { 1 = 4, 2 = 6 }
[long]
5 = "x2"
7 = "brake 1"
8 = "x5"
end = 12
stop = { 2 = 2, 3 = 3, 4 = 5 }
"""
"""A custom track on which much happens in one move."""


def start(seats: int = 3, **options: object) -> State:
    return GAME.start(*GAME.settle(seats, options))


def at(position: str, seats: int = 3, **options: object) -> State:
    """A state in the position notation; a player who is not named has all suitcases and no points."""
    s = start(seats, **options)
    GAME.rules.place(s, position)
    return s


def names(s: State, seat: int | None = None) -> list[str]:
    """The moves of a seat, or of the first seat that is asked."""
    return [GAME.rules.name(s, move) for move in GAME.moves(s, GAME.asked(s)[0] if seat is None else seat)]


def after(s: State, *moves: str) -> State:
    """The state after these moves, each of the first seat that is asked, and each of them legal."""
    for text in moves:
        s = plays(s, GAME.asked(s)[0], text)
    return s


def plays(s: State, seat: int, text: str) -> State:
    move = GAME.rules.parse(s, text)
    assert move in GAME.moves(s, seat), f"{text} is not among {names(s, seat)}"
    return GAME.after(s, seat, move)


def shows(s: State, *choices: str) -> State:
    """All aboard choose, in the order of the seats."""
    assert len(choices) == len(GAME.asked(s))
    return after(s, *choices)


def is_asked_for(s: State, *words: str) -> bool:
    """Whether nature has just these dice to roll."""
    return GAME.asked(s) == (NATURE,) and {name.split()[0] for name in names(s)} == set(words)


def hand(s: State, seat: int) -> str:
    return "".join(str(n) for n in range(1, 8) if s.suitcases[seat] >> n & 1)


def points(s: State) -> list[int]:
    return [int(n) for n in s.points[: s.seats]]


def aboard(s: State) -> list[int]:
    return [seat for seat in range(int(s.seats)) if s.aboard >> seat & 1]


def score(s: State) -> list[float]:
    out = np.zeros(int(s.seats))
    GAME.rules.score(s, out)
    return out.tolist()


def why(s: State, seat: int, text: str) -> str:
    """Why a move may not be made."""
    return GAME.rules.why(s, seat, GAME.rules.parse(s, text))

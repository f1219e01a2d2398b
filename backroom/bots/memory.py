"""What a bot remembers from one move of its seat to the next: the rest of a line that it decided on, and where it goes
on; and how its last turns ended, in games where a position can come back.

A memory belongs to a seat of a table. Whoever holds the table drops it when moves are taken back, when somebody else
plays the seat, and with a new game. All strategies have the same; those that decide move by move leave it as it is.
"""

import itertools
from typing import Any

import numpy as np

from backroom.engine.kernel import kernel, record
from backroom.engine.protocol import Seat
from backroom.engine.table import Table

MOST_STEPS = 24
"""How many steps of a line are remembered."""
MOST_BEEN = 64
"""How many ends of its turns are remembered, where positions can come back."""
AGAIN = 0.02
"""How much of a win the end of a turn is worth less for each time that a turn of the seat has ended so."""
MEMORY = record(
    [
        ("awaited", "u8"),  # the fingerprint of the position in which the line goes on
        ("count", "i4"),  # how many steps it has
        ("made", "i4"),  # how many of them were made
        ("steps", "i4", MOST_STEPS),
        ("turns", "i8"),  # how many ends of turns were noted
        ("been", "u8", MOST_BEEN),  # the last of them
    ]
)


def memories(seats: int) -> Any:
    """A memory of nothing for each seat: an array, as the arena hands it to its kernel."""
    return np.zeros(seats, MEMORY)


def ends_of_turns(table: Table, seat: Seat, since: int = 0, until: int | None = None) -> list[int]:
    """How turns of a seat ended, by the game's `layout`, in the lines from one to another; none where the game has no
    such kernel.
    """
    layout = getattr(table.game.rules, "layout", None)
    lines = list(table.lines)[since:until]
    if layout is None or not any(line.seat == seat for line in lines):
        return []
    states = itertools.islice(table.states(since), 1, len(lines) + 1)
    return [
        int(layout(s))
        for line, s in zip(lines, states, strict=True)
        if line.seat == seat and table.game.asked(s) != (seat,)
    ]


@kernel
def goes_on(memory, here):  # type: ignore[no-untyped-def]
    """Whether the line decided on has a next step, and this is the position in which it is due."""
    return memory.made < memory.count and memory.awaited == here


@kernel
def decide_on(memory, steps, n):  # type: ignore[no-untyped-def]
    """Remember a line of n steps, of which none was made."""
    memory.count, memory.made = n, 0
    for i in range(n):
        memory.steps[i] = steps[i]


@kernel
def next_step(memory):  # type: ignore[no-untyped-def]
    """The next step of the line; say with `await_there` where the one after it is due."""
    memory.made += 1
    return memory.steps[memory.made - 1]


@kernel
def await_there(memory, then):  # type: ignore[no-untyped-def]
    """The fingerprint of the position after the step."""
    memory.awaited = then


@kernel
def forget(memory):  # type: ignore[no-untyped-def]
    """Begin a new game."""
    memory.count, memory.turns = 0, 0


@kernel
def note(memory, layout):  # type: ignore[no-untyped-def]
    """A turn of the seat has ended so; the oldest is forgotten for it."""
    memory.been[memory.turns % MOST_BEEN] = layout
    memory.turns += 1


@kernel
def has_been(memory, layout):  # type: ignore[no-untyped-def]
    """How many of the turns that are remembered ended so."""
    times = 0
    for i in range(min(memory.turns, MOST_BEEN)):
        times += memory.been[i] == layout
    return times

"""What a bot remembers from one move of its seat to the next: the rest of a line that it decided on, and where it goes
on.

A memory belongs to a seat of a table. Whoever holds the table drops it when moves are taken back, when somebody else
plays the seat, and with a new game. All strategies have the same; those that decide move by move leave it as it is.
"""

from typing import Any

import numpy as np

from backroom.engine.kernel import kernel, record

MOST_STEPS = 24
"""How many steps of a line are remembered."""
MEMORY = record([("awaited", "u8"), ("count", "i4"), ("made", "i4"), ("steps", "i4", MOST_STEPS)])
"""The fingerprint of the position in which the line goes on; how many steps it has; how many were made; the steps."""


def memories(seats: int) -> Any:
    """A memory of nothing for each seat: an array, as the arena hands it to its kernel."""
    return np.zeros(seats, MEMORY)


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

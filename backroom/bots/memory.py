"""What a bot remembers between the moves of its seat: the rest of the line that it decided on, the position in which
the line continues, how its last turns ended, in games where positions can repeat, and what it learned of the others.

A memory belongs to a seat of a table. The owner of the table drops it when somebody else plays the seat, and when a new
game begins; when moves are taken back, it is made again from the log. All strategies share this type; those that decide
move by move ignore it.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from backroom.engine.kernel import kernel, record
from backroom.engine.protocol import Seat, State
from backroom.engine.table import Table

MOST_STEPS = 24
"""The most steps of a line that are remembered."""
MOST_BEEN = 64
"""The number of a seat's last turns whose ends are remembered, in games where positions can repeat."""
MOST_LEARNED = 144
"""The numbers that a game's `observe` can keep."""
AGAIN = 0.02
"""Penalty, as a share of the win, for each earlier turn of the seat that ended in the same position."""
MEMORY = record(
    [
        ("awaited", "u8"),  # the fingerprint of the position in which the line continues
        ("count", "i4"),  # the number of steps in the line
        ("made", "i4"),  # the number of these steps that were made
        ("steps", "i4", MOST_STEPS),
        ("turns", "i8"),  # the number of ends of turns noted so far
        ("been", "u8", MOST_BEEN),  # the last ends of turns, as a ring buffer
        ("learned", "f8", MOST_LEARNED),  # what the game's `observe` has learned from views
    ]
)


def memories(seats: int) -> Any:
    """An empty memory for each seat, as an array for the arena's kernel."""
    return np.zeros(seats, MEMORY)


def ends_of_turns(table: Table, seat: Seat, since: int = 0, until: int | None = None) -> list[int]:
    """The ends of a seat's turns in lines `since` to `until`, as numbers from the game's `repetition_key`; an empty
    list if the game has no such kernel.
    """
    repetition_key = getattr(table.game.rules, "repetition_key", None)
    if repetition_key is None:
        return []
    answers = answers_of(table, seat, since, until)
    return [int(repetition_key(s, seat)) for _, s in answers if table.game.asked(s) != (seat,)]


def learn_again(table: Table, seat: Seat, memory: Any, since: int, until: int) -> None:
    """Learn what the game's `observe` would have learned from the views of a seat's decisions in lines `since` to
    `until`.
    """
    rules: Any = table.game.rules
    if not hasattr(rules, "observe"):
        return
    spare, counts = np.zeros(1, rules.STATE), np.zeros(rules.COUNTS)
    for s, _ in answers_of(table, seat, since, until):
        rules.observe(table.game.view(s, seat), seat, memory.learned, 1.0, spare, counts)


def answers_of(table: Table, seat: Seat, since: int, until: int | None) -> Iterator[tuple[State, State]]:
    """The states before and after each answer of a seat in lines `since` to `until`.

    A move that it made without being asked is no answer: no turn ends with it, and nothing is learned.
    """
    lines = list(table.lines)[since:until]
    if any(line.seat == seat for line in lines):
        for line, (before, after) in zip(lines, itertools.pairwise(table.states(since)), strict=False):
            if line.seat == seat and seat in table.game.asked(before):
                yield before, after


@kernel
def goes_on(memory, here):  # type: ignore[no-untyped-def]
    """Whether the line decided on has a next step, and `here` is the fingerprint of the position it is for."""
    return memory.made < memory.count and memory.awaited == here


@kernel
def decide_on(memory, steps, n):  # type: ignore[no-untyped-def]
    """Remember a line of n steps, none of them made yet."""
    memory.count, memory.made = n, 0
    for i in range(n):
        memory.steps[i] = steps[i]


@kernel
def next_step(memory):  # type: ignore[no-untyped-def]
    """The next step of the line; the caller then passes the position after it to `await_there`."""
    memory.made += 1
    return memory.steps[memory.made - 1]


@kernel
def await_there(memory, then):  # type: ignore[no-untyped-def]
    """Remember the fingerprint of the position in which the next step is due."""
    memory.awaited = then


@kernel
def forget(memory):  # type: ignore[no-untyped-def]
    """Begin a new game."""
    memory.count, memory.turns = 0, 0
    memory.learned[:] = 0.0


@kernel
def note(memory, key):  # type: ignore[no-untyped-def]
    """Note how a turn of the seat ended; the oldest entry is overwritten once all are used."""
    memory.been[memory.turns % MOST_BEEN] = key
    memory.turns += 1


@kernel
def has_been(memory, key):  # type: ignore[no-untyped-def]
    """The number of remembered turns that ended with this repetition key."""
    times = 0
    for i in range(min(memory.turns, MOST_BEEN)):
        times += memory.been[i] == key
    return times

"""The moves open to every seat, in one call of a kernel: calling one from Python costs more than what it does."""

import functools
import itertools
from collections.abc import Callable

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import kernel
from backroom.engine.protocol import State


@functools.cache
def open_moves(game: Game) -> Callable[[State, int], list[bytes]]:
    """A function of a state and the number of seats: the moves of each seat, as bytes of 32-bit integers."""
    moves, most = game.rules.moves, game.room

    @kernel
    def gather(s, seats, out, ends):  # type: ignore[no-untyped-def]
        n = 0
        for seat in range(seats):
            n += moves(s, seat, out[n:])
            ends[seat] = n

    if not hasattr(moves, "py_func"):  # rules may be plain Python, for example in tests
        gather = getattr(gather, "py_func", gather)

    def found(s: State, seats: int) -> list[bytes]:
        out, ends = np.empty(seats * most, np.int32), np.empty(seats, np.int64)
        gather(s, seats, out, ends)
        cuts = [0, *ends.tolist()]
        whole = out[: cuts[-1]].tobytes()
        return [whole[4 * start : 4 * end] for start, end in itertools.pairwise(cuts)]

    return found

"""Who notices a move: the readers whose view it changes."""

import functools
from collections.abc import Callable

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import WATCHER, kernel
from backroom.engine.protocol import State


@functools.cache
def noticing(game: Game) -> Callable[[State, State, int], int]:
    """A function of the states before and after a move and of the number of seats: who notices the move, as bits."""
    state, hide, end = game.rules.STATE, game.rules.hide, len(game.key(game.blank()))

    @kernel
    def changed(worlds, bytes_, seats):  # type: ignore[no-untyped-def]
        found = 0
        for reader in range(-1, seats):
            worlds[2] = worlds[0]
            worlds[3] = worlds[1]
            hide(worlds[2], reader)
            hide(worlds[3], reader)
            for i in range(end):
                if bytes_[2, i] != bytes_[3, i]:
                    found |= 1 << (WATCHER if reader < 0 else reader)
                    break
        return found

    if not hasattr(hide, "py_func"):  # rules may be plain Python, for example in tests
        changed = getattr(changed, "py_func", changed)

    def notice(before: State, after: State, seats: int) -> int:
        held = np.frombuffer(bytearray(before.data) + after.data + bytes(2 * state.itemsize), np.uint8)
        return int(changed(held.view(state), held.reshape(4, -1), seats))

    return notice

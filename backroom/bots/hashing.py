"""Hashes of positions, for the tables of strategies and for memories."""

from math import gcd

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import kernel


@kernel
def mixed(a, b):  # type: ignore[no-untyped-def]
    """A hash of two numbers, of 64 bits and never 0."""
    z = (np.uint64(a) ^ (np.uint64(b) * np.uint64(0x9E3779B97F4A7C15))) + np.uint64(0xD1B54A32D192ED03)
    z = (z ^ (z >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(29))
    return z | np.uint64(1)


@kernel
def fingerprint(words, n, seat):  # type: ignore[no-untyped-def]
    """A hash of the first n words of a state or view and of its seat, never 0."""
    key = np.uint64(n)
    for i in range(n):
        if words[i]:
            key = (key ^ (np.uint64(words[i]) + np.uint64(i << 40))) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
    return mixed(key, seat + 1)


def hashed_words(game: Game) -> tuple[type, int]:
    """The widest type of word that divides a state, and the number of words before its scratch space."""
    end = len(game.key(game.blank()))
    width = gcd(end, game.rules.STATE.itemsize, 8)
    return {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[width], end // width

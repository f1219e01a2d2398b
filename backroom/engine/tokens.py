"""Tokens of moves, by which a net tells a large number of moves apart.

A move has a token for its verb, and one for each of the verb's arguments.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Verbs = Sequence[tuple[int, tuple[int, ...]]]
"""For each verb the number of its first move, and the size of each of its arguments."""


def starts_of(verbs: Verbs) -> Any:
    """The token of each verb, and the first token of each of its arguments, of shape (verbs, 1 + arguments)."""
    starts = np.full((len(verbs), 1 + max(len(sizes) for _, sizes in verbs)), -1, np.int64)
    token = 0
    for row, (_, sizes) in zip(starts, verbs, strict=True):
        for place, size in enumerate((1, *sizes)):
            row[place] = token
            token += size
    return starts


def tokens_of(verbs: Verbs, is_composed: bool) -> Any:
    """The tokens of each move, of shape (moves, most tokens): verb and arguments, or its place in the vocabulary."""
    last, sizes = verbs[-1]
    starts, size = starts_of(verbs), last + math.prod(sizes)
    tokens, place = np.full((size, starts.shape[1] if is_composed else 1), -1, np.int32), 0
    for start, (first, sizes) in zip(starts, verbs, strict=True):
        count = math.prod(sizes)
        if is_composed:
            tokens[first : first + count, 0] = start[0]
            for digit, values in enumerate(np.unravel_index(np.arange(count), sizes) if sizes else (), 1):
                tokens[first : first + count, digit] = start[digit] + values
        else:
            tokens[first : first + count, 0] = np.arange(place, place + count)
        place += count
    return tokens

"""A record as plain Python values, for words and pictures that read many of its fields."""

from functools import cache
from types import SimpleNamespace

import numpy as np

from backroom.engine.protocol import State


@cache
def _fields(state: np.dtype[np.void]) -> tuple[str, ...]:
    return tuple(name for name in state.names or () if name != "work")


class Plain(SimpleNamespace):
    """The fields of a state or view as lists and numbers, without scratch space; `state` is the record itself.

    Python reads these ten times faster than the fields of the record.
    """

    def __init__(self, s: State) -> None:
        super().__init__(state=s, **{name: s[name].tolist() for name in _fields(s.dtype)})

"""A view of Rum Run as plain numbers, for words and pictures that look at all of it."""

from types import SimpleNamespace
from typing import Any

from backroom.engine.protocol import State

from .rules import STATE

_FIELDS = [name for name in STATE.names or () if name != "work"]


def sight_of(s: State) -> Any:
    """The fields of a record as lists and numbers: one by one they are slow to look up. `state` is the record."""
    return SimpleNamespace(state=s, **{name: s[name].tolist() for name in _FIELDS})

"""A view as plain lists and numbers, for whoever reads much of it in Python."""

from types import SimpleNamespace

from backroom.engine.protocol import State

from .rules.state import STATE

_FIELDS = [field for field in STATE.names or () if field != "work"]


class Plain(SimpleNamespace):
    """The fields of a view, which Python reads ten times faster than the record itself; that is `state`."""

    def __init__(self, v: State) -> None:
        super().__init__(state=v, **{field: v[field].tolist() for field in _FIELDS})

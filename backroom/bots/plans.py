"""Plans: the parameters of a strategy, such as its number of iterations. Each is declared once, as a dataclass field.

Kernels get a plan as a record with the same names.
"""

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np

from backroom.engine.kernel import record
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean

KINDS: dict[Any, str] = {int: "i8", float: "f8", bool: "i8"}
"""The NumPy type of a plan's field in a kernel's record."""


def number(default: Any, most: float, least: float = 0) -> Any:
    """A field of a plan: its default, and the range of values that may be asked for."""
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True, slots=True)
class Plan:
    """The base class of plans. Each strategy adds its own fields; the first determines how long it thinks."""

    @property
    def record(self) -> Any:
        """The plan as a record for kernels."""
        made = np.zeros(1, record([(each.name, KINDS[each.type]) for each in fields(self)]))
        for each in fields(self):
            made[each.name] = getattr(self, each.name)
        return made[0]

    def longer(self, times: float) -> Self:
        """The plan for thinking `times` as long."""
        first = fields(self)[0].name
        return replace(self, **{first: max(1, round(getattr(self, first) * times))})

    def changed(self, said: dict[str, str]) -> Self:
        """The plan with some fields replaced, from text; BadOption says what is wrong."""
        known = {each.name: each for each in fields(self)}
        for name in said:
            if name not in known:
                raise BadOption(f"this plan has no {name!r}{did_you_mean(name, known)}")
        return replace(self, **{name: _read(known[name], text) for name, text in said.items()})


def _read(setting: Any, text: str) -> Any:
    """The value of a field, from its text."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    least, most, is_whole = setting.metadata["least"], setting.metadata["most"], setting.type is not float
    if not least <= value <= most or (is_whole and value != int(value)):
        kind = "a whole number" if is_whole else "a number"
        raise BadOption(f"{setting.name} is {kind} from {least:g} to {most:g}, not {text!r}")
    return setting.type(value)

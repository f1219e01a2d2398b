"""What the environments of Gymnasium and PettingZoo have in common: batches, copies, observations and actions."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.protocol import IllegalMove
from backroom.gym.batch import Batch, is_whole

FARTHEST = 1000.0
"""A bound on the absolute value of all features; most are within 1."""
FIXED = {"device": "cpu", "together": False, "observe": True}
"""Arguments of `Batch` that cannot be anything else for an environment."""


def batch_of(name: str | Game, n: int, how: Mapping[str, Any]) -> Batch:
    """The batch of an environment, with the other arguments of `Batch`; BadOption names one that is not possible."""
    for word in ("n", "restart"):
        if word in how:
            raise BadOption(f"{word} is an argument of Batch, and not of environments")
    for word, value in FIXED.items():
        if how.get(word, value) != value:
            raise BadOption(f"{word} cannot be {how[word]!r} for environments, only for Batch; it can be {value!r}")
    return Batch(name, n, restart=False, **how)


class Copyable:
    """An environment with deep copies and pickles that go on independently."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._mask_samples()

    def _mask_samples(self) -> None:
        """Let action spaces draw open actions of this environment."""


class OpenActions(spaces.Discrete):
    """The actions of a seat. Unless it is given a mask, `sample` draws an action that is open now, if there is any."""

    mask: Callable[[], Any] | None = None

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        if mask is None and probability is None and self.mask is not None:
            mask = self.mask()
        return super().sample(mask, probability)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles, which have no mask: it belongs to this environment."""
        return {name: value for name, value in vars(self).items() if name != "mask"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, spaces.Discrete) and (self.n, self.start) == (other.n, other.start)

    __hash__ = None  # type: ignore[assignment]  # like other spaces


def observation_space(batch: Batch) -> spaces.Dict:
    """The space of observations: the game's features, the mask of open actions, and the moves if actions are slots."""
    found: dict[str, Any] = {
        "observation": spaces.Box(-FARTHEST, FARTHEST, (batch.game.rules.FEATURES,), np.float32),
        "action_mask": spaces.Box(0, 1, (batch.actions,), np.int8),
    }
    if batch.has_slots:
        shape = batch.rows.shape[-2:]
        found["moves"] = spaces.Box(-1, np.iinfo(np.int16).max, shape, np.int16)
    return spaces.Dict(found)


def shown(batch: Batch) -> dict[str, Any]:
    """A copy of what the seat that is asked sees, in a batch of one game."""
    seen, mask, rows = batch._first
    found = {"observation": seen.copy(), "action_mask": mask.copy()}
    if batch.has_slots:
        found["moves"] = rows.copy()
    return found


def seen_by(batch: Batch, i: int, seat: int) -> dict[str, Any]:
    """The observation of a seat that is not asked: its view, and no open action."""
    rules = batch.game.rules
    features = np.zeros(rules.FEATURES, np.float32)
    rules.features(batch.view(i, seat), seat, features)
    found = {"observation": features, "action_mask": np.zeros(batch.actions, np.int8)}
    if batch.has_slots:
        found["moves"] = np.zeros(batch.rows.shape[-2:], np.int16)
    return found


def numbered(action: object, count: int, who: str) -> int:
    """An action as an int below `count`; IllegalMove says what was expected."""
    if type(action) is not int:
        is_array = isinstance(action, np.ndarray) and action.ndim == 0 and action.dtype.kind in "iu"
        if not is_whole(action) and not is_array:
            raise IllegalMove(f"{who} cannot play {action!r}; expected the number of an open action")
        action = int(action)  # type: ignore[call-overload]
    number: int = action  # type: ignore[assignment]
    if not 0 <= number < count:
        raise IllegalMove(f"{who} cannot play {number}; expected an open action, from 0 to {count - 1}")
    return number

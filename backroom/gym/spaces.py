"""The observation and action spaces of games, for Gymnasium and PettingZoo."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from backroom.engine.protocol import IllegalMove
from backroom.gym.batch import Batch

FARTHEST = 1000.0
"""A bound on the absolute value of all features; most are within 1."""


class OpenActions(spaces.Discrete):
    """The actions of a seat. Unless it is given a mask, `sample` draws an action that is open now, if there is any."""

    def __init__(self, n: int, mask: Callable[[], Any] | None = None) -> None:
        super().__init__(n)
        self._mask = mask

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        if mask is None and probability is None and self._mask is not None:
            mask = self._mask()
        return super().sample(mask, probability)

    def __deepcopy__(self, memo: object) -> "OpenActions":
        """A copy without the mask, which belongs to this environment."""
        return OpenActions(int(self.n))

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


def shown(batch: Batch, i: int) -> dict[str, Any]:
    """A copy of the observation of the seat that is asked."""
    found = {"observation": batch.observation[i].copy(), "action_mask": batch.mask[i].astype(np.int8)}
    if batch.has_slots:
        found["moves"] = batch.rows[i].copy()
    return found


def seen_by(batch: Batch, i: int, seat: int) -> dict[str, Any]:
    """The observation of a seat that is not asked: its view, and no open action."""
    game = batch.game
    features = np.zeros(game.rules.FEATURES, np.float32)
    game.rules.features(game.view(batch.arrays.states[i], seat), seat, features)
    found = {"observation": features, "action_mask": np.zeros(batch.actions, np.int8)}
    if batch.has_slots:
        found["moves"] = np.zeros(batch.rows.shape[-2:], np.int16)
    return found


def whole(action: object, who: str) -> int:
    """An action as an int; IllegalMove says what was expected."""
    if isinstance(action, (int, np.integer)) and not isinstance(action, bool):
        return int(action)
    if isinstance(action, np.ndarray) and action.ndim == 0 and action.dtype.kind in "iu":
        return int(action)
    raise IllegalMove(f"{who} cannot play {action!r}; expected the number of an open action")

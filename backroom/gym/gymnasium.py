"""Gymnasium: every game as an environment for one learner against bots, as a single game or a vector of games.

import backroom.gym
table = gymnasium.make("backroom/Run-v2", opponents=["medium"])
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from backroom.gym.extras import missing

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise missing(__name__, error, "gym") from None

from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.protocol import IllegalMove
from backroom.gym import pictures
from backroom.gym.batch import WAIT, is_whole, refusal
from backroom.gym.opponents import Opponents
from backroom.gym.spaces import Copyable, OpenActions, batch_of, numbered, observation_space, seen_by, shown

MOST_SEEDS = 1 << 62
MOST_UNASKED = 64
"""The number of games in succession that may be cut off before the learner is asked."""


def ignores(illegal: str) -> bool:
    """Whether illegal actions are to be ignored; BadOption if the word is not known."""
    if illegal not in ("raise", "ignore"):
        raise BadOption(f"illegal cannot be {illegal!r}; it can be raise or ignore")
    return illegal == "ignore"


def must_be_empty(options: dict[str, Any] | None) -> None:
    """Raise BadOption if `reset` is given options, which environments would ignore."""
    for word in options or ():
        raise BadOption(f"reset has no option {word!r}; expected it where the environment is made")


class Env(Copyable, gymnasium.Env[Any, Any]):
    """One game with the learner in one seat and bots in the others. `action_mask`, in the observation and in `info`,
    marks the open actions. Any other action raises IllegalMove; with `illegal="ignore"` it does nothing, and `info`
    says why.
    """

    metadata: dict[str, Any] = {"render_modes": list(pictures.MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        name: str | Game,
        opponents: str | Sequence[str] | None = "random",
        seat: int = 0,
        render_mode: str | None = None,
        illegal: str = "raise",
        **how: Any,
    ) -> None:
        pictures.check(render_mode)
        self._ignores = ignores(illegal)
        if opponents is None:
            raise BadOption("opponents cannot be None for a single game; expected a bot, or one for each other seat")
        self.batch = batch_of(name, 1, how)
        self.game, self.seat, self.render_mode = self.batch.game, seat, render_mode
        self._opponents = Opponents(self.game, self.batch.seats, seat, opponents)
        self.observation_space = observation_space(self.batch)
        self.action_space = OpenActions(self.batch.actions)
        self._is_over = False
        self._mask_samples()

    def _mask_samples(self) -> None:
        self.action_space.mask = lambda: self.batch._open_actions[0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game; the bots play until the learner is asked."""
        must_be_empty(options)
        super().reset(seed=seed)
        self.batch.reset(int(self.np_random.integers(MOST_SEEDS)))
        self._opponents.forget_all()
        self._is_over = False
        self._let_bots_play()
        if self.render_mode == "human":
            self.render()
        return self._look(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, and all that follows until it is asked again."""
        info, paid = {}, 0.0
        try:
            if self._is_over:
                raise IllegalMove(f"seat {self.seat} cannot play {action}: the game is over; expected reset")
            self.batch.step(numbered(action, self.batch.actions, f"seat {self.seat}"))
            self._let_bots_play()
            paid = float(self.batch.reward[0, self.seat])
        except IllegalMove as refusal:
            if not self._ignores:
                raise
            info = {"illegal": str(refusal)}
        ended, truncated = bool(self.batch.ended[0]), bool(self.batch.truncated[0])
        self._is_over = ended or truncated
        if self.render_mode == "human":
            self.render()
        return self._look(), paid, ended, truncated, self._info() | info

    def _let_bots_play(self) -> None:
        batch = self.batch
        while batch.seat[0] not in (self.seat, -1):
            other = int(batch.seat[0])
            move = self._opponents.answer(batch.view(0, other), other, int(self.np_random.integers(MOST_SEEDS)))
            batch.step(batch.action_of(0, move))

    def _look(self) -> dict[str, Any]:
        return shown(self.batch) if self.batch.seat[0] == self.seat else seen_by(self.batch, 0, self.seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.batch._open_actions[0].copy()}

    def action_masks(self) -> Any:
        """The mask of open actions, by the name that sb3-contrib expects."""
        return self.batch.mask[0]

    def render(self) -> Any:
        """The table as the learner sees it."""
        return pictures.rendered(self.batch, 0, self.seat, self.render_mode)


class Vector(Copyable, VectorEnv[Any, Any, Any]):
    """Many games at once in one batch. A game that ends is reset in the same step: the step returns the first
    observation of the next game, and `info` has the last one of the finished game (`final_obs`, `final_info`).

    Without opponents the learner plays every seat in turn, and gets the reward of the seat that moved; `rewards` in
    `info` has those of all seats. An action that is not open raises IllegalMove, and no game is stepped; with
    `illegal="ignore"` its game is left as it is, and `info` says why.
    """

    def __init__(
        self,
        name: str | Game,
        num_envs: int = 1,
        opponents: str | Sequence[str] | None = "random",
        seat: int = 0,
        render_mode: str | None = None,
        illegal: str = "raise",
        **how: Any,
    ) -> None:
        pictures.check(render_mode)
        self._ignores = ignores(illegal)
        self.batch = batch_of(name, num_envs, how)
        self.num_envs, self.seat, self.render_mode = num_envs, seat, render_mode
        self.game = self.batch.game
        self.metadata = {**Env.metadata, "autoreset_mode": AutoresetMode.SAME_STEP}
        self._opponents = None
        if opponents is not None:
            self._opponents = Opponents(self.game, self.batch.seats, seat, opponents)
        self.single_observation_space = observation_space(self.batch)
        self.single_action_space = spaces.Discrete(self.batch.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin all games: from seeds of their own, or from `seed`, `seed + 1` and so on."""
        must_be_empty(options)
        if is_whole(seed):
            super().reset(seed=int(seed))  # type: ignore[arg-type]  # refuses a negative one
        self.batch.reset(int(self.np_random.integers(MOST_SEEDS)) if seed is None else seed)
        if seed is not None and not is_whole(seed):
            self._np_random = np.random.default_rng(np.asarray(seed).astype(np.uint64))
        if self._opponents:
            self._opponents.forget_all()
        self._begin_step()
        self._let_bots_play()
        if self.render_mode == "human":
            self.render()
        return self._look(), {"seat": self.batch.seat.copy()}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play the learner's action in every game, and all that follows until it is asked again in each."""
        every = np.arange(self.num_envs)
        taken = np.broadcast_to(self.batch.accepted(actions), self.num_envs)
        inside = (taken >= 0) & (taken < self.batch.actions)
        is_open = inside & self.batch.mask[every, np.where(inside, taken, 0)]
        if not is_open.all() and not self._ignores:
            wrong = np.flatnonzero(~is_open)
            raise refusal(int(taken[wrong[0]]), wrong)
        moved = np.full(self.num_envs, self.seat) if self._opponents else self.batch.seat.copy()
        self._begin_step()
        self.batch.step(np.where(is_open, taken, WAIT).astype(np.int32))
        self._gather(np.flatnonzero(is_open), moved)
        self._let_bots_play()
        info = {"seat": self.batch.seat.copy(), "rewards": self._rewards, **self._final}
        if not is_open.all():
            said = [None if ok else str(refusal(int(taken[i]), [i])) for i, ok in enumerate(is_open)]
            info |= {"illegal": np.array(said, object), "_illegal": ~is_open}
        if self.render_mode == "human":
            self.render()
        return self._look(), self._rewards[every, moved], self._ended, self._truncated, info

    def _begin_step(self) -> None:
        n = self.num_envs
        self._rewards, self._final = np.zeros((n, self.batch.seats)), dict[str, Any]()
        self._ended, self._truncated = np.zeros((2, n), np.bool_)

    def _gather(self, stepped: Any, moved: Any) -> None:
        """Add the rewards and ends of a step of some games. Where a game has ended the next one begins."""
        batch = self.batch
        self._rewards[stepped] += batch.reward[stepped]
        self._ended[stepped] |= batch.ended[stepped]
        self._truncated[stepped] |= batch.truncated[stepped]
        over = stepped[batch.seat[stepped] < 0]
        if not len(over):
            return
        finals = self._final.setdefault("final_obs", np.full(self.num_envs, None, object))
        for i in over.tolist():
            finals[i] = seen_by(batch, i, int(moved[i]))
            if self._opponents:
                self._opponents.forget(i)
        is_final = self._ended | self._truncated
        self._final |= {"_final_obs": is_final, "_final_info": is_final}
        self._final["final_info"] = {"rewards": self._rewards, "_rewards": is_final}
        batch.begin_next()

    def _let_bots_play(self) -> None:
        batch = self.batch
        moved, limit, answered = np.full(self.num_envs, self.seat), batch.setting["limit"], 0
        while self._opponents and len(waiting := np.flatnonzero(batch.seat != self.seat)):
            if answered > MOST_UNASKED * limit:
                raise BadOption(f"limit={limit} ends games before seat {self.seat} is asked; expected a larger limit")
            answered += 1
            answers = np.full(self.num_envs, WAIT, np.int32)
            for i in waiting.tolist():
                other = int(batch.seat[i])
                seed = int(self.np_random.integers(MOST_SEEDS))
                move = self._opponents.answer(batch.view(i, other), other, seed, i)
                answers[i] = batch.action_of(i, move)
            batch.step(answers)
            self._gather(waiting, moved)

    def _look(self) -> dict[str, Any]:
        batch = self.batch
        found = {"observation": batch.observation.copy(), "action_mask": batch._open_actions.copy()}
        return {**found, "moves": batch.rows.copy()} if batch.has_slots else found

    def render(self) -> Any:
        """A picture of every game."""
        return tuple(pictures.rendered(self.batch, i, self.seat, self.render_mode) for i in range(self.num_envs))

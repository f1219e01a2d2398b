"""PettingZoo: every game as an AEC environment, seat by seat, and as a Parallel one, in which all seats answer at once.

from backroom.gym.pettingzoo import env
table = env("run")
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from backroom.gym.extras import missing

try:
    from pettingzoo import AECEnv, ParallelEnv
except ModuleNotFoundError as error:
    raise missing(__name__, error, "gym") from None

from backroom.engine.game import Game
from backroom.engine.kernel import SPECTATOR
from backroom.engine.options import BadOption
from backroom.engine.protocol import IllegalMove
from backroom.gym import pictures
from backroom.gym.batch import counted, is_whole, must_be_switch
from backroom.gym.spaces import Copyable, OpenActions, batch_of, numbered, observation_space, seen_by, shown

MOST_SEEDS = 1 << 62
AFTER_RESET = (
    "agents",
    "num_agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_asked",
    "_seen",
)
"""Attributes that environments have from the first reset on."""


class _Seats(Copyable):
    """The common part of both environments: one game, its seats as agents, and their observations."""

    metadata: dict[str, Any]

    def _sit(self, name: str | Game, render_mode: str | None, max_cycles: int | None, how: dict[str, Any]) -> None:
        pictures.check(render_mode)
        if max_cycles is not None:
            max_cycles = counted("max_cycles", max_cycles)
        self.batch = batch_of(name, 1, how)
        self.game = self.batch.game
        self.render_mode, self.max_cycles = render_mode, max_cycles
        name_with_version = f"{self.game.name}_v{self.game.rules.VERSION}"
        self.metadata = {"name": name_with_version, "render_modes": list(pictures.MODES)}
        self.possible_agents = [f"seat_{seat}" for seat in range(self.batch.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        space = observation_space(self.batch)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: OpenActions(self.batch.actions) for agent in self._seat_of}
        for agent, seat in self._seat_of.items():
            self.action_spaces[agent].seed(seat)
        self._mask_samples()
        self._lots = np.random.default_rng()

    def __getattr__(self, name: str) -> Any:
        """Called for attributes that are not there: most come with the first reset."""
        raise AttributeError(
            f"there is no {name} yet; expected reset first" if name in AFTER_RESET else f"there is no {name}"
        )

    def _mask_samples(self) -> None:
        for agent, space in self.action_spaces.items():
            space.mask = self._mask_of(agent)

    def _mask_of(self, agent: str) -> Any:
        return lambda: self.observe(agent)["action_mask"]

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations, the same for every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of all actions; its samples are open actions if the agent is asked."""
        return self.action_spaces[agent]

    def _begin(self, seed: int | None) -> None:
        """Begin a game from the seed, or one that follows from the last seed; a random one if there was none."""
        if seed is not None:
            if not is_whole(seed):
                raise BadOption(f"seed cannot be {seed!r}; it is a whole number")
            self._lots = np.random.default_rng(int(seed) % (1 << 64))
        self.batch.reset(int(self._lots.integers(MOST_SEEDS)))
        self.agents = list(self.possible_agents)
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The spectators' view of the table as text, SVG or pixels, by `render_mode`."""
        return pictures.rendered(self.batch, 0, SPECTATOR, self.render_mode)

    def close(self) -> None:
        """Does nothing: there is nothing to close."""


class AEC(_Seats, AECEnv[str, Any, Any]):
    """One game, asked seat by seat. Nobody sees a sealed answer before all are given."""

    def __init__(
        self,
        name: str | Game,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        **how: Any,
    ) -> None:
        AECEnv.__init__(self)
        self._sit(name, render_mode, max_cycles, how)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._answered = [0] * self.batch.seats
        self.agent_selection = self.possible_agents[self.batch.seat[0]]

    def observe(self, agent: str) -> dict[str, Any]:
        """An agent's observation of the current state."""
        batch, seat = self.batch, self._seat_of[agent]
        return shown(batch) if seat == batch.seat[0] else seen_by(batch, 0, seat)

    def step(self, action: Any) -> None:
        """Play the selected agent's action. IllegalMove says what is wrong with it, and nothing has changed then.

        Rewards are 0 until the game is over; a subclass may pay some before that.
        """
        agent = self.agent_selection
        if not self.agents:
            raise IllegalMove(f"{agent} cannot play {action}: the game is over; expected reset")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        batch = self.batch
        batch._actions[0] = numbered(action, batch.actions, agent)
        batch.step(batch._actions)  # its own array, which it takes as it is
        self._cumulative_rewards[agent] = 0.0
        self._answered[self._seat_of[agent]] += 1
        seat = int(batch.seat[0])
        if seat >= 0:
            self.agent_selection = self.possible_agents[seat]
            if self._answered[seat] == self.max_cycles:
                self._end(self.truncations)
        else:
            for other, seat in self._seat_of.items():
                self.rewards[other] = float(batch.reward[0, seat])
            self._accumulate_rewards()
            self._end(self.terminations if batch.ended[0] else self.truncations)
        if self.render_mode == "human":
            self.render()

    def _end(self, how: dict[str, bool]) -> None:
        for agent in self.agents:
            how[agent] = True
        self.agent_selection = self.agents[0]


class Parallel(_Seats, ParallelEnv[str, Any, Any]):
    """One game in rounds: all seats that are asked answer at once. An agent with an empty mask is not asked, and its
    action is ignored. With `idle=True` its first action is open and does nothing, for libraries that draw an action for
    every agent in every round.
    """

    def __init__(
        self,
        name: str | Game,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        idle: bool = False,
        **how: Any,
    ) -> None:
        must_be_switch("idle", idle)
        self._sit(name, render_mode, max_cycles, how)
        self._is_idle_open = idle

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game."""
        self._begin(seed)
        self._rounds = 0
        self._look()
        return dict(self._seen), {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, Any]:
        """An agent's observation at the beginning of the round."""
        return self._seen[agent]

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play a round: an action of every agent that is asked."""
        batch, asked = self.batch, self._asked
        if not isinstance(actions, Mapping):
            raise IllegalMove(f"actions cannot be {actions!r}; expected a dictionary: an action of each agent")
        if not self.agents:
            raise IllegalMove("nobody can play: the game is over; expected reset")
        answers = {}
        for agent in asked:
            if agent not in actions:
                raise IllegalMove(f"{agent} is asked and has no action")
            answers[agent] = numbered(actions[agent], batch.actions, agent)
            if not self._seen[agent]["action_mask"][answers[agent]]:
                raise IllegalMove(f"{agent} cannot play action {answers[agent]}: it is not open; see the mask")
        for agent in asked:
            if batch.seat[0] == self._seat_of[agent]:
                batch.step(answers[agent])
        self._rounds += 1
        is_cut = bool(batch.truncated[0]) or (not batch.ended[0] and self._rounds == self.max_cycles)
        found: tuple[dict[str, Any], ...] = (
            {agent: float(batch.reward[0, self._seat_of[agent]]) for agent in self.agents},
            dict.fromkeys(self.agents, bool(batch.ended[0])),
            dict.fromkeys(self.agents, is_cut),
            {agent: {} for agent in self.agents},
        )
        self._look()
        if batch.ended[0] or is_cut:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return dict(self._seen), *found

    def _look(self) -> None:
        """Store the observations of all agents at the beginning of a round."""
        waiting = set() if self.batch.seat[0] < 0 else set(self.game.asked(self.batch.arrays.states[0]))
        self._asked = [agent for agent, seat in self._seat_of.items() if seat in waiting]
        self._seen = {agent: seen_by(self.batch, 0, seat) for agent, seat in self._seat_of.items()}
        for agent in self._seat_of:
            if agent in self._asked:
                self._open(agent)
            elif self._is_idle_open:
                self._seen[agent]["action_mask"][0] = 1

    def _open(self, agent: str) -> None:
        """Fill in the open actions of an agent, even if it is not the one that the batch asks first."""
        batch, seat = self.batch, self._seat_of[agent]
        if seat == batch.seat[0]:
            self._seen[agent] = shown(batch)
            return
        found = batch.open_moves(0, seat)
        self._seen[agent]["action_mask"][batch.actions_of(found)] = 1
        if batch.has_slots:
            self._seen[agent]["moves"][: len(found)] = batch.described(found)


def env(name: str | Game, **how: Any) -> AEC:
    """The AEC environment of a game. `how` are arguments of `Batch`: seats, options, actions, reward, limit."""
    return AEC(name, **how)


def parallel_env(name: str | Game, **how: Any) -> Parallel:
    """The Parallel environment of a game, with the same arguments as `env`."""
    return Parallel(name, **how)


def raw_env(name: str | Game, **how: Any) -> AEC:
    """The same as `env`, which has no wrappers."""
    return AEC(name, **how)


__all__ = ["AEC", "Parallel", "env", "parallel_env", "raw_env"]

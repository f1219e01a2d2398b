"""A batch of games side by side, stepped all at once: what learners on CPU and GPU are fed from."""

import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import typeof

from backroom.engine.game import Game
from backroom.engine.kernel import scratch
from backroom.engine.log import Log
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import IllegalMove
from backroom.engine.registry import game
from backroom.engine.table import Table
from backroom.gym.crew import LINE, Crew
from backroom.gym.kernels import (
    SAMPLE,
    SEAT_SHIFT,
    STEP,
    WAIT,
    Arrays,
    cell_type,
    describe,
    part,
    shared_type,
    work_of,
)

__all__ = ["WAIT", "Batch"]

DEVICES = ("cpu", "cuda")
ACTIONS = ("numbers", "slots")
REWARDS = ("win", "score")
MOST_NUMBERS = 4096
"""A larger vocabulary has slots unless the caller says otherwise."""
MOST_NATURE = 1024
"""Lines of a history beyond the limit of moves: what nature may add to the last move of a game."""
LEAST_SHARE = 64
"""Games that a thread is woken for."""
SAVED = (
    *("states", "cells", "moves", "asked", "seat", "observation", "mask", "rows"),
    *("reward", "ended", "truncated", "illegal", "history"),
)
"""What `save` keeps: all that changes from step to step."""
ROWED = ("moves", "asked", "observation", "mask", "rows", "reward")
"""Arrays with a row for each seat, or for the one that is asked."""


class Batch:
    """n games side by side. `reset` begins them, `step` plays an action in each; nature answers inside, and a game that
    ends begins again at once. All that there is to know stands in arrays that are allocated once and written in place.

    - `observation` (n, features): the game's `features` of the view of the seat that is asked.
    - `mask` (n, actions): the actions open to it. An action is a number of the vocabulary (`moves_of_actions`) with
      `actions="numbers"`; with "slots" it is a place in the list of open moves, each of which has a row in `rows`: its
      verb, then what the verb is composed of, -1 where there is nothing. Large vocabularies have slots by default.
    - `seat` (n): who is asked. `reward` (n, seats): what the step brought each seat. With `reward="win"` it is 1 for
      the winner and a share of -1 for each of the others, with "score" it is the game's own score.
    - `ended`, `truncated` (n): whether the step ended the game, or cut it off after `limit` moves; what is shown then
      is the beginning of the next. With `restart=False` there is none: nobody is asked any more, `seat` is -1, and
      steps change nothing.

    With `together=True` all seats that are asked at once answer at once: actions, observations and masks have another
    axis, one row a seat, and `asked` (n, seats) says which rows count. Otherwise they are asked one after the other,
    and nobody sees a sealed answer. Moves out of turn are not offered, nor steps back unless `steps_back=True`.

    The same seeds and actions give the same bytes, whatever n, threads and device are. With `logs=m` the moves of the
    first m games are kept, and `logs(i)` tells them.
    """

    def __init__(
        self,
        name: str | Game,
        n: int = 4096,
        *,
        device: str = "cpu",
        seats: int | None = None,
        actions: str | None = None,
        together: bool = False,
        reward: str = "win",
        limit: int | None = None,
        restart: bool = True,
        steps_back: bool = False,
        logs: int = 0,
        threads: int | None = None,
        **options: object,
    ) -> None:
        self.game = game(name) if isinstance(name, str) else name
        rules = self.game.rules
        self.seats, self.options = self.game.settle(seats, options)
        limit = rules.LONGEST if limit is None else limit
        self.verbs = rules.verbs(self.options)
        size = sum(math.prod(sizes) for _, sizes in self.verbs)
        actions = actions or ("numbers" if size <= MOST_NUMBERS else "slots")
        for word, value, least in (("n", n, 1), ("limit", limit, 1), ("logs", logs, 0)):
            if not isinstance(value, int) or value < least:
                raise BadOption(f"{word} cannot be {value!r}; it is a whole number of at least {least}")
        for word, chosen, known in (
            ("device", device, DEVICES),
            ("actions", actions, ACTIONS),
            ("reward", reward, REWARDS),
        ):
            if chosen not in known:
                raise BadOption(f"{word} cannot be {chosen!r}; it can be {listing(known)}")
        self.n, self.device, self.together, self.has_slots = n, device, together, actions == "slots"
        self.moves_of_actions = np.array([], np.int32) if self.has_slots else vocabulary_of(self.verbs)[0]
        """The move that each action means, where actions are numbers."""
        self.actions = rules.MOST_MOVES if self.has_slots else len(self.moves_of_actions)
        """How many actions there are."""
        self.setting = {"limit": limit, "steps_back": int(steps_back), "wins": int(reward == "win")}
        self.setting["restarts"] = int(restart)
        arrays = self._arrays(min(logs, n))
        out = shaped(arrays, self.seats, together)
        self.threads = threads or cores()
        if device == "cuda":
            from backroom.gym.device import Device  # needs numba-cuda

            self._runner: Any = Device(self.game, arrays, out, together, self.has_slots)
            out = self._runner.outputs
        else:
            self._runner = _Cores(self.game, arrays, out, together, self.has_slots, self.threads)
        self.arrays: Arrays = self._runner.arrays
        """Everything, as kernels have it."""
        self.observation, self.mask, self.asked = out["observation"], out["mask"], out["asked"]
        self.rows = out["rows"]
        self.seat, self.reward = out["seat"], out["reward"]
        self.ended, self.truncated, self.illegal = out["ended"], out["truncated"], out["illegal"]
        self._is_begun = False

    def _arrays(self, logs: int) -> Arrays:
        """All arrays, on this machine."""
        rules, n, most = self.game.rules, self.n, self.game.rules.MOST_MOVES
        shared = self._shared()
        digits = shared["verbs"].shape[-1]
        # On a core the largest number of seats, so that kernels are compiled once; on a GPU nothing strided, for JAX.
        seats = max(rules.SEATS) if self.device == "cpu" else self.seats
        rows = seats if self.together else 1
        return Arrays(
            states=np.zeros(n, rules.STATE),
            cells=np.zeros(n, cell_type(max(rules.SEATS) if self.together else 1)),
            shared=shared,
            actions=np.zeros(n, part("i4", rows)),
            moves=np.zeros(n, part("i4", rows, most)),
            observation=np.zeros(n, part("f4", rows, rules.FEATURES)),
            mask=np.zeros(n, part("u1", rows, self.actions)),
            rows=np.zeros(n, part("i2", rows, most if self.has_slots else 1, digits)),
            reward=np.zeros(n, part("f4", seats)),
            asked=np.zeros(n, part("u1", rows)),
            history=np.zeros(logs + 1, part("i4", 2, rules.LONGEST + MOST_NATURE)),
            seat=np.zeros(n, np.int32),
            ended=np.zeros(n, np.bool_),
            truncated=np.zeros(n, np.bool_),
            illegal=np.zeros(n, np.bool_),
        )

    def _shared(self) -> Any:
        """What all games have in common, as an array of one record."""
        options, vocabulary = self.game.encoded(self.options), self.moves_of_actions
        numbers = vocabulary if self.has_slots else vocabulary_of(self.verbs)[1]
        digits = max(len(sizes) for _, sizes in self.verbs)
        shared = np.zeros(1, shared_type(len(options), len(vocabulary), len(numbers), len(self.verbs), digits))
        shared["seats"] = self.seats
        for word, value in self.setting.items():
            shared[word] = value
        for word, values in (("options", options), ("vocabulary", vocabulary), ("numbers", numbers)):
            shared[word][0, : len(values)] = values
        for verb, (first, sizes) in enumerate(self.verbs):
            shared["verbs"][0, verb, : 1 + len(sizes)] = first, *sizes
        return shared

    def __repr__(self) -> str:
        return f"<batch of {self.n} games of {self.game.name} on {self.device}>"

    # what can be done

    def reset(self, seeds: int | Sequence[int] | Any = 0) -> None:
        """Begin all games: each from its own seed, or game i from `seeds + i`."""
        every = np.asarray(seeds)
        if every.ndim == 0:
            every = np.array([(int(every) + i) % (1 << 64) for i in range(self.n)], np.uint64)
        if every.shape != (self.n,):
            raise BadOption(f"there are {self.n} games and seeds of the shape {every.shape}; expected one seed a game")
        self._runner.reset(begun(self.arrays.cells.dtype, every.astype(np.uint64), len(self.arrays.history) - 1))
        self._is_begun = True

    def step(self, actions: Any) -> None:
        """Play an action in every game, of the shape (n), or (n, seats) together; IllegalMove says what is wrong. WAIT
        leaves a game as it is; together, the first row says so for all.

        Games with legal actions go on even then. On a GPU nobody looks: `illegal` says in which games an action was not
        open, and `check` raises.
        """
        self._must_be_begun()
        if self._runner.step(actions):
            self.check()

    def check(self) -> None:
        """IllegalMove if an action of the last step was not open."""
        wrong = np.flatnonzero(self._runner.on_host("illegal"))
        if len(wrong):
            i, taken = int(wrong[0]), self._runner.on_host("actions")["of"][wrong[0]].tolist()
            said = taken[: self.seats] if self.together else taken[0]
            raise IllegalMove(f"action {said} is not open in game {i}, nor in {len(wrong) - 1} others; see the mask")

    def sample(self) -> Any:
        """An open action in every game, by chance: the array that `step` takes. Each game has a stream of its own."""
        self._must_be_begun()
        return self._runner.sample()

    def open_moves(self, i: int, seat: int) -> list[int]:
        """The moves open to a seat that is asked, as they are offered to it."""
        found = self.game.moves(self._runner.on_host("states")[i], seat)
        is_last = len(found) > 1 and found[-1] == self.game.rules.BACK
        return found[:-1] if is_last and not self.setting["steps_back"] else found

    def actions_of(self, moves: Sequence[int]) -> list[int]:
        """The actions that mean these open moves, which are all of them, in order, where actions are slots."""
        if self.has_slots:
            return list(range(len(moves)))
        return np.searchsorted(self.moves_of_actions, moves).tolist()  # type: ignore[no-any-return]

    def action_of(self, i: int, move: int) -> int:
        """The action that means this move, for the seat that is asked."""
        return self.actions_of([move])[0] if not self.has_slots else self.open_moves(i, int(self.seat[i])).index(move)

    def described(self, moves: Sequence[int]) -> Any:
        """The rows of these moves: their verbs, and what they are composed of."""
        found = np.zeros((len(moves), self.rows.shape[-1]), np.int16)
        verb = 0
        for move, row in zip(moves, found, strict=True):
            verb = describe(self.arrays.shared[0].verbs, move, verb, row)
        return found

    def _must_be_begun(self) -> None:
        if not self._is_begun:
            raise BadOption("the games have not begun; expected reset first")

    # what was played

    def logs(self, i: int) -> list[Log]:
        """The log of the game that was finished last at this place, if any, and of the one that is going on.

        They are logs like any others, and replay through every door. Their chance was told, not drawn from a seed.
        """
        self._must_be_begun()
        if i not in range(len(self.arrays.history) - 1):
            raise BadOption(f"the moves of game {i} are not kept; expected Batch(…, logs={i + 1}) or more")
        history, cell = self._runner.on_host("history")[i].of, self._runner.on_host("cells")[i]
        now = int(cell.games) & 1
        finished = [self._log(history[1 - now, : cell.before])] if cell.games else []
        return [*finished, self._log(history[now, : cell.played])]

    def _log(self, lines: Any) -> Log:
        table = Table(self.game, seats=self.seats, nature=False, options=self.options)
        for line in lines.tolist():
            seat, move = line >> SEAT_SHIFT, line & ((1 << SEAT_SHIFT) - 1)
            table.play(seat, self.game.rules.name(table.view(seat), move))
        return table.log

    def save(self) -> bytes:
        """All games as they stand, to be loaded into a batch of the same kind."""
        self._must_be_begun()
        file = io.BytesIO()
        held = {name: self._runner.on_host(name) for name in SAVED}
        kept = {name: array["of"][:, : self._used(name)] if name in ROWED else array for name, array in held.items()}
        plain: dict[str, Any] = {name: np.ascontiguousarray(array).view(np.uint8) for name, array in kept.items()}
        np.savez_compressed(file, kind=np.array(self._kind), **plain)
        return file.getvalue()

    def load(self, saved: bytes) -> None:
        """Go on from where a batch was saved."""
        with np.load(io.BytesIO(saved), allow_pickle=False) as kept:
            if str(kept["kind"]) != self._kind:
                raise BadOption(f"this batch is {self._kind}; what was saved is {kept['kind']}")
            for name in SAVED:
                array = np.zeros_like(self._runner.on_host(name))
                part_of = array["of"][:, : self._used(name)] if name in ROWED else array
                part_of[...] = kept[name].view(part_of.dtype).reshape(part_of.shape)
                self._runner.load(name, array)
        self._is_begun = True

    def _used(self, name: str) -> int:
        """How many rows of an array are used here; on a core there may be more."""
        return self.seats if self.together or name == "reward" else 1

    @property
    def _kind(self) -> str:
        rules = self.game.rules
        return json.dumps(
            {
                "game": f"{rules.NAME} {rules.VERSION}",
                "n": self.n,
                "seats": self.seats,
                "options": self.options,
                "together": self.together,
                "slots": self.has_slots,
                "setting": self.setting,
                "logs": len(self.arrays.history) - 1,
            }
        )


def vocabulary_of(verbs: Sequence[tuple[int, tuple[int, ...]]]) -> tuple[Any, Any]:
    """The moves of all verbs, one run after the other; and of each move its place among them."""
    moves = np.concatenate([np.arange(first, first + math.prod(sizes), dtype=np.int32) for first, sizes in verbs])
    numbers = np.full(moves[-1] + 1, -1, np.int32)
    numbers[moves] = np.arange(len(moves))
    return moves, numbers


def shaped(arrays: Arrays, seats: int, together: bool) -> dict[str, Any]:
    """The arrays as callers see them: one row a game has no axis of rows, and there are as many seats as there are."""
    found = {name: array["of"] if array.dtype.names == ("of",) else array for name, array in arrays._asdict().items()}
    for name in ("actions", "observation", "mask", "rows", "asked"):
        found[name] = found[name][:, :seats] if together else found[name][:, 0]
    for name in ("mask", "asked"):
        found[name] = found[name].view(np.bool_)  # kernels know no such field
    return {**found, "reward": found["reward"][:, :seats]}


def begun(kind: np.dtype[np.void], seeds: Any, logs: int) -> Any:
    """Fresh cells with the streams of their seeds, the first of them recorded."""
    cells = np.zeros(len(seeds), kind)
    cells["fresh"] = 1
    cells["recorded"][:logs] = 1
    cells["dice"][:, 0], cells["lots"][:, 0] = seeds, ~seeds
    return cells


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def bound(compiled: Any, *arguments: Any) -> Any:
    """A kernel as a function for arguments of just these types. Numba would look at all arguments at every call, which
    with many arrays takes longer than a move; this function does not.
    """
    if not hasattr(compiled, "compile"):  # under NUMBA_DISABLE_JIT
        return compiled
    return compiled.compile(tuple(map(typeof, arguments)))


class _Cores:
    """Runs a batch on the cores of this machine, each with a share of the games."""

    def __init__(
        self, of: Game, arrays: Arrays, outputs: Mapping[str, Any], together: bool, slots: bool, threads: int
    ) -> None:
        self.arrays = arrays
        self.outputs = outputs
        n, most = len(arrays.states), of.rules.MOST_MOVES
        work = work_of(of, together, slots)
        count = max(1, min(threads, n // LEAST_SHARE)) if hasattr(work, "compile") else 1
        edges = [n * share // count for share in range(count + 1)]
        shares = [
            (arrays, *edges[k : k + 2], scratch(1, of.rules.STATE), scratch(1, part("i4", 2, most)))
            for k in range(count)
        ]
        self._share = (*shares[0], np.zeros(LINE, np.int64), 0)
        self._work = bound(work, *self._share, STEP)
        self._crew = Crew(self._work, shares[1:]) if count > 1 else None

    def reset(self, cells: Any) -> None:
        self.arrays.cells[:] = cells
        for array in (self.arrays.observation, self.arrays.mask, self.arrays.rows):
            array["of"] = 0
        self._on_all(STEP)

    def step(self, actions: Any) -> int:
        """Says how many games had an illegal action."""
        if actions is not self.outputs["actions"]:
            self.outputs["actions"][...] = actions
        return self._on_all(STEP)

    def sample(self) -> Any:
        self._on_all(SAMPLE)
        return self.outputs["actions"]

    def _on_all(self, order: int) -> int:
        """Carry out an order for all games: the first share on this thread, the others beside it."""
        if self._crew is None:
            return int(self._work(*self._share, order))
        self._crew.order(order)
        found = int(self._work(*self._share, order))
        return found + self._crew.answers()

    def on_host(self, name: str) -> Any:
        return getattr(self.arrays, name)

    def load(self, name: str, array: Any) -> None:
        getattr(self.arrays, name)[...] = array

"""A batch of games that are stepped at once, on CPU or GPU."""

import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numba import typeof

from backroom.engine.game import Game
from backroom.engine.kernel import scratch
from backroom.engine.log import Log
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import IllegalMove, Seat, State
from backroom.engine.registry import game
from backroom.engine.table import Table
from backroom.gym.kernels import (
    LEAST_ACTION,
    MOST_ACTION,
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
from backroom.gym.pool import Pool

__all__ = ["WAIT", "Batch"]

DEVICES = ("cpu", "cuda")
ACTIONS = ("numbers", "slots")
REWARDS = ("win", "score")
MOST_NUMBERS = 4096
"""The largest vocabulary for which actions are numbers by default; a larger one has slots."""
MOST_NATURE = 1024
"""Lines of a history beyond the limit of moves, for nature's answers to the last move of a game."""
LEAST_SHARE = 64
"""The fewest games for which a thread of its own is used."""
MOST_COUNTED = (1 << 63) - 1
"""The largest number that counts something."""
NO_MAIL = np.zeros(0, np.int64)
"""The mailboxes of other threads if there are none."""
SAVED = (
    *("states", "cells", "moves", "asked", "seat", "observation", "mask", "rows"),
    *("reward", "ended", "truncated", "illegal", "history"),
)
"""The arrays that `save` keeps: all that change from step to step."""
ROWED = ("moves", "asked", "observation", "mask", "rows", "reward")
"""Arrays with a row for each seat, or for the one seat that is asked."""


class Batch:
    """A batch of n games. `reset` begins them, and `step` plays an action in each, followed by nature's answers; a game
    that ends is restarted in the same step. Results are in arrays that are allocated once and written in place.

    - `observation` (n, features): the game's `features` of the view of the seat that is asked.
    - `mask` (n, actions): the actions open to it. With `actions="numbers"` an action is an index into the vocabulary
      (`moves_of_actions`); with "slots" it is an index into the list of open moves, each of which has a row in `rows`:
      its verb, then the verb's arguments, padded with -1. Large vocabularies have slots by default.
    - `seat` (n): the seat that is asked.
    - `reward` (n, seats): the reward of each seat for the step. With `reward="win"` it is 1 for the winner and
      -1 / (seats - 1) for each of the others, with "score" it is the game's own score.
    - `ended`, `truncated` (n): whether the step ended the game, or truncated it after `limit` moves; the other arrays
      then show the beginning of the next game. With `restart=False` there is no next game: nobody is asked, `seat` is
      -1, and steps change nothing.

    With `together=True` all seats that are asked at once answer in one step: actions, observations and masks have an
    additional axis of seats, and `asked` (n, seats) says which rows count. Otherwise they are asked one after the
    other, and no seat sees a sealed answer. Moves out of turn are not offered, nor steps back unless `steps_back=True`.

    The same seeds and actions give the same bytes for any n, any number of threads and any device. With `logs=m` the
    moves of the first m games are kept, and `logs(i)` returns them. With `observe=False` no observations are written,
    for playouts.
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
        observe: bool = True,
        logs: int = 0,
        threads: int | None = None,
        **options: object,
    ) -> None:
        self._how: dict[str, Any] = dict(
            device=device, seats=seats, actions=actions, together=together, reward=reward, limit=limit, restart=restart,
            steps_back=steps_back, observe=observe, logs=logs, threads=threads, **options,
        )  # fmt: skip
        if not isinstance(name, (str, Game)):
            raise BadOption(f"a game cannot be {name!r}; expected its name")
        self.game = name if isinstance(name, Game) else game(name)
        rules = self.game.rules
        own = {option.name for option in self.game.options}
        for word in options.keys() - own:
            arguments = self._how.keys() - options.keys()
            raise BadOption(f"{self.game.name} has no option {word!r}{did_you_mean(word, own | arguments)}")
        self.seats, self.options = self.game.settle(int(seats) if isinstance(seats, np.integer) else seats, options)
        n, logs = counted("n", n), counted("logs", logs, 0)
        limit = rules.LONGEST if limit is None else counted("limit", limit)
        self.threads = cores() if threads is None else counted("threads", threads)
        self.verbs = rules.verbs(self.options)
        size = sum(math.prod(sizes) for _, sizes in self.verbs)
        if actions is None:
            actions = "numbers" if size <= MOST_NUMBERS else "slots"
        for word, chosen, known in (
            ("device", device, DEVICES),
            ("actions", actions, ACTIONS),
            ("reward", reward, REWARDS),
        ):
            if chosen not in known:
                raise BadOption(f"{word} cannot be {chosen!r}; it can be {listing(known)}")
        switches = dict(together=together, restart=restart, steps_back=steps_back, observe=observe)
        for word, switch in switches.items():
            must_be_switch(word, switch)
        self.n, self.device, self.together, self.has_slots = n, device, together, actions == "slots"
        self._observes = observe
        self.moves_of_actions = np.array([], np.int32) if self.has_slots else vocabulary_of(self.verbs)[0]
        """The move of each action, if actions are numbers."""
        self.actions = rules.MOST_MOVES if self.has_slots else len(self.moves_of_actions)
        """The number of actions."""
        self.setting = {"limit": limit, "steps_back": int(steps_back), "wins": int(reward == "win")}
        self.setting["restarts"] = int(restart)
        arrays = self._arrays(min(logs, n))
        out = shaped(arrays, self.seats, together)
        if device == "cuda":
            from backroom.gym.device import Device  # needs numba-cuda

            self._runner: Any = Device(self.game, arrays, out, together, self.has_slots, observe)
            out = self._runner.outputs
        else:
            self._runner = _Cores(self.game, arrays, out, together, self.has_slots, observe, self.threads)
        self._actions = out["actions"]
        self.arrays: Arrays = self._runner.arrays
        """All arrays, as the kernels use them, which are bound to these: write into them, and do not replace them."""
        self.observation, self.mask, self.asked = out["observation"], out["mask"], out["asked"]
        self.rows = out["rows"]
        self.seat, self.reward = out["seat"], out["reward"]
        self.ended, self.truncated, self.illegal = out["ended"], out["truncated"], out["illegal"]
        self._is_begun = self._is_busy = False

    @cached_property
    def _open_actions(self) -> Any:
        """The mask as int8, the type that Gymnasium and PettingZoo expect: the same memory, on a CPU."""
        return self.mask.view(np.int8)

    @cached_property
    def _first(self) -> tuple[Any, Any, Any]:
        """Observation, open actions and rows of the first game, for environments, which copy them at every step."""
        return self.observation[0], self._open_actions[0], self.rows[0]

    def _arrays(self, logs: int) -> Arrays:
        """Allocate all arrays, in the memory of the host."""
        rules, n, most = self.game.rules, self.n, self.game.rules.MOST_MOVES
        shared = self._shared()
        digits = shared["verbs"].shape[-1]
        # On a CPU rows for the most seats, so that kernels are compiled once; on a GPU contiguous arrays, for JAX.
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
        """The settings that all games share, as an array of one record. In a subclass there may be several: game i has
        record i modulo their number.
        """
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

    def __deepcopy__(self, memo: object) -> "Batch":
        """A batch with the same games, which go on independently."""
        other = Batch(self.game, self.n, **self._how)
        if self._is_begun:
            other._hold({name: self._runner.on_host(name) for name in SAVED})
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Batch, self.game, self.n, **self._how), (), self.save() if self._is_begun else None

    def __setstate__(self, saved: bytes) -> None:
        self.load(saved)

    def __repr__(self) -> str:
        return f"<batch of {self.n} games of {self.game.name} on {self.device}>"

    # Playing

    def reset(self, seeds: int | Sequence[int] | Any = 0) -> None:
        """Begin all games: each from its own seed, or game i from `seeds + i`, so that resets with neighbouring numbers
        have most games in common.
        """
        every: Any = seeds if is_whole(seeds) else integers(seeds, "seeds", "one seed a game")
        if np.ndim(every) == 0:
            every = np.array([(int(every) + i) % (1 << 64) for i in range(self.n)], np.uint64)
        if every.shape != (self.n,):
            raise BadOption(f"there are {self.n} games and seeds of the shape {every.shape}; expected one seed a game")
        cells = begun(self.arrays.cells.dtype, every.astype(np.uint64), len(self.arrays.history) - 1)
        self._alone(self._runner.reset, cells)
        self._is_begun = True

    def step(self, actions: Any) -> None:
        """Play an action in every game. `actions` has the shape (n), or (n, seats) with `together=True`. WAIT leaves a
        game as it is; with `together=True` only the first row is checked for it.

        IllegalMove is raised if an action is not open; the games with legal actions are stepped even then. On a GPU
        nothing is raised here: `illegal` says in which games an action was not open, and `check` raises.
        """
        if actions is not self._actions:
            actions = self.accepted(actions)
        self._must_be_idle()
        self._is_busy = True
        try:
            refused = self._runner.step(actions)
        finally:
            self._is_busy = False
        if refused:
            self.check()

    def _alone(self, work: Callable[..., Any], *given: Any) -> Any:
        """Call a function that uses the arrays, unless another thread is in one."""
        self._must_be_idle()
        self._is_busy = True
        try:
            return work(*given)
        finally:
            self._is_busy = False

    def begin_next(self) -> None:
        """Begin the next game wherever one is over, as `restart=True` does in the same step."""
        self._must_be_begun()
        cells = self._runner.on_host("cells")
        over = cells["over"] != 0
        cells["before"][over] = cells["played"][over]
        cells["games"][over] += 1
        cells["fresh"][over], cells["over"][over] = 1, 0
        self._runner.load("cells", cells)
        self.step(np.full(self._runner.outputs["actions"].shape, WAIT, np.int32))

    def accepted(self, actions: Any) -> Any:
        """Actions of a caller, if there is one for each game; BadOption says what is wrong."""
        self._must_be_begun()
        if type(actions) is int and self.n == 1 and not self.together:  # fast, for environments of one game
            is_small = LEAST_ACTION <= actions <= MOST_ACTION
            return actions if is_small else max(LEAST_ACTION, min(actions, MOST_ACTION))
        if self.device == "cuda" and hasattr(actions, "__cuda_array_interface__"):
            must_be_whole(np.dtype(actions.__cuda_array_interface__["typestr"]), "actions", "one action a game")
        else:
            actions = integers(actions, "actions", "one action a game")
            if not np.can_cast(actions.dtype, np.int32):  # large numbers would become small ones
                actions = np.clip(actions, max(LEAST_ACTION, np.iinfo(actions.dtype).min), MOST_ACTION)
        shape, expected = tuple(actions.shape), self._runner.outputs["actions"].shape
        if shape != expected and (shape or self.n > 1 or self.together):
            raise BadOption(f"there are actions of the shape {shape}; expected one action a game: {expected}")
        return actions

    def check(self) -> None:
        """Raise IllegalMove if an action of the last step was not open."""
        wrong = np.flatnonzero(self._runner.on_host("illegal"))
        if len(wrong):
            taken = self._runner.on_host("actions")["of"][wrong[0]].tolist()
            raise refusal(taken[: self.seats] if self.together else taken[0], wrong)

    def sample(self) -> Any:
        """A random open action for every game, as an array for `step`, which the next call overwrites. Each game has a
        random stream of its own.
        """
        self._must_be_begun()
        return self._alone(self._runner.sample)

    def view(self, i: int, seat: Seat) -> State:
        """What a seat, or a spectator (-1), sees of game i."""
        self._must_be_begun()
        self._must_have(i)
        return self.game.view(self._runner.on_host("states")[i], seat)

    def open_moves(self, i: int, seat: Seat) -> list[int]:
        """The moves that are open to a seat that is asked, in the order of its slots."""
        self._must_be_begun()
        self._must_have(i)
        found = self.game.moves(self._runner.on_host("states")[i], seat)
        is_last = len(found) > 1 and found[-1] == self.game.rules.BACK
        return found[:-1] if is_last and not self.setting["steps_back"] else found

    def actions_of(self, moves: Sequence[int]) -> list[int]:
        """The actions for these moves. If actions are slots, the moves must be all open moves, in order."""
        if self.has_slots:
            return list(range(len(moves)))
        found = np.searchsorted(self.moves_of_actions, moves)
        wrong = self.moves_of_actions.take(found, mode="clip") != moves
        if wrong.any():
            raise BadOption(f"move {moves[wrong.argmax()]} is in no action; see moves_of_actions")
        return found.tolist()  # type: ignore[no-any-return]

    def action_of(self, i: int, move: int) -> int:
        """The action for a move of the seat that is asked in game i."""
        self._must_have(i)
        if not self.has_slots:
            return self.actions_of([move])[0]
        found = self.open_moves(i, int(self.seat[i]))
        if move not in found:
            raise BadOption(f"move {move} is not open in game {i}; see open_moves")
        return found.index(move)

    def described(self, moves: Sequence[int]) -> Any:
        """The rows of these moves: their verbs and arguments."""
        found = np.zeros((len(moves), self.rows.shape[-1]), np.int16)
        verb = 0
        for move, row in zip(moves, found, strict=True):
            verb = describe(self.arrays.shared[0].verbs, move, verb, row)
        return found

    def _must_be_begun(self) -> None:
        if not self._is_begun:
            raise BadOption("the games have not begun; expected reset first")

    def _must_have(self, i: int) -> None:
        if not is_whole(i) or i not in range(self.n):
            raise BadOption(f"there is no game {i}; expected 0 to {self.n - 1}")

    def _must_be_idle(self) -> None:
        if self._is_busy:
            raise RuntimeError("another thread is using this batch; expected one thread at a time, or a batch for each")

    # Logs and saved batches

    def logs(self, i: int) -> list[Log]:
        """The log of the last finished game at index i, if any, and that of the current game.

        They can be replayed like any other log. They have no seed; nature's moves are written out.
        """
        self._must_be_begun()
        i = counted("i", i, 0)
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
        """All games as bytes, to be loaded into a batch with the same settings."""
        self._must_be_begun()
        file = io.BytesIO()
        held = {name: self._alone(self._runner.on_host, name) for name in SAVED}
        kept = {name: array["of"][:, : self._used(name)] if name in ROWED else array for name, array in held.items()}
        plain: dict[str, Any] = {name: np.ascontiguousarray(array).view(np.uint8) for name, array in kept.items()}
        np.savez_compressed(file, kind=np.array(self._kind), **plain)
        return file.getvalue()

    def load(self, saved: bytes) -> None:
        """Restore all games from the bytes of `save`. If BadOption is raised nothing has changed."""
        try:
            with zipfile.ZipFile(io.BytesIO(saved)) as file:  # which compares checksums
                kept = {name: np.load(io.BytesIO(file.read(f"{name}.npy"))) for name in ("kind", *SAVED)}
        except (OSError, EOFError, KeyError, TypeError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error):
            raise BadOption("these bytes are not a saved batch, or are damaged; expected those of save") from None
        if str(kept["kind"]) != self._kind:
            raise BadOption(f"this batch is {self._kind}; what was saved is {kept['kind']}")
        arrays = {}
        for name in SAVED:
            arrays[name] = array = np.zeros_like(self._runner.on_host(name))
            part_of = array["of"][:, : self._used(name)] if name in ROWED else array
            if kept[name].dtype != np.uint8 or kept[name].size != part_of.size * part_of.itemsize:
                raise BadOption(f"the saved {name} are of another size; expected the bytes of save")
            part_of[...] = kept[name].reshape(-1).view(part_of.dtype).reshape(part_of.shape)
        self._alone(self._hold, arrays)

    def _hold(self, arrays: Mapping[str, Any]) -> None:
        for name, array in arrays.items():
            self._runner.load(name, array)
        self._is_begun = True

    def _used(self, name: str) -> int:
        """The number of rows that are used in an array; on a CPU it may have more."""
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
                "observe": self._observes,
                "setting": self.setting,
                "logs": len(self.arrays.history) - 1,
            }
        )


def is_whole(value: object) -> bool:
    """Whether this is an integer of Python or NumPy."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def counted(word: str, value: Any, least: int = 1) -> int:
    """An argument that counts something, as an int; BadOption if it does not."""
    if not is_whole(value) or not least <= value <= MOST_COUNTED:
        raise BadOption(f"{word} cannot be {value!r}; it is a whole number of at least {least}, of 64 bits")
    return int(value)


def must_be_switch(word: str, value: object) -> None:
    """Raise BadOption if this is neither True nor False."""
    if not isinstance(value, (bool, np.bool_)):
        raise BadOption(f"{word} cannot be {value!r}; it can be True or False")


def integers(values: Any, what: str, expected: str) -> Any:
    """An array of integers from what a caller gave; BadOption if it is none."""
    try:
        found = np.asarray(values)
    except ValueError:
        raise BadOption(f"{what} have no shape; expected {expected}") from None
    must_be_whole(found.dtype, what, expected)
    return found


def must_be_whole(kind: np.dtype[Any], what: str, expected: str) -> None:
    """Raise BadOption if this is no type of integers."""
    if kind.kind not in "iu":
        raise BadOption(f"{what} are whole numbers, not {kind}; expected {expected}")


def refusal(action: object, wrong: Any) -> IllegalMove:
    """The error for actions that are not open in these games; `action` is that of the first."""
    more = f", nor are those of {len(wrong) - 1} others" if len(wrong) > 1 else ""
    return IllegalMove(f"action {action} is not open in game {wrong[0]}{more}; see the mask")


def vocabulary_of(verbs: Sequence[tuple[int, tuple[int, ...]]]) -> tuple[Any, Any]:
    """The moves of all verbs, verb by verb, and the index of each move among them."""
    moves = np.concatenate([np.arange(first, first + math.prod(sizes), dtype=np.int32) for first, sizes in verbs])
    numbers = np.full(moves[-1] + 1, -1, np.int32)
    numbers[moves] = np.arange(len(moves))
    return moves, numbers


def shaped(arrays: Arrays, seats: int, together: bool) -> dict[str, Any]:
    """The arrays as callers see them: without the axis of rows unless `together`, and without unused seats."""
    found = {name: array["of"] if array.dtype.names == ("of",) else array for name, array in arrays._asdict().items()}
    for name in ("actions", "observation", "mask", "rows", "asked"):
        found[name] = found[name][:, :seats] if together else found[name][:, 0]
    for name in ("mask", "asked"):
        found[name] = found[name].view(np.bool_)  # records of kernels have no boolean fields
    return {**found, "reward": found["reward"][:, :seats]}


def begun(kind: np.dtype[np.void], seeds: Any, logs: int) -> Any:
    """New cells with random streams from the seeds; the first `logs` of them are recorded."""
    cells = np.zeros(len(seeds), kind)
    cells["fresh"] = 1
    cells["recorded"][:logs] = 1
    cells["dice"][:, 0], cells["lots"][:, 0] = seeds, ~seeds
    return cells


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def bound(compiled: Any, *arguments: Any) -> Any:
    """A kernel compiled for the types of these arguments. Calling it skips Numba's dispatch on the types of all
    arguments, which takes longer than a move if there are many arrays.
    """
    if not hasattr(compiled, "compile"):  # under NUMBA_DISABLE_JIT
        return compiled
    return compiled.compile(tuple(map(typeof, arguments)))


class _Cores:
    """Runs a batch on the CPU, with a share of the games for each thread."""

    def __init__(
        self,
        of: Game,
        arrays: Arrays,
        outputs: Mapping[str, Any],
        together: bool,
        slots: bool,
        observe: bool,
        threads: int,
    ) -> None:
        self.arrays = arrays
        self.outputs = outputs
        n, most = len(arrays.states), of.rules.MOST_MOVES
        self._kernel = work_of(of, together, slots, observe)
        count = max(1, min(threads, n // LEAST_SHARE)) if hasattr(self._kernel, "compile") else 1
        edges = [n * share // count for share in range(count + 1)]
        self._shares = [
            (edges[k], edges[k + 1], scratch(1, of.rules.STATE), scratch(1, part("i4", 2, most))) for k in range(count)
        ]

    @cached_property
    def _work(self) -> Any:
        return bound(self._kernel, self.arrays, *self._shares[0], NO_MAIL, 0, STEP)

    @cached_property
    def _by_itself(self) -> Any:
        """The kernel for all games, without other threads: a function of the order."""
        return partial(self._work, self.arrays, *self._shares[0], NO_MAIL, 0)

    @cached_property
    def _pool(self) -> Pool | None:
        others = [(self.arrays, *share) for share in self._shares[1:]]
        return Pool(self._work, others) if others else None

    def reset(self, cells: Any) -> None:
        self.load("cells", cells)
        for array in (self.arrays.observation, self.arrays.mask, self.arrays.rows):
            array["of"] = 0
        self._on_all(STEP)

    def step(self, actions: Any) -> int:
        """Step all games; returns the number of games with an illegal action."""
        own = self.outputs["actions"]
        if actions is not own:
            self._rest()
            own[0 if type(actions) is int else ...] = actions  # an int: of the only game, which is much faster
        return self._on_all(STEP)

    def sample(self) -> Any:
        self._on_all(SAMPLE)
        return self.outputs["actions"]

    def _on_all(self, order: int) -> int:
        """Carry out an order for all games: the first share on this thread, the others in the pool."""
        pool = self._pool
        if pool is None:
            return self._by_itself(order)  # type: ignore[no-any-return]
        mail = pool.ready()
        try:
            refused = int(self._work(self.arrays, *self._shares[0], mail, 0, order))  # signals wait until it is done
            return refused + pool.answers()
        except BaseException:
            pool.wait()  # so that nobody sees half a step
            raise

    def _rest(self) -> None:
        """Wait until no thread is at work: a step may have been interrupted while it waited for them."""
        if self._pool is not None:
            self._pool.wait()

    def on_host(self, name: str) -> Any:
        self._rest()
        return getattr(self.arrays, name)

    def load(self, name: str, array: Any) -> None:
        self._rest()
        getattr(self.arrays, name)[...] = array

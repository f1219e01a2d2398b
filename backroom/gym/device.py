"""A batch on one NVIDIA GPU: the same kernels, one thread for each game, and arrays that stay in the GPU's memory."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import cuda

from backroom.engine.game import Game
from backroom.gym.batch import is_whole
from backroom.gym.compiler import ALIGNED, compile_ahead, compiling, is_large, jit_of, local_type, must_be_there
from backroom.gym.dlpack import capsule_of
from backroom.gym.kernels import (
    LEAST_ACTION,
    MOST_ACTION,
    Arrays,
    choose_of,
    describe,
    offer_of,
    part,
    play_of,
    see_of,
    tell,
)

WARP = 32
"""Threads in a warp, and in a block: a block copies the records of its games together."""
SORTING, MOST_KEYS = 256, 64
"""Threads in a block that sorts games, and the most keys that they are sorted by."""
ROOM, FEWEST = 11 * 1024, 4
"""The most bytes that a block keeps in shared memory, so that many blocks run at once, and the fewest observations that
are made there.
"""
CUDA_DEVICE = 2
"""DLPack's device type of an NVIDIA GPU."""
NO_WAITING, DEFAULT_STREAM = -1, 1
"""Streams as the array API numbers them: none that has to wait, and the legacy default stream, on which kernels run."""


def word_of(kind: np.dtype[np.void]) -> np.dtype[Any]:
    """The type of word for copying a record: four bytes if its size allows that, else one."""
    return np.dtype("u4" if kind.itemsize % 4 == 0 else "u1")


def overlaid(kind: np.dtype[np.void]) -> np.dtype[Any]:
    """A union type: a record, and the same bytes as words. It is padded so that neighbours in an array begin in
    different banks of shared memory, as far as their alignment allows.
    """
    word = word_of(kind)
    step = max(4, *(field[0].base.alignment for field in (kind.fields or {}).values()))
    size = -(-kind.itemsize // step) * step
    size += 0 if size // step % 2 else step
    words = (word, (kind.itemsize // word.itemsize,))
    both = {"names": ["record", "words"], "formats": [kind, words], "offsets": [0, 0], "itemsize": size}
    return np.dtype((np.record, np.dtype(both)))  # type: ignore[call-overload]


def words_of(array: Any) -> Any:
    """An array of records on the GPU as words, with a row for each record."""
    return array.view(word_of(array.dtype)).reshape(len(array), -1)


class DeviceArray:
    """An array on the GPU, to be shared with PyTorch, JAX and CuPy by DLPack or by the CUDA array interface."""

    def __init__(self, owner: Any, like: Any) -> None:
        self.owner = owner
        self._like = like
        self.shape, self.dtype, self.strides = like.shape, like.dtype, like.strides

    def __repr__(self) -> str:
        return f"<{self.dtype} of {self.shape} on the GPU>"

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.owner.device_ctypes_pointer.value, False),
            "strides": None if self._like.flags.c_contiguous else self.strides,
            "stream": DEFAULT_STREAM,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA_DEVICE, 0

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        """A capsule that shares the memory; BufferError if it cannot be what the caller wants. What is done next on the
        caller's stream waits for the kernels that were launched so far.
        """
        if copy:
            raise BufferError("this array is shared without a copy; make the copy of what you get")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"this array is on the GPU, {self.__dlpack_device__()}, and cannot go to {dl_device}")
        if stream not in (None, NO_WAITING, DEFAULT_STREAM):
            let_wait(stream)
        return capsule_of(self, self.owner.device_ctypes_pointer.value, self.__dlpack_device__())

    def copy_to_host(self) -> Any:
        """A copy of the array in the memory of the host."""
        held = self.owner.copy_to_host()
        return np.ndarray(self.shape, self.dtype, held.view(np.uint8).data, strides=self.strides)


def let_wait(stream: Any) -> None:
    """Let another stream wait for the kernels that were launched so far; BufferError if it is none."""
    if not is_whole(stream) or stream <= 0:  # the array API excludes 0
        raise BufferError(f"stream cannot be {stream!r}; expected None, -1 or the number of a CUDA stream")
    launched = cuda.event(timing=False)
    launched.record()
    launched.wait(cuda.external_stream(int(stream)))


class Device:
    """Runs a batch on the GPU."""

    def __init__(
        self, of: Game, arrays: Arrays, outputs: Mapping[str, Any], together: bool, slots: bool, observe: bool
    ) -> None:
        must_be_there()
        self.arrays = Arrays(*(cuda.to_device(array) for array in arrays))
        self.outputs = {name: DeviceArray(getattr(self.arrays, name), like) for name, like in outputs.items()}
        self._n, self._rows = len(arrays.states), arrays.actions["of"].shape[1]
        self._blank = arrays
        kinds = tuple(array.dtype for array in (arrays.cells, arrays.moves, arrays.observation))
        self._launches = launches_of(of, together, slots, *kinds)
        self._words = {
            name: words_of(getattr(self.arrays, name)) for name in ("states", "cells", "observation", "mask")
        }
        self._words["observation"] = self._words["observation"].reshape(self._n * self._rows, -1)
        self._game, self._observes = of, observe
        self._sorts = is_large(of) and len(arrays.shared["verbs"][0]) < MOST_KEYS
        every = np.arange(self._n, dtype=np.int32)
        self._to_play, self._keys, self._fresh = (cuda.to_device(every) for _ in range(3))
        self._to_see = cuda.to_device(every) if self._launches.count else self._to_play
        self._due = cuda.to_device(np.zeros(1, np.int32))
        self._counts = cuda.to_device(np.zeros((2, MOST_KEYS), np.int32))
        a, words = self.arrays, self._words
        given = a.shared, a.actions, a.moves, a.mask, a.reward, a.history, self._fresh, self._due
        listed, told = (a.moves, a.mask, words["mask"], a.rows), (a.asked, a.seat, a.ended, a.truncated, a.illegal)
        self._of_play = a.states, words["cells"], self._to_play, *given
        self._of_offer = a.states, words["cells"], self._to_see, a.shared, *listed, *told, self._due
        self._of_see = words["states"], a.asked, a.seat, self._to_see, words["observation"], a.observation

    def reset(self, cells: Any) -> None:
        cleared = {name: getattr(self._blank, name) for name in ("observation", "mask", "rows")}
        for name, array in {"cells": cells, **cleared}.items():
            getattr(self.arrays, name).copy_to_device(array)
        self._go_on()

    def step(self, actions: Any) -> int:
        """Step all games. It returns 0 without checking for illegal actions, which would have to wait for the GPU."""
        if actions is not self.outputs["actions"]:
            if hasattr(actions, "__cuda_array_interface__"):
                given = cuda.as_cuda_array(actions)
            else:
                given = cuda.to_device(np.ascontiguousarray(actions, np.int32))
            self._launches.take[self._grid()](self.arrays.actions, given.reshape(self._n, -1))
        if self._sorts:
            a = self.arrays
            self._sort(self._to_play, count_verbs, a.shared, a.actions, a.moves)
        self._go_on()
        return 0

    @property
    def calls(self) -> dict[str, tuple[Any, tuple[Any, ...]]]:
        """The kernels that take long to compile, and what they are called with."""
        launches = self._launches
        found = {"play": (launches.play, (*self._of_play, False)), "offer": (launches.offer, self._of_offer)}
        return found | ({"see": (launches.see, self._of_see)} if self._observes else {})

    def _grid(self, block: int = WARP) -> tuple[int, int]:
        return math.ceil(self._n / block), block

    def _go_on(self) -> None:
        """Play the actions, then write the open moves and the observations."""
        launches, a = self._launches, self.arrays
        with compiling(self._game):
            compile_ahead(*self.calls.values())
            for begins in (False, True):
                launches.play[self._grid()](*self._of_play, begins)
            if launches.count:
                self._sort(self._to_see, launches.count, a.states)
            launches.offer[self._grid()](*self._of_offer)
            if launches.describe:
                grid = math.ceil(self._n * self._rows * WARP / SORTING), SORTING
                launches.describe[grid](a.cells, a.shared, a.moves, a.mask, a.rows)
            if self._observes:
                grid = math.ceil(self._n * self._rows / launches.seen_at_once), WARP
                launches.see[grid](*self._of_see)

    def _sort(self, order: Any, count: Any, *given: Any) -> None:
        """Sort games by a key that is counted, so that threads of a warp take the same branches and need not wait for
        each other.
        """
        grid = self._grid(SORTING)
        count[grid](*given, self._keys, self._counts[0])
        place[grid](self._keys, self._counts[0], self._counts[1], order)
        clear_counts[1, MOST_KEYS](self._counts)

    def sample(self) -> DeviceArray:
        a = self.arrays
        self._launches.sample[self._grid()](a.cells, a.shared, a.moves, a.actions)
        return self.outputs["actions"]

    def on_host(self, name: str) -> Any:
        return getattr(self.arrays, name).copy_to_host()

    def load(self, name: str, array: Any) -> None:
        getattr(self.arrays, name).copy_to_device(array)


@cuda.jit(device=True)
def fetch(held, words, order, size, rows, many):  # type: ignore[no-untyped-def]
    """Copy the `many` records of a block to shared memory: those of the first `size` games that `order` lists. With
    several rows for each game, each of its threads has a copy.
    """
    lane, start, last = cuda.threadIdx.x, cuda.blockIdx.x * many, size * rows - 1
    if start <= last:
        for k in range(0, many, 4):  # four at a time, so that none waits for the others
            a, b = order[min(start + k, last) // rows], order[min(start + k + 1, last) // rows]
            c, d = order[min(start + k + 2, last) // rows], order[min(start + k + 3, last) // rows]
            for at in range(lane, words.shape[1], WARP):
                one, two, three, four = words[a, at], words[b, at], words[c, at], words[d, at]
                held[k].words[at] = one
                held[k + 1].words[at] = two
                held[k + 2].words[at] = three
                held[k + 3].words[at] = four
    cuda.syncthreads()


@cuda.jit(device=True)
def deliver(words, held, order, size, rows, many):  # type: ignore[no-untyped-def]
    """Copy the `many` records of a block from shared memory to the rows of an array."""
    cuda.syncthreads()
    lane, start = cuda.threadIdx.x, cuda.blockIdx.x * many
    for k in range(min(many, size * rows - start)):
        to = order[(start + k) // rows] * rows + (start + k) % rows
        for at in range(lane, words.shape[1], WARP):
            words[to, at] = held[k].words[at]


@cuda.jit(device=True)
def keep(words, held, i):  # type: ignore[no-untyped-def]
    """Copy a thread's own record from shared memory to row i of an array, without waiting for other threads.

    After calls of functions that are not inlined, as those of large games, threads of a warp were seen to be let
    through a barrier before all had come to it: `deliver` then copied records that were not finished.
    """
    for at in range(words.shape[1]):
        words[i, at] = held[cuda.threadIdx.x].words[at]


@cuda.jit(device=True)
def clear(words, order, rows, many):  # type: ignore[no-untyped-def]
    """Write 0 to the `many` rows of a block."""
    lane, start = cuda.threadIdx.x, cuda.blockIdx.x * many
    for k in range(min(many, order.size * rows - start)):
        to = order[(start + k) // rows] * rows + (start + k) % rows
        for at in range(lane, words.shape[1], WARP):
            words[to, at] = 0
    cuda.syncthreads()


@cuda.jit(device=True)
def count_key(i, key, keys, counts):  # type: ignore[no-untyped-def]
    """Write the key of game i, if there is such a game, and count the games of the block for each key."""
    here = cuda.shared.array(MOST_KEYS, np.int32)
    thread = cuda.threadIdx.x
    if thread < MOST_KEYS:
        here[thread] = 0
    cuda.syncthreads()
    if i < keys.size:
        keys[i] = key
        cuda.atomic.add(here, key, 1)
    cuda.syncthreads()
    if thread < MOST_KEYS and here[thread]:
        cuda.atomic.add(counts, thread, here[thread])


@cuda.jit
def count_verbs(shared, actions, moves, keys, counts):  # type: ignore[no-untyped-def]
    """Count games by the verb that the first row plays, 0 for none."""
    i, verb = cuda.grid(1), 0
    if i < keys.size:
        action, offered, known = actions[i].of[0], moves[i].of, shared[0].verbs
        if 0 <= action < offered.shape[1]:
            while verb < known.shape[0] and offered[0, action] >= known[verb, 0]:
                verb += 1
    count_key(i, verb, keys, counts)


@cuda.jit
def place(keys, counts, taken, order):  # type: ignore[no-untyped-def]
    """Write the indices of games with the same key side by side, the largest key first: what takes long must not begin
    last, when nothing is left to be done beside it.
    """
    here = cuda.shared.array(MOST_KEYS, np.int32)
    i, thread, mine = cuda.grid(1), cuda.threadIdx.x, 0
    if thread < MOST_KEYS:
        here[thread] = 0
    cuda.syncthreads()
    if i < keys.size:
        mine = cuda.atomic.add(here, keys[i], 1)
    cuda.syncthreads()
    if thread < MOST_KEYS and here[thread]:
        start = 0
        for key in range(thread + 1, MOST_KEYS):
            start += counts[key]
        here[thread] = start + cuda.atomic.add(taken, thread, here[thread])
    cuda.syncthreads()
    if i < keys.size:
        order[here[keys[i]] + mine] = i


@cuda.jit
def clear_counts(counts):  # type: ignore[no-untyped-def]
    for k in range(2):
        counts[k, cuda.threadIdx.x] = 0


class Launches(NamedTuple):
    """The GPU kernels of a batch."""

    play: Any
    offer: Any
    see: Any
    describe: Any
    """Writes mask and rows of slots; None if actions are numbers."""
    sample: Any
    take: Any
    """Copies actions from another array on the GPU; numbers that are too large for an action stay illegal."""
    seen_at_once: int
    """The rows that a block of `see` writes."""
    count: Any
    """Counts games by what their rules say is alike; None if they say nothing."""


@cache
def launches_of(
    game: Game,
    together: bool,
    slots: bool,
    cells_kind: np.dtype[np.void],
    moves_kind: np.dtype[np.void],
    observation_kind: np.dtype[np.void],
) -> Launches:
    """The kernels for one kind of batch. Batches of the same kind share them: they take half a minute to compile.

    A thread plays one game, and a block is one warp. Arrays are stored game by game, so a warp copies records together:
    reading and writing them from single threads took most of the time.
    """
    kept = overlaid(cells_kind)
    see, many = see_launch_of(game, together, observation_kind)
    return Launches(
        play_launch_of(game, together, slots, kept),
        offer_launch_of(game, together, slots, kept, moves_kind),
        see,
        describe_slots if slots else None,
        *action_launches_of(slots),
        many,
        count_launch_of(game) if hasattr(game.rules, "likeness") else None,
    )


def count_launch_of(game: Game) -> Any:
    """The GPU kernel that counts games by what is alike in them."""
    likeness = game.rules.likeness  # type: ignore[attr-defined]

    @cuda.jit
    def count(states, keys, counts):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        count_key(i, likeness(states[i]) if i < keys.size else 0, keys, counts)

    return count


def play_launch_of(game: Game, together: bool, slots: bool, kept: Any) -> Any:
    """The GPU kernel that changes games. States stay where they are: a move touches little of one."""
    play_one, waits = play_of(game, together, slots), not is_large(game)
    own_type, drawn = local_type(kept), local_type(part("i4", 2, game.rules.MOST_MOVES))

    @jit_of(game)
    def play(states, cells, order, shared, actions, moves, mask, reward, history, fresh, due, begins):  # type: ignore[no-untyped-def]
        """Play a step of all games, and list those that are over. If `begins`, begin those that are listed instead:
        they are few, and would keep all other threads of their warps waiting.
        """
        size = due[0] if begins else order.size
        own = cuda.shared.array(WARP, own_type, ALIGNED)
        fetch(own, cells, fresh if begins else order, size, 1, WARP)
        if cuda.grid(1) < size:
            i = fresh[cuda.grid(1)] if begins else order[cuda.grid(1)]
            cell, lines = own[cuda.threadIdx.x].record, history[min(i, history.size - 1)]
            if begins or not cell.fresh:
                chance = cuda.local.array(1, drawn, ALIGNED)
                play_one(
                    states[i], cell, shared[i % shared.size], chance[0], lines, actions[i], moves[i], mask[i], reward[i]
                )
            if cell.fresh:
                fresh[cuda.atomic.add(due, 0, 1)] = i
            if not waits:
                keep(cells, own, i)
        if waits:
            deliver(cells, own, fresh if begins else order, size, 1, WARP)

    return play


def offer_launch_of(game: Game, together: bool, slots: bool, kept: Any, moves_kind: Any) -> Any:
    """The GPU kernel that writes which moves are open, and all else but the observation. States stay where they are."""
    offer_one = offer_of(game, together, slots, alone=False)
    own_type, listed = local_type(kept), local_type(moves_kind)
    count_of_rows = moves_kind["of"].shape[0]
    lists_apart = waits = not is_large(game)

    @jit_of(game)
    def offer(states, cells, order, shared, moves, mask, mask_words, rows, asked, seat, ended, truncated, illegal, due):  # type: ignore[no-untyped-def]
        if cuda.grid(1) == 0:
            due[0] = 0  # for the next step
        own = cuda.shared.array(WARP, own_type, ALIGNED)
        fetch(own, cells, order, order.size, 1, WARP)
        if not slots:
            clear(mask_words, order, 1, WARP)
        if cuda.grid(1) < order.size:
            i, cell = order[cuda.grid(1)], own[cuda.threadIdx.x].record
            if lists_apart:
                found = cuda.local.array(1, listed, ALIGNED)
                offer_one(states[i], cell, shared[i % shared.size], found[0], mask[i], rows[i])
                for row in range(count_of_rows):
                    for at in range(cell.count[row]):
                        moves[i].of[row, at] = found[0].of[row, at]
            else:
                offer_one(states[i], cell, shared[i % shared.size], moves[i], mask[i], rows[i])
            tell(cell, i, asked, seat, ended, truncated, illegal)
            if not waits:
                keep(cells, own, i)
        if waits:
            deliver(cells, own, order, order.size, 1, WARP)

    return offer


def see_launch_of(game: Game, together: bool, observation_kind: Any) -> tuple[Any, int]:
    """The GPU kernel that writes observations, with a thread for each row, and the rows of a block: as many as fit into
    shared memory, states and observations. If observations are too long they are written in place: they are mostly 0,
    so a warp clears them together, and threads write what is not 0.
    """
    see_one, (count_of_rows, features) = see_of(game), observation_kind["of"].shape
    kinds = overlaid(game.rules.STATE), overlaid(part("f4", features))
    state, seen = map(local_type, kinds)
    fits = FEWEST * sum(kind.itemsize for kind in kinds) <= ROOM
    size, many = sum(kind.itemsize for kind in kinds) if fits else kinds[0].itemsize, WARP
    while many > FEWEST and many * size > ROOM:
        many //= 2

    @cuda.jit
    def see(states, asked, seat, order, words, observation):  # type: ignore[no-untyped-def]
        lane = cuda.threadIdx.x
        at = cuda.blockIdx.x * many + lane
        held = cuda.shared.array(many, state, ALIGNED)
        if fits:
            shown = cuda.shared.array(many, seen, ALIGNED)
            for k in range(many):
                for word in range(lane, words.shape[1], WARP):
                    shown[k].words[word] = 0
        else:
            clear(words, order, count_of_rows, many)
        fetch(held, states, order, order.size, count_of_rows, many)
        if lane < many and at < order.size * count_of_rows:
            i, row = order[at // count_of_rows], at % count_of_rows
            if asked[i].of[row]:
                view, who = held[lane].record, row if together else seat[i]
                if fits:
                    see_one(view, who, shown[lane].record.of)
                else:
                    see_one(view, who, observation[i].of[row])
        if fits:
            deliver(words, shown, order, order.size, count_of_rows, many)

    return see, many


@cuda.jit
def describe_slots(cells, shared, moves, mask, rows):  # type: ignore[no-untyped-def]
    """Write mask and rows of slots, a warp for each row of a game; and clear those that were open before."""
    of_game = moves[0].of.shape[0]
    at, slot, verb = cuda.grid(1) // WARP, cuda.grid(1) % WARP, 0
    if at < cells.size * of_game:
        i, row = at // of_game, at % of_game
        open_now, known = cells[i].count[row], shared[i % shared.size].verbs
        is_open, told, listed = mask[i].of, rows[i].of, moves[i].of
        while slot < is_open.shape[1] and (slot < open_now or is_open[row, slot]):
            if slot < open_now:
                verb = describe(known, listed[row, slot], verb, told[row, slot])
                is_open[row, slot] = 1
            else:
                told[row, slot, :] = 0
                is_open[row, slot] = 0
            slot += WARP


@cache
def action_launches_of(slots: bool) -> tuple[Any, Any]:
    """The GPU kernels that write actions: `sample` draws them, `take` copies them from another array on the GPU,
    of any integers.
    """
    choose = choose_of(slots)

    @cuda.jit
    def sample(cells, shared, moves, actions):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < cells.size:
            choose(cells[i], shared[0], moves[i], actions[i])

    @cuda.jit
    def take(actions, given):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < actions.size:
            for row in range(given.shape[1]):
                action = given[i, row]
                if action < LEAST_ACTION:
                    actions[i].of[row] = LEAST_ACTION
                elif action > MOST_ACTION:
                    actions[i].of[row] = MOST_ACTION
                else:
                    actions[i].of[row] = action

    return sample, take

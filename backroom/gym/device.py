"""A batch on one NVIDIA GPU: the very same kernels, one game a thread, and arrays that never leave the card."""

import contextlib
import math
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda names it; NumPy 2.5 has dropped it

from numba import config, cuda, from_dtype  # the simulator looks for this name among a kernel's globals

from backroom.engine.game import Game
from backroom.engine.kernel import widened
from backroom.engine.options import BadOption
from backroom.gym.dlpack import capsule_of
from backroom.gym.kernels import Arrays, batch_of, part, tell

WARP = 32
"""Threads that run in step, and a block of them: each block copies the records of its games together."""
SORTING, MOST_VERBS = 256, 64
"""Threads of a block that sorts games, and kinds that they can be of."""
ROOM = 48 * 1024
"""Bytes of shared memory that a block may use."""
SEEN_AT_ONCE = 16
"""Observations that a block must have room for in shared memory; where they are larger, local memory is faster."""
LARGE = 1024
"""Bytes of a state above which a game's kernels are kept apart, so that they compile in a minute or two."""
APART = 1000
"""Instructions, before the compiler has looked at them, of a kernel that is worth it: fewer compile faster, and run at
half the speed.
"""
INTO_CALLERS = ("moves", "play", "asked", "odds")
"""Kernels that are put into their callers all the same: what they do depends on whom they are asked for."""
ALIGNED = 16
"""Where memory of a thread or a block begins: records have fields of eight bytes, and a GPU reads them nowhere else."""
CUDA_DEVICE = 2
"""What DLPack calls an NVIDIA GPU."""


if config.ENABLE_CUDASIM:
    from numba.cuda.simulator.kernelapi import FakeCUDALocal, FakeCUDAShared

    def poisoned(self: Any, shape: Any, kind: Any, alignment: int = ALIGNED) -> Any:
        """Local memory of the simulator: what nobody has written is not 0, as on a GPU."""
        return np.full(np.prod(shape) * np.dtype(kind).itemsize, 0x5A, np.uint8).view(kind).reshape(shape)

    def poisoned_once(self: Any, shape: Any, kind: Any, alignment: int = ALIGNED) -> Any:
        """Shared memory of the simulator, which tells arrays apart by the lines where they are made."""
        caller = sys._getframe(1)
        place = caller.f_code.co_filename, caller.f_lineno
        found = self._allocations.get(place)
        return self._allocations.setdefault(place, poisoned(self, shape, kind)) if found is None else found

    FakeCUDALocal.array = poisoned
    FakeCUDAShared.array = poisoned_once


_apart = 0
"""The size from which on kernels are being kept apart now; 0: none are."""


def is_large(game: Game) -> bool:
    """Whether a game's kernels are too large to be compiled into one."""
    return game.rules.STATE.itemsize > LARGE


@contextlib.contextmanager
def kept_apart(game: Game, size: int = APART) -> Iterator[None]:
    """While a large game is compiled, a kernel of some size stays a function of its own.

    NVIDIA's compiler puts every function into its callers, which for the largest of our games takes six minutes.
    """
    global _apart  # noqa: PLW0603 (Numba compiles at the first launch, wherever that is)
    _apart = size if is_large(game) else 0
    try:
        yield
    finally:
        _apart = 0


def compiled(dispatcher: Any, args: Any, return_type: Any, compile_device: Any) -> Any:
    """Compile a kernel for the card, apart from its callers if need be. Functions of this file never are: in them
    threads wait for each other, and compilers do not know that of a call.
    """
    is_known = args in dispatcher.overloads
    result = compile_device(dispatcher, args, return_type)
    function = dispatcher.py_func
    if _apart and not is_known and function.__module__ != __name__ and function.__name__ not in INTO_CALLERS:
        for made in result.library._module.functions:
            size = sum(len(block.instructions) for block in made.blocks)
            if made.name == result.fndesc.llvm_func_name and size >= _apart:
                made.attributes.add("noinline")
    return result


def must_be_there() -> None:
    """Make numba.cuda ready for our kernels; BadOption where there is no GPU."""
    if not cuda.is_available():
        raise BadOption(
            "device cannot be 'cuda': there is no NVIDIA GPU here, or no numba-cuda for it; it can be 'cpu'"
        )
    if not config.ENABLE_CUDASIM:
        from numba.cuda.dispatcher import CUDADispatcher

        if not hasattr(CUDADispatcher, "resolves_widened"):
            resolve = CUDADispatcher.get_call_template
            CUDADispatcher.get_call_template = lambda self, args, kws: resolve(self, widened(args), kws)
            compile_device = CUDADispatcher.compile_device
            CUDADispatcher.compile_device = lambda self, args, return_type=None: compiled(
                self, args, return_type, compile_device
            )
            CUDADispatcher.resolves_widened = True


def local_type(kind: np.dtype[Any]) -> Any:
    """A type as local memory wants it; the simulator has memory like any other."""
    return kind if config.ENABLE_CUDASIM else from_dtype(kind)


def word_of(kind: np.dtype[np.void]) -> np.dtype[Any]:
    """What a record is copied by: four bytes at a time, where it consists of such."""
    return np.dtype("u4" if kind.itemsize % 4 == 0 else "u1")


def overlaid(kind: np.dtype[np.void]) -> np.dtype[Any]:
    """The type of memory that is known as a record, and as the words it consists of. In an array of them no two that
    are near each other begin in the same bank of shared memory, as far as their alignment allows.
    """
    word = word_of(kind)
    step = max(4, *(field[0].base.alignment for field in (kind.fields or {}).values()))
    size = -(-kind.itemsize // step) * step
    size += 0 if size // step % 2 else step
    words = (word, (kind.itemsize // word.itemsize,))
    both = {"names": ["record", "words"], "formats": [kind, words], "offsets": [0, 0], "itemsize": size}
    return np.dtype((np.record, np.dtype(both)))  # type: ignore[call-overload]


def words_of(array: Any) -> Any:
    """An array of records on the card as words, one row a record."""
    return array.view(word_of(array.dtype)).reshape(len(array), -1)


class DeviceArray:
    """An array on the card, for PyTorch, JAX and CuPy to share: by DLPack, or by CUDA's own array interface."""

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
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA_DEVICE, 0

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        return capsule_of(self, self.owner.device_ctypes_pointer.value, self.__dlpack_device__())

    def copy_to_host(self) -> Any:
        """The same numbers on this machine."""
        held = self.owner.copy_to_host()
        return np.ndarray(self.shape, self.dtype, held.view(np.uint8).data, strides=self.strides)


class Device:
    """Runs a batch on the card."""

    def __init__(self, of: Game, arrays: Arrays, outputs: Mapping[str, Any], together: bool, slots: bool) -> None:
        must_be_there()
        self.arrays = Arrays(*(cuda.to_device(array) for array in arrays))
        self.outputs = {name: DeviceArray(getattr(self.arrays, name), like) for name, like in outputs.items()}
        self._n, self._rows = len(arrays.states), arrays.actions["of"].shape[1]
        self._blank = arrays
        kinds = tuple(array.dtype for array in (arrays.cells, arrays.moves, arrays.observation, arrays.mask))
        self._launches = launches_of(of, together, slots, *kinds)
        self._words = {
            name: words_of(getattr(self.arrays, name)) for name in ("states", "cells", "observation", "mask")
        }
        self._words["observation"] = self._words["observation"].reshape(self._n * self._rows, -1)
        self._game, self._is_large = of, is_large(of)
        self._order = cuda.to_device(np.arange(self._n, dtype=np.int32))
        if self._is_large:
            self._ends = cuda.to_device(np.zeros(1 + len(arrays.shared["verbs"][0]), np.int32))
            self._verbs = cuda.device_array_like(self._order)

    def reset(self, cells: Any) -> None:
        cleared = {name: getattr(self._blank, name) for name in ("observation", "mask", "rows")}
        for name, array in {"cells": cells, **cleared}.items():
            getattr(self.arrays, name).copy_to_device(array)
        with kept_apart(self._game):
            self._go_on()

    def step(self, actions: Any) -> int:
        """Nobody looks whether all were legal: that would wait for the card."""
        if actions is not self.outputs["actions"]:
            if hasattr(actions, "__cuda_array_interface__"):
                given = cuda.as_cuda_array(actions)
            else:
                given = cuda.to_device(np.ascontiguousarray(actions, np.int32))
            self._launches.take[self._grid()](self.arrays.actions, given.reshape(self._n, -1))
        if self._is_large:
            self._sort()
        self._go_on()
        return 0

    def _grid(self, rows: int = 1, block: int = WARP) -> tuple[int, int]:
        return math.ceil(self._n * rows / block), block

    def _go_on(self) -> None:
        """Play, say what is open, and show it."""
        a, words, order = self.arrays, self._words, self._order
        held = words["states"], words["cells"], order
        play, offer, see, *_ = self._launches
        play[self._grid()](*held, a.shared, a.actions, a.moves, a.mask, a.reward, a.history, a.states)
        told = a.asked, a.seat, a.ended, a.truncated, a.illegal
        offer[self._grid()](*held, a.shared, a.moves, a.mask, words["mask"], a.rows, *told)
        see[self._grid(self._rows)](words["states"], a.asked, a.seat, order, words["observation"])

    def _sort(self) -> None:
        """Put games side by side in which the same verb is played: threads of a warp that do the same need not wait for
        each other.
        """
        a = self.arrays
        find_verbs[self._grid(block=SORTING)](a.shared, a.actions, a.moves, self._verbs)
        sort(self._verbs, self._ends, self._order)

    def sample(self) -> DeviceArray:
        a = self.arrays
        self._launches.sample[self._grid()](a.cells, a.shared, a.moves, a.actions)
        return self.outputs["actions"]

    def on_host(self, name: str) -> Any:
        return getattr(self.arrays, name).copy_to_host()

    def load(self, name: str, array: Any) -> None:
        getattr(self.arrays, name).copy_to_device(array)


@cuda.jit(device=True)
def fetch(held, words, order, rows):  # type: ignore[no-untyped-def]
    """Copy the records of a block's games to memory that it shares, four at a time so that none waits for the others.
    Where there are several rows a game, each thread has a copy.
    """
    lane, start, last = cuda.threadIdx.x, cuda.grid(1) - cuda.threadIdx.x, order.size * rows - 1
    for k in range(0, WARP, 4):
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
def deliver(words, held, order, rows, first, end):  # type: ignore[no-untyped-def]
    """Copy the records of the block's rows from `first` on to the rows of an array."""
    cuda.syncthreads()
    lane, start = cuda.threadIdx.x, cuda.grid(1) - cuda.threadIdx.x
    for k in range(first, min(end, order.size * rows - start)):
        to = order[(start + k) // rows] * rows + (start + k) % rows
        for at in range(lane, words.shape[1], WARP):
            words[to, at] = held[k - first].words[at]
    cuda.syncthreads()


@cuda.jit(device=True)
def clear(words, order):  # type: ignore[no-untyped-def]
    """Write 0 to the rows of a block's games."""
    lane, start = cuda.threadIdx.x, cuda.grid(1) - cuda.threadIdx.x
    for k in range(min(WARP, order.size - start)):
        to = order[start + k]
        for at in range(lane, words.shape[1], WARP):
            words[to, at] = 0
    cuda.syncthreads()


@cuda.jit(device=True)
def fetch_apart(tile, here, words, order, rows):  # type: ignore[no-untyped-def]
    """Copy each thread's record to memory of its own: a block reads one record after the other."""
    lane, start, last = cuda.threadIdx.x, cuda.grid(1) - cuda.threadIdx.x, order.size * rows - 1
    for at in range(0, words.shape[1], WARP):
        if at + lane < words.shape[1]:
            for k in range(WARP):
                tile[k, lane] = words[order[min(start + k, last) // rows], at + lane]
        cuda.syncthreads()
        for k in range(min(WARP, words.shape[1] - at)):
            here[at + k] = tile[lane, k]
        cuda.syncthreads()


@cuda.jit(device=True)
def deliver_apart(tile, words, here, order, rows):  # type: ignore[no-untyped-def]
    """Copy the records of threads to the rows of an array: a block writes one after the other."""
    lane, start = cuda.threadIdx.x, cuda.grid(1) - cuda.threadIdx.x
    for at in range(0, words.shape[1], WARP):
        for k in range(min(WARP, words.shape[1] - at)):
            tile[lane, k] = here[at + k]
        cuda.syncthreads()
        if at + lane < words.shape[1]:
            for k in range(min(WARP, order.size * rows - start)):
                to = order[(start + k) // rows] * rows + (start + k) % rows
                words[to, at + lane] = tile[k, lane]
        cuda.syncthreads()


@cuda.jit
def find_verbs(shared, actions, moves, verbs):  # type: ignore[no-untyped-def]
    """Write the verb that each game's first row plays; 0 is for none."""
    i = cuda.grid(1)
    if i < verbs.size:
        action, offered, known = actions[i].of[0], moves[i].of, shared[0].verbs
        verb = 0
        if 0 <= action < offered.shape[1]:
            while verb < known.shape[0] and offered[0, action] >= known[verb, 0]:
                verb += 1
        verbs[i] = verb


@cuda.jit
def count(kinds, counts):  # type: ignore[no-untyped-def]
    """Count how many there are of each kind."""
    here = cuda.shared.array(MOST_VERBS, np.int32)
    i, thread = cuda.grid(1), cuda.threadIdx.x
    for at in range(thread, MOST_VERBS, SORTING):
        here[at] = 0
    cuda.syncthreads()
    if i < kinds.size:
        cuda.atomic.add(here, kinds[i], 1)
    cuda.syncthreads()
    for at in range(thread, counts.size, SORTING):
        cuda.atomic.add(counts, at, here[at])


@cuda.jit
def add_up(counts):  # type: ignore[no-untyped-def]
    """Turn how many there are of each kind into where those of each kind begin."""
    total = 0
    for kind in range(counts.size):
        count = counts[kind]
        counts[kind] = total
        total += count


@cuda.jit
def place(kinds, starts, order):  # type: ignore[no-untyped-def]
    """Write those of one kind side by side, in no certain order."""
    here = cuda.shared.array(MOST_VERBS, np.int32)
    i, thread, mine = cuda.grid(1), cuda.threadIdx.x, 0
    for at in range(thread, MOST_VERBS, SORTING):
        here[at] = 0
    cuda.syncthreads()
    if i < kinds.size:
        mine = cuda.atomic.add(here, kinds[i], 1)
    cuda.syncthreads()
    for at in range(thread, starts.size, SORTING):
        here[at] = cuda.atomic.add(starts, at, here[at])
    cuda.syncthreads()
    if i < kinds.size:
        order[here[kinds[i]] + mine] = i


def sort(kinds: Any, ends: Any, order: Any) -> None:
    """Write into `order` those of one kind side by side; `ends` has a place for each kind."""
    grid = math.ceil(kinds.size / SORTING), SORTING
    ends.copy_to_device(np.zeros(ends.size, np.int32))
    count[grid](kinds, ends)
    add_up[1, 1](ends)
    place[grid](kinds, ends, order)


class Launches(NamedTuple):
    """The kernels that a GPU is asked for."""

    play: Any
    offer: Any
    see: Any
    sample: Any
    take: Any
    """Takes actions from wherever they lie on the card."""


@cache
def launches_of(
    game: Game,
    together: bool,
    slots: bool,
    cells_kind: np.dtype[np.void],
    moves_kind: np.dtype[np.void],
    observation_kind: np.dtype[np.void],
    mask_kind: np.dtype[np.void],
) -> Launches:
    """The kernels for one kind of batch. Batches of the same kind share them: they take half a minute to compile.

    One thread plays one game, and a block is one warp. A block keeps the records of its games in shared memory, and
    copies them together: read and written by each thread alone, they took most of the time. Where they are too large
    for that, each thread has a copy in local memory. A step is three kernels, each of which needs little memory.
    """
    advance, offer_one, see_one, choose = batch_of(game, together, slots, clears=False)
    count_of_rows, features = observation_kind["of"].shape
    kinds = [overlaid(kind) for kind in (game.rules.STATE, cells_kind, part("f4", features))]
    state, kept, seen = map(local_type, kinds)
    drawn, listed = local_type(part("i4", 2, game.rules.MOST_MOVES)), local_type(moves_kind)
    is_shared = WARP * (kinds[0].itemsize + kinds[1].itemsize) <= ROOM
    room = ROOM - WARP * kinds[0].itemsize if is_shared else ROOM
    many = next(many for many in (32, 16, 8, 4, 2, 1) if many * kinds[2].itemsize <= room)
    word, square = local_type(np.dtype("u4")), (WARP, WARP + 1)  # one longer, so that no two begin in the same bank

    @cuda.jit
    def play(states, cells, order, shared, actions, moves, mask, reward, history, records):  # type: ignore[no-untyped-def]
        """Play the actions of all games, and what nature answers."""
        held = cuda.shared.array(WARP, state, ALIGNED)
        own = cuda.shared.array(WARP, kept, ALIGNED)
        fetch(held, states, order, 1)
        fetch(own, cells, order, 1)
        thread = cuda.threadIdx.x
        if cuda.grid(1) < order.size:
            i = order[cuda.grid(1)]
            chance = cuda.local.array(1, drawn, ALIGNED)
            lines = history[min(i, history.size - 1)]
            s, cell = held[thread].record, own[thread].record
            advance(s, cell, shared[0], chance[0], lines, actions[i], moves[i], mask[i], reward[i])
        deliver(states, held, order, 1, 0, WARP)
        deliver(cells, own, order, 1, 0, WARP)

    @cuda.jit
    def play_apart(states, cells, order, shared, actions, moves, mask, reward, history, records):  # type: ignore[no-untyped-def]
        """The same where states are large: a move touches little of them, so they stay where they are."""
        own = cuda.shared.array(WARP, kept, ALIGNED)
        fetch(own, cells, order, 1)
        thread = cuda.threadIdx.x
        if cuda.grid(1) < order.size:
            i = order[cuda.grid(1)]
            chance = cuda.local.array(1, drawn, ALIGNED)
            lines = history[min(i, history.size - 1)]
            cell = own[thread].record
            advance(records[i], cell, shared[0], chance[0], lines, actions[i], moves[i], mask[i], reward[i])
        deliver(cells, own, order, 1, 0, WARP)

    @cuda.jit
    def offer(  # type: ignore[no-untyped-def]
        states, cells, order, shared, moves, mask, mask_words, rows, asked, seat, ended, truncated, illegal
    ):
        """Write which moves are open, and what else there is to know but the observation."""
        held = cuda.shared.array(WARP, state, ALIGNED)
        own = cuda.shared.array(WARP, kept, ALIGNED)
        fetch(held, states, order, 1)
        fetch(own, cells, order, 1)
        if not slots:
            clear(mask_words, order)
        thread = cuda.threadIdx.x
        if cuda.grid(1) < order.size:
            i = order[cuda.grid(1)]
            found, cell = cuda.local.array(1, listed, ALIGNED), own[thread].record
            offer_one(held[thread].record, cell, shared[0], found[0], mask[i], rows[i])
            for row in range(count_of_rows):
                for at in range(cell.count[row]):
                    moves[i].of[row, at] = found[0].of[row, at]
            tell(cell, i, asked, seat, ended, truncated, illegal)
        deliver(cells, own, order, 1, 0, WARP)

    @cuda.jit
    def offer_apart(  # type: ignore[no-untyped-def]
        states, cells, order, shared, moves, mask, mask_words, rows, asked, seat, ended, truncated, illegal
    ):
        """The same where states are large: each thread has a copy in local memory."""
        tile = cuda.shared.array(square, word, ALIGNED)
        own = cuda.shared.array(WARP, kept, ALIGNED)
        held = cuda.local.array(1, state, ALIGNED)
        fetch_apart(tile, held[0].words, states, order, 1)
        fetch(own, cells, order, 1)
        if not slots:
            clear(mask_words, order)
        thread = cuda.threadIdx.x
        if cuda.grid(1) < order.size:
            i = order[cuda.grid(1)]
            offer_one(held[0].record, own[thread].record, shared[0], moves[i], mask[i], rows[i])
            tell(own[thread].record, i, asked, seat, ended, truncated, illegal)
        deliver(cells, own, order, 1, 0, WARP)

    @cuda.jit
    def see(states, asked, seat, order, observation):  # type: ignore[no-untyped-def]
        """Write what is seen by those who are asked: a thread for each row, as many at a time as there is room for."""
        held = cuda.shared.array(WARP, state, ALIGNED)
        shown = cuda.shared.array(many, seen, ALIGNED)
        fetch(held, states, order, count_of_rows)
        at, thread = cuda.grid(1), cuda.threadIdx.x
        for first in range(0, WARP, many):
            if at < order.size * count_of_rows and first <= thread < first + many:
                i, row = order[at // count_of_rows], at % count_of_rows
                if asked[i].of[row]:
                    see_one(held[thread].record, row if together else seat[i], shown[thread - first].record.of)
                else:
                    shown[thread - first].record.of[:] = 0.0
            deliver(observation, shown, order, count_of_rows, first, first + many)

    @cuda.jit
    def see_apart(states, asked, seat, order, observation):  # type: ignore[no-untyped-def]
        """The same where states or observations are large: in local memory."""
        tile = cuda.shared.array(square, word, ALIGNED)
        held, shown = cuda.local.array(1, state, ALIGNED), cuda.local.array(1, seen, ALIGNED)
        fetch_apart(tile, held[0].words, states, order, count_of_rows)
        at = cuda.grid(1)
        if at < order.size * count_of_rows:
            i, row = order[at // count_of_rows], at % count_of_rows
            if asked[i].of[row]:
                see_one(held[0].record, row if together else seat[i], shown[0].record.of)
            else:
                shown[0].record.of[:] = 0.0
        deliver_apart(tile, observation, shown[0].words, order, count_of_rows)

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
                actions[i].of[row] = given[i, row]

    shown = see if is_shared and many >= SEEN_AT_ONCE else see_apart
    return Launches(*(play, offer) if is_shared else (play_apart, offer_apart), shown, sample, take)

"""A batch on one NVIDIA GPU: the same kernels, one thread for each game, and arrays that stay in the GPU's memory."""

import contextlib
import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda refers to it; NumPy 2.5 has removed it

from numba import config, cuda, from_dtype  # the simulator looks for this name among a kernel's globals

from backroom.engine.game import Game
from backroom.engine.kernel import widened
from backroom.engine.options import BadOption
from backroom.gym.dlpack import capsule_of
from backroom.gym.kernels import WAIT, Arrays, batch_of, part, tell

BLOCK, SMALL_BLOCK = 128, 64
"""Threads per block; the small block is for games whose states are in shared memory, or are large."""
WARP = 32
"""Threads in a warp, and the words that they copy at once."""
SMALL = 256
"""The largest state that is kept in shared memory, in bytes; larger ones would leave room for few threads."""
LARGE = 1024
"""The largest state, in bytes, of a game whose kernels may all be inlined; more would take minutes to compile."""
APART = 200
"""The fewest LLVM instructions of a kernel, before optimization, that is not inlined in a large game."""
ALIGNED = 16
"""The alignment of local memory: a GPU can read eight-byte fields of records only at aligned addresses."""
CUDA_DEVICE = 2
"""DLPack's device type of an NVIDIA GPU."""


if config.ENABLE_CUDASIM:
    from numba.cuda.simulator.kernelapi import FakeCUDALocal

    def poisoned(self: Any, shape: Any, kind: Any, alignment: int = ALIGNED) -> Any:
        """Local memory of the simulator, filled with garbage: on a GPU it is not initialized with 0."""
        return np.full(np.prod(shape) * np.dtype(kind).itemsize, 0x5A, np.uint8).view(kind).reshape(shape)

    FakeCUDALocal.array = poisoned


_keeps_apart = False
"""Whether kernels of at least APART instructions are now compiled without inlining."""


def is_small(game: Game) -> bool:
    """Whether the states of a block fit into shared memory."""
    return game.rules.STATE.itemsize <= SMALL


def is_large(game: Game) -> bool:
    """Whether a game's kernels are too large to be inlined into one."""
    return game.rules.STATE.itemsize > LARGE


@contextlib.contextmanager
def kept_apart(is_wanted: bool) -> Iterator[None]:
    """Do not inline kernels of at least APART instructions while a large game is compiled.

    NVIDIA's compiler inlines every function by default, which takes six minutes for the largest game.
    """
    global _keeps_apart  # noqa: PLW0603 (Numba compiles at the first launch, wherever that is)
    _keeps_apart = is_wanted
    try:
        yield
    finally:
        _keeps_apart = False


def compiled(dispatcher: Any, args: Any, return_type: Any, compile_device: Any) -> Any:
    """Compile a kernel for the GPU, without inlining if `kept_apart` says so."""
    is_known = args in dispatcher.overloads
    result = compile_device(dispatcher, args, return_type)
    if _keeps_apart and not is_known:
        for function in result.library._module.functions:
            size = sum(len(block.instructions) for block in function.blocks)
            if function.name == result.fndesc.llvm_func_name and size >= APART:
                function.attributes.add("noinline")
    return result


def must_be_there() -> None:
    """Prepare numba.cuda for our kernels; BadOption if there is no GPU."""
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
    """The type for an array in local memory: a Numba type, or a NumPy type in the simulator."""
    return kind if config.ENABLE_CUDASIM else from_dtype(kind)


def word_of(kind: np.dtype[np.void]) -> np.dtype[Any]:
    """The type of word for copying a record: four bytes if its size allows that, else one."""
    return np.dtype("u4" if kind.itemsize % 4 == 0 else "u1")


def overlaid(kind: np.dtype[np.void]) -> Any:
    """A union type for local memory: a record, and the same bytes as words."""
    word = word_of(kind)
    words = (word, (kind.itemsize // word.itemsize,))
    both = {"names": ["record", "words"], "formats": [kind, words], "offsets": [0, 0], "itemsize": kind.itemsize}
    return local_type(np.dtype((np.record, np.dtype(both))))  # type: ignore[call-overload]


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
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA_DEVICE, 0

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        return capsule_of(self, self.owner.device_ctypes_pointer.value, self.__dlpack_device__())

    def copy_to_host(self) -> Any:
        """A copy of the array in the memory of the host."""
        held = self.owner.copy_to_host()
        return np.ndarray(self.shape, self.dtype, held.view(np.uint8).data, strides=self.strides)


class Device:
    """Runs a batch on the GPU."""

    def __init__(self, of: Game, arrays: Arrays, outputs: Mapping[str, Any], together: bool, slots: bool) -> None:
        must_be_there()
        self.arrays = Arrays(*(cuda.to_device(array) for array in arrays))
        self.outputs = {name: DeviceArray(getattr(self.arrays, name), like) for name, like in outputs.items()}
        self._n, self._rows = len(arrays.states), arrays.actions["of"].shape[1]
        self._blank = arrays
        kinds = tuple(array.dtype for array in (arrays.cells, arrays.moves, arrays.observation, arrays.mask))
        self._step, self._sample, self._take = launches_of(of, together, slots, *kinds)
        self._words = tuple(
            words_of(array)
            for array in (getattr(self.arrays, name) for name in ("states", "cells", "observation", "mask"))
        )
        self._is_large = is_large(of)
        block = SMALL_BLOCK if self._is_large or is_small(of) else BLOCK
        self._grid = math.ceil(self._n / block), block
        if self._is_large:
            self._none = np.zeros(1 + len(arrays.shared["verbs"][0]), np.int32)
            self._ends = cuda.to_device(self._none)
            self._order = cuda.to_device(np.arange(self._n, dtype=np.int32))
            self._verbs = cuda.device_array_like(self._order)
            self._given: tuple[Any, ...] = (*self.arrays, self._order)
        else:
            self._given = (*self.arrays, *self._words)

    def reset(self, cells: Any) -> None:
        cleared = {name: getattr(self._blank, name) for name in ("observation", "mask", "rows")}
        for name, array in {"cells": cells, **cleared}.items():
            getattr(self.arrays, name).copy_to_device(array)
        with kept_apart(self._is_large):
            self._step[self._grid](*self._given)

    def step(self, actions: Any) -> int:
        """Step all games. It returns 0 without checking for illegal actions, which would have to wait for the GPU."""
        if actions is not self.outputs["actions"]:
            if hasattr(actions, "__cuda_array_interface__"):
                given = cuda.as_cuda_array(actions)
            else:
                given = cuda.to_device(np.ascontiguousarray(actions, np.int32))
            self._take[self._grid](self.arrays.actions, given.reshape(self._n, -1))
        if self._is_large:
            self._sort()
        self._step[self._grid](*self._given)
        return 0

    def _sort(self) -> None:
        """Sort games by the verb that is played, so that threads of a warp take the same branches and need not wait for
        each other.
        """
        a, ends = self.arrays, self._ends
        ends.copy_to_device(self._none)
        count_verbs[self._grid](a.shared, a.actions, a.moves, self._verbs, ends)
        add_up[1, 1](ends)
        place[self._grid](self._verbs, ends, self._order)

    def sample(self) -> DeviceArray:
        self._sample[self._grid](self.arrays.cells, self.arrays.shared, self.arrays.moves, self.arrays.actions)
        return self.outputs["actions"]

    def on_host(self, name: str) -> Any:
        return getattr(self.arrays, name).copy_to_host()

    def load(self, name: str, array: Any) -> None:
        getattr(self.arrays, name).copy_to_device(array)


@cuda.jit(device=True)
def fetch(tile, words, here):  # type: ignore[no-untyped-def]
    """Copy each thread's record from an array to the thread's own memory: a warp reads one record after the other."""
    thread, lane = cuda.threadIdx.x, cuda.threadIdx.x % WARP
    first, start, width = thread - lane, cuda.grid(1) - lane, words.shape[1]
    for at in range(0, width, WARP):
        cuda.syncthreads()
        if at + lane < width:
            for k in range(min(WARP, words.shape[0] - start)):
                tile[first + k, lane] = words[start + k, at + lane]
        cuda.syncthreads()
        for k in range(min(WARP, width - at)):
            here[at + k] = tile[thread, k]


@cuda.jit(device=True)
def deliver(tile, words, here, is_due):  # type: ignore[no-untyped-def]
    """Copy the records of threads to an array, if `is_due`: a warp writes one after the other."""
    thread, lane = cuda.threadIdx.x, cuda.threadIdx.x % WARP
    first, start, width = thread - lane, cuda.grid(1) - lane, words.shape[1]
    for at in range(0, width, WARP):
        cuda.syncthreads()
        for k in range(min(WARP, width - at)):
            tile[thread, k] = here[at + k]
        cuda.syncthreads()
        if at + lane < width:
            for k in range(WARP):
                if is_due[first + k]:
                    words[start + k, at + lane] = tile[first + k, lane]


@cuda.jit
def count_verbs(shared, actions, moves, verbs, counts):  # type: ignore[no-untyped-def]
    """Write the verb that each game's first row plays, 0 for none, and count the games for each verb."""
    i = cuda.grid(1)
    if i < verbs.size:
        action, offered, known = actions[i].of[0], moves[i].of, shared[0].verbs
        verb = 0
        if 0 <= action < offered.shape[1]:
            while verb < known.shape[0] and offered[0, action] >= known[verb, 0]:
                verb += 1
        verbs[i] = verb
        cuda.atomic.add(counts, verb, 1)


@cuda.jit
def add_up(counts):  # type: ignore[no-untyped-def]
    """Turn counts into starting offsets (an exclusive prefix sum)."""
    total = 0
    for kind in range(counts.size):
        count = counts[kind]
        counts[kind] = total
        total += count


@cuda.jit
def place(kinds, starts, order):  # type: ignore[no-untyped-def]
    """Write the indices of the same kind side by side, in no particular order."""
    i = cuda.grid(1)
    if i < kinds.size:
        order[cuda.atomic.add(starts, kinds[i], 1)] = i


@cache
def launches_of(
    game: Game,
    together: bool,
    slots: bool,
    cells_kind: np.dtype[np.void],
    moves_kind: np.dtype[np.void],
    observation_kind: np.dtype[np.void],
    mask_kind: np.dtype[np.void],
) -> tuple[Any, Any, Any]:
    """The GPU kernels `step`, `sample` and `take`, which copies actions from another array on the GPU. Batches of the
    same kind share them, for they take half a minute to compile.

    A thread plays one game in local memory, in which accesses of neighbouring threads are coalesced; a small state is
    in shared memory, which is faster. The arrays of a batch are stored game by game instead, so a warp copies them
    together, through shared memory. Reading and writing them from single threads took most of the time.
    """
    advance, choose = batch_of(game, together, slots)
    state, kept = overlaid(game.rules.STATE), overlaid(cells_kind)
    seen, offer = overlaid(observation_kind), overlaid(mask_kind)
    view_type, drawn = local_type(game.rules.STATE), local_type(part("i4", game.rules.MOST_MOVES))
    listed, word, flag = local_type(moves_kind), local_type(np.dtype("u4")), local_type(np.dtype("u1"))
    count_of_rows, most = moves_kind["of"].shape
    size = mask_kind["of"].shape[1]
    in_shared, block = is_small(game), SMALL_BLOCK if is_small(game) else BLOCK
    square = block, WARP + 1  # padded by one word, to avoid bank conflicts

    @cuda.jit
    def step(  # type: ignore[no-untyped-def]
        states,
        cells,
        shared,
        actions,
        moves,
        observation,
        mask,
        rows,
        reward,
        asked,
        history,
        seat,
        ended,
        truncated,
        illegal,
        state_words,
        cell_words,
        observation_words,
        mask_words,
    ):
        tile = cuda.shared.array(square, word)
        is_due = cuda.shared.array(block, flag)
        cell = cuda.local.array(1, kept, ALIGNED)
        shown, offered = cuda.local.array(1, seen, ALIGNED), cuda.local.array(1, offer, ALIGNED)
        i, thread = cuda.grid(1), cuda.threadIdx.x
        if in_shared:  # noqa: SIM108 (Numba leaves out the branch that is never taken)
            mine = cuda.shared.array(block, state)[thread]
        else:
            mine = cuda.local.array(1, state, ALIGNED)[0]
        fetch(tile, state_words, mine.words)
        fetch(tile, cell_words, cell[0].words)
        is_due[thread] = 0
        if i < seat.size:
            view, weights = cuda.local.array(1, view_type, ALIGNED), cuda.local.array(1, drawn, ALIGNED)
            found, own, opened = cuda.local.array(1, listed, ALIGNED), cell[0].record, offered[0].record
            shown[0].record.of[:, :] = 0.0  # `features` writes nothing for a seat that is not in the game
            for row in range(count_of_rows):  # only the chosen entries of what was offered are read
                action = actions[i].of[row]
                if slots and 0 <= action < most:
                    found[0].of[row, action] = moves[i].of[row, action]
                if not slots and 0 <= action < size:
                    opened.of[row, action] = mask[i].of[row, action]
            goes_on = own.fresh or not (own.over or actions[i].of[0] == WAIT)
            advance(
                mine.record,
                own,
                shared[i % shared.size],
                view,
                weights[0],
                history[i if i < history.size else history.size - 1],
                actions[i],
                found[0],
                shown[0].record,
                mask[i] if slots else opened,
                rows[i],
                reward[i],
            )
            if goes_on and not own.illegal:
                is_due[thread] = 1
                for row in range(count_of_rows):
                    for at in range(own.count[row]):
                        moves[i].of[row, at] = found[0].of[row, at]
                    if not own.count[row]:
                        shown[0].record.of[row, :] = 0.0
                        opened.of[row, :] = 0
        deliver(tile, observation_words, shown[0].words, is_due)
        deliver(tile, state_words, mine.words, is_due)
        if not slots:
            deliver(tile, mask_words, offered[0].words, is_due)
        cuda.syncthreads()
        is_due[thread] = i < seat.size
        deliver(tile, cell_words, cell[0].words, is_due)
        cuda.syncthreads()
        if i < seat.size:
            tell(cells, asked, seat, ended, truncated, illegal, i, i + 1)

    @cuda.jit
    def step_apart(  # type: ignore[no-untyped-def]
        states,
        cells,
        shared,
        actions,
        moves,
        observation,
        mask,
        rows,
        reward,
        asked,
        history,
        seat,
        ended,
        truncated,
        illegal,
        order,
    ):
        """`step` for a large game, whose kernels are not inlined: each thread reads and writes for itself."""
        if cuda.grid(1) < seat.size:
            i = order[cuda.grid(1)]
            mine, view = cuda.local.array(1, view_type, ALIGNED), cuda.local.array(1, view_type, ALIGNED)
            weights = cuda.local.array(1, drawn, ALIGNED)
            mine[0] = states[i]
            advance(
                mine[0],
                cells[i],
                shared[i % shared.size],
                view,
                weights[0],
                history[i if i < history.size else history.size - 1],
                actions[i],
                moves[i],
                observation[i],
                mask[i],
                rows[i],
                reward[i],
            )
            states[i] = mine[0]
            tell(cells, asked, seat, ended, truncated, illegal, i, i + 1)

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

    return step_apart if is_large(game) else step, sample, take

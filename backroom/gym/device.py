"""A batch on one NVIDIA GPU: the same kernels, one thread for each game, and arrays that stay in the GPU's memory."""

import contextlib
import gc
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda refers to it; NumPy 2.5 has removed it

from numba import config, cuda, from_dtype  # the simulator looks for this name among a kernel's globals

from backroom.engine.game import Game
from backroom.engine.kernel import bit_count, lowest, widened
from backroom.engine.options import BadOption
from backroom.gym.dlpack import capsule_of
from backroom.gym.kernels import Arrays, choose_of, offer_of, part, play_of, see_of, tell

WARP = 32
"""Threads in a warp, and in a block: a block copies the records of its games together."""
SORTING, MOST_VERBS = 256, 64
"""Threads in a block that sorts games, and the most verbs of a game."""
ROOM_TO_SEE = 47 * 1024
ROOM = 32 * 1024
"""The most bytes that a block keeps in shared memory; with more, too few blocks run at once."""
LARGE = 1024
"""The largest state, in bytes, of a game whose kernels may all be inlined; more would take minutes to compile."""
APART = 4000
"""The fewest LLVM instructions of a kernel of a large game, with all that it inlines and before optimization, that is
not inlined if it is called at several places.
"""
ALIGNED = 16
"""The alignment of local memory: a GPU can read eight-byte fields of records only at aligned addresses."""
LONG = 256
"""The most values of an observation that a thread writes to memory of its own. Longer ones are mostly 0: a warp clears
them together, and threads write what is not 0 in place.
"""
OFFERS = "local"
SHOWS_SHARED = False
REGISTERS = None
SORTS_ALL = False
CUDA_DEVICE = 2
"""DLPack's device type of an NVIDIA GPU."""


if config.ENABLE_CUDASIM:
    from numba.cuda.simulator.kernelapi import FakeCUDALocal, FakeCUDAShared

    def poisoned(self: Any, shape: Any, kind: Any, alignment: int = ALIGNED) -> Any:
        """Local memory of the simulator, filled with garbage: on a GPU it is not initialized with 0."""
        return np.full(np.prod(shape) * np.dtype(kind).itemsize, 0x5A, np.uint8).view(kind).reshape(shape)

    def poisoned_once(self: Any, shape: Any, kind: Any, alignment: int = ALIGNED) -> Any:
        """Shared memory of the simulator, which tells arrays apart by the lines that allocate them."""
        caller = sys._getframe(1)
        place = caller.f_code.co_filename, caller.f_lineno
        found = self._allocations.get(place)
        return self._allocations.setdefault(place, poisoned(self, shape, kind)) if found is None else found

    FakeCUDALocal.array = poisoned
    FakeCUDAShared.array = poisoned_once


_apart = 0
"""The least size of a kernel that is now compiled without inlining; 0: all are inlined."""


@dataclass
class _Compiled:
    """A kernel that was compiled for the GPU."""

    function: Any
    """Its LLVM function."""
    size: int
    """Its LLVM instructions, those of inlined kernels included."""
    calls: int = 0
    """The number of places that call it."""


_compiled: dict[str, _Compiled] = {}
"""The kernels of large games, by the names of their LLVM functions."""


def is_large(game: Game) -> bool:
    """Whether a game's kernels are too large to be inlined into one."""
    return game.rules.STATE.itemsize > LARGE


def jit_of(game: Game) -> Any:
    """The decorator of a GPU kernel: those of a large game would take so many registers that few could run at once."""
    return cuda.jit(max_registers=REGISTERS) if is_large(game) and not config.ENABLE_CUDASIM else cuda.jit


@contextlib.contextmanager
def kept_apart(game: Game) -> Iterator[None]:
    """Do not inline large kernels everywhere while a large game is compiled, and do not collect garbage meanwhile.

    NVIDIA's compiler inlines every function by default, which takes six minutes for the largest game. Garbage
    would be collected for a tenth of the time, and Numba keeps most of what it makes.
    """
    global _apart  # noqa: PLW0603 (Numba compiles at the first launch, wherever that is)
    _apart, collects = APART if is_large(game) else 0, gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        _apart = 0
        if collects:
            gc.enable()


def compiled(dispatcher: Any, args: Any, return_type: Any, compile_device: Any) -> Any:
    """Compile a kernel for the GPU, and do not inline the kernels that it calls if they are large and have been called
    elsewhere before. Functions of this module are always inlined: threads wait for each other in them, and compilers do
    not know that of a call.
    """
    is_known = args in dispatcher.overloads
    result = compile_device(dispatcher, args, return_type)
    if _apart and not is_known and dispatcher.py_func.__module__ != __name__:
        name = result.fndesc.llvm_func_name
        function = next(made for made in result.library._module.functions if made.name == name)
        _compiled[name] = _Compiled(
            function, sum(map(_size, (i for block in function.blocks for i in block.instructions)))
        )
    return result


def _size(instruction: Any) -> int:
    """The instructions that one becomes: more for a call of a kernel that is inlined."""
    called = _compiled.get(getattr(getattr(instruction, "callee", None), "name", ""))
    if called is None:
        return 1
    called.calls += 1
    if called.calls > 1 and called.size >= _apart:
        called.function.attributes.add("noinline")
        return 1
    return called.size


@cuda.jit(device=True)
def bit_count_there(bits):  # type: ignore[no-untyped-def]
    """What `bit_count` is on a GPU, whose compiler does not know the pattern."""
    return np.int64(cuda.popc(np.int64(bits)))


@cuda.jit(device=True)
def lowest_there(bits):  # type: ignore[no-untyped-def]
    """What `lowest` is on a GPU."""
    return np.int64(cuda.ffs(np.int64(bits))) - 1


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
            for here, there in ((bit_count, bit_count_there), (lowest, lowest_there)):
                here._CUDATypingContext__dispatcher = there  # where numba-cuda keeps a kernel's version for the GPU


def local_type(kind: np.dtype[Any]) -> Any:
    """The type for an array in local memory: a Numba type, or a NumPy type in the simulator."""
    return kind if config.ENABLE_CUDASIM else from_dtype(kind)


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
        self._sorts = (SORTS_ALL or is_large(of)) and len(arrays.shared["verbs"][0]) < MOST_VERBS
        self._order = cuda.to_device(np.arange(self._n, dtype=np.int32))
        self._verbs, self._fresh = cuda.device_array_like(self._order), cuda.device_array_like(self._order)
        self._due = cuda.to_device(np.zeros(1, np.int32))
        self._counts = cuda.to_device(np.zeros((2, MOST_VERBS), np.int32))

    def reset(self, cells: Any) -> None:
        cleared = {name: getattr(self._blank, name) for name in ("observation", "mask", "rows")}
        for name, array in {"cells": cells, **cleared}.items():
            getattr(self.arrays, name).copy_to_device(array)
        with kept_apart(self._game):
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
            self._sort()
        self._go_on()
        return 0

    def _grid(self, rows: int = 1, block: int = WARP) -> tuple[int, int]:
        return math.ceil(self._n * rows / block), block

    def _go_on(self) -> None:
        """Play the actions, then write the open moves and the observations."""
        a, words, order = self.arrays, self._words, self._order
        play, offer, see = self._launches.play, self._launches.offer, self._launches.see
        given = a.shared, a.actions, a.moves, a.mask, a.reward, a.history, self._fresh, self._due
        for begins in (False, True):
            play[self._grid()](a.states, words["cells"], order, *given, begins)
        told = a.asked, a.seat, a.ended, a.truncated, a.illegal
        offer[self._grid()](
            a.states, words["states"], words["cells"], order, a.shared, a.moves, a.mask, words["mask"], a.rows, *told, self._due
        )
        if self._observes:
            see[math.ceil(self._n * self._rows / self._launches.see_games), WARP](words["states"], a.asked, a.seat, order, words["observation"], a.observation)

    def _sort(self) -> None:
        """Sort games by the verb that is played, so that threads of a warp take the same branches and need not wait for
        each other.
        """
        a, grid = self.arrays, self._grid(block=SORTING)
        count[grid](a.shared, a.actions, a.moves, self._verbs, self._counts[0])
        place[grid](self._verbs, self._counts[0], self._counts[1], self._order)
        clear_counts[1, MOST_VERBS](self._counts)

    def sample(self) -> DeviceArray:
        a = self.arrays
        self._launches.sample[self._grid()](a.cells, a.shared, a.moves, a.actions)
        return self.outputs["actions"]

    def on_host(self, name: str) -> Any:
        return getattr(self.arrays, name).copy_to_host()

    def load(self, name: str, array: Any) -> None:
        getattr(self.arrays, name).copy_to_device(array)


WORD, SQUARE = local_type(np.dtype("u4")), (WARP, WARP + 1)
"""The type of a tile in shared memory, through which records are copied; padded to avoid bank conflicts."""


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
    """Copy each thread's record to the thread's own memory: a block reads one record after the other."""
    lane, start, last = cuda.threadIdx.x, cuda.grid(1) - cuda.threadIdx.x, order.size * rows - 1
    for at in range(0, words.shape[1], WARP):
        if at + lane < words.shape[1]:
            for k in range(0, WARP, 4):
                a, b = order[min(start + k, last) // rows], order[min(start + k + 1, last) // rows]
                c, d = order[min(start + k + 2, last) // rows], order[min(start + k + 3, last) // rows]
                one, two, three, four = (
                    words[a, at + lane],
                    words[b, at + lane],
                    words[c, at + lane],
                    words[d, at + lane],
                )
                tile[k, lane] = one
                tile[k + 1, lane] = two
                tile[k + 2, lane] = three
                tile[k + 3, lane] = four
        cuda.syncthreads()
        for k in range(min(WARP, words.shape[1] - at)):
            here[at + k] = tile[lane, k]
        cuda.syncthreads()


@cuda.jit(device=True)
def deliver_apart(tile, words, here, order, rows):  # type: ignore[no-untyped-def]
    """Copy the records of threads to the rows of an array: a block writes one after the other."""
    lane, start, width = cuda.threadIdx.x, cuda.grid(1) - cuda.threadIdx.x, words.shape[1]
    for at in range(0, width, WARP):
        for k in range(0, min(WARP, width - at), 4):
            last = width - 1
            one, two = here[at + k], here[min(at + k + 1, last)]
            three, four = here[min(at + k + 2, last)], here[min(at + k + 3, last)]
            tile[lane, k] = one
            tile[lane, k + 1] = two
            tile[lane, k + 2] = three
            tile[lane, k + 3] = four
        cuda.syncthreads()
        if at + lane < width:
            for k in range(min(WARP, order.size * rows - start)):
                to = order[(start + k) // rows] * rows + (start + k) % rows
                words[to, at + lane] = tile[k, lane]
        cuda.syncthreads()


@cuda.jit
def count(shared, actions, moves, verbs, counts):  # type: ignore[no-untyped-def]
    """Write the verb that each game's first row plays, 0 for none, and count the games for each verb."""
    here = cuda.shared.array(MOST_VERBS, np.int32)
    i, thread = cuda.grid(1), cuda.threadIdx.x
    if thread < MOST_VERBS:
        here[thread] = 0
    cuda.syncthreads()
    if i < verbs.size:
        action, offered, known = actions[i].of[0], moves[i].of, shared[0].verbs
        verb = 0
        if 0 <= action < offered.shape[1]:
            while verb < known.shape[0] and offered[0, action] >= known[verb, 0]:
                verb += 1
        verbs[i] = verb
        cuda.atomic.add(here, verb, 1)
    cuda.syncthreads()
    if thread < MOST_VERBS and here[thread]:
        cuda.atomic.add(counts, thread, here[thread])


@cuda.jit
def place(verbs, counts, taken, order):  # type: ignore[no-untyped-def]
    """Write the indices of games with the same verb side by side, in no particular order."""
    here = cuda.shared.array(MOST_VERBS, np.int32)
    i, thread, mine = cuda.grid(1), cuda.threadIdx.x, 0
    if thread < MOST_VERBS:
        here[thread] = 0
    cuda.syncthreads()
    if i < verbs.size:
        mine = cuda.atomic.add(here, verbs[i], 1)
    cuda.syncthreads()
    if thread < MOST_VERBS and here[thread]:
        start = 0
        for verb in range(thread):
            start += counts[verb]
        here[thread] = start + cuda.atomic.add(taken, thread, here[thread])
    cuda.syncthreads()
    if i < verbs.size:
        order[here[verbs[i]] + mine] = i


@cuda.jit
def clear_counts(counts):  # type: ignore[no-untyped-def]
    for k in range(2):
        counts[k, cuda.threadIdx.x] = 0


class Launches(NamedTuple):
    """The GPU kernels of a batch."""

    play: Any
    offer: Any
    see: Any
    sample: Any
    take: Any
    """Copies actions from another array on the GPU."""
    see_games: int = WARP


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
    see, many = (
        see_long_launch_of
        if game.rules.FEATURES > LONG and (not SHOWS_SHARED or is_large(game))
        else see_launch_of
    )(game, together, observation_kind)
    return Launches(
        play_launch_of(game, together, slots, kept),
        offer_launch_of(game, together, slots, kept, moves_kind),
        see,
        *action_launches_of(slots),
        many,
    )


def play_launch_of(game: Game, together: bool, slots: bool, kept: Any) -> Any:
    """The GPU kernel that changes games. States stay where they are: a move touches little of one."""
    play_one = play_of(game, together, slots)
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
        deliver(cells, own, fresh if begins else order, size, 1, WARP)

    return play


def offer_launch_of(game: Game, together: bool, slots: bool, kept: Any, moves_kind: Any) -> Any:
    """The GPU kernel that writes which moves are open, and all else but the observation."""
    offer_one = offer_of(game, together, slots, clears=False)
    state, own_type, listed = local_type(overlaid(game.rules.STATE)), local_type(kept), local_type(moves_kind)
    count_of_rows, lists_apart = moves_kind["of"].shape[0], not is_large(game)
    is_local, is_global = OFFERS == "local", OFFERS == "global"

    @jit_of(game)
    def offer(states, state_words, cells, order, shared, moves, mask, mask_words, rows, asked, seat, ended, truncated, illegal, due):  # type: ignore[no-untyped-def]
        if cuda.grid(1) == 0:
            due[0] = 0  # for the next step
        own = cuda.shared.array(WARP, own_type, ALIGNED)
        fetch(own, cells, order, order.size, 1, WARP)
        if is_local:
            tile = cuda.shared.array(SQUARE, WORD, ALIGNED)
            held = cuda.local.array(1, state, ALIGNED)
            fetch_apart(tile, held[0].words, state_words, order, 1)
        elif not is_global:
            held = cuda.shared.array(WARP, state, ALIGNED)
            fetch(held, state_words, order, order.size, 1, WARP)
        if not slots:
            clear(mask_words, order)
        if cuda.grid(1) < order.size:
            i, cell = order[cuda.grid(1)], own[cuda.threadIdx.x].record
            if is_global:
                s = states[i]
            elif is_local:
                s = held[0].record
            else:
                s = held[cuda.threadIdx.x].record
            if lists_apart:
                found = cuda.local.array(1, listed, ALIGNED)
                offer_one(s, cell, shared[i % shared.size], found[0], mask[i], rows[i])
                for row in range(count_of_rows):
                    for at in range(cell.count[row]):
                        moves[i].of[row, at] = found[0].of[row, at]
            else:
                offer_one(s, cell, shared[i % shared.size], moves[i], mask[i], rows[i])
            tell(cell, i, asked, seat, ended, truncated, illegal)
        deliver(cells, own, order, order.size, 1, WARP)

    return offer


def see_launch_of(game: Game, together: bool, observation_kind: Any) -> Any:
    """The GPU kernel that writes observations, with a thread for each row. Where nothing has to be hidden, a small
    state and its observation are in shared memory; elsewhere local memory is faster.
    """
    see_one, (count_of_rows, features) = see_of(game), observation_kind["of"].shape
    kinds = overlaid(game.rules.STATE), overlaid(part("f4", features))
    state, seen = map(local_type, kinds)
    is_shared = not game.rules.SECRETS and WARP * sum(kind.itemsize for kind in kinds) <= ROOM
    many = WARP
    if SHOWS_SHARED:
        is_shared = True
        while many * sum(kind.itemsize for kind in kinds) > ROOM_TO_SEE:
            many //= 2

    @cuda.jit
    def see(states, asked, seat, order, words, observation):  # type: ignore[no-untyped-def]
        thread = cuda.threadIdx.x
        at = cuda.blockIdx.x * many + thread
        if is_shared:
            held = cuda.shared.array(many, state, ALIGNED)
            written = cuda.shared.array(many, seen, ALIGNED)
            fetch(held, states, order, order.size, count_of_rows, many)
            view, shown = held[min(thread, many - 1)].record, written[min(thread, many - 1)]
        else:
            tile = cuda.shared.array(SQUARE, WORD, ALIGNED)
            copy = cuda.local.array(1, state, ALIGNED)
            written = cuda.local.array(1, seen, ALIGNED)
            fetch_apart(tile, copy[0].words, states, order, count_of_rows)
            view, shown = copy[0].record, written[0]
        if is_shared:
            for k in range(many):
                for word in range(thread, words.shape[1], WARP):
                    written[k].words[word] = 0
            cuda.syncthreads()
        if thread < many and at < order.size * count_of_rows:
            i, row = order[at // count_of_rows], at % count_of_rows
            if not is_shared:
                shown.record.of[:] = 0.0
            if asked[i].of[row]:
                see_one(view, row if together else seat[i], shown.record.of)
        if is_shared:
            deliver(words, written, order, order.size, count_of_rows, many)
        else:
            deliver_apart(tile, words, shown.words, order, count_of_rows)

    return see, many


def see_long_launch_of(game: Game, together: bool, observation_kind: Any) -> Any:
    """The GPU kernel that writes long observations in place, after a warp has cleared those of its games."""
    see_one, count_of_rows = see_of(game), observation_kind["of"].shape[0]
    state = local_type(overlaid(game.rules.STATE))

    @cuda.jit
    def see(states, asked, seat, order, words, observation):  # type: ignore[no-untyped-def]
        at, lane = cuda.grid(1), cuda.threadIdx.x
        for k in range(at - lane, min(at - lane + WARP, order.size * count_of_rows)):
            to = order[k // count_of_rows] * count_of_rows + k % count_of_rows
            for word in range(lane, words.shape[1], WARP):
                words[to, word] = 0
        tile = cuda.shared.array(SQUARE, WORD, ALIGNED)
        copy = cuda.local.array(1, state, ALIGNED)
        fetch_apart(tile, copy[0].words, states, order, count_of_rows)
        if at < order.size * count_of_rows:
            i, row = order[at // count_of_rows], at % count_of_rows
            if asked[i].of[row]:
                see_one(copy[0].record, row if together else seat[i], observation[i].of[row])

    return see, WARP


@cache
def action_launches_of(slots: bool) -> tuple[Any, Any]:
    """The GPU kernels that write actions: `sample` draws them, `take` copies them from another array on the GPU."""
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
                actions[i].of[row] = given[i, row]

    return sample, take

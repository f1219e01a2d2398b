"""A batch on one NVIDIA GPU: the same kernels, one thread for each game, and arrays that stay in the GPU's memory."""

import contextlib
import math
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda refers to it; NumPy 2.5 has removed it

from numba import config, cuda, from_dtype  # the simulator looks for this name among a kernel's globals

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, widened
from backroom.engine.options import BadOption
from backroom.gym.dlpack import capsule_of
from backroom.gym.kernels import Arrays, choose_of, offer_of, part, playing_of, see_of, tell

WARP = 32
"""Threads in a warp, and in a block: a block copies the records of its games together."""
SORTING, MOST_VERBS = 256, 64
"""Threads in a block that sorts games, and the most verbs of a game."""
ROOM = 16 * 1024
"""The most bytes of records that a block keeps in shared memory; with more, too few blocks run at once."""
LARGE = 1024
"""The largest state, in bytes, of a game whose kernels may all be inlined; more would take minutes to compile."""
APART = 1000
"""The fewest LLVM instructions of a kernel, before optimization, that is not inlined in a large game."""
INTO_CALLERS = ("moves", "play", "asked", "odds")
"""Kernels that are inlined in any case: what they do depends on the seat."""
SORTS = False
"""Whether small games are sorted too."""
NATURE_APART = False
"""Whether nature answers in a kernel of its own."""
ALIGNED = 16
"""The alignment of local memory: a GPU can read eight-byte fields of records only at aligned addresses."""
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
"""The fewest instructions of a kernel that is now compiled without inlining; 0: all are inlined."""


def is_large(game: Game) -> bool:
    """Whether a game's kernels are too large to be inlined into one."""
    return game.rules.STATE.itemsize > LARGE


@contextlib.contextmanager
def kept_apart(game: Game, size: int = APART) -> Iterator[None]:
    """Do not inline kernels of at least `size` instructions while a large game is compiled.

    NVIDIA's compiler inlines every function by default, which takes six minutes for the largest game.
    """
    global _apart  # noqa: PLW0603 (Numba compiles at the first launch, wherever that is)
    _apart = size if is_large(game) else 0
    try:
        yield
    finally:
        _apart = 0


def compiled(dispatcher: Any, args: Any, return_type: Any, compile_device: Any) -> Any:
    """Compile a kernel for the GPU, without inlining if `kept_apart` says so. Functions of this module are always
    inlined: threads wait for each other in them, and compilers do not know that of a call.
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

    def __init__(self, of: Game, arrays: Arrays, outputs: Mapping[str, Any], together: bool, slots: bool) -> None:
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
        self._game, self._sorts = of, SORTS or is_large(of)
        self._order = cuda.to_device(np.arange(self._n, dtype=np.int32))
        self._verbs, self._resting, self._fresh = (cuda.device_array_like(self._order) for _ in range(3))
        self._due = cuda.to_device(np.zeros(2, np.int32))
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
        play, rest, begin, offer, see, *_ = self._launches
        held, due = (a.states, words["states"], words["cells"]), (self._resting, self._fresh, self._due)
        play[self._grid()](*held, order, a.shared, a.actions, a.moves, a.mask, a.reward, a.history, *due)
        if NATURE_APART:
            rest[self._grid()](*held, a.shared, a.reward, a.history, *due)
        begin[self._grid()](*held, a.shared, a.reward, a.history, *due)
        told = a.asked, a.seat, a.ended, a.truncated, a.illegal
        offer[self._grid()](*held[1:], order, a.shared, a.moves, a.mask, words["mask"], a.rows, *told)
        see[self._grid(self._rows)](words["states"], a.asked, a.seat, order, words["observation"], self._due)

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


@cuda.jit(device=True)
def fetch(held, words, order, size, rows):  # type: ignore[no-untyped-def]
    """Copy the records of a block's games to shared memory: of the games that `order` lists from the block's start on,
    up to `size` in all. With several rows per game each thread has a copy.
    """
    lane, start, last = cuda.threadIdx.x, cuda.grid(1) - cuda.threadIdx.x, size * rows - 1
    if start <= last:
        for k in range(0, WARP, 4):  # four at a time, so that none waits for the others
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
def deliver(words, held, order, size):  # type: ignore[no-untyped-def]
    """Copy the records of a block's games from shared memory to an array."""
    cuda.syncthreads()
    lane, start = cuda.threadIdx.x, cuda.grid(1) - cuda.threadIdx.x
    for k in range(min(WARP, size - start)):
        to = order[start + k]
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
    rest: Any
    begin: Any
    offer: Any
    see: Any
    sample: Any
    take: Any
    """Copies actions from another array on the GPU."""


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
    is_shared = WARP * (overlaid(game.rules.STATE).itemsize + kept.itemsize) <= ROOM
    return Launches(
        *playing_launches_of(game, together, slots, kept, is_shared),
        offer_launch_of(game, together, slots, kept, moves_kind, is_shared),
        see_launch_of(game, together, observation_kind),
        *action_launches_of(slots),
    )


def playing_launches_of(game: Game, together: bool, slots: bool, kept: Any, is_shared: bool) -> tuple[Any, Any, Any]:
    """The GPU kernels that change games. Small states are copied to shared memory; a move touches little of a large
    one.
    """
    answer, settle, start = playing_of(game, together, slots)
    state, own_type = local_type(overlaid(game.rules.STATE)), local_type(kept)
    drawn = local_type(part("i4", 2, game.rules.MOST_MOVES))
    asked, nature_apart = game.rules.asked, NATURE_APART

    @cuda.jit
    def play(records, states, cells, order, shared, actions, moves, mask, reward, history, resting, fresh, due):  # type: ignore[no-untyped-def]
        """Play the actions of all games, and nature's answers; list the games that must begin."""
        own = cuda.shared.array(WARP, own_type, ALIGNED)
        fetch(own, cells, order, order.size, 1)
        if is_shared:
            held = cuda.shared.array(WARP, state, ALIGNED)
            fetch(held, states, order, order.size, 1)
        thread = cuda.threadIdx.x
        if cuda.grid(1) < order.size:
            i = order[cuda.grid(1)]
            cell, lines = own[thread].record, history[min(i, history.size - 1)]
            s = held[thread].record if is_shared else records[i]
            if not cell.fresh and answer(s, cell, shared[0], lines, actions[i], moves[i], mask[i], reward[i]):
                if nature_apart:
                    waiting = asked(s)
                    if waiting == 0 or waiting == 1 << NATURE or cell.played >= shared[0].limit:
                        resting[cuda.atomic.add(due, 0, 1)] = i
                else:
                    chance = cuda.local.array(1, drawn, ALIGNED)
                    settle(s, cell, shared[0], chance[0], lines, reward[i])
            if cell.fresh:
                fresh[cuda.atomic.add(due, 1, 1)] = i
        if is_shared:
            deliver(states, held, order, order.size)
        deliver(cells, own, order, order.size)

    @cuda.jit
    def rest(records, states, cells, shared, reward, history, resting, fresh, due):  # type: ignore[no-untyped-def]
        """Let nature answer."""
        size = due[0]
        own = cuda.shared.array(WARP, own_type, ALIGNED)
        fetch(own, cells, resting, size, 1)
        if is_shared:
            held = cuda.shared.array(WARP, state, ALIGNED)
            fetch(held, states, resting, size, 1)
        thread = cuda.threadIdx.x
        if cuda.grid(1) < size:
            i = resting[cuda.grid(1)]
            cell, lines = own[thread].record, history[min(i, history.size - 1)]
            s = held[thread].record if is_shared else records[i]
            chance = cuda.local.array(1, drawn, ALIGNED)
            settle(s, cell, shared[0], chance[0], lines, reward[i])
            if cell.fresh:
                fresh[cuda.atomic.add(due, 1, 1)] = i
        if is_shared:
            deliver(states, held, resting, size)
        deliver(cells, own, resting, size)

    @cuda.jit
    def begin(records, states, cells, shared, reward, history, resting, fresh, due):  # type: ignore[no-untyped-def]
        """Begin the games that are listed. They are few, and would keep all other threads of their warps waiting."""
        size = due[1]
        own = cuda.shared.array(WARP, own_type, ALIGNED)
        fetch(own, cells, fresh, size, 1)
        if is_shared:
            held = cuda.shared.array(WARP, state, ALIGNED)
            fetch(held, states, fresh, size, 1)
        thread = cuda.threadIdx.x
        if cuda.grid(1) < size:
            i = fresh[cuda.grid(1)]
            cell, lines = own[thread].record, history[min(i, history.size - 1)]
            s = held[thread].record if is_shared else records[i]
            chance = cuda.local.array(1, drawn, ALIGNED)
            start(s, cell, shared[0], chance[0], lines, reward[i])
        if is_shared:
            deliver(states, held, fresh, size)
        deliver(cells, own, fresh, size)

    return play, rest, begin


def offer_launch_of(game: Game, together: bool, slots: bool, kept: Any, moves_kind: Any, is_shared: bool) -> Any:
    """The GPU kernel that writes which moves are open, and all else but the observation."""
    offer_one = offer_of(game, together, slots, clears=False)
    state, own_type, listed = local_type(overlaid(game.rules.STATE)), local_type(kept), local_type(moves_kind)
    word, square = local_type(np.dtype("u4")), (WARP, WARP + 1)  # padded by one word, to avoid bank conflicts
    count_of_rows = moves_kind["of"].shape[0]
    lists_apart = not is_large(game)

    @cuda.jit
    def offer(states, cells, order, shared, moves, mask, mask_words, rows, asked, seat, ended, truncated, illegal):  # type: ignore[no-untyped-def]
        own = cuda.shared.array(WARP, own_type, ALIGNED)
        fetch(own, cells, order, order.size, 1)
        thread = cuda.threadIdx.x
        if is_shared:
            held = cuda.shared.array(WARP, state, ALIGNED)
            fetch(held, states, order, order.size, 1)
            s = held[thread].record
        else:
            tile = cuda.shared.array(square, word, ALIGNED)
            copy = cuda.local.array(1, state, ALIGNED)
            fetch_apart(tile, copy[0].words, states, order, 1)
            s = copy[0].record
        if not slots:
            clear(mask_words, order)
        if cuda.grid(1) < order.size:
            i, cell = order[cuda.grid(1)], own[thread].record
            if lists_apart:
                found = cuda.local.array(1, listed, ALIGNED)
                offer_one(s, cell, shared[0], found[0], mask[i], rows[i])
                for row in range(count_of_rows):
                    for at in range(cell.count[row]):
                        moves[i].of[row, at] = found[0].of[row, at]
            else:
                offer_one(s, cell, shared[0], moves[i], mask[i], rows[i])
            tell(cell, i, asked, seat, ended, truncated, illegal)
        deliver(cells, own, order, order.size)

    return offer


def see_launch_of(game: Game, together: bool, observation_kind: Any) -> Any:
    """The GPU kernel that writes observations, with a thread for each row."""
    see_one, (count_of_rows, features) = see_of(game), observation_kind["of"].shape
    state, seen = (local_type(overlaid(kind)) for kind in (game.rules.STATE, part("f4", features)))
    word, square = local_type(np.dtype("u4")), (WARP, WARP + 1)

    @cuda.jit
    def see(states, asked, seat, order, observation, due):  # type: ignore[no-untyped-def]
        tile = cuda.shared.array(square, word, ALIGNED)
        held, shown = cuda.local.array(1, state, ALIGNED), cuda.local.array(1, seen, ALIGNED)
        fetch_apart(tile, held[0].words, states, order, count_of_rows)
        at = cuda.grid(1)
        if at < due.size:
            due[at] = 0  # for the next step
        if at < order.size * count_of_rows:
            i, row = order[at // count_of_rows], at % count_of_rows
            if asked[i].of[row]:
                see_one(held[0].record, row if together else seat[i], shown[0].record.of)
            else:
                shown[0].record.of[:] = 0.0
        deliver_apart(tile, observation, shown[0].words, order, count_of_rows)

    return see


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

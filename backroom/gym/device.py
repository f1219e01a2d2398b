"""A batch on one NVIDIA GPU: the very same kernels, one game a thread, and arrays that never leave the card."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda names it; NumPy 2.5 has dropped it

from numba import config, cuda, from_dtype  # the simulator looks for this name among a kernel's globals

from backroom.engine.game import Game
from backroom.engine.kernel import widened
from backroom.engine.options import BadOption
from backroom.gym.dlpack import capsule_of
from backroom.gym.kernels import Arrays, batch_of, part, tell

BLOCK = 64
"""Threads a block: more only wait for registers."""
CUDA_DEVICE = 2
"""What DLPack calls an NVIDIA GPU."""


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
            CUDADispatcher.resolves_widened = True


def local_type(kind: np.dtype[np.void]) -> Any:
    """A record's type as local memory wants it; the simulator has memory like any other."""
    return kind if config.ENABLE_CUDASIM else from_dtype(kind)


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
        self._step, self._sample, self._take = launches_of(of, together, slots)
        self._grid = math.ceil(self._n / BLOCK), BLOCK

    def reset(self, cells: Any) -> None:
        cleared = {name: getattr(self._blank, name) for name in ("observation", "mask", "rows")}
        for name, array in {"cells": cells, **cleared}.items():
            getattr(self.arrays, name).copy_to_device(array)
        self._step[self._grid](*self.arrays)

    def step(self, actions: Any) -> int:
        """Nobody looks whether all were legal: that would wait for the card."""
        if actions is not self.outputs["actions"]:
            if hasattr(actions, "__cuda_array_interface__"):
                given = cuda.as_cuda_array(actions)
            else:
                given = cuda.to_device(np.ascontiguousarray(actions, np.int32))
            self._take[self._grid](self.arrays.actions, given.reshape(self._n, -1))
        self._step[self._grid](*self.arrays)
        return 0

    def sample(self) -> DeviceArray:
        self._sample[self._grid](self.arrays.cells, self.arrays.shared, self.arrays.moves, self.arrays.actions)
        return self.outputs["actions"]

    def on_host(self, name: str) -> Any:
        return getattr(self.arrays, name).copy_to_host()

    def load(self, kept: Mapping[str, Any]) -> None:
        for name, array in kept.items():
            getattr(self.arrays, name).copy_to_device(array.view(getattr(self._blank, name).dtype))


def launches_of(game: Game, together: bool, slots: bool) -> tuple[Any, Any, Any]:
    """The kernels that a GPU is asked for: step, sample, and one that takes actions from wherever they lie."""
    advance, choose = batch_of(game, together, slots)
    state, drawn = local_type(game.rules.STATE), local_type(part("i4", game.rules.MOST_MOVES))

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
    ):
        i = cuda.grid(1)
        if i < seat.size:
            mine, view, weights = cuda.local.array(1, state), cuda.local.array(1, state), cuda.local.array(1, drawn)
            mine[0] = states[i]  # local memory, which neighbours read side by side: twice as fast when measured
            lines = history[i if i < history.size else history.size - 1]
            advance(
                mine[0],
                cells[i],
                shared[0],
                view,
                weights[0],
                lines,
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

    return step, sample, take

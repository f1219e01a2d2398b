"""Compiling kernels for an NVIDIA GPU: what numba-cuda is told about ours."""

import contextlib
import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import distributions
from typing import Any

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda refers to it; NumPy 2.5 has removed it

from numba import config, cuda, from_dtype, types  # the simulator looks for `cuda` among a kernel's globals

from backroom.engine.game import Game
from backroom.engine.kernel import bit_count, lowest, widened
from backroom.engine.options import BadOption

LARGE = 1024
"""The largest state, in bytes, of a game whose kernels may all be inlined; more would take minutes to compile."""
APART = 8000
"""The fewest LLVM instructions of a kernel of a large game, with all that it inlines and before optimization, that is
not inlined if it is called at several places.
"""
DEVICE = "backroom.gym.device"
"""The module whose functions are always inlined: threads wait for each other in them, and compilers do not know that of
a call.
"""
ALIGNED = 16
"""The alignment of local memory: a GPU can read eight-byte fields of records only at aligned addresses."""
REGISTERS = 96
"""The most registers of a thread of a large game: it would take more, and fewer threads could run at once."""


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


_is_ours, _apart = False, 0
"""Whether kernels of ours are compiled now, and the least size of one that is not inlined; 0: all are inlined."""


LOCAL = "_cudapy_lmem"
"""What numba-cuda calls arrays in local memory."""
THREADED = "0.30"
"""The version of numba-cuda with which NVIDIA's compiler was run in threads."""
_threaded: list[Any] = []
"""numba-cuda's class of kernels, if it was changed so that they can be compiled in threads."""
_threads: list[ThreadPoolExecutor] = []
"""The threads in which it runs now; if there are none, it runs where a kernel is called first."""


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
    """The decorator of a GPU kernel."""
    return cuda.jit(max_registers=REGISTERS) if is_large(game) and not config.ENABLE_CUDASIM else cuda.jit


@contextlib.contextmanager
def compiling(game: Game) -> Iterator[None]:
    """While our kernels may be compiled: indices are never negative, large kernels are not inlined everywhere, and
    garbage is not collected.

    NVIDIA's compiler inlines every function by default, which takes six minutes for the largest game. Garbage
    would be collected for a tenth of the time, and Numba keeps most of what it makes.
    """
    global _is_ours, _apart  # Numba compiles at the first launch, wherever that is
    _is_ours, _apart, collects = True, APART if is_large(game) else 0, gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        _is_ours, _apart = False, 0
        if collects:
            gc.enable()


def compile_ahead(*calls: tuple[Any, tuple[Any, ...]]) -> None:
    """Compile GPU kernels for the arguments that they will be called with. NVIDIA's compiler runs in threads of its own
    meanwhile: it takes most of the time, and Numba's can go on with the next kernel. Where that is not possible,
    nothing is done: each kernel is then compiled when it is called first.
    """
    missing = [call for call in calls if not call[0].overloads] if _threaded else []
    if not missing:
        return
    with ThreadPoolExecutor(len(missing)) as threads:
        _threads.append(threads)
        try:
            for launch, arguments in missing:
                launch._compile_for_args(*arguments)
        finally:
            _threads.clear()


def compiled(dispatcher: Any, args: Any, return_type: Any, compile_device: Any) -> Any:
    """Compile a kernel for the GPU, and do not inline the kernels that it calls if they are large and have been called
    elsewhere before.
    """
    is_known = args in dispatcher.overloads
    result = compile_device(dispatcher, args, return_type)
    if _apart and not is_known and dispatcher.py_func.__module__ != DEVICE:
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


def can_thread(version: str, kernel: Any, library: Any) -> bool:
    """Whether `compile_in_threads` works with a numba-cuda: it replaces private methods, so the version must be one
    that it was tried with.
    """
    parts = (kernel, "bind"), (library, "get_asm_str"), (library, "get_llvm_str"), (library, "get_cubin")
    return version.startswith(f"{THREADED}.") and all(hasattr(of, part) for of, part in parts)


def compile_in_threads(kernel: Any, library: Any) -> None:
    """Change numba-cuda's classes of kernels and their code so that NVIDIA's compiler runs in threads while there are
    some. If it fails there, it is run again when the kernel is called, and fails where that can be seen.

    A kernel's constructor would run it, too, to look for functions that others have to be linked for; ours have none.
    """
    bind, assembly = kernel.bind, library.get_asm_str

    def bind_later(self: Any) -> None:
        if not _threads:
            bind(self)
            return
        code = self._codelibrary
        code.get_llvm_str()  # kept by it: the next kernel may change functions that both call
        _threads[0].submit(code.get_cubin, code._ensure_cc(None))

    _threaded.append(kernel)
    kernel.bind = bind_later
    library.get_asm_str = lambda self, cc=None: "" if _threads else assembly(self, cc)


def leave_unfilled(cgutils: Any) -> None:
    """Change numba-cuda so that our local arrays are not filled with 0 where a kernel begins: kernels write before they
    read, and filling the lists of moves took a third of the time of a step.
    """
    allocate = cgutils.alloca_once

    def alloca_once(builder: Any, kind: Any, size: Any = None, name: str = "", zfill: bool = False) -> Any:
        if not (_is_ours and name == LOCAL):
            return allocate(builder, kind, size, name, zfill)
        with builder.goto_entry_block():
            return builder.alloca(kind, name=name)

    cgutils.alloca_once = alloca_once


def must_be_there() -> None:
    """Prepare numba.cuda for our kernels; BadOption if there is no GPU."""
    if not cuda.is_available():
        raise BadOption(
            "device cannot be 'cuda': there is no NVIDIA GPU here, or no numba-cuda for it; it can be 'cpu'"
        )
    if not config.ENABLE_CUDASIM:
        from numba.cuda import cgutils
        from numba.cuda.codegen import CUDACodeLibrary
        from numba.cuda.dispatcher import CUDADispatcher, _Kernel
        from numba.cuda.np import arrayobj

        if not hasattr(CUDADispatcher, "resolves_widened"):
            resolve = CUDADispatcher.get_call_template
            CUDADispatcher.get_call_template = lambda self, args, kws: resolve(self, widened(args), kws)
            compile_device = CUDADispatcher.compile_device
            CUDADispatcher.compile_device = lambda self, args, return_type=None: compiled(
                self, args, return_type, compile_device
            )
            CUDADispatcher.resolves_widened = True
            version = next((found.version for found in distributions(name="numba-cuda")), "")
            if can_thread(version, _Kernel, CUDACodeLibrary):
                compile_in_threads(_Kernel, CUDACodeLibrary)
            leave_unfilled(cgutils)
            fix_index = arrayobj.fix_integer_index
            arrayobj.fix_integer_index = lambda context, builder, kind, index, size: (
                context.cast(builder, index, kind, types.intp)
                if _is_ours
                else fix_index(context, builder, kind, index, size)
            )
            for here, there in ((bit_count, bit_count_there), (lowest, lowest_there)):
                here._CUDATypingContext__dispatcher = there  # where numba-cuda keeps a kernel's version for the GPU


def local_type(kind: np.dtype[Any]) -> Any:
    """The type for an array in local memory: a Numba type, or a NumPy type in the simulator."""
    return kind if config.ENABLE_CUDASIM else from_dtype(kind)

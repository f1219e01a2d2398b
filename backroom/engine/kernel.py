"""Rules as machine code: the `kernel` decorator with its never-stale cache, and dice for kernels."""

import functools
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
from numba import __version__ as numba_version
from numba import config, njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

PACKAGE = Path(__file__).resolve().parent.parent
_MAKES_KERNELS = re.compile(r"^\s*@kernel$", re.MULTILINE)
A_MONTH = 30 * 24 * 3600.0


def kernel_sources() -> Iterator[Path]:
    """The files that decide what a kernel does: those that define kernels, and the pieces they read.

    A test holds kernels to it: such a file takes names from no other file of the package.
    """
    for path in sorted(PACKAGE.rglob("*.py")):
        if "tests" not in path.parts and (path.stem == "pieces" or _MAKES_KERNELS.search(path.read_text("utf-8"))):
            yield path


@functools.cache
def cache_folder() -> Path:
    """Where compiled kernels lie. Its name is a hash of their sources, so a stale one can never run."""
    digest = hashlib.sha256(f"{numba_version} {np.__version__} {config.BOUNDSCHECK}".encode())
    for path in kernel_sources():
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes())
    root = Path(os.environ.get("BACKROOM_CACHE") or platformdirs.user_cache_dir("backroom"))
    folder = root / f"kernels-{digest.hexdigest()[:16]}"
    if not folder.exists():
        sweep(root)
    return folder


def sweep(root: Path) -> None:
    """Drop the kernels of versions that have compiled nothing for a month."""
    for old in root.glob("kernels-*"):
        if time.time() - old.stat().st_mtime > A_MONTH:
            shutil.rmtree(old, ignore_errors=True)


class _Folder(_CacheLocator):
    """Tells Numba to keep a kernel in our folder, and that it stays fresh as long as that folder is ours."""

    def __init__(self, py_file: str) -> None:
        self.py_file = py_file

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return cache_folder().name

    def get_disambiguator(self) -> str:
        return hashlib.sha256(str(Path(self.py_file).resolve().relative_to(PACKAGE)).encode()).hexdigest()[:10]

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_Folder":
        return cls(py_file)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = (_Folder,)


class _Cache(FunctionCache):
    """Numba's cache, with kernels made by factories told apart by the kernels they close over.

    Numba itself hashes a pickle of the closure, which differs from process to process and so never hits.
    """

    _impl_class = _Implementation

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), identity(self._py_func)


def identity(thing: Any) -> str:
    """A name for a kernel that tells it from every other, in any process: its own, and what it closes over."""
    function = getattr(thing, "py_func", thing)
    if not callable(function) or not hasattr(function, "__code__"):
        return repr(thing)
    cells = [identity(cell.cell_contents) for cell in function.__closure__ or ()]
    return f"{function.__module__}.{function.__qualname__}:{function.__code__.co_firstlineno}({', '.join(cells)})"


@functools.cache
def _hashed_files() -> frozenset[str]:
    return frozenset(str(path) for path in kernel_sources())


def is_cacheable(function: Any) -> bool:
    """Only what the folder's hash covers may be kept: our kernels, closed over nothing but our kernels."""
    function = getattr(function, "py_func", function)
    if not hasattr(function, "__code__"):
        return True
    return str(Path(function.__code__.co_filename).resolve()) in _hashed_files() and all(
        is_cacheable(cell.cell_contents) for cell in function.__closure__ or ()
    )


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function of the rules: for Python, for other kernels, and (by `numba.cuda`) for a GPU.

    It allocates nothing, raises nothing and calls only kernels; it runs without the interpreter's lock.
    """
    compiled: Any = njit(error_model="numpy", nogil=True)(function)
    if hasattr(compiled, "py_func") and is_cacheable(function):  # not so under NUMBA_DISABLE_JIT
        compiled._cache = _Cache(function)
    return compiled


def record(fields: list[tuple[Any, ...]]) -> np.dtype[np.void]:
    """The type of a state: named fields, aligned as machines like it."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


# Dice: an array of one uint64, handed in by the caller and never part of a state (law 3).


def dice(seed: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Dice for kernels, thrown from a seed."""
    return np.array([seed % (1 << 64)], np.uint64)


@kernel
def below(dice, n):  # type: ignore[no-untyped-def]
    """The next random number under n (splitmix64)."""
    z = dice[0] + np.uint64(0x9E3779B97F4A7C15)
    dice[0] = z
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(((z >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def shuffle(dice, cards, n):  # type: ignore[no-untyped-def]
    """Put the first n cards into a random order, in place."""
    for i in range(n - 1, 0, -1):
        j = below(dice, i + 1)
        cards[i], cards[j] = cards[j], cards[i]


@kernel
def pick(dice, weights, n):  # type: ignore[no-untyped-def]
    """A place among the first n, each as likely as its weight says; the weights are whole and not all 0."""
    total = 0
    for i in range(n):
        total += weights[i]
    at = below(dice, total)
    place = 0
    while at >= weights[place]:
        at -= weights[place]
        place += 1
    return place


@kernel
def draw(dice, bag, kinds):  # type: ignore[no-untyped-def]
    """Take one piece out of a bag that holds `bag[kind]` of each kind; say which kind."""
    kind = pick(dice, bag, kinds)
    bag[kind] -= 1
    return kind

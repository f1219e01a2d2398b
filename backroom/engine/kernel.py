"""Rules as machine code: the `kernel` decorator with a cache that is never stale, and helpers for kernels."""

import ast
import contextlib
import functools
import hashlib
import os
import pickle
import re
import secrets
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import platformdirs
from numba import __version__ as numba_version
from numba import config, njit, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.serialize import dumps
from numba.np import arrayobj

PACKAGE = Path(__file__).resolve().parent.parent
OTHER_PACKAGES: set[Path] = set()
"""The folders of other packages with kernels: games that were installed beside this package."""
MAKES_KERNELS = re.compile(r"^\s*@kernel$", re.MULTILINE)
PARSING = threading.Lock()
"""Held while a file is parsed: in several threads at the same time `ast.parse` may fail (CPython's issue 106905)."""
A_DAY = 24 * 3600.0
A_MONTH = 30 * A_DAY

if config.BOUNDSCHECK:  # then negative indices are errors, too: on a GPU they are not counted from the end
    arrayobj.fix_integer_index = lambda context, builder, kind, index, size: context.cast(
        builder, index, kind, types.intp
    )

# Constants of seats. They are here because whatever a kernel reads must be in the hash of the cache.

NATURE = 15
"""The seat that rolls dice and turns cards; `*` in a log."""
WATCHER = 14
"""The bit in a mask of seats that stands for everybody without a seat."""
SPECTATOR = -1
"""The seat number of somebody without a seat, for views."""
EVERYONE = (1 << (WATCHER + 1)) - 1
"""The mask of a move that everybody may know, spectators too."""
UNKNOWN = -1
"""Stands in a view for what the seat may not know, and for a move that it did not see."""


# The cache: one file for each kernel, named after a hash of everything that determines what the kernel does.


def add_package(folder: Path) -> None:
    """Cache the kernels of another package like those of this one."""
    OTHER_PACKAGES.add(folder.resolve())
    kernel_sources.cache_clear()
    digest_of.cache_clear()


@functools.cache
def kernel_sources() -> frozenset[Path]:
    """The files that determine what kernels do: those that define kernels, the pieces they read, and data.

    A test verifies that kernels use no name from any other file of the package.
    """
    return frozenset(
        path
        for package in (PACKAGE, *OTHER_PACKAGES)
        for path in package.rglob("*")
        if not {"tests", "lessons"} & set(path.relative_to(package).parts)
        and (
            path.suffix in (".toml", ".npz")
            or (path.suffix == ".py" and (path.stem == "pieces" or makes_kernels(path)))
        )
    )


def makes_kernels(path: Path) -> bool:
    """Whether a file defines kernels; a package's file may also be no Python at all."""
    return MAKES_KERNELS.search(path.read_text("utf-8", "replace")) is not None


def imported(path: Path) -> Iterator[Path]:
    """The files that a file may import names from: modules, packages, and modules that are imported themselves."""
    roots = [package.parent for package in (PACKAGE, *sorted(OTHER_PACKAGES))]
    try:
        with PARSING:
            tree = ast.parse(path.read_text("utf-8"))
    except (SyntaxError, ValueError):  # an installed game that is left out; when it is mended, its hash is another one
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for base in [path.parents[node.level - 1]] if node.level else roots:
                module = base.joinpath(*(node.module or "").split("."))
                yield module.with_suffix(".py")
                yield module / "__init__.py"
                for alias in node.names:
                    yield (module / alias.name).with_suffix(".py")


@functools.cache
def digest_of(path: Path) -> str:
    """A hash of a file that defines kernels, of the data under its folder, and of the kernel files it imports from."""
    digest = hashlib.sha256(path.read_bytes())
    sources = kernel_sources()
    for data in sorted(each for each in sources if each.suffix != ".py" and path.parent in each.parents):
        digest.update(f"{data.relative_to(path.parent)}\0".encode() + data.read_bytes())
    for near in imported(path):
        if near in sources:
            digest.update(digest_of(near).encode())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path | None:
    """The folder for compiled kernels; None, after a warning, if it cannot be written."""
    root = Path(os.environ.get("BACKROOM_CACHE") or platformdirs.user_cache_dir("backroom"))
    folder = root / f"kernels-{numba_version}-{np.__version__}{'-checked' if config.BOUNDSCHECK else ''}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sweep(root)
    except OSError as error:
        warnings.warn(f"compiled kernels cannot be kept in {root} ({error.strerror})", RuntimeWarning, stacklevel=2)
        return None
    return folder


def mark(word: str) -> Path | None:
    """Stamp file for the current set of kernels: touched when something was done with all of them."""
    folder = cache_folder()
    every = (digest_of(path) for path in sorted(kernel_sources()) if path.suffix == ".py")
    return folder and folder / f"{word}-{hashlib.sha256(' '.join(every).encode()).hexdigest()[:16]}"


def sweep(root: Path) -> None:
    """Once a day, delete what has not been used for a month."""
    swept, now = root / ".swept", time.time()
    if swept.exists() and now - swept.stat().st_mtime < A_DAY:
        return
    swept.touch()
    for old in root.glob("kernels-*/*"):
        with contextlib.suppress(OSError):  # another process may have been faster
            if now - old.stat().st_mtime > A_MONTH:
                old.unlink()


def identity(thing: Any) -> str:
    """A string that identifies a kernel in any process: its name, the hash of its files, and what it closes over.

    The module's name is part of it, since a compiled kernel imports its module when it is loaded.
    """
    if isinstance(thing, np.ndarray):
        return f"{thing.dtype} {thing.shape} {hashlib.sha256(thing.tobytes()).hexdigest()}"
    function = getattr(thing, "py_func", thing)
    if not hasattr(function, "__code__"):
        return repr(thing)
    cells = [identity(cell.cell_contents) for cell in function.__closure__ or ()]
    code = function.__code__
    digest = digest_of(Path(code.co_filename).resolve())
    return f"{digest} {function.__module__}.{function.__qualname__}:{code.co_firstlineno}({', '.join(cells)})"


def is_cacheable(thing: Any) -> bool:
    """Whether `identity` covers everything: our kernels, closed over nothing but kernels and numbers."""
    if isinstance(thing, (bool, int, float, np.ndarray)):
        return True
    function = getattr(thing, "py_func", thing)
    return (
        hasattr(function, "__code__")
        and Path(function.__code__.co_filename).resolve() in kernel_sources()
        and all(is_cacheable(cell.cell_contents) for cell in function.__closure__ or ())
    )


class _Files:
    """Keeps each compiled kernel in a file named after its identity.

    Numba's own index of numbered files loses entries, and can swap them, when two processes write at once.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def path(self, key: Any) -> Path:
        folder = cache_folder()
        assert folder is not None
        return folder / f"{self.name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:24]}"

    def save(self, key: Any, data: Any) -> None:
        path = self.path(key)
        draft = path.with_name(f".{secrets.token_hex(8)}")
        try:
            content = dumps(data)
            draft.write_bytes(hashlib.sha256(content).digest() + content)
            draft.replace(path)
        except OSError as error:  # a full disk, for example: the kernel runs all the same
            draft.unlink(missing_ok=True)
            warnings.warn(
                f"a kernel could not be kept in {path.parent} ({error.strerror})", RuntimeWarning, stacklevel=2
            )

    def load(self, key: Any) -> Any:
        path = self.path(key)
        try:
            kept = path.read_bytes()
            os.utime(path)  # it is in use
        except OSError:
            return None
        digest, content = kept[:32], kept[32:]
        return pickle.loads(content) if hashlib.sha256(content).digest() == digest else None


class _Folder(_CacheLocator):
    """Numba asks for a folder; `_Files` has it already."""

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> None:
        return None

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_Folder":
        return cls()


class _Implementation(CompileResultCacheImpl):
    _locator_classes = (_Folder,)


class _Cache(FunctionCache):
    """Numba's cache, with kernels made by factories identified by what they close over.

    Numba itself hashes a pickle of the closure, which differs from process to process and so never hits.
    """

    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _Files(function.__name__)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), identity(self._py_func)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function of the rules: for Python, for other kernels, and (by `numba.cuda`) for a GPU.

    It must allocate nothing, raise nothing and call only kernels; it runs without the interpreter's lock.
    """
    if function.__closure__ and is_cacheable(function):
        # Numba's names of compiled functions are unique in one process. Kernels that different processes compiled are
        # loaded together, so those that close over different things need different names.
        function.__qualname__ += hashlib.sha256(identity(function).encode()).hexdigest()[:16]
    # Kernels own no memory, so references to their arrays need not be counted (by Numba's runtime, NRT): the counters
    # are atomic, and playouts would spend a third of their time on them.
    compiled: Any = njit(error_model="numpy", nogil=True, _nrt=False)(function)
    if hasattr(compiled, "get_call_template"):
        _compile_once(compiled)
    if hasattr(compiled, "py_func") and is_cacheable(function) and cache_folder() is not None:
        compiled._cache = _Cache(function)
    return compiled


def widened(types_of: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types of arguments, with all integers and constants widened.

    So kernels can be called with any of them and are compiled only once: by itself Numba compiles another version for
    every width and every constant, which takes ten times as long.
    """
    plain = map(types.unliteral, types_of)
    return tuple(types.int64 if isinstance(t, types.Integer) and t != types.uint64 else t for t in plain)


def _compile_once(compiled: Any) -> None:
    resolve = compiled.get_call_template

    def get_call_template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return resolve(widened(args), dict(zip(kws, widened(tuple(kws.values())), strict=True)))

    compiled.get_call_template = get_call_template


class Record(np.void):  # type: ignore[misc]  # final for type checkers alone
    """A state in Python: its fields are attributes.

    NumPy's own `record` looks each of them up in Python, and describes all of them each time a kernel is called with
    it.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # each type of record has attributes for its own fields

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    else:

        @property
        def data(self) -> Any:
            """The memory, for kernels: plain bytes if the record owns them."""
            held = self.base.base
            is_alone = type(held) is bytearray and len(held) == self.nbytes
            return held if is_alone else np.void.data.__get__(self)


def record(fields: list[tuple[Any, ...]]) -> np.dtype[np.void]:
    """The type of a state: named fields, aligned."""
    kind = type("Record", (Record,), {"__slots__": (), **{name: _field(name) for name, *_ in fields}})
    return np.dtype((kind, np.dtype(fields, align=True)))


def _field(name: str) -> property:
    def put(s: Any, value: Any) -> None:
        s[name] = value

    return property(itemgetter(name), put)


def scratch(shape: Any, kind: Any) -> Any:
    """An array of zeros on cache lines of its own: threads that write to the same lines slow each other down."""
    size = int(np.prod(shape))
    return np.zeros(size + 512, kind)[:size].reshape(shape)


# Helpers for kernels


@kernel
def bit_count(bits):  # type: ignore[no-untyped-def]
    """The number of bits that are set, of at most 63. Compilers know this pattern and use one instruction for it."""
    x = np.uint64(bits)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def lowest(bits):  # type: ignore[no-untyped-def]
    """The lowest bit that is set, of at most 63; -1 if none is. Compilers use one instruction for it."""
    return bit_count(~bits & (bits - 1)) if bits else -1


@kernel
def nth(bits, n):  # type: ignore[no-untyped-def]
    """The n-th lowest bit that is set, counted from 0: a member of a set. There are more than n."""
    rest, at, width = np.int64(bits), 0, 32
    while width:
        below_it = bit_count(rest & ((np.int64(1) << width) - 1))
        if n >= below_it:
            n -= below_it
            rest >>= width
            at += width
        width >>= 1
    return at


@kernel
def around(at, size):  # type: ignore[no-untyped-def]
    """A number modulo another, if it is at most one turn away. Compilers would divide, which takes long on a GPU."""
    if at < 0:
        return np.int64(at) + size
    return np.int64(at) - size if at >= size else np.int64(at)


@kernel
def without_back(moves, n, back):  # type: ignore[no-untyped-def]
    """The number of n moves without a step back, which is the last; a seat that can only go back must."""
    return n - 1 if n > 1 and moves[n - 1] == back else n


# Dice: an array of one uint64, passed in by the caller and never part of a state (law 3).


def dice_from(seed: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Dice for kernels, from a seed."""
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
    """A random index below n, in proportion to the weights, which are integers and not all 0."""
    total = 0
    for i in range(n):
        total += weights[i]
    at = below(dice, total)
    which = 0
    while at >= weights[which]:
        at -= weights[which]
        which += 1
    return which

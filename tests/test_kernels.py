"""Kernels allocate nothing and raise nothing, and the cache never returns a stale one."""

import ast
import gc
import os
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numba.core.serialize import dumps

import backroom
from backroom.arena.playouts import random_moves_of
from backroom.engine import kernel as kernels
from backroom.engine.kernel import (
    around,
    below,
    bit_count,
    cache_folder,
    dice_from,
    digest_of,
    kernel_sources,
    lowest,
    nth,
    pick,
    shuffle,
)

SOURCES = sorted(path for path in kernel_sources() if path.suffix == ".py")
FORBIDDEN = (
    *(ast.Raise, ast.Assert, ast.Try, ast.With, ast.Lambda, ast.Yield, ast.Await, ast.JoinedStr),
    *(ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp),
)
ALLOCATING = {"zeros", "empty", "ones", "full", "array", "copy", "arange", "append", "concatenate", "zeros_like"}


def kernels_in(path: Path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef) and any(getattr(d, "id", "") == "kernel" for d in node.decorator_list):
            yield node


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(kernels.PACKAGE)))
def test_a_kernel_has_no_arrays_objects_or_strings_of_its_own(path):
    """A kernel calls only what also compiles for a GPU."""
    for function in kernels_in(path):
        body = function.body[1:] if ast.get_docstring(function) else function.body
        for node in (inner for statement in body for inner in ast.walk(statement)):
            where = f"{path.name}:{getattr(node, 'lineno', '?')} in {function.name}"
            assert not isinstance(node, FORBIDDEN), f"{where}: {type(node).__name__}"
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, str)), f"{where}: a string"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in ALLOCATING, f"{where}: allocates by {node.func.attr}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(kernels.PACKAGE)))
def test_what_decides_a_kernel_is_in_the_hash_of_the_cache(path):
    """A kernel uses no name that comes from a file whose contents are not hashed."""
    foreign = {}
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("backroom")):
            parts = (node.module or "").split(".")
            base = path.parents[node.level - 1] if node.level else kernels.PACKAGE.parent
            module = base.joinpath(*parts)
            if not {module.with_suffix(".py"), module / "__init__.py"} & set(SOURCES):
                foreign |= {alias.asname or alias.name: node.module for alias in node.names}
    for function in kernels_in(path):
        used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        assert not used & foreign.keys(), f"{function.name} takes {used & foreign.keys()} from outside the hash"


def in_another_process(code: str, **environment: str) -> str:
    environment = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    ).stdout


ALLOCATES = (b"NRT_MemInfo_alloc", b"NRT_Allocate")
"""Functions that machine code calls to allocate arrays."""


LOADING = """
import backroom
from backroom.arena import warm
from backroom.arena.playouts import playouts_of
from backroom.engine.kernel import _Files
load = _Files.load
def noted(self, key):
    print(self.path(key))
    return load(self, key)
_Files.load = noted
for name in backroom.names():
    game = backroom.game(name)
    for _, compile_ in warm.steps(game):
        compile_()
    made = [playouts_of(game), backroom.bots.bot("greedy", game).choose]
    for kernel in [*made, game.rules.moves, game.rules.play]:
        if kernel.stats.cache_misses or not kernel.stats.cache_hits:
            print("compiled", kernel)
"""
"""Print the file of every kernel that is loaded, and name those that are compiled although a file should be there."""


@pytest.fixture(scope="module")
def loaded():
    """The files of the kernels that a process loads once another process has compiled them all."""
    lines = in_another_process(LOADING).splitlines()
    if any(line.startswith("compiled") for line in lines):  # it was the first
        lines = in_another_process(LOADING).splitlines()
    return lines


def test_a_second_process_compiles_nothing(loaded):
    """Including kernels made by factories, which Numba by itself would compile anew in every process."""
    assert not [line for line in loaded if line.startswith("compiled")]


def test_compiled_kernels_allocate_nothing(loaded):
    """Read from the cached files."""
    used = {Path(line) for line in loaded}
    assert len(used) > 20 * len(list(backroom.names()))
    assert not [path.name for path in used if any(word in path.read_bytes() for word in ALLOCATES)]


def test_what_allocates_shows_it():
    make = njit(lambda n: np.zeros(n).sum())
    make(3)
    kept = dumps(next(iter(make.overloads.values()))._reduce())
    assert any(word in kept for word in ALLOCATES)


BOUNDS = """
import backroom
from backroom.arena.playouts import playouts
from backroom.engine.laws import check_game
for name in {names}:
    game = backroom.game(name)
    settings = game.settings()
    for seats, options in settings:
        assert playouts(game, max(15, 4000 // len(settings)), seats, **options).unfinished == 0
    check_game(game, seats, options, 1, look=5)
    print(name)
"""


FAMILIES = defaultdict(list)
"""Games in one folder share kernels."""
for name in backroom.names():
    FAMILIES[backroom.game(name).folder.relative_to(kernels.PACKAGE / "games").parts[0]].append(name)


@pytest.mark.parametrize("family", FAMILIES)
def test_kernels_stay_within_their_arrays(family):
    """Kernels are compiled again with every index checked, at a low optimisation level, and cached separately."""
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1"}
    said = in_another_process(BOUNDS.format(names=FAMILIES[family]), **checked)
    assert said.split() == FAMILIES[family]


UNCOVERED = [name for name in backroom.names() if not (backroom.game(name).folder / "tests/test_coverage.py").exists()]
"""Games without a coverage test, which also runs their rules' tests as plain Python."""


@pytest.mark.parametrize("name", UNCOVERED)
def test_rules_are_the_same_uncompiled(name):
    """As plain Python, where NumPy warns about every number that does not fit its field."""
    tests = sorted(map(str, (backroom.game(name).folder / "tests").glob("test_rules*.py")))
    code = f"import sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', *{tests!r}]))"
    plain = {"NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # plugins take longer than tests
    assert " passed" in in_another_process(code, **plain)


def test_files_are_parsed_in_several_threads():
    """Bots think in threads, and the first of them to need a kernel computes its name.

    CPython fails if garbage collection lets another thread parse meanwhile, at another depth of calls.
    """

    def imported(path, depth):
        return imported(path, depth - 1) if depth else list(kernels.imported(path))

    def let_others_run(*_):
        time.sleep(0)

    often = gc.get_threshold()
    gc.callbacks.append(let_others_run)
    gc.set_threshold(50)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert any(list(threads.map(imported, SOURCES, range(len(SOURCES)))))
    finally:
        gc.callbacks.remove(let_others_run)
        gc.set_threshold(*often)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A temporary package, to see how its kernels would be named."""
    package = tmp_path / "tests" / "package"  # a checkout may lie anywhere
    monkeypatch.setattr(kernels, "PACKAGE", package)
    monkeypatch.setenv("BACKROOM_CACHE", str(tmp_path / "cache"))

    def forget():
        for known in (cache_folder, kernel_sources, digest_of):
            known.cache_clear()

    def digests(**files):
        for name, text in files.items():
            path = package / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        forget()
        return [digest_of(package / "games" / name / "rules.py") for name in "ab"]

    forget()
    yield digests
    forget()


KERNEL = "@kernel\ndef f(): return {}\n"
TAKING = "from package.engine.dice import roll\nfrom .pieces import MEN\nfrom .words import say\n" + KERNEL


def test_what_changes_a_kernel_changes_its_name(elsewhere):
    rules = {"games__a__rules_py": TAKING.format(0), "games__b__rules_py": KERNEL.format(0)}
    found = [
        elsewhere(**rules, engine__dice_py=KERNEL.format(0), games__a__pieces_py="MEN = 1\n"),
        elsewhere(games__a__rules_py=TAKING.format(1)),
        elsewhere(engine__dice_py=KERNEL.format(1)),
        elsewhere(games__a__pieces_py="MEN = 2\n"),
        elsewhere(games__a__pieces_toml="a = 1\n"),
        elsewhere(games__a__setups__first_toml="a = 1\n"),
        elsewhere(games__a__setups__first_toml="a = 2\n"),
    ]
    assert len({a for a, _ in found}) == len(found)
    assert len({b for _, b in found}) == 1, "what one game is made of says nothing about another"
    assert elsewhere(games__a__words_py="A = 1\n", games__a__brain_py=KERNEL.format(0)) == found[-1]


def test_a_mark_is_of_one_version(elsewhere):
    elsewhere(games__a__rules_py=KERNEL.format(0), games__b__rules_py=KERNEL.format(0))
    first = kernels.mark("warm")
    elsewhere(games__b__rules_py=KERNEL.format(1))
    assert kernels.mark("warm") != first


def test_where_nothing_can_be_kept_kernels_run_all_the_same(elsewhere, monkeypatch):
    monkeypatch.setenv("BACKROOM_CACHE", __file__)
    with pytest.warns(RuntimeWarning, match="compiled kernels cannot be kept in"):
        assert cache_folder() is None


DICE = """
import numpy as np
from backroom.engine.kernel import below, dice_from, lowest, pick, shuffle
throw, cards = dice_from(7), np.arange(9)
shuffle(throw, cards, 9)
print(below(throw, 1000), pick(throw, cards, 9), lowest(20), cards)
"""
"""Some kernels that compile fast, and their output."""


def test_a_damaged_kernel_is_compiled_again(tmp_path):
    first = in_another_process(DICE, BACKROOM_CACHE=str(tmp_path))
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]
    assert len(kept) >= 4
    for number, path in enumerate(kept):
        whole = path.read_bytes()
        harm = [b"", b"nonsense", whole[:100], b"cnowhere\nnothing\n.", whole[:-1] + b"x"]
        path.write_bytes(harm[number % len(harm)])
    assert in_another_process(DICE, BACKROOM_CACHE=str(tmp_path)) == first


def test_kernels_that_close_over_different_arrays_are_different():
    def made(weights):
        def f():
            return weights[0]

        return f

    one, other = np.zeros(5000), np.zeros(5000)
    other[2500] = 1
    assert kernels.identity(made(one)) != kernels.identity(made(other))
    assert kernels.identity(made(one)) == kernels.identity(made(one.copy()))
    assert not kernels.is_cacheable(made(object()))


def test_the_same_kernel_in_another_module_is_another():
    """Kernels of a game that was moved between packages are compiled anew: old ones would import a missing module."""

    def named(module):
        def f():
            return 0

        f.__module__ = module
        return f

    assert kernels.identity(named("liars_dice.rules")) != kernels.identity(named("backroom.games.liars_dice.rules"))


def test_old_kernels_are_swept_away(tmp_path):
    folder = tmp_path / "kernels-1"
    folder.mkdir()
    for name in ("old", "young"):
        folder.joinpath(name).touch()
    os.utime(folder / "old", (0, 0))
    kernels.sweep(tmp_path)
    assert [path.name for path in folder.iterdir()] == ["young"]
    os.utime(folder / "young", (0, 0))
    kernels.sweep(tmp_path)  # once a day
    assert [path.name for path in folder.iterdir()] == ["young"]


# bits


def test_bits_are_counted_and_the_lowest_is_found():
    assert (bit_count(0), lowest(0)) == (0, -1)
    throw = dice_from(2)
    for bit in range(63):
        assert (bit_count(1 << bit), lowest(1 << bit)) == (1, bit)
        bits = below(throw, 1 << 31) << 32 | below(throw, 1 << 31)
        assert bit_count(bits) == bits.bit_count()
        assert lowest(bits) == (bits & -bits).bit_length() - 1
        assert [nth(bits, n) for n in range(bits.bit_count())] == [at for at in range(63) if bits >> at & 1]


def test_around_is_a_remainder():
    assert all(around(at, size) == at % size for size in range(1, 6) for at in range(-size, 2 * size))


# dice


def test_below_is_even():
    throw = dice_from(1)
    counts = np.bincount([below(throw, 6) for _ in range(60_000)], minlength=6)
    assert abs(counts - 10_000).max() < 400


def test_below_is_the_same_everywhere():
    """Against splitmix64 in integers of any size."""
    throw, state = dice_from(7), 7
    for _ in range(100):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        assert below(throw, 1000) == ((z ^ z >> 31) >> 32) * 1000 >> 32


def test_shuffle_is_even_and_loses_nothing():
    throw, seen = dice_from(3), {}
    for _ in range(24_000):
        cards = np.arange(4)
        shuffle(throw, cards, 4)
        seen[tuple(cards.tolist())] = seen.get(tuple(cards.tolist()), 0) + 1
    assert len(seen) == 24
    assert all(sorted(order) == [0, 1, 2, 3] for order in seen)
    assert max(abs(count - 1000) for count in seen.values()) < 150


def test_pick_follows_the_weights():
    throw, weights = dice_from(5), np.array([1, 0, 2, 5])
    counts = np.bincount([pick(throw, weights, 4) for _ in range(8_000)], minlength=4)
    assert counts[1] == 0
    assert abs(counts - [1000, 0, 2000, 5000]).max() < 200


def test_kernels_that_close_over_different_things_have_different_names():
    """Numba numbers functions in each process: without it, kernels compiled by two processes could be confused."""
    names = [move.py_func.__qualname__ for name in backroom.names() for move in random_moves_of(backroom.game(name))]
    assert len(set(names)) == len(names)

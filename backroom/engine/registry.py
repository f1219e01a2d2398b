"""The registry: games by name, imported on first use."""

import importlib
import importlib.util
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

from backroom.engine.game import Game
from backroom.engine.kernel import add_package
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean
from backroom.engine.protocol import Rules
from backroom.engine.shape import BadShape, check_rules, collect, misspelled_fields

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""The syntax of a game's name."""
GROUP = "backroom.games"
"""The entry points with which installed packages register their games: `name = "package"`."""

_loaders: dict[str, Callable[[], Rules]] = {}
_packages: dict[str, str] = {}
"""The package of each game that is a folder."""
_games: dict[str, Game] = {}


def register(name: str, load: Callable[[], Rules]) -> None:
    """Register a game under a name; `load` returns its rules on first use."""
    _loaders[name] = load
    _games.pop(name, None)


def register_package(name: str, package: str) -> None:
    """Register a game whose files are in a package."""
    _packages[name] = package
    register(name, lambda: collect(package))


def register_folder(package: str, path: Iterable[str]) -> None:
    """Register every game in this folder, or inside another game's folder: each folder with a rulebook."""
    for root in map(Path, path):
        for book in sorted([*root.glob("*/rules.md"), *root.glob("*/*/rules.md")]):
            parts = book.parent.relative_to(root).parts
            register_package("-".join(parts).replace("_", "-"), ".".join([package, *parts]))


def register_installed() -> None:
    """Register the games of installed packages. A warning says why one had to be left out."""
    for point in entry_points(group=GROUP):
        wrong = _why_not(point.name, point.value)
        if wrong:
            said = f"the game {point.name!r} of the package {point.value} is left out: {wrong}"
            warnings.warn(said, RuntimeWarning, stacklevel=2)
        else:
            register_package(point.name, point.value)


def _why_not(name: str, package: str) -> str:
    """Why an installed package cannot register a game under this name; empty if it can."""
    if not NAME.fullmatch(name):
        return "a name is small letters and digits, with - between words"
    if name in _packages:
        return f"that is the name of a game in {_packages[name]}"
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        return "there is no such package"
    add_package(Path(spec.origin).parent)
    return ""


def names() -> Iterator[str]:
    """The names of all registered games."""
    yield from sorted(_loaders)


def former_names(name: str) -> tuple[str, ...]:
    """The names that a game had before, under which old logs and links still find it."""
    package = _packages.get(name)
    return getattr(importlib.import_module(package), "FORMER_NAMES", ()) if package else ()


def renamed() -> dict[str, str]:
    """The present name of each renamed game, by its former name; former names that are in use again are left out."""
    return {former: now for now in _packages for former in former_names(now) if former not in _loaders}


def parent(name: str) -> str | None:
    """The game in whose folder this one is; usually None."""
    outer = _packages.get(name, "").rpartition(".")[0]
    return next((other for other, package in _packages.items() if package == outer), None)


def game(name: str) -> Game:
    """The game with this name, or that once had it; BadOption lists the games there are."""
    if name not in _loaders:
        name = renamed().get(name, name)
    if name not in _loaders:
        raise BadOption(f"there is no game called {name!r}{did_you_mean(str(name), _loaders)}")
    if name not in _games:
        rules = _loaders[name]()
        check_rules(name, rules)
        if name != rules.NAME:
            raise BadShape(f"the game {name} calls itself {rules.NAME}: NAME is the path of its folder, with - for _")
        _games[name] = Game(rules)
    return _games[name]


def faults() -> Iterator[str]:
    """Misspelled fields that keep Numba from compiling a loaded game, one sentence each."""
    for name, loaded in _games.items():
        yield from (f"{name}: {fault}" for fault in misspelled_fields(loaded.rules))

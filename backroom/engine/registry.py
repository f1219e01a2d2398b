"""The registry: games by name, imported when they are first asked for."""

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
"""How a game may be called."""
GROUP = "backroom.games"
"""The entry points by which installed packages offer their games: `name = "package"`."""

_loaders: dict[str, Callable[[], Rules]] = {}
_packages: dict[str, str] = {}
"""The package of each game that is a folder."""
_games: dict[str, Game] = {}


def register(name: str, load: Callable[[], Rules]) -> None:
    """Make a game known under a name; `load` gives its rules when somebody asks for it."""
    _loaders[name] = load
    _games.pop(name, None)


def register_package(name: str, package: str) -> None:
    """Make a game known whose files are in a package."""
    _packages[name] = package
    register(name, lambda: collect(package))


def register_folder(package: str, path: Iterable[str]) -> None:
    """Make every game known that has a folder here, or inside another game's: one with a rulebook in it."""
    for root in map(Path, path):
        for book in sorted([*root.glob("*/rules.md"), *root.glob("*/*/rules.md")]):
            parts = book.parent.relative_to(root).parts
            register_package("-".join(parts).replace("_", "-"), ".".join([package, *parts]))


def register_installed() -> None:
    """Make the games of installed packages known. One that cannot be is left out, and a warning says why."""
    for point in entry_points(group=GROUP):
        wrong = _why_not(point.name, point.value)
        if wrong:
            said = f"the game {point.name!r} of the package {point.value} is left out: {wrong}"
            warnings.warn(said, RuntimeWarning, stacklevel=2)
        else:
            register_package(point.name, point.value)


def _why_not(name: str, package: str) -> str:
    """Why an installed package cannot offer a game under this name; nothing if it can."""
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
    """The names of all games there are."""
    yield from sorted(_loaders)


def former_names(name: str) -> tuple[str, ...]:
    """The names that a game had before, under which its old logs and links are still found."""
    package = _packages.get(name)
    return getattr(importlib.import_module(package), "FORMER_NAMES", ()) if package else ()


def renamed() -> dict[str, str]:
    """The present name of each game that had another, by the former one; a name that is in use again is left out."""
    return {former: now for now in _packages for former in former_names(now) if former not in _loaders}


def parent(name: str) -> str | None:
    """The game inside whose folder this one is; None for most."""
    outer = _packages.get(name, "").rpartition(".")[0]
    return next((other for other, package in _packages.items() if package == outer), None)


def game(name: str) -> Game:
    """The game of that name, or that had it; BadOption says which there are."""
    if name not in _loaders:
        name = renamed().get(name, name)
    if name not in _loaders:
        raise BadOption(f"there is no game called {name!r}{did_you_mean(name, _loaders)}")
    if name not in _games:
        rules = _loaders[name]()
        check_rules(name, rules)
        if name != rules.NAME:
            raise BadShape(f"the game {name} calls itself {rules.NAME}: NAME is the path of its folder, with - for _")
        _games[name] = Game(rules)
    return _games[name]


def faults() -> Iterator[str]:
    """What keeps Numba from compiling a game that was loaded: misspelled fields, a sentence each."""
    for name, loaded in _games.items():
        yield from (f"{name}: {fault}" for fault in misspelled_fields(loaded.rules))

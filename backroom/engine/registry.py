"""The registry: games by name, imported when they are first asked for."""

import importlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean
from backroom.engine.protocol import Rules
from backroom.engine.shape import check_rules, collect

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


def names() -> Iterator[str]:
    """The names of all games there are."""
    yield from sorted(_loaders)


def current_name(name: str) -> str:
    """The name that a game has now, from any that it had: packages say theirs in `FORMER_NAMES`."""
    if name not in _loaders:
        for now, package in _packages.items():
            if name in getattr(importlib.import_module(package), "FORMER_NAMES", ()):
                return now
    return name


def game(name: str) -> Game:
    """The game of that name, or that had it; BadOption says which there are."""
    name = current_name(name)
    if name not in _loaders:
        raise BadOption(f"there is no game called {name!r}{did_you_mean(name, _loaders)}")
    if name not in _games:
        rules = _loaders[name]()
        check_rules(name, rules)
        _games[name] = Game(rules)
    return _games[name]

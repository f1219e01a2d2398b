"""The registry: games by name, imported when they are first asked for."""

import importlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from backroom.engine.game import Game
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean
from backroom.engine.protocol import Rules

_loaders: dict[str, Callable[[], Rules]] = {}
_games: dict[str, Game] = {}


def register(name: str, load: Callable[[], Rules]) -> None:
    """Make a game known under a name; `load` gives its module when somebody asks for it."""
    _loaders[name] = load
    _games.pop(name, None)


def register_folder(package: str, path: Iterable[str]) -> None:
    """Make every game known that has a folder here, or inside another game's: one with a rulebook in it."""
    for root in map(Path, path):
        for book in sorted([*root.glob("*/rules.md"), *root.glob("*/*/rules.md")]):
            parts = book.parent.relative_to(root).parts
            full = ".".join([package, *parts])
            register(parts[-1].replace("_", "-"), lambda full=full: importlib.import_module(full))  # type: ignore[misc]


def names() -> Iterator[str]:
    """The names of all games there are."""
    yield from sorted(_loaders)


def game(name: str) -> Game:
    """The game of that name; BadOption says which there are."""
    if name not in _loaders:
        raise BadOption(f"there is no game called {name!r}{did_you_mean(name, _loaders)}")
    if name not in _games:
        _games[name] = Game(_loaders[name]())
    return _games[name]

"""The registry: games by name, imported on first use."""

import contextlib
import importlib
import importlib.util
import re
import traceback
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
_installed: dict[str, Path] = {}
"""The folder of each registered game of an installed package."""
_left_out: dict[tuple[str, str], str] = {}
"""Why the games of installed packages that cannot be used are left out, by name and package."""
_checked: set[str] = set()
"""The games of installed packages of which it is known whether they load."""
_said: set[tuple[str, str]] = set()
"""The games of installed packages of which a warning has said that they are left out."""


class LeftOut(RuntimeWarning):
    """A game of an installed package cannot be used; the message says which one, of which package, and why."""


def register(name: str, load: Callable[[], Rules]) -> None:
    """Register a game under a name; `load` returns its rules on first use."""
    _loaders[name] = load
    _games.pop(name, None)
    _installed.pop(name, None)


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
    """Register the games of installed packages. Those that cannot be used are left out, which `names` says."""
    for point in entry_points(group=GROUP):
        name, package = point.name, point.value
        if name in _installed and _packages[name] == package:  # found twice, for example installed and on the path
            continue
        wrong = _register_installed(name, package)
        if wrong:
            _leave_out(name, package, wrong)


def _register_installed(name: str, package: str) -> str:
    """Register the game of an installed package; returns why that is impossible, or nothing."""
    if not NAME.fullmatch(name):
        return "a name is small letters and digits, with - between words"
    if name in _packages:
        return f"that is the name of a game in {_packages[name]}"
    try:
        spec = importlib.util.find_spec(package)  # imports what the package is in
    except (ModuleNotFoundError, ValueError):
        spec = None
    except (Exception, SystemExit) as error:
        return _in_a_line(error)
    if spec is None or spec.origin is None:
        return "there is no such package"
    folder = Path(spec.origin).parent
    add_package(folder)
    register_package(name, package)
    _installed[name] = folder
    return ""


def _leave_out(name: str, package: str, why: str) -> str:
    """Note that a game is left out; returns the sentence that says so."""
    said = f"the game {name!r} of the package {package} is left out: {why}"
    _left_out[name, package] = said
    return said


def _in_a_line(error: BaseException, folder: Path | None = None) -> str:
    """What an error says in its first line, and at which line of a file in this folder it was raised."""
    said = (str(error).strip().splitlines() or [""])[0]
    if isinstance(error, BadShape):
        return said
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if folder is not None and folder in Path(frame.filename).parents and not isinstance(error, SyntaxError):
            where = f" ({Path(frame.filename).relative_to(folder)}, line {frame.lineno})"
    return f"{type(error).__name__}{': ' if said else ''}{said}{where}"


def left_out() -> dict[tuple[str, str], str]:
    """Why games of installed packages are left out, by name and package: a sentence each. Loads all others."""
    for name in _installed.keys() - _checked:
        _checked.add(name)  # at once, since the package may ask for the names of games when it is imported
        with contextlib.suppress(BadOption):
            game(name)
    return dict(_left_out)


def drop_left_out() -> list[str]:
    """Forget the games that are left out, so that visitors only learn that there is no such game; returns why."""
    found = left_out()
    for name, package in found:
        if _packages.get(name) == package:
            for known in (_loaders, _packages, _installed):
                known.pop(name, None)
    _left_out.clear()
    return list(found.values())


def names() -> Iterator[str]:
    """The names of all registered games. A warning says, once for each, which installed ones are left out and why."""
    left = left_out()
    for key in sorted(left.keys() - _said):
        _said.add(key)
        warnings.warn(left[key], LeftOut, stacklevel=2)
    yield from sorted(name for name in _loaders if (name, _packages.get(name, "")) not in left)


def is_registered(name: str) -> bool:
    """Whether there is a game with this name, which may be left out."""
    return name in _loaders or any(name == other for other, _ in _left_out)


def former_names(name: str) -> tuple[str, ...]:
    """The names that a game had before, under which old logs and links still find it."""
    package = _packages.get(name)
    if name in _installed and (name, package) in left_out():
        return ()
    return getattr(importlib.import_module(package), "FORMER_NAMES", ()) if package else ()


def renamed() -> dict[str, str]:
    """The present name of each renamed game, by its former name; former names that are in use again are left out."""
    return {former: now for now in _packages for former in former_names(now) if former not in _loaders}


def parent(name: str) -> str | None:
    """The game in whose folder this one is; usually None."""
    outer = _packages.get(name, "").rpartition(".")[0]
    return next((other for other, package in _packages.items() if package == outer), None)


def game(name: str) -> Game:
    """The game with this name, or that once had it; BadOption lists the games there are, or says why it is left out."""
    if name not in _loaders:
        name = renamed().get(name, name)
    if name not in _loaders:
        for (other, _), why in _left_out.items():
            if other == name:
                raise BadOption(why)
        raise BadOption(f"there is no game called {name!r}{did_you_mean(str(name), _loaders)}")
    if name not in _games:
        _games[name] = _load_installed(name) if name in _installed else _load(name)
    return _games[name]


def _load(name: str) -> Game:
    rules = _loaders[name]()
    check_rules(name, rules)
    if name != rules.NAME:
        raise BadShape(f"the game {name} calls itself {rules.NAME}: NAME is the path of its folder, with - for _")
    return Game(rules)


def _load_installed(name: str) -> Game:
    """Load the game of another package, which may fail with any error."""
    package = _packages[name]
    try:
        found = _load(name)
    except (Exception, SystemExit) as error:
        raise BadOption(_leave_out(name, package, _in_a_line(error, _installed[name]))) from error
    _left_out.pop((name, package), None)
    return found


def faults() -> Iterator[str]:
    """Misspelled fields that keep Numba from compiling a loaded game, one sentence each."""
    for name, loaded in _games.items():
        yield from (f"{name}: {fault}" for fault in misspelled_fields(loaded.rules))

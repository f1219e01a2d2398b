"""The shape of a game: collects its names from the files of its folder and checks them against the contract."""

import ast
import importlib
import importlib.util
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from numbers import Integral
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import KERNELS, NEEDED, POSSIBLE, Rules

FILES = tuple(dict.fromkeys([*NEEDED, *POSSIBLE]))
"""The files of a game that have names of the contract."""

Names = Mapping[str, Any]

_BEGINNING = re.compile(r"# .+\n\n(?!#)\S")
_EXAMPLE = "# Liars Dice, an empty line, and Two to four players roll dice under a cup"


class BadShape(TypeError):
    """A game that breaks the contract; the message says what is missing, misnamed, or takes other arguments."""


@cache
def members(protocol: type) -> dict[str, inspect.Signature | None]:
    """The names that a Protocol itself declares, with the arguments of functions, without `self`."""
    found: dict[str, inspect.Signature | None] = dict.fromkeys(inspect.get_annotations(protocol))
    for name, thing in vars(protocol).items():
        if inspect.isfunction(thing) and not name.startswith("_"):
            whole = inspect.signature(thing)
            found[name] = whole.replace(parameters=list(whole.parameters.values())[1:])
    return found


def protocols_of(file: str) -> tuple[type, ...]:
    """The Protocols that a file must fulfil, then those that it may fulfil."""
    return (*([NEEDED[file]] if file in NEEDED else []), *POSSIBLE.get(file, ()))


def collect(package: str) -> Rules:
    """Collect the names of a game from the files of its package; BadShape says what is wrong with it."""
    files = {file: _names_in(package, file) for file in FILES}
    check_names(package, files)
    home = importlib.import_module(package).__file__
    if home is None:
        raise BadShape(f"{package} has no __init__.py")
    book = Path(home).with_name("rules.md")
    if not book.is_file() or not _BEGINNING.match(book.read_text("utf-8")):
        raise BadShape(
            f"{package}: rules.md begins with a title and a paragraph that says what the game is: {_EXAMPLE}"
        )
    wanted = {name: file for file in FILES for protocol in protocols_of(file) for name in members(protocol)}
    found = {name: files[file][name] for name, file in wanted.items() if name in files[file]}
    return cast(Rules, SimpleNamespace(__file__=home, **found))


def _names_in(package: str, file: str) -> dict[str, Any]:
    """All names of a file, or of all modules of a folder; none if there is no such file."""
    module = f"{package}.{file}"
    if importlib.util.find_spec(module) is None:
        return {}
    home = importlib.import_module(module)
    inside = [each.name for each in pkgutil.iter_modules(getattr(home, "__path__", ()), f"{module}.")]
    wanted = {name for protocol in protocols_of(file) for name in members(protocol)}
    found: dict[str, Any] = {}
    for part in (home, *map(importlib.import_module, inside)):
        for name, thing in vars(part).items():
            if name in wanted and found.get(name, thing) is not thing:
                raise BadShape(f"{module} has two different things called {name}; one is in {part.__name__}")
            found.setdefault(name, thing)
    return found


def check_rules(name: str, rules: Rules) -> None:
    """Check a game that is not collected from files."""
    check_names(name, dict.fromkeys(FILES, vars(rules)))


def check_names(package: str, files: Mapping[str, Names]) -> None:
    """Check the names of each file against the contract; BadShape lists everything that is wrong."""
    found = [fault for file in FILES for fault in _faults(file, files)]
    if found:
        raise BadShape(f"{package} does not have the shape of a game: {'; '.join(found)}")


def _faults(file: str, files: Mapping[str, Names]) -> Iterator[str]:
    names = files[file]
    if file in NEEDED and not names:
        yield f"there is no {file}.py, for {listing(members(NEEDED[file]), 'and')}"
        return
    for protocol in protocols_of(file):
        wanted = members(protocol)
        missing = [name for name in wanted if name not in names]
        for name in missing:
            near = _almost(name, wanted[name], names)
            elsewhere = [other for other in files if name in files[other]]
            if near:
                yield f"{file} has {near}; should it be {name}?"
            elif NEEDED.get(file) is protocol:
                where = f", where it belongs; it is in {elsewhere[0]}" if elsewhere else ""
                yield f"{file} has no {_called(name, wanted[name])}{where}"
            elif len(missing) < len(wanted):
                yield f"{file} has no {_called(name, wanted[name])}, which belongs to {protocol.__name__}"
        for name, signature in wanted.items():
            if name in names and signature and (takes := _misfit(names[name], signature)):
                yield f"{file}: {name} {takes}, not {_arguments(signature)}"
        for name, kind in inspect.get_annotations(protocol).items():
            if name in names and (due := _kind_due(names[name], kind)):
                yield f"{file}: {name} is {names[name]!r}, not {due}"


def _almost(name: str, signature: inspect.Signature | None, names: Names) -> str:
    """A name in the file that looks like a misspelling of this one and could take its place."""
    others = {each for file in FILES for protocol in protocols_of(file) for each in members(protocol)}
    near = get_close_matches(name, [each for each in names if each[0] != "_" and each not in others], cutoff=0.85)
    return next((each for each in near if not (signature and _misfit(names[each], signature))), "")


def _called(name: str, signature: inspect.Signature | None) -> str:
    return f"{name}{_arguments(signature)}" if signature else name


def _arguments(signature: inspect.Signature) -> str:
    return f"({', '.join(signature.parameters)})"


def _misfit(thing: Any, signature: inspect.Signature) -> str:
    """What is wrong with a function that will be called with these positional arguments."""
    function = getattr(thing, "py_func", thing)
    if not callable(function):
        return "is no function"
    found = inspect.signature(function)
    try:
        found.bind(*signature.parameters)
    except TypeError:
        return f"takes {_arguments(found)}"
    return ""


def _kind_due(thing: Any, kind: Any) -> str:
    """What a constant should be, if it is something else; only plain ones are checked."""
    if kind is str and not isinstance(thing, str):
        return "a text"
    if kind is int and not isinstance(thing, Integral):
        return "a whole number"
    is_numbers = isinstance(thing, Sequence) and len(thing) and all(isinstance(each, Integral) for each in thing)
    return "" if kind != Sequence[int] or is_numbers else "whole numbers like (2, 3, 4)"


def misspelled_fields(rules: Rules) -> Iterator[str]:
    """Fields that kernels use though the record does not have them, half a sentence each."""
    fields = set(rules.STATE.names or ())
    kernels = [getattr(vars(rules)[name], "py_func", vars(rules)[name]) for name in KERNELS]
    for file in sorted({Path(inspect.getfile(function)) for function in kernels}):
        for function, field, line in _fields_used(file):
            if field not in fields:
                where = f"{function} uses s.{field} ({file.name}, line {line})"
                yield f"{where}, and the record has no such field{did_you_mean(field, fields)}"


def _fields_used(file: Path) -> Iterator[tuple[str, str, int]]:
    """Yields the function, field and line of every use of a state's field, in functions whose first argument is `s`."""
    for function in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(function, ast.FunctionDef) and [each.arg for each in function.args.args][:1] == ["s"]:
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "s":
                    yield function.name, node.attr, node.lineno

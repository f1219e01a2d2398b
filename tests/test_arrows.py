"""Arrows point inward: which package may import which, and that only the registry knows games' names."""

import ast
from pathlib import Path

import pytest

import backroom

PACKAGE = Path(backroom.__file__).parent
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if "tests" not in path.parts]

ALLOWED = {
    "engine": {"engine"},
    "scene": {"scene"},
    "games": {"engine", "scene"},  # and its own folder
    "bots": {"bots", "engine"},
    "arena": {"arena", "bots", "engine"},
    "gym": {"gym", "bots", "engine"},
    "mcp": {"", "mcp", "bots", "engine", "terminal"},
    "new": {"new", "engine", "scene"},
    "terminal": {"terminal", "arena", "bots", "engine", "gym", "scene"},
    "server": {"", "server", "arena", "bots", "engine", "scene"},
    "__init__": {"engine", "games", "bots"},
    "__main__": {"", "engine", "mcp", "new", "terminal", "arena", "server"},
}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path):
    """The modules of the package that a file imports, as absolute names."""
    here = ("backroom", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "backroom")
        elif isinstance(node, ast.ImportFrom):
            module = ".".join([*here[: len(here) - node.level + 1], *filter(None, [node.module])])
            module = module if node.level else node.module or ""
            if module == "backroom":
                yield from (f"backroom.{alias.name}" for alias in node.names)
            elif module.split(".")[0] == "backroom":
                yield module


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_inward(path):
    room = room_of(path)
    for module in imports(path):
        parts = module.split(".")[1:]
        if room == "games" and parts[:1] == ["games"]:
            assert parts[1] == path.relative_to(PACKAGE).parts[1], f"{path.name} knows another game: {module}"
        else:
            target = parts[0] if parts and (PACKAGE / parts[0]).exists() else ""
            assert target in ALLOWED[room], f"{room} may not import {module}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_game_is_named_outside_its_folder(path):
    parts = path.relative_to(PACKAGE).parts
    inside = ["_".join(parts[1:end]) for end in range(2, len(parts))] if parts[0] == "games" else []
    own = {word for folder in inside for word in (folder, folder.replace("_", "-"))}
    names = {folder for name in backroom.names() for folder in (name, name.replace("-", "_"))}
    strings = {node.value for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Constant)}
    assert not strings & (names - own)


def test_every_room_has_its_arrows():
    assert {room_of(path) for path in FILES} == set(ALLOWED)

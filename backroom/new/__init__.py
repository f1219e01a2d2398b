"""`backroom new`: writes a small, complete game to start your own from.

The template is a game itself, in `new_game`: its files are copied, and its name is replaced in all of them.
"""

import importlib.util
import keyword
from collections.abc import Collection
from pathlib import Path

from backroom.engine.options import BadOption
from backroom.engine.registry import NAME, names

HERE = Path(__file__).parent
TEMPLATE = HERE / "new_game"
HOUSE = HERE.parent / "games"
LONGEST_NAME = 30
"""Longer names would not fit the lines they are in."""


def check_name(name: str, taken: Collection[str] = ()) -> None:
    """Raise BadOption if a new game cannot have this name; `taken` are words that mean something else."""
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise BadOption(
            f"a game cannot be called {name!r}: a name is small letters and digits, with - between words, "
            f"at most {LONGEST_NAME} of them, like liars-dice"
        )
    if name in names():
        raise BadOption(f"there is a game called {name} already")
    if name in taken or keyword.iskeyword(name):
        raise BadOption(f"a game cannot be called {name!r}: that word means something else here")


def write_in_house(name: str) -> list[Path]:
    """Write a new game into this checkout; returns the files that were written."""
    if not HERE.parent.parent.joinpath("pyproject.toml").exists():
        raise BadOption("this Backroom is no checkout that a game could be put into; say --package")
    return write_game(name, HOUSE)


def write_package(name: str, folder: Path) -> list[Path]:
    """Write a new game as a project of its own, in a new folder here; returns the files that were written."""
    module = name.replace("-", "_")
    if importlib.util.find_spec(module) is not None:
        raise BadOption(f"a package cannot be called {module}: there is a Python package of that name")
    home = folder / name
    _refuse_to_overwrite(home)
    found = write_game(name, home)
    for part in ("pyproject.toml", "README.md"):
        found.append(home / part)
        found[-1].write_text(_renamed((HERE / "package" / part).read_text("utf-8"), name), "utf-8")
    return found


def write_game(name: str, folder: Path) -> list[Path]:
    """Write a new game's folder into this folder; returns the files that were written."""
    home = folder / name.replace("-", "_")
    _refuse_to_overwrite(home)
    found = []
    for path in sorted(TEMPLATE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            found.append(home / path.relative_to(TEMPLATE))
            found[-1].parent.mkdir(parents=True, exist_ok=True)
            found[-1].write_text(_renamed(path.read_text("utf-8"), name), "utf-8")
    return found


def _refuse_to_overwrite(folder: Path) -> None:
    if folder.exists():
        raise BadOption(f"{folder} is there already, and nothing is overwritten")


def _renamed(text: str, name: str) -> str:
    """The template's text with the game's name in all its spellings."""
    title = " ".join(word.capitalize() for word in name.split("-"))
    for old, new in (("new-game", name), ("new_game", name.replace("-", "_")), ("New Game", title)):
        text = text.replace(old, new)
    return text

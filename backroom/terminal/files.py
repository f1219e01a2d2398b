"""The terminal's files: where games are kept, and how they are written without losing what was there."""

import os
import secrets
import shlex
import shutil
import sys
from difflib import get_close_matches
from pathlib import Path

import platformdirs

from backroom.engine.options import BadOption, Option
from backroom.engine.table import named_after
from backroom.terminal.show import console


def games_folder() -> Path:
    """The folder for games on this machine, which may not exist yet."""
    return Path(os.environ.get("BACKROOM_GAMES") or Path(platformdirs.user_data_dir("backroom"), "games"))


def new_path(name: str) -> Path:
    """A new file for a game, created at once so that no other process takes its name."""
    folder = games_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadOption(f"games cannot be kept in {folder} ({error.strerror}); say where in BACKROOM_GAMES") from None
    number = 1
    while True:
        try:
            (folder / f"{name}-{number}.log").touch(exist_ok=False)
            return folder / f"{name}-{number}.log"
        except FileExistsError:
            number += 1


def free_path(text: str | Path) -> Path:
    """A file that a person has named and that does not exist yet; BadOption says what is wrong with it."""
    try:
        path = Path(text).expanduser().absolute()
        is_there = path.exists() or path.is_symlink()
    except (RuntimeError, ValueError, OSError) as error:
        raise BadOption(f"{str(text)!r} is no name of a file: {error}") from None
    if path.is_dir():
        raise BadOption(f"{text} is a folder; name a file to save to")
    if is_there:
        raise BadOption(f"{text} is there already; name a file that is not")
    if not path.parent.is_dir():
        raise BadOption(f"cannot save to {text}: there is no folder {path.parent}")
    return path


def write(path: Path, text: str) -> None:
    """Replace a file atomically."""
    path = path.resolve()
    draft = path.with_name(f".{secrets.token_hex(8)}")
    try:
        with open(draft, "x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def read_value(option: Option, file: str) -> str:
    """The contents of a file that was given for an option; BadOption says what else the option can be."""
    path = Path(file)
    if not path.exists():
        near = get_close_matches(file, option.values, n=1)
        instead = f"did you mean {near[0]}?" if near else f"it can be {option.choices}"
        raise BadOption(f"option {option.name} cannot be {file!r}: there is no such file; {instead}")
    with named_after(path):
        return path.read_text("utf-8-sig")


def draw_to(path: Path, svg: str) -> None:
    """Write a picture to this path, and say so."""
    if path.suffix != ".svg" or path.is_dir() or not path.absolute().parent.is_dir():
        raise BadOption(f"cannot draw to {path}; expected a file in a folder that is there, whose name ends in .svg")
    write(path, svg)
    console.print(f"The picture is in {path}", soft_wrap=True)


def shown(path: Path) -> Path:
    """A path as people are shown it: relative if it is below the working folder, otherwise absolute."""
    whole = path.absolute()
    return whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole


def command(*words: str | Path) -> str:
    """The command line that runs this program with these arguments."""
    name = Path(sys.argv[0])
    if name.name == "__main__.py":
        program = f"{shlex.quote(sys.executable)} -m backroom"
    elif (found := shutil.which(name.name)) and Path(found).resolve() == name.resolve():
        program = name.name
    else:
        program = shlex.quote(str(shown(name)))
    return " ".join([program, *(shlex.quote(str(word)) for word in words)])

"""What the documents say is true: examples run, links work, and pictures are those that the program makes."""

import ast
import doctest
import json
import re
from pathlib import Path

import pictures
import pytest

import backroom

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted(
    path
    for folder in ("", "docs/", "train/", "backroom/games/*/", "backroom/games/*/*/")
    for path in ROOT.glob(f"{folder}*.md")
)


@pytest.mark.parametrize("document", ["README.md", "docs/bots.md"])
def test_examples_run_as_written(document):
    result = doctest.testfile(str(ROOT / document), module_relative=False, encoding="utf-8")
    assert result.attempted >= 4
    assert result.failed == 0


def test_the_readme_is_short_and_begins_with_the_two_commands():
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 70
    commands = [line.split()[:2] for line in lines if line.startswith("    ")]
    assert commands[:2] == [["make", "play"], ["make", "test"]]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    text = document.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)|src=\"([^\":]+)\"", text):
        assert (document.parent / "".join(target)).exists(), target
    for path in re.findall(r"`((?:backroom|tests|docs|bench)/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path


def test_the_architecture_page_names_every_module_of_the_server():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    modules = (ROOT / "backroom" / "server").rglob("*.py")
    named = {path.name for path in modules if path.name != "__init__.py" and "migrations" not in path.parts}
    assert not [name for name in sorted(named) if f"{name}`" not in text]
    for path in re.findall(r"`((?:arena|bots|engine|scene|server|terminal|web)/[\w./-]+\.\w+)`", text):
        assert (ROOT / "backroom" / path).exists(), path


@pytest.mark.parametrize("name", pictures.SHOWN)
def test_pictures_are_the_programs(name):
    """If this fails after a change to a picture: make pictures."""
    assert (ROOT / "docs" / "pictures" / f"{name}.svg").read_text("utf-8") == pictures.board(name)


def test_the_readme_names_every_game():
    text = (ROOT / "README.md").read_text("utf-8")
    for name in backroom.names():
        if (
            len(backroom.game(name).folder.relative_to(ROOT / "backroom/games").parts) == 1
        ):  # no game inside another's folder
            assert f"**{backroom.game(name).title}**" in text


@pytest.mark.parametrize("name", list(backroom.names()))
def test_code_and_tests_cite_paragraphs_that_exist(name):
    game = backroom.game(name)
    there = set(re.findall(r"^(?:- |## )§([\d.]+) ", game.rulebook, re.M))
    inner = [book.parent for book in game.folder.glob("*/rules.md")]  # a game inside its folder has its own book
    cited = {
        number.rstrip(".")
        for path in game.folder.rglob("*.py")
        if not any(path.is_relative_to(folder) for folder in inner)
        for number in re.findall(r"§(\d+(?:\.\d+)?)", path.read_text("utf-8"))
    } - {"99"}
    assert cited <= there


@pytest.mark.parametrize("name", list(backroom.names()))
def test_every_paragraph_has_a_test(name):
    """One test for each §, named after it: test_3_7_no_wall_at_the_mother."""
    game = backroom.game(name)
    tests = "\n".join(path.read_text("utf-8") for path in game.folder.glob("tests/test_*.py"))
    tested = {".".join(found) for found in re.findall(r"def test_(\d+)_(\d+)_", tests)}
    there = set(re.findall(r"^- §([\d.]+) ", game.rulebook, re.M))
    assert there == tested & there, f"no test for {sorted(there - tested)}"


def test_the_workings_are_not_spoken_of():
    """The repository contains no absolute path and no host of a registry."""
    for path in [*ROOT.glob("*"), *ROOT.glob("*/**/*")]:
        if path.is_file() and path.suffix in {".py", ".md", ".toml", ".log", ".txt"} and ".venv" not in path.parts:
            assert not re.search(r"(?<![\w.])/(root|home|work)/", path.read_text("utf-8")), path


def test_the_notebook_runs_and_draws():
    """Cell by cell, without Jupyter; cells that drew something when the notebook was written still do."""
    book = json.loads((ROOT / "docs" / "notebook.ipynb").read_text("utf-8"))
    space, drawn = {}, 0
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        *lines, last = ast.parse("".join(cell["source"])).body
        exec(compile(ast.Module(lines, []), "cell", "exec"), space)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), space)
        if "image/svg+xml" in cell["outputs"][0]["data"]:
            assert value._repr_svg_().startswith("<svg")
            drawn += 1
    assert drawn == 3

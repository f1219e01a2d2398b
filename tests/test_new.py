"""`backroom new`: what it writes is lawful, formatted and typed, is found by its entry point, and can be played."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from serving import served

import backroom
from backroom import new
from backroom.engine import kernel, registry
from backroom.engine.options import BadOption
from backroom.engine.registry import LeftOut

NAME, MODULE = "liars-dice", "liars_dice"
ROOT = Path(backroom.__file__).parent.parent
GUIDE = ROOT / "docs" / "adding-a-game.md"


def installed(folder, **points):
    """Write the metadata of an installed package with these entry points into a folder."""
    about = folder / "offered-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: offered\nVersion: 1.0\n")
    lines = "".join(f"{name.replace('_', '-')} = {package}\n" for name, package in points.items())
    about.joinpath("entry_points.txt").write_text(f"[backroom.games]\n{lines}")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A new game as a project of its own, found as if it were installed."""
    folder = tmp_path_factory.mktemp("new")
    new.write_package(NAME, folder)
    installed(folder / NAME, **{MODULE: MODULE})
    return folder / NAME


def in_the_project(project, *words, typed=""):
    """Run a Python command there; returns what it printed."""
    done = tried(project, *words, typed=typed)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tried(project, *words, typed=""):
    """Run a Python command there, which may fail."""
    path = os.pathsep.join([str(ROOT), str(project)])
    env = {**os.environ, "PYTHONPATH": path, "BACKROOM_GAMES": str(project / "games"), "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=project, env=env, input=typed, capture_output=True, text=True, check=False
    )


def test_it_is_tidy_and_typed(project):
    in_the_project(project, "ruff", "format", "--check", ".")
    in_the_project(project, "ruff", "check", ".")
    in_the_project(project, "mypy")


def test_it_keeps_the_laws_and_its_own_tests(project):
    assert " passed" in in_the_project(project, "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")


def test_it_plays_in_the_terminal(project):
    said = in_the_project(project, "backroom", "play", NAME, "--seed", "3", "--bot", "random", typed="a\na\na\n")
    assert said.startswith("Liars Dice: ")
    assert "The game is over" in said


def test_its_rules_are_found_by_their_numbers(project):
    assert "lays it face down" in in_the_project(project, "backroom", "rules", NAME, "3.1")
    assert "A trick" in in_the_project(project, "backroom", "rules", NAME, "3")


def test_it_plays_with_the_stubs_that_the_documentation_has(project, tmp_path):
    """The order of work in docs/adding-a-game.md: rules and words first, then picture and bots."""
    folder = tmp_path / NAME
    shutil.copytree(project, folder)
    (stubs,) = re.findall(r"^```python$(.*?)^```$", GUIDE.read_text("utf-8"), re.M | re.S)
    files = re.findall(r"^# (\w+\.py)$(.*?)(?=^# \w+\.py$|\Z)", stubs, re.M | re.S)
    assert [file for file, _ in files] == ["glyphs.py", "picture.py", "brain.py"]
    for file, text in files:
        (folder / MODULE / file).write_text(text, "utf-8")
    said = in_the_project(folder, "backroom", "play", NAME, "--seed", "3", "--bot", "random", typed="a\na\na\n")
    assert "The game is over" in said


@pytest.mark.parametrize(
    ("file", "right", "wrong", "said"),
    [
        ("rules.py", "s.held[to] += 1", "s.helt[to] += 1", "play uses s.helt (rules.py, line "),
        ("rules.py", "s.seats = seats", "s.seets = seats", "setup uses s.seets (rules.py, line "),
        (
            "brain.py",
            '"easy": ("search"',
            '"easy": ("serch"',
            "easy: there is no strategy 'serch'; did you mean search?",
        ),
        (
            "brain.py",
            '{"iterations": 16, ',
            '{"iteration": 16, ',
            "easy: search has no 'iteration'; did you mean iterations?",
        ),
        (
            "rules.md",
            "\n\nTwo to four players ",
            "\nTwo to four players ",
            "rules.md begins with a title and a paragraph",
        ),
    ],
)
def test_what_is_wrong_with_it_is_said_in_a_line(project, tmp_path, file, right, wrong, said):
    folder = tmp_path / NAME
    shutil.copytree(project, folder)
    path = folder / MODULE / file
    text = path.read_text("utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong), "utf-8")
    done = tried(folder, "backroom", "play", NAME, "--bot", "easy")
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_two_games_may_have_files_for_an_option_of_the_same_name(project, tmp_path):
    """The commands for such files say what to do instead, and all others work."""
    games = map(backroom.game, backroom.names())
    game, option = next((game, option) for game in games for option in game.options if option.is_file)
    folder = tmp_path / NAME
    shutil.copytree(project, folder)
    path = folder / MODULE / "options.py"
    text = path.read_text("utf-8").replace('"hand"', f'"{option.name}"').replace("title=", "is_file=True, title=")
    path.write_text(text, "utf-8")
    assert "Play a game" in in_the_project(folder, "backroom", "--help")
    done = tried(folder, "backroom", option.name, "check", option.default)
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert f"have files for the option {option.name}; say play GAME --{option.name} FILE" in said
    assert game.title in said


@pytest.fixture
def offered(project, monkeypatch):
    """The new game in this process's registry, by its entry point."""
    monkeypatch.syspath_prepend(project)
    registry.register_installed()
    yield
    for known in (registry._loaders, registry._packages, registry._games, registry._installed):
        known.pop(NAME, None)
    registry._checked.discard(NAME)
    kernel.OTHER_PACKAGES.clear()
    kernel.kernel_sources.cache_clear()
    kernel.digest_of.cache_clear()
    for module in [each for each in sys.modules if each.split(".")[0] == MODULE]:
        del sys.modules[module]


def test_it_plays_in_the_browser(offered, tmp_path):
    assert NAME in backroom.names()
    with served(tmp_path / "tables.db") as server:
        ann = server.guest("Ann")
        table = ann.make(NAME, seats=2, **{"seat-1": "random"})
        assert "Liars Dice" in ann.web.get(f"/tables/{table}").text
        decision = ann.decision(table)
        assert ann.move(table, decision["moves"][0]["name"], decision["ask"]).status_code == 200
        assert ann.web.get(f"/tables/{table}/picture.svg?reader=-1").text.startswith("<svg")


def test_its_kernels_are_kept_like_those_of_the_house(offered):
    rules = backroom.game(NAME).rules
    assert kernel.is_cacheable(rules.moves)
    assert kernel.is_cacheable(rules.value)


@pytest.fixture(autouse=True)
def left_out(monkeypatch):
    """Forget after each test which games were left out in it."""
    monkeypatch.setattr(registry, "_left_out", {})
    monkeypatch.setattr(registry, "_said", set())


def test_a_package_cannot_take_the_name_of_another_game(tmp_path, monkeypatch):
    house = next(iter(backroom.names()))
    before = backroom.game(house)
    installed(tmp_path, **{house.replace("-", "_"): MODULE})
    monkeypatch.syspath_prepend(tmp_path)
    registry.register_installed()
    with pytest.warns(LeftOut, match=f"the game '{house}' of the package {MODULE} is left out: that is the name"):
        assert house in list(backroom.names())
    assert backroom.game(house) is before


@pytest.mark.parametrize(
    ("point", "said"),
    [("No_Name", "a name is small letters and digits"), ("nowhere", "there is no such package")],
)
def test_a_package_that_cannot_be_used_is_left_out(tmp_path, monkeypatch, point, said):
    installed(tmp_path, **{point: "not_there_at_all"})
    monkeypatch.syspath_prepend(tmp_path)
    registry.register_installed()
    with pytest.warns(LeftOut, match=said):
        assert point.replace("_", "-") not in list(backroom.names())
    assert point.replace("_", "-") not in list(backroom.names())  # it is said once
    with pytest.raises(BadOption, match=said):
        backroom.game(point.replace("_", "-"))


@pytest.fixture(
    params=[
        ("rules.py", "import not_there", "ModuleNotFoundError: No module named 'not_there' (rules.py, line 1)"),
        ("rules.py", "def play(s, seat, move:", "SyntaxError: '(' was never closed (rules.py, line 1)"),
        ("__init__.py", "import backroom; list(backroom.names()); exit()", "SystemExit: None (__init__.py, line 1)"),
    ],
    ids=["import", "syntax", "exit"],
)
def broken(request, project, tmp_path):
    """A project whose game fails on import, and what is said about it."""
    file, line, why = request.param
    shutil.copytree(project, tmp_path / NAME)
    (tmp_path / NAME / MODULE / file).write_text(f"{line}\n")
    return tmp_path / NAME, f"the game '{NAME}' of the package {MODULE} is left out: {why}"


def test_a_game_that_fails_on_import_is_left_out_in_one_line_and_breaks_no_other(broken):
    project, said = broken
    house = next(iter(backroom.names()))
    for words, code in ((("--help",), 0), ((NAME,), 2), (("rules", house, "1"), 0)):
        done = tried(project, "backroom", *words)
        assert done.returncode == code
        assert done.stderr.startswith(f"backroom: {said}") == ("rules" not in words)
        assert done.stderr.count("\n") == ("rules" not in words)


def test_a_server_starts_without_a_game_that_fails_on_import(offered, monkeypatch):
    def fail(_):
        raise ImportError("no such luck")

    monkeypatch.setattr(registry, "collect", fail)
    (said,) = registry.drop_left_out()
    assert said == f"the game '{NAME}' of the package {MODULE} is left out: ImportError: no such luck"
    assert NAME not in list(backroom.names())
    with pytest.raises(BadOption, match=f"there is no game called '{NAME}'"):
        backroom.game(NAME)


# refused names


@pytest.mark.parametrize(
    "name", ["", "Liars", "liars_dice", "-dice", "dice-", "2dice", "a" * 31, "lügner", "a b", "../x"]
)
def test_a_bad_name_is_answered_in_a_sentence(name):
    with pytest.raises(BadOption, match="a name is small letters and digits, with - between words"):
        new.check_name(name)


def test_names_that_are_taken(run):
    house = next(iter(backroom.names()))
    for name, said in ((house, f"there is a game called {house} already"), ("play", "means something else here")):
        code, _, errors = run("new", name)
        assert code == 2
        assert said in errors
    with pytest.raises(BadOption, match="there is a Python package of that name"):
        new.write_package("json", Path())


def test_it_says_how_to_install_what_its_tests_need(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run("new", NAME, "--package")[1]
    assert f'pip install --editable "{NAME}[test]"' in said
    wanted = tomllib.loads((tmp_path / NAME / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert "pytest" in " ".join(wanted["test"])


def test_nothing_is_overwritten(tmp_path):
    tmp_path.joinpath(NAME).mkdir()
    with pytest.raises(BadOption, match="is there already, and nothing is overwritten"):
        new.write_package(NAME, tmp_path)
    assert not list(tmp_path.joinpath(NAME).iterdir())


def test_in_the_house_it_is_a_folder_among_the_games(tmp_path, monkeypatch):
    monkeypatch.setattr(new, "HOUSE", tmp_path)
    files = new.write_in_house(NAME)
    assert {path.relative_to(tmp_path).parts[0] for path in files} == {MODULE}
    assert "Liars Dice" in (tmp_path / MODULE / "rules.md").read_text("utf-8")
    texts = [path.read_text("utf-8").lower() for path in files]
    assert not [text for text in texts if "new-game" in text or "new_game" in text or "new game" in text]


def test_without_a_checkout_there_is_no_house_to_put_it_into(tmp_path, monkeypatch):
    monkeypatch.setattr(new, "HERE", tmp_path / "backroom" / "new")
    with pytest.raises(BadOption, match="say --package"):
        new.write_in_house(NAME)

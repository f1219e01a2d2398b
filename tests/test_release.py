"""The release: a wheel that plays in a bare environment, and documentation without broken links."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SETUP = ("--quiet", "--disable-pip-version-check")


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=900, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT)
    return next(folder.glob("*.whl"))


def test_the_wheel_has_what_is_played_with_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    template = "backroom/new/"  # what `backroom new` writes has tests
    assert not [name for name in names if "/tests/" in name and not name.startswith(template)]
    rulebooks = {path.relative_to(ROOT).as_posix() for path in (ROOT / "backroom/games").rglob("rules.md")}
    assert rulebooks <= set(names)
    web = {path.relative_to(ROOT).as_posix() for path in (ROOT / "backroom/web").rglob("*") if path.is_file()}
    assert web <= set(names)


def test_the_wheel_has_the_licences_of_all_that_is_in_it(wheel):
    archive = zipfile.ZipFile(wheel)
    [metadata] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    said = archive.read(metadata).decode()
    assert "\nLicense-Expression: Apache-2.0 AND CC-BY-NC-SA-4.0 AND OFL-1.1\n" in said
    files = ["LICENSE", *(path.relative_to(ROOT).as_posix() for path in (ROOT / "backroom").rglob("*.LICENSE.txt"))]
    assert len(files) > 1
    for file in files:
        assert f"\nLicense-File: {file}\n" in said


def test_the_wheel_plays_in_a_bare_environment(wheel, tmp_path):
    venv.create(tmp_path / "bare")
    python = tmp_path / "bare" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    run(sys.executable, "-m", "pip", "--python", python, "install", *SETUP, "--no-compile", wheel, env=env)
    told = run(python, "-m", "backroom", "watch", "run", "--delay", "0", cwd=tmp_path, env=env)
    assert "wins" in told
    said = run(python, "-c", "import backroom; print(backroom.__file__, *backroom.names())", cwd=tmp_path, env=env)
    assert str(tmp_path) in said
    assert "rum-run" in said


@pytest.mark.parametrize(
    ("adapter", "library", "extra"),
    [("pettingzoo", "pettingzoo", "gym"), ("gymnasium", "gymnasium", "gym"), ("openspiel", "pyspiel", "openspiel")],
)
def test_an_adapter_without_its_library_says_what_to_install(monkeypatch, adapter, library, extra):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"backroom.gym.{adapter}", raising=False)
    said = rf"backroom.gym.{adapter} needs {library}, .* expected pip install 'backroom\[{extra}\]'"
    with pytest.raises(ModuleNotFoundError, match=said):
        importlib.import_module(f"backroom.gym.{adapter}")


def test_the_extras_that_anything_names_exist():
    """In the documentation, in what programs say, and in the tests' own list."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "train").rglob("*.md")]
    files += [ROOT / "pyproject.toml", *(ROOT / "backroom").rglob("*.py")]
    texts = [file.read_text("utf-8") for file in files]
    named = {
        extra
        for text in texts
        for each in re.findall(r"(?:backroom|\.)\[([a-z,]+)\]", text)
        for extra in each.split(",")
    }
    assert {"gym", "mcp", "media", "tui"} <= named <= set(known)


def test_the_documentation_has_no_broken_link(tmp_path):
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    run(
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        tmp_path / "site",
        cwd=ROOT,
        env=env,
    )
    reference = (tmp_path / "site/reference/engine/index.html").read_text("utf-8")
    assert "Every move open to the seat" in reference

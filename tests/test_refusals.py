"""Usage errors in the terminal: one clear line, exit code 2, and nothing lost or changed."""

import re
import shlex
import subprocess
import sys

import pytest
from terminals import GAME, environment

import backroom

FILE_OPTIONS = {
    option.name: (game.name, option.default)
    for game in map(backroom.game, backroom.names())
    for option in game.options
    if option.is_file
}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("play", "chess"), "there is no game called 'chess'; there is"),
        (("rules", "chess"), "there is no game called 'chess'"),
        (("signature", "chess"), "there is no game called 'chess'"),
        (("rules", GAME, "99"), "have no §99"),
        (("play", GAME, "--seats", "17"), "not 17"),
        (("play", GAME, "--seat", "9"), "there is no seat 9"),
        (("play", GAME, "--bot", "deepblue"), "there is no bot called 'deepblue'; there is easy"),
        (("play", GAME, "--bot", "greedy", "--hot-seat"), "say --hot-seat or --bot, not both"),
        (("play", GAME, "--option", "colour=red"), "has no option 'colour'"),
        (("play", GAME, "--option", "colour"), "expected --option NAME=VALUE"),
        (("play", GAME, "--seed", "two words"), "a seed is one word"),
        (("play", GAME, "--from", "nowhere"), "there is no such position"),
        (("play", GAME, "--save", "/nowhere/at/all.log"), "there is no folder /nowhere/at"),
        (("play", "--seat", "1", GAME), "say the options after the game"),
        (("play", GAME, "--resume", "some.log"), "say play --resume some.log, without a name"),
        (("play", GAME, "--bot", "random", "--bot", "random"), "2 bots want to sit, and there is 1 seat"),
        (("play", GAME, "--seed", "\udcff"), "a seed is one word"),
        (("replay", __file__, "--svg", "x.txt"), "line 1: expected"),
        (("play", "--resume", "nothing.log"), "nothing.log: No such file"),
        (("replay", "nothing.log"), "nothing.log: No such file"),
        (("replay", __file__), "line 1: expected 'backroom log 1'"),
        (("replay", "."), "Is a directory"),
        (("watch", GAME, "--delay", "-1"), "--delay"),
        (("watch", GAME, "--delay", "inf"), "--delay"),
        (("watch",), "which game? There is"),
        (("watch", GAME, *["--bot", "random"] * 10), "10 bots want to sit"),
        (("play", GAME, "--save", "."), ". is a folder; name a file"),
        (("perft", GAME, "--depth", "-1"), "--depth"),
        (("nonsense",), "No such command 'nonsense'. See --help."),
        (("playy",), "Did you mean 'play', 'replay'? See --help."),
        (("play", GAME, "--nonsense"), "No such option"),
    ],
)
def test_what_people_get_wrong_is_said_in_a_line(run, arguments, said):
    code, _, err = run(*arguments)
    assert code == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1


TYPED_OR_FILE = [
    (game.name, option.name)
    for game in map(backroom.game, backroom.names())
    for option in game.options
    if option.may_be_file
]


@pytest.mark.parametrize(("game", "option"), TYPED_OR_FILE)
def test_what_may_be_typed_or_a_file_is_read_from_one(run, tmp_path, game, option):
    """Errors in a file name the file; what is not a file is taken as typed text."""
    file = tmp_path / "typed.txt"
    file.write_text("nothing that can be read")
    said = run("play", game, f"--{option}", file)[2]
    assert "nothing that can be read" in said
    assert f"option {option}" in run("play", game, f"--{option}", tmp_path / "no-file")[2]


@pytest.mark.parametrize("name", FILE_OPTIONS)
def test_files_of_a_table_of_ones_own_are_refused(run, tmp_path, name):
    """A byte-order mark is accepted, and control characters in a file never reach the screen."""
    file = tmp_path / "parts"
    for content, said in [
        (b'\xef\xbb\xbf"\\u001b[31mred\\n" = 1', r"\x1b[31mred\n"),
        (b"\xff\xfe\x00", "this is not text, and cannot be read"),
    ]:
        file.write_bytes(content)
        code, _, err = run(name, "check", file)
        assert code == 2
        assert f"{file}: " in err
        assert said in err
        assert "\x1b" not in err
        assert len(err.strip().splitlines()) == 1
    game, known = FILE_OPTIONS[name]
    for wrong, said in (
        ("nowhere.txt", f"'nowhere.txt': there is no such file; it can be {known}"),
        (known[1:], f"no such file; did you mean {known}?"),
        (tmp_path, "Is a directory"),
    ):
        for words in ([name, "check"], [name, "draw"], ["play", game, f"--{name}"]):
            code, _, err = run(*words, wrong)
            assert (code, said in err) == (2, True), err
    assert re.search(r"say check(, draw or edit| or draw)\. See --help\.", run(name)[2])
    folder = tmp_path / "folder.svg"
    folder.mkdir()
    code, _, err = run(name, "draw", known, "--svg", folder)
    assert (code, f"cannot draw to {folder}; expected a file" in err) == (2, True)


def test_broken_logs_are_refused(run, finished, tmp_path):
    broken = tmp_path / "broken.log"
    for text, said in [
        (finished.read_text()[:200], "broken.log: line "),
        (finished.read_text().replace("\n0 ", "\n0 x", 1), "cannot play 'x"),
        ("", "line 1: expected"),
    ]:
        broken.write_text(text)
        code, _, err = run("replay", broken)
        assert code == 2
        assert said in err
    broken.write_bytes(b"\xff\xfe\x00")
    code, _, err = run("replay", broken)
    assert code == 2
    assert "this is not text" in err
    broken.write_bytes(b"\xef\xbb\xbf" + finished.read_bytes())  # as some editors begin a file
    assert run("replay", broken)[0] == 0


def test_a_log_without_its_seed_cannot_go_on(run, tmp_path):
    log = tmp_path / "public.log"
    log.write_text(str(backroom.game(GAME).table(seed=1).log))
    code, _, err = run("play", "--resume", log)
    assert code == 2
    assert "holds no seed, so its dice cannot go on" in err


@pytest.mark.parametrize("text", ["[/foo].log", "a b.log", "[bold]x.log"])
def test_names_of_files_are_no_markup(run, finished, tmp_path, text):
    path = tmp_path / "[" / text
    path.parent.mkdir(parents=True)
    path.write_text(finished.read_text())
    code, out, _ = run("verify", path)
    assert code == 0
    assert f"{path}: fair" in out
    new = path.with_name(f"new {path.name}")
    code, out, _ = run("play", GAME, "--save", new, typed="quit\n")
    assert shlex.quote(str(new)) in out


def test_odd_encodings(tmp_path):
    for encoding in ("ascii", "latin-1", "utf-8:strict"):
        done = subprocess.run(
            [sys.executable, "-m", "backroom", "play", GAME],
            input=b"rules\n\xff\xfe\nquit\n",
            env={**environment(tmp_path), "PYTHONIOENCODING": encoding},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr


def test_whoever_reads_may_go_away(finished, tmp_path):
    done = subprocess.run(
        f"{sys.executable} -m backroom replay {finished} | head -1",
        shell=True,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def test_seats_and_moments_that_there_are_not(run, finished):
    assert "wants a number from 0 to" in run("replay", finished, "--at", 9999)[2]
    assert "there is no seat 7" in run("replay", finished, "--seat", 7)[2]

"""The terminal as people use it: real processes, real pipes, a real pseudo-terminal."""

import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

import backroom

GAMES = list(backroom.names())
GAME = GAMES[0]


@pytest.fixture
def run(tmp_path):
    """Run a command with some input; says the exit code, what was printed and what went wrong."""

    def run_it(*arguments, typed=""):
        done = subprocess.run(
            [sys.executable, "-m", "backroom", *map(str, arguments)],
            input=typed,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env=environment(tmp_path),
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    return run_it


def environment(tmp_path):
    return {**os.environ, "BACKROOM_GAMES": str(tmp_path / "games"), "COLUMNS": "100", "LINES": "50", "TERM": "xterm"}


@pytest.fixture
def finished(run, tmp_path):
    """The log of a game between bots."""
    log = tmp_path / "finished.log"
    code, _, _ = run("watch", GAME, "--delay", 0, "--seed", 3, "--save", log)
    assert code == 0
    return log


def test_plain_backroom_says_what_there_is(run):
    code, out, _ = run()
    assert code == 0
    assert all(name in out for name in GAMES)
    assert f"backroom play {GAME}" in out
    assert run("--version")[1] == f"backroom {backroom.__version__}\n"


# playing


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_by_a_person_who_plays_anything(run, name, tmp_path):
    """Enough random numbers for a game: what is no number of a move is refused, and the game goes on."""
    rng = random.Random(1)
    typed = "\n".join(str(rng.randint(1, 6)) for _ in range(20_000))
    code, out, _ = run("play", name, "--seed", "1", typed=typed)
    assert code == 0
    assert re.search(r"wins\.|share it\.", out)
    kept = re.search(r"kept in (\S+);", out)[1]
    assert backroom.replay(Path(kept).read_text()).is_over
    assert run("verify", kept)[0] == 0


@pytest.mark.parametrize("seats", ["--hot-seat", "--bot=random"])
def test_other_company(run, seats):
    code, out, _ = run("play", GAME, seats, "--seed", 1, typed="\n".join(["1"] * 20_000))
    assert code == 0
    assert "The game is kept in" in out


def test_the_commands_at_the_prompt(run, tmp_path):
    copy = tmp_path / "copy.log"
    typed = f"help\nwhy\nwhy nonsense\nwhy 1\nrules 1\nrules 99\nboard\nlog\nposition\n\n99\nsave {copy}\nquit\n"
    code, out, _ = run("play", GAME, "--hot-seat", "--seed", 1, typed=typed)
    assert code == 0
    assert "Type a move by its name" in out
    assert "Say which move, like: why" in out
    assert "cannot play 'nonsense'" in out
    assert "have no §99; they have 1" in out
    assert "there is no move number 99" in out
    assert f"Saved to {copy}" in out
    assert "Go on with: backroom play --resume" in out
    assert copy.read_text().startswith("backroom log 1\n")
    position = re.search(r"> (\S.* \| .*)$", out, re.M)[1]
    assert run("play", GAME, "--from", position, typed="quit\n")[0] == 0


def test_several_moves_on_one_line_and_undo(run):
    table = backroom.game(GAME).table(seed=1)
    (seat,) = table.asked
    first = table.moves(seat)[0]
    table.play(seat, first)
    second = table.moves(seat)[0]
    code, out, _ = run(
        "play", GAME, "--hot-seat", "--seed", 1, typed=f"undo\n{first}, {second}\nundo\nundo\nundo\nquit\n"
    )
    assert code == 0
    assert out.count("there is no move of yours to take back") == 2
    assert f"{second} is taken back." in out
    assert f"{first} is taken back." in out


def test_a_refused_move_in_a_line_of_several_stops_there(run):
    code, out, _ = run("play", GAME, "--hot-seat", "--seed", 1, typed="1, nonsense\nundo\nquit\n")
    assert code == 0
    assert "cannot play 'nonsense'" in out
    assert "is taken back" in out


def test_the_end_of_input_saves_the_game_and_it_goes_on(run):
    code, out, _ = run("play", GAME, "--seed", 1, typed="1\n")
    assert code == 1
    log = re.search(r"--resume (\S+)", out)[1]
    before = Path(log).read_text()
    code, out, _ = run("play", "--resume", log, typed="quit\n")
    assert code == 0
    assert Path(log).read_text() == before
    assert run("play", "--resume", log, typed="\n".join(["1"] * 20_000))[0] == 0
    assert run("verify", log)[0] == 0


def test_ctrl_c_in_the_middle_saves_the_game(tmp_path):
    child = pexpect.spawn(
        sys.executable,
        ["-m", "backroom", "play", GAME, "--seed", "1"],
        env=environment(tmp_path),
        encoding="utf-8",
        timeout=60,
    )
    child.expect("> ")
    child.sendline("1")
    child.expect("> ")
    child.sendintr()
    child.expect(r"Go on with: backroom play --resume (\S+)")
    log = child.match[1]
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130
    assert len(backroom.replay(Path(log).read_text()).lines) >= 2


def test_kill_in_the_middle_loses_no_move(tmp_path):
    log = tmp_path / "kept.log"
    child = pexpect.spawn(
        sys.executable,
        ["-m", "backroom", "play", GAME, "--hot-seat", "--seed", "1", "--save", str(log)],
        env=environment(tmp_path),
        encoding="utf-8",
        timeout=60,
    )
    for _ in range(5):
        child.expect(r"\w> ")
        child.sendline("1")
    child.expect(r"\w> ")
    child.kill(signal.SIGKILL)
    child.wait()
    assert sum(at.seat < 14 for at in backroom.replay(log.read_text()).lines) == 5


def test_a_hidden_screen_between_players_of_a_game_with_secrets(tmp_path):
    """The toy on a real screen: hands are never shown to the other."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import toy, pathlib; from backroom.engine import game;"
        "game.register('pennies', toy.module); import backroom; from backroom.terminal.play import Session;"
        "t = backroom.game('pennies').table(seed=1); sys.exit(Session(t, {}, pathlib.Path(sys.argv[2])).run())"
    )
    child = pexpect.spawn(
        sys.executable,
        ["-c", code, os.path.dirname(__file__), str(tmp_path / "p.log")],
        env=environment(tmp_path),
        encoding="utf-8",
        timeout=60,
    )
    child.expect("Ann> ")
    child.sendline("1")
    child.expect("Hand over to Ben, who presses Enter")
    child.sendline("")
    child.expect("Ben> ")
    assert "bid" not in child.before.split("Waiting")[0]
    child.sendeof()
    child.expect("The game is saved")
    child.expect(pexpect.EOF)


# watching, replaying, verifying


def test_replay_shows_the_game_and_any_moment_of_it(run, finished, tmp_path):
    code, out, _ = run("replay", finished)
    assert code == 0
    assert "wins." in out
    code, out, _ = run("replay", finished, "--at", 5, "--seat", 1)
    assert code == 0
    assert "5 of " in out
    assert run("replay", finished, "--at", 0)[0] == 0
    picture = tmp_path / "board.svg"
    code, out, _ = run("replay", finished, "--at", 5, "--svg", picture)
    assert code == 0
    assert picture.read_text().startswith("<svg")


def test_replay_steps_through_a_game(finished, tmp_path):
    child = pexpect.spawn(
        sys.executable,
        ["-m", "backroom", "replay", str(finished)],
        env=environment(tmp_path),
        encoding="utf-8",
        timeout=60,
    )
    child.expect("q: stop > ")
    child.sendline("")
    child.expect("1 of ")
    child.sendline("20")
    child.expect("20 of ")
    child.sendline("b")
    child.expect("19 of ")
    child.sendline("x")
    child.expect("is not one of these")
    child.sendline("q")
    child.expect(pexpect.EOF)


def test_verify(run, finished, tmp_path):
    code, out, _ = run("verify", finished)
    assert code == 0
    assert "fair. All " in out
    unfair = tmp_path / "unfair.log"
    unfair.write_text(finished.read_text().replace("seed 3", "seed 4"))
    code, _, err = run("verify", unfair)
    assert code == 1
    assert "commits to" in err


def test_counts_rules_and_compiling(run):
    code, out, _ = run("perft", GAME, "--depth", 2, "--split")
    assert code == 0
    assert re.search(r"^2 \d+$", out, re.M)
    assert run("signature", GAME)[1].startswith(f"{GAME} ")
    assert "§1" in run("rules", GAME)[1]
    code, out, _ = run("warm")
    assert code == 0
    assert "They are kept in" in out


# what people get wrong: one line, exit code 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("play", "chess"), "there is no game called 'chess'; there is"),
        (("rules", "chess"), "there is no game called 'chess'"),
        (("signature", "chess"), "there is no game called 'chess'"),
        (("rules", GAME, "99"), "have no §99"),
        (("play", GAME, "--seats", "17"), "not 17"),
        (("play", GAME, "--seat", "9"), "there is no seat 9"),
        (("play", GAME, "--bot", "deepblue"), "there is no bot called 'deepblue'; there is greedy and random"),
        (("play", GAME, "--bot", "greedy", "--hot-seat"), "say --hot-seat or --bot, not both"),
        (("play", GAME, "--option", "colour=red"), "has no option 'colour'"),
        (("play", GAME, "--option", "colour"), "expected --option NAME=VALUE"),
        (("play", GAME, "--seed", "two words"), "a seed is one word"),
        (("play", GAME, "--from", "nowhere"), "there is no such position"),
        (("play", GAME, "--save", "/nowhere/at/all.log"), "No such file or directory"),
        (("play", "--resume", "nothing.log"), "nothing.log: No such file"),
        (("replay", "nothing.log"), "nothing.log: No such file"),
        (("replay", __file__), "line 1: expected 'backroom log 1'"),
        (("replay", "."), "Is a directory"),
        (("watch", GAME, "--delay", "-1"), "--delay"),
        (("perft", GAME, "--depth", "-1"), "--depth"),
        (("nonsense",), "No such command"),
        (("play", GAME, "--nonsense"), "No such option"),
    ],
)
def test_what_people_get_wrong_is_said_in_a_line(run, arguments, said):
    code, _, err = run(*arguments)
    assert code == 2
    assert said in re.sub(r"\s+", " ", err.replace("│", " "))


def test_broken_logs_are_refused(run, finished, tmp_path):
    broken = tmp_path / "broken.log"
    for text, said in [
        (finished.read_text()[:200], "line "),
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
    assert "is not text" in err


def test_a_log_without_its_seed_cannot_go_on(run, tmp_path):
    log = tmp_path / "public.log"
    log.write_text(str(backroom.game(GAME).table(seed=1).log))
    code, _, err = run("play", "--resume", log)
    assert code == 2
    assert "holds no seed, so its dice cannot go on" in err


def test_seats_and_moments_that_there_are_not(run, finished):
    assert "wants a number from 0 to" in run("replay", finished, "--at", 9999)[2]
    assert "there is no seat 7" in run("replay", finished, "--seat", 7)[2]

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
import toy
from terminals import GAME, GAMES, SHORT, environment, in_a_terminal, interrupt

import backroom
import backroom.__main__ as commands
from backroom.bots import DEFAULT
from backroom.engine.game import Game
from backroom.engine.kernel import SPECTATOR
from backroom.engine.phrases import listing
from backroom.engine.table import Table
from backroom.scene.text import runs
from backroom.terminal.play import Session
from backroom.terminal.watch import replay, show_way


def test_plain_backroom_says_what_there_is(run):
    code, out, _ = run()
    assert code == 0
    assert all(name in out for name in GAMES)
    assert f"backroom play {GAMES[0]}" in out
    assert "backroom serve" in out
    assert run("--version")[1] == f"backroom {backroom.__version__}\n"


# playing


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_by_a_person_who_plays_anything(run, name, tmp_path):
    """Enough signs of a list to finish a game; those that name no open move are refused, and the game goes on."""
    rng = random.Random(1)
    typed = [rng.choice("abcdef123456") for _ in range(20_000)]
    if hasattr(backroom.game(name).rules, "MAKES"):  # nothing but the maker leaves a list or ends it
        typed[9::10] = ["back"] * 2000
        typed[500:] = ["done"]
    code, out, _ = run("play", name, "--seed", "1", typed="\n".join(typed))
    assert code == 0
    assert "The game is over" in out
    kept = re.search(r"again with: .* replay (\S+)", out)[1]
    assert backroom.replay(Path(kept).read_text()).is_over
    assert run("verify", kept)[0] == 0


@pytest.mark.parametrize("name", [name for name in GAMES if list(backroom.game(name).seats) == [1]])
def test_a_game_for_one_has_no_bots(run, name):
    code, out, _ = run("play", name, typed="undo\na\n1\nundo\nquit\n")
    assert code == 0
    assert "is played by" not in out
    assert "is taken back" in out
    code, _, err = run("play", name, "--bot", "random")
    assert code == 2
    assert "1 bot wants to sit, and there is no seat for any" in err
    assert f"{name}: for 1 player." in run()[1]


@pytest.mark.parametrize("seats", ["--hot-seat", "--bot=random"])
def test_other_company(run, seats):
    code, out, _ = run("play", GAME, seats, "--seed", 1, typed="\n".join(["a"] * 20_000))
    assert code == 0
    assert "Look at it again with:" in out


def test_the_commands_at_the_prompt(run, tmp_path):
    copy = tmp_path / "copy.log"
    commands = ["help", "?", "h", "why", "why nonsense", "why a", "rules 1", "rules 99", "board", "log", "position"]
    commands += ["", "99", "9" * 5000, "[/x]", "why [/x]", "\x00", f"save {copy}", f"save {copy}", "save", "q"]
    code, out, _ = run("play", GAME, "--hot-seat", "--seed", 1, typed="\n".join(commands))
    assert code == 0
    assert out.count("Type a move by its name") == 3
    assert "Say which move, like: why" in out
    assert "cannot play 'nonsense'" in out
    assert "is allowed." in out
    assert "have no §99; they have 1" in out
    assert "cannot play '99'" in out
    assert "99999999999999999999… is too long for a move" in out
    assert out.count("cannot play '[/x]'") == 2
    assert f"Saved to {copy}" in out
    assert f"{copy} is there already; name a file that is not" in out
    assert re.search(r"Go on with: .* play --resume /", out)
    assert copy.read_text().startswith("backroom log 1\n")
    position = re.search(r"> (\S.* \| .*)$", out, re.M)[1]
    assert run("play", GAME, "--from", position, typed="quit\n")[0] == 0


def test_a_welcome_says_what_it_is_and_who_is_who(run):
    game = backroom.game(GAME)
    _, out, _ = run("play", GAME, "--seat", 1, "--bot", "random", typed="quit\n")
    first = out.splitlines()[0]
    assert first.startswith(f"{game.title}: ")
    assert f"You are {game.rules.SEAT_NAMES[1]}. {game.rules.SEAT_NAMES[0]} is played by random. Type help" in out
    _, out, _ = run("play", GAME, "--hot-seat", typed="quit\n")
    assert "play at this keyboard" in out


def test_play_alone_asks_which_game_and_takes_its_number_or_its_title(run):
    longest = max(GAMES, key=len)
    for typed in (str(GAMES.index(longest) + 1), longest, backroom.game(longest).title):
        _, out, _ = run("play", typed=f"{typed}\nquit\n")
        assert out.count(f"{backroom.game(longest).title}: ") == 1
    assert run("play", typed="none\n")[2].startswith("backroom: there is no game called 'none'; there is ")


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
    who = backroom.game(GAME).seat_name(seat)
    assert f"{who}'s {second} is taken back." in out
    assert f"{who}'s {first} is taken back." in out


def test_a_refused_move_in_a_line_of_several_stops_there(run):
    code, out, _ = run("play", GAME, "--hot-seat", "--seed", 1, typed="a, nonsense\nundo\nquit\n")
    assert code == 0
    assert "cannot play 'nonsense'" in out
    assert "is taken back" in out


def test_the_end_of_input_saves_the_game_and_it_goes_on(run):
    code, out, _ = run("play", GAME, "--seed", 1, typed="a\n")
    assert code == 1
    log = re.search(r"--resume (\S+)", out)[1]
    assert f"\nseat 1 {DEFAULT}\n" in Path(log).read_text()
    before = Path(log).read_text()
    code, out, _ = run("play", "--resume", log, typed="quit\n")
    assert code == 0
    assert Path(log).read_text() == before
    assert run("play", "--resume", log, typed="\n".join(["a"] * 20_000))[0] == 0
    assert run("verify", log)[0] == 0


@pytest.mark.parametrize("company", [("--hot-seat",), ("--seat", "1", "--bot", "random")])
def test_who_sits_where_is_kept_with_the_game(run, tmp_path, company):
    log = tmp_path / "kept.log"
    run("play", GAME, "--seed", 1, "--save", log, *company, typed="a\nquit\n")
    before = log.read_text()
    code, out, _ = run("play", "--resume", log, typed="quit\n")
    assert code == 0
    assert log.read_text() == before
    assert ("play at this keyboard" in out) == (company == ("--hot-seat",))
    code, out, _ = run("play", "--resume", log, "--hot-seat", typed="quit\n")
    assert "play at this keyboard" in out


def test_names_and_seats_survive_going_on(run, tmp_path):
    log = tmp_path / "named.log"
    run("play", GAME, "--seed", 1, "--save", log, "--seat", 1, typed="quit\n")
    log.write_text(log.read_text().replace("\noption", "\nseat 1 Anna\noption", 1))
    code, out, _ = run("play", "--resume", log, "--bot", "random", typed="quit\n")
    assert code == 0
    assert f"You are {backroom.game(GAME).seat_name(1)}" in out
    assert "\nseat 0 random\nseat 1 Anna\n" in log.read_text()


def test_a_game_that_bots_have_to_themselves(run, tmp_path):
    log = tmp_path / "bots.log"
    log.write_text(str(backroom.Table(backroom.game(GAME), seed=1, who={0: "greedy", 1: "greedy"}).save))
    code, _, err = run("play", "--resume", log)
    assert code == 2
    assert "bots have all seats; say where you sit" in err
    code, out, _ = run("play", "--resume", log, "--seat", 1, typed="quit\n")
    first, second = backroom.game(GAME).rules.SEAT_NAMES[:2]
    assert code == 0
    assert f"You are {second}. {first} is played by greedy" in out
    code, out, _ = run("play", "--resume", log, "--seat", 0, typed="quit\n")  # and now the other side
    assert f"You are {first}. {second} is played by greedy" in out
    code, _, err = run("play", "--resume", log, "--seat", 9)
    assert code == 2
    assert "there is no seat 9" in err
    log.write_text(log.read_text().replace("seat 1 greedy", "seat 7 greedy"))
    code, _, err = run("replay", log)
    assert code == 2
    assert "nobody can sit at seat 7" in err


def test_looking_at_a_finished_game_again_writes_nothing(run, finished):
    before = finished.read_bytes()
    code, out, _ = run("play", "--resume", finished, "--hot-seat")
    assert code == 0
    assert "The game is over" in out
    assert finished.read_bytes() == before


def test_several_moves_on_a_line_do_not_run_into_dice_that_nobody_has_seen():
    """The toy: Ann's two bids on one line, with the reveal of all bids and a roll between them."""
    table = Table(Game(toy.module()), seed=1)
    table.play(1, table.moves(1)[0])
    session = Session(table, {}, Path(os.devnull))
    session.save = lambda: None
    assert session.obey(0, f"{table.moves(0)[0]}, 1")
    assert "is not played: something else has happened first" in session.notice


CLAIMS = ["rum-run", "--seats", 3, "--objectives", "yes", "--claims", "noticed", "--from"]
BOTH = "blue g6:1|2v | red h7:1|2< | orange f7:1|2>+4 e7:2|2 | broken 2 1 0 | supply c3:0 k4:0 j10:0 d11:0"
"""Blue and Orange may each claim an objective."""


def test_bots_claim_out_of_turn(run):
    _, out, _ = run("play", *CLAIMS, BOTH, "--bot", "beginner", typed="quit\n")
    assert out.index("Orange claims Biggest Stash (§11.1)") < out.index("Blue>")
    _, out, _ = run("watch", *CLAIMS, f"{BOTH} | turn red", "beginner", "--delay", 0)
    assert out.index("Blue claims Broke Most") < out.index("Orange claims Biggest Stash") < out.index("Red places")


def test_people_who_are_not_asked_may_claim_before_bots(run):
    typed = "claim broke most\nquit\n"
    _, out, _ = run("play", *CLAIMS, f"{BOTH} | turn red", "--bot", "beginner", typed=typed)
    assert out.index("Blue claims Broke Most (§11.1)") < out.index("Orange claims Biggest Stash (§11.1)")


def test_a_replay_tells_a_seat_no_more_than_it_saw(capsys):
    table = Table(Game(toy.module()), seed=1)
    table.play(0, table.moves(0)[0])
    replay(table, len(table.lines), 1, None)
    told = capsys.readouterr().out
    assert "Waiting for Ben" in told  # that somebody has chosen, and not what
    assert "bid" not in told
    replay(table, None, SPECTATOR, None)
    assert "deal" not in capsys.readouterr().out


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("command", ["play", "watch", "perft"])
def test_no_option_of_a_game_has_the_name_of_a_flag(run, command, name):
    code, out, _ = run(command, name, "--help")
    assert code == 0
    assert all(f"--{option.name.replace('_', '-')}" in out for option in backroom.game(name).options)


@pytest.mark.parametrize("name", GAMES)
def test_help_names_the_seats_and_the_bots_of_a_game(run, name):
    game = backroom.game(name)
    for command in ("play", "watch", "arena"):
        said = " ".join(run(command, name, "--help")[1].replace("│", " ").split())
        assert f"The number of seats: {listing(map(str, game.seats))}." in said
        assert f"from weak to strong: {listing(backroom.bots.offered(game), 'and')}." in said
    assert "bots" not in run("perft", name, "--help")[1]


def test_ctrl_c_is_heard_while_perft_counts(tmp_path):
    child = in_a_terminal(tmp_path, "perft", GAME, "--depth", 40)
    child.expect("\n8 ")
    interrupt(child)


def test_nothing_that_is_there_is_overwritten(run, finished, tmp_path):
    thesis, link = tmp_path / "thesis.txt", tmp_path / "link.log"
    thesis.write_text("mine")
    link.symlink_to(thesis)
    for arguments in [
        ("play", GAME, "--save", thesis),
        ("play", GAME, "--save", link),
        ("play", GAME, "--save", "/dev/null"),
        ("watch", GAME, "--save", thesis),
        ("replay", finished, "--svg", thesis),
    ]:
        code, _, err = run(*arguments, typed="quit\n")
        assert code == 2
        assert "is there already" in err or "ends in .svg" in err
    _, out, _ = run("play", GAME, typed=f"save {thesis}\nsave /dev/null\nsave {tmp_path}\nsave ~nobody-there/x\nquit\n")
    assert out.count("is there already") == 2
    assert "is a folder; name a file" in out
    assert "no name of a file" in out
    assert thesis.read_text() == "mine"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_folder_that_vanishes_does_not_end_the_game(tmp_path):
    folder = tmp_path / "van"
    folder.mkdir()
    child = in_a_terminal(tmp_path, "play", GAME, "--hot-seat", "--seed", "1", "--save", str(folder / "x.log"))
    child.expect(r"\w> ")
    (folder / "x.log").unlink()
    folder.rmdir()
    child.sendline("a")
    child.expect("This game cannot be saved in")
    child.expect(r"\w> ")
    child.sendline(f"save {tmp_path / 'rescued.log'}")
    child.expect("Saved to")
    child.sendline("a")
    child.expect(r"\w> ")
    child.sendline("quit")
    child.expect(pexpect.EOF)
    assert sum(at.seat < 14 for at in backroom.replay(tmp_path / "rescued.log").lines) == 2


def test_two_sessions_on_one_file_lose_nothing(run, tmp_path):
    log = tmp_path / "shared.log"
    run("play", GAME, "--hot-seat", "--seed", 1, "--save", log, typed="quit\n")
    child = in_a_terminal(tmp_path, "play", "--resume", str(log), size=(50, 250))
    child.expect(r"\w> ")
    run("play", "--resume", log, typed="a\na\nquit\n")
    other = log.read_text()
    child.sendline("a")
    child.expect("was changed by somebody else; this game goes on in")
    child.expect(r"\w> ")
    child.sendline("quit")
    child.expect(pexpect.EOF)
    assert log.read_text() == other


def test_without_any_input_or_output(tmp_path):
    for closed in ("<&-", ">&-"):
        done = subprocess.run(
            f"{sys.executable} -m backroom play {GAME} --seed 1 {closed}",
            shell=True,
            env=environment(tmp_path),
            input="quit\n" if closed == ">&-" else None,
            text=True,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert "Traceback" not in done.stderr


def test_ctrl_c_in_the_middle_saves_the_game(tmp_path):
    child = in_a_terminal(tmp_path, "play", GAME, "--seed", "1")
    child.expect(r"\w> ")
    child.sendline("a")
    child.expect(r"\w> ")
    child.sendintr()
    child.expect(r"--resume (\S+)")
    log = child.match[1]
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130
    assert len(backroom.replay(Path(log).read_text()).lines) >= 2


def test_kill_in_the_middle_loses_no_move(tmp_path):
    log = tmp_path / "kept.log"
    child = in_a_terminal(tmp_path, "play", GAME, "--hot-seat", "--seed", "1", "--save", str(log))
    for _ in range(5):
        child.expect(r"\w> ")
        child.sendline("a")
    child.expect(r"\w> ")
    child.kill(signal.SIGKILL)
    child.wait()
    assert sum(at.seat < 14 for at in backroom.replay(log.read_text()).lines) == 5


def test_a_hidden_screen_between_players_of_a_game_with_secrets(tmp_path):
    """The toy on a real screen: a hand is never shown to the other player."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import toy, pathlib; from backroom.engine import registry;"
        "registry.register('pennies', toy.module); import backroom; from backroom.terminal.play import Session;"
        "t = backroom.game('pennies').table(seed=1); sys.exit(Session(t, {}, pathlib.Path(sys.argv[2])).run())"
    )
    child = pexpect.spawn(
        sys.executable,
        ["-c", code, os.path.dirname(__file__), str(tmp_path / "p.log")],
        env=environment(tmp_path),
        encoding="utf-8",
        timeout=60,
    )
    child.expect("Hand over to Ann, who presses Enter")  # everybody may be looking when the game begins
    assert "Ann" not in child.before
    child.sendline("")
    child.expect("Ann> ")
    child.sendline("a")
    child.expect("Hand over to Ben, who presses Enter")
    child.sendline("")
    child.expect("Ben> ")
    assert "bid" not in child.before.split("Waiting")[0]
    child.sendline("undo")  # Ann's bid is not Ben's to take back, nor to read
    child.expect("Ben has made no move to take back")
    child.sendeof()
    child.expect("The game is saved")
    child.expect(pexpect.EOF)


# watching, replaying, verifying


def test_bots_are_named_with_their_plans(run, tmp_path):
    kept = tmp_path / "watched.log"
    code, out, _ = run("watch", GAME, "search:2", "random", "--delay", 0, "--seed", 3, "--save", kept)
    assert code == 0
    assert "The game is over" in out
    assert backroom.replay(kept).who == {0: "search:2", 1: "random"}
    assert run("watch", GAME, "search:2", "random", "--delay", 0, "--seed", 3)[1] in out  # it goes the same way again
    assert "from 0 to" in run("watch", GAME, "search:-2")[2]
    code, out, _ = run("arena", GAME, "search:2", "random", "--games", 2, "--threads", 1)
    assert code == 0
    assert "search:2" in out
    code, out, _ = run("play", GAME, "--bot", "search:2", typed="quit\n")
    assert "is played by search:2" in out


def test_replay_shows_the_game_and_any_moment_of_it(run, finished, tmp_path):
    code, out, _ = run("replay", finished)
    assert code == 0
    assert "The game is over" in out
    code, out, _ = run("replay", finished, "--at", 5, "--seat", 1)
    assert code == 0
    assert "5 of " in out
    assert run("replay", finished, "--at", 0)[0] == 0
    picture = tmp_path / "board.svg"
    code, out, _ = run("replay", finished, "--at", 5, "--svg", picture)
    assert code == 0
    assert picture.read_text().startswith("<svg")


def test_replay_steps_through_a_game(finished, tmp_path):
    child = in_a_terminal(tmp_path, "replay", str(finished))
    child.expect("q: stop > ")
    child.sendline("")
    child.expect("1 of ")
    child.sendline("20")
    child.expect("20 of ")
    child.sendline("b")
    child.expect("19 of ")
    child.sendline("x")
    child.expect("is not one of these")
    child.expect("q: stop > ")
    interrupt(child)


@pytest.mark.parametrize("name", [name for name in GAMES if hasattr(backroom.game(name).rules, "between")])
def test_a_move_that_goes_a_way_is_shown_stage_by_stage(name, capsys):
    game = backroom.game(name)
    for log in sorted((game.folder / "tests" / "golden").glob("*.log")):
        table = backroom.replay(log.read_text())
        number = next((number for number in range(1, len(table.lines) + 1) if table.way(number)), None)
        if number is not None:
            break
    stages = [game.rules.draw(v, SPECTATOR) for v in table.way(number)]
    show_way(table, number, SPECTATOR, 0.0)
    boards = ["".join(text for text, _ in line).rstrip() for scene in stages for line in runs(scene, ())]
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()] == [*filter(None, boards)]


@pytest.mark.parametrize("name", GAMES)
def test_whom_the_rules_are_owed_to_is_said_with_every_part_of_them(run, name):
    head = backroom.game(name).rulebook.split("\n## ")[0]
    owed = re.sub(r"[*\[\]]|\(http\S*\)", "", " ".join(re.findall("^> (.*)", head, re.M)))
    for arguments in (["rules", name], ["rules", name, "1"]):
        said = " ".join(run(*arguments)[1].replace("▌", " ").split())
        assert owed in said


def test_verify(run, finished, tmp_path):
    code, out, _ = run("verify", finished)
    assert code == 0
    assert "fair. All " in out
    unfair = tmp_path / "unfair.log"
    unfair.write_text(finished.read_text().replace("seed 3", "seed 4"))
    code, _, err = run("verify", unfair)
    assert code == 1
    assert "not fair" in err
    assert "commits to" in err
    unfair.write_text("nonsense")
    assert run("verify", unfair)[0] == 2


def test_counts_rules_and_compiling(run):
    code, out, _ = run("perft", GAME, "--depth", 2, "--split")
    assert code == 0
    assert re.search(r"^2 \d+$", out, re.M)
    assert run("signature", SHORT)[1].startswith(f"{SHORT} ")
    assert "§1" in run("rules", GAME)[1]
    code, out, _ = run("warm", SHORT)  # all of them are what make test begins with
    assert code == 0
    assert "They are kept in" in out


def test_each_game_says_once_that_its_rules_are_compiled(tmp_path, monkeypatch, capsys):
    """Each game says it once, whatever other games were compiled before."""
    monkeypatch.setattr(commands, "mark", lambda word: tmp_path / word)
    first, other = (backroom.game(name) for name in list(backroom.names())[:2])
    for game, waits in ((None, True), (first, True), (other, True), (first, False), (other, False)):
        commands.say_that_kernels_compile(game)
        said = capsys.readouterr().err
        assert ("compiled first" in said) == waits
        assert game is None or not waits or game.title in said


def test_help_compiles_nothing_and_says_nothing_of_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(commands, "mark", lambda word: tmp_path / word)
    for words in (
        ["--help"],
        ["play", "--help"],
        ["play", GAME, "--help"],
        ["watch", "--help"],
        *([name, "--help"] for name in ("replay", "verify", "analyse", "signature")),
    ):
        commands.app(words, standalone_mode=False)
        said = capsys.readouterr()
        assert "Usage" in said.out
        assert "compiled" not in said.err


def test_the_log_at_the_prompt_does_not_count_what_others_did_unseen(tmp_path, capsys):
    """A gap in its numbers would reveal how often another player changed a sealed choice."""
    unseen = 0
    for game in map(backroom.game, GAMES):
        table = game.table(seed="1")
        rng = random.Random(1)
        while not table.is_over and len(table.lines) < 300:
            seat = rng.choice([seat for seat in range(table.seats) if table.moves(seat)])
            table.play(seat, rng.choice(table.moves(seat)))
        for seat in range(table.seats):
            Session(table, {}, tmp_path / "game.log").do_log(seat, "")
            told = re.findall(r"^ *(\d+)  \S", capsys.readouterr().out, re.M)
            assert [int(number) for number in told] == list(range(1, len(told) + 1))
            unseen += len(table.lines) - len(told)
    assert unseen > 50

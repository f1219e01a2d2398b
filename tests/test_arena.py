"""The arena's commands: repeatable contests, and analyses of games."""

import json

import pytest
import terminals
from terminals import GAME, GAMES

import backroom
from backroom.arena.analysis import analyse
from backroom.bots import judge_of
from backroom.engine.kernel import NATURE


def test_a_contest_is_told_and_can_be_repeated(run, tmp_path):
    file = tmp_path / "results.json"
    words = ("arena", GAME, "greedy", "random", "search:9", "--games", 4, "--seed", 9, "--threads", 2, "--json", file)
    code, out, _ = run(*words)
    assert code == 0
    found = json.loads(file.read_text())
    assert [(row["first"], row["second"], row["games"]) for row in found["results"]] == [
        ("greedy", "random", 4),
        ("greedy", "search:9", 4),
        ("random", "search:9", 4),
    ]
    assert all(row["interval"][0] <= row["share"] <= row["interval"][1] for row in found["results"])
    assert len(found["ladder"]) == 3
    assert f"arena {GAME} greedy random search:9 --games=4 --seed=9" in out
    code, out, _ = run("arena", GAME, "greedy", "random", "--games", 3000, "--until-sure", "--opening", 2)
    assert code == 0
    assert f"arena {GAME} greedy random --games=3000 --seed=0 --opening=2 --until-sure" in out


def test_bots_that_differ_in_a_parameter_are_told_apart(run):
    names = [f"search:iterations=9,playout={length},exploring=0.25" for length in (3, 4)]
    code, out, _ = run("arena", GAME, *names, "random", "--games", 2)
    table, _ = out.split("Again with")
    assert code == 0
    assert "…" not in table
    cells = ["".join(line.replace("┃", "│").split("│")[1:2]).strip() for line in table.splitlines()]
    assert all(name in "".join(cells) for name in names)


def test_one_seed_shows_no_spread(run):
    _, out, _ = run("arena", GAME, "greedy", "random", "--games", 2)
    assert "± 0.000" not in out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("greedy",), "expected two different bots or more, not greedy"),
        (("greedy", "greedy"), "expected two different bots or more, not greedy greedy"),
        (("greedy", "nobody"), "there is no bot called 'nobody'"),
        (("greedy", "random", "--games", "0"), "--games"),
        (("greedy", "random", "--opening", "-1"), "--opening"),
        (("greedy", "random", "--json", "/nowhere/at/all.json"), "there is no folder /nowhere/at"),
        (("greedy", "random", "--seats", "17"), "not 17"),
    ],
)
def test_contests_that_cannot_be(run, words, why):
    code, out, err = run("arena", GAME, *words)
    assert (code, out) == (2, "")
    assert why in err


def test_a_game_is_analysed(run, tmp_path, finished):
    file = tmp_path / "analysis.json"
    code, out, _ = run("analyse", finished, "--effort", 0.05, "--json", file)
    assert code == 0
    found = json.loads(file.read_text())
    assert "of a win in all" in out
    assert {decision["seat"] for decision in found["decisions"]} == {0, 1}
    for decision in found["decisions"]:
        worths = [one["worth"] for one in decision["considered"]]
        assert worths == sorted(worths, reverse=True)
        assert decision["error"] == pytest.approx(worths[0] - decision["worth"])
        assert decision["played"] in [one["move"] for one in decision["considered"]]
    assert run("analyse", finished, "--json", "/nowhere/at/all.json")[0] == 2
    code, _, err = run("analyse", finished, "--bot", "random")
    assert code == 2
    assert "cannot judge" in err


@pytest.mark.parametrize("name", GAMES)
def test_any_game_can_be_analysed(name):
    game = backroom.game(name)
    table = game.table(seed=4)
    for number in range(60):
        if table.is_over:
            break
        seat = table.asked[0]
        names = table.moves(seat)
        table.play(seat, names[number % len(names)])
    found = analyse(table, judge_of(game, 0.05))
    assert bool(found.chances) == any(line.seat == NATURE for line in table.lines)
    assert all(abs(luck) <= 1 for chance in found.chances for luck in chance.luck.values())
    assert all(decision.error >= 0 for decision in found.decisions)
    assert sum(decision.seat == 0 for decision in found.decisions) == found.as_json()["seats"][0]["decisions"]


def test_in_an_open_game_one_roll_is_luck_for_one_and_against_the_other():
    game = backroom.game(terminals.GAME)
    found = analyse(game.table(seed=4), judge_of(game, 0.05))
    for chance in found.chances:
        assert chance.luck[0] == pytest.approx(-chance.luck[1])

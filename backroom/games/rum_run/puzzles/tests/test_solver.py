"""The solver's proofs for kept and generated puzzles, and a comparison with a second opinion in plain Python."""

import time
from dataclasses import replace

import pytest

from backroom.engine.kernel import dice_from
from backroom.engine.options import BadOption
from backroom.games.rum_run.pieces import ARMS, VARIANTS
from backroom.games.rum_run.puzzles import generator, solver
from backroom.games.rum_run.puzzles.generator import generate
from backroom.games.rum_run.puzzles.notation import read_puzzle
from backroom.games.rum_run.puzzles.options import KEPT
from backroom.games.rum_run.puzzles.rules import at_least
from backroom.games.rum_run.puzzles.solver import DIFFICULTIES, begin, solve
from backroom.games.rum_run.rules.state import NODE, PICK, PLACE

from .boards import GAME, after
from .plain import count_solutions, placings_of, read

PUZZLES = {name: read_puzzle(kept["puzzle"]) for name, kept in KEPT.items()}

MADE = {
    ("easy", 1): (
        "size 7 | town b2 | barrel b7 | in 4"
        " | tokens 1|6 2|2 2|4 3|4 3|5 5|6 | boulders e2 c3 | blue b3:3|6^ | red d5:6|6"
    ),
    ("easy", 17): (
        "size 7 | town c1 | barrel c7 | in 5"
        " | tokens 1|4 2|4 2|5 2|6 3|5 5|6 | boulders g1 b2 d3 | blue c2:1|3^ | red d7:2|4<"
    ),
    ("medium", 1): (
        "size 5 | town b4 | barrel d1 | in 4"
        " | tokens 1|5 2|2 2|4 3|5 4|5 5|5 | boulders d4 | blue b3:1|3^ | red c5:1|4^ d5:1|1"
    ),
    ("medium", 17): (
        "size 6 | town c4 | barrel f6 | in 4 | tokens 1|2 1|4 2|3 3|4 4|4 5|5 | boulders a2 a4 c6 | blue d4:6|1<"
    ),
    ("hard", 1): (
        "size 6 | town b3 | barrel f1 | in 5"
        " | tokens 1|1 2|3 2|4 3|3 4|6 5|6 | boulders a2 a3 e5 | blue b2:3|6^ | red c1:1|1 f5:1|4<"
    ),
    ("hard", 17): (
        "size 6 | town f6 | barrel b3 | in 6 | tokens 2|3 2|5 3|3 3|4 5|6 6|6 | boulders a5 a6 b6 c6 | blue f5:6|4^"
    ),
}


def test_there_are_five_of_each_difficulty_and_the_fifth_needs_forest_folk():
    assert list(KEPT) == [f"{difficulty}-{number}" for difficulty in DIFFICULTIES for number in (1, 2, 3, 4, 5)]
    assert len({str(puzzle) for puzzle in PUZZLES.values()}) == 15
    assert [name for name, kept in KEPT.items() if "*" in kept["solution"]] == ["easy-5", "medium-5", "hard-5"]


@pytest.mark.parametrize("name", KEPT)
def test_2_3_a_kept_puzzle_has_exactly_one_shortest_solution(name):
    """The proof is the expected one, and playing its solution move by move solves the puzzle."""
    proof = solve(PUZZLES[name])
    assert (proof.ways, proof.fewest) == (1, PUZZLES[name].fewest)
    assert ", ".join(proof.solution) == KEPT[name]["solution"]
    assert proof.difficulty == name.split("-")[0]
    s = after(GAME.start(*GAME.settle(1, {"puzzle": name})), *proof.solution)
    assert GAME.score(s, 1) == (1,)


@pytest.mark.parametrize("name", KEPT)
def test_a_second_opinion_finds_the_same_solution_and_no_other(name):
    """§2.3 in plain Python: with one placing fewer there is none, with as many there is one."""
    board = read(str(PUZZLES[name]))
    fewest = PUZZLES[name].fewest
    assert [count_solutions(board, left) for left in (fewest - 1, fewest)] == [0, 1]


def test_a_second_opinion_on_every_placing():
    """What the rules offer in random play, node by node, is what the plain rulebook allows."""
    dice, looked = dice_from(11), 0
    for name, puzzle in PUZZLES.items():
        s = GAME.start(*GAME.settle(1, {"puzzle": name}))
        for _ in GAME.stroll(s, 1, dice):
            if s.node < 0 and s.token < 0 and s.reserve > 0 and s.depth == 1:
                where = GAME.rules.position(s)
                by_node = {placed for move in GAME.moves(s, 0) if is_node(move) for placed in placed_after(s, move)}
                by_token = {placed for move in GAME.moves(s, 0) if move < NODE for placed in placed_after(s, move)}
                assert by_node == by_token == placings_of(read(str(puzzle), where)), f"{puzzle} | {where}"
                looked += 1
    assert looked > 30


def is_node(move):
    return NODE <= move < PICK


def placed_after(s, move):
    """The placings that come after a first choice: where, and the numbers that are shown to each side."""
    chosen = GAME.after(s, 0, move)
    for placing in GAME.moves(chosen, 0)[:-1]:
        then = GAME.after(chosen, 0, placing)
        node = (placing - PLACE) // (VARIANTS * 4)
        yield node, tuple(int(number) for number in ARMS[then.face[node]])


def test_what_is_too_far_is_left_out_rightly(monkeypatch):
    """The search without the bound finds the same."""
    puzzle = read_puzzle("size 4 | town b4 | barrel c2 | tokens 1|2 1|4 2|4 3|4 4|4 5|6 | boulders c4 d2")
    proof = solve(puzzle)
    monkeypatch.setattr(solver, "at_least", lambda s: 1)
    without = solve(puzzle)
    assert replace(without, met=0) == replace(proof, met=0)
    assert without.met > proof.met
    assert at_least(begin(puzzle)) == 3


def test_a_position_is_solved_from_where_it_stands():
    s = begin(next(iter(PUZZLES.values())))
    way = solver.solution(s)
    assert way is not None
    assert after(s, *way).winners
    half = after(s, way[0].split()[0])
    assert solver.solution(half) == ("back", *way)
    assert solver.solution(after(s, *way)) is None


def test_unsolvable_is_said():
    assert solve(read_puzzle("size 4 | town a4 | barrel d1 | tokens 1|2 1|4 2|3 3|4 4|5 5|6")) is None  # no double


# §6 Difficulty


def test_6_1_difficulty_is_what_the_solution_needs():
    said = {
        "easy": "size 7 | town b2 | barrel b7 | tokens 1|6 2|2 2|4 3|4 3|5 5|6 | boulders e2 c3 | blue b3:3|6^",
        "medium": "size 6 | town a3 | barrel e4 | tokens 1|2 1|5 2|6 3|5 4|4 4|5 | boulders a5 d5",
        "hard": "size 6 | town a5 | barrel b1 | tokens 1|3 1|6 2|3 2|4 2|5 5|5 | boulders d2 f3 | red b2:1|2^",
        "": "size 6 | town a3 | barrel d3 | tokens 1|2 1|5 2|6 3|3 4|4 4|5 | blue b3:1|3<",
    }
    for difficulty, text in said.items():
        assert solve(read_puzzle(text)).difficulty == difficulty


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_6_2_the_same_number_makes_the_same_puzzle(difficulty):
    begun = time.process_time()
    for number in (1, 17):
        puzzle = generate(difficulty, number)
        assert str(puzzle) == MADE[difficulty, number]
        proof = solve(puzzle)
        assert (proof.ways, proof.fewest, proof.difficulty) == (1, puzzle.fewest, difficulty)
    assert time.process_time() - begun < 20


def test_6_2_what_does_not_come_out_is_said(monkeypatch):
    monkeypatch.setattr(generator, "MOST_TRIES", 1)
    with pytest.raises(BadOption, match=r"hard 998: no puzzle came out in 1 tries; take another number .§6\.2"):
        GAME.table(puzzle="hard 998")


# §7 Options


def test_7_1_a_puzzle_can_be_written_out_on_one_line_or_several():
    line = MADE["hard", 17]
    table = GAME.table(puzzle="hard 17")
    assert table.options == {"puzzle": line}
    assert GAME.table(puzzle=line).options == {"puzzle": line}
    lines = "\n".join(reversed(line.split(" | ")))
    assert GAME.table(puzzle=lines).options == {"puzzle": line}
    without = " | ".join(part for part in line.split(" | ") if not part.startswith("in "))
    assert GAME.table(puzzle=without).options == {"puzzle": line}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("size 4 | town b4 | barrel b2 | tokens 1|2 1|4 2|3 3|4 4|5 5|6", r"it has \d+ shortest solutions of 2"),
        ("size 4 | town a4 | barrel d1 | tokens 1|2 1|4 2|3 3|4 4|5 5|6", "cannot be solved in six placings"),
        (
            "size 6 | town a3 | barrel e4 | in 4 | tokens 1|2 1|5 2|6 3|5 4|4 4|5 | boulders a5 d5",
            "in 5 placings, not in 4",
        ),
        ("easy-6", "is no part of it"),
        ("hard -1", "is no part of it"),
    ],
)
def test_what_is_no_puzzle_is_refused(text, wrong):
    with pytest.raises(BadOption, match=wrong):
        GAME.table(puzzle=text)

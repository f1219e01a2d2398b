"""Lessons fit the rules: right moves are legal, wrong ones are answered, and what is pointed at is in the picture."""

import re

import pytest

import backroom
from backroom.engine.lessons import BadLesson, Pupil, lessons, read
from backroom.engine.protocol import IllegalMove

TAUGHT = [name for name in backroom.names() if (backroom.game(name).folder / "lessons").is_dir()]
LESSONS = [(name, lesson) for name in TAUGHT for lesson in lessons(backroom.game(name))]
each_lesson = pytest.mark.parametrize(("name", "lesson"), LESSONS, ids=lambda each: getattr(each, "name", each))


def pupils(game, lesson):
    """A pupil at each step, who has given the first right answer to all steps before."""
    pupil = Pupil(game, lesson)
    while pupil.step is not None:
        yield pupil
        assert pupil.answer(next(iter(pupil.step.right), "")).is_right


def test_every_game_for_several_is_taught():
    assert {name for name in backroom.names() if max(backroom.game(name).seats) > 1} == set(TAUGHT)


@each_lesson
def test_a_lesson_can_be_played_to_its_end(name, lesson):
    assert 5 <= len(lesson.steps) <= 8
    game = backroom.game(name)
    for pupil in pupils(game, lesson):
        open_now = pupil.table.moves(lesson.seat)
        assert set(pupil.step.right) <= set(open_now)
    assert pupil.step is None
    with pytest.raises(IllegalMove):
        pupil.answer("")


@each_lesson
def test_every_right_move_goes_on_and_every_other_is_answered(name, lesson):
    game = backroom.game(name)
    for number, step in enumerate(lesson.steps):
        if not step.right:
            continue
        for move in next(p for p in pupils(game, lesson) if p.number == number).table.moves(lesson.seat):
            pupil = next(p for p in pupils(game, lesson) if p.number == number)
            state = game.key(pupil.table.state)
            answer = pupil.answer(move)
            assert answer.is_right == (move in step.right)
            if not answer.is_right:
                assert answer.said
                assert pupil.number == number
                assert game.key(pupil.table.state) == state


@each_lesson
def test_what_is_pointed_at_is_in_the_picture(name, lesson):
    game = backroom.game(name)
    for pupil in pupils(game, lesson):
        shown = {piece.id for piece in game.rules.draw(pupil.table.view(lesson.seat), lesson.seat).pieces}
        assert set(pupil.step.point) <= shown


@each_lesson
def test_the_paragraphs_it_cites_are_in_the_rulebook(name, lesson):
    said = " ".join(" ".join((step.say, step.wrong, step.done)) for step in lesson.steps)
    cited = {number.rstrip(".") for number in re.findall(r"§([\d.]+)", said)}
    there = set(re.findall(r"^(?:- |## )§([\d.]+) ", backroom.game(name).rulebook, re.M))
    assert cited
    assert cited <= there


@each_lesson
def test_an_illegal_move_is_refused_with_its_reason(name, lesson):
    for pupil in pupils(backroom.game(name), lesson):
        if pupil.step.right:
            with pytest.raises(IllegalMove):
                pupil.answer("nonsense")


@each_lesson
def test_no_lesson_and_no_tip_speaks_of_fingers(name, lesson):
    """Lessons and tips are used in a terminal too."""
    said = [text for step in lesson.steps for text in (step.say, step.wrong, step.done)]
    said += [each.says for each in backroom.game(name).rules.SITUATIONS]
    assert not re.search(r"\b(touch|click|drag)", " ".join(said), re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("title = 'x'", "a lesson has steps"),
        ("[[steps]]\nsay = 'x'", "begins with a position"),
        ("[[steps]]\nposition = 'x'", "does not `say` anything"),
        ("[[steps]]\nposition = 'x'\nsay = 'x'\nright = ['a']", "`wrong` has to answer"),
        ("[[steps]]\nposition = 'x'\nsays = 'x'", "did you mean say?"),
    ],
)
def test_a_lesson_that_is_wrong_says_so(text, why, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(BadLesson, match=re.escape(why)):
        read(path)


@each_lesson
def test_a_lesson_in_the_terminal(name, lesson, run):
    """The whole lesson by typed names, with a word that is no move first."""
    typed = ["nonsense", *(next(iter(step.right), "") for step in lesson.steps)]
    code, said, _ = run("learn", name, lesson.name, typed="\n".join(typed) + "\n")
    assert code == 0
    told = " ".join(said.split())
    assert lesson.steps[-1].done in told or lesson.steps[-1].say in told
    assert "cannot play" in told


def test_learning_what_there_is_no_lesson_for(run):
    code, _, errors = run("learn", "rum-run-puzzles")
    assert code == 2
    assert "no lesson" in errors
    code, _, errors = run("learn", TAUGHT[0], "nothing")
    assert code == 2
    assert "there is" in errors

"""Lessons in the terminal: a step's text, the board with what it points at, and an answer."""

import sys

from rich.text import Text

from backroom.engine.game import Game
from backroom.engine.lessons import Answer, Lesson, LessonStep, Pupil, lessons
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import IllegalMove
from backroom.terminal.answers import menu_of, read
from backroom.terminal.files import command
from backroom.terminal.pages import GO_ON, Prompt, show_prompt
from backroom.terminal.play import Left
from backroom.terminal.show import console, show_rules

HELP = "Type a move by its name or its sign in the list, or: moves, why MOVE, rules [§], help, quit."


def learn(game: Game, name: str | None) -> int:
    """Teach one lesson of a game, or all of them; returns the exit code."""
    for lesson in chosen(game, name):
        if not teach(game, lesson):
            return 0
    say_what_comes_next(game)
    return 0


def chosen(game: Game, name: str | None) -> list[Lesson]:
    """One lesson of a game, or all of them; BadOption lists the lessons there are."""
    known = lessons(game)
    if not known:
        raise BadOption(f"there is no lesson for {game.title}; its rules: {command('rules', game.name)}")
    found = [lesson for lesson in known if name in (None, lesson.name)]
    if not found:
        raise BadOption(f"{game.name} has no lesson {name!r}; there is {listing((each.name for each in known), 'and')}")
    return found


def say_what_comes_next(game: Game) -> None:
    console.print(f"Now play: {command('play', game.name)}", style="dim", soft_wrap=True)


def teach(game: Game, lesson: Lesson) -> bool:
    """Teach one lesson; returns whether it was finished."""
    pupil = Pupil(game, lesson)
    title = Text.assemble((f"{game.title}: {lesson.title}", "bold"), f" ({len(lesson.steps)} steps). {HELP}")
    said = [title]
    try:
        while (step := pupil.step) is not None:
            show_prompt(prompt_of(pupil, step, said), lambda: input(GO_ON))
            while (answer := answered(pupil, step, input("> " if step.right else "Enter goes on > ").strip())) is None:
                pass
            said = [Text(answer.said, "green")] if answer.said else []
    except (EOFError, Left):
        return False
    for line in said:
        console.print(line)
    return True


def prompt_of(pupil: Pupil, step: LessonStep, said: list[Text]) -> Prompt:
    """The response to the last answer, the board with what the step points at, and the step's text."""
    table, seat = pupil.table, pupil.lesson.seat
    scene = table.game.rules.draw(table.view(seat), seat)
    says = Text.assemble((f"{pupil.number + 1}. ", "bold"), step.say)
    return Prompt(scene, says, menu_of(table, seat) if step.right else None, said, lit=step.point)


def answered(pupil: Pupil, step: LessonStep, line: str) -> Answer | None:
    """Obey a command, or check the line as an answer; None if the step must still be answered."""
    table, seat = pupil.table, pupil.lesson.seat
    word, _, rest = line.partition(" ")
    if line in ("quit", "q", "exit"):
        raise Left(0)
    if line in ("help", "?", "h", "hint", "undo", "log"):
        console.print(HELP)
    elif word == "moves" and step.right:
        menu_of(table, seat).show(sys.maxsize, rest.strip())
    elif word == "rules":
        show_rules(table.game, rest.strip() or None)
    elif word == "why" and step.right:
        console.print(table.why(seat, rest.strip()) or f"{rest.strip()} is allowed.")
    elif not step.right:
        return pupil.answer("")
    else:
        return checked(pupil, line)
    return None


def checked(pupil: Pupil, line: str) -> Answer | None:
    """The answer to a move if it was right; otherwise what is wrong is printed at once."""
    table, seat = pupil.table, pupil.lesson.seat
    names = table.moves(seat)
    if not line and len(names) > 1:
        console.print(HELP)
        return None
    try:
        answer = pupil.answer(read(table, seat, line or names[0]).moves[0])
    except IllegalMove as refusal:
        console.print(str(refusal), style="red")
        return None
    if not answer.is_right:
        console.print(answer.said, style="yellow")
    return answer if answer.is_right else None

"""Lessons in the terminal: what a step says, the board with what it points at, and an answer."""

from rich.text import Text

from backroom.engine.game import Game
from backroom.engine.lessons import Lesson, Pupil, lessons
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import IllegalMove
from backroom.terminal.answers import menu_of, read
from backroom.terminal.files import command
from backroom.terminal.show import console, room_below, show_rules, show_scene

SPARE_LINES = 4
"""What stands below the board besides the list of moves."""
HELP = "Type a move by its name or its sign in the list, or: why MOVE, rules [§], help, quit."


def learn(game: Game, name: str | None) -> int:
    """Play one lesson of a game, or all of them; says the exit code."""
    known = lessons(game)
    if not known:
        raise BadOption(f"there is no lesson for {game.title}; its rules: {command('rules', game.name)}")
    chosen = [lesson for lesson in known if name in (None, lesson.name)]
    if not chosen:
        raise BadOption(f"{game.name} has no lesson {name!r}; there is {listing((each.name for each in known), 'and')}")
    for lesson in chosen:
        if not teach(game, lesson):
            return 0
    console.print(f"Now play: {command('play', game.name)}", style="dim", soft_wrap=True)
    return 0


def teach(game: Game, lesson: Lesson) -> bool:
    """One lesson; says whether it was finished."""
    pupil = Pupil(game, lesson)
    console.print(Text.assemble((f"{game.title}: {lesson.title}", "bold"), f", in {len(lesson.steps)} steps. {HELP}"))
    while (step := pupil.step) is not None:
        console.print()
        v = pupil.table.view(lesson.seat)
        height = show_scene(game, v, lesson.seat, step.point)
        console.print(Text.assemble((f"{pupil.number + 1}. ", "bold"), step.say))
        if step.right:
            menu_of(pupil.table, lesson.seat).show(room_below(height + SPARE_LINES))
        while True:
            try:
                line = input("> " if step.right else "Enter goes on > ").strip()
            except EOFError:
                return False
            if line in ("quit", "q", "exit"):
                return False
            if line in ("help", "?", "h"):
                console.print(HELP)
            elif line.partition(" ")[0] == "rules":
                show_rules(game, line.partition(" ")[2].strip() or None)
            elif line.partition(" ")[0] == "why" and step.right:
                name = line.partition(" ")[2].strip()
                console.print(pupil.table.why(lesson.seat, name) or f"{name} is allowed.")
            elif answered(pupil, line):
                break
    return True


def answered(pupil: Pupil, line: str) -> bool:
    """Give an answer to a step; says whether it was right."""
    if not pupil.step or not pupil.step.right:
        return pupil.answer("").is_right
    seat = pupil.lesson.seat
    try:
        names = pupil.table.moves(seat)
        told = read(pupil.table, seat, line or (names[0] if len(names) == 1 else ""))
        answer = pupil.answer(told.moves[0])
    except IllegalMove as refusal:
        console.print(str(refusal), style="red")
        return False
    console.print(answer.said, style="green" if answer.is_right else "yellow")
    return answer.is_right

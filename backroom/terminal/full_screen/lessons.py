"""Lessons on the whole screen: a step's text is below the board, and what it points at is highlighted."""

from backroom.engine.game import Game
from backroom.engine.lessons import Lesson, LessonStep, Pupil
from backroom.terminal.answers import menu_of
from backroom.terminal.full_screen.conversation import Conversation
from backroom.terminal.full_screen.frame import Frame
from backroom.terminal.learn import HELP, answered, say_what_comes_next
from backroom.terminal.play import Left


class Lessons(Conversation):
    """Lessons of a game, one after the other."""

    def __init__(self, game: Game, lessons: list[Lesson]) -> None:
        super().__init__(game.title, self.teach)
        self.game, self.lessons = game, lessons

    def teach(self) -> int:
        """Teach all lessons until they are finished or the pupil leaves; returns the exit code."""
        try:
            for lesson in self.lessons:
                self.teach_one(lesson)
        except Left as left:
            return left.code
        say_what_comes_next(self.game)
        return 0

    def teach_one(self, lesson: Lesson) -> None:
        pupil = Pupil(self.game, lesson)
        said = [f"{self.game.title}: {lesson.title} ({len(lesson.steps)} steps). {HELP}"]
        while (step := pupil.step) is not None:
            self.tell(said[:-1], said[-1:])
            self.present(frame_of(pupil, step))
            prompt = "Your move >" if step.right else "Go on >"
            while (answer := answered(pupil, step, self.ask(prompt).strip())) is None:
                pass
            said += [answer.said] if answer.said else []


def frame_of(pupil: Pupil, step: LessonStep) -> Frame:
    """The board with what the step points at, the step's text, and the moves if it asks for one."""
    table, seat = pupil.table, pupil.lesson.seat
    game, v = table.game, table.view(seat)
    says = f"{pupil.number + 1}. {step.say}"
    if not step.right:
        return Frame(game.rules.draw(v, seat), says, marked=list(step.point))
    ways = [game.rules.touch(v, seat, move) for move in game.moves(v, seat)]
    return Frame(game.rules.draw(v, seat), says, menu_of(table, seat), ways, marked=list(step.point))

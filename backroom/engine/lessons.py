"""Lessons: the first minutes of a game, written as data in its folder and played through an ordinary table.

`lessons/*.toml` in a game's folder:

    title = "The race"
    seat = 0                    # the seat that the pupil plays

    [[steps]]
    position = "white 1:15 | black 1:15 | turn white | roll 4 2"
    say = "Move a man by one of your dice."
    point = ["point-1"]         # pieces that are pointed at
    right = ["1/5"]             # moves that go on; none: the pupil only reads
    wrong = "That is legal, but …"
    done = "Well run."
    reply = ["* roll 6 1"]      # what the others and nature then do, as a log writes it
"""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backroom.engine.game import Game
from backroom.engine.log import read_line
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean
from backroom.engine.protocol import IllegalMove, Seat
from backroom.engine.table import Table


class BadLesson(ValueError):
    """A lesson that does not fit its game; the message names the file, the step and what is wrong."""


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One step of a lesson: something to read, or a move to find."""

    say: str
    """What the pupil is told."""
    position: str = ""
    """The position it begins with; empty: where the step before ended."""
    point: tuple[str, ...] = ()
    """The ids of the pieces that are pointed at."""
    right: tuple[str, ...] = ()
    """The moves that lead on. None: the pupil only reads."""
    wrong: str = ""
    """What is said about any other legal move."""
    done: str = ""
    """What is said about a right move."""
    reply: tuple[tuple[Seat, str], ...] = ()
    """The moves of other seats and nature after a right move."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """The steps of one lesson, in order."""

    name: str
    title: str
    steps: tuple[LessonStep, ...]
    seats: int | None = None
    seat: Seat = 0
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """A lesson's response to a move."""

    is_right: bool
    said: str


class Pupil:
    """Somebody in the middle of a lesson: the current step and the table it is played at."""

    def __init__(self, game: Game, lesson: Lesson) -> None:
        self.game, self.lesson = game, lesson
        self.number = 0
        """The current step, from 0; the number of steps when the lesson is over."""
        self.table = self._laid_out(lesson.steps[0].position)

    @property
    def step(self) -> LessonStep | None:
        """The current step; None when the lesson is over."""
        return self.lesson.steps[self.number] if self.number < len(self.lesson.steps) else None

    def answer(self, name: str) -> Answer:
        """Check a move, or go on from a step that is only read (with an empty `name`).

        IllegalMove says why the rules forbid it. A legal move that the step does not want changes nothing.
        """
        step = self.step
        if step is None:
            raise IllegalMove("the lesson is over")
        if step.right:
            steps = self.table.steps(self.lesson.seat, name)
            if steps[0].line.name not in step.right:
                return Answer(False, step.wrong)
            self.table.append(steps)
        for seat, reply in step.reply:
            self.table.play(seat, reply)
        self.number += 1
        if self.step is not None and self.step.position:
            self.table = self._laid_out(self.step.position)
        return Answer(True, step.done)

    def _laid_out(self, position: str) -> Table:
        lesson = self.lesson
        return Table(self.game, seats=lesson.seats, start=position, nature=False, options=lesson.options)


@functools.cache
def lessons(game: Game) -> tuple[Lesson, ...]:
    """The lessons of a game, in the order of their file names."""
    return tuple(read(path) for path in sorted((game.folder / "lessons").glob("*.toml")))


@functools.cache
def lesson_of(game: Game, name: str) -> Lesson:
    """A lesson of a game by its name; BadOption lists the lessons there are."""
    known = {lesson.name: lesson for lesson in lessons(game)}
    if name not in known:
        raise BadOption(f"{game.name} has no lesson {name!r}{did_you_mean(name, known)}")
    return known[name]


def read(path: Path) -> Lesson:
    """Read a lesson from its file; BadLesson says what is wrong with it."""
    said = tomllib.loads(path.read_text("utf-8"))
    _known(path.name, said, {"title", "seats", "seat", "options", "steps"})
    steps = tuple(_step(f"{path.name}, step {number}", each) for number, each in enumerate(said.get("steps", []), 1))
    if not steps or not steps[0].position:
        raise BadLesson(f"{path.name}: a lesson has steps, and the first begins with a position")
    options = {name: str(value) for name, value in said.get("options", {}).items()}
    return Lesson(path.stem, said.get("title", path.stem), steps, said.get("seats"), said.get("seat", 0), options)


def _step(where: str, said: dict[str, Any]) -> LessonStep:
    _known(where, said, set(LessonStep.__dataclass_fields__))
    if not said.get("say"):
        raise BadLesson(f"{where}: it does not `say` anything")
    if said.get("right") and not said.get("wrong"):
        raise BadLesson(f"{where}: `wrong` has to answer the moves that are not `right`")
    return LessonStep(
        say=_text(said["say"]),
        position=_text(said.get("position", "")),
        point=tuple(said.get("point", ())),
        right=tuple(said.get("right", ())),
        wrong=_text(said.get("wrong", "")),
        done=_text(said.get("done", "")),
        reply=tuple(read_line(line) for line in said.get("reply", ())),
    )


def _known(where: str, said: Mapping[str, Any], names: set[str]) -> None:
    for name in said:
        if name not in names:
            raise BadLesson(f"{where}: there is no {name!r} in a lesson{did_you_mean(name, names)}")


def _text(said: str) -> str:
    return " ".join(said.split())

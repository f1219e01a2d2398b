"""One-player games: the tasks, which of them a person has solved, the next one, and solutions."""

import contextlib
import datetime
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from backroom.engine.game import Game
from backroom.engine.options import Option
from backroom.engine.table import Table
from backroom.server.errors import Conflict, Refused
from backroom.server.people.accounts import Person
from backroom.server.services import Services
from backroom.server.storage import queries
from backroom.server.storage.journal import BEGIN, MOVE, SIT, Entry
from backroom.server.tables.config import Terms, config
from backroom.server.tables.live import LiveTable, is_readable
from backroom.server.tables.state import PLAYING


def choice_of(game: Game) -> Option | None:
    """The option of a one-player game whose values are its tasks; None if it has none."""
    if list(game.seats) != [1] or hasattr(game.rules, "MAKES"):
        return None
    return next((option for option in game.options if len(option.values) > 1), None)


@dataclass(frozen=True, slots=True)
class Task:
    """A task, and a person's progress with it."""

    value: str
    score: float | None = None
    """The best score so far."""
    table: str = ""
    """The id of the table at which it can be continued."""

    @property
    def title(self) -> str:
        return self.value.replace("-", " ")

    @property
    def mark(self) -> str:
        if self.score is None:
            return "begun" if self.table else ""
        return "solved" if self.score >= 1 else "solved, not at its best" if self.score > 0 else "not solved yet"

    @property
    def is_solved(self) -> bool:
        return self.score is not None and self.score > 0


def streak(option: Option, rows: Iterable[Mapping[str, Any]], today: datetime.date) -> int:
    """The number of consecutive days, up to today or yesterday, on which a daily task was solved on its day."""
    days = set()
    for row in rows:
        requested = msgspec.json.decode(row["terms"], type=Terms).requested.get(option.name, "")
        word, _, day = requested.partition(" ")
        if word in option.series and row["score"] and row["at"] is not None:
            solved = datetime.datetime.fromtimestamp(row["at"] / 1000, datetime.UTC).date()
            if f"{solved:%Y%m%d}" == day:
                days.add(solved)
    one = datetime.timedelta(days=1)
    last = today if today in days else today - one
    return next(count for count in itertools.count() if last - count * one not in days)


def tasks(option: Option, values: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> list[Task]:
    """The tasks with the progress of a person who has sat at these tables."""
    best: dict[str, float] = {}
    waits: dict[str, str] = {}
    for row in rows:
        requested = msgspec.json.decode(row["terms"], type=Terms).requested
        value = requested.get(option.name) or msgspec.json.decode(row["options"], type=dict[str, str])[option.name]
        if row["score"] is not None:
            best[value] = max(row["score"], best.get(value, 0))
        elif row["stage"] == PLAYING:
            waits[value] = row["id"]
    return [Task(value, best.get(value), waits.get(value, "")) for value in values]


async def rows_of(services: Services, person: Person | None, game: Game) -> list[Any]:
    if person is None:
        return []
    rows = await services.store.read(lambda conn: queries.tried(conn, person.id, game.name))
    return [row for row in rows if is_readable(row)]


async def shelf(services: Services, person: Person | None, game: Game, option: Option) -> dict[str, Any]:
    """The tasks to choose from (the collection by series, today's, and new ones), with this person's progress."""
    rows = await rows_of(services, person, game)
    today = datetime.datetime.fromtimestamp(services.tables.now() / 1000, datetime.UTC)
    kept = tasks(option, option.values, rows)
    groups = [(word, [task for task in kept if task.value.startswith(f"{word}-")]) for word in option.series]
    rest = [task for task in kept if not any(task in group for _, group in groups)]
    daily = [f"{word} {today:%Y%m%d}" for word in option.series]
    solvers = await services.store.read(lambda conn: [queries.solvers(conn, game.name, value) for value in daily])
    return {
        "option": option,
        "groups": [*groups, *([("", rest)] if rest else [])],
        "solved": sum(task.is_solved for task in kept),
        "count": len(kept),
        "today": f"{today.day} {today:%B %Y}",
        "daily": list(zip(tasks(option, daily, rows), solvers, strict=True)),
        "streak": streak(option, rows, today.date()),
        "new": services.new_tasks.offered(game, option),
    }


async def next_after(services: Services, person: Person | None, game: Game, option: Option, this: str) -> Task | None:
    """The first task after `this`, cyclically, that this person has not solved; None if all are solved."""
    kept = tasks(option, option.values, await rows_of(services, person, game))
    at = option.values.index(this) if this in option.values else -1
    return next((task for task in [*kept[at + 1 :], *kept[: max(at, 0)]] if not task.is_solved), None)


async def after(services: Services, person: Person | None, live: LiveTable) -> dict[str, Any] | None:
    """What to offer after a one-player game: the next unsolved task, and new ones."""
    game = live.config.find_game()
    option = choice_of(game)
    if option is None or person is None:
        return None
    task = await next_after(services, person, game, option, live.config.options[option.name])
    return {"option": option.name, "next": task, "new": services.new_tasks.offered(game, option)}


def steps_to_solve(game: Game, options: Mapping[str, str]) -> list[str]:
    """The solution of a task from its beginning, as moves at a table, including choices made in small steps."""
    table = game.table(1, nature=False, **options)
    solution = vars(game.rules)["solution"]
    for name in solution(table.state) or ():
        if name not in table.moves(0):
            table.play(0, next(step for step in table.moves(0) if name in _after(table, step).moves(0)))
        table.play(0, name)
    return [line.name for line in table.lines]


def _after(table: Table, step: str) -> Table:
    then = table.copy()
    then.play(0, step)
    return then


async def solution_table(services: Services, live: LiveTable) -> str:
    """The id of a table at which the solution of another table's task is played, to be viewed in its replay."""
    game, options = live.config.find_game(), live.config.options
    if not hasattr(game.rules, "solution"):
        raise Refused("there is no solution to be shown", 404, "unknown")
    steps = await services.thinking.as_judge(steps_to_solve, game, options)
    name = services.people.keyed(f"solution {live.config.game} {sorted(options.items())}")
    make = partial(
        config, game.name, 1, options, Terms(rated=False), is_public=False, maker="", made=services.tables.now()
    )
    new = msgspec.structs.replace(await services.work(make), id=name, seed=None, seed_hash=None, maker=None)
    moves = [Entry(MOVE, 0, step) for step in steps]
    with contextlib.suppress(Conflict):  # the table exists already
        await services.tables.make(new, [Entry(SIT, 0, "The solution"), Entry(BEGIN), *moves])
    return name

"""Games for one: all there is to choose from, what somebody has solved of it, what comes next, and the solution."""

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
from backroom.server.storage import store
from backroom.server.storage.journal import BEGIN, MOVE, SIT, Entry
from backroom.server.tables.config import Terms, config
from backroom.server.tables.live import LiveTable
from backroom.server.tables.state import PLAYING


def choice_of(game: Game) -> Option | None:
    """The option of a game for one whose values are its tasks; None where there is nothing to solve."""
    if list(game.seats) != [1] or hasattr(game.rules, "MAKES"):
        return None
    return next((option for option in game.options if len(option.values) > 1), None)


@dataclass(frozen=True, slots=True)
class Task:
    """One of the things to choose from, and how far somebody is with it."""

    value: str
    score: float | None = None
    """The best so far."""
    table: str = ""
    """Where it waits to be gone on with."""

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
    """On how many days in a row, up to today or yesterday, one of the day's tasks was solved on its day."""
    days = set()
    for row in rows:
        asked = msgspec.json.decode(row["terms"], type=Terms).asked.get(option.name, "")
        word, _, day = asked.partition(" ")
        if word in option.series and row["score"] and row["at"] is not None:
            solved = datetime.datetime.fromtimestamp(row["at"] / 1000, datetime.UTC).date()
            if f"{solved:%Y%m%d}" == day:
                days.add(solved)
    one = datetime.timedelta(days=1)
    last = today if today in days else today - one
    return next(count for count in itertools.count() if last - count * one not in days)


def tasks(option: Option, values: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> list[Task]:
    """How somebody stands who has sat at these tables."""
    best: dict[str, float] = {}
    waits: dict[str, str] = {}
    for row in rows:
        asked = msgspec.json.decode(row["terms"], type=Terms).asked
        value = asked.get(option.name) or msgspec.json.decode(row["options"], type=dict[str, str])[option.name]
        if row["score"] is not None:
            best[value] = max(row["score"], best.get(value, 0))
        elif row["stage"] == PLAYING:
            waits[value] = row["id"]
    return [Task(value, best.get(value), waits.get(value, "")) for value in values]


async def rows_of(services: Services, person: Person | None, game: Game) -> Any:
    if person is None:
        return []
    return await services.store.read(lambda conn: store.tried(conn, person.id, game.name))


async def shelf(services: Services, person: Person | None, game: Game, option: Option) -> dict[str, Any]:
    """All that can be chosen: kept ones by series, today's, and new ones; with what this person has solved."""
    rows = await rows_of(services, person, game)
    today = datetime.datetime.fromtimestamp(services.tables.now() / 1000, datetime.UTC)
    kept = tasks(option, option.values, rows)
    groups = [(word, [task for task in kept if task.value.startswith(f"{word}-")]) for word in option.series]
    rest = [task for task in kept if not any(task in group for _, group in groups)]
    daily = [f"{word} {today:%Y%m%d}" for word in option.series]
    solvers = await services.store.read(lambda conn: [store.solvers(conn, game.name, value) for value in daily])
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
    """The next task that this person has not solved, from one of them on; None if all are."""
    kept = tasks(option, option.values, await rows_of(services, person, game))
    at = option.values.index(this) if this in option.values else -1
    return next((task for task in [*kept[at + 1 :], *kept[: max(at, 0)]] if not task.is_solved), None)


async def after(services: Services, person: Person | None, live: LiveTable) -> dict[str, Any] | None:
    """What to offer when a game for one is over: the next that is not solved, and new ones."""
    found = live.config.rules
    option = choice_of(found)
    if option is None or person is None:
        return None
    task = await next_after(services, person, found, option, live.config.options[option.name])
    return {"option": option.name, "next": task, "new": services.new_tasks.offered(found, option)}


def steps_to_solve(game: Game, options: Mapping[str, str]) -> list[str]:
    """The solution of a task from its beginning, move by move as it is made at a table: a choice of small steps too."""
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
    """A table that has the solution of another's task played at it, to be looked at in its replay."""
    found, options = live.config.rules, live.config.options
    if not hasattr(found.rules, "solution"):
        raise Refused("there is no solution to be shown", 404, "unknown")
    steps = await services.work(steps_to_solve, found, options)
    name = services.people.keyed(f"solution {live.config.game} {sorted(options.items())}")
    plan = partial(
        config, found.name, 1, options, Terms(rated=False), is_public=False, maker="", made=services.tables.now()
    )
    new = msgspec.structs.replace(await services.work(plan), id=name, seed=None, seed_hash=None, maker=None)
    moves = [Entry(MOVE, 0, step) for step in steps]
    with contextlib.suppress(Conflict):  # it was looked at before
        await services.tables.make(new, [Entry(SIT, 0, "The solution"), Entry(BEGIN), *moves])
    return name

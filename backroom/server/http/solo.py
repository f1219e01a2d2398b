"""Games for one: all there is to choose from, what somebody has solved of it, and what comes next."""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from backroom.engine.game import Game
from backroom.engine.options import Option
from backroom.server.people.accounts import Person
from backroom.server.services import Services
from backroom.server.storage import store
from backroom.server.tables.config import Terms
from backroom.server.tables.live import LiveTable
from backroom.server.tables.state import PLAYING


def choice_of(found: Game) -> Option | None:
    """The option of a game for one whose values are its tasks; None where there is nothing to solve."""
    if list(found.seats) != [1] or hasattr(found.rules, "MAKES"):
        return None
    return next((option for option in found.options if len(option.values) > 1), None)


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


async def rows_of(services: Services, person: Person | None, found: Game) -> Any:
    if person is None:
        return []
    return await services.store.read(lambda conn: store.tried(conn, person.id, found.name))


async def shelf(services: Services, person: Person | None, found: Game, option: Option) -> dict[str, Any]:
    """All that can be chosen: kept ones by series, today's, and new ones; with what this person has solved."""
    rows = await rows_of(services, person, found)
    today = datetime.datetime.fromtimestamp(services.tables.now() / 1000, datetime.UTC)
    kept = tasks(option, option.values, rows)
    groups = [(word, [task for task in kept if task.value.startswith(f"{word}-")]) for word in option.series]
    rest = [task for task in kept if not any(task in group for _, group in groups)]
    return {
        "option": option,
        "groups": [*groups, *([("", rest)] if rest else [])],
        "solved": sum(task.is_solved for task in kept),
        "count": len(kept),
        "today": f"{today.day} {today:%B %Y}",
        "daily": tasks(option, [f"{word} {today:%Y%m%d}" for word in option.series], rows),
        "new": services.new_tasks.offered(found, option),
    }


async def next_after(services: Services, person: Person | None, found: Game, option: Option, this: str) -> Task | None:
    """The next task that this person has not solved, from one of them on; None if all are."""
    kept = tasks(option, option.values, await rows_of(services, person, found))
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

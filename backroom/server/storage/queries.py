"""What the lobby, profiles, ladders and finished games read from the database; and how a person is deleted from it."""

import functools
import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, func, literal, select

from backroom.server.storage.schema import analyses, entries, people, ratings, results, sittings, tables, tokens, visits
from backroom.server.storage.store import MANY_ROWS, MOST_AT_ONCE, Store

SOMEBODY = "somebody"
"""Replaces a deleted person's name and id."""
USUAL_RATING = 25.0
"""OpenSkill's rating of a new player."""


def lobby(conn: Connection, game: str | None, most: int = 100) -> Sequence[RowMapping]:
    """The public tables that can be joined or watched, newest first."""
    found = select(tables).where(tables.c.is_public, tables.c.stage.in_(("open", "playing")))
    if game:
        found = found.where(tables.c.game == game)
    return conn.execute(found.order_by(tables.c.made.desc()).limit(most)).mappings().all()


def tables_of(conn: Connection, person: str, most: int = 50) -> Sequence[RowMapping]:
    """The tables at which a person has sat: unfinished ones first, each group from the newest."""
    mine = select(sittings.c.table_id).where(sittings.c.person == person)
    found = select(tables).where(tables.c.id.in_(mine) | (tables.c.maker == person))
    return conn.execute(found.order_by(tables.c.stage == "over", tables.c.made.desc()).limit(most)).mappings().all()


def people_at(conn: Connection, ids: Collection[str]) -> set[str]:
    """The people who have sat at any of these tables."""
    return set(conn.scalars(select(sittings.c.person).where(sittings.c.table_id.in_(ids))))


def tried(conn: Connection, person: str, game: str) -> Sequence[RowMapping]:
    """The tables of a game at which a person has sat, oldest first, each with the person's score if there is one."""
    mine = (results.c.table_id == tables.c.id) & (results.c.who == person)
    found = (
        select(tables.c.id, tables.c.options, tables.c.terms, tables.c.stage, results.c.score, results.c.at)
        .join(sittings, (sittings.c.table_id == tables.c.id) & (sittings.c.person == person))
        .outerjoin(results, mine)
        .where(tables.c.game == game)
    )
    return conn.execute(found.order_by(tables.c.made)).mappings().all()


def solvers(conn: Connection, game: str, value: str) -> int:
    """The number of people who have solved a game's task that was requested by this name."""
    asked = tables.c.terms.contains(f'"{value}"', autoescape=True)
    found = (
        select(func.count(results.c.who.distinct()))
        .join(tables, tables.c.id == results.c.table_id)
        .where(tables.c.game == game, asked, results.c.score > 0)
    )
    return conn.scalar(found) or 0


def visit(conn: Connection, table: str, person: str, lines: int, at: int) -> int | None:
    """Record the number of lines of a log that a person has seen; returns the number recorded before."""
    mine = (visits.c.table_id == table) & (visits.c.person == person)
    before: int | None = conn.scalar(select(visits.c.lines).where(mine))
    if before is None:
        conn.execute(visits.insert().values(table_id=table, person=person, lines=lines, at=at))
    elif before != lines:
        conn.execute(visits.update().where(mine).values(lines=lines, at=at))
    return before


def ladder(conn: Connection, game: str, most: int = 100) -> Sequence[RowMapping]:
    """The ratings in a game, by conservative estimate (mu - 3 sigma), best first."""
    worth = ratings.c.mu - 3 * ratings.c.sigma
    return (
        conn.execute(select(ratings).where(ratings.c.game == game).order_by(worth.desc()).limit(most)).mappings().all()
    )


def results_of(conn: Connection, person: str) -> list[dict[str, Any]]:
    """A person's results, oldest first: the game, whether nobody did better, and who else played."""
    mine = conn.execute(
        select(results, tables.c.game, tables.c.seats)
        .join(tables, tables.c.id == results.c.table_id)
        .where(results.c.who == person)
        .order_by(results.c.at)
    ).mappings()
    found = [dict(row) for row in mine]
    of_tables: dict[str, list[Any]] = {}
    ids = [row["table_id"] for row in found]
    for start in range(0, len(ids), MOST_AT_ONCE):
        some = select(results).where(results.c.table_id.in_(ids[start : start + MOST_AT_ONCE]))
        for other in conn.execute(some.order_by(results.c.seat)):
            of_tables.setdefault(other.table_id, []).append(other)
    for row in found:
        all_seats = of_tables[row["table_id"]]
        best = max(other.score for other in all_seats)
        row["is_best"] = row["score"] >= best and (row["seats"] > 1 or row["score"] > 0)
        row["others"] = [(other.name, other.who) for other in all_seats if other.seat != row["seat"]]
    return found


def has_finished(conn: Connection, person: str, game: str) -> bool:
    """Whether a person has a result in this game."""
    mine = (results.c.who == person) & (tables.c.game == game)
    query = select(results.c.table_id).join(tables, tables.c.id == results.c.table_id).where(mine).limit(1)
    return conn.scalar(query) is not None


def ratings_of(conn: Connection, person: str) -> Sequence[RowMapping]:
    """A person's ratings in all games."""
    return conn.execute(select(ratings).where(ratings.c.who == person)).mappings().all()


def rating_of(conn: Connection, game: str, person: str) -> float | None:
    """A person's rating in a game; None if there is none yet."""
    mine = (ratings.c.game == game) & (ratings.c.who == person)
    found: float | None = conn.scalar(select(ratings.c.mu).where(mine))
    return found


def waiting_tables(conn: Connection, game: str, seats: int, since: int) -> list[dict[str, Any]]:
    """The public tables of a game that wait for players, each with the people there and their mean rating."""
    is_open = tables.c.is_public & (tables.c.stage == "open") & (tables.c.game == game) & (tables.c.seats == seats)
    rows = conn.execute(select(tables).where(is_open, tables.c.made >= since).order_by(tables.c.made).limit(100))
    found = [dict(row) for row in rows.mappings()]
    for row in found:
        row["people"] = list(conn.scalars(select(sittings.c.person).where(sittings.c.table_id == row["id"])))
        known = (ratings.c.game == game) & ratings.c.who.in_(row["people"])
        row["rating"] = conn.scalar(select(func.avg(ratings.c.mu)).where(known)) or USUAL_RATING
    return found


async def forget(store: Store, person: str) -> list[str]:
    """Delete a person; returns the ids of the tables at which the person has sat or said something.

    Games without other people are deleted entirely. Of the others the moves stay, without the name and the chat. It is
    done in parts, between which others write; if it is interrupted it can be done again, for the person goes last.
    """
    joined: list[str] = await store.write(functools.partial(_joined, person=person))
    spoken: list[str] = await store.read(functools.partial(_spoken, person=person))
    ids = list(dict.fromkeys(joined + spoken))
    for table in ids:
        forget_entries, last = await store.write(functools.partial(_forget_at, table=table, person=person))
        for start in range(0, last, MANY_ROWS):
            these = (entries.c.table_id == table) & entries.c.number.between(start + 1, start + MANY_ROWS)
            await store.write(functools.partial(forget_entries, these=these, person=person))
    await store.write(functools.partial(_forget_person, person=person))
    return ids


def _joined(conn: Connection, person: str) -> list[str]:
    """The ids of a person's tables. Those that the person only made count as joined from now on."""
    joined = select(sittings.c.table_id).where(sittings.c.person == person)
    made = select(tables.c.id, literal(person)).where(tables.c.maker == person, tables.c.id.not_in(joined))
    conn.execute(sittings.insert().from_select(["table_id", "person"], made))
    return list(conn.scalars(joined))


def _spoken(conn: Connection, person: str) -> list[str]:
    """The ids of the tables where a person has said something; whoever does is noted as a visitor."""
    here = visits.c.table_id == entries.c.table_id
    found = select(entries.c.table_id).join(visits, here).where(visits.c.person == person, entries.c.who == person)
    return list(conn.scalars(found.distinct()))


def _forget_at(conn: Connection, table: str, person: str) -> tuple[Callable[..., None], int]:
    """Delete a table at which nobody else has sat, or remove a person's name from it; its entries remain.

    Returns how they are to be treated, and the number of the last.
    """
    last = conn.scalar(select(func.max(entries.c.number)).where(entries.c.table_id == table)) or 0
    conn.execute(analyses.delete().where(analyses.c.table_id == table))  # it has names
    if people_at(conn, [table]) == {person}:
        for kept in (results, visits):
            conn.execute(kept.delete().where(kept.c.table_id == table))
        conn.execute(tables.delete().where(tables.c.id == table))
        return _delete_entries, last
    sat = (entries.c.table_id == table) & (entries.c.who == person) & (entries.c.kind == "sit")
    names, mine = set(conn.scalars(select(entries.c.text).where(sat))), tables.c.id == table
    company = json.loads(conn.scalar(select(tables.c.company).where(mine)) or "[]")
    company = [SOMEBODY if name in names else name for name in company]
    conn.execute(tables.update().where(mine).values(company=json.dumps(company)))
    conn.execute(tables.update().where(mine, tables.c.maker == person).values(maker=None))
    return _anonymize_entries, last


def _delete_entries(conn: Connection, these: ColumnElement[bool], person: str) -> None:
    conn.execute(entries.delete().where(these))


def _anonymize_entries(conn: Connection, these: ColumnElement[bool], person: str) -> None:
    """Remove a person's name and chat from entries; everything else stays."""
    theirs = these & (entries.c.who == person)
    conn.execute(entries.update().where(theirs, entries.c.kind == "sit").values(text=SOMEBODY))
    conn.execute(entries.update().where(theirs, entries.c.kind == "say").values(text=f"{SOMEBODY}\n…"))
    conn.execute(entries.update().where(theirs).values(who=SOMEBODY))


def _forget_person(conn: Connection, person: str) -> None:
    """Delete everything about a person but tables."""
    for kept, column in ((sittings, sittings.c.person), (visits, visits.c.person), (tokens, tokens.c.person)):
        conn.execute(kept.delete().where(column == person))
    conn.execute(ratings.delete().where(ratings.c.who == person))
    conn.execute(results.update().where(results.c.who == person).values(who=None, name=SOMEBODY))
    conn.execute(people.delete().where(people.c.id == person))


def analysis_of(conn: Connection, table: str) -> str | None:
    """The stored analysis of a game, packed."""
    found: str | None = conn.scalar(select(analyses.c.found).where(analyses.c.table_id == table))
    return found


def keep_analysis(conn: Connection, table: str, found: str, at: int) -> None:
    """Store the analysis of a game, unless there is one already."""
    if analysis_of(conn, table) is None:
        conn.execute(analyses.insert().values(table_id=table, found=found, at=at))

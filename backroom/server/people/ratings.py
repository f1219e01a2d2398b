"""Results and ratings: OpenSkill for each game, people and bots on one ladder."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from backroom.server.storage.schema import ratings, results, sittings
from backroom.server.tables.state import TableState

BOT = "bot:"
"""The prefix of bots' names on the ladder."""


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that is over: its players and their scores."""

    table: str
    game: str
    who: tuple[str | None, ...]
    names: tuple[str, ...]
    scores: tuple[float, ...]
    counts: bool


def result_of(state: TableState) -> FinishedGame:
    """The players and scores of a table whose game is over."""
    assert state.score is not None
    who = tuple(chair.owner or (f"{BOT}{chair.bot}" if chair.bot else None) for chair in state.chairs)
    names = tuple(chair.name if chair.owner else chair.bot or "" for chair in state.chairs)
    return FinishedGame(state.config.id, state.config.game, who, names, state.score, state.is_rated)


def keep_sitters(conn: Connection, table: str, people: Iterable[str]) -> None:
    """Record who has sat at a table, for the lists of one's own tables."""
    known = set(conn.scalars(select(sittings.c.person).where(sittings.c.table_id == table)))
    new = [{"person": person, "table_id": table} for person in set(people) - known]
    if new:
        conn.execute(sittings.insert(), new)


def keep_result(conn: Connection, result: FinishedGame, at: int) -> list[tuple[float, float]] | None:
    """Store a result, once, and update the ladder; returns each rating before and after, None if not rated."""
    if conn.scalar(select(results.c.seat).where(results.c.table_id == result.table).limit(1)) is not None:
        return None
    conn.execute(
        results.insert(),
        [
            {"table_id": result.table, "seat": seat, "who": who, "name": name, "score": score, "at": at}
            for seat, (who, name, score) in enumerate(zip(result.who, result.names, result.scores, strict=True))
        ],
    )
    return rate(conn, result, at) if result.counts else None


def rate(conn: Connection, result: FinishedGame, at: int) -> list[tuple[float, float]]:
    """Update all ratings, store them with the result, and return each before and after. Equal scores are a tie."""
    from openskill.models import PlackettLuce  # slow to import, and needed only at the end of a game

    model = PlackettLuce()
    rows = {
        row.who: row
        for row in conn.execute(
            select(ratings).where(ratings.c.game == result.game, ratings.c.who.in_(result.who)).with_for_update()
        )
    }
    before = [[model.rating(rows[who].mu, rows[who].sigma) if who in rows else model.rating()] for who in result.who]
    after = model.rate(before, scores=list(result.scores))
    for seat, (who, name, [was], [rating]) in enumerate(zip(result.who, result.names, before, after, strict=True)):
        values = {"mu": rating.mu, "sigma": rating.sigma, "name": name, "at": at}
        here = (results.c.table_id == result.table) & (results.c.seat == seat)
        conn.execute(results.update().where(here).values(mu_before=was.mu, mu=rating.mu, sigma=rating.sigma))
        if who in rows:
            mine = (ratings.c.game == result.game) & (ratings.c.who == who)
            conn.execute(ratings.update().where(mine).values(games=rows[who].games + 1, **values))
        else:
            conn.execute(ratings.insert().values(game=result.game, who=who, games=1, **values))
    return [(round(old.mu, 2), round(new.mu, 2)) for [old], [new] in zip(before, after, strict=True)]

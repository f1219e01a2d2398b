"""A person's profile: games, results, rating curves, all logs as one file, and deletion of the account."""

import contextlib
import datetime
import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import structlog
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from backroom.engine import registry
from backroom.engine.phrases import listing
from backroom.server.errors import Refused
from backroom.server.people.accounts import Person
from backroom.server.people.ratings import BOT
from backroom.server.services import Services, services_of
from backroom.server.storage import queries
from backroom.server.tables import actions
from backroom.server.tables.state import OVER

log = structlog.get_logger()

MOST_SHOWN = 30
"""Most recent games in the list."""
MOST_LOGS = 500
"""Most logs in the file, from the newest games."""
WIDTH, HEIGHT, MARGIN = 320, 90, 6
"""The size of a curve in SVG units."""
LETTERS = 40
"""The width for the numbers beside a curve."""
DAY = 24 * 3600 * 1000
A_MONTH = 30


def days_ago(at: int | None, now: int) -> str:
    """The age of an event in words; empty if its time is not known."""
    if at is None:
        return ""
    days = now // DAY - at // DAY
    return "today" if days <= 0 else "yesterday" if days == 1 else f"{days} days ago"


def is_active(at: int | None, now: int) -> bool:
    """Whether the last game was within a month."""
    return at is not None and now - at < A_MONTH * DAY


def curve(values: Sequence[float]) -> Markup:
    """A series of numbers as a small SVG curve, labelled with the lowest and the highest."""
    low, high = min(values), max(values)
    across, up = (WIDTH - 2 * MARGIN) / max(1, len(values) - 1), (HEIGHT - 2 * MARGIN) / (high - low or 1.0)
    points = " ".join(
        f"{MARGIN + across * n:.1f},{HEIGHT - MARGIN - up * (value - low):.1f}" for n, value in enumerate(values)
    )
    words = f"From {values[0]:.1f} to {values[-1]:.1f}, between {low:.1f} and {high:.1f}"
    return Markup(
        '<svg class="rating-curve" viewBox="0 0 {0} {1}" role="img" aria-label="{2}"><polyline points="{3}"/>'
        '<text x="{4}" y="{5}">{6:.1f}</text><text x="{4}" y="{7}">{8:.1f}</text></svg>'
    ).format(WIDTH + LETTERS, HEIGHT, words, points, WIDTH + MARGIN, MARGIN + 5, high, HEIGHT - MARGIN + 5, low)


async def profile_of(services: Services, person: Person) -> dict[str, Any]:
    """The context of a profile: results and rating by game, and the recent games."""
    rows, ratings = await services.store.read(
        lambda conn: (queries.results_of(conn, person.id), queries.ratings_of(conn, person.id))
    )
    now, known = services.tables.now(), set(registry.names())
    rows = [row for row in rows if row["game"] in known]
    titles = {game.name: game.rules.TITLE for game in services.games()}
    last = [
        {
            "table": row["table_id"],
            "title": titles[row["game"]],
            "how": "won" if row["is_best"] else "lost" if row["others"] else "played",
            "against": opponents(row["others"]),
            "when": days_ago(row["at"], now),
            "change": "" if row["mu"] is None else f"{row['mu_before']:.1f} → {row['mu']:.1f}",
        }
        for row in reversed(rows[-MOST_SHOWN:])
    ]
    return {"by_game": list(by_game(rows, ratings, titles)), "last": last, "games_played": len(rows)}


def opponents(others: Iterable[tuple[str, str | None]]) -> str:
    """Who else played, in words: people by name, then bots by their level and number."""
    people: list[str] = []
    bots: list[str] = []
    for name, who in others:
        (bots if who is not None and who.startswith(BOT) else people).append(name)
    kinds = dict.fromkeys(bots)
    counted = [f"a bot ({kind})" if bots.count(kind) == 1 else f"{bots.count(kind)} bots ({kind})" for kind in kinds]
    return listing([*people, *counted], "and") if people or bots else ""


def by_game(
    rows: Sequence[Mapping[str, Any]], ratings: Iterable[Mapping[str, Any]], titles: Mapping[str, str]
) -> Iterable[dict[str, Any]]:
    """The results in each game, with the rating and its curve if there is one."""
    now = {row["game"]: row for row in ratings}
    for name in dict.fromkeys(row["game"] for row in rows):
        mine = [row for row in rows if row["game"] == name]
        rated = [row for row in mine if row["mu"] is not None]
        course = [row["mu_before"] for row in rated[:1]] + [row["mu"] for row in rated]
        yield {
            "name": name,
            "title": titles[name],
            "games": len(mine),
            "won": sum(row["is_best"] for row in mine),
            "rating": f"{now[name]['mu']:.1f} ± {now[name]['sigma']:.1f}" if name in now else "",
            "curve": curve(course) if len(course) > 1 else "",
        }


async def get_logs(request: Request) -> Response:
    """One's logs as one file: finished games entirely, of the others the part that one knows."""
    services = services_of(request)
    person = await services.known(dict(request.scope["headers"]))
    services.limits.take("analyse", person.id)
    rows = await services.store.read(lambda conn: queries.tables_of(conn, person.id, MOST_LOGS))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for row in rows:
            text = await log_of(services, person, row["id"])
            if text:
                await services.work(file.writestr, f"{row['game']}-{row['id']}.log", text)
    day = datetime.datetime.fromtimestamp(services.tables.now() / 1000, datetime.UTC)
    headers = {
        "content-disposition": f'attachment; filename="backroom-{day:%Y-%m-%d}.zip"',
        "cache-control": "no-store",
    }
    return Response(out.getvalue(), media_type="application/zip", headers=headers)


async def log_of(services: Services, person: Person, table: str) -> str:
    """A log with what the person may know; empty if the game has not begun or cannot be opened."""
    try:
        live = await services.tables.get(table)
        await services.compiling.wait_for(live.config.game)
        async with live.reading() as state:
            if state.table is None:
                return ""
            seat, copy, is_over = state.seat_of(person.id), state.table.copy(), state.stage == OVER
    except Refused as refusal:
        log.warning("a log cannot be had", table=table, why=refusal.why)
        return ""
    return await services.work(lambda: str(copy.save if is_over else copy.log_seen_by(seat)))


async def forget(services: Services, person: Person) -> None:
    """Delete a person's account. Games with others stay, without the name; unfinished ones are left first."""
    for row in await services.store.read(lambda conn: queries.tables_of(conn, person.id, MOST_LOGS)):
        if row["stage"] != OVER:
            with contextlib.suppress(Refused):  # the person only made it, or it cannot be opened
                await (await services.tables.get(row["id"])).write(actions.rise(person))
    tables = await queries.forget(services.store, person.id)
    services.people.forget(person)
    for table in tables:
        services.tables.reread(table)


routes = [Route("/me/logs", get_logs)]

"""Lists of tables for the lobby and profiles: those that wait for one's move, one's other tables, and public ones."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import structlog

from backroom.bots import BOTS
from backroom.engine.game import Game
from backroom.engine.marks import plain
from backroom.engine.protocol import Seat
from backroom.server.errors import Refused
from backroom.server.people.accounts import Person
from backroom.server.services import Services
from backroom.server.storage import queries
from backroom.server.tables import messages
from backroom.server.tables.config import DAYS, NO_CLOCK, from_columns
from backroom.server.tables.live import report_bad_row
from backroom.server.tables.state import OPEN, OVER, PLAYING, TableState

log = structlog.get_logger()

MOST_LOOKED_AT = 12
"""Most of one's own tables for which the lobby finds out whose turn it is; games with days for each move are extra."""
MOST_OVER = 5
"""Most finished games of one's own in the lobby. Those against bots alone cannot end while one is away: the profile
has them."""
MOST_PICTURED = 6
"""Most games to watch that are shown with a picture."""
LONGEST_FACT = 40
"""Longest text of an option in a list, in characters."""


async def public_tables(services: Services) -> list[dict[str, Any]]:
    """The public tables, newest first."""
    rows = await services.store.read(lambda conn: queries.lobby(conn, None))
    found = [row for row in rows_of(rows, titles_of(services)) if not row["is_old"]]
    return [{**row, "is_ready": is_ready(services, row["game"])} for row in found]


def others_of(listed: Iterable[dict[str, Any]], own: Collection[str]) -> dict[str, Any]:
    """The public tables except one's own: those that can be joined, and those that can be watched."""
    others = [row for row in listed if row["id"] not in own]
    return {
        "to_join": [row for row in others if row["stage"] == OPEN],
        "to_watch": pictured([row for row in others if row["stage"] == PLAYING]),
    }


def pictured(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with `has_board` set for the first games that can be drawn without waiting."""
    drawn = {row["id"] for row in [row for row in rows if row["is_ready"]][:MOST_PICTURED]}
    return [{**row, "has_board": row["id"] in drawn} for row in rows]


async def own_tables(services: Services, person: Person) -> tuple[dict[str, Any], set[str]]:
    """A person's own tables for the lobby, and the ids of all of them."""
    rows = await services.store.read(lambda conn: queries.tables_of(conn, person.id))
    mine = [row for row in rows_of(rows, titles_of(services)) if is_to_show(row)]
    for row in mine:
        if person.name in row["sitters"]:
            row["sitters"].remove(person.name)
    await find_turns(services, person, mine)
    moves = sorted((row for row in mine if row["is_my_move"]), key=lambda row: row["ends"] or math.inf)
    over = [row for row in mine if row["stage"] == OVER and (row["has_people"] or row["is_old"])][:MOST_OVER]
    rest = [row for row in mine if not row["is_my_move"] and (row["stage"] != OVER or row in over)]
    return {"moves": moves, "mine": sorted(rest, key=urgency)}, {row["id"] for row in rows}


def titles_of(services: Services) -> dict[str, str]:
    return {game.name: game.title for game in services.games()}


def urgency(row: Mapping[str, Any]) -> int:
    """The sort key: first tables that wait for one's move, then running games, open tables, and finished games."""
    return 0 if row["is_my_turn"] else 3 if row["is_old"] else {PLAYING: 1, OPEN: 2}.get(row["stage"], 3)


async def find_turns(services: Services, person: Person, rows: list[dict[str, Any]]) -> None:
    """Add to one's own tables whether one has to answer, the question, and the time left.

    This covers all games with days for each move, and the newest of the others. Tables that cannot be opened are
    skipped.
    """
    playing = [row for row in rows if row["stage"] == PLAYING and not row["is_old"]]
    playing = [row for row in playing if is_ready(services, row["game"])]
    slow = [row for row in playing if row["is_slow"]]
    for row in slow + [row for row in playing if not row["is_slow"]][:MOST_LOOKED_AT]:
        try:
            live = await services.tables.get(row["id"])
            async with live.reading() as state:
                note_turn(row, state, state.seat_of(person.id), services.tables.now())
        except Refused as refusal:
            log.warning("a table cannot be looked at", table=row["id"], why=refusal.why)


def note_turn(row: dict[str, Any], state: TableState, seat: Seat, now: int) -> None:
    """Add to a row whether it is the seat's turn, and whether others wait for it.

    Nobody waits in one-player games and lessons, or for somebody who has left.
    """
    if seat not in state.asked or state.chairs[seat].bot or state.chairs[seat].is_left:
        return
    row["is_my_turn"], row["is_my_move"] = True, row["seats"] > 1 and not row["is_lesson"]
    if row["is_my_move"]:
        row["asks"] = plain(messages.question(state, seat, state.view(seat)), state.names)
        since = state.clocks.since[seat]
        if since is not None:
            row["ends"] = since + state.clocks.left[seat]
            row["left"] = time_left(row["ends"], now)


def is_ready(services: Services, name: str) -> bool:
    """Whether a game's kernels are compiled; the lobby does not wait for compilation."""
    return services.compiling.is_over or name in services.compiling.ready


def is_to_show(row: Mapping[str, Any]) -> bool:
    """Whether to list one of one's own tables; finished one-player games and lessons are not listed."""
    return bool(row["stage"] != OVER or (row["seats"] > 1 and not row["is_lesson"]))


def rows_of(rows: Iterable[Mapping[Any, Any]], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Tables for the lobby's templates. Unreadable ones are left out, logged and counted."""
    found = []
    for row in rows:
        if row["game"] in titles:
            try:
                found.append(row_of(row, titles))
            except Exception as error:
                report_bad_row(row, error)
    return found


def row_of(row: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    """A table for the lobby's templates."""
    sitters = msgspec.json.decode(row["company"], type=list[str])
    config = from_columns(row)
    terms, free = config.terms, sum(not name for name in sitters)
    special = [f"{title}: {value}" for title, value in in_words(config.find_game(), config.options | terms.requested)]
    facts = [each for each in special if len(each) < LONGEST_FACT]
    if row["stage"] == OPEN:
        facts = [f"{free} free", terms.clock_in_words, *facts, *([] if row["is_public"] else ["by link"])]
    elif terms.clock != NO_CLOCK:
        facts = [terms.clock_in_words, *facts]
    return {
        "id": row["id"],
        "game": row["game"],
        "title": titles[row["game"]],
        "stage": row["stage"],
        "seats": row["seats"],
        "sitters": [name for name in sitters if name],
        "facts": [] if terms.lesson else facts,
        "has_people": sum(bool(name) and not is_shown_as_bot(name) for name in sitters) > 1,
        "is_lesson": bool(terms.lesson),
        "is_slow": terms.clock == DAYS,
        "has_board": False,
        "is_my_turn": False,
        "is_my_move": False,
        "asks": "",
        "ends": None,
        "left": "",
        "is_old": not config.is_playable,
    }


def is_shown_as_bot(shown: str) -> bool:
    """Whether a player's name in a list has a bot's level behind it."""
    return shown.endswith(")") and shown[:-1].rpartition("(")[2] in BOTS


def time_left(ends: int, now: int) -> str:
    """The time left in words; `web/lobby.js` updates it in the same words."""
    minutes = max(0, ends - now) // 60_000
    for size, word in ((24 * 60, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size * (2 if size > 60 else 1):
            count = minutes // size
            return f"{count} {word}{'' if count == 1 else 's'} left"
    return "less than a minute left"


def in_words(game: Game, options: Mapping[str, str]) -> list[tuple[str, str]]:
    """The options that differ from the defaults, each with its value, in words for people."""
    known = {option.name: option for option in game.options}
    return [
        (known[name].title, known[name].called(value))
        for name, value in options.items()
        if name in known and value != known[name].default
    ]

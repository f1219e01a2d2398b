"""Read-only access to tables with rules that this program does not have: their journals, in their own notation.

Without the rules it is not known who saw which move. Until such a game is over a reader is therefore shown only the
moves of the reader's own seat, unless the game is known to have no secrets: an older server may still continue it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, RowMapping, select

from backroom.engine import registry
from backroom.engine.kernel import NATURE, SPECTATOR
from backroom.engine.log import Log
from backroom.engine.options import BadOption
from backroom.engine.protocol import Seat
from backroom.server.storage.journal import BEGIN, END, MOVE, RISE, SAY, SIT, TAKE_BACK, Entry
from backroom.server.storage.schema import tables
from backroom.server.storage.store import Store
from backroom.server.tables.config import TableConfig, from_columns
from backroom.server.tables.live import check_numbers, unreadable
from backroom.server.tables.state import OVER


class Told(NamedTuple):
    """A line of the story: a name, and the move in the game's notation, or what was said or happened."""

    who: str
    text: str
    seat: Seat | None = None
    """The seat that moved; None if the line is not a move."""


@dataclass(frozen=True)
class Archived:
    """A table read from its journal without its rules."""

    config: TableConfig
    stage: str
    company: list[str]
    """The name at each seat."""
    entries: Sequence[Entry]

    @property
    def title(self) -> str:
        """The game's title, or its name if the game no longer exists."""
        try:
            return registry.game(self.config.game).title
        except BadOption:
            return self.config.game

    @property
    def has_secrets(self) -> bool:
        """Whether some moves may be hidden from some readers."""
        if self.stage == OVER:
            return False
        try:
            return bool(registry.game(self.config.game).rules.SECRETS)
        except BadOption:
            return True

    def seat_of(self, person: str | None) -> Seat:
        """The person's seat; SPECTATOR if none."""
        owners: dict[Seat, str | None] = {}
        has_begun = False
        for entry in self.entries:
            has_begun = has_begun or entry.kind == BEGIN
            if entry.kind == SIT and entry.seat is not None:
                owners[entry.seat] = entry.who
            elif entry.kind == RISE and entry.seat is not None and not has_begun:
                owners.pop(entry.seat, None)
        return next((seat for seat, owner in owners.items() if owner is not None and owner == person), SPECTATOR)

    def called(self, seat: Seat) -> str:
        """The name of the player in a seat."""
        if seat == NATURE:
            return "Chance"
        return (self.company[seat] if seat < len(self.company) else "") or f"seat {seat + 1}"

    def story(self, reader: Seat) -> list[Told]:
        """What the reader may know of the game; moves that were taken back are left out."""
        found: list[Told] = []
        for entry in self.entries:
            if entry.kind == TAKE_BACK:
                places = [at for at, told in enumerate(found) if told.seat is not None]
                gone = set(places[int(entry.text) :])
                found = [told for at, told in enumerate(found) if at not in gone]
            elif entry.kind == MOVE and entry.seat is not None:
                found.append(Told(self.called(entry.seat), entry.text, entry.seat))
            elif entry.kind == SAY:
                name, _, said = entry.text.partition("\n")
                found.append(Told(name, said))
            elif entry.kind == END:
                found.append(Told("", entry.text))
        if self.has_secrets:
            found = [told for told in found if told.seat is None or told.seat == reader]
        return found

    @property
    def log(self) -> Log:
        """The log, for a program that has the rules; with the seed once the game is over."""
        moves: list[tuple[Seat, str]] = []
        for entry in self.entries:
            if entry.kind == TAKE_BACK:
                del moves[int(entry.text) :]
            elif entry.kind == MOVE and entry.seat is not None:
                moves.append((entry.seat, entry.text))
        config = self.config
        return Log(
            config.game,
            config.version,
            config.seats,
            config.options,
            config.seed_hash,
            config.start,
            tuple(moves),
            config.seed if self.stage == OVER else None,
            {seat: name for seat, name in enumerate(self.company) if name.strip()},
        )


async def archived(store: Store, table: str) -> Archived:
    """A table from the database, read without its rules; Refused if it is damaged."""

    def read(conn: Connection) -> tuple[RowMapping, Sequence[Entry]]:
        row = conn.execute(select(tables).where(tables.c.id == table)).mappings().one()
        return row, store.journal(conn, table)

    row, entries = await store.read(read)
    try:
        check_numbers(entries, 0)
        company = msgspec.json.decode(row["company"], type=list[str])
        found = Archived(from_columns(row), row["stage"], company, entries)
        found.story(SPECTATOR)  # reads every entry
    except Exception as error:
        raise unreadable(table, error) from None
    return found

"""Live tables: loaded from their journals, changed by one action at a time, and published to their subscribers."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import msgspec
import structlog
from prometheus_client import Counter
from sqlalchemy import Connection, select, update
from sqlalchemy.exc import SQLAlchemyError

from backroom.engine.kernel import SPECTATOR
from backroom.engine.options import BadOption
from backroom.engine.protocol import IllegalMove, Seat
from backroom.server import tracing
from backroom.server.clock import now_ms
from backroom.server.errors import Conflict, OtherRules, Refused, Unkept
from backroom.server.people import ratings
from backroom.server.storage.database import first_line
from backroom.server.storage.journal import MOVE, RATED, SAY, SIT, Entry
from backroom.server.storage.queries import visit
from backroom.server.storage.schema import entries, tables
from backroom.server.storage.store import Store, append_now
from backroom.server.tables import messages, timeouts
from backroom.server.tables.audience import Audience, Listener, event
from backroom.server.tables.config import TableConfig, Terms, columns, from_columns
from backroom.server.tables.state import OVER, Change, TableState
from backroom.server.tables.table_bots import GRACE, TableBots
from backroom.server.tables.thinking import Thinking

log = structlog.get_logger()
bad_tables = Counter("backroom_bad_tables", "Times that a table could not be read from the database")

TRIES = 8
"""How often an action is tried again after another process has written first."""
IDLE = 60.0
"""Seconds after which a table without subscribers is dropped from memory."""
HEARTBEAT = 15.0
LONGEST_SLEEP = 600.0
"""Longest time in seconds until a timer checks its clock again, because the system clock may be adjusted."""
MOST_FIRST = 100_000
"""Most entries with which a table may be made, as from a log."""
AGAIN = 1.0
"""Seconds after which clocks and bots are tried again when the database, or other processes, did not let them."""
RETRY = b"retry: 1000\n\n"
"""The beginning of every stream: a browser that loses it reconnects after a second."""
GATHER = 0.15
"""Seconds for which arrivals and departures are collected before they are published."""
MOST_HEADINGS = 16
"""Headings kept for a table: of most moves only who is asked is new in them."""
LISTED, SEEN, REREAD, PERSON = "l", "s", "!", "@"
"""Words between processes (`LiveTables.hear`)."""


Action = Callable[[TableState], Sequence[Entry]]
"""Takes the current state of a table and returns the entries to write; raises Refused or IllegalMove if not allowed."""


class Lobby(Protocol):
    """Subscribers to the lists of tables."""

    def notice(self, table: str, people: Collection[str] | None, is_listed: bool, is_seen: bool = False) -> None:
        """Report a change at a table where these people sit (None: not known, another process wrote it).

        `is_listed`: its entry in the public lists may have changed too. `is_seen`: it is public, and the change is
        visible to spectators.
        """

    def beat(self) -> None:
        """Send a heartbeat to every stream."""

    def close(self) -> None:
        """Close all streams; their readers reconnect."""


class LiveTable:
    """One live table."""

    def __init__(self, tables: "LiveTables", config: TableConfig) -> None:
        self.tables = tables
        self.config = config
        self.id = config.id
        self.lock = asyncio.Lock()
        self.state: TableState | None = None
        self.audiences: dict[tuple[Seat, bool], Audience] = {}
        self.used = time.monotonic()
        self.timer: asyncio.TimerHandle | None = None
        self.bots = TableBots(self)
        self._telling: asyncio.TimerHandle | None = None
        self._present: tuple[set[str], int] | None = None
        """Cached: the people at the table and the number of spectators; None after an arrival or a departure."""

    # state and journal

    async def current(self) -> TableState:
        """The current state, loaded if necessary. The caller holds the lock.

        Refused if the table has left memory since the caller got it: nobody would hear of what is written here.
        """
        if self.is_dropped:
            raise Refused("this table is being loaded again; try again", 503, "busy")
        self.used = time.monotonic()
        if self.state is None:
            with tracing.span("load", table=self.id):
                self.state = await asyncio.to_thread(self._load)
            self._after_change()
        return self.state

    def _load(self) -> TableState:
        found = self.tables.store.read_now(lambda conn: self.tables.store.journal(conn, self.id))
        return self._replayed(found)[0]

    def _replayed(self, found: Sequence[Entry], since: int | None = None) -> tuple[TableState, Change]:
        """The state after a whole journal, and what the entries after number `since` changed.

        A damaged journal affects only its own table: Refused says why that cannot be opened.
        """
        since = len(found) if since is None else since
        state = TableState(self.config)
        try:
            check_numbers(found, 0)
            state.apply(found[:since])
            return state, state.apply(found[since:])
        except Exception as error:
            raise unreadable(self.id, error, line=state.lines) from None

    @contextlib.asynccontextmanager
    async def reading(self) -> AsyncIterator[TableState]:
        """Hold the lock and read the state; everything in it has been stored."""
        async with self.lock:
            yield await self.current()

    async def write(self, act: Action, key: str | None = None) -> TableState:
        """Validate an action, store its entries, and only then publish them.

        If another process has written first, catch up and try again. An action whose `key` is already in the journal
        changes nothing: whoever can write the next entry knows the keys of all entries before it.
        """
        async with self.lock:
            for _ in range(TRIES):
                state = await self.current()
                if key is not None and state.may_have_key(key) and await self._has_key(key):
                    return state
                try:
                    if await self._write_once(state, act, key):
                        return state
                except (Refused, IllegalMove):  # perhaps an old move that was sent again
                    if key is None or not await self._has_key(key):
                        raise
                    return state
                if key is not None and await self._has_key(key):
                    return await self.current()
        raise Refused("too much is happening at this table; try again", 503, "busy")

    async def _has_key(self, key: str) -> bool:
        """Whether the journal has an entry with this key, in the database."""
        mine = (entries.c.table_id == self.id) & (entries.c.key == key)
        return await self.tables.store.read(lambda conn: conn.scalar(select(entries.c.number).where(mine))) is not None

    async def _write_once(self, state: TableState, act: Action, key: str | None) -> bool:
        before = list(state.counts)
        number, was_over = state.number, state.stage == OVER
        with tracing.span("judge"):
            drafts = act(state)
        at = max(self.tables.now(), state.ask_since)
        new = [
            Entry(draft.kind, draft.seat, draft.text, draft.who, key if n == 1 else None, number + n, at)
            for n, draft in enumerate(drafts, 1)
        ]
        if not new:
            return True
        try:
            change = state.apply(new)
            is_end = state.stage == OVER and not was_over
            also = self._also(state, new, is_end) if is_end or any(entry.kind != MOVE for entry in new) else None
            with tracing.span("append", table=self.id, entries=len(new)):
                rated = await self.tables.store.append(self.id, new, also)
            if rated is not None:
                state.apply([rated])
        except Conflict:
            await self._catch_up(number, before)
            return False
        except BaseException:  # the state in memory may be ahead of the journal
            self.start_over()
            raise
        with tracing.span("publish"):
            self._publish(state, change, before)
        if change.steps:
            self.tables.count_moves(len(change.steps))
        log.debug("written", table=self.id, line=state.lines, entries=len(new))
        if is_end:
            log.info("table over", table=self.id, line=state.lines)
        return True

    def _also(self, state: TableState, new: Sequence[Entry], is_end: bool) -> Callable[[Connection], Any]:
        """Work for the same transaction: update the table's row for the lobby and, at the end, store the result."""
        stage = state.stage
        company = messages.encode([chair.shown for chair in state.chairs]).decode()
        sitters = [chair.owner for chair in state.chairs if chair.owner] if any(e.kind == SIT for e in new) else []
        result = ratings.result_of(state) if is_end and state.score is not None else None
        next_number, at, lines = state.number + 1, self.tables.now(), state.lines
        speakers = [entry.who for entry in new if entry.kind == SAY and entry.who]

        def work(conn: Connection) -> Entry | None:
            conn.execute(update(tables).where(tables.c.id == self.id).values(stage=stage, company=company))
            for speaker in speakers:  # to be found if the speaker, who may have no seat, is deleted
                visit(conn, self.id, speaker, lines, at)
            if sitters:
                ratings.keep_sitters(conn, self.id, sitters)
            changes = None if result is None else ratings.keep_result(conn, result, at)
            if changes is None:
                return None
            rated = Entry(RATED, None, messages.encode(changes).decode(), number=next_number, at=at)
            append_now(conn, self.id, rated)
            return rated

        return work

    async def _catch_up(self, number: int, before: list[int]) -> None:
        """Reload, and publish what other processes have written after entry `number`."""
        try:
            found = await self.tables.store.read(lambda conn: self.tables.store.journal(conn, self.id))
            state, change = await asyncio.to_thread(self._replayed, found, number)
        except BaseException:
            self.start_over()
            raise
        self.state = state
        self._publish(state, change, before, is_own=False)

    async def follow(self) -> None:
        """Read what other processes have written to this table, and publish it to the subscribers here."""
        async with self.lock:
            if self.state is None:
                return
            state, number, before = self.state, self.state.number, list(self.state.counts)
            try:
                new = await self.tables.store.read(lambda conn: self.tables.store.journal(conn, self.id, number))
                check_numbers(new, number)
                change = state.apply(new)
            except Exception as error:  # a damaged journal is reported when it is read again
                log.warning("an entry cannot be followed", table=self.id, line=state.lines, why=repr(error))
                self.start_over()
                return
            if new:
                self._publish(state, change, before, GRACE, is_own=False)

    def start_over(self) -> None:
        """Forget the state, which may differ from the journal; readers reconnect, and clocks and bots go on soon."""
        self.state = None
        self.close_all_streams()
        self._wake_in(AGAIN)

    # publishing

    def heading(self, state: TableState) -> msgspec.Raw:
        """The part of a message that is the same for all readers."""
        if self._present is None:
            self._present = self.people_here(), self.watchers()
            state.kept_headings.clear()
        here, watchers = self._present
        deadline = timeouts.deadline(state)
        ends = None if deadline is None else deadline.ends
        key = messages.heading_key(state) if ends is None else None
        found = None if key is None else state.kept_headings.get(key)
        if found is None:
            now = self.tables.now()
            found = msgspec.Raw(messages.encode(messages.heading(state, here, watchers, now, ends)))
            if key is not None and len(state.kept_headings) < MOST_HEADINGS:
                state.kept_headings[key] = found
        return found

    def watchers(self) -> int:
        """The number of spectators; a person with several streams counts once."""
        theirs = [a.listeners for (reader, _), a in self.audiences.items() if reader == SPECTATOR]
        return len({listener.person or id(listener) for listeners in theirs for listener in listeners})

    def people_here(self) -> set[str]:
        """Ids of the people with an open stream, in this process or another."""
        mine = {listener.person for a in self.audiences.values() for listener in a.listeners if listener.person}
        return mine | self.tables.elsewhere(self.id)

    def _publish(
        self, state: TableState, change: Change, before: list[int], grace: float = 0, is_own: bool = True
    ) -> None:
        if self.audiences:
            head = self.heading(state)
            for (reader, _), audience in self.audiences.items():
                audience.publish(state, change, head, before[reader])
            if change.are_seats_new:
                self.close_streams_of_others(state)
        is_seen = state.count(SPECTATOR) != before[SPECTATOR]
        self.tables.notice(state, bool(change.notes) or state.stage == OVER, is_seen, is_own)
        self._after_change(grace)

    def _after_change(self, grace: float = 0) -> None:
        if self.state is not None:
            self.bots.stir(self.state, grace)
            self._wind(self.state)

    def audience(self, state: TableState, reader: Seat, for_programs: bool = False) -> Audience:
        """The subscribers who share this view, created if necessary. The caller holds the lock."""
        found = self.audiences.get((reader, for_programs))
        if found is None:
            found = self.audiences[reader, for_programs] = Audience(state, reader, for_programs)
        return found

    @contextlib.asynccontextmanager
    async def listening(
        self, person: str | None, since: int | None, for_programs: bool = False
    ) -> AsyncIterator[Listener]:
        """Open a stream with this person's view, beginning with what was missed after count `since`."""
        async with self.reading() as state:
            reader = state.seat_of(person)
            audience = self.audience(state, reader, for_programs)
            listener = Listener(person)
            listener.waiting = [RETRY, *audience.missed(state, since, self.heading(state))]
            audience.listeners.add(listener)
        self.tell_who_is_here()
        try:
            yield listener
        finally:
            for found in self.audiences.values():
                found.listeners.discard(listener)
            self.used = time.monotonic()
            self.tell_who_is_here()
            if person is not None and self.state is not None:
                self.tables.start(self._remember(person, self.state.lines))

    async def _remember(self, person: str, lines: int) -> None:
        """Store how many lines a person had seen when the stream closed."""
        with contextlib.suppress(Conflict):
            await self.tables.store.write(lambda conn: visit(conn, self.id, person, lines, self.tables.now()))

    def close_all_streams(self) -> None:
        """Close every stream of this table; readers reconnect."""
        for audience in self.audiences.values():
            for listener in audience.listeners:
                listener.close()
        self.audiences.clear()
        self._present = None

    def close_streams_of_others(self, state: TableState) -> None:
        """Close the streams of people who have changed seats, to be opened again with the view of the present seat.

        Their pages are told to load themselves again.
        """
        again = event(messages.encode({"version": f"{self.id} {state.number}"}), name="stale")
        for (reader, for_programs), audience in self.audiences.items():
            for listener in [each for each in audience.listeners if state.seat_of(each.person) != reader]:
                audience.listeners.discard(listener)
                if not for_programs:
                    listener.tell(again)
                listener.close()
        self._present = None

    def tell_who_is_here(self) -> None:
        """Publish who is here, after a short delay that combines simultaneous arrivals and departures."""
        self._present = None
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(GATHER, self._tell_now)
        self.tables.tell_elsewhere(self)

    def _tell_now(self) -> None:
        self._telling = self._present = None
        if self.state is not None and not self.lock.locked():
            message = event(messages.encode({"table": self.heading(self.state)}), name="here")
            for audience in self.audiences.values():
                audience.tell(message)
        elif self.state is not None:
            self.tell_who_is_here()

    def beat(self) -> None:
        """Send a heartbeat to every stream, and forget the cached list of who is here."""
        self._present = None
        for audience in self.audiences.values():
            audience.tell(b": \n\n")

    # time

    def _wind(self, state: TableState) -> None:
        """Set the timer for the next deadline."""
        due = timeouts.next_due(state)
        if due is not None:
            self._wake_in(min(max(0, due + 1 - self.tables.now()) / 1000, LONGEST_SLEEP))
        elif self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _wake_in(self, seconds: float) -> None:
        """Set the timer to this number of seconds."""
        if self.timer is not None:
            self.timer.cancel()
        self.timer = asyncio.get_running_loop().call_later(seconds, self._wake)

    def _wake(self) -> None:
        """Act on a deadline that has passed, or load the state again; otherwise check bots and deadlines again."""
        if self.is_dropped:
            return
        due = None if self.state is None else timeouts.next_due(self.state)
        if self.state is None or (due is not None and due < self.tables.now()):
            self.tables.start(self.tick())
        else:
            self._after_change()

    async def tick(self) -> None:
        """Write what follows from expired clocks and countdowns."""
        try:
            await self.write(lambda state: timeouts.overdue(state, self.tables.now()))
        except (Refused, IllegalMove, Unkept, SQLAlchemyError) as error:
            self.failed("time could not be kept", error)
        if self.state is not None:
            self.bots.stir(self.state)

    def failed(self, what: str, error: Exception) -> None:
        """Log why the table itself, or a bot, could not write, and try again soon if that may succeed."""
        log.warning(what, table=self.id, why=first_line(error))
        if not isinstance(error, IllegalMove) and getattr(error, "status", 503) == 503:
            self._wake_in(AGAIN)

    @property
    def is_idle(self) -> bool:
        listeners = any(a.listeners for a in self.audiences.values())
        return not listeners and not self.lock.locked() and not self.bots.is_busy

    @property
    def is_dropped(self) -> bool:
        """Whether it has left memory, so that others who ask for the table get another object."""
        return self.tables.live.get(self.id) is not self

    def drop(self) -> None:
        """Release the state and the subscribers.

        The table and its bots refer to each other, so otherwise they would stay in memory until the next full garbage
        collection.
        """
        if self.timer is not None:
            self.timer.cancel()
        if self._telling is not None:
            self._telling.cancel()
        self.state = None
        self.audiences.clear()


class LiveTables:
    """All live tables of this process."""

    def __init__(
        self, store: Store, thinking: Thinking, *, now: Callable[[], int] = now_ms, bot_pace: float = 0.6
    ) -> None:
        self.store = store
        self.thinking = thinking
        self.now = now
        self.bot_pace = bot_pace
        self.live: dict[str, LiveTable] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._away: dict[str, dict[str, tuple[float, frozenset[str]]]] = {}
        self.speak: Callable[[str], None] | None = None
        """Sends other processes a message that is not stored."""
        self.reread_person: Callable[[str], None] = lambda person: None
        """Called if another process has changed something about the person with this id."""
        self.forget_analysis: Callable[[str], None] = lambda table: None
        """Called if the journal of the table with this id is another."""
        self.count_moves: Callable[[int], None] = lambda moves: None
        self.lobby: Lobby | None = None

    async def get(self, name: str) -> LiveTable:
        """The live table of that id; Refused if there is none."""
        found = self.live.get(name)
        if found is None:
            row = await self.store.read(
                lambda conn: conn.execute(select(tables).where(tables.c.id == name)).mappings().first()
            )
            if row is None:
                raise Refused("there is no such table", 404, "unknown")
            found = self.live.get(name)  # another task may have loaded it meanwhile
            if found is None:
                found = self.live[name] = LiveTable(self, _config_of(row))
        found.used = time.monotonic()
        return found

    async def make(self, config: TableConfig, first: Sequence[Entry]) -> LiveTable:
        """Create a table with the first entries of its journal."""
        if len(first) > MOST_FIRST:
            raise Refused(f"a table begins with at most {MOST_FIRST:,} lines", 422, "unreadable")
        at = self.now()
        new = [msgspec.structs.replace(entry, number=n, at=at) for n, entry in enumerate(first, 1)]
        state = await asyncio.to_thread(_applied, config, new)
        company = messages.encode([chair.shown for chair in state.chairs]).decode()
        sitters = [chair.owner for chair in state.chairs if chair.owner]

        def work(conn: Connection) -> None:
            conn.execute(tables.insert().values(**columns(config, state.stage, company)))
            ratings.keep_sitters(conn, config.id, sitters)

        await self.store.append_first(config.id, new, work)
        live = self.live[config.id] = LiveTable(self, config)
        live.state = state
        self.notice(state, is_listed=True)
        live._after_change()
        log.info("table made", table=config.id, game=config.game, seats=config.seats)
        return live

    def notice(self, state: TableState, is_listed: bool, is_seen: bool = False, is_own: bool = True) -> None:
        """Report a change to the lobby, and one of its own (`is_own`) to other processes on the same SQLite file.

        Only public tables are listed for, and seen by, everybody. PostgreSQL itself tells other processes.
        """
        table, is_public = state.config.id, state.config.is_public
        is_listed, is_seen = is_listed and is_public, is_seen and is_public
        if self.lobby is not None:
            self.lobby.notice(table, [chair.owner for chair in state.chairs if chair.owner], is_listed, is_seen)
        if is_own and self.speak is not None and not self.store.is_postgres:
            self.speak(f"{self.store.name} {table} +{LISTED * is_listed}{SEEN * is_seen}")

    def start(self, work: Any) -> asyncio.Task[Any]:
        """Run a coroutine as a background task and log its errors."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task failed", exc_info=error)

    async def maintain(self) -> None:
        """Send heartbeats to all streams and drop idle tables, for as long as the server runs."""
        while True:
            await asyncio.sleep(HEARTBEAT)
            for live in list(self.live.values()):
                live.beat()
                if any(a.listeners for a in live.audiences.values()):
                    self.tell_elsewhere(live)
            if self.lobby is not None:
                self.lobby.beat()
            self.sweep(IDLE)

    def sweep(self, idle: float) -> None:
        """Drop the tables that nobody has used for this number of seconds."""
        for live in [live for live in self.live.values() if live.is_idle and time.monotonic() - live.used >= idle]:
            live.drop()
            del self.live[live.id]
            self._away.pop(live.id, None)
        for live in self.live.values():
            for key in [key for key, a in live.audiences.items() if not a.listeners]:
                if time.monotonic() - live.used >= idle:
                    del live.audiences[key]

    def close_streams(self) -> None:
        """Close all streams; their readers reconnect, to this process or another."""
        for live in self.live.values():
            live.close_all_streams()
        if self.lobby is not None:
            self.lobby.close()

    async def close(self) -> None:
        if self.lobby is not None:
            self.lobby.close()
        for live in list(self.live.values()):
            live.close_all_streams()
            live.drop()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # other processes

    def elsewhere(self, table: str) -> set[str]:
        """People with an open stream at a table in other processes, as recently reported."""
        fresh = time.monotonic() - 3 * HEARTBEAT
        return {who for said, people in self._away.get(table, {}).values() if said > fresh for who in people}

    def tell_elsewhere(self, live: LiveTable) -> None:
        if self.speak is not None:
            mine = {lis.person for a in live.audiences.values() for lis in a.listeners if lis.person}
            self.speak(f"{self.store.name} {live.id} {','.join(sorted(mine)[:100])}")

    def reread(self, table: str, is_own: bool = True) -> None:
        """Drop a table whose journal was changed in any other way than by adding to it; readers reconnect."""
        live = self.live.pop(table, None)
        self._away.pop(table, None)
        self.forget_analysis(table)
        if live is not None:
            live.close_all_streams()
            live.drop()
        if is_own and self.speak is not None:
            self.speak(f"{self.store.name} {table} {REREAD}")

    def tell_of_person(self, person: str) -> None:
        """Tell other processes that something about a person has changed."""
        if self.speak is not None:
            self.speak(f"{self.store.name} {PERSON} {person}")

    def hear(self, word: str) -> None:
        """Handle a message from another process, which begins with its name and the id of a table.

        Two words: it wrote to the table. A third that begins with `+` says which lists that concerns, `REREAD` that the
        journal is another; anything else is who is at the table there. In place of a table, `PERSON` is about one.
        """
        process, table, *more = word.split(" ", 2)
        said = more[0] if more else f"+{LISTED}"
        if process == self.store.name:
            return
        if table == PERSON:
            self.reread_person(said)
        elif said == REREAD:
            self.reread(table, is_own=False)
        elif said.startswith("+"):
            self._hear_of_entries(table, LISTED in said, SEEN in said)
        elif (live := self.live.get(table)) is not None:
            self._away.setdefault(table, {})[process] = time.monotonic(), frozenset(filter(None, said.split(",")))
            if live._telling is None:
                live._telling = asyncio.get_running_loop().call_later(GATHER, live._tell_now)

    def _hear_of_entries(self, table: str, is_listed: bool, is_seen: bool) -> None:
        if self.lobby is not None:
            self.lobby.notice(table, None, is_listed, is_seen)
        live = self.live.get(table)
        if live is None:
            return
        if live.is_idle:  # the next request loads it again
            live.drop()
        else:
            self.start(live.follow())


def check_numbers(found: Sequence[Entry], since: int) -> None:
    """ValueError if an entry is missing after the first `since`."""
    for number, entry in enumerate(found, since + 1):
        if entry.number != number:
            raise ValueError(f"entry {number} is missing from its journal")


def reason(error: Exception) -> str:
    """Why a table cannot be opened, for people: what the engine says, or that its journal is damaged."""
    known = isinstance(error, ValueError) and not isinstance(error, UnicodeError)
    return str(error) if known and str(error) else "its journal is damaged"


def _config_of(row: Mapping[Any, Any]) -> TableConfig:
    """The configuration in a database row; Refused if the row is damaged, OtherRules if this server cannot play it."""
    try:
        found = from_columns(row)
        found.check_version()
    except BadOption as error:
        raise OtherRules(str(error)) from None
    except Exception as error:
        raise unreadable(row["id"], error) from None
    return found


def unreadable(table: str, error: Exception, **more: object) -> Refused:
    """Log and count a table that cannot be read from the database; returns what its readers are told."""
    log.error("a table cannot be read", table=table, why=repr(error), **more)
    bad_tables.inc()
    return Refused(f"this table cannot be opened: {reason(error)}", 410, "unreadable")


def report_bad_row(row: Mapping[Any, Any], error: Exception) -> None:
    """Log and count a damaged row, which is left out of a list."""
    log.error("a table's row cannot be read", table=row["id"], why=repr(error))
    bad_tables.inc()


def is_readable(row: Mapping[Any, Any]) -> bool:
    """Whether the options and terms in a table's row, and the time when it was made, can be read."""
    try:
        msgspec.convert(row.get("made", 0), int)
        msgspec.json.decode(row["options"], type=dict[str, str])
        msgspec.json.decode(row["terms"], type=Terms)
    except ValueError as error:
        report_bad_row(row, error)
        return False
    return True


def _applied(config: TableConfig, entries: Sequence[Entry]) -> TableState:
    state = TableState(config)
    state.apply(entries)
    return state

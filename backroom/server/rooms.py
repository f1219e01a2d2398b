"""Live tables: each is loaded from its journal, judged and written to one after the other, and told to who listens."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import msgspec
import structlog
from sqlalchemy import Connection, select, update

from backroom.engine.game import IllegalMove, Seat
from backroom.engine.kernel import SPECTATOR
from backroom.engine.log import BadLog
from backroom.server import pace, ratings, wire
from backroom.server.audience import Audience, Listener, event
from backroom.server.company import GRACE, Company
from backroom.server.journal import Entry
from backroom.server.sitting import OVER, Change, Sitting
from backroom.server.store import Conflict, Store, tables, visit
from backroom.server.terms import Deal, columns, from_columns

log = structlog.get_logger()

TRIES = 8
"""How often a move is judged again when others were faster."""
IDLE = 60.0
"""Seconds after which a table that nobody looks at leaves memory."""
HEARTBEAT = 15.0
GATHER = 0.15
"""Seconds in which comings and goings are gathered before they are told."""


class Refused(Exception):
    """What cannot be done, and why, in words for who asked."""

    def __init__(self, why: str, status: int = 409, code: str = "refused") -> None:
        super().__init__(why)
        self.why, self.status, self.code = why, status, code


class Stale(Refused):
    """An answer to a question that is not asked any more."""

    def __init__(self, why: str = "that was an answer to an earlier question; look again") -> None:
        super().__init__(why, 409, "stale")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


Judge = Callable[[Sitting], Sequence[Entry]]
"""Looks at a table as it stands, and says what should be written; Refused or IllegalMove if nothing should."""


class Room:
    """One live table."""

    def __init__(self, rooms: "Rooms", deal: Deal) -> None:
        self.rooms = rooms
        self.deal = deal
        self.id = deal.id
        self.lock = asyncio.Lock()
        self.sitting: Sitting | None = None
        self.audiences: dict[tuple[Seat, bool], Audience] = {}
        self.used = time.monotonic()
        self.timer: asyncio.TimerHandle | None = None
        self.company = Company(self)
        self._telling: asyncio.TimerHandle | None = None
        self._present: tuple[set[str], int] | None = None
        """Who looks at the table, and how many spectators, until somebody comes or goes."""

    # what stands in the journal

    async def current(self) -> Sitting:
        """The table as it stands; loaded if need be. Hold the lock."""
        self.used = time.monotonic()
        if self.sitting is None:
            self.sitting = await asyncio.to_thread(self._load)
            self._after_change()
        return self.sitting

    def _load(self) -> Sitting:
        sitting = Sitting(self.deal)
        try:
            sitting.apply(self.rooms.store.read_now(lambda conn: self.rooms.store.journal(conn, self.id)))
        except (IllegalMove, BadLog) as error:
            log.error("journal does not replay", table=self.id, line=sitting.lines, why=str(error))
            raise Refused("this table was played by other rules and cannot be opened", 410) from None
        return sitting

    @contextlib.asynccontextmanager
    async def reading(self) -> AsyncIterator[Sitting]:
        """The table as everybody may know it: nothing of it waits to be written."""
        async with self.lock:
            yield await self.current()

    async def write(self, judge: Judge, key: str | None = None) -> Sitting:
        """Judge, write, and only then tell. Where another process was faster, catch up and judge again."""
        async with self.lock:
            for _ in range(TRIES):
                sitting = await self.current()
                if key is not None and key in sitting.keys:
                    return sitting
                if await self._write_once(sitting, judge, key):
                    return sitting
                if key is not None and self.sitting is not None and key in self.sitting.keys:
                    return self.sitting
        raise Refused("too much is happening at this table; try again", 503, "busy")

    async def _write_once(self, sitting: Sitting, judge: Judge, key: str | None) -> bool:
        before = list(sitting.counts)
        number, was_over = sitting.number, sitting.stage == OVER
        drafts = judge(sitting)
        at = max(self.rooms.now(), sitting.ask_since)
        new = [
            Entry(draft.kind, draft.seat, draft.text, draft.who, key if n == 1 else None, number + n, at)
            for n, draft in enumerate(drafts, 1)
        ]
        if not new:
            return True
        try:
            change = sitting.apply(new)
            is_end = sitting.stage == OVER and not was_over
            also = self._also(sitting, is_end) if is_end or any(entry.kind != "move" for entry in new) else None
            await self.rooms.store.append(self.id, new, also)
        except Conflict:
            await self._catch_up(number, before)
            return False
        except BaseException:
            self.sitting = None  # what is in memory may be ahead of what is kept
            raise
        self._publish(sitting, change, before)
        if change.steps:
            self.rooms.count_moves(len(change.steps))
        log.debug("written", table=self.id, line=sitting.lines, entries=len(new))
        if is_end:
            log.info("table over", table=self.id, line=sitting.lines)
        return True

    def _also(self, sitting: Sitting, is_end: bool) -> Callable[[Connection], Any]:
        """What the lobby shows, and at the end the result, in the same transaction."""
        stage = sitting.stage
        company = wire.encode([chair.shown for chair in sitting.chairs]).decode()
        sitters = [chair.owner for chair in sitting.chairs if chair.owner]
        result = ratings.result_of(sitting) if is_end and sitting.has_score else None

        def work(conn: Connection) -> None:
            conn.execute(update(tables).where(tables.c.id == self.id).values(stage=stage, company=company))
            ratings.keep_sitters(conn, self.id, sitters)
            if result is not None:
                ratings.keep_result(conn, result, self.rooms.now())

        return work

    async def _catch_up(self, number: int, before: list[int]) -> None:
        """Load anew, and tell listeners what others have written after entry `number`."""

        def load() -> tuple[Sitting, Change]:
            sitting = Sitting(self.deal)
            found = self.rooms.store.read_now(lambda conn: self.rooms.store.journal(conn, self.id))
            sitting.apply(found[:number])
            return sitting, sitting.apply(found[number:])

        sitting, change = await asyncio.to_thread(load)
        self.sitting = sitting
        self._publish(sitting, change, before)

    async def follow(self) -> None:
        """Others have written to this table: read it, and tell who listens here."""
        async with self.lock:
            if self.sitting is None:
                return
            sitting, number, before = self.sitting, self.sitting.number, list(self.sitting.counts)
            new = await self.rooms.store.read(lambda conn: self.rooms.store.journal(conn, self.id, number))
            if new:
                self._publish(sitting, sitting.apply(new), before, GRACE)

    # telling

    def heading(self, sitting: Sitting) -> msgspec.Raw:
        """The part of a message that is the same for all."""
        if self._present is None:
            watchers = sum(len(a.listeners) for (reader, _), a in self.audiences.items() if reader == SPECTATOR)
            self._present = self.people_here(), watchers
        here, watchers = self._present
        hurry = pace.hurry(sitting)
        ends = None if hurry is None else hurry.ends
        return msgspec.Raw(wire.encode(wire.heading(sitting, here, watchers, self.rooms.now(), ends)))

    def people_here(self) -> set[str]:
        """Who looks at the table now, in this process or in another."""
        mine = {listener.person for a in self.audiences.values() for listener in a.listeners if listener.person}
        return mine | self.rooms.elsewhere(self.id)

    def _publish(self, sitting: Sitting, change: Change, before: list[int], grace: float = 0) -> None:
        if self.audiences:
            head = self.heading(sitting)
            for (reader, _), audience in self.audiences.items():
                audience.publish(sitting, change, head, before[reader])
        self._after_change(grace)

    def _after_change(self, grace: float = 0) -> None:
        if self.sitting is not None:
            self.company.stir(self.sitting, grace)
            self._wind(self.sitting)

    def audience(self, sitting: Sitting, reader: Seat, for_programs: bool = False) -> Audience:
        """Those who look with these eyes. Hold the lock."""
        found = self.audiences.get((reader, for_programs))
        if found is None:
            found = self.audiences[reader, for_programs] = Audience(sitting, reader, for_programs)
        return found

    @contextlib.asynccontextmanager
    async def listening(
        self, person: str | None, since: int | None, for_programs: bool = False
    ) -> AsyncIterator[tuple[Listener, list[bytes]]]:
        """A stream of what this person may know, beginning with what was missed."""
        async with self.reading() as sitting:
            reader = sitting.seat_of(person)
            audience = self.audience(sitting, reader, for_programs)
            listener = Listener(person)
            missed = list(audience.missed(sitting, since, self.heading(sitting)))
            audience.listeners.add(listener)
        self.tell_who_is_here()
        try:
            yield listener, missed
        finally:
            for found in self.audiences.values():
                found.listeners.discard(listener)
            self.used = time.monotonic()
            self.tell_who_is_here()
            if person is not None and self.sitting is not None:
                self.rooms.start(self._remember(person, self.sitting.lines))

    async def _remember(self, person: str, lines: int) -> None:
        """How much somebody had seen who goes away."""
        with contextlib.suppress(Conflict):
            await self.rooms.store.write(lambda conn: visit(conn, self.id, person, lines, self.rooms.now()))

    def close_streams_of(self, person: str) -> None:
        """Somebody has changed seats: his streams have to be opened with the new eyes."""
        for audience in self.audiences.values():
            for listener in [each for each in audience.listeners if each.person == person]:
                audience.listeners.discard(listener)
                listener.close()
        self._present = None

    def tell_who_is_here(self) -> None:
        """Soon: many come and go at once."""
        self._present = None
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(GATHER, self._tell_now)
        self.rooms.tell_elsewhere(self)

    def _tell_now(self) -> None:
        self._telling = self._present = None
        if self.sitting is not None and not self.lock.locked():
            message = event(wire.encode({"table": self.heading(self.sitting)}), name="here")
            for audience in self.audiences.values():
                audience.tell(message)
        elif self.sitting is not None:
            self.tell_who_is_here()

    def beat(self) -> None:
        """A sign of life for every stream, and a new look at who is here."""
        self._present = None
        for audience in self.audiences.values():
            audience.tell(b": \n\n")

    # time

    def _wind(self, sitting: Sitting) -> None:
        """Wake up when the next time is over."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        due = pace.next_due(sitting)
        if due is not None:
            delay = max(0, due + 1 - self.rooms.now()) / 1000
            if delay < 3600:
                self.timer = asyncio.get_running_loop().call_later(delay, lambda: self.rooms.start(self.tick()))

    async def tick(self) -> None:
        """See whose time is over, and do about it what the table says."""
        try:
            await self.write(lambda sitting: pace.overdue(sitting, self.rooms.now()))
        except (Refused, IllegalMove) as refusal:
            log.warning("time could not be kept", table=self.id, why=str(refusal))

    @property
    def is_idle(self) -> bool:
        listeners = any(a.listeners for a in self.audiences.values())
        return not listeners and not self.lock.locked() and not self.company.is_busy

    def drop(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if self._telling is not None:
            self._telling.cancel()
        self.sitting = None


class Rooms:
    """All live tables of this process."""

    def __init__(self, store: Store, *, now: Callable[[], int] = now_ms, bot_pace: float = 0.6) -> None:
        self.store = store
        self.now = now
        self.bot_pace = bot_pace
        self.live: dict[str, Room] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._away: dict[str, dict[str, tuple[float, frozenset[str]]]] = {}
        self.speak: Callable[[str], None] | None = None
        """Tells other processes something that need not be kept."""
        self.count_moves: Callable[[int], None] = lambda moves: None

    async def room(self, name: str) -> Room:
        """The live table of that id; Refused if there is none."""
        found = self.live.get(name)
        if found is None:
            row = await self.store.read(
                lambda conn: conn.execute(select(tables).where(tables.c.id == name)).mappings().first()
            )
            if row is None:
                raise Refused("there is no such table", 404, "unknown")
            found = self.live.get(name)  # somebody else may have been faster
            if found is None:
                found = self.live[name] = Room(self, from_columns(row))
        return found

    async def make(self, deal: Deal, first: Sequence[Entry]) -> Room:
        """A new table, with the first entries of its journal."""
        at = self.now()
        new = [msgspec.structs.replace(entry, number=n, at=at) for n, entry in enumerate(first, 1)]
        sitting = await asyncio.to_thread(_applied, deal, new)
        company = wire.encode([chair.shown for chair in sitting.chairs]).decode()
        sitters = [chair.owner for chair in sitting.chairs if chair.owner]

        def work(conn: Connection) -> None:
            conn.execute(tables.insert().values(**columns(deal, sitting.stage, company)))
            ratings.keep_sitters(conn, deal.id, sitters)

        await self.store.append(deal.id, new, work)
        room = self.live[deal.id] = Room(self, deal)
        room.sitting = sitting
        room._after_change()
        log.info("table made", table=deal.id, game=deal.game, seats=deal.seats)
        return room

    def start(self, work: Any) -> asyncio.Task[Any]:
        """Let something run beside everything else; what goes wrong in it is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task failed", exc_info=error)

    async def keep_house(self) -> None:
        """Signs of life for streams; tables that nobody looks at leave memory."""
        while True:
            await asyncio.sleep(HEARTBEAT)
            for room in list(self.live.values()):
                room.beat()
                if any(a.listeners for a in room.audiences.values()):
                    self.tell_elsewhere(room)
            self.sweep(IDLE)

    def sweep(self, idle: float) -> None:
        """Let go of the tables that were not used for so many seconds."""
        for room in [room for room in self.live.values() if room.is_idle and time.monotonic() - room.used >= idle]:
            room.drop()
            del self.live[room.id]
        for room in self.live.values():
            for key in [key for key, a in room.audiences.items() if not a.listeners]:
                if time.monotonic() - room.used >= idle:
                    del room.audiences[key]

    async def close(self) -> None:
        for room in list(self.live.values()):
            room.drop()
            for audience in room.audiences.values():
                for listener in audience.listeners:
                    listener.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # other processes

    def elsewhere(self, table: str) -> set[str]:
        """Who looks at a table in other processes, as far as they have said so lately."""
        fresh = time.monotonic() - 3 * HEARTBEAT
        return {who for said, people in self._away.get(table, {}).values() if said > fresh for who in people}

    def tell_elsewhere(self, room: Room) -> None:
        if self.speak is not None:
            mine = {lis.person for a in room.audiences.values() for lis in a.listeners if lis.person}
            self.speak(f"{self.store.name} {room.id} {','.join(sorted(mine)[:100])}")

    async def hear(self, word: str) -> None:
        """Another process says that it wrote to a table (two words), or who looks at one there (three)."""
        process, table, *people = word.split(" ", 2)
        room = self.live.get(table)
        if process == self.store.name or room is None:
            return
        if people:
            self._away.setdefault(table, {})[process] = (
                time.monotonic(),
                frozenset(filter(None, people[0].split(","))),
            )
            if room._telling is None:
                room._telling = asyncio.get_running_loop().call_later(GATHER, room._tell_now)
        else:
            self.start(room.follow())


def _applied(deal: Deal, entries: Sequence[Entry]) -> Sitting:
    sitting = Sitting(deal)
    sitting.apply(entries)
    return sitting

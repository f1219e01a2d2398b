"""Bots at the table: they think beside everything else, from the view of their seat, and move like anybody."""

import asyncio
import random
import secrets
from typing import TYPE_CHECKING

import structlog

from backroom.bots import DEFAULT, bot, judge_of, ranked
from backroom.engine.game import IllegalMove, Seat, State
from backroom.engine.kernel import NATURE
from backroom.server.journal import Entry
from backroom.server.sitting import PLAYING, Sitting

if TYPE_CHECKING:
    from backroom.server.rooms import Room

log = structlog.get_logger()

GRACE = 3.0
"""Seconds that a process leaves another one that let its bot think first."""


def chosen_by(name: str, sitting: Sitting, seat: Seat, v: State) -> str:
    """The name of a bot's move."""
    move = bot(name, sitting.game).answer(v, seat, secrets.randbits(63))
    return sitting.game.rules.name(v, move)


def hints(sitting: Sitting, seat: Seat, v: State) -> list[tuple[str, float]]:
    """The moves that are open, the best first, and what part of the win each is worth, by the view alone."""
    found = ranked(sitting.game, judge_of(sitting.game), v, seat)
    return [(sitting.game.rules.name(v, move), worth) for move, worth in found]


def move_for(sitting: Sitting, seat: Seat) -> list[Entry]:
    """A bot's move for a seat whose time is over."""
    assert sitting.shown is not None
    v = sitting.game.view(sitting.shown, seat)
    return sitting.try_move(seat, chosen_by(sitting.chairs[seat].bot or DEFAULT, sitting, seat, v))


class Company:
    """The bots of one table."""

    def __init__(self, room: "Room") -> None:
        self.room = room
        self.thinking: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        return self.thinking is not None and not self.thinking.done()

    def next_seat(self, sitting: Sitting) -> Seat | None:
        """The seat of a bot that is asked."""
        if sitting.stage == PLAYING:
            for seat in sitting.asked:
                if seat != NATURE and sitting.chairs[seat].bot:
                    return seat
        return None

    def stir(self, sitting: Sitting, grace: float = 0) -> None:
        """Something has changed: if a bot is asked, let it think."""
        if not self.is_busy and self.next_seat(sitting) is not None:
            self.thinking = self.room.rooms.start(self._play_on(grace))

    async def _play_on(self, grace: float) -> None:
        """Answer as long as bots are asked."""
        from backroom.server.rooms import Refused

        await asyncio.sleep(grace)
        while True:
            await asyncio.sleep(self.room.rooms.bot_pace)
            async with self.room.reading() as sitting:
                seat = self.next_seat(sitting)
                if seat is None or sitting.shown is None:
                    self.thinking = None  # before anybody else can hold the lock
                    return
                v, ask, name = sitting.game.view(sitting.shown, seat), sitting.asks[seat], sitting.chairs[seat].bot
                number = sitting.number
            move = await asyncio.to_thread(chosen_by, name or DEFAULT, sitting, seat, v)

            def judge(sitting: Sitting, seat: Seat = seat, ask: int = ask, move: str = move) -> list[Entry]:
                is_same = sitting.asks[seat] == ask and seat in sitting.asked and sitting.chairs[seat].bot
                return sitting.try_move(seat, move) if is_same else []

            try:
                found = await self.room.write(judge)
            except (Refused, IllegalMove) as refusal:
                log.warning("a bot's move was refused", table=self.room.id, seat=seat, why=str(refusal))
                return
            if found.number == number:  # nothing came of it; do not spin
                await asyncio.sleep(random.uniform(0.05, 0.2))

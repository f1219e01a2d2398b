"""Bots at the table: they think beside everything else, from the view of their seat, and move like anybody."""

import asyncio
import random
import secrets
from typing import TYPE_CHECKING

import structlog

from backroom.bots import DEFAULT, bot, judge_of, ranked
from backroom.engine.kernel import NATURE
from backroom.engine.protocol import IllegalMove, Seat, State
from backroom.server.storage.journal import Entry
from backroom.server.tables.state import PLAYING, TableState

if TYPE_CHECKING:
    from backroom.server.tables.live import LiveTable

log = structlog.get_logger()

GRACE = 3.0
"""Seconds that a process leaves another one that let its bot think first."""


def chosen_by(name: str, state: TableState, seat: Seat, v: State) -> str:
    """The name of a bot's move."""
    move = bot(name, state.game).answer(v, seat, secrets.randbits(63))
    return state.game.rules.name(v, move)


def hints(state: TableState, seat: Seat, v: State) -> list[tuple[str, float]]:
    """The moves that are open, the best first, and what part of the win each is worth, by the view alone."""
    found = ranked(state.game, judge_of(state.game), v, seat)
    return [(state.game.rules.name(v, move), worth) for move, worth in found]


def move_for(state: TableState, seat: Seat) -> list[Entry]:
    """A bot's move for a seat whose time is over."""
    assert state.shown is not None
    v = state.game.view(state.shown, seat)
    return state.plan_move(seat, chosen_by(state.chairs[seat].bot or DEFAULT, state, seat, v))


class TableBots:
    """The bots of one table."""

    def __init__(self, live: "LiveTable") -> None:
        self.live = live
        self.thinking: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        return self.thinking is not None and not self.thinking.done()

    def next_seat(self, state: TableState) -> Seat | None:
        """The seat of a bot that is asked."""
        if state.stage == PLAYING:
            for seat in state.asked:
                if seat != NATURE and state.chairs[seat].bot:
                    return seat
        return None

    def stir(self, state: TableState, grace: float = 0) -> None:
        """Something has changed: if a bot is asked, let it think."""
        if not self.is_busy and self.next_seat(state) is not None:
            self.thinking = self.live.tables.start(self._play_on(grace))

    async def _play_on(self, grace: float) -> None:
        """Answer as long as bots are asked."""
        from backroom.server.errors import Refused

        await asyncio.sleep(grace)
        while True:
            await asyncio.sleep(self.live.tables.bot_pace)
            async with self.live.reading() as state:
                seat = self.next_seat(state)
                if seat is None or state.shown is None:
                    self.thinking = None  # before anybody else can hold the lock
                    return
                v, ask, name = state.game.view(state.shown, seat), state.asks[seat], state.chairs[seat].bot
                number = state.number
            move = await asyncio.to_thread(chosen_by, name or DEFAULT, state, seat, v)

            def act(state: TableState, seat: Seat = seat, ask: int = ask, move: str = move) -> list[Entry]:
                is_same = state.asks[seat] == ask and seat in state.asked and state.chairs[seat].bot
                return state.plan_move(seat, move) if is_same else []

            try:
                found = await self.live.write(act)
            except (Refused, IllegalMove) as refusal:
                log.warning("a bot's move was refused", table=self.live.id, seat=seat, why=str(refusal))
                return
            if found.number == number:  # nothing came of it; do not spin
                await asyncio.sleep(random.uniform(0.05, 0.2))

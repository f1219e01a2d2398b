"""Bots at the table: they think in the background, from the view of their seat, and move like any player.

A bot plays its own seats, and stands in for players whose time is over. It remembers what it decided and learned until
a change of the seat's player, or a new game. After a restart or a take-back it recalls that from the log.
"""

import asyncio
import random
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from backroom.bots import DEFAULT, SeatedBot, bots_seed_of, ends_of_turns, hint, seat_with_reflex
from backroom.engine.kernel import NATURE
from backroom.engine.protocol import IllegalMove, Seat, State
from backroom.engine.table import Table, new_seed
from backroom.server import tracing
from backroom.server.errors import Refused, Unkept
from backroom.server.storage.journal import Entry
from backroom.server.tables import messages, timeouts
from backroom.server.tables.state import PLAYING, Hands, TableState
from backroom.server.tables.thinking import BotProvider

if TYPE_CHECKING:
    from backroom.server.tables.live import LiveTable

GRACE = 3.0
"""Seconds for which bots wait after another process has written, because that process asks them first."""


def hints(provider: BotProvider, state: TableState, seat: Seat, v: State) -> dict[str, Any]:
    """A strong bot's advice from the view alone: in words, and the open moves with the value of each."""
    been = [] if state.table is None else ends_of_turns(state.table, seat)
    found, names = hint(state.game, provider.judge(state.game), v, seat, been=been), state.game.rules.name
    considered = [{"move": names(v, move), "worth": worth} for move, worth in found.considered]
    told = messages.in_words("says", found.says, state)
    return {"move": considered[0]["move"], "considered": considered, **told}


def seat_to_play(state: TableState, now: int) -> Seat | None:
    """The seat that a bot has to play now: its own, even if it is not asked, or that of somebody whose time is over."""
    if state.stage != PLAYING or state.lesson:
        return None
    chairs = enumerate(state.chairs)
    idle = {seat: chair.bot for seat, chair in chairs if chair.bot and seat not in state.asked and state.moves(seat)}
    quick = seat_with_reflex(state.game, idle, state.view)
    if quick is not None:
        return quick
    seats = [seat for seat in state.asked if seat != NATURE]
    for seat in seats:
        if state.chairs[seat].bot or seat in state.stand_ins:
            return seat
    return timeouts.seat_without_answer(state, now)


class Question(NamedTuple):
    """A question to a bot."""

    seat: Seat
    ask: int
    """The number of the seat's question, which shows whether it is still open."""
    number: int
    """The number of the last entry in the journal."""
    v: State
    table: Table
    made: int
    """The number of moves that the seat has made."""
    bot: str
    hands: Hands


class TableBots:
    """The bots of one table."""

    def __init__(self, live: "LiveTable") -> None:
        self.live = live
        self.task: asyncio.Task[None] | None = None
        self._seed = bots_seed_of(live.config.seed or new_seed())
        self._seated: dict[Seat, tuple[Hands, SeatedBot]] = {}
        """The bot of each seat, with the `Hands` at which its memory starts."""

    @property
    def is_busy(self) -> bool:
        return self.task is not None and not self.task.done()

    def _pause(self, state: TableState, seat: Seat) -> float:
        """Seconds between a question and its answer.

        Bots in seats of their own wait, so that people can follow; stand-ins answer immediately. So do bots whose
        answer is sealed because others are still asked: there is nothing to follow before the last answer.
        """
        is_shown = seat not in state.asked or len(state.asked) == 1
        return self.live.tables.bot_pace if is_shown and state.chairs[seat].bot is not None else 0.0

    def stir(self, state: TableState, grace: float = 0) -> None:
        """Start a bot's thinking if, after a change, a bot has to move."""
        if not self.is_busy and seat_to_play(state, self.live.tables.now()) is not None:
            self.task = self.live.tables.start(self._play_on(grace))

    def question(self, state: TableState) -> Question | None:
        """The question that a bot has to answer now, if any."""
        seat = seat_to_play(state, self.live.tables.now())
        if seat is None or state.table is None:
            return None
        made = sum(line.seat == seat for line in state.table.lines)
        v, bot = state.game.view(state.table.state, seat), state.chairs[seat].bot or DEFAULT
        return Question(seat, state.asks[seat], state.number, v, state.table, made, bot, state.hands[seat])

    def answer(self, question: Question, since: float | None) -> str:
        """Let the bot think, one question at a time, and return the name of its move.

        `since` is the time of the question, by `time.monotonic`; if None, there is no deadline.
        """
        game = question.table.game
        bot = self.live.tables.thinking.provider.bot(question.bot, game)
        seconds = self.live.tables.thinking.seconds
        until = None if since is None or seconds is None else since + seconds * bot.patience
        hands, player = self._seated.get(question.seat, (None, None))
        if player is None or hands != question.hands or player.name != question.bot:
            begin, player = time.monotonic(), SeatedBot(bot, question.seat, self._seed)
            player.recall(question.table, question.hands.lines, until)
            self._seated[question.seat] = question.hands, player
            if until is not None:  # the time to recall and to compile does not count
                until += time.monotonic() - begin
        return game.rules.name(question.v, player.answer(question.v, question.made, until))

    async def _play_on(self, grace: float) -> None:
        """Answer for as long as bots have to move. The pause before a move includes the time for thinking."""
        await asyncio.sleep(grace)
        thinking = self.live.tables.thinking
        while True:
            await thinking.turns.mine()
            if self.live.is_dropped:
                return
            async with self.live.reading() as state:
                question = self.question(state)
                if question is None:
                    self.task = None  # before anybody else can hold the lock
                    return
                start, pause = time.monotonic(), self._pause(state, question.seat)
            with tracing.span("think", table=self.live.id, bot=question.bot):
                move = await thinking.as_bot(self.answer, question, start)
            await asyncio.sleep(start + pause - time.monotonic())
            await thinking.turns.mine()

            def act(state: TableState, question: Question = question, move: str = move) -> list[Entry]:
                is_same = state.asks[question.seat] == question.ask
                is_due = is_same and seat_to_play(state, self.live.tables.now()) == question.seat
                return state.move_entries(question.seat, move) if is_due else []

            try:
                found = await self.live.write(act)
            except (Refused, IllegalMove, Unkept, SQLAlchemyError) as error:
                self.live.failed(f"a bot's move in seat {question.seat} was refused", error)
                return
            if found.number == question.number:  # nothing was written; do not spin
                await asyncio.sleep(random.uniform(0.05, 0.2))

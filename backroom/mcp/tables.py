"""Tables for agents, in the memory of this process, with the same seats, views and secrets as any other table."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from backroom.bots import Hint, bot, bots_of, ends_of_turns, hint, judge_of, next_seat, seated, why
from backroom.engine import registry
from backroom.engine.game import Game
from backroom.engine.kernel import SPECTATOR
from backroom.engine.log import UNSEEN, BadLog, Log
from backroom.engine.marks import plain
from backroom.engine.options import BadOption
from backroom.engine.protocol import Seat, State
from backroom.engine.table import Table, replay

MOST_TABLES = 200
"""Most tables in memory; new ones replace finished ones, or else the one that was not used for longest."""
TOLD = 12
"""Sentences of the story in each `look`."""
HINTED = 5
EFFORT = 0.3
"""The judge's effort for a hint, relative to an analysis."""


def advice(game: Game, v: State, seat: Seat, found: Hint) -> list[dict[str, Any]]:
    """The best moves of a hint, each with its value and the reasons for it, in the words that people see at a table."""

    def words(text: str) -> str:
        return plain(text, game.rules.SEAT_NAMES)

    return [
        {
            "name": game.rules.name(v, move),
            "label": words(game.rules.label(v, move)),
            "worth": worth,
            "why": [words(reason) for reason in why(game, v, seat, found.considered, place)],
        }
        for place, (move, worth) in enumerate(found.considered[:HINTED])
    ]


class AgentTable:
    """A table, the bots at it, and the keys of the seats that agents have taken."""

    def __init__(self, name: str, seats: int | None, bots: Mapping[int, str], options: Mapping[str, str]) -> None:
        self.table = Table(registry.game(name), seats=seats, options=options)
        taken = range(self.table.seats)
        if wrong := [seat for seat in bots if seat not in taken]:
            raise BadOption(f"there is no seat {wrong[0]} for a bot; this table has seats 0 to {len(taken) - 1}")
        made = {seat: bot(called, self.table.game) for seat, called in bots.items()}
        self.bots = {seat: seated(each, seat, self.table) for seat, each in made.items()}
        self.keys: dict[str, Seat] = {}
        self.lock = threading.Lock()
        self.let_bots_play()

    @property
    def free(self) -> list[Seat]:
        """The free seats."""
        return [seat for seat in range(self.table.seats) if seat not in self.bots and seat not in self.keys.values()]

    def let_bots_play(self) -> None:
        """Let bots move until another seat is asked or the game is over."""
        while (seat := next_seat(self.table, self.bots)) is not None:
            self.table.play(seat, self.bots[seat].move(self.table))

    def called(self, seat: Seat) -> str:
        return self.table.game.seat_name(seat)

    def words(self, text: str) -> str:
        """A sentence of the game as plain text, with the names of the seats."""
        return plain(text, self.table.game.rules.SEAT_NAMES)


class Tables:
    """All tables of a server. The key of a seat gives access to that seat's view, and to nothing else."""

    def __init__(self) -> None:
        self._tables: OrderedDict[str, AgentTable] = OrderedDict()
        """The last is the one that was used last."""

    def games(self) -> list[dict[str, Any]]:
        """The available games."""
        return [
            {
                "game": game.name,
                "title": game.title,
                "about": game.summary,
                "seats": list(game.seats),
                "options": {option.name: f"{option.choices}. {option.says}" for option in game.options},
                "bots": bots_of(game),
            }
            for game in map(registry.game, registry.names())
        ]

    def listed(self) -> list[dict[str, Any]]:
        """All tables, and their free seats."""
        return [
            {"table": name, "game": at.table.game.name, "free_seats": at.free, "over": at.table.is_over}
            for name, at in list(self._tables.items())
        ]

    def make(self, game: str, seats: int | None, bots: Mapping[int, str], options: Mapping[str, str]) -> dict[str, Any]:
        """Make a table, with bots in some seats."""
        at = AgentTable(game, seats, bots, options)
        while len(self._tables) >= MOST_TABLES:
            tables = list(self._tables.items())
            self._tables.pop(next((name for name, each in tables if each.table.is_over), tables[0][0]), None)
        name = secrets.token_hex(4)
        self._tables[name] = at
        return {"table": name, "seats": at.table.seats, "options": at.table.options, "free_seats": at.free}

    def sit(self, name: str, seat: int | None) -> dict[str, Any]:
        """Take a free seat; returns its key."""
        at = self._at(name)
        with at.lock:
            if not at.free:
                raise BadOption(f"all seats of table {name} are taken")
            seat = at.free[0] if seat is None else seat
            if seat not in at.free:
                raise BadOption(f"seat {seat} is not free; free is {', '.join(map(str, at.free))}")
            key = secrets.token_hex(8)
            at.keys[key] = seat
        return {"table": name, "seat": seat, "called": at.called(seat), "key": key}

    def look(self, name: str, key: str | None) -> dict[str, Any]:
        """The question, view and moves of a seat; without a key, the spectators' view."""
        at, seat = self._at(name), self._seat(name, key)
        with at.lock:
            return self._seen(at, seat)

    def _seen(self, at: AgentTable, seat: Seat) -> dict[str, Any]:
        table, rules = at.table, at.table.game.rules
        v = table.view(seat)
        found: dict[str, Any] = {
            "question": at.words(rules.question(v, seat)),
            "asked": seat in table.asked,
            "waiting_for": [at.called(other) for other in table.asked],
            "picture": rules.draw(v, seat).text(),
            "position": rules.position(v),
            "story": [at.words(said) for said in table.story(seat)][-TOLD:],
            "over": table.is_over,
        }
        if seat != SPECTATOR:
            found["called"] = at.called(seat)
            moves = table.game.moves(v, seat)
            found["moves"] = [{"name": rules.name(v, m), "label": at.words(rules.label(v, m))} for m in moves]
        if table.score is not None:
            found["score"] = {at.called(other): result for other, result in enumerate(table.score)}
        return found

    def move(self, name: str, key: str, move: str) -> dict[str, Any]:
        """Play a move by its name, and let the bots answer; returns what `look` returns then."""
        at, seat = self._at(name), self._seat(name, key)
        with at.lock:
            at.table.play(seat, move)
            at.let_bots_play()
            return self._seen(at, seat)

    def why_not(self, name: str, key: str, move: str) -> str:
        """Why a move is refused, with the §."""
        at, seat = self._at(name), self._seat(name, key)
        return at.table.why(seat, move) or f"{move} can be played"

    def hint(self, name: str, key: str) -> list[dict[str, Any]]:
        """The best moves according to our strongest bot, from the view of the seat."""
        at, seat = self._at(name), self._seat(name, key)
        game, v = at.table.game, at.table.view(seat)
        if not game.moves(v, seat):
            raise BadOption(f"{at.called(seat)} has no move now: it is for others to answer, or the game is over")
        return advice(game, v, seat, hint(game, judge_of(game, EFFORT), v, seat, been=ends_of_turns(at.table, seat)))

    def log(self, name: str, key: str | None) -> str:
        """The log with what the seat, or a spectator, has seen; complete when the game is over."""
        at, seat = self._at(name), self._seat(name, key)
        return str(at.table.log if at.table.is_over else at.table.log_seen_by(seat))

    def _at(self, name: str) -> AgentTable:
        try:
            self._tables.move_to_end(name)
            return self._tables[name]
        except KeyError:
            raise BadOption(f"there is no table {name!r}; list_tables says which there are") from None

    def _seat(self, name: str, key: str | None) -> Seat:
        if key is None:
            return SPECTATOR
        if key not in self._at(name).keys:
            raise BadOption(f"this is not the key of a seat at table {name}; sit gives one")
        return self._at(name).keys[key]


def shown_again(log: str, number: int | None) -> dict[str, Any]:
    """Replay a log: the story, and the picture after a move, for spectators. BadLog says why it cannot be replayed."""
    told = Log.parse(log)
    if any(name == UNSEEN for _, name in told.moves):
        raise BadLog(f"this log hides moves, written as {UNSEEN}; it can be replayed when the game is over")
    table = replay(told)
    number = len(table.lines) if number is None else number
    if number not in range(len(table.lines) + 1):
        raise BadOption(f"this game has {len(table.lines)} moves, and no number {number}")
    game = table.game
    v = game.view(table.state_at(number), SPECTATOR)
    sentences = [plain(said, game.rules.SEAT_NAMES) for line, said in table.chronicle(SPECTATOR) if line <= number]
    return {"moves": len(table.lines), "picture": game.rules.draw(v, SPECTATOR).text(), "story": sentences}
